//! Line by line through a log.

use super::{FIELDS, Fault, FaultKind, Header, Record};
use flate2::bufread::MultiGzDecoder;
use std::io::{self, BufRead, BufReader, Read};

/// What a compressed file begins with.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// No line of a log comes near this length.
const LONGEST_LINE: usize = 64 * 1024;
/// Times up to here leave room for logs whose clock counts from 1970.
const LATEST: i64 = 10_000_000_000;
/// Thirty years of runtime.
const LONGEST: i64 = 1_000_000_000;
/// A hundred times what the largest machines have.
const WIDEST: i64 = 1_000_000_000;
/// The fields that a replay computes with, and how large they may be.
const LIMITS: [(usize, i64); 5] = [(1, LATEST), (3, LONGEST), (4, WIDEST), (7, WIDEST), (8, LONGEST)];

/// The records of a log, one by one, with a [`Fault`] in the place of each bad line.
pub struct Reader<'a> {
    input: Box<dyn BufRead + 'a>,
    header: Header,
    line: u64,
    bytes: Vec<u8>,
    ended: bool,
}

impl<'a> Reader<'a> {
    /// Reads plain or compressed text.
    pub fn new(input: impl Read + 'a) -> io::Result<Self> {
        let mut input = BufReader::with_capacity(1 << 16, input);
        let compressed = input.fill_buf()?.starts_with(&GZIP);
        let input: Box<dyn BufRead + 'a> =
            if compressed { Box::new(BufReader::new(MultiGzDecoder::new(input))) } else { Box::new(input) };
        Ok(Self { input, header: Header::default(), line: 0, bytes: Vec::new(), ended: false })
    }

    /// The comments so far; all of them once there are no more records.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The number of the line that was read last.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Reads the next line into `bytes`; `false` at the end.
    fn next_line(&mut self) -> Result<bool, FaultKind> {
        self.bytes.clear();
        let unreadable = |error: io::Error| FaultKind::Unreadable(error.to_string());
        let limit = LONGEST_LINE as u64 + 1;
        let read = self.input.by_ref().take(limit).read_until(b'\n', &mut self.bytes).map_err(unreadable)?;
        if read > LONGEST_LINE && self.bytes.last() != Some(&b'\n') {
            self.input.skip_until(b'\n').map_err(unreadable)?;
            return Err(FaultKind::TooLong(LONGEST_LINE));
        }
        Ok(read > 0)
    }

    fn comment(&mut self) {
        // Names of people and places in old logs are not always UTF-8.
        let text = String::from_utf8_lossy(&self.bytes);
        if let Some((key, value)) = text.trim_start().trim_start_matches(';').split_once(':') {
            self.header.entries.push((key.trim().to_string(), value.trim().to_string()));
        }
    }
}

impl Iterator for Reader<'_> {
    type Item = Result<Record, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            self.line += 1;
            let line = self.line;
            match self.next_line() {
                Ok(true) => {}
                Ok(false) => self.ended = true,
                Err(kind) => {
                    self.ended = matches!(kind, FaultKind::Unreadable(_));
                    return Some(Err(Fault { line, kind }));
                }
            }
            match self.bytes.trim_ascii_start().first() {
                None => {}
                Some(b';') => self.comment(),
                Some(_) => return Some(record(&self.bytes).map_err(|kind| Fault { line, kind })),
            }
        }
        None
    }
}

fn record(line: &[u8]) -> Result<Record, FaultKind> {
    let text = std::str::from_utf8(line).ok().filter(|text| !text.contains('\0')).ok_or(FaultKind::NotText)?;
    let mut fields = [-1; FIELDS.len()];
    let (mut count, mut wrong) = (0, None);
    for word in text.split_ascii_whitespace() {
        if let Some(field) = fields.get_mut(count) {
            match number(word) {
                Some(number) => *field = number,
                None => wrong = wrong.or(Some((count, word))),
            }
        }
        count += 1;
    }
    // A line that is cut within a number lacks fields first of all.
    if count != FIELDS.len() {
        return Err(FaultKind::Fields(count));
    }
    if let Some((field, word)) = wrong {
        return Err(FaultKind::NotANumber { field, text: shortened(word) });
    }
    if let Some((field, limit)) = LIMITS.into_iter().find(|&(field, limit)| fields[field] > limit) {
        return Err(FaultKind::TooLarge { field, value: fields[field], limit });
    }
    let record = Record::from_fields(fields);
    if record.submit < 0 {
        return Err(FaultKind::NegativeSubmit(record.submit));
    }
    if record.requested < 1 && record.allocated < 1 {
        return Err(FaultKind::NoProcessors { requested: record.requested, allocated: record.allocated });
    }
    Ok(record)
}

/// A whole number; some logs have decimals, which are rounded.
fn number(word: &str) -> Option<i64> {
    word.parse().ok().or_else(|| {
        let value: f64 = word.parse().ok().filter(|value: &f64| value.abs() < 1e15)?;
        Some(libm::round(value) as i64)
    })
}

fn shortened(word: &str) -> String {
    word.chars().take(20).collect()
}
