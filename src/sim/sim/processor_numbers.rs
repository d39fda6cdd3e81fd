//! Which processors a job might have had, where only their number is known.

use crate::units::Time;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// A job that ran: on how many processors, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ran {
    /// Its number.
    pub job: i64,
    /// How many processors it had.
    pub processors: u32,
    /// When it began.
    pub start: Time,
    /// When it ended.
    pub end: Time,
}

/// The processors of every job, in order of start, as far as they are among its first `most`: a job takes the lowest
/// numbers that are free then.
pub fn processors_by_start(mut jobs: Vec<Ran>, most: u64) -> Vec<(Ran, Vec<ProcessorRange>)> {
    jobs.sort_by_key(|ran| ran.start);
    let mut processors = Processors::default();
    jobs.into_iter().map(|ran| (ran, processors.take(ran, most))).collect()
}

/// The processors of every job, as ranges such as `0-3 7`: of those that are free when it starts, the lowest numbers. `job`
/// is the place of a job in the list.
pub(super) fn numbers_by_job(jobs: Vec<Ran>) -> Vec<String> {
    let mut numbers = vec![String::new(); jobs.len()];
    for (ran, ranges) in processors_by_start(jobs, u64::MAX) {
        let range = |&(first, last): &ProcessorRange| match first == last {
            true => first.to_string(),
            false => format!("{first}-{last}"),
        };
        if let Some(place) = usize::try_from(ran.job).ok().and_then(|job| numbers.get_mut(job)) {
            *place = ranges.iter().map(range).collect::<Vec<_>>().join(" ");
        }
    }
    numbers
}

/// The first and the last of some neighbouring processors.
pub type ProcessorRange = (u64, u64);

/// The state of the processors: in use, free again, or never used. Jobs may be far too wide to list each of theirs.
#[derive(Debug, Default)]
struct Processors {
    /// Those in use, job by job, by the end of use.
    busy: BinaryHeap<Reverse<(Time, Vec<ProcessorRange>)>>,
    /// Those that were used and are free again: the last of each range by its first.
    free: BTreeMap<u64, u64>,
    /// The lowest that was never used.
    fresh: u64,
}

impl Processors {
    /// The lowest numbers that are free when a job starts, in order; for so many of its processors at most.
    fn take(&mut self, ran: Ran, most: u64) -> Vec<ProcessorRange> {
        while self.busy.peek().is_some_and(|Reverse((end, _))| *end <= ran.start)
            && let Some(Reverse((_, again))) = self.busy.pop()
        {
            again.into_iter().for_each(|range| self.give_back(range));
        }
        let mut wanted = most.min(ran.processors.into());
        let mut taken: Vec<ProcessorRange> = Vec::new();
        while wanted > 0
            && let Some((first, last)) = self.free.pop_first()
        {
            let until = last.min(first + wanted - 1);
            taken.push((first, until));
            wanted -= until + 1 - first;
            if until < last {
                self.free.insert(until + 1, last);
            }
        }
        if wanted > 0 {
            let first = self.fresh;
            self.fresh += wanted;
            match taken.last_mut().filter(|(_, last)| last + 1 == first) {
                Some((_, last)) => *last = self.fresh - 1,
                None => taken.push((first, self.fresh - 1)),
            }
        }
        self.busy.push(Reverse((ran.end, taken.clone())));
        taken
    }

    fn give_back(&mut self, (mut first, mut last): ProcessorRange) {
        if let Some((&before, &end)) = self.free.range(..first).next_back()
            && end + 1 == first
        {
            first = before;
        }
        if let Some(end) = self.free.remove(&(last + 1)) {
            last = end;
        }
        self.free.insert(first, last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A job on one of its processors.
    struct ProcessorUse {
        job: i64,
        node: usize,
        start: i64,
        end: i64,
    }

    fn bars(jobs: &[(u32, i64, i64)]) -> Vec<ProcessorUse> {
        let at = Time::from_units;
        let ran = jobs.iter().enumerate().map(|(job, &(processors, start, length))| Ran {
            job: job as i64,
            processors,
            start: at(start),
            end: at(start + length),
        });
        let units = |time: Time| time.as_f64() as i64;
        let all = processors_by_start(ran.collect(), 1000).into_iter();
        let numbers = all.flat_map(|(ran, ranges)| {
            let each = ranges.into_iter().flat_map(|(first, last)| first..=last);
            each.map(move |node| (ran, node as usize)).collect::<Vec<_>>()
        });
        let bar = |(ran, node): (Ran, usize)| ProcessorUse {
            job: ran.job,
            node,
            start: units(ran.start),
            end: units(ran.end),
        };
        numbers.map(bar).collect()
    }

    #[test]
    fn a_job_of_any_width_has_its_numbers() {
        let ran = |job, processors, start, end| Ran {
            job,
            processors,
            start: Time::from_units(start),
            end: Time::from_units(end),
        };
        let jobs = vec![ran(0, 900_000_000, 0, 10), ran(1, 3, 1, 20), ran(2, 900_000_001, 10, 30), ran(3, 1, 20, 30)];
        let numbers = ["0-899999999", "900000000-900000002", "0-899999999 900000003", "900000000"];
        assert_eq!(numbers_by_job(jobs), numbers);
    }

    #[test]
    fn a_job_takes_the_lowest_free_processors() {
        let places: Vec<(String, usize)> = bars(&[(2, 0, 10), (1, 0, 5), (2, 5, 5), (3, 10, 1)])
            .into_iter()
            .map(|bar| (bar.job.to_string(), bar.node))
            .collect();
        let expected = [("0", 0), ("0", 1), ("1", 2), ("2", 2), ("2", 3), ("3", 0), ("3", 1), ("3", 2)];
        assert_eq!(places, expected.map(|(job, node)| (job.to_string(), node)));
    }

    proptest! {
        #[test]
        fn no_processor_serves_two_jobs_at_once_and_none_more_than_needed_are_used(
            jobs in prop::collection::vec((1u32..5, 0i64..30, 1i64..15), 0..25)
        ) {
            let bars = bars(&jobs);
            for (index, &(processors, start, length)) in jobs.iter().enumerate() {
                let own: Vec<&ProcessorUse> = bars.iter().filter(|bar| bar.job == index as i64).collect();
                prop_assert_eq!(own.len(), processors as usize);
                prop_assert!(own.iter().all(|bar| (bar.start, bar.end) == (start, start + length)));
            }
            for (k, a) in bars.iter().enumerate() {
                let earlier = &bars[..k];
                prop_assert!(earlier.iter().all(|b| a.node != b.node || a.end <= b.start || b.end <= a.start));
                let is_taken = |node: usize| earlier.iter().any(|b| b.node == node && b.end > a.start);
                prop_assert!((0..a.node).all(is_taken), "a lower number is free");
            }
            let in_use = |t: i64| -> u32 { jobs.iter().filter(|job| job.1 <= t && t < job.1 + job.2).map(|job| job.0).sum() };
            let most = (0..45).map(in_use).max().unwrap_or(0);
            prop_assert_eq!(bars.iter().map(|bar| bar.node + 1).max().unwrap_or(0), most as usize);
        }
    }
}
