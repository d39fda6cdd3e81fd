//! A log as a whole.

use super::{Extended, Fault, FaultKind, Header, LogLimits, Reader, Record};
use crate::units::counted;
use std::fmt;
use std::io::{self, Read};

/// The number of faults that are kept word by word; the rest is only counted.
const KEPT: usize = 10;

/// A log in memory: its good records in order of submission, and what was wrong with the others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Log {
    /// The log's description of itself.
    pub header: Header,
    /// In order of submission; jobs of one second stay in the order of the file.
    pub records: Vec<Record>,
    /// The faults that were found.
    pub faults: Faults,
}

/// The faults of a log.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Faults {
    /// Lines that were left out.
    pub skipped: u64,
    /// Records that were moved to their place in the order of submission.
    pub moved: u64,
    /// The first few faults.
    pub first: Vec<Fault>,
    /// Lines with fields after the 18th, which were passed over.
    pub extended: Extended,
    /// Lines on a part of a job's run, which the line of the whole job stands for. The format has them, so that they are no
    /// fault.
    pub partial: u64,
    /// Records with a job number that an earlier line has, as in a log that was put together of two.
    pub repeated: u64,
}

/// A log that can't be read to its end. Half a log is not a shorter log, so there is none.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// Nothing of it can be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Reading broke off.
    #[error("{fault}; {} read until then", were_jobs(*.records))]
    Broken {
        /// Where and why.
        fault: Fault,
        /// The number of jobs that came before.
        records: usize,
    },
}

fn were_jobs(records: usize) -> String {
    if records == 1 { "1 job was".into() } else { format!("{records} jobs were") }
}

/// `3 bad lines, 1 line out of order:` and the first of them, each on a line of its own.
impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Extended { lines, fields } = self.extended;
        if self.count() > 0 {
            let (bad, moved) = (counted(self.skipped, "bad line"), counted(self.moved, "line"));
            write!(f, "{bad}, {moved} out of order:")?;
            self.first.iter().try_for_each(|fault| write!(f, "\n  {fault}"))?;
        }
        match self.count().saturating_sub(self.first.len() as u64) {
            0 => {}
            more => write!(f, "\n  and {more} more")?,
        }
        if lines > 0 {
            let separator = if self.count() > 0 { "\n  " } else { "" };
            match lines {
                1 => write!(f, "{separator}1 line has {fields} fields")?,
                _ => write!(f, "{separator}{lines} lines have up to {fields} fields")?,
            }
            f.write_str(": those after the 18th are ignored")?;
        }
        Ok(())
    }
}

impl Faults {
    /// The number of lines that were left out or moved.
    pub fn count(&self) -> u64 {
        self.skipped + self.moved
    }

    /// True if the log is as the format says.
    pub fn are_none(&self) -> bool {
        self.count() == 0 && self.extended.lines == 0
    }

    fn add(&mut self, fault: Fault) {
        match fault.kind {
            FaultKind::OutOfOrder { .. } => self.moved += 1,
            _ => self.skipped += 1,
        }
        if self.first.len() < KEPT {
            self.first.push(fault);
        }
    }
}

/// The number of records whose job number is not their own.
fn repeated(records: &[Record]) -> u64 {
    if records.is_sorted_by(|a, b| a.job < b.job) {
        return 0;
    }
    let mut jobs: Vec<i64> = records.iter().map(|record| record.job).collect();
    jobs.sort_unstable();
    jobs.windows(2).filter(|pair| pair[0] == pair[1]).count() as u64
}

impl Log {
    /// Reads plain or compressed text to its end.
    pub fn read(input: impl Read) -> Result<Self, LogError> {
        Self::read_within(input, LogLimits::default())
    }

