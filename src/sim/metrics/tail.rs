//! The distribution of waits from its far end: how many jobs wait longer than so long.

use crate::units::Span;

/// A curve of more corners is thinned out to about twice as many.
const CORNERS: f64 = 150.0;

/// The steps of the distribution: distinct waits, each with the number of jobs that wait longer; `waits` are in order.
///
/// The first step is at 0. Where there are very many, those are kept that lie apart on logarithmic axes: all that are
/// kept are exact, and between two of them the curve lies between their numbers.
pub(super) fn tail_steps(waits: &[Span]) -> Vec<(Span, u64)> {
    let count = waits.len() as u64;
    let mut all: Vec<(Span, u64)> = Vec::new();
    let mut longer = count;
    if waits.first().is_some_and(|&least| least > Span::ZERO) {
        all.push((Span::ZERO, count));
    }
    for same in waits.chunk_by(|a, b| a == b) {
        longer -= same.len() as u64;
        all.push((same[0], longer));
    }
    if (all.len() as f64) <= 2.0 * CORNERS {
        return all;
    }
    let log = |(wait, longer): (Span, u64)| (libm::log10(wait.as_f64().max(1e-6)), libm::log10(longer.max(1) as f64));
    let (last, second) = (all[all.len() - 1], all[1]);
    let (wide, high) = (log(last).0 - log(second).0, libm::log10(count.max(1) as f64));
    let mut kept = vec![all[0], second];
    let mut at = log(second);
    for &step in &all[2..all.len() - 1] {
        let next = log(step);
        if next.0 - at.0 >= wide / CORNERS || at.1 - next.1 >= high / CORNERS {
            kept.push(step);
            at = next;
        }
    }
    kept.push(last);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sorted(mut values: Vec<i64>) -> Vec<Span> {
        values.sort_unstable();
        values.into_iter().map(Span::from_units).collect()
    }

    #[test]
    fn few_waits_are_all_there_and_zero_comes_first() {
        let shown = |values: Vec<i64>| -> Vec<(i64, u64)> {
            tail_steps(&sorted(values)).iter().map(|(wait, longer)| (wait.ticks() / 1_000_000, *longer)).collect()
        };
        assert_eq!(shown(vec![0, 7, 0, 3, 7]), [(0, 3), (3, 2), (7, 0)]);
        assert_eq!(shown(vec![5, 5]), [(0, 2), (5, 0)]);
        assert_eq!(shown(vec![0]), [(0, 0)]);
    }

    proptest! {
        #[test]
        fn every_step_is_exact_and_they_are_not_too_many(values in prop::collection::vec(0i64..1_000_000, 1..3000)) {
            let waits = sorted(values);
            let steps = tail_steps(&waits);
            prop_assert!(steps.len() as f64 <= 2.0 * CORNERS + 3.0, "{}", steps.len());
            prop_assert_eq!((steps[0].0, steps[steps.len() - 1].1), (Span::ZERO, 0));
            for pair in steps.windows(2) {
                prop_assert!(pair[0].0 < pair[1].0 && pair[0].1 >= pair[1].1);
            }
            for &(wait, longer) in &steps {
                prop_assert_eq!(waits.iter().filter(|&&other| other > wait).count() as u64, longer);
            }
        }
    }
}
