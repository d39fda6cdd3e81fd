//! Files that a scenario names become lists of tasks and of jobs in it.

use super::{FileTask, read_tasks};
use crate::scenario::schema::{
    Experiment, FileSpec, InputSpec, ListedSpec, Scenario, Study, TaskSpec, TasksSpec, WorkSpec,
};
use crate::scenario::{Cursor, NonEmpty, Report, Source, load, report_at, to_ron};
use crate::units::{INPUT_LIMIT, Span};
use crate::workload::flow_log::list_log;
use std::io::Read;
use std::path::Path;

/// The largest file that is read, in bytes.
const SIZE_LIMIT: u64 = 256 << 20;

/// What is wrong, and what would be right.
type Refusal = (String, String);

/// Replaces every file of tasks or of jobs that a study names by what is in it, so that results can be repeated without the file. Paths
/// are taken from the folder of the scenario; what is wrong with a file is reported where the scenario names it.
pub fn read_files(source: &Source, overrides: &[String], mut study: Study) -> Result<Study, Report> {
    let folder = Path::new(source.name()).parent().unwrap_or(Path::new("")).to_path_buf();
    let mut wrong = Vec::new();
    let scenarios = std::iter::once(&mut study.scenario).chain(study.points.iter_mut().flatten());
    for scenario in scenarios {
        let mut had_file = false;
        for (index, tasks) in tasks_of(scenario) {
            let TasksSpec::File(file) = &*tasks else { continue };
            had_file = true;
            match read(&folder, file) {
                Ok(listed) => *tasks = TasksSpec::Listed(listed),
                Err(refusal) => wrong.push((index, refusal)),
            }
        }
        for (index, work) in logs_of(scenario) {
            let WorkSpec::Log { path, seconds, jobs } = &*work else { continue };
            had_file = true;
            match list_log(&folder.join(path), *seconds, *jobs) {
                Ok(listed) => *work = WorkSpec::Listed(listed),
                Err(refusal) => wrong.push((index, refusal)),
            }
        }
        // Lists pass the same checks as if they had been written by hand.
        if had_file
            && wrong.is_empty()
            && let Err(report) = load::<Scenario>(Source::new("", to_ron(scenario)), &[])
        {
            let first = &report.diagnostics()[0];
            wrong.push((0, (format!("the job in the file: {}", first.wrong), first.right.clone())));
        }
    }
    wrong.dedup();
    if wrong.is_empty() {
        return Ok(study);
    }
    Err(report_at(source, overrides, |root, errors| {
        for (index, (what, right)) in wrong {
            errors.add(&place(root, &study.scenario.experiment, index), what, right);
        }
    }))
}

/// All places of a scenario where tasks may come from a file, by case or flow.
fn tasks_of(scenario: &mut Scenario) -> Vec<(usize, &mut TasksSpec)> {
    match &mut scenario.experiment {
        Experiment::Workflow(spec) => vec![(0, &mut spec.tasks)],
        Experiment::JobFlow(spec) => vec![(0, &mut spec.tasks)],
        Experiment::Workflows(spec) => spec.cases.iter_mut().map(|case| &mut case.tasks).enumerate().collect(),
        Experiment::Connected(spec) => {
            let works = spec.flows.iter_mut().map(|flow| &mut flow.work).enumerate();
            works
                .filter_map(|(index, work)| match work {
                    WorkSpec::Workflow { tasks, .. } => Some((index, tasks)),
                    _ => None,
                })
                .collect()
        }
        _ => Vec::new(),
    }
}

/// All flows of a scenario whose jobs may come from a log.
fn logs_of(scenario: &mut Scenario) -> Vec<(usize, &mut WorkSpec)> {
    match &mut scenario.experiment {
        Experiment::Connected(spec) => spec.flows.iter_mut().map(|flow| &mut flow.work).enumerate().collect(),
        _ => Vec::new(),
    }
}

/// Where a scenario names the path.
fn place<'t>(root: &Cursor<'t>, experiment: &Experiment, index: usize) -> Cursor<'t> {
    let at = root.field("experiment");
    match experiment {
        Experiment::Workflows(_) => at.field("cases").element(index).field("tasks").field("path"),
        Experiment::Connected(spec) => {
            let work = at.field("flows").element(index).field("work");
            let is_workflow = matches!(spec.flows[index].work, WorkSpec::Workflow { .. });
            if is_workflow { work.field("tasks").field("path") } else { work.field("path") }
        }
        _ => at.field("tasks").field("path"),
    }
}

fn read(folder: &Path, file: &FileSpec) -> Result<ListedSpec, Refusal> {
    let mut text = String::new();
    let path = folder.join(&file.path);
    let opened = std::fs::File::open(&path);
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
    let right = || "give a WfCommons file (format 1.4 or 1.5) or a Graphviz digraph with sizes".to_string();
    let tasks = read_tasks(&file.path, &text).map_err(|error| (error.to_string(), right()))?;
    let listed = tasks.iter().map(|task| listed(task, &tasks, file)).collect::<Result<Vec<_>, Refusal>>()?;
    let tasks = NonEmpty::new(listed).ok_or_else(|| ("there are no tasks in it".to_string(), right()))?;
    Ok(ListedSpec { tasks })
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
