//! A connected grid in numbers.

mod batch_systems;
mod jobs;
mod nodes;

pub use batch_systems::SentJob;
pub use jobs::{Fate, JobOutcome, job_outcomes};
pub use nodes::{DomainUse, NodeUse, Use, UsedDomain};

use super::{Better, MONEY, Metric, TIME};
use crate::model::{Interval, JobId};
use crate::policy::WhyUnplanned;
use crate::sim::{Cause, Ending, Event, GridEntry, Loss, Observer, Reason, Remedy};
use crate::units::{Span, Time};
use crate::workload::GridWorld;
use batch_systems::SentJobs;
use jobs::Stories;
use nodes::NodeTime;
use std::collections::BTreeMap;

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
    /// Those of them that were sent to a batch system.
    pub sent: Vec<Option<SentJob>>,
}

/// Works out the numbers of a run while it happens: memory grows with the world, not with what happens in it.
pub struct GridMetrics<'w> {
    world: &'w GridWorld,
    scope: Scope,
    stories: Stories,
    sent: SentJobs,
    whole: NodeTime,
    stepwise: NodeTime,
    queue: QueueLength,
    counts: Counts,
}

impl<'w> GridMetrics<'w> {
    /// The numbers of a run of `world`, those over time by `step`; runtimes below `slowdown_bound` count as that in the
    /// bounded slowdown. What is told of limits is left out for policies without.
    pub fn new(world: &'w GridWorld, step: Span, slowdown_bound: Span, has_limits: bool) -> Self {
        Self::within(world.measured, world, step, slowdown_bound, has_limits)
    }

    /// The same for a part of the measured interval: the jobs that were submitted in it, and the use of nodes in it.
    pub fn within(
        measured: Interval,
        world: &'w GridWorld,
        step: Span,
        slowdown_bound: Span,
        has_limits: bool,
    ) -> Self {
        let (users, nodes) = (world.users.len(), world.nodes.len());
        Self {
            world,
            scope: Scope { measured, slowdown_bound, users, nodes },
            stories: Stories::new(world),
            sent: SentJobs(vec![None; world.jobs.len()]),
            whole: NodeTime::new(world, measured, measured.span()),
            stepwise: NodeTime::new(world, measured, step),
            queue: QueueLength::new(world, measured, step),
            counts: Counts { unmet: has_limits.then_some(0), lost: LostWork::new(world), ..Counts::default() },
        }
    }

    /// The metrics of the whole run, as they are declared.
    pub fn declared() -> Vec<Metric> {
        let nothing = NodeUse { shares: Default::default(), forecast: 0.0, fact: 0.0 };
        let measured = Interval::new(Time::ZERO, Time::ZERO);
        let scope = Scope { measured, slowdown_bound: Span::ZERO, users: 0, nodes: 0 };
        let totals = totals(&scope, &[], nothing, &Counts::default());
        let waits = batch_systems::measures(&scope, &[], &[], &[]);
        totals.into_iter().chain(waits).map(|measure| measure.metric).collect()
    }

    /// The numbers, once the run is over.
    pub fn finish(self) -> GridFigures {
        let Self { world, scope, stories, sent: SentJobs(sent), whole, stepwise, queue, counts } = self;
        let outcomes = stories.outcomes;
        let mut totals = totals(&scope, &outcomes, whole.finish(), &counts);
        totals.extend(batch_systems::measures(&scope, &world.jobs, &outcomes, &sent));
        GridFigures { totals, node_use: stepwise.finish(), waiting: queue.finish(), outcomes, sent }
    }
}

