//! Everything published, side by side with ours: which scenarios take part, and what they say about each published
//! value.
//!
//! ```
//! use gridloom::study::{NoProgress, run};
//! use gridloom::reproduction::{ENTRIES, Reproduced};
//!
//! let entry = ENTRIES.iter().find(|entry| entry.name == "multicriteria-model-ii").unwrap();
//! let study = entry.study(true)?;
//! let outcome = run(&study, &NoProgress)?;
//! let reproduced = Reproduced::new(entry, study.scenario().clone(), outcome);
//! assert!(reproduced.comparisons.iter().all(|one| one.paper == "004" && one.is_match()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod catalogue;
mod claim;
mod coverage;
pub mod fidelity;
mod header;
mod overview;
pub mod report;

pub use catalogue::{CatalogueEntry, ENTRIES, PAPERS, Paper};
pub use claim::{Claim, ClaimCount, claims};
pub use coverage::{Covered, coverage};
pub use header::{Paragraph, header};

use crate::language::{Report, Source};
use crate::study::verdict::{is_met, row_of, verdict};
use crate::study::{Origin, Published, Scenario, Tolerance};
use crate::study::{Outcome, Row, Study, load_study};

impl CatalogueEntry {
    /// The scenario, ready to run. A quick run makes fewer replications, and leaves out sweeps that nothing published
    /// is about, unless the sweeps are all that there is to compare.
    pub fn study(&self, quick: bool) -> Result<Study, Report> {
        let source = Source::new(format!("{}.ron", self.name), self.text);
        let whole = load_study(&source, &[])?;
        let replications = self.quick.min(whole.scenario().replications.get());
        if !quick {
            return Ok(whole);
        }
        let study = load_study(&source, &[format!("replications={replications}")])?;
        let published = study.scenario().published.clone();
        let is_judged = |name: &str| {
            published.is_empty()
                || published.iter().any(|one| one.experiment.as_deref().map_or(one.x.is_some(), |about| about == name))
        };
        Ok(study.with_sweeps(|sweep| is_judged(sweep.name.as_str())))
    }

    /// About how long a run takes, in seconds, by the share of replications that it makes.
    pub(crate) fn expected_seconds(&self, study: &Study, quick: bool) -> f64 {
        let made = study.scenario().replications.get() as f64;
        let all = self.study(false).map_or(made, |whole| whole.scenario().replications.get() as f64);
        if quick { self.seconds * made / all } else { self.seconds }
    }
}

/// A published value beside ours.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The paper's number; empty if the scenario names none.
    pub paper: String,
    /// The table or figure that prints the value.
    pub item: String,
    /// The scenario's name.
    pub scenario: String,
    /// Our row.
    pub row: Row,
    /// The published value, what it is evidence of, and how close counts as a match.
    pub published: Published,
    /// The verdict in words.
    pub verdict: String,
}

impl Comparison {
    /// Holds a row of a scenario that has this `source` against a published value.
    pub(crate) fn new(scenario: &str, source: Option<&Origin>, one: &Published, row: &Row) -> Self {
        let origin = source.cloned().unwrap_or(Origin { paper: String::new(), item: String::new() });
        Self {
            paper: origin.paper,
            item: one.item.clone().unwrap_or(origin.item),
            scenario: scenario.into(),
            row: row.clone(),
            published: one.clone(),
            verdict: verdict(one, row, source),
        }
    }

    /// True if ours is as close as the scenario asks for.
    pub fn is_match(&self) -> bool {
        is_met(&self.published, &self.row)
    }

    /// True if print gives a number, or one can be worked out from it, and not only a direction or a side of something.
    pub fn is_number(&self) -> bool {
        !matches!(self.published.tolerance, Tolerance::Direction | Tolerance::Below | Tolerance::Above)
    }

