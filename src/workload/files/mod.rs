//! Files that a scenario names become lists of tasks and of jobs in it.

mod log;
mod tasks;

use crate::scenario::schema::{Experiment, FileSpec, ListedJobs, ListedSpec, Scenario, TasksSpec, WorkSpec};
use crate::scenario::{Context, Cursor, Decode, Report, Source, check_at};

/// What is wrong, and what would be right.
type Refusal = (String, String);

/// The files of a scenario and of the points of its sweeps: each is read once.
pub struct Files<'a> {
    source: &'a Source,
    tasks: Vec<(FileSpec, Result<ListedSpec, Refusal>)>,
    logs: Vec<(WorkSpec, Result<ListedJobs, Refusal>)>,
    notes: Vec<String>,
}

impl<'a> Files<'a> {
    /// Those that the scenario in `source` names; their paths are taken from its folder.
    pub fn new(source: &'a Source) -> Self {
        Self { source, tasks: Vec::new(), logs: Vec::new(), notes: Vec::new() }
    }

    /// Replaces every file of tasks or of jobs that `scenario` names by what is in it, so that results can be repeated without the
    /// file. What is wrong with a file is reported where the scenario, with these overrides, names it.
    pub fn read_into(&mut self, scenario: &mut Scenario, overrides: &[String]) -> Result<(), Report> {
        let experiment = &mut scenario.experiment;
        let mut wrong = Vec::new();
        let mut had_file = false;
        for (place, tasks) in tasks_of(experiment) {
            let TasksSpec::File(file) = &*tasks else { continue };
            had_file = true;
            match self.tasks(file) {
                Ok(listed) => *tasks = TasksSpec::Listed(listed),
                Err(refusal) => wrong.push((place, refusal)),
            }
        }
        for (place, work) in logs_of(experiment) {
            had_file = true;
            match self.jobs(work) {
                Ok(listed) => *work = WorkSpec::Listed(listed),
                Err(refusal) => wrong.push((place, refusal)),
            }
        }
        if !had_file {
            return Ok(());
        }
        check_at(self.source, overrides, |root, errors| {
            let at = root.field("experiment");
            let is_read = wrong.is_empty();
            for (place, (what, right)) in wrong {
                errors.add(&place.cursor(&at), what, right);
            }
            // What was listed passes the checks of what is written by hand.
            if is_read {
                check(experiment, &at, errors);
            }
        })
    }

    /// What the user should know about the files.
    pub fn into_notes(self) -> Vec<String> {
        self.notes
    }

    fn tasks(&mut self, file: &FileSpec) -> Result<ListedSpec, Refusal> {
        if let Some((_, known)) = self.tasks.iter().find(|(known, _)| known == file) {
            return known.clone();
        }
        let read = tasks::read(self.source.folder(), file);
        self.tasks.push((file.clone(), read.clone()));
        read
    }

    fn jobs(&mut self, work: &WorkSpec) -> Result<ListedJobs, Refusal> {
        if let Some((_, known)) = self.logs.iter().find(|(known, _)| known == work) {
            return known.clone();
        }
        let WorkSpec::Log { path, seconds, jobs } = work else { return Ok(ListedJobs { jobs: Vec::new() }) };
        let read = log::read(&self.source.folder().join(path), *seconds, *jobs);
        self.logs.push((work.clone(), read.clone()));
        read
    }
}

/// Where an experiment names a file.
enum Place {
    /// For its only job.
    Tasks,
    /// For one of its cases.
    Case(usize),
    /// For the tasks of a flow's jobs.
    FlowTasks(usize),
    /// For the jobs of a flow.
    FlowLog(usize),
}

impl Place {
    fn cursor<'t>(&self, experiment: &Cursor<'t>) -> Cursor<'t> {
        let flow = |index: &usize| experiment.field("flows").element(*index).field("work");
        match self {
            Self::Tasks => experiment.field("tasks").field("path"),
            Self::Case(index) => experiment.field("cases").element(*index).field("tasks").field("path"),
            Self::FlowTasks(index) => flow(index).field("tasks").field("path"),
            Self::FlowLog(index) => flow(index).field("path"),
        }
    }
}

/// All places of an experiment where tasks may come from a file.
fn tasks_of(experiment: &mut Experiment) -> Vec<(Place, &mut TasksSpec)> {
    match experiment {
        Experiment::Workflow(spec) => vec![(Place::Tasks, &mut spec.tasks)],
        Experiment::JobFlow(spec) => vec![(Place::Tasks, &mut spec.tasks)],
        Experiment::Workflows(spec) => {
            let cases = spec.cases.iter_mut().enumerate();
            cases.map(|(index, case)| (Place::Case(index), &mut case.tasks)).collect()
        }
        Experiment::Connected(spec) => {
            let flows = spec.flows.iter_mut().enumerate();
            let tasks = flows.filter_map(|(index, flow)| match &mut flow.work {
                WorkSpec::Workflow { tasks, .. } => Some((Place::FlowTasks(index), tasks)),
                _ => None,
            });
            tasks.collect()
        }
        _ => Vec::new(),
    }
}

/// All flows of an experiment whose jobs come from a log.
fn logs_of(experiment: &mut Experiment) -> Vec<(Place, &mut WorkSpec)> {
    let Experiment::Connected(spec) = experiment else { return Vec::new() };
    let flows = spec.flows.iter_mut().enumerate().map(|(index, flow)| (Place::FlowLog(index), &mut flow.work));
    flows.filter(|(_, work)| matches!(work, WorkSpec::Log { .. })).collect()
}

/// The checks of an experiment that name files; only now its size is known.
fn check(experiment: &Experiment, at: &Cursor<'_>, errors: &mut Context<'_>) {
    match experiment {
        Experiment::Workflow(spec) => spec.check(at, errors),
        Experiment::JobFlow(spec) => spec.check(at, errors),
        Experiment::Workflows(spec) => spec.check(at, errors),
        Experiment::Connected(spec) => spec.check(at, errors),
        _ => (),
    }
}
