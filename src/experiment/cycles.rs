//! `Cycles`: alternatives for generated batches, and the best combination twice over (file 000, section 5).

use super::checked::alternatives;
use super::replicate::{Named, Watch, replicate};
use super::{Figure, FigureKind, Findings, Row, RunError};
use crate::combine::limits::{highest_income, mean_cost, mean_time};
use crate::combine::{Alternative, Choice, Limit, NoChoice, Problem, choose};
use crate::metrics::{Estimate, PairTally};
use crate::policy::{NamedSearch, named_searches};
use crate::rng::Streams;
use crate::scenario::schema::{BudgetLimit, Cycles, Scenario};
use crate::search::Offers;
use crate::workload::{draw_jobs, draw_slots};

/// The experiment of the rows over all cycles.
const EXPERIMENT: &str = "cycles";
/// The experiment of the rows that show cycles one by one.
const FIRST: &str = "first cycles";
/// The series of what does not depend on the search.
const ALL: &str = "all cycles";

/// One cycle.
struct Observed {
    slots: f64,
    jobs: f64,
    /// Per search, the share of jobs with an alternative.
    placed: Vec<f64>,
    /// Per search, if the cycle counts.
    counted: Option<Vec<Counted>>,
    /// Every job had an alternative under every search, but some limit could not be met.
    infeasible: bool,
}

/// What a search leads to in a cycle that counts; all per job.
struct Counted {
    alternatives: f64,
    values: [f64; 4],
}

/// The order of [`Counted::values`].
const VALUES: [&str; 4] = ["TM job time", "TM job cost", "CM job time", "CM job cost"];
/// Their units.
const UNITS: [&str; 4] = ["time units", "money units", "time units", "money units"];

pub(super) fn run(spec: &Cycles, scenario: &Scenario, watch: &impl Watch) -> Result<Findings, RunError> {
    let searches = named_searches(&spec.searches);
    let per_search = |name: &str| vec![Named::new(name); searches.len()];
    let mut all = [
        "counted cycles (%)",
        "infeasible cycles (%)",
        "jobs per batch",
        "jobs per counted batch",
        "slots per counted cycle",
    ]
    .map(Named::new);
    let mut placed = per_search("jobs placed (%)");
    let mut alternatives = per_search("alternatives per job");
    let mut values: Vec<[Named; 4]> = searches.iter().map(|_| VALUES.map(Named::new)).collect();
    let mut against: Vec<[PairTally; 4]> = vec![Default::default(); searches.len()];
    let mut first = Vec::new();
    replicate(
        scenario,
        watch,
        |streams| observe(spec, &searches, streams),
        |observed| {
            let percent = |holds: bool| if holds { 100.0 } else { 0.0 };
            all[0].add(percent(observed.counted.is_some()))?;
            all[1].add(percent(observed.infeasible))?;
            all[2].add(observed.jobs)?;
            for (tally, share) in placed.iter_mut().zip(&observed.placed) {
                tally.add(100.0 * share)?;
            }
            let Some(counted) = observed.counted else { return Ok(()) };
            all[3].add(observed.jobs)?;
            all[4].add(observed.slots)?;
            for (index, one) in counted.iter().enumerate() {
                alternatives[index].add(one.alternatives)?;
                for (at, tally) in values[index].iter_mut().enumerate() {
                    tally.add(one.values[at])?;
                    against[index][at]
                        .add(one.values[at], counted[0].values[at])
                        .map_err(|error| RunError::Stats { what: VALUES[at].into(), error })?;
                }
            }
            if (first.len() as u64) < spec.first {
                first.push(counted.into_iter().map(|one| one.values).collect::<Vec<_>>());
            }
            Ok(())
        },
    )?;
    let mut rows = Vec::new();
    let mut push = |series: &str, tally: &Named| {
        rows.extend(tally.estimate().map(|estimate| Row::new(EXPERIMENT, series, &tally.name, estimate)));
    };
    all.iter().for_each(|tally| push(ALL, tally));
    for (index, search) in searches.iter().enumerate() {
        push(&search.name, &placed[index]);
        push(&search.name, &alternatives[index]);
        values[index].iter().for_each(|tally| push(&search.name, tally));
    }
    for (index, search) in searches.iter().enumerate().skip(1) {
        let series = against_first(search, &searches);
        for (at, tally) in against[index].iter().enumerate() {
            if let Ok(ratio) = tally.ratio() {
                let change = Estimate {
                    mean: 100.0 * (ratio.mean - 1.0),
                    ci95: ratio.ci95.map(|ci95| 100.0 * ci95),
                    n: ratio.n,
                };
                rows.push(Row::new(EXPERIMENT, &series, format!("{}, change (%)", VALUES[at]), change));
            }
        }
    }
    let mut figures = bars(searches.len());
    figures.extend(first_rows(&first, &searches, &mut rows));
    Ok(Findings { rows, figures, units: super::own_units(VALUES.into_iter().zip(UNITS)), ..Findings::default() })
}

