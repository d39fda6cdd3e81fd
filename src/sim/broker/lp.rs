//! The linear program for jobs that may be split (file 003, section IV.A): the model without constraints (4) and (5).
//!
//! Without its budget rows it is a [transportation problem](super::transport), whose optimum is integral. Only where
//! that breaks a budget is the whole program solved by the simplex method.

use super::cost_table::NEVER;
use super::simplex::Simplex;
use super::transport::{Transport, transport};
use super::{Answer, Broker, BrokerError, BrokerPlan, BrokerSetup, BrokerSpec, CostTable};
use crate::model::Grain;
use crate::record;
use crate::rng::Stream;
use crate::units::{Money, TICKS_PER_UNIT};

/// A saving of a task is none below this share of the dearest one.
const TOLERANCE: f64 = 1e-9;
/// The distance from a whole number of tasks up to which the solver's answer counts as whole.
const NEARLY: f64 = 1e-6;

record! {
    /// The linear program for jobs that may be split.
    ///
    /// Splits jobs over resources at the least total cost, where no budget binds. Where one does, the optimum of the
    /// linear program may have parts of tasks: it is rounded down, and what is left goes one task at a time to the
    /// cheapest resource with room, or waits. The plan may then cost more than the cheapest whole one: up to 16 %
    /// more in trials with tight budgets.
    #[derive(Copy, Eq, Default)]
    pub struct Lp;
}

impl BrokerSpec for Lp {
    fn make(&self, _: BrokerSetup) -> Box<dyn Broker + Send + Sync> {
        Box::new(*self)
    }
}

impl Broker for Lp {
    fn name(&self) -> &'static str {
        "lp"
    }

    fn grain(&self) -> Grain {
        Grain::Split
    }

    fn assign(&self, table: &CostTable, _: &mut Stream) -> Result<Answer, BrokerError> {
        let (plan, bound) = split(table)?;
        Ok(Answer { plan, bound: Some(bound), generations: None })
    }
}

/// The cheapest split of the jobs where no budget binds, and the optimum of the linear program.
///
/// Where budgets bind, the optimum may have parts of tasks: they are rounded down and what is left is filled in
/// greedily, so that the plan may cost more than the optimum, and more than the cheapest plan of whole tasks.
pub(super) fn split(table: &CostTable) -> Result<(BrokerPlan, Money), BrokerError> {
    let cheapest = transport(table, |job, resource| table.task_ticks(job, resource));
    let spent = |(job, shares): (usize, &Vec<(usize, u32)>)| {
        let cost = |&(resource, tasks): &(usize, u32)| table.task_ticks(job, resource) * i64::from(tasks);
        shares.iter().map(cost).sum::<i64>() <= table.budget(job)
    };
    if cheapest.shares.iter().enumerate().all(spent) {
        return Ok((BrokerPlan { shares: cheapest.shares }, Money::from_ticks(cheapest.cost)));
    }
    let (amounts, optimum) = solve(table)?;
    Ok((rounded(table, &amounts), optimum))
}

/// The cheapest split over pairs that could take the whole job: the linear relaxation of the problem of whole jobs. Its
/// budgets need no rows, since a mixture of places within the budget is within the budget.
pub(super) fn whole_transport(table: &CostTable) -> Transport {
    let mut costs = vec![NEVER; table.jobs() * table.resources()];
    for job in 0..table.jobs() {
        for &(_, resource) in table.wholes(job) {
            costs[job * table.resources() + resource] = table.task_ticks(job, resource);
        }
    }
    transport(table, |job, resource| costs[job * table.resources() + resource])
}

/// By job: resources with a number of tasks on each that need not be whole.
type Amounts = Vec<Vec<(usize, f64)>>;

