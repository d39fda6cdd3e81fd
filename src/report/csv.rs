//! `results.csv`: the rows of `results.json` as a table.

use super::ReportError;
use crate::study::Row;
use csv::{Error, Writer};

/// The column names, which stand even over no rows.
const HEADER: [&str; 13] = [
    "experiment",
    "series",
    "x",
    "metric",
    "mean",
    "ci95",
    "n",
    "published",
    "verdict",
    "unit",
    "factors",
    "p",
    "p_holm",
];

/// The text of `results.csv`.
pub fn rows(rows: &[Row]) -> Result<Vec<u8>, ReportError> {
    let mut writer = Writer::from_writer(Vec::new());
    if rows.is_empty() {
        writer.write_record(HEADER)?;
    }
    for row in rows {
        writer.serialize(row)?;
    }
    writer.into_inner().map_err(|error| Error::from(error.into_error()).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples;

    #[test]
    fn absent_values_are_empty_cells() {
        insta::assert_snapshot!(String::from_utf8(rows(&samples::small().rows).unwrap()).unwrap());
    }

    #[test]
    fn no_rows_leave_the_same_header() {
        let full = String::from_utf8(rows(&samples::small().rows).unwrap()).unwrap();
        let empty = String::from_utf8(rows(&[]).unwrap()).unwrap();
        assert_eq!(empty.lines().next(), full.lines().next());
    }
}