/// The series of what compares a search with the first one.
fn against_first(search: &NamedSearch, searches: &[NamedSearch]) -> String {
    format!("{} against {}", search.name, searches[0].name)
}

/// Job time and job cost of the searches side by side; a single search has nothing beside it.
fn bars(searches: usize) -> Vec<Figure> {
    let bars = |file: &str, title: &str, metrics: [&str; 2], y_label: &str| Figure {
        file: file.into(),
        title: title.into(),
        caption: "Mean over the counted cycles with its 95 % interval; TM minimises time, CM minimises cost.".into(),
        x_label: String::new(),
        y_label: y_label.into(),
        experiment: EXPERIMENT.into(),
        metrics: metrics.map(String::from).to_vec(),
        kind: FigureKind::Bars,
    };
    if searches < 2 {
        return Vec::new();
    }
    vec![
        bars("job-time", "Mean job time", [VALUES[0], VALUES[2]], "Job time (time units)"),
        bars("job-cost", "Mean job cost", [VALUES[1], VALUES[3]], "Job cost (money units)"),
    ]
}

/// Rows and a figure that show the first counted cycles one by one.
fn first_rows(first: &[Vec<[f64; 4]>], searches: &[NamedSearch], rows: &mut Vec<Row>) -> Vec<Figure> {
    for (index, search) in searches.iter().enumerate() {
        for (cycle, values) in first.iter().enumerate() {
            let estimate = Estimate { mean: values[index][0], ci95: None, n: 1 };
            rows.push(Row::new(FIRST, &search.name, VALUES[0], estimate).at(cycle as f64 + 1.0));
        }
    }
    if first.is_empty() {
        return Vec::new();
    }
    for (index, search) in searches.iter().enumerate().skip(1) {
        let shorter = first.iter().filter(|values| values[index][0] < values[0][0]).count();
        let share = Estimate { mean: 100.0 * shorter as f64 / first.len() as f64, ci95: None, n: 1 };
        rows.push(Row::new(FIRST, against_first(search, searches), "cycles with a shorter TM job time (%)", share));
    }
    vec![Figure {
        file: "first-cycles".into(),
        title: format!("The first {} counted cycles, one by one", first.len()),
        caption: "Mean job time of each batch when its total time is minimised within the budget.".into(),
        x_label: "Counted cycle".into(),
        y_label: "Job time (time units)".into(),
        experiment: FIRST.into(),
        metrics: vec![VALUES[0].into()],
        kind: FigureKind::Lines,
    }]
}

fn observe(spec: &Cycles, searches: &[NamedSearch], streams: Streams) -> Result<Observed, RunError> {
    let world = draw_slots(&spec.slots, streams.stream("slots"))?;
    let requests = draw_jobs(&spec.jobs, streams.stream("jobs"))?;
    let offers = Offers { nodes: &world.nodes, slots: &world.slots, rule: spec.runtime.rule() };
    let collect = |passes| -> Result<Vec<Vec<Vec<Alternative>>>, RunError> {
        searches.iter().map(|search| alternatives(&offers, &requests, search, passes)).collect()
    };
    // A job that finds nothing in the first pass never does, so that one pass tells whether a cycle counts; most do not,
    // and need no more.
    let batches = collect(Some(1))?;
    let with = |batch: &Vec<Vec<Alternative>>| batch.iter().filter(|job| !job.is_empty()).count();
    let jobs = requests.len() as f64;
    let mut observed = Observed {
        slots: world.slots.len() as f64,
        jobs,
        placed: batches.iter().map(|batch| with(batch) as f64 / jobs).collect(),
        counted: None,
        infeasible: false,
    };
    if batches.iter().all(|batch| with(batch) == batch.len()) {
        let counted: Result<Vec<Counted>, NoChoice> =
            collect(None)?.iter().map(|batch| optimise(spec, batch)).collect();
        match counted {
            Ok(counted) => observed.counted = Some(counted),
            Err(NoChoice::Infeasible) => observed.infeasible = true,
            Err(other) => return Err(other.into()),
        }
    }
    Ok(observed)
}

/// TM and CM for one batch.
fn optimise(spec: &Cycles, batch: &[Vec<Alternative>]) -> Result<Counted, NoChoice> {
    let time_limit = mean_time(batch);
    let budget = match spec.budget {
        BudgetLimit::HighestIncome => highest_income(batch, time_limit)?,
        BudgetLimit::MeanCost => mean_cost(batch),
    };
    let fastest = choose(batch, Problem::MinTime, Limit::Cost(budget))?;
    let cheapest = choose(batch, Problem::MinCost, Limit::Time(time_limit))?;
    let jobs = batch.len() as f64;
    let pair = |choice: &Choice| [choice.time.as_f64() / jobs, choice.cost.as_f64() / jobs];
    let ([tm_time, tm_cost], [cm_time, cm_cost]) = (pair(&fastest), pair(&cheapest));
    let alternatives = batch.iter().map(Vec::len).sum::<usize>() as f64 / jobs;
    Ok(Counted { alternatives, values: [tm_time, tm_cost, cm_time, cm_cost] })
}
