//! Rows that only some results have: how much is compared at all.

use super::read::{EarlierResult, RowName};
use crate::units::counted;
use std::collections::BTreeSet;

/// At most so many series are named.
const NAMED: usize = 6;
/// The series of what no policy changes. It names no policy of its own.
const SHARED: &str = "all policies";

/// What all have in common and which series they do not, if there are rows that not all of them have.
pub(super) fn scope(results: &[EarlierResult], common: &[RowName], alone: &[Vec<RowName>]) -> Option<String> {
    if alone.iter().all(Vec::is_empty) {
        return None;
    }
    let shared: BTreeSet<&str> = common.iter().map(|name| name.1.as_str()).collect();
    let mut series: Vec<(&str, Vec<&str>)> = Vec::new();
    for (result, alone) in results.iter().zip(alone) {
        let has_alone: BTreeSet<&str> = alone.iter().map(|name| name.1.as_str()).collect();
        for name in series_of(result).into_iter().filter(|name| has_alone.contains(name) && !shared.contains(name)) {
            match series.iter_mut().find(|(other, _)| *other == name) {
                Some((_, labels)) => labels.push(&result.label),
                None => series.push((name, vec![&result.label])),
            }
        }
    }
    let (all, are) = (if results.len() == 2 { "both" } else { "all" }, if common.len() == 1 { "is" } else { "are" });
    let values = counted(common.len() as u64, "value");
    let others = if series.is_empty() {
        let rows = results.iter().zip(alone).filter(|(_, rows)| !rows.is_empty());
        let rows: Vec<String> = rows.map(|(result, rows)| format!("{} of {}", rows.len(), result.label)).collect();
        format!("{} are not", rows.join(" and "))
    } else {
        let names = series.iter().map(|(name, labels)| format!("\"{name}\" ({})", labels.join(", "))).collect();
        format!("not in {all} are the series {}", a_few(names))
    };
    Some(format!("{values} {are} in {all} results; {others}."))
}

/// The names of the series of a result, but of comparisons between them, in the order of its rows.
fn series_of(result: &EarlierResult) -> Vec<&str> {
    let names = result.results.rows.iter().map(|row| row.series.as_str());
    in_order(names.filter(|name| !name.contains(" against ") && *name != SHARED))
}

/// Each name once, where it comes first.
fn in_order<'n>(names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let mut seen = BTreeSet::new();
    names.filter(|name| seen.insert(*name)).collect()
}

/// The names with commas between them, and the number of those that are too many.
fn a_few(mut names: Vec<String>) -> String {
    let left = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    let more = if left > 0 { format!(" and {left} more") } else { String::new() };
    names.join(", ") + &more
}
