//! Plans of jobs made of tasks that have passed the check.

use super::{WorkflowCase, Workflows};
use crate::check::check_plan;
use crate::engine::Stop;
use crate::metrics::{Better, Metric, declare_metrics};
use crate::model::{Dag, Interval};
use crate::rng::{Stream, Streams};
use crate::study::RunError;
use crate::units::{Overflow, Span, Time, UnitsError};
use crate::workflow::chains::critical_length;
use crate::workflow::{
    Collision, Estimates, Failure, Method, NoPlanCause, Plan, PlanOutcome, PlanProblem, Shortcoming, Strategy,
    WhyNoPlan, why_no_plan,
};
use crate::workload::{DomainSpec, TaskDomain, draw_domain, draw_tasks, estimate};

/// What a method came to.
pub(super) enum Attempt {
    Planned(Plan),
    /// The job has no place: the collisions that planning met with, and why, unless everything was tried.
    Failed(Vec<Collision>, Option<Shortcoming>),
    /// An exact search reached its limit, so that there may be a plan.
    GaveUp,
}

impl Attempt {
    pub(super) fn plan(&self) -> Option<&Plan> {
        if let Self::Planned(plan) = self { Some(plan) } else { None }
    }

    /// The collisions that planning met with, whatever came of it.
    pub(super) fn collisions(&self) -> &[Collision] {
        match self {
            Self::Planned(plan) => &plan.collisions,
            Self::Failed(collisions, _) => collisions,
            Self::GaveUp => &[],
        }
    }

    /// Why there is no plan, as a cause that does not depend on the method where there is one.
    pub(super) fn why(&self, problem: &PlanProblem<'_>, unit: &str) -> Result<Option<WhyNoPlan>, RunError> {
        match self {
            Self::Planned(_) => Ok(None),
            Self::Failed(_, reason) => Ok(Some(why_no_plan(problem, *reason, unit).map_err(|_| Overflow)?)),
            Self::GaveUp => Ok(Some(WhyNoPlan::given_up())),
        }
    }

    /// The time from the deadline to the earliest finish that is known, if one is.
    pub(super) fn missing(&self) -> Option<Span> {
        match self {
            Self::Failed(_, Some(Shortcoming::Impossible { earliest: end, deadline, .. }))
            | Self::Failed(_, Some(Shortcoming::Late { finish: end, deadline, .. })) => Some(*end - *deadline),
            _ => None,
        }
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

/// A job with the nodes that it is planned on; times count from when it is sent.
pub(super) struct WorkflowJob {
    pub(super) dag: Dag,
    pub(super) estimates: Estimates,
    pub(super) domain: TaskDomain,
    /// From its submission to its deadline.
    pub(super) interval: Interval,
}

impl WorkflowJob {
    /// The `index`-th job of a world.
    pub(super) fn draw(spec: &Workflows, case: &WorkflowCase, streams: &Streams, index: u64) -> Result<Self, RunError> {
        let dag = draw_tasks(&case.tasks, spec.domain.performance, streams.member("tasks", index))?;
        let deadline = match (spec.deadline_factor, spec.deadline) {
            (Some(factor), _) => {
                let longest = critical_length(&dag, &estimates(&spec.domain, &dag, &[1.0])?);
                Time::ZERO.checked_add(Span::from_f64(longest.as_f64() * factor.get())?)?
            }
            (None, deadline) => deadline.unwrap_or(Time::ZERO),
        };
        let interval = Interval::new(Time::ZERO, deadline);
        let domain = draw_domain(&spec.domain, &dag, interval, streams);
        let estimates = estimates(&spec.domain, &dag, &domain.slower)?;
        Ok(Self { dag, estimates, domain, interval })
    }

    /// The job as it is planned by itself.
    pub(super) fn problem<'a>(&'a self, spec: &Workflows, stop: &'a Stop) -> PlanProblem<'a> {
        problem(spec, (&self.dag, &self.estimates), &self.domain.free, self.interval, stop)
    }
}

/// The estimates of a job's tasks on the nodes of a domain.
fn estimates(spec: &DomainSpec, dag: &Dag, slower: &[f64]) -> Result<Estimates, UnitsError> {
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

/// A job to be planned for the least cost in the time that is `free`, with nothing reserved.
pub(super) fn problem<'a>(
    spec: &Workflows,
    (dag, estimates): (&'a Dag, &'a Estimates),
    free: &'a [Vec<Interval>],
    interval: Interval,
    stop: &'a Stop,
) -> PlanProblem<'a> {
    PlanProblem {
        dag,
        estimates,
        free,
        reserved: &[],
        release: interval.start,
        deadline: interval.end,
        transfers: spec.transfers,
        strategy: Strategy::Cheapest,
        attempts: spec.attempts.get().min(u64::from(u32::MAX)) as u32,
        refine: spec.refine,
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
        Ok(PlanOutcome::Impossible) => Ok(Attempt::Failed(Vec::new(), None)),
        Ok(PlanOutcome::GaveUp) => Ok(Attempt::GaveUp),
        Err(Failure::NoPlace { collisions, reason, .. }) => Ok(Attempt::Failed(collisions, Some(reason))),
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
