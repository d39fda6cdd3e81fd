//! Searches with their names in results.

use super::{Alp, Amp, Search, Takes, WindowSearch};
use crate::model::CostLimit;

/// A search with its name in results.
#[derive(Clone)]
pub struct NamedSearch<'a> {
    /// The name.
    pub name: String,
    /// The search.
    pub search: &'a dyn WindowSearch,
}

/// The searches that a scenario compares; where one is there several times, what sets it apart is part of its name.
pub fn named_searches(searches: &[Search]) -> Vec<NamedSearch<'_>> {
    let is_repeated =
        |search: &Search| searches.iter().filter(|other| other.get().name() == search.get().name()).count() > 1;
    let name = |search: &Search| {
        let name = search.get().name();
        if !is_repeated(search) {
            return name.to_string();
        }
        let first_met = matches!(search, Search::Alp(Alp::FIRST_MET) | Search::Amp(Amp { takes: Takes::FirstMet, .. }));
        let first_met = if first_met { ", first met" } else { "" };
        match search.get().limit() {
            CostLimit::Total(factor) => format!("{name}, k = {factor}{first_met}"),
            CostLimit::PerSlot => format!("{name}{first_met}"),
        }
    };
    searches.iter().map(|search| NamedSearch { name: name(search), search: search.get() }).collect()
}
