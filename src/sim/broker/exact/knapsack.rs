//! The knapsack of one resource.

/// A job that could be packed.
#[derive(Debug, Clone, Copy)]
pub(super) struct PackItem {
    pub(super) job: usize,
    /// The number of PEs it takes.
    pub(super) weight: u32,
    /// The worth of packing it, above 0.
    pub(super) profit: i64,
}

/// The most profit that fits into `room`, and the jobs that give it: dynamic programming over the room.
pub(super) fn pack(items: &[PackItem], room: u32) -> (i64, Vec<usize>) {
    let weight: u64 = items.iter().map(|item| u64::from(item.weight)).sum();
    if weight <= u64::from(room) {
        return (items.iter().map(|item| item.profit).sum(), items.iter().map(|item| item.job).collect());
    }
    let width = room as usize + 1;
    // By room: the most profit of the items so far; by item and room: whether the item is part of it.
    let mut best = vec![0; width];
    let mut taken = vec![false; width * items.len()];
    for (item, taken) in items.iter().zip(taken.chunks_mut(width)) {
        let weight = item.weight as usize;
        for used in (weight..width).rev() {
            let with = best[used - weight] + item.profit;
            if with > best[used] {
                best[used] = with;
                taken[used] = true;
            }
        }
    }
    let mut packed = Vec::new();
    let mut used = room as usize;
    for (item, taken) in items.iter().zip(taken.chunks(width)).rev() {
        if taken[used] {
            packed.push(item.job);
            used -= item.weight as usize;
        }
    }
    (best[room as usize], packed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_subset_is_worth_more(items in prop::collection::vec((1u32..6, 1i64..50), 0..9), room in 0u32..14) {
            let items: Vec<PackItem> =
                items.iter().enumerate().map(|(job, &(weight, profit))| PackItem { job, weight, profit }).collect();
            let (value, packed) = pack(&items, room);
            let total = |jobs: &[usize]| {
                let weight: u32 = jobs.iter().map(|&job| items[job].weight).sum();
                (weight <= room).then(|| jobs.iter().map(|&job| items[job].profit).sum::<i64>())
            };
            let subset = |mask: u32| (0..items.len()).filter(|job| mask >> job & 1 == 1).collect::<Vec<usize>>();
            let best = (0..1u32 << items.len()).filter_map(|mask| total(&subset(mask))).max();
            prop_assert_eq!(total(&packed), Some(value));
            prop_assert_eq!(best, Some(value));
        }
    }
}
