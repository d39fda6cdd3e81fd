//! Named random streams.
//!
//! Each consumer of randomness asks for its own stream by name, so that one consumer's extra draw never shifts
//! another's: policies that are compared face identical worlds. A stream is decided by the master seed, the replication
//! and its name alone.
//!
//! ```
//! use gridloom::rng::Streams;
//! use rand::Rng;
//!
//! let streams = Streams::new(42, 0);
//! let mut local = streams.stream("local-load");
//! assert_eq!(local.next_u64(), Streams::new(42, 0).stream("local-load").next_u64());
//! assert_ne!(local.next_u64(), streams.stream("jobs").next_u64());
//! ```

use rand::{Rng, SeedableRng, TryRng};
use rand_chacha::ChaCha8Rng;
use std::convert::Infallible;

/// The generator behind every stream: fast, of good quality, and specified, so that it stays the same across platforms
/// and versions.
pub type Stream = ChaCha8Rng;

/// The source of all streams of one replication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Streams {
    seed: u64,
    replication: u64,
}

impl Streams {
    /// The streams of replication `replication` under the master seed `seed`.
    pub fn new(seed: u64, replication: u64) -> Self {
        Self { seed, replication }
    }

    /// The number of the replication.
    pub fn replication(&self) -> u64 {
        self.replication
    }

    /// The stream called `name`, from its beginning.
    pub fn stream(&self, name: &str) -> Stream {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&self.seed.to_le_bytes());
        key[8..16].copy_from_slice(&self.replication.to_le_bytes());
        key[16..].copy_from_slice(&fingerprint(name).to_le_bytes());
        ChaCha8Rng::from_seed(key)
    }

    /// The stream of the `index`-th member of a family, for example one node's local tasks.
    pub fn member(&self, name: &str, index: u64) -> Stream {
        let mut stream = self.stream(name);
        stream.set_stream(index);
        stream
    }
}

/// A uniform draw from [0, 1) with all 53 bits of a double's precision.
pub fn unit(stream: &mut impl Rng) -> f64 {
    (stream.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// A uniform draw from 0, 1, ... `bound` - 1, without bias; 0 when `bound` is 0.
pub fn below(stream: &mut impl Rng, bound: u64) -> u64 {
    // Lemire's multiply-and-reject: the high word is the draw, the low word tells which draws would be favoured. The
    // threshold is below the bound, so that nearly all draws do without the division.
    loop {
        let product = u128::from(stream.next_u64()) * u128::from(bound);
        let low = product as u64;
        if low >= bound || low >= bound.wrapping_neg() % bound {
            return (product >> 64) as u64;
        }
    }
}

/// The draws of a stream, many of them made at once, which takes less time than one by one. They are the same.
#[derive(Debug)]
pub(crate) struct DrawsAhead<'a> {
    stream: &'a mut Stream,
    /// Draws in bytes, of which the first are used up.
    made: Vec<[u8; 8]>,
    used: usize,
}

impl<'a> DrawsAhead<'a> {
    /// Draws of a stream, none of them made yet.
    pub(crate) fn new(stream: &'a mut Stream) -> Self {
        Self { stream, made: Vec::new(), used: 0 }
    }

    /// Makes so many draws, all of which have to be used: whatever is not is missing when others go on with the stream.
    pub(crate) fn need(&mut self, draws: usize) {
        let left = self.made.len() - self.used;
        self.made.copy_within(self.used.., 0);
        self.made.resize(draws.max(left), [0; 8]);
        self.stream.fill_bytes(self.made[left..].as_flattened_mut());
        self.used = 0;
    }

    /// How many of the next `tries` draws come before the first one of [`unit`] that is below `rate`; nothing if none is.
    /// As many are used up, and that one.
    pub(crate) fn first_below(&mut self, rate: f64, tries: usize) -> Option<usize> {
        // The product is exact, and so is the comparison with whole numbers.
        let limit = libm::ceil(rate * (1u64 << 53) as f64) as u64;
        let is_below = |made: &[u8; 8]| u64::from_le_bytes(*made) >> 11 < limit;
        let made = &self.made[self.used..][..tries.min(self.made.len() - self.used)];
        // Mostly none is: so it is first asked of many at once, by their upper halves, whether any could be.
        let upper = u32::try_from(limit >> 21).unwrap_or(u32::MAX);
        let may_be = |&[.., a, b, c, d]: &[u8; 8]| u32::from_le_bytes([a, b, c, d]) <= upper;
        let (strides, _) = made.as_chunks::<STRIDE>();
        let mut passed = 0;
        for stride in strides {
            if stride.iter().fold(false, |any, made| any | may_be(made))
                && let Some(at) = stride.iter().position(is_below)
            {
                self.used += passed + at + 1;
                return Some(passed + at);
            }
            passed += STRIDE;
        }
        if let Some(at) = made[passed..].iter().position(is_below) {
            self.used += passed + at + 1;
            return Some(passed + at);
        }
        let passed = made.len();
        self.used += passed;
        (passed..tries).find(|_| unit(self) < rate)
    }
}

/// The draws that are looked at together.
const STRIDE: usize = 8;

impl TryRng for DrawsAhead<'_> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.next_u64() as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        match self.made.get(self.used) {
            Some(&made) => {
                self.used += 1;
                Ok(u64::from_le_bytes(made))
            }
            None => self.stream.try_next_u64(),
        }
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for part in bytes.chunks_mut(8) {
            part.copy_from_slice(&self.next_u64().to_le_bytes()[..part.len()]);
        }
        Ok(())
    }
}

