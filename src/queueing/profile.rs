//! How many processors are free from when on.

use crate::units::{Span, Time};

/// Blocks are split when they hold more steps than this.
const FULL: usize = 64;

/// The free processors of a machine over time, as a step function.
///
/// Steps stand in blocks that know the least and the most free processors in them, so that a search skips whole blocks and
/// a change over a long time touches only the two blocks at its ends step by step. Both are far faster than a search
/// tree at the sizes that occur: a thousand reservations are a few dozen blocks.
///
/// ```
/// use gridloom::queueing::Profile;
/// use gridloom::units::{Span, Time};
///
/// let at = Time::from_units;
/// let mut profile = Profile::new(8);
/// profile.occupy(at(0), at(10), 6);
/// profile.occupy(at(20), at(30), 5);
/// assert_eq!(profile.earliest(at(0), 4, Span::from_units(10)), at(10));
/// assert_eq!(profile.earliest(at(0), 4, Span::from_units(11)), at(30));
/// ```
#[derive(Debug, Clone)]
pub struct Profile {
    /// Never empty, and none is empty.
    blocks: Vec<Block>,
}

#[derive(Debug, Clone)]
struct Block {
    steps: Vec<Step>,
    /// The time of the first step, at hand for searches over blocks.
    start: Time,
    /// To be added to every step.
    shift: i64,
    /// The least and the most of the steps, without the shift.
    least: i64,
    most: i64,
}

#[derive(Debug, Clone, Copy)]
struct Step {
    time: Time,
    free: i64,
}

/// A step by block and place.
pub(super) type Place = (usize, usize);

impl Block {
    fn new(steps: Vec<Step>, shift: i64) -> Self {
        let mut block = Self { steps, start: Time::ZERO, shift, least: 0, most: 0 };
        block.refresh();
        block
    }

    fn refresh(&mut self) {
        self.start = self.steps[0].time;
        (self.least, self.most) = self
            .steps
            .iter()
            .fold((i64::MAX, i64::MIN), |(least, most), step| (least.min(step.free), most.max(step.free)));
    }
}

impl Profile {
    /// A machine that is idle for ever.
    pub fn new(processors: u32) -> Self {
        let step = Step { time: Time::ZERO, free: i64::from(processors) };
        Self { blocks: vec![Block::new(vec![step], 0)] }
    }

    /// Takes `processors` from `start` to `end`. They may become fewer than none: a reservation that can't be kept.
    pub fn occupy(&mut self, start: Time, end: Time, processors: u32) {
        self.change(start, end, -i64::from(processors));
    }

    /// Gives `processors` back from `start` to `end`.
    pub fn release(&mut self, start: Time, end: Time, processors: u32) {
        self.change(start, end, i64::from(processors));
    }

    /// The free processors at an instant.
    pub fn free_at(&self, time: Time) -> i64 {
        self.free(self.place(time))
    }

    /// The free processors just before an instant.
    pub fn free_before(&self, time: Time) -> i64 {
        self.free(self.place_before(time))
    }

    /// The least and the most free processors at any time from `start` to `end`; zero if there is no such time.
    pub fn least_and_most(&self, start: Time, end: Time) -> (i64, i64) {
        if start >= end {
            return (0, 0);
        }
        let ((first, from), (last, to)) = (self.place(start), self.place_before(end));
        if first == last {
            return self.among((first, from), to);
        }
        let ends = [self.among((first, from), self.blocks[first].steps.len() - 1), self.among((last, 0), to)];
        let between =
            self.blocks[first + 1..last].iter().map(|block| (block.least + block.shift, block.most + block.shift));
        ends.into_iter()
            .chain(between)
            .fold((i64::MAX, i64::MIN), |one, other| (one.0.min(other.0), one.1.max(other.1)))
    }

    /// Forgets what was before `now`. Nothing before `now` may be asked for or changed after that.
    pub fn forget(&mut self, now: Time) {
        let (block, step) = self.place(now);
        self.blocks.drain(..block);
        if step > 0 {
            self.blocks[0].steps.drain(..step);
            self.blocks[0].refresh();
        }
    }

    /// The earliest instant from `from` on at which `processors` are free for `span`; they must be free in the end.
    pub fn earliest(&self, from: Time, processors: u32, span: Span) -> Time {
        self.earliest_before(from, Time::MAX, processors, span).unwrap_or(Time::MAX)
    }

