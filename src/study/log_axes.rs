//! Logarithmic axes of the figures of sweeps.

use super::crossing::usual;
use super::sweep::{CrossingFigure, Sweep, SweptFactor};
use crate::language::{Context, Cursor};

/// Reports values that have no place on a logarithmic axis, and figures that have no such axis.
pub(super) fn report_log(sweep: &Sweep, factors: &[SweptFactor<'_>], at: &Cursor<'_>, errors: &mut Context<'_>) {
    let Some(log) = sweep.log else { return };
    let drawn = match sweep.is_crossing() && sweep.figures.is_empty() {
        true => vec![usual(factors)],
        false => sweep.figures.clone(),
    };
    let lines: Vec<&String> = drawn
        .iter()
        .filter_map(|figure| if let CrossingFigure::Lines { along, .. } = figure { Some(along) } else { None })
        .collect();
    if sweep.is_crossing() && lines.is_empty() {
        let right = "leave it out, or draw `Lines`: `figures: [Lines(along: ...)]`";
        return errors.add(&at.field("log"), "a map has no logarithmic axes", right);
    }
    if !log.has_x() {
        return;
    }
    for (index, factor) in factors.iter().enumerate() {
        if sweep.is_crossing() && !lines.contains(&&factor.name) {
            continue;
        }
        let place = if sweep.is_crossing() { at.field("grid").element(index) } else { at.clone() };
        let place = place.field("values");
        if !factor.is_numeric() {
            let right = "leave `log` out, or give `log: Y`";
            errors.add(&place, "texts have no place on a logarithmic axis", right);
            continue;
        }
        for (index, (_, shown)) in factor.values.iter().enumerate() {
            if let Some(value) = shown.number().filter(|&value| value <= 0.0) {
                let wrong = format!("{value} has no place on the logarithmic x axis that `log` asks for");
                errors.add(&place.element(index), wrong, "give values above 0, or leave `log` out");
            }
        }
    }
}
