//! How much a scenario is expected to bring about, held against its limits before anything runs.
//!
//! Arrivals one after another are a renewal process. Cut at the horizon H, the gaps X up to the first arrival beyond it add up to H at least
//! and 2 H at most, so by Wald's equation the expected number of arrivals is from H / E min(X, H) - 1 to twice that. The
//! mean of X itself says nothing of the kind: gaps that are nearly always 0 and once in a while enormous have any mean.

use super::{
    ArrivalSpec, Connected, DomainSpec, EnvironmentSpec, Experiment, GlobalFlowSpec, Grid, JobFlow, JobsSpec,
    LimitsSpec, NodeCount, OwnerSpec, TasksSpec, WorkSpec, Workflows,
};
use crate::scenario::{Context, Cursor, Distribution};
use crate::units::REACH;

/// The mean of the levels of load that are drawn between the lightest and the heaviest.
const MEAN_LEVEL: f64 = 0.451;
/// About how many bytes a job takes, besides its tasks; a task of it; an owner's task or an outage; and a node.
const BYTES: [f64; 4] = [400.0, 200.0, 100.0, 500.0];

/// Reports what is expected to come up more often, or to take more memory, than `limits` allow.
pub(super) fn report(experiment: &Experiment, limits: &LimitsSpec, at: &Cursor<'_>, errors: &mut Context<'_>) {
    let mut judge = Judge { limits, errors };
    match experiment {
        Experiment::Connected(spec) => judge.connected(spec, at),
        Experiment::Grid(spec) => judge.grid(spec, at),
        Experiment::Workflows(spec) => judge.workflows(spec, at),
        Experiment::Workflow(spec) => {
            let (interval, place) = (spec.deadline.as_f64(), at.field("deadline"));
            judge.owners(&spec.tasks, &spec.domain, interval, (&place, "give an earlier deadline"));
        }
        Experiment::JobFlow(spec) => judge.job_flow(spec, at),
        Experiment::Criteria(spec) => {
            judge.environment(&spec.environment, at);
            let length = spec.length.as_f64() * spec.min_performance.as_f64().max(1.0);
            judge.windows(&at.field("length"), idle(&spec.environment), spec.nodes.get() as f64 * length);
        }
        Experiment::Cycles(spec) => {
            let (slots, jobs) = (&spec.slots, &spec.jobs);
            let free = slots.count.mean() * slots.length.mean() * slots.performance.mean();
            judge.windows(&at.field("slots"), free, work(jobs));
        }
        Experiment::Batches(spec) => {
            for (index, case) in spec.cases.iter().enumerate() {
                let place = at.field("cases").element(index);
                judge.environment(&case.environment, &place);
                judge.windows(&place.field("jobs"), idle(&case.environment), work(&case.jobs));
            }
        }
        Experiment::Rivals(spec) => {
            judge.environment(&spec.environment, at);
            judge.windows(&at.field("jobs"), idle(&spec.environment), work(&spec.jobs));
        }
        Experiment::Windows(_)
        | Experiment::Multicriteria(_)
        | Experiment::MulticriteriaStudy(_)
        | Experiment::Brokers(_) => (),
    }
}

/// The work that the nodes of an environment could do besides their owners' tasks.
fn idle(spec: &EnvironmentSpec) -> f64 {
    spec.nodes.get() as f64 * spec.interval.get() as f64 * spec.performance.mean()
}

/// The work of a job of a batch, on average.
fn work(jobs: &JobsSpec) -> f64 {
    jobs.nodes.mean() * jobs.length.mean()
}

/// How many arrivals with these gaps are to be expected before `horizon`.
fn arrivals(gap: &Distribution, horizon: f64) -> f64 {
    horizon / gap.mean_up_to(horizon)
}

struct Judge<'a, 'b, 'c> {
    limits: &'a LimitsSpec,
    errors: &'b mut Context<'c>,
}

