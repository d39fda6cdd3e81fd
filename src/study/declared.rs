//! The metrics of each kind of experiment, known before anything runs, so that a misspelt name is an error at once.

use super::Row;
use crate::language::decode::suggest;
use crate::language::{Context, Cursor};
use crate::study::{Experiment, Scenario};

/// The names of metrics.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Metrics {
    /// Those of rows without an x: sweeps can show them.
    pub totals: Vec<String>,
    /// Those that rows have only along an axis of their own.
    pub along: Vec<String>,
}

impl Metrics {
    /// Those of rows without an x.
    pub fn of(totals: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { totals: totals.into_iter().map(Into::into).collect(), along: Vec::new() }
    }

    /// The same with those along an axis of their own.
    pub fn along(self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { along: names.into_iter().map(Into::into).collect(), ..self }
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        self.totals.iter().chain(&self.along).map(String::as_str)
    }
}

/// The metric of a row that its kind of experiment does not declare, if there is one: a defect.
pub(super) fn undeclared(experiment: &Experiment, rows: &[Row]) -> Option<String> {
    let known = experiment.get().metrics();
    let is_known = |row: &Row| match row.x {
        Some(_) => known.all().any(|name| name == row.metric),
        None => known.totals.contains(&row.metric),
    };
    rows.iter().find(|row| !is_known(row)).map(|row| row.metric.clone())
}

/// Reports metrics that no row will have: those that sweeps are to draw, and those that published values are about. `points` are the
/// scenarios of each sweep.
pub(super) fn report_unknown(
    scenario: &Scenario,
    points: &[Vec<Scenario>],
    root: &Cursor<'_>,
    errors: &mut Context<'_>,
) {
    let own = scenario.experiment.get().metrics();
    let mut all = own.clone();
    for (index, (sweep, points)) in scenario.sweeps.iter().zip(points).enumerate() {
        let mut known = own.clone();
        points.iter().map(|point| point.experiment.get().metrics()).for_each(|of| known.totals.extend(of.totals));
        let place = root.field("sweeps").element(index).field("metrics");
        for (index, metric) in sweep.metrics.iter().enumerate() {
            let along = known.along.contains(metric) && !known.totals.contains(metric);
            let wrong = along.then_some("a sweep has no such metric, which has an axis of its own");
            judge(metric, known.totals.iter().map(String::as_str), wrong, &place.element(index), errors);
        }
        all.totals.extend(known.totals);
    }
    for (index, published) in scenario.published.iter().enumerate() {
        let place = root.field("published").element(index).field("metric");
        judge(&published.metric, all.all(), None, &place, errors);
    }
}

fn judge<'a>(
    metric: &str,
    known: impl Iterator<Item = &'a str>,
    wrong: Option<&str>,
    at: &Cursor<'_>,
    errors: &mut Context<'_>,
) {
    let mut names: Vec<&str> = Vec::new();
    for name in known {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if !names.contains(&metric) {
        let wrong = wrong.map_or_else(|| format!("there is no metric `{metric}`"), String::from);
        errors.add(at, wrong, suggest(metric, &names, "the metrics are").1);
    }
}
