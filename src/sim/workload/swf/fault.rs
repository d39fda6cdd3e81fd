//! The faults that a line of a log can have.

use super::FIELDS;
use crate::units::counted;

/// A line that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {kind}")]
pub struct Fault {
    /// The line's number, from 1.
    pub line: u64,
    /// The kind of the fault.
    pub kind: FaultKind,
}

/// The kind of a fault in a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FaultKind {
    /// The line is cut.
    #[error("{} instead of 18", counted(*.0 as u64, "field"))]
    Fields(usize),
    /// A field is not a number.
    #[error("field {} ({}) is {text:?}, which is not a number", .field + 1, FIELDS[*.field])]
    NotANumber {
        /// Its place, from 0.
        field: usize,
        /// The text that stands there, shortened.
        text: String,
    },
    /// A number is too large to be true.
    #[error("field {} ({}) is {value}, more than {limit}", .field + 1, FIELDS[*.field])]
    TooLarge {
        /// Its place, from 0.
        field: usize,
        /// The value.
        value: i64,
        /// The highest value that is allowed.
        limit: i64,
    },
    /// A job can't come before the log begins.
    #[error("the submit time {0} is negative")]
    NegativeSubmit(i64),
    /// The job uses no processors.
    #[error("neither requested ({requested}) nor allocated ({allocated}) processors are a count of one or more")]
    NoProcessors {
        /// The requested number, as the log gives it.
        requested: i64,
        /// The allocated number, as the log gives it.
        allocated: i64,
    },
    /// The jobs of a log stand in the order of their submission; this one does not.
    #[error("the submit time {submit} comes after {previous}")]
    OutOfOrder {
        /// The job's submit time.
        submit: i64,
        /// The latest submit time before it.
        previous: i64,
    },
    /// The line holds bytes that no text has.
    #[error("this is not text")]
    NotText,
    /// The line does not end.
    #[error("the line is longer than {0} bytes")]
    TooLong(usize),
    /// The rest of the log can't be read, for example because a compressed file was cut.
    #[error("reading fails from here on: {0}")]
    Unreadable(String),
    /// The log is larger than it may be.
    #[error("there are more than {limit} {what}")]
    Limit {
        /// The things of which there are too many.
        what: &'static str,
        /// The highest number that is allowed.
        limit: u64,
    },
}

impl FaultKind {
    /// True if nothing after it can be read.
    pub(super) fn is_end(&self) -> bool {
        matches!(self, Self::Unreadable(_) | Self::Limit { .. })
    }
}
