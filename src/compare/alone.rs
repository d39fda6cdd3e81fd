//! Rows that only some results have: how much is compared at all, and why nothing can be.

use super::read::{EarlierResult, RowName};
use crate::language::load;
use crate::report::rows::distinct;
use crate::study::{Experiment, Scenario};
use crate::units::counted;
use std::collections::BTreeSet;

/// At most so many series are named.
const NAMED: usize = 6;
/// Policies that `gridloom replay` takes by these names.
const REPLAYED: [&str; 3] = ["FCFS", "EASY", "conservative"];
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

/// Why results without a common row can't be compared, and what would help.
pub(super) fn nothing_in_common(results: &[EarlierResult]) -> String {
    let labels: Vec<&str> = results.iter().map(|result| result.label.as_str()).collect();
    let labels = labels.join(" and ");
    let scenarios: Option<Vec<Scenario>> =
        results.iter().map(|result| load::<Scenario>(result.scenario.clone(), &[]).ok()).collect();
    let scenarios = scenarios.unwrap_or_default();
    let is_one_kind = scenarios.windows(2).all(|pair| pair[0].experiment.key() == pair[1].experiment.key());
    let Some(Scenario { experiment, .. }) = scenarios.first().filter(|_| is_one_kind) else {
        return format!("{labels} have no row in common: compare runs of the same kind of experiment");
    };
    let series: Vec<Vec<&str>> = results.iter().map(series_of).collect();
    let has = |names: &dyn Fn(&EarlierResult) -> Vec<String>| {
        let has = results.iter().map(|result| format!("{} has {}", result.label, a_few(names(result))));
        has.collect::<Vec<_>>().join(", ")
    };
    if series[1..].iter().flatten().any(|name| series[0].contains(name)) {
        let tables =
            |result: &EarlierResult| distinct(result.results.rows.iter().map(|row| format!("\"{}\"", row.experiment)));
        return format!(
            "{labels} have no row in common, since their tables have other names: {}; compare runs of the same tables",
            has(&tables)
        );
    }
    let all = distinct(series.concat());
    let is_of_policies = matches!(experiment, Experiment::Replay(_) | Experiment::Grid(_));
    let remedy = match experiment {
        Experiment::Replay(_) if all.iter().all(|name| REPLAYED.contains(name)) => {
            format!("replay the log under all of them in one call (--policy {})", all.join(","))
        }
        _ if is_of_policies => "list all of them in `policies` of one scenario, and run that".to_string(),
        _ => "put all of them into one scenario, and run that".to_string(),
    };
    let what = if is_of_policies { "policy" } else { "series" };
    let names = |result: &EarlierResult| series_of(result).into_iter().map(String::from).collect();
    format!("{labels} have no {what} in common: {}; {remedy}", has(&names))
}

/// The names of the series of a result, but of comparisons between them, in the order of its rows.
fn series_of(result: &EarlierResult) -> Vec<&str> {
    let names = result.results.rows.iter().map(|row| row.series.as_str());
    distinct(names.filter(|name| !name.contains(" against ") && *name != SHARED))
}

/// The names with commas between them, and the number of those that are too many.
fn a_few(mut names: Vec<String>) -> String {
    let left = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    let more = if left > 0 { format!(" and {left} more") } else { String::new() };
    names.join(", ") + &more
}
