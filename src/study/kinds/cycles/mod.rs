//! `Cycles`: alternatives for generated batches, and the best combination twice over (file 000, section 5).

mod record;

pub use record::*;

use super::Kind;
use crate::combine::limits::BudgetLimit;
use crate::combine::limits::{highest_income, mean_cost, whole_mean_time};
use crate::combine::{Alternative, BatchLimit, Choice, NoChoice, Problem, choose, choose_weighted};
use crate::language::Cursor;
use crate::metrics::{Better, Estimate, MONEY, Metric, PERCENT, TIME, copies, declare_metrics};
use crate::rng::Streams;
use crate::search::{NamedSearch, Offers, named_searches};
use crate::study::checked::alternatives;
use crate::study::expected::{Judge, work};
use crate::study::replicate::Trial;
use crate::study::{Figure, FigureKind, Findings, Observations, Place, Row, RunError, Scale};
use crate::units::Span;
use crate::workload::{draw_jobs, draw_slots};

/// The experiment of the rows over all cycles.
const EXPERIMENT: &str = "cycles";
/// The experiment of the rows that show cycles one by one.
const FIRST: &str = "first cycles";
/// The series of what does not depend on the search.
const ALL: &str = "all cycles";

/// The results of a search in a cycle that counts; all but the number of alternatives per job.
struct Counted {
    alternatives: f64,
    values: [f64; 4],
    /// Time and cost by the vector of criteria, if it is weighed.
    weighed: Option<[f64; 2]>,
}

/// A metric of a job in cycles that count.
const fn of_job(name: &'static str, unit: &'static str, meaning: &'static str) -> Metric {
    Metric::new(name, unit, meaning).at_least(0.0).better(Better::Less)
}

/// The order of [`Counted::values`].
static VALUES: [Metric; 4] = [
    of_job("TM job time", TIME, "Mean time of a job when the batch takes the least time within the budget."),
    of_job("TM job cost", MONEY, "Mean cost of a job when the batch takes the least time within the budget."),
    of_job("CM job time", TIME, "Mean time of a job when the batch costs least within the time."),
    of_job("CM job cost", MONEY, "Mean cost of a job when the batch costs least within the time."),
];

/// The order of [`Counted::weighed`].
static WEIGHED: [Metric; 2] = [
    of_job(
        "weighted job time",
        TIME,
        "Mean time of a job when the batch is chosen by the weighted vector of criteria.",
    ),
    of_job(
        "weighted job cost",
        MONEY,
        "Mean cost of a job when the batch is chosen by the weighted vector of criteria.",
    ),
];

/// Changes of [`VALUES`] against the first search: over its value, and over the larger of the two.
fn changes() -> [Metric; 8] {
    let over_first = |at: usize| {
        let value = &VALUES[at];
        value.change(format!("{}, change (%)", value.name()), "the first search")
    };
    let over_larger = |at: usize| {
        let value = &VALUES[at];
        let meaning = format!("{} less that of the first search, in per cent of the larger of the two.", value.title());
        let name = format!("{}, change over the larger (%)", value.name());
        value.clone().called(name).in_unit(PERCENT).meaning_that(meaning).within(-100.0, 100.0)
    };
    std::array::from_fn(|at| if at < 4 { over_first(at) } else { over_larger(at - 4) })
}

declare_metrics! {
    /// The metrics besides.
    OF_CYCLES:
    COUNTED = Metric::new(
        "counted cycles (%)",
        PERCENT,
        "Cycles that count: every search places every job, and all limits can be met.",
    )
    .within(0.0, 100.0);
    INFEASIBLE = Metric::new(
        "infeasible cycles (%)",
        PERCENT,
        "Cycles in which all jobs have a place and a limit can't be met.",
    )
    .within(0.0, 100.0)
    .better(Better::Less);
    JOBS = Metric::new("jobs per batch", "per batch", "Jobs of a batch.").at_least(0.0);
    COUNTED_JOBS = Metric::new(
        "jobs per counted batch",
        "per counted batch",
        "Jobs of a batch in cycles that count.",
    )
    .at_least(0.0);
    ALL_SLOTS = Metric::new("slots per cycle", "per cycle", "Free slots in all cycles.").at_least(0.0);
    SLOTS = Metric::new("slots per counted cycle", "per counted cycle", "Free slots in cycles that count.")
        .at_least(0.0);
    PLACED = Metric::new("jobs placed (%)", PERCENT, "Jobs that have an alternative, in all cycles.")
        .within(0.0, 100.0)
        .better(Better::More);
    ALTERNATIVES = Metric::new(
        "alternatives per job",
        "per job",
        "Windows found for a job: the mean over the cycles that count of each one's mean.",
    )
    .at_least(0.0)
    .better(Better::More);
    OF_BATCH = Metric::new(
        "alternatives per batch",
        "per batch",
        "Windows found for all jobs of a batch, in cycles that count.",
    )
    .at_least(0.0)
    .better(Better::More);
    POOLED = Metric::new(
        "alternatives per job, pooled",
        "per job",
        "All windows of the cycles that count over all their jobs.",
    )
    .at_least(0.0)
    .better(Better::More);
    SHORTER = Metric::new(
        "cycles with a shorter TM job time (%)",
        PERCENT,
        "Cycles shown one by one whose TM job time is below that of the first search.",
    )
    .within(0.0, 100.0)
    .better(Better::More);
}

