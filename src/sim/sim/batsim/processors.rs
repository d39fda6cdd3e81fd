//! Sets of processors as Batsim writes them: `0-3 7`.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;

/// Ranges of processors, in ascending order, that touch nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProcessorSet(Vec<RangeInclusive<u32>>);

impl ProcessorSet {
    /// Reads ranges with spaces or commas between them; or what is wrong.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is no set of processors: write it like \"0-3 7\"");
        let mut ranges: Vec<RangeInclusive<u32>> = Vec::new();
        for part in text.split([' ', ',']).filter(|part| !part.is_empty()) {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (first.parse().map_err(|_| wrong())?, last.parse().map_err(|_| wrong())?);
            if first > last {
                return Err(wrong());
            }
            ranges.push(first..=last);
        }
        ranges.sort_by_key(|range| *range.start());
        if let Some(pair) = ranges.windows(2).find(|pair| pair[1].start() <= pair[0].end()) {
            return Err(format!("processor {} is in {text:?} twice", pair[1].start()));
        }
        Ok(Self(ranges))
    }

    /// The number of processors.
    pub(super) fn len(&self) -> u64 {
        self.0.iter().map(|range| u64::from(range.end() - range.start()) + 1).sum()
    }

    /// The one with the highest number.
    pub(super) fn last(&self) -> Option<u32> {
        self.0.last().map(|range| *range.end())
    }
}

impl fmt::Display for ProcessorSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, range) in self.0.iter().enumerate() {
            let space = if index > 0 { " " } else { "" };
            match range.start() == range.end() {
                true => write!(f, "{space}{}", range.start())?,
                false => write!(f, "{space}{}-{}", range.start(), range.end())?,
            }
        }
        Ok(())
    }
}

/// The processors in use: ranges by their first one.
#[derive(Debug, Default)]
pub(super) struct UsedProcessors(BTreeMap<u32, u32>);

impl UsedProcessors {
    /// Takes all of a set, or says which one is in use.
    pub(super) fn take(&mut self, set: &ProcessorSet) -> Result<(), u32> {
        for range in &set.0 {
            let before = self.0.range(..=*range.end()).next_back();
            if let Some((&first, _)) = before.filter(|(_, last)| **last >= *range.start()) {
                return Err(first.max(*range.start()));
            }
        }
        self.0.extend(set.0.iter().map(|range| (*range.start(), *range.end())));
        Ok(())
    }

    /// Gives all of a set back that was taken.
    pub(super) fn give_back(&mut self, set: &ProcessorSet) {
        for range in &set.0 {
            self.0.remove(range.start());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_read_as_they_are_written() {
        for (text, written, count) in [("0-3 7", "0-3 7", 5), ("7,0-3", "0-3 7", 5), ("4", "4", 1), ("", "", 0)] {
            let set = ProcessorSet::read(text).unwrap();
            assert_eq!((set.to_string().as_str(), set.len()), (written, count));
        }
        for text in ["3-1", "a", "1-", "-1", "0-3 2", "1 1", "4294967296"] {
            assert!(ProcessorSet::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn nobody_gets_what_somebody_has() {
        let set = |text: &str| ProcessorSet::read(text).unwrap();
        let mut used = UsedProcessors::default();
        assert_eq!(used.take(&set("2-5 9")), Ok(()));
        for (text, taken) in [("0-2", 2), ("5-7", 5), ("3", 3), ("0-20", 2), ("9", 9), ("0-1 8-9", 9)] {
            let found = used.take(&set(text)).unwrap_err();
            assert!(found == taken || text == "0-20" && found == 9, "{text}: {found}");
        }
        assert_eq!(used.take(&set("0-1 6-8")), Ok(()));
        used.give_back(&set("2-5 9"));
        assert_eq!(used.take(&set("3 9")), Ok(()));
        assert_eq!(used.take(&set("8")), Err(8));
    }
}
