//! The knapsack of one resource.

/// A job that could be packed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    /// Which job.
    pub(super) job: usize,
    /// How many PEs it takes.
    pub(super) weight: u32,
    /// What packing it is worth, above 0.
    pub(super) profit: i64,
}

/// Dynamic programming over the room, with its tables kept from one knapsack to the next.
#[derive(Debug, Default)]
pub(super) struct Knapsack {
    best: Vec<i64>,
    taken: Vec<bool>,
}

impl Knapsack {
    /// The most that fits into `room`; tells `pack` which jobs that are.
    pub(super) fn fill(&mut self, items: &[Item], room: u32, mut pack: impl FnMut(usize)) -> i64 {
        let weight: u64 = items.iter().map(|item| u64::from(item.weight)).sum();
        if weight <= u64::from(room) {
            items.iter().for_each(|item| pack(item.job));
            return items.iter().map(|item| item.profit).sum();
        }
        let width = room as usize + 1;
        self.best.clear();
        self.best.resize(width, 0);
        self.taken.clear();
        self.taken.resize(width * items.len(), false);
        for (item, taken) in items.iter().zip(self.taken.chunks_mut(width)) {
            let weight = item.weight as usize;
            for used in (weight..width).rev() {
                let with = self.best[used - weight] + item.profit;
                if with > self.best[used] {
                    self.best[used] = with;
                    taken[used] = true;
                }
            }
        }
        let mut used = room as usize;
        for (item, taken) in items.iter().zip(self.taken.chunks(width)).rev() {
            if taken[used] {
                pack(item.job);
                used -= item.weight as usize;
            }
        }
        self.best[room as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_subset_is_worth_more(items in prop::collection::vec((1u32..6, 1i64..50), 0..9), room in 0u32..14) {
            let items: Vec<Item> =
                items.iter().enumerate().map(|(job, &(weight, profit))| Item { job, weight, profit }).collect();
            let mut packed = Vec::new();
            let value = Knapsack::default().fill(&items, room, |job| packed.push(job));
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
