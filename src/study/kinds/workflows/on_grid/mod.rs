//! Jobs of a planning study as runs of the connected grid: the same tasks, nodes, owners and intervals.
//!
//! A planning study asks whether a job has a plan. Here the plan is reserved on a grid and executed event by event, with
//! actual runtimes and with owners who may come unannounced. Where neither deviates from what was planned with, the
//! execution is the plan: that is a law, and tested.

mod no_length;
mod policy;
mod record;

pub(super) use record::GridRun;

use super::Workflows;
use super::planning::{Attempt, WorkflowJob};
use crate::check::check_grid;
use crate::model::{CostLimit, Dag, Domain, Interval, Job, JobId, Node, NodeId, Request, Task, TaskId};
use crate::policy::{Acts, BatchScope};
use crate::queueing::Order;
use crate::rng::{Stream, Streams};
use crate::sim::{Ending, Event, GridRules, GridTrace, simulate_grid};
use crate::study::RunError;
use crate::study::replicate::Trial;
use crate::units::{Money, Overflow, Performance, Power, Price, Span, Time, Volume};
use crate::workflow::Method;
use crate::workload::{GridWorld, OwnerTask, RuntimeRule, estimate};
use no_length::{Sent, done_at_once};
use policy::ApplicationLevel;
use std::collections::BTreeMap;

/// The speed of the fastest nodes on the grid. Speeds are whole numbers of ticks: with one that is so high, a task takes
/// the time on nodes of all types that it takes in the study, to a tick.
const SPEED: i64 = 1_000_000;

/// A job that is submitted to the grid when its interval begins.
struct GridJob<'a> {
    dag: &'a Dag,
    /// From the submission to the deadline.
    interval: Interval,
    /// By task: the actual runtime as a share of the estimate.
    actual: Vec<f64>,
    /// Decides between equal nodes, as in the study.
    ties: Stream,
}

/// The nodes of a study and the way in which it plans jobs.
pub(super) struct GridSetting<'a> {
    pub(super) spec: &'a Workflows,
    /// Owners have their tasks in the interval of this job, on the nodes of all; with several jobs there are none.
    pub(super) first: &'a WorkflowJob,
    pub(super) method: Method,
    pub(super) trial: &'a Trial<'a>,
}

/// The story of a job on the grid.
pub(super) struct GridFacts {
    /// What planning it came to when it was submitted; nothing if there was no time to plan it.
    pub(super) first: Option<Attempt>,
    /// When it was done; nothing if it was not done in its interval.
    pub(super) finish: Option<Time>,
    /// The cost of its tasks, each on the node where it was done.
    pub(super) cost: Money,
    /// The time for which its tasks were on nodes, work that was lost included.
    pub(super) busy: Span,
    /// The number of times that a task met something its plan had not reckoned with.
    pub(super) collisions: u32,
}

