//! `observations.csv.gz`: every observation of every replication.

use super::{Observations, Row, RunError};
use crate::study::SweepValue;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

/// The name of the file.
pub(super) const FILE: &str = "observations.csv.gz";
/// Its columns.
const HEADER: [&str; 6] = ["experiment", "series", "x", "replication", "metric", "value"];

/// Where a point lies in a study.
#[derive(Debug, Clone, Copy)]
pub(super) enum PointPlace<'a> {
    /// It is the scenario as it stands.
    Base,
    /// It is one value of a sweep.
    Swept {
        /// The sweep's name.
        sweep: &'a str,
        /// The value.
        value: &'a SweepValue,
    },
}

impl<'a> PointPlace<'a> {
    /// The names of an observation or a row of this point in the results: experiment, series and x. Nothing for those
    /// over time, which only the base keeps.
    ///
    /// A value of a sweep that is a number is the row's x; any other makes a series of its own.
    fn name<'n>(
        &self,
        experiment: &'n str,
        series: &'n str,
        x: Option<f64>,
    ) -> Option<(Cow<'n, str>, Cow<'n, str>, Option<f64>)>
    where
        'a: 'n,
    {
        match *self {
            Self::Base => Some((experiment.into(), series.into(), x)),
            Self::Swept { .. } if x.is_some() => None,
            Self::Swept { sweep, value } => match value.number() {
                Some(number) => Some((sweep.into(), series.into(), Some(number))),
                None => Some((sweep.into(), format!("{series}, {value}").into(), None)),
            },
        }
    }

    /// A row of the point as one of the study.
    pub(super) fn row(&self, row: Row) -> Option<Row> {
        let (experiment, series, x) = self.name(&row.experiment, &row.series, row.x)?;
        let (experiment, series) = (experiment.into_owned(), series.into_owned());
        Some(Row { experiment, series, x, ..row })
    }
}

/// The table, compressed as it grows. Numbers are written so that they read back as the very same.
pub(super) struct ObservationTable(Mutex<csv::Writer<GzEncoder<Vec<u8>>>>);

impl ObservationTable {
    pub(super) fn new() -> Result<Self, RunError> {
        // Without a time stamp, so that the same observations are the same bytes.
        let mut table = csv::Writer::from_writer(GzEncoder::new(Vec::new(), Compression::fast()));
        table.write_record(HEADER)?;
        Ok(Self(Mutex::new(table)))
    }

    /// Adds all values of a replication.
    pub(super) fn add(
        &self,
        place: &PointPlace<'_>,
        replication: u64,
        observations: &Observations<'_>,
    ) -> Result<(), RunError> {
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (key, value) in observations.keys().iter().zip(observations.values()) {
            let Some(value) = value else { continue };
            let Some((experiment, series, x)) = place.name(&key.experiment, &key.series, key.x) else { continue };
            table.serialize((experiment, series, x, replication, &key.metric, value))?;
        }
        Ok(())
    }

    /// The bytes of the file.
    pub(super) fn finish(self) -> Result<Vec<u8>, RunError> {
        let table = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let gzip = table.into_inner().map_err(|error| RunError::Csv(error.into_error().into()))?;
        gzip.finish().map_err(|error| RunError::Csv(error.into()))
    }
}
