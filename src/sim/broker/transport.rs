//! The transportation problem: tasks from jobs to resources at the least total cost, in whole numbers.
//!
//! This is the linear program of file 003, section IV.A, without its budget rows, and the linear relaxation of the
//! problem of whole jobs. It is solved by successive shortest paths: jobs come one by one, and each sends its tasks
//! along the cheapest path of free places and of places that earlier jobs could leave for others. Prices for jobs and
//! resources (dual values) keep all reduced costs at 0 or above, so that Dijkstra's algorithm finds the paths, and
//! prove the optimum: no cost is below the sum of the two prices of a pair, and it is equal wherever tasks go.

use super::CostTable;
use super::cost_table::NEVER;
use crate::engine::Stop;

/// The cheapest transport, with the prices that prove it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Transport {
    /// By job: resources with the number of tasks on each; the rest is on the dummy.
    pub(super) shares: Vec<Vec<(usize, u32)>>,
    /// By job: what one more task would cost, in ticks.
    pub(super) job_price: Vec<i64>,
    /// By resource: what one more PE would save, in ticks; never above 0.
    pub(super) resource_price: Vec<i64>,
    /// The least cost with the dummy's, in ticks.
    pub(super) cost: i64,
}

/// Amounts to be sent from jobs to resources, in any unit.
pub(super) struct TransportProblem<'a> {
    /// By job: what it sends.
    pub(super) demand: Vec<u64>,
    /// By resource: what it can take.
    pub(super) room: Vec<u64>,
    /// By job: the cost of a unit that stays on the dummy, in ticks.
    pub(super) dummy: Vec<i64>,
    /// By job and resource: the cost of a unit in ticks; [`NEVER`] bars a pair.
    pub(super) costs: Vec<i64>,
    /// Ends the search early; what it has found then does not count.
    pub(super) stop: &'a Stop,
}

/// Shares of every job on resources, with the prices of jobs and resources that prove them to be the cheapest.
pub(super) struct Flow {
    /// By job: resources with the amount on each; the rest is on the dummy.
    pub(super) shares: Vec<Vec<(usize, u64)>>,
    job_price: Vec<i64>,
    resource_price: Vec<i64>,
}

/// The cheapest way to send every task of the table along the pairs that `cost` gives; [`NEVER`] bars a pair.
pub(super) fn transport(table: &CostTable, cost: impl Fn(usize, usize) -> i64) -> Transport {
    let (jobs, resources) = (table.jobs(), table.resources());
    let pairs = (0..jobs).flat_map(|job| (0..resources).map(move |resource| (job, resource)));
    let flow = cheapest_flow(&TransportProblem {
        demand: (0..jobs).map(|job| u64::from(table.tasks(job))).collect(),
        room: table.free().iter().map(|&free| u64::from(free)).collect(),
        dummy: (0..jobs).map(|job| table.dummy_ticks(job)).collect(),
        costs: pairs.map(|(job, resource)| cost(job, resource)).collect(),
        stop: table.stop(),
    });
    // No share is above the tasks of its job.
    let whole = |shares: Vec<(usize, u64)>| shares.into_iter().map(|(r, tasks)| (r, tasks as u32)).collect();
    let shares: Vec<Vec<(usize, u32)>> = flow.shares.into_iter().map(whole).collect();
    let job_cost = |(job, shares): (usize, &Vec<(usize, u32)>)| {
        let placed: u32 = shares.iter().map(|&(_, tasks)| tasks).sum();
        let dummy = table.dummy_ticks(job) * i64::from(table.tasks(job) - placed);
        dummy + shares.iter().map(|&(resource, tasks)| cost(job, resource) * i64::from(tasks)).sum::<i64>()
    };
    let cost = shares.iter().enumerate().map(job_cost).sum();
    Transport { shares, job_price: flow.job_price, resource_price: flow.resource_price, cost }
}

