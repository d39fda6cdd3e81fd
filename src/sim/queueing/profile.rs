//! The number of free processors from each instant on.

use crate::units::{Span, Time};

/// The free processors of a machine over time, as a step function.
///
/// The steps stand in a plain array along which searches walk.
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
struct ProfileStep {
    time: Time,
    free: i64,
}

/// From one instant until another.
pub(crate) type Stretch = (Time, Time);

impl Profile {
    /// A machine that is idle for ever.
    pub fn new(processors: u32) -> Self {
        Self { steps: vec![ProfileStep { time: Time::ZERO, free: i64::from(processors) }], first: 0 }
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
        self.earliest_in(processors, span, (Time::ZERO, Time::MAX), Time::MAX).unwrap_or(Time::MAX)
    }

    /// The first instant of a stretch from which on `processors` are free for `span`, or until `reserved`: from there on
    /// a job may use what it holds.
    fn earliest_in(&self, processors: u32, span: Span, (start, end): Stretch, reserved: Time) -> Option<Time> {
        let wanted = i64::from(processors);
        let steps = &self.steps[self.place(start)..];
        let last = steps.partition_point(|step| step.time < reserved.min(end));
        let mut from = 0;
        while let Some(wide) = steps.get(from..last).and_then(|steps| wide_step(steps, wanted)) {
            from += wide;
            let start = steps[from].time;
            let until = start.checked_add(span).unwrap_or(Time::MAX).min(reserved);
            match steps[from..].iter().position(|step| step.free < wanted || step.time >= until) {
                Some(after) if steps[from + after].time < until => from += after,
                _ => return Some(start),
            }
        }
        None
    }

    /// True if `processors` are free from now on for `span`.
    pub(crate) fn is_free(&self, processors: u32, span: Span) -> bool {
        let end = self.steps[self.first].time.checked_add(span).unwrap_or(Time::MAX);
        let until_end = self.steps[self.first..].iter().take_while(|step| step.time < end);
        until_end.into_iter().all(|step| step.free >= i64::from(processors))
    }

    /// How many processors are free without a break from now on: the first until the earliest time, each other until a later
    /// one and fewer, as long as there are any.
    pub(crate) fn free_from_now(&self) -> Vec<(Time, i64)> {
        let mut free_until: Vec<(Time, i64)> = Vec::new();
        for step in &self.steps[self.first..] {
            match free_until.last_mut() {
                Some((_, least)) if step.free >= *least => continue,
                Some((until, _)) => *until = step.time,
                None => {}
            }
            if step.free <= 0 {
                return free_until;
            }
            free_until.push((Time::MAX, step.free));
        }
        free_until
    }

    /// Where jobs may run that need some of `processors` which have just become free from `start` to `end`: the stretches for
    /// those on 2^k processors and more, up to the next power of two, each with its k.
    ///
    /// A job of another width gains nothing: either it could use this time before, or it can't even now.
    pub(crate) fn vacated(&self, start: Time, end: Time, processors: u32) -> Vec<(usize, Stretch)> {
        let steps = &self.steps[self.first..];
        let first = steps.partition_point(|step| step.time <= start).saturating_sub(1);
        let last = first + steps[first..].iter().take_while(|step| step.time < end).count();
        let free = || steps[first..last].iter().map(|step| step.free);
        let (least, most) = (free().min().unwrap_or(0), free().max().unwrap_or(0));
        let narrowest = (least - i64::from(processors) + 1).max(1);
        let mut stretches = Vec::new();
        if start >= end || narrowest > most {
            return stretches;
        }
        for power in narrowest.ilog2()..=most.ilog2() {
            let is_wide = |step: &&ProfileStep| step.free >= narrowest.max(1 << power);
            let mut from = first;
            while let Some(wide) = steps[from..last].iter().position(|step| is_wide(&step)) {
                from += wide;
                let before = steps[..from].iter().rev().take_while(is_wide).count();
                let after = from + steps[from..].iter().take_while(is_wide).count();
                let until = steps.get(after).map_or(Time::MAX, |step| step.time);
                stretches.push((power as usize, (steps[from - before].time, until)));
                from = after.min(last);
            }
        }
        stretches
    }

    /// True if a job that holds `processors` from `reserved` on could hold them a little earlier: so many are free right
    /// before.
    pub(crate) fn can_slide(&self, processors: u32, reserved: Time) -> bool {
        let steps = &self.steps[self.first..];
        let before = steps[..steps.partition_point(|step| step.time < reserved)].last();
        before.is_some_and(|step| step.free >= i64::from(processors))
    }

    /// True if a job that holds `processors` for `span` from `reserved` on could hold them from an instant of a stretch on
    /// that is earlier.
    pub(crate) fn has_earlier(&self, processors: u32, span: Span, reserved: Time, stretch: Stretch) -> bool {
        self.earliest_in(processors, span, stretch, reserved).is_some()
    }

    /// The step that holds at `time`; the first one for times before all.
    fn place(&self, time: Time) -> usize {
        self.first + self.steps[self.first..].partition_point(|step| step.time <= time).saturating_sub(1)
    }

