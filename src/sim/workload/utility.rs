//! A utility grid: priced resources and the jobs of their users (file 003, section V.A).

use super::bounds::{Runtimes, Shapes, Speeds, Thousands, Times};
use super::{draw_count, draw_span};
use crate::language::Draw;
use crate::language::{Count, Fraction, NonNegative, Positive, Within};
use crate::model::{Resource, UserJob};
use crate::record;
use crate::rng::{Streams, unit};
use crate::units::{Money, Performance, Price, Time, UnitsError, Volume};

/// The most resources and jobs of a market.
const SIZE_LIMIT: u64 = 2_000;

record! {
    /// Resources of equal processing elements (PEs).
    pub struct ResourcesSpec {
        /// The number of resources.
        #[unit = "resources"]
        count: Count,
        /// The number of PEs of each.
        #[unit = "PEs"]
        pes: Within<Thousands>,
        /// The speed of the PEs, relative to the speed that users estimate runtimes for.
        #[unit = "relative to the speed of the estimates"]
        speed: Within<Speeds>,
        /// The mean price per PE and unit of time.
        #[unit = "money per unit of time and PE"]
        price: Positive,
        /// The largest deviation, up or down, of a resource's price for all its users.
        #[unit = "money per unit of time and PE"]
        price_spread: NonNegative = NonNegative::ZERO,
        /// The largest further deviation, up or down, of the price for one user on one resource.
        #[unit = "money per unit of time and PE"]
        user_spread: NonNegative = NonNegative::ZERO,
        /// The distribution of both deviations between the lowest, -1, and the highest, 1.
        #[unit = "-1 is the lowest price, 1 the highest"]
        price_shape: Within<Shapes>,
    }
    check(this, at, errors) {
        if this.price_spread.get() + this.user_spread.get() >= this.price.get() {
            let wrong = "with `user_spread`, some prices could be 0 or below";
            errors.add(&at.field("price_spread"), wrong, "keep the sum of both below the price");
        }
        if this.price.get() > 1e4 {
            errors.add(&at.field("price"), "costs would grow beyond all bounds", "give at most 10000");
        }
        if this.count.get() > SIZE_LIMIT {
            errors.add(&at.field("count"), "that is too many to compare all pairs", format!("give at most {SIZE_LIMIT}"));
        }
    }
}

impl ResourcesSpec {
    /// The most that a unit of work can cost.
    pub fn dearest(&self) -> f64 {
        let price = self.price.get() + (self.price_spread.get() + self.user_spread.get()) * self.price_shape.max();
        price / self.speed.min()
    }
}

record! {
    /// Jobs of tasks, one job per user. A task takes one PE. Every PE of a job is paid until its largest task ends.
    pub struct UserJobsSpec {
        /// The number of jobs.
        #[unit = "jobs"]
        count: Count,
        /// The number of tasks of each.
        #[unit = "tasks"]
        tasks: Within<Thousands>,
        /// The runtime of a task at speed 1, as its user estimates it.
        #[unit = "units of time"]
        runtime: Within<Runtimes>,
        /// The most by which the size of a task differs from the estimate, up or down, as a share of it: sizes are
        /// uniform between these limits. Budgets and deadlines go by the estimate, costs and ends by the largest task.
        #[unit = "share of the estimate"]
        task_spread: Fraction = Fraction::of(0.0),
        /// The time at which a job is submitted.
        #[unit = "units of time"]
        arrival: Within<Times>,
        /// Its budget is this many times what it costs at speed 1 and the mean price.
        #[unit = "factor of the cost at speed 1 and mean price"]
        budget_factor: Positive,
    }
    check(this, at, errors) {
        if this.budget_factor.get() > 1e3 {
            errors.add(&at.field("budget_factor"), "budgets would grow beyond all bounds", "give at most 1000");
        }
        if this.count.get() > SIZE_LIMIT {
            errors.add(&at.field("count"), "that is too many to compare all pairs", format!("give at most {SIZE_LIMIT}"));
        }
    }
}

