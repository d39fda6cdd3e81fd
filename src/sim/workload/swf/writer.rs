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
    let mut text = Vec::with_capacity(2 * LINES);
    for record in records {
        push_line(&mut text, &record);
        if text.len() >= LINES {
            out.write_all(&text)?;
            text.clear();
        }
    }
    out.write_all(&text)
}

/// So many bytes of lines are put together before they are written.
const LINES: usize = 1 << 16;

/// Appends the line of a record. It is not generic, so that it is optimised with this crate and not with its users.
fn push_line(text: &mut Vec<u8>, record: &Record) {
    for field in record.fields() {
        // Most fields of most logs say that nothing is known.
        match field {
            -1 => text.extend_from_slice(b"-1"),
            field => push_whole(text, field),
        }
        text.push(b' ');
    }
    text.pop();
    text.push(b'\n');
}
