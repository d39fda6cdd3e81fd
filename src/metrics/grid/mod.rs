//! A connected grid in numbers.

mod jobs;
mod nodes;

pub use jobs::{Fate, JobOutcome, job_outcomes};
pub use nodes::{DomainUse, NodeUse, Use, UsedDomain};

use crate::model::JobId;
use crate::sim::{Cause, Event, GridEntry, Observer, Reason, Remedy};
use crate::units::{Span, Time};
use crate::workload::GridWorld;
use jobs::Stories;
use nodes::NodeTime;

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

/// A run of a connected grid in numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct GridFigures {
    /// The numbers of the whole run.
    pub totals: Vec<Measure>,
    /// How the time of all nodes was used, step by step. The last step may be shorter.
    pub node_use: NodeUse,
    /// How many jobs waited in the queue, on average over each step.
    pub waiting: Vec<f64>,
    /// The stories of all jobs, in order of submission.
    pub outcomes: Vec<JobOutcome>,
}

/// Works out the numbers of a run while it happens: memory grows with the world, not with what happens in it.
pub struct GridMetrics<'w> {
    world: &'w GridWorld,
    stories: Stories,
    whole: NodeTime,
    stepwise: NodeTime,
    queue: QueueLength,
    counts: Counts,
}

impl<'w> GridMetrics<'w> {
    /// The numbers of a run of `world`, those over time by `step`. What is told of limits is left out for policies without.
    pub fn new(world: &'w GridWorld, step: Span, has_limits: bool) -> Self {
        Self {
            world,
            stories: Stories::new(world),
            whole: NodeTime::new(world, world.end - Time::ZERO),
            stepwise: NodeTime::new(world, step),
            queue: QueueLength::new(world, step),
            counts: Counts { unmet: has_limits.then_some(0), ..Counts::default() },
        }
    }

    /// The numbers, once the run is over.
    pub fn finish(self) -> GridFigures {
        let Self { world, stories, whole, stepwise, queue, counts } = self;
        let outcomes = stories.outcomes;
        let totals = totals(world.users.len(), &outcomes, whole.finish(), &counts);
        GridFigures { totals, node_use: stepwise.finish(), waiting: queue.finish(), outcomes }
    }
}

impl Observer for GridMetrics<'_> {
    fn note(&mut self, entry: &GridEntry) {
        self.stories.note(entry);
        self.whole.note(entry);
        self.stepwise.note(entry);
        self.queue.note(entry);
        self.counts.note(&entry.what);
    }

    fn postponed(&mut self, time: Time, jobs: &[JobId]) {
        for &job in jobs {
            let entry = GridEntry { time, what: Event::Postponed(job) };
            self.stories.note(&entry);
            self.queue.note(&entry);
        }
    }
}

/// The numbers of a whole run.
///
/// Jobs that are still under way at the end count neither as a success nor as a failure.
fn totals(users: usize, outcomes: &[JobOutcome], whole: NodeUse, counts: &Counts) -> Vec<Measure> {
    let mut measures = Vec::new();
    let mut add = |name: &str, unit: &'static str, value: Option<f64>| {
        measures.push(Measure { name: name.to_string(), unit, value });
    };
    let finished = || outcomes.iter().filter(|job| job.fate == Fate::Finished);
    let done = finished().count() as f64;
    let failed = |reason| outcomes.iter().filter(|job| job.fate == Fate::Failed(reason)).count() as f64;
    let failures: f64 = Reason::ALL.into_iter().map(failed).sum();
    let decided = done + failures;
    add("jobs submitted", "per run", Some(outcomes.iter().filter(|job| job.fate != Fate::Unborn).count() as f64));
    add("jobs finished", "per run", Some(done));
    add("success ratio", "share of jobs", (decided > 0.0).then(|| done / decided));
    for reason in Reason::ALL {
        add(&format!("jobs {}", reason.name()), "per run", Some(failed(reason)));
    }
    let left = outcomes.iter().filter(|job| matches!(job.fate, Fate::Queued | Fate::Placed)).count();
    add("jobs under way at the end", "per run", Some(left as f64));
    add("wait", "time units", mean(finished().filter_map(|job| job.wait())));
    add("slowdown", "ratio", mean(finished().filter_map(|job| job.slowdown())));
    add("job cost", "money units", mean(finished().map(|job| job.cost)));
    add("owners' income", "money units", Some(finished().map(|job| job.cost).sum()));
    add("makespan", "time units", finished().filter_map(|job| job.finish).max().map(Time::as_f64));
    add("fairness", "Jain's index", fairness(users, finished()));
    for (kind, share) in Use::ALL.into_iter().zip(whole.shares) {
        add(kind.name(), "share of all node time", share.first().copied());
    }
    add("load forecast", "share of all node time", Some(whole.forecast));
    add("load in fact", "share of all node time", Some(whole.fact));
    counts.tell(&mut add);
    measures
}

