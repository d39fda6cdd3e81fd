//! Axes: the range of the data, ticks at round values, and their labels.

use crate::number::{exponent, power_of_ten};

/// Magnitudes past this are refused, so that no arithmetic on a range can overflow.
const LIMIT: f64 = 1e300;

/// An interval of values, of a width above zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Range {
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
    pub(crate) fn with_near_zero(self) -> Self {
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
    pub(crate) fn up_to(self, limit: f64) -> Self {
        if limit > self.low { Self { high: self.high.min(limit), ..self } } else { self }
    }

    /// The range, wider by a share of itself on both sides.
    pub(crate) fn padded(self, share: f64) -> Self {
        let pad = share * (self.high - self.low);
        Self { low: self.low - pad, high: self.high + pad }
    }

    /// The range from one tick to another that just holds this one. What it adds at both ends may call for wider steps,
    /// whose ticks the ends have to be then.
    pub(super) fn rounded(self, count: usize) -> Self {
        let step = TickStep::for_range(self, count);
        let rounded = self.to_ticks(step);
        let next = TickStep::for_range(rounded, count);
        if next == step {
            return rounded;
        }
        let wider = self.to_ticks(next);
        if TickStep::for_range(wider, count) == next { wider } else { rounded.rounded(count) }
    }

    fn to_ticks(self, step: TickStep) -> Self {
        Self { low: step.value(step.index(self.low).floor()), high: step.value(step.index(self.high).ceil()) }
    }

    /// The range of logarithms to base ten that just holds this one and ends at 1, 2 or 5 times a power of ten.
    pub(super) fn to_powers(self) -> Self {
        let marks = |at: f64| [0.0, libm::log10(2.0), libm::log10(5.0), 1.0].map(|mark| at.floor() + mark);
        let low = marks(self.low).into_iter().filter(|&mark| mark <= self.low + 1e-9).fold(self.low.floor(), f64::max);
        let high = marks(self.high).into_iter().filter(|&mark| mark >= self.high - 1e-9);
        let high = high.fold(self.high.floor() + 1.0, f64::min);
        if high > low { Self { low, high } } else { Self { low: low.floor(), high: low.floor() + 1.0 } }
    }

    /// Where a value lies, from 0 to 1.
    pub(super) fn share(self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }
}

/// Ticks with their labels, and the power of ten that all labels leave out.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Ticks {
    pub values: Vec<f64>,
    pub labels: Vec<String>,
    /// Like `×10⁶`; empty when labels are whole.
    pub multiplier: String,
    /// The power itself.
    pub power: i32,
}

impl Ticks {
    /// At most `count` steps within the range, each of 1, 2 or 5 times a power of ten. Three steps or more leave a tick
    /// at least.
    pub(super) fn within(range: Range, count: usize) -> Self {
        let step = TickStep::for_range(range, count);
        let (first, last) = (step.index(range.low).ceil() as i64, step.index(range.high).floor() as i64);
        let values: Vec<f64> = (first..=last).map(|index| step.value(index as f64)).collect();
        let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        let power = match exponent(largest) {
            leading if largest != 0.0 && !(-2..6).contains(&leading) => leading.div_euclid(3) * 3,
            _ => 0,
        };
        let places = (power - step.exponent).max(0) as usize;
        let label = |value: &f64| format!("{:.places$}", value / power_of_ten(power)).replace('-', "−");
        let labels = values.iter().map(label).collect();
        let multiplier = if power == 0 { String::new() } else { format!("×10{}", superscript(power)) };
        Self { values, labels, multiplier, power }
    }

    /// For a range of logarithms to base ten: at powers of ten, and at 2 and 5 times them in a range of two powers or
    /// less. Labels are the numbers themselves.
    pub(super) fn powers(range: Range, count: usize) -> Self {
        let is_short = range.high - range.low <= 2.0 + 1e-9;
        let digits: &[u8] = if is_short { &[1, 2, 5] } else { &[1] };
        let first = if is_short { range.low.floor() } else { (range.low - 1e-9).ceil() } as i32;
        let last = (range.high + 1e-9).floor() as i32;
        let every = ((last - first).max(0) as usize).div_ceil(count.max(1)).max(1);
        let at = |(power, digit): (i32, u8)| (f64::from(power) + libm::log10(f64::from(digit)), (power, digit));
        let all = (first..=last).step_by(every).flat_map(|power| digits.iter().map(move |&digit| (power, digit)));
        let inside = |&(value, _): &(f64, (i32, u8))| value >= range.low - 1e-9 && value <= range.high + 1e-9;
        let (values, numbers): (Vec<f64>, Vec<(i32, u8)>) = all.map(at).filter(inside).unzip();
        let label = |&(power, digit): &(i32, u8)| match (power, digit) {
            (-3..=5, _) => format!("{:.*}", (-power).max(0) as usize, f64::from(digit) * power_of_ten(power)),
            (_, 1) => format!("10{}", superscript(power)),
            _ => format!("{digit}×10{}", superscript(power)),
        };
        Self { values, labels: numbers.iter().map(label).collect(), ..Self::default() }
    }

