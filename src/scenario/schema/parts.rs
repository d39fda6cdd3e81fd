//! Parts that several kinds of experiment share.

use crate::model::{Request, RuntimeRule};
use crate::scenario::{Context, Count, Cursor, Name, NameKind, Positive};
use crate::units::{Performance, Price, Span, Time};
use crate::{choice, record};

/// The names of requests.
#[derive(Debug, Clone, PartialEq)]
pub enum RequestNames {}

impl NameKind for RequestNames {
    const WHAT: &'static str = "request";
}

record! {
    /// A job that asks for several nodes at once.
    pub struct RequestSpec {
        /// Its name, unique among the requests.
        name: Name<RequestNames>,
        /// How many nodes it needs at the same time, N.
        nodes: Count,
        /// How long it is, t; what that means on a node is said by the runtime rule.
        length: Span,
        /// The slowest node that will do, P_min.
        min_performance: Performance = Performance::from_units(1),
        /// The highest price per unit of time and node, C; the budget of a window is made from it.
        max_price: Price,
        /// When the last task must have ended, if ever.
        deadline: Option<Time>,
        /// Who comes first: requests of a higher rank, then those listed earlier.
        rank: i64 = 0,
    }
    check(this, at, errors) {
        if this.length == Span::ZERO {
            errors.add(&at.field("length"), "a job of no length needs no window", "give a length above 0");
        }
    }
}

impl RequestSpec {
    /// The request itself.
    pub fn request(&self) -> Request {
        Request {
            name: self.name.as_str().to_string(),
            nodes: self.nodes.get() as usize,
            length: self.length,
            min_performance: self.min_performance,
            max_price: self.max_price,
            deadline: self.deadline,
        }
    }
}

choice! {
    /// How a job's length t becomes a runtime on a node of performance P.
    #[derive(Copy)]
    pub enum RuntimeSpec {
        /// t / P: the length is the runtime on a node of performance 1.
        Reference,
        /// t * P_min / P, rounded up to whole time units: the length is the runtime on the slowest node that will do.
        Volume,
    }
}

impl RuntimeSpec {
    /// The rule itself.
    pub fn rule(self) -> RuntimeRule {
        match self {
            Self::Reference => RuntimeRule::Reference,
            Self::Volume => RuntimeRule::Volume,
        }
    }
}

choice! {
    /// Which of the affordable windows of one start AMP takes.
    #[derive(Copy)]
    pub enum TakesSpec {
        /// The cheapest.
        Cheapest,
        /// The one that is complete first while slots are met one by one in the order of the list: the published steps to the letter.
        FirstMet,
    }
}

choice! {
    /// The window searches. All but `Alp` hold the whole window to a budget of `budget_factor` * C * t * N.
    pub enum SearchSpec {
        /// The earliest window in which no slot's price is above the request's.
        Alp,
        /// The earliest window within the budget.
        Amp {
            /// The budget factor k.
            budget_factor: Positive = Positive::ONE,
            /// Which window is taken where several could start first.
            takes: TakesSpec = TakesSpec::Cheapest,
        },
        /// The window within the budget whose last task ends first.
        EarliestFinish {
            /// The budget factor k.
            budget_factor: Positive = Positive::ONE,
        },
        /// The cheapest window.
        MinCost {
            /// The budget factor k.
            budget_factor: Positive = Positive::ONE,
        },
        /// The window within the budget whose longest task is shortest.
        MinRuntime {
            /// The budget factor k.
            budget_factor: Positive = Positive::ONE,
        },
        /// The window within the budget whose runtimes have the least sum.
        MinProcessorTime {
            /// The budget factor k.
            budget_factor: Positive = Positive::ONE,
        },
        /// The window within the budget that takes the least energy.
        MinPower {
            /// The budget factor k.
            budget_factor: Positive = Positive::ONE,
        },
    }
}

/// How many steps a run may be cut into.
const STEPS_LIMIT: i64 = 10_000;

/// Reports a run of no length, and steps that don't cut it into a sensible number of parts; whether the run has a length.
pub(super) fn report_steps(horizon: Span, step: Span, at: &Cursor<'_>, errors: &mut Context<'_>) -> bool {
    if horizon == Span::ZERO {
        errors.add(&at.field("horizon"), "a run of no length has nothing to show", "give a horizon above 0");
        return false;
    }
    if step == Span::ZERO || step > horizon {
        let wrong = format!("{step} is not a part of the run");
        errors.add(&at.field("step"), wrong, "give a step above 0 and up to the horizon");
    } else if horizon.ticks() / step.ticks() > STEPS_LIMIT {
        errors.add(
            &at.field("step"),
            format!("the run would have more than {STEPS_LIMIT} steps"),
            "give a longer step",
        );
    }
    true
}

/// Reports a search that stands in the list twice with the same budget factor.
pub(super) fn report_repeated(searches: &[SearchSpec], at: &Cursor<'_>, errors: &mut Context<'_>) {
    for (index, search) in searches.iter().enumerate() {
        if searches[..index].contains(search) {
            errors.add(
                &at.element(index),
                "this search is in the list already",
                "leave it out, or change its budget factor or what it takes",
            );
        }
    }
}
