//! The queue as a structure that finds the next job that fits without looking at those that do not.

use super::Waiting;
use crate::units::Span;

/// Stands for a job that has left: nothing is as wide.
const GONE: (u32, Span) = (u32::MAX, Span::MAX);

/// Waiting jobs in the order of arrival.
///
/// Jobs stand in slots; a tree over the slots knows the narrowest width and the shortest estimate below each branch, so
/// that a search skips whole stretches of the queue. Slots of jobs that have left are cleared away when room is needed,
/// which keeps the tree about as large as the queue.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    slots: Vec<Waiting>,
    live: usize,
    /// Branch 1 is the root, those below branch n are 2n and 2n + 1; the last half are the slots.
    tree: Vec<(u32, Span)>,
}

impl Backlog {
    /// Adds a job at the end; its id is larger than all before.
    pub(super) fn push(&mut self, job: Waiting) {
        if self.slots.len() == self.tree.len() / 2 {
            self.make_room();
        }
        let slot = self.slots.len();
        self.slots.push(job);
        self.live += 1;
        self.set(slot, (job.processors, job.estimate));
    }

    /// Removes the job in a slot.
    pub(super) fn remove(&mut self, slot: usize) {
        self.live -= 1;
        self.set(slot, GONE);
    }

    /// The slot of a job that waits.
    pub(super) fn slot(&self, id: u32) -> Option<usize> {
        self.slots.binary_search_by_key(&id, |job| job.id).ok()
    }

    /// The first job from slot `from` on.
    pub(super) fn any(&self, from: usize) -> Option<(usize, Waiting)> {
        self.next(from, |processors, _| processors < u32::MAX)
    }

    /// The first job from slot `from` on whose width and estimate pass `fits`.
    ///
    /// What passes must pass also when narrower or shorter, and nothing may pass with a width of `u32::MAX`.
    pub(super) fn next(&self, from: usize, fits: impl Fn(u32, Span) -> bool) -> Option<(usize, Waiting)> {
        let leaves = self.tree.len() / 2;
        if from >= self.slots.len() {
            return None;
        }
        let mut branch = leaves + from;
        loop {
            let (narrowest, shortest) = self.tree[branch];
            if !fits(narrowest, shortest) {
                // On to what stands right of this branch.
                while branch % 2 == 1 {
                    branch /= 2;
                    if branch <= 1 {
                        return None;
                    }
                }
                branch += 1;
            } else if branch >= leaves {
                let slot = branch - leaves;
                return Some((slot, self.slots[slot]));
            } else {
                // The narrowest and the shortest may be two jobs, so this may yet lead nowhere.
                branch *= 2;
            }
        }
    }

    fn set(&mut self, slot: usize, value: (u32, Span)) {
        let mut branch = self.tree.len() / 2 + slot;
        self.tree[branch] = value;
        while branch > 1 {
            branch /= 2;
            let joined = self.joined(branch);
            if self.tree[branch] == joined {
                break;
            }
            self.tree[branch] = joined;
        }
    }

    fn joined(&self, branch: usize) -> (u32, Span) {
        let (left, right) = (self.tree[2 * branch], self.tree[2 * branch + 1]);
        (left.0.min(right.0), left.1.min(right.1))
    }

    /// Drops the slots of jobs that have left and makes at least as much room again.
    fn make_room(&mut self) {
        let leaves = self.tree.len() / 2;
        let mut slot = 0;
        self.slots.retain(|_| {
            slot += 1;
            self.tree[leaves + slot - 1] != GONE
        });
        let leaves = (2 * self.live + 2).next_power_of_two();
        self.tree = vec![GONE; 2 * leaves];
        for (slot, job) in self.slots.iter().enumerate() {
            self.tree[leaves + slot] = (job.processors, job.estimate);
        }
        for branch in (1..leaves).rev() {
            self.tree[branch] = self.joined(branch);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_next_fit_is_that_of_a_plain_list(
            steps in prop::collection::vec((0u8..3, 1u32..9, 1i64..9, 0usize..40), 1..300),
        ) {
            let (mut backlog, mut plain) = (Backlog::default(), Vec::<Waiting>::new());
            for (id, (what, width, length, pick)) in steps.into_iter().enumerate() {
                let estimate = Span::from_units(length);
                if what == 0 && pick < plain.len() {
                    let gone = plain.remove(pick);
                    backlog.remove(backlog.slot(gone.id).unwrap());
                } else {
                    let job = Waiting { id: id as u32, processors: width, estimate };
                    backlog.push(job);
                    plain.push(job);
                }
                let fits = |w: u32, e: Span| w <= width / 2 || (w <= width && e <= estimate);
                let (mut from, mut found) = (0, Vec::new());
                while let Some((slot, job)) = backlog.next(from, fits) {
                    found.push(job);
                    from = slot + 1;
                }
                let expected: Vec<Waiting> =
                    plain.iter().copied().filter(|job| fits(job.processors, job.estimate)).collect();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
