//! ALP: the earliest window in which every single slot is within the price limit (file 000, section 3).

use super::{Finder, Offers, Takes, WindowSearch, earliest};
use crate::model::{CostLimit, Request, Window};
use crate::record;

record! {
    /// ALP: the earliest window in which no slot's price is above the request's.
    ///
    /// The first start at which enough slots are live has the window. m log m for m slots.
    ///
    /// ```
    /// use gridloom::model::{Interval, Node, NodeId, Request, Slot, SlotList};
    /// use gridloom::workload::RuntimeRule;
    /// use gridloom::search::{Alp, Offers, WindowSearch};
    /// use gridloom::units::{Performance, Power, Price, Span, Time};
    ///
    /// let node = |name: &str, price| Node {
    ///     name: name.into(),
    ///     performance: Performance::from_units(1),
    ///     price: Price::from_units(price),
    ///     power: Power::from_units(1),
    /// };
    /// let nodes = [node("a", 1), node("b", 9), node("c", 2)];
    /// let free = |node, start| Slot { node: NodeId(node), interval: Interval::new(Time::from_units(start), Time::from_units(99)) };
    /// let slots = SlotList::new([free(0, 0), free(1, 5), free(2, 10)])?;
    /// let request = Request {
    ///     name: "job".into(),
    ///     nodes: 2,
    ///     length: Span::from_units(50),
    ///     min_performance: Performance::from_units(1),
    ///     max_price: Price::from_units(3),
    ///     deadline: None,
    /// };
    /// let offers = Offers { nodes: &nodes, slots: &slots, rule: RuntimeRule::Reference };
    /// let window = Alp::CHEAPEST.find_window(&offers, &request).unwrap();
    /// assert_eq!(window.start(), Time::from_units(10), "b is free earlier but too dear");
    /// # Ok::<(), gridloom::model::NotFree>(())
    /// ```
    #[derive(Copy, Eq)]
    pub struct Alp {
        /// The window that is taken where several could start first.
        takes: Takes = Takes::Cheapest,
    }
}

impl Alp {
    /// The search that takes the cheapest of the first windows.
    pub const CHEAPEST: Self = Self { takes: Takes::Cheapest };
    /// The search as the papers print it.
    pub const FIRST_MET: Self = Self { takes: Takes::FirstMet };
}

impl WindowSearch for Alp {
    fn find_window(&self, offers: &Offers<'_>, request: &Request) -> Option<Window> {
        Finder::Alp(*self).first_window(offers, request, earliest::ANY)
    }
    fn name(&self) -> &'static str {
        "ALP"
    }

    fn limit(&self) -> CostLimit {
        CostLimit::PerSlot
    }

    fn finder(&self) -> Option<Finder> {
        Some(Finder::Alp(*self))
    }
}
