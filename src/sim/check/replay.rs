//! The laws of a replayed schedule.

use super::{Verdict, Violation, verdict};
use crate::queueing::{Order, Queue, QueueRule, RigidJob};
use crate::sim::ReplayPlacement;
use crate::units::Time;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// Faults of one kind beyond this many are not listed.
const LISTED: usize = 5;

/// Judges a schedule of jobs, given in order of submission, on a machine of `nodes` processors.
///
/// Every job runs, once, for its runtime, not before its submission; never are more processors in use than there are;
/// first come first served starts in the order of submission, or of the queue if that is another, and so does any rule where
/// all jobs of a log are equally wide and stand in that order; and where all jobs keep to their estimates, no job starts later
/// than its first reservation promised, if it was told.
pub fn check_replay(
    jobs: &[RigidJob],
    nodes: u32,
    queue: impl Into<Queue>,
    placements: &[Option<ReplayPlacement>],
) -> Verdict {
    judge(jobs, nodes, Some(queue.into()), placements)
}

/// The same by the laws that hold for any queue.
pub fn check_any_replay(jobs: &[RigidJob], nodes: u32, placements: &[Option<ReplayPlacement>]) -> Verdict {
    judge(jobs, nodes, None, placements)
}

fn judge(jobs: &[RigidJob], nodes: u32, queue: Option<Queue>, placements: &[Option<ReplayPlacement>]) -> Verdict {
    let mut broken = Vec::new();
    if placements.len() != jobs.len() {
        broken.push(format!("{} placements for {} jobs", placements.len(), jobs.len()));
    }
    let keep_estimates = jobs.iter().all(|job| job.runtime <= job.estimate);
    // Where one has no room, none of the same width has.
    let are_alike = jobs.windows(2).all(|pair| pair[0].processors == pair[1].processors);
    let keeps_order = |queue: Queue| queue.order() == Order::Arrival && (are_alike || queue.rule() == QueueRule::Fcfs);
    let keeps_order = queue.is_some_and(keeps_order);
    let mut previous = Time::ZERO;
    for (number, (job, placement)) in jobs.iter().zip(placements).enumerate() {
        let Some(placement) = placement else {
            broken.push(format!("job {number} never starts"));
            continue;
        };
        let ReplayPlacement { start, finish, promised } = *placement;
        if start < job.submit {
            broken.push(format!("job {number} starts at {start}, before its submission at {}", job.submit));
        }
        if job.runtime.checked_add(start - Time::ZERO).map(|end| Time::ZERO + end) != Ok(finish) {
            broken.push(format!("job {number} runs from {start} to {finish}, not for {}", job.runtime));
        }
        if keeps_order && start < previous {
            broken.push(format!("job {number} starts at {start}, before an earlier one at {previous}"));
        }
        if let Some(promised) = promised.filter(|&promised| keep_estimates && start > promised) {
            broken.push(format!("job {number} starts at {start}, later than promised ({promised})"));
        }
        previous = previous.max(start);
    }
    if let Some(queue) = queue.filter(|queue| queue.rule() == QueueRule::Fcfs && queue.order() != Order::Arrival) {
        find_overtakers(jobs, queue.order(), placements, &mut broken);
    }
    find_excess(jobs, nodes, placements, &mut broken);
    let more = broken.len().saturating_sub(LISTED);
    broken.truncate(LISTED);
    if more > 0 {
        broken.push(format!("and {more} more"));
    }
    verdict(broken.into_iter().map(Violation).collect())
}

/// Never are more processors in use than there are.
fn find_excess(jobs: &[RigidJob], nodes: u32, placements: &[Option<ReplayPlacement>], broken: &mut Vec<String>) {
    let placed = |number: u32| placements[number as usize].as_ref();
    let all = 0..jobs.len().min(placements.len()) as u32;
    // In the order of starts, by number: a log may have millions of jobs.
    let mut order: Vec<u32> = all.filter(|&number| placed(number).is_some()).collect();
    order.sort_unstable_by_key(|&number| placed(number).map(|placement| placement.start));
    let mut used = 0u64;
    let mut ends: BinaryHeap<Reverse<(Time, u32)>> = BinaryHeap::new();
    for number in order {
        let (Some(placement), processors) = (placed(number), jobs[number as usize].processors) else { continue };
        // At one instant ends come first.
        while let Some(&Reverse((end, ended))) = ends.peek()
            && end <= placement.start
        {
            used -= u64::from(ended);
            ends.pop();
        }
        used += u64::from(processors);
        ends.push(Reverse((placement.finish, processors)));
        if used > u64::from(nodes) {
            broken.push(format!("{used} of {nodes} processors are in use at {}", placement.start));
        }
    }
}

