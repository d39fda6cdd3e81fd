//! The profile against sums over all who run or hold reservations.

use super::*;
use proptest::prelude::*;

const END: usize = 4000;
const PROCESSORS: u32 = 10;

fn at(units: i64) -> Time {
    Time::from_units(units)
}

fn units(time: Time) -> usize {
    (time - Time::ZERO).ticks() as usize / Span::from_units(1).ticks() as usize
}

/// The free processors by the second, by adding up all who run or hold reservations.
struct Plain {
    running: Vec<(i64, u32)>,
    reserved: Vec<(QueuedJob, Time)>,
}

impl Plain {
    fn free(&self, now: i64, time: usize) -> i64 {
        let running = self.running.iter().filter(|(end, _)| now <= time as i64 && (time as i64) < *end);
        let taken: i64 = running.map(|&(_, processors)| i64::from(processors)).sum();
        let holds = |(job, start): &&(QueuedJob, Time)| units(*start) <= time && time < units(*start + job.estimate);
        let reserved: i64 = self.reserved.iter().filter(holds).map(|(job, _)| i64::from(job.processors)).sum();
        i64::from(PROCESSORS) - taken - reserved
    }
}

/// The profile is that of the plain sums, nobody is missing at a step, and every step is linked with its neighbours.
fn assert_same(profile: &ReservedProfile, plain: &Plain, now: i64) {
    let steps: Vec<StepId> = std::iter::successors(Some(profile.head()), |&step| profile.next(step)).collect();
    assert_eq!(profile.time(steps[0]), at(now));
    for pair in steps.windows(2) {
        assert!(profile.time(pair[0]) < profile.time(pair[1]));
        assert_eq!(profile.before(pair[1]), Some(pair[0]));
    }
    let mut ahead = profile.steps_ahead().peekable();
    while let Some((time, free)) = ahead.next() {
        let until = ahead.peek().map_or(END, |&(next, _)| units(next));
        assert!((units(time)..until).all(|second| plain.free(now, second) == free), "from {time}");
    }
    let mut expected: Vec<(Time, u32)> = plain.reserved.iter().map(|&(job, start)| (start, job.id)).collect();
    expected.sort_unstable();
    let starts = |&step: &StepId| profile.starting_at(step).map(move |id| (profile.time(step), id)).collect::<Vec<_>>();
    assert_eq!(steps.iter().flat_map(starts).collect::<Vec<_>>(), expected);
    assert_eq!(profile.first_start(), expected.first().map(|&(start, _)| start));
    assert_eq!(profile.waiting().count(), expected.len());
}

proptest! {
    #[test]
    fn it_agrees_with_sums_over_all_who_run_or_wait(
        doings in prop::collection::vec((0u8..6, 1u32..=PROCESSORS, 1i64..30, 0usize..12), 1..80),
    ) {
        let mut profile = ReservedProfile::new(PROCESSORS);
        let mut plain = Plain { running: Vec::new(), reserved: Vec::new() };
        let (mut now, mut ids) = (0, 0u32..);
        for (what, processors, length, who) in doings {
            let chosen = who % plain.reserved.len().max(1);
            match (what, plain.reserved.get(chosen).copied()) {
                // Somebody comes, and gets the earliest place, which is told before.
                (0 | 1, _) | (_, None) => {
                    let job = QueuedJob { id: ids.next().unwrap(), processors, estimate: Span::from_units(length) };
                    let is_free = |start: &i64| {
                        (*start..start + length).all(|second| plain.free(now, second as usize) >= i64::from(processors))
                    };
                    let expected = at((now..END as i64).find(is_free).unwrap());
                    prop_assert_eq!(profile.earliest(processors, job.estimate), expected);
                    if what == 0 {
                        prop_assert_eq!(profile.reserve(job), expected);
                    } else {
                        profile.reserve_at(job, expected, plain.reserved.last().map(|(job, _)| job.id));
                    }
                    plain.reserved.push((job, expected));
                }
                // Somebody slides forward as far as may be.
                (2, Some((job, start))) => {
                    let wanted = i64::from(job.processors);
                    let is_free = |second: &i64| plain.free(now, *second as usize) >= wanted;
                    let slid = (now..units(start) as i64).rev().take_while(is_free).last().map(at);
                    let place = profile.slide(job.id);
                    prop_assert_eq!(place.map(|step| profile.time(step)), slid);
                    if let (Some(place), Some(slid)) = (place, slid) {
                        let vacated = profile.advance(job.id, place);
                        plain.reserved[chosen].1 = slid;
                        prop_assert_eq!(vacated.end, start + job.estimate);
                        let left = start.max(slid + job.estimate);
                        prop_assert!(profile.time(vacated.first) <= left && left < profile.until(vacated.first));
                    }
                }
                // Somebody moves to any step from which on there is room, perhaps far before.
                (3, Some((job, start))) => {
                    let others = |second: usize| {
                        let own = units(start) <= second && second < units(start + job.estimate);
                        plain.free(now, second) + if own { i64::from(job.processors) } else { 0 }
                    };
                    let steps = std::iter::successors(Some(profile.head()), |&step| profile.next(step));
                    let fits = |&step: &StepId| {
                        let begin = units(profile.time(step));
                        let end = begin + job.estimate.ticks() as usize / Span::from_units(1).ticks() as usize;
                        begin < units(start) && (begin..end).all(|second| others(second) >= i64::from(job.processors))
                    };
                    let place = { steps }.find(fits);
                    if let Some(place) = place {
                        plain.reserved[chosen].1 = profile.time(place);
                        profile.advance(job.id, place);
                    }
                }
                // All reservations are made again.
                (4, _) => {
                    let waiting: Vec<u32> = profile.waiting().collect();
                    waiting.iter().for_each(|&id| profile.withdraw(id));
                    for id in waiting {
                        let start = profile.reserve_again(id);
                        plain.reserved.iter_mut().filter(|(job, _)| job.id == id).for_each(|held| held.1 = start);
                    }
                }
                // Time passes to the next start, and somebody who starts then runs for less than was expected.
                (_, Some(_)) => {
                    let next = profile.first_start().unwrap();
                    now = units(next) as i64;
                    profile.forget(next);
                    let id = profile.first_at(profile.head()).unwrap();
                    let job = profile.reservation(id).job;
                    profile.start(id);
                    plain.reserved.retain(|(other, _)| other.id != id);
                    let end = next + job.estimate;
                    plain.running.retain(|&(end, _)| end > now);
                    plain.running.push((units(end) as i64, job.processors));
                    assert_same(&profile, &plain, now);
                    let early = now + length.min(units(end) as i64 - now);
                    profile.release(at(early), end, job.processors);
                    plain.running.last_mut().unwrap().0 = early;
                }
            }
            assert_same(&profile, &plain, now);
        }
    }
}
