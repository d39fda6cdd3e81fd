//! The laws of a connected grid.
//!
//! The trace is read once, event by event. [`nodes`] follows every node: what occupies it and who has reserved it. [`jobs`] follows every job:
//! where it stands, which of its tasks are done, what it costs.

mod jobs;
mod nodes;

use super::{Verdict, Violation, verdict};
use crate::model::{CostLimit, RuntimeRule};
use crate::sim::{Event, GridTrace};
use crate::units::Time;
use crate::workload::GridWorld;

/// How many broken laws are reported at most: a defect breaks one law again and again.
const ENOUGH: usize = 50;

/// What has become of the jobs by the end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ledger {
    /// Jobs that were submitted.
    pub submitted: u64,
    /// Jobs that are done.
    pub finished: u64,
    /// Jobs that will never be done.
    pub failed: u64,
    /// Jobs that wait in the queue.
    pub queued: u64,
    /// Jobs that have a place: reserved or running.
    pub placed: u64,
}

/// Judges a run of a connected grid.
///
/// - Time never runs back or past the end.
/// - A node holds one thing at a time: a task of its owner, a task of a job, or an outage. Owners' tasks run just when they should unless the
///   node is down; outages come as drawn.
/// - Reservations on a node don't overlap each other or an owner's time that is known; tasks of jobs run inside their reservations.
/// - A rigid job has as many distinct nodes as it asks for, fast enough, all started at once; a task of a workflow starts when its data are
///   there. Every task of a finished job was done once, for its actual runtime.
/// - Budget and deadline are kept.
/// - No job is lost: submitted = finished + failed + queued + placed, each with one story.
pub fn check_grid(
    world: &GridWorld,
    rule: RuntimeRule,
    limit: CostLimit,
    trace: &GridTrace,
) -> Result<Ledger, super::Violations> {
    let mut broken = Broken::default();
    let mut nodes = nodes::Nodes::new(world);
    let mut jobs = jobs::Jobs::new(world, rule, limit);
    let mut clock = Time::ZERO;
    for entry in &trace.entries {
        if entry.time < clock || entry.time >= trace.end {
            broken.add(|| format!("{} comes after {clock}, in a run until {}", entry.time, trace.end));
        }
        clock = entry.time;
        nodes.follow(entry.time, &entry.what, &mut broken);
        jobs.follow(entry.time, &entry.what, &mut broken);
        if let Event::Postponed(job) | Event::Finished(job) | Event::GaveUp(job, _) = entry.what
            && nodes.holds_of(job) > 0
        {
            broken.add(|| format!("{job} leaves at {clock} and keeps reservations"));
        }
        if broken.0.len() >= ENOUGH {
            break;
        }
    }
    nodes.close(trace.end, &mut broken);
    for job in jobs.placed() {
        broken.require(nodes.holds_of(job) > 0, || format!("{job} is said to have a place at the end, and has none"));
    }
    let ledger = jobs.ledger();
    let due = world.jobs.iter().filter(|job| job.arrival < trace.end).count() as u64;
    broken.require(ledger.submitted == due, || format!("{} of {due} jobs were submitted", ledger.submitted));
    if ledger.submitted != ledger.finished + ledger.failed + ledger.queued + ledger.placed {
        broken.add(|| format!("jobs are lost: {ledger:?}"));
    }
    let judged: Verdict = verdict(broken.0);
    judged.map(|()| ledger)
}

/// The laws that were broken so far.
#[derive(Debug, Default)]
struct Broken(Vec<Violation>);

impl Broken {
    fn add(&mut self, words: impl FnOnce() -> String) {
        if self.0.len() < ENOUGH {
            self.0.push(Violation(words()));
        }
    }

    fn require(&mut self, law: bool, words: impl FnOnce() -> String) {
        if !law {
            self.add(words);
        }
    }
}
