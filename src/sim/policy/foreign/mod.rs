//! Decisions that come from outside gridloom, from a program or an interpreter: plain numbers until they are judged.

mod judge;

pub use judge::WrongDecision;

use super::{Decision, View};
use crate::model::CostLimit;
use serde::Deserialize;

/// An answer. Jobs that it does not name go on waiting.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ForeignAnswer {
    /// The number of the decision that it is about, if it says so.
    pub decision: Option<u64>,
    /// Windows.
    pub reserve: Vec<ReserveAnswer>,
    /// Promises, of which nothing is reserved.
    pub promise: Vec<PromiseAnswer>,
    /// Jobs for the queues of batch systems.
    pub send: Vec<SendAnswer>,
}

impl ForeignAnswer {
    /// The decisions of the answer, if all of them can be carried out one after the other.
    pub fn decisions(&self, view: &View<'_>, limit: CostLimit) -> Result<Vec<Decision>, WrongDecision> {
        judge::decisions(self, view, limit)
    }
}

/// A window for a job.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `job`, `start` and `nodes`")]
pub struct ReserveAnswer {
    /// The number of the job.
    pub job: u32,
    /// When it starts.
    pub start: f64,
    /// The numbers of its nodes.
    pub nodes: Vec<u32>,
}

/// A start that a job is promised.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `job` and `start`")]
pub struct PromiseAnswer {
    /// The number of the job.
    pub job: u32,
    /// The latest start.
    pub start: f64,
}

/// A job for the queue of a batch system.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `job` and `domain`")]
pub struct SendAnswer {
    /// The number of the job.
    pub job: u32,
    /// The position of the domain.
    pub domain: usize,
}
