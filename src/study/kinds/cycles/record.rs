//! `Cycles`: independent scheduling cycles on generated slots (file 000, section 5).

use crate::combine::Weights;
use crate::combine::limits::BudgetLimit;
use crate::language::{NonEmpty, NonNegative};
use crate::record;
use crate::search::Search;
use crate::study::parts::report_repeated;
use crate::workload::{JobsSpec, RuntimeRule, SlotsSpec};

record! {
    /// Window searches side by side, in independent scheduling cycles on drawn lists of slots. Each cycle draws a list
    /// of slots and a batch of jobs, collects the alternatives of every job by each search, and chooses one per job
    /// twice: for the least total time within B* (TM) and for the least total cost within T* (CM). A cycle counts only
    /// if every job has an alternative under every search.
    pub struct Cycles {
        /// The slots of a cycle.
        slots: SlotsSpec,
        /// The jobs of a cycle.
        jobs: JobsSpec,
        /// The searches that are compared: `Alp` and `Amp` can collect alternatives.
        searches: NonEmpty<Search>,
        /// The rule by which a job's length becomes a runtime.
        runtime: RuntimeRule = RuntimeRule::Reference,
        /// The form of the limit B*.
        budget: BudgetLimit = BudgetLimit::HighestIncome,
        /// The weights by which a further combination is chosen, within both limits; none is, unless given.
        weights: Option<WeightsSpec>,
        /// The number of counted cycles that are shown one by one, from the first on.
        #[unit = "cycles"]
        first: u64 = 0,
    }
    starter(include_str!("starter.ron"))
    check(this, at, errors) {
        report_repeated(&this.searches, &at.field("searches"), errors);
        if this.searches.iter().any(|search| search.get().finder().is_none()) {
            errors.add(&at.field("searches"), "only `Alp` and `Amp` collect alternatives", "leave the others out");
        }
        this.jobs.require_rule(this.runtime, at, errors);
    }
}

record! {
    /// The weights of the vector of criteria <C, D, T, I> of a batch (file 000, section 2): the cost C and the time T
    /// are to be low; D = B* - C and I = T* - T, what they leave of their limits, are to be high.
    #[derive(Copy)]
    pub struct WeightsSpec {
        /// The weight of a unit of the cost, C.
        #[unit = "weight per unit of money"]
        cost: NonNegative = NonNegative::ZERO,
        /// The weight of a unit of the budget left over, D.
        #[unit = "weight per unit of money"]
        saved: NonNegative = NonNegative::ZERO,
        /// The weight of a unit of the time, T.
        #[unit = "weight per unit of time"]
        time: NonNegative = NonNegative::ZERO,
        /// The weight of a unit of the time left over, I.
        #[unit = "weight per unit of time"]
        idle: NonNegative = NonNegative::ZERO,
    }
    check(this, at, errors) {
        if [this.cost, this.saved, this.time, this.idle].iter().all(|weight| *weight == NonNegative::ZERO) {
            errors.add(at, "all weights are 0", "give at least one above 0");
        }
    }
}

impl WeightsSpec {
    /// The weights; starts do not count.
    pub(super) fn weights(&self) -> Weights {
        let [cost, saved, time, idle] = [self.cost, self.saved, self.time, self.idle].map(NonNegative::get);
        Weights { cost, saved, time, idle, start: 0.0 }
    }
}
