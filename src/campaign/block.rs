//! Blocks as files: the one form in which finished replications are kept, for runs that are interrupted and for shards.
//!
//! `POINT.FROM-TO.BUILD.jsonl` is a finished block: some replications of a point, made by one build of the program.
//! `POINT.FROM-TO.BUILD.PROCESS.part` is one under way, to which its process alone adds. Inside, the first line is the
//! title, which says the same as the name. [Lines](super::lines) of observations follow, and seals between them: each
//! is a hash of all that is before it, and the seal of a finished block says besides what the block took. What stands
//! after the last seal of a part was cut off by a kill, and counts for nothing.

use super::lines::{StoredLines, StoredPoint, StoredReader, numbers};
use super::{build, names, process_name, short_id};
use crate::report::output::{OutputError, make_marked};
use crate::study::{Observations, Point, Row};
use gridloom_files::read_plain;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The ends of the names of finished blocks, of those that are under way, and of those that can't be used.
const DONE: &str = "jsonl";
const PART: &str = "part";
const DAMAGED: &str = "damaged";

/// The line after observations.
#[derive(Debug, Serialize, Deserialize)]
struct Seal {
    /// A hash of all that is before this line.
    sum: String,
    /// What a finished block took to make, in seconds of one process.
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
}

/// A seal begins with this.
const SEAL: &str = "{\"sum\":";

/// The hash of the lines that follow those whose hash is known.
fn chained(sum: &str, lines: &[u8]) -> String {
    short_id(&[sum.as_bytes(), lines].concat())
}

/// What a block is of: the build of the program, the point and the replications. The point stands for scenario, seed
/// and version.
fn title(build: &str, point: &str, replications: &Range<u64>) -> String {
    format!("{{\"of\":\"{build} {point} {}-{}\"}}\n", replications.start, replications.end)
}

/// The file of a block by what its name says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockFile {
    /// The name of its point.
    pub(super) point: String,
    /// The numbers of its replications.
    pub replications: Range<u64>,
    /// The build that has made it.
    pub(super) build: String,
    /// It is under way, or its process was killed.
    pub(super) is_part: bool,
    pub(super) path: PathBuf,
}

/// A block that can't be used: its file and why.
pub type Fault = (PathBuf, String);

impl BlockFile {
    /// The file of this name, if it is the name of a block.
    fn of(folder: &Path, name: &str) -> Option<Self> {
        let (stem, ending) = name.rsplit_once('.')?;
        let mut parts = stem.split('.');
        let (point, range, build) = (parts.next()?, parts.next()?, parts.next()?);
        let is_part = match (ending, parts.next(), parts.next()) {
            (DONE, None, None) => false,
            (PART, Some(_), None) => true,
            _ => return None,
        };
        let (from, to) = range.split_once('-').filter(|_| point.len() == 32)?;
        let replications = from.parse().ok()?..to.parse().ok()?;
        Some(Self { point: point.into(), replications, build: build.into(), is_part, path: folder.join(name) })
    }

    fn has_some_of(&self, wanted: &Range<u64>) -> bool {
        self.replications.start < wanted.end && wanted.start < self.replications.end
    }

    /// Its sealed lines, if they are as they were written and those that its name says; and the seconds that a finished
    /// block took to make.
    pub(super) fn read(&self) -> io::Result<(String, Option<f64>)> {
        let damaged = |why: &str| io::Error::new(ErrorKind::InvalidData, why);
        let mut text = String::from_utf8_lossy(&read_plain(&self.path)?).into_owned();
        let (mut sealed, mut at, mut sum, mut seconds) = (0, 0, String::new(), None);
        for line in text.split_inclusive('\n') {
            let before = at;
            at += line.len();
            if line.starts_with(SEAL) && line.ends_with('\n') {
                sum = chained(&sum, &text.as_bytes()[sealed..before]);
                let seal = serde_json::from_str::<Seal>(line).ok();
                let seal = seal.filter(|seal| seal.sum == sum && seconds.is_none());
                (sealed, seconds) = (at, seal.ok_or_else(|| damaged("it is not as it was written"))?.seconds);
            }
        }
        if !self.is_part && (seconds.is_none() || sealed < text.len()) {
            return Err(damaged("it is cut short"));
        }
        if sealed > 0 && !text.starts_with(&title(&self.build, &self.point, &self.replications)) {
            return Err(damaged("it is another block under this name"));
        }
        text.truncate(sealed);
        Ok((text, seconds))
    }
}

