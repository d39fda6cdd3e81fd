//! The window that is taken where several could start first: one choice for ALP and AMP.

use crate::choice;

choice! {
    /// Which of the windows of one start is taken.
    ///
    /// ```
    /// use gridloom::model::{Interval, Node, NodeId, Request, Slot, SlotList};
    /// use gridloom::workload::RuntimeRule;
    /// use gridloom::search::{Amp, Offers, Takes, WindowSearch};
    /// use gridloom::units::{Performance, Power, Price, Span, Time};
    ///
    /// let performance = Performance::from_units(1);
    /// let node = |price| Node { name: "n".into(), performance, price: Price::from_units(price), power: Power::ZERO };
    /// let nodes = [node(3), node(1)];
    /// let free = Interval::new(Time::ZERO, Time::from_units(10));
    /// let slots = SlotList::new([0, 1].map(|index| Slot { node: NodeId(index), interval: free }))?;
    /// let (length, max_price) = (Span::from_units(10), Price::from_units(4));
    /// let request = Request { name: "job".into(), nodes: 1, length, min_performance: performance, max_price, deadline: None };
    /// let offers = Offers { nodes: &nodes, slots: &slots, rule: RuntimeRule::Reference };
    ///
    /// let taken = |takes| Amp { takes, ..Amp::within(1.0) }.find_window(&offers, &request).unwrap().slots()[0].node;
    /// assert_eq!(taken(Takes::Cheapest), NodeId(1));
    /// assert_eq!(taken(Takes::FirstMet), NodeId(0));
    /// # Ok::<(), gridloom::model::NotFree>(())
    /// ```
    #[derive(Copy, Eq)]
    pub enum Takes {
        /// The cheapest: all slots of a start are met before anything is decided.
        Cheapest,
        /// The one that is complete first while slots are met one by one, in order of start, then of node: the steps of
        /// ALP and AMP to the letter. What stands later in the list is not looked at, however cheap.
        FirstMet,
    }
}
