//! Observations as lines of JSON, exactly: for runs that are interrupted and for shards of a run.
//!
//! The first line says what the others are of, so that a file under another name is not taken for what it is not. Then
//! there is a line for the names of observations and one for the values of each replication under them; points that
//! draw nothing have a line for their rows besides. A line that a killed program has left half-written is passed over.

use crate::metrics::Estimate;
use crate::study::{KeptObservations, Key, Observations, Row};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A line of a point's file.
#[derive(Serialize, Deserialize)]
enum StoredLine<'a> {
    /// The names of all observations that follow.
    #[serde(rename = "keys")]
    Keys(Cow<'a, [Key<'a>]>),
    /// A replication and its values.
    #[serde(rename = "replication")]
    Replication(u64, Cow<'a, [Option<f64>]>),
    /// The rows of a point that draws nothing.
    #[serde(rename = "rows")]
    Rows(Vec<StoredRow>),
}

/// A row as experiments make it, before it is given its place in a study and held against what was published.
#[derive(Serialize, Deserialize)]
struct StoredRow {
    experiment: String,
    series: String,
    x: Option<f64>,
    metric: String,
    mean: f64,
    ci95: Option<f64>,
    n: u64,
    unit: String,
    p: Option<f64>,
}

impl StoredRow {
    fn of(row: &Row) -> Self {
        let Row { experiment, series, x, metric, mean, ci95, n, unit, p, .. } = row.clone();
        Self { experiment, series, x, metric, mean, ci95, n, unit, p }
    }

    fn row(self) -> Row {
        let Self { experiment, series, x, metric, mean, ci95, n, unit, p } = self;
        Row { x, unit, p, ..Row::new(experiment, series, metric, Estimate { mean, ci95, n }) }
    }
}

/// The line before others that says what they are of.
pub(super) fn title(of: &str) -> String {
    format!("{TITLE}\"{of}\"}}")
}

/// A title begins with this.
const TITLE: &str = "{\"of\":";

/// Lines of a point that are to be written.
#[derive(Debug)]
pub(super) struct StoredLines {
    /// Those that were not written yet.
    pub(super) bytes: Vec<u8>,
    /// The names under which values are written at present.
    keys: Vec<Key<'static>>,
}

impl StoredLines {
    /// No lines yet but their title.
    pub(super) fn of(of: &str) -> Self {
        // A killed program may have left half a line at the end of the file.
        Self { bytes: format!("\n{}\n", title(of)).into_bytes(), keys: Vec::new() }
    }

    /// Adds a replication.
    pub(super) fn add(&mut self, replication: u64, observations: &Observations<'_>) -> serde_json::Result<()> {
        if self.keys != observations.keys() {
            self.keys = observations.keys().iter().map(Key::to_owned).collect();
            self.line(&StoredLine::Keys(Cow::Borrowed(&self.keys.clone())))?;
        }
        self.line(&StoredLine::Replication(replication, Cow::Borrowed(observations.values())))
    }

    /// Adds the rows of a point that draws nothing.
    pub(super) fn add_rows(&mut self, rows: &[Row]) -> serde_json::Result<()> {
        self.line(&StoredLine::Rows(rows.iter().map(StoredRow::of).collect()))
    }

    fn line(&mut self, line: &StoredLine<'_>) -> serde_json::Result<()> {
        serde_json::to_writer(&mut self.bytes, line)?;
        self.bytes.push(b'\n');
        Ok(())
    }
}

/// What is stored of a point.
#[derive(Debug, Default)]
pub(super) struct StoredPoint {
    /// Replications by their number.
    pub(super) replications: BTreeMap<u64, KeptObservations>,
    /// The rows of a point that draws nothing.
    pub(super) rows: Option<Vec<Row>>,
}

/// What the lines of a file say under the title of `of`. A line that can't be read is passed over; so are values without
/// names.
pub(super) fn read(text: &str, of: &str) -> StoredPoint {
    let mut found = StoredPoint::default();
    StoredReader::default().read(text, of, &mut found);
    found
}

/// The lines under the title of `of`; what stands under others belongs elsewhere.
fn own_lines<'t>(text: &'t str, of: &str) -> impl Iterator<Item = &'t str> {
    let title = title(of);
    let mut is_own = false;
    text.lines().filter(move |line| {
        let is_title = line.starts_with(TITLE);
        if is_title {
            is_own = *line == title;
        }
        is_own && !is_title
    })
}

