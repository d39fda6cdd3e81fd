//! AMP: the earliest window whose slots together are within the budget (file 000, section 3).

use super::{Finder, Offers, Takes, WindowSearch, earliest};
use crate::language::Positive;
use crate::model::{CostLimit, Request, Window};
use crate::record;

record! {
    /// AMP: the earliest window within the budget, whatever its single slots cost.
    ///
    /// At the first start where it is possible, the N live slots of lowest cost (price x runtime) are the window.
    /// m log m for m slots.
    #[derive(Copy)]
    pub struct Amp {
        /// The budget factor k: a window may cost k * C * t * N, where C is the highest price of the request, t its
        /// length and N the number of its nodes. Below 1 the budget is tighter than the price says.
        #[unit = "factor of the budget C * t * N"]
        budget_factor: Positive = Positive::ONE,
        /// The window that is taken where several could start first.
        takes: Takes = Takes::Cheapest,
    }
}

impl Amp {
    /// The search with this budget factor that takes the cheapest of the first windows.
    pub const fn within(budget_factor: f64) -> Self {
        Self { budget_factor: Positive::of(budget_factor), takes: Takes::Cheapest }
    }
}

impl WindowSearch for Amp {
    fn find_window(&self, offers: &Offers<'_>, request: &Request) -> Option<Window> {
        Finder::Amp(*self).first_window(offers, request, earliest::ANY)
    }
    fn name(&self) -> &'static str {
        "AMP"
    }

    fn limit(&self) -> CostLimit {
        CostLimit::Total(self.budget_factor.get())
    }

    fn finder(&self) -> Option<Finder> {
        Some(Finder::Amp(*self))
    }
}
