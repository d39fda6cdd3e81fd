//! OPT and NO OPT: alternatives for the whole batch, and one of them for each job.

use super::{Decision, Policy, PolicyError, View};
use crate::combine::limits::{highest_income, mean_time};
use crate::combine::{Alternative, Choice, Limit, NoChoice, Problem, choose, choose_at_random};
use crate::rng::Stream;
use crate::search::{Finder, Offers, find_alternatives_until};

/// Who picks the combination.
#[derive(Debug, Clone)]
pub enum Pick {
    /// The exact optimum of the problem.
    Best,
    /// Chance, within the limit of the problem.
    Random(Box<Stream>),
}

/// Collects alternatives for all jobs and picks a combination. Jobs without an alternative go on waiting. In a cycle
/// whose limit can't be met, which the papers leave out of their studies, every job gets its earliest window, and the decisions say so.
#[derive(Debug, Clone)]
pub struct Batch {
    /// How alternatives are found.
    pub finder: Finder,
    /// How many a job is offered at most.
    pub alternatives: usize,
    /// What is made best, and what is limited.
    pub problem: Problem,
    /// Who picks.
    pub pick: Pick,
}

impl Policy for Batch {
    fn decide(&mut self, view: &View<'_>) -> Result<Vec<Decision>, PolicyError> {
        let offers = Offers { nodes: view.nodes, slots: view.slots, rule: view.rule };
        let windows = find_alternatives_until(&offers, view.queue, self.finder, Some(self.alternatives), view.stop);
        view.stop.check()?;
        let placed: Vec<usize> = (0..windows.len()).filter(|&job| !windows[job].is_empty()).collect();
        let known = |job: &usize| windows[*job].iter().map(|window| Alternative::of(window, view.nodes)).collect();
        let batch: Vec<Vec<Alternative>> = placed.iter().map(known).collect::<Result<_, _>>()?;
        let (picks, is_met) = match self.choose(&batch) {
            Ok(picks) => (picks, true),
            Err(NoChoice::Infeasible) => (vec![0; placed.len()], false),
            Err(error) => return Err(error.into()),
        };
        let reserve =
            |(request, pick): (usize, usize)| Decision::Reserve { request, window: windows[request][pick].clone() };
        let unmet = (!is_met).then_some(Decision::LimitUnmet);
        Ok(placed.into_iter().zip(picks).map(reserve).chain(unmet).collect())
    }
}

impl Batch {
    fn choose(&mut self, batch: &[Vec<Alternative>]) -> Result<Vec<usize>, NoChoice> {
        let time = mean_time(batch);
        let limit =
            if self.problem.limits_time() { Limit::Time(time) } else { Limit::Cost(highest_income(batch, time)?) };
        let Choice { picks, .. } = match &mut self.pick {
            Pick::Best => choose(batch, self.problem, limit)?,
            Pick::Random(stream) => choose_at_random(batch, self.problem, limit, &mut **stream)?,
        };
        Ok(picks)
    }
}
