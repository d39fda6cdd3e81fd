//! A set of small numbers that finds its next member fast.

/// Numbers below a fixed limit, a bit each; a second layer has a bit for each word that is not empty, so that a search
/// passes over 4096 absent numbers at a time.
#[derive(Debug, Clone, Default)]
pub(crate) struct BitSet {
    words: Vec<u64>,
    /// Which words are not empty.
    filled: Vec<u64>,
}

impl BitSet {
    /// The empty set for numbers below `limit`.
    pub(crate) fn new(limit: usize) -> Self {
        let words = limit.div_ceil(64);
        Self { words: vec![0; words], filled: vec![0; words.div_ceil(64)] }
    }

    pub(crate) fn insert(&mut self, number: u32) {
        let word = number / 64;
        self.words[word as usize] |= 1 << (number % 64);
        self.filled[word as usize / 64] |= 1 << (word % 64);
    }

    pub(crate) fn remove(&mut self, number: u32) {
        let word = number / 64;
        self.words[word as usize] &= !(1 << (number % 64));
        if self.words[word as usize] == 0 {
            self.filled[word as usize / 64] &= !(1 << (word % 64));
        }
    }

    /// Keeps what is in `other` too, which is a set for numbers below the same limit.
    pub(super) fn keep(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= other);
        for (at, filled) in self.filled.iter_mut().enumerate() {
            let words = self.words[64 * at..].iter().take(64).enumerate();
            *filled = words.fold(0, |bits, (bit, &word)| bits | u64::from(word != 0) << bit);
        }
    }

    /// The least member that is at least `from`.
    pub(crate) fn next(&self, from: u32) -> Option<u32> {
        let (word, bit) = (from / 64, from % 64);
        let here = self.words.get(word as usize)? >> bit;
        if here != 0 {
            return Some(from + here.trailing_zeros());
        }
        let word = next_bit(&self.filled, word as usize + 1)?;
        Some(word as u32 * 64 + self.words[word].trailing_zeros())
    }
}

/// The first bit from place `from` on.
fn next_bit(words: &[u64], from: usize) -> Option<usize> {
    let first = words.get(from / 64)? >> (from % 64);
    if first != 0 {
        return Some(from + first.trailing_zeros() as usize);
    }
    let later = from / 64 + 1;
    let at = later + words.get(later..)?.iter().position(|&word| word != 0)?;
    Some(at * 64 + words[at].trailing_zeros() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn it_is_an_ordered_set(
            changes in prop::collection::vec((any::<bool>(), 0u32..20_000), 0..60),
            from in 0u32..20_100,
            more in 0usize..=300,
        ) {
            let limit = changes.iter().map(|&(_, number)| number as usize + 1).max().unwrap_or(0);
            let (mut bits, mut plain) = (BitSet::new(limit + more), BTreeSet::new());
            for (add, number) in changes {
                if add {
                    bits.insert(number);
                    plain.insert(number);
                } else {
                    let number = plain.range(number..).next().copied().unwrap_or(number);
                    bits.remove(number);
                    plain.remove(&number);
                }
                prop_assert_eq!(bits.next(from), plain.range(from..).next().copied());
                prop_assert_eq!(bits.next(number), plain.range(number..).next().copied());
            }
        }
    }

    #[test]
    fn a_set_without_room_has_no_members() {
        assert_eq!(BitSet::new(0).next(0), None);
        assert_eq!(BitSet::new(64).next(64), None);
    }
}
