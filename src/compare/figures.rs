//! The figures of a comparison: results side by side and on top of each other.

use super::{renamed, result_difference};
use crate::report::rows::{distinct, in_order, metric_name};
use crate::report::summary::SummaryFocus;
use crate::study::{Figure, FigureKind, Row, Scenario, file_name, sweep_figures};

/// Bars and differences are drawn of at most this many metrics.
const MOST_METRICS: usize = 6;

/// The metrics of whole runs that are worth drawing: those of the focus first, and none that is 0 throughout.
fn base_metrics(rows: &[&Row], focus: &SummaryFocus) -> Vec<String> {
    let is_worth = |name: &String| {
        let of_metric = |row: &&&Row| row.metric == *name && !row.metric.starts_with("difference ");
        rows.iter().filter(of_metric).any(|row| row.mean != 0.0)
    };
    let known = rows.iter().map(|row| row.metric.clone());
    let worth = distinct(focus.metrics.iter().cloned().chain(known).filter(is_worth));
    worth.into_iter().take(MOST_METRICS).collect()
}

/// A row of a whole run.
pub(super) fn is_base(row: &Row) -> bool {
    row.x.is_none() && row.factors.is_empty()
}

/// Bars of the whole runs side by side, their differences, and the sweeps of `scenario` with the lines of all results.
pub(super) fn figures(
    rows: &[Row],
    scenario: Option<&Scenario>,
    labels: &[String],
    focus: &SummaryFocus,
) -> Vec<Figure> {
    let mut figures: Vec<Figure> = Vec::new();
    let own = |row: &&Row| is_base(row) && !focus.sweeps.contains(&row.experiment);
    for experiment in in_order(rows.iter().filter(own), |row| &row.experiment) {
        let of_experiment: Vec<&Row> = rows.iter().filter(own).filter(|row| row.experiment == experiment).collect();
        for metric in base_metrics(&of_experiment, focus) {
            let Some(first) = of_experiment.iter().find(|row| row.metric == metric) else { continue };
            let label = capitalised(&metric_name(first));
            let bars = Figure {
                file: file_name(&format!("{experiment} {metric}")),
                title: capitalised(&metric),
                caption: "Mean and 95 % interval of each result.".into(),
                x_label: String::new(),
                y_label: label.clone(),
                experiment: experiment.into(),
                metrics: vec![metric.clone()],
                kind: FigureKind::Bars,
            };
            let difference = result_difference(&metric);
            if of_experiment.iter().any(|row| row.metric == difference && row.p.is_some()) {
                figures.push(Figure {
                    file: file_name(&format!("{experiment} {difference}")),
                    title: capitalised(&difference),
                    caption: format!("Against {}, with 95 % intervals.", labels.first().map_or("", String::as_str)),
                    x_label: format!("Difference: {}", metric_name(first)),
                    y_label: String::new(),
                    metrics: vec![difference],
                    kind: FigureKind::Differences,
                    ..bars.clone()
                });
            }
            figures.push(bars);
        }
    }
    let plain: Vec<Row> = rows.iter().filter(|row| !row.metric.starts_with(&result_difference(""))).cloned().collect();
    let mut swept = scenario.map(|scenario| sweep_figures(scenario, &plain)).unwrap_or_default();
    for figure in &mut swept {
        // A cut that names series means those of all results.
        if let FigureKind::Panels(cut) | FigureKind::Map(cut) = &mut figure.kind {
            let of_all = |name: &String| -> Vec<String> {
                let is_there = |name: &String| plain.iter().any(|row| row.series == *name);
                if is_there(name) {
                    vec![name.clone()]
                } else {
                    labels.iter().map(|label| renamed(name, label)).collect()
                }
            };
            cut.series = cut.series.iter().flat_map(of_all).collect();
        }
    }
    figures.extend(swept);
    let draws = |figure: &Figure| {
        let has = |metric: &String| rows.iter().any(|row| row.experiment == figure.experiment && row.metric == *metric);
        !figure.metrics.is_empty() && figure.metrics.iter().all(has)
    };
    figures.retain(draws);
    let files: Vec<String> = figures.iter().map(|figure| figure.file.clone()).collect();
    for (at, figure) in figures.iter_mut().enumerate() {
        let same = files[..at].iter().filter(|file| **file == files[at]).count();
        if same > 0 {
            figure.file = format!("{}-{}", files[at], same + 1);
        }
    }
    figures
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().collect::<String>() + letters.as_str())
}
