//! Small markets, in which the local search of brokers is held against the exact one.

use super::drawn::{DrawnMarkets, market};
use super::*;
use crate::broker::multicriteria::exact;
use crate::workload::market::draw_market;

/// The largest number of steps that the exact search of a small market may take.
const EXACT_STEPS: u64 = 50_000_000;

/// The result of a local search, held against the exact one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Found {
    Optimum,
    /// It places fewer jobs.
    FewerJobs,
    /// It places as many, and misses this many per cent of the best total.
    Gap(f64),
}

impl Found {
    /// The percentage of the best total that is missed; nothing where fewer jobs are placed, which a total can't tell.
    pub(super) fn gap(self) -> Option<f64> {
        match self {
            Self::Optimum => Some(0.0),
            Self::FewerJobs => None,
            Self::Gap(gap) => Some(gap),
        }
    }
}

/// The result of the local search in a small market; nothing where no job can be placed.
pub(super) fn small(
    spec: &DrawnMarkets,
    rules: SatisfactionRules,
    streams: &Streams,
) -> Result<Option<Found>, RunError> {
    let size = spec.small.get() as usize;
    let mut market = market(draw_market(&spec.values, size, size, streams));
    // One job for each offer: the tightest there is.
    market.offers.iter_mut().for_each(|offer| offer.units = Some(1));
    market.jobs.iter_mut().for_each(|job| job.units = 1);
    let problem = MarketProblem::new(&market, rules)?;
    let Some(best) = exact(&problem, EXACT_STEPS) else { return Ok(None) };
    let found = improve(&problem, spec.beginnings.get() as u32, &mut streams.stream("small local search"));
    judged(&market, &best)?;
    judged(&market, &found)?;
    let [best, found] = [best, found].map(|places| problem.evaluate(&places).score);
    if best.placed == 0 {
        return Ok(None);
    }
    let gap = 100.0 * (best.total - found.total) / best.total;
    Ok(Some(match found.placed < best.placed {
        true => Found::FewerJobs,
        false if best.total - found.total < 1e-9 => Found::Optimum,
        false => Found::Gap(gap),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gap_is_over_all_markets_in_which_as_many_are_placed() {
        let found = [Found::Optimum, Found::Gap(12.0), Found::FewerJobs, Found::Optimum];
        let gaps: Vec<f64> = found.into_iter().filter_map(Found::gap).collect();
        assert_eq!(gaps, [0.0, 12.0, 0.0]);
    }
}
