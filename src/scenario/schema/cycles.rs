//! `Cycles`: independent scheduling cycles on generated slots (file 000, section 5).

use super::bounds::{BatchLengths, LeastSpeeds, LongTimes, Millions, PriceFactors, SlotGaps, Speeds, TenThousands};
use super::parts::{RuntimeSpec, SearchSpec, report_repeated};
use crate::scenario::{Context, Cursor, Fraction, NonEmpty, Positive, Within};
use crate::{choice, record};

record! {
    /// Independent scheduling cycles. Each draws a list of slots and a batch of jobs, collects the alternatives of every job by
    /// each search, and chooses one per job twice: for the least total time within B* (TM) and for the least
    /// total cost within T* (CM). A cycle counts only if every job has an alternative under every search.
    pub struct Cycles {
        /// The slots of a cycle.
        slots: SlotsSpec,
        /// The jobs of a cycle.
        jobs: JobsSpec,
        /// The searches that are compared: `Alp` and `Amp` can collect alternatives.
        searches: NonEmpty<SearchSpec>,
        /// How a job's length becomes a runtime.
        runtime: RuntimeSpec = RuntimeSpec::Reference,
        /// What B* is.
        budget: BudgetLimit = BudgetLimit::HighestIncome,
        /// How many counted cycles are shown one by one; none unless given.
        first: u64 = 0,
    }
    check(this, at, errors) {
        report_repeated(&this.searches, &at.field("searches"), errors);
        if this.searches.iter().any(|search| !matches!(search, SearchSpec::Alp | SearchSpec::Amp { .. })) {
            errors.add(&at.field("searches"), "only `Alp` and `Amp` collect alternatives", "leave the others out");
        }
        this.jobs.require_rule(this.runtime, at, errors);
    }
}

choice! {
    /// The two forms of the limit B*.
    #[derive(Copy)]
    pub enum BudgetLimit {
        /// The highest total cost within the time T*: the owners' highest income (formula 3).
        HighestIncome,
        /// The sum over the jobs of the mean cost of their alternatives.
        MeanCost,
    }
}

record! {
    /// How slots are drawn: each on a node of its own, in order of start.
    pub struct SlotsSpec {
        /// How many slots.
        count: Within<Millions>,
        /// How long a slot is.
        length: Within<LongTimes>,
        /// How fast its node is.
        performance: Within<Speeds>,
        /// The probability that a slot starts together with the one before it.
        same_start: Fraction,
        /// Otherwise, how much later it starts.
        gap: Within<SlotGaps>,
        /// The price is this times `price_base` to the power of the performance.
        price_factor: Within<PriceFactors>,
        /// The base of prices.
        price_base: Positive,
    }
    check(this, at, errors) {
        let highest = this.price_factor.max() * libm::pow(this.price_base.get(), this.performance.max());
        if highest > 1e4 {
            errors.add(&at.field("price_base"), format!("prices could reach {highest:.1e}"), "keep them below 1e4");
        }
    }
}

choice! {
    /// What the length that is drawn for a job says. The budget of a window is made from the job's time t.
    #[derive(Copy)]
    pub enum LengthSpec {
        /// The job's time t as it stands; the runtime rule says what it means on a node.
        Time,
        /// The work there is to do: t is how long that takes on the slowest node that will do, as the rule `Volume` has it.
        Work,
    }
}

record! {
    /// How jobs are drawn.
    pub struct JobsSpec {
        /// How many jobs in a batch.
        count: Within<TenThousands>,
        /// How many nodes a job needs.
        nodes: Within<Millions>,
        /// How long a job is: from 0.01 to 100,000; what a distribution without an end has beyond that counts as the nearer of the two.
        length: Within<BatchLengths>,
        /// What the length says.
        length_is: LengthSpec = LengthSpec::Time,
        /// The slowest node that will do.
        min_performance: Within<LeastSpeeds>,
        /// The maximum price is this times `price_base` to the power of the minimum performance.
        price_factor: Within<PriceFactors>,
        /// The base of prices.
        price_base: Positive,
    }
}

impl JobsSpec {
    /// Reports a rule by which a job's time would not come out as the work it was made from.
    pub(super) fn require_rule(&self, rule: RuntimeSpec, at: &Cursor<'_>, errors: &mut Context<'_>) {
        if self.length_is == LengthSpec::Work && rule != RuntimeSpec::Volume {
            let wrong = "with jobs whose length is `Work`, only `Volume` gives the work's own runtimes";
            errors.add(&at.field("runtime"), wrong, "give `runtime: Volume`, or leave out `length_is`");
        }
    }
}
