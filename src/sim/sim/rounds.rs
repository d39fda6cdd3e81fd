//! Brokering in rounds: what is placed runs, what is not waits for the next round.

use crate::broker::{Broker, BrokerError, CostTable, Round};
use crate::engine::{Stop, Stopped};
use crate::model::{Lease, Resource, UserJob};
use crate::rng::Stream;
use crate::units::{Money, Overflow, Performance, Price, Rounding, Span, Time, runtime_at};

/// The result of a broker on a market.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// The leases of the placed tasks, in order of start.
    pub leases: Vec<Lease>,
    /// The first round in which anything could be placed.
    pub first: Option<FirstRound>,
    /// By job: tasks that were never placed.
    pub left: Vec<u32>,
    /// The cost of leaving them on the dummy resource.
    pub dummy_cost: Money,
}

/// The first round, which is the same for every broker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstRound {
    /// The cost of the plan, with the dummy's price for what it does not place.
    pub cost: Money,
    /// The proved lower bound on the cost of any plan, if the broker proves one.
    pub bound: Option<Money>,
    /// The number of generations that the broker took, if it has any.
    pub generations: Option<u64>,
}

/// Why a session ended early.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SessionError {
    /// A cost left its range.
    #[error(transparent)]
    Overflow(#[from] Overflow),
    /// It was asked to end.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The broker had no answer.
    #[error(transparent)]
    Broker(#[from] BrokerError),
}

/// Runs rounds every `interval` until no job waits that could still meet its deadline, or `stop` is set, which is an
/// error.
pub fn run_rounds(
    resources: &[Resource],
    jobs: &[UserJob],
    (interval, dummy_price): (Span, Price),
    broker: &dyn Broker,
    (stream, stop): (&mut Stream, &Stop),
) -> Result<Session, SessionError> {
    let fastest = resources.iter().map(|resource| resource.speed).max().unwrap_or(Performance::from_ticks(1));
    let mut waiting: Vec<(usize, UserJob)> = jobs.iter().copied().enumerate().collect();
    let mut session = Session {
        leases: Vec::new(),
        first: None,
        left: jobs.iter().map(|job| job.tasks).collect(),
        dummy_cost: Money::ZERO,
    };
    let mut now = Time::ZERO + interval;
    let mut pulse = stop.pulse();
    loop {
        waiting.retain(|(_, job)| {
            let runtime = runtime_at(job.size, fastest, Rounding::Tick);
            job.tasks > 0
                && runtime.is_some_and(|runtime| now.checked_add(runtime).is_ok_and(|end| end <= job.deadline))
        });
        pulse.tell(session.leases.len() as u64, 1.0 - waiting.len() as f64 / jobs.len().max(1) as f64);
        if waiting.is_empty() || interval == Span::ZERO {
            break;
        }
        let present: Vec<usize> = (0..waiting.len()).filter(|&at| waiting[at].1.arrival <= now).collect();
        let round = Round {
            now,
            resources,
            free: free_at(now, resources, &session.leases),
            jobs: present.iter().map(|&at| waiting[at].1).collect(),
            dummy_price,
        };
        let table = CostTable::new(&round)?.until(stop);
        if table.is_open(broker.grain()) {
            let answer = broker.assign(&table, stream)?;
            stop.check()?;
            let cost = answer.plan.cost(&table);
            session.first.get_or_insert(FirstRound { cost, bound: answer.bound, generations: answer.generations });
            for (place, shares) in answer.plan.shares.iter().enumerate() {
                let (job, left) = &mut waiting[present[place]];
                for &(resource, tasks) in shares {
                    let lease = lease(*job, left, resource, &resources[resource], tasks, now)?;
                    left.tasks -= tasks;
                    left.budget -= lease.cost;
                    session.left[*job] -= tasks;
                    session.leases.push(lease);
                }
            }
        }
        now = now.checked_add(interval)?;
    }
    let dummy = |(job, &left): (&UserJob, &u32)| {
        let alone = runtime_at(job.size, Performance::from_units(1), Rounding::Tick).ok_or(Overflow)?;
        let cost = dummy_price.checked_mul(alone)?.ticks().checked_mul(i64::from(left)).ok_or(Overflow)?;
        Ok::<_, Overflow>(Money::from_ticks(cost))
    };
    let costs: Vec<Money> = jobs.iter().zip(&session.left).map(dummy).collect::<Result<_, _>>()?;
    session.dummy_cost = crate::units::sum(costs)?;
    Ok(session)
}

/// The number of PEs of each resource that no lease holds at `now`.
fn free_at(now: Time, resources: &[Resource], leases: &[Lease]) -> Vec<u32> {
    let mut free: Vec<u32> = resources.iter().map(|resource| resource.pes).collect();
    for lease in leases.iter().filter(|lease| lease.start + lease.runtime > now) {
        free[lease.resource] -= lease.tasks;
    }
    free
}

fn lease(
    job: usize,
    what: &UserJob,
    at: usize,
    resource: &Resource,
    tasks: u32,
    start: Time,
) -> Result<Lease, Overflow> {
    let runtime = runtime_at(what.size, resource.speed, Rounding::Tick).ok_or(Overflow)?;
    let task = resource.prices[what.user].checked_mul(runtime)?;
    let cost = Money::from_ticks(task.ticks().checked_mul(i64::from(tasks)).ok_or(Overflow)?);
    Ok(Lease { job, resource: at, tasks, start, runtime, cost })
}
