//! Edits that make bad inputs of good ones.

use gridloom::rng::{Stream, Streams, below};

/// Numbers at which arithmetic, limits and parsers give way, and words that stand in their place.
const EXTREMES: [&str; 22] = [
    "0",
    "-0.0",
    "-1",
    "1",
    "2",
    "0.5",
    "1e-6",
    "1e-308",
    "1e9",
    "1000000001",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "1e15",
    "1e308",
    "-1e308",
    "1e999",
    "nan",
    "inf",
    "\"\"",
];

/// Bytes that mean something to some format.
const SIGNS: &[u8] = b"()[]{}<>,:;=\"'\\/#*-+.!|0123456789eE \t\r\n\0\xEF\xBB\xBF\x1f\x8b\xC3\xFF";

/// The stream of one case: the same for the same number, whatever ran before.
pub(super) fn stream(what: &str, case: u64) -> Stream {
    Streams::new(20, case).stream(what)
}

pub(super) fn pick<'a, T>(from: &'a [T], stream: &mut Stream) -> &'a T {
    &from[index(from.len(), stream)]
}

/// A place in something of this length; 0 if it has none.
fn index(length: usize, stream: &mut Stream) -> usize {
    if length == 0 { 0 } else { below(stream, length as u64) as usize }
}

/// One of the good inputs after one to four edits; the others lend their parts.
pub(super) fn mutate(good: &[Vec<u8>], stream: &mut Stream) -> Vec<u8> {
    let mut bytes = pick(good, stream).clone();
    for _ in 0..=below(stream, 4) {
        edit(&mut bytes, good, stream);
    }
    bytes
}

fn edit(bytes: &mut Vec<u8>, others: &[Vec<u8>], stream: &mut Stream) {
    let at = index(bytes.len(), stream);
    let end = (at + 1 + below(stream, 40) as usize).min(bytes.len());
    match below(stream, 10) {
        0 if !bytes.is_empty() => bytes[at] ^= 1 << below(stream, 8),
        1 if !bytes.is_empty() => bytes[at] = *pick(SIGNS, stream),
        2 => bytes.insert(at, *pick(SIGNS, stream)),
        3 => drop(bytes.drain(at..end)),
        4 => {
            let copy = bytes[at..end].to_vec();
            bytes.splice(at..at, copy.repeat(1 + below(stream, 3) as usize));
        }
        5 => {
            let other = pick(others, stream);
            let from = index(other.len(), stream);
            let to = (from + below(stream, 200) as usize).min(other.len());
            bytes.splice(at..at, other[from..to].iter().copied());
        }
        6 => bytes.truncate(at),
        7 | 8 => replace_word(bytes, |stream| pick(&EXTREMES, stream).as_bytes().to_vec(), stream),
        _ => {
            let other = pick(others, stream);
            let word = word_of(other, stream);
            replace_word(bytes, |_| word, stream);
        }
    }
}

/// Replaces one of the words of a text: numbers, names and the like.
fn replace_word(bytes: &mut Vec<u8>, by: impl FnOnce(&mut Stream) -> Vec<u8>, stream: &mut Stream) {
    replace_one(bytes, &words(bytes), by, stream);
}

/// Replaces one of the numbers of a text by one of `numbers`, or now and then one of its words by another.
pub(super) fn replace_number(text: &mut Vec<u8>, numbers: &[&str], stream: &mut Stream) {
    let all = words(text);
    if below(stream, 8) == 0 {
        let word = word_of(text, stream);
        return replace_one(text, &all, |_| word, stream);
    }
    let written: Vec<(usize, usize)> = all.into_iter().filter(|&(start, _)| text[start].is_ascii_digit()).collect();
    replace_one(text, &written, |stream| pick(numbers, stream).as_bytes().to_vec(), stream);
}

fn replace_one(
    bytes: &mut Vec<u8>,
    words: &[(usize, usize)],
    by: impl FnOnce(&mut Stream) -> Vec<u8>,
    stream: &mut Stream,
) {
    if words.is_empty() {
        return;
    }
    let (start, end) = *pick(words, stream);
    let new = by(stream);
    bytes.splice(start..end, new);
}

/// One of the words of a text.
fn word_of(bytes: &[u8], stream: &mut Stream) -> Vec<u8> {
    let words = words(bytes);
    if words.is_empty() {
        return Vec::new();
    }
    let (start, end) = *pick(&words, stream);
    bytes[start..end].to_vec()
}

/// Where words stand: runs of letters, digits and what numbers are made of.
fn words(bytes: &[u8]) -> Vec<(usize, usize)> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.+-".contains(byte);
    let mut words = Vec::new();
    let mut start = None;
    for (at, byte) in bytes.iter().enumerate() {
        match (start, is_part(byte)) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                words.push((from, at));
                start = None;
            }
            _ => {}
        }
    }
    words.extend(start.map(|from| (from, bytes.len())));
    words
}
