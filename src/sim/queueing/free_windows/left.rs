//! Windows that were reserved at one decision, at the next.

use super::FreeWindows;
use crate::model::{Slot, SlotList, SlotsByNode, Window};
use crate::units::Time;

/// The free time at the end of a decision.
#[derive(Debug, Clone)]
pub(crate) struct LeftTime {
    /// Free but for those who have started.
    pub(crate) free: SlotList,
    /// The instant up to which free time was known.
    pub(crate) until: Time,
}

impl FreeWindows<'_> {
    /// What is left when no more is to be done.
    pub(crate) fn into_left(self) -> LeftTime {
        LeftTime { free: self.free, until: self.known_until }
    }

    /// Reserves many windows that were reserved for requests at an earlier call, where nothing is reserved yet. Those are
    /// left out that can't be, since they are not free, or cost more than the request may: prices may have changed.
    pub(crate) fn reserve_all_again(&mut self, windows: &mut [(usize, Option<Window>)]) {
        let free = SlotsByNode::of(&self.free);
        let is_there = |window: &Window| window.slots().iter().all(|&slot| free.cover(slot));
        for (request, window) in windows.iter_mut() {
            *window = window.take().filter(|window| is_there(window) && self.is_affordable(*request, window));
        }
        let slots: Vec<Slot> =
            windows.iter().filter_map(|(_, window)| Some(window.as_ref()?.slots())).flatten().copied().collect();
        if let Some(left) = free.without(&slots) {
            self.unreserved = SlotList::of_disjoint(left);
            self.forget_counts();
            self.free_by_node = Some(free);
        } else {
            // Two of them overlap, which those of one decision never do.
            for (_, window) in windows {
                *window = window.take().filter(|window| self.reserve(window));
            }
        }
    }
}
