//! `Grid`: owners, global jobs, metascheduler and execution in one event-driven simulation.

use crate::engine::Limits;
use crate::language::{AboveZero, Context, Cursor, NonEmpty, Within, known_seconds};
use crate::model::Interval;
use crate::policy::{MetaschedulerSpec, PlacesBy, PolicyEntry, PolicySpec};
use crate::record;
use crate::sim::{Displacement, Drain, GridRules, OverrunRule, PricingSpec};
use crate::study::parts::report_steps;
use crate::units::{INPUT_LIMIT, REACH, Span, Time};
use crate::workflow::Transfers;
use crate::workload::bounds::Actuals;
use crate::workload::{
    GlobalFlowSpec, GridDomainSpec, GridSpec, RuntimeRule, WorkSpec, WorkflowWork, report_time_unit,
};
use std::borrow::Cow;

/// The largest number of nodes that a grid may have.
const NODES_LIMIT: f64 = 1e6;
/// The number of steps in which the use of nodes is reported, unless their length is given.
const STEPS: i64 = 50;
/// The number of cycles in the measured interval, unless a metascheduler is given.
const CYCLES: i64 = 100;

record! {
    /// Owners, global jobs, metascheduler cycles and execution in one event-driven simulation. Every policy faces the
    /// same worlds. Without flows of jobs, it shows how much of the nodes their owners leave over.
    pub struct Grid {
        /// The length of the measured interval: the jobs submitted in it are measured, and the use of nodes in it.
        #[read = AboveZero<Span>]
        horizon: Span,
        /// The time before the measured interval, for the grid to fill up; jobs submitted in it are not measured.
        warm_up: Span = Span::ZERO,
        /// The time after the measured interval in which its jobs are decided, with other jobs and owners coming as
        /// before; up to the length of the measured interval, unless given.
        drain: Option<Drain>,
        /// The length of the steps in which utilisation and queue over time are reported; a fiftieth of the horizon,
        /// unless given.
        #[read = Option<AboveZero<Span>>]
        step: Option<Span>,
        /// The name of the unit of time, for the axes of figures. Seconds, minutes, hours, days and weeks also say how
        /// long the times of logs and of WfCommons files are in it, and times may then be written with a unit:
        /// `"1 h 30 min"`.
        time_unit: String = "time units".to_string(),
        /// The nodes, domain by domain.
        domains: NonEmpty<GridDomainSpec>,
        /// The flows of jobs. Without any, only owners use the nodes.
        flows: Vec<GlobalFlowSpec> = Vec::new(),
        /// The cycles of the metascheduler, and how it looks for windows. Unless given, a hundred cycles come in the
        /// horizon, and windows may reach as far ahead as the horizon is long.
        metascheduler: Option<MetaschedulerSpec>,
        /// The schedulers that are compared, a series each. The first is what the others are compared with. Flows need
        /// one at least.
        policies: Vec<PolicyEntry> = Vec::new(),
        /// The rule by which a job's length becomes a runtime.
        runtime: RuntimeRule = RuntimeRule::Reference,
        /// The actual runtime of a task, as a share of its estimate.
        #[unit = "factor of the estimate"]
        actual: Within<Actuals> = Within::of(1.0),
        /// The part of its work that a job loses when one of its tasks is driven from a node.
        displacement: Displacement = Displacement::Task,
        /// The fate of a task that is not done at the end of the time reserved for it.
        overrun: OverrunRule = OverrunRule::GoesOn,
        /// Runtimes below this count as this in the bounded slowdown; ten seconds, or ten units of time where those are
        /// not known to be seconds, minutes, hours, days or weeks, unless given.
        slowdown_bound: Option<Span>,
        /// Prices that follow demand; they stay as they are, unless given.
        pricing: Option<PricingSpec>,
        /// The events of the first replication under the first policy are written down, as `trace.csv` and as
        /// `trace.json` for trace viewers, if true.
        trace: bool = false,
    }
    starter(include_str!("starter.ron"))
    gone("groups", "domains", "write `domains: [(name: ..., nodes: ..., owners: [(gap: ..., length: ..., daily: ...)])]`: what was \
        `local` of a group is an element of `owners`")
    check(this, at, errors) {
        report_time_unit(&this.time_unit, &at.field("time_unit"), errors);
        if !this.flows.is_empty() && this.policies.is_empty() {
            errors.add(at, "the jobs of `flows` need a policy", "give `policies: [Easy]`, or others of `gridloom list`");
        }
        for (index, flow) in this.flows.iter().enumerate() {
            flow.work.report_unit(&this.time_unit, &at.field("flows").element(index).field("work"), errors);
        }
        this.report_systems(at, errors);
        report_steps(this.horizon, this.step(), at, errors);
        for (index, policy) in this.policies.iter().enumerate() {
            if this.policies[..index].iter().any(|other| other.name() == policy.name()) {
                let right = "leave it out, or give `(policy: ..., name: ...)` with another name";
                errors.add(&at.field("policies").element(index), "a policy of this name is in the list already", right);
            }
        }
        let nodes: f64 = this.domains.iter().map(|domain| domain.nodes.get() as f64).sum();
        if nodes > NODES_LIMIT {
            errors.add(&at.field("domains"), format!("that is {nodes} nodes"), format!("keep it to {NODES_LIMIT} nodes"));
            return;
        }
        for (index, flow) in this.flows.iter().enumerate() {
            this.report_length(&flow.work, &at.field("flows").element(index).field("work"), errors);
        }
        this.report_drain(at, errors);
        this.report_checkpoints(at, errors);
        if this.metascheduler.as_ref().is_some_and(|metascheduler| metascheduler.period > this.horizon) {
            errors.add(&at.field("metascheduler").field("period"), "no cycle would come", "give a period up to the horizon");
        }
    }
}

