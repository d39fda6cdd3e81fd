//! Which events are still pending: the ground on which handles stand.

/// Names a scheduled event, so that it can be cancelled. Valid for the kernel or queue that returned it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Handle {
    pub(super) slot: u32,
    pub(super) sequence: u64,
}

/// The content of a vacant slot; no sequence number gets there.
const VACANT: u64 = u64::MAX;

/// A table of slots, each held by at most one pending event and used again after it.
///
/// An event is pending exactly while its slot holds its sequence number. That number is never given twice, so a slot
/// can pass to another event at once, even while the cancelled one still lies in the queue: the table is never longer
/// than the most events that were pending together.
#[derive(Debug, Default)]
pub(super) struct PendingEvents {
    holders: Vec<u64>,
    free: Vec<u32>,
}

impl PendingEvents {
    pub(super) fn len(&self) -> usize {
        self.holders.len() - self.free.len()
    }

    /// Enters the event with this sequence number.
    #[inline]
    pub(super) fn enter(&mut self, sequence: u64) -> Handle {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.holders.push(VACANT);
            u32::try_from(self.holders.len() - 1).expect("2^32 pending events would need more than 100 GiB")
        });
        self.holders[slot as usize] = sequence;
        Handle { slot, sequence }
    }

    /// Strikes the event out; whether it was pending.
    #[inline]
    pub(super) fn leave(&mut self, handle: Handle) -> bool {
        let pending = self.contains(handle);
        if pending {
            self.holders[handle.slot as usize] = VACANT;
            self.free.push(handle.slot);
        }
        pending
    }

    #[inline]
    pub(super) fn contains(&self, handle: Handle) -> bool {
        self.holders.get(handle.slot as usize) == Some(&handle.sequence)
    }
}
