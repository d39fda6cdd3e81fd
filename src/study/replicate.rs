//! Replications in parallel, taken in by their number.

use super::checkpoint::{Checkpoint, KeptObservations, Point};
use super::outside::Outside;
use super::record::{PointPlace, StudyRecord};
use super::statistics::{Sampling, Until};
use super::{Row, RunError};
use crate::engine::{Limits, Stop};
use crate::metrics::{Estimate, Fold, FoldedRow, Observations};
use crate::rng::Streams;
use crate::study::Scenario;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The number of replications under way before their results are taken in: memory stays flat however many there are.
const CHUNK: u64 = 512;

/// An observer of a run while it is under way.
pub trait Progress: Sync {
    /// This many replications are to come in all.
    fn expect(&self, replications: u64);
    /// One of them is done.
    fn advance(&self);
    /// One of them was done by an earlier run.
    fn recall(&self) {
        self.advance();
    }
    /// They are counted in these, in the plural, if not in replications.
    fn count_in(&self, _unit: &'static str) {}
    /// The token that ends the run early, without results, once it is set: event loops and solvers poll it.
    fn stop(&self) -> &Stop;
    /// Returns true if the run should end now.
    fn is_stopped(&self) -> bool {
        self.stop().is_set()
    }
}

/// No observer: the run goes on to its end.
#[derive(Debug, Clone, Copy)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn expect(&self, _: u64) {}
    fn advance(&self) {}
    fn stop(&self) -> &Stop {
        Stop::NEVER
    }
}

/// One point of a study that is being run.
pub struct Trial<'t> {
    pub(super) scenario: &'t Scenario,
    /// Where the point lies in the study.
    pub(super) place: PointPlace<'t>,
    /// Policies and metrics from outside.
    pub(super) outside: &'t Outside,
    pub(super) watch: &'t dyn Progress,
    pub(super) checkpoint: &'t dyn Checkpoint,
    /// Every observation is written down here.
    pub(super) written: &'t StudyRecord,
}

/// The result of one replication.
pub(super) struct Replication<'a, S> {
    /// Its observations: one lot, or one for each batch where a run is cut into batches.
    pub(super) observations: Vec<Observations<'a>>,
    /// Further details to show; asked of the first replication only.
    pub(super) shown: Option<S>,
}

