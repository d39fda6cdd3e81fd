//! Nodes with local schedules for one scheduling interval.

use super::bounds::{Speeds, Spreads, WholeLengths};
use super::price_of;
use super::slots::SlotWorld;
use crate::language::Draw;
use crate::language::{Count, Finite, NonNegative, Positive, Within};
use crate::model::{Interval, Node, SlotList, Timeline};
use crate::record;
use crate::rng::{Stream, Streams, below};
use crate::units::{Performance, Power, Price, Span, Time, UnitsError};

record! {
    /// Nodes with local schedules.
    pub struct EnvironmentSpec {
        /// The number of nodes.
        #[unit = "nodes"]
        nodes: Count,
        /// The length of the scheduling interval, in whole units of time.
        #[unit = "units of time"]
        interval: Count,
        /// The performance of a node.
        #[unit = "relative to a node of performance 1"]
        performance: Within<Speeds>,
        /// The random part of prices: a node of performance P costs `price_scale` * P * exp(`price_slope` * (P - 1)) *
        /// (1 + this).
        #[unit = "share of the price"]
        price_spread: Within<Spreads>,
        /// The exponential rate by which fast nodes are more expensive than in proportion to their performance; cheaper,
        /// if it is negative.
        #[unit = "per unit of performance"]
        price_slope: Finite = Finite::ZERO,
        /// The level of all prices: the price of a node of performance 1, without the random part.
        #[unit = "money per unit of time, node and performance"]
        price_scale: Positive = Positive::ONE,
        /// The tasks of owners, which take a share of the interval on each node.
        load: LoadSpec,
    }
    check(this, at, errors) {
        if this.load.length.min() > this.interval.get() as f64 {
            let wrong = format!("no local task fits into an interval of {}", this.interval.get());
            errors.add(&at.field("load"), wrong, "give shorter tasks or a longer interval");
        }
        if this.nodes.get() > 1_000_000 {
            errors.add(&at.field("nodes"), "that is more than a million nodes", "give fewer");
        }
        if this.interval.get() > 1_000_000 {
            errors.add(&at.field("interval"), "that is more than a million units", "give a shorter interval");
        }
        if this.price_scale.get() > 1e3 {
            errors.add(&at.field("price_scale"), "prices would grow beyond all bounds", "give at most 1000");
        }
        if this.price_slope.get() > 0.1 {
            errors.add(&at.field("price_slope"), "prices would grow beyond all bounds", "give at most 0.1");
        }
        if this.price_slope.get() < -0.1 {
            errors.add(&at.field("price_slope"), "fast nodes would cost next to nothing", "give at least -0.1");
        }
    }
}

record! {
    /// Local tasks are put at random until a node's level of load is reached. The level is drawn for each node from a
    /// hypergeometric distribution and scaled to `low` .. `high` tenths.
    pub struct LoadSpec {
        /// The lightest load, in tenths of the interval.
        #[unit = "tenths of the interval"]
        low: NonNegative,
        /// The heaviest load, in tenths of the interval.
        #[unit = "tenths of the interval"]
        high: NonNegative,
        /// The length of a local task, from 1 to a million; draws of an unbounded distribution beyond that count as the
        /// nearer bound.
        #[unit = "units of time"]
        length: Within<WholeLengths>,
    }
    check(this, at, errors) {
        if this.low > this.high || this.high.get() > 9.0 {
            errors.add(&at.field("high"), "loads must rise from low to high", "give low <= high <= 9 tenths");
        }
    }
}

/// The number of places for local tasks drawn in vain, in a row, before the node is taken to be full.
const ATTEMPTS: u32 = 10_000;

/// Draws nodes, puts local tasks on them and returns what is left free.
pub fn draw_environment(spec: &EnvironmentSpec, streams: &Streams) -> Result<SlotWorld, UnitsError> {
    let mut features = streams.stream("nodes");
    let bounds = Interval::new(Time::ZERO, Time::from_units(spec.interval.get() as i64));
    let mut nodes = Vec::with_capacity(spec.nodes.get() as usize);
    let mut timelines = Vec::with_capacity(spec.nodes.get() as usize);
    for index in 0..spec.nodes.get() {
        let performance = spec.performance.sample(&mut features);
        let spread = 1.0 + spec.price_spread.sample(&mut features);
        let price = price_of(performance, spec.price_scale.get(), spec.price_slope.get()) * spread;
        nodes.push(Node {
            name: format!("n{index}"),
            performance: Performance::from_f64(performance)?,
            price: Price::from_f64(price)?,
            // A node that is twice as fast draws four times the power, so a task takes twice the energy there.
            power: Power::from_f64(performance * performance)?,
        });
        timelines.push(draw_schedule(&spec.load, bounds, streams.member("local", index)));
    }
    let slots = SlotList::from_timelines(&timelines, bounds);
    Ok(SlotWorld { nodes, slots })
}

/// A node's free time after its owner's tasks at the level of load that is drawn for it.
fn draw_schedule(load: &LoadSpec, bounds: Interval, mut stream: Stream) -> Timeline {
    let tenths = load.low.get() + draw_level(&mut stream) * (load.high.get() - load.low.get());
    fill(bounds, tenths / 10.0, &load.length, &mut stream)
}

/// A node's free time after its owner's tasks, which are put at whole instants until they take `share` of the time.
pub(super) fn fill(bounds: Interval, share: f64, length: &impl Draw, stream: &mut Stream) -> Timeline {
    let mut timeline = Timeline::new(bounds);
    let wanted = bounds.span().as_f64() * share;
    let units = bounds.span().ticks() / Span::from_units(1).ticks();
    let (mut busy, mut vain) = (0.0, 0);
    while busy < wanted && vain < ATTEMPTS {
        let length = libm::round(length.sample(stream)).max(1.0);
        let start = Time::from_units(below(stream, units as u64) as i64);
        // A task that would end beyond the range of numbers fits nowhere.
        let end = Span::from_f64(length).ok().and_then(|length| start.checked_add(length).ok());
        match end.map(|end| timeline.reserve(Interval::new(start, end))) {
            Some(Ok(())) => (busy, vain) = (busy + length, 0),
            Some(Err(_)) | None => vain += 1,
        }
    }
    timeline
}

/// The level of use of a node, from 0.1 to 0.9: the marked among 30 balls from an urn of 1000 with 150 marked ones, in
/// tenths, drawn again until there are 1 to 9.
fn draw_level(stream: &mut Stream) -> f64 {
    loop {
        let (mut marked, mut left) = (150, 1000);
        for _ in 0..30 {
            if below(stream, left) < marked {
                marked -= 1;
            }
            left -= 1;
        }
        let drawn = 150 - marked;
        if (1..10).contains(&drawn) {
            return drawn as f64 / 10.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_follow_the_hypergeometric_distribution() {
        let mut stream = Streams::new(1, 0).stream("levels");
        let drawn: Vec<f64> = (0..20_000).map(|_| draw_level(&mut stream)).collect();
        let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
        // The mean of Hypergeometric(1000, 150, 30) is 4.5; without 0 and what is above 9 it is 4.51.
        assert!((mean - 0.451).abs() < 0.006, "{mean}");
    }
}
