//! `Connected`: both tiers in one event-driven simulation.

mod domains;
mod flows;
mod metascheduler;

pub use domains::{FailureSpec, GridDomainSpec, OwnerSpec};
pub use flows::{ArrivalSpec, GlobalFlowSpec, ListedJob, ListedJobs, LogLimits, WorkSpec};
pub use metascheduler::{MetaschedulerSpec, PolicySpec, PricingSpec, RankSpec};

use super::bounds::Actuals;
use super::parts::{RuntimeSpec, report_steps};
use crate::record;
use crate::scenario::{NonEmpty, Within};
use crate::units::Span;

/// How many nodes a grid may have.
const NODES_LIMIT: f64 = 1e6;
/// How many jobs or owners' tasks a run may be expected to have.
const ARRIVALS_LIMIT: f64 = 2e7;

record! {
    /// Domains of nodes with owners' tasks and failures, flows of global jobs, metascheduler cycles and the execution of what was
    /// reserved, all as events of one run. Every policy faces the same worlds.
    pub struct Connected {
        /// How long the run is.
        horizon: Span,
        /// The steps in which utilisation and queue over time are reported.
        step: Span,
        /// The name of the unit of time, for the axes of figures. Seconds, minutes, hours and days also say how long the times of logs and of
        /// WfCommons files are in it.
        time_unit: String = "time units".to_string(),
        /// The nodes, domain by domain.
        domains: NonEmpty<GridDomainSpec>,
        /// The global jobs.
        flows: NonEmpty<GlobalFlowSpec>,
        /// When and how windows are sought for them.
        metascheduler: MetaschedulerSpec,
        /// The schedulers that are compared, a series each. The first is what the others are compared with.
        policies: NonEmpty<PolicySpec>,
        /// How a job's length becomes a runtime.
        runtime: RuntimeSpec = RuntimeSpec::Reference,
        /// How long a task really runs, as a share of its estimate.
        actual: Within<Actuals> = Within::of(1.0),
        /// Prices that follow demand; they stay as they are, unless given.
        pricing: Option<PricingSpec>,
        /// Whether the events of the first replication are written down, as `trace.csv` and as `trace.json` for trace viewers.
        trace: bool = false,
    }
    check(this, at, errors) {
        for (index, flow) in this.flows.iter().enumerate() {
            flow.work.report_unit(&this.time_unit, &at.field("flows").element(index).field("work"), errors);
        }
        if !report_steps(this.horizon, this.step, at, errors) {
            return;
        }
        for (index, policy) in this.policies.iter().enumerate() {
            if this.policies[..index].contains(policy) {
                errors.add(&at.field("policies").element(index), "this policy is in the list already", "leave it out");
            }
        }
        let nodes: f64 = this.domains.iter().map(|domain| domain.nodes.get() as f64).sum();
        if nodes > NODES_LIMIT {
            errors.add(&at.field("domains"), format!("that is {nodes} nodes"), format!("keep it to {NODES_LIMIT} nodes"));
            return;
        }
        for (index, flow) in this.flows.iter().enumerate() {
            let jobs = this.horizon.as_f64() / flow.mean_gap(this.capacity());
            if jobs > ARRIVALS_LIMIT {
                let wrong = format!("about {jobs:.1e} jobs would arrive");
                errors.add(&at.field("flows").element(index).field("arrivals"), wrong, format!("keep it below {ARRIVALS_LIMIT:.0e}"));
            }
        }
        let tasks: f64 = this.domains.iter().map(|domain| domain.tasks_per_unit() * this.horizon.as_f64()).sum();
        if tasks > ARRIVALS_LIMIT {
            let wrong = format!("about {tasks:.1e} owners' tasks and failures would come up");
            errors.add(&at.field("domains"), wrong, format!("keep it below {ARRIVALS_LIMIT:.0e}"));
        }
        if this.metascheduler.period > this.horizon {
            errors.add(&at.field("metascheduler").field("period"), "no cycle would come", "give a period up to the horizon");
        }
    }
}

impl Connected {
    /// The work that all nodes can do in a unit of time, on average over the draws of their performance.
    pub fn capacity(&self) -> f64 {
        self.domains.iter().map(|domain| domain.nodes.get() as f64 * domain.performance.mean()).sum()
    }
}
