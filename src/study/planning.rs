//! Plans of jobs made of tasks that have passed the check; shared by the experiments on them.

use super::RunError;
use crate::check::check_plan;
use crate::engine::Stop;
use crate::language::Count;
use crate::metrics::{Better, Metric, declare_metrics};
use crate::model::{Dag, Interval};
use crate::rng::Stream;
use crate::units::{Overflow, Span, Time, UnitsError};
use crate::workflow::chains::critical_length;
use crate::workflow::{
    Collision, Estimates, Failure, Method, NoPlanCause, Plan, PlanOutcome, PlanProblem, Shortcoming, Strategy,
    Transfers, WhyNoPlan, why_no_plan,
};
use crate::workload::DomainSpec;
use crate::workload::{TaskDomain, estimate};

/// What a method came to.
pub(super) enum Attempt {
    Planned(Plan),
    Failed(Failed),
    /// An exact search reached its limit, so that there may be a plan.
    GaveUp,
}

/// A job without a place.
pub(super) struct Failed {
    pub(super) collisions: Vec<Collision>,
    /// Why; nothing where everything was tried.
    pub(super) reason: Option<Shortcoming>,
}

impl Failed {
    /// The time from the deadline to the earliest finish that is known, if one is.
    pub(super) fn missing(&self) -> Option<Span> {
        match self.reason {
            Some(
                Shortcoming::Impossible { earliest: end, deadline, .. }
                | Shortcoming::Late { finish: end, deadline, .. },
            ) => Some(end - deadline),
            _ => None,
        }
    }

    /// Why it has no place, as a cause that does not depend on the method where there is one.
    pub(super) fn why(&self, problem: &PlanProblem<'_>, unit: &str) -> Result<WhyNoPlan, RunError> {
        why_no_plan(problem, self.reason, unit).map_err(|_| Overflow.into())
    }
}

declare_metrics! {
    /// The metrics of jobs without a plan, one for each cause, in the order of [`NoPlanCause::ALL`].
    pub(super) WITHOUT_PLAN:
    NO_TIME = without_plan(
        "without a plan: no time",
        "Jobs whose longest chain exceeds the interval even on the fastest nodes without owners.",
    );
    NO_SLOT = without_plan(
        "without a plan: no slot long enough",
        "Jobs of which a task is longer than every idle slot of every node.",
    );
    NODES_TAKEN = without_plan(
        "without a plan: nodes taken by others",
        "Jobs that others leave too little time on the nodes, even without their own contention.",
    );
    COLLISIONS = without_plan(
        "without a plan: collisions unresolved",
        "Jobs of which a chain found no place among the other chains.",
    );
    FOUND_LATE = without_plan(
        "without a plan: earliest found is late",
        "Jobs whose earliest plan found ends after the deadline, though there may be another.",
    );
    ALL_TRIED = without_plan(
        "without a plan: all were tried",
        "Jobs that have no plan for none of the other causes, as an exact search found.",
    );
    GIVEN_UP = without_plan(
        "without a plan: given up",
        "Jobs on which an exact search was given up at its limit of partial plans; they may have a plan.",
    );
}

/// The share of jobs without a plan for a cause, and for no other.
const fn without_plan(name: &'static str, meaning: &'static str) -> Metric {
    Metric::new(name, "share of jobs", meaning).within(0.0, 1.0).better(Better::Less)
}

/// The causes of jobs without a plan, each with its metric.
pub(super) fn no_plan_causes() -> impl Iterator<Item = (NoPlanCause, &'static Metric)> {
    NoPlanCause::ALL.into_iter().zip(WITHOUT_PLAN.iter().copied())
}

/// The estimates of a job's tasks on the nodes of a domain.
pub(super) fn estimates(spec: &DomainSpec, dag: &Dag, slower: &[f64]) -> Result<Estimates, UnitsError> {
    // Nodes of a type take the same time: once per task and type.
    let mut types: Vec<f64> = spec.types.iter().map(|slower| slower.get()).collect();
    types.dedup();
    let mut spans = vec![Vec::with_capacity(dag.tasks().len()); types.len()];
    for task in dag.tasks() {
        for (spans, &slower) in spans.iter_mut().zip(&types) {
            spans.push(estimate(spec, task.volume, slower)?);
        }
    }
    let kinds: Vec<usize> =
        slower.iter().map(|slower| types.iter().position(|kind| kind == slower).unwrap_or(0)).collect();
    Ok(Estimates::new(dag, slower.len(), |task, node| spans[kinds[node.index()]][task.index()]))
}

/// The interval in which a job is to be done: `factor` times its longest chain on the fastest nodes, from `start` on.
pub(super) fn interval(spec: &DomainSpec, dag: &Dag, factor: f64, start: Time) -> Result<Interval, RunError> {
    let length = critical_length(dag, &estimates(spec, dag, &[1.0])?);
    let end = start.checked_add(Span::from_f64(length.as_f64() * factor)?)?;
    Ok(Interval::new(start, end))
}

/// A job to be planned for the least cost on the nodes of `domain`, with nothing reserved.
pub(super) fn problem<'a>(
    dag: &'a Dag,
    estimates: &'a Estimates,
    domain: &'a TaskDomain,
    interval: Interval,
    transfers: Transfers,
    (attempts, refine, stop): (Count, bool, &'a Stop),
) -> PlanProblem<'a> {
    PlanProblem {
        dag,
        estimates,
        free: &domain.free,
        reserved: &[],
        release: interval.start,
        deadline: interval.end,
        transfers,
        strategy: Strategy::Cheapest,
        attempts: attempts.get().min(u64::from(u32::MAX)) as u32,
        refine,
        stop,
    }
}

/// Plans a job by one method, and judges the plan.
pub(super) fn attempt(method: Method, problem: &PlanProblem<'_>, ties: &mut Stream) -> Result<Attempt, RunError> {
    match method.plan(problem, ties) {
        Ok(PlanOutcome::Best(plan)) => {
            check_plan(problem, &plan.placements)?;
            Ok(Attempt::Planned(plan))
        }
        Ok(PlanOutcome::Impossible) => Ok(Attempt::Failed(Failed { collisions: Vec::new(), reason: None })),
        Ok(PlanOutcome::GaveUp) => Ok(Attempt::GaveUp),
        Err(Failure::NoPlace { collisions, reason, .. }) => {
            Ok(Attempt::Failed(Failed { collisions, reason: Some(reason) }))
        }
        Err(Failure::Overflow(overflow)) => Err(overflow.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_has_the_metric_of_its_name() {
        assert_eq!(WITHOUT_PLAN.len(), NoPlanCause::ALL.len());
        for (cause, metric) in no_plan_causes() {
            assert_eq!(metric.name(), format!("without a plan: {}", cause.name()));
        }
    }
}