    /// The same with other limits.
    pub fn read_within(input: impl Read, limits: LogLimits) -> Result<Self, LogError> {
        let mut reader = Reader::within(input, limits)?;
        let mut log = Self::default();
        let mut previous = 0;
        while let Some(item) = reader.next() {
            match item {
                Ok(record) => {
                    if record.submit < previous {
                        let kind = FaultKind::OutOfOrder { submit: record.submit, previous };
                        log.faults.add(Fault { line: reader.line(), kind });
                    }
                    previous = previous.max(record.submit);
                    log.records.push(record);
                }
                Err(fault) if fault.kind.is_end() => {
                    return Err(LogError::Broken { fault, records: log.records.len() });
                }
                Err(fault) => log.faults.add(fault),
            }
        }
        log.faults.extended = reader.extended();
        log.faults.partial = reader.partial();
        log.faults.repeated = repeated(&log.records);
        log.header = reader.header().clone();
        if log.faults.moved > 0 {
            log.records.sort_by_key(|record| record.submit);
        }
        Ok(log)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Count;
    use crate::workload::swf::write;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;
    use std::io::Write;

    fn zipped(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn said(bytes: &[u8]) -> Vec<String> {
        Log::read(bytes).unwrap().faults.first.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn each_fault_is_named_with_its_line() {
        let rest = "-1 -1 4 60 -1 1 1 1 1 1 -1 -1 -1";
        let text = format!(
            "; MaxProcs: 8\n\n1 5 -1 30 4 {rest}\n2 6 -1 30\n3 7 -1 x 4 {rest}\n4 -8 -1 30 4 {rest}\n5 4 -1 30 4 {rest}\n\
             6 9 -1 30 0 -1 -1 0 60 -1 1 1 1 1 1 -1 -1 -1\n7 9 -1 30 4000000000 {rest}\n8 9 -1 30 4 {rest} 9\n9 nan -1 3 4 {rest}\n"
        );
        let expected = [
            "line 4: 4 fields instead of 18",
            "line 5: field 4 (run time) is \"x\", which is not a number",
            "line 6: the submit time -8 is negative",
            "line 7: the submit time 4 comes after 5",
            "line 8: neither requested (0) nor allocated (0) processors are a count of one or more",
            "line 9: field 5 (allocated processors) is 4000000000, more than 1000000000",
            "line 11: field 2 (submit time) is \"nan\", which is not a number",
        ];
        assert_eq!(said(text.as_bytes()), expected);
        let log = Log::read(text.as_bytes()).unwrap();
        assert_eq!(log.records.iter().map(|record| record.job).collect::<Vec<_>>(), [5, 1, 8]);
        assert_eq!(
            (log.faults.skipped, log.faults.moved, log.faults.extended),
            (6, 1, Extended { lines: 1, fields: 19 })
        );
    }

    #[test]
    fn parts_of_a_run_are_left_out_and_repeated_numbers_are_counted() {
        let line = |job: i64, submit: i64, status: i64| {
            format!("{job} {submit} -1 30 4 -1 -1 4 60 -1 {status} 1 1 1 1 -1 -1 -1\n")
        };
        // A job that ran in two parts, the later of which has no submission; one that failed; and the first again.
        let text =
            [line(1, 0, 1), line(1, 0, 2), line(1, -1, 3), line(2, 5, 0), line(1, 9, 1), line(3, -1, 4)].concat();
        let log = Log::read(text.as_bytes()).unwrap();
        assert_eq!(log.records.iter().map(|record| record.job).collect::<Vec<_>>(), [1, 2, 1]);
        assert_eq!((log.faults.partial, log.faults.repeated, log.faults.are_none()), (3, 1, true));
    }

    #[test]
    fn a_size_that_is_no_number_is_not_replaced_by_another() {
        let header = |text: &str| Log::read(text.as_bytes()).unwrap().header;
        let size = |text: &str| header(text).processors();
        assert_eq!(size("; MaxProcs: 338, see note\n; MaxNodes: 8\n"), Some(338));
        assert_eq!(size("; MaxProcs: 128;\n"), Some(128));
        assert_eq!(size("; MaxProcs: -1\n; MaxNodes: 8 (of 4)\n"), Some(8));
        for wrong in ["64.0", "1 024", "1,024", "99999999999", "many", "0"] {
            let text = format!("; MaxProcs: {wrong}\n; MaxNodes: 8\n");
            assert_eq!(size(&text), None, "{wrong}");
            assert_eq!(
                header(&text).no_size(),
                format!("the log gives the machine by `MaxProcs: {wrong}`, which is no number")
            );
        }
        assert_eq!(header("; Computer: x\n").no_size(), "the log does not say how large the machine is");
    }

    #[test]
    fn fields_after_the_18th_are_ignored_and_said_once() {
        let plain = "1 0 -1 30 4 -1 -1 4 60 -1 1 1 1 1 1 -1 -1 -1";
        let (three, one) = (format!("{plain} 7 gpu:1 x\n"), format!("{plain} 5\n"));
        let log = Log::read(format!("{three}{one}{three}{plain}\n").as_bytes()).unwrap();
        assert_eq!(log.records, vec![Log::read(plain.as_bytes()).unwrap().records[0]; 4]);
        assert_eq!(log.faults.to_string(), "3 lines have up to 21 fields: those after the 18th are ignored");
        assert!(!log.faults.are_none());
    }

    #[test]
    fn a_byte_order_mark_costs_no_line() {
        let line = "1 0 -1 30 4 -1 -1 4 60 -1 1 1 1 1 1 -1 -1 -1\n";
        for text in [format!("\u{FEFF}{line}{line}"), format!("\u{FEFF}; MaxProcs: 8\n{line}{line}")] {
            let log = Log::read(text.as_bytes()).unwrap();
            assert_eq!((log.records.len(), log.faults.are_none()), (2, true), "{text}");
            assert_eq!(log.header.processors().is_some(), text.contains("MaxProcs"));
        }
    }

    #[test]
    fn what_expands_without_end_is_refused() {
        let said = |text: &str, count: usize, limits: LogLimits| {
            let bomb = zipped(text.repeat(count).as_bytes());
            assert!(bomb.len() < 1_000_000, "{} bytes", bomb.len());
            Log::read_within(&bomb[..], limits).unwrap_err().to_string()
        };
        let line = "1 0 -1 30 4 -1 -1 4 60 -1 1 1 1 1 1 -1 -1 -1\n";
        let comments = said("; Note: more\n", 20_000, LogLimits::default());
        assert_eq!(
            comments,
            "line 10001: there are more than 10000 comments of the form `; Key: value`; 0 jobs were read until then"
        );
        let long = said(&format!("; Note: {}\n", "x".repeat(60_000)), 400, LogLimits::default());
        assert!(long.contains("there are more than 16777216 bytes of comments"), "{long}");
        let records = said(line, 5_000, LogLimits { records: Count::of(3_000), ..LogLimits::default() });
        assert_eq!(records, "line 3001: there are more than 3000 jobs; 3000 jobs were read until then");
        let size = 5_000 * line.len() as u64;
        let bytes = said(line, 5_000, LogLimits { bytes: Count::of(size - 1), ..LogLimits::default() });
        assert!(bytes.contains(&format!("there are more than {} bytes of text", size - 1)), "{bytes}");
        // One line without an end, and blank lines.
        for text in ["x", "\n"] {
            let said = said(text, 3_000_000, LogLimits { bytes: Count::of(1_000_000), ..LogLimits::default() });
            assert!(said.contains("there are more than 1000000 bytes of text"), "{said}");
        }
        let enough = LogLimits { header: Count::ONE, records: Count::of(5_000), bytes: Count::of(size) };
        assert_eq!(Log::read_within(&zipped(line.repeat(5_000).as_bytes())[..], enough).unwrap().records.len(), 5_000);
    }

    #[test]
    fn binary_endless_and_cut_files_are_told_apart() {
        assert_eq!(said(b"\x7fELF\0\x01\n"), ["line 1: this is not text"]);
        assert_eq!(said(&[b'7'; 200_000]), ["line 1: the line is longer than 65536 bytes"]);
        let mut text = Vec::new();
        write(&mut text, &Header::default(), (0..5000).map(|job| Record::new(job, 7 * job, job * job % 977, 3, 99)))
            .unwrap();
        let whole = zipped(&text);
        assert_eq!(Log::read(&whole[..]).unwrap().records.len(), 5000);
        let Err(LogError::Broken { fault, records }) = Log::read(&whole[..whole.len() / 2]) else {
            panic!("it is cut")
        };
        assert!((100..5000).contains(&records));
        // Every line before it held a job.
        assert_eq!(fault.line, records as u64 + 1);
        assert!(matches!(fault.kind, FaultKind::Unreadable(_)), "{fault}");
    }

    #[test]
    fn decimals_are_rounded_and_old_letters_in_comments_are_let_pass() {
        let log = Log::read(&b"; Contact: Andr\xe9\n1 0 -1 29.6 4 3.4 -1 4 60 -1 1 1 1 1 1 -1 -1 -1\r\n"[..]).unwrap();
        assert_eq!((log.records[0].runtime, log.records[0].cpu_time, log.faults.count()), (30, 3, 0));
        assert_eq!(log.header.get("contact"), Some("Andr\u{fffd}"));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(fields in prop::collection::vec(prop::array::uniform18(1i64..1_000_000), 0..20), compress: bool) {
            let mut records: Vec<Record> = fields.into_iter().map(Record::from_fields).collect();
            records.sort_by_key(|record| record.submit);
            let header = Header { entries: vec![("MaxProcs".into(), "1000000".into())] };
            let mut text = Vec::new();
            write(&mut text, &header, records.iter().copied()).unwrap();
            let bytes = if compress { zipped(&text) } else { text };
            prop_assert_eq!(Log::read(&bytes[..]).unwrap(), Log { header, records, faults: Faults::default() });
        }

        #[test]
        fn no_bytes_at_all_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = Log::read(&bytes[..]);
        }
    }
}
