//! The queue as a structure that finds the next job that fits without looking at those that do not.

use super::QueuedJob;
use crate::units::Span;

/// The bound of the jobs below a branch of the tree: the narrowest width and the shortest estimate of any of them.
type Bound = (u32, Span);

/// Stands for a job that has left, and changes nothing when joined.
const GONE: Bound = (u32::MAX, Span::MAX);

/// QueuedJob jobs in the order of arrival.
///
/// Jobs stand in slots; a tree over the slots knows a bound on those below each branch, so that a search skips whole
/// stretches of the queue. Slots of jobs that have left are cleared away when room is needed,
/// which keeps the tree about as large as the queue.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    slots: Vec<QueuedJob>,
    live: usize,
    /// No job stands before this slot.
    first: usize,
    /// Branch 1 is the root, those below branch n are 2n and 2n + 1; the last half are the slots.
    tree: Vec<Bound>,
}

impl Backlog {
    /// Adds a job at the end; its id is larger than all before.
    pub(super) fn push(&mut self, job: QueuedJob) {
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
        if slot == self.first {
            self.first = self.next(slot, |bound| bound != GONE).map_or(self.slots.len(), |(next, _)| next);
        }
    }

    /// The first job and its slot.
    pub(super) fn head(&self) -> Option<(usize, QueuedJob)> {
        self.slots.get(self.first).map(|&job| (self.first, job))
    }

    /// The slot of the first of so many who came last, none of whom has left.
    pub(super) fn newest(&self, count: usize) -> usize {
        self.slots.len() - count
    }

    /// The first job from slot `from` on whose bound passes `fits`.
    ///
    /// A bound that passes must pass also when better in any quality, and that of a job that has left may not pass.
    pub(super) fn next(&self, from: usize, fits: impl Fn(Bound) -> bool) -> Option<(usize, QueuedJob)> {
        let leaves = self.tree.len() / 2;
        // Most of the time nobody fits, and the root knows.
        if from >= self.slots.len() || !fits(self.tree[1]) {
            return None;
        }
        // The largest branch that begins there.
        let mut branch = leaves + from;
        branch >>= branch.trailing_zeros();
        loop {
            if !fits(self.tree[branch]) {
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
                // The best in one quality and the best in another may be two jobs, so this may yet lead nowhere.
                branch *= 2;
            }
        }
    }

    fn set(&mut self, slot: usize, bound: Bound) {
        let mut branch = self.tree.len() / 2 + slot;
        self.tree[branch] = bound;
        while branch > 1 {
            branch /= 2;
            let joined = self.joined(branch);
            if self.tree[branch] == joined {
                break;
            }
            self.tree[branch] = joined;
        }
    }

    fn joined(&self, branch: usize) -> Bound {
        let (one, other) = (self.tree[2 * branch], self.tree[2 * branch + 1]);
        (one.0.min(other.0), one.1.min(other.1))
    }

    /// Drops the slots of jobs that have left and makes at least as much room again.
    fn make_room(&mut self) {
        self.first = 0;
        let mut bounds = self.tree.split_off(self.tree.len() / 2);
        let mut slot = 0;
        self.slots.retain(|_| {
            slot += 1;
            bounds[slot - 1] != GONE
        });
        bounds.retain(|bound| *bound != GONE);
        let leaves = (2 * self.live + 2).next_power_of_two();
        self.tree = vec![GONE; 2 * leaves];
        self.tree[leaves..leaves + bounds.len()].copy_from_slice(&bounds);
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
            let (mut backlog, mut plain) = (Backlog::default(), Vec::<QueuedJob>::new());
            for (id, (what, width, length, pick)) in steps.into_iter().enumerate() {
                let estimate = Span::from_units(length);
                if what == 0 && pick < plain.len() {
                    let gone = plain.remove(pick);
                    backlog.remove(backlog.slots.iter().position(|job| job.id == gone.id).unwrap());
                } else {
                    let job = QueuedJob { id: id as u32, processors: width, estimate };
                    backlog.push(job);
                    plain.push(job);
                }
                let fits = |(w, e): (u32, Span)| w <= width / 2 || (w <= width && e <= estimate);
                let (mut from, mut found) = (0, Vec::new());
                while let Some((slot, job)) = backlog.next(from, fits) {
                    found.push(job);
                    from = slot + 1;
                }
                let expected: Vec<QueuedJob> =
                    plain.iter().copied().filter(|job| fits((job.processors, job.estimate))).collect();
                prop_assert_eq!(found, expected);
                prop_assert_eq!(backlog.head().map(|(_, job)| job), plain.first().copied());
            }
        }
    }
}
