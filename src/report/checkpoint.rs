//! Finished replications as files, for runs that are interrupted.
//!
//! They are kept in a [store](super::output::Store) beside the result, `NAME.points`: an entry per point of the study,
//! to which replications are added as they finish, and the rows of finished points of sweeps as `results.csv`. A
//! replication is used again only if the version of the program, the seed and every word of the experiment are the
//! same, so that a resumed run ends with the same bytes as one that was not interrupted.
//!
//! The entry of a point has a line of JSON for the names of observations and one for the values of each replication
//! under them. A line that a killed program has left half-written is passed over.

use super::csv;
use super::output::{Earlier, OutputError, Store};
use crate::study::{Checkpoint, Key, Observations, Point, Row};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The longest that finished replications may wait until they are written down: that much work is lost when the program
/// is killed.
const PATIENCE: Duration = Duration::from_secs(1);

/// A line of a point's file.
#[derive(Serialize, Deserialize)]
enum StoredLine<'a> {
    /// The names of all observations that follow.
    #[serde(rename = "keys")]
    Keys(Cow<'a, [Key<'a>]>),
    /// A replication and its values.
    #[serde(rename = "replication")]
    Replication(u64, Cow<'a, [Option<f64>]>),
}

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
    pending: BTreeMap<Point, Pending>,
    /// When something was last written.
    written: Instant,
}

#[derive(Debug, Default)]
struct Pending {
    lines: Vec<u8>,
    /// The names under which the values of this point are written at present.
    keys: Vec<Key<'static>>,
}

impl KeptReplications {
    /// The place of the replications kept for the result in `target`. For a link it is beside what the link points to.
    fn place(target: &Path) -> PathBuf {
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
        for (&point, pending) in pending.iter_mut().filter(|(_, pending)| !pending.lines.is_empty()) {
            store.append(&entry(point), &pending.lines).map_err(|error| error.to_string())?;
            pending.lines.clear();
        }
        state.written = Instant::now();
        Ok(())
    }
}

/// The name of a point's entry.
fn entry(point: Point) -> String {
    format!("{}.jsonl", point.name())
}

impl Pending {
    fn add(&mut self, replication: u64, observations: &Observations<'_>) -> serde_json::Result<()> {
        if self.keys != observations.keys() {
            self.keys = observations.keys().iter().map(Key::to_owned).collect();
            // A killed program may have left half a line at the end of the file.
            self.lines.push(b'\n');
            self.line(&StoredLine::Keys(Cow::Borrowed(&self.keys.clone())))?;
        }
        self.line(&StoredLine::Replication(replication, Cow::Borrowed(observations.values())))
    }

    fn line(&mut self, line: &StoredLine<'_>) -> serde_json::Result<()> {
        serde_json::to_writer(&mut self.lines, line)?;
        self.lines.push(b'\n');
        Ok(())
    }
}

/// The replications in the lines of a file. A line that can't be read is passed over; so are values without names.
fn read(text: &str) -> BTreeMap<u64, Observations<'static>> {
    let mut keys: Vec<Key<'static>> = Vec::new();
    let mut found = BTreeMap::new();
    for line in text.lines().filter_map(|line| serde_json::from_str::<StoredLine<'static>>(line).ok()) {
        match line {
            StoredLine::Keys(names) => keys = names.into_owned(),
            StoredLine::Replication(number, values) => {
                found.extend(Observations::from_parts(keys.clone(), values.into_owned()).map(|of| (number, of)));
            }
        }
    }
    found
}

/// The number of replications in the lines of a file, without a look at their values: there may be many.
fn count(text: &str) -> u64 {
    let number = |line: &str| {
        let values = line.strip_prefix("{\"replication\":[").filter(|_| line.ends_with("]}"))?;
        values.split_once(',')?.0.parse().ok()
    };
    text.lines().filter_map(number).collect::<BTreeSet<u64>>().len() as u64
}

impl Checkpoint for KeptReplications {
    fn recall(&self, point: Point) -> BTreeMap<u64, Observations<'static>> {
        let mut state = self.state();
        let bytes = state.store.read(&entry(point)).unwrap_or_default();
        let found = read(&String::from_utf8_lossy(&bytes));
        state.replications += found.len() as u64;
        found
    }

    fn count(&self, point: Point) -> u64 {
        let bytes = self.state().store.read(&entry(point)).unwrap_or_default();
        count(&String::from_utf8_lossy(&bytes))
    }

    fn keep(&self, point: Point, replication: u64, observations: &Observations<'_>) -> Result<(), String> {
        let mut state = self.state();
        state.replications += 1;
        let pending = state.pending.entry(point).or_default();
        pending.add(replication, observations).map_err(|error| error.to_string())?;
        if state.written.elapsed() > PATIENCE { self.write_down(&mut state) } else { Ok(()) }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::Scale;
    use proptest::prelude::*;

    fn lines(worlds: &[Observations<'_>]) -> String {
        let mut pending = Pending::default();
        for (number, world) in worlds.iter().enumerate() {
            pending.add(number as u64, world).unwrap();
        }
        String::from_utf8(pending.lines).unwrap()
    }

    fn world(values: &[Option<f64>]) -> Observations<'static> {
        let mut world = Observations::default();
        let places: Vec<_> =
            values.iter().map(|&value| world.of("e, \"x\"", "a").add_at("m", 0.1 + 0.2, value)).collect();
        if let [first, .., last] = places[..] {
            world.of("e", "ratio").ratio("r", first, last, Scale::Change);
        }
        world
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back_to_the_last_bit(
            worlds in prop::collection::vec(prop::collection::vec(prop::option::of(prop::num::f64::NORMAL | prop::num::f64::ZERO), 0..5), 1..6)
        ) {
            let worlds: Vec<Observations<'static>> = worlds.iter().map(|values| world(values)).collect();
            let found = read(&lines(&worlds));
            prop_assert_eq!(count(&lines(&worlds)), worlds.len() as u64);
            prop_assert_eq!(found.into_values().collect::<Vec<_>>(), worlds);
        }
    }

    #[test]
    fn a_file_cut_anywhere_gives_whole_replications_only() {
        let worlds = [world(&[Some(1.5), None]), world(&[Some(2.5), Some(-1e300)]), world(&[Some(7.0)])];
        let text = lines(&worlds);
        for end in 0..=text.len() {
            assert_eq!(count(&text[..end]), read(&text[..end]).len() as u64, "cut at {end}");
            for (number, found) in read(&text[..end]) {
                assert_eq!(found, worlds[number as usize], "cut at {end}");
            }
        }
        assert_eq!(read(&text).len(), 3);
        // Another run goes on after half a line.
        let later = [world(&[Some(9.0), Some(3.0)])];
        let resumed = read(&format!("{}{}", &text[..text.len() - 4], lines(&later)));
        assert_eq!((resumed.len(), &resumed[&0]), (2, &later[0]));
    }
}