impl Kind for Cycles {
    fn metrics(&self) -> Vec<Metric> {
        let mut metrics: Vec<Metric> = copies(OF_CYCLES);
        metrics.extend(VALUES.iter().cloned().chain(changes()));
        metrics.extend(WEIGHED.iter().filter(|_| self.weights.is_some()).cloned());
        metrics
    }

    fn every_metric(&self) -> Vec<Metric> {
        copies(OF_CYCLES)
            .into_iter()
            .chain(VALUES.iter().cloned())
            .chain(changes())
            .chain(WEIGHED.iter().cloned())
            .collect()
    }

    fn own_rows(&self) -> Vec<&str> {
        vec!["cycles"]
    }

    fn expect(&self, at: &Cursor<'_>, judge: &mut Judge<'_, '_, '_>) {
        let (slots, jobs) = (&self.slots, &self.jobs);
        let free = slots.count.mean() * slots.length.mean() * slots.performance.mean();
        judge.windows(&at.field("slots"), free, work(jobs));
    }

    fn series_names(&self) -> Option<Vec<String>> {
        let searches = named_searches(&self.searches).into_iter().map(|search| search.name);
        Some(searches.chain([ALL.to_string()]).collect())
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Findings, RunError> {
        run(self, trial)
    }
}

fn run(spec: &Cycles, trial: &Trial<'_>) -> Result<Findings, RunError> {
    let searches = named_searches(&spec.searches);
    let against: Vec<String> = searches.iter().map(|search| against_first(search, &searches)).collect();
    let changes = changes();
    let mut first: Vec<Vec<f64>> = Vec::new();
    let is_first_value = |key: &crate::study::Key<'_>| key.metric == VALUES[0].name();
    let mut rows = trial.replicate_and(
        |streams| observe(spec, &searches, (&against, &changes), streams),
        |observations| {
            if (first.len() as u64) < spec.first {
                let named = observations.keys().iter().zip(observations.values());
                let times: Vec<f64> =
                    named.filter(|(key, _)| is_first_value(key)).filter_map(|(_, value)| *value).collect();
                first.extend((!times.is_empty()).then_some(times));
            }
        },
    )?;
    let mut figures = bars(searches.len());
    figures.extend(first_rows(&first, &searches, &mut rows));
    Ok(Findings { rows, figures, ..Findings::default() })
}

/// The series of what compares a search with the first one.
fn against_first(search: &NamedSearch<'_>, searches: &[NamedSearch<'_>]) -> String {
    format!("{} against {}", search.name, searches[0].name)
}

/// Job time and job cost of the searches side by side; a single search has nothing beside it.
fn bars(searches: usize) -> Vec<Figure> {
    let bars = |file: &str, title: &str, metrics: [usize; 2], y_label: &str| Figure {
        file: file.into(),
        title: title.into(),
        caption: "Mean over the counted cycles with its 95 % interval; TM minimises time, CM minimises cost.".into(),
        x_label: String::new(),
        y_label: y_label.into(),
        experiment: EXPERIMENT.into(),
        metrics: metrics.map(|at| String::from(&VALUES[at])).to_vec(),
        kind: FigureKind::Bars,
    };
    if searches < 2 {
        return Vec::new();
    }
    vec![
        bars("job-time", "Mean job time", [0, 2], "Job time (time units)"),
        bars("job-cost", "Mean job cost", [1, 3], "Job cost (money units)"),
    ]
}

