//! What a scenario file can say: one file per kind of experiment.

mod batches;
pub mod bounds;
mod brokers;
mod connected;
mod criteria;
mod cycles;
mod expected;
mod grid;
mod job_flow;
mod limits;
mod multicriteria;
mod multicriteria_study;
mod offers;
mod parts;
mod published;
mod rivals;
mod sweep;
mod tasks;
mod time_unit;
mod windows;
mod workflow;
mod workflows;

pub use batches::{BatchCase, Batches, ProblemSpec};
pub use brokers::{BrokerSpec, Brokers, DeadlineSpec, ExactSpec, GeneticSpec, ResourcesSpec, UserJobsSpec};
pub use connected::{
    ArrivalSpec, Connected, FailureSpec, GlobalFlowSpec, GridDomainSpec, ListedJob, ListedJobs, LogLimits,
    MetaschedulerSpec, OwnerSpec, PolicySpec, PricingSpec, RankSpec, WorkSpec,
};
pub use criteria::{Criteria, EnvironmentSpec, LoadSpec};
pub use cycles::{BudgetLimit, Cycles, JobsSpec, LengthSpec, SlotsSpec};
pub use grid::{DailySpec, Grid, LocalFlowSpec, NodeGroup};
pub use job_flow::{FlowSpec, JobFlow};
pub use limits::LimitsSpec;
pub use multicriteria::{
    AimSpec, BaselineSpec, BoundsSpec, BrokeredJobSpec, FrontSpec, Multicriteria, ReferenceSpec, SolutionSpec,
    StakeholderSpec, SummarySpec, SummaryTake, TakeSpec, TotalFormSpec, UserFormSpec, UserSpec, WishSpec,
};
pub use multicriteria_study::{MarketSpec, MulticriteriaStudy};
pub use offers::{
    AttributeSpec, BidSpec, CriterionSpec, DirectionSpec, LimitSpec, MeasureSpec, OfferSpec, SlotTimeSpec,
};
pub use parts::{RequestSpec, RuntimeSpec, SearchSpec, TakesSpec};
pub use published::{Origin, Published, Than, Tolerance};
pub use rivals::{OrderSpec, RivalLimitSpec, RivalSpec, Rivals};
pub use sweep::{Sweep, SweepValue, load_points};
pub use tasks::{
    DomainSpec, FileSpec, InputSpec, LayeredSpec, ListedSpec, MethodSpec, NodeCount, TaskSpec, TasksSpec,
    TransfersSpec, is_graphviz, work,
};
pub use time_unit::{known_seconds, seconds_per_unit};
pub use windows::{FreeTime, LocalTaskSpec, NodeSpec, SlotSpec, Windows};
pub use workflow::Workflow;
pub use workflows::{WorkflowCase, Workflows};

use super::{Context, Count, Cursor, Decode};
use crate::{choice, record};
use serde::Serialize;

/// What experiments call their own rows, so that sweeps can't.
const OWN_ROWS: [&str; 9] =
    ["windows", "cycles", "criteria", "workflow", "workflows", "rivals", "brokers", "solutions", "study"];

record! {
    /// A scenario: what is run, how often, and what others have published about it.
    pub struct Scenario {
        /// The name of the scenario and of the folder of its results: letters, digits, `-` and `_`.
        name: Slug,
        /// What is asked, what is set up and what to expect, in a few sentences; shown in the report.
        about: String = String::new(),
        /// The master seed of all random streams: scenario and seed decide every byte of the results.
        seed: u64 = 1,
        /// How many independent worlds are drawn; means and intervals are over them.
        replications: Count = Count::ONE,
        /// What is run.
        experiment: Experiment,
        /// What a replication may take at most.
        limits: LimitsSpec = LimitsSpec::default(),
        /// Runs the experiment again for each of a list of values of a field.
        sweeps: Vec<Sweep> = Vec::new(),
        /// The publication that is reproduced, if one is.
        source: Option<Origin>,
        /// Published values to compare with.
        published: Vec<Published> = Vec::new(),
    }
    check(this, at, errors) {
        expected::report(&this.experiment, &this.limits, &at.field("experiment"), errors);
        let cases: Vec<&str> = match &this.experiment {
            Experiment::Batches(batches) => batches.cases.iter().map(|case| case.name.as_str()).collect(),
            _ => Vec::new(),
        };
        for (index, sweep) in this.sweeps.iter().enumerate() {
            let name = sweep.name.as_str();
            if OWN_ROWS.contains(&name) || cases.contains(&name) {
                let place = at.field("sweeps").element(index).field("name");
                errors.add(&place, "the rows of the experiment itself have this name", "give the sweep another name");
            }
        }
    }
}

choice! {
    /// The kinds of experiment.
    pub enum Experiment {
        /// Windows for listed requests on listed nodes.
        Windows(Windows),
        /// Nodes with local task flows, run through the event engine.
        Grid(Grid),
        /// Independent scheduling cycles on generated slots: alternatives for a batch and the best combination.
        Cycles(Cycles),
        /// One request on generated environments: the best window by each criterion.
        Criteria(Criteria),
        /// Batches on generated environments: the best combination against a random one (OPT and NO OPT).
        Batches(Batches),
        /// Owners, global jobs, metascheduler cycles and execution in one event-driven simulation.
        Connected(Connected),
        /// One job made of tasks: its chains, and the plan of every method.
        Workflow(Workflow),
        /// Jobs made of tasks, one per world: how many find a place, and how they collide.
        Workflows(Workflows),
        /// A flow of jobs made of tasks on shared nodes, planned and executed.
        JobFlow(JobFlow),
        /// Listed users, jobs and offers: the best compromise by several criteria.
        Multicriteria(Multicriteria),
        /// Generated users, jobs and offers: brokers by several criteria against simple ones.
        MulticriteriaStudy(MulticriteriaStudy),
        /// Queues, backfilling and optimised batches on the same generated environments.
        Rivals(Rivals),
        /// Jobs of many users on priced resources, placed in rounds by several brokers.
        Brokers(Brokers),
    }
}

/// A name that is safe as the name of a folder on every system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Slug(String);

impl Slug {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Decode for Slug {
    fn wanted() -> String {
        "a name of letters, digits, `-` and `_` in quotes".into()
    }

    fn decode(at: &Cursor<'_>, context: &mut Context<'_>) -> Option<Self> {
        let name = String::decode(at, context)?;
        let safe = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if name.is_empty() || name.len() > 100 || !name.chars().all(safe) {
            context.add(at, "this can't name a folder", format!("give {}, at most 100 of them", Self::wanted()));
            return None;
        }
        Some(Self(name))
    }
}
