//! The ordering structure under the queue: a ladder of buckets that puts in order only what is about to leave.
//!
//! An event far ahead needs no exact place yet. It lies unsorted in the bucket that covers its time, and when the front
//! reaches that bucket, the bucket is either spread over a finer *rung* of buckets or, once it is short, sorted into
//! the *run* from which events leave. An event is thus appended to a few arrays and sorted once among a few dozen
//! others, in memory that the processor's caches hold, where a heap pays one cache miss or mispredicted branch per
//! level.
//!
//! ```text
//!  now                                                                      time ->
//!   | run + late |     rung 2 (finest)    |     rung 1       |   rung 0    |  far ...
//!   |   sorted   | one bucket of rung 1,  | one of rung 0    | was `far`   |  unsorted
//!              limit                    limit              limit         limit
//! ```
//!
//! Every part covers the times up to its limit that no nearer part covers. A limit is the latest event the part was
//! made of and not the end of the bucket it came from, so a single event in the distant future widens nothing for long:
//! what lies between the limits stays in the coarser bucket and is spread again when its turn comes.
//!
//! Events may also be added before the limit of the run. They go to a heap, `late`; should that outgrow the run, both
//! are spread over a new rung. With at most [`MAX_RUNGS`] rungs, every event is moved a bounded number of times plus at
//! most one sort or heap operation, so no pattern of times costs more than O(log n) per event. The memory is a small
//! multiple of the most entries ever held, plus a constant for the arrays that empty buckets keep.

use super::key::EventKey;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::mem;

/// A bucket of at most this many entries is sorted at once.
const RUN: usize = 32;

/// Empty buckets keep their memory for reuse up to this many entries; longer ones give it back.
const KEPT_CAPACITY: usize = 64;

/// The number of entries that a fresh rung aims to have in each bucket. Others will join them before their turn comes.
const PER_BUCKET: usize = 2;

/// Buckets of one rung: no more than can be filled side by side without leaving the caches.
const MOST_BUCKETS: usize = 512;

/// Past this many rungs a bucket is sorted whatever its length, so that the search for an event's rung stays short.
const MAX_RUNGS: usize = 12;

/// Something with its place in the order. Compared backwards, since the standard heap gives the greatest first.
#[derive(Debug)]
pub(super) struct LadderEntry<T> {
    pub(super) key: EventKey,
    pub(super) item: T,
}

type Bucket<T> = Vec<LadderEntry<T>>;

/// A priority queue of entries by key.
#[derive(Debug)]
pub(super) struct Ladder<T> {
    /// The next entries, latest first, so that the next to leave is the last.
    run: Vec<LadderEntry<T>>,
    /// Entries that were added up to `limit` after the run was sorted.
    late: BinaryHeap<LadderEntry<T>>,
    /// Times up to here belong to `run` and `late`; all entries elsewhere are later.
    limit: u64,
    /// From the coarsest to the finest.
    rungs: Vec<Rung<T>>,
    /// Whatever is later than every rung.
    far: Bucket<T>,
    /// Empty rungs whose buckets are used again.
    spare: Vec<Rung<T>>,
}

impl<T> Ladder<T> {
    pub(super) fn new() -> Self {
        let (run, late, rungs, far, spare) = (Vec::new(), BinaryHeap::new(), Vec::new(), Vec::new(), Vec::new());
        Self { run, late, limit: 0, rungs, far, spare }
    }

    #[inline]
    pub(super) fn push(&mut self, entry: LadderEntry<T>) {
        let time = entry.key.rank();
        if time <= self.limit {
            self.late.push(entry);
            if self.late.len() > self.run.len().max(RUN) {
                self.spill();
            }
            return;
        }
        match self.rungs.iter_mut().rev().find(|rung| time <= rung.limit) {
            Some(rung) => rung.push(entry),
            None => self.far.push(entry),
        }
    }