/// Tasks by job and resource, and the optimum: a row for the tasks of each job, for its budget and for the room of each
/// resource. What no resource takes goes to the dummy.
pub(super) fn solve(table: &CostTable) -> Result<(Amounts, Money), BrokerError> {
    let units = |ticks: i64| ticks as f64 / TICKS_PER_UNIT as f64;
    let (jobs, resources) = (table.jobs(), table.resources());
    let tasks = (0..jobs).map(|job| (units(table.dummy_ticks(job)), f64::from(table.tasks(job))));
    let budgets = (0..jobs).map(|job| (0.0, units(table.budget(job))));
    let rows: Vec<(f64, f64)> =
        tasks.chain(budgets).chain(table.free().iter().map(|&free| (0.0, f64::from(free)))).collect();
    let dearest = rows.iter().map(|&(cost, _)| cost).fold(1.0, f64::max);
    let mut program = Simplex::new(&rows, TOLERANCE * dearest);
    let mut pairs: Vec<Vec<(usize, usize)>> = Vec::new();
    for job in 0..jobs {
        let mut own = Vec::new();
        for resource in 0..resources {
            let Some(cost) = table.task_cost(job, resource).map(Money::as_f64) else { continue };
            let column = program.add(cost, vec![(job, 1.0), (jobs + job, cost), (2 * jobs + resource, 1.0)]);
            own.push((resource, column));
        }
        pairs.push(own);
    }
    if !program.solve() {
        return Err(BrokerError::Solver("it takes too many steps".into()));
    }
    let found = program.solution();
    let optimum = Money::from_f64(program.cost(&found)).map_err(|error| BrokerError::Solver(error.to_string()))?;
    let amounts = |own: &Vec<(usize, usize)>| own.iter().map(|&(r, column)| (r, found[column])).collect();
    Ok((pairs.iter().map(amounts).collect(), optimum))
}

/// Whole tasks: what the solver gives rounded down, then the rest by cost wherever room and budget are left.
fn rounded(table: &CostTable, amounts: &Amounts) -> BrokerPlan {
    let mut free = table.free().to_vec();
    let mut shares: Vec<Vec<(usize, u32)>> = Vec::new();
    for (job, own) in amounts.iter().enumerate() {
        let mut left = table.budget(job);
        let mut tasks = table.tasks(job);
        let mut share = Vec::new();
        for &(resource, amount) in own {
            let affordable = left / table.task_ticks(job, resource).max(1);
            let amount = (libm::floor(amount + NEARLY) as u32).min(free[resource]).min(tasks);
            let amount = amount.min(u32::try_from(affordable).unwrap_or(u32::MAX));
            if amount > 0 {
                share.push((resource, amount));
                free[resource] -= amount;
                tasks -= amount;
                left -= table.task_ticks(job, resource) * i64::from(amount);
            }
        }
        shares.push(share);
    }
    for &job in table.by_qos() {
        fill(table, job, &mut shares[job], &mut free);
    }
    BrokerPlan { shares }
}

/// Puts what is left of a job on the cheapest resources that have room, one task at a time, within its budget.
fn fill(table: &CostTable, job: usize, share: &mut Vec<(usize, u32)>, free: &mut [u32]) {
    let placed: u32 = share.iter().map(|&(_, tasks)| tasks).sum();
    let spent: i64 = share.iter().map(|&(r, tasks)| table.task_ticks(job, r) * i64::from(tasks)).sum();
    let mut left = table.budget(job) - spent;
    for _ in placed..table.tasks(job) {
        let open = (0..table.resources()).filter(|&r| free[r] > 0 && table.task_ticks(job, r) <= left);
        let open = open.filter(|&r| table.task_cost(job, r).is_some());
        let Some(resource) = open.min_by_key(|&r| table.task_ticks(job, r)) else { return };
        free[resource] -= 1;
        left -= table.task_ticks(job, resource);
        match share.iter_mut().find(|(other, _)| *other == resource) {
            Some((_, tasks)) => *tasks += 1,
            None => share.push((resource, 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broker::tests::{small_rounds, with_cost_table};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_split_is_the_optimum_that_a_general_solver_finds(case in small_rounds(6, 5)) {
            with_cost_table(&case, |table| {
                let (plan, optimum) = split(table).expect("solved");
                let (_, oracle) = solve(table).expect("solved");
                assert!((optimum.as_f64() - oracle.as_f64()).abs() <= 1e-5 * oracle.as_f64().max(1.0), "{optimum} {oracle}");
                assert!(plan.cost(table).as_f64() >= optimum.as_f64() - 1e-5);
                // Budgets can only make it more expensive.
                let free = transport(table, |job, resource| table.task_ticks(job, resource));
                assert!(free.cost <= optimum.ticks() + 10);
            });
        }
    }
}
