//! The queues that compete. All but the kernel's carry nothing beside the key, which is to their advantage.

use gridloom::engine::queue::EventQueue;
use gridloom::engine::{Handle, Phase};
use gridloom::units::Time;
use priority_queue::PriorityQueue;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

/// A queue of times, first-in first-out among equal ones.
pub trait Candidate: Default {
    const NAME: &str;
    type Handle: Copy;
    fn push(&mut self, time: u64) -> Self::Handle;
    fn pop(&mut self) -> Option<u64>;
}

/// A queue from which events can be taken out before their time.
pub trait Cancellable: Candidate {
    /// Whether the event was still pending.
    fn cancel(&mut self, handle: Self::Handle) -> bool;
}

/// The kernel's queue, as the kernel uses it.
#[derive(Default)]
pub struct Kernels(pub EventQueue<u64>);

impl Candidate for Kernels {
    const NAME: &str = "gridloom";
    type Handle = Handle;

    fn push(&mut self, time: u64) -> Handle {
        self.0.push(Time::from_ticks(time as i64), Phase(0), time)
    }

    fn pop(&mut self) -> Option<u64> {
        self.0.pop().map(|(time, ..)| time.ticks() as u64)
    }
}

impl Cancellable for Kernels {
    fn cancel(&mut self, handle: Handle) -> bool {
        self.0.cancel(handle)
    }
}

/// A heap of (time, sequence) and nothing else.
pub trait Heap: Default {
    const NAME: &str;
    fn push(&mut self, time: u64, sequence: u64);
    fn pop(&mut self) -> Option<(u64, u64)>;
}

/// The yardstick.
#[derive(Default)]
pub struct Tuples(BinaryHeap<Reverse<(u64, u64)>>);

impl Heap for Tuples {
    const NAME: &str = "BinaryHeap (time, seq)";

    fn push(&mut self, time: u64, sequence: u64) {
        self.0.push(Reverse((time, sequence)));
    }

    fn pop(&mut self) -> Option<(u64, u64)> {
        self.0.pop().map(|Reverse(key)| key)
    }
}

fn pack(time: u64, sequence: u64) -> u128 {
    u128::from(time) << 64 | u128::from(sequence)
}

fn unpack(key: u128) -> (u64, u64) {
    ((key >> 64) as u64, key as u64)
}

#[derive(Default)]
pub struct Packed(BinaryHeap<Reverse<u128>>);

impl Heap for Packed {
    const NAME: &str = "BinaryHeap u128";

    fn push(&mut self, time: u64, sequence: u64) {
        self.0.push(Reverse(pack(time, sequence)));
    }

    fn pop(&mut self) -> Option<(u64, u64)> {
        self.0.pop().map(|Reverse(key)| unpack(key))
    }
}

/// Four children to a node: half the levels, and the children of a node share a cache line.
#[derive(Default)]
pub struct FourAry(Vec<u128>);

impl Heap for FourAry {
    const NAME: &str = "4-ary heap u128";

    fn push(&mut self, time: u64, sequence: u64) {
        let key = pack(time, sequence);
        let mut hole = self.0.len();
        self.0.push(key);
        while hole > 0 && self.0[(hole - 1) / 4] > key {
            self.0[hole] = self.0[(hole - 1) / 4];
            hole = (hole - 1) / 4;
        }
        self.0[hole] = key;
    }

    fn pop(&mut self) -> Option<(u64, u64)> {
        let last = self.0.pop()?;
        let Some(&first) = self.0.first() else { return Some(unpack(last)) };
        let mut hole = 0;
        while let Some(child) = smallest_child(hole, self.0.len(), |place| self.0[place])
            && self.0[child] < last
        {
            self.0[hole] = self.0[child];
            hole = child;
        }
        self.0[hole] = last;
        Some(unpack(first))
    }
}

fn smallest_child(parent: usize, len: usize, key: impl Fn(usize) -> u128) -> Option<usize> {
    let first = 4 * parent + 1;
    (first..len.min(first + 4)).min_by_key(|&place| key(place))
}

/// A heap as it is.
#[derive(Default)]
pub struct Bare<H> {
    heap: H,
    next: u64,
}

impl<H: Heap> Candidate for Bare<H> {
    const NAME: &str = H::NAME;
    type Handle = ();

    fn push(&mut self, time: u64) {
        self.heap.push(time, self.next);
        self.next += 1;
    }