/// Reads many files that have their names in common, which are then kept once.
#[derive(Debug, Default)]
pub(super) struct StoredReader {
    /// The last line of names, and what it says.
    line: String,
    names: Arc<[Key<'static>]>,
}

impl StoredReader {
    /// Adds what the lines of a file say under the title of `of`.
    pub(super) fn read(&mut self, text: &str, of: &str, found: &mut StoredPoint) {
        // Values of this file that stand before any names belong to none.
        let mut names: Option<Arc<[Key<'static>]>> = None;
        for line in own_lines(text, of) {
            if !line.is_empty() && line == self.line {
                names = Some(Arc::clone(&self.names));
                continue;
            }
            match serde_json::from_str::<StoredLine<'static>>(line) {
                Ok(StoredLine::Keys(keys)) => {
                    (self.line, self.names) = (line.to_string(), keys.into_owned().into());
                    names = Some(Arc::clone(&self.names));
                }
                Ok(StoredLine::Replication(number, values)) => {
                    let names = names.clone().unwrap_or_else(|| Arc::new([]));
                    let kept = KeptObservations::new(names, values.into_owned());
                    found.replications.extend(kept.map(|kept| (number, kept)));
                }
                Ok(StoredLine::Rows(rows)) => found.rows = Some(rows.into_iter().map(StoredRow::row).collect()),
                Err(_) => {}
            }
        }
    }
}

/// The number of replications in the lines under the title of `of`, without a look at their values: there may be many.
pub(super) fn count(text: &str, of: &str) -> u64 {
    let number = |line: &str| {
        let values = line.strip_prefix("{\"replication\":[").filter(|_| line.ends_with("]}"))?;
        values.split_once(',')?.0.parse().ok()
    };
    own_lines(text, of).filter_map(number).collect::<BTreeSet<u64>>().len() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::Scale;
    use proptest::prelude::*;

    const POINT: &str = "a point";

    fn lines(worlds: &[Observations<'_>]) -> String {
        let mut lines = StoredLines::of(POINT);
        for (number, world) in worlds.iter().enumerate() {
            lines.add(number as u64, world).unwrap();
        }
        String::from_utf8(lines.bytes).unwrap()
    }

    fn worlds_in(text: &str) -> BTreeMap<u64, Observations<'static>> {
        read(text, POINT).replications.into_iter().map(|(number, kept)| (number, kept.observations())).collect()
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
            let found = worlds_in(&lines(&worlds));
            prop_assert_eq!(count(&lines(&worlds), POINT), worlds.len() as u64);
            prop_assert_eq!(found.into_values().collect::<Vec<_>>(), worlds);
        }
    }

    #[test]
    fn a_file_cut_anywhere_gives_whole_replications_only() {
        let worlds = [world(&[Some(1.5), None]), world(&[Some(2.5), Some(-1e300)]), world(&[Some(7.0)])];
        let text = lines(&worlds);
        for end in 0..=text.len() {
            assert_eq!(count(&text[..end], POINT), worlds_in(&text[..end]).len() as u64, "cut at {end}");
            for (number, found) in worlds_in(&text[..end]) {
                assert_eq!(found, worlds[number as usize], "cut at {end}");
            }
        }
        assert_eq!(worlds_in(&text).len(), 3);
        assert!(read(&text, "another point").replications.is_empty());
        // Another run goes on after half a line.
        let later = [world(&[Some(9.0), Some(3.0)])];
        let resumed = worlds_in(&format!("{}{}", &text[..text.len() - 4], lines(&later)));
        assert_eq!((resumed.len(), &resumed[&0]), (2, &later[0]));
    }

    #[test]
    fn rows_come_back_as_they_were() {
        let estimate = crate::metrics::Estimate { mean: 0.1 + 0.2, ci95: Some(1.0 / 3.0), n: 7 };
        let rows = [Row { p: Some(1e-9), unit: "s".into(), ..Row::new("e", "s, \"x\"", "m", estimate).at(0.7) }];
        let mut lines = StoredLines::of(POINT);
        lines.add_rows(&rows).unwrap();
        assert_eq!(read(std::str::from_utf8(&lines.bytes).unwrap(), POINT).rows.unwrap(), rows);
    }
}