/// The cheapest way to send all amounts.
pub(super) fn cheapest_flow(amounts: &TransportProblem<'_>) -> Flow {
    let (jobs, resources) = (amounts.demand.len(), amounts.room.len());
    let mut solver = Solver {
        amounts,
        spare: amounts.room.clone(),
        flow: vec![Vec::new(); resources],
        job_price: amounts.dummy.clone(),
        resource_price: vec![0; resources],
        search: PathSearch::default(),
    };
    for job in 0..jobs {
        let cheapest = amounts.costs[job * resources..][..resources].iter().zip(&solver.resource_price);
        let cheapest = cheapest.filter(|(cost, _)| **cost != NEVER).map(|(&cost, &price)| cost - price).min();
        // No pair may cost less than its two prices, and the dummy bounds what a task is worth.
        solver.job_price[job] = cheapest.map_or(amounts.dummy[job], |cost| cost.min(amounts.dummy[job]));
        let mut left = amounts.demand[job];
        while left > 0 && !amounts.stop.is_set() {
            left -= solver.augment(job, left);
        }
    }
    solver.finish()
}

struct Solver<'a> {
    amounts: &'a TransportProblem<'a>,
    /// By resource: room without a job.
    spare: Vec<u64>,
    /// By resource: jobs with amounts there.
    flow: Vec<Vec<(usize, u64)>>,
    job_price: Vec<i64>,
    resource_price: Vec<i64>,
    search: PathSearch,
}

/// The state of one search for a shortest path.
#[derive(Default)]
struct PathSearch {
    /// By resource: its distance, and the job it is reached from.
    distance: Vec<i64>,
    from: Vec<usize>,
    closed: Vec<bool>,
    /// By job: the resource it is reached through, once it is reached.
    through: Vec<Option<usize>>,
    /// Jobs that are reached, with their distances.
    reached: Vec<(usize, i64)>,
}

/// Where a path ends.
enum End {
    /// At a resource with room to spare.
    Spare(usize),
    /// At the dummy, from this job.
    Dummy(usize),
}

