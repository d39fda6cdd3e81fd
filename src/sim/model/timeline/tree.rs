//! An ordered set of disjoint intervals that also answers "where is the first one at least this long?".
//!
//! A treap in an arena: a binary search tree by start whose shape is decided by pseudo-random priorities, so that its
//! expected depth is logarithmic whatever the order of operations. Each branch knows the longest interval below it,
//! which turns the search for a gap into one walk down. Priorities come from a counter, so equal histories give equal
//! trees.

use crate::model::Interval;
use crate::units::{Span, Time};

const NONE: u32 = u32::MAX;

#[derive(Debug, Clone)]
struct Branch {
    interval: Interval,
    longest: Span,
    priority: u32,
    left: u32,
    right: u32,
}

/// Disjoint intervals in order of start.
#[derive(Debug, Clone)]
pub(super) struct IntervalTree {
    branches: Vec<Branch>,
    spare: Vec<u32>,
    root: u32,
    created: u64,
}

impl IntervalTree {
    pub(super) fn new() -> Self {
        Self { branches: Vec::new(), spare: Vec::new(), root: NONE, created: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.branches.len() - self.spare.len()
    }

    /// The last interval that starts at or before `instant`.
    pub(super) fn at_or_before(&self, instant: Time) -> Option<Interval> {
        let (mut at, mut found) = (self.root, None);
        while let Some(branch) = self.branches.get(at as usize) {
            if branch.interval.start <= instant {
                found = Some(branch.interval);
                at = branch.right;
            } else {
                at = branch.left;
            }
        }
        found
    }

    /// The first interval that starts after `instant`.
    pub(super) fn after(&self, instant: Time) -> Option<Interval> {
        self.first_after(instant, Span::ZERO)
    }

    /// The first interval that starts after `instant` and is at least `span` long.
    pub(super) fn first_after(&self, instant: Time, span: Span) -> Option<Interval> {
        // Every turn to the left on the way down to `instant` stands for its own interval, then for everything on its
        // right; a later turn stands for earlier intervals, so the last turn that holds a fit has the first one.
        let (mut at, mut last) = (self.root, NONE);
        while let Some(branch) = self.branches.get(at as usize) {
            if branch.interval.start > instant {
                if branch.interval.span() >= span || self.holds(branch.right, span) {
                    last = at;
                }
                at = branch.left;
            } else {
                at = branch.right;
            }
        }
        let branch = self.branches.get(last as usize)?;
        if branch.interval.span() >= span { Some(branch.interval) } else { self.leftmost(branch.right, span) }
    }

    /// The leftmost interval of at least `span` below `at`, which is known to hold one.
    fn leftmost(&self, mut at: u32, span: Span) -> Option<Interval> {
        while let Some(branch) = self.branches.get(at as usize) {
            if self.holds(branch.left, span) {
                at = branch.left;
            } else if branch.interval.span() >= span {
                return Some(branch.interval);
            } else {
                at = branch.right;
            }
        }
        None
    }

    /// Adds an interval; the caller has made sure that it overlaps none.
    pub(super) fn insert(&mut self, interval: Interval) {
        let priority = mix(self.created);
        self.created += 1;
        let branch = Branch { interval, longest: interval.span(), priority, left: NONE, right: NONE };
        let new = match self.spare.pop() {
            Some(index) => {
                self.branches[index as usize] = branch;
                index
            }
            None => {
                self.branches.push(branch);
                (self.branches.len() - 1) as u32
            }
        };
        self.root = self.insert_below(self.root, new);
    }

    fn insert_below(&mut self, at: u32, new: u32) -> u32 {
        let Some(branch) = self.branches.get(at as usize) else { return new };
        let start = self.branches[new as usize].interval.start;
        if self.branches[new as usize].priority > branch.priority {
            let (left, right) = self.split(at, start);
            let branch = &mut self.branches[new as usize];
            (branch.left, branch.right) = (left, right);
            self.refresh(new);
            return new;
        }
        if start < branch.interval.start {
            let left = self.insert_below(branch.left, new);
            self.branches[at as usize].left = left;
        } else {
            let right = self.insert_below(branch.right, new);
            self.branches[at as usize].right = right;
        }
        self.refresh(at);
        at
    }

    /// Removes the interval that starts at `start`, which must be there.
    pub(super) fn remove(&mut self, start: Time) {
        self.root = self.remove_below(self.root, start);
    }

    fn remove_below(&mut self, at: u32, start: Time) -> u32 {
        let Some(branch) = self.branches.get(at as usize) else { return NONE };
        let (left, right) = (branch.left, branch.right);
        if start == branch.interval.start {
            self.spare.push(at);
            return self.merge(left, right);
        }
        if start < branch.interval.start {
            let left = self.remove_below(left, start);
            self.branches[at as usize].left = left;
        } else {
            let right = self.remove_below(right, start);
            self.branches[at as usize].right = right;
        }
        self.refresh(at);
        at
    }

    /// Changes the interval that starts at `start` to `interval`, which must keep its place in the order.
    pub(super) fn replace(&mut self, start: Time, interval: Interval) {
        self.replace_below(self.root, start, interval);
    }

    fn replace_below(&mut self, at: u32, start: Time, interval: Interval) {
        let Some(branch) = self.branches.get_mut(at as usize) else { return };
        if start == branch.interval.start {
            branch.interval = interval;
        } else {
            let next = if start < branch.interval.start { branch.left } else { branch.right };
            self.replace_below(next, start, interval);
        }
        self.refresh(at);
    }

    /// All intervals from the first that starts at or after `instant` on.
    pub(super) fn from(&self, instant: Time) -> InOrder<'_> {
        let (mut at, mut ahead) = (self.root, Vec::new());
        while let Some(branch) = self.branches.get(at as usize) {
            if branch.interval.start >= instant {
                ahead.push(at);
                at = branch.left;
            } else {
                at = branch.right;
            }
        }
        InOrder { tree: self, ahead }
    }

