//! Replications that are kept as they finish, for a run on one machine and for the blocks of a shard.
//!
//! A replication is used again only if the version of the program, the seed and every word of the experiment are the
//! same, so that a run that goes on ends with the same bytes as one that was not interrupted.

use super::block::{BlockWriter, Blocks, Fault};
use super::{Campaign, TaskReport, point_names};
use crate::report::output::{self, OutputError};
use crate::study::{Checkpoint, KeptObservations, Observations, Point, Row, Study, StudyPoint, study_points};
use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The longest that finished replications may wait until they are written down: that much work is lost when the program
/// is killed.
const PATIENCE: Duration = Duration::from_secs(1);

/// The treatment of what an earlier run has kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Earlier {
    /// Blocks of this run are read; those of another one stay where they are.
    Use,
    /// Those of this run are read, and all others are removed once it ends.
    UseOrDiscard,
    /// They are removed.
    Discard,
    /// They are an error.
    Refuse,
}

/// What is to be kept of a point.
#[derive(Debug, Clone)]
struct KeptPoint {
    /// The replications of its block.
    replications: Range<u64>,
    /// The number of observations that a replication gives.
    per_run: u64,
    /// The block is finished once it has all of them; else it is not known before the point is.
    ends_by_count: bool,
}

/// The replications that are kept for one result.
#[derive(Debug)]
pub struct KeptReplications {
    campaign: Campaign,
    earlier: Earlier,
    /// The names of all points of the study.
    own: BTreeSet<String>,
    points: BTreeMap<Point, KeptPoint>,
    /// The point of which a shard makes a block; nothing for a whole run.
    block: Option<Point>,
    /// What earlier runs have kept.
    blocks: Blocks,
    faults: Vec<Fault>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// The blocks that are being made.
    writers: BTreeMap<Point, BlockWriter>,
    /// The number of replications that are kept.
    replications: u64,
    /// When something was last written.
    written: Instant,
}

impl State {
    #[allow(
        clippy::disallowed_methods,
        reason = "the clock decides when to write down what is finished, never a result"
    )]
    fn new() -> Self {
        Self { writers: BTreeMap::new(), replications: 0, written: Instant::now() }
    }
}

impl Campaign {
    /// Everything that [`KeptReplications::open`] would refuse; nothing is changed.
    pub fn check(&self, earlier: Earlier) -> Result<(), OutputError> {
        if !output::is_marked(&self.folder)? {
            return Ok(());
        }
        if self.tasks()?.iter().any(TaskReport::is_running) {
            return Err(OutputError::ShardsAtWork(self.folder.clone()));
        }
        match earlier == Earlier::Refuse && (self.blocks()?.all().next().is_some() || self.has_scenario()) {
            true => Err(OutputError::StoreInUse(self.folder.clone())),
            false => Ok(()),
        }
    }

    /// The same for a run of `study`, which can't go on from what another run has kept: true if something of this very
    /// run is kept.
    pub fn check_for(&self, earlier: Earlier, study: &Study) -> Result<bool, OutputError> {
        self.check(earlier)?;
        let (blocks, own) = (self.blocks()?, point_names(study));
        let points: BTreeSet<&String> = blocks.all().map(|block| &block.point).collect();
        let has_own = points.iter().any(|point| own.contains(*point));
        if has_own || points.is_empty() || earlier != Earlier::Use {
            return Ok(has_own);
        }
        let replications = points.iter().map(|point| blocks.numbers(point).len() as u64).sum();
        Err(OutputError::StoreOfAnother { store: self.folder.clone(), replications })
    }
}

impl KeptReplications {
    /// The replications of a study that are kept for the result in `target`; an error if something that no run has made
    /// is in their place.
    pub fn open(target: &Path, earlier: Earlier, study: &Study) -> Result<Self, OutputError> {
        let (campaign, own) = (Campaign::of(target)?, point_names(study));
        campaign.check(earlier)?;
        let (blocks, faults) = match earlier {
            Earlier::Use | Earlier::UseOrDiscard => {
                campaign.blocks()?.only(|block| own.contains(&block.point)).set_aside()
            }
            Earlier::Discard | Earlier::Refuse => {
                campaign.remove()?;
                <_>::default()
            }
        };
        let points = study_points(study).into_iter().map(|point| (point.point, KeptPoint::of(&point, None))).collect();
        let state = Mutex::new(State::new());
        Ok(Self { campaign, earlier, own, points, block: None, blocks, faults, state })
    }

    /// A block of a shard, with what others have finished of it, as far as `blocks` knows: processes that were killed, or
    /// those of a run that was cut differently.
    pub fn of_block(campaign: &Campaign, blocks: &Blocks, point: &StudyPoint, replications: Range<u64>) -> Self {
        let (blocks, faults) = blocks.in_range(point.point, &replications).set_aside();
        let points = BTreeMap::from([(point.point, KeptPoint::of(point, Some(replications)))]);
        let own = BTreeSet::from([point.point.name()]);
        let (campaign, earlier, block) = (campaign.clone(), Earlier::Use, Some(point.point));
        Self { campaign, earlier, own, points, block, blocks, faults, state: Mutex::new(State::new()) }
    }

