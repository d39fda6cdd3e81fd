//! The latest start is the earliest finish with time turned round.

use super::{Failure, Placement, Plan, PlanProblem, Strategy};
use crate::model::Interval;
use crate::units::Time;

/// Plans `problem` as late as can be: edges are turned round, instants change their sign, and what ends earliest there
/// starts latest here.
pub(super) fn in_mirror(
    problem: &PlanProblem<'_>,
    plan: impl FnOnce(&PlanProblem<'_>) -> Result<Plan, Failure>,
) -> Result<Plan, Failure> {
    let dag = problem.dag.reversed();
    let turn = |lists: &[Vec<Interval>]| -> Vec<Vec<Interval>> {
        lists.iter().map(|list| list.iter().rev().map(|&interval| turned(interval)).collect()).collect()
    };
    let (free, reserved) = (turn(problem.free), turn(problem.reserved));
    let mirrored = PlanProblem {
        dag: &dag,
        free: &free,
        reserved: &reserved,
        release: negative(problem.deadline),
        deadline: negative(problem.release),
        strategy: Strategy::EarliestFinish,
        ..*problem
    };
    let mut plan = plan(&mirrored)?;
    let back = |at: &mut Placement| at.interval = turned(at.interval);
    plan.placements.iter_mut().for_each(back);
    for step in &mut plan.steps {
        step.first.iter_mut().for_each(back);
        step.placed.iter_mut().for_each(back);
    }
    Ok(plan)
}

fn negative(time: Time) -> Time {
    Time::from_ticks(-time.ticks())
}

fn turned(interval: Interval) -> Interval {
    Interval::new(negative(interval.end), negative(interval.start))
}
