//! A log as text.

use super::digits::push_whole;
use super::{Header, Record};
use std::io::{self, Write};

/// Writes a header and records, all 18 fields of each.
///
/// ```
/// use gridloom::workload::swf::{Header, Record, write};
///
/// let header = Header { entries: vec![("MaxProcs".into(), "64".into())] };
/// let mut text = Vec::new();
/// write(&mut text, &header, [Record::new(1, 0, 30, 4, 60)])?;
/// assert_eq!(text, b"; MaxProcs: 64\n1 0 -1 30 4 -1 -1 4 60 -1 1 -1 -1 -1 -1 -1 -1 -1\n");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write(out: &mut impl Write, header: &Header, records: impl IntoIterator<Item = Record>) -> io::Result<()> {
    for (key, value) in &header.entries {
        writeln!(out, "; {key}: {value}")?;
    }
    let mut line = Vec::new();
    for record in records {
        line.clear();
        for field in record.fields() {
            // Most fields of most logs say that nothing is known.
            match field {
                -1 => line.extend_from_slice(b"-1"),
                field => push_whole(&mut line, field),
            }
            line.push(b' ');
        }
        line.pop();
        line.push(b'\n');
        out.write_all(&line)?;
    }
    Ok(())
}
