//! From a scenario's policy to the policy itself: the one place that knows them all.

use super::{
    ApplicationOnly, Backfilling, Batch, Brokered, Compromise, Pick, Planner, Policy, Reservations, TwoTier,
    named_broker, named_search,
};
use crate::combine::Problem;
use crate::model::CostLimit;
use crate::rng::Streams;
use crate::scenario::schema::{BrokerSpec, MetaschedulerSpec, PolicySpec, ProblemSpec};
use crate::search::Finder;

/// A policy with what results call it and what its windows may cost.
pub struct NamedPolicy {
    /// What results call it.
    pub name: String,
    /// The policy.
    pub policy: Box<dyn Policy>,
    /// What a window of it may cost.
    pub limit: CostLimit,
    /// Whether it picks windows within limits of the batch, which may turn out to be out of reach.
    pub has_limits: bool,
    /// Whether it places jobs as soon as they are submitted, and not only in cycles.
    pub at_submission: bool,
}

/// The policy that a scenario asks for; what it leaves to chance is drawn from `streams`.
pub fn named_policy(spec: PolicySpec, metascheduler: &MetaschedulerSpec, streams: &Streams) -> NamedPolicy {
    let named = named_search(&metascheduler.search);
    let limit = named.limit;
    let finder = named.finder.unwrap_or(Finder::Alp);
    let planner = || Planner { rich_from: metascheduler.rich_from, limit, ties: streams.stream("ties") };
    let two_tier = |windows: Box<dyn Policy>| -> Box<dyn Policy> { Box::new(TwoTier { windows, planner: planner() }) };
    let batch = |problem, pick| {
        let alternatives = metascheduler.alternatives.get() as usize;
        two_tier(Box::new(Batch { finder, alternatives, problem, pick }))
    };
    let queue = |depth, search| two_tier(Box::new(Backfilling { depth, search, limit }));
    let broker = |name: &str, spec| {
        let broker = named_broker(spec, &metascheduler.genetic, &metascheduler.exact);
        (name.to_string(), two_tier(Box::new(Brokered { broker, limit, stream: streams.stream("broker") })))
    };
    let (name, policy): (String, Box<dyn Policy>) = match spec {
        PolicySpec::Fcfs => ("FCFS".into(), queue(0, named.search)),
        PolicySpec::Easy => ("EASY".into(), queue(1, named.search)),
        PolicySpec::Conservative => ("conservative".into(), queue(usize::MAX, named.search)),
        PolicySpec::Greedy => broker("greedy", BrokerSpec::Greedy),
        PolicySpec::Mmc => broker("MMC", BrokerSpec::Mmc),
        PolicySpec::Hga => broker("HGA", BrokerSpec::Hga),
        PolicySpec::Lpga => broker("LPGA", BrokerSpec::Lpga),
        PolicySpec::Exact => broker("exact broker", BrokerSpec::Exact),
        PolicySpec::Multicriteria => {
            let (rich_from, stream) = (metascheduler.rich_from, streams.stream("broker"));
            ("multicriteria".into(), two_tier(Box::new(Compromise { rich_from, limit, stream })))
        }
        PolicySpec::Reservations => {
            let (rich_from, stream) = (metascheduler.rich_from, streams.stream("broker"));
            let windows = Reservations { search: named.search, rich_from, stream };
            ("multicriteria, reservations".into(), two_tier(Box::new(windows)))
        }
        PolicySpec::ApplicationOnly => {
            ("application only".into(), Box::new(ApplicationOnly { search: named.search, planner: planner() }))
        }
        PolicySpec::Opt(spec) => {
            let (problem, name) = problem(spec);
            (format!("OPT {name}"), batch(problem, Pick::Best))
        }
        PolicySpec::NoOpt(spec) => {
            let (problem, name) = problem(spec);
            (format!("NO OPT {name}"), batch(problem, Pick::Random(Box::new(streams.stream("no-opt")))))
        }
    };
    let has_limits = matches!(spec, PolicySpec::Opt(_) | PolicySpec::NoOpt(_));
    NamedPolicy { name, policy, limit, has_limits, at_submission: spec == PolicySpec::ApplicationOnly }
}

fn problem(spec: ProblemSpec) -> (Problem, &'static str) {
    match spec {
        ProblemSpec::MaxCost => (Problem::MaxCost, "max cost"),
        ProblemSpec::MinTime => (Problem::MinTime, "min time"),
        ProblemSpec::MinCost => (Problem::MinCost, "min cost"),
        ProblemSpec::MaxTime => (Problem::MaxTime, "max time"),
    }
}