/// Runs jobs, in the order of their submission, on the grid; their stories in the same order.
pub(super) fn run_on_grid(
    run: &GridRun,
    setting: &GridSetting<'_>,
    jobs: &[(&Dag, Interval)],
    streams: &Streams,
) -> Result<Vec<GridFacts>, RunError> {
    let job = |(index, &(dag, interval)): (u64, &(_, Interval))| {
        let mut stream = streams.member("runtimes", index);
        let mut actual = || match (&run.actual, &setting.spec.flow) {
            (Some(actual), _) => actual.sample(&mut stream),
            (None, Some(flow)) => flow.runtime_factor.sample(&mut stream),
            (None, None) => 1.0,
        };
        let actual = Dag::tasks(dag).iter().map(|_| actual()).collect();
        GridJob { dag, interval, actual, ties: streams.member("ties", index) }
    };
    let jobs: Vec<GridJob<'_>> = (0..).zip(jobs).map(job).collect();
    let sent: Vec<Sent> = jobs.iter().map(|job| Sent::of(job.dag, setting.spec.transfers)).collect();
    let on_grid: Vec<Option<GridJob<'_>>> = sent.iter().zip(&jobs).map(|(sent, job)| sent.job(job)).collect();
    let is_sent: Vec<bool> = on_grid.iter().map(Option::is_some).collect();
    let on_grid: Vec<GridJob<'_>> = on_grid.into_iter().flatten().collect();
    let world = world(run, setting, &on_grid, streams)?;
    let rules = rules(run, setting, &world, &on_grid);
    let mut policy = ApplicationLevel::new(setting, &world, &on_grid);
    let trace = simulate_grid(&world, &rules, &mut policy, setting.trial.stop())?;
    check_grid(&world, &rules, &trace)?;
    let mut stories = stories(policy, &trace)?.into_iter();
    let story = |(job, is_sent): (&GridJob<'_>, bool)| if is_sent { stories.next() } else { Some(done_at_once(job)) };
    Ok(jobs.iter().zip(is_sent).filter_map(story).collect())
}

/// The world of the jobs.
fn world(
    run: &GridRun,
    setting: &GridSetting<'_>,
    jobs: &[GridJob<'_>],
    streams: &Streams,
) -> Result<GridWorld, RunError> {
    let (spec, domain, owners) = (&setting.spec.domain, &setting.first.domain, setting.first.interval);
    let mut times: Vec<Vec<Span>> = Vec::with_capacity(jobs.len());
    for job in jobs {
        let time = |task: &Task| estimate(spec, task.volume, 1.0);
        times.push(job.dag.tasks().iter().map(time).collect::<Result<_, _>>()?);
    }
    let longest = times.iter().flatten().copied().max().unwrap_or(Span::ZERO).max(Span::from_ticks(1));
    let speed = (Volume::REACH.ticks() / longest.ticks()).clamp(1, SPEED);
    let node = |(index, slower): (usize, &f64)| Node {
        name: format!("node {}", index + 1),
        // Rounded up, or times that are whole numbers of ticks would become longer by one.
        performance: Performance::from_ticks(libm::ceil(Performance::from_units(speed).ticks() as f64 / slower) as i64),
        price: Price::ZERO,
        power: Power::ZERO,
    };
    let nodes: Vec<Node> = domain.slower.iter().enumerate().map(node).collect();
    let owner = |(node, free): (usize, &Vec<Interval>)| -> Result<Vec<OwnerTask>, RunError> {
        let mut notices = streams.member("notice", node as u64);
        let mut announced = |start: Time| -> Result<Time, RunError> {
            let Some(notice) = &run.notice else { return Ok(Time::ZERO) };
            let notice = Span::from_f64(notice.sample(&mut notices))?;
            Ok(start.checked_sub(notice)?.max(Time::ZERO))
        };
        let gaps = std::iter::once(owners.start).chain(free.iter().map(|free| free.end));
        let gaps = gaps.zip(free.iter().map(|free| free.start).chain([owners.end]));
        let tasks = gaps.map(|(start, end)| Interval::new(start, end)).filter(|interval| !interval.is_empty());
        tasks.map(|interval| Ok(OwnerTask { announced: announced(interval.start)?, interval })).collect()
    };
    let owners = domain.free.iter().enumerate().map(owner).collect::<Result<_, _>>()?;
    let mut submitted = Vec::with_capacity(jobs.len());
    for (index, (job, times)) in jobs.iter().zip(times).enumerate() {
        let volume = |time: Span| Volume::from_ticks(time.ticks().saturating_mul(speed));
        let of = |(task, time): (&Task, Span)| Task { name: task.name.clone(), volume: volume(time) };
        let tasks = job.dag.tasks().iter().zip(times).map(of).collect();
        // The same tasks and edges are a job again.
        let Ok(dag) = Dag::new(tasks, job.dag.edges().to_vec()) else { return Err(Overflow.into()) };
        submitted.push(submit(index, job, dag, nodes.len()));
    }
    let last = |of: fn(&GridJob<'_>) -> Time| jobs.iter().map(of).max().unwrap_or(Time::ZERO);
    let end = last(|job| job.interval.end).checked_add(Span::from_units(1))?;
    if end > Time::REACH {
        return Err(Overflow.into());
    }
    Ok(GridWorld {
        domains: vec![Domain { name: "domain".into(), first: NodeId(0), nodes: nodes.len() }],
        systems: vec![None],
        outages: vec![Vec::new(); nodes.len()],
        users: vec!["user".into()],
        measured: Interval::new(Time::ZERO, last(|job| job.interval.start).checked_add(Span::from_ticks(1))?),
        nodes,
        owners,
        jobs: submitted,
        end,
    })
}

/// A job as its user submits it.
fn submit(index: usize, job: &GridJob<'_>, dag: Dag, nodes: usize) -> Job {
    Job {
        user: 0,
        arrival: job.interval.start,
        request: Request {
            name: format!("job {}", index + 1),
            nodes,
            length: job.interval.span().max(Span::from_ticks(1)),
            min_performance: Performance::from_ticks(1),
            max_price: Price::ZERO,
            deadline: Some(job.interval.end),
        },
        workflow: Some(Box::new(dag)),
        strategy: None,
        actual: job.actual.clone(),
        home: None,
    }
}

fn rules(run: &GridRun, setting: &GridSetting<'_>, world: &GridWorld, jobs: &[GridJob<'_>]) -> GridRules {
    let longest = jobs.iter().map(|job| job.interval.span()).max().unwrap_or(Span::ZERO);
    GridRules {
        policy: setting.method.name().into(),
        // No cycles but the first: the policy is asked on events.
        period: world.end - Time::ZERO,
        interval: longest.max(Span::from_ticks(1)),
        batch: usize::MAX,
        attempts: u32::MAX,
        acts: Acts::Events,
        seeks_windows: false,
        order: Order::Arrival,
        rank: [0.0; 4],
        rule: RuntimeRule::Reference,
        limit: CostLimit::PerSlot,
        scope: BatchScope::Grid,
        displacement: run.displacement,
        overrun: run.overrun,
        transfers: setting.spec.transfers,
        pricing: None,
        limits: setting.trial.limits(),
    }
}

/// The stories of all jobs.
fn stories(policy: ApplicationLevel<'_>, trace: &GridTrace) -> Result<Vec<GridFacts>, RunError> {
    let estimates = (0..policy.first.len() as u32).map(|job| policy.estimates(JobId(job)));
    let estimates = estimates.collect::<Result<Vec<_>, _>>()?;
    let blank = |first| GridFacts { first, finish: None, cost: Money::ZERO, busy: Span::ZERO, collisions: 0 };
    let mut facts: Vec<GridFacts> = policy.first.into_iter().map(blank).collect();
    // The start of the task that runs on each node.
    let mut running = BTreeMap::new();
    for entry in &trace.entries {
        match entry.what {
            Event::Started(piece, ..) => {
                running.insert(piece.node, entry.time);
            }
            Event::Ended(piece, ending) => {
                let started = running.get(&piece.node).copied().unwrap_or(entry.time);
                let story = &mut facts[piece.job.index()];
                story.busy = story.busy.checked_add(entry.time - started)?;
                if ending == Ending::Done {
                    let cost = estimates[piece.job.index()].cost(TaskId(piece.task), piece.node);
                    story.cost = story.cost.checked_add(cost)?;
                }
            }
            // The job begins again, and does not pay for what is lost.
            Event::Lost(job, _) => facts[job.index()].cost = Money::ZERO,
            Event::Collided(piece, ..) => facts[piece.job.index()].collisions += 1,
            Event::Finished(job) => facts[job.index()].finish = Some(entry.time),
            _ => {}
        }
    }
    Ok(facts)
}
