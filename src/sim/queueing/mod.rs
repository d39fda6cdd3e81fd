//! Jobs in a queue: first come first served, and two ways of backfilling.
//!
//! One rule, [`Backfill`], serves a queue at one instant: those at the front hold reservations, and a later job
//! starts if it delays none of them. It works on any [`Availability`] of two kinds:
//!
//! - numbers of equal processors, in a [`Profile`]. Before one homogeneous machine, rigid jobs come and go: a
//!   [`Discipline`] is told what happens and says which jobs start; it never sees actual runtimes, only estimates.
//!   [`Reserving`] is the rule at any depth and in any order. All times are whole seconds as [`Time`]; nothing is rounded.
//! - [`FreeWindows`] in the free slots of nodes of all kinds. [`plan()`] lets the time of one scheduling cycle pass for
//!   a batch; the policy of the live grid is asked instant by instant, and promises are kept from one to the next.
//!
//! ```
//! use gridloom::queueing::{Decisions, Queue, QueueRule, QueuedJob};
//! use gridloom::units::{Span, Time};
//!
//! let mut easy = Queue::from(QueueRule::Easy).discipline(4);
//! let hours = |n: i64| Span::from_units(3600 * n);
//! easy.arrive(QueuedJob { id: 0, processors: 3, estimate: hours(2) });
//! easy.arrive(QueuedJob { id: 1, processors: 4, estimate: hours(1) });
//! easy.arrive(QueuedJob { id: 2, processors: 1, estimate: hours(2) });
//! let mut decisions = Decisions::default();
//! easy.pass(Time::ZERO, &mut decisions);
//! // Job 2 is done by the time at which job 1 can start, so it may overtake.
//! assert_eq!(decisions.starts, [0, 2]);
//! assert_eq!(decisions.promises, [(0, Time::ZERO), (1, Time::ZERO + hours(2))]);
//! ```

mod backfill;
mod backlog;
mod free_processors;
mod free_windows;
mod order;
#[cfg(test)]
mod plain;
mod plan;
mod profile;
mod reserving;

pub use backfill::{Availability, Backfill, HeldPlace};
pub use free_windows::FreeWindows;
pub(crate) use free_windows::{LeftTime, runtime_on};
pub use order::Order;
#[cfg(test)]
pub(crate) use plain::Plain;
pub use plan::plan;
pub use profile::Profile;
pub use reserving::Reserving;

use crate::language::Count;
use crate::units::{Span, Time};
use crate::workload::BatchQueue;
use std::num::NonZeroU32;

/// A job that needs a fixed number of processors at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RigidJob {
    /// When it joins the queue.
    pub submit: Time,
    /// The number of processors it holds while it runs; at least one.
    pub processors: u32,
    /// The runtime as far as the scheduler knows; above zero.
    pub estimate: Span,
    /// The actual runtime; above zero.
    pub runtime: Span,
}

/// A job in a queue, as far as its discipline knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct QueuedJob {
    /// Its place in the order of arrival.
    pub id: u32,
    /// The number of processors it needs; no more than the machine has.
    pub processors: u32,
    /// The longest runtime, as far as anyone knows.
    pub estimate: Span,
}

/// The decisions of a scheduling pass.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Decisions {
    /// Jobs that start now, in this order.
    pub starts: Vec<u32>,
    /// Jobs that got their first reservation, and the start that it promises. While all jobs that wait are equally wide, only
    /// the first of them has one.
    pub promises: Vec<(u32, Time)>,
}

/// A way to serve the queue.
///
/// Whoever runs it reports arrivals in order, completions, and estimates that prove too short, and asks for a pass
/// when it is time to decide. All reports and passes carry times that never run back.
pub trait Discipline {
    /// A job joins the queue.
    fn arrive(&mut self, job: QueuedJob);

    /// The job `id` on `processors`, expected to run until `end`, has ended.
    fn finish(&mut self, now: Time, id: u32, processors: u32, end: Time);

    /// A job on `processors`, expected to run until `end`, still runs then and is now expected to end at `later`.
    fn outlive(&mut self, processors: u32, end: Time, later: Time);

    /// Decides who starts now.
    fn pass(&mut self, now: Time, decisions: &mut Decisions);

    /// When a pass is needed even if nothing happens until then.
    fn wake(&self) -> Option<Time> {
        None
    }

