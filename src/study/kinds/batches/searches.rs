//! Searches side by side, by the time and the cost of a job under each way.

use super::way::{WaySpec, name};
use super::{ALTERNATIVES, BatchCase, COUNTED, Compared, Cycle, INFEASIBLE, Plan, percent};
use crate::combine::Problem;
use crate::metrics::{Better, MONEY, Metric, PERCENT, TIME, copies, declare_metrics};
use crate::search::named_searches;
use crate::study::parts::{bars, exact};
use crate::study::{Figure, FigureKind, Observations, Place, Row, Scale};

/// The series of what does not depend on the search.
pub(super) const ALL: &str = "all cycles";

declare_metrics! {
    /// The metrics besides those of a job.
    OF_CYCLES:
    JOBS = Metric::new("jobs per batch", "per batch", "Jobs of a batch.").at_least(0.0);
    COUNTED_JOBS = Metric::new("jobs per counted batch", "per counted batch", "Jobs of a batch in cycles that count.")
        .at_least(0.0);
    ALL_SLOTS = Metric::new("slots per cycle", "per cycle", "Free slots in all cycles.").at_least(0.0);
    SLOTS = Metric::new("slots per counted cycle", "per counted cycle", "Free slots in cycles that count.")
        .at_least(0.0);
    PLACED = Metric::new("jobs placed (%)", PERCENT, "Jobs that have an alternative, in all cycles.")
        .within(0.0, 100.0)
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
}

/// The mean time and the mean cost of a job under a way.
fn of_job(way: &WaySpec) -> [Metric; 2] {
    let (short, when) = match way {
        WaySpec::Opt(Problem::MinTime) => ("TM".into(), "the batch takes the least time within the budget".into()),
        WaySpec::Opt(Problem::MinCost) => ("CM".into(), "the batch costs least within the time".into()),
        WaySpec::Weighted { .. } => (name(way), "the batch is chosen by the weighted vector of criteria".into()),
        _ => (name(way), format!("the batch is served by {}", name(way))),
    };
    [("time", TIME), ("cost", MONEY)].map(|(what, unit)| {
        let metric = Metric::new("", unit, "").at_least(0.0).better(Better::Less);
        metric.called(format!("{short} job {what}")).meaning_that(format!("Mean {what} of a job when {when}."))
    })
}

/// The metrics of a job under all ways.
fn of_jobs(ways: &[WaySpec]) -> Vec<Metric> {
    ways.iter().flat_map(of_job).collect()
}

/// Changes of a metric against the first search: over its value, and over the larger of the two.
fn changes(value: &Metric) -> [Metric; 2] {
    let meaning = format!("{} less that of the first search, in per cent of the larger of the two.", value.title());
    let larger = value.clone().called(format!("{}, change over the larger (%)", value.name())).in_unit(PERCENT);
    [
        value.change(format!("{}, change (%)", value.name()), "the first search"),
        larger.meaning_that(meaning).within(-100.0, 100.0),
    ]
}

/// Of the cycles that are shown one by one: how many have less of this than the first search.
fn shorter(time: &Metric) -> Metric {
    let meaning = format!("Cycles shown one by one whose {} is below that of the first search.", time.name());
    Metric::new("", PERCENT, "")
        .called(format!("cycles with a shorter {} (%)", time.name()))
        .meaning_that(meaning)
        .within(0.0, 100.0)
        .better(Better::More)
}

pub(super) fn metrics(ways: &[WaySpec]) -> Vec<Metric> {
    let values = of_jobs(ways);
    let mut metrics = vec![COUNTED.clone(), INFEASIBLE.clone(), ALTERNATIVES.clone()];
    metrics.extend(copies(OF_CYCLES));
    metrics.extend(values.first().map(shorter));
    metrics.extend(values.iter().cloned());
    metrics.extend(values.iter().flat_map(changes));
    metrics
}