    /// Adds to what is free from `start` to `end`.
    fn change(&mut self, start: Time, end: Time, by: i64) {
        let start = start.max(self.steps[self.first].time);
        if start >= end {
            return;
        }
        let (first, last) = (self.split(start), self.split(end));
        self.steps[first..last].iter_mut().for_each(|step| step.free += by);
        // The later one first, since what stands behind a step that goes moves up.
        self.level(last);
        self.level(first);
    }

    /// Lets a step begin at an instant; its place.
    fn split(&mut self, time: Time) -> usize {
        let place = self.place(time);
        if self.steps[place].time == time {
            return place;
        }
        self.steps.insert(place + 1, ProfileStep { time, ..self.steps[place] });
        place + 1
    }

    /// Drops a step that is as high as the one before.
    fn level(&mut self, place: usize) {
        if place > self.first && self.steps[place].free == self.steps[place - 1].free {
            self.steps.remove(place);
        }
    }
}

/// The first step on which so many processors are free. Few are, so they are looked at eight at a time, without a branch for
/// each: this search takes most of the time of conservative replays.
fn wide_step(steps: &[ProfileStep], wanted: i64) -> Option<usize> {
    let is_wide = |step: &ProfileStep| step.free >= wanted;
    let (eights, rest) = steps.as_chunks::<8>();
    match eights.iter().position(|eight| eight.iter().fold(false, |any, step| any | is_wide(step))) {
        Some(eight) => eights[eight].iter().position(is_wide).map(|place| 8 * eight + place),
        None => rest.iter().position(is_wide).map(|place| 8 * eights.len() + place),
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
            changes in prop::collection::vec((0i64..END, 1i64..60, prop_oneof![-3i64..0, 1i64..4]), 1..250),
            queries in prop::collection::vec((0i64..20, 0i64..2 * END, 1u32..12, 1i64..50), 20),
        ) {
            let (mut profile, mut plain) = (Profile::new(10), vec![10i64; 4 * END as usize]);
            for (start, length, by) in changes {
                profile.change(at(start), at(start + length), by);
                plain[start as usize..(start + length) as usize].iter_mut().for_each(|free| *free += by);
            }
            let mut now = 0;
            for (pause, time, processors, span) in queries {
                now += pause;
                profile.forget(at(now));
                let wide = |time: i64| plain[time as usize] >= i64::from(processors);
                let heights: Vec<i64> = plain[now as usize..].chunk_by(|one, other| one == other).map(|same| same[0]).collect();
                let steps: Vec<i64> = profile.steps[profile.first..].iter().map(|step| step.free).collect();
                prop_assert_eq!(steps, heights);
                if time > now {
                    prop_assert_eq!(profile.free_at(at(time)), plain[time as usize]);
                }
                let fits = |start: i64| (start..start + span).all(wide);
                prop_assert_eq!(profile.is_free(processors, Span::from_units(span)), fits(now));
                let free_until = profile.free_from_now();
                let free = free_until.iter().find(|(until, _)| Span::from_units(span) <= *until - at(now));
                prop_assert_eq!(free.is_some_and(|&(_, free)| free >= i64::from(processors)), fits(now));
                let expected = (now..3 * END).find(|&start| fits(start)).map_or(Time::MAX, at);
                prop_assert_eq!(profile.earliest(processors, Span::from_units(span)), expected);
                if let Some(reserved) = (time.max(now)..3 * END).find(|&start| fits(start)).map(at) {
                    let end = reserved + Span::from_units(span);
                    profile.occupy(reserved, end, processors);
                    let everywhere = (Time::ZERO, Time::MAX);
                    let has_earlier = profile.has_earlier(processors, Span::from_units(span), reserved, everywhere);
                    profile.release(reserved, end, processors);
                    prop_assert_eq!(has_earlier, expected < reserved);
                }
            }
        }

        #[test]
        fn a_reservation_can_move_only_into_vacated_time(
            changes in prop::collection::vec((0i64..END, 1i64..60, prop_oneof![-3i64..0, 1i64..3]), 1..100),
            jobs in prop::collection::vec((1u32..10, 1i64..50), 1..20),
            (start, length, by) in (0i64..END, 1i64..60, 1u32..6),
        ) {
            let mut profile = Profile::new(10);
            changes.into_iter().for_each(|(start, length, by)| profile.change(at(start), at(start + length), by));
            let jobs: Vec<_> = jobs.into_iter().map(|(processors, span)| {
                let span = Span::from_units(span);
                let reserved = profile.earliest(processors, span);
                profile.occupy(reserved, reserved + span, processors);
                (processors, span, reserved)
            }).collect();
            profile.release(at(start), at(start + length), by);
            let vacated = profile.vacated(at(start), at(start + length), by);
            for (processors, span, reserved) in jobs {
                let mut fits = vacated.iter().filter(|(power, _)| *power == processors.ilog2() as usize);
                let may_move = profile.can_slide(processors, reserved)
                    || fits.any(|&(_, stretch)| profile.has_earlier(processors, span, reserved, stretch));
                prop_assert_eq!(may_move, profile.has_earlier(processors, span, reserved, (Time::ZERO, Time::MAX)));
            }
        }
    }
}