impl Observer for GridMetrics<'_> {
    fn note(&mut self, entry: &GridEntry) {
        self.stories.note(entry);
        self.sent.note(entry);
        self.whole.note(entry);
        self.stepwise.note(entry);
        self.queue.note(entry);
        self.counts.note(entry, self.scope.measured);
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

/// The numbers of a whole run: each metric is declared where it is computed, and nowhere else. Jobs count if they were
/// submitted in the measured interval, and each of them is finished, failed for one reason, or undecided.
fn totals(scope: &Scope, outcomes: &[JobOutcome], whole: NodeUse, counts: &Counts) -> Vec<Measure> {
    let mut measures = Vec::new();
    let mut add = |metric: Metric, value: Option<f64>| measures.push(Measure { metric, value });
    let measured = || outcomes.iter().filter(|job| scope.measured.contains(job.submit));
    let finished = || measured().filter(|job| job.fate == Fate::Finished);
    let done = finished().count() as f64;
    let failed = |reason| measured().filter(|job| job.fate == Fate::Failed(reason)).count() as f64;
    let all = measured().count() as f64;
    add(
        count("jobs submitted", "Jobs that were submitted in the measured interval: those that are measured."),
        Some(all),
    );
    add(count("jobs finished", "Measured jobs that were done in time.").better(Better::More), Some(done));
    add(
        Metric::new("success ratio", "share of jobs", "Measured jobs that were done in time, of all measured jobs.")
            .within(0.0, 1.0)
            .better(Better::More),
        (all > 0.0).then(|| done / all),
    );
    for reason in Reason::ALL {
        let name = format!("jobs {}", reason.name());
        let meaning = format!("Measured jobs that failed: {}.", reason.name());
        let metric = count("jobs failed", "").called(name).meaning_that(meaning);
        add(metric.better(Better::Less), Some(failed(reason)));
    }
    let undecided = measured().filter(|job| matches!(job.fate, Fate::Queued | Fate::Placed)).count();
    let meaning = "Measured jobs that waited or ran when the run ended.";
    add(count("jobs undecided", meaning).better(Better::Less), Some(undecided as f64));
    let wait = "From submission to the start of the first task whose work was not lost, over finished jobs.";
    add(
        Metric::new("wait", TIME, wait).at_least(0.0).better(Better::Less),
        mean(finished().filter_map(|job| job.wait())),
    );
    let slowdown = "Time from submission to the end over time from start to end, over finished jobs.";
    add(
        Metric::new("slowdown", "ratio", slowdown).at_least(1.0).better(Better::Less),
        mean(finished().filter_map(|job| job.slowdown())),
    );
    let bounded = "The slowdown with a runtime of at least `slowdown_bound`, over finished jobs.";
    add(
        Metric::new("bounded slowdown", "ratio", bounded).at_least(1.0).better(Better::Less),
        mean(finished().filter_map(|job| job.bounded_slowdown(scope.slowdown_bound))),
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
            "Jain's index of the users' mean bounded slowdowns: 1 if all are served alike.",
        )
        .within(0.0, 1.0)
        .better(Better::More),
        fairness(scope, finished()),
    );
    let idle = whole.shares[Use::Idle as usize].first().copied();
    let down = whole.shares[Use::Down as usize].first().copied();
    for (kind, share) in Use::ALL.into_iter().zip(&whole.shares) {
        add(kind.metric(), share.first().copied());
    }
    let busy = "Node time taken by tasks of owners and of jobs, of all time in which nodes were up.";
    add(
        Metric::new("utilisation", "share of node time up", busy).within(0.0, 1.0),
        idle.zip(down).filter(|(_, down)| *down < 1.0).map(|(idle, down)| (1.0 - idle - down) / (1.0 - down)),
    );
    add(share("load forecast", "Node time reserved for the tasks that were done."), Some(whole.forecast));
    add(share("load in fact", "Node time for which the tasks that were done ran."), Some(whole.fact));
    counts.tell(scope, &mut add);
    measures
}

/// The jobs and the time that are measured.
#[derive(Debug, Clone)]
struct Scope {
    measured: Interval,
    slowdown_bound: Span,
    users: usize,
    nodes: usize,
}

/// The counts of things that happened. Collisions and promises count from the beginning of the measured interval to its
/// end; work is lost to the reason for which it was lost in the end.
#[derive(Default)]
struct Counts {
    /// By reason, in the order of their list.
    unplanned: [u64; WhyUnplanned::ALL.len()],
    by_heft: u64,
    /// By cause and remedy, in the order of their lists.
    collisions: [[u64; Remedy::ALL.len()]; Cause::ALL.len()],
    /// Cycles whose limit could not be met; nothing for a policy without limits.
    unmet: Option<u64>,
    promises: u64,
    breaches: u64,
    /// The promise to each job that has one.
    promised: BTreeMap<JobId, Time>,
    lost: LostWork,
}

impl Counts {
    fn note(&mut self, entry: &GridEntry, measured: Interval) {
        self.lost.note(entry, measured);
        let counts = u64::from(measured.contains(entry.time));
        match entry.what {
            Event::Unplanned(_, why) => self.unplanned[why as usize] += counts,
            Event::PlannedByHeft(_) => self.by_heft += counts,
            Event::Collided(_, cause, remedy) => self.collisions[cause as usize][remedy as usize] += counts,
            Event::LimitUnmet => *self.unmet.get_or_insert(0) += counts,
            Event::Promised(job, start) => {
                self.promises += counts;
                let before = self.promised.insert(job, start);
                self.breaches += counts * u64::from(before.is_some_and(|before| start > before));
            }
            Event::Held(piece, interval, _) => {
                let promise = self.promised.remove(&piece.job);
                self.breaches += counts * u64::from(promise.is_some_and(|start| interval.start > start));
            }
            Event::GaveUp(job, _) => _ = self.promised.remove(&job),
            _ => {}
        }
    }

