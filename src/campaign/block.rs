//! Blocks as files: a line that says of what it is, the observations, and a line that says that it is whole.

use super::{Campaign, CampaignError, Snapshot, process_name, short_id, write_whole};
use crate::campaign::stored::{StoredLines, StoredPoint, StoredReader, title};
use crate::study::{Checkpoint, KeptObservations, Observations, Point, Row, Shard, StudyPoint};
use gridloom_files::read_plain;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The longest that finished replications of a block may wait until they are written down.
const PATIENCE: Duration = Duration::from_secs(1);
/// The ends of the names of finished blocks and of those that are under way.
const DONE: &str = ".jsonl";
const PART: &str = ".part";

/// The last line of a block.
#[derive(Debug, Serialize, Deserialize)]
struct BlockEnd {
    /// A hash of all that is before this line.
    sum: String,
    /// What it took to make, in seconds of one process.
    seconds: f64,
    /// The shard that made it.
    shard: String,
}

/// A finished block, or a part of one that is under way, by its place and the name of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoneBlock {
    /// The numbers of its replications.
    pub replications: Range<u64>,
    /// What it is of, which its first line has to say, too.
    of: String,
    path: PathBuf,
}

/// What a block is of: the run and the build of the program, the point and the replications.
fn identity(folder: &Path, point: &str, replications: &Range<u64>) -> String {
    let run = folder.file_name().unwrap_or_default().to_string_lossy();
    format!("{run} {point} {}-{}", replications.start, replications.end)
}

impl DoneBlock {
    fn has_some_of(&self, wanted: &Range<u64>) -> bool {
        self.replications.start < wanted.end && wanted.start < self.replications.end
    }

    /// Its file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Adds what it says.
    pub(super) fn read_to(&self, reader: &mut StoredReader, found: &mut StoredPoint) -> Result<(), String> {
        self.read().map(|(text, _)| reader.read(&text, &self.of, found))
    }

    /// Its text, if it is whole and the block that its name says; and the seconds that it took to make.
    pub(super) fn read(&self) -> Result<(String, f64), String> {
        let text = read_plain(&self.path).map_err(|error| error.to_string())?;
        let text = String::from_utf8(text).map_err(|_| "it is not as it was written".to_string())?;
        let cut = || "it is cut short".to_string();
        let body = text.strip_suffix('\n').ok_or_else(cut)?;
        let (body, end) = body.split_at(body.rfind('\n').map_or(0, |at| at + 1));
        let end: BlockEnd = serde_json::from_str(end).map_err(|_| cut())?;
        if end.sum != short_id(body.as_bytes()) {
            return Err("it is not as it was written".into());
        }
        if body.lines().find(|line| !line.is_empty()) != Some(&*title(&self.of)) {
            return Err("it is another block under this name".into());
        }
        let length = body.len();
        let mut text = text;
        text.truncate(length);
        Ok((text, end.seconds))
    }
}

/// The finished blocks of a run, by point and first replication. Damaged ones are not told here.
#[derive(Debug, Clone, Default)]
pub struct BlocksDone {
    blocks: BTreeMap<String, Vec<DoneBlock>>,
    /// What is finished of blocks that are under way, or whose processes were killed.
    parts: BTreeMap<String, Vec<DoneBlock>>,
}

impl BlocksDone {
    /// Those of a point, in the order of their replications.
    pub fn of(&self, point: Point) -> &[DoneBlock] {
        self.blocks.get(&point.name()).map_or(&[], Vec::as_slice)
    }

    /// Those of some replications of a point that no block has.
    pub fn missing_in(&self, point: Point, wanted: Range<u64>) -> Vec<Range<u64>> {
        let mut next = wanted.start;
        let mut missing = Vec::new();
        for done in self.of(point) {
            if done.replications.start > next && next < wanted.end {
                missing.push(next..done.replications.start.min(wanted.end));
            }
            next = next.max(done.replications.end);
        }
        if next < wanted.end {
            missing.push(next..wanted.end);
        }
        missing
    }

    /// Those blocks of a point that have some of the replications and are as they were written.
    pub fn whole_in(&self, point: Point, wanted: &Range<u64>) -> Self {
        let blocks = self.of(point).iter().filter(|block| block.has_some_of(wanted) && block.read().is_ok());
        Self { blocks: BTreeMap::from([(point.name(), blocks.cloned().collect())]), parts: BTreeMap::new() }
    }

