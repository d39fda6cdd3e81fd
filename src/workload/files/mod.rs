//! Files that a scenario names become lists of tasks and of jobs in it.

mod log;
mod tasks;

use crate::scenario::schema::{
    Experiment, FileSpec, ListedJobs, ListedSpec, Scenario, TasksSpec, WorkSpec, seconds_per_unit,
};
use crate::scenario::{Context, Cursor, Decode, Positive, Report, Source, check_at};
use log::LogRequest;

/// What is wrong, and what would be right.
type Refusal = (String, String);

/// The files of a scenario and of the points of its sweeps: each is read once.
pub struct Files<'a> {
    source: &'a Source,
    tasks: Vec<((FileSpec, f64), Result<ListedSpec, Refusal>)>,
    logs: Vec<(LogRequest, Result<ListedJobs, Refusal>)>,
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
        let time_unit = time_unit(experiment);
        let mut wrong = Vec::new();
        let mut had_file = false;
        for (place, tasks) in tasks_of(experiment) {
            let TasksSpec::File(file) = &*tasks else { continue };
            had_file = true;
            let seconds = match &time_unit {
                Some(unit) => seconds_per_unit(file.seconds, unit),
                None => file.seconds.map(Positive::get),
            };
            match self.tasks(file, seconds.unwrap_or(1.0)) {
                Ok(listed) => *tasks = TasksSpec::Listed(listed),
                Err(refusal) => wrong.push((place, refusal)),
            }
        }
        for (place, request) in logs_of(experiment) {
            had_file = true;
            match self.jobs(request) {
                Ok(listed) => list_jobs(experiment, &place, listed),
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

    fn tasks(&mut self, file: &FileSpec, seconds: f64) -> Result<ListedSpec, Refusal> {
        let key = (file.clone(), seconds);
        if let Some((_, known)) = self.tasks.iter().find(|(known, _)| *known == key) {
            return known.clone();
        }
        let read = tasks::read(self.source.folder(), file, seconds);
        self.tasks.push((key, read.clone()));
        read
    }

    fn jobs(&mut self, request: LogRequest) -> Result<ListedJobs, Refusal> {
        if let Some((_, known)) = self.logs.iter().find(|(known, _)| *known == request) {
            return known.clone();
        }
        let read = log::read(self.source.folder(), &request).map(|(jobs, notes)| {
            for note in notes {
                if !self.notes.contains(&note) {
                    self.notes.push(note);
                }
            }
            jobs
        });
        self.logs.push((request, read.clone()));
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

/// The name of an experiment's unit of time, if it has one.
fn time_unit(experiment: &Experiment) -> Option<String> {
    match experiment {
        Experiment::Connected(spec) => Some(spec.time_unit.clone()),
        _ => None,
    }
}

/// All flows of an experiment whose jobs come from a log.
fn logs_of(experiment: &Experiment) -> Vec<(Place, LogRequest)> {
    let Experiment::Connected(spec) = experiment else { return Vec::new() };
    let nodes: u64 = spec.domains.iter().map(|domain| domain.nodes.get()).sum();
    let request = |work: &WorkSpec| match work {
        WorkSpec::Log { path, seconds, jobs, strict, limits } => Some(LogRequest {
            path: path.clone(),
            seconds: seconds_per_unit(*seconds, &spec.time_unit).unwrap_or(1.0),
            most: *jobs,
            strict: *strict,
            limits: *limits,
            nodes: u32::try_from(nodes).unwrap_or(u32::MAX),
            horizon: spec.horizon,
        }),
        _ => None,
    };
    let flows = spec.flows.iter().enumerate();
    flows.filter_map(|(index, flow)| Some((Place::FlowLog(index), request(&flow.work)?))).collect()
}

/// Puts jobs into the place of the log that they come from.
fn list_jobs(experiment: &mut Experiment, place: &Place, jobs: ListedJobs) {
    if let (Experiment::Connected(spec), Place::FlowLog(index)) = (experiment, place) {
        spec.flows[*index].work = WorkSpec::Listed(jobs);
    }
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
