//! Ways side by side: the jobs that each places, and job by job against a baseline.
//!
//! Ways place different jobs, so means over what each has placed do not compare like with like: whoever turns down the
//! long jobs looks quick. Therefore the number of jobs placed stands beside every mean, and the differences from the
//! baseline are taken job by job over the jobs that both ways have placed.

use super::way::{WaySpec, name};
use super::{BatchCase, COUNTED, Cycle, Plan, percent};
use crate::metrics::{Better, MONEY, Metric, TIME};
use crate::study::parts::bars;
use crate::study::{Figure, Observations, Row};

/// The series of what holds for all ways.
pub(super) const ALL: &str = "all policies";
/// The metrics of a way: those of the whole batch, then those of a job.
static METRICS: [Metric; 7] = [
    Metric::new("jobs placed", "jobs per cycle", "Jobs of the batch that have a window.")
        .at_least(0.0)
        .better(Better::More),
    Metric::new("owner income", "money units per cycle", "What all placed jobs pay.")
        .at_least(0.0)
        .better(Better::More),
    Metric::new("utilisation", "% of idle node time", "Idle node time that the placed jobs take.")
        .within(0.0, 100.0)
        .better(Better::More),
    Metric::new("cost", MONEY, "Mean cost of the placed jobs.").at_least(0.0).better(Better::Less),
    Metric::new("usage", TIME, "Mean time of the placed jobs: that of the longest task.")
        .at_least(0.0)
        .better(Better::Less),
    Metric::new("start", TIME, "Mean start of the placed jobs.").at_least(0.0).better(Better::Less),
    Metric::new("finish", TIME, "Mean finish of the placed jobs.").at_least(0.0).better(Better::Less),
];
/// The number of those that are about the whole batch.
const OF_BATCH: usize = 3;

/// The difference from the baseline. Metrics of a sweep need names of their own.
fn difference(metric: &Metric) -> Metric {
    metric.difference(format!("{} minus baseline", metric.name()), "the baseline")
}

pub(super) fn metrics() -> Vec<Metric> {
    METRICS.iter().cloned().chain(METRICS.iter().map(difference)).chain([COUNTED.clone()]).collect()
}

/// Says so if most cycles are left out.
pub(super) fn few_counted(case: &BatchCase, rows: &[Row]) -> Option<String> {
    let is_share = |row: &&Row| row.metric == COUNTED.name() && row.experiment == case.name.as_str();
    let share = rows.iter().find(is_share)?.mean;
    (share < 50.0).then(|| {
        format!(
            "only {share:.0} % of the cycles count: in the others a policy places no job, or OPT and NO OPT have no \
             combination within their limit. T* is a whole number of units, as in print, so that jobs with a single \
             alternative each can't keep it unless lengths are whole numbers (`jobs.length: UniformInteger(...)`)"
        )
    })
}

pub(super) fn figures(case: &BatchCase, ways: &[WaySpec], against: &str) -> Vec<Figure> {
    let own = "Mean over the counted cycles with its 95 % interval; every policy faces the same batches and slots. Cost, \
               usage, start and finish are means over the jobs that the policy places.";
    let paired = "Mean difference over the counted cycles with its 95 % interval. Cost, usage, start and finish are \
                  compared job by job, over the jobs that both policies place.";
    let mut figures = Vec::new();
    for metric in &METRICS {
        let title = metric.title();
        figures.push(bars(metric.name(), title.clone(), own, (metric.label(), case.name.as_str()), &[metric]));
        if ways.len() > 1 {
            let difference = difference(metric);
            let label = (difference.label(), against);
            figures.push(bars(difference.name(), format!("{title}, {against}"), paired, label, &[&difference]));
        }
    }
    figures
}

pub(super) fn observe(
    case: &BatchCase,
    (ways, baseline): (&[WaySpec], &WaySpec),
    cycle: &Cycle,
    (against, to): (&str, &mut Observations<'_>),
) {
    let experiment = || case.name.to_string();
    let baseline = ways.iter().position(|way| way == baseline).unwrap_or(0);
    to.of(experiment(), ALL).add(&COUNTED, percent(cycle.counts));
    for search in &cycle.searches {
        let plans = search.plans.as_ref();
        for (at, way) in ways.iter().enumerate() {
            let values = plans.map(|plans| values(&plans[at]));
            let mut series = to.of(experiment(), case.series_of(&search.name, &name(way)));
            for (part, metric) in METRICS.iter().enumerate() {
                series.add(metric, values.map(|values| values[part]));
            }
        }
        for (at, way) in ways.iter().enumerate().filter(|&(at, _)| at != baseline) {
            let differences = plans.map(|plans| differences(&plans[at], &plans[baseline]));
            let mut series = to.of(against.to_string(), case.series_of(&search.name, &name(way)));
            for (part, metric) in METRICS.iter().enumerate() {
                series.add(difference(metric).name().to_string(), differences.and_then(|of| of[part]));
            }
        }
    }
}

/// The results of a way in one cycle: totals, and means over the jobs that it places.
fn values(plan: &Plan) -> [f64; 7] {
    let placed: Vec<[f64; 4]> = plan.jobs.iter().flatten().copied().collect();
    let total = |part: usize| placed.iter().map(|job| job[part]).sum::<f64>();
    let [cost, usage, start, finish] = [0, 1, 2, 3].map(|part| total(part) / placed.len() as f64);
    [placed.len() as f64, total(0), plan.utilisation, cost, usage, start, finish]
}

/// The differences of a way from the baseline; those that concern single jobs only if some job is placed by both.
fn differences(own: &Plan, baseline: &Plan) -> [Option<f64>; 7] {
    let (own_values, others) = (values(own), values(baseline));
    let pairs = own.jobs.iter().zip(&baseline.jobs).filter_map(|(one, other)| Some(((*one)?, (*other)?)));
    let pairs: Vec<([f64; 4], [f64; 4])> = pairs.collect();
    std::array::from_fn(|part| match part.checked_sub(OF_BATCH) {
        None => Some(own_values[part] - others[part]),
        Some(part) => {
            let sum = pairs.iter().map(|(one, other)| one[part] - other[part]).sum::<f64>();
            (!pairs.is_empty()).then(|| sum / pairs.len() as f64)
        }
    })
}
