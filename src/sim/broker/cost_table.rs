//! A round, and the round with all its costs worked out.

use crate::engine::Stop;
use crate::model::{Grain, Resource, UserJob};
use crate::units::{Money, Overflow, Performance, Price, Rounding, Span, Time, runtime_at};

/// The cost where a job can't go.
pub(super) const NEVER: i64 = i64::MAX;

/// A broker's view of the market at one instant.
#[derive(Debug, Clone)]
pub struct Round<'a> {
    /// When whatever is placed now starts.
    pub now: Time,
    /// All resources.
    pub resources: &'a [Resource],
    /// By resource: the number of free PEs.
    pub free: Vec<u32>,
    /// The jobs that wait, with the tasks and the budget that are left of them.
    pub jobs: Vec<UserJob>,
    /// The price of the dummy resource per task and unit of time at speed 1.
    pub dummy_price: Price,
}

/// A round with the cost of every job on every resource.
///
/// A job can't go where it would miss its deadline, nor where it would cost as much as on the dummy resource, which is
/// the most expensive of all.
#[derive(Debug, Clone)]
pub struct CostTable {
    jobs: Vec<UserJob>,
    free: Vec<u32>,
    /// By job and resource: the cost of one task in ticks, or [`NEVER`].
    task_cost: Vec<i64>,
    /// By job and resource: the price in ticks.
    price: Vec<i64>,
    /// By job: the cost of one task on the dummy resource, in ticks.
    dummy: Vec<i64>,
    /// By job: where all its tasks fit together within the budget, with their cost, the cheapest first.
    wholes: Vec<Vec<(i64, usize)>>,
    /// The jobs, the highest QoS index first.
    by_qos: Vec<usize>,
    stop: Stop,
}

impl CostTable {
    /// Works out the costs of a round; [`Overflow`] if they can't be added up.
    pub fn new(round: &Round<'_>) -> Result<Self, Overflow> {
        Self::where_allowed(round, |_, _| true)
    }

    /// The same with jobs that can't go to some of the resources for reasons that a round does not know of: `may_go` is
    /// told the job and the resource.
    pub fn where_allowed(round: &Round<'_>, may_go: impl Fn(usize, usize) -> bool) -> Result<Self, Overflow> {
        let Round { now, resources, free, jobs, dummy_price } = round;
        let mut table = Self {
            jobs: jobs.clone(),
            free: free.clone(),
            task_cost: Vec::with_capacity(jobs.len() * resources.len()),
            price: Vec::with_capacity(jobs.len() * resources.len()),
            dummy: Vec::with_capacity(jobs.len()),
            wholes: Vec::with_capacity(jobs.len()),
            by_qos: by_qos_index(jobs, *now),
            stop: Stop::never(),
        };
        let mut dearest: i128 = 0;
        for (number, job) in jobs.iter().enumerate() {
            let alone = runtime_at(job.size, Performance::from_units(1), Rounding::Tick).ok_or(Overflow)?;
            let dummy = dummy_price.checked_mul(alone)?;
            dearest += i128::from(dummy.ticks()) * i128::from(job.tasks);
            table.dummy.push(dummy.ticks());
            let mut wholes = Vec::new();
            for (index, resource) in resources.iter().enumerate() {
                let price = resource.prices.get(job.user).copied().unwrap_or(Price::MAX);
                let cost = task_cost(job, resource.speed, price, *now).filter(|&cost| cost < dummy);
                let cost = cost.filter(|_| may_go(number, index));
                table.task_cost.push(cost.map_or(NEVER, Money::ticks));
                table.price.push(price.ticks());
                let whole = cost.and_then(|cost| cost.ticks().checked_mul(i64::from(job.tasks)));
                wholes.extend(
                    whole
                        .filter(|&whole| whole <= job.budget.ticks() && job.tasks <= free[index])
                        .map(|whole| (whole, index)),
                );
            }
            wholes.sort_unstable();
            table.wholes.push(wholes);
        }
        // Bounds and differences of totals are computed in 64 bits without further tests.
        if dearest > i128::from(i64::MAX / 8) { Err(Overflow) } else { Ok(table) }
    }

    /// The same, but brokers give up once `stop` is set; what they answer then does not count.
    pub fn until(self, stop: &Stop) -> Self {
        Self { stop: stop.clone(), ..self }
    }

