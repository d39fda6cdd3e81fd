//! OPT, NO OPT and the weighted vector: alternatives for the whole batch, and one of them for each job.

use super::{Decision, Policy, PolicyError, PolicySpec, Setup, View};
use crate::combine::limits::{highest_income, mean_time};
use crate::combine::{
    Alternative, BatchLimit, Choice, NoChoice, Problem, Weights, choose, choose_at_random, choose_weighted,
};
use crate::language::NonNegative;
use crate::model::Request;
use crate::record;
use crate::rng::Stream;
use crate::search::{Offers, Search, collect_alternatives};
use crate::units::Span;

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

record! {
    /// The combination of alternatives for the batch that is best by the weighted vector <C, D, T, I> within both
    /// limits, T* and B*, with a term for early starts. By default a unit of money weighs as much as a unit of time,
    /// and all parts weigh the same.
    #[derive(Copy)]
    pub struct WeightedVector {
        /// The weight of a unit of C, the total cost.
        #[unit = "weight per unit of money"]
        cost: NonNegative = NonNegative::of(1.0),
        /// The weight of a unit of D = B* - C, the part of the budget that is left over.
        #[unit = "weight per unit of money"]
        saved: NonNegative = NonNegative::of(1.0),
        /// The weight of a unit of T, the total time of the windows.
        #[unit = "weight per unit of time"]
        time: NonNegative = NonNegative::of(1.0),
        /// The weight of a unit of I = T* - T, the part of the time limit that is left over.
        #[unit = "weight per unit of time"]
        idle: NonNegative = NonNegative::of(1.0),
        /// The weight of a unit of time from now to the start of a window, summed over the jobs. It is no part of the
        /// vector; with 0, nothing speaks for an early window.
        #[unit = "weight per unit of time"]
        start: NonNegative = NonNegative::of(1.0),
    }
    check(this, at, errors) {
        let weights = this.named();
        if weights.iter().all(|(_, weight)| *weight == 0.0) {
            errors.add(at, "nothing would be weighed", "give a weight above 0");
        }
        for (name, _) in weights.into_iter().filter(|(_, weight)| *weight > WEIGHT_LIMIT) {
            errors.add(&at.field(name), "sums could leave their range", format!("give at most {WEIGHT_LIMIT}"));
        }
    }
}

/// The largest weight.
const WEIGHT_LIMIT: f64 = 1e6;

impl WeightedVector {
    fn named(&self) -> [(&'static str, f64); 5] {
        let Self { cost, saved, time, idle, start } = self;
        [("cost", cost), ("saved", saved), ("time", time), ("idle", idle), ("start", start)]
            .map(|(name, weight)| (name, weight.get()))
    }
}

impl PolicySpec for WeightedVector {
    fn name(&self) -> String {
        let others: Vec<String> = self
            .named()
            .into_iter()
            .filter(|(_, weight)| *weight != 1.0)
            .map(|(name, weight)| format!("{name} {weight}"))
            .collect();
        if others.is_empty() { "weighted".into() } else { format!("weighted, {}", others.join(", ")) }
    }

    fn make(&self, setup: &Setup<'_>) -> Box<dyn Policy> {
        let [cost, saved, time, idle, start] = self.named().map(|(_, weight)| weight);
        batch(Pick::Weighted(Weights { cost, saved, time, idle, start }), setup)
    }

    fn has_limits(&self) -> bool {
        true
    }

    fn seeks_windows(&self) -> bool {
        true
    }
}

impl PolicySpec for Opt {
    fn name(&self) -> String {
        format!("OPT {}", self.0.name())
    }

    fn make(&self, setup: &Setup<'_>) -> Box<dyn Policy> {
        batch(Pick::Best(self.0), setup)
    }

    fn has_limits(&self) -> bool {
        true
    }

    fn seeks_windows(&self) -> bool {
        true
    }
}

impl PolicySpec for NoOpt {
    fn name(&self) -> String {
        format!("NO OPT {}", self.0.name())
    }

    fn make(&self, setup: &Setup<'_>) -> Box<dyn Policy> {
        batch(Pick::Random(self.0, Box::new(setup.streams.stream("no-opt"))), setup)
    }

    fn has_limits(&self) -> bool {
        true
    }

    fn seeks_windows(&self) -> bool {
        true
    }
}

record! {
    /// Each job in turn gets the first window that is found for it: windows without a choice among them, which shows
    /// what choosing adds.
    #[derive(Copy)]
    pub struct FirstOffered;
}

impl PolicySpec for FirstOffered {
    fn name(&self) -> String {
        "first window".into()
    }

    fn make(&self, setup: &Setup<'_>) -> Box<dyn Policy> {
        setup.batched(Batch { search: setup.search().clone(), alternatives: 1, pick: Pick::First })
    }

    fn seeks_windows(&self) -> bool {
        true
    }
}

fn batch(pick: Pick, setup: &Setup<'_>) -> Box<dyn Policy> {
    let alternatives = setup.metascheduler.alternatives.get() as usize;
    setup.batched(Batch { search: setup.search().clone(), alternatives, pick })
}

/// The way in which the combination is picked.
#[derive(Debug, Clone)]
pub enum Pick {
    /// The first alternative of every job.
    First,
    /// The exact optimum of the problem.
    Best(Problem),
    /// Chance, within the limit of the problem.
    Random(Problem, Box<Stream>),
    /// The exact optimum of the weighted sum, within both limits.
    Weighted(Weights),
}

/// Collects alternatives for all jobs and picks a combination. Jobs without an alternative go on waiting.
///
/// T* is not rounded here, unlike in print: rounded down to whole units it would be out of reach of many batches of one
/// or two jobs, and what is chosen would depend on the unit of time. The shortest alternatives always keep it. Should a
/// limit be out of reach all the same, every job gets its earliest window, and the decisions say so.
#[derive(Debug, Clone)]
pub struct Batch {
    /// The search for alternatives.
    pub search: Search,
    /// The most alternatives that a job is offered.
    pub alternatives: usize,
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
        let start = |job: usize, pick: usize| windows[placed[job]][pick].start() - view.now;
        let (picks, is_met) = match self.choose(&batch, start) {
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
    /// One alternative for each job; `start` says how long after now it starts.
    fn choose(
        &mut self,
        batch: &[Vec<Alternative>],
        start: impl Fn(usize, usize) -> Span,
    ) -> Result<Vec<usize>, NoChoice> {
        let time = mean_time(batch);
        let limit = |problem: Problem| match problem.limits_time() {
            true => Ok::<_, NoChoice>(BatchLimit::Time(time)),
            false => Ok(BatchLimit::Cost(highest_income(batch, time)?)),
        };
        let Choice { picks, .. } = match &mut self.pick {
            Pick::First => return Ok(vec![0; batch.len()]),
            Pick::Best(problem) => choose(batch, *problem, limit(*problem)?)?,
            Pick::Random(problem, stream) => choose_at_random(batch, *problem, limit(*problem)?, &mut **stream)?,
            Pick::Weighted(weights) => choose_weighted(batch, start, *weights, time, highest_income(batch, time)?)?,
        };
        Ok(picks)
    }
}
