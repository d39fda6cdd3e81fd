//! What schedulers see, what they answer, and how one is chosen by name.
//!
//! A policy gets a read-only [`View`] and returns [`Decision`]s; whoever asked applies them. A policy never sees the
//! event queue or the world's insides. To add one: write one file here, give it a variant in [`PolicyName`] and a line in
//! [`PolicyName::build`], and test it.

mod first_window;
mod ranked_queue;

pub use first_window::FirstWindow;
pub use ranked_queue::RankedQueue;

use crate::model::{Node, Request, RuntimeRule, SlotList, Window};
use crate::search::Alp;

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

/// The policies by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PolicyName {
    /// The earliest window of each request in turn, every slot within the price limit.
    Alp,
}

impl PolicyName {
    /// All policies.
    pub const ALL: [Self; 1] = [Self::Alp];

    /// The name that scenarios and results use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Alp => "ALP",
        }
    }

    /// One line on what it does.
    pub fn about(self) -> &'static str {
        match self {
            Self::Alp => "earliest window whose every slot is within the price limit",
        }
    }

    /// The policy itself.
    pub fn build(self) -> Box<dyn Policy> {
        match self {
            Self::Alp => Box::new(FirstWindow(Alp)),
        }
    }
}
