//! What a comparison says in words: what differs beyond chance, how intervals come about, and which rows are left out.

use super::read::{EarlierResult, RowName};
use super::values::{Pairing, ValueDifference};
use crate::report::number;
pub(super) use crate::report::summary::value::{Decimals, is_difference, metric_name};
use crate::report::table::TOLD;
use crate::study::{Factor, Row};
use crate::units::counted;
use std::collections::BTreeSet;

/// So many differences beyond chance are named.
const MOST_FOUND: usize = 6;
/// Names of rows that are not in all results are told up to this number.
const NAMED_ALONE: usize = 3;

/// Said of results that are the same in all values.
const SAME: &str = "Nothing differs: all values are the same.";

/// Said where that goes for the worlds that all results have, and one has more.
const SAME_WORLDS: &str = "The worlds that all have give the same values; means differ where a result has more worlds.";

/// The differences that chance does not explain.
#[derive(Debug, Default)]
pub(super) struct FoundDifferences {
    /// How much is compared at all, if there are rows that not all results have.
    pub scope: Option<String>,
    /// A sentence that says how many there are, or that there are none.
    pub opening: String,
    /// The strongest, each with its series and its values.
    pub strongest: Vec<String>,
    /// The number of the others that are told from chance.
    pub more: usize,
}

impl FoundDifferences {
    /// Of all differences, those that are told from chance, the strongest first; values over time come after those of
    /// whole runs and `sweeps`. The values of a series along a sweep or over time are one difference, named where it is
    /// strongest.
    pub(super) fn of(differences: &[ValueDifference<'_>], labels: &[String], sweeps: &[String]) -> Self {
        let none = |opening: &str| Self { opening: opening.into(), ..Self::default() };
        if differences.iter().all(|one| one.estimate.mean == 0.0) {
            let is_same = differences.iter().all(|one| one.first.mean == one.second.mean);
            return none(if is_same { SAME } else { SAME_WORLDS });
        }
        if differences.iter().all(|one| one.p_holm.is_none()) {
            return none("What differs beyond chance is unknown: that takes two replications or more.");
        }
        let mut told: Vec<&ValueDifference<'_>> = differences.iter().filter(|one| one.is_told()).collect();
        if told.is_empty() {
            return none(&format!(
                "Nothing differs beyond chance (p < {TOLD} after Holm's correction for each metric)."
            ));
        }
        told.sort_by(|a, b| strength(a).partial_cmp(&strength(b)).unwrap_or(std::cmp::Ordering::Equal));
        told.sort_by_key(|one| one.first.x.is_some() && !sweeps.contains(&one.first.experiment));
        let place = |one: &ValueDifference<'_>| {
            (one.first.experiment.clone(), one.first.series.clone(), one.first.metric.clone(), one.other)
        };
        let (mut seen, mut strongest) = (BTreeSet::new(), Vec::new());
        for &one in &told {
            // Differences between series follow from the values of those series.
            if is_difference(one.first) || strongest.len() == MOST_FOUND || !seen.insert(place(one)) {
                continue;
            }
            let alike = told.iter().filter(|other| place(other) == place(one)).count();
            strongest.push((in_words(one, labels, alike - 1), alike));
        }
        let more = told.len() - strongest.iter().map(|(_, alike)| alike).sum::<usize>();
        Self {
            opening: format!("Beyond chance (p < {TOLD} after Holm's correction for each metric), strongest first:"),
            strongest: strongest.into_iter().map(|(text, _)| text).collect(),
            more,
            scope: None,
        }
    }

    /// The same, with rows that not all results have: those differ in any case, and what was found holds for the others.
    pub(super) fn within(self, scope: Option<String>) -> Self {
        let is_same = self.opening == SAME && scope.is_some();
        let opening = if is_same { "What all of them have is the same.".into() } else { self.opening };
        Self { scope, opening, ..self }
    }

    /// The same as sentences of a page.
    pub(super) fn sentences(&self) -> Vec<String> {
        let more = (self.more > 0).then(|| format!("{} more in compare.csv", self.more));
        let all: Vec<String> = self.strongest.iter().cloned().chain(more).collect();
        let found = format!("{} {}", self.opening, all.join("; ")).trim_end().to_string();
        self.scope.iter().cloned().chain([found]).collect()
    }
}

/// The smaller, the stronger: by p-values, and by the size of the difference in its half-widths where they are the same.
fn strength(one: &ValueDifference<'_>) -> (f64, f64, f64) {
    let half = one.estimate.ci95.unwrap_or(f64::INFINITY);
    let size = if half > 0.0 { one.estimate.mean.abs() / half } else { f64::INFINITY };
    (one.p_holm.unwrap_or(1.0), one.p.unwrap_or(1.0), -size)
}

/// `wait (minutes) of FCFS at 0.7: 3.1 in a, 5.2 in b (+2.1 ± 0.4)`.
fn in_words(one: &ValueDifference<'_>, labels: &[String], others: usize) -> String {
    let at = match (one.first.factors.is_empty(), one.first.x) {
        (false, _) => format!(" at {}", one.first.factors.iter().map(Factor::to_string).collect::<Vec<_>>().join(", ")),
        (true, Some(x)) => format!(" at {}", number::plain(x)),
        (true, None) => String::new(),
    };
    let others = if others > 0 { format!(" and {others} more") } else { String::new() };
    let difference = Row { p: Some(1.0), ..Row::new("", "", "", one.estimate) };
    let decimals = Decimals::of(&[one.first, one.second, &difference]);
    format!(
        "{} of {}{at}{others}: {} in {}, {} in {} ({})",
        metric_name(one.first),
        one.first.series,
        decimals.text(one.first.mean),
        labels[0],
        decimals.text(one.second.mean),
        labels[one.other],
        decimals.estimate(&difference, true)
    )
}

