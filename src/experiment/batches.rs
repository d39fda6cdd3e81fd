//! `Batches`: the best combination against a random one within the same limit (file 001, section 4.1).

use super::checked::alternatives;
use super::replicate::{Named, Watch, replicate};
use super::{Figure, FigureKind, Findings, Row, RunError};
use crate::combine::limits::{highest_income, mean_cost, mean_time};
use crate::combine::{Alternative, Choice, Limit, NoChoice, Problem, choose, choose_at_random};
use crate::metrics::{Estimate, PairTally};
use crate::policy::named_search;
use crate::rng::Streams;
use crate::scenario::schema::{BatchCase, Batches, BudgetLimit, ProblemSpec, Scenario};
use crate::search::Offers;
use crate::workload::{draw_environment, draw_jobs};

/// What is measured of a combination.
const VALUES: [&str; 2] = ["cost", "slot usage"];
/// Their units.
const UNITS: [&str; 2] = ["money units", "time units"];
/// The two ways to choose.
const MODES: [&str; 2] = ["OPT", "NO OPT"];

/// One cycle: jobs with an alternative, alternatives per such job, and per mode cost and usage; no modes if no job can be
/// placed or the limit can't be met.
struct Observed {
    jobs: f64,
    alternatives: Option<f64>,
    limit: Option<f64>,
    modes: Option<[[f64; 2]; 2]>,
}

pub(super) fn run(spec: &Batches, scenario: &Scenario, watch: &impl Watch) -> Result<Findings, RunError> {
    let mut findings = Findings { units: super::own_units(VALUES.into_iter().zip(UNITS)), ..Findings::default() };
    for case in spec.cases.iter() {
        let mut totals = ["jobs", "alternatives per job", "limit", "infeasible cycles (%)"].map(Named::new);
        let mut modes = MODES.map(|_| VALUES.map(Named::new));
        let mut against: [PairTally; 2] = Default::default();
        replicate(
            scenario,
            watch,
            |streams| observe(case, streams),
            |observed| {
                totals[3].add(if observed.modes.is_none() { 100.0 } else { 0.0 })?;
                let Some(values) = observed.modes else { return Ok(()) };
                totals[0].add(observed.jobs)?;
                for (tally, value) in totals[1..3].iter_mut().zip([observed.alternatives, observed.limit]) {
                    value.map_or(Ok(()), |value| tally.add(value))?;
                }
                for (tallies, values) in modes.iter_mut().zip(&values) {
                    tallies.iter_mut().zip(values).try_for_each(|(tally, &value)| tally.add(value))?;
                }
                for (at, tally) in against.iter_mut().enumerate() {
                    tally
                        .add(values[0][at], values[1][at])
                        .map_err(|error| RunError::Stats { what: VALUES[at].into(), error })?;
                }
                Ok(())
            },
        )?;
        findings.rows.extend(rows(case, &totals, &modes, &against));
        findings.figures.extend(VALUES.into_iter().zip(UNITS).map(|(value, unit)| Figure {
            file: format!("{}-{}", super::file_name(case.name.as_str()), super::file_name(value)),
            title: format!("{}: {value}", case.name),
            caption:
                "Mean over all cycles with its 95 % interval; both modes face the same alternatives and limits.".into(),
            x_label: String::new(),
            y_label: format!("{} per cycle ({unit})", super::capitalised(value)),
            experiment: case.name.as_str().into(),
            metrics: vec![value.into()],
            kind: FigureKind::Bars,
        }));
    }
    Ok(findings)
}

fn rows(case: &BatchCase, totals: &[Named], modes: &[[Named; 2]], against: &[PairTally]) -> Vec<Row> {
    let experiment = case.name.as_str();
    let mut rows = Vec::new();
    let mut push = |series: &str, tally: &Named| {
        rows.extend(tally.estimate().map(|estimate| Row::new(experiment, series, &tally.name, estimate)));
    };
    totals.iter().for_each(|tally| push("both", tally));
    for (mode, tallies) in MODES.iter().zip(modes) {
        tallies.iter().for_each(|tally| push(mode, tally));
    }
    // The gain is in what the problem makes best, and positive when OPT is better.
    let problem = problem(case.problem);
    let (value, sign) = match problem {
        Problem::MaxCost => (0, 1.0),
        Problem::MinCost => (0, -1.0),
        Problem::MinTime => (1, -1.0),
        Problem::MaxTime => (1, 1.0),
    };
    if let Ok(ratio) = against[value].ratio() {
        let gain =
            Estimate { mean: 100.0 * sign * (ratio.mean - 1.0), ci95: ratio.ci95.map(|ci95| 100.0 * ci95), n: ratio.n };
        rows.push(Row::new(experiment, "OPT against NO OPT", "gain (%)", gain));
    }
    rows
}

pub(super) fn problem(spec: ProblemSpec) -> Problem {
    match spec {
        ProblemSpec::MaxCost => Problem::MaxCost,
        ProblemSpec::MinTime => Problem::MinTime,
        ProblemSpec::MinCost => Problem::MinCost,
        ProblemSpec::MaxTime => Problem::MaxTime,
    }
}

fn observe(case: &BatchCase, streams: Streams) -> Result<Observed, RunError> {
    let world = draw_environment(&case.environment, &streams)?;
    let requests = draw_jobs(&case.jobs, streams.stream("jobs"))?;
    let search = named_search(&case.search);
    let offers = Offers { nodes: &world.nodes, slots: &world.slots, rule: case.runtime.rule() };
    let mut batch = alternatives(&offers, &requests, &search, None)?;
    // A job without any alternative is dropped from the cycle.
    batch.retain(|job| !job.is_empty());
    let jobs = batch.len() as f64;
    let alternatives = (jobs > 0.0).then(|| batch.iter().map(Vec::len).sum::<usize>() as f64 / jobs);
    let mut observed = Observed { jobs, alternatives, limit: None, modes: None };
    if batch.is_empty() {
        return Ok(observed);
    }
    match both(case, &batch, &streams) {
        Ok((limit, modes)) => {
            observed.limit = Some(limit);
            observed.modes = Some(modes);
            Ok(observed)
        }
        Err(NoChoice::Infeasible) => Ok(observed),
        Err(other) => Err(other.into()),
    }
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
    let problem = problem(case.problem);
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
