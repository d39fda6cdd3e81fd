//! The figures of a connected grid.

use super::Grid;
use super::{QUEUE, SHARE, TOTALS, WAITING};
use crate::metrics::Metric;
use crate::sim::{Cause, Remedy};
use crate::study::{Figure, FigureKind, Kind, file_name};
use gridloom_report::difference;

/// The metrics that are drawn as bars, a figure each.
const BARS: [&str; 7] = ["success ratio", "wait", "slowdown", "job cost", "owners' income", "global load", "fairness"];

/// The metrics whose differences from the first policy are drawn, a figure each.
const DIFFERENCES: [&str; 3] = ["success ratio", "wait", "job cost"];

/// The experiment of the rows that say how node time was used under a policy.
pub(super) fn use_over_time(policy: &str) -> String {
    format!("use over time, {policy}")
}

/// The beginning of a caption.
pub(super) fn over(replications: u64) -> String {
    match replications {
        1 => "From one replication".into(),
        _ => format!("Mean over {replications} replications"),
    }
}

/// The end of the caption of bars.
pub(super) fn over_worlds(replications: u64) -> String {
    match replications {
        // One world has no interval.
        1 => format!("{}; all policies face the same world.", over(replications)),
        _ => format!("{} with its 95 % interval; all policies face the same worlds.", over(replications)),
    }
}

/// The names of files for policies: the plain name for the first, and one of its own for each of the others.
fn files_of(name: &str, policies: &[String]) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for policy in policies {
        let own = format!("{name}-{}", file_name(policy));
        let own = if files.is_empty() { name.to_string() } else { own.trim_end_matches('-').to_string() };
        // Names may differ in signs that no file name has.
        let numbered = (2..).map(|k| format!("{own}-{k}"));
        files.extend([own.clone()].into_iter().chain(numbered).find(|file| !files.contains(file)));
    }
    files
}

pub(super) fn figures(spec: &Grid, policies: &[String], replications: u64) -> Vec<Figure> {
    let over = over(replications);
    let bars = |file: &str, title: &str, caption: &str, y_label: String, metrics: Vec<String>| Figure {
        file: file.into(),
        title: title.into(),
        caption: format!("{caption} {}", over_worlds(replications)),
        x_label: String::new(),
        y_label,
        experiment: TOTALS.into(),
        metrics,
        kind: FigureKind::Bars,
    };
    let lines = |file: String, title: String, y_label: &str, experiment: String, metric: &Metric, kind| Figure {
        file,
        title,
        caption: format!("{over}."),
        x_label: format!("Time ({})", spec.time_unit),
        y_label: y_label.into(),
        experiment,
        metrics: vec![metric.into()],
        kind,
    };
    let mut figures = Vec::new();
    for (policy, file) in policies.iter().zip(files_of("use-over-time", policies)) {
        let title = format!("How node time is used under {policy}");
        let experiment = use_over_time(policy);
        figures.push(lines(file, title, "Share of all node time", experiment, &SHARE, FigureKind::Stacked));
    }
    figures.push(lines(
        "queue-over-time".into(),
        "Jobs that wait".into(),
        &WAITING.label(),
        QUEUE.into(),
        &WAITING,
        FigureKind::Lines,
    ));
    let metrics = spec.metrics();
    for metric in BARS.iter().filter_map(|name| metrics.iter().find(|metric| metric.name() == *name)) {
        let file = file_name(metric.name());
        figures.push(bars(&file, &metric.title(), metric.meaning(), metric.label(), vec![metric.into()]));
    }
    if spec.policies.len() > 1 {
        for metric in DIFFERENCES.map(difference).iter().filter_map(|name| metrics.iter().find(|m| m.name() == *name)) {
            let caption = "The first of each pair less the second, in the same worlds.";
            let file = file_name(metric.name());
            let kind = FigureKind::Differences;
            let figure = bars(&file, &metric.title(), caption, metric.label(), vec![metric.into()]);
            figures.push(Figure { x_label: metric.label(), y_label: String::new(), kind, ..figure });
        }
    }
    let by_cause = Cause::ALL.map(|cause| format!("collisions with {}", cause.name())).to_vec();
    figures.push(bars("collisions-by-cause", "What plans collide with", "", "Collisions per run".into(), by_cause));
    let by_remedy = Remedy::ALL.map(|remedy| format!("collisions {}", remedy.name())).to_vec();
    figures.push(bars("collisions-by-remedy", "What becomes of them", "", "Collisions per run".into(), by_remedy));
    figures
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_policy_has_a_file_of_its_own() {
        let policies = ["EASY", "OPT, early start", "OPT early start", "+", "EASY"].map(String::from);
        let files = files_of("use-over-time", &policies);
        let others = ["opt-early-start", "opt-early-start-2"].map(|name| format!("use-over-time-{name}"));
        assert_eq!(files[..3], [&["use-over-time".to_string()], &others[..]].concat());
        assert_eq!(files[3..], ["use-over-time-2", "use-over-time-easy"]);
    }
}
