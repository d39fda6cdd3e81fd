//! What stays on the dummy resource.

use crate::broker::Board;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// What is counted of the jobs that stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Measure {
    /// All their tasks.
    Tasks,
    /// How many jobs of so many tasks they are.
    Jobs(u32),
}

/// The dummy in one part of all plans: who may stay there, and how many.
///
/// It has room for all, but splitting plans by how many stay makes bounds far better: a fractional plan leaves out a small part of a
/// job where a plan has to leave out a whole one.
#[derive(Debug, Clone)]
pub(super) struct Dummy {
    /// By job: whether it may stay.
    may_stay: Vec<bool>,
    /// How many may; any number of what is not in the list.
    ranges: BTreeMap<Measure, RangeInclusive<u32>>,
}

impl Dummy {
    pub(super) fn new(may_stay: Vec<bool>, ranges: BTreeMap<Measure, RangeInclusive<u32>>) -> Self {
        Self { may_stay, ranges }
    }

    /// Whether `job` may stay.
    pub(super) fn may_stay(&self, job: usize) -> bool {
        self.may_stay[job]
    }

    /// Whether any number may stay.
    pub(super) fn is_open(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Whether `job` may stay whatever the others do.
    pub(super) fn is_free(&self, job: usize) -> bool {
        self.is_open() && self.may_stay[job]
    }

    /// Whether both at most `most` and more than that may stay, as far as ranges go.
    pub(super) fn can_split(&self, measure: Measure, most: u32) -> bool {
        self.ranges.get(&measure).is_none_or(|range| *range.start() <= most && most < *range.end())
    }

    /// Whether just these jobs may stay.
    pub(super) fn allows(&self, board: &Board, jobs: &[usize]) -> bool {
        let count = |measure: Measure| match measure {
            Measure::Tasks => jobs.iter().map(|&job| board.tasks(job)).sum(),
            Measure::Jobs(tasks) => jobs.iter().filter(|&&job| board.tasks(job) == tasks).count() as u32,
        };
        let is_allowed = |(&measure, range): (&Measure, &RangeInclusive<u32>)| range.contains(&count(measure));
        jobs.iter().all(|&job| self.may_stay[job]) && self.ranges.iter().all(is_allowed)
    }

    /// The jobs that may stay, by number of tasks; with all numbers that there is a range for.
    fn classes(&self, board: &Board) -> BTreeMap<u32, Vec<usize>> {
        let ranged = self.ranges.keys().filter_map(|measure| match measure {
            Measure::Jobs(tasks) => Some((*tasks, Vec::new())),
            Measure::Tasks => None,
        });
        let mut classes: BTreeMap<u32, Vec<usize>> = ranged.collect();
        for job in (0..self.may_stay.len()).filter(|&job| self.may_stay[job]) {
            classes.entry(board.tasks(job)).or_default().push(job);
        }
        classes
    }

    /// How many jobs of a class may stay.
    fn counts(&self, tasks: u32, jobs: usize) -> RangeInclusive<usize> {
        let range = self.ranges.get(&Measure::Jobs(tasks)).cloned().unwrap_or(0..=u32::MAX);
        *range.start() as usize..=jobs.min(*range.end() as usize)
    }

    /// The most profit from jobs that stay, below 0 if some have to, and the least number if none can; tells `pack` which.
    pub(super) fn fill(&self, board: &Board, profit: impl Fn(usize) -> i64, mut pack: impl FnMut(usize)) -> i64 {
        if self.is_open() {
            let gain = |job: usize| Some(profit(job)).filter(|&profit| profit > 0).inspect(|_| pack(job));
            return (0..self.may_stay.len()).filter(|&job| self.may_stay[job]).filter_map(gain).sum();
        }
        let mut classes: Vec<(u32, Vec<usize>)> = self.classes(board).into_iter().collect();
        let most: u32 = classes.iter().map(|(tasks, jobs)| tasks * jobs.len() as u32).sum();
        let range = self.ranges.get(&Measure::Tasks).cloned().unwrap_or(0..=most);
        let width = most.min(*range.end()) as usize + 1;
        // By number of tasks that stay: the most profit, if they can be so many; and how many jobs of each class give it.
        let mut best: Vec<Option<i64>> = vec![None; width];
        best[0] = Some(0);
        let mut chosen = Vec::new();
        for (tasks, jobs) in &mut classes {
            // Of jobs of one size, those with the highest profits.
            jobs.sort_by_key(|&job| std::cmp::Reverse(profit(job)));
            let counts = self.counts(*tasks, jobs.len());
            let mut next = vec![None; width];
            let mut choice = vec![0; width];
            let mut gain = 0;
            for count in 0..=*counts.end() {
                gain += if count > 0 { profit(jobs[count - 1]) } else { 0 };
                if !counts.contains(&count) {
                    continue;
                }
                let weight = count * *tasks as usize;
                for used in weight..width {
                    let with = best[used - weight].map(|without| without + gain);
                    if with > next[used] {
                        (next[used], choice[used]) = (with, count);
                    }
                }
            }
            best = next;
            chosen.push(choice);
        }
        let within = (*range.start() as usize..width).filter_map(|used| best[used].map(|value| (value, used)));
        let Some((value, mut used)) = within.max() else { return i64::MIN };
        for ((tasks, jobs), choice) in classes.iter().zip(&chosen).rev() {
            let count = choice[used];
            jobs[..count].iter().for_each(|&job| pack(job));
            used -= count * *tasks as usize;
        }
        value
    }

    /// The largest number of tasks up to `most` that can stay.
    pub(super) fn reachable(&self, board: &Board, most: u32) -> u32 {
        let mut can = vec![false; most as usize + 1];
        can[0] = true;
        for job in (0..self.may_stay.len()).filter(|&job| self.may_stay[job]) {
            let weight = board.tasks(job) as usize;
            for used in (weight..can.len()).rev() {
                can[used] |= can[used - weight];
            }
        }
        (0..=most).rev().find(|&used| can[used as usize]).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broker::tests::{Case, with_board};
    use proptest::prelude::*;

    /// One job with its number of tasks, whether it may stay, and what that would bring.
    fn jobs() -> impl Strategy<Value = Vec<(u32, bool, i64)>> {
        prop::collection::vec((1u32..4, prop::bool::weighted(0.8), -20i64..20), 1..8)
    }

    proptest! {
        #[test]
        fn no_set_of_jobs_that_may_stay_brings_more(
            jobs in jobs(),
            tasks in prop::option::of((0u32..8, 0u32..8)),
            pairs in prop::option::of((0u32..3, 0u32..3)),
        ) {
            let case = Case { resources: vec![], jobs: jobs.iter().map(|&(tasks, ..)| (tasks, 50, 1000, 60)).collect() };
            with_board(&case, |board| {
                let measures = [(Measure::Tasks, tasks), (Measure::Jobs(2), pairs)];
                let ranges = measures.into_iter().filter_map(|(measure, range)| Some((measure, range?)));
                let ranges: BTreeMap<_, _> = ranges.map(|(measure, (low, more))| (measure, low..=low + more)).collect();
                let dummy = Dummy::new(jobs.iter().map(|job| job.1).collect(), ranges);
                let mut packed = Vec::new();
                let value = dummy.fill(board, |job| jobs[job].2, |job| packed.push(job));
                let profit = |set: &[usize]| set.iter().map(|&job| jobs[job].2).sum::<i64>();
                let set = |mask: u32| (0..jobs.len()).filter(|job| mask >> job & 1 == 1).collect::<Vec<usize>>();
                let sets = (0..1u32 << jobs.len()).map(set).filter(|set| dummy.allows(board, set));
                assert_eq!(sets.map(|set| profit(&set)).max().unwrap_or(i64::MIN), value);
                if value != i64::MIN {
                    assert!(dummy.allows(board, &packed));
                    assert_eq!(profit(&packed), value);
                }
            });
        }
    }

    #[test]
    fn the_next_lower_number_is_one_that_jobs_add_up_to() {
        let case = Case { resources: vec![], jobs: [3, 3, 7].map(|tasks| (tasks, 50, 1000, 60)).to_vec() };
        with_board(&case, |board| {
            let dummy = Dummy::new(vec![true, true, false], BTreeMap::new());
            assert_eq!([0, 2, 3, 5, 6, 9].map(|most| dummy.reachable(board, most)), [0, 0, 3, 3, 6, 6]);
        });
    }
}