    pub(super) fn stop(&self) -> &Stop {
        &self.stop
    }

    /// True if brokers should give up.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.is_set()
    }

    /// The number of jobs that wait.
    pub fn jobs(&self) -> usize {
        self.jobs.len()
    }

    /// The number of resources.
    pub fn resources(&self) -> usize {
        self.free.len()
    }

    /// True if anything at all can be placed.
    pub(crate) fn is_open(&self, grain: Grain) -> bool {
        let has_room = |job: usize| (0..self.resources()).any(|r| self.free[r] > 0 && self.task_ticks(job, r) != NEVER);
        (0..self.jobs()).any(|job| match grain {
            Grain::Whole => !self.wholes[job].is_empty(),
            Grain::Split => has_room(job),
        })
    }

    /// The number of tasks of a job.
    pub fn tasks(&self, job: usize) -> u32 {
        self.jobs[job].tasks
    }

    /// The cost of one task of `job` on `resource`, if it can go there.
    pub(crate) fn task_cost(&self, job: usize, resource: usize) -> Option<Money> {
        let ticks = self.task_ticks(job, resource);
        (ticks != NEVER).then(|| Money::from_ticks(ticks))
    }

    /// The cost of leaving one task of `job` on the dummy resource.
    pub fn dummy_cost(&self, job: usize) -> Money {
        Money::from_ticks(self.dummy[job])
    }

    pub(super) fn task_ticks(&self, job: usize, resource: usize) -> i64 {
        self.task_cost[job * self.free.len() + resource]
    }

    pub(super) fn price_ticks(&self, job: usize, resource: usize) -> i64 {
        self.price[job * self.free.len() + resource]
    }

    pub(super) fn dummy_ticks(&self, job: usize) -> i64 {
        self.dummy[job]
    }

    /// The cost of the whole job on the dummy resource.
    pub(super) fn dummy_whole(&self, job: usize) -> i64 {
        self.dummy[job] * i64::from(self.jobs[job].tasks)
    }

    pub(super) fn budget(&self, job: usize) -> i64 {
        self.jobs[job].budget.ticks()
    }

    pub(super) fn free(&self) -> &[u32] {
        &self.free
    }

    /// Where all tasks of `job` fit together within its budget, with their cost, the cheapest first.
    pub(super) fn wholes(&self, job: usize) -> &[(i64, usize)] {
        &self.wholes[job]
    }

    /// The cost of the whole job on `resource`, or [`NEVER`].
    pub(super) fn whole_cost(&self, job: usize, resource: usize) -> i64 {
        let task = self.task_ticks(job, resource);
        let tasks = self.tasks(job);
        if task == NEVER || tasks > self.free[resource] {
            return NEVER;
        }
        let whole = task * i64::from(tasks);
        if whole <= self.budget(job) { whole } else { NEVER }
    }

    /// The cost of the whole job on a resource or, without one, on the dummy; [`NEVER`] where it can't go.
    pub(super) fn cost_at(&self, job: usize, home: Option<usize>) -> i64 {
        home.map_or_else(|| self.dummy_whole(job), |home| self.whole_cost(job, home))
    }

    /// The jobs, the highest QoS index first.
    pub(super) fn by_qos(&self) -> &[usize] {
        &self.by_qos
    }
}

/// The cost of one task, if it ends by the deadline.
fn task_cost(job: &UserJob, speed: Performance, price: Price, now: Time) -> Option<Money> {
    let runtime: Span = runtime_at(job.size, speed, Rounding::Tick)?;
    let finish = now.checked_add(runtime).ok()?;
    (finish <= job.deadline).then(|| price.checked_mul(runtime).ok()).flatten()
}

/// The jobs by descending QoS index. The paper sorts by it without saying what it is; here it is what a job offers per
/// task and unit of time until its deadline: those who pay more or need it sooner come first.
fn by_qos_index(jobs: &[UserJob], now: Time) -> Vec<usize> {
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    let offer = |job: &UserJob| i128::from(job.budget.ticks());
    let until = |job: &UserJob| i128::from((job.deadline - now).ticks().max(1)) * i128::from(job.tasks.max(1));
    // Fractions are compared crosswise, which is exact.
    order.sort_by(|&a, &b| {
        let (a, b) = (&jobs[a], &jobs[b]);
        (offer(b) * until(a)).cmp(&(offer(a) * until(b)))
    });
    order
}
