//! OPT and NO OPT for one problem: the totals of the combination, and the gain.

use super::{ALTERNATIVES, BatchCase, Cycle, INFEASIBLE, percent};
use crate::combine::Problem;
use crate::metrics::{Better, MONEY, Metric, PERCENT, TIME, copies, declare_metrics};
use crate::study::parts::bars;
use crate::study::{Figure, Observations, Scale};

/// The unit of limits on the time of some problems and on the cost of others.
pub(super) const EITHER: &str = "time or money units";
/// The two ways to choose.
pub(super) const MODES: [&str; 2] = ["OPT", "NO OPT"];
/// The series of what holds for both.
pub(super) const BOTH: &str = "both";

declare_metrics! {
    /// The metrics of a combination.
    METRICS:
    JOBS = Metric::new("jobs", "per cycle", "Jobs of the batch that have an alternative, in cycles that count.")
        .at_least(0.0);
    LIMIT = Metric::new("limit", EITHER, "The limit within which both modes choose.").at_least(0.0);
    COST = Metric::new("cost", MONEY, "Cost of the chosen combination.").at_least(0.0);
    USAGE = Metric::new("slot usage", TIME, "Time of the chosen combination, summed over its jobs.").at_least(0.0);
    GAIN = Metric::new(
        "gain (%)",
        PERCENT,
        "OPT over NO OPT in what is made best, or NO OPT over OPT if less is better; less 100 %.",
    )
    .at_least(-100.0)
    .better(Better::More);
}

pub(super) fn metrics(limit: &'static str) -> Vec<Metric> {
    let mut metrics = copies(METRICS);
    metrics.iter_mut().filter(|metric| **metric == LIMIT).for_each(|metric| *metric = LIMIT.clone().in_unit(limit));
    metrics.into_iter().chain([ALTERNATIVES.clone(), INFEASIBLE.clone()]).collect()
}

pub(super) fn figures(case: &BatchCase) -> Vec<Figure> {
    let caption = "Mean over all cycles with its 95 % interval; both modes face the same alternatives and limits.";
    let figure = |value: &Metric| {
        let label = format!("{} per cycle ({})", value.title(), value.unit());
        let title = format!("{}: {}", case.name, value.name());
        bars(value.name(), title, caption, (label, case.name.as_str()), &[value])
    };
    [&COST, &USAGE].map(figure).to_vec()
}

pub(super) fn observe(case: &BatchCase, problem: Problem, cycle: &Cycle, to: &mut Observations<'_>) {
    let experiment = case.name.as_str();
    for search in &cycle.searches {
        let both = case.series_of(&search.name, BOTH);
        to.of(experiment.to_string(), both).add(&ALTERNATIVES, search.alternatives());
    }
    to.of(experiment.to_string(), BOTH).add(&INFEASIBLE, percent(!cycle.counts));
    for search in &cycle.searches {
        let [opt, no_opt] = [0, 1].map(|mode| {
            let plan = search.plans.as_ref().map(|plans| &plans[mode]);
            let mut series = to.of(experiment.to_string(), case.series_of(&search.name, MODES[mode]));
            series.add(&JOBS, plan.map(|_| search.placed as f64));
            series.add(&LIMIT, plan.and_then(|plan| plan.limit));
            let cost = series.add(&COST, plan.map(|plan| plan.cost.as_f64()));
            [cost, series.add(&USAGE, plan.map(|plan| plan.time.as_f64()))]
        });
        // Print gives by how much the larger value is above the smaller one: what is made small, NO OPT has more of.
        let (more, less) = match problem {
            Problem::MaxCost => (opt[0], no_opt[0]),
            Problem::MinCost => (no_opt[0], opt[0]),
            Problem::MinTime => (no_opt[1], opt[1]),
            Problem::MaxTime => (opt[1], no_opt[1]),
        };
        let series = case.series_of(&search.name, "OPT against NO OPT");
        to.of(experiment.to_string(), series).ratio(&GAIN, more, less, Scale::Change);
    }
}
