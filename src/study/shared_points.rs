//! Points that a study has in several places: a sweep that passes through the scenario as it stands, or two sweeps with
//! values in common.
//!
//! A replication is decided by its point and its number, so that it is run in the first of these places, and its
//! observations serve in the others, as those of an interrupted run do.

use super::checkpoint::{Checkpoint, KeptObservations, Point};
use super::{Key, Observations, Row, Study};
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

#[derive(Debug)]
struct Held {
    /// What is held of the points that come up more than once.
    points: BTreeMap<Point, BTreeMap<u64, KeptObservations>>,
    /// The names of the last replication that is held: nearly always those of all.
    names: Arc<[Key<'static>]>,
    /// The number of values that may still be held.
    room: usize,
}

impl<'c, C: Checkpoint> SharedPoints<'c, C> {
    /// What `checkpoint` keeps, and what `study` needs in several places.
    pub(super) fn new(study: &Study, checkpoint: &'c C) -> Self {
        let outside = study.outside.key();
        let mut places: BTreeMap<Point, u64> = BTreeMap::new();
        // What draws nothing has rows instead of observations.
        let scenarios = std::iter::once(study.scenario()).chain(study.points().iter().flatten());
        for scenario in scenarios.filter(|scenario| scenario.experiment.get().draws()) {
            *places.entry(Point::with(scenario, &outside)).or_default() += 1;
        }
        let points = places.into_iter().filter(|&(_, places)| places > 1).map(|(point, _)| (point, BTreeMap::new()));
        let held = Held { points: points.collect(), names: Arc::new([]), room: MOST_VALUES };
        Self { checkpoint, held: Mutex::new(held) }
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        // Whoever panicked with the lock has left whole replications.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    /// Holds a replication if its point comes up more than once, and there is room.
    fn hold(&mut self, point: Point, replication: u64, observations: &Observations<'_>) {
        let Some(shared) = self.points.get_mut(&point) else { return };
        let values = observations.values().to_vec();
        let Some(room) = self.room.checked_sub(values.len()) else { return };
        self.room = room;
        if *self.names != *observations.keys() {
            self.names = observations.keys().iter().map(Key::to_owned).collect();
        }
        shared.extend(KeptObservations::new(Arc::clone(&self.names), values).map(|kept| (replication, kept)));
    }
}

impl<C: Checkpoint> Checkpoint for SharedPoints<'_, C> {
    fn recall(&self, point: Point) -> BTreeMap<u64, KeptObservations> {
        let mut found = self.checkpoint.recall(point);
        found.extend(self.held().points.get(&point).cloned().unwrap_or_default());
        found
    }

    fn keep(&self, point: Point, replication: u64, observations: &Observations<'_>) -> Result<(), String> {
        self.held().hold(point, replication, observations);
        self.checkpoint.keep(point, replication, observations)
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
