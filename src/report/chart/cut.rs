//! Cuts through a crossing: the rows that a figure draws, and the values of their factors.

use super::series::by_metric;
use crate::ReportError;
use crate::rows::{factor_names, levels, setting};
use crate::{Cut, Figure, Row};

/// The rows of a figure that have every factor which its cut names.
pub(super) fn cut_rows<'a>(figure: &'a Figure, cut: &Cut, rows: &'a [Row]) -> Result<Vec<&'a Row>, ReportError> {
    let listed = |row: &&Row| cut.series.is_empty() || cut.series.contains(&row.series);
    let drawn = by_metric(figure, rows.iter().filter(listed))?;
    let mut drawn: Vec<&Row> = drawn.into_iter().flat_map(|(_, rows)| rows).collect();
    let up = cut.up.as_ref().map(|(factor, _)| factor);
    for factor in [Some(&cut.along), up, cut.panels.as_ref()].into_iter().flatten() {
        drawn.retain(|row| row.factor(factor).is_some());
        if drawn.is_empty() {
            return Err(ReportError::NoFactor { figure: figure.file.clone(), factor: factor.clone() });
        }
    }
    Ok(drawn)
}

/// The factors that take several values in the rows, without those of a list.
pub(super) fn varied<'a>(rows: &[&'a Row], without: &[&str]) -> Vec<&'a str> {
    let is_varied = |name: &&str| !without.contains(name) && levels(rows, name).len() > 1;
    factor_names(rows).into_iter().filter(is_varied).collect()
}

/// The values that a row has for some factors, in words.
pub(super) fn settings(row: &Row, factors: &[&str]) -> Vec<String> {
    factors.iter().filter_map(|factor| row.factor(factor).map(|value| setting(factor, value))).collect()
}

/// The error of two rows that fall on one place.
pub(super) fn repeated(figure: &Figure, row: &Row) -> ReportError {
    let (series, metric) = (row.series.clone(), row.metric.clone());
    ReportError::Repeated { figure: figure.file.clone(), series, metric }
}
