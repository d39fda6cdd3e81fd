//! Table I of file 003 under another reading of its model, in which tasks share PEs.
//!
//! Without constraint (4), x may be any share. Let it be the share of a PE that a task gets: with T its runtime on a
//! whole PE and d the time that its user leaves, (7) holds from x = T / d on. Then (1) charges c * T * x = c * T * T /
//! d for a task and (2) counts T / d PEs. Said otherwise, a PE takes d / T tasks one after another and is charged for
//! one runtime.
//!
//! This is a cost, not a plan. It charges less than the PEs are used for, gives a job fewer PEs than (3) asks for, and
//! can't be carried out; so it is no [`Broker`](super::Broker), leaves no leases, and nothing judges it but a general
//! solver in the tests. It is here because it brings most numbers of Table I at once, which the model as printed can't.
//!
//! With w = (tasks of j on i) * size / d the model is a [transportation problem](super::transport): job j sends
//! m * size / d, resource i takes n * v, and a unit costs c * size / (v * v).

use super::Round;
use super::cost_table::NEVER;
use super::transport::{TransportProblem, cheapest_flow};
use crate::engine::Stop;
use crate::model::{Resource, UserJob};
use crate::units::{Money, Overflow, Performance, Price, Rounding, TICKS_PER_UNIT, runtime_at};

/// The optimum of a round under this reading.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SharedCost {
    /// The cost of what is placed.
    pub cost: Money,
    /// The jobs that are placed to their last task.
    pub jobs: usize,
    /// The tasks that are placed, parts of tasks included.
    pub tasks: f64,
}

/// The least cost of a round whose tasks share PEs; [`Overflow`] if it can't be added up.
///
/// Every pair of a job and a resource must keep the deadline with a whole PE from now on, as in the model as printed,
/// and the budget if the whole job went there.
pub fn shared_cost(round: &Round<'_>, stop: &Stop) -> Result<SharedCost, Overflow> {
    let placed = placed_by_job(round, stop)?;
    let cost: i128 = placed.iter().map(|job| job.cost).sum();
    Ok(SharedCost {
        cost: Money::from_ticks(narrow(cost / i128::from(TICKS_PER_UNIT))?),
        jobs: placed.iter().filter(|job| job.is_whole).count(),
        tasks: placed.iter().map(|job| job.tasks).sum(),
    })
}

/// What the optimum places of a job.
struct PlacedShare {
    /// In millionths of ticks.
    cost: i128,
    is_whole: bool,
    tasks: f64,
}

/// The optimum, job by job.
fn placed_by_job(round: &Round<'_>, stop: &Stop) -> Result<Vec<PlacedShare>, Overflow> {
    let slowest = round.resources.iter().map(|resource| resource.speed).min().unwrap_or(Performance::from_units(1));
    let jobs = &round.jobs;
    let pairs = jobs.iter().flat_map(|job| round.resources.iter().map(move |resource| (job, resource)));
    let flow_of = |&free: &u32, resource: &Resource| u64::from(free) * resource.speed.ticks() as u64;
    let amounts = TransportProblem {
        demand: jobs.iter().map(|job| demand(job, job.tasks)).collect::<Result<_, _>>()?,
        room: round.free.iter().zip(round.resources).map(|(free, resource)| flow_of(free, resource)).collect(),
        // As dear as the dummy's price on the slowest resource: no real resource is left out for its cost.
        dummy: jobs.iter().map(|job| unit_cost(job, slowest, round.dummy_price)).collect::<Result<_, _>>()?,
        costs: pairs.map(|(job, resource)| pair_cost(round, job, resource)).collect::<Result<_, _>>()?,
        stop,
    };
    let placed = |(job, shares): (usize, &Vec<(usize, u64)>)| {
        let amount: u64 = shares.iter().map(|&(_, amount)| amount).sum();
        let costs = &amounts.costs[job * amounts.room.len()..];
        let cost = |&(resource, amount): &(usize, u64)| i128::from(costs[resource]) * i128::from(amount);
        PlacedShare {
            cost: shares.iter().map(cost).sum(),
            is_whole: amount == amounts.demand[job],
            tasks: f64::from(jobs[job].tasks) * amount as f64 / amounts.demand[job].max(1) as f64,
        }
    };
    Ok(cheapest_flow(&amounts).shares.iter().enumerate().map(placed).collect())
}

fn narrow(wide: i128) -> Result<i64, Overflow> {
    i64::try_from(wide).ok().filter(|&narrow| narrow < i64::MAX / 8).ok_or(Overflow)
}

/// PEs of speed 1 that so many tasks need from submission to their deadline, in millionths.
fn demand(job: &UserJob, tasks: u32) -> Result<u64, Overflow> {
    let allowed = i128::from((job.deadline - job.arrival).ticks().max(1));
    let work = i128::from(job.size.ticks()) * i128::from(tasks) * i128::from(TICKS_PER_UNIT);
    Ok(narrow(work / allowed)?.unsigned_abs())
}