/// How many values there are, how intervals come about, and which rows only some results have.
pub(super) fn sentences(
    results: &[EarlierResult],
    differences: &[ValueDifference<'_>],
    names: &[RowName],
    alone: &[Vec<RowName>],
) -> Vec<String> {
    let moved = differences.iter().filter(|one| one.estimate.mean != 0.0).count();
    let told = differences.iter().filter(|one| one.is_told()).count();
    let values = differences.len();
    let mut said = if differences.iter().any(|one| one.p_holm.is_some()) {
        vec![format!("Of {values} values that all have, {moved} differ, {told} of them beyond chance.")]
    } else {
        vec![format!("Of {values} values that all have, {moved} differ.")]
    };
    let replications = || results.iter().map(|result| result.results.replications);
    if differences.iter().any(|one| one.p_holm.is_some()) || replications().min() != replications().max() {
        said.extend(pairing(results, differences));
    }
    let common: BTreeSet<(&str, &str)> = names.iter().map(|name| (name.0.as_str(), name.1.as_str())).collect();
    for (result, names) in results.iter().zip(alone).filter(|(_, names)| !names.is_empty()) {
        let mut kinds: Vec<String> = Vec::new();
        for (experiment, series, _, metric, _) in names {
            let kind = match common.contains(&(experiment, series)) {
                true => format!("\"{metric}\" of \"{series}\" in \"{experiment}\""),
                false => format!("all of \"{series}\" in \"{experiment}\""),
            };
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        let left = kinds.len().saturating_sub(NAMED_ALONE);
        kinds.truncate(NAMED_ALONE);
        kinds.extend((left > 0).then(|| format!("and {left} more")));
        said.push(format!(
            "{} of {} {} not in all results: {}.",
            counted(names.len() as u64, "row"),
            result.label,
            if names.len() == 1 { "is" } else { "are" },
            kinds.join("; ")
        ));
    }
    said
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

/// How the intervals come about: said once if it holds for all, else for each pair of results by name.
fn pairing(results: &[EarlierResult], differences: &[ValueDifference<'_>]) -> Vec<String> {
    let first = &results[0];
    let of = |pairing: Pairing| -> Vec<usize> {
        let has = |other: &usize| differences.iter().any(|one| one.other == *other && one.pairing == pairing);
        (1..results.len()).filter(has).collect()
    };
    let pairs = |others: &[usize]| -> String {
        let pair = |&other: &usize| format!("{} - {}", results[other].label, first.label);
        others.iter().map(pair).collect::<Vec<_>>().join(", ")
    };
    let (paired, independent) = (of(Pairing::Paired), of(Pairing::Independent));
    let is_mixed = !paired.is_empty() && !independent.is_empty();
    let named = |others: &[usize]| if is_mixed { format!("{}: ", pairs(others)) } else { String::new() };
    let mut said = Vec::new();
    if !paired.is_empty() {
        said.push(format!(
            "{}{} same, and intervals are those of paired differences: replications of one number are drawn from the \
             same random streams.",
            named(&paired),
            if is_mixed { "the seed is the" } else { "The seed is the" }
        ));
        let shared = |&other: &usize| first.results.replications.min(results[other].results.replications);
        let is_cut = |other: &usize| results[*other].results.replications != first.results.replications;
        let cut: Vec<usize> = paired.iter().copied().filter(is_cut).collect();
        let (counts, same): (BTreeSet<u64>, bool) = (cut.iter().map(shared).collect(), cut.len() + 1 == results.len());
        if let ([fewest], true) = (&counts.iter().copied().collect::<Vec<u64>>()[..], same) {
            said.push(format!(
                "Differences are over the {} that all have; the mean of each result is over all of its own, so that the \
                 columns need not add up.",
                counted(*fewest, "replication")
            ));
        } else if !cut.is_empty() {
            let pair = |other: &usize| {
                format!("{} is over the {} that both have", pairs(&[*other]), counted(shared(other), "replication"))
            };
            said.push(format!(
                "{}; the mean of each result is over all of its own, so that the columns need not add up.",
                cut.iter().map(pair).collect::<Vec<_>>().join(", ")
            ));
        }
    }
    if !independent.is_empty() {
        said.push(format!(
            "{}{} differ, and intervals are Welch's, for independent samples.",
            named(&independent),
            if is_mixed { "seeds" } else { "Seeds" }
        ));
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Estimate;

    #[test]
    fn a_moment_of_a_run_is_named_after_its_whole_however_strong() {
        let estimate = |mean| Estimate { mean, ci95: Some(0.1), n: 4 };
        let rows = [("over time", Some(5.0)), ("whole run", None), ("load", Some(0.7))]
            .map(|(experiment, x)| Row { x, ..Row::new(experiment, "EASY", "wait", estimate(1.0)) });
        let difference = |(at, p): (usize, f64)| ValueDifference {
            first: &rows[at],
            second: &rows[at],
            other: 1,
            estimate: estimate(1.0),
            p: Some(p),
            p_holm: Some(p),
            pairing: Pairing::Paired,
        };
        let differences = [(0, 0.001), (1, 0.04), (2, 0.02)].map(difference);
        let found = FoundDifferences::of(&differences, &["a".into(), "b".into()], &["load".into()]);
        let order: Vec<bool> = found.strongest.iter().map(|text| text.contains("wait of EASY at 5")).collect();
        assert_eq!(order, [false, false, true], "{:?}", found.strongest);
        assert!(found.strongest[0].contains("at 0.7"), "{:?}", found.strongest);
    }
}
