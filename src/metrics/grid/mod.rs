//! A connected grid in numbers.

mod jobs;
mod nodes;

pub use jobs::{Fate, JobOutcome, job_outcomes};
pub use nodes::{DomainUse, NodeUse, Use, UsedDomain};

use super::{Better, MONEY, Metric, TIME};
use crate::model::JobId;
use crate::sim::{Cause, Event, GridEntry, Observer, Reason, Remedy};
use crate::units::{Span, Time};
use crate::workload::GridWorld;
use jobs::Stories;
use nodes::NodeTime;

/// One number of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    /// The metric.
    pub metric: Metric,
    /// Its value; nothing if there was nothing to measure.
    pub value: Option<f64>,
}

/// A run of a connected grid in numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct GridFigures {
    /// The numbers of the whole run.
    pub totals: Vec<Measure>,
    /// The use of the time of all nodes, step by step. The last step may be shorter.
    pub node_use: NodeUse,
    /// The number of jobs that waited in the queue, on average over each step.
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
    /// The numbers of a run of `world`, those over time by `step`. What is told of limits is left out for policies
    /// without.
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

    /// The metrics of the whole run, as they are declared.
    pub fn declared() -> Vec<Metric> {
        let nothing = NodeUse { shares: Default::default(), forecast: 0.0, fact: 0.0 };
        totals(0, &[], nothing, &Counts::default()).into_iter().map(|measure| measure.metric).collect()
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

/// The unit of what is counted over a run.
const PER_RUN: &str = "per run";
/// The unit of shares of the time of all nodes.
const OF_NODE_TIME: &str = "share of all node time";

/// A metric that is counted over a run.
const fn count(name: &'static str, meaning: &'static str) -> Metric {
    Metric::new(name, PER_RUN, meaning).at_least(0.0)
}

/// A share of the time of all nodes.
const fn share(name: &'static str, meaning: &'static str) -> Metric {
    Metric::new(name, OF_NODE_TIME, meaning).within(0.0, 1.0)
}

/// The numbers of a whole run: each metric is declared where it is computed, and nowhere else.
///
/// Jobs that are still under way at the end count neither as a success nor as a failure.
fn totals(users: usize, outcomes: &[JobOutcome], whole: NodeUse, counts: &Counts) -> Vec<Measure> {
    let mut measures = Vec::new();
    let mut add = |metric: Metric, value: Option<f64>| measures.push(Measure { metric, value });
    let finished = || outcomes.iter().filter(|job| job.fate == Fate::Finished);
    let done = finished().count() as f64;
    let failed = |reason| outcomes.iter().filter(|job| job.fate == Fate::Failed(reason)).count() as f64;
    let failures: f64 = Reason::ALL.into_iter().map(failed).sum();
    let decided = done + failures;
    let submitted = outcomes.iter().filter(|job| job.fate != Fate::Unborn).count();
    add(count("jobs submitted", "Jobs that were submitted before the end."), Some(submitted as f64));
    add(count("jobs finished", "Jobs that were done before the end.").better(Better::More), Some(done));
    add(
        Metric::new("success ratio", "share of jobs", "Jobs done in time, of all that were done or failed.")
            .within(0.0, 1.0)
            .better(Better::More),
        (decided > 0.0).then(|| done / decided),
    );
    for reason in Reason::ALL {
        let name = format!("jobs {}", reason.name());
        let meaning = format!("Jobs that failed: {}.", reason.name());
        let metric = count("jobs failed", "").called(name).meaning_that(meaning);
        add(metric.better(Better::Less), Some(failed(reason)));
    }
    let left = outcomes.iter().filter(|job| matches!(job.fate, Fate::Queued | Fate::Placed)).count();
    add(count("jobs under way at the end", "Jobs that waited or ran at the end."), Some(left as f64));
    add(
        Metric::new("wait", TIME, "From submission to the start of the first task, over finished jobs.")
            .at_least(0.0)
            .better(Better::Less),
        mean(finished().filter_map(|job| job.wait())),
    );
    let slowdown = "Time from submission to the end over time from start to end, over finished jobs.";
    add(
        Metric::new("slowdown", "ratio", slowdown).at_least(1.0).better(Better::Less),
        mean(finished().filter_map(|job| job.slowdown())),
    );
    add(
        Metric::new("job cost", MONEY, "What a finished job paid.").at_least(0.0).better(Better::Less),
        mean(finished().map(|job| job.cost)),
    );
    add(
        Metric::new("owners' income", MONEY, "What all finished jobs paid.").at_least(0.0).better(Better::More),
        Some(finished().map(|job| job.cost).sum()),
    );
    add(
        Metric::new("makespan", TIME, "The time at which the last finished job was done.").at_least(0.0),
        finished().filter_map(|job| job.finish).max().map(Time::as_f64),
    );
    add(
        Metric::new(
            "fairness",
            "Jain's index",
            "Jain's index of the users' mean slowdowns: 1 if all are served alike.",
        )
        .within(0.0, 1.0)
        .better(Better::More),
        fairness(users, finished()),
    );
    for (kind, share) in Use::ALL.into_iter().zip(whole.shares) {
        add(kind.metric(), share.first().copied());
    }
    add(share("load forecast", "Node time reserved for the tasks that were done."), Some(whole.forecast));
    add(share("load in fact", "Node time for which the tasks that were done ran."), Some(whole.fact));
    counts.tell(&mut add);
    measures
}

/// The counts of things that happened.
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

    fn tell(&self, add: &mut impl FnMut(Metric, Option<f64>)) {
        let met = |wanted: &dyn Fn(Cause, Remedy) -> bool| {
            let pairs = Cause::ALL.into_iter().flat_map(|cause| Remedy::ALL.map(|remedy| (cause, remedy)));
            let wanted = pairs.filter(|&(cause, remedy)| wanted(cause, remedy));
            Some(wanted.map(|(cause, remedy)| self.collisions[cause as usize][remedy as usize]).sum::<u64>() as f64)
        };
        let bad = |name, meaning| count(name, meaning).better(Better::Less);
        let unplanned = "Windows in which the tasks of their job found no place.";
        add(bad("windows without a plan", unplanned), Some(self.unplanned as f64));
        let collisions = bad("collisions", "Tasks that could not start or go on as planned.");
        add(collisions.clone(), met(&|_, _| true));
        for of in Cause::ALL {
            let metric = collisions.clone().called(format!("collisions with {}", of.name()));
            let meaning = format!("Collisions whose cause was {}.", of.name());
            add(metric.meaning_that(meaning), met(&|cause, _| cause == of));
        }
        for by in Remedy::ALL {
            let metric = collisions.clone().called(format!("collisions {}", by.name()));
            let meaning = format!("Collisions that ended with the task {}.", by.name());
            add(metric.meaning_that(meaning), met(&|_, remedy| remedy == by));
        }
        let unmet = "Cycles in which no choice of windows kept the limit of the batch.";
        add(bad("cycles whose limit could not be met", unmet), self.unmet.map(|unmet| unmet as f64));
    }
}

/// The number of jobs that wait in the queue, as time passes.
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