/// The cost of a PE of speed 1, at a resource of this speed and price.
fn unit_cost(job: &UserJob, speed: Performance, price: Price) -> Result<i64, Overflow> {
    let speed = i128::from(speed.ticks().max(1));
    narrow(i128::from(price.ticks()) * i128::from(job.size.ticks()) * i128::from(TICKS_PER_UNIT) / (speed * speed))
}

/// The same where the job can go, or [`NEVER`].
fn pair_cost(round: &Round<'_>, job: &UserJob, resource: &Resource) -> Result<i64, Overflow> {
    let price = resource.prices.get(job.user).copied().unwrap_or(Price::MAX);
    let finish = runtime_at(job.size, resource.speed, Rounding::Tick).and_then(|time| round.now.checked_add(time).ok());
    if finish.is_none_or(|finish| finish > job.deadline) {
        return Ok(NEVER);
    }
    let cost = unit_cost(job, resource.speed, price)?;
    let whole = i128::from(cost) * i128::from(demand(job, job.tasks)?) / i128::from(TICKS_PER_UNIT);
    Ok(if whole <= i128::from(job.budget.ticks()) { cost } else { NEVER })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broker::tests::{small_rounds, with_round};
    use microlp::{ComparisonOp, OptimizationDirection, Problem, SolveOutcome};
    use proptest::prelude::*;

    /// The model as the head of this file writes it, in tasks and shares of PEs, by a general solver: what all jobs
    /// cost with what the dummy takes at `dummy` per task.
    fn by_solver(round: &Round<'_>, dummy: impl Fn(&UserJob) -> f64) -> f64 {
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        let mut rooms = vec![Vec::new(); round.resources.len()];
        for job in &round.jobs {
            let allowed = (job.deadline - job.arrival).as_f64();
            let tasks = f64::from(job.tasks);
            let mut own = vec![(problem.add_var(dummy(job), (0.0, tasks)), 1.0)];
            for (room, resource) in rooms.iter_mut().zip(round.resources) {
                let runtime = job.size.as_f64() / resource.speed.as_f64();
                let cost = resource.prices[0].as_f64() * runtime * (runtime / allowed);
                if runtime <= (job.deadline - round.now).as_f64() + 1e-9 && tasks * cost <= job.budget.as_f64() {
                    let variable = problem.add_var(cost, (0.0, tasks));
                    own.push((variable, 1.0));
                    room.push((variable, runtime / allowed));
                }
            }
            problem.add_constraint(own, ComparisonOp::Eq, tasks);
        }
        for (room, &free) in rooms.into_iter().zip(&round.free) {
            problem.add_constraint(room, ComparisonOp::Le, f64::from(free));
        }
        let SolveOutcome::Solution(solution) = problem.solve().expect("solved") else { panic!("interrupted") };
        solution.objective()
    }

    proptest! {
        #[test]
        fn it_is_what_a_general_solver_finds(case in small_rounds(6, 4)) {
            with_round(&case, |round| {
                let found = shared_cost(round, Stop::NEVER).expect("numbers are small");
                // What is left over costs as on the slowest resource.
                let slowest = round.resources.iter().map(|resource| resource.speed.as_f64()).fold(f64::INFINITY, f64::min);
                let slowest = if slowest.is_finite() { slowest } else { 1.0 };
                let dummy = |job: &UserJob| {
                    let runtime = job.size.as_f64() / slowest;
                    round.dummy_price.as_f64() * runtime * (runtime / (job.deadline - job.arrival).as_f64())
                };
                let optimum = by_solver(round, dummy);
                let placed = placed_by_job(round, Stop::NEVER).expect("numbers are small");
                let left = |(job, placed): (&UserJob, &PlacedShare)| {
                    let left = f64::from(job.tasks) - placed.tasks;
                    assert!(left >= -1e-9 && (left <= 1e-9) == placed.is_whole, "{left}");
                    left * dummy(job)
                };
                // Each job has a price of its own for what is left of it, so that a wrong cost can't hide behind it.
                let total = found.cost.as_f64() + round.jobs.iter().zip(&placed).map(left).sum::<f64>();
                assert!((total - optimum).abs() <= 1e-4 * optimum + 1e-3, "{total} {optimum} {found:?}");
                assert!((found.tasks - placed.iter().map(|job| job.tasks).sum::<f64>()).abs() < 1e-9);
                assert_eq!(found.jobs, placed.iter().filter(|job| job.is_whole).count());
            });
        }
    }

    #[test]
    fn a_pe_takes_as_many_tasks_as_fit_before_the_deadline() {
        // Runtimes of 50 within 200: four tasks to a PE, each charged a quarter of 50 * 4.
        let case = crate::broker::tests::Case { resources: vec![(1, 10, 40)], jobs: vec![(4, 50, 300_000, 200)] };
        with_round(&case, |round| {
            let found = shared_cost(round, Stop::NEVER).unwrap();
            assert_eq!((found.cost, found.jobs, found.tasks), (Money::from_units(200), 1, 4.0));
        });
    }
}