/// Resources and jobs.
#[derive(Debug, Clone)]
pub struct UtilityMarket {
    /// The resources.
    pub resources: Vec<Resource>,
    /// The jobs, one per user.
    pub jobs: Vec<UserJob>,
    /// By job: the size of each of its tasks.
    pub task_sizes: Vec<Vec<Volume>>,
}

/// Draws a market. Every resource and every job has a stream of its own: a larger market begins with the smaller one,
/// and another distribution of `slack` changes nothing but deadlines.
pub fn draw_utility_market(
    resources: &ResourcesSpec,
    jobs: &UserJobsSpec,
    slack: &impl Draw,
    streams: &Streams,
) -> Result<UtilityMarket, UnitsError> {
    let users = jobs.count.get();
    let drawn = (0..users).map(|index| draw_job(jobs, resources.price.get(), slack, streams, index));
    let (drawn, task_sizes) = drawn.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
    Ok(UtilityMarket {
        resources: (0..resources.count.get())
            .map(|index| draw_resource(resources, users, streams, index))
            .collect::<Result<_, _>>()?,
        jobs: drawn,
        task_sizes,
    })
}

fn draw_resource(spec: &ResourcesSpec, users: u64, streams: &Streams, index: u64) -> Result<Resource, UnitsError> {
    let mut stream = streams.member("resources", index);
    let pes = draw_count(&spec.pes, &mut stream) as u32;
    let speed = Performance::from_f64(spec.speed.sample(&mut stream))?;
    let shape = spec.price_shape.for_many();
    let price = spec.price.get() + spec.price_spread.get() * shape(&mut stream);
    let spread = spec.user_spread.get();
    // Users who all pay the same need no draws, and nothing is drawn after theirs.
    let own = |_| Price::from_f64(price + if spread == 0.0 { 0.0 } else { spread * shape(&mut stream) });
    Ok(Resource { pes, speed, prices: (0..users).map(own).collect::<Result<_, _>>()? })
}

fn draw_job(
    spec: &UserJobsSpec,
    mean_price: f64,
    slack: &impl Draw,
    streams: &Streams,
    index: u64,
) -> Result<(UserJob, Vec<Volume>), UnitsError> {
    let mut stream = streams.member("jobs", index);
    let tasks = draw_count(&spec.tasks, &mut stream).max(1) as u32;
    let estimate = draw_span(&spec.runtime, &mut stream)?;
    let arrival = Time::ZERO.checked_add(draw_span(&spec.arrival, &mut stream)?)?;
    let slack = draw_span(slack, &mut streams.member("slack", index))?;
    let budget = spec.budget_factor.get() * mean_price * estimate.as_f64() * f64::from(tasks);
    let sizes = draw_sizes(spec.task_spread.get(), Volume::from_ticks(estimate.ticks()), tasks, streams, index)?;
    let job = UserJob {
        user: index as usize,
        arrival,
        tasks,
        size: sizes.iter().copied().max().unwrap_or(Volume::ZERO),
        budget: Money::from_f64(budget)?,
        deadline: arrival.checked_add(estimate)?.checked_add(slack)?,
    };
    Ok((job, sizes))
}

/// The sizes of a job's tasks. Without a spread nothing is drawn.
fn draw_sizes(
    spread: f64,
    estimate: Volume,
    tasks: u32,
    streams: &Streams,
    index: u64,
) -> Result<Vec<Volume>, UnitsError> {
    if spread == 0.0 {
        return Ok(vec![estimate; tasks as usize]);
    }
    let mut stream = streams.member("task sizes", index);
    let mut size = || Volume::from_f64(estimate.as_f64() * (1.0 + spread * (2.0 * unit(&mut stream) - 1.0)));
    (0..tasks).map(|_| size()).collect()
}
