//! Sorting by time.

use crate::units::Time;

/// Fewer are sorted as a whole.
const FEW: usize = 64;

/// Puts items in the order of `place`, in which earlier times come first.
///
/// Times within an interval are spread over it, more or less. So they are first put into as many boxes as there are items,
/// by time, and what is in one box is sorted, which costs about the same for each item however many there are.
pub(crate) fn sort_by_time<T: Copy, K: Ord>(items: &mut Vec<T>, time: impl Fn(&T) -> Time, place: impl Fn(&T) -> K) {
    let ticks = || items.iter().map(|item| time(item).ticks());
    let (Some(first), Some(last)) = (ticks().min(), ticks().max()) else { return };
    if items.len() < FEW {
        return items.sort_unstable_by_key(place);
    }
    let boxes = items.len().next_power_of_two();
    let shift = (last.abs_diff(first) / boxes as u64 + 1).next_power_of_two().trailing_zeros();
    let box_of = |item: &T| (time(item).ticks().abs_diff(first) >> shift) as usize;
    // Where each box begins, and then where it ends.
    let mut ends = vec![0u32; boxes + 1];
    items.iter().for_each(|item| ends[box_of(item) + 1] += 1);
    let mut before = 0;
    for end in &mut ends {
        before += *end;
        *end = before;
    }
    let mut sorted = items.clone();
    for item in items.iter() {
        let next = &mut ends[box_of(item)];
        sorted[*next as usize] = *item;
        *next += 1;
    }
    let mut begin = 0;
    for &end in &ends[..boxes] {
        if end - begin > 1 {
            sorted[begin as usize..end as usize].sort_unstable_by_key(&place);
        }
        begin = end;
    }
    *items = sorted;
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn order_is_that_of_a_sort(times in prop::collection::vec((prop::sample::select(vec![1i64, 50, 1 << 40, i64::MAX]), any::<i64>()), 0..400)) {
            let mut items: Vec<(Time, u8)> =
                times.iter().map(|&(most, time)| (Time::from_ticks(time % most), time as u8)).collect();
            let mut expected = items.clone();
            expected.sort_unstable();
            sort_by_time(&mut items, |&(time, _)| time, |&item| item);
            prop_assert_eq!(items, expected);
        }
    }
}
