//! Points that a study has in several places: a sweep that passes through the scenario as it stands, or two sweeps with
//! values in common.
//!
//! A replication is decided by its point and its number, so that it is run in the first of these places, and its
//! observations serve in the others, as those of an interrupted run do.

use super::checkpoint::{Checkpoint, KeptObservations, Point};
use super::{Key, Observations, Row, Scenario, Study};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The most values that are held for other places, so that memory stays flat however many replications there are.
const MOST_VALUES: usize = 4_000_000;

/// A checkpoint that besides holds what the same study needs again.
#[derive(Debug)]
pub(super) struct SharedPoints<'c, C> {
    checkpoint: &'c C,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    /// The points that come up more than once.
    points: BTreeMap<Point, SharedPoint>,
    /// The number of values that may still be held.
    room: usize,
}

#[derive(Debug, Default)]
struct SharedPoint {
    /// The number of observations at each place that is still to come, the next one last.
    to_come: Vec<u64>,
    /// The names of the last replication that is held: nearly always those of all.
    names: Arc<[Key<'static>]>,
    replications: BTreeMap<u64, KeptObservations>,
}

impl<'c, C: Checkpoint> SharedPoints<'c, C> {
    /// What `checkpoint` keeps, and what `study` needs in several places.
    pub(super) fn new(study: &Study, checkpoint: &'c C) -> Self {
        let outside = study.outside.key();
        let mut points: BTreeMap<Point, SharedPoint> = BTreeMap::new();
        let scenarios: Vec<&Scenario> =
            std::iter::once(study.scenario()).chain(study.points().iter().flatten()).collect();
        // What draws nothing has rows instead of observations.
        for scenario in scenarios.into_iter().rev().filter(|scenario| scenario.experiment.get().draws()) {
            let observations = scenario.replications.get().saturating_mul(scenario.statistics.sampling.per_run());
            points.entry(Point::with(scenario, &outside)).or_default().to_come.push(observations);
        }
        points.retain(|_, point| point.to_come.len() > 1);
        Self { checkpoint, held: Mutex::new(Held { points, room: MOST_VALUES }) }
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        // Whoever panicked with the lock has left whole replications.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    /// The replications that are held of a point as it comes to its next place.
    fn recall(&mut self, point: Point) -> BTreeMap<u64, KeptObservations> {
        let Some(shared) = self.points.get_mut(&point) else { return BTreeMap::new() };
        shared.to_come.pop();
        if shared.to_come.is_empty() {
            let all = std::mem::take(&mut shared.replications);
            self.room += all.values().map(KeptObservations::len).sum::<usize>();
            return all;
        }
        shared.replications.clone()
    }

    /// Holds a replication if a place to come has it too.
    fn hold(&mut self, point: Point, replication: u64, observations: &Observations<'_>) {
        let Some(shared) = self.points.get_mut(&point) else { return };
        let (values, is_needed) = (observations.values(), shared.to_come.iter().any(|&count| replication < count));
        if !is_needed || values.len() > self.room {
            return;
        }
        if *shared.names != *observations.keys() {
            shared.names = observations.keys().iter().map(Key::to_owned).collect();
        }
        if let Some(kept) = KeptObservations::new(Arc::clone(&shared.names), values.to_vec()) {
            self.room -= values.len();
            shared.replications.insert(replication, kept);
        }
    }
}

impl<C: Checkpoint> Checkpoint for SharedPoints<'_, C> {
    fn recall(&self, point: Point) -> BTreeMap<u64, KeptObservations> {
        let mut found = self.checkpoint.recall(point);
        found.extend(self.held().recall(point));
        found
    }

    fn keep(&self, point: Point, replication: u64, observations: &Observations<'_>) -> Result<(), String> {
        self.held().hold(point, replication, observations);
        self.checkpoint.keep(point, replication, observations)
    }

    fn finish(&self, rows: &[Row]) -> Result<(), String> {
        self.checkpoint.finish(rows)
    }

    fn runs(&self, point: Point, replication: u64) -> bool {
        self.checkpoint.runs(point, replication)
    }

    fn has(&self, point: Point) -> bool {
        self.checkpoint.has(point)
    }

    fn recall_rows(&self, point: Point) -> Option<Vec<Row>> {
        self.checkpoint.recall_rows(point)
    }

    fn keep_rows(&self, point: Point, rows: &[Row]) -> Result<(), String> {
        self.checkpoint.keep_rows(point, rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::constant;
    use proptest::prelude::*;

    fn observed(value: f64, values: usize) -> Observations<'static> {
        let mut observations = Observations::default();
        let mut series = observations.of("e", "s");
        for at in 0..values {
            series.add(format!("metric {at}"), value);
        }
        observations
    }

    proptest! {
        /// What is recalled was held of this point and number, what fits is run once, and nothing is left in the end.
        #[test]
        fn every_replication_is_run_in_the_first_place_that_has_it(
            places in prop::collection::vec((0_usize..3, 0_u64..9), 0..9),
            room in prop::sample::select(vec![0_usize, 1, 7, 20, 1000]),
            values in 0_usize..4,
        ) {
            let point = |seed: usize| Point::of(&constant(&format!(
                "(name: \"p\", seed: {seed}, experiment: Windows(nodes: [(name: \"a\", performance: 1, price: 1)], \
                 free: Slots([(node: \"a\", start: 0, end: 9)]), \
                 requests: [(name: \"r\", nodes: 1, length: 1, max_price: 1)], searches: [Amp]))"
            )));
            let points = [0, 1, 2].map(point);
            let mut held = Held { points: BTreeMap::new(), room };
            for &(point, count) in places.iter().rev() {
                held.points.entry(points[point]).or_default().to_come.push(count);
            }
            let mut runs = BTreeMap::new();
            for &(point, count) in &places {
                let found = held.recall(points[point]);
                let value = |number: u64| (100 * point as u64 + number) as f64;
                for (&number, kept) in &found {
                    prop_assert_eq!(kept.clone().observations(), observed(value(number), values));
                }
                for number in (0..count).filter(|number| !found.contains_key(number)) {
                    held.hold(points[point], number, &observed(value(number), values));
                    *runs.entry((point, number)).or_insert(0) += 1;
                }
            }
            prop_assert_eq!(held.room, room);
            prop_assert!(held.points.values().all(|point| point.replications.is_empty()));
            prop_assert!(room < 1000 || runs.values().all(|&runs| runs == 1), "{:?}", runs);
        }
    }
}