pub(super) fn observe(case: &BatchCase, ways: &[WaySpec], cycle: &Cycle, to: &mut Observations<'_>) {
    let experiment = || case.name.to_string();
    let if_counted = |value: usize| cycle.counts.then_some(value as f64);
    let mut all = to.of(experiment(), ALL);
    all.add(&COUNTED, percent(cycle.counts));
    all.add(&INFEASIBLE, percent(cycle.is_infeasible));
    all.add(&JOBS, cycle.jobs as f64);
    let counted_jobs = all.add(&COUNTED_JOBS, if_counted(cycle.jobs));
    all.add(&ALL_SLOTS, cycle.slots as f64);
    all.add(&SLOTS, if_counted(cycle.slots));
    let values = of_jobs(ways);
    let mut places: Vec<Vec<Place>> = Vec::new();
    for search in &cycle.searches {
        let mut series = to.of(experiment(), search.name.clone());
        series.add(&PLACED, 100.0 * (search.placed as f64 / cycle.jobs as f64));
        series.add(&ALTERNATIVES, search.alternatives());
        let of_batch = series.add(&OF_BATCH, if_counted(search.windows));
        series.ratio(&POOLED, of_batch, counted_jobs, Scale::Plain);
        let mean = |at: usize, plan: &Plan| {
            let total = if at.is_multiple_of(2) { plan.time.as_f64() } else { plan.cost.as_f64() };
            total / plan.jobs.iter().flatten().count() as f64
        };
        let mean = |at: usize| search.plans.as_ref().map(|plans| mean(at, &plans[at / 2]));
        let add = |(at, value): (usize, &Metric)| series.add(value.name().to_string(), mean(at));
        places.push(values.iter().enumerate().map(add).collect());
    }
    for (search, own) in cycle.searches.iter().zip(&places).skip(1) {
        let mut series = to.of(experiment(), against_first(&search.name, &cycle.searches[0].name));
        for (form, scale) in [Scale::Change, Scale::OfLarger].into_iter().enumerate() {
            for (at, value) in values.iter().enumerate() {
                series.ratio(changes(value)[form].name().to_string(), own[at], places[0][at], scale);
            }
        }
    }
}

/// The series of what compares a search with the first one.
fn against_first(search: &str, first: &str) -> String {
    format!("{search} against {first}")
}

/// Takes in the times of a cycle, by search, if it counts and is among those that are shown one by one.
pub(super) fn show(case: &BatchCase, observations: &Observations<'_>, shown: &mut Vec<Vec<f64>>) {
    let Compared::Searches { ways, first } = &case.compare else { return };
    if shown.len() as u64 >= *first {
        return;
    }
    let [time, _] = of_job(&ways[0]);
    let named = observations.keys().iter().zip(observations.values());
    let own = named.filter(|(key, _)| key.metric == time.name() && key.experiment == case.name.as_str());
    let times: Vec<f64> = own.filter_map(|(_, value)| *value).collect();
    shown.extend((!times.is_empty()).then_some(times));
}

/// The figures of a case; those of single cycles come with rows.
pub(super) fn figures(case: &BatchCase, ways: &[WaySpec], shown: &[Vec<f64>], rows: &mut Vec<Row>) -> Vec<Figure> {
    let values = of_jobs(ways);
    let searches: Vec<String> = named_searches(&case.searches).into_iter().map(|search| search.name).collect();
    let caption = "Mean over the counted cycles with its 95 % interval; TM minimises time, CM minimises cost.";
    let of = |at: usize, what: &str, label: &str| {
        let metrics: Vec<&Metric> = values.iter().skip(at).step_by(2).collect();
        let title = format!("Mean job {what}");
        bars(&format!("job {what}"), title, caption, (label.into(), case.name.as_str()), &metrics)
    };
    let mut figures = Vec::new();
    // A single search has nothing beside it.
    if searches.len() > 1 {
        figures.extend([of(0, "time", "Job time (time units)"), of(1, "cost", "Job cost (money units)")]);
    }
    let experiment = format!("first {}", case.name);
    for (at, search) in searches.iter().enumerate() {
        let cycle = |(cycle, times): (usize, &Vec<f64>)| {
            Row::new(&experiment, search, &values[0], exact(times[at])).at(cycle as f64 + 1.0)
        };
        rows.extend(shown.iter().enumerate().map(cycle));
    }
    if shown.is_empty() {
        return figures;
    }
    for (at, search) in searches.iter().enumerate().skip(1) {
        let less = shown.iter().filter(|times| times[at] < times[0]).count();
        let share = exact(100.0 * less as f64 / shown.len() as f64);
        rows.push(Row::new(&experiment, against_first(search, &searches[0]), &shorter(&values[0]), share));
    }
    figures.push(Figure {
        title: format!("The first {} counted cycles, one by one", shown.len()),
        caption: "Mean job time of each batch when its total time is minimised within the budget.".into(),
        x_label: "Counted cycle".into(),
        kind: FigureKind::Lines,
        ..bars("first-cycles", String::new(), "", ("Job time (time units)".into(), &experiment), &[&values[0]])
    });
    figures
}