/// The blocks of a folder by their points, in the order of their replications.
#[derive(Debug, Clone, Default)]
pub struct Blocks(BTreeMap<String, Vec<BlockFile>>);

impl Blocks {
    /// Those of a folder, by their names alone.
    pub(super) fn in_folder(folder: &Path) -> Result<Self, OutputError> {
        let mut found = Self::default();
        for block in names(folder)?.iter().filter_map(|name| BlockFile::of(folder, name)) {
            found.0.entry(block.point.clone()).or_default().push(block);
        }
        let order = |block: &BlockFile| (block.replications.start, block.replications.end, block.path.clone());
        found.0.values_mut().for_each(|blocks| blocks.sort_by_cached_key(order));
        Ok(found)
    }

    /// All of them.
    pub(super) fn all(&self) -> impl Iterator<Item = &BlockFile> {
        self.0.values().flatten()
    }

    /// Those that are wanted.
    pub(super) fn only(mut self, is_wanted: impl Fn(&BlockFile) -> bool) -> Self {
        self.0.values_mut().for_each(|blocks| blocks.retain(&is_wanted));
        self.0.retain(|_, blocks| !blocks.is_empty());
        self
    }

    /// Those that have some of the replications of a point.
    pub fn in_range(&self, point: Point, wanted: &Range<u64>) -> Self {
        let blocks = self.of(point).iter().filter(|block| block.has_some_of(wanted)).cloned().collect();
        Self(BTreeMap::from([(point.name(), blocks)]))
    }

    /// Those that are as they were written, and the others.
    pub(super) fn verified(self) -> (Self, Vec<Fault>) {
        let all: Vec<&BlockFile> = self.all().collect();
        let fault = |block: &&BlockFile| block.read().err().map(|why| (block.path.clone(), why));
        let unread: BTreeMap<PathBuf, io::Error> = all.par_iter().filter_map(fault).collect();
        let usable = self.only(|block| !unread.contains_key(&block.path));
        // A part that has gone has become a block, or somebody has merged.
        let faults = unread.into_iter().filter(|(_, why)| why.kind() != ErrorKind::NotFound);
        (usable, faults.map(|(path, why)| (path, why.to_string())).collect())
    }

    /// The same, and the others are put out of the way, so that they count as missing wherever blocks are counted.
    pub fn set_aside(self) -> (Self, Vec<Fault>) {
        let (usable, faults) = self.verified();
        for (path, _) in &faults {
            let mut aside = path.clone().into_os_string();
            aside.push(format!(".{DAMAGED}"));
            let _ = fs::rename(path, aside);
        }
        (usable, faults)
    }

    /// Those of a point, finished or not.
    pub(super) fn of(&self, point: Point) -> &[BlockFile] {
        self.0.get(&point.name()).map_or(&[], Vec::as_slice)
    }

