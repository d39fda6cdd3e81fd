//! A list of slots with preassigned features, without a grid behind it (file 000, section 5).

use super::bounds::{LongTimes, Millions, PriceFactors, SlotGaps, Speeds};
use super::{draw_count, draw_span};
use crate::language::{Fraction, Positive, Within};
use crate::model::{Interval, Node, NodeId, Slot, SlotList};
use crate::record;
use crate::rng::{Stream, unit};
use crate::units::{Performance, Power, Price, Time, UnitsError};

record! {
    /// Slots as they are drawn: each on a node of its own, in order of start.
    pub struct SlotsSpec {
        /// The number of slots.
        #[unit = "slots"]
        count: Within<Millions>,
        /// The length of a slot.
        #[unit = "units of time"]
        length: Within<LongTimes>,
        /// The performance of its node.
        #[unit = "relative to a node of performance 1"]
        performance: Within<Speeds>,
        /// The probability that a slot starts together with the one before it.
        #[unit = "probability"]
        same_start: Fraction,
        /// The time by which it starts later than the one before it, otherwise.
        #[unit = "units of time"]
        gap: Within<SlotGaps>,
        /// The price is this times `price_base` to the power of the performance.
        #[unit = "money per unit of time and node"]
        price_factor: Within<PriceFactors>,
        /// The base of the power by which prices grow with performance.
        #[unit = "factor per unit of performance"]
        price_base: Positive,
    }
    check(this, at, errors) {
        let highest = this.price_factor.max() * libm::pow(this.price_base.get(), this.performance.max());
        if highest > 1e4 {
            errors.add(&at.field("price_base"), format!("prices could reach {highest:.1e}"), "keep them below 1e4");
        }
    }
}

/// Nodes and when they are free.
#[derive(Debug, Clone)]
pub struct SlotWorld {
    /// The nodes, by their id.
    pub nodes: Vec<Node>,
    /// The free slots on them.
    pub slots: SlotList,
}

/// Draws a world of slots, each on a node of its own.
pub fn draw_slots(spec: &SlotsSpec, mut stream: Stream) -> Result<SlotWorld, UnitsError> {
    let count = draw_count(&spec.count, &mut stream);
    draw_so_many_slots(spec, count, stream)
}

/// The same with a number of slots that is given.
pub fn draw_so_many_slots(spec: &SlotsSpec, count: usize, mut stream: Stream) -> Result<SlotWorld, UnitsError> {
    let mut nodes = Vec::with_capacity(count);
    let mut slots = Vec::with_capacity(count);
    let mut start = Time::ZERO;
    for index in 0..count {
        if index > 0 && unit(&mut stream) >= spec.same_start.get() {
            start = start.checked_add(draw_span(&spec.gap, &mut stream)?)?;
        }
        let performance = spec.performance.sample(&mut stream);
        let price = spec.price_factor.sample(&mut stream) * libm::pow(spec.price_base.get(), performance);
        nodes.push(Node {
            name: format!("n{index}"),
            performance: Performance::from_f64(performance)?,
            price: Price::from_f64(price)?,
            power: Power::ZERO,
        });
        let end = start.checked_add(draw_span(&spec.length, &mut stream)?)?;
        slots.push(Slot { node: NodeId(index as u32), interval: Interval::new(start, end) });
    }
    let slots = SlotList::new(slots).unwrap_or_default();
    Ok(SlotWorld { nodes, slots })
}
