//! `results.csv`: the rows of `results.json` as a table.
//!
//! Numbers have at most 15 significant digits, in their shortest form.

use super::ReportError;
use super::number::without_noise;
use crate::Row;
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
        writer.serialize(as_written(row))?;
    }
    writer.into_inner().map_err(|error| Error::from(error.into_error()).into())
}

/// A row with its numbers as they are written down.
pub(super) fn as_written(row: &Row) -> Row {
    Row {
        x: row.x.map(without_noise),
        mean: without_noise(row.mean),
        ci95: row.ci95.map(without_noise),
        published: row.published.map(without_noise),
        p: row.p.map(without_noise),
        p_holm: row.p_holm.map(without_noise),
        ..row.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn absent_values_are_empty_cells() {
        insta::assert_snapshot!(String::from_utf8(rows(&samples::small().rows).unwrap()).unwrap());
    }

    #[test]
    fn sums_are_written_without_their_noise() {
        let mut sample = samples::small().rows;
        (sample[0].mean, sample[0].ci95) = (116.500_000_000_000_01, Some(0.1 + 0.2));
        let text = String::from_utf8(rows(&sample[..1]).unwrap()).unwrap();
        assert!(text.contains(",116.5,0.3,"), "{text}");
    }

    #[test]
    fn no_rows_leave_the_same_header() {
        let full = String::from_utf8(rows(&samples::small().rows).unwrap()).unwrap();
        let empty = String::from_utf8(rows(&[]).unwrap()).unwrap();
        assert_eq!(empty.lines().next(), full.lines().next());
    }
}
