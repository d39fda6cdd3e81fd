//! Parts that several kinds of experiment share.

use crate::language::{Context, Cursor};
use crate::search::Search;
use crate::units::Span;

/// The largest number of steps that a run may be cut into.
const STEPS_LIMIT: i64 = 10_000;

/// Reports a run of no length, and steps that don't cut it into a sensible number of parts. Returns true if the run has
/// a length.
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
pub(super) fn report_repeated(searches: &[Search], at: &Cursor<'_>, errors: &mut Context<'_>) {
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
