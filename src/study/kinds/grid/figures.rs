//! The figures of a connected grid.

use super::{COMPARED, QUEUE, SHARE, TOTALS};
use crate::sim::{Cause, Remedy};
use crate::study::kinds::Grid;
use crate::study::{Figure, FigureKind, capitalised, file_name};

/// What is drawn as bars, a figure each: the name and a caption.
const BARS: [(&str, &str); 7] = [
    ("success ratio", "Jobs done in time, of all that were done or failed."),
    ("wait", "From submission to the start of the first task, over finished jobs."),
    ("slowdown", "Time from submission to the end over time from start to end, over finished jobs."),
    ("job cost", "What a finished job paid."),
    ("owners' income", "What all finished jobs paid."),
    ("global load", "The share of all node time that went into tasks which were done."),
    ("fairness", "Jain's index of the users' mean slowdowns: 1 if all are served alike."),
];

/// The experiment of the rows that say how node time was used under a policy.
pub(super) fn use_over_time(policy: &str) -> String {
    format!("use over time, {policy}")
}

/// The units of metrics, for the axes of sweeps.
pub(super) fn units(spec: &Grid, totals: &[(String, &'static str)]) -> Vec<(String, String)> {
    let named = |unit: &str| if unit == "time units" { spec.time_unit.clone() } else { unit.to_string() };
    let of = |name: &str| totals.iter().find(|(known, _)| known == name).map_or("", |(_, unit)| unit);
    let differences = COMPARED.iter().map(|name| (format!("difference in {name}"), named(of(name))));
    let totals = totals.iter().map(|(name, unit)| (name.clone(), named(unit)));
    totals.chain(differences).filter(|(_, unit)| !unit.is_empty()).collect()
}

pub(super) fn figures(spec: &Grid, first: &str, units: &[(String, String)], replications: u64) -> Vec<Figure> {
    let over = format!("Mean over {replications} replications");
    let bars = |file: &str, title: &str, caption: &str, y_label: String, metrics: Vec<String>| Figure {
        file: file.into(),
        title: title.into(),
        caption: format!("{caption} {over} with its 95 % interval; all policies face the same worlds."),
        x_label: String::new(),
        y_label,
        experiment: TOTALS.into(),
        metrics,
        kind: FigureKind::Bars,
    };
    let lines = |file: String, title: String, y_label: &str, experiment: String, metric: &str, kind| Figure {
        file,
        title,
        caption: format!("{over}."),
        x_label: format!("Time ({})", spec.time_unit),
        y_label: y_label.into(),
        experiment,
        metrics: vec![metric.into()],
        kind,
    };
    let mut figures = vec![lines(
        "use-over-time".into(),
        format!("How node time is used under {first}"),
        "Share of all node time",
        use_over_time(first),
        SHARE,
        FigureKind::Stacked,
    )];
    figures.push(lines(
        "queue-over-time".into(),
        "Jobs that wait".into(),
        "Waiting jobs",
        QUEUE.into(),
        "waiting jobs",
        FigureKind::Lines,
    ));
    for (name, caption) in BARS {
        let unit =
            units.iter().find(|(known, _)| known == name).map_or(String::new(), |(_, unit)| format!(" ({unit})"));
        figures.push(bars(&file_name(name), &capitalised(name), caption, capitalised(name) + &unit, vec![name.into()]));
    }
    let by_cause = Cause::ALL.map(|cause| format!("collisions with {}", cause.name())).to_vec();
    figures.push(bars("collisions-by-cause", "What plans collide with", "", "Collisions per run".into(), by_cause));
    let by_remedy = Remedy::ALL.map(|remedy| format!("collisions {}", remedy.name())).to_vec();
    figures.push(bars("collisions-by-remedy", "What becomes of them", "", "Collisions per run".into(), by_remedy));
    figures
}