    /// Those that are not past a limit.
    pub(crate) fn up_to(mut self, limit: f64) -> Self {
        self.values.retain(|&value| value <= limit);
        self.labels.truncate(self.values.len());
        self
    }
}

/// A distance between ticks: `digit` times a power of ten.
#[derive(Clone, Copy, PartialEq)]
struct TickStep {
    digit: f64,
    exponent: i32,
}

impl TickStep {
    /// The smallest round step that cuts the range into at most `count` parts.
    fn for_range(range: Range, count: usize) -> Self {
        let least = (range.high - range.low) / count as f64;
        let exponent = exponent(least);
        let scaled = least / power_of_ten(exponent);
        match [1.0, 2.0, 5.0].into_iter().find(|&digit| scaled <= digit * (1.0 + 1e-9)) {
            Some(digit) => Self { digit, exponent },
            None => Self { digit: 1.0, exponent: exponent + 1 },
        }
    }

    /// The number of steps from zero to a value; a value a rounding error from a tick is on it.
    fn index(self, value: f64) -> f64 {
        let index = value / (self.digit * power_of_ten(self.exponent));
        let nearest = index.round();
        if (index - nearest).abs() < 1e-6 { nearest } else { index }
    }

    fn value(self, index: f64) -> f64 {
        let digits = index * self.digit;
        // Dividing by a whole power of ten gives the double nearest to the decimal number.
        if self.exponent < 0 { digits / power_of_ten(-self.exponent) } else { digits * power_of_ten(self.exponent) }
    }
}

fn superscript(power: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    power
        .to_string()
        .chars()
        .map(|c| c.to_digit(10).and_then(|digit| DIGITS.get(digit as usize).copied()).unwrap_or('⁻'))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn labels(low: f64, high: f64) -> Vec<String> {
        Ticks::within(Range { low, high }, 6).labels
    }

    #[test]
    fn ticks_stand_at_round_values() {
        assert_eq!(labels(0.0, 24.0), ["0", "5", "10", "15", "20"]);
        assert_eq!(labels(-0.1, 0.32), ["−0.1", "0.0", "0.1", "0.2", "0.3"]);
        assert_eq!(labels(0.0, 0.5), ["0.0", "0.1", "0.2", "0.3", "0.4", "0.5"]);
    }

    #[test]
    fn large_and_small_values_share_a_power_of_ten() {
        let large = Ticks::within(Range { low: 0.0, high: 4.2e6 }, 5);
        assert_eq!((large.labels[4].as_str(), large.multiplier.as_str()), ("4", "×10⁶"));
        let small = Ticks::within(Range { low: 0.0, high: 2.5e-4 }, 5);
        assert_eq!((small.labels[1].as_str(), small.multiplier.as_str()), ("50", "×10⁻⁶"));
    }

    #[test]
    fn powers_of_ten_are_written_out_and_ranges_end_at_them() {
        let log = |low: f64, high: f64| Range { low: libm::log10(low), high: libm::log10(high) };
        let of = |low, high| Ticks::powers(log(low, high).to_powers(), 6).labels;
        assert_eq!(of(3.0, 90.0), ["2", "5", "10", "20", "50", "100"]);
        assert_eq!(of(0.03, 7e4), ["0.1", "1", "10", "100", "1000", "10000", "100000"]);
        assert_eq!(of(1.0, 1e12), ["1", "100", "10000", "10⁶", "10⁸", "10¹⁰", "10¹²"]);
        assert_eq!(of(1e-8, 1e-7), ["10⁻⁸", "2×10⁻⁸", "5×10⁻⁸", "10⁻⁷"]);
        assert_eq!(of(5.0, 5.0), ["1", "2", "5", "10"]);
    }

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
        let range = Range { low: 58.0, high: 162.0 }.rounded(6);
        assert_eq!(range, Range { low: 50.0, high: 200.0 });
        assert_eq!(Ticks::within(range, 6).labels, ["50", "100", "150", "200"]);
    }

    proptest! {
        #[test]
        fn any_range_has_a_few_ticks_inside_it(middle in -1e6_f64..1e6, width in 1e-3_f64..1e6, scale in -280_i32..280, count in 3_usize..14) {
            let unit = power_of_ten(scale);
            let range = Range::around([(middle - width) * unit, (middle + width) * unit]).unwrap();
            let ticks = Ticks::within(range, count);
            prop_assert!((1..=count + 1).contains(&ticks.values.len()), "{:?}", ticks);
            let slack = 1e-6 * (range.high - range.low);
            prop_assert!(ticks.values.iter().all(|&v| v >= range.low - slack && v <= range.high + slack));
            let mut distinct = ticks.labels.clone();
            distinct.dedup();
            prop_assert_eq!(distinct.len(), ticks.values.len());
            let rounded = range.rounded(count);
            prop_assert!(rounded.low <= range.low + slack && rounded.high >= range.high - slack);
            let ends = Ticks::within(rounded, count).values;
            prop_assert_eq!((ends.first(), ends.last()), (Some(&rounded.low), Some(&rounded.high)));
        }
    }
}
