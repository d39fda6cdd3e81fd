//! The Standard Workload Format: logs of parallel machines, one job per line, 18 numbers each.
//!
//! Reading goes line by line and never stops at a bad one: a [`Fault`] names its line and what is wrong, and it is up
//! to the caller whether that is the end. Compressed logs are recognised by their content, whatever they are called. A
//! log that breaks off (a compressed file that was cut) or is larger than its [`LogLimits`] is refused as a whole.
//!
//! ```
//! use gridloom::workload::swf::Log;
//!
//! let text = "; MaxProcs: 64\n1 0 -1 30 4 -1 -1 4 60 -1 1 1 1 1 1 -1 -1 -1\n2 10 -1 soon\n";
//! let log = Log::read(text.as_bytes())?;
//! assert_eq!((log.header.processors(), log.records.len(), log.records[0].requested_time), (Some(64), 1, 60));
//! assert_eq!(log.faults.first[0].to_string(), "line 3: 4 fields instead of 18");
//! # Ok::<(), gridloom::workload::swf::LogError>(())
//! ```

pub mod digits;
mod fault;
mod limits;
mod log;
mod reader;
mod rules;
mod writer;

pub use fault::{Fault, FaultKind};
pub use limits::LogLimits;
pub use log::{Faults, Log, LogError};
pub use reader::{Extended, Reader};
pub use rules::rule_counts;
pub use rules::{EstimateRule, LogRules, LoggedJob, MissingRequest, Overrun, ProcessorRule, Touched};
pub use writer::write;

use std::ops::RangeInclusive;

/// The fields of a line, in order.
const FIELDS: [&str; 18] = [
    "job number",
    "submit time",
    "wait time",
    "run time",
    "allocated processors",
    "average CPU time",
    "used memory",
    "requested processors",
    "requested time",
    "requested memory",
    "status",
    "user",
    "group",
    "executable",
    "queue",
    "partition",
    "preceding job",
    "think time",
];

/// Declares a record with the fields of a line in their order.
macro_rules! line {
    ($(#[$about:meta])* $record:ident: $($field:ident,)*) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $record {
            $(pub $field: i64,)*
        }

        impl $record {
            fn from_fields([$($field),*]: [i64; FIELDS.len()]) -> Self {
                Self { $($field),* }
            }

            fn fields(&self) -> [i64; FIELDS.len()] {
                [$(self.$field),*]
            }
        }
    };
}

line! {
    /// One job of a log. Times are in seconds, memory is in kilobytes; -1 stands for unknown.
    #[allow(missing_docs, reason = "the fields are those of the format, by its names")]
    Record:
    job, submit, wait, runtime, allocated, cpu_time, used_memory, requested, requested_time, requested_memory, status, user,
    group, executable, queue, partition, preceding, think_time,
}

impl Record {
    /// The status of a job that was cancelled.
    pub const CANCELLED: i64 = 5;
    /// The status of a line on a part of a job's run, which was swapped out or checkpointed: to be continued, or the last
    /// one, done or failed.
    pub const PARTIAL: RangeInclusive<i64> = 2..=4;

    /// A job of which only these things are known.
    pub fn new(job: i64, submit: i64, runtime: i64, processors: i64, requested_time: i64) -> Self {
        let mut fields = [-1; FIELDS.len()];
        (fields[0], fields[1], fields[3], fields[4]) = (job, submit, runtime, processors);
        (fields[7], fields[8], fields[10]) = (processors, requested_time, 1);
        Self::from_fields(fields)
    }
}

/// A log's description of itself: the comments of the form `; Key: value`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Header {
    /// Keys and values, in order.
    pub entries: Vec<(String, String)>,
}

/// True if a value stands for none, as -1 does throughout the format.
fn is_unknown(value: &str) -> bool {
    value.is_empty() || value == "-1" || value.eq_ignore_ascii_case("unknown")
}

impl Header {
    /// The first value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.entries.iter().find(|(known, _)| known.eq_ignore_ascii_case(key)).map(|(_, value)| value.as_str())
    }

    /// The size of the machine: `MaxProcs`, or else `MaxNodes`. Nothing if there is neither, or it is no number.
    pub fn processors(&self) -> Option<u32> {
        let (_, value) = self.size()?;
        let (number, rest) = value.split_once(char::is_whitespace).unwrap_or((value, ""));
        // `1 024` is no 1.
        let is_whole = !rest.trim_start().starts_with(|next: char| next.is_ascii_digit());
        let number = number.trim_end_matches([',', ';']).parse().ok();
        number.filter(|&size| size > 0 && is_whole)
    }

    /// What the log says of the size of the machine: the key and its value.
    fn size(&self) -> Option<(&'static str, &str)> {
        ["MaxProcs", "MaxNodes"]
            .into_iter()
            .find_map(|key| Some((key, self.get(key).filter(|value| !is_unknown(value))?)))
    }

    /// Why there is no size, in words.
    pub fn no_size(&self) -> String {
        match self.size() {
            Some((key, value)) => format!("the log gives the machine by `{key}: {value}`, which is no number"),
            None => "the log does not say how large the machine is".into(),
        }
    }
}