    fn tell(&self, scope: &Scope, add: &mut impl FnMut(Metric, Option<f64>)) {
        let met = |wanted: &dyn Fn(Cause, Remedy) -> bool| {
            let pairs = Cause::ALL.into_iter().flat_map(|cause| Remedy::ALL.map(|remedy| (cause, remedy)));
            let wanted = pairs.filter(|&(cause, remedy)| wanted(cause, remedy));
            Some(wanted.map(|(cause, remedy)| self.collisions[cause as usize][remedy as usize]).sum::<u64>() as f64)
        };
        let bad = |name, meaning| count(name, meaning).better(Better::Less);
        let node_time = scope.nodes as f64 * scope.measured.span().as_f64();
        for loss in Loss::ALL {
            let meaning = format!("Node time of work that was lost to {}: broken off, or done in vain.", loss.name());
            let metric = share("work lost", "").called(format!("work lost to {}", loss.name())).meaning_that(meaning);
            let lost = self.lost.by_loss[loss as usize] / node_time;
            add(metric.better(Better::Less), Some(lost.clamp(0.0, 1.0)));
        }
        add(
            count("promises", "Starts that the policy promised to jobs, first ones and new ones."),
            Some(self.promises as f64),
        );
        let broken = "Promises that were put off, or kept too late.";
        add(bad("promises broken", broken), Some(self.breaches as f64));
        // Without windows, those are workflows for which no domain had a plan.
        let unplanned = "Times that tasks found no place in their window, or in any domain without windows.";
        add(bad("windows without a plan", unplanned), Some(self.unplanned.iter().sum::<u64>() as f64));
        for why in WhyUnplanned::ALL {
            let metric = bad("windows without a plan", "").called(format!("windows without a plan: {}", why.name()));
            let meaning = match why {
                WhyUnplanned::NoTime => "Those without time for any plan before deadline and end of the window.",
                WhyUnplanned::NotFound => "Those in which no plan was found, though there may be one.",
                WhyUnplanned::TooExpensive => "Those whose plan would have cost more than the job may.",
            };
            add(metric.meaning_that(meaning), Some(self.unplanned[why as usize] as f64));
        }
        let by_heft = "Workflows that HEFT planned, because the critical jobs method found no plan.";
        add(count("plans by HEFT instead", by_heft), Some(self.by_heft as f64));
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

/// Node time that went into work which was lost, inside the measured interval. Work may be lost after it was done: that
/// of a job that gives up, or begins anew.
#[derive(Default)]
struct LostWork {
    by_loss: [f64; Loss::ALL.len()],
    /// The node time that went into each job and is not lost so far.
    kept: Vec<f64>,
    /// When the task that runs on each node was started.
    started: Vec<Time>,
}

impl LostWork {
    fn new(world: &GridWorld) -> Self {
        let started = vec![Time::ZERO; world.nodes.len()];
        Self { by_loss: [0.0; Loss::ALL.len()], kept: vec![0.0; world.jobs.len()], started }
    }

    fn note(&mut self, entry: &GridEntry, measured: Interval) {
        match entry.what {
            Event::Started(piece, ..) => self.started[piece.node.index()] = entry.time,
            Event::Ended(piece, ending) => {
                let start = self.started[piece.node.index()];
                let ran = |until: Time| Interval::new(start, until).clip(measured).span().as_f64();
                self.kept[piece.job.index()] += match ending {
                    Ending::Done => ran(entry.time),
                    Ending::Broken(loss, saved) => {
                        self.by_loss[loss as usize] += ran(entry.time) - ran(start + saved);
                        ran(start + saved)
                    }
                };
            }
            Event::Lost(job, loss) => self.by_loss[loss as usize] += std::mem::take(&mut self.kept[job.index()]),
            _ => {}
        }
    }
}

/// The number of jobs that wait in the queue, as time passes.
struct QueueLength {
    measured: Interval,
    step: Span,
    /// Jobs times time, by step.
    waiting: Vec<f64>,
    is_queued: Vec<bool>,
    length: u64,
    since: Time,
}

impl QueueLength {
    fn new(world: &GridWorld, measured: Interval, step: Span) -> Self {
        Self {
            measured,
            step,
            waiting: vec![0.0; nodes::steps(measured, step)],
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
        let passed = Interval::new(self.since, now);
        nodes::spread(passed, self.measured, self.step, |at, share| waiting[at] += share * *length as f64);
        self.since = now;
    }

    fn finish(mut self) -> Vec<f64> {
        self.until(self.measured.end);
        nodes::per_step(self.waiting, self.measured, self.step)
    }
}

/// Jain's index of the users' mean slowdowns: 1 if all are served alike, 1/n if one of n bears it all.
fn fairness<'a>(scope: &Scope, finished: impl Iterator<Item = &'a JobOutcome>) -> Option<f64> {
    let mut sums = vec![(0.0, 0u32); scope.users];
    for job in finished {
        if let Some(slowdown) = job.bounded_slowdown(scope.slowdown_bound) {
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
        let measured = Interval::new(Time::ZERO, Time::from_units(20));
        let scope = Scope { measured, slowdown_bound: Span::ZERO, users: 2, nodes: 1 };
        assert_eq!(fairness(&scope, [a, b].iter()), Some(1.0));
        // Mean slowdowns 4 and 8: 144 / (2 * 80).
        assert_eq!(fairness(&scope, [a, b, c].iter()), Some(0.9));
        assert_eq!(fairness(&scope, [].iter()), None);
    }
}
