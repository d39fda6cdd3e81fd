//! A utility grid: priced resources and the jobs of their users (file 003, section V.A).

use super::{draw_count, draw_span};
use crate::model::{Resource, UserJob};
use crate::rng::Streams;
use crate::scenario::Draw;
use crate::scenario::schema::{ResourcesSpec, UserJobsSpec};
use crate::units::{Money, Performance, Price, Time, UnitsError, Volume};

/// Resources and jobs.
#[derive(Debug, Clone)]
pub struct UtilityMarket {
    /// The resources.
    pub resources: Vec<Resource>,
    /// The jobs, one per user.
    pub jobs: Vec<UserJob>,
}

/// Draws a market. Every resource and every job has a stream of its own: a larger market begins with the smaller one, and another
/// distribution of `slack` changes nothing but deadlines.
pub fn draw_utility_market(
    resources: &ResourcesSpec,
    jobs: &UserJobsSpec,
    slack: &impl Draw,
    streams: &Streams,
) -> Result<UtilityMarket, UnitsError> {
    let users = jobs.count.get();
    Ok(UtilityMarket {
        resources: (0..resources.count.get())
            .map(|index| draw_resource(resources, users, streams, index))
            .collect::<Result<_, _>>()?,
        jobs: (0..users)
            .map(|index| draw_job(jobs, resources.price.get(), slack, streams, index))
            .collect::<Result<_, _>>()?,
    })
}

fn draw_resource(spec: &ResourcesSpec, users: u64, streams: &Streams, index: u64) -> Result<Resource, UnitsError> {
    let mut stream = streams.member("resources", index);
    let pes = draw_count(&spec.pes, &mut stream) as u32;
    let speed = Performance::from_f64(spec.speed.sample(&mut stream))?;
    let price = spec.price.get() + spec.price_spread.get() * spec.price_shape.sample(&mut stream);
    let own =
        (0..users).map(|_| Price::from_f64(price + spec.user_spread.get() * spec.price_shape.sample(&mut stream)));
    Ok(Resource { pes, speed, prices: own.collect::<Result<_, _>>()? })
}

fn draw_job(
    spec: &UserJobsSpec,
    mean_price: f64,
    slack: &impl Draw,
    streams: &Streams,
    index: u64,
) -> Result<UserJob, UnitsError> {
    let mut stream = streams.member("jobs", index);
    let tasks = draw_count(&spec.tasks, &mut stream).max(1) as u32;
    let estimate = draw_span(&spec.runtime, &mut stream)?;
    let arrival = Time::ZERO.checked_add(draw_span(&spec.arrival, &mut stream)?)?;
    let slack = draw_span(slack, &mut streams.member("slack", index))?;
    let budget = spec.budget_factor.get() * mean_price * estimate.as_f64() * f64::from(tasks);
    Ok(UserJob {
        user: index as usize,
        arrival,
        tasks,
        size: Volume::from_ticks(estimate.ticks()),
        budget: Money::from_f64(budget)?,
        deadline: arrival.checked_add(estimate)?.checked_add(slack)?,
    })
}
