//! Why a job has no plan: the first of a few causes that holds, with the task that is concerned.
//!
//! The first three are facts of the job and its nodes, whatever the method. The others say how far a method came.

use super::calendar::Calendar;
use super::relaxed::{Relaxed, earliest_finish};
use super::{Failure, PlanProblem, Shortcoming};
use crate::model::TaskId;
use crate::units::{Span, Time};

/// A cause for which a job has no plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoPlanCause {
    /// The longest chain exceeds the interval even on the fastest nodes without owners.
    NoTime,
    /// A task is longer than every idle slot on every node.
    NoSlot,
    /// Owners or earlier jobs leave too little, even if no other task of the job took any time.
    NodesTaken,
    /// A chain found no place among the other chains of the job.
    Collisions,
    /// The earliest plan that was found ends after the deadline.
    FoundLate,
    /// All plans were tried.
    AllTried,
    /// An exact search reached its limit first, so that there may be a plan.
    GivenUp,
}

impl NoPlanCause {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::NoTime,
        Self::NoSlot,
        Self::NodesTaken,
        Self::Collisions,
        Self::FoundLate,
        Self::AllTried,
        Self::GivenUp,
    ];

    /// The name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoTime => "no time",
            Self::NoSlot => "no slot long enough",
            Self::NodesTaken => "nodes taken by others",
            Self::Collisions => "collisions unresolved",
            Self::FoundLate => "earliest found is late",
            Self::AllTried => "all were tried",
            Self::GivenUp => "given up",
        }
    }
}

/// Why a job has no plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhyNoPlan {
    /// The cause.
    pub cause: NoPlanCause,
    /// The task that is concerned, where there is one.
    pub task: Option<TaskId>,
    /// The same in a sentence.
    pub text: String,
}

impl WhyNoPlan {
    /// An exact search was given up.
    pub fn given_up() -> Self {
        Self { cause: NoPlanCause::GivenUp, task: None, text: "given up at the limit of partial plans".into() }
    }
}

/// Says why a job that a method has no plan for has none; `reason` is the method's own, and nothing if it tried
/// everything.
///
/// Times are told in the scenario's `unit`.
pub fn why_no_plan(problem: &PlanProblem<'_>, reason: Option<Shortcoming>, unit: &str) -> Result<WhyNoPlan, Failure> {
    problem.check_range()?;
    let told = |value: f64| in_unit(value, unit);
    let name = |task: TaskId| problem.dag.tasks()[task.index()].name.as_str();
    let because = |cause, task, text| Ok(WhyNoPlan { cause, task, text });
    let interval = problem.deadline - problem.release;
    if let Some((end, task)) = unhindered(problem)
        && end > problem.deadline
    {
        let length = end - problem.release;
        let text = format!(
            "no time: the chain that ends with task \"{}\" takes {} on the fastest nodes, {} more than the interval of {}",
            name(task),
            told(length.as_f64()),
            four_digits((length - interval).as_f64()),
            four_digits(interval.as_f64())
        );
        return because(NoPlanCause::NoTime, Some(task), text);
    }
    if let Some((task, longest)) = without_slot(problem) {
        let text = format!(
            "no slot is long enough: task \"{}\" takes {} on the fastest nodes, and the longest idle slot of all \
             nodes is {}",
            name(task),
            told(problem.estimates.best(task).as_f64()),
            told(longest.as_f64())
        );
        return because(NoPlanCause::NoSlot, Some(task), text);
    }
    let relaxed = Relaxed::of(problem)?;
    if let Some((earliest, task)) = earliest_finish(&relaxed.problem(problem))
        && earliest > problem.deadline
    {
        let text = format!(
            "nodes are taken by others: even without the job's other tasks, \"{}\" ends at {} at the earliest, \
             {} after the deadline of {}",
            name(task),
            four_digits(earliest.as_f64()),
            told((earliest - problem.deadline).as_f64()),
            four_digits(problem.deadline.as_f64())
        );
        return because(NoPlanCause::NodesTaken, Some(task), text);
    }
    let Some(reason) = reason else {
        return because(NoPlanCause::AllTried, None, "no plan exists: all were tried".into());
    };
    let text = reason.describe(problem.dag, unit);
    match reason {
        Shortcoming::Chain { task, .. } => because(NoPlanCause::Collisions, Some(task), text),
        Shortcoming::Late { task, .. } => because(NoPlanCause::FoundLate, Some(task), text),
        Shortcoming::Impossible { task, .. } => because(NoPlanCause::NodesTaken, Some(task), text),
        Shortcoming::NoNode => because(NoPlanCause::NoSlot, None, text),
    }
}

