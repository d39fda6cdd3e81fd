//! Parts that several kinds of experiment share.

use super::{Figure, FigureKind, file_name};
use crate::language::{Context, Cursor};
use crate::metrics::{Estimate, Metric};
use crate::search::Search;
use crate::units::Span;

/// The largest number of steps that a run may be cut into.
const STEPS_LIMIT: i64 = 10_000;

/// Reports steps that don't cut a run into a sensible number of parts.
pub(super) fn report_steps(horizon: Span, step: Span, at: &Cursor<'_>, errors: &mut Context<'_>) {
    if step > horizon {
        let wrong = format!("{step} is not a part of the run");
        errors.add(&at.field("step"), wrong, "give a step above 0 and up to the horizon");
    } else if horizon.ticks() / step.ticks() > STEPS_LIMIT {
        errors.add(
            &at.field("step"),
            format!("the run would have more than {STEPS_LIMIT} steps"),
            "give a longer step",
        );
    }
}

/// Reports elements of the list at `at` that are the same as one before them.
pub(super) fn report_twice<T>(
    items: &[T],
    is_same: impl Fn(&T, &T) -> bool,
    (at, wrong): (&Cursor<'_>, &str),
    errors: &mut Context<'_>,
) {
    for (index, item) in items.iter().enumerate() {
        if items[..index].iter().any(|other| is_same(other, item)) {
            errors.add(&at.element(index), wrong, "leave it out");
        }
    }
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

/// A number that was not drawn.
pub(super) fn exact(mean: f64) -> Estimate {
    Estimate { mean, ci95: None, n: 1 }
}

/// A figure with a bar for each series, in groups by metric.
pub(super) fn bars(
    file: &str,
    title: String,
    caption: &str,
    (y_label, experiment): (String, &str),
    metrics: &[&Metric],
) -> Figure {
    Figure {
        file: file_name(file),
        title,
        caption: caption.into(),
        x_label: String::new(),
        y_label,
        experiment: experiment.into(),
        metrics: metrics.iter().map(|&metric| metric.into()).collect(),
        kind: FigureKind::Bars,
    }
}
