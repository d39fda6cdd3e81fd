//! The axes of all charts: numbers at round values, logarithms at powers of ten, or names side by side.

use super::range::Range;
use super::theme;
use crate::number::{exponent, power_of_ten};
use gridloom_files::{text_width, wrapped_within};
use plotters::coord::combinators::{IntoLogRange, LogCoord};
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;

/// At most this many steps between the ticks of a horizontal axis.
pub(super) const ACROSS: usize = 12;
const FEWEST_STEPS: usize = 3;
/// The same between powers of ten.
const POWER_STEPS: usize = 6;
/// At most this many lines for a name.
const NAME_LINES: usize = 3;

/// What an axis shows.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Scale {
    /// Numbers.
    Values(Range),
    /// Numbers above zero, by their logarithms.
    Powers(Range),
    /// Names, each beside a stretch of the same width; the `k`-th stretch spans `k` to `k + 1`.
    Names(Vec<String>),
}

/// An axis with its ticks chosen.
#[derive(Debug, Clone)]
pub(super) struct Axis {
    pub range: Range,
    is_log: bool,
    /// The line of the axis ends there.
    end: f64,
    /// Places of labels, and the labels.
    ticks: Vec<(f64, String)>,
    /// Like `×10⁶`, which all labels leave out; empty when they are whole.
    pub multiplier: String,
    /// The power of ten itself.
    pub power: i32,
    /// Ticks and grid lines mark the places of labels, if true.
    pub is_ruled: bool,
}

impl Scale {
    /// An axis with at most so many steps between its ticks.
    pub(super) fn with_steps(&self, steps: usize) -> Axis {
        match self {
            Self::Values(range) => values(*range, steps),
            Self::Powers(range) => powers(*range, steps.min(POWER_STEPS)),
            Self::Names(names) => {
                let tick = |(index, name): (usize, &String)| (index as f64 + 0.5, name.clone());
                Axis::named(names.len() as f64, names.iter().enumerate().map(tick).collect())
            }
        }
    }

    /// A horizontal axis whose labels fit into its length side by side.
    pub(super) fn within(&self, length: i32) -> Axis {
        let length = f64::from(length);
        let (most, fewest) = match self {
            Self::Values(_) => (ACROSS, FEWEST_STEPS),
            Self::Powers(_) => (POWER_STEPS, 2),
            Self::Names(names) => {
                let (place, mut axis) = (length / names.len() as f64, self.with_steps(0));
                // Numbers can be read between others that are left out, names can't.
                let are_numbers = names.iter().all(|name| name.parse::<f64>().is_ok());
                let every = ((axis.widest() + f64::from(theme::GAP)) / place).ceil().max(1.0) as usize;
                for (index, (_, name)) in axis.ticks.iter_mut().enumerate() {
                    match are_numbers {
                        true if index % every > 0 => name.clear(),
                        true => {}
                        false => *name = name_lines(name, place - f64::from(theme::GAP)),
                    }
                }
                return axis;
            }
        };
        // Where there is room for one label alone, every second or third of more ticks has a label.
        for every in 1..=3 {
            for steps in (fewest..=most).rev() {
                let mut axis = self.with_steps(steps);
                let places: Vec<f64> = axis.ticks.iter().step_by(every).map(|(at, _)| axis.share(*at)).collect();
                let apart = places.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
                if places.len() > 1 && axis.widest() + 1.5 * f64::from(theme::GAP) <= apart * length {
                    let between = axis.ticks.iter_mut().enumerate().filter(|(index, _)| index % every > 0);
                    between.for_each(|(_, (_, label))| label.clear());
                    return axis;
                }
            }
        }
        let mut axis = self.with_steps(fewest);
        axis.ticks.iter_mut().skip(1).for_each(|(_, label)| label.clear());
        axis
    }
}

impl Axis {
    /// An axis from 0 to its length whose labels stand at some places.
    pub(super) fn named(length: f64, ticks: Vec<(f64, String)>) -> Self {
        let range = Range { low: 0.0, high: length };
        Self { range, is_log: false, end: length, ticks, multiplier: String::new(), power: 0, is_ruled: false }
    }

    /// The same from the top down.
    pub(super) fn downwards(mut self) -> Self {
        (self.range, self.end) = (Range { low: self.range.high, high: self.range.low }, self.range.low);
        self
    }

    /// The axis with nothing past a limit.
    pub(super) fn up_to(mut self, limit: f64) -> Self {
        self.end = self.end.min(limit);
        self.ticks.retain(|&(value, _)| value <= limit);
        self
    }

