//! `Batches`: the best combination against a random one within the same limit (file 001, section 4.1).

mod record;

pub use record::*;

use super::Kind;
use crate::combine::limits::BudgetLimit;
use crate::combine::limits::{highest_income, mean_cost, mean_time};
use crate::combine::{Alternative, Choice, Limit, NoChoice, Problem, choose, choose_at_random};
use crate::language::Cursor;
use crate::rng::Streams;
use crate::search::Offers;
use crate::study::checked::alternatives;
use crate::study::declared::Metrics;
use crate::study::expected::{Judge, idle, work};
use crate::study::replicate::Trial;
use crate::study::{Figure, FigureKind, Findings, Observations, RunError, Scale};
use crate::workload::{draw_environment, draw_jobs};

/// What is measured of a combination.
const VALUES: [&str; 2] = ["cost", "slot usage"];
/// Their units.
const UNITS: [&str; 2] = ["money units", "time units"];
/// The two ways to choose.
const MODES: [&str; 2] = ["OPT", "NO OPT"];

impl Kind for Batches {
    fn metrics(&self) -> Metrics {
        Metrics::of([
            "jobs",
            "alternatives per job",
            "limit",
            "infeasible cycles (%)",
            "cost",
            "slot usage",
            "gain (%)",
        ])
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
    let figure = |case: &BatchCase, value: &str, unit: &str| Figure {
        file: format!("{}-{}", crate::study::file_name(case.name.as_str()), crate::study::file_name(value)),
        title: format!("{}: {value}", case.name),
        caption: "Mean over all cycles with its 95 % interval; both modes face the same alternatives and limits."
            .into(),
        x_label: String::new(),
        y_label: format!("{} per cycle ({unit})", crate::study::capitalised(value)),
        experiment: case.name.as_str().into(),
        metrics: vec![value.into()],
        kind: FigureKind::Bars,
    };
    let values = || VALUES.into_iter().zip(UNITS);
    let figures = spec.cases.iter().flat_map(|case| values().map(move |(value, unit)| figure(case, value, unit)));
    Ok(Findings { rows, figures: figures.collect(), units: crate::study::own_units(values()), ..Findings::default() })
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
    totals.add("jobs", counted(jobs));
    totals.add("alternatives per job", counted(batch.iter().map(Vec::len).sum::<usize>() as f64 / jobs));
    totals.add("limit", chosen.map(|(limit, _)| limit));
    totals.add("infeasible cycles (%)", if chosen.is_none() { 100.0 } else { 0.0 });
    // The gain is in what the problem makes best, and positive when OPT is better.
    let (value, scale) = match case.problem {
        Problem::MaxCost => (0, Scale::Change),
        Problem::MinCost => (0, Scale::Saving),
        Problem::MinTime => (1, Scale::Saving),
        Problem::MaxTime => (1, Scale::Change),
    };
    let [opt, no_opt] = [0, 1].map(|mode| {
        let mut series = observations.of(experiment, MODES[mode]);
        [0, 1].map(|at| series.add(VALUES[at], chosen.map(|(_, values)| values[mode][at])))
    });
    observations.of(experiment, "OPT against NO OPT").ratio("gain (%)", opt[value], no_opt[value], scale);
    Ok(())
}

/// What the problem has to keep within.
pub(super) fn limit(batch: &[Vec<Alternative>], problem: Problem, budget: BudgetLimit) -> Result<Limit, NoChoice> {
    let time = mean_time(batch);
    Ok(match (problem.limits_time(), budget) {
        (true, _) => Limit::Time(time),
        (false, BudgetLimit::HighestIncome) => Limit::Cost(highest_income(batch, time)?),
        (false, BudgetLimit::MeanCost) => Limit::Cost(mean_cost(batch)),
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
        Limit::Time(span) => span.as_f64(),
        Limit::Cost(money) => money.as_f64(),
    };
    Ok((limit, [values(best), values(random)]))
}