/// An equal part of a length of time that is above 0; never 0.
fn part(whole: Span, parts: i64) -> Span {
    Span::from_ticks((whole.ticks() / parts).max(1))
}

impl Grid {
    /// Reports local flows without a batch system, and policies that could never place a global job.
    fn report_systems(&self, at: &Cursor<'_>, errors: &mut Context<'_>) {
        for (index, flow) in self.flows.iter().enumerate() {
            let Some(name) = &flow.domain else { continue };
            let home = self.domains.iter().find(|domain| domain.name.as_str() == name.as_str());
            // A name that is not given is reported by itself.
            if home.is_some_and(|home| home.batch_system.is_none()) {
                let wrong = format!("the domain `{name}` has no batch system that local jobs could wait in");
                let right = "give it `batch_system: (queue: Easy)`, or leave `domain` out";
                errors.add(&at.field("flows").element(index).field("domain"), wrong, right);
            }
        }
        if self.flows.iter().all(|flow| flow.domain.is_some()) {
            return;
        }
        let systems = || self.domains.iter().map(|domain| domain.batch_system);
        let has_system = systems().any(|system| system.is_some());
        let has_slots = systems().any(|system| system.is_none_or(|system| system.reservations));
        for (index, policy) in self.policies.iter().enumerate() {
            let (wrong, right) = if policy.places() == PlacesBy::Sending && !has_system {
                ("no domain has a batch system to send jobs to", "give a domain `batch_system: (queue: Easy)`")
            } else if policy.places() == PlacesBy::Reserving && !has_slots {
                let right = "give `RandomDomain`, `LeastLoaded`, `ShortestWait`, `MulticriteriaWait` or a broker, or a domain \
                    `reservations: true` in its `batch_system`";
                ("all domains have batch systems that grant no reservations", right)
            } else {
                continue;
            };
            errors.add(&at.field("policies").element(index), wrong, right);
        }
    }

    /// Reports a workflow that could leave the range of numbers, laid out task by task on the slowest nodes.
    fn report_length(&self, work: &WorkSpec, at: &Cursor<'_>, errors: &mut Context<'_>) {
        let WorkSpec::Workflow(WorkflowWork { tasks, window_factor, min_performance, .. }) = work else { return };
        // A file is judged once it is read.
        let Some(extent) = tasks.extent() else { return };
        let nodes = self.domains.iter().map(|domain| domain.performance.min());
        let slowest = nodes.fold(min_performance.min(), f64::min);
        let longest = extent.time / slowest * self.actual.max().max(1.0) + extent.transfer;
        let window = window_factor.get() * (extent.time / min_performance.min() + extent.transfer);
        let longest = longest.max(window * min_performance.max().max(1.0));
        if longest > REACH / 10.0 {
            let wrong = format!("a job could take up to {longest:.0e} time units on the slowest nodes");
            let right = format!("keep times, transfers and windows below {:.0e} in all", REACH / 10.0);
            errors.add(&at.field("tasks"), wrong, right);
        }
    }

    /// Reports a drain that might never end, and a run that would end beyond all times.
    fn report_drain(&self, at: &Cursor<'_>, errors: &mut Context<'_>) {
        if self.drain == Some(Drain::UntilDecided) {
            for (index, flow) in self.flows.iter().enumerate().filter(|(_, flow)| flow.patience.is_none()) {
                let wrong = format!(
                    "jobs of flow {:?} have no deadline, and `drain: UntilDecided` might never end",
                    flow.name.to_string()
                );
                let right = "give it `patience`, or `drain: UpTo(...)`";
                errors.add(&at.field("flows").element(index), wrong, right);
            }
        }
        let end = self.length();
        if end > INPUT_LIMIT {
            let wrong = format!("the run could last until {end:.1e}");
            let right =
                format!("keep warm-up, horizon and drain to {INPUT_LIMIT:.0e} in all, such as by `drain: UpTo(...)`");
            errors.add(at, wrong, right);
        }
    }