    /// The earliest instant from `from` on and before `limit` at which `processors` are free for `span`, or at least
    /// until `limit`.
    pub fn earliest_before(&self, from: Time, limit: Time, processors: u32, span: Span) -> Option<Time> {
        if from >= limit {
            return None;
        }
        let wanted = i64::from(processors);
        let mut place = self.place(from);
        loop {
            let (at, start) = self.next_step(place, limit, |least_most| least_most.1 >= wanted)?;
            let start = start.max(from);
            let end = start.checked_add(span).unwrap_or(Time::MAX).min(limit);
            match self.next_step(at, end, |least_most| least_most.0 < wanted) {
                None => return Some(start),
                Some((blocked, _)) => place = blocked,
            }
        }
    }

    /// Whether `processors` are free from `start` on for `span`.
    pub fn is_free(&self, start: Time, processors: u32, span: Span) -> bool {
        let end = start.checked_add(span).unwrap_or(Time::MAX);
        self.next_step(self.place(start), end, |(least, _)| least < i64::from(processors)).is_none()
    }

    /// Adds to `found` every longest stretch of time that has `processors` free throughout and meets `start` to `end`.
    ///
    /// `place` is [where](Self::place) `start` is.
    pub(super) fn stretches(
        &self,
        mut place: Place,
        (start, end): (Time, Time),
        processors: u32,
        found: &mut Vec<(Time, Time)>,
    ) {
        let wanted = i64::from(processors);
        while let Some((at, mut begin)) = self.next_step(place, end, |least_most| least_most.1 >= wanted) {
            if begin <= start {
                begin = self.free_since(at, wanted);
            }
            let stop = self.next_step(at, Time::MAX, |least_most| least_most.0 < wanted);
            found.push((begin, stop.map_or(Time::MAX, |(_, time)| time)));
            match stop {
                Some((blocked, _)) => place = blocked,
                None => break,
            }
        }
    }

    /// Since when `processors` are free without a break until `time`, if they are.
    pub fn free_until(&self, time: Time, processors: u32) -> Option<Time> {
        let (place, wanted) = (self.place_before(time), i64::from(processors));
        (self.free(place) >= wanted).then(|| self.free_since(place, wanted))
    }

    /// Since when `wanted` processors are free without a break, up to a step that has them.
    fn free_since(&self, (block, step): Place, wanted: i64) -> Time {
        let mut begin = self.blocks[block].steps[step].time;
        let mut until = step;
        for block in self.blocks[..=block].iter().rev() {
            for step in block.steps[..=until.min(block.steps.len() - 1)].iter().rev() {
                if step.free + block.shift < wanted {
                    return begin;
                }
                begin = step.time;
            }
            until = usize::MAX;
        }
        begin
    }

    /// The first step from `place` on and before `limit` that passes, with its time. The test gets the least and the most of a
    /// block, or twice the free processors of a step.
    fn next_step(&self, place: Place, limit: Time, passes: impl Fn((i64, i64)) -> bool) -> Option<(Place, Time)> {
        let mut from = place.1;
        for (number, block) in self.blocks.iter().enumerate().skip(place.0) {
            if block.start >= limit {
                return None;
            }
            if passes((block.least + block.shift, block.most + block.shift)) {
                let steps = block.steps.iter().enumerate().skip(from);
                for (index, step) in steps {
                    if step.time >= limit {
                        return None;
                    }
                    let free = step.free + block.shift;
                    if passes((free, free)) {
                        return Some(((number, index), step.time));
                    }
                }
            }
            from = 0;
        }
        None
    }

    fn free(&self, (block, step): Place) -> i64 {
        self.blocks[block].steps[step].free + self.blocks[block].shift
    }

    /// The least and the most free processors in one block, from a step to another.
    fn among(&self, (block, from): Place, to: usize) -> (i64, i64) {
        let block = &self.blocks[block];
        block.steps[from..=to].iter().fold((i64::MAX, i64::MIN), |(least, most), step| {
            let free = step.free + block.shift;
            (least.min(free), most.max(free))
        })
    }

    /// The step that holds at `time`; the first one for times before all.
    pub(super) fn place(&self, time: Time) -> Place {
        let block = self.blocks.partition_point(|block| block.start <= time).saturating_sub(1);
        let step = self.blocks[block].steps.partition_point(|step| step.time <= time).saturating_sub(1);
        (block, step)
    }

    /// The step that holds just before `time`.
    fn place_before(&self, time: Time) -> Place {
        let block = self.blocks.partition_point(|block| block.start < time).saturating_sub(1);
        let step = self.blocks[block].steps.partition_point(|step| step.time < time).saturating_sub(1);
        (block, step)
    }

