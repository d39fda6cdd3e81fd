//! Numbers as text, with as many digits as they deserve.

/// The decimal exponent of the leading digit; 0 for zero and for what is not finite.
pub(super) fn exponent(value: f64) -> i32 {
    // The formatter is exact, where a logarithm may miss a power of ten by one.
    format!("{value:e}").rsplit_once('e').and_then(|(_, digits)| digits.parse().ok()).unwrap_or(0)
}

/// Ten to the power `exponent`, correctly rounded.
pub(super) fn power_of_ten(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().unwrap_or(f64::NAN)
}

/// The number with 15 significant digits, which every double has: 116.5 for a sum that is 116.50000000000001. What is
/// kept to go on from, and single observations, keep all their digits.
pub fn without_noise(value: f64) -> f64 {
    // Nothing is below zero and zero at once.
    format!("{value:.14e}").parse().unwrap_or(value) + 0.0
}

/// True if numbers of this leading exponent read well without one.
fn reads_plainly(exponent: i32) -> bool {
    (-4..9).contains(&exponent)
}

/// A number alone: up to six significant digits, no trailing zeros.
pub fn plain(value: f64) -> String {
    significant(value, 6)
}

/// A number with up to `digits` significant digits; whole numbers that read plainly keep all of theirs.
pub fn significant(value: f64, digits: u8) -> String {
    let places = i32::from(digits) - 1;
    let leading = exponent(value);
    if !reads_plainly(leading) {
        let text = format!("{value:.*e}", places as usize);
        return text.split_once('e').map_or(text.clone(), |(digits, power)| format!("{}e{power}", trimmed(digits)));
    }
    unsigned_zero(trimmed(&format!("{value:.*}", (places - leading).max(0) as usize))).to_string()
}

/// A number with so many decimals.
pub(super) fn fixed(value: f64, places: usize) -> String {
    unsigned_zero(&format!("{value:.places$}")).to_string()
}

/// The number of decimals with which all of these read well: `digits` significant ones of the largest and two of the
/// smallest, without zeros at all ends. Nothing where they differ by more than five powers of ten, or need an exponent.
pub(super) fn common_places(values: &[f64], digits: u8) -> Option<usize> {
    let sizes = || values.iter().map(|value| value.abs()).filter(|&size| size > 0.0);
    let Some(largest) = sizes().reduce(f64::max) else { return Some(0) };
    let (high, low) = (exponent(largest), exponent(sizes().fold(largest, f64::min)));
    if !reads_plainly(high) || !reads_plainly(low) || high - low > 5 || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let wanted = (i32::from(digits) - 1 - high).max(1 - low);
    let mut places = wanted.clamp(0, (7 - high).max(0)) as usize;
    let is_round = |places: usize| values.iter().all(|&value| fixed(value, places).ends_with('0'));
    while places > 0 && is_round(places) {
        places -= 1;
    }
    Some(places)
}

/// A number that was rounded to zero, without its sign.
fn unsigned_zero(text: &str) -> &str {
    text.strip_prefix('-').filter(|digits| digits.chars().all(|c| c == '0' || c == '.')).unwrap_or(text)
}

