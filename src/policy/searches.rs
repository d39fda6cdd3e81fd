//! From a scenario's search to the search itself: the one place that knows them all.

use crate::model::CostLimit;
use crate::scenario::schema::{SearchSpec, TakesSpec};
use crate::search::{Alp, Amp, ByCriterion, Criterion, Finder, Takes, WindowSearch};

/// A search with what results call it and what its windows may cost.
pub struct NamedSearch {
    /// What results call it.
    pub name: String,
    /// The search.
    pub search: Box<dyn WindowSearch + Sync>,
    /// How it collects alternatives for a batch, if it does so by resuming scans.
    pub finder: Option<Finder>,
    /// What a window of it may cost.
    pub limit: CostLimit,
}

/// The search that a scenario asks for.
pub fn named_search(spec: &SearchSpec) -> NamedSearch {
    let criterion = |criterion, budget_factor: f64| -> Box<dyn WindowSearch + Sync> {
        Box::new(ByCriterion { criterion, budget_factor })
    };
    let (name, search, finder, factor): (_, Box<dyn WindowSearch + Sync>, _, _) = match *spec {
        SearchSpec::Alp => ("ALP", Box::new(Alp), Some(Finder::Alp), None),
        SearchSpec::Amp { budget_factor, takes } => {
            let takes = match takes {
                TakesSpec::Cheapest => Takes::Cheapest,
                TakesSpec::FirstMet => Takes::FirstMet,
            };
            let amp = Amp { budget_factor: budget_factor.get(), takes };
            ("AMP", Box::new(amp), Some(Finder::Amp(amp)), Some(amp.budget_factor))
        }
        SearchSpec::EarliestFinish { budget_factor: k } => {
            ("earliest finish", criterion(Criterion::EarliestFinish, k.get()), None, Some(k.get()))
        }
        SearchSpec::MinCost { budget_factor: k } => {
            ("minimum cost", criterion(Criterion::MinCost, k.get()), None, Some(k.get()))
        }
        SearchSpec::MinRuntime { budget_factor: k } => {
            ("minimum runtime", criterion(Criterion::MinRuntime, k.get()), None, Some(k.get()))
        }
        SearchSpec::MinProcessorTime { budget_factor: k } => {
            ("minimum processor time", criterion(Criterion::MinProcessorTime, k.get()), None, Some(k.get()))
        }
        SearchSpec::MinPower { budget_factor: k } => {
            ("minimum power", criterion(Criterion::MinPower, k.get()), None, Some(k.get()))
        }
    };
    let limit = factor.map_or(CostLimit::PerSlot, CostLimit::Total);
    NamedSearch { name: name.to_string(), search, finder, limit }
}

/// The searches that a scenario compares; where one is there several times, what sets it apart is part of its name.
pub fn named_searches(specs: &[SearchSpec]) -> Vec<NamedSearch> {
    let mut searches: Vec<NamedSearch> = specs.iter().map(named_search).collect();
    let names: Vec<String> = searches.iter().map(|search| search.name.clone()).collect();
    for search in &mut searches {
        let repeated = names.iter().filter(|name| **name == search.name).count() > 1;
        if let (true, CostLimit::Total(factor)) = (repeated, search.limit) {
            let first_met = matches!(search.finder, Some(Finder::Amp(Amp { takes: Takes::FirstMet, .. })));
            let takes = if first_met { ", first met" } else { "" };
            search.name = format!("{}, k = {factor}{takes}", search.name);
        }
    }
    searches
}
