//! Listed markets: the best compromise beside listed solutions and baselines.

use super::offers::CriterionSpec;
use super::*;
use super::{front, schedule};
use crate::broker::multicriteria::{Evaluation, exact};
use crate::metrics::Estimate;
use crate::study::{Row, Scenario};

/// The experiment of rows about brokers, and that of rows about listed solutions.
const BROKERS: &str = "brokers";
const SOLUTIONS: &str = "solutions";
/// The series of the best compromise.
const BEST: &str = "multicriteria";
/// The largest number of steps that an exact search may take before a local one is made instead.
const EXACT_STEPS: u64 = 5_000_000;
/// From how many beginnings a local search starts.
const BEGINNINGS: u32 = 20;

/// A solution with its name: a listed one, or what a broker decides.
pub(super) struct Solution {
    pub(super) name: String,
    pub(super) places: Assignment,
}

/// The names of all series.
pub(super) fn series_names(spec: &ListedMarket) -> Vec<String> {
    let listed = spec.solutions.iter().map(|solution| solution.name.as_str());
    let baselines = spec.baselines.iter().map(|baseline| match baseline {
        BaselineSpec::Least { name, .. } | BaselineSpec::Random { name } => name.as_str(),
    });
    let of_front = spec.front.iter().flat_map(|_| front::SERIES);
    listed.chain([BEST]).chain(baselines).chain(of_front).map(String::from).collect()
}

pub(super) fn run(of: &Multicriteria, spec: &ListedMarket, trial: &Trial<'_>) -> Result<Findings, RunError> {
    let market = spec.scaled_market(of.rules())?;
    let problem = MarketProblem::new(&market, of.rules())?.until(trial.stop());
    let mut notes = indifference(&market, &problem);
    let listed: Vec<Solution> = spec
        .solutions
        .iter()
        .map(|solution| Solution { name: solution.name.as_str().into(), places: spec.places(solution) })
        .collect();
    let decided = decide(spec, &problem, trial.scenario, &mut notes);
    for solution in listed.iter().chain(&decided) {
        judged(&market, &solution.places)?;
    }
    let mut rows = Vec::new();
    for solution in &listed {
        rows.extend(describe(SOLUTIONS, solution, spec, &market, &problem));
    }
    for solution in &decided {
        rows.extend(describe(BROKERS, solution, spec, &market, &problem));
        rows.extend(places(solution, &market));
        rows.extend(confirmations(solution, of.keep, spec, &market)?);
    }
    trial.record(&rows)?;
    let mut figures = vec![satisfaction(&market)];
    let mut files = Vec::new();
    if let Some(front) = front::front(spec, &market, &problem, &decided)? {
        rows.extend(front.rows);
        figures.push(front.figure);
        files.push(("solutions.csv".into(), front.file.into()));
    }
    let gantts = schedule::gantt(&market, &decided).into_iter().collect();
    Ok(Findings { rows, figures, gantts, files, notes, ..Findings::default() })
}

/// The decisions of the brokers, the one with all criteria first.
fn decide(spec: &ListedMarket, problem: &MarketProblem, scenario: &Scenario, notes: &mut Vec<String>) -> Vec<Solution> {
    let streams = Streams::new(scenario.seed, 0);
    let best = exact(problem, EXACT_STEPS).unwrap_or_else(|| {
        notes.push(format!("the search was local: {EXACT_STEPS} steps are not enough to prove the optimum"));
        improve(problem, BEGINNINGS, &mut streams.stream("local search"))
    });
    let mut decided = vec![Solution { name: BEST.into(), places: best }];
    decided.extend(spec.baselines.iter().map(|baseline| match baseline {
        BaselineSpec::Least { name, criterion } => {
            Solution { name: name.as_str().into(), places: least(problem, spec.criterion(criterion)) }
        }
        BaselineSpec::Random { name } => {
            Solution { name: name.as_str().into(), places: at_random(problem, &mut streams.stream(name.as_str())) }
        }
    }));
    decided
}

/// Notes for the user on criteria that can't decide anything.
fn indifference(market: &Market, problem: &MarketProblem) -> Vec<String> {
    let note = |&(job, criterion): &(usize, usize)| {
        let (job, criterion) = (&market.jobs[job].name, &market.criteria[criterion].name);
        format!("{criterion} makes no difference to {job}: all its offers are alike in it")
    };
    problem.indifferent().iter().map(note).collect()
}

pub(super) fn certain(mean: f64) -> Estimate {
    Estimate { mean, ci95: None, n: 1 }
}

/// The rows of one solution: every user's value and satisfaction, the total, and the summaries.
fn describe(
    experiment: &str,
    solution: &Solution,
    spec: &ListedMarket,
    market: &Market,
    problem: &MarketProblem,
) -> Vec<Row> {
    let row = |metric: Metric, value: f64| Row::new(experiment, &solution.name, &metric, certain(value));
    let Evaluation { values, users, others, score } = problem.evaluate(&solution.places);
    let mut rows = Vec::new();
    for (user, (value, satisfaction)) in market.users.iter().zip(values.into_iter().zip(users)) {
        rows.push(row(value_to(&user.name), value));
        rows.push(row(satisfaction_of(&user.name), satisfaction));
    }
    for (other, satisfaction) in market.others.iter().zip(others) {
        rows.push(row(satisfaction_of(&other.name), satisfaction));
    }
    rows.push(row(TOTAL.clone(), score.total));
    for summary in &spec.summaries {
        let values = values_of(problem, &solution.places, spec.criterion(&summary.of));
        rows.extend(sum_up(summary, &values).map(|value| row(self::summary(summary, &spec.criteria), value)));
    }
    rows
}