/// How often things happened that are counted.
#[derive(Default)]
struct Counts {
    unplanned: u64,
    /// By cause and remedy, in the order of their lists.
    collisions: [[u64; Remedy::ALL.len()]; Cause::ALL.len()],
    /// Cycles whose limit could not be met; nothing for a policy without limits.
    unmet: Option<u64>,
}

impl Counts {
    fn note(&mut self, what: &Event) {
        match *what {
            Event::Unplanned(_) => self.unplanned += 1,
            Event::Collided(_, cause, remedy) => self.collisions[cause as usize][remedy as usize] += 1,
            Event::LimitUnmet => *self.unmet.get_or_insert(0) += 1,
            _ => {}
        }
    }

    fn tell(&self, add: &mut impl FnMut(&str, &'static str, Option<f64>)) {
        let met = |wanted: &dyn Fn(Cause, Remedy) -> bool| {
            let pairs = Cause::ALL.into_iter().flat_map(|cause| Remedy::ALL.map(|remedy| (cause, remedy)));
            let wanted = pairs.filter(|&(cause, remedy)| wanted(cause, remedy));
            Some(wanted.map(|(cause, remedy)| self.collisions[cause as usize][remedy as usize]).sum::<u64>() as f64)
        };
        add("windows without a plan", "per run", Some(self.unplanned as f64));
        add("collisions", "per run", met(&|_, _| true));
        for of in Cause::ALL {
            add(&format!("collisions with {}", of.name()), "per run", met(&|cause, _| cause == of));
        }
        for by in Remedy::ALL {
            add(&format!("collisions {}", by.name()), "per run", met(&|_, remedy| remedy == by));
        }
        add("cycles whose limit could not be met", "per run", self.unmet.map(|unmet| unmet as f64));
    }
}

/// How many jobs wait in the queue, as time passes.
struct QueueLength {
    end: Time,
    step: Span,
    /// Jobs times time, by step.
    waiting: Vec<f64>,
    is_queued: Vec<bool>,
    length: u64,
    since: Time,
}

impl QueueLength {
    fn new(world: &GridWorld, step: Span) -> Self {
        Self {
            end: world.end,
            step,
            waiting: vec![0.0; nodes::steps(world.end, step)],
            is_queued: vec![false; world.jobs.len()],
            length: 0,
            since: Time::ZERO,
        }
    }

    fn note(&mut self, entry: &GridEntry) {
        let (job, queued) = match entry.what {
            Event::Submitted(job) | Event::Postponed(job) => (job, true),
            Event::Held(piece, ..) => (piece.job, false),
            Event::GaveUp(job, _) => (job, false),
            _ => return,
        };
        if self.is_queued[job.index()] != queued {
            self.until(entry.time);
            self.is_queued[job.index()] = queued;
            self.length = if queued { self.length + 1 } else { self.length - 1 };
        }
    }

    fn until(&mut self, now: Time) {
        let Self { waiting, length, .. } = self;
        nodes::spread(self.since, now, self.step, |at, share| waiting[at] += share * *length as f64);
        self.since = now;
    }

    fn finish(mut self) -> Vec<f64> {
        self.until(self.end);
        nodes::per_step(self.waiting, self.end, self.step)
    }
}

/// Jain's index of the users' mean slowdowns: 1 if all are served alike, 1/n if one of n bears it all.
fn fairness<'a>(users: usize, finished: impl Iterator<Item = &'a JobOutcome>) -> Option<f64> {
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
        assert_eq!(fairness(2, [a, b].iter()), Some(1.0));
        // Mean slowdowns 4 and 8: 144 / (2 * 80).
        assert_eq!(fairness(2, [a, b, c].iter()), Some(0.9));
        assert_eq!(fairness(2, [].iter()), None);
    }
}
