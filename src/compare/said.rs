//! What a comparison says in words: what differs beyond chance, how intervals come about, and what is left out.

use super::read::EarlierResult;
use super::values::{Pairing, ValueDifference};
use crate::report::decimals::Decimals;
use crate::report::factors_text;
use crate::report::number;
use crate::report::rows::{SIGNIFICANT, distinct, is_difference, metric_name};
use crate::report::summary::SummaryFocus;
use crate::study::Row;
use crate::units::counted;
use std::collections::BTreeSet;

/// So many differences beyond chance are named.
const MOST_FOUND: usize = 3;

/// What differs beyond chance, beginning with the metrics that users ask for, and how many values differ at all. `is_all`
/// is false where not all results have the same rows.
pub(super) fn found(
    differences: &[ValueDifference<'_>],
    labels: &[String],
    focus: &SummaryFocus,
    is_all: bool,
) -> Vec<String> {
    let significant: Vec<&ValueDifference<'_>> = differences.iter().filter(|one| one.is_significant()).collect();
    let moved = differences.iter().filter(|one| one.estimate.mean != 0.0).count();
    let test = format!("p < {SIGNIFICANT} after Holm's correction for each metric");
    let opening = if moved == 0 {
        match (differences.iter().all(|one| one.first.mean == one.second.mean), is_all) {
            (true, true) => "Nothing differs: all values are the same.".into(),
            (true, false) => "What all of them have is the same.".into(),
            (false, _) => {
                "The worlds that all have give the same values; means differ where a result has more worlds.".into()
            }
        }
    } else if differences.iter().all(|one| one.p_holm.is_none()) {
        "What differs beyond chance is unknown: that takes two replications or more.".to_string()
    } else if significant.is_empty() {
        format!("Nothing differs beyond chance ({test}).")
    } else {
        format!("Beyond chance ({test}): {}.", named(&significant, labels, focus).join("; "))
    };
    let beyond = match differences.iter().any(|one| one.p_holm.is_some()) {
        true => format!(", {} of them beyond chance", significant.len()),
        false => String::new(),
    };
    vec![opening, format!("Of {} values that all have, {moved} differ{beyond}.", differences.len())]
}

/// The differences of the metrics that matter most: one of each, and one of several metrics with the same numbers.
fn named(significant: &[&ValueDifference<'_>], labels: &[String], focus: &SummaryFocus) -> Vec<String> {
    // Differences between series follow from the values of those series.
    let mut plain: Vec<&ValueDifference<'_>> =
        significant.iter().copied().filter(|one| !is_difference(one.first)).collect();
    let rank = |row: &Row| focus.metrics.iter().position(|name| *name == row.metric).unwrap_or(usize::MAX);
    // A moment of a run comes after its whole.
    let is_moment = |row: &Row| row.x.is_some() && !focus.sweeps.contains(&row.experiment);
    plain.sort_by_key(|one| (is_moment(one.first), rank(one.first), one.first.x.is_some()));
    let (mut metrics, mut numbers, mut texts) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    for one in &plain {
        let (row, of) = (one.first, (&one.first.metric, one.other));
        let is_new = metrics.insert(of) & numbers.insert((&row.series, row.mean.to_bits(), one.second.mean.to_bits()));
        if is_new {
            let others = plain.iter().filter(|other| (&other.first.metric, other.other) == of);
            let series = distinct(others.map(|other| &other.first.series)).len();
            texts.push(in_words(one, series - 1, labels));
        }
    }
    let left = texts.len().saturating_sub(MOST_FOUND);
    texts.truncate(MOST_FOUND);
    texts.extend((left > 0).then(|| format!("{left} more in compare.csv")));
    texts
}

/// `wait (minutes) of FCFS at 0.7: 3.1 in a, 5.2 in b (+2.1 ± 0.4)`.
fn in_words(one: &ValueDifference<'_>, others: usize, labels: &[String]) -> String {
    let at = match (one.first.factors.is_empty(), one.first.x) {
        (false, _) => format!(" at {}", factors_text(&one.first.factors)),
        (true, Some(x)) => format!(" at {}", number::plain(x)),
        (true, None) => String::new(),
    };
    let others = if others > 0 { format!(", and of {others} more series") } else { String::new() };
    let difference = Row { p: Some(1.0), ..Row::new("", "", "", one.estimate) };
    let decimals = Decimals::of(&[one.first, one.second, &difference]);
    format!(
        "{} of {}{at}: {} in {}, {} in {} ({}){others}",
        metric_name(one.first),
        one.first.series,
        decimals.text(one.first.mean),
        labels[0],
        decimals.text(one.second.mean),
        labels[one.other],
        decimals.estimate(&difference, true)
    )
}

/// How intervals come about: said once if it holds for all, else for each pair of results by name.
pub(super) fn intervals(results: &[EarlierResult], differences: &[ValueDifference<'_>]) -> Vec<String> {
    let first = &results[0];
    let pair = |other: &usize| format!("{} - {}", results[*other].label, first.label);
    let of = |pairing: Pairing| -> Vec<usize> {
        let others = differences.iter().filter(|one| one.pairing == pairing && one.p_holm.is_some());
        distinct(others.map(|one| one.other))
    };
    let (paired, independent) = (of(Pairing::Paired), of(Pairing::Independent));
    let is_mixed = !paired.is_empty() && !independent.is_empty();
    let said = |others: &[usize], what: &str| {
        let names = if is_mixed {
            format!(" of {}", others.iter().map(pair).collect::<Vec<_>>().join(", "))
        } else {
            String::new()
        };
        (!others.is_empty()).then(|| format!("Intervals{names} are {what}."))
    };
    let shared = |other: &usize| first.results.replications.min(results[*other].results.replications);
    let cut = paired.iter().filter(|other| results[**other].results.replications != first.results.replications);
    let cut = cut
        .map(|other| format!("{} is over the {} that both have", pair(other), counted(shared(other), "replication")));
    let cut: Vec<String> = cut.collect();
    let cut = (!cut.is_empty()).then(|| format!("{}; each mean is over all of its own.", cut.join(", ")));
    let paired = said(&paired, "those of paired differences, since the seed is the same");
    let independent = said(&independent, "Welch's, since the seeds differ");
    paired.into_iter().chain(independent).chain(cut).collect()
}

/// What is not compared because its units differ.
pub(super) fn other_units((units, rows): &(BTreeSet<String>, u64)) -> Option<String> {
    let units: Vec<&str> = units.iter().map(String::as_str).collect();
    let are = if *rows == 1 { "is" } else { "are" };
    (*rows > 0).then(|| {
        format!(
            "{} {are} not compared, since the units differ ({}): give both scenarios the same unit of time.",
            counted(*rows, "row"),
            units.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Estimate;

    #[test]
    fn what_users_ask_for_comes_first_and_moments_of_a_run_last() {
        let estimate = |mean| Estimate { mean, ci95: Some(0.1), n: 4 };
        let rows =
            [("over time", "wait", 1.0, Some(5.0)), ("whole run", "jobs", 2.0, None), ("load", "wait", 3.0, Some(0.7))]
                .map(|(experiment, metric, mean, x)| Row { x, ..Row::new(experiment, "EASY", metric, estimate(mean)) });
        let again = Row { metric: "tasks".into(), ..rows[1].clone() };
        let rows = [&rows[0], &rows[1], &again, &rows[2]];
        let difference = |row| ValueDifference {
            first: row,
            second: row,
            other: 1,
            estimate: estimate(1.0),
            p: Some(0.01),
            p_holm: Some(0.01),
            pairing: Pairing::Paired,
        };
        let differences = rows.map(difference);
        let metrics = vec!["wait".to_string()];
        let focus = SummaryFocus { metrics, sweeps: vec!["load".into()], ..SummaryFocus::default() };
        let labels = ["a".into(), "b".into()];
        let named = named(&differences.iter().collect::<Vec<_>>(), &labels, &focus);
        assert!(named[0].starts_with("wait of EASY at 0.7: 3.00 in a") && named[1].starts_with("jobs"), "{named:?}");
        // The tasks have the numbers of the jobs, and the wait is named already.
        assert_eq!(named.len(), 2, "{named:?}");
    }
}
