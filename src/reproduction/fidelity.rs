//! `fidelity.csv` and `fidelity.json`: every published value beside ours; and whether two runs agree about them.

use crate::report::number::without_noise;
use crate::report::{ReportError, json};
use crate::reproduction::Comparison;
use csv::{Error, Reader, Writer};
use serde::{Deserialize, Serialize};

/// A comparison as the files have it: a row of `results.json` with its paper, item, scenario, tolerance, evidence,
/// claim and reading.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct FidelityLine {
    paper: String,
    item: String,
    scenario: String,
    experiment: String,
    series: String,
    x: Option<f64>,
    metric: String,
    mean: f64,
    ci95: Option<f64>,
    n: u64,
    published: f64,
    tolerance: String,
    verdict: String,
    // Files of earlier versions have none of these.
    #[serde(default)]
    evidence: String,
    #[serde(default)]
    claim: String,
    #[serde(default)]
    reading: String,
}

impl FidelityLine {
    fn of(one: &Comparison) -> Self {
        let row = one.row.clone();
        Self {
            paper: one.paper.clone(),
            item: one.item.clone(),
            scenario: one.scenario.clone(),
            experiment: row.experiment,
            series: row.series,
            x: row.x,
            metric: row.metric,
            mean: without_noise(row.mean),
            ci95: row.ci95.map(without_noise),
            n: row.n,
            published: one.published.value.get(),
            tolerance: one.published.tolerance.to_string(),
            verdict: one.verdict.clone(),
            evidence: one.published.evidence.to_string(),
            claim: one.published.claim.clone(),
            reading: one.published.reading.clone(),
        }
    }

    fn is_match(&self) -> bool {
        self.verdict.starts_with("match")
    }

    /// True if both are about the same published value.
    fn is_about(&self, other: &Self) -> bool {
        let names = |line: &Self| {
            [&line.scenario, &line.experiment, &line.series, &line.metric, &line.claim].map(String::clone)
        };
        names(self) == names(other) && self.x == other.x
    }

    /// What it counts as: its evidence, and the reading that it is of.
    fn label(&self) -> String {
        match self.reading.as_str() {
            "" => format!("evidence {:?}", self.evidence),
            reading => format!("evidence {:?} under the reading {reading:?}", self.evidence),
        }
    }

    fn name(&self) -> String {
        let at = self.x.map_or(String::new(), |x| format!(" at {x}"));
        format!("{}: {} of {}{at} in {:?}", self.scenario, self.metric, self.series, self.experiment)
    }
}

/// The text of `fidelity.csv`.
pub fn csv(comparisons: &[Comparison]) -> Result<Vec<u8>, ReportError> {
    let mut writer = Writer::from_writer(Vec::new());
    for one in comparisons {
        writer.serialize(FidelityLine::of(one))?;
    }
    writer.into_inner().map_err(|error| Error::from(error.into_error()).into())
}

/// The text of `fidelity.json`.
pub fn json(comparisons: &[Comparison], quick: bool) -> Result<Vec<u8>, ReportError> {
    #[derive(Serialize)]
    struct Fidelity {
        version: &'static str,
        quick: bool,
        rows: Vec<FidelityLine>,
    }
    let rows = comparisons.iter().map(FidelityLine::of).collect();
    json::row_per_line(&Fidelity { version: env!("CARGO_PKG_VERSION"), quick, rows })
}

