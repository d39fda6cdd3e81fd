//! The table of all observations of a run, compressed as it grows.

use csv::{Error, Writer};
use flate2::Compression;
use flate2::write::GzEncoder;

/// Its columns.
const HEADER: [&str; 7] = ["experiment", "series", "x", "replication", "metric", "value", "factors"];

/// A line for each observation. Numbers are written so that they read back as the very same.
#[derive(Debug)]
pub struct ObservationsTable(Writer<GzEncoder<Vec<u8>>>);

impl ObservationsTable {
    /// A table with nothing but its head.
    pub fn new() -> Result<Self, Error> {
        // Without a time stamp, so that the same observations are the same bytes.
        let mut table = Writer::from_writer(GzEncoder::new(Vec::new(), Compression::fast()));
        table.write_record(HEADER)?;
        Ok(Self(table))
    }

    /// Adds an observation of a replication under its names: experiment, series, metric and x.
    pub fn add(
        &mut self,
        (experiment, series, metric, x): (&str, &str, &str, Option<f64>),
        replication: u64,
        value: f64,
        factors: &str,
    ) -> Result<(), Error> {
        self.0.serialize((experiment, series, x, replication, metric, value, factors))
    }

    /// The bytes of the file.
    pub fn finish(self) -> Result<Vec<u8>, Error> {
        let gzip = self.0.into_inner().map_err(|error| error.into_error())?;
        Ok(gzip.finish()?)
    }
}
