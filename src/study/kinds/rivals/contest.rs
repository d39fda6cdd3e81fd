//! One cycle: every policy serves the same batch on the same slots.

use super::{RivalLimitSpec, RivalSpec, Rivals};
use crate::check::check_turns;
use crate::combine::{Alternative, Choice, NoChoice, Problem, choose, choose_at_random};
use crate::model::{Request, Window};
use crate::queueing::{Order, QueueRule, plan};
use crate::rng::Streams;
use crate::search::{Finder, Offers, WindowSearch};
use crate::study::kinds::batches::limit;
use crate::study::{RunError, checked};
use std::num::NonZeroU32;

/// The name of a policy in the results.
pub(super) fn name(rival: &RivalSpec) -> String {
    let in_order = |name: &str, order: &Order| match order {
        Order::Arrival => name.to_string(),
        Order::Shortest => format!("{name}, shortest first"),
        Order::Largest => format!("{name}, largest first"),
        Order::Price => format!("{name}, by price"),
        Order::Rank => format!("{name}, by rank"),
    };
    match rival {
        RivalSpec::Fcfs { order } => in_order("FCFS", order),
        RivalSpec::Easy { depth, order } if depth.get() == 1 => in_order("EASY", order),
        RivalSpec::Easy { depth, order } => in_order(&format!("EASY, depth {}", depth.get()), order),
        RivalSpec::Conservative { order } => in_order("conservative", order),
        RivalSpec::NoOpt(RivalLimitSpec::Time) => "NO OPT within T*".into(),
        RivalSpec::NoOpt(RivalLimitSpec::Cost) => "NO OPT within B*".into(),
        RivalSpec::Opt(Problem::MaxCost) => "OPT 1 max cost".into(),
        RivalSpec::Opt(Problem::MinTime) => "OPT 2 min usage".into(),
        RivalSpec::Opt(Problem::MinCost) => "OPT 3 min cost".into(),
        RivalSpec::Opt(Problem::MaxTime) => "OPT 4 max usage".into(),
    }
}

/// A batch and where it is to be placed.
pub(super) struct Contest<'a> {
    pub(super) spec: &'a Rivals,
    pub(super) offers: Offers<'a>,
    pub(super) requests: &'a [Request],
    pub(super) ranks: Vec<i64>,
    pub(super) search: &'a dyn WindowSearch,
    pub(super) finder: Finder,
}

impl Contest<'_> {
    /// For each policy the window of each request, checked; nothing if the limits of one of them can't be met.
    pub(super) fn windows(&self, streams: &Streams) -> Result<Option<Vec<Vec<Option<Window>>>>, RunError> {
        let mut alternatives = checked::windows(&self.offers, self.requests, self.search, None)?;
        // A job without any alternative is dropped from the choice.
        let jobs: Vec<usize> = (0..alternatives.len()).filter(|&job| !alternatives[job].is_empty()).collect();
        alternatives.retain(|job| !job.is_empty());
        let batch = alternatives
            .iter()
            .map(|windows| windows.iter().map(|window| Ok(Alternative::of(window, self.offers.nodes)?)).collect())
            .collect::<Result<Vec<Vec<Alternative>>, RunError>>()?;
        let mut all = Vec::new();
        for rival in self.spec.policies.iter() {
            let windows = match self.queued(rival)? {
                Some(windows) => windows,
                None => match self.choice(rival, &batch, streams) {
                    Ok(choice) => {
                        let mut windows = vec![None; self.requests.len()];
                        for ((&job, alternatives), pick) in jobs.iter().zip(&alternatives).zip(choice.picks) {
                            windows[job] = Some(alternatives[pick].clone());
                        }
                        windows
                    }
                    Err(NoChoice::Infeasible) => return Ok(None),
                    Err(other) => return Err(other.into()),
                },
            };
            let by_request: Vec<Vec<Window>> = windows.iter().map(|window| window.iter().cloned().collect()).collect();
            checked::judge(&self.offers, self.requests, &by_request, self.search)?;
            all.push(windows);
        }
        Ok(Some(all))
    }

    /// The windows that a queue gives, unless the policy is none.
    fn queued(&self, rival: &RivalSpec) -> Result<Option<Vec<Option<Window>>>, RunError> {
        let (policy, order) = match rival {
            RivalSpec::Fcfs { order } => (QueueRule::Fcfs, order),
            RivalSpec::Easy { depth, order } => {
                let depth = u32::try_from(depth.get()).unwrap_or(u32::MAX);
                (NonZeroU32::new(depth).map_or(QueueRule::Easy, QueueRule::Depth), order)
            }
            RivalSpec::Conservative { order } => (QueueRule::Conservative, order),
            RivalSpec::NoOpt(_) | RivalSpec::Opt(_) => return Ok(None),
        };
        let places = order.arrange(self.offers.rule, self.requests, &self.ranks);
        let queue: Vec<&Request> = places.iter().map(|&place| &self.requests[place]).collect();
        let planned = plan(&self.offers, &queue, self.finder, policy);
        if policy == QueueRule::Fcfs {
            let turns: Vec<_> = queue.into_iter().zip(planned.iter().map(Option::as_ref)).collect();
            check_turns(&turns)?;
        }
        let mut windows = vec![None; self.requests.len()];
        for (place, window) in places.into_iter().zip(planned) {
            windows[place] = window;
        }
        Ok(Some(windows))
    }

    /// The combination of alternatives that OPT or NO OPT takes.
    fn choice(&self, rival: &RivalSpec, batch: &[Vec<Alternative>], streams: &Streams) -> Result<Choice, NoChoice> {
        let (problem, stream) = match rival {
            RivalSpec::Opt(spec) => (*spec, None),
            // Any problem with that limit; what it makes best does not matter to chance.
            RivalSpec::NoOpt(RivalLimitSpec::Cost) => (Problem::MinTime, Some("no-opt-cost")),
            _ => (Problem::MinCost, Some("no-opt-time")),
        };
        let limit = limit(batch, problem, self.spec.budget)?;
        match stream {
            None => choose(batch, problem, limit),
            Some(name) => choose_at_random(batch, problem, limit, &mut streams.stream(name)),
        }
    }
}