/// Decimal digits without the zeros that say nothing.
fn trimmed(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

/// A mean with its half-width: two significant digits of the half-width, and the mean to the same place.
pub fn estimate(mean: f64, half_width: Option<f64>) -> String {
    let Some(half_width) = half_width else { return plain(mean) };
    let leading = exponent(mean.abs().max(half_width));
    let places = 1 - exponent(half_width);
    // Past ten digits the mean is noise, and a half-width that small is best said by itself.
    let comparable = half_width > 0.0 && half_width.is_finite() && mean.is_finite() && places + leading <= 9;
    if !comparable || leading < -300 {
        return format!("{} ± {}", plain(mean), plain(half_width));
    }
    if !reads_plainly(leading) {
        let unit = power_of_ten(leading);
        return format!("({})e{leading}", estimate(mean / unit, Some(half_width / unit)));
    }
    let places = places.max(0) as usize;
    format!("{} ± {half_width:.places$}", unsigned_zero(&format!("{mean:.places$}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_half_width_decides_the_digits() {
        assert_eq!(estimate(0.431_234, Some(0.002_13)), "0.4312 ± 0.0021");
        assert_eq!(estimate(1234.5678, Some(12.3)), "1235 ± 12");
        assert_eq!(estimate(123_456.7, Some(7_812.3)), "123457 ± 7812");
        assert_eq!(estimate(-3.0, Some(0.5)), "-3.00 ± 0.50");
        assert_eq!(estimate(-0.01, Some(1.0)), "0.0 ± 1.0");
    }

    #[test]
    fn certain_and_single_values_stand_without_digits_they_lack() {
        assert_eq!(estimate(5.0, Some(0.0)), "5 ± 0");
        assert_eq!(estimate(5.25, None), "5.25");
        assert_eq!(estimate(1.0, Some(1.5e-14)), "1 ± 1.5e-14");
    }

    #[test]
    fn very_large_and_very_small_numbers_get_an_exponent() {
        assert_eq!(estimate(1.234e-7, Some(1.2e-9)), "(1.234 ± 0.012)e-7");
        assert_eq!(estimate(2.5e12, Some(1e10)), "(2.500 ± 0.010)e12");
        assert_eq!(plain(-1.5e-9), "-1.5e-9");
        assert_eq!(plain(1e300), "1e300");
        assert_eq!(plain(f64::MAX), "1.79769e308");
        assert_eq!(plain(5e-324), "4.94066e-324");
    }

    #[test]
    fn plain_numbers_lose_their_trailing_zeros() {
        let cases = [
            (0.0, "0"),
            (-0.0, "0"),
            (16.0, "16"),
            (0.1 + 0.2, "0.3"),
            (1234.5678, "1234.57"),
            (1_000_000.0, "1000000"),
            (100.0, "100"),
        ];
        for (value, text) in cases {
            assert_eq!(plain(value), text);
        }
    }

    #[test]
    fn fewer_digits_are_rounded_but_whole_numbers_stay_whole() {
        for (value, text) in [(431.26, "431.3"), (0.043_128, "0.04313"), (123_456.7, "123457"), (-2.5e12, "-2.5e12")] {
            assert_eq!(significant(value, 4), text);
        }
    }

    #[test]
    fn noise_of_binary_sums_goes_and_nothing_else() {
        assert_eq!(without_noise(116.500_000_000_000_01).to_string(), "116.5");
        assert_eq!(without_noise(0.1 + 0.2), 0.3);
        assert_eq!(without_noise(0.939_999_999_999_999_7), 0.94);
        for value in [0.0, 1.0 / 3.0, 1e300, -5e-324, 9_007_199_254_740_991.0, 123_456_789.012_345_67] {
            let rounded = without_noise(value);
            assert!((rounded - value).abs() <= 1e-14 * value.abs(), "{value} {rounded}");
            assert_eq!(without_noise(rounded), rounded, "twice changes nothing more");
        }
        assert_eq!(without_noise(-0.0).to_string(), "0");
        assert!(without_noise(f64::NAN).is_nan());
    }

    #[test]
    fn numbers_that_stand_together_have_the_same_decimals() {
        let written = |values: &[f64]| -> Vec<String> {
            let places = common_places(values, 3).unwrap();
            values.iter().map(|&value| fixed(value, places)).collect()
        };
        assert_eq!(written(&[27.43, 39.0, 8.125]), ["27.4", "39.0", "8.1"]);
        assert_eq!(written(&[1.0, 0.74, 0.5]), ["1.00", "0.74", "0.50"]);
        assert_eq!(written(&[1.0, 0.5, 0.0]), ["1.0", "0.5", "0.0"]);
        assert_eq!(written(&[372.0, 1204.0, -0.0]), ["372", "1204", "0"]);
        assert_eq!(written(&[1663.47, 0.38]), ["1663.47", "0.38"]);
        assert_eq!(common_places(&[1e9, 1.0], 3), None);
        assert_eq!(common_places(&[123_456.7, 0.003], 3), None);
    }

    #[test]
    fn what_is_not_finite_is_still_written() {
        assert_eq!(plain(f64::NAN), "NaN");
        assert_eq!(estimate(f64::INFINITY, Some(f64::NAN)), "inf ± NaN");
    }
}
