//! Waits in batch systems: of local and of global jobs, and how well they were predicted.

use super::{Fate, JobOutcome, Measure, Scope, mean};
use crate::metrics::{Better, MONEY, Metric, TIME};
use crate::model::Job;
use crate::sim::{Event, GridEntry};
use crate::units::Time;

/// A job that the metascheduler sent to a batch system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SentJob {
    /// The position of the domain.
    pub domain: u32,
    /// The start that was predicted when it was sent.
    pub predicted: Option<Time>,
    /// When it first started.
    pub started: Option<Time>,
}

/// The jobs that were sent, as that happens.
#[derive(Debug)]
pub(super) struct SentJobs(pub(super) Vec<Option<SentJob>>);

impl SentJobs {
    pub(super) fn note(&mut self, entry: &GridEntry) {
        match entry.what {
            Event::Sent(job, domain, predicted) => {
                self.0[job.index()] = Some(SentJob { domain, predicted, started: None });
            }
            Event::Started(piece, ..) => {
                if let Some(sent) = &mut self.0[piece.job.index()] {
                    sent.started.get_or_insert(entry.time);
                }
            }
            _ => {}
        }
    }
}

/// The metrics of the measured jobs; without local jobs, or without jobs that were sent, there is nothing to measure.
pub(super) fn measures(scope: &Scope, jobs: &[Job], outcomes: &[JobOutcome], sent: &[Option<SentJob>]) -> Vec<Measure> {
    let is_measured = |outcome: &JobOutcome| scope.measured.contains(outcome.submit);
    let has_local = jobs.iter().any(|job| job.home.is_some());
    let finished = |is_local: bool| {
        let of = jobs.iter().zip(outcomes).filter(move |(job, _)| has_local && job.home.is_some() == is_local);
        of.map(|(_, outcome)| outcome).filter(move |outcome| outcome.fate == Fate::Finished && is_measured(outcome))
    };
    let wait = |is_local: bool| mean(finished(is_local).filter_map(|outcome| outcome.wait()));
    let predictions = || {
        let sent = outcomes.iter().zip(sent).filter_map(|(outcome, sent)| Some((outcome, sent.as_ref()?)));
        sent.filter(|(outcome, _)| is_measured(outcome)).filter_map(|(outcome, sent)| {
            let wait = |start: Time| (start - outcome.submit).as_f64();
            Some((wait(sent.predicted?), wait(sent.started?)))
        })
    };
    let time = |name, meaning| Metric::new(name, TIME, meaning);
    let waited = |name, meaning| time(name, meaning).at_least(0.0).better(Better::Less);
    let measure = |metric, value| Measure { metric, value };
    vec![
        measure(
            waited("wait of local jobs", "From submission to start, over finished jobs of local flows."),
            wait(true),
        ),
        measure(
            waited("wait of global jobs", "From submission to start, over finished global jobs beside local ones."),
            wait(false),
        ),
        measure(
            Metric::new("cost of global jobs", MONEY, "What a finished global job paid, where there are local ones.")
                .at_least(0.0)
                .better(Better::Less),
            mean(finished(false).map(|outcome| outcome.cost)),
        ),
        measure(
            time(
                "predicted wait",
                "From submission to the start predicted when a job was sent, over those that started.",
            )
            .at_least(0.0),
            mean(predictions().map(|(predicted, _)| predicted)),
        ),
        measure(
            waited("error of predicted waits", "The absolute difference of predicted and actual wait, over such jobs."),
            mean(predictions().map(|(predicted, actual)| (predicted - actual).abs())),
        ),
        measure(
            time("bias of predicted waits", "Predicted less actual wait, over such jobs: above 0, jobs start earlier."),
            mean(predictions().map(|(predicted, actual)| predicted - actual)),
        ),
    ]
}
