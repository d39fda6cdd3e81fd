//! The events and the memory that a scenario is expected to take, held against its limits before anything runs.
//!
//! Arrivals one after another are a renewal process. Cut at the horizon H, the gaps X up to the first arrival beyond it
//! add up to H at least and 2 H at most, so by Wald's equation the expected number of arrivals is from
//! H / E min(X, H) - 1 to twice that. The mean of X itself says nothing of the kind: gaps that are nearly always 0 and
//! once in a while enormous have any mean.

use super::LimitsSpec;
use crate::language::{Context, Cursor, Distribution};
use crate::units::REACH;
use crate::workload::{DomainSpec, EnvironmentSpec, JobsSpec, NodeCount, TasksSpec};

/// The mean of the levels of load that are drawn between the lightest and the heaviest.
const MEAN_LEVEL: f64 = 0.451;
/// About how many bytes a job takes, besides its tasks; a task of it; an owner's task or an outage; and a node.
pub(super) const BYTES: [f64; 4] = [400.0, 200.0, 100.0, 500.0];

/// Holds what is expected of a scenario against its limits.
pub struct Judge<'a, 'b, 'c> {
    limits: &'a LimitsSpec,
    pub(super) errors: &'b mut Context<'c>,
}

impl<'a, 'b, 'c> Judge<'a, 'b, 'c> {
    pub(super) fn new(limits: &'a LimitsSpec, errors: &'b mut Context<'c>) -> Self {
        Self { limits, errors }
    }
}

impl Judge<'_, '_, '_> {
    pub(super) fn events(&mut self, at: &Cursor<'_>, count: f64, what: &str, right: &str) {
        let most = self.limits.events.get() as f64;
        if count > most {
            let wrong = format!("about {count:.1e} {what}, more than the {most} events that a run may have");
            self.errors.add(at, wrong, format!("{right}, or raise `limits.events`"));
        }
    }

    pub(super) fn memory(&mut self, at: &Cursor<'_>, bytes: f64) {
        let most = self.limits.memory.get() as f64;
        if bytes > most {
            let wrong = format!("a run would take about {bytes:.1e} bytes of memory, more than the {most:.1e} it may");
            self.errors.add(at, wrong, "let less come up, or raise `limits.memory`");
        }
    }

    /// Windows that are collected until nothing is free: as many as jobs of `work` fit into what could be done.
    pub(super) fn windows(&mut self, at: &Cursor<'_>, free: f64, work: f64) {
        let windows = free / work.max(f64::MIN_POSITIVE);
        self.events(at, windows, "windows could be collected", "give longer jobs or less free time");
    }

    /// The interval that a job gets, and the owners' tasks in it.
    pub(super) fn tasks_on(&mut self, tasks: &TasksSpec, domain: &DomainSpec, factor: f64, place: &Cursor<'_>) {
        let longest = tasks.extent().map_or(0.0, |extent| factor * (extent.time + extent.transfer));
        self.owners(tasks, domain, factor * tasks.usual_chain(), (place, "give a smaller factor"));
        if longest > REACH {
            let wrong = format!("the interval of a job could be {longest:.1e} time units long");
            self.errors.add(place, wrong, format!("keep it below {REACH:.0e}"));
        }
    }

    /// The owners' tasks that are drawn for an interval.
    pub(super) fn owners(
        &mut self,
        tasks: &TasksSpec,
        domain: &DomainSpec,
        interval: f64,
        (at, right): (&Cursor<'_>, &str),
    ) {
        let nodes = match domain.nodes {
            NodeCount::Total(count) => count.get() as f64,
            NodeCount::PerTier { each } => each.get() as f64 * tasks.extent().map_or(1.0, |extent| extent.tiers),
        };
        let local = nodes * interval * domain.occupancy.get() / domain.local_length.mean_up_to(interval.max(1.0));
        self.events(at, local, "tasks of owners would be drawn", right);
        self.memory(at, local * BYTES[2]);
    }

    /// The tasks of owners of an environment, which stands at `at`.
    pub(super) fn environment(&mut self, spec: &EnvironmentSpec, at: &Cursor<'_>) {
        let (low, high) = (spec.load.low.get(), spec.load.high.get());
        let busy = (low + MEAN_LEVEL * (high - low)) / 10.0 * spec.interval.get() as f64;
        let length = spec.load.length.whole().mean_between(1.0, spec.interval.get() as f64);
        let tasks = spec.nodes.get() as f64 * busy / length;
        let place = at.field("load");
        self.events(&place, tasks, "local tasks would be drawn", "give fewer nodes or longer tasks");
        self.memory(at, tasks * BYTES[2] + spec.nodes.get() as f64 * BYTES[3]);
    }
}

/// The work that the nodes of an environment could do besides their owners' tasks.
pub(super) fn idle(spec: &EnvironmentSpec) -> f64 {
    spec.nodes.get() as f64 * spec.interval.get() as f64 * spec.performance.mean()
}

/// The work of a job of a batch, on average.
pub(super) fn work(jobs: &JobsSpec) -> f64 {
    jobs.nodes.mean() * jobs.length.mean()
}

/// The expected number of arrivals with these gaps before `horizon`.
pub(super) fn arrivals(gap: &Distribution, horizon: f64) -> f64 {
    horizon / gap.mean_up_to(horizon)
}