/// FNV-1a with 128 bits: specified, short, and wide enough that two names never meet in practice.
pub fn fingerprint(name: &str) -> u128 {
    name.bytes().fold(BASIS, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME))
}

/// A number for a large file, in steps of sixteen bytes. Every step can be undone, so that a change of one step always
/// changes it; the upper half is mixed into the lower, which a product alone would leave as it is.
pub fn fingerprint_of(bytes: &[u8]) -> u128 {
    let mix = |hash: u128, word: u128| {
        let product = (hash ^ word).wrapping_mul(PRIME);
        product ^ (product >> 67)
    };
    let mut words = bytes.chunks_exact(16);
    let hash = words.by_ref().fold(BASIS ^ bytes.len() as u128, |hash, word| {
        word.try_into().map_or(hash, |word| mix(hash, u128::from_le_bytes(word)))
    });
    words.remainder().iter().fold(hash, |hash, &byte| mix(hash, u128::from(byte)))
}

/// The constants of FNV-1a for 128 bits.
const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013B;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_changed_or_cut_anywhere_has_another_fingerprint() {
        let bytes: Vec<u8> = (0..100_u8).map(|byte| byte.wrapping_mul(7)).collect();
        let whole = fingerprint_of(&bytes);
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert_ne!(fingerprint_of(&changed), whole, "changed at {at}");
            assert_ne!(fingerprint_of(&bytes[..at]), whole, "cut at {at}");
            changed.swap(at, 0);
            assert_ne!(fingerprint_of(&changed), whole, "moved from {at}");
        }
    }

    #[test]
    fn streams_differ_by_seed_replication_name_and_member() {
        let first = |mut stream: Stream| stream.next_u64();
        let base = first(Streams::new(1, 2).stream("a"));
        let others = [
            first(Streams::new(2, 2).stream("a")),
            first(Streams::new(1, 3).stream("a")),
            first(Streams::new(1, 2).stream("b")),
            first(Streams::new(1, 2).member("a", 1)),
        ];
        assert!(others.iter().all(|&other| other != base));
        assert_eq!(first(Streams::new(1, 2).member("a", 0)), base);
    }

    #[test]
    fn the_fingerprint_is_the_published_one() {
        // Test vectors of the FNV reference: the empty string and "a".
        assert_eq!(fingerprint(""), 0x6c62272e07bb014262b821756295c58d);
        assert_eq!(fingerprint("a"), 0xd228cb696f1a8caf78912b704e4a8964);
    }

    #[test]
    fn a_known_draw_never_changes() {
        // Results of published runs hang on this number: a change of the generator must be a decision.
        assert_eq!(Streams::new(42, 0).stream("local-load").next_u64(), 16_437_469_777_890_996_493);
    }

    #[test]
    fn bounded_draws_are_uniform() {
        let mut stream = Streams::new(7, 0).stream("dice");
        let mut counts = [0u32; 6];
        for _ in 0..60_000 {
            counts[below(&mut stream, 6) as usize] += 1;
        }
        // Chi-square with 5 degrees of freedom: 20.5 is its 99.9 % quantile.
        let chi_square: f64 = counts.iter().map(|&n| (f64::from(n) - 10_000.0).powi(2) / 10_000.0).sum();
        assert!(chi_square < 20.5, "{counts:?}");
        assert_eq!(below(&mut stream, 0), 0);
        assert_eq!(below(&mut stream, 1), 0);
    }

    #[test]
    fn draws_ahead_are_those_of_the_stream() {
        let mut plain = Streams::new(7, 0).stream("ahead");
        let mut stream = plain.clone();
        let mut ahead = DrawsAhead::new(&mut stream);
        // More than the generator makes at once, none, and some that are still there when more are needed.
        for (needed, used) in [(3, 3), (0, 2), (100, 101), (40, 10), (5, 30), (33, 40)] {
            ahead.need(needed);
            (0..used).for_each(|_| assert_eq!(ahead.next_u64(), plain.next_u64()));
        }
        assert_eq!(stream.next_u64(), plain.next_u64());
    }

    #[test]
    fn the_first_below_a_rate_is_that_of_draws_one_by_one() {
        let [mut stream, mut plain] = [0; 2].map(|_| Streams::new(7, 0).stream("ahead"));
        let mut ahead = DrawsAhead::new(&mut stream);
        // Rates at the ends, usual ones, and one that is a draw itself, which is not below it.
        let drawn = unit(&mut plain.clone());
        for (needed, rate) in
            [(50, drawn), (0, 0.3), (100, 0.02), (7, 0.0), (90, 1.0), (200, 0.004), (3, 0.5), (64, 0.1)]
        {
            ahead.need(needed);
            for tries in [1, 8, 0, 30, 100] {
                let expected = (0..tries).find(|_| unit(&mut plain) < rate);
                assert_eq!(ahead.first_below(rate, tries), expected, "{tries} tries at {rate}");
            }
        }
        let left = ahead.made.len() - ahead.used;
        (0..left).for_each(|_| assert_eq!(ahead.next_u64(), plain.next_u64()));
        assert_eq!(stream.next_u64(), plain.next_u64());
    }

    #[test]
    fn unit_draws_stay_below_one() {
        let mut stream = Streams::new(7, 0).stream("unit");
        assert!((0..10_000).map(|_| unit(&mut stream)).all(|u| (0.0..1.0).contains(&u)));
    }
}
