//! The decisions of the brokers, as a Gantt chart.

use super::listed::Solution;
use crate::broker::multicriteria::Market;
use crate::study::{Bar, BarKind, Gantt, Lane, Panel};

/// A panel for each broker, the best compromise last; nothing where offers have no times.
pub(super) fn gantt(market: &Market, decided: &[Solution]) -> Option<Gantt> {
    market.offers.iter().all(|offer| offer.slot.is_some()).then_some(())?;
    // As many lanes for an offer as jobs ever share it.
    let sharers = |solution: &Solution, offer| solution.places.iter().filter(|&&place| place == Some(offer)).count();
    let lanes: Vec<usize> = (0..market.offers.len())
        .map(|offer| decided.iter().map(|solution| sharers(solution, offer)).max().unwrap_or(0).max(1))
        .collect();
    let (best, baselines) = decided.split_first()?;
    let panels = baselines.iter().chain([best]).map(|solution| panel(market, solution, &lanes));
    Some(Gantt {
        file: "schedule".into(),
        title: "Jobs on offers by each broker".into(),
        caption: "From the guaranteed start to the estimated completion.".into(),
        x_label: "Time (time units)".into(),
        requests: market.jobs.iter().map(|job| job.name.clone()).collect(),
        panels: panels.collect(),
    })
}

fn panel(market: &Market, solution: &Solution, lanes: &[usize]) -> Panel {
    let mut drawn = Vec::new();
    for (index, (offer, &count)) in market.offers.iter().zip(lanes).enumerate() {
        let bars =
            solution.places.iter().enumerate().filter(|(_, place)| **place == Some(index)).filter_map(|(job, _)| {
                let start = offer.slot.as_ref()?.start;
                let end = start + offer.bids.get(&job)?.runs.mean()?;
                Some(Bar { start, end, label: market.jobs[job].name.clone(), kind: BarKind::Window(job) })
            });
        let mut bars = bars.map(|bar| vec![bar]);
        drawn.extend((0..count).map(|_| Lane {
            label: offer.name.clone(),
            note: String::new(),
            bars: bars.next().unwrap_or_default(),
        }));
    }
    Panel { title: solution.name.clone(), lanes: drawn }
}
