//! Intervals from batches of consecutive jobs, and weeks or days.

use super::{Estimate, Tally};
use crate::queueing::RigidJob;
use crate::units::Span;
use std::ops::Range;

/// The number of batches of a log.
pub const OF_LOG: usize = 20;
/// The number of batches of a week or day.
pub const OF_WEEK: usize = 10;
/// A figure by day has at least so many days.
const FEWEST_DAYS: usize = 3;
/// A batch has at least so many jobs; where there are fewer, there is no interval.
const FEWEST: usize = 2;
/// Neighbouring batches count as no more alike than this: with higher limits intervals grew without holding the truth any
/// more often, on logs of the Lublin model.
const MOST_ALIKE: f64 = 0.75;

const DAY: Span = Span::from_units(86_400);
const WEEK: Span = Span::from_units(7 * 86_400);

/// The parts by which the waits of a log are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CalendarPart {
    /// Seven days from the first submission on, and again.
    Week,
    /// A day from the first submission on, and again.
    Day,
}

impl CalendarPart {
    /// Weeks if jobs come over two weeks or more; else days, if they come on three or more; else none, since one or two
    /// points are no figure.
    pub fn of(jobs: &[RigidJob]) -> Option<Self> {
        let (first, last) = (jobs.first()?.submit, jobs.last()?.submit);
        if last - first >= WEEK + WEEK {
            return Some(Self::Week);
        }
        let day = |job: &RigidJob| (job.submit - first).ticks() / DAY.ticks();
        (jobs.chunk_by(|a, b| day(a) == day(b)).count() >= FEWEST_DAYS).then_some(Self::Day)
    }

    fn length(self) -> Span {
        match self {
            Self::Week => WEEK,
            Self::Day => DAY,
        }
    }
}

/// What the means of batches say.
#[derive(Debug, Clone, Copy)]
struct BatchMeans {
    tally: Tally,
    /// The correlation of neighbours.
    likeness: f64,
}

/// The means of so many consecutive batches that are of equal size, but for a job; nothing if they were too small.
///
/// Where neighbours are alike, the mean over all of them is less certain than that of as many independent ones. The
/// interval is widened as for a first-order autoregression: the variance of such a mean is (1 + r) / (1 - r) times as
/// large.
fn batch_means(jobs: Range<usize>, batches: usize, value: impl Fn(usize) -> f64) -> Option<BatchMeans> {
    let count = jobs.len();
    if count < FEWEST * batches {
        return None;
    }
    let edge = |part: usize| jobs.start + count * part / batches;
    let mean = |batch: usize| {
        let (from, to) = (edge(batch), edge(batch + 1));
        (from..to).map(&value).sum::<f64>() / (to - from) as f64
    };
    let means: Vec<f64> = (0..batches).map(mean).collect();
    let mut tally = Tally::default();
    means.iter().try_for_each(|&mean| tally.add(mean)).ok()?;
    let likeness = likeness(&means);
    let alike = likeness.clamp(0.0, MOST_ALIKE);
    Some(BatchMeans { tally: tally.widened((1.0 + alike) / (1.0 - alike)), likeness })
}

/// The correlation of neighbours; 0 if all are the same.
fn likeness(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    let products: f64 = values.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    if squares > 0.0 { products / squares } else { 0.0 }
}

/// Half the width of the 95 % interval of the mean of waits.
pub fn half_width(waits: &[Span], batches: usize) -> Option<f64> {
    batch_means(0..waits.len(), batches, |job| waits[job].as_f64())?.tally.estimate().ok()?.ci95
}

/// What the wait of jobs is above another one of the same jobs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WaitDifference {
    /// The mean over jobs.
    pub estimate: Estimate,
    /// The probability of one at least as large if there were no difference.
    pub p_value: Option<f64>,
    /// True if neighbouring batches are alike beyond chance, by three standard errors: then the interval is rough.
    pub drifts: bool,
}

