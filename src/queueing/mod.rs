//! Rigid jobs in a queue before one homogeneous machine: first come first served, and two ways of backfilling.
//!
//! A [`Discipline`] is told what happens and says which jobs start; it never sees actual runtimes, only estimates. All
//! times are whole seconds as [`Time`]; nothing is rounded.
//!
//! ```
//! use gridloom::queueing::{Decisions, Policy, Waiting};
//! use gridloom::units::{Span, Time};
//!
//! let mut easy = Policy::Easy.discipline(4);
//! let hours = |n: i64| Span::from_units(3600 * n);
//! easy.arrive(Waiting { id: 0, processors: 3, estimate: hours(2) });
//! easy.arrive(Waiting { id: 1, processors: 4, estimate: hours(1) });
//! easy.arrive(Waiting { id: 2, processors: 1, estimate: hours(2) });
//! let mut decisions = Decisions::default();
//! easy.pass(Time::ZERO, &mut decisions);
//! // Job 2 is done by the time at which job 1 can start, so it may overtake.
//! assert_eq!(decisions.starts, [0, 2]);
//! assert_eq!(decisions.promises, [(1, Time::ZERO + hours(2))]);
//! ```

mod backlog;
mod conservative;
mod easy;
mod fcfs;
mod openings;
mod profile;

pub use conservative::Conservative;
pub use easy::Easy;
pub use fcfs::Fcfs;
pub use profile::Profile;

use crate::units::{Span, Time};

/// A job that needs a fixed number of processors at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RigidJob {
    /// When it joins the queue.
    pub submit: Time,
    /// How many processors it holds while it runs; at least one.
    pub processors: u32,
    /// How long it runs as far as the scheduler knows; above zero.
    pub estimate: Span,
    /// How long it really runs; above zero.
    pub runtime: Span,
}

/// What a discipline knows of a job in its queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waiting {
    /// Its place in the order of arrival.
    pub id: u32,
    /// How many processors it needs; no more than the machine has.
    pub processors: u32,
    /// How long it runs at most, as far as anyone knows.
    pub estimate: Span,
}

/// What a scheduling pass decides.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Decisions {
    /// Jobs that start now, in this order.
    pub starts: Vec<u32>,
    /// Jobs that got their first reservation, and the start that it promises.
    pub promises: Vec<(u32, Time)>,
}

/// A way to serve the queue.
///
/// Whoever runs it reports arrivals in order, completions, and estimates that prove too short, and asks for a pass when
/// it is time to decide. All reports and passes carry times that never run back.
pub trait Discipline {
    /// A job joins the queue.
    fn arrive(&mut self, job: Waiting);

    /// A job on `processors`, expected to run until `end`, has ended.
    fn finish(&mut self, now: Time, processors: u32, end: Time);

    /// A job on `processors`, expected to run until `end`, still runs then and is now expected to end at `later`.
    fn outlive(&mut self, processors: u32, end: Time, later: Time);

    /// Decides who starts now.
    fn pass(&mut self, now: Time, decisions: &mut Decisions);

    /// When a pass is needed even if nothing happens until then.
    fn wake(&self) -> Option<Time> {
        None
    }
}

/// The disciplines by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Policy {
    /// [`Fcfs`].
    Fcfs,
    /// [`Easy`].
    Easy,
    /// [`Conservative`].
    Conservative,
}

impl Policy {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Fcfs, Self::Easy, Self::Conservative];

    /// Its name in one lower-case word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fcfs => "fcfs",
            Self::Easy => "easy",
            Self::Conservative => "conservative",
        }
    }

    /// One line on what it does.
    pub fn about(self) -> &'static str {
        match self {
            Self::Fcfs => "jobs start in the order of arrival, and none overtakes",
            Self::Easy => "a job may overtake if it does not delay the head of the queue",
            Self::Conservative => "a job may overtake if it delays nobody; every job holds a reservation",
        }
    }

    /// An empty queue before an idle machine of `processors`.
    pub fn discipline(self, processors: u32) -> Box<dyn Discipline> {
        match self {
            Self::Fcfs => Box::new(Fcfs::new(processors)),
            Self::Easy => Box::new(Easy::new(processors)),
            Self::Conservative => Box::new(Conservative::new(processors)),
        }
    }
}