    /// True if the 95 % interval lies on one side of the tolerance's edge: all of it matches, or none of it does. More
    /// replications would then hardly change the verdict.
    pub(crate) fn is_settled(&self) -> bool {
        let row = &self.row;
        let reach = row.ci95.unwrap_or(0.0);
        if self.published.tolerance == Tolerance::Direction {
            return row.mean.abs() > reach;
        }
        let (low, high) = (row.mean - reach, row.mean + reach);
        let nearest = self.published.value.get().clamp(low, high);
        let would_match = |mean: f64| {
            // The interval of single runs moves with their mean.
            let single_runs = row.single_runs.map(|ends| ends.map(|end| end + (mean - row.mean)));
            is_met(&self.published, &Row { mean, single_runs, ..row.clone() })
        };
        match self.is_match() {
            true => would_match(low) && would_match(high),
            false => ![low, nearest, high].into_iter().any(would_match),
        }
    }
}

/// A scenario of the catalogue after its run.
#[derive(Debug, Clone)]
pub struct Reproduced {
    /// Its entry in the catalogue.
    pub entry: &'static CatalogueEntry,
    /// The scenario as it was run.
    pub scenario: Scenario,
    /// The outcome of the run.
    pub outcome: Outcome,
    /// Each published value that found its row, in the order of the scenario.
    pub comparisons: Vec<Comparison>,
}

impl Reproduced {
    /// Holds what came out against what was published.
    pub fn new(entry: &'static CatalogueEntry, scenario: Scenario, outcome: Outcome) -> Self {
        let rows = &outcome.results.rows;
        let (name, source) = (scenario.name.as_str(), scenario.source.as_ref());
        let compared = |one| row_of(rows, one).ok().map(|index| Comparison::new(name, source, one, &rows[index]));
        let comparisons = scenario.published.iter().filter_map(compared).collect();
        Self { entry, scenario, outcome, comparisons }
    }

    /// The number of the paper that the scenario belongs to; empty if it names none.
    pub fn paper(&self) -> &str {
        self.scenario.source.as_ref().map_or("", |origin| &origin.paper)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::constant;
    use crate::metrics::Estimate;

    fn comparison(mean: f64, ci95: f64, value: f64, tolerance: &str) -> Comparison {
        let row = Row::new("e", "s", "m", Estimate { mean, ci95: Some(ci95), n: 9 });
        let text = format!("(series: \"s\", metric: \"m\", value: {value}, tolerance: {tolerance})");
        Comparison::new("", None, &constant(&text), &row)
    }

    #[test]
    fn a_verdict_is_settled_when_the_interval_does_not_reach_the_edge() {
        let ten = "Within(10)";
        // Mean and half-width, whether it is a match, and whether it is settled; the band is 90 to 110.
        for (mean, ci95, is_match, is_settled) in [
            (100.0, 5.0, true, true),
            (108.0, 5.0, true, false),
            (112.0, 5.0, false, false),
            (120.0, 5.0, false, true),
            (80.0, 15.0, false, false),
            (80.0, 100.0, false, false),
        ] {
            let one = comparison(mean, ci95, 100.0, ten);
            assert_eq!((one.is_match(), one.is_settled()), (is_match, is_settled), "{mean} ± {ci95}");
        }
        for (mean, ci95, is_match, is_settled) in
            [(1.0, 0.5, true, true), (1.0, 2.0, false, false), (-1.0, 2.0, false, false), (-1.0, 0.5, false, true)]
        {
            let one = comparison(mean, ci95, 35.0, "Direction");
            assert_eq!((one.is_match(), one.is_settled()), (is_match, is_settled), "{mean} ± {ci95}");
        }
    }

    #[test]
    fn a_quick_study_keeps_the_sweeps_that_something_published_is_about() {
        let entry = ENTRIES.iter().find(|entry| entry.name == "window-criteria").unwrap();
        let (quick, whole) = (entry.study(true).unwrap(), entry.study(false).unwrap());
        let names =
            |study: &Study| study.scenario().sweeps.iter().map(|s| s.name.as_str().to_string()).collect::<Vec<_>>();
        assert_eq!((names(&quick), names(&whole)), (vec!["interval".into()], vec!["nodes".into(), "interval".into()]));
        assert_eq!(quick.points().len(), 1);
        assert!(quick.points()[0].iter().all(|point| point.replications.get() == entry.quick));
        assert_eq!(quick.scenario().published, whole.scenario().published);
    }
}
