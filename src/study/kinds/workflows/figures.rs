//! The figures of jobs made of tasks: success, makespan, cost and collisions, and why jobs have no plan.

use super::planning::WITHOUT_PLAN;
use super::{COLLISIONS, COST, EXPERIMENT, MAKESPAN, SUCCESS, Workflows};
use crate::metrics::Metric;
use crate::study::{Figure, FigureKind, Kind, Row, file_name};

/// At most this many series have their numbers of jobs in a caption.
const COUNTED: usize = 12;

/// The figures of these rows: a panel for each case with a colour for each method, where there are several of both.
pub(super) fn figures(spec: &Workflows, rows: &[Row], replications: u64) -> Vec<Figure> {
    let metrics = spec.metrics();
    let declared = |metric: &Metric| metrics.iter().find(|other| other.name() == metric.name()).cloned();
    let jobs = if replications == 1 { "one job".to_string() } else { format!("{replications} jobs") };
    let places = spec.places();
    let mut figures = Vec::new();
    for metric in [&SUCCESS, &MAKESPAN, &COST, &COLLISIONS].into_iter().filter_map(declared) {
        let over = match metric.is_only_of() {
            Some(some) => format!("Mean over {some}{}.", counts(rows, &metric, &jobs)),
            None => format!("Mean over {jobs} each."),
        };
        let kind = match places.is_empty() {
            true => FigureKind::Bars,
            false => FigureKind::BarPanels(places.clone()),
        };
        let caption = format!("{} {over}", metric.meaning());
        figures.push(Figure { caption, ..bars(EXPERIMENT, &metric, kind) });
    }
    let occurs = |metric: &&Metric| rows.iter().any(|row| row.metric == metric.name() && row.mean > 0.0);
    let causes: Vec<&Metric> = WITHOUT_PLAN.iter().copied().filter(occurs).collect();
    if let [first, others @ ..] = &causes[..] {
        // A cause that is alone is named by the axis, several are by their bars.
        let y_label = if others.is_empty() { first.label() } else { "Jobs without a plan (share of jobs)".into() };
        figures.push(Figure {
            file: "without-a-plan".into(),
            title: "Why jobs have no plan".into(),
            caption: format!("Shares of {jobs}, by the first cause that holds."),
            y_label,
            metrics: causes.iter().map(|&cause| cause.into()).collect(),
            ..bars(EXPERIMENT, first, FigureKind::Bars)
        });
    }
    figures
}

/// The bars of a metric.
pub(super) fn bars(experiment: &str, metric: &Metric, kind: FigureKind) -> Figure {
    Figure {
        file: file_name(metric.name()),
        title: metric.title(),
        caption: metric.meaning().into(),
        x_label: String::new(),
        y_label: metric.label(),
        experiment: experiment.into(),
        metrics: vec![metric.name().into()],
        kind,
    }
}

/// The number of jobs that each mean is over, where that is not all.
fn counts(rows: &[Row], metric: &Metric, jobs: &str) -> String {
    let all = rows.iter().filter(|row| row.metric == SUCCESS.name());
    let of = |series: &str| rows.iter().find(|row| row.series == series && row.metric == metric.name());
    let counts: Vec<(&str, u64)> =
        all.map(|row| (row.series.as_str(), of(&row.series).map_or(0, |row| row.n))).collect();
    let numbers = counts.iter().map(|(_, n)| *n);
    match (numbers.clone().min(), numbers.max()) {
        (Some(least), Some(most)) if counts.len() > COUNTED || least == most => {
            let range = if least == most { most.to_string() } else { format!("{least} to {most}") };
            format!(": {range} of {jobs} each")
        }
        (Some(_), _) => {
            let each: Vec<String> = counts.iter().map(|(series, n)| format!("{series} {n}")).collect();
            format!(", of {jobs} each: {}", each.join("; "))
        }
        _ => String::new(),
    }
}