/// A number of units, in the singular if it is one.
pub fn in_unit(value: f64, unit: &str) -> String {
    let number = four_digits(value);
    // Units are named in the plural; one of up to three letters, such as `ms`, is an abbreviation.
    let singular = unit.strip_suffix('s').filter(|_| number == "1" && unit.len() > 3);
    format!("{number} {}", singular.unwrap_or(unit))
}

/// A number with at most four significant digits; whole numbers keep all of theirs.
pub fn four_digits(value: f64) -> String {
    let leading = format!("{value:.3e}").rsplit_once('e').and_then(|(_, power)| power.parse::<i32>().ok()).unwrap_or(0);
    let text = format!("{value:.*}", usize::try_from(3 - leading).unwrap_or(0));
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    text.to_string()
}

/// When the job ends on the fastest nodes if nothing is in its way, and with which task.
fn unhindered(problem: &PlanProblem<'_>) -> Option<(Time, TaskId)> {
    let mut ready = vec![problem.release; problem.dag.tasks().len()];
    let mut last = None;
    for &task in problem.dag.order() {
        let end = ready[task.index()] + problem.estimates.best(task);
        for edge in problem.dag.successors(task) {
            let there = &mut ready[edge.to.index()];
            *there = (*there).max(end + problem.transfers.least(edge.transfer));
        }
        last = last.max(Some((end, task)));
    }
    last
}

