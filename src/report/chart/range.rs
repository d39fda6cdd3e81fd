//! Ranges of data, and the round values in them.

use crate::number::{exponent, power_of_ten};

/// Magnitudes past this are refused, so that no arithmetic on a range can overflow.
const LIMIT: f64 = 1e300;

/// An interval of values, of a width above zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Range {
    pub low: f64,
    pub high: f64,
}

impl Range {
    /// The smallest range around all values; a flat or empty one is widened. `None` past the limits.
    pub(super) fn around(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let (low, high) = values
            .into_iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        let size = low.abs().max(high.abs());
        if size > LIMIT || low > high {
            return None;
        }
        // Below this width ticks would differ only in digits that doubles do not have.
        if high - low > (size * 1e-9).max(1.0 / LIMIT) {
            Some(Self { low, high })
        } else if size > 1.0 / LIMIT {
            Some(Self { low: low - 0.1 * size, high: high + 0.1 * size })
        } else {
            Some(Self { low: 0.0, high: 1.0 })
        }
    }

    /// The range with zero in it when zero is near, so that heights compare; data far from zero keep their detail.
    pub(super) fn with_near_zero(self) -> Self {
        let near = 0.5 * (self.high - self.low).max(0.5 * self.high.abs().max(self.low.abs()));
        if self.low > 0.0 && self.low <= near {
            Self { low: 0.0, ..self }
        } else if self.high < 0.0 && -self.high <= near {
            Self { high: 0.0, ..self }
        } else {
            self
        }
    }

    /// The range without what is past a limit, as far as anything else is in it.
    pub(super) fn up_to(self, limit: f64) -> Self {
        if limit > self.low { Self { high: self.high.min(limit), ..self } } else { self }
    }

    /// The range, wider by a share of itself on both sides.
    pub(super) fn padded(self, share: f64) -> Self {
        let pad = share * (self.high - self.low);
        Self { low: self.low - pad, high: self.high + pad }
    }

    /// The range from one round value to another that just holds this one.
    pub(super) fn rounded(self, steps: usize) -> Self {
        let step = self.step(steps);
        let rounded = self.to_multiples(step);
        // What the ends add may call for wider steps, whose multiples the ends have to be then.
        let next = rounded.step(steps);
        if next == step {
            return rounded;
        }
        let wider = self.to_multiples(next);
        if wider.step(steps) == next { wider } else { rounded.rounded(steps) }
    }

    fn to_multiples(self, step: (f64, i32)) -> Self {
        let (low, high) = (index(self.low, step).floor(), index(self.high, step).ceil());
        Self { low: multiple(low, step), high: multiple(high, step) }
    }

    /// The range that just holds this one and ends at 1, 2 or 5 times a power of ten; all of it is above zero.
    pub(super) fn to_powers(self) -> Self {
        let marks = |value: f64| {
            let power = exponent(value);
            [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power_of_ten(power))
        };
        let low = marks(self.low).into_iter().filter(|&mark| mark <= self.low * (1.0 + 1e-9)).fold(0.0, f64::max);
        let high = marks(self.high).into_iter().filter(|&mark| mark >= self.high * (1.0 - 1e-9));
        let high = high.fold(f64::INFINITY, f64::min);
        if high > low { Self { low, high } } else { Self { low, high: 10.0 * low } }
    }

    /// The distance of at most so many round steps across the range: 1, 2 or 5 times a power of ten, which is given.
    fn step(self, steps: usize) -> (f64, i32) {
        let least = (self.high - self.low) / steps as f64;
        let power = exponent(least);
        let digit = [1.0, 2.0, 5.0].into_iter().find(|digit| least <= digit * power_of_ten(power) * (1.0 + 1e-9));
        digit.map_or((1.0, power + 1), |digit| (digit, power))
    }

    /// The round values in the range with at most so many steps between them, and the power of ten of their last digit.
    pub(super) fn round_values(self, steps: usize) -> (Vec<f64>, i32) {
        let step = self.step(steps);
        let (first, last) = (index(self.low, step).ceil() as i64, index(self.high, step).floor() as i64);
        ((first..=last).map(|index| multiple(index as f64, step)).collect(), step.1)
    }
}

/// The number of steps from zero to a value; a value a rounding error from a step is on it.
fn index(value: f64, (digit, power): (f64, i32)) -> f64 {
    let index = value / (digit * power_of_ten(power));
    let nearest = index.round();
    if (index - nearest).abs() < 1e-6 { nearest } else { index }
}

/// So many steps from zero.
fn multiple(index: f64, (digit, power): (f64, i32)) -> f64 {
    // Dividing by a whole power of ten gives the double nearest to the decimal number.
    if power < 0 { index * digit / power_of_ten(-power) } else { index * digit * power_of_ten(power) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn flat_and_empty_data_have_a_range_too() {
        assert_eq!(Range::around([5.0, 5.0]), Some(Range { low: 4.5, high: 5.5 }));
        assert_eq!(Range::around([0.0]), Some(Range { low: 0.0, high: 1.0 }));
        assert_eq!(Range::around([5e-324]), Some(Range { low: 0.0, high: 1.0 }));
        assert_eq!(Range::around([]), None);
        assert_eq!(Range::around([0.0, f64::MAX]), None);
    }

    #[test]
    fn zero_joins_only_when_near() {
        assert_eq!(Range { low: 2.0, high: 10.0 }.with_near_zero().low, 0.0);
        assert_eq!(Range { low: 95.0, high: 100.0 }.with_near_zero().low, 95.0);
        assert_eq!(Range { low: -10.0, high: -1.0 }.with_near_zero().high, 0.0);
    }

    #[test]
    fn rounded_ranges_end_at_ticks() {
        assert_eq!(Range { low: 58.0, high: 162.0 }.rounded(6), Range { low: 50.0, high: 200.0 });
    }

    proptest! {
        #[test]
        fn any_range_has_a_few_round_values_in_it(middle in -1e6_f64..1e6, width in 1e-3_f64..1e6, scale in -280_i32..280, steps in 3_usize..14) {
            let unit = power_of_ten(scale);
            let range = Range::around([(middle - width) * unit, (middle + width) * unit]).unwrap();
            let (values, _) = range.round_values(steps);
            prop_assert!((1..=steps + 1).contains(&values.len()), "{:?}", values);
            let slack = 1e-6 * (range.high - range.low);
            prop_assert!(values.iter().all(|&v| v >= range.low - slack && v <= range.high + slack));
            let rounded = range.rounded(steps);
            prop_assert!(rounded.low <= range.low + slack && rounded.high >= range.high - slack);
            let (values, _) = rounded.round_values(steps);
            let (first, last) = (values[0], values[values.len() - 1]);
            prop_assert!((first - rounded.low).abs() < slack && (last - rounded.high).abs() < slack, "{values:?} in {rounded:?}");
        }
    }
}