impl Solver<'_> {
    /// Sends up to `most` of `job` along a shortest path; returns how much.
    fn augment(&mut self, job: usize, most: u64) -> u64 {
        let (end, length) = self.shortest_path(job);
        // Whatever is nearer than the end changes its price by the difference. Reduced costs stay at 0 or above, and
        // those along the path become 0, so that the tasks may go there.
        for &(job, distance) in &self.search.reached {
            self.job_price[job] += (length - distance).max(0);
        }
        for (resource, &distance) in self.search.distance.iter().enumerate().filter(|(r, _)| self.search.closed[*r]) {
            self.resource_price[resource] -= (length - distance).max(0);
        }
        // Back along the path: (resource, the job that comes to it); the job that leaves a resource is the one reached
        // through it.
        let (mut steps, mut at) = match end {
            End::Spare(resource) => (vec![(resource, self.search.from[resource])], self.search.from[resource]),
            End::Dummy(last) => (Vec::new(), last),
        };
        let mut amount = match end {
            End::Spare(resource) => most.min(self.spare[resource]),
            End::Dummy(_) => most,
        };
        let mut leavers = Vec::new();
        while at != job {
            let resource = self.search.through[at].expect("every other job is reached through a resource");
            leavers.push((resource, at));
            amount = amount.min(self.flow_of(resource, at));
            at = self.search.from[resource];
            steps.push((resource, at));
        }
        if let End::Spare(resource) = end {
            self.spare[resource] -= amount;
        }
        for (resource, job) in leavers {
            let flow = &mut self.flow[resource];
            let place = flow.iter().position(|&(other, _)| other == job).expect("it has tasks there");
            flow[place].1 -= amount;
            if flow[place].1 == 0 {
                flow.remove(place);
            }
        }
        for (resource, job) in steps {
            let flow = &mut self.flow[resource];
            match flow.iter_mut().find(|(other, _)| *other == job) {
                Some((_, tasks)) => *tasks += amount,
                None => flow.push((job, amount)),
            }
        }
        amount
    }

    fn flow_of(&self, resource: usize, job: usize) -> u64 {
        self.flow[resource].iter().find(|(other, _)| *other == job).map_or(0, |&(_, tasks)| tasks)
    }

    /// Dijkstra's algorithm by reduced costs, which are never negative.
    fn shortest_path(&mut self, start: usize) -> (End, i64) {
        let resources = self.spare.len();
        let search = &mut self.search;
        search.distance.clear();
        search.distance.resize(resources, NEVER);
        search.from.clear();
        search.from.resize(resources, usize::MAX);
        search.closed.clear();
        search.closed.resize(resources, false);
        search.through.clear();
        search.through.resize(self.job_price.len(), None);
        search.reached.clear();
        search.reached.push((start, 0));
        let mut to_dummy = (NEVER, start);
        let mut next = 0;
        loop {
            // Jobs are opened as soon as they are reached: the edge from a resource back to its jobs is free.
            while let Some(&(job, distance)) = search.reached.get(next) {
                next += 1;
                let price = self.job_price[job];
                let length = distance + self.amounts.dummy[job] - price;
                to_dummy = to_dummy.min((length, job));
                let costs = self.amounts.costs[job * resources..].iter().zip(&self.resource_price);
                let ways = search.distance.iter_mut().zip(&mut search.from);
                // Resources that are closed are not farther away than any job that is reached after them.
                for ((&cost, &of_resource), (nearest, from)) in costs.zip(ways) {
                    if cost != NEVER && distance + (cost - price - of_resource) < *nearest {
                        (*nearest, *from) = (distance + (cost - price - of_resource), job);
                    }
                }
            }
            let open = (0..resources).filter(|&r| !search.closed[r] && search.distance[r] < to_dummy.0);
            let Some(nearest) = open.min_by_key(|&r| search.distance[r]) else {
                return (End::Dummy(to_dummy.1), to_dummy.0);
            };
            let distance = search.distance[nearest];
            search.closed[nearest] = true;
            if self.spare[nearest] > 0 {
                return (End::Spare(nearest), distance);
            }
            for &(job, _) in &self.flow[nearest] {
                if job != start && search.through[job].is_none() {
                    search.through[job] = Some(nearest);
                    search.reached.push((job, distance));
                }
            }
        }
    }

    fn finish(self) -> Flow {
        let mut shares = vec![Vec::new(); self.job_price.len()];
        for (resource, flow) in self.flow.iter().enumerate() {
            for &(job, amount) in flow {
                shares[job].push((resource, amount));
            }
        }
        Flow { shares, job_price: self.job_price, resource_price: self.resource_price }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broker::tests::{small_rounds, with_cost_table};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn prices_prove_the_cheapest_transport(case in small_rounds(7, 5)) {
            with_cost_table(&case, |table| {
                let cost = |job, resource| table.task_ticks(job, resource);
                let found = transport(table, cost);
                let mut load = vec![0; table.resources()];
                for (job, shares) in found.shares.iter().enumerate() {
                    for &(resource, tasks) in shares {
                        load[resource] += tasks;
                        assert!(tasks > 0 && cost(job, resource) != NEVER);
                    }
                }
                assert!(load.iter().zip(table.free()).all(|(load, free)| load <= free));
                // Weak duality: any prices like these bound the cost of every transport from below.
                for job in 0..table.jobs() {
                    assert!(found.job_price[job] <= table.dummy_ticks(job));
                    for resource in (0..table.resources()).filter(|&r| cost(job, r) != NEVER) {
                        assert!(found.job_price[job] + found.resource_price[resource] <= cost(job, resource));
                    }
                }
                assert!(found.resource_price.iter().all(|&price| price <= 0));
                let jobs: i64 = (0..table.jobs()).map(|j| found.job_price[j] * i64::from(table.tasks(j))).sum();
                let pes: i64 = found.resource_price.iter().zip(table.free()).map(|(p, &free)| p * i64::from(free)).sum();
                assert_eq!(jobs + pes, found.cost);
            });
        }
    }
}
