//! The figures of a replay.

use super::sums::PARTS;
use super::{
    DAILY, DAYS, LONGER, MEAN_WAIT, OVER_TIME, Replayed, TAIL, TOTALS, WAITING, WEEKLY, WEEKS, wait_difference,
};
use crate::metrics::Metric;
use crate::metrics::batches::{CalendarPart, OF_LOG, OF_WEEK};
use crate::study::{Figure, FigureKind, file_name};

/// The figures of one log; with several logs, titles and files name it.
pub(super) fn figures(log: &Replayed, several: bool) -> Vec<Figure> {
    let (of, on, prefix) = match several {
        true => (format!("-{}", log.name), format!(", {}", log.name), format!("{}: ", log.name)),
        false => (String::new(), String::new(), String::new()),
    };
    let figure =
        |file: &str, title: &str, caption: String, labels: [&str; 2], experiment: &str, metric: &Metric, kind| Figure {
            file: format!("{file}{of}"),
            title: format!("{title}{on}"),
            caption,
            x_label: labels[0].into(),
            y_label: labels[1].into(),
            experiment: format!("{prefix}{experiment}"),
            metrics: vec![metric.into()],
            kind,
        };
    let at_once: Vec<String> =
        log.policies.iter().map(|one| format!("{:.1} % under {}", 100.0 * one.sums.at_once, one.policy)).collect();
    let waits = format!(
        "The share of jobs that wait longer than so many hours, on logarithmic axes. Jobs that start at once have no place \
         on them: {}; each curve comes in from the left at the share of the others.",
        at_once.join(", ")
    );
    let parts = |part: &str| {
        format!(
            "The jobs submitted in each {part} since the first submission. Bands are 95 % intervals from the means of \
             {OF_WEEK} batches of consecutive jobs in the {part}, where it has {} jobs or more; they are wider where \
             neighbouring batches are alike.",
            2 * OF_WEEK
        )
    };
    let mut figures = vec![
        figure(
            "queue",
            "How many jobs wait",
            format!("Mean number of waiting jobs in each of {PARTS} equal parts of the time."),
            ["Time since the first submission (days)", "Waiting jobs"],
            OVER_TIME,
            &WAITING,
            FigureKind::Lines,
        ),
        figure(
            "waits",
            "How long jobs wait",
            waits,
            ["Wait (hours)", "Share of jobs that wait longer"],
            TAIL,
            &LONGER,
            FigureKind::LogSteps,
        ),
    ];
    figures.extend(log.by.map(|by| match by {
        CalendarPart::Week => figure(
            "mean-wait-by-week",
            "Mean wait, week by week",
            parts("week"),
            ["Week since the first submission", "Mean wait (hours)"],
            WEEKS,
            &WEEKLY,
            FigureKind::Lines,
        ),
        CalendarPart::Day => figure(
            "mean-wait-by-day",
            "Mean wait, day by day",
            parts("day"),
            ["Day since the first submission", "Mean wait (hours)"],
            DAYS,
            &DAILY,
            FigureKind::Lines,
        ),
    }));
    if log.policies.len() > 1 {
        let has_interval = log.policies.iter().any(|one| one.sums.mean_wait.ci95.is_some());
        let interval = match has_interval {
            true => format!(
                ", with its 95 % interval from the means of {OF_LOG} batches of consecutive jobs, which is wider where \
                 neighbouring batches are alike"
            ),
            false => String::new(),
        };
        let caption = format!("Mean over all jobs{interval}.");
        let label = MEAN_WAIT.label();
        let bars = ["", label.as_str()];
        figures.push(figure("mean-wait", "Mean wait", caption, bars, TOTALS, &MEAN_WAIT, FigureKind::Bars));
        let metric = wait_difference();
        let caption =
            format!("Mean over jobs of the wait less that of the same job under {}{interval}.", log.policies[0].policy);
        let (file, label) = (file_name(metric.name()), metric.label());
        let labels = [label.as_str(), ""];
        figures.push(figure(&file, &metric.title(), caption, labels, TOTALS, &metric, FigureKind::Differences));
    }
    figures
}
