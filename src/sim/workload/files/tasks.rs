//! A job in a file becomes a list of tasks.

use super::{FileRefusal, unreadable};
use crate::language::{NonEmpty, Positive};
use crate::units::{INPUT_LIMIT, Performance, Span, counted};
use crate::workload::task_file::{FileTask, is_graph, read_tasks};
use crate::workload::{FileSpec, InputSpec, ListedSpec, TaskSpec};
use std::io::Read;
use std::path::Path;

/// The tasks of a file, and notes on it; `seconds` of runtime in a WfCommons file are a unit of time.
pub(super) fn read(path: &Path, file: &FileSpec, seconds: f64) -> Result<(ListedSpec, Vec<String>), FileRefusal> {
    let limit = file.max_bytes.get();
    let mut text = String::new();
    let opened = std::fs::File::open(path);
    let read = opened.and_then(|opened| opened.take(limit.saturating_add(1)).read_to_string(&mut text));
    let size = read.map_err(|error| {
        (
            format!("the file can't be read: {}", unreadable(path, &error)),
            "give the path of a text file, from the folder of the scenario".into(),
        )
    })?;
    if size as u64 > limit {
        return Err((format!("the file has more than {limit} bytes"), "raise `max_bytes` if it is to be read".into()));
    }
    let right = || "give a WfCommons file (format 1.0 to 1.6) or a Graphviz digraph with sizes".to_string();
    let tasks = read_tasks(&file.path, &text).map_err(|error| error.in_file(&file.path))?;
    let is_graph = is_graph(&file.path, &text);
    let mut notes = Vec::new();
    let flow = tasks.iter().flat_map(|task| &task.inputs).find(|(_, data)| *data > 0.0);
    match (flow, file.bandwidth) {
        (Some(_), None) => {
            let of = tasks.iter().find(|task| task.inputs.iter().any(|(_, data)| *data > 0.0));
            let of = of.map_or("?", |task| task.name.as_str());
            let unit = if is_graph { "in the sizes of edges" } else { "in bytes" };
            let wrong = format!("{}: data flows to task `{of}`, and no `bandwidth` says how fast", file.path);
            return Err((wrong, format!("give `bandwidth`, the data that goes over in a unit of time, {unit}")));
        }
        (None, Some(_)) => notes.push(format!("{}: no data flows, so that `bandwidth` changes nothing", file.path)),
        _ => {}
    }
    let bandwidth = file.bandwidth.map_or(1.0, Positive::get);
    let speed = file.speed.get() * if is_graph { 1.0 } else { seconds };
    let listed =
        tasks.iter().map(|task| listed(task, &tasks, speed, bandwidth)).collect::<Result<Vec<_>, FileRefusal>>()?;
    let is_lost = |(data, input): &(&(usize, f64), &InputSpec)| data.1 > 0.0 && input.transfer == Span::ZERO;
    let inputs = tasks.iter().zip(&listed).flat_map(|(task, listed)| task.inputs.iter().zip(&listed.after));
    let lost = inputs.filter(is_lost).count() as u64;
    if lost > 0 {
        let (take, count) = if lost == 1 { ("takes", "counts") } else { ("take", "count") };
        let transfers = counted(lost, "transfer");
        let note = format!("{transfers} {take} less than a millionth of a unit of time, and {count} as 0");
        notes.push(format!("{}: {note}", file.path));
    }
    let tasks = NonEmpty::new(listed).ok_or_else(|| ("there are no tasks in it".to_string(), right()))?;
    let listed = ListedSpec { tasks };
    // Names are unique and known by now; what is left is a circle.
    let wrong = |error| (format!("{}: {error}", file.path), "let no task wait for itself".into());
    listed.dag(Performance::from_units(1)).map_err(wrong)?;
    Ok((listed, notes))
}

/// A task of a file as one would list it.
fn listed(task: &FileTask, all: &[FileTask], speed: f64, bandwidth: f64) -> Result<TaskSpec, FileRefusal> {
    let span = |amount: f64, per: f64, of: &str| {
        let time = amount / per;
        let good = Span::from_f64(time).ok().filter(|_| time <= INPUT_LIMIT);
        let wrong = || (format!("{of} would take {time:e} time units"), "keep it below 1e9".to_string());
        good.ok_or_else(wrong)
    };
    let time = span(task.size, speed, &format!("task {:?}", task.name))?;
    if task.size > 0.0 && time == Span::ZERO {
        let wrong =
            format!("task {:?} would take {:e} time units, which would count as 0", task.name, task.size / speed);
        return Err((wrong, "take a shorter unit of time: times have six decimals".into()));
    }
    let input = |&(from, data): &(usize, f64)| {
        let of = format!("the data from {:?} to {:?}", all[from].name, task.name);
        Ok(InputSpec { task: all[from].name.clone(), transfer: span(data, bandwidth, &of)? })
    };
    Ok(TaskSpec {
        name: task.name.clone(),
        time,
        after: task.inputs.iter().map(input).collect::<Result<_, FileRefusal>>()?,
    })
}
