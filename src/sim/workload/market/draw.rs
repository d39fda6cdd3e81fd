//! Markets of candidate reservations.

use super::{Bid, Criterion, CriterionMeasure, Direction, History, MarketJob, Offer, OfferLimit, TimeSlot};
use crate::language::{Count, Within};
use crate::record;
use crate::rng::Streams;
use crate::workload::bounds::{LongTimes, Noises, PriceFactors, Units, Weights};
use crate::workload::draw_count;
use std::collections::BTreeMap;

record! {
    /// The distributions that jobs and offers are drawn from.
    pub struct MarketSpec {
        /// The guaranteed start of an offer.
        #[unit = "units of time"]
        start: Within<LongTimes>,
        /// The speed of an offer: a job of length t runs for t / speed.
        #[unit = "relative to a speed of 1"]
        speed: Within<Weights>,
        /// The price of an offer per unit of time and of speed.
        #[unit = "money per unit of time and of speed"]
        price: Within<PriceFactors>,
        /// The number of units of an offer.
        #[unit = "units of the offer"]
        units: Within<Units>,
        /// The memory of an offer.
        #[unit = "units of memory"]
        memory: Within<LongTimes>,
        /// The length of a job.
        #[unit = "units of time at speed 1"]
        length: Within<LongTimes>,
        /// The number of units that a job takes.
        #[unit = "units of the offer"]
        demand: Within<Units> = Within::of(1.0),
        /// The memory that a job needs.
        #[unit = "units of memory"]
        need: Within<LongTimes>,
        /// The factor by which a run deviates from t / speed.
        #[unit = "factor of the runtime"]
        noise: Within<Noises> = Within::of(1.0),
        /// The number of earlier runs of each job's profile on each offer.
        #[unit = "runs"]
        history: Count = Count::of(5),
        /// The weight of each criterion to a user; above 0, as a user with nothing but weights of 0 would have no
        /// wishes.
        #[unit = "weight"]
        weight: Within<Weights>,
    }
    check(this, at, errors) {
        if this.history.get() > 1000 {
            errors.add(&at.field("history"), "so many runs are not remembered", "give at most 1000");
        }
    }
}

/// The criteria of a drawn market, by their place in it.
pub const START: usize = 0;
/// The estimated completion.
pub const COMPLETION: usize = 1;
/// The cost of the run.
pub const COST: usize = 2;
/// The error of predictions.
pub const ERROR: usize = 3;
/// Memory, which is a hard constraint only.
pub(super) const MEMORY: usize = 4;

/// A drawn market, each job of a user of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawnMarket {
    /// Start, completion, cost, error and memory.
    pub criteria: Vec<Criterion>,
    /// The jobs; job i is of user i.
    pub jobs: Vec<MarketJob>,
    /// The offers, each with a bid for every job.
    pub offers: Vec<Offer>,
    /// By user the weights of the criteria.
    pub weights: Vec<Vec<f64>>,
}

/// Draws a market of so many jobs and offers.
pub fn draw_market(spec: &MarketSpec, jobs: usize, offers: usize, streams: &Streams) -> DrawnMarket {
    let mut stream = streams.stream("jobs");
    let (mut drawn, mut lengths, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    for user in 0..jobs {
        let need = OfferLimit { criterion: MEMORY, low: Some(spec.need.sample(&mut stream)), high: None };
        let units = draw_count(&spec.demand, &mut stream) as u64;
        drawn.push(MarketJob { name: format!("job {}", user + 1), user, units, limits: vec![need] });
        lengths.push(spec.length.sample(&mut stream));
        let mut wishes: Vec<f64> = (0..MEMORY).map(|_| spec.weight.sample(&mut stream)).collect();
        wishes.push(0.0);
        weights.push(wishes);
    }
    let offer = |number: usize| draw_offer(spec, number, &lengths, streams);
    DrawnMarket { criteria: criteria(), jobs: drawn, offers: (0..offers).map(offer).collect(), weights }
}

fn criteria() -> Vec<Criterion> {
    let criterion = |name: &str, measure| {
        let direction = if measure == CriterionMeasure::Attribute { Direction::Gain } else { Direction::Cost };
        Criterion { name: name.into(), direction, measure }
    };
    vec![
        criterion("start", CriterionMeasure::Start),
        criterion("completion", CriterionMeasure::Completion),
        criterion("cost", CriterionMeasure::Cost),
        criterion("prediction error", CriterionMeasure::Error),
        criterion("memory", CriterionMeasure::Attribute),
    ]
}

/// An offer with a stream of its own, so that more offers leave the first ones as they were.
fn draw_offer(spec: &MarketSpec, number: usize, lengths: &[f64], streams: &Streams) -> Offer {
    let mut stream = streams.member("offers", number as u64);
    let start = spec.start.sample(&mut stream);
    let speed = spec.speed.sample(&mut stream);
    let price = spec.price.sample(&mut stream) * speed;
    let units = draw_count(&spec.units, &mut stream) as u64;
    let memory = spec.memory.sample(&mut stream);
    let bids: BTreeMap<usize, Bid> = lengths
        .iter()
        .map(|length| {
            let runs = (0..spec.history.get()).map(|_| length / speed * spec.noise.sample(&mut stream));
            let runs = History::new(runs.collect());
            Bid { cost: price * runs.mean().unwrap_or(0.0), runs }
        })
        .enumerate()
        .collect();
    Offer {
        slot: Some(TimeSlot { start, end: f64::INFINITY, early: History::default() }),
        bids,
        ..Offer::of_attributes(format!("offer {}", number + 1), Some(units), vec![None, None, None, None, Some(memory)])
    }
}
