//! `results.json`: one row per line, so that a diff of two results shows the rows that changed. Numbers have at most 15
//! significant digits, in their shortest form.

use super::ReportError;
use super::csv::as_written;
use crate::Results;
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use std::io::{self, Write};

/// The text of `results.json`.
pub fn results(results: &Results) -> Result<Vec<u8>, ReportError> {
    let rows = results.rows.iter().map(as_written).collect();
    row_per_line(&Results { rows, ..head(results) })
}

/// All but the rows.
fn head(results: &Results) -> Results {
    Results {
        scenario: results.scenario.clone(),
        seed: results.seed,
        replications: results.replications,
        version: results.version.clone(),
        rows: Vec::new(),
        missing: results.missing.clone(),
    }
}

/// A record with a list of rows, one on each line.
pub fn row_per_line(record: &impl Serialize) -> Result<Vec<u8>, ReportError> {
    let mut text = Vec::new();
    record.serialize(&mut Serializer::with_formatter(&mut text, RowPerLine::default()))?;
    text.push(b'\n');
    Ok(text)
}

/// Breaks lines in the outer object and in its list of rows, and nowhere deeper.
#[derive(Default)]
struct RowPerLine {
    depth: usize,
    filled: bool,
}

impl RowPerLine {
    const BROKEN_LEVELS: usize = 2;

    fn open(&mut self, writer: &mut (impl Write + ?Sized), bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.filled = false;
        writer.write_all(bracket)
    }

    fn item(&mut self, writer: &mut (impl Write + ?Sized), first: bool) -> io::Result<()> {
        if !first {
            writer.write_all(b",")?;
        }
        if self.depth <= Self::BROKEN_LEVELS {
            write!(writer, "\n{:1$}", "", 2 * self.depth)
        } else if first {
            Ok(())
        } else {
            writer.write_all(b" ")
        }
    }

    fn close(&mut self, writer: &mut (impl Write + ?Sized), bracket: &[u8]) -> io::Result<()> {
        if self.filled && self.depth <= Self::BROKEN_LEVELS {
            write!(writer, "\n{:1$}", "", 2 * (self.depth - 1))?;
        }
        self.depth -= 1;
        self.filled = true;
        writer.write_all(bracket)
    }
}

impl Formatter for RowPerLine {
    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b"{")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.item(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.filled = true;
        Ok(())
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b"}")
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b"[")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.item(writer, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.filled = true;
        Ok(())
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b"]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn results_stand_one_row_per_line() {
        let text = String::from_utf8(results(&samples::small()).unwrap()).unwrap();
        insta::assert_snapshot!(text);
    }

    #[test]
    fn the_layout_changes_no_value() {
        for sample in [samples::small(), Results { rows: Vec::new(), ..samples::small() }] {
            let parsed: serde_json::Value = serde_json::from_slice(&results(&sample).unwrap()).unwrap();
            let rows = sample.rows.iter().map(as_written).collect();
            assert_eq!(parsed, serde_json::to_value(Results { rows, ..sample }).unwrap());
        }
    }
}
