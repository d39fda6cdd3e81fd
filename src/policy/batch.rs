//! OPT and NO OPT: alternatives for the whole batch, and one of them for each job.

use super::{Decision, Policy, View};
use crate::combine::limits::{highest_income, mean_time};
use crate::combine::{Alternative, Choice, Limit, NoChoice, Problem, choose, choose_at_random};
use crate::rng::Stream;
use crate::search::{Finder, Offers, find_alternatives};

/// Who picks the combination.
#[derive(Debug, Clone)]
pub enum Pick {
    /// The exact optimum of the problem.
    Best,
    /// Chance, within the limit of the problem.
    Random(Box<Stream>),
}

/// Collects alternatives for all jobs and picks a combination. Jobs without an alternative go on waiting. In a cycle
/// whose limit can't be met, which the papers leave out of their studies, every job gets its earliest window.
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
    fn decide(&mut self, view: &View<'_>) -> Vec<Decision> {
        let offers = Offers { nodes: view.nodes, slots: view.slots, rule: view.rule };
        let windows = find_alternatives(&offers, view.queue, self.finder, Some(self.alternatives));
        let mut placed: Vec<usize> = (0..windows.len()).filter(|&job| !windows[job].is_empty()).collect();
        let known = |job: &usize| windows[*job].iter().map(|window| Alternative::of(window, view.nodes)).collect();
        let batch: Result<Vec<Vec<Alternative>>, _> = placed.iter().map(known).collect();
        let picks = batch.map_err(NoChoice::from).and_then(|batch| self.choose(&batch));
        let picks = picks.unwrap_or_else(|_| vec![0; placed.len()]);
        let reserve =
            |(request, pick): (usize, usize)| Decision::Reserve { request, window: windows[request][pick].clone() };
        placed.drain(..).zip(picks).map(reserve).collect()
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
