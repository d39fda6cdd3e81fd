//! The planning methods that scenarios can name.

use super::{Failure, PlanOutcome, PlanProblem, Strategy, exact, heft, list, plan};
use crate::choice;
use crate::language::Count;
use crate::rng::Stream;

choice! {
    /// The methods by which a job made of tasks is planned.
    #[derive(Copy)]
    pub enum Method {
        /// The critical jobs method, for the least cost within the deadline.
        CheapestChains,
        /// The critical jobs method, for the earliest finish.
        EarliestChains,
        /// The critical jobs method, for the latest start within the deadline.
        LatestChains,
        /// Heterogeneous earliest finish time: tasks by upward rank, each where it ends first.
        Heft,
        /// A plain list: tasks in order, each where it ends first.
        List,
        /// The least cost of all, by trying everything; given up after this many partial plans. For jobs of a few tasks.
        #[unit = "partial plans"]
        Exact(Count),
    }
}

impl Method {
    /// The name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::CheapestChains => "critical jobs",
            Self::EarliestChains => "critical jobs, earliest finish",
            Self::LatestChains => "critical jobs, latest start",
            Self::Heft => "HEFT",
            Self::List => "list",
            Self::Exact(_) => "exact",
        }
    }

    /// True if it places chains of tasks.
    pub fn has_chains(self) -> bool {
        self.strategy().is_some()
    }

    fn strategy(self) -> Option<Strategy> {
        match self {
            Self::CheapestChains => Some(Strategy::Cheapest),
            Self::EarliestChains => Some(Strategy::EarliestFinish),
            Self::LatestChains => Some(Strategy::LatestStart),
            Self::Heft | Self::List | Self::Exact(_) => None,
        }
    }

    /// Plans a job. Only the exact method can prove that there is no plan, and only it gives up.
    pub fn plan(self, problem: &PlanProblem<'_>, ties: &mut Stream) -> Result<PlanOutcome, Failure> {
        if let Some(strategy) = self.strategy() {
            return plan(&PlanProblem { strategy, ..*problem }, ties).map(PlanOutcome::Best);
        }
        match self {
            Self::Exact(limit) => exact(problem, limit.get()),
            Self::List => list(problem).map(PlanOutcome::Best),
            _ => heft(problem).map(PlanOutcome::Best),
        }
    }
}
