//! The planning methods as scenarios write them.

use crate::choice;
use crate::language::Count;

choice! {
    /// How a job made of tasks is planned.
    #[derive(Copy)]
    pub enum Method {
        /// The critical jobs method, for the least cost within the deadline.
        CheapestChains,
        /// The critical jobs method, for the earliest finish.
        EarliestChains,
        /// The critical jobs method, for the latest start within the deadline.
        LatestChains,
        /// Heterogeneous earliest finish time: tasks by upward rank, each where it ends first.
        Heft,
        /// A plain list: tasks in order, each where it ends first.
        List,
        /// The least cost of all, by trying everything; given up after this many partial plans. For jobs of a few tasks.
        Exact(Count),
    }
}
