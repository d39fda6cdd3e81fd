//! The number of free processors from each instant on.

use crate::units::{Span, Time};
use std::ops::Range;

/// The free processors of a machine over time, as a step function.
///
/// The steps stand in a plain array along which searches walk. They are few:
/// on a generated log of a million jobs for 256 processors at load 0.9, with reservations for everybody, there were 77
/// on average when one was moved and never more than 308. At such sizes that is faster than anything that skips.
///
/// ```
/// use gridloom::queueing::Profile;
/// use gridloom::units::{Span, Time};
///
/// let at = Time::from_units;
/// let mut profile = Profile::new(8);
/// profile.occupy(at(0), at(10), 6);
/// profile.occupy(at(20), at(30), 5);
/// assert_eq!(profile.earliest(4, Span::from_units(10)), at(10));
/// assert_eq!(profile.earliest(4, Span::from_units(11)), at(30));
/// ```
#[derive(Debug, Clone)]
pub struct Profile {
    steps: Vec<ProfileStep>,
    /// The first step that is not forgotten.
    first: usize,
}

/// So many processors are free from a time on; never as many as on the step before.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProfileStep {
    pub(super) time: Time,
    pub(super) free: i64,
}

impl Profile {
    /// A machine that is idle for ever.
    pub fn new(processors: u32) -> Self {
        Self { steps: vec![ProfileStep { time: Time::ZERO, free: i64::from(processors) }], first: 0 }
    }

    /// Takes `processors` from `start` to `end`. They may become fewer than none: a reservation that can't be kept.
    pub fn occupy(&mut self, start: Time, end: Time, processors: u32) {
        self.change(self.place(start), start, end, -i64::from(processors));
    }

    /// Gives `processors` back from `start` to `end`.
    pub fn release(&mut self, start: Time, end: Time, processors: u32) {
        self.change(self.place(start), start, end, i64::from(processors));
    }

    /// Moves `processors` that are taken from `old` on for `span` to an earlier step, from which on they are free. Says
    /// which time they leave, and the steps that hold then.
    pub(super) fn advance(
        &mut self,
        old: Time,
        place: usize,
        processors: u32,
        span: Span,
    ) -> ((Time, Time), Range<usize>) {
        let new = self.steps[place].time;
        let (taken, left, end) = (old.min(new + span), old.max(new + span), old + span);
        let place = self.change(place, new, taken, -i64::from(processors));
        let more = self.steps[place + 1..].iter().take_while(|step| step.time <= left).count();
        let place = self.change(place + more, left, end, i64::from(processors));
        ((left, end), self.range(place, end))
    }

    /// The free processors at an instant.
    pub fn free_at(&self, time: Time) -> i64 {
        self.steps[self.place(time)].free
    }

    /// Forgets what was before `now`. Nothing before `now` may be asked for or changed after that.
    pub(crate) fn forget(&mut self, now: Time) {
        // Time passes in small steps.
        while self.steps.get(self.first + 1).is_some_and(|next| next.time <= now) {
            self.first += 1;
        }
        self.steps[self.first].time = now;
        // Only when half of the steps are past, so that the others need not move up each time.
        if 2 * self.first >= self.steps.len() {
            self.steps.drain(..self.first);
            self.first = 0;
        }
    }

    /// The earliest instant from now on at which `processors` are free for `span`; they must be free in the end.
    pub fn earliest(&self, processors: u32, span: Span) -> Time {
        self.earliest_before(Time::MAX, processors, span).map_or(Time::MAX, |place| self.steps[place].time)
    }

    /// The first step from now on and before `limit` from whose beginning on `processors` are free for `span`, or at
    /// least until `limit`.
    pub(super) fn earliest_before(&self, limit: Time, processors: u32, span: Span) -> Option<usize> {
        let wanted = i64::from(processors);
        let enough = |start: Time| start.checked_add(span).unwrap_or(Time::MAX).min(limit);
        let now = self.steps[self.first].time;
        if now >= limit {
            return None;
        }
        let (mut start, mut end) = (self.first, enough(now));
        for (place, step) in self.steps.iter().enumerate().skip(self.first) {
            let until = self.steps.get(place + 1).map_or(Time::MAX, |next| next.time);
            if step.free < wanted {
                if until >= limit {
                    return None;
                }
                (start, end) = (place + 1, enough(until));
            } else if until >= end {
                return Some(start);
            }
        }
        None
    }