    /// Where they are kept.
    pub fn folder(&self) -> &Path {
        self.campaign.folder()
    }

    /// Blocks of earlier runs that can't be used and were set aside.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// The number of replications that are kept.
    pub fn len(&self) -> u64 {
        self.state().replications
    }

    /// True if none is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of replications of a point that earlier runs have kept.
    pub fn count(&self, point: Point) -> u64 {
        let numbers = self.blocks.numbers(&point.name());
        numbers.into_iter().filter(|&number| self.is_wanted(point, number)).count() as u64
    }

    /// Removes what was kept: the whole result is there. What no run has put there is left, and returned.
    pub fn remove(self) -> Result<Option<PathBuf>, OutputError> {
        self.campaign.remove_points(|point| self.earlier != Earlier::Use || self.own.contains(point))
    }

    /// Writes down everything that is finished.
    pub fn flush(&self) -> Result<(), String> {
        self.write_down(&mut self.state()).map_err(|error| error.to_string())
    }

    /// Puts the finished block of a shard into its place.
    pub fn finish_block(self) -> Result<(), OutputError> {
        let mut state = self.state();
        for &point in self.points.keys() {
            self.writer(&mut state, point);
        }
        std::mem::take(&mut state.writers).into_values().try_for_each(|writer| writer.finish(true))
    }

    /// False for the replications of a point that another shard runs.
    fn is_wanted(&self, point: Point, number: u64) -> bool {
        let is_in = |point: &KeptPoint| point.replications.contains(&(number / point.per_run));
        self.block.is_none() || self.points.get(&point).is_some_and(is_in)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Whoever panicked with the lock has left whole lines.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The block of a point. What draws nothing and is not swept has a single replication.
    fn writer<'s>(&self, state: &'s mut State, point: Point) -> &'s mut BlockWriter {
        let range = || self.points.get(&point).map_or(0..1, |point| point.replications.clone());
        state.writers.entry(point).or_insert_with(|| BlockWriter::new(self.folder(), point, range()))
    }

    #[allow(
        clippy::disallowed_methods,
        reason = "the clock decides when to write down what is finished, never a result"
    )]
    fn write_down(&self, state: &mut State) -> Result<(), OutputError> {
        let is_whole = |(point, writer): &(&Point, &BlockWriter)| {
            let known = self.points.get(point).filter(|point| self.block.is_none() && point.ends_by_count);
            known.is_some_and(|point| writer.count == Some(point.replications.end * point.per_run))
        };
        let whole: Vec<Point> = state.writers.iter().filter(is_whole).map(|(&point, _)| point).collect();
        for writer in whole.into_iter().filter_map(|point| state.writers.remove(&point)) {
            // One that a crash of the machine harms is known by its hash, and run again.
            match writer.finish(false) {
                // A run to the same place has ended and removed the folder.
                Err(OutputError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {}
                done => done?,
            }
        }
        state.writers.values_mut().try_for_each(BlockWriter::write)?;
        state.written = Instant::now();
        Ok(())
    }
}

impl KeptPoint {
    /// Some of the replications of a point, or all of them.
    fn of(point: &StudyPoint, replications: Option<Range<u64>>) -> Self {
        let StudyPoint { per_run, is_whole, replications: all, .. } = *point;
        Self { replications: replications.unwrap_or(0..all), per_run, ends_by_count: !is_whole }
    }
}

impl Checkpoint for KeptReplications {
    fn recall(&self, point: Point) -> BTreeMap<u64, KeptObservations> {
        let mut found = self.blocks.read(point).0.replications;
        found.retain(|&number, _| self.is_wanted(point, number));
        let mut state = self.state();
        state.replications += found.len() as u64;
        if self.block == Some(point) {
            let writer = self.writer(&mut state, point);
            // The block has all of its replications, whoever has run them: they can be written as they were read.
            for (&number, kept) in &found {
                let _ = writer.add(number, &kept.clone().observations());
            }
        }
        found
    }

    fn keep(&self, point: Point, replication: u64, observations: &Observations<'_>) -> Result<(), String> {
        let mut state = self.state();
        state.replications += 1;
        self.writer(&mut state, point).add(replication, observations)?;
        match state.written.elapsed() > PATIENCE {
            true => self.write_down(&mut state).map_err(|error| error.to_string()),
            false => Ok(()),
        }
    }

    fn runs(&self, point: Point, replication: u64) -> bool {
        let is_in = |point: &KeptPoint| point.replications.contains(&replication);
        self.block.is_none() || (self.block == Some(point) && self.points.get(&point).is_some_and(is_in))
    }

    fn recall_rows(&self, point: Point) -> Option<Vec<Row>> {
        // A block is made of rows and observations together.
        self.blocks.read(point).0.rows.filter(|_| self.block.is_none())
    }

    fn keep_rows(&self, point: Point, rows: &[Row]) -> Result<(), String> {
        self.writer(&mut self.state(), point).add_rows(rows)
    }
}
