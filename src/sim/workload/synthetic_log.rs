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
    Ok(ListedJobs { jobs: jobs.collect::<Result<_, DrawError>>()?, notes: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawn_log_keeps_sizes_and_times_in_its_unit() {
        let log = Lublin { jobs: 500, nodes: 64, load: 0.7, seed: 2 };
        let (records, listed) = (log.draw(), draw_log(log, 60.0).unwrap());
        assert_eq!(listed.jobs.len(), records.len());
        for (job, record) in listed.jobs.iter().zip(&records) {
            assert_eq!(job.nodes.get() as i64, record.allocated);
            let near = |minutes: f64, seconds: i64| (60.0 * minutes - seconds as f64).abs() < 0.001;
            assert!(near(job.submit.as_f64(), record.submit - records[0].submit), "{job:?}");
            assert!(near(job.length.as_f64(), record.requested_time), "{job:?}");
            let actual = job.length.as_f64() * job.actual.get();
            assert!(near(actual, record.runtime.min(record.requested_time)), "{job:?} {record:?}");
        }
        let beyond = draw_log(log, 1e-9);
        assert!(beyond.is_err(), "{beyond:?}");
    }
}
