//! Predicted against actual waits of jobs that were sent to batch systems.

use super::figures::{over, over_worlds};
use super::{Grid, TOTALS};
use crate::metrics::{JobOutcome, Metric, SentJob, declare_metrics};
use crate::study::{Figure, FigureKind, Observations};
use crate::workload::GridWorld;
use std::collections::BTreeMap;

/// The experiment of the rows under a policy.
fn predictions(policy: &str) -> String {
    format!("predicted waits, {policy}")
}

/// The series that perfect predictions would lie on.
const PERFECT: &str = "as predicted";

declare_metrics! {
    /// The metrics over classes of predicted waits.
    pub(super) ALONG:
    ACTUAL = Metric::new(
        "actual wait",
        crate::metrics::TIME,
        "The mean wait of jobs sent to batch systems, by the wait that was predicted for them.",
    )
    .at_least(0.0)
    .only_along();
}

/// The class of a wait and the place where it stands on the axis: no wait at all, and from 1 to 2, 2 to 5 and 5 to 10
/// times each power of ten, at the geometric mean of the bounds.
fn class(wait: f64) -> (u32, f64) {
    let (mut low, mut number) = (1e-6, 1);
    if wait < low {
        return (0, 0.0);
    }
    for factor in [2.0, 2.5, 2.0].into_iter().cycle() {
        if wait < low * factor || low > 1e12 {
            return (number, low * f64::sqrt(factor));
        }
        (low, number) = (low * factor, number + 1);
    }
    (0, 0.0)
}

/// The sum of actual waits and the number of jobs of each class, by its place.
type Waits = BTreeMap<u32, (f64, f64, u32)>;

/// Adds the mean actual wait of each class of predicted waits under a policy, batch system by batch system.
pub(super) fn observe(
    observations: &mut Observations<'static>,
    world: &GridWorld,
    policy: &str,
    outcomes: &[JobOutcome],
    sent: &[Option<SentJob>],
) {
    let mut waits: Vec<Waits> = vec![Waits::new(); world.domains.len()];
    let mut perfect = BTreeMap::new();
    for (outcome, sent) in outcomes.iter().zip(sent) {
        let Some(SentJob { domain, predicted: Some(predicted), started: Some(started) }) = sent else { continue };
        let (number, place) = class((*predicted - outcome.submit).as_f64());
        let (_, sum, count) = waits[*domain as usize].entry(number).or_insert((place, 0.0, 0));
        (*sum, *count) = (*sum + (*started - outcome.submit).as_f64(), *count + 1);
        perfect.insert(number, place);
    }
    for (domain, waits) in world.domains.iter().zip(waits) {
        let mut series = observations.of(predictions(policy), domain.name.clone());
        for (place, sum, count) in waits.into_values() {
            series.add_at(&ACTUAL, place, sum / f64::from(count));
        }
    }
    let mut series = observations.of(predictions(policy), PERFECT);
    for place in perfect.into_values() {
        series.add_at(&ACTUAL, place, place);
    }
}

/// The figures of a grid with batch systems.
pub(super) fn figures(spec: &Grid, first: &str, replications: u64) -> Vec<Figure> {
    if spec.domains.iter().all(|domain| domain.batch_system.is_none()) {
        return Vec::new();
    }
    let bars = |file: &str, title: &str, caption: &str, metrics: &[&str]| Figure {
        file: file.into(),
        title: title.into(),
        caption: format!("{caption} {}", over_worlds(replications)),
        x_label: String::new(),
        y_label: format!("Time ({})", spec.time_unit),
        experiment: TOTALS.into(),
        metrics: metrics.iter().map(|metric| metric.to_string()).collect(),
        kind: FigureKind::Bars,
    };
    vec![
        Figure {
            file: "predicted-waits".into(),
            title: format!("Predicted and actual waits under {first}"),
            caption: format!(
                "Jobs in classes of the wait that was predicted when they were sent, if any was. {} per class.",
                over(replications)
            ),
            x_label: format!("Predicted wait ({})", spec.time_unit),
            y_label: format!("Actual wait ({})", spec.time_unit),
            experiment: predictions(first),
            metrics: vec![(&ACTUAL).into()],
            kind: FigureKind::LogLines,
        },
        bars(
            "local-and-global-waits",
            "Waits of local and of global jobs",
            "From submission to start.",
            &["wait of local jobs", "wait of global jobs"],
        ),
        bars(
            "prediction-errors",
            "How well waits are predicted",
            "The mean predicted wait of jobs that were sent, its absolute error, and its bias: above 0, jobs start earlier.",
            &["predicted wait", "error of predicted waits", "bias of predicted waits"],
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_cover_all_waits_in_order_and_hold_their_places() {
        assert_eq!(class(0.0), (0, 0.0));
        let mut before = (0, 0.0);
        for wait in [2e-6, 0.0015, 0.003, 0.3, 1.5, 3.0, 7.0, 15.0, 3e3, 3e6, 1e11] {
            let (number, place) = class(wait);
            assert!(number > before.0 && place > before.1, "{wait}: {number} {place}");
            assert!(place / wait < 2.5 && wait / place < 2.5, "{wait} stands at {place}");
            assert_eq!(class(place).0, number, "the place of {wait} is in its class");
            before = (number, place);
        }
        assert!(class(1e300).1.is_finite());
    }
}
