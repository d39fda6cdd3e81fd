//! The outcome of each job.

use crate::model::JobId;
use crate::sim::{Ending, Event, GridEntry, GridTrace, Piece, Reason};
use crate::units::{Money, Price, Span, Time};
use crate::workload::GridWorld;
use std::collections::{BTreeMap, BTreeSet};

/// Where a job stands at the end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fate {
    /// It was not submitted before the end.
    #[default]
    Unborn,
    /// It waits in the queue.
    Queued,
    /// It has a place: its tasks are reserved or run.
    Placed,
    /// It is done.
    Finished,
    /// It will never be done.
    Failed(Reason),
}

impl Fate {
    /// Its name in `jobs.csv`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unborn => "not submitted",
            Self::Queued => "queued",
            Self::Placed => "under way",
            Self::Finished => "finished",
            Self::Failed(reason) => reason.name(),
        }
    }
}

/// The story of one job.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JobOutcome {
    /// The position of its user.
    pub user: u32,
    /// When it was submitted.
    pub submit: Time,
    /// When its first task started, of those whose work was not lost.
    pub start: Option<Time>,
    /// When its last task was done.
    pub finish: Option<Time>,
    /// The cost of its tasks, by the time they ran for work that was not lost.
    pub cost: f64,
    /// The number of times that it was postponed or sent back.
    pub postponed: u32,
    /// Where it stands.
    pub fate: Fate,
}

impl JobOutcome {
    /// The time that it waited for its first task.
    pub fn wait(&self) -> Option<f64> {
        Some((self.start? - self.submit).as_f64())
    }

    /// The time from submission to finish, as a multiple of the time from the start of its first task to the finish.
    pub fn slowdown(&self) -> Option<f64> {
        let (start, finish) = (self.start?, self.finish?);
        (finish > start).then(|| (finish - self.submit).as_f64() / (finish - start).as_f64())
    }

    /// The same with a runtime of `bound` at least, so that jobs of an instant don't outweigh all others; never below 1.
    pub fn bounded_slowdown(&self, bound: Span) -> Option<f64> {
        let (start, finish) = (self.start?, self.finish?);
        let runtime = (finish - start).max(bound).as_f64();
        Some(((finish - self.submit).as_f64() / runtime).max(1.0))
    }
}

/// The stories of all jobs, in order of submission.
pub fn job_outcomes(world: &GridWorld, trace: &GridTrace) -> Vec<JobOutcome> {
    let mut stories = Stories::new(world);
    trace.entries.iter().for_each(|entry| stories.note(entry));
    stories.outcomes
}

/// The stories of all jobs as they unfold.
pub(super) struct Stories {
    pub(super) outcomes: Vec<JobOutcome>,
    /// The task that runs on each node: since when, and at which price.
    running: Vec<(Time, Price)>,
    is_workflow: Vec<bool>,
    /// Of workflows under way: when each task started whose work is not lost.
    starts: BTreeMap<(u32, u32), Time>,
    /// The tasks of which checkpoints have saved work; of a rigid job, its first.
    saved: BTreeSet<(u32, u32)>,
}

impl Stories {
    pub(super) fn new(world: &GridWorld) -> Self {
        let blank =
            |job: &crate::model::Job| JobOutcome { user: job.user, submit: job.arrival, ..JobOutcome::default() };
        Self {
            outcomes: world.jobs.iter().map(blank).collect(),
            running: vec![(Time::ZERO, Price::ZERO); world.nodes.len()],
            is_workflow: world.jobs.iter().map(|job| job.workflow.is_some()).collect(),
            starts: BTreeMap::new(),
            saved: BTreeSet::new(),
        }
    }

    /// A task began.
    fn started(&mut self, piece: Piece, time: Time) {
        if self.is_workflow[piece.job.index()] {
            self.starts.entry((piece.job.0, piece.task)).or_insert(time);
        }
        self.outcomes[piece.job.index()].start.get_or_insert(time);
    }

    /// A task was broken off and keeps this much of its work. One of a rigid job takes the others with it.
    fn broken_off(&mut self, piece: Piece, kept: Span) {
        let (job, is_workflow) = (piece.job.0, self.is_workflow[piece.job.index()]);
        let key = (job, if is_workflow { piece.task } else { 0 });
        if kept > Span::ZERO {
            self.saved.insert(key);
        } else if !self.saved.contains(&key) {
            self.starts.remove(&key);
            self.outcomes[piece.job.index()].start = self.of_job(job).min();
        }
    }

    /// The starts of a workflow's tasks.
    fn of_job(&self, job: u32) -> impl Iterator<Item = Time> + '_ {
        self.starts.range((job, 0)..=(job, u32::MAX)).map(|(_, &start)| start)
    }

    /// Nothing more is to be known of the tasks of a job.
    fn forget_tasks(&mut self, job: JobId) {
        if self.is_workflow[job.index()] {
            let tasks: Vec<(u32, u32)> =
                self.starts.range((job.0, 0)..=(job.0, u32::MAX)).map(|(&key, _)| key).collect();
            tasks.iter().for_each(|key| _ = self.starts.remove(key));
        }
        while let Some(&key) = self.saved.range((job.0, 0)..=(job.0, u32::MAX)).next() {
            self.saved.remove(&key);
        }
    }

    pub(super) fn note(&mut self, entry: &GridEntry) {
        match entry.what {
            Event::Started(piece, ..) => self.started(piece, entry.time),
            Event::Ended(piece, Ending::Broken(_, kept)) => self.broken_off(piece, kept),
            Event::Lost(job, _) | Event::Finished(job) | Event::GaveUp(job, _) => self.forget_tasks(job),
            _ => {}
        }
        let Self { outcomes, running, .. } = self;
        match entry.what {
            Event::Submitted(job) => outcomes[job.index()].fate = Fate::Queued,
            Event::Held(piece, ..) => outcomes[piece.job.index()].fate = Fate::Placed,
            Event::Started(piece, _, price) => {
                running[piece.node.index()] = (entry.time, price);
            }
            Event::Ended(piece, ending) => {
                let (since, price) = running[piece.node.index()];
                let paid = if let Ending::Broken(_, saved) = ending { saved } else { entry.time - since };
                outcomes[piece.job.index()].cost += price.checked_mul(paid).unwrap_or(Money::MAX).as_f64();
            }
            Event::Lost(job, _) => {
                let outcome = &mut outcomes[job.index()];
                (outcome.start, outcome.cost) = (None, 0.0);
            }
            Event::Postponed(job) => {
                outcomes[job.index()].fate = Fate::Queued;
                outcomes[job.index()].postponed += 1;
            }
            Event::Finished(job) => {
                outcomes[job.index()].fate = Fate::Finished;
                outcomes[job.index()].finish = Some(entry.time);
            }
            Event::GaveUp(job, reason) => outcomes[job.index()].fate = Fate::Failed(reason),
            _ => {}
        }
    }
}