pub(super) fn sum_up(summary: &SummarySpec, values: &[f64]) -> Option<f64> {
    match summary.take {
        SummaryTake::Mean => mean(values),
        SummaryTake::Highest => values.iter().copied().reduce(f64::max),
        SummaryTake::MeanAboveZero => mean(&values.iter().copied().filter(|&value| value > 0.0).collect::<Vec<_>>()),
    }
}

/// Which offer each job got, by its number in the list.
fn places(solution: &Solution, market: &Market) -> Vec<Row> {
    let placed = market.jobs.iter().zip(&solution.places);
    placed
        .filter_map(|(job, place)| {
            let number = (*place)? as f64 + 1.0;
            Some(Row::new(BROKERS, &solution.name, &offer_of(&job.name), certain(number)))
        })
        .collect()
}

/// The number of jobs that keep their reservation: it is made at 0, and expires unless the user confirms it in time.
fn confirmations(
    solution: &Solution,
    keep: Option<Span>,
    spec: &ListedMarket,
    market: &Market,
) -> Result<Option<Row>, RunError> {
    let Some(keep) = keep else { return Ok(None) };
    let mut book = Book::new(units(market), keep);
    let answer = |job: usize| Ok(spec.users[market.jobs[job].user].answer);
    let all: Vec<usize> = (0..market.jobs.len()).collect();
    let held = reserve(&mut book, market, (&all, &solution.places), Time::ZERO, answer)?;
    check_reservations(&units(market), book.holds())?;
    let confirmed = held.iter().filter(|(.., is_confirmed)| *is_confirmed).count();
    Ok(Some(Row::new(BROKERS, &solution.name, &CONFIRMED, certain(confirmed as f64))))
}

/// Everybody's satisfaction under each broker.
fn satisfaction(market: &Market) -> Figure {
    let users = market.users.iter().map(|user| &user.name);
    let all = users.chain(market.others.iter().map(|other| &other.name));
    let metrics = all.map(|name| String::from(&satisfaction_of(name))).collect();
    let caption = "1 is the best that the stakeholder could get, 0 the worst.";
    bars(BROKERS, ("satisfaction", "Satisfaction of each stakeholder"), caption, SATISFACTION, metrics)
}

declare_metrics! {
    /// The metrics whose names do not depend on the scenario.
    METRICS:
    TOTAL = Metric::new(
        "total satisfaction",
        "no unit",
        "Satisfactions of all stakeholders aggregated, as the broker maximises them.",
    )
    .better(Better::More);
    CONFIRMED = Metric::new("confirmed reservations", "reservations", "Reservations that their users confirm in time.")
        .at_least(0.0)
        .better(Better::More);
}

pub(super) fn value_to(user: &str) -> Metric {
    Metric::new("value", "no unit", "")
        .called(format!("value to {user}"))
        .better(Better::More)
        .meaning_that(format!("Wishes of {user} aggregated, as the broker sees them: more is better.",))
}

fn satisfaction_of(name: &str) -> Metric {
    Metric::new("satisfaction", "0 to 1", "1 is the best that the stakeholder could get, 0 the worst.")
        .called(format!("satisfaction of {name}"))
        .within(0.0, 1.0)
        .better(Better::More)
}

fn offer_of(job: &str) -> Metric {
    Metric::new("offer number", "number in the list", "Place in the list of offers of the one that the job gets.")
        .called(format!("offer number of {job}"))
        .at_least(1.0)
}

fn summary(spec: &SummarySpec, criteria: &[CriterionSpec]) -> Metric {
    let criterion = criteria.iter().find(|criterion| criterion.name.as_str() == spec.of.as_str());
    let take = match spec.take {
        SummaryTake::Mean => "Mean",
        SummaryTake::Highest => "Highest",
        SummaryTake::MeanAboveZero => "Mean above 0",
    };
    Metric::new("summary", "as offered", "")
        .called(spec.name.clone())
        .in_unit(criterion.map_or("as offered", |criterion| front::unit(criterion.of)))
        .meaning_that(format!("{take} of {} over the jobs that have a place.", spec.of))
}

/// All metrics.
pub(super) fn metrics(spec: &ListedMarket) -> Vec<Metric> {
    let mut metrics: Vec<Metric> = spec.users.iter().map(|user| value_to(user.name.as_str())).collect();
    metrics.extend(spec.users.iter().map(|user| satisfaction_of(user.name.as_str())));
    metrics.extend(spec.stakeholders.iter().map(|other| satisfaction_of(other.name.as_str())));
    metrics.extend(spec.summaries.iter().map(|one| summary(one, &spec.criteria)));
    metrics.extend(spec.jobs.iter().map(|job| offer_of(job.name.as_str())));
    metrics.extend(copies(METRICS));
    metrics.extend(copies(front::METRICS));
    if let Some(FrontSpec::Criteria { up, .. }) = &spec.front {
        metrics.push(front::mean_of(&spec.criteria[spec.criterion(up)].criterion()).only_along());
    }
    metrics
}
