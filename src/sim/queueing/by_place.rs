//! Values of some places of a long queue.

use std::ops::Index;

/// Values by place in a queue, of which few are known. To find one takes no longer than in a list of all, and to have none
/// costs next to nothing.
#[derive(Debug, Clone)]
pub(crate) struct ByPlace<T> {
    /// By place, as far as any is known: the number of the value, from 1 on.
    numbers: Vec<u32>,
    values: Vec<(usize, T)>,
}

impl<T> Default for ByPlace<T> {
    fn default() -> Self {
        Self { numbers: Vec::new(), values: Vec::new() }
    }
}

impl<T> ByPlace<T> {
    /// The value of a place becomes known.
    pub(crate) fn insert(&mut self, place: usize, value: T) {
        if self.numbers.len() <= place {
            self.numbers.resize(place + 1, 0);
        }
        match self.numbers[place] {
            0 => {
                self.values.push((place, value));
                self.numbers[place] = self.values.len() as u32;
            }
            known => self.values[known as usize - 1].1 = value,
        }
    }

    /// The value of a place, if it is known.
    pub(crate) fn get(&self, place: usize) -> Option<&T> {
        let number = *self.numbers.get(place).filter(|&&number| number > 0)?;
        self.values.get(number as usize - 1).map(|(_, value)| value)
    }

    /// A place behind all that are known.
    pub(crate) fn behind(&self) -> usize {
        self.numbers.len()
    }

    /// All that are known, with other values.
    pub(crate) fn map<U>(&self, value: impl Fn(&T) -> U) -> ByPlace<U> {
        let values = self.values.iter().map(|(place, known)| (*place, value(known))).collect();
        ByPlace { numbers: self.numbers.clone(), values }
    }
}

impl<T> FromIterator<(usize, T)> for ByPlace<T> {
    fn from_iter<I: IntoIterator<Item = (usize, T)>>(values: I) -> Self {
        let mut known = Self::default();
        values.into_iter().for_each(|(place, value)| known.insert(place, value));
        known
    }
}

impl<T> Index<usize> for ByPlace<T> {
    type Output = T;

    fn index(&self, place: usize) -> &T {
        &self.values[self.numbers[place] as usize - 1].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn it_agrees_with_a_map(entries in prop::collection::vec((0usize..60, 0u8..100), 0..40)) {
            let known: ByPlace<u8> = entries.iter().copied().collect();
            let map: BTreeMap<usize, u8> = entries.into_iter().collect();
            for place in 0..70 {
                prop_assert_eq!(known.get(place), map.get(&place));
                prop_assert_eq!(known.map(|value| value + 1).get(place).copied(), map.get(&place).map(|value| value + 1));
            }
            prop_assert!(map.iter().all(|(&place, value)| known[place] == *value));
            prop_assert_eq!(known.behind(), map.keys().last().map_or(0, |last| last + 1));
        }
    }
}