    /// The axis with as many labels as there is room for below each other.
    pub(super) fn thinned(mut self, height: i32) -> Self {
        let places: Vec<f64> = self.ticks.iter().map(|(at, _)| f64::from(height) * self.share(*at)).collect();
        let most = places.len().max(1);
        let is_apart = |every: &usize| {
            let shown: Vec<f64> = places.iter().copied().step_by(*every).collect();
            shown.windows(2).all(|pair| (pair[1] - pair[0]).abs() >= 1.1 * f64::from(theme::TICK_SIZE))
        };
        let every = (1..most).find(is_apart).unwrap_or(most);
        self.ticks
            .iter_mut()
            .enumerate()
            .filter(|(index, _)| index % every > 0)
            .for_each(|(_, (_, label))| label.clear());
        self
    }

    /// The axis without its labels.
    pub(super) fn unlabelled(mut self) -> Self {
        self.ticks.iter_mut().for_each(|(_, label)| label.clear());
        self
    }

    /// The width of the widest label.
    pub(super) fn widest(&self) -> f64 {
        widest(self.ticks.iter().map(|(_, label)| label.as_str()))
    }

    /// The most lines of a label.
    pub(super) fn lines(&self) -> usize {
        self.ticks.iter().map(|(_, label)| label.lines().count()).max().unwrap_or(0)
    }

    /// The lengths by which labels stand out from an axis of this length, before it and past it.
    pub(super) fn overhang(&self, length: i32) -> [i32; 2] {
        let mut most = [0.0_f64; 2];
        for (at, label) in &self.ticks {
            let (half, share) = (0.5 * widest([label.as_str()]), self.share(*at));
            most =
                [most[0].max(half - share * f64::from(length)), most[1].max(half - (1.0 - share) * f64::from(length))];
        }
        most.map(|length| length.ceil() as i32)
    }

    /// Where a value lies, from 0 to 1.
    pub(super) fn share(&self, value: f64) -> f64 {
        const FINE: i32 = 1 << 24;
        f64::from(self.map(&value, (0, FINE))) / f64::from(FINE)
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, pixels: (i32, i32)) -> i32 {
        let range = self.range.low..self.range.high;
        if self.is_log {
            LogCoord::from(range.log_scale()).map(value, pixels)
        } else {
            RangedCoordf64::from(range).map(value, pixels)
        }
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        // Without the light lines between ticks.
        let is_bold = !hint.weight().allow_light_points();
        self.ticks.iter().filter(|_| is_bold).map(|&(value, _)| value).collect()
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.range.low..self.range.high
    }

    fn axis_pixel_range(&self, pixels: (i32, i32)) -> std::ops::Range<i32> {
        let end = self.map(&self.end, pixels);
        pixels.0.min(end)..pixels.0.max(end)
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        self.ticks.iter().find(|(at, _)| at == value).map(|(_, label)| label.clone()).unwrap_or_default()
    }
}

/// Ticks at round values.
fn values(range: Range, steps: usize) -> Axis {
    let (values, last_digit) = range.round_values(steps);
    let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let power = match exponent(largest) {
        leading if largest != 0.0 && !(-2..6).contains(&leading) => leading.div_euclid(3) * 3,
        _ => 0,
    };
    let places = (power - last_digit).max(0) as usize;
    let label = |value: f64| format!("{:.places$}", value / power_of_ten(power)).replace('-', "−");
    let multiplier = if power == 0 { String::new() } else { format!("×10{}", superscript(power)) };
    let ticks = values.into_iter().map(|value| (value, label(value))).collect();
    Axis { range, is_log: false, end: range.high, ticks, multiplier, power, is_ruled: true }
}

/// Ticks at powers of ten, and at 2 and 5 times them in a range of two powers or less.
fn powers(range: Range, steps: usize) -> Axis {
    let digits: &[u8] = if range.high <= 100.0 * range.low { &[1, 2, 5] } else { &[1] };
    let (first, last) = (exponent(range.low), exponent(range.high));
    let first = if digits.len() == 1 && power_of_ten(first) < range.low { first + 1 } else { first };
    let every = ((last - first).max(0) as usize).div_ceil(steps.max(1)).max(1);
    let all = (first..=last).step_by(every).flat_map(|power| digits.iter().map(move |&digit| (power, digit)));
    let label = |power: i32, digit: u8| match (power, digit) {
        (-3..=5, _) => format!("{:.*}", (-power).max(0) as usize, f64::from(digit) * power_of_ten(power)),
        (_, 1) => format!("10{}", superscript(power)),
        _ => format!("{digit}×10{}", superscript(power)),
    };
    let ticks = all.map(|(power, digit)| (f64::from(digit) * power_of_ten(power), label(power, digit)));
    let inside = |&(value, _): &(f64, String)| value >= range.low * (1.0 - 1e-9) && value <= range.high * (1.0 + 1e-9);
    let ticks = ticks.filter(inside).collect();
    Axis { range, is_log: true, end: range.high, ticks, multiplier: String::new(), power: 0, is_ruled: true }
}

