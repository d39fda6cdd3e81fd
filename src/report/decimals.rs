//! The values of a metric as cells: all with the same decimals, and marked where they differ from the baseline.

use crate::lines::width_of;
use crate::{Row, number};

/// The mark of a value that differs significantly from the baseline, or from 0.
pub(crate) const MARK: char = '*';
/// The largest value of a line has at most this many digits before decimals are cut.
const DIGITS: i32 = 5;
/// Values without an interval have this many.
const BARE_DIGITS: i32 = 4;

/// The form that all values of a metric share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Decimals {
    /// This many digits after the point.
    Fixed(usize),
    /// Numbers so large or so small that each has its own exponent.
    Scientific,
}

impl Decimals {
    /// Two digits of the narrowest interval, as far as the largest value can do with that many; the values of single
    /// runs have none and show four digits.
    pub fn of(rows: &[&Row]) -> Self {
        let largest = rows.iter().map(|row| row.mean.abs().max(row.ci95.unwrap_or(0.0))).fold(0.0, f64::max);
        let leading = number::exponent(largest);
        if !(-4..9).contains(&leading) {
            return Self::Scientific;
        }
        if rows.iter().all(|row| row.mean.fract() == 0.0 && row.ci95.is_none_or(|half| half.fract() == 0.0)) {
            return Self::Fixed(0);
        }
        let halves = rows.iter().filter_map(|row| row.ci95).filter(|&half| half > 0.0);
        let wanted = halves.map(|half| 1 - number::exponent(half)).max();
        let most = DIGITS - 1 - leading;
        let places = wanted.unwrap_or(BARE_DIGITS - 1 - leading).min(most).max(0);
        Self::Fixed(places as usize)
    }

    /// A number in this form; a zero has no sign.
    pub fn text(self, value: f64) -> String {
        match self {
            Self::Scientific => number::significant(value, 4),
            Self::Fixed(places) => number::fixed(value, places),
        }
    }

    /// The mean of a row, with its interval if that is wanted; a difference has its sign.
    pub fn estimate(self, row: &Row, with_interval: bool) -> String {
        let text = self.text(row.mean);
        // What is rounded to zero has no sign.
        let is_zero = !text.contains(|c: char| ('1'..='9').contains(&c));
        let mean = if row.p.is_some() && row.mean > 0.0 && !is_zero { format!("+{text}") } else { text };
        match row.ci95.filter(|_| with_interval) {
            None => mean,
            // Too narrow for the decimals that all share.
            Some(half) if half > 0.0 && !self.text(half).contains(|c: char| ('1'..='9').contains(&c)) => estimate(row),
            Some(half) => format!("{mean} ± {}", self.text(half)),
        }
    }
}

/// A row with decimals of its own; a difference has its sign.
pub(crate) fn estimate(row: &Row) -> String {
    let text = number::estimate(row.mean, row.ci95);
    match (row.p.is_some() && row.mean > 0.0, text.strip_prefix('(')) {
        (false, _) => text,
        (true, None) => format!("+{text}"),
        (true, Some(rest)) => format!("(+{rest}"),
    }
}

/// Cells of one column or line with room for a mark, if any of them has one.
pub(crate) fn with_marks(cells: Vec<(String, bool)>, room: bool) -> Vec<String> {
    cells.into_iter().map(|(text, is_marked)| marked(text, is_marked, room)).collect()
}

/// A cell with its mark, or with the room for one.
pub(crate) fn marked(text: String, is_marked: bool, room: bool) -> String {
    match (is_marked, room && width_of(&text) > 0) {
        (true, _) => format!("{text}{MARK}"),
        (false, true) => format!("{text} "),
        (false, false) => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridloom_sim::metrics::Estimate;

    fn row(mean: f64, ci95: impl Into<Option<f64>>) -> Row {
        Row::new("e", "s", "m", Estimate { mean, ci95: ci95.into(), n: 9 })
    }

    #[test]
    fn values_of_a_metric_share_their_decimals() {
        let texts = |rows: &[Row]| -> Vec<String> {
            let rows: Vec<&Row> = rows.iter().collect();
            let decimals = Decimals::of(&rows);
            rows.iter().map(|row| decimals.estimate(row, true)).collect()
        };
        assert_eq!(texts(&[row(0.93, 0.071), row(0.86, 0.14)]), ["0.930 ± 0.071", "0.860 ± 0.140"]);
        assert_eq!(texts(&[row(1234.5678, 12.3), row(-0.4, 0.031)]), ["1234.6 ± 12.3", "-0.400 ± 0.031"]);
        assert_eq!(texts(&[row(20.0, 0.0), row(3.0, 0.0)]), ["20 ± 0", "3 ± 0"]);
        assert_eq!(texts(&[row(72.25, None), row(8.0, None)]), ["72.25", "8.00"]);
        assert_eq!(texts(&[row(1.5e12, None)]), ["1.5e12"]);
    }

    #[test]
    fn a_difference_has_its_sign_unless_it_is_rounded_to_zero() {
        let text = |mean| Decimals::Fixed(2).estimate(&Row { p: Some(0.5), ..row(mean, 0.25) }, true);
        assert_eq!([2.0, -2.0, 0.001].map(text), ["+2.00 ± 0.25", "-2.00 ± 0.25", "0.00 ± 0.25"]);
    }
}
