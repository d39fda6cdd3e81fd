//! Result sets that the tests share.

use crate::experiment::{Figure, FigureKind, Results, Row};
use crate::metrics::Estimate;

/// A handful of rows of every sort, with names that need escaping.
pub(super) fn small() -> Results {
    let estimate = |mean, ci95| Estimate { mean, ci95, n: if ci95.is_some() { 30 } else { 1 } };
    let mut published = Row::new("criteria", "AMP", "start time", estimate(431.26, Some(2.134)));
    published.published = Some(430.0);
    published.verdict = Some("within 5 %".into());
    let rows = vec![
        published,
        Row::new("criteria", "ALP, \"fair\"", "start time", estimate(512.0, None)),
        Row::new("sweep", "a|b <script>", "utilisation", estimate(0.431_234, Some(0.002_13))).at(0.1),
        Row::new("sweep", "a|b <script>", "utilisation", estimate(0.5, Some(0.0))).at(0.2),
    ];
    Results { scenario: "demo".into(), seed: u64::MAX, replications: 30, version: "0.1.0".into(), rows }
}

/// Rows of one metric: `series` lines over `points` values of x.
pub(super) fn sweep(series: usize, points: usize) -> Vec<Row> {
    let row = |s: usize, p: usize| {
        let mean = 10.0 + s as f64 + ((p * (s + 2)) % 7) as f64;
        Row::new("sweep", format!("series {s}"), "waiting", Estimate { mean, ci95: Some(0.8), n: 20 }).at(p as f64)
    };
    (0..series).flat_map(|s| (0..points).map(move |p| row(s, p))).collect()
}

/// A figure over [`sweep`].
pub(super) fn figure(kind: FigureKind) -> Figure {
    Figure {
        file: "waiting".into(),
        title: "Waiting time under load".into(),
        caption: "Waiting grows with the load.".into(),
        x_label: "Load (jobs per hour)".into(),
        y_label: "Waiting time (min)".into(),
        experiment: "sweep".into(),
        metric: "waiting".into(),
        kind,
    }
}