    /// Reports checkpoints that would never be written.
    fn report_checkpoints(&self, at: &Cursor<'_>, errors: &mut Context<'_>) {
        let Displacement::Checkpoint { every, .. } = self.displacement else { return };
        // A file is judged by what it brings, once it is read.
        let Some(longest) = self.flows.iter().map(|flow| flow.work.longest_task()).collect::<Option<Vec<f64>>>() else {
            return;
        };
        let slowest = self.domains.iter().map(|domain| domain.performance.min()).fold(f64::INFINITY, f64::min);
        let longest = longest.into_iter().fold(0.0, f64::max) / slowest * self.actual.max();
        if every.as_f64() >= longest {
            let wrong =
                format!("no task works for {every} from one checkpoint to the next: the longest takes {longest:.6}");
            errors.add(&at.field("displacement").field("every"), wrong, "write checkpoints more often, or give `Task`");
        }
    }

    /// The longest time after the measured interval that the run may go on.
    fn longest_drain(&self) -> f64 {
        match self.drain {
            _ if self.flows.is_empty() => 0.0,
            // As far as times reach.
            None => self.horizon.as_f64().min((INPUT_LIMIT - self.measured().end.as_f64()).max(0.0)),
            Some(Drain::UpTo(span)) => span.as_f64(),
            Some(Drain::UntilDecided) => {
                let longest = |flow: &GlobalFlowSpec| Some(flow.patience.as_ref()?.max() * flow.work.longest()?.0);
                // A deadline that has come is dealt with in the instant after.
                self.flows.iter().filter_map(longest).fold(0.0, f64::max) + 1.0
            }
        }
    }

    /// The most time that a run may take.
    pub(super) fn length(&self) -> f64 {
        self.measured().end.as_f64() + self.longest_drain()
    }

    /// The interval whose jobs are measured.
    pub fn measured(&self) -> Interval {
        let start = Time::ZERO + self.warm_up;
        Interval::new(start, start + self.horizon)
    }

    /// The part of it that worlds are drawn from.
    pub fn grid(&self) -> GridSpec<'_> {
        let Self { domains, flows, runtime, actual, time_unit, .. } = self;
        GridSpec {
            measured: self.measured(),
            // Within the limit of input, as the check of the record has seen.
            drain: Span::from_f64(self.longest_drain()).unwrap_or(self.horizon),
            domains,
            flows,
            runtime: *runtime,
            actual,
            time_unit,
            overhead: self.displacement.overhead(),
        }
    }

    /// The shortest runtime that counts in the bounded slowdown.
    pub fn slowdown_bound(&self) -> Span {
        let ten_seconds = 10.0 / known_seconds(&self.time_unit).unwrap_or(1.0);
        self.slowdown_bound.unwrap_or_else(|| Span::from_f64(ten_seconds).unwrap_or(Span::from_ticks(1)))
    }

    /// The length of the steps in which use and queue are reported.
    pub fn step(&self) -> Span {
        self.step.unwrap_or_else(|| part(self.horizon, STEPS))
    }

    /// The metascheduler. Where none is given, a number of cycles; without jobs a single one, which finds nothing to do.
    pub fn metascheduler(&self) -> Cow<'_, MetaschedulerSpec> {
        let usual = || {
            let cycles = if self.flows.is_empty() { 1 } else { CYCLES };
            Cow::Owned(MetaschedulerSpec::new(part(self.horizon, cycles), self.horizon))
        };
        self.metascheduler.as_ref().map_or_else(usual, Cow::Borrowed)
    }

    /// The rules of a run under one of its policies.
    pub fn rules(&self, policy: &dyn PolicySpec) -> GridRules {
        let metascheduler = self.metascheduler();
        GridRules {
            policy: policy.name(),
            period: metascheduler.period,
            interval: metascheduler.interval,
            batch: usize::try_from(metascheduler.batch.get()).unwrap_or(usize::MAX),
            attempts: u32::try_from(metascheduler.attempts.get()).unwrap_or(u32::MAX),
            acts: policy.acts(),
            seeks_windows: policy.seeks_windows(),
            order: policy.order(),
            rank: metascheduler.rank.weights(),
            rule: self.runtime,
            limit: metascheduler.search.get().limit(),
            scope: metascheduler.batches,
            displacement: self.displacement,
            overrun: self.overrun,
            transfers: Transfers::BetweenNodes,
            limits: Limits::DEFAULT,
            pricing: self.pricing.as_ref().map(|spec| [spec.elasticity.get(), spec.target.get(), spec.bound.get()]),
        }
    }
}
