//! A connected grid in numbers.

mod jobs;
mod nodes;

pub use jobs::{Fate, JobOutcome, job_outcomes};
pub use nodes::{NodeUse, Use, node_use};

use crate::sim::{Cause, Event, GridTrace, Reason, Remedy};
use crate::units::{Span, Time};
use crate::workload::GridWorld;

/// One number of a run: what it is, in which unit, and how much; nothing if there was nothing to measure.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    /// What was measured.
    pub name: String,
    /// The unit, for axes; empty for none.
    pub unit: &'static str,
    /// The number.
    pub value: Option<f64>,
}

/// The numbers of a whole run.
///
/// Jobs that are still under way at the end count neither as a success nor as a failure.
pub fn grid_totals(world: &GridWorld, trace: &GridTrace, outcomes: &[JobOutcome]) -> Vec<Measure> {
    let mut measures = Vec::new();
    let mut add = |name: &str, unit: &'static str, value: Option<f64>| {
        measures.push(Measure { name: name.to_string(), unit, value });
    };
    let finished: Vec<&JobOutcome> = outcomes.iter().filter(|job| job.fate == Fate::Finished).collect();
    let failed = |reason| outcomes.iter().filter(|job| job.fate == Fate::Failed(reason)).count() as f64;
    let failures: f64 = Reason::ALL.into_iter().map(failed).sum();
    let decided = finished.len() as f64 + failures;
    add("jobs submitted", "per run", Some(outcomes.iter().filter(|job| job.fate != Fate::Unborn).count() as f64));
    add("jobs finished", "per run", Some(finished.len() as f64));
    add("success ratio", "share of jobs", (decided > 0.0).then(|| finished.len() as f64 / decided));
    for reason in Reason::ALL {
        add(&format!("jobs {}", reason.name()), "per run", Some(failed(reason)));
    }
    let left = outcomes.iter().filter(|job| matches!(job.fate, Fate::Queued | Fate::Placed)).count();
    add("jobs under way at the end", "per run", Some(left as f64));
    add("wait", "time units", mean(finished.iter().filter_map(|job| job.wait())));
    add("slowdown", "ratio", mean(finished.iter().filter_map(|job| job.slowdown())));
    add("job cost", "money units", mean(finished.iter().map(|job| job.cost)));
    add("owners' income", "money units", Some(finished.iter().map(|job| job.cost).sum()));
    add("makespan", "time units", finished.iter().filter_map(|job| job.finish).max().map(Time::as_f64));
    add("fairness", "Jain's index", fairness(world.users.len(), &finished));
    let whole = node_use(world, trace, trace.end - Time::ZERO);
    for (kind, share) in Use::ALL.into_iter().zip(whole.shares) {
        add(kind.name(), "share of all node time", share.first().copied());
    }
    add("load forecast", "share of all node time", Some(whole.forecast));
    add("load in fact", "share of all node time", Some(whole.fact));
    collisions(trace, &mut add);
    measures
}

fn collisions(trace: &GridTrace, add: &mut impl FnMut(&str, &'static str, Option<f64>)) {
    let met = |wanted: &dyn Fn(Cause, Remedy) -> bool| {
        let fits = |what: &Event| matches!(*what, Event::Collided(_, cause, remedy) if wanted(cause, remedy));
        Some(trace.entries.iter().filter(|entry| fits(&entry.what)).count() as f64)
    };
    let unplanned = trace.entries.iter().filter(|entry| matches!(entry.what, Event::Unplanned(_))).count();
    add("windows without a plan", "per run", Some(unplanned as f64));
    add("collisions", "per run", met(&|_, _| true));
    for of in Cause::ALL {
        add(&format!("collisions with {}", of.name()), "per run", met(&|cause, _| cause == of));
    }
    for by in Remedy::ALL {
        add(&format!("collisions {}", by.name()), "per run", met(&|_, remedy| remedy == by));
    }
}

/// How many jobs wait in the queue, on average over each step.
pub fn waiting_over_time(world: &GridWorld, trace: &GridTrace, step: Span) -> Vec<f64> {
    let steps = nodes::steps(trace.end, step);
    let mut waiting = vec![0.0; steps];
    let mut is_queued = vec![false; world.jobs.len()];
    let (mut length, mut since) = (0u64, Time::ZERO);
    let mut until = |now: Time, length: u64| {
        nodes::spread(since, now, step, |at, share| waiting[at] += share * length as f64);
        since = now;
    };
    for entry in &trace.entries {
        let (job, queued) = match entry.what {
            Event::Submitted(job) | Event::Postponed(job) => (job, true),
            Event::Held(piece, ..) => (piece.job, false),
            Event::GaveUp(job, _) => (job, false),
            _ => continue,
        };
        if is_queued[job.index()] != queued {
            until(entry.time, length);
            is_queued[job.index()] = queued;
            length = if queued { length + 1 } else { length - 1 };
        }
    }
    until(trace.end, length);
    nodes::per_step(waiting, trace.end, step)
}

/// Jain's index of the users' mean slowdowns: 1 if all are served alike, 1/n if one of n bears it all.
fn fairness(users: usize, finished: &[&JobOutcome]) -> Option<f64> {
    let mut sums = vec![(0.0, 0u32); users];
    for job in finished {
        if let Some(slowdown) = job.slowdown() {
            let (sum, jobs) = &mut sums[job.user as usize];
            (*sum, *jobs) = (*sum + slowdown, *jobs + 1);
        }
    }
    let means: Vec<f64> = sums.iter().filter(|(_, jobs)| *jobs > 0).map(|(sum, jobs)| sum / f64::from(*jobs)).collect();
    let (sum, squares) = means.iter().fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
    (squares > 0.0).then(|| sum * sum / (means.len() as f64 * squares))
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0u64), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / count as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fairness_is_one_among_equals_and_falls_to_one_over_n() {
        let job = |user, finish| JobOutcome {
            user,
            submit: Time::ZERO,
            start: Some(Time::from_units(finish - 1)),
            finish: Some(Time::from_units(finish)),
            ..JobOutcome::default()
        };
        let (a, b, c) = (job(0, 4), job(1, 4), job(1, 12));
        assert_eq!(fairness(2, &[&a, &b]), Some(1.0));
        // Mean slowdowns 4 and 8: 144 / (2 * 80).
        assert_eq!(fairness(2, &[&a, &b, &c]), Some(0.9));
        assert_eq!(fairness(2, &[]), None);
    }
}