    /// Those of some replications of a point that no finished block has.
    pub fn missing_in(&self, point: Point, wanted: Range<u64>) -> Vec<Range<u64>> {
        let mut next = wanted.start;
        let mut missing = Vec::new();
        for done in self.of(point).iter().filter(|block| !block.is_part) {
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

    /// Everything that the blocks of a point say, and those that can't be read.
    pub(super) fn read(&self, point: Point) -> (StoredPoint, Vec<PathBuf>) {
        let (mut found, mut reader, mut unread) = (StoredPoint::default(), StoredReader::default(), Vec::new());
        for block in self.of(point) {
            match block.read() {
                Ok((text, _)) => reader.read(&text, &mut found),
                Err(_) => unread.push(block.path.clone()),
            }
        }
        (found, unread)
    }

    /// The numbers of the replications that the blocks of a point have.
    pub(super) fn numbers(&self, point: &str) -> BTreeSet<u64> {
        let texts = self.0.get(point).into_iter().flatten().filter_map(|block| block.read().ok());
        texts.flat_map(|(text, _)| numbers(&text).collect::<Vec<_>>()).collect()
    }
}

/// True if a file of this name is a block, or was one.
pub(super) fn is_block(name: &str) -> bool {
    let name = name.strip_suffix(DAMAGED).map_or(name, |name| name.trim_end_matches('.'));
    BlockFile::of(Path::new(""), name).is_some()
}

/// A block that is being made.
#[derive(Debug)]
pub(super) struct BlockWriter {
    folder: PathBuf,
    point: String,
    replications: Range<u64>,
    /// The file that its lines are added to, once there is one.
    part: Option<PathBuf>,
    /// The hash of what is in that file.
    sum: String,
    /// Lines that are not written yet.
    lines: StoredLines,
    /// The number of observations that were added, unless some were lost.
    pub(super) count: Option<u64>,
    begun: Instant,
}

impl BlockWriter {
    /// A block of some replications of a point.
    #[allow(clippy::disallowed_methods, reason = "the clock tells what a block costs, never a result")]
    pub(super) fn new(folder: &Path, point: Point, replications: Range<u64>) -> Self {
        Self {
            folder: folder.to_path_buf(),
            point: point.name(),
            replications,
            part: None,
            sum: String::new(),
            lines: StoredLines::default(),
            count: Some(0),
            begun: Instant::now(),
        }
    }

    /// Where its file is, with this at the end of the name.
    fn path(&self, build: &str, ending: &str) -> PathBuf {
        let Range { start, end } = self.replications;
        self.folder.join(format!("{}.{start}-{end}.{build}.{ending}", self.point))
    }

    /// Adds a replication.
    pub(super) fn add(&mut self, number: u64, observations: &Observations<'_>) -> Result<(), String> {
        self.count = self.count.map(|count| count + 1);
        self.lines.add(number, observations).map_err(|error| error.to_string())
    }

    /// Adds the rows of a point that draws nothing.
    pub(super) fn add_rows(&mut self, rows: &[Row]) -> Result<(), String> {
        self.lines.add_rows(rows).map_err(|error| error.to_string())
    }

    /// Writes down what was added, in one piece with its seal.
    pub(super) fn write(&mut self) -> Result<(), OutputError> {
        if self.lines.bytes.is_empty() { Ok(()) } else { self.append(None) }
    }

    /// Puts the finished block into its place. One that is safe is on the disk before it has its name: some file systems
    /// tell only then that there is no room.
    pub(super) fn finish(mut self, is_safe: bool) -> Result<(), OutputError> {
        self.append(Some(self.begun.elapsed().as_secs_f64()))?;
        if let Some(part) = self.part.as_ref().filter(|_| is_safe) {
            File::open(part).and_then(|file| file.sync_all()).map_err(OutputError::io("write", part))?;
        }
        let done = self.path(build()?, DONE);
        let moved = match (&self.part, self.count) {
            (Some(part), Some(_)) => fs::rename(part, &done),
            _ => Err(ErrorKind::NotFound.into()),
        };
        moved.map_err(OutputError::io("write", &done))
    }

    fn append(&mut self, seconds: Option<f64>) -> Result<(), OutputError> {
        // To know the build takes a while, which a run that ends at once does not need.
        let build = build()?;
        let mut bytes = std::mem::take(&mut self.lines.bytes);
        if self.sum.is_empty() {
            bytes.splice(0..0, title(build, &self.point, &self.replications).into_bytes());
        }
        let sum = chained(&self.sum, &bytes);
        let written = self.file(build).and_then(|mut file| {
            serde_json::to_writer(&mut bytes, &Seal { sum: sum.clone(), seconds })?;
            bytes.push(b'\n');
            file.write_all(&bytes)
        });
        let Err(error) = written else {
            self.sum = sum;
            return Ok(());
        };
        // What comes next goes to another file, for this one may end with half a line. Or somebody has removed it.
        let path = self.part.take().unwrap_or_else(|| self.folder.clone());
        (self.sum, self.lines, self.count) = (String::new(), StoredLines::default(), None);
        if error.kind() == ErrorKind::NotFound { Ok(()) } else { Err(OutputError::io("write", &path)(error)) }
    }

    /// The file of this process, at its end.
    fn file(&mut self, build: &str) -> io::Result<File> {
        if let Some(part) = &self.part {
            return File::options().append(true).open(part);
        }
        make_marked(&self.folder).map_err(io::Error::other)?;
        let mut number = 0_u64;
        loop {
            let path = self.path(build, &format!("{}-{number}.{PART}", process_name()));
            match File::create_new(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(error),
                Ok(file) => {
                    self.part = Some(path);
                    return Ok(file);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point() -> Point {
        Point::of(&crate::language::constant(
            "(name: \"p\", experiment: Windows(world: Listed(nodes: [(name: \"a\", performance: 1, price: 1)], free: Slots([(node: \"a\", start: 0, end: 9)])), requests: [(name: \"r\", nodes: 1, length: 1, max_price: 1)], searches: [Amp]))",
        ))
    }

    fn world(value: f64) -> Observations<'static> {
        let mut world = Observations::default();
        world.of("é", "a").add("m", value);
        world
    }

    /// The only block of a folder.
    fn only(folder: &Path) -> BlockFile {
        let blocks = Blocks::in_folder(folder).unwrap();
        assert_eq!(blocks.all().count(), 1);
        blocks.all().next().unwrap().clone()
    }

    #[test]
    fn a_part_cut_anywhere_gives_sealed_replications_and_one_that_was_changed_gives_none() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("p.blocks");
        let mut writer = BlockWriter::new(&folder, point(), 0..9);
        for number in 0..4_u8 {
            writer.add(number.into(), &world(number.into())).unwrap();
            writer.write().unwrap();
        }
        let part = only(&folder);
        let (whole, bytes) = (part.read().unwrap().0, fs::read(&part.path).unwrap());
        for end in 0..bytes.len() {
            fs::write(&part.path, &bytes[..end]).unwrap();
            let left = part.read().unwrap().0;
            assert!(whole.starts_with(&left) && left.len() <= end, "cut at {end}");
            assert!(numbers(&left).eq(0..numbers(&left).count() as u64), "cut at {end}");
        }
        for (from, to) in [("[2.0]", "[7.0]"), ("0-9", "0-8"), ("\"sum\":\"", "\"sum\":\"0")] {
            let harmed = String::from_utf8(bytes.clone()).unwrap().replacen(from, to, 1);
            fs::write(&part.path, harmed).unwrap();
            part.read().unwrap_err();
        }
        fs::write(&part.path, bytes.repeat(2)).unwrap();
        let (usable, faults) = Blocks::in_folder(&folder).unwrap().set_aside();
        assert!(usable.all().next().is_none() && faults[0].1 == "it is not as it was written", "{faults:?}");
        assert!(Blocks::in_folder(&folder).unwrap().all().next().is_none(), "it is out of the way");
    }

    #[test]
    fn a_block_is_finished_only_with_all_its_lines() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("p.blocks");
        for is_removed in [true, false] {
            let mut writer = BlockWriter::new(&folder, point(), 0..2);
            writer.add(0, &world(1.0)).unwrap();
            writer.write().unwrap();
            if is_removed {
                fs::remove_dir_all(&folder).unwrap();
            }
            writer.add(1, &world(2.0)).unwrap();
            assert_eq!(writer.finish(true).is_err(), is_removed);
        }
        let block = only(&folder);
        assert!(!block.is_part && block.read().unwrap().1.is_some());
        assert_eq!(Blocks::in_folder(&folder).unwrap().missing_in(point(), 0..3).first(), Some(&(2..3)));
    }
}