impl Judge<'_, '_, '_> {
    fn events(&mut self, at: &Cursor<'_>, count: f64, what: &str, right: &str) {
        let most = self.limits.events.get() as f64;
        if count > most {
            let wrong = format!("about {count:.1e} {what}, more than the {most} events that a run may have");
            self.errors.add(at, wrong, format!("{right}, or raise `limits.events`"));
        }
    }

    fn memory(&mut self, at: &Cursor<'_>, bytes: f64) {
        let most = self.limits.memory.get() as f64;
        if bytes > most {
            let wrong = format!("a run would take about {bytes:.1e} bytes of memory, more than the {most:.1e} it may");
            self.errors.add(at, wrong, "let less come up, or raise `limits.memory`");
        }
    }

    /// Windows that are collected until nothing is free: as many as jobs of `work` fit into what could be done.
    fn windows(&mut self, at: &Cursor<'_>, free: f64, work: f64) {
        let windows = free / work.max(f64::MIN_POSITIVE);
        self.events(at, windows, "windows could be collected", "give longer jobs or less free time");
    }

    fn connected(&mut self, spec: &Connected, at: &Cursor<'_>) {
        let horizon = spec.horizon.as_f64();
        let cycles = horizon / spec.metascheduler.period.as_f64();
        let period = at.field("metascheduler").field("period");
        self.events(&period, cycles, "cycles would come", "give a longer period");
        let (mut events, mut bytes) = (cycles, 0.0);
        for (index, flow) in spec.flows.iter().enumerate() {
            let place = at.field("flows").element(index).field("arrivals");
            let (drawn, jobs, tasks) = jobs_of(flow, spec);
            self.events(
                &place,
                drawn,
                "arrivals would be drawn",
                "let fewer jobs arrive, or be more even over the day",
            );
            self.events(&place, 3.0 * jobs * tasks, "events of jobs would come", "let fewer jobs arrive");
            events += drawn + 3.0 * jobs * tasks;
            bytes += jobs * (BYTES[0] + tasks * BYTES[1]);
        }
        for (index, domain) in spec.domains.iter().enumerate() {
            let place = at.field("domains").element(index);
            let nodes = domain.nodes.get() as f64;
            bytes += nodes * BYTES[3];
            for (index, owner) in domain.owners.iter().enumerate() {
                let tasks = nodes * owner_tasks(owner, horizon);
                let place = place.field("owners").element(index);
                self.events(&place, tasks, "tasks of owners would be drawn", "let them come less often");
                events += 3.0 * tasks;
                bytes += tasks * BYTES[2];
            }
            if let Some(failures) = &domain.failures {
                let mean = failures.up.mean_up_to(horizon) + failures.down.mean_up_to(horizon).max(1e-6);
                let outages = nodes * horizon / mean;
                self.events(&place.field("failures"), outages, "outages would be drawn", "let nodes fail less often");
                events += 2.0 * outages;
                bytes += outages * BYTES[2];
            }
        }
        if self.errors.is_empty() {
            self.events(at, events, "events would come in all", "let less come up");
            self.memory(at, bytes);
        }
    }

    fn grid(&mut self, spec: &Grid, at: &Cursor<'_>) {
        let horizon = spec.horizon.as_f64();
        let mut all = 0.0;
        for (index, group) in spec.groups.iter().enumerate() {
            let tasks = group.nodes.get() as f64 * arrivals(&group.local.gap, horizon);
            let place = at.field("groups").element(index).field("local").field("gap");
            self.events(&place, tasks, "local tasks would be drawn", "give fewer nodes, longer gaps or a shorter run");
            all += tasks;
        }
        if self.errors.is_empty() {
            self.events(&at.field("groups"), 3.0 * all, "events would come in all", "let less come up");
            self.memory(&at.field("groups"), all * BYTES[2]);
        }
    }

    fn workflows(&mut self, spec: &Workflows, at: &Cursor<'_>) {
        for (index, case) in spec.cases.iter().enumerate() {
            let place = at.field("cases").element(index).field("tasks");
            self.tasks_on(&case.tasks, &spec.domain, spec.interval_factor.get(), at);
            self.events(&place, case.tasks.mean_tasks(), "tasks would be drawn", "give fewer tasks");
        }
    }

    fn job_flow(&mut self, spec: &JobFlow, at: &Cursor<'_>) {
        let tasks = spec.jobs.get() as f64 * spec.tasks.mean_tasks();
        self.events(&at.field("jobs"), tasks, "tasks would be drawn", "give fewer jobs");
        let NodeCount::Total(nodes) = spec.domain.nodes else { return };
        self.memory(&at.field("jobs"), tasks * (BYTES[1] + 16.0 * nodes.get() as f64));
        self.tasks_on(&spec.tasks, &spec.domain, spec.interval_factor.get(), at);
    }

    /// The interval that a job gets, and the owners' tasks in it.
    fn tasks_on(&mut self, tasks: &TasksSpec, domain: &DomainSpec, factor: f64, at: &Cursor<'_>) {
        let place = at.field("interval_factor");
        let longest = tasks.extent().map_or(0.0, |extent| factor * (extent.time + extent.transfer));
        self.owners(tasks, domain, factor * tasks.usual_chain(), (&place, "give a smaller factor"));
        if longest > REACH {
            let wrong = format!("the interval of a job could be {longest:.1e} time units long");
            self.errors.add(&place, wrong, format!("keep it below {REACH:.0e}"));
        }
    }

    /// The owners' tasks that are drawn for an interval.
    fn owners(&mut self, tasks: &TasksSpec, domain: &DomainSpec, interval: f64, (at, right): (&Cursor<'_>, &str)) {
        let nodes = match domain.nodes {
            NodeCount::Total(count) => count.get() as f64,
            NodeCount::PerTier { each } => each.get() as f64 * tasks.extent().map_or(1.0, |extent| extent.tiers),
        };
        let local = nodes * interval * domain.occupancy.get() / domain.local_length.mean_up_to(interval.max(1.0));
        self.events(at, local, "tasks of owners would be drawn", right);
        self.memory(at, local * BYTES[2]);
    }

    fn environment(&mut self, spec: &EnvironmentSpec, at: &Cursor<'_>) {
        let (low, high) = (spec.load.low.get(), spec.load.high.get());
        let busy = (low + MEAN_LEVEL * (high - low)) / 10.0 * spec.interval.get() as f64;
        let length = spec.load.length.whole().mean_between(1.0, spec.interval.get() as f64);
        let tasks = spec.nodes.get() as f64 * busy / length;
        let place = at.field("environment").field("load");
        self.events(&place, tasks, "local tasks would be drawn", "give fewer nodes or longer tasks");
        self.memory(&at.field("environment"), tasks * BYTES[2] + spec.nodes.get() as f64 * BYTES[3]);
    }
}

