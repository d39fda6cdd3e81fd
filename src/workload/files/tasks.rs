//! A job in a file becomes a list of tasks.

use super::Refusal;
use crate::scenario::NonEmpty;
use crate::scenario::schema::{FileSpec, InputSpec, ListedSpec, TaskSpec};
use crate::units::{INPUT_LIMIT, Performance, Span};
use crate::workload::task_file::{FileTask, read_tasks};
use std::io::Read;
use std::path::Path;

/// The largest file that is read, in bytes.
const SIZE_LIMIT: u64 = 256 << 20;

pub(super) fn read(folder: &Path, file: &FileSpec) -> Result<ListedSpec, Refusal> {
    let mut text = String::new();
    let opened = std::fs::File::open(folder.join(&file.path));
    let read = opened.and_then(|opened| opened.take(SIZE_LIMIT).read_to_string(&mut text));
    let size = read.map_err(|error| {
        (
            format!("the file can't be read: {error}"),
            "give the path of a text file, from the folder of the scenario".into(),
        )
    })?;
    if size as u64 == SIZE_LIMIT {
        return Err(("the file is too long".into(), "give one of less than 256 MiB".into()));
    }
    let right = || "give a WfCommons file (format 1.0 to 1.6) or a Graphviz digraph with sizes".to_string();
    let tasks = read_tasks(&file.path, &text).map_err(|error| (error.to_string(), right()))?;
    let listed = tasks.iter().map(|task| listed(task, &tasks, file)).collect::<Result<Vec<_>, Refusal>>()?;
    let tasks = NonEmpty::new(listed).ok_or_else(|| ("there are no tasks in it".to_string(), right()))?;
    let listed = ListedSpec { tasks };
    // Names are unique and known by now; what is left is a circle.
    let wrong = |error| (format!("the job in the file: {error}"), "let no task wait for itself".into());
    listed.dag(Performance::from_units(1)).map_err(wrong)?;
    Ok(listed)
}

/// A task of a file as one would list it.
fn listed(task: &FileTask, all: &[FileTask], file: &FileSpec) -> Result<TaskSpec, Refusal> {
    let span = |amount: f64, per: f64, of: &str| {
        let time = amount / per;
        let good = Span::from_f64(time).ok().filter(|_| time <= INPUT_LIMIT);
        let wrong = || (format!("{of} would take {time:e} time units"), "keep it below 1e9".to_string());
        good.ok_or_else(wrong)
    };
    let input = |&(from, data): &(usize, f64)| {
        let of = format!("the data from {:?} to {:?}", all[from].name, task.name);
        Ok(InputSpec { task: all[from].name.clone(), transfer: span(data, file.bandwidth.get(), &of)? })
    };
    Ok(TaskSpec {
        name: task.name.clone(),
        time: span(task.size, file.speed.get(), &format!("task {:?}", task.name))?,
        after: task.inputs.iter().map(input).collect::<Result<_, Refusal>>()?,
    })
}