    /// True if `processors` are free from now on for `span`.
    pub(crate) fn is_free(&self, processors: u32, span: Span) -> bool {
        let end = self.steps[self.first].time.checked_add(span).unwrap_or(Time::MAX);
        self.steps[self.until(end)].iter().all(|step| step.free >= i64::from(processors))
    }

    /// The first step since which `processors` are free without a break until `time`, if they are.
    pub(super) fn free_until(&self, time: Time, processors: u32) -> Option<usize> {
        let place = self.first + self.steps[self.first..].partition_point(|step| step.time < time);
        let since = self.stretch_start(place, i64::from(processors));
        (since < place).then_some(since)
    }

    /// The steps from one on that begin before `end`; the first of them does.
    fn range(&self, place: usize, end: Time) -> Range<usize> {
        let more = self.steps[place + 1..].iter().take_while(|step| step.time < end).count();
        place..place + 1 + more
    }

    /// The steps from now on that begin before `end`, which is later.
    pub(super) fn until(&self, end: Time) -> Range<usize> {
        self.range(self.first, end)
    }

    /// The steps from now on.
    pub(super) fn steps_ahead(&self) -> &[ProfileStep] {
        &self.steps[self.first..]
    }

    /// All steps.
    pub(super) fn steps(&self) -> &[ProfileStep] {
        &self.steps
    }

    /// When steps begin and end; the last one never does.
    pub(super) fn span(&self, range: &Range<usize>) -> (Time, Time) {
        (self.steps[range.start].time, self.steps.get(range.end).map_or(Time::MAX, |step| step.time))
    }

    /// These steps and all around them that have so many processors free without a break.
    pub(super) fn stretch(&self, range: &Range<usize>, wanted: i64) -> Range<usize> {
        let more = self.steps[range.end..].iter().take_while(|step| step.free >= wanted).count();
        self.stretch_start(range.start, wanted)..range.end + more
    }

    /// The first of the steps right before a place that have so many processors free; the place itself if there are
    /// none.
    fn stretch_start(&self, place: usize, wanted: i64) -> usize {
        place - self.steps[self.first..place].iter().rev().take_while(|step| step.free >= wanted).count()
    }

    /// The step that holds at `time`; the first one for times before all.
    fn place(&self, time: Time) -> usize {
        self.first + self.steps[self.first..].partition_point(|step| step.time <= time).saturating_sub(1)
    }

    /// Adds to what is free from `start`, which is on the step `place`, to `end`. Says where `start` is then.
    fn change(&mut self, place: usize, start: Time, end: Time, by: i64) -> usize {
        let start = start.max(self.steps[self.first].time);
        if start >= end {
            return place;
        }
        let before = self.steps[place];
        let first = if before.time < start { place + 1 } else { place };
        let (mut last, mut inside) = (first, before.free + by);
        while let Some(step) = self.steps.get_mut(last).filter(|step| step.time < end) {
            step.free += by;
            inside = step.free;
            last += 1;
        }
        let opening = if before.time < start {
            ProfileEdge::New(ProfileStep { time: start, free: before.free + by })
        } else if first > self.first && self.steps[first - 1].free == self.steps[first].free {
            ProfileEdge::Level
        } else {
            ProfileEdge::Kept
        };
        let closing = match self.steps.get(last) {
            Some(step) if step.time == end && step.free == inside => ProfileEdge::Level,
            Some(step) if step.time == end => ProfileEdge::Kept,
            _ => ProfileEdge::New(ProfileStep { time: end, free: inside - by }),
        };
        match (opening, closing) {
            // A step that comes in at one edge while one goes out at the other moves only what is between.
            (ProfileEdge::New(step), ProfileEdge::Level) => {
                self.steps.copy_within(first..last, first + 1);
                self.steps[first] = step;
            }
            (ProfileEdge::Level, ProfileEdge::New(step)) => {
                self.steps.copy_within(first + 1..last, first);
                self.steps[last - 1] = step;
            }
            _ => {
                closing.put(last, &mut self.steps);
                opening.put(first, &mut self.steps);
            }
        }
        if matches!(opening, ProfileEdge::Level) { first - 1 } else { first }
    }
}

/// The fate of an edge of a change.
#[derive(Clone, Copy)]
enum ProfileEdge {
    /// A step begins where none did.
    New(ProfileStep),
    /// A step begins there as before.
    Kept,
    /// The step that began there is as high as the one before, so that it goes.
    Level,
}