/// How many arrivals are drawn for a flow, how many jobs stay of them, and how many parts a job has.
fn jobs_of(flow: &GlobalFlowSpec, spec: &Connected) -> (f64, f64, f64) {
    let horizon = spec.horizon.as_f64();
    let jobs = match &flow.work {
        WorkSpec::Listed(listed) => listed.jobs.len() as f64,
        WorkSpec::Rigid { .. } | WorkSpec::Workflow { .. } | WorkSpec::Log { .. } => {
            horizon / flow.mean_gap(spec.capacity())
        }
    };
    let drawn = match &flow.arrivals {
        Some(ArrivalSpec::Poisson { daily: Some(daily), .. } | ArrivalSpec::Load { daily: Some(daily), .. }) => {
            jobs / daily.mean_share()
        }
        Some(ArrivalSpec::Batches { every, .. }) => jobs + horizon / every.as_f64(),
        _ => jobs,
    };
    let parts = match &flow.work {
        WorkSpec::Rigid { nodes, .. } => {
            nodes.mean().min(spec.domains.iter().map(|each| each.nodes.get() as f64).sum())
        }
        WorkSpec::Workflow { tasks, .. } => tasks.mean_tasks(),
        WorkSpec::Log { .. } | WorkSpec::Listed(_) => 1.0,
    };
    (drawn, jobs, parts)
}

/// How many tasks of an owner are drawn on one node.
fn owner_tasks(owner: &OwnerSpec, horizon: f64) -> f64 {
    match &owner.gap {
        Some(gap) => arrivals(gap, horizon),
        None => horizon / owner.mean_gap(),
    }
}
