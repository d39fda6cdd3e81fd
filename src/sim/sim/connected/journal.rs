//! The events of a connected grid, in order.

use crate::model::{Interval, JobId, NodeId};
use crate::policy::WhyUnplanned;
use crate::units::{Price, Span, Time};

/// The record of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct GridTrace {
    /// When the run ended: the first instant that is not part of it.
    pub end: Time,
    /// The events, in order of time.
    pub entries: Vec<GridEntry>,
}

impl GridTrace {
    /// A trace of a run until `end` in which nothing has happened yet.
    pub fn new(end: Time) -> Self {
        Self { end, entries: Vec::new() }
    }

    /// Tells `observer` all that happened, in order.
    pub fn tell(&self, observer: &mut (impl Observer + ?Sized)) {
        self.entries.iter().for_each(|entry| observer.note(entry));
    }
}

/// Whoever is told what happens in a grid, in order, while it happens. Nothing is stored unless an observer does so: a
/// [`GridTrace`] is the one that stores everything.
pub trait Observer {
    /// Something happened.
    fn note(&mut self, entry: &GridEntry);

    /// A cycle found no place for these jobs, which wait for another one: [`Event::Postponed`] for each of them.
    fn postponed(&mut self, time: Time, jobs: &[JobId]) {
        jobs.iter().for_each(|&job| self.note(&GridEntry { time, what: Event::Postponed(job) }));
    }
}

impl Observer for GridTrace {
    fn note(&mut self, entry: &GridEntry) {
        self.entries.push(*entry);
    }
}

/// One thing that happened.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GridEntry {
    /// When.
    pub time: Time,
    /// The event.
    pub what: Event,
}

/// An event of a grid. Tasks of owners are numbered on each node in order of start, tasks of a job by their place in
/// it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Event {
    /// An owner said when a task will run.
    Announced(NodeId, u32),
    /// An owner's task began.
    OwnerStarted(NodeId, u32),
    /// An owner's task ended, or was cut off by a failure.
    OwnerEnded(NodeId, u32),
    /// A node went down.
    Failed(NodeId),
    /// A node came back.
    Repaired(NodeId),
    /// The price of a node changed.
    Priced(NodeId, Price),
    /// A user submitted a job.
    Submitted(JobId),
    /// The metascheduler sent a job to the batch system of a domain, which predicted this start, if any.
    Sent(JobId, u32, Option<Time>),
    /// The metascheduler looked at this many waiting jobs.
    Cycle(u32),
    /// No combination of windows kept the limit of this cycle's batch, so they were chosen without it.
    LimitUnmet,
    /// Time on a node was reserved for a task at this price.
    Held(Piece, Interval, Price),
    /// A task that runs longer than was reserved for it reserved more.
    Extended(Piece, Interval),
    /// Reserved time was given back.
    Freed(Piece, Interval),
    /// A task of a job began; it has the node until this instant and at this price.
    Started(Piece, Time, Price),
    /// A task of a job ended: it is done, or it was broken off.
    Ended(Piece, Ending),
    /// A plan met something that it had not reckoned with.
    Collided(Piece, Cause, Remedy),
    /// The job's window can't take its tasks; or, without windows, no domain can.
    Unplanned(JobId, WhyUnplanned),
    /// The job's tasks are placed by HEFT, because the critical jobs method found no plan.
    PlannedByHeft(JobId),
    /// A cycle found no place for the job, or a collision sent it back: it waits for another cycle.
    Postponed(JobId),
    /// All that the job has done is lost; it begins anew, if it may.
    Lost(JobId, Loss),
    /// The policy promised the job a start.
    Promised(JobId, Time),
    /// All tasks of the job are done.
    Finished(JobId),
    /// The job will never be done.
    GaveUp(JobId, Reason),
}

/// A task of a job on a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Piece {
    /// The job.
    pub job: JobId,
    /// The task's place in the job.
    pub task: u32,
    /// The node.
    pub node: NodeId,
}

/// The way in which a task came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Its work was done.
    Done,
    /// It was broken off, for this reason; its work is lost but for that of so long a run.
    Broken(Loss, Span),
}

/// The reason for which work was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Loss {
    /// The owner of the node.
    Owner,
    /// A reservation of another job, which an overrun ran into.
    Job,
    /// A node that went down.
    Failure,
    /// Data that came late, so that no place was left for a task of the job.
    Input,
    /// The end of the reserved time, where overruns are ended.
    Limit,
    /// The deadline of the job.
    Deadline,
    /// The job was postponed as often as is allowed.
    Postponed,
}

impl Loss {
    /// All reasons.
    pub const ALL: [Self; 7] =
        [Self::Owner, Self::Job, Self::Failure, Self::Input, Self::Limit, Self::Deadline, Self::Postponed];

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Owner => "owners",
            Self::Job => "other jobs",
            Self::Failure => "failures",
            Self::Input => "late input",
            Self::Limit => "limits of runtime",
            Self::Deadline => "deadlines",
            Self::Postponed => "too many attempts",
        }
    }
}

impl From<Cause> for Loss {
    fn from(cause: Cause) -> Self {
        match cause {
            Cause::Owner => Self::Owner,
            Cause::Job => Self::Job,
            Cause::Failure => Self::Failure,
            Cause::Input => Self::Input,
        }
    }
}

/// The obstacle that a plan collided with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// A task of the node's owner.
    Owner,
    /// Another job: a reservation that an overrun ran into, or an overrun that took a reservation.
    Job,
    /// A node that is down.
    Failure,
    /// Data that came late from an earlier task.
    Input,
}

impl Cause {
    /// All causes.
    pub const ALL: [Self; 4] = [Self::Owner, Self::Job, Self::Failure, Self::Input];

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Owner => "owners",
            Self::Job => "other jobs",
            Self::Failure => "failures",
            Self::Input => "late input",
        }
    }
}

/// The outcome of a collision for the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Remedy {
    /// The task starts later on the same node.
    Shifted,
    /// Another node takes the task.
    Moved,
    /// The job, or what is left of it, waits for another place.
    Restarted,
    /// The job failed.
    Failed,
}

impl Remedy {
    /// All remedies.
    pub const ALL: [Self; 4] = [Self::Shifted, Self::Moved, Self::Restarted, Self::Failed];

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shifted => "shifted",
            Self::Moved => "moved",
            Self::Restarted => "restarted",
            Self::Failed => "failed",
        }
    }
}

/// Why a job failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// Its deadline passed while it waited.
    Expired,
    /// Its deadline passed while its tasks were placed or under way.
    Late,
    /// It was postponed as often as is allowed.
    Postponed,
    /// It ran longer than was reserved for it, where that is not allowed.
    Overran,
}

impl Reason {
    /// All reasons.
    pub const ALL: [Self; 4] = [Self::Expired, Self::Late, Self::Postponed, Self::Overran];

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Expired => "expired in the queue",
            Self::Late => "late",
            Self::Postponed => "postponed too often",
            Self::Overran => "ended at their limit",
        }
    }
}
