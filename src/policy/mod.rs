//! What schedulers see, what they answer, and how one is chosen by name.
//!
//! A policy gets a read-only [`View`] and returns [`Decision`]s; whoever asked applies them. A policy never sees the
//! event queue or the world's insides. To add a window search: write one file in [`search`](crate::search), give it a
//! variant in [`SearchSpec`](crate::scenario::schema::SearchSpec) and a line in [`named_search`], and test it.

mod brokers;
mod first_window;
mod ranked_queue;
mod searches;

pub use brokers::named_broker;
pub use first_window::FirstWindow;
pub use ranked_queue::RankedQueue;
pub use searches::{NamedSearch, named_search, named_searches};

use crate::model::{Node, Request, RuntimeRule, SlotList, Window};

/// All that a policy may know when it decides.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The nodes, by their id.
    pub nodes: &'a [Node],
    /// The free slots on them.
    pub slots: &'a SlotList,
    /// How a job's length becomes a runtime.
    pub rule: RuntimeRule,
    /// The requests that wait, the most urgent first.
    pub queue: &'a [&'a Request],
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
}

/// A scheduler.
pub trait Policy {
    /// What to do about the requests that wait; those without a decision go on waiting.
    fn decide(&self, view: &View<'_>) -> Vec<Decision>;
}
