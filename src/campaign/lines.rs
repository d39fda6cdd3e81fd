//! Observations as lines of JSON, exactly: a line for their names and one for the values of each replication under them.
//! Points that draw nothing have a line for their rows besides.

use crate::metrics::Estimate;
use crate::study::{KeptObservations, Key, Observations, Row};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
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

/// Lines of a point that are to be written.
#[derive(Debug, Default)]
pub(super) struct StoredLines {
    /// Those that were not written yet.
    pub(super) bytes: Vec<u8>,
    /// The names under which values are written at present.
    keys: Vec<Key<'static>>,
}

impl StoredLines {
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

/// Reads many files that have their names in common, which are then kept once.
#[derive(Debug, Default)]
pub(super) struct StoredReader {
    /// The last line of names, and what it says.
    line: String,
    names: Arc<[Key<'static>]>,
}

impl StoredReader {
    /// Adds what lines say; those that say something else are passed over.
    pub(super) fn read(&mut self, text: &str, found: &mut StoredPoint) {
        // Values that stand before any names belong to none.
        let mut names: Option<Arc<[Key<'static>]>> = None;
        for line in text.lines().filter(|line| !line.is_empty()) {
            if line == self.line {
                names = Some(Arc::clone(&self.names));
                continue;
            }
            match serde_json::from_str::<StoredLine<'static>>(line) {
                Ok(StoredLine::Keys(keys)) => {
                    (self.line, self.names) = (line.to_string(), keys.into_owned().into());
                    names = Some(Arc::clone(&self.names));
                }
                Ok(StoredLine::Replication(number, values)) => {
                    let names = names.clone().unwrap_or_default();
                    let kept = KeptObservations::new(names, values.into_owned());
                    found.replications.extend(kept.map(|kept| (number, kept)));
                }
                Ok(StoredLine::Rows(rows)) => found.rows = Some(rows.into_iter().map(StoredRow::row).collect()),
                Err(_) => {}
            }
        }
    }
}

/// The numbers of the replications in some lines, without a look at their values: there may be many.
pub(super) fn numbers(text: &str) -> impl Iterator<Item = u64> {
    let number = |line: &str| line.strip_prefix("{\"replication\":[")?.split_once(',')?.0.parse().ok();
    text.lines().filter_map(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::Scale;
    use proptest::prelude::*;

    fn read(bytes: &[u8]) -> StoredPoint {
        let mut found = StoredPoint::default();
        StoredReader::default().read(std::str::from_utf8(bytes).unwrap(), &mut found);
        found
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
            let mut lines = StoredLines::default();
            for (number, world) in worlds.iter().enumerate() {
                lines.add(number as u64, world).unwrap();
            }
            let text = std::str::from_utf8(&lines.bytes).unwrap();
            prop_assert!(numbers(text).eq(0..worlds.len() as u64));
            let found = read(&lines.bytes).replications.into_values().map(KeptObservations::observations);
            prop_assert_eq!(found.collect::<Vec<_>>(), worlds);
        }
    }

    #[test]
    fn rows_come_back_as_they_were() {
        let estimate = crate::metrics::Estimate { mean: 0.1 + 0.2, ci95: Some(1.0 / 3.0), n: 7 };
        let rows = [Row { p: Some(1e-9), unit: "s".into(), ..Row::new("e", "s, \"x\"", "m", estimate).at(0.7) }];
        let mut lines = StoredLines::default();
        lines.add_rows(&rows).unwrap();
        assert_eq!(read(&lines.bytes).rows.unwrap(), rows);
    }
}