    /// Everything below `at` that starts before `start`, and the rest.
    fn split(&mut self, at: u32, start: Time) -> (u32, u32) {
        let Some(branch) = self.branches.get(at as usize) else { return (NONE, NONE) };
        let (left, right) = (branch.left, branch.right);
        if branch.interval.start < start {
            let (middle, rest) = self.split(right, start);
            self.branches[at as usize].right = middle;
            self.refresh(at);
            (at, rest)
        } else {
            let (before, middle) = self.split(left, start);
            self.branches[at as usize].left = middle;
            self.refresh(at);
            (before, at)
        }
    }

    /// One tree of two, where all of `left` starts before all of `right`.
    fn merge(&mut self, left: u32, right: u32) -> u32 {
        if left == NONE {
            return right;
        }
        if right == NONE {
            return left;
        }
        if self.branches[left as usize].priority >= self.branches[right as usize].priority {
            let below = self.merge(self.branches[left as usize].right, right);
            self.branches[left as usize].right = below;
            self.refresh(left);
            left
        } else {
            let below = self.merge(left, self.branches[right as usize].left);
            self.branches[right as usize].left = below;
            self.refresh(right);
            right
        }
    }

    fn holds(&self, at: u32, span: Span) -> bool {
        at != NONE && self.longest(at) >= span
    }

    fn longest(&self, at: u32) -> Span {
        self.branches.get(at as usize).map_or(Span::ZERO, |branch| branch.longest)
    }

    fn refresh(&mut self, at: u32) {
        let branch = &self.branches[at as usize];
        let longest = branch.interval.span().max(self.longest(branch.left)).max(self.longest(branch.right));
        self.branches[at as usize].longest = longest;
    }
}

/// Intervals in order of start.
pub(super) struct InOrder<'a> {
    tree: &'a IntervalTree,
    ahead: Vec<u32>,
}

impl Iterator for InOrder<'_> {
    type Item = Interval;

    fn next(&mut self) -> Option<Interval> {
        let branch = &self.tree.branches[self.ahead.pop()? as usize];
        let mut at = branch.right;
        while at != NONE {
            self.ahead.push(at);
            at = self.tree.branches[at as usize].left;
        }
        Some(branch.interval)
    }
}

/// The finaliser of SplitMix64: turns a counter into bits without pattern.
fn mix(counter: u64) -> u32 {
    let mut bits = counter.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (bits >> 32) as u32
}