/// The contradictions between comparisons and an earlier run's `fidelity.csv`, of which only lines about the
/// `scenarios` that were run count.
///
/// A value contradicts the earlier one if the verdicts differ although ours is [settled](Comparison::is_settled): its
/// whole 95 % interval is on the other side of the tolerance's edge. So do a value that the earlier run has and this
/// one lacks, one that it lacks, and one whose published value, tolerance, evidence or reading has changed, for then
/// the earlier run, and what was counted by it, is out of date.
pub(crate) fn contradictions(
    comparisons: &[Comparison],
    scenarios: &[&str],
    earlier: &[u8],
) -> Result<Vec<String>, ReportError> {
    let earlier: Vec<FidelityLine> = Reader::from_reader(earlier).into_deserialize().collect::<Result<_, _>>()?;
    let mut found = Vec::new();
    for one in comparisons {
        let line = FidelityLine::of(one);
        // Two values may be printed of one thing: the same comes first.
        let same = earlier.iter().find(|before| before.is_about(&line) && before.published == line.published);
        let Some(before) = same.or_else(|| earlier.iter().find(|before| before.is_about(&line))) else {
            found.push(format!("{}: the earlier run does not have it", line.name()));
            continue;
        };
        if (before.published, &before.tolerance) != (line.published, &line.tolerance) {
            found.push(format!(
                "{}: published as {} ({}), but {} ({}) in the earlier run",
                line.name(),
                line.published,
                line.tolerance,
                before.published,
                before.tolerance
            ));
        } else if (&before.evidence, &before.reading) != (&line.evidence, &line.reading) {
            found.push(format!("{}: {}, but {} in the earlier run", line.name(), line.label(), before.label()));
        } else if before.is_match() != one.is_match() && one.is_settled() {
            found.push(format!("{}: {:?}, but {:?} in the earlier run", line.name(), line.verdict, before.verdict));
        }
    }
    let lines: Vec<FidelityLine> = comparisons.iter().map(FidelityLine::of).collect();
    let run = earlier.iter().filter(|before| scenarios.contains(&before.scenario.as_str()));
    for before in run.filter(|before| !lines.iter().any(|line| line.is_about(before))) {
        found.push(format!("{}: only the earlier run has it", before.name()));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::constant;
    use crate::metrics::Estimate;
    use crate::study::{Origin, Row};

    fn comparison(mean: f64, ci95: f64, value: f64) -> Comparison {
        let row = Row::new("cycles", "AMP, \"fast\"", "cost", Estimate { mean, ci95: Some(ci95), n: 9 }).at(0.1 + 0.2);
        let source = Origin { paper: "001".into(), item: "Table 1".into() };
        let text = format!("(evidence: Read, series: \"\", metric: \"\", value: {value}, tolerance: Within(10))");
        Comparison::new("demo", Some(&source), &constant(&text), &row)
    }

    fn against(ours: &[Comparison], earlier: &[Comparison]) -> usize {
        contradictions(ours, &["demo"], &csv(earlier).unwrap()).unwrap().len()
    }

    #[test]
    fn runs_contradict_each_other_only_where_the_interval_settles_the_verdict() {
        let (inside, outside) = ([comparison(100.0, 5.0, 100.0)], [comparison(130.0, 5.0, 100.0)]);
        assert_eq!((against(&inside, &inside), against(&outside, &outside)), (0, 0));
        assert_eq!((against(&outside, &inside), against(&inside, &outside)), (1, 1));
        assert_eq!(against(&[comparison(112.0, 5.0, 100.0)], &inside), 0, "the interval covers the edge");
    }

    #[test]
    fn values_that_only_one_run_has_contradict_unless_their_scenario_was_not_run() {
        let one = [comparison(100.0, 5.0, 100.0)];
        assert_eq!((against(&one, &[]), against(&[], &one)), (1, 1));
        assert_eq!(contradictions(&[], &["other"], &csv(&one).unwrap()).unwrap(), [""; 0]);
        assert_eq!(against(&[comparison(100.0, 5.0, 101.0)], &one), 1, "the published value has changed");
    }

    #[test]
    fn a_value_that_counts_as_other_evidence_contradicts() {
        let one = comparison(100.0, 5.0, 100.0);
        let (mut relabelled, mut reread) = (one.clone(), one.clone());
        relabelled.published.evidence = crate::study::Evidence::Built;
        reread.published.reading = "as chosen".into();
        let found = contradictions(&[relabelled], &["demo"], &csv(std::slice::from_ref(&one)).unwrap()).unwrap();
        assert!(found[0].ends_with(": evidence \"built\", but evidence \"read\" in the earlier run"), "{found:?}");
        assert_eq!(against(&[reread], &[one]), 1);
    }

    #[test]
    fn json_has_the_rows_of_the_table_with_paper_and_item() {
        let text = json(&[comparison(100.0, 5.0, 100.0)], true).unwrap();
        let value: serde_json::Value = serde_json::from_slice(&text).unwrap();
        assert_eq!(value["rows"][0]["paper"], "001");
        assert_eq!(value["rows"][0]["item"], "Table 1");
        assert_eq!(value["rows"][0]["published"], 100.0);
        assert_eq!(value["rows"][0]["evidence"], "read");
        assert_eq!(value["quick"], true);
    }
}
