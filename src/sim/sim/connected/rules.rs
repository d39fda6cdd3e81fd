//! The rules by which a connected grid is run, besides the policy.

use crate::choice;
use crate::engine::Limits;
use crate::language::AboveZero;
use crate::model::CostLimit;
use crate::policy::{Acts, BatchScope};
use crate::queueing::Order;
use crate::units::Span;
use crate::workflow::Transfers;
use crate::workload::RuntimeRule;

/// The rules by which a connected grid is run, besides the policy.
#[derive(Debug, Clone, PartialEq)]
pub struct GridRules {
    /// The name of the policy in errors.
    pub policy: String,
    /// The time from one cycle to the next.
    pub period: Span,
    /// The time ahead of a decision up to which windows may reach.
    pub interval: Span,
    /// The most jobs that a cycle takes from the queue.
    pub batch: usize,
    /// A job fails once it has been postponed this many times.
    pub attempts: u32,
    /// When the policy acts.
    pub acts: Acts,
    /// True if it places rigid jobs only in windows that end within the interval.
    pub seeks_windows: bool,
    /// The order of the queue.
    pub order: Order,
    /// For an order by rank, the weights of maximum price, nearness to the deadline, failed attempts and time waited in
    /// a job's rank.
    pub rank: [f64; 4],
    /// The rule by which a job's length becomes a runtime.
    pub rule: RuntimeRule,
    /// The limit of a window's cost.
    pub limit: CostLimit,
    /// The nodes among which tasks are moved when a plan is repaired: those of their domain, or of all.
    pub scope: BatchScope,
    /// The part of a job's work that displacement destroys.
    pub displacement: Displacement,
    /// The fate of a task that runs longer than was reserved for it.
    pub overrun: OverrunRule,
    /// When data takes time from task to task; policies plan by it.
    pub transfers: Transfers,
    /// The elasticity, target and bound by which prices follow demand.
    pub pricing: Option<[f64; 3]>,
    /// The most that a run may take.
    pub limits: Limits,
}

choice! {
    /// The part of its work that a job loses when owners, failures or the reservations of others drive one of its running
    /// tasks from a node, wherever it goes on. Rigid jobs are one parallel program: they stop on all their nodes if they
    /// stop on one.
    #[derive(Copy)]
    pub enum Displacement {
        /// The work of the task that was driven out. Finished tasks of a workflow keep their data, tasks that run
        /// elsewhere go on, and only those without a place wait for another one. A rigid job begins again.
        Task,
        /// All of it: the job begins again.
        Job,
        /// The work since the last checkpoint of the task, or of the rigid job. Finished tasks keep their data. The rest
        /// is planned for what is left of the estimate, and for the time of two checkpoints at least.
        Checkpoint {
            /// The time that a task works from one checkpoint to the next.
            #[read = AboveZero<Span>]
            every: Span,
            /// The time that it takes to write one; the estimates of users include it. All work takes `cost / every`
            /// longer, as if it were written bit by bit, so that short tasks pay their share too.
            cost: Span = Span::ZERO,
        },
    }
    check(this, at, errors) {
        if let Displacement::Checkpoint { every, cost } = this
            && cost > every
        {
            let wrong = format!("a checkpoint that takes {cost} is longer than the {every} of work that it saves");
            errors.add(&at.field("cost"), wrong, "give less than `every`, or write checkpoints less often");
        }
    }
}

impl Displacement {
    /// The share by which checkpoints make tasks longer.
    pub fn overhead(self) -> f64 {
        match self {
            Self::Checkpoint { every, cost } => cost.as_f64() / every.as_f64(),
            Self::Task | Self::Job => 0.0,
        }
    }

    /// The least time that is planned for what is left of a task, on a node of performance 1: that of two checkpoints, so
    /// that faster nodes come to one. A task that has used up its estimate would otherwise be planned for next to
    /// nothing, and displaced again and again before it has saved anything.
    pub fn least_rest(self) -> Span {
        match self {
            Self::Checkpoint { every, cost } => every + every + cost + cost,
            Self::Task | Self::Job => Span::ZERO,
        }
    }

    /// The part of the time that a task has run which is not lost: that up to its last checkpoint.
    pub(crate) fn saved(self, ran: Span) -> Span {
        match self {
            Self::Checkpoint { every, cost } => {
                let round = every.ticks() + cost.ticks();
                Span::from_ticks(ran.ticks() / round.max(1) * round)
            }
            Self::Task | Self::Job => Span::ZERO,
        }
    }
}

choice! {
    /// The fate of a task that is not done at the end of the time reserved for it.
    #[derive(Copy, Eq)]
    pub enum OverrunRule {
        /// It is ended, and its job fails: what batch systems do at the end of the time that a user asked for.
        Ended,
        /// It goes on while no other job has reserved the node, and is displaced then. Later tasks of its own job wait for
        /// it. The promises of queues are starts and not reservations of nodes: an overrun does not yield to them.
        GoesOn,
        /// It goes on until it is done, and those who have reserved the node meanwhile are planned anew. Only owners
        /// displace it.
        Extended,
    }
}

choice! {
    /// The time after the measured interval in which its jobs are decided. Jobs arrive and owners come as before; the
    /// run ends with the last decision.
    #[derive(Copy, Eq)]
    pub enum Drain {
        /// Until every measured job is decided. All flows need `patience`, since a job without a deadline may never be.
        UntilDecided,
        /// So long at most; 0 ends the run with the measured interval. Jobs without a decision by then are a metric of
        /// their own.
        UpTo(Span),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_saved_up_to_the_last_checkpoint_that_was_written() {
        let rule = Displacement::Checkpoint { every: Span::from_units(10), cost: Span::from_units(2) };
        let saved = |ran| rule.saved(Span::from_units(ran)).as_f64();
        assert_eq!([0, 11, 12, 23, 24, 40].map(saved), [0.0, 0.0, 12.0, 12.0, 24.0, 36.0]);
        assert_eq!(rule.overhead(), 0.2);
        assert_eq!(Displacement::Task.saved(Span::from_units(99)), Span::ZERO);
    }
}
