//! The jobs of a log that can be replayed.

use crate::queueing::RigidJob;
use crate::units::{Span, Time};
use crate::workload::swf::{LogRules, Record, Touched};

/// The jobs of a log that can be replayed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selection {
    /// The jobs, in the order of the records.
    pub jobs: Vec<RigidJob>,
    /// The place of each job among the records.
    pub records: Vec<u32>,
    /// The effects of the rules.
    pub touched: Touched,
}

/// Applies the rules to records in order of submission, for a machine of `nodes` processors.
///
/// ```
/// use gridloom::sim::{LogRules, select};
/// use gridloom::workload::swf::Record;
///
/// let selection = select(&[Record::new(1, 0, 90, 4, 60), Record::new(2, 5, 10, 99, 60)], 8, LogRules::default());
/// assert_eq!((selection.jobs.len(), selection.touched.cut, selection.touched.too_wide), (1, 1, 1));
/// ```
pub fn select(records: &[Record], nodes: u32, rules: LogRules) -> Selection {
    let mut selection = Selection::default();
    selection.jobs.reserve_exact(records.len());
    selection.records.reserve_exact(records.len());
    for (index, record) in records.iter().enumerate() {
        if let Some(job) = selection.touched.judge(record, nodes, rules) {
            selection.jobs.push(RigidJob {
                submit: Time::from_units(job.submit),
                processors: job.processors,
                estimate: Span::from_units(job.estimate),
                runtime: Span::from_units(job.runtime),
            });
            selection.records.push(index as u32);
        }
    }
    selection
}