    /// What killed processes have finished of some replications of a point.
    fn parts_of(&self, point: Point, wanted: &Range<u64>) -> StoredPoint {
        let parts = self.parts.get(&point.name()).map_or(&[][..], Vec::as_slice);
        let (mut found, mut reader) = (StoredPoint::default(), StoredReader::default());
        for part in parts.iter().filter(|part| part.has_some_of(wanted)) {
            let bytes = read_plain(&part.path).unwrap_or_default();
            reader.read(&String::from_utf8_lossy(&bytes), &part.of, &mut found);
        }
        found
    }

    /// The replications among some of a point that killed processes have finished, or others are about to.
    pub(super) fn kept_in_parts(&self, point: &StudyPoint, wanted: &Range<u64>) -> u64 {
        let parts = self.parts_of(point.point, wanted).replications;
        let numbers = wanted.start * point.per_run..wanted.end * point.per_run;
        parts.keys().filter(|number| numbers.contains(number)).count() as u64 / point.per_run
    }

    /// The blocks that can't be used, with the reason.
    pub(super) fn faults(&self) -> Vec<(PathBuf, String)> {
        let all: Vec<&DoneBlock> = self.blocks.values().flatten().collect();
        let fault = |block: &&DoneBlock| block.read().err().map(|why| (block.path.clone(), why));
        all.par_iter().filter_map(fault).collect()
    }

    /// The same without a block.
    pub(super) fn without(mut self, path: &Path) -> Self {
        self.blocks.values_mut().for_each(|blocks| blocks.retain(|block| block.path != path));
        self
    }
}

impl Campaign {
    /// The finished blocks of a run.
    pub fn blocks_done(&self, snapshot: &Snapshot) -> Result<BlocksDone, CampaignError> {
        let folder = self.blocks_of(snapshot);
        let mut found = BlocksDone::default();
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(found),
            entries => entries.map_err(CampaignError::io("read", &folder))?,
        };
        for entry in entries {
            let name = entry.map_err(CampaignError::io("read", &folder))?.file_name();
            for (ending, blocks) in [(DONE, &mut found.blocks), (PART, &mut found.parts)] {
                if let Some((point, replications)) = name.to_str().and_then(|name| block_of(name, ending)) {
                    let (of, path) = (identity(&folder, point, &replications), folder.join(&name));
                    blocks.entry(point.to_string()).or_default().push(DoneBlock { replications, of, path });
                }
            }
        }
        for blocks in found.blocks.values_mut().chain(found.parts.values_mut()) {
            blocks.sort_by(|a, b| {
                let order = |block: &DoneBlock| (block.replications.start, block.replications.end);
                order(a).cmp(&order(b)).then_with(|| a.path.cmp(&b.path))
            });
        }
        Ok(found)
    }
}

/// True if a file of this name is a finished block.
pub(super) fn is_done(name: &str) -> bool {
    block_of(name, DONE).is_some()
}

/// `POINT.FROM-TO.jsonl` or `POINT.FROM-TO.PROCESS.part`.
fn block_of<'n>(name: &'n str, ending: &str) -> Option<(&'n str, Range<u64>)> {
    let (point, rest) = name.strip_suffix(ending)?.split_once('.')?;
    let range = rest.split('.').next()?;
    let (from, to) = range.split_once('-')?;
    Some((point, from.parse().ok()?..to.parse().ok()?))
}

/// A block that is being made.
#[derive(Debug)]
pub struct BlockWriter {
    point: Point,
    replications: Range<u64>,
    /// The number of observations that a replication gives.
    per_run: u64,
    shard: Shard,
    /// Where it is put once it is whole, and where its parts are until then.
    path: PathBuf,
    part: PathBuf,
    begun: Instant,
    /// What killed processes have finished of it.
    earlier: Mutex<StoredPoint>,
    state: Mutex<WriterState>,
}

#[derive(Debug)]
struct WriterState {
    lines: StoredLines,
    /// So many bytes of the lines are in the file of parts.
    written: usize,
    file: Option<File>,
    when: Instant,
}