/// No job starts while someone waits who stands before it in the queue.
fn find_overtakers(jobs: &[RigidJob], order: Order, placements: &[Option<ReplayPlacement>], broken: &mut Vec<String>) {
    let place = |number: usize| match order {
        Order::Shortest => (jobs[number].estimate.ticks(), number),
        Order::Largest => (-i64::from(jobs[number].processors), number),
        _ => (0, number),
    };
    let start = |number: usize| placements.get(number).copied().flatten().map(|placement| placement.start);
    let mut numbers: Vec<usize> = (0..jobs.len()).filter(|&number| start(number).is_some()).collect();
    numbers.sort_unstable_by_key(|&number| start(number));
    let mut submitted = 0;
    let mut waiting = BTreeSet::new();
    for group in numbers.chunk_by(|&one, &other| start(one) == start(other)) {
        while submitted < jobs.len() && Some(jobs[submitted].submit) < start(group[0]) {
            waiting.insert(place(submitted));
            submitted += 1;
        }
        for &number in group {
            waiting.remove(&place(number));
        }
        for &number in group {
            if let Some(&(_, first)) = waiting.first().filter(|&&first| first < place(number)) {
                broken.push(format!("job {number} starts while job {first} waits, which stands before it"));
            }
        }
        // A job that came at this very instant and has started is not waiting.
        while submitted < jobs.len() && Some(jobs[submitted].submit) == start(group[0]) {
            if start(submitted) != start(group[0]) {
                waiting.insert(place(submitted));
            }
            submitted += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Span;

    fn at(units: i64) -> Time {
        Time::from_units(units)
    }

    /// The violations found in three jobs of ten seconds on four processors; the first two are wide.
    fn said(queue: impl Into<Queue>, places: [(i64, i64, Option<i64>); 3]) -> Vec<String> {
        said_of([3, 3, 1], queue, places)
    }

    /// The same of jobs of these widths.
    fn said_of(widths: [u32; 3], queue: impl Into<Queue>, places: [(i64, i64, Option<i64>); 3]) -> Vec<String> {
        let job = |submit, processors| {
            let span = Span::from_units(10);
            RigidJob { submit: at(submit), processors, estimate: span, runtime: span }
        };
        let placement = |(start, finish, promised): (i64, i64, Option<i64>)| {
            Some(ReplayPlacement { start: at(start), finish: at(finish), promised: promised.map(at) })
        };
        let jobs = [job(0, widths[0]), job(1, widths[1]), job(2, widths[2])];
        match check_replay(&jobs, 4, queue, &places.map(placement)) {
            Ok(()) => Vec::new(),
            Err(broken) => broken.0.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn each_law_is_seen() {
        let good = [(0, 10, None), (10, 20, Some(10)), (2, 12, None)];
        assert_eq!(said(QueueRule::Easy, good), [""; 0]);
        assert_eq!(said(QueueRule::Fcfs, good), ["job 2 starts at 2, before an earlier one at 10"]);
        let largest = Queue::new(QueueRule::Fcfs, Order::Largest).unwrap();
        let overtaken = ["job 2 starts while job 1 waits, which stands before it"];
        assert_eq!(said(largest, good), overtaken);
        assert_eq!(said(largest, [(0, 10, None), (10, 20, None), (10, 20, None)]), [""; 0]);
        let law = |place: usize, placement| {
            let mut places = good;
            places[place] = placement;
            said(QueueRule::Easy, places)
        };
        assert_eq!(law(2, (1, 11, None)), ["job 2 starts at 1, before its submission at 2"]);
        assert_eq!(law(2, (2, 11, None)), ["job 2 runs from 2 to 11, not for 10"]);
        assert_eq!(law(1, (11, 21, Some(10))), ["job 1 starts at 11, later than promised (10)"]);
        assert_eq!(law(1, (9, 19, None)), ["7 of 4 processors are in use at 9"]);
        let out_of_order = ["job 2 starts at 2, before an earlier one at 10"];
        for rule in QueueRule::ALL {
            assert_eq!(said_of([2; 3], rule, good), out_of_order, "{rule:?}");
        }
        let shortest = Queue::new(QueueRule::Easy, Order::Shortest).unwrap();
        assert_eq!(said_of([2; 3], shortest, good), [""; 0]);
        let missing = check_replay(&[], 4, QueueRule::Easy, &[None]);
        assert!(missing.unwrap_err().to_string().contains("1 placements for 0 jobs"));
    }
}
