//! Values by instant, of which there are few at a time.

use crate::units::Time;
use std::ops::Range;

/// What is kept of a node by the instants at which it begins: mostly one or two things, at times some dozens. They stand
/// in order in one piece of memory, which a look needs to fetch only once; a tree of a few entries takes several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TimeMap<V>(Vec<(Time, V)>);

impl<V> Default for TimeMap<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<V> TimeMap<V> {
    /// All entries, in order.
    pub(crate) fn entries(&self) -> &[(Time, V)] {
        &self.0
    }

    /// The entries before an instant.
    pub(crate) fn before(&self, instant: Time) -> &[(Time, V)] {
        &self.0[..self.0.partition_point(|(time, _)| *time < instant)]
    }

    /// The last entry at an instant or before.
    pub(crate) fn last_until(&self, instant: Time) -> Option<&(Time, V)> {
        self.0[..self.0.partition_point(|(time, _)| *time <= instant)].last()
    }

    /// The entries after an instant.
    pub(crate) fn after(&self, instant: Time) -> &[(Time, V)] {
        &self.0[self.0.partition_point(|(time, _)| *time <= instant)..]
    }

    /// The entries from the start of a range to before its end.
    pub(crate) fn within(&self, range: Range<Time>) -> &[(Time, V)] {
        let before = self.before(range.end);
        &before[before.partition_point(|(time, _)| *time < range.start)..]
    }

    /// What is kept at an instant.
    pub(crate) fn get(&self, instant: Time) -> Option<&V> {
        self.place(instant).ok().map(|place| &self.0[place].1)
    }

    /// The same, to be changed.
    pub(crate) fn get_mut(&mut self, instant: Time) -> Option<&mut V> {
        self.place(instant).ok().map(|place| &mut self.0[place].1)
    }

    /// Keeps a value at an instant instead of what was there.
    pub(crate) fn insert(&mut self, instant: Time, value: V) {
        match self.place(instant) {
            Ok(place) => self.0[place].1 = value,
            Err(place) => self.0.insert(place, (instant, value)),
        }
    }

    /// Takes away what is kept at an instant.
    pub(crate) fn remove(&mut self, instant: Time) -> Option<V> {
        self.place(instant).ok().map(|place| self.0.remove(place).1)
    }

    fn place(&self, instant: Time) -> Result<usize, usize> {
        self.0.binary_search_by_key(&instant, |&(time, _)| time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn it_is_an_ordered_map(changes in prop::collection::vec((any::<bool>(), 0i64..12, 0u8..9), 0..40), ends in (0i64..13, 0i64..13)) {
            let [from, to] = [ends.0.min(ends.1), ends.0.max(ends.1)].map(Time::from_ticks);
            let (mut map, mut plain) = (TimeMap::default(), BTreeMap::new());
            for (adds, at, value) in changes {
                let at = Time::from_ticks(at);
                if adds {
                    map.insert(at, value);
                    plain.insert(at, value);
                } else {
                    prop_assert_eq!(map.remove(at), plain.remove(&at));
                }
                prop_assert_eq!(map.get(at), plain.get(&at));
                prop_assert_eq!(map.get_mut(from), plain.get_mut(&from));
                let entries = |entries: &[(Time, u8)]| entries.to_vec();
                let expected = |range: std::collections::btree_map::Range<'_, Time, u8>| range.map(|(&time, &value)| (time, value)).collect::<Vec<_>>();
                prop_assert_eq!(entries(map.entries()), expected(plain.range(..)));
                prop_assert_eq!(entries(map.before(to)), expected(plain.range(..to)));
                let after = plain.range(to..).filter(|&(&time, _)| time > to).map(|(&time, &value)| (time, value));
                prop_assert_eq!(entries(map.after(to)), after.collect::<Vec<_>>());
                prop_assert_eq!(entries(map.within(from..to)), expected(plain.range(from..to)));
                prop_assert_eq!(map.last_until(to).copied(), plain.range(..=to).next_back().map(|(&time, &value)| (time, value)));
            }
        }
    }
}