impl BlockWriter {
    /// A block of a run, with what killed processes have finished of it, as far as `done` knows.
    #[allow(clippy::disallowed_methods, reason = "the clock tells what a block costs, never a result")]
    pub fn new(
        campaign: &Campaign,
        snapshot: &Snapshot,
        done: &BlocksDone,
        (point, replications): (&StudyPoint, Range<u64>),
        shard: Shard,
    ) -> Self {
        let (folder, of) = (campaign.blocks_of(snapshot), point.point);
        let name = format!("{}.{}-{}", of.name(), replications.start, replications.end);
        let mut earlier = done.parts_of(of, &replications);
        let numbers = replications.start * point.per_run..replications.end * point.per_run;
        earlier.replications.retain(|number, _| numbers.contains(number));
        let (now, title) = (Instant::now(), identity(&folder, &of.name(), &replications));
        Self {
            point: of,
            per_run: point.per_run,
            shard,
            path: folder.join(format!("{name}{DONE}")),
            part: folder.join(format!("{name}.{}{PART}", process_name())),
            replications,
            begun: now,
            earlier: Mutex::new(earlier),
            state: Mutex::new(WriterState { lines: StoredLines::of(&title), written: 0, file: None, when: now }),
        }
    }

    /// The replications of it that are still to be run.
    pub fn due(&self) -> u64 {
        let earlier = self.earlier.lock().unwrap_or_else(PoisonError::into_inner);
        (self.replications.end - self.replications.start)
            .saturating_sub(earlier.replications.len() as u64 / self.per_run)
    }

    /// Writes down everything that is finished.
    pub fn flush(&self) -> Result<(), String> {
        self.write_down(&mut self.state()).map_err(|error| error.to_string())
    }

    /// Puts the whole block into its place.
    pub fn finish(self) -> Result<(), CampaignError> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut bytes = state.lines.bytes;
        let end = BlockEnd {
            sum: short_id(&bytes),
            seconds: self.begun.elapsed().as_secs_f64(),
            shard: self.shard.to_string(),
        };
        let line = serde_json::to_vec(&end).map_err(|error| CampaignError::io("write", &self.path)(error.into()))?;
        bytes.extend(line);
        bytes.push(b'\n');
        write_whole(&self.path, &bytes)?;
        if state.file.is_some() {
            let _ = fs::remove_file(&self.part);
        }
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, WriterState> {
        // Whoever panicked with the lock has left whole lines.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[allow(
        clippy::disallowed_methods,
        reason = "the clock decides when to write down what is finished, never a result"
    )]
    fn write_down(&self, state: &mut WriterState) -> Result<(), CampaignError> {
        let WriterState { lines, written, file, when } = state;
        if file.is_none() {
            let opened = File::options().create(true).append(true).open(&self.part);
            *file = Some(opened.map_err(CampaignError::io("write", &self.part))?);
        }
        if let Some(file) = file {
            file.write_all(&lines.bytes[*written..]).map_err(CampaignError::io("write", &self.part))?;
        }
        *written = lines.bytes.len();
        *when = Instant::now();
        Ok(())
    }
}

impl Checkpoint for BlockWriter {
    fn recall(&self, point: Point) -> BTreeMap<u64, KeptObservations> {
        if point != self.point {
            return BTreeMap::new();
        }
        let found = self.earlier.lock().unwrap_or_else(PoisonError::into_inner).replications.clone();
        let mut state = self.state();
        for (&number, kept) in &found {
            // They are as they were read, and can be written once more.
            let _ = state.lines.add(number, &kept.clone().observations());
        }
        found
    }

    fn keep(&self, _: Point, replication: u64, observations: &Observations<'_>) -> Result<(), String> {
        let mut state = self.state();
        state.lines.add(replication, observations).map_err(|error| error.to_string())?;
        if state.when.elapsed() > PATIENCE {
            return self.write_down(&mut state).map_err(|error| error.to_string());
        }
        Ok(())
    }

    fn finish(&self, _: &[Row]) -> Result<(), String> {
        Ok(())
    }

    fn runs(&self, point: Point, replication: u64) -> bool {
        point == self.point && self.replications.contains(&replication)
    }

    fn keep_rows(&self, _: Point, rows: &[Row]) -> Result<(), String> {
        self.state().lines.add_rows(rows).map_err(|error| error.to_string())
    }
}
