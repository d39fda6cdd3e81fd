//! The laws of a connected grid.
//!
//! A run is followed while it happens, event by event. [`nodes`] follows every node: what occupies it and who has
//! reserved it. [`jobs`] follows every job: where it stands, which of its tasks are done, what it costs.

mod jobs;
mod nodes;

use super::{Verdict, Violation, verdict};
use crate::model::{CostLimit, JobId};
use crate::sim::{Event, GridEntry, GridTrace, Observer};
use crate::units::Time;
use crate::workload::GridWorld;
use crate::workload::RuntimeRule;

/// The most broken laws that are reported: a defect breaks one law again and again.
const ENOUGH: usize = 50;

/// The numbers of jobs by what has become of them at the end of a run.
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

/// Judges a run of a connected grid by its trace: [`GridCheck`] is told all of it.
pub fn check_grid(
    world: &GridWorld,
    rule: RuntimeRule,
    limit: CostLimit,
    trace: &GridTrace,
) -> Result<Ledger, super::Violations> {
    let mut check = GridCheck::new(world, rule, limit, trace.end);
    trace.tell(&mut check);
    check.finish()
}

/// The judge of a run of a connected grid, who follows it while it happens.
///
/// - Time never runs back or past the end.
/// - A node holds one thing at a time: a task of its owner, a task of a job, or an outage. Owners' tasks run just when
///   they should unless the node is down; outages come as drawn.
/// - Reservations on a node don't overlap each other or an owner's time that is known; tasks of jobs run inside their
///   reservations.
/// - A rigid job has as many distinct nodes as it asks for, fast enough, all started at once; a task of a workflow
///   starts when its data are there. Every task of a finished job was done once, for its actual runtime.
/// - Budget and deadline are kept.
/// - No job is lost: submitted = finished + failed + queued + placed, each with one story.
pub struct GridCheck<'w> {
    world: &'w GridWorld,
    end: Time,
    clock: Time,
    nodes: nodes::Nodes<'w>,
    jobs: jobs::Jobs<'w>,
    broken: Broken,
}

impl<'w> GridCheck<'w> {
    /// A judge of a run until `end`.
    pub fn new(world: &'w GridWorld, rule: RuntimeRule, limit: CostLimit, end: Time) -> Self {
        Self {
            world,
            end,
            clock: Time::ZERO,
            nodes: nodes::Nodes::new(world),
            jobs: jobs::Jobs::new(world, rule, limit),
            broken: Broken::default(),
        }
    }

    /// The verdict, once the run is over.
    pub fn finish(self) -> Result<Ledger, super::Violations> {
        let Self { world, end, nodes, jobs, mut broken, .. } = self;
        nodes.close(end, &mut broken);
        for job in jobs.placed() {
            let has_place = nodes.holds_of(job) > 0;
            broken.require(has_place, || format!("{job} is said to have a place at the end, and has none"));
        }
        let ledger = jobs.ledger();
        let due = world.jobs.iter().filter(|job| job.arrival < end).count() as u64;
        broken.require(ledger.submitted == due, || format!("{} of {due} jobs were submitted", ledger.submitted));
        if ledger.submitted != ledger.finished + ledger.failed + ledger.queued + ledger.placed {
            broken.add(|| format!("jobs are lost: {ledger:?}"));
        }
        let judged: Verdict = verdict(broken.0);
        judged.map(|()| ledger)
    }
}

impl Observer for GridCheck<'_> {
    fn note(&mut self, entry: &GridEntry) {
        let Self { end, clock, nodes, jobs, broken, .. } = self;
        if broken.0.len() >= ENOUGH {
            return;
        }
        if entry.time < *clock || entry.time >= *end {
            broken.add(|| format!("{} comes after {clock}, in a run until {end}", entry.time));
        }
        *clock = entry.time;
        nodes.follow(entry.time, &entry.what, broken);
        jobs.follow(entry.time, &entry.what, broken);
        if let Event::Postponed(job) | Event::Finished(job) | Event::GaveUp(job, _) = entry.what
            && nodes.holds_of(job) > 0
        {
            broken.add(|| format!("{job} leaves at {clock} and keeps reservations"));
        }
    }

    fn postponed(&mut self, time: Time, jobs: &[JobId]) {
        let in_time = self.clock <= time && time < self.end;
        for &job in jobs {
            // Under overload most of a run are jobs that wait on: what is as it should be is passed over quickly.
            if !in_time || !self.jobs.is_queued(job) || self.nodes.holds_of(job) > 0 {
                self.note(&GridEntry { time, what: Event::Postponed(job) });
            }
        }
    }
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
