//! A log as a whole.

use super::{Fault, FaultKind, Header, Reader, Record};
use std::io::{self, Read};

/// How many faults are kept word by word; the rest is only counted.
const KEPT: usize = 10;

/// A log in memory: its good records in order of submission, and what was wrong with the others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Log {
    /// What the log says about itself.
    pub header: Header,
    /// In order of submission; jobs of one second stay in the order of the file.
    pub records: Vec<Record>,
    /// What was wrong.
    pub faults: Faults,
}

/// What was wrong with a log.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Faults {
    /// Lines that were left out.
    pub skipped: u64,
    /// Records that were moved to their place in the order of submission.
    pub moved: u64,
    /// The first few faults.
    pub first: Vec<Fault>,
}

impl Faults {
    /// The number of all faults.
    pub fn count(&self) -> u64 {
        self.skipped + self.moved
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

impl Log {
    /// Reads plain or compressed text to its end.
    pub fn read(input: impl Read) -> io::Result<Self> {
        let mut reader = Reader::new(input)?;
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
                Err(fault) => log.faults.add(fault),
            }
        }
        log.header = reader.header().clone();
        log.records.sort_by_key(|record| record.submit);
        Ok(log)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
            "line 10: 19 fields instead of 18",
            "line 11: field 2 (submit time) is \"nan\", which is not a number",
        ];
        assert_eq!(said(text.as_bytes()), expected);
        let log = Log::read(text.as_bytes()).unwrap();
        assert_eq!(log.records.iter().map(|record| record.job).collect::<Vec<_>>(), [5, 1]);
        assert_eq!((log.faults.skipped, log.faults.moved), (7, 1));
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
        let cut = Log::read(&whole[..whole.len() / 2]).unwrap();
        assert!((100..5000).contains(&cut.records.len()));
        let fault = cut.faults.first[0].to_string();
        assert!(fault.contains("reading fails from here on"), "{fault}");
        assert_eq!(cut.faults.skipped, 1);
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
