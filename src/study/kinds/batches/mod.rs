//! `Batches`: the best combination against a random one within the same limit (file 001, section 4.1).

mod record;

pub(super) use record::*;

use super::Kind;
use crate::combine::limits::BudgetLimit;
use crate::combine::limits::{highest_income, mean_cost, whole_mean_time};
use crate::combine::{Alternative, BatchLimit, Choice, NoChoice, Problem, choose, choose_at_random};
use crate::language::Cursor;
use crate::metrics::{Better, MONEY, Metric, PERCENT, TIME, copies, declare_metrics};
use crate::rng::Streams;
use crate::search::Offers;
use crate::study::checked::alternatives;
use crate::study::expected::{Judge, idle, work};
use crate::study::replicate::Trial;
use crate::study::{Figure, FigureKind, Findings, Observations, RunError, Scale, file_name};
use crate::workload::{draw_environment, draw_jobs};

declare_metrics! {
    /// All metrics. The limit is a time or a cost, by the problem.
    METRICS:
    JOBS = Metric::new(
        "jobs",
        "per cycle",
        "Jobs of the batch that have an alternative, in cycles that count.",
    )
    .at_least(0.0);
    ALTERNATIVES = Metric::new("alternatives per job", "per job", "Windows that the search finds for a job.")
        .at_least(0.0)
        .better(Better::More);
    LIMIT = Metric::new("limit", "time or money units", "The limit within which both modes choose.").at_least(0.0);
    INFEASIBLE = Metric::new(
        "infeasible cycles (%)",
        PERCENT,
        "Cycles that do not count: no job has a place, or no choice keeps the limit.",
    )
    .within(0.0, 100.0)
    .better(Better::Less);
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

/// The metrics of a combination.
static VALUES: [&Metric; 2] = [&COST, &USAGE];
/// The two ways to choose.
const MODES: [&str; 2] = ["OPT", "NO OPT"];

impl Kind for Batches {
    fn metrics(&self) -> Vec<Metric> {
        let mut metrics = copies(METRICS);
        let limits_time = |case: &BatchCase| case.problem.limits_time();
        let unit = match self.cases.iter().map(limits_time).collect::<Vec<_>>() {
            all if all.iter().all(|&is_time| is_time) => TIME,
            all if all.iter().all(|&is_time| !is_time) => MONEY,
            _ => LIMIT.unit(),
        };
        metrics.iter_mut().filter(|metric| **metric == LIMIT).for_each(|limit| *limit = LIMIT.clone().in_unit(unit));
        metrics
    }

    fn own_rows(&self) -> Vec<&str> {
        self.cases.iter().map(|case| case.name.as_str()).collect()
    }

    fn expect(&self, at: &Cursor<'_>, judge: &mut Judge<'_, '_, '_>) {
        for (index, case) in self.cases.iter().enumerate() {
            let place = at.field("cases").element(index);
            judge.environment(&case.environment, &place);
            judge.windows(&place.field("jobs"), idle(&case.environment), work(&case.jobs));
        }
    }

    fn series_names(&self) -> Option<Vec<String>> {
        Some(MODES.into_iter().chain(["both"]).map(String::from).collect())
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Findings, RunError> {
        run(self, trial)
    }
}

fn run(spec: &Batches, trial: &Trial<'_>) -> Result<Findings, RunError> {
    let rows = trial.replicate(|streams| {
        let mut observations = Observations::default();
        spec.cases.iter().try_for_each(|case| observe(case, streams, &mut observations))?;
        Ok(observations)
    })?;
    let figure = |case: &BatchCase, value: &Metric| Figure {
        file: format!("{}-{}", file_name(case.name.as_str()), file_name(value.name())),
        title: format!("{}: {}", case.name, value.name()),
        caption: "Mean over all cycles with its 95 % interval; both modes face the same alternatives and limits."
            .into(),
        x_label: String::new(),
        y_label: format!("{} per cycle ({})", value.title(), value.unit()),
        experiment: case.name.as_str().into(),
        metrics: vec![value.into()],
        kind: FigureKind::Bars,
    };
    let figures = spec.cases.iter().flat_map(|case| VALUES.map(|value| figure(case, value)));
    Ok(Findings { rows, figures: figures.collect(), ..Findings::default() })
}

/// One cycle. It counts if some job can be placed and the limit can be met.
fn observe<'a>(case: &'a BatchCase, streams: Streams, observations: &mut Observations<'a>) -> Result<(), RunError> {
    let world = draw_environment(&case.environment, &streams)?;
    let requests = draw_jobs(&case.jobs, streams.stream("jobs"))?;
    let search = case.search.get();
    let offers = Offers { nodes: &world.nodes, slots: &world.slots, rule: case.runtime };
    let mut batch = alternatives(&offers, &requests, search, None)?;
    // A job without any alternative is dropped from the cycle.
    batch.retain(|job| !job.is_empty());
    let chosen = match (!batch.is_empty()).then(|| both(case, &batch, &streams)).transpose() {
        Ok(chosen) => chosen,
        Err(NoChoice::Infeasible) => None,
        Err(other) => return Err(other.into()),
    };
    let counted = |value: f64| chosen.map(|_| value);
    let jobs = batch.len() as f64;
    let experiment = case.name.as_str();
    let mut totals = observations.of(experiment, "both");
    totals.add(&ALTERNATIVES, counted(batch.iter().map(Vec::len).sum::<usize>() as f64 / jobs));
    totals.add(&INFEASIBLE, if chosen.is_none() { 100.0 } else { 0.0 });
    let [opt, no_opt] = [0, 1].map(|mode| {
        let mut series = observations.of(experiment, MODES[mode]);
        series.add(&JOBS, counted(jobs));
        series.add(&LIMIT, chosen.map(|(limit, _)| limit));
        [0, 1].map(|at| series.add(VALUES[at], chosen.map(|(_, values)| values[mode][at])))
    });
    // Print gives by how much the larger value is above the smaller one: what is made small, NO OPT has more of.
    let (more, less) = match case.problem {
        Problem::MaxCost => (opt[0], no_opt[0]),
        Problem::MinCost => (no_opt[0], opt[0]),
        Problem::MinTime => (no_opt[1], opt[1]),
        Problem::MaxTime => (opt[1], no_opt[1]),
    };
    observations.of(experiment, "OPT against NO OPT").ratio(&GAIN, more, less, Scale::Change);
    Ok(())
}

/// The limit that the problem has to keep within.
pub(super) fn limit(batch: &[Vec<Alternative>], problem: Problem, budget: BudgetLimit) -> Result<BatchLimit, NoChoice> {
    let time = whole_mean_time(batch);
    Ok(match (problem.limits_time(), budget) {
        (true, _) => BatchLimit::Time(time),
        (false, BudgetLimit::HighestIncome) => BatchLimit::Cost(highest_income(batch, time)?),
        (false, BudgetLimit::MeanCost) => BatchLimit::Cost(mean_cost(batch)),
    })
}

/// The limit, and cost and usage of OPT and of NO OPT within it.
fn both(case: &BatchCase, batch: &[Vec<Alternative>], streams: &Streams) -> Result<(f64, [[f64; 2]; 2]), NoChoice> {
    let problem = case.problem;
    let limit = limit(batch, problem, case.budget)?;
    let best = choose(batch, problem, limit)?;
    let random = choose_at_random(batch, problem, limit, &mut streams.stream("no-opt"))?;
    let values = |choice: Choice| [choice.cost.as_f64(), choice.time.as_f64()];
    let limit = match limit {
        BatchLimit::Time(span) => span.as_f64(),
        BatchLimit::Cost(money) => money.as_f64(),
    };
    Ok((limit, [values(best), values(random)]))
}
