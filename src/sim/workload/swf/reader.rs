//! Line by line through a log.

use super::digits::plain_line;
use super::limits::{Bounded, Exceeded, LogLimits};
use super::{FIELDS, Fault, FaultKind, Header, Record};
use flate2::bufread::MultiGzDecoder;
use std::io::{self, BufRead, BufReader, Read};

/// The first bytes of a compressed file.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// The mark that some editors put in front of a text.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";
/// The longest text of all comments together, in bytes.
const LONGEST_HEADER: u64 = 16 << 20;
/// No line of a log comes near this length.
const LONGEST_LINE: usize = 64 * 1024;
/// Times up to here leave room for logs whose clock counts from 1970.
const LATEST: i64 = 10_000_000_000;
/// Thirty years of runtime.
const LONGEST: i64 = 1_000_000_000;
/// A hundred times what the largest machines have.
const WIDEST: i64 = 1_000_000_000;
/// The place of the status.
const STATUS: usize = 10;
/// The fields that a replay computes with, and how large they may be.
const LIMITS: [(usize, i64); 5] = [(1, LATEST), (3, LONGEST), (4, WIDEST), (7, WIDEST), (8, LONGEST)];

/// Lines that have more fields than the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extended {
    /// The number of lines.
    pub lines: u64,
    /// The most fields that one of them has.
    pub fields: usize,
}

/// The records of a log, one by one, with a [`Fault`] in the place of each bad line. Fields after the 18th are passed
/// over.
pub struct Reader<'a> {
    input: Box<dyn BufRead + 'a>,
    limits: LogLimits,
    header: Header,
    header_bytes: u64,
    records: u64,
    extended: Extended,
    partial: u64,
    line: u64,
    bytes: Vec<u8>,
    ended: bool,
}

impl<'a> Reader<'a> {
    /// Reads plain or compressed text.
    pub fn new(input: impl Read + 'a) -> io::Result<Self> {
        Self::within(input, LogLimits::default())
    }

    /// The same with other limits.
    pub fn within(input: impl Read + 'a, limits: LogLimits) -> io::Result<Self> {
        let mut input = BufReader::with_capacity(1 << 16, input);
        let compressed = input.fill_buf()?.starts_with(&GZIP);
        let input: Box<dyn Read + 'a> = if compressed { Box::new(MultiGzDecoder::new(input)) } else { Box::new(input) };
        let input = BufReader::with_capacity(1 << 16, Bounded::new(input, limits.bytes.get()));
        Ok(Self {
            input: Box::new(input),
            limits,
            header: Header::default(),
            header_bytes: 0,
            records: 0,
            extended: Extended::default(),
            partial: 0,
            line: 0,
            bytes: Vec::new(),
            ended: false,
        })
    }

    /// The comments so far; all of them once there are no more records.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The lines with more than 18 fields so far.
    pub fn extended(&self) -> Extended {
        self.extended
    }

    /// The lines on a part of a job's run so far, which are passed over: the line of the whole job stands for them.
    pub fn partial(&self) -> u64 {
        self.partial
    }

    /// The number of the line that was read last.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Reads the next line into `bytes`; `false` at the end.
    fn next_line(&mut self) -> Result<bool, FaultKind> {
        self.bytes.clear();
        let bytes = self.limits.bytes.get();
        let unreadable = |error: io::Error| unreadable(error, bytes);
        let limit = LONGEST_LINE as u64 + 1;
        let read = self.input.by_ref().take(limit).read_until(b'\n', &mut self.bytes).map_err(unreadable)?;
        if read > LONGEST_LINE && self.bytes.last() != Some(&b'\n') {
            self.input.skip_until(b'\n').map_err(unreadable)?;
            return Err(FaultKind::TooLong(LONGEST_LINE));
        }
        if self.line == 1 && self.bytes.starts_with(BYTE_ORDER_MARK) {
            self.bytes.drain(..BYTE_ORDER_MARK.len());
        }
        Ok(read > 0)
    }