fn superscript(power: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digit = |c: char| c.to_digit(10).map_or('⁻', |digit| DIGITS[digit as usize]);
    power.to_string().chars().map(digit).collect()
}

/// A name in a few lines; empty where not even its beginning fits.
pub(super) fn name_lines(name: &str, room: f64) -> String {
    let size = f64::from(theme::TICK_SIZE);
    let lines = wrapped_within(name, room, size, NAME_LINES);
    if lines.iter().all(|line| text_width(line, size, false) <= room) { lines.join("\n") } else { String::new() }
}

/// The width of the widest line of some labels.
pub(super) fn widest<'a>(labels: impl IntoIterator<Item = &'a str>) -> f64 {
    let width = |line| text_width(line, f64::from(theme::TICK_SIZE), false);
    labels.into_iter().flat_map(str::lines).map(width).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, label)| label.as_str()).collect()
    }

    fn of(low: f64, high: f64, steps: usize) -> Axis {
        Scale::Values(Range { low, high }).with_steps(steps)
    }

    #[test]
    fn ticks_stand_at_round_values() {
        assert_eq!(labels(&of(0.0, 24.0, 6)), ["0", "5", "10", "15", "20"]);
        assert_eq!(labels(&of(-0.1, 0.32, 6)), ["−0.1", "0.0", "0.1", "0.2", "0.3"]);
        assert_eq!(labels(&of(0.0, 0.5, 6)), ["0.0", "0.1", "0.2", "0.3", "0.4", "0.5"]);
        let rounded = Range { low: 58.0, high: 162.0 }.rounded(6);
        assert_eq!(labels(&of(rounded.low, rounded.high, 6)), ["50", "100", "150", "200"]);
    }

    #[test]
    fn large_and_small_values_share_a_power_of_ten() {
        let large = of(0.0, 4.2e6, 5);
        assert_eq!((labels(&large)[4], large.multiplier.as_str()), ("4", "×10⁶"));
        let small = of(0.0, 2.5e-4, 5);
        assert_eq!((labels(&small)[1], small.multiplier.as_str()), ("50", "×10⁻⁶"));
    }

    #[test]
    fn powers_of_ten_are_written_out_and_ranges_end_at_them() {
        let powers = |low, high| Scale::Powers(Range { low, high }.to_powers()).with_steps(6);
        assert_eq!(labels(&powers(3.0, 90.0)), ["2", "5", "10", "20", "50", "100"]);
        assert_eq!(labels(&powers(0.03, 7e4)), ["0.1", "1", "10", "100", "1000", "10000", "100000"]);
        assert_eq!(labels(&powers(1.0, 1e12)), ["1", "100", "10000", "10⁶", "10⁸", "10¹⁰", "10¹²"]);
        assert_eq!(labels(&powers(1e-8, 1e-7)), ["10⁻⁸", "2×10⁻⁸", "5×10⁻⁸", "10⁻⁷"]);
        assert_eq!(labels(&powers(5.0, 5.0)), ["5", "10", "20", "50"]);
    }

    #[test]
    fn labels_stand_apart_however_short_the_axis_is() {
        for length in [60, 200, 500, 1500, 2800] {
            for (low, high) in [(0.0_f64, 1.0_f64), (-3e-5, 7e4), (9.96, 10.02), (1e5, 9.5e5)] {
                let above = Scale::Powers(Range { low: low.max(1e-9), high }.to_powers());
                for scale in [Scale::Values(Range { low, high }), above] {
                    let axis = scale.within(length);
                    let shown: Vec<&(f64, String)> = axis.ticks.iter().filter(|(_, label)| !label.is_empty()).collect();
                    assert!(!shown.is_empty());
                    for pair in shown.windows(2) {
                        let apart = (axis.share(pair[1].0) - axis.share(pair[0].0)) * f64::from(length);
                        assert!(apart > 0.5 * (widest([pair[0].1.as_str()]) + widest([pair[1].1.as_str()])));
                    }
                }
            }
        }
    }

    #[test]
    fn an_axis_ends_at_its_limit() {
        let axis = of(0.0, 1.3, 6).up_to(1.0);
        assert_eq!(labels(&axis).last(), Some(&"1.0"));
        assert_eq!(axis.axis_pixel_range((1300, 0)), 300..1300);
    }
}
