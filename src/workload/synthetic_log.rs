//! The jobs of a synthetic log as those of a flow.

use super::files::listed;
use super::swf::{LogRules, Touched};
use super::{DrawError, ListedJobs, Lublin};
use crate::units::Overflow;

/// The jobs of a log that is drawn, by the same rules as those of a log that is read.
pub(super) fn draw_log(log: Lublin, seconds: f64) -> Result<ListedJobs, DrawError> {
    let records = log.draw();
    let begins = records.first().map_or(0, |record| record.submit);
    let mut touched = Touched::default();
    let kept = records.iter().filter_map(|record| touched.judge(record, log.nodes, LogRules::default()));
    let jobs = kept.map(|job| listed(&job, begins, seconds).map_err(|_| Overflow.into()));
    Ok(ListedJobs { jobs: jobs.collect::<Result<_, DrawError>>()? })
}
