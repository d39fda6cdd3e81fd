//! Ways to serve a batch: queues, and choices among the alternatives of its jobs.

use super::record::{BatchCase, Compared};
use crate::check::check_turns;
use crate::choice;
use crate::combine::limits::{BudgetLimit, highest_income, mean_cost, whole_mean_time};
use crate::combine::{
    Alternative, BatchLimit, Choice, NoChoice, Problem, Weights, choose, choose_at_random, choose_weighted,
};
use crate::language::{Count, NonNegative};
use crate::model::{Request, Window};
use crate::queueing::{Order, QueueRule, plan};
use crate::rng::Streams;
use crate::search::{Offers, WindowSearch};
use crate::study::{RunError, checked};
use crate::units::{Money, Span};
use std::cell::OnceCell;

choice! {
    /// Ways to serve a batch.
    pub enum WaySpec {
        /// First come, first served: no job starts before one ahead of it in the queue.
        Fcfs {
            /// The order of the queue.
            order: Order = Order::Arrival,
        },
        /// Backfilling that delays none of the first in the queue, which hold reservations: just the head, unless
        /// `depth` says otherwise.
        Easy {
            /// The number of jobs that hold reservations.
            #[unit = "jobs"]
            depth: Count = Count::ONE,
            /// The order of the queue.
            order: Order = Order::Arrival,
        },
        /// Backfilling that delays no job: all hold reservations.
        Conservative {
            /// The order of the queue.
            order: Order = Order::Arrival,
        },
        /// One of each job's alternatives, at random within a limit: NO OPT.
        NoOpt(WayLimit),
        /// The best combination of alternatives: OPT.
        Opt(Problem),
        /// The best combination within both limits by the weighted vector of criteria <C, D, T, I> (file 000, section
        /// 2): the cost C and the time T are to be low; D = B* - C and I = T* - T, what they leave of their limits, are
        /// to be high.
        Weighted {
            /// The weight of a unit of the cost, C.
            #[unit = "weight per unit of money"]
            cost: NonNegative = NonNegative::ZERO,
            /// The weight of a unit of the budget left over, D.
            #[unit = "weight per unit of money"]
            saved: NonNegative = NonNegative::ZERO,
            /// The weight of a unit of the time, T.
            #[unit = "weight per unit of time"]
            time: NonNegative = NonNegative::ZERO,
            /// The weight of a unit of the time left over, I.
            #[unit = "weight per unit of time"]
            idle: NonNegative = NonNegative::ZERO,
        },
    }
    check(this, at, errors) {
        if let Self::Weighted { cost, saved, time, idle } = this
            && [cost, saved, time, idle].iter().all(|weight| **weight == NonNegative::ZERO)
        {
            errors.add(at, "all weights are 0", "give at least one above 0");
        }
    }
}

choice! {
    /// The limits of the choice for a batch.
    #[derive(Copy)]
    pub enum WayLimit {
        /// T*, the limit on the total time.
        Time,
        /// B*, the limit on the total cost.
        Cost,
    }
}

/// The name of a way in the results.
pub(super) fn name(way: &WaySpec) -> String {
    match way {
        WaySpec::Fcfs { order } => order.of(QueueRule::Fcfs.name()),
        WaySpec::Easy { depth, order } => order.of(QueueRule::easy(*depth).name()),
        WaySpec::Conservative { order } => order.of(QueueRule::Conservative.name()),
        WaySpec::NoOpt(WayLimit::Time) => "NO OPT within T*".into(),
        WaySpec::NoOpt(WayLimit::Cost) => "NO OPT within B*".into(),
        WaySpec::Opt(problem) => format!("OPT {}", problem.name()),
        WaySpec::Weighted { .. } => "weighted".into(),
    }
}

impl WaySpec {
    /// The weighted vector, whatever its weights.
    pub(super) const EVEN: Self = Self::Weighted {
        cost: NonNegative::ZERO,
        saved: NonNegative::ZERO,
        time: NonNegative::ZERO,
        idle: NonNegative::ZERO,
    };
}

/// A batch that waits, what is offered to it, and the alternatives of its jobs.
pub(super) struct Batch<'a> {
    pub(super) case: &'a BatchCase,
    pub(super) offers: Offers<'a>,
    pub(super) requests: &'a [Request],
    pub(super) ranks: &'a [i64],
    search: &'a dyn WindowSearch,
    windows: &'a [Vec<Window>],
    /// The jobs that have alternatives, and these.
    jobs: Vec<usize>,
    alternatives: Vec<Vec<Alternative>>,
    budget: OnceCell<Result<Money, NoChoice>>,
}

/// The windows that a way gives the jobs, and the limit that it keeps, if it has one.
type Served = (Vec<Option<Window>>, Option<f64>);