impl ProfileEdge {
    fn put(self, place: usize, steps: &mut Vec<ProfileStep>) {
        match self {
            Self::New(step) => steps.insert(place, step),
            Self::Kept => {}
            Self::Level => {
                steps.remove(place);
            }
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

    /// A profile and the same as an array of seconds, after some changes.
    fn both(changes: &[(i64, i64, i64)]) -> (Profile, Vec<i64>) {
        let (mut profile, mut plain) = (Profile::new(10), vec![10i64; 4 * END as usize]);
        for &(start, length, by) in changes {
            let place = profile.change(profile.place(at(start)), at(start), at(start + length), by);
            assert_eq!(place, profile.place(at(start)));
            add(&mut plain, start, start + length, by);
        }
        (profile, plain)
    }

    fn add(plain: &mut [i64], start: i64, end: i64, by: i64) {
        plain[start as usize..end as usize].iter_mut().for_each(|free| *free += by);
    }

    /// The free processors on each step that meets a time, by the seconds.
    fn heights(plain: &[i64], from: i64, to: i64) -> Vec<i64> {
        plain[from as usize..to as usize].chunk_by(|one, other| one == other).map(|same| same[0]).collect()
    }

    fn steps(profile: &Profile, range: Range<usize>) -> Vec<i64> {
        profile.steps()[range].iter().map(|step| step.free).collect()
    }

    fn changes() -> impl Strategy<Value = Vec<(i64, i64, i64)>> {
        prop::collection::vec((0i64..END, 1i64..60, prop_oneof![-3i64..0, 1i64..4]), 1..250)
    }

    proptest! {
        #[test]
        fn it_agrees_with_an_array_of_seconds(
            changes in changes(),
            queries in prop::collection::vec((0i64..20, 0i64..2 * END, 1u32..12, 1i64..50), 20),
        ) {
            let (mut profile, plain) = both(&changes);
            let mut now = 0;
            for (pause, limit, processors, span) in queries {
                now += pause;
                profile.forget(at(now));
                let wide = |time: i64| plain[time as usize] >= i64::from(processors);
                prop_assert_eq!(steps(&profile, profile.until(Time::MAX)), heights(&plain, now, 4 * END));
                if limit > now {
                    prop_assert_eq!(profile.free_at(at(limit)), plain[limit as usize]);
                    prop_assert_eq!(steps(&profile, profile.until(at(limit))), heights(&plain, now, limit));
                }
                let when = |place: Option<usize>| place.map(|place| profile.steps()[place].time);
                let before = (now..limit).rev().take_while(|&time| wide(time)).last();
                prop_assert_eq!(when(profile.free_until(at(limit), processors)), before.map(at));
                if wide(limit.max(now)) {
                    let place = profile.place(at(limit.max(now)));
                    let begin = (now..=limit.max(now)).rev().take_while(|&time| wide(time)).last().map(at);
                    let end = (limit.max(now)..4 * END).find(|&time| !wide(time)).map_or(Time::MAX, at);
                    let stretch = profile.stretch(&(place..place), i64::from(processors));
                    prop_assert_eq!(profile.span(&stretch), (begin.unwrap(), end));
                }
                let is_free = (now..now + span).all(wide);
                prop_assert_eq!(profile.is_free(processors, Span::from_units(span)), is_free);
                let fits = |start: &i64| (*start..(start + span).min(limit)).all(wide);
                let expected = (now..limit).find(fits).map(at);
                prop_assert_eq!(when(profile.earliest_before(at(limit), processors, Span::from_units(span))), expected);
            }
        }

        #[test]
        fn a_reservation_that_moves_is_taken_out_and_put_back_earlier(
            changes in changes(),
            now in 0i64..60,
            moves in prop::collection::vec((60i64..END, 1i64..80, 1u32..4, 0.0f64..1.0), 1..30),
        ) {
            let (mut profile, mut plain) = both(&changes);
            profile.forget(at(now));
            for (old, length, processors, share) in moves {
                let by = i64::from(processors);
                profile.occupy(at(old), at(old + length), processors);
                let earlier = profile.until(at(old));
                let place = earlier.start + (share * earlier.len() as f64) as usize;
                let new = profile.steps()[place].time.ticks() / 1_000_000;
                let (time, left) = profile.advance(at(old), place, processors, Span::from_units(length));
                add(&mut plain, new, new + length, -by);
                prop_assert_eq!(time, (at(old.max(new + length)), at(old + length)));
                prop_assert_eq!(steps(&profile, left), heights(&plain, old.max(new + length), old + length));
                prop_assert_eq!(steps(&profile, profile.until(Time::MAX)), heights(&plain, now, 4 * END));
            }
        }
    }
}
