//! From a scenario's policy to the policy itself: the one place that knows them all.

use super::{ApplicationOnly, Backfilling, Batch, Pick, Planner, Policy, TwoTier, named_search};
use crate::combine::Problem;
use crate::model::CostLimit;
use crate::rng::Streams;
use crate::scenario::schema::{MetaschedulerSpec, PolicySpec, ProblemSpec};
use crate::search::Finder;

/// A policy with what results call it and what its windows may cost.
pub struct NamedPolicy {
    /// What results call it.
    pub name: String,
    /// The policy.
    pub policy: Box<dyn Policy>,
    /// What a window of it may cost.
    pub limit: CostLimit,
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
    let (name, policy): (String, Box<dyn Policy>) = match spec {
        PolicySpec::Fcfs => ("FCFS".into(), queue(0, named.search)),
        PolicySpec::Easy => ("EASY".into(), queue(1, named.search)),
        PolicySpec::Conservative => ("conservative".into(), queue(usize::MAX, named.search)),
        PolicySpec::ApplicationOnly => {
            ("application only".into(), Box::new(ApplicationOnly { search: named.search, planner: planner() }))
        }
        PolicySpec::Opt(spec) => {
            let (problem, name) = problem(spec);
            (format!("OPT {name}"), batch(problem, Pick::Best))
        }
        PolicySpec::NoOpt(spec) => {
            let (problem, name) = problem(spec);
            (format!("NO OPT {name}"), batch(problem, Pick::Random(streams.stream("no-opt"))))
        }
    };
    NamedPolicy { name, policy, limit, at_submission: spec == PolicySpec::ApplicationOnly }
}

fn problem(spec: ProblemSpec) -> (Problem, &'static str) {
    match spec {
        ProblemSpec::MaxCost => (Problem::MaxCost, "max cost"),
        ProblemSpec::MinTime => (Problem::MinTime, "min time"),
        ProblemSpec::MinCost => (Problem::MinCost, "min cost"),
        ProblemSpec::MaxTime => (Problem::MaxTime, "max time"),
    }
}
