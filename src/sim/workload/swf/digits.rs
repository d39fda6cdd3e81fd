//! Numbers as text and back, for tables of millions of them.

use std::io::Write;

/// `00` to `99`, one after the other.
const PAIRS: [u8; 200] = {
    let mut pairs = [0; 200];
    let mut number = 0;
    while number < 100 {
        pairs[2 * number] = b'0' + (number / 10) as u8;
        pairs[2 * number + 1] = b'0' + (number % 10) as u8;
        number += 1;
    }
    pairs
};

/// Appends a whole number, as `{}` writes it.
pub fn push_whole(text: &mut Vec<u8>, number: i64) {
    let mut digits = [0; 20];
    let (mut place, mut rest) = (digits.len(), number.unsigned_abs());
    while rest >= 10 {
        let pair = 2 * (rest % 100) as usize;
        rest /= 100;
        place -= 2;
        digits[place..place + 2].copy_from_slice(&PAIRS[pair..pair + 2]);
    }
    // The last pair of a number with an even count of digits leaves nothing.
    if rest > 0 || place == digits.len() {
        place -= 1;
        digits[place] = b'0' + rest as u8;
    }
    if number < 0 {
        place -= 1;
        digits[place] = b'-';
    }
    text.extend_from_slice(&digits[place..]);
}

/// Appends a number of millionths, as a quantity is written: without zeros at the end.
pub fn push_millionths(text: &mut Vec<u8>, millionths: i64) {
    let (whole, part) = (millionths / 1_000_000, millionths % 1_000_000);
    if millionths < 0 && whole == 0 {
        text.push(b'-');
    }
    push_whole(text, whole);
    if part != 0 {
        text.push(b'.');
        push_six(text, part.unsigned_abs());
        while text.last() == Some(&b'0') {
            text.pop();
        }
    }
}

/// Appends six digits.
fn push_six(text: &mut Vec<u8>, number: u64) {
    for pair in [number / 10_000, number / 100 % 100, number % 100] {
        let pair = 2 * pair as usize;
        text.extend_from_slice(&PAIRS[pair..pair + 2]);
    }
}

/// Appends a number with six decimals, as `{:.6}` writes it.
pub fn push_six_decimals(text: &mut Vec<u8>, number: f64) {
    // A number from 1 to 2^40 is a whole number of 2^-52 or more of them, so that its millionths are exact in 128 bits.
    if !(1.0..1_099_511_627_776.0).contains(&number) {
        // Writing to memory does not fail.
        let _ = write!(text, "{number:.6}");
        return;
    }
    let bits = number.to_bits();
    let shift = 1075 - (bits >> 52);
    let millionths = u128::from(bits & ((1 << 52) - 1) | 1 << 52) * 1_000_000;
    let (below, rest) = ((millionths >> shift) as u64, millionths & ((1 << shift) - 1));
    // To the nearest, and from the middle to the even one.
    let half = 1u128 << (shift - 1);
    let rounded = below + u64::from(rest > half || (rest == half && below % 2 == 1));
    push_whole(text, (rounded / 1_000_000) as i64);
    text.push(b'.');
    push_six(text, rounded % 1_000_000);
}

/// Reads a line of `N` plain whole numbers with spaces between them. Says how many bytes it takes up, with its end.
///
/// Nothing if it is anything else, or does not end within the bytes.
pub(super) fn plain_line<const N: usize>(bytes: &[u8]) -> Option<([i64; N], usize)> {
    /// A number of so many digits fits in 64 bits.
    const MOST_DIGITS: usize = 18;
    let mut fields = [0; N];
    let mut place = 0;
    for field in &mut fields {
        while matches!(bytes.get(place)?, b' ' | b'\t') {
            place += 1;
        }
        let is_negative = bytes[place] == b'-';
        place += usize::from(is_negative);
        let (begin, mut number) = (place, 0i64);
        loop {
            let digit = bytes.get(place)?.wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            number = number.wrapping_mul(10).wrapping_add(i64::from(digit));
            place += 1;
        }
        if !(1..=MOST_DIGITS).contains(&(place - begin)) || !matches!(bytes[place], b' ' | b'\t' | b'\r' | b'\n') {
            return None;
        }
        *field = if is_negative { -number } else { number };
    }
    while matches!(bytes.get(place)?, b' ' | b'\t' | b'\r') {
        place += 1;
    }
    (bytes[place] == b'\n').then_some((fields, place + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Span;
    use proptest::prelude::*;

    fn text(push: impl Fn(&mut Vec<u8>)) -> String {
        let mut text = Vec::new();
        push(&mut text);
        String::from_utf8(text).unwrap()
    }

    fn assert_same(whole: i64, float: f64) {
        assert_eq!(text(|text| push_whole(text, whole)), whole.to_string());
        assert_eq!(text(|text| push_millionths(text, whole)), Span::from_ticks(whole).to_string());
        assert_eq!(text(|text| push_six_decimals(text, float)), format!("{float:.6}"), "{float:?}");
    }

    #[test]
    fn borders_are_written_as_the_standard_library_does() {
        for whole in [0, 9, 10, 99, 100, 999_999, 1_000_000, 1_500_000, i64::MAX] {
            assert_same(whole, 1.0);
            assert_same(-whole, -1.0);
        }
        assert_eq!(text(|text| push_whole(text, i64::MIN)), i64::MIN.to_string());
        // In the middle between two numbers of six decimals, and just beside it.
        for odd in (1..400).step_by(2) {
            let middle = 1.0 + f64::from(odd) / 128.0;
            [middle, middle.next_up(), middle.next_down()].into_iter().for_each(|float| assert_same(0, float));
        }
        for float in [1.0, 0.999_999_9, 1.999_999_5, 9.999_999_499_999, 1e12, 2e12, 1e300, f64::INFINITY] {
            assert_same(0, float);
        }
    }

    proptest! {
        #[test]
        fn numbers_are_written_as_the_standard_library_does(
            whole in prop_oneof![any::<i64>(), -10_000_000i64..10_000_000],
            numerator in 1u32..,
            denominator in 1u32..100_000,
        ) {
            assert_same(whole.max(-i64::MAX), f64::from(numerator) / f64::from(denominator));
        }

        #[test]
        fn a_plain_line_is_read_as_its_words_are(
            words in prop::collection::vec(prop_oneof![
                20 => any::<i32>().prop_map(|number| number.to_string()),
                1 => any::<i64>().prop_map(|number| number.to_string()),
                1 => "[-+0-9.e ;x]{0,4}",
            ], 3..6),
            end in prop_oneof![Just("\n"), Just("\r\n"), Just(" \n1"), Just("")],
        ) {
            let line = words.join(" ") + end;
            if let Some((fields, taken)) = plain_line::<4>(line.as_bytes()) {
                let plain: Vec<i64> = line[..taken].split_ascii_whitespace().map(|word| word.parse().unwrap()).collect();
                prop_assert_eq!(&fields[..], &plain[..]);
                prop_assert!(line[..taken].ends_with('\n'));
            } else {
                let is_plain = |word: &String| word.parse::<i64>().is_ok_and(|number| number.to_string() == *word && word.len() < 19);
                prop_assert!(words.len() != 4 || end.is_empty() || !words.iter().all(is_plain), "{}", line);
            }
        }
    }
}