    /// Why it can't decide any more. Those of this crate always can; others may have lost their scheduler.
    fn fault(&self) -> Option<String> {
        None
    }

    /// The processors that each job had, in the order of arrival, if it is the discipline that chose them.
    fn places(&mut self) -> Option<Vec<String>> {
        None
    }
}

/// The rules of a queue by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum QueueRule {
    /// First come, first served: no job overtakes.
    Fcfs,
    /// EASY backfilling: the head of the queue holds a reservation.
    Easy,
    /// Conservative backfilling: all jobs hold reservations.
    Conservative,
    /// Backfilling in which so many at the front of the queue hold reservations: 1 is [`Self::Easy`], all is
    /// [`Self::Conservative`].
    Depth(NonZeroU32),
}

impl From<BatchQueue> for QueueRule {
    fn from(queue: BatchQueue) -> Self {
        match queue {
            BatchQueue::Fcfs => Self::Fcfs,
            BatchQueue::Easy => Self::Easy,
            BatchQueue::Conservative => Self::Conservative,
        }
    }
}

impl QueueRule {
    /// Those without a parameter.
    pub const ALL: [Self; 3] = [Self::Fcfs, Self::Easy, Self::Conservative];

    /// EASY with so many reservations.
    pub fn easy(depth: Count) -> Self {
        match NonZeroU32::new(u32::try_from(depth.get()).unwrap_or(u32::MAX)) {
            Some(depth) if depth.get() > 1 => Self::Depth(depth),
            _ => Self::Easy,
        }
    }

    /// The name in results: `FCFS`, `EASY`, `EASY, depth 4`, `conservative`.
    pub fn name(self) -> String {
        match self {
            Self::Fcfs => "FCFS".into(),
            Self::Easy => "EASY".into(),
            Self::Depth(depth) => format!("EASY, depth {depth}"),
            Self::Conservative => "conservative".into(),
        }
    }

    /// The number of jobs that hold reservations which no other job may delay.
    pub fn depth(self) -> usize {
        match self {
            Self::Fcfs => 0,
            Self::Easy => 1,
            Self::Conservative => usize::MAX,
            Self::Depth(depth) => depth.get() as usize,
        }
    }

    /// One line on what it does.
    pub fn about(self) -> &'static str {
        match self {
            Self::Fcfs => "jobs start in the order of the queue, and none overtakes",
            Self::Easy => "a job may overtake if it does not delay the head of the queue",
            Self::Conservative => "a job may overtake if it delays nobody; every job holds a reservation",
            Self::Depth(_) => "a job may overtake if it delays none of the first few in the queue",
        }
    }
}

/// The rule by which the jobs of a queue start, and the order in which they stand.
///
/// ```
/// use gridloom::queueing::{Order, QueueRule, Queue};
///
/// assert_eq!(Queue::from(QueueRule::Easy), Queue::new(QueueRule::Easy, Order::Arrival).unwrap());
/// assert!(Queue::new(QueueRule::Easy, Order::Price).is_err(), "rigid jobs offer no price");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Queue {
    rule: QueueRule,
    order: Order,
}

/// An order that needs more than is known of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the jobs of a log have no {}: a queue of them can be ordered by arrival, shortest or largest", .0.name())]
pub struct UnknownKey(Order);

impl Queue {
    /// A queue of rigid jobs, which have neither prices nor ranks.
    pub fn new(rule: QueueRule, order: Order) -> Result<Self, UnknownKey> {
        if matches!(order, Order::Price | Order::Rank) { Err(UnknownKey(order)) } else { Ok(Self { rule, order }) }
    }

    /// The rule by which jobs start.
    pub fn rule(self) -> QueueRule {
        self.rule
    }

    /// The order in which jobs stand.
    pub fn order(self) -> Order {
        self.order
    }

    /// The name in results: `EASY, depth 4, shortest first`.
    pub fn name(self) -> String {
        self.order.of(self.rule.name())
    }

    /// An empty queue before an idle machine of `processors`.
    pub fn discipline(self, processors: u32) -> Box<dyn Discipline> {
        Box::new(Reserving::new(processors, self.order, self.rule.depth()))
    }
}

impl From<QueueRule> for Queue {
    /// In the order of arrival.
    fn from(rule: QueueRule) -> Self {
        Self { rule, order: Order::Arrival }
    }
}
