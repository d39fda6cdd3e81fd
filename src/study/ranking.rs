//! Series ranked by metrics, with ties where differences can't be told from chance.

use super::record::Samples;
use crate::metrics::{Better, Metric, holm};
use gridloom_report::{Ranking, RankingLine};

/// The error that is allowed among all comparisons of a metric.
pub(crate) const LEVEL: f64 = 0.05;

/// Ranks all series that have one of `metrics`, which stand in the order of their wanted columns. For each metric all
/// pairs of series are compared in the worlds that both faced, and p-values are corrected for their number.
pub(super) fn rank(samples: &Samples, metrics: &[&Metric], order: &[String]) -> Ranking {
    let mut lines: Vec<RankingLine> = Vec::new();
    let is_ranked = |series: &&String| metrics.iter().any(|metric| !samples.values(series, metric.name()).is_empty());
    for series in order.iter().filter(is_ranked) {
        lines.push(RankingLine { series: series.clone(), places: vec![None; metrics.len()], mean_rank: 0.0 });
    }
    for (column, metric) in metrics.iter().enumerate() {
        let name = metric.name();
        let having: Vec<usize> =
            (0..lines.len()).filter(|&at| !samples.values(&lines[at].series, name).is_empty()).collect();
        let pairs: Vec<(usize, usize)> =
            having.iter().enumerate().flat_map(|(k, &a)| having[..k].iter().map(move |&b| (a, b))).collect();
        let tallies: Vec<_> =
            pairs.iter().map(|&(a, b)| samples.difference(name, &lines[a].series, &lines[b].series)).collect();
        let p_values: Vec<f64> = tallies.iter().map(|tally| tally.p_value().unwrap_or(1.0)).collect();
        let mut better_than = vec![0; lines.len()];
        for ((&(a, b), tally), p) in pairs.iter().zip(&tallies).zip(holm(&p_values)) {
            let Ok(estimate) = tally.estimate() else { continue };
            if p >= LEVEL {
                continue;
            }
            let first_wins = (estimate.mean > 0.0) == (metric.is_better() == Better::More);
            better_than[if first_wins { b } else { a }] += 1;
        }
        for at in having {
            let values = samples.values(&lines[at].series, name);
            let mean = values.iter().map(|(_, value)| value).sum::<f64>() / values.len() as f64;
            lines[at].places[column] = Some((1 + better_than[at], mean));
        }
    }
    // Who has no value of a metric, as the wait of jobs of which none was done, comes last by it.
    let last = |column: usize| 1 + lines.iter().filter(|line| line.places[column].is_some()).count() as u64;
    let last: Vec<u64> = (0..metrics.len()).map(last).collect();
    for line in &mut lines {
        let ranks = line.places.iter().zip(&last).map(|(place, &last)| place.map_or(last, |(rank, _)| rank) as f64);
        line.mean_rank = ranks.sum::<f64>() / metrics.len().max(1) as f64;
    }
    lines.sort_by(|a, b| a.mean_rank.total_cmp(&b.mean_rank));
    Ranking { metrics: metrics.iter().map(|&metric| metric.clone()).collect(), lines }
}