    fn change(&mut self, start: Time, end: Time, by: i64) {
        let start = start.max(self.blocks[0].start);
        if start >= end {
            return;
        }
        self.cut(end);
        let first = self.cut(start);
        let (mut number, mut from) = first;
        let last = loop {
            let next = self.blocks.get(number + 1).map(|block| block.start);
            let block = &mut self.blocks[number];
            if from == 0 && next.is_some_and(|next| next <= end) {
                block.shift += by;
            } else {
                let to = from + block.steps[from..].iter().take_while(|step| step.time < end).count();
                block.steps[from..to].iter_mut().for_each(|step| step.free += by);
                block.refresh();
                if to < block.steps.len() {
                    break (number, to);
                }
            }
            (number, from) = (number + 1, 0);
            if next == Some(end) {
                break (number, 0);
            }
        };
        self.join(last);
        self.join(first);
    }

    /// Makes a step begin at `time`, and says where it is.
    fn cut(&mut self, time: Time) -> Place {
        let (number, index) = self.place(time);
        let block = &mut self.blocks[number];
        let step = block.steps[index];
        if step.time == time {
            return (number, index);
        }
        block.steps.insert(index + 1, Step { time, ..step });
        if block.steps.len() <= FULL {
            return (number, index + 1);
        }
        let second = Block::new(block.steps.split_off(FULL / 2), block.shift);
        block.refresh();
        self.blocks.insert(number + 1, second);
        if index + 1 < FULL / 2 { (number, index + 1) } else { (number + 1, index + 1 - FULL / 2) }
    }

    /// Removes a step if it changes nothing.
    fn join(&mut self, (number, index): Place) {
        let before = match (number, index) {
            (0, 0) => return,
            (_, 0) => (number - 1, self.blocks[number - 1].steps.len() - 1),
            _ => (number, index - 1),
        };
        if self.free(before) != self.free((number, index)) {
            return;
        }
        self.blocks[number].steps.remove(index);
        if self.blocks[number].steps.is_empty() {
            self.blocks.remove(number);
        } else if index == 0 {
            // Otherwise the step before it has the same number in the same block.
            self.blocks[number].refresh();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const END: i64 = 400;

    fn at(units: i64) -> Time {
        Time::from_units(units)
    }

    proptest! {
        #[test]
        fn it_agrees_with_an_array_of_seconds(
            changes in prop::collection::vec((0i64..END, 1i64..60, -3i64..4), 1..250),
            forget in 0i64..END / 2,
            queries in prop::collection::vec((0i64..END, 0i64..2 * END, 1u32..12, 1i64..50), 20),
        ) {
            let mut profile = Profile::new(10);
            let mut plain = vec![10i64; 4 * END as usize];
            for (start, length, by) in changes {
                profile.change(at(start), at(start + length), by);
                plain[start as usize..(start + length) as usize].iter_mut().for_each(|free| *free += by);
            }
            profile.forget(at(forget));
            let steps: usize = profile.blocks.iter().map(|block| block.steps.len()).sum();
            let changes = plain[forget as usize..].windows(2).filter(|pair| pair[0] != pair[1]).count();
            prop_assert_eq!(steps, changes + 1);
            for (from, limit, processors, span) in queries {
                let (from, limit) = (from.max(forget), limit.max(forget));
                prop_assert_eq!(profile.free_at(at(from)), plain[from as usize]);
                let inside = || (from..limit).map(|time| plain[time as usize]);
                let extremes = (inside().min().unwrap_or(0), inside().max().unwrap_or(0));
                prop_assert_eq!(profile.least_and_most(at(from), at(limit)), extremes);
                let before = (forget..from).rev().take_while(|&time| plain[time as usize] >= i64::from(processors)).last();
                prop_assert!(from == forget || profile.free_until(at(from), processors).map(|since| since.max(at(forget))) == before.map(at));
                let mut found = Vec::new();
                profile.stretches(profile.place(at(from)), (at(from), at(limit)), processors, &mut found);
                let wide = |time: i64| plain[time as usize] >= i64::from(processors);
                for time in from..limit {
                    let inside = found.iter().filter(|&&(start, end)| start <= at(time) && at(time) < end).count();
                    prop_assert_eq!(inside, usize::from(wide(time)));
                }
                for (start, end) in found {
                    let first = start.ticks() / 1_000_000;
                    prop_assert!(first <= forget || !wide(first - 1));
                    prop_assert!(end == Time::MAX || !wide(end.ticks() / 1_000_000));
                }
                let fits = |start: &i64| {
                    (*start..(start + span).min(limit)).all(|time| plain[time as usize] >= i64::from(processors))
                };
                let is_free = (from..from + span).all(|time| plain[time as usize] >= i64::from(processors));
                prop_assert_eq!(profile.is_free(at(from), processors, Span::from_units(span)), is_free);
                let expected = (from..limit).find(fits).map(at);
                prop_assert_eq!(profile.earliest_before(at(from), at(limit), processors, Span::from_units(span)), expected);
            }
        }
    }
}
