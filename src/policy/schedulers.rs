//! From a scenario's policy to the policy itself: the one place that knows them all.

use super::{Backfilling, Batch, Pick, Policy, named_search};
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
}

/// The policy that a scenario asks for; what it leaves to chance is drawn from `streams`.
pub fn named_policy(spec: PolicySpec, metascheduler: &MetaschedulerSpec, streams: &Streams) -> NamedPolicy {
    let named = named_search(&metascheduler.search);
    let limit = named.limit;
    let finder = named.finder.unwrap_or(Finder::Alp);
    let batch = |problem, pick| -> Box<dyn Policy> {
        Box::new(Batch { finder, alternatives: metascheduler.alternatives.get() as usize, problem, pick })
    };
    let (name, policy): (String, Box<dyn Policy>) = match spec {
        PolicySpec::Fcfs => ("FCFS".into(), Box::new(Backfilling { depth: 0, search: named.search, limit })),
        PolicySpec::Easy => ("EASY".into(), Box::new(Backfilling { depth: 1, search: named.search, limit })),
        PolicySpec::Conservative => {
            ("conservative".into(), Box::new(Backfilling { depth: usize::MAX, search: named.search, limit }))
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
    NamedPolicy { name, policy, limit }
}

fn problem(spec: ProblemSpec) -> (Problem, &'static str) {
    match spec {
        ProblemSpec::MaxCost => (Problem::MaxCost, "max cost"),
        ProblemSpec::MinTime => (Problem::MinTime, "min time"),
        ProblemSpec::MinCost => (Problem::MinCost, "min cost"),
        ProblemSpec::MaxTime => (Problem::MaxTime, "max time"),
    }
}
