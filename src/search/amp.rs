//! AMP: the earliest window whose slots together are within the budget (file 000, section 3).

use super::{Finder, Offers, WindowSearch, earliest};
use crate::model::{Request, Window};

/// The search by the maximal price of the job: single slots may be dear if the window's total cost is within S = k * C * t * N.
///
/// At the first start where it is possible, the N live slots of lowest cost (price x runtime) are the window.
/// m log m for m slots.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Amp {
    /// The budget factor k; 1 unless a study varies it.
    pub budget_factor: f64,
}

impl WindowSearch for Amp {
    fn find_window(&self, offers: &Offers<'_>, request: &Request) -> Option<Window> {
        let finder = Finder::Amp { budget_factor: self.budget_factor };
        finder.first_window(offers, request, earliest::ANY)
    }
}
