//! The metrics of a kind of experiment, known before anything runs, so that a misspelt name is an error at once.

use super::Row;
use crate::language::decode::suggest;
use crate::language::{Context, Cursor};
use crate::metrics::Metric;
use crate::study::{Scenario, Sweep, calibration};

/// Gives rows the units of their metrics. A row whose metric is not declared, or whose mean lies outside of the
/// declared range, is a defect.
pub(super) fn give_units(rows: &mut [Row], declared: &[Metric]) {
    for row in rows {
        let metric = declared.iter().find(|metric| metric.name() == row.metric);
        debug_assert_eq!(defect(row, metric), None, "rows are as their metrics are declared");
        row.unit = metric.map_or_else(String::new, |metric| metric.unit().into());
    }
}

fn defect(row: &Row, metric: Option<&Metric>) -> Option<String> {
    let Row { metric: name, series, mean, .. } = row;
    let Some(metric) = metric else { return Some(format!("`{name}` is not declared")) };
    if row.x.is_none() && metric.is_only_along() {
        return Some(format!("`{name}` is declared for an axis of its own, and has no x"));
    }
    let (lowest, highest) = metric.range();
    (!metric.admits(*mean)).then(|| format!("`{name}` of {series} is {mean}, which is not in {lowest}..={highest}"))
}

/// Reports metrics that no row will have: those that sweeps are to draw, and those that published values are about.
/// `points` are the scenarios of each sweep.
pub(super) fn report_unknown(
    scenario: &Scenario,
    points: &[Vec<Scenario>],
    root: &Cursor<'_>,
    errors: &mut Context<'_>,
) {
    let of = |scenario: &Scenario| scenario.statistics.metrics(scenario.experiment.get(), &[]);
    let names = |metrics: &[Metric], along: bool| -> Vec<String> {
        metrics.iter().filter(|metric| metric.is_only_along() == along).map(String::from).collect()
    };
    let own = of(scenario);
    let along = names(&own, true);
    let mut all: Vec<String> = own.iter().map(String::from).collect();
    // Of an experiment that can't be read nobody knows the metrics.
    let is_unread = |(sweep, points): (&Sweep, &Vec<Scenario>)| sweep.experiment.is_some() && points.is_empty();
    let knows_all = !scenario.sweeps.iter().zip(points).any(is_unread);
    for (index, (sweep, points)) in scenario.sweeps.iter().zip(points).enumerate() {
        if is_unread((sweep, points)) {
            continue;
        }
        let mut totals = names(&own, false);
        totals.extend(points.iter().flat_map(|point| names(&of(point), false)));
        report_targets(sweep, &totals, &root.field("sweeps").element(index), errors);
        totals.extend(sweep.calibration.iter().flat_map(|_| names(&calibration::metrics(), false)));
        let place = root.field("sweeps").element(index);
        let figures = sweep
            .figures
            .iter()
            .enumerate()
            .map(|(at, figure)| (place.field("figures").element(at).field("metrics"), figure.metrics()));
        for (place, metrics) in figures.chain([(place.field("metrics"), sweep.metrics.as_slice())]) {
            for (index, metric) in metrics.iter().enumerate() {
                let wrong =
                    along.contains(metric).then_some("a sweep has no such metric, which has an axis of its own");
                judge(metric, &totals, wrong, &place.element(index), errors);
            }
        }
        all.extend(totals);
    }
    for (index, published) in scenario.published.iter().enumerate().filter(|_| knows_all) {
        let place = root.field("published").element(index).field("metric");
        judge(&published.metric, &all, None, &place, errors);
    }
}

/// Reports numbers of a calibration that no row will have.
fn report_targets(sweep: &Sweep, known: &[String], at: &Cursor<'_>, errors: &mut Context<'_>) {
    let Some(calibration) = &sweep.calibration else { return };
    for (name, targets) in [("fit", &calibration.fit), ("held_out", &calibration.held_out)] {
        for (index, target) in targets.iter().enumerate() {
            let place = at.field("calibration").field(name).element(index).field("metric");
            judge(&target.metric, known, None, &place, errors);
        }
    }
}

fn judge(metric: &str, known: &[String], wrong: Option<&str>, at: &Cursor<'_>, errors: &mut Context<'_>) {
    let mut names: Vec<&str> = Vec::new();
    for name in known {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    if !names.contains(&metric) {
        let wrong = wrong.map_or_else(|| format!("there is no metric `{metric}`"), String::from);
        errors.add(at, wrong, suggest(metric, &names, "the metrics are").1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::{Estimate, PERCENT};

    #[test]
    fn rows_that_are_not_as_declared_are_defects() {
        let share = Metric::new("share (%)", PERCENT, "A share.").within(0.0, 100.0);
        let over_time = Metric::new("load", "share", "A load.").within(0.0, 1.0).only_along();
        let row = |metric: &Metric, mean| Row::new("e", "s", metric, Estimate { mean, ci95: None, n: 1 });
        assert_eq!(defect(&row(&share, 100.0), Some(&share)), None);
        assert_eq!(defect(&row(&over_time, 0.5).at(1.0), Some(&over_time)), None);
        let beyond = defect(&row(&share, 101.0), Some(&share)).unwrap();
        assert_eq!(beyond, "`share (%)` of s is 101, which is not in 0..=100");
        assert!(defect(&row(&over_time, 0.5), Some(&over_time)).unwrap().contains("no x"));
        assert!(defect(&row(&share, 1.0), None).unwrap().contains("not declared"));
    }
}