    fn comment(&mut self) -> Result<(), FaultKind> {
        // Names of people and places in old logs are not always UTF-8.
        let text = String::from_utf8_lossy(&self.bytes);
        let Some((key, value)) = text.trim_start().trim_start_matches(';').split_once(':') else { return Ok(()) };
        if self.header.entries.len() as u64 == self.limits.header.get() {
            return Err(FaultKind::Limit {
                what: "comments of the form `; Key: value`",
                limit: self.limits.header.get(),
            });
        }
        self.header_bytes += text.len() as u64;
        if self.header_bytes > LONGEST_HEADER {
            return Err(FaultKind::Limit { what: "bytes of comments", limit: LONGEST_HEADER });
        }
        self.header.entries.push((key.trim().to_string(), value.trim().to_string()));
        Ok(())
    }

    /// The fields of the next line if it is plain and was read as a whole already, as nearly all lines are.
    fn plain_fields(&mut self) -> Result<Option<[i64; FIELDS.len()]>, FaultKind> {
        let buffered = match self.input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(None),
            other => other.map_err(|error| unreadable(error, self.limits.bytes.get()))?,
        };
        let Some((fields, length)) = plain_line(buffered) else { return Ok(None) };
        self.input.consume(length);
        Ok(Some(fields))
    }

    fn record(&mut self) -> Result<Option<Record>, FaultKind> {
        let (fields, count) = fields(&self.bytes)?;
        self.judged(fields, count)
    }

    /// The record of a line with so many fields; nothing if it is on a part of a job's run.
    fn judged(&mut self, fields: [i64; FIELDS.len()], count: usize) -> Result<Option<Record>, FaultKind> {
        if Record::PARTIAL.contains(&fields[STATUS]) {
            self.partial += 1;
            return Ok(None);
        }
        let record = record(fields)?;
        if self.records == self.limits.records.get() {
            return Err(FaultKind::Limit { what: "jobs", limit: self.limits.records.get() });
        }
        self.records += 1;
        if count > FIELDS.len() {
            self.extended.lines += 1;
            self.extended.fields = self.extended.fields.max(count);
        }
        Ok(Some(record))
    }
}

impl Reader<'_> {
    /// Reads the next line, whatever it holds; nothing if that is no record, or nothing is left.
    fn any_line(&mut self) -> Option<Result<Record, FaultKind>> {
        match self.next_line() {
            Ok(false) => {
                self.ended = true;
                None
            }
            Ok(true) => match self.bytes.trim_ascii_start().first()? {
                b';' => self.comment().err().map(Err),
                _ => self.record().transpose(),
            },
            Err(kind) => Some(Err(kind)),
        }
    }
}

impl Iterator for Reader<'_> {
    type Item = Result<Record, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            let plain = self.plain_fields();
            self.line += 1;
            let line = self.line;
            let item = match plain {
                Ok(Some(fields)) => self.judged(fields, FIELDS.len()).transpose(),
                Ok(None) => self.any_line(),
                Err(kind) => Some(Err(kind)),
            };
            let Some(item) = item else { continue };
            self.ended = item.as_ref().is_err_and(FaultKind::is_end);
            return Some(item.map_err(|kind| Fault { line, kind }));
        }
        None
    }
}

/// The fields of a line, and how many the line has.
fn fields(line: &[u8]) -> Result<([i64; FIELDS.len()], usize), FaultKind> {
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
    if count < FIELDS.len() {
        return Err(FaultKind::Fields(count));
    }
    if let Some((field, word)) = wrong {
        return Err(FaultKind::NotANumber { field, text: shortened(word) });
    }
    Ok((fields, count))
}

/// The record of a line's fields.
fn record(fields: [i64; FIELDS.len()]) -> Result<Record, FaultKind> {
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

fn unreadable(error: io::Error, limit: u64) -> FaultKind {
    match error.get_ref().is_some_and(|inner| inner.is::<Exceeded>()) {
        true => FaultKind::Limit { what: "bytes of text", limit },
        false => FaultKind::Unreadable(error.to_string()),
    }
}

fn shortened(word: &str) -> String {
    word.chars().take(20).collect()
}
