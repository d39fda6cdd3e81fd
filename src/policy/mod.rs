//! What schedulers see, what they answer, and how one is chosen by name.
//!
//! A policy gets a read-only [`View`] and returns [`Decision`]s; whoever asked applies them. A policy never sees the
//! event queue or the world's insides. To add a policy: write one file here, give it a variant in
//! [`PolicySpec`](crate::scenario::schema::PolicySpec) and a line in [`named_policy`], and test it. To add a window search: write
//! one file in [`search`](crate::search), give it a variant in [`SearchSpec`](crate::scenario::schema::SearchSpec) and a line in
//! [`named_search`], and test it.

mod application;
mod backfilling;
mod batch;
mod brokered;
mod brokers;
mod error;
mod first_window;
mod idle;
mod offers;
mod ranked_queue;
mod schedulers;
mod searches;

pub use application::{ApplicationOnly, Planner, TwoTier};
pub use backfilling::Backfilling;
pub use batch::{Batch, Pick};
pub use brokered::{Brokered, Compromise};
pub use brokers::named_broker;
pub use error::PolicyError;
pub use first_window::FirstWindow;
pub use offers::Reservations;
pub use ranked_queue::RankedQueue;
pub use schedulers::{NamedPolicy, named_policy};
pub use searches::{NamedSearch, named_search, named_searches};

use crate::engine::Stop;
use crate::model::{Dag, Domain, Node, Request, RuntimeRule, Slot, SlotList, Window};
use crate::units::Time;

/// All that a policy may know when it decides.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The present: no window may start before it.
    pub now: Time,
    /// The nodes, by their id.
    pub nodes: &'a [Node],
    /// The domains, each a range of nodes.
    pub domains: &'a [Domain],
    /// The free slots on them.
    pub slots: &'a SlotList,
    /// How a job's length becomes a runtime.
    pub rule: RuntimeRule,
    /// The requests that wait, the most urgent first.
    pub queue: &'a [&'a Request],
    /// For each request the tasks that are to be placed on its nodes, if they depend on each other; may be shorter than the queue.
    pub workflows: &'a [Option<&'a Dag>],
    /// Whoever takes long polls it and comes back early once it is set; what is decided then does not count.
    pub stop: &'a Stop,
}

impl View<'_> {
    /// The tasks of the request at position `request` of the queue, if they depend on each other.
    pub fn workflow(&self, request: usize) -> Option<&Dag> {
        self.workflows.get(request).copied().flatten()
    }
}

/// What a policy wants done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Reserve `window` for the request at position `request` of the queue.
    Reserve {
        /// The position in the view's queue.
        request: usize,
        /// What it gets.
        window: Window,
    },
    /// Reserve a place for each task of a workflow.
    Plan {
        /// The position in the view's queue.
        request: usize,
        /// The place of each task, by task.
        tasks: Vec<Slot>,
    },
    /// There is a window for the workflow, but its tasks can't be placed in it.
    NoPlan {
        /// The position in the view's queue.
        request: usize,
    },
    /// The limit of this cycle's batch (T* or B*) can't be met, so the windows were chosen without it.
    LimitUnmet,
}

/// A scheduler.
pub trait Policy {
    /// What to do about the requests that wait; those without a decision go on waiting. An error ends the run.
    fn decide(&mut self, view: &View<'_>) -> Result<Vec<Decision>, PolicyError>;
}

impl<P: Policy + ?Sized> Policy for Box<P> {
    fn decide(&mut self, view: &View<'_>) -> Result<Vec<Decision>, PolicyError> {
        (**self).decide(view)
    }
}
