//! Finished replications as files, for runs that are interrupted.
//!
//! They are kept in a [store](crate::report::output::Store) beside the result, `NAME.points`: an entry per point of the study,
//! to which replications are added as they finish, and the rows of finished points of sweeps as `results.csv`. A
//! replication is used again only if the version of the program, the seed and every word of the experiment are the
//! same, so that a resumed run ends with the same bytes as one that was not interrupted.
//!
//! The entry of a point has [stored](super::stored) lines.

use super::stored::{self, StoredLines, StoredPoint};
use crate::report::csv;
use crate::report::output::{Earlier, OutputError, Store};
use crate::study::{Checkpoint, KeptObservations, Observations, Point, Row, Study, kept_points};
use gridloom_files::read_plain;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The longest that finished replications may wait until they are written down: that much work is lost when the program
/// is killed.
const PATIENCE: Duration = Duration::from_secs(1);

/// The replications that are kept for one result.
#[derive(Debug)]
pub struct KeptReplications {
    folder: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    store: Store,
    /// The table of this run has a first row.
    has_table: bool,
    /// The number of replications that are kept.
    replications: u64,
    /// Data still to be written to the files of points.
    pending: BTreeMap<Point, StoredLines>,
    /// When something was last written.
    written: Instant,
}

impl KeptReplications {
    /// The place of the replications kept for the result in `target`. For a link it is beside what the link points to.
    pub(crate) fn place(target: &Path) -> PathBuf {
        let real = if target.is_symlink() { target.canonicalize().ok() } else { None };
        let target = real.as_deref().unwrap_or(target);
        let mut name = target.file_name().map_or(OsString::from("result"), OsString::from);
        name.push(".points");
        target.with_file_name(name)
    }

    /// Everything that [`open`](Self::open) would refuse; nothing is changed.
    pub fn check(target: &Path, earlier: Earlier) -> Result<(), OutputError> {
        Store::check(&Self::place(target), earlier)
    }

    /// The same for a run of `study`, which can't go on from what another run has kept: true if something of this very
    /// run is kept.
    pub fn check_for(target: &Path, earlier: Earlier, study: &Study) -> Result<bool, OutputError> {
        Self::check(target, earlier)?;
        let (store, own) = (Self::place(target), kept_points(study).into_iter().map(entry).collect::<BTreeSet<_>>());
        let (own, others): (Vec<_>, Vec<_>) =
            Store::entries(&store)?.into_iter().partition(|(name, _)| own.contains(name));
        if !own.is_empty() || others.is_empty() || earlier != Earlier::Use {
            return Ok(!own.is_empty());
        }
        let count = |(name, path): &(String, PathBuf)| {
            let of = name.strip_suffix(ENDING).unwrap_or_default();
            read_plain(path).map_or(0, |bytes| stored::count(&String::from_utf8_lossy(&bytes), of))
        };
        let replications = others.iter().map(count).sum();
        Err(OutputError::StoreOfAnother { store, replications })
    }

    /// The replications kept for the result in `target`; an error if something that no run has made is in their place.
    #[allow(
        clippy::disallowed_methods,
        reason = "the clock decides when to write down what is finished, never a result"
    )]
    pub fn open(target: &Path, earlier: Earlier) -> Result<Self, OutputError> {
        let folder = Self::place(target);
        let store = Store::open(&folder, earlier)?;
        let state =
            State { store, has_table: false, replications: 0, pending: BTreeMap::new(), written: Instant::now() };
        Ok(Self { folder, state: Mutex::new(state) })
    }

    /// Where they are kept.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The number of replications that are kept.
    pub fn len(&self) -> u64 {
        self.state().replications
    }

    /// True if none is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes what was kept: the whole result is there. What no run has put there is left, and returned.
    pub fn remove(self) -> Result<Option<PathBuf>, OutputError> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).store.remove()
    }

    /// Writes down everything that is finished.
    pub fn flush(&self) -> Result<(), String> {
        self.write_down(&mut self.state())
    }

    fn read(&self, point: Point) -> StoredPoint {
        let bytes = self.state().store.read(&entry(point)).unwrap_or_default();
        stored::read(&String::from_utf8_lossy(&bytes), &point.name())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Whoever panicked with the lock has left whole lines.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[allow(
        clippy::disallowed_methods,
        reason = "the clock decides when to write down what is finished, never a result"
    )]
    fn write_down(&self, state: &mut State) -> Result<(), String> {
        let State { store, pending, .. } = state;
        for (&point, lines) in pending.iter_mut().filter(|(_, lines)| !lines.bytes.is_empty()) {
            store.append(&entry(point), &lines.bytes).map_err(|error| error.to_string())?;
            lines.bytes.clear();
        }
        state.written = Instant::now();
        Ok(())
    }
}

/// The name of a point's entry.
fn entry(point: Point) -> String {
    format!("{}{ENDING}", point.name())
}

/// The names of entries end with this.
const ENDING: &str = ".jsonl";

/// No lines of a point yet.
fn lines(point: Point) -> StoredLines {
    StoredLines::of(&point.name())
}

impl Checkpoint for KeptReplications {
    fn recall(&self, point: Point) -> BTreeMap<u64, KeptObservations> {
        let found = self.read(point).replications;
        self.state().replications += found.len() as u64;
        found
    }

    fn count(&self, point: Point) -> u64 {
        let bytes = self.state().store.read(&entry(point)).unwrap_or_default();
        stored::count(&String::from_utf8_lossy(&bytes), &point.name())
    }

    fn keep(&self, point: Point, replication: u64, observations: &Observations<'_>) -> Result<(), String> {
        let mut state = self.state();
        state.replications += 1;
        let lines = state.pending.entry(point).or_insert_with(|| lines(point));
        lines.add(replication, observations).map_err(|error| error.to_string())?;
        if state.written.elapsed() > PATIENCE { self.write_down(&mut state) } else { Ok(()) }
    }

    fn recall_rows(&self, point: Point) -> Option<Vec<Row>> {
        self.read(point).rows
    }

    fn keep_rows(&self, point: Point, rows: &[Row]) -> Result<(), String> {
        let mut state = self.state();
        state.pending.entry(point).or_insert_with(|| lines(point)).add_rows(rows).map_err(|error| error.to_string())
    }

    fn finish(&self, rows: &[Row]) -> Result<(), String> {
        let table = csv::rows(rows).map_err(|error| error.to_string())?;
        let header = table.iter().position(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let mut state = self.state();
        let written = match state.has_table {
            true => state.store.append_table(&table[header..]),
            // All points are finished once more in a run that goes on.
            false => state.store.write_table(&table),
        };
        state.has_table = true;
        written.map_err(|error| error.to_string())
    }
}