impl<'a> Batch<'a> {
    pub(super) fn new(
        case: &'a BatchCase,
        offers: Offers<'a>,
        (requests, ranks): (&'a [Request], &'a [i64]),
        (search, windows): (&'a dyn WindowSearch, &'a [Vec<Window>]),
    ) -> Result<Self, RunError> {
        let jobs: Vec<usize> = (0..windows.len()).filter(|&job| !windows[job].is_empty()).collect();
        let mut alternatives = Alternative::of_each(windows, offers.nodes)?;
        alternatives.retain(|job| !job.is_empty());
        let budget = OnceCell::new();
        Ok(Self { case, offers, requests, ranks, search, windows, jobs, alternatives, budget })
    }

    /// Serves the batch by one of the ways; nothing if its limit can't be met.
    pub(super) fn serve(&self, way: &WaySpec, streams: &Streams) -> Result<Option<Served>, RunError> {
        let queued = |rule, order| Ok(Some((self.queued(rule, order)?, None)));
        let chosen = match way {
            WaySpec::Fcfs { order } => return queued(QueueRule::Fcfs, order),
            WaySpec::Easy { depth, order } => return queued(QueueRule::easy(*depth), order),
            WaySpec::Conservative { order } => return queued(QueueRule::Conservative, order),
            WaySpec::Opt(problem) => self.choose(*problem, choose),
            // Any problem with that limit; what it makes best does not matter to chance.
            WaySpec::NoOpt(limit) => {
                let (problem, random) = match (limit, &self.case.compare) {
                    (WayLimit::Time, Compared::Problem(_)) => (Problem::MinCost, "no-opt"),
                    (WayLimit::Time, _) => (Problem::MinCost, "no-opt-time"),
                    (WayLimit::Cost, Compared::Problem(_)) => (Problem::MinTime, "no-opt"),
                    (WayLimit::Cost, _) => (Problem::MinTime, "no-opt-cost"),
                };
                self.choose(problem, |batch, problem, limit| {
                    choose_at_random(batch, problem, limit, &mut streams.stream(random))
                })
            }
            WaySpec::Weighted { cost, saved, time, idle } => {
                let [cost, saved, time, idle] = [cost, saved, time, idle].map(|weight| weight.get());
                // Starts do not count.
                let weights = Weights { cost, saved, time, idle, start: 0.0 };
                let limit = whole_mean_time(&self.alternatives);
                self.budget().and_then(|budget| {
                    Ok((choose_weighted(&self.alternatives, |_, _| Span::ZERO, weights, limit, budget)?, None))
                })
            }
        };
        match chosen {
            Ok((choice, limit)) => {
                let mut windows = vec![None; self.requests.len()];
                for (&job, pick) in self.jobs.iter().zip(choice.picks) {
                    windows[job] = Some(self.windows[job][pick].clone());
                }
                Ok(Some((windows, limit)))
            }
            Err(NoChoice::Infeasible) => Ok(None),
            Err(other) => Err(other.into()),
        }
    }

    /// A combination of alternatives within the limit of the problem.
    fn choose(
        &self,
        problem: Problem,
        choose: impl FnOnce(&[Vec<Alternative>], Problem, BatchLimit) -> Result<Choice, NoChoice>,
    ) -> Result<(Choice, Option<f64>), NoChoice> {
        let (limit, shown) = if problem.limits_time() {
            let time = whole_mean_time(&self.alternatives);
            (BatchLimit::Time(time), time.as_f64())
        } else {
            let budget = self.budget()?;
            (BatchLimit::Cost(budget), budget.as_f64())
        };
        Ok((choose(&self.alternatives, problem, limit)?, Some(shown)))
    }

    /// B*.
    fn budget(&self) -> Result<Money, NoChoice> {
        *self.budget.get_or_init(|| match self.case.budget {
            BudgetLimit::HighestIncome => highest_income(&self.alternatives, whole_mean_time(&self.alternatives)),
            BudgetLimit::MeanCost => Ok(mean_cost(&self.alternatives)),
        })
    }

    /// The windows that a queue gives, checked.
    fn queued(&self, rule: QueueRule, order: &Order) -> Result<Vec<Option<Window>>, RunError> {
        let places = order.arrange(self.offers.rule, self.requests, self.ranks);
        let queue: Vec<&Request> = places.iter().map(|&place| &self.requests[place]).collect();
        let Some(finder) = self.search.finder() else { return Ok(vec![None; queue.len()]) };
        let planned = plan(&self.offers, &queue, finder, rule);
        if rule == QueueRule::Fcfs {
            let turns: Vec<_> = queue.into_iter().zip(planned.iter().map(Option::as_ref)).collect();
            check_turns(&turns)?;
        }
        let mut windows = vec![None; self.requests.len()];
        for (place, window) in places.into_iter().zip(planned) {
            windows[place] = window;
        }
        let by_request: Vec<Vec<Window>> = windows.iter().map(|window| window.iter().cloned().collect()).collect();
        checked::judge(&self.offers, self.requests, &by_request, self.search)?;
        Ok(windows)
    }
}
