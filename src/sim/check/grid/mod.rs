//! The laws of a connected grid.
//!
//! A run is followed while it happens, event by event. [`nodes`] follows every node: what occupies it and who has
//! reserved it. [`jobs`] follows every job: where it stands, which of its tasks are done, what it costs. [`domains`]
//! follows who may use which domain.

mod domains;
mod jobs;
mod nodes;

use super::{Verdict, Violation, verdict};
use crate::model::JobId;
use crate::sim::{Event, GridEntry, GridRules, GridTrace, Observer};
use crate::units::Time;
use crate::workload::GridWorld;

/// The most broken laws that are reported: a defect breaks one law again and again.
const ENOUGH: usize = 50;

/// The numbers of measured jobs, which are those submitted in the measured interval, by what has become of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ledger {
    /// All of them.
    pub measured: u64,
    /// Jobs that are done.
    pub finished: u64,
    /// Jobs whose deadline passed while their tasks had places.
    pub late: u64,
    /// Jobs whose deadline passed while they waited.
    pub expired: u64,
    /// Jobs that failed otherwise.
    pub failed: u64,
    /// Jobs that wait or have a place at the end of the run.
    pub undecided: u64,
}

/// Judges a run of a connected grid by its trace: [`GridCheck`] is told all of it.
pub fn check_grid(world: &GridWorld, rules: &GridRules, trace: &GridTrace) -> Result<Ledger, super::Violations> {
    let mut check = GridCheck::new(world, rules);
    trace.tell(&mut check);
    check.finish(trace.end)
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
/// - Local jobs, and those sent to a batch system, run in its domain; others only where reservations are granted.
/// - A job loses what the rule of displacement says and no more; what checkpoints have saved is not done again. Overruns
///   meet what their rule says.
/// - A run ends with its world, or after the measured interval once no measured job is undecided.
/// - No job is lost: measured = finished + late + expired + failed + undecided, each with one story.
pub struct GridCheck<'w> {
    world: &'w GridWorld,
    clock: Time,
    nodes: nodes::Nodes<'w>,
    jobs: jobs::Jobs<'w>,
    domains: domains::Domains<'w>,
    broken: Broken,
}

impl<'w> GridCheck<'w> {
    /// A judge of a run of a world under rules.
    pub fn new(world: &'w GridWorld, rules: &'w GridRules) -> Self {
        Self {
            world,
            clock: Time::ZERO,
            nodes: nodes::Nodes::new(world),
            jobs: jobs::Jobs::new(world, rules),
            domains: domains::Domains::new(world),
            broken: Broken::default(),
        }
    }

    /// The verdict, once the run is over: it ended before the instant `end`.
    pub fn finish(self, end: Time) -> Result<Ledger, super::Violations> {
        let Self { world, clock, nodes, jobs, mut broken, .. } = self;
        broken.require(clock < end || clock == Time::ZERO, || {
            format!("something happened at {clock} in a run until {end}")
        });
        nodes.close(end, &mut broken);
        for job in jobs.placed() {
            let has_place = nodes.holds_of(job) > 0;
            broken.require(has_place, || format!("{job} is said to have a place at the end, and has none"));
        }
        let ledger = jobs.ledger();
        let due = world.jobs.iter().filter(|job| job.arrival < end).count();
        let submitted = jobs.submitted();
        broken.require(submitted == due, || format!("{submitted} of {due} jobs were submitted"));
        let Ledger { measured, finished, late, expired, failed, undecided } = ledger;
        if measured != finished + late + expired + failed + undecided {
            broken.add(|| format!("jobs are lost: {ledger:?}"));
        }
        let is_over = end == world.end || (end > world.measured.end && undecided == 0);
        broken.require(is_over, || format!("the run ends at {end} with {undecided} measured jobs undecided"));
        let judged: Verdict = verdict(broken.0);
        judged.map(|()| ledger)
    }
}

impl Observer for GridCheck<'_> {
    fn note(&mut self, entry: &GridEntry) {
        let Self { world, clock, nodes, jobs, domains, broken } = self;
        let end = &world.end;
        if broken.0.len() >= ENOUGH {
            return;
        }
        if entry.time < *clock || entry.time >= *end {
            broken.add(|| format!("{} comes after {clock}, in a run until {end}", entry.time));
        }
        *clock = entry.time;
        nodes.follow(entry.time, &entry.what, broken);
        domains.follow(entry.time, &entry.what, |job| jobs.is_queued(job), broken);
        jobs.follow(entry.time, &entry.what, broken);
        let keeps_places = match entry.what {
            Event::Finished(job) | Event::GaveUp(job, _) | Event::Lost(job, _) => nodes.holds_of(job) > 0,
            // What runs goes on while the rest waits.
            Event::Postponed(job) => !nodes.holds_only_what_runs(job),
            _ => false,
        };
        if keeps_places {
            broken.add(|| format!("{:?} at {clock} leaves reservations", entry.what));
        }
    }

    fn postponed(&mut self, time: Time, jobs: &[JobId]) {
        let in_time = self.clock <= time && time < self.world.end;
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