/// Rows and a figure that show the first counted cycles one by one, by the job time of each search.
fn first_rows(first: &[Vec<f64>], searches: &[NamedSearch<'_>], rows: &mut Vec<Row>) -> Vec<Figure> {
    for (index, search) in searches.iter().enumerate() {
        for (cycle, values) in first.iter().enumerate() {
            let estimate = Estimate { mean: values[index], ci95: None, n: 1 };
            rows.push(Row::new(FIRST, &search.name, &VALUES[0], estimate).at(cycle as f64 + 1.0));
        }
    }
    if first.is_empty() {
        return Vec::new();
    }
    for (index, search) in searches.iter().enumerate().skip(1) {
        let shorter = first.iter().filter(|values| values[index] < values[0]).count();
        let share = Estimate { mean: 100.0 * shorter as f64 / first.len() as f64, ci95: None, n: 1 };
        rows.push(Row::new(FIRST, against_first(search, searches), &SHORTER, share));
    }
    vec![Figure {
        file: "first-cycles".into(),
        title: format!("The first {} counted cycles, one by one", first.len()),
        caption: "Mean job time of each batch when its total time is minimised within the budget.".into(),
        x_label: "Counted cycle".into(),
        y_label: "Job time (time units)".into(),
        experiment: FIRST.into(),
        metrics: vec![String::from(&VALUES[0])],
        kind: FigureKind::Lines,
    }]
}

/// One cycle. It counts if every job has an alternative under every search, and all limits can be met.
fn observe<'a>(
    spec: &Cycles,
    searches: &'a [NamedSearch<'_>],
    (against, changes): (&'a [String], &'a [Metric]),
    streams: Streams,
) -> Result<Observations<'a>, RunError> {
    let world = draw_slots(&spec.slots, streams.stream("slots"))?;
    let requests = draw_jobs(&spec.jobs, streams.stream("jobs"))?;
    let offers = Offers { nodes: &world.nodes, slots: &world.slots, rule: spec.runtime };
    let collect = |passes| -> Result<Vec<Vec<Vec<Alternative>>>, RunError> {
        searches.iter().map(|search| alternatives(&offers, &requests, search.search, passes)).collect()
    };
    // A job that finds nothing in the first pass never does, so that one pass tells whether a cycle counts; most do
    // not, and need no more.
    let batches = collect(Some(1))?;
    let with = |batch: &Vec<Vec<Alternative>>| batch.iter().filter(|job| !job.is_empty()).count();
    let (mut counted, mut infeasible) = (None, false);
    if batches.iter().all(|batch| with(batch) == batch.len()) {
        let optimised: Result<Vec<Counted>, NoChoice> =
            collect(None)?.iter().map(|batch| optimise(spec, batch)).collect();
        match optimised {
            Ok(optimised) => counted = Some(optimised),
            Err(NoChoice::Infeasible) => infeasible = true,
            Err(other) => return Err(other.into()),
        }
    }
    let jobs = requests.len() as f64;
    let percent = |holds: bool| if holds { 100.0 } else { 0.0 };
    let if_counted = |value: f64| counted.as_ref().map(|_| value);
    let mut observations = Observations::default();
    let mut all = observations.of(EXPERIMENT, ALL);
    all.add(&COUNTED, percent(counted.is_some()));
    all.add(&INFEASIBLE, percent(infeasible));
    all.add(&JOBS, jobs);
    let counted_jobs = all.add(&COUNTED_JOBS, if_counted(jobs));
    all.add(&ALL_SLOTS, world.slots.len() as f64);
    all.add(&SLOTS, if_counted(world.slots.len() as f64));
    let mut places: Vec<[Place; 4]> = Vec::new();
    for (index, (search, batch)) in searches.iter().zip(&batches).enumerate() {
        let own = counted.as_ref().map(|counted| &counted[index]);
        let mut series = observations.of(EXPERIMENT, &search.name);
        series.add(&PLACED, 100.0 * (with(batch) as f64 / jobs));
        series.add(&ALTERNATIVES, own.map(|own| own.alternatives / jobs));
        let of_batch = series.add(&OF_BATCH, own.map(|own| own.alternatives));
        series.ratio(&POOLED, of_batch, counted_jobs, Scale::Plain);
        places.push([0, 1, 2, 3].map(|at| series.add(&VALUES[at], own.map(|own| own.values[at]))));
        for (at, metric) in WEIGHED.iter().enumerate().filter(|_| spec.weights.is_some()) {
            series.add(metric, own.and_then(|own| own.weighed).map(|weighed| weighed[at]));
        }
    }
    for (places_of_search, against) in places.iter().zip(against).skip(1) {
        let mut series = observations.of(EXPERIMENT, against);
        for (at, change) in changes.iter().enumerate() {
            let scale = if at < VALUES.len() { Scale::Change } else { Scale::OfLarger };
            series.ratio(change, places_of_search[at % VALUES.len()], places[0][at % VALUES.len()], scale);
        }
    }
    Ok(observations)
}

/// TM, CM and the choice by the weighted vector for one batch.
fn optimise(spec: &Cycles, batch: &[Vec<Alternative>]) -> Result<Counted, NoChoice> {
    let time_limit = whole_mean_time(batch);
    let budget = match spec.budget {
        BudgetLimit::HighestIncome => highest_income(batch, time_limit)?,
        BudgetLimit::MeanCost => mean_cost(batch),
    };
    let fastest = choose(batch, Problem::MinTime, BatchLimit::Cost(budget))?;
    let cheapest = choose(batch, Problem::MinCost, BatchLimit::Time(time_limit))?;
    let jobs = batch.len() as f64;
    let pair = |choice: &Choice| [choice.time.as_f64() / jobs, choice.cost.as_f64() / jobs];
    let ([tm_time, tm_cost], [cm_time, cm_cost]) = (pair(&fastest), pair(&cheapest));
    let weigh = |weights: &WeightsSpec| -> Result<[f64; 2], NoChoice> {
        Ok(pair(&choose_weighted(batch, |_, _| Span::ZERO, weights.weights(), time_limit, budget)?))
    };
    let weighed = spec.weights.as_ref().map(weigh).transpose()?;
    let alternatives = batch.iter().map(Vec::len).sum::<usize>() as f64;
    Ok(Counted { alternatives, values: [tm_time, tm_cost, cm_time, cm_cost], weighed })
}