impl WaitDifference {
    /// That of the ones above the others.
    pub fn of(waits: &[Span], others: &[Span]) -> Self {
        let jobs = waits.len().min(others.len());
        let value = |job: usize| (waits[job] - others[job]).as_f64();
        let mean = (0..jobs).map(value).sum::<f64>() / jobs.max(1) as f64;
        let means = batch_means(0..jobs, OF_LOG, value);
        let ci95 = means.and_then(|means| means.tally.estimate().ok()?.ci95);
        Self {
            estimate: Estimate { mean, ci95, n: jobs as u64 },
            // Batches of unlike size have another mean than their jobs, and the interval is around that of the jobs.
            p_value: means.and_then(|means| means.tally.around(mean).p_value()),
            drifts: means.is_some_and(|means| means.likeness > 3.0 / (OF_LOG as f64).sqrt()),
        }
    }
}

/// The weeks or days from the first submission on in which jobs came, each with its number from 1 and the mean wait of
/// its jobs.
pub fn by_part(by: CalendarPart, jobs: &[RigidJob], waits: &[Span]) -> Vec<(u32, Estimate)> {
    let Some(first) = jobs.first() else { return Vec::new() };
    let number = |job: &RigidJob| ((job.submit - first.submit).ticks() / by.length().ticks()) as u32;
    let mut parts = Vec::new();
    let mut from = 0;
    for part in jobs.chunk_by(|a, b| number(a) == number(b)) {
        let range = from..from + part.len();
        from = range.end;
        let mean = waits[range.clone()].iter().map(|wait| wait.as_f64()).sum::<f64>() / part.len() as f64;
        let ci95 = half_width(&waits[range], OF_WEEK);
        parts.push((number(&part[0]) + 1, Estimate { mean, ci95, n: part.len() as u64 }));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Time;

    fn spans(values: &[i64]) -> Vec<Span> {
        values.iter().map(|&value| Span::from_units(value)).collect()
    }

    #[test]
    fn batches_hold_consecutive_jobs_and_each_counts_once() {
        // Five batches of two or three jobs, whose means alternate: nothing is widened.
        let value = |job: usize| [9.0, 9.0, 2.0, 4.0, 8.0, 9.0, 10.0, 1.0, 2.0, 7.0, 8.0, 9.0][job];
        let means = batch_means(0..12, 5, value).unwrap();
        let estimate = means.tally.estimate().unwrap();
        assert_eq!(estimate.n, 5);
        let plain = Estimate::of([9.0, 3.0, 9.0, 1.5, 8.0]).unwrap();
        assert!((estimate.mean - plain.mean).abs() < 1e-12, "{estimate:?} {plain:?}");
        assert!(means.likeness < 0.0);
        assert!((estimate.ci95.unwrap() - plain.ci95.unwrap()).abs() < 1e-12);
        assert!(batch_means(0..9, 5, value).is_none(), "batches of one job are none");
    }

    #[test]
    fn neighbours_that_wait_alike_widen_the_interval() {
        // Four hundred jobs that wait in two long phases know less than four hundred independent ones.
        let phases: Vec<i64> = (0..400).map(|job| if job < 200 { 0 } else { 100 }).collect();
        let mixed: Vec<i64> = (0..400).map(|job| 100 * (job % 2)).collect();
        let width = |values: &[i64]| half_width(&spans(values), OF_LOG).unwrap();
        assert!(width(&mixed) < 1.0 && width(&phases) > 50.0, "{} {}", width(&mixed), width(&phases));
    }

    /// How often the interval, and one that takes batches for independent, hold the mean of series in which each value
    /// keeps so much of the one before it.
    fn coverage(keeps: f64) -> (f64, f64) {
        use crate::rng::{Streams, unit};
        let mut stream = Streams::new(7, 0).stream("batches");
        let (mut covered, mut plainly) = (0, 0);
        for _ in 0..2_000 {
            let mut last = 0.0;
            let mut next = || {
                last = keeps * last + (0..12).map(|_| unit(&mut stream)).sum::<f64>() - 6.0;
                last
            };
            (0..50).for_each(|_| _ = next());
            let values: Vec<f64> = (0..2 * OF_LOG).map(|_| next()).collect();
            let holds = |estimate: Estimate| u32::from(estimate.mean.abs() <= estimate.ci95.unwrap());
            covered += holds(batch_means(0..values.len(), OF_LOG, |at| values[at]).unwrap().tally.estimate().unwrap());
            plainly += holds(Estimate::of(values.chunks(2).map(|pair| (pair[0] + pair[1]) / 2.0)).unwrap());
        }
        (f64::from(covered) / 2_000.0, f64::from(plainly) / 2_000.0)
    }

    #[test]
    fn the_interval_covers_the_truth_though_neighbours_are_alike() {
        let (covered, _) = coverage(0.0);
        assert!(covered > 0.94, "{covered}");
        let (covered, plainly) = coverage(0.7);
        assert!(covered > 0.87 && plainly < 0.8, "{covered} {plainly}");
    }

    #[test]
    fn differences_are_taken_job_by_job() {
        let (one, other): (Vec<i64>, Vec<i64>) = ((0..40).collect(), (0..40).map(|wait| wait + 3).collect());
        let WaitDifference { estimate, p_value, drifts } = WaitDifference::of(&spans(&one), &spans(&other));
        assert_eq!((estimate.mean, estimate.ci95, estimate.n, p_value), (-3.0, Some(0.0), 40, Some(0.0)));
        assert!(!drifts && WaitDifference::of(&spans(&one), &[Span::ZERO; 40]).drifts);
        let few = WaitDifference::of(&spans(&one[..5]), &spans(&other[..5]));
        assert_eq!((few.estimate.mean, few.estimate.ci95, few.p_value), (-3.0, None, None));
    }

    #[test]
    fn the_interval_excludes_0_where_the_p_value_is_small() {
        // Forty-one jobs: one batch has three.
        for seed in 0..200i64 {
            let wait = |job: i64| Span::from_units((job * 7919 + seed * 104_729) % 97 - 40 + seed % 9);
            let waits: Vec<Span> = (0..41).map(wait).collect();
            let WaitDifference { estimate, p_value, .. } = WaitDifference::of(&waits, &[Span::ZERO; 41]);
            let (half, p) = (estimate.ci95.unwrap(), p_value.unwrap());
            assert_eq!(estimate.mean.abs() > half, p < 0.05, "{estimate:?} {p}");
        }
    }

    /// A job that comes so many days after the first.
    fn day(days: i64) -> RigidJob {
        let span = Span::from_units(1);
        RigidJob { submit: Time::from_units(1000 + 86_400 * days), processors: 1, estimate: span, runtime: span }
    }

    #[test]
    fn weeks_begin_with_the_first_submission() {
        let jobs = [day(0), day(6), day(7), day(30)];
        let found = |by| {
            let parts = by_part(by, &jobs, &spans(&[10, 20, 5, 7]));
            parts.iter().map(|(number, of)| (*number, of.mean, of.n)).collect::<Vec<_>>()
        };
        assert_eq!(found(CalendarPart::Week), [(1, 15.0, 2), (2, 5.0, 1), (5, 7.0, 1)]);
        assert_eq!(found(CalendarPart::Day), [(1, 10.0, 1), (7, 20.0, 1), (8, 5.0, 1), (31, 7.0, 1)]);
    }

    #[test]
    fn a_short_log_is_shown_by_day_and_a_very_short_one_not_at_all() {
        let by = |days: &[i64]| CalendarPart::of(&days.iter().copied().map(day).collect::<Vec<_>>());
        assert_eq!(by(&[0, 14]), Some(CalendarPart::Week));
        assert_eq!(by(&[0, 3, 13]), Some(CalendarPart::Day));
        assert_eq!(by(&[0, 13]), None, "jobs on two days");
        assert_eq!(by(&[]), None);
    }
}