/// The longest task that no idle slot of any node can hold, if there is one, and the longest slot of all.
fn without_slot(problem: &PlanProblem<'_>) -> Option<(TaskId, Span)> {
    let left = Calendar::new(problem.free, problem.reserved);
    let within = |slot: &crate::model::Interval| {
        let (start, end) = (slot.start.max(problem.release), slot.end.min(problem.deadline));
        if end > start { end - start } else { Span::ZERO }
    };
    let longest: Vec<Span> =
        left.as_slice().iter().map(|slots| slots.iter().map(within).max().unwrap_or(Span::ZERO)).collect();
    let fits = |task: TaskId| problem.estimates.row(task).iter().zip(&longest).any(|(span, slot)| span <= slot);
    let tasks = problem.dag.order().iter().copied().filter(|&task| !fits(task));
    let task = tasks.max_by_key(|&task| (problem.estimates.best(task), std::cmp::Reverse(task)))?;
    Some((task, longest.into_iter().max().unwrap_or(Span::ZERO)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Stop;
    use crate::model::{Dag, Edge, Interval, Strategy, Task};
    use crate::rng::Streams;
    use crate::units::Volume;
    use crate::workflow::{Estimates, Method, PlanOutcome, Transfers};
    use proptest::prelude::*;

    fn interval((start, end): (i64, i64)) -> Interval {
        Interval::new(Time::from_units(start), Time::from_units(end))
    }

    /// The cause and the task for a row of tasks of these lengths, on nodes that are free so, until `deadline`.
    fn cause(spans: &[i64], free: &[&[(i64, i64)]], deadline: i64, method: Method) -> Option<(NoPlanCause, String)> {
        let task = |index: usize| Task { name: format!("t{index}"), volume: Volume::from_units(1) };
        let edge = |to: u32| Edge { from: TaskId(to - 1), to: TaskId(to), transfer: Span::ZERO };
        let tasks = (0..spans.len()).map(task).collect();
        let dag = Dag::new(tasks, (1..spans.len() as u32).map(edge).collect()).unwrap();
        let estimates = Estimates::new(&dag, free.len(), |task, _| Span::from_units(spans[task.index()]));
        let free: Vec<Vec<Interval>> = free.iter().map(|slots| slots.iter().copied().map(interval).collect()).collect();
        let problem = PlanProblem {
            dag: &dag,
            estimates: &estimates,
            free: &free,
            reserved: &[],
            release: Time::ZERO,
            deadline: Time::from_units(deadline),
            transfers: Transfers::Always,
            strategy: Strategy::Cheapest,
            attempts: 1,
            refine: false,
            stop: Stop::NEVER,
        };
        let reason = match method.plan(&problem, &mut Streams::new(1, 0).stream("ties")) {
            Err(Failure::NoPlace { reason, .. }) => Some(reason),
            Ok(PlanOutcome::Impossible) => None,
            _ => return None,
        };
        let why = why_no_plan(&problem, reason, "hours").unwrap();
        assert!(why.task.is_none_or(|task| why.text.contains(&format!("\"t{}\"", task.0))), "{}", why.text);
        Some((why.cause, why.task.map_or(String::new(), |task| format!("t{}", task.0))))
    }

    #[test]
    fn the_cause_is_the_first_that_holds() {
        for method in [Method::CheapestChains, Method::Heft, Method::List] {
            let found = |spans: &[i64], free: &[&[(i64, i64)]], deadline| cause(spans, free, deadline, method);
            let says = |cause, task: &str| Some((cause, task.to_string()));
            assert_eq!(found(&[3, 4], &[&[(0, 20)]], 6), says(NoPlanCause::NoTime, "t1"));
            assert_eq!(found(&[3, 4], &[&[(0, 3), (5, 8)], &[(6, 9)]], 9), says(NoPlanCause::NoSlot, "t1"));
            assert_eq!(found(&[3, 4], &[&[(0, 4), (5, 8)]], 9), says(NoPlanCause::NodesTaken, "t1"));
            assert_eq!(found(&[3, 4], &[&[(0, 4), (5, 9)]], 9), None, "a plan");
        }
        let tried = cause(&[3, 4], &[&[(0, 20)]], 6, Method::Exact(crate::language::Count::of(99)));
        assert_eq!(tried.map(|(cause, _)| cause), Some(NoPlanCause::NoTime), "facts come before the search");
    }

    #[test]
    fn times_have_four_digits_at_most() {
        let told = [0.0, 22.0, 123_456.0, 123.456_789, 0.000_123_456, 9_999.96, -3.5].map(four_digits);
        assert_eq!(told, ["0", "22", "123456", "123.5", "0.0001235", "10000", "-3.5"]);
    }

    #[test]
    fn one_is_told_in_the_singular() {
        let told = [(1.0, "time units"), (1.00001, "hours"), (1.5, "hours"), (0.0, "days"), (1.0, "ms"), (1.0, "week")];
        let told = told.map(|(value, unit)| in_unit(value, unit));
        assert_eq!(told, ["1 time unit", "1 hour", "1.5 hours", "0 days", "1 ms", "1 week"]);
    }

    proptest! {
        /// The facts among the causes hold for every method, the exact one included: none of them has a plan then.
        #[test]
        fn facts_do_not_depend_on_the_method(
            spans in prop::collection::vec(1i64..6, 1..4),
            gaps in prop::collection::vec(prop::collection::vec((0i64..4, 1i64..6), 0..4), 1..3),
            deadline in 1i64..16,
        ) {
            let slots = |gaps: &Vec<(i64, i64)>| {
                let mut at = 0;
                let slot = |&(gap, length): &(i64, i64)| {
                    let start = at + gap;
                    at = start + length;
                    (start.min(deadline), at.min(deadline))
                };
                gaps.iter().map(slot).filter(|(start, end)| start < end).collect::<Vec<_>>()
            };
            let free: Vec<Vec<(i64, i64)>> = gaps.iter().map(slots).collect();
            let free: Vec<&[(i64, i64)]> = free.iter().map(Vec::as_slice).collect();
            let methods = [Method::Exact(crate::language::Count::of(100_000)), Method::Heft, Method::CheapestChains];
            let causes = methods.map(|method| cause(&spans, &free, deadline, method));
            let is_fact = |cause: &Option<(NoPlanCause, String)>| {
                matches!(cause, Some((NoPlanCause::NoTime | NoPlanCause::NoSlot | NoPlanCause::NodesTaken, _)))
            };
            if causes.iter().any(is_fact) {
                prop_assert!(causes.iter().all(|cause| *cause == causes[0]), "{causes:?}");
            }
        }
    }
}