impl Trial<'_> {
    /// The token that ends the run early.
    pub(super) fn stop(&self) -> &Stop {
        self.watch.stop()
    }

    /// The inputs that decide the observations of a replication besides its number.
    fn point(&self) -> Point {
        Point::with(self.scenario, &self.outside.key())
    }

    /// The limits of a replication.
    pub(super) fn limits(&self) -> Limits {
        self.scenario.limits.limits()
    }

    /// The number of replications.
    pub(super) fn replications(&self) -> u64 {
        self.scenario.runs()
    }

    /// Writes down rows of an experiment that draws nothing, and so has one replication.
    pub(super) fn record(&self, rows: &[Row]) -> Result<(), RunError> {
        self.watch.advance();
        let mut observations = Observations::default();
        for row in rows {
            let mut series = observations.of(&row.experiment, &row.series);
            match row.x {
                Some(x) => series.add_at(&row.metric, x, row.mean),
                None => series.add(&row.metric, row.mean),
            };
        }
        if let PointPlace::Swept { .. } = self.place {
            self.checkpoint.keep(self.point(), 0, &observations).map_err(RunError::Keep)?;
        }
        self.written.add(&self.place, 0, &observations)
    }

    /// False for a point of a sweep that is left out of a partial result.
    pub(super) fn is_there(&self) -> bool {
        matches!(self.place, PointPlace::Base) || self.checkpoint.has(self.point())
    }

    /// The rows that are kept of this point, which draws nothing, with its observations written down; `Some` of nothing
    /// if it is not to be run.
    pub(super) fn recall_rows(&self) -> Result<Option<Vec<Row>>, RunError> {
        let point = self.point();
        let Some(rows) = self.checkpoint.recall_rows(point) else {
            return Ok((!self.checkpoint.runs(point, 0)).then(Vec::new));
        };
        if let Some(kept) = self.checkpoint.recall(point).remove(&0) {
            self.written.add(&self.place, 0, &kept.observations())?;
        }
        self.watch.recall();
        Ok(Some(rows))
    }

    /// Keeps the rows of this point, which draws nothing.
    pub(super) fn keep_rows(&self, rows: &[Row]) -> Result<(), RunError> {
        self.checkpoint.keep_rows(self.point(), rows).map_err(RunError::Keep)
    }

    /// Runs every replication, as many at once as there are threads; the rows are the same for any number of threads.
    pub(super) fn replicate<'a>(
        &self,
        one: impl Fn(Streams) -> Result<Observations<'a>, RunError> + Sync,
    ) -> Result<Vec<Row>, RunError> {
        self.replicate_and(one, |_| ())
    }

    /// The same, and `each` sees the observations of every replication, in order.
    pub(super) fn replicate_and<'a>(
        &self,
        one: impl Fn(Streams) -> Result<Observations<'a>, RunError> + Sync,
        mut each: impl FnMut(&Observations<'a>),
    ) -> Result<Vec<Row>, RunError> {
        let kept = self.checkpoint.recall(self.point());
        let one = |streams| Ok(Replication { observations: vec![one(streams)?], shown: None::<()> });
        self.fold(kept, one, |replication| replication.observations.iter().for_each(&mut each))
    }

    /// The same for replications of which the first is shown in detail. Unless it is of a sweep, of which no details are
    /// shown, it is always run, since details are not kept.
    pub(super) fn replicate_and_show<'a, S: Send>(
        &self,
        one: impl Fn(Streams) -> Result<Replication<'a, S>, RunError> + Sync,
        mut each: impl FnMut(&Observations<'a>),
    ) -> Result<(Vec<Row>, Option<S>), RunError> {
        let mut kept = self.checkpoint.recall(self.point());
        if let PointPlace::Base = self.place {
            kept.remove(&0);
        }
        let mut shown = None;
        let rows = self.fold(kept, one, |replication| {
            replication.observations.iter().for_each(&mut each);
            shown = shown.take().or(replication.shown);
        })?;
        Ok((rows, shown))
    }

    /// What one observation is.
    pub(super) fn sampling(&self) -> Sampling {
        self.scenario.statistics.sampling
    }

    fn fold<'a, S: Send>(
        &self,
        mut kept: BTreeMap<u64, KeptObservations>,
        one: impl Fn(Streams) -> Result<Replication<'a, S>, RunError> + Sync,
        mut each: impl FnMut(Replication<'a, S>),
    ) -> Result<Vec<Row>, RunError> {
        let statistics = &self.scenario.statistics;
        let until = statistics.until.as_ref();
        let compared = statistics.compared(self.scenario.experiment.get());
        let (all, per_run) = (self.replications(), self.sampling().per_run());
        let mut sampled = statistics.rank.clone();
        if per_run > 1 {
            sampled.extend(self.scenario.experiment.get().compared().into_iter().map(String::from));
        }
        let point = self.point();
        // The number of an observation; its run is that over the number that each run gives.
        let numbers = |run: u64| run * per_run..(run + 1) * per_run;
        let run = |number: u64| {
            self.stop().check()?;
            let replication = one(Streams::new(self.scenario.seed, number));
            // The return value of an interrupted solver is no result, and an error is but a consequence.
            self.stop().check()?;
            let replication = replication?;
            for (number, observations) in numbers(number).zip(&replication.observations) {
                self.checkpoint.keep(point, number, observations).map_err(RunError::Keep)?;
            }
            self.watch.advance();
            Ok(replication)
        };
        let mut fold = Fold::default();
        let mut next = 0;
        while next < all {
            let chunk = next..all.min(next.saturating_add(chunk(until, next)));
            next = chunk.end;
            let is_kept = |number: &u64| numbers(*number).all(|number| kept.contains_key(&number));
            let is_due = |number: &u64| !is_kept(number) && self.checkpoint.runs(point, *number);
            let due: Vec<u64> = chunk.clone().filter(is_due).collect();
            chunk.clone().filter(is_kept).for_each(|_| self.watch.recall());
            let done: Vec<Result<Replication<'a, S>, RunError>> = due.par_iter().map(|&number| run(number)).collect();
            let (mut done, mut due) = (done.into_iter(), due.into_iter().peekable());
            for number in chunk {
                let mut replication = if due.next_if_eq(&number).is_some() {
                    done.next().unwrap_or(Err(RunError::Interrupted))?
                } else {
                    let kept = numbers(number).filter_map(|number| kept.remove(&number));
                    Replication { observations: kept.map(KeptObservations::observations).collect(), shown: None }
                };
                if replication.observations.is_empty() {
                    // Another shard runs it, or nobody has.
                    continue;
                }
                for (number, observations) in numbers(number).zip(&mut replication.observations) {
                    if statistics.compares() {
                        observations.compare(&statistics.baselines, &statistics.pairs, &compared);
                    }
                    fold.take_in(observations)?;
                    self.written.add(&self.place, number, observations)?;
                    if let PointPlace::Base = self.place {
                        self.written.sample(&sampled, number, observations);
                    }
                }
                each(replication);
                if until.is_some_and(|until| until.is_met(&fold, number + 1)) {
                    // What ran beyond this is not looked at: the number of worlds does not depend on threads.
                    (next..all).for_each(|_| self.watch.advance());
                    next = all;
                    break;
                }
            }
        }
        Ok(fold.rows().into_iter().map(as_row).collect())
    }
}

fn as_row(folded: FoldedRow) -> Row {
    let FoldedRow { experiment, series, x, metric, mean, ci95, n, p } = folded;
    Row { x, p, ..Row::new(experiment, series, metric, Estimate { mean, ci95, n }) }
}

/// The number of replications that are run before the next decision whether to go on; results do not depend on it.
fn chunk(until: Option<&Until>, done: u64) -> u64 {
    match until {
        None => CHUNK,
        Some(until) if done == 0 => until.at_least.get().min(CHUNK),
        Some(_) => 2 * rayon::current_num_threads() as u64,
    }
}
