//! Colours that stand for numbers: light enough for ink on all of them, and told apart by the colour-blind.

use super::range::Range;
use gridloom_files::Colour;

/// From nothing to the most. The ends are Brewer's, cut off where ink would be hard to read on them.
type Ramp = [Colour; 3];

const BELOW: Ramp = [Colour::new(0xF7F7F7), Colour::new(0x92C5DE), Colour::new(0x4393C3)];
const ABOVE: Ramp = [Colour::new(0xF7F7F7), Colour::new(0xFDC98A), Colour::new(0xE08214)];
const AMOUNT: Ramp = [Colour::new(0xF4F8FC), Colour::new(0x9ECAE1), Colour::new(0x4393C3)];

/// The colours of a range of values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Shades {
    pub range: Range,
    /// Around zero, blue below and orange above, if true; else the more, the darker.
    pub is_diverging: bool,
}

impl Shades {
    /// The colours of these values; `None` past the limits of axes.
    pub(super) fn of(values: impl Iterator<Item = f64> + Clone, is_diverging: bool) -> Option<Self> {
        let range = if is_diverging {
            // The same distance from zero has the same strength of colour on either side.
            let most = values.fold(0.0_f64, |most, value| most.max(value.abs()));
            Range::around([-most, most]).map(|range| Range { low: -range.high, high: range.high })
        } else {
            Range::around(values)
        };
        range.map(|range| Self { range, is_diverging })
    }

    /// The colour of a value.
    pub(super) fn colour(self, value: f64) -> Colour {
        let Range { low, high } = self.range;
        let share: f64 = ((value - low) / (high - low)).clamp(0.0, 1.0);
        if !self.is_diverging {
            return between(AMOUNT, share);
        }
        let strength = (2.0 * share - 1.0).clamp(-1.0, 1.0);
        between(if strength < 0.0 { BELOW } else { ABOVE }, strength.abs())
    }
}

/// The colour at a share of the way along a ramp.
fn between(ramp: Ramp, share: f64) -> Colour {
    let [none, half, most] = ramp;
    let (from, to, share) = if share < 0.5 { (none, half, 2.0 * share) } else { (half, most, 2.0 * share - 1.0) };
    let mix = |k: usize| (f64::from(from.rgb[k]) + share * (f64::from(to.rgb[k]) - f64::from(from.rgb[k]))).round();
    Colour { rgb: [0, 1, 2].map(|k| mix(k) as u8), opacity: u8::MAX }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::theme;

    /// The luminance of a colour, from 0 to 1 (WCAG 2).
    fn luminance(colour: Colour) -> f64 {
        let linear = |channel: u8| {
            let share = f64::from(channel) / 255.0;
            if share <= 0.040_45 { share / 12.92 } else { libm::pow((share + 0.055) / 1.055, 2.4) }
        };
        let [red, green, blue] = colour.rgb.map(linear);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    fn of(is_diverging: bool) -> (Shades, Vec<f64>) {
        let values: Vec<f64> = (0..=100).map(|k| f64::from(k) * 0.02 - 1.0).collect();
        (Shades::of(values.iter().copied(), is_diverging).unwrap(), values)
    }

    #[test]
    fn ink_is_readable_on_every_shade() {
        for is_diverging in [false, true] {
            let (shades, values) = of(is_diverging);
            for value in values {
                let contrast = (luminance(shades.colour(value)) + 0.05) / (luminance(theme::INK) + 0.05);
                assert!(contrast >= 4.5, "{value}: {contrast}");
            }
        }
    }

    #[test]
    fn further_from_zero_or_from_the_least_is_darker() {
        let (shades, values) = of(false);
        let dark: Vec<f64> = values.iter().map(|&value| luminance(shades.colour(value))).collect();
        assert!(dark.windows(2).all(|pair| pair[1] < pair[0]));
        let (shades, values) = of(true);
        for pair in values.windows(2) {
            let dark = |value: f64| luminance(shades.colour(value));
            assert!(if pair[1] <= 0.0 { dark(pair[0]) < dark(pair[1]) } else { dark(pair[1]) <= dark(pair[0]) });
            // Blue below zero, orange above it.
            let [red, _, blue] = shades.colour(pair[0]).rgb;
            assert!(if pair[0] < -1e-9 { blue > red } else { red >= blue });
        }
    }

    #[test]
    fn flat_values_have_colours_too_and_infinite_ones_have_none() {
        assert_eq!(Shades::of([0.0].into_iter(), true).unwrap().colour(0.0), BELOW[0]);
        assert_eq!(Shades::of([3.0, -1.0].into_iter(), true).unwrap().range, Range { low: -3.0, high: 3.0 });
        assert_eq!(Shades::of([0.0, 1e301].into_iter(), true), None);
        assert_eq!(Shades::of([0.0, 1e301].into_iter(), false), None);
    }
}