    /// The key of the next entry. It may have to put that entry in its place first, hence `&mut`.
    #[inline]
    pub(super) fn peek(&mut self) -> Option<&LadderEntry<T>> {
        self.refill_if_empty();
        match (self.run.last(), self.late.peek()) {
            (Some(sorted), Some(late)) => Some(if sorted.key < late.key { sorted } else { late }),
            (sorted, late) => sorted.or(late),
        }
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<LadderEntry<T>> {
        self.refill_if_empty();
        match (self.run.last(), self.late.peek()) {
            (Some(sorted), Some(late)) if sorted.key > late.key => self.late.pop(),
            (Some(_), _) => self.run.pop(),
            (None, _) => self.late.pop(),
        }
    }

    /// Drops the entries that `keep` denies, in one pass over all.
    pub(super) fn retain(&mut self, mut keep: impl FnMut(&LadderEntry<T>) -> bool) {
        self.late.retain(&mut keep);
        self.late.shrink_to(2 * self.late.len());
        let buckets = self.rungs.iter_mut().flat_map(|rung| &mut rung.buckets);
        for bucket in buckets.chain([&mut self.run, &mut self.far]) {
            bucket.retain(&mut keep);
            bucket.shrink_to(2 * bucket.len());
        }
    }

    #[inline]
    fn refill_if_empty(&mut self) {
        if self.run.is_empty() && self.late.is_empty() {
            self.refill();
        }
    }

    /// Makes the nearest bucket the run, spreading it over finer rungs while it is long.
    fn refill(&mut self) {
        loop {
            if self.run.capacity() > KEPT_CAPACITY {
                self.run = Vec::new();
            }
            while self.rungs.last_mut().is_some_and(|rung| !rung.advance()) {
                self.spare.extend(self.rungs.pop());
            }
            let nearest = match self.rungs.last_mut() {
                Some(rung) => &mut rung.buckets[rung.current],
                None => &mut self.far,
            };
            mem::swap(&mut self.run, nearest);
            let Some(latest) = self.run.iter().map(|entry| entry.key.rank()).max() else { return };
            if self.run.len() <= RUN || !self.spread_run(latest) {
                return self.settle(latest);
            }
        }
    }

    /// Spreads what is now too long a heap, together with the run, over a new rung.
    #[cold]
    fn spill(&mut self) {
        self.run.extend(self.late.drain());
        // The new rung takes over all times up to the present limit: a coarser one may begin only after it.
        if self.spread_run(self.limit) {
            self.refill();
        } else {
            self.settle(self.limit);
        }
    }

    /// Moves the entries of the run, in whatever order, to a new finest rung up to `limit`. Does nothing and says so
    /// when they can't be divided further.
    fn spread_run(&mut self, limit: u64) -> bool {
        let start = self.run.iter().map(|entry| entry.key.rank()).min().unwrap_or(limit);
        if start == limit || self.rungs.len() == MAX_RUNGS {
            return false;
        }
        let mut rung = self.spare.pop().unwrap_or_default();
        rung.cover(start, limit, self.run.len());
        self.run.drain(..).for_each(|entry| rung.push(entry));
        self.rungs.push(rung);
        true
    }

    /// Sorts the run and lets it cover the times up to `limit`.
    fn settle(&mut self, limit: u64) {
        // Keys are unique, so an unstable sort is enough; entries of one instant come in order and take linear time.
        self.run.sort_unstable();
        self.limit = limit;
    }

    /// Entries for which memory is held.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        let rungs = self.rungs.iter().chain(&self.spare);
        let buckets: usize = rungs.flat_map(|rung| &rung.buckets).map(Vec::capacity).sum();
        self.run.capacity() + self.late.capacity() + self.far.capacity() + buckets
    }
}

/// Buckets of equal width, each covering 2^`shift` ticks, from `start` to `limit`.
#[derive(Debug)]
struct Rung<T> {
    start: u64,
    limit: u64,
    shift: u32,
    /// Buckets before this one are empty and stay so.
    current: usize,
    buckets: Vec<Bucket<T>>,
}

impl<T> Rung<T> {
    /// Makes an empty rung cover `start` to `limit` with buckets for `entries` entries.
    fn cover(&mut self, start: u64, limit: u64, entries: usize) {
        let count = (entries / PER_BUCKET).next_power_of_two().min(MOST_BUCKETS);
        let width_bits = u64::BITS - (limit - start).leading_zeros();
        (self.start, self.limit, self.current) = (start, limit, 0);
        self.shift = width_bits.saturating_sub(count.trailing_zeros());
        if self.buckets.len() <= self.place(limit) {
            self.buckets.resize_with(self.place(limit) + 1, Vec::new);
        }
    }

    #[inline]
    fn place(&self, time: u64) -> usize {
        ((time - self.start) >> self.shift) as usize
    }

    #[inline]
    fn push(&mut self, entry: LadderEntry<T>) {
        let place = self.place(entry.key.rank());
        self.buckets[place].push(entry);
    }

    /// Steps to the first bucket that is not empty, if there is one.
    fn advance(&mut self) -> bool {
        let ahead = &self.buckets[self.current..=self.place(self.limit)];
        let step = ahead.iter().position(|bucket| !bucket.is_empty());
        self.current += step.unwrap_or(0);
        step.is_some()
    }
}

impl<T> Default for Rung<T> {
    fn default() -> Self {
        Self { start: 0, limit: 0, shift: 0, current: 0, buckets: Vec::new() }
    }
}

impl<T> Ord for LadderEntry<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.key.cmp(&self.key)
    }
}

impl<T> PartialOrd for LadderEntry<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> PartialEq for LadderEntry<T> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl<T> Eq for LadderEntry<T> {}
