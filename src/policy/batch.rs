//! OPT and NO OPT: alternatives for the whole batch, and one of them for each job.

use super::{Decision, Policy, PolicyError, PolicySpec, Setup, View};
use crate::combine::limits::{highest_income, mean_time};
use crate::combine::{Alternative, BatchLimit, Choice, NoChoice, Problem, choose, choose_at_random};
use crate::model::Request;
use crate::record;
use crate::rng::Stream;
use crate::search::{Offers, Search, collect_alternatives};

record! {
    /// OPT: the best combination of alternatives for the batch.
    #[derive(Copy)]
    pub struct Opt(pub Problem);
}

record! {
    /// NO OPT: a random combination within the limit of the problem.
    #[derive(Copy)]
    pub struct NoOpt(pub Problem);
}

impl PolicySpec for Opt {
    fn name(&self) -> String {
        format!("OPT {}", self.0.name())
    }

    fn make(&self, setup: &Setup<'_>) -> Box<dyn Policy> {
        batch(self.0, Pick::Best, setup)
    }

    fn has_limits(&self) -> bool {
        true
    }
}

impl PolicySpec for NoOpt {
    fn name(&self) -> String {
        format!("NO OPT {}", self.0.name())
    }

    fn make(&self, setup: &Setup<'_>) -> Box<dyn Policy> {
        batch(self.0, Pick::Random(Box::new(setup.streams.stream("no-opt"))), setup)
    }

    fn has_limits(&self) -> bool {
        true
    }
}

fn batch(problem: Problem, pick: Pick, setup: &Setup<'_>) -> Box<dyn Policy> {
    let alternatives = setup.metascheduler.alternatives.get() as usize;
    setup.two_tier(Batch { search: setup.search().clone(), alternatives, problem, pick })
}

/// The way in which the combination is picked.
#[derive(Debug, Clone)]
pub enum Pick {
    /// The exact optimum of the problem.
    Best,
    /// Chance, within the limit of the problem.
    Random(Box<Stream>),
}

/// Collects alternatives for all jobs and picks a combination. Jobs without an alternative go on waiting. In a cycle
/// whose limit can't be met, which the papers leave out of their studies, every job gets its earliest window, and the
/// decisions say so.
#[derive(Debug, Clone)]
pub struct Batch {
    /// The search for alternatives.
    pub search: Search,
    /// The most alternatives that a job is offered.
    pub alternatives: usize,
    /// The criterion that is made best, and the one that is limited.
    pub problem: Problem,
    /// The way in which the combination is picked.
    pub pick: Pick,
}

impl Policy for Batch {
    fn decide(&mut self, view: &View<'_>) -> Result<Vec<Decision>, PolicyError> {
        let offers = Offers { nodes: view.nodes, slots: view.slots, rule: view.rule };
        let batch: Vec<&Request> = view.queue.iter().map(|waiting| waiting.request).collect();
        let windows = collect_alternatives(&offers, &batch, self.search.get(), Some(self.alternatives), view.stop)?;
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
        let limit = if self.problem.limits_time() {
            BatchLimit::Time(time)
        } else {
            BatchLimit::Cost(highest_income(batch, time)?)
        };
        let Choice { picks, .. } = match &mut self.pick {
            Pick::Best => choose(batch, self.problem, limit)?,
            Pick::Random(stream) => choose_at_random(batch, self.problem, limit, &mut **stream)?,
        };
        Ok(picks)
    }
}