    fn pop(&mut self) -> Option<u64> {
        self.heap.pop().map(|(time, _)| time)
    }
}

/// A heap with the key as handle and a set of cancelled keys that are skipped when they come up. The set is never
/// iterated, so its order can't matter.
#[derive(Default)]
pub struct Lazy<H> {
    heap: H,
    next: u64,
    last: (u64, u64),
    cancelled: HashSet<(u64, u64)>,
}

impl<H: Heap> Candidate for Lazy<H> {
    const NAME: &str = H::NAME;
    type Handle = (u64, u64);

    fn push(&mut self, time: u64) -> (u64, u64) {
        // From one, since the handle (0, 0) would pass for one that has left.
        self.next += 1;
        self.heap.push(time, self.next);
        (time, self.next)
    }

    fn pop(&mut self) -> Option<u64> {
        loop {
            let key = self.heap.pop()?;
            self.last = key;
            if self.cancelled.is_empty() || !self.cancelled.remove(&key) {
                return Some(key.0);
            }
        }
    }
}

impl<H: Heap> Cancellable for Lazy<H> {
    fn cancel(&mut self, handle: (u64, u64)) -> bool {
        handle > self.last && self.cancelled.insert(handle)
    }
}

/// The `priority-queue` crate. Its ties have no order, so the sequence is part of the priority.
#[derive(Default)]
pub struct PriorityQueueCrate {
    queue: PriorityQueue<u64, Reverse<(u64, u64)>>,
    next: u64,
}

impl Candidate for PriorityQueueCrate {
    const NAME: &str = "priority-queue";
    type Handle = u64;

    fn push(&mut self, time: u64) -> u64 {
        self.next += 1;
        self.queue.push(self.next, Reverse((time, self.next)));
        self.next
    }

    fn pop(&mut self) -> Option<u64> {
        self.queue.pop().map(|(_, Reverse((time, _)))| time)
    }
}

impl Cancellable for PriorityQueueCrate {
    fn cancel(&mut self, handle: u64) -> bool {
        self.queue.remove(&handle).is_some()
    }
}

/// A 4-ary heap that keeps track of where every event lies, so that it can be taken out at once.
#[derive(Default)]
pub struct Indexed {
    heap: Vec<(u128, u32)>,
    /// By slot, where the event lies in the heap.
    places: Vec<u32>,
    free: Vec<u32>,
    next: u64,
}

impl Indexed {
    fn put(&mut self, place: usize, entry: (u128, u32)) {
        self.heap[place] = entry;
        self.places[entry.1 as usize] = place as u32;
    }

    fn rise(&mut self, mut hole: usize, entry: (u128, u32)) {
        while hole > 0 && self.heap[(hole - 1) / 4].0 > entry.0 {
            self.put(hole, self.heap[(hole - 1) / 4]);
            hole = (hole - 1) / 4;
        }
        self.put(hole, entry);
    }

    fn remove(&mut self, mut hole: usize) -> u128 {
        let (key, slot) = self.heap[hole];
        self.free.push(slot);
        let last = self.heap.pop().expect("the entry at the hole");
        if hole < self.heap.len() {
            while let Some(child) = smallest_child(hole, self.heap.len(), |place| self.heap[place].0)
                && self.heap[child].0 < last.0
            {
                self.put(hole, self.heap[child]);
                hole = child;
            }
            self.rise(hole, last);
        }
        key
    }
}

impl Candidate for Indexed {
    const NAME: &str = "indexed 4-ary heap";
    type Handle = (u32, u128);

    fn push(&mut self, time: u64) -> (u32, u128) {
        self.next += 1;
        let slot = self.free.pop().unwrap_or_else(|| {
            self.places.push(0);
            self.places.len() as u32 - 1
        });
        let key = pack(time, self.next);
        self.heap.push((key, slot));
        self.rise(self.heap.len() - 1, (key, slot));
        (slot, key)
    }

    fn pop(&mut self) -> Option<u64> {
        (!self.heap.is_empty()).then(|| unpack(self.remove(0)).0)
    }
}

impl Cancellable for Indexed {
    fn cancel(&mut self, (slot, key): (u32, u128)) -> bool {
        let place = self.places[slot as usize] as usize;
        let pending = self.heap.get(place).is_some_and(|entry| *entry == (key, slot));
        if pending {
            self.remove(place);
        }
        pending
    }
}
