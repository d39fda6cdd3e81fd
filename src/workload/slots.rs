//! A list of slots with preassigned features, without a grid behind it (file 000, section 5).

use super::{draw_count, draw_span};
use crate::model::{Interval, Node, NodeId, Slot, SlotList};
use crate::rng::{Stream, unit};
use crate::scenario::schema::SlotsSpec;
use crate::units::{Performance, Power, Price, Time, UnitsError};

/// Nodes and when they are free.
#[derive(Debug, Clone)]
pub struct World {
    /// The nodes, by their id.
    pub nodes: Vec<Node>,
    /// The free slots on them.
    pub slots: SlotList,
}

/// Draws a world of slots, each on a node of its own.
pub fn draw_slots(spec: &SlotsSpec, mut stream: Stream) -> Result<World, UnitsError> {
    let count = draw_count(&spec.count, &mut stream);
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
    Ok(World { nodes, slots })
}
