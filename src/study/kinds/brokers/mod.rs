//! `Brokers`: many users' jobs on priced resources, placed in rounds by several brokers (file 003).

mod record;

pub use record::*;

use super::Kind;
use crate::broker::{Broker, BrokerChoice, BrokerSetup};
use crate::check::check_leases;
use crate::engine::Stop;
use crate::metrics::{Better, Metric, PERCENT, copies, declare_metrics};
use crate::rng::Streams;
use crate::sim::{Session, run_rounds};
use crate::study::replicate::Trial;
use crate::study::{Figure, FigureKind, Findings, Observations, Place, Row, RunError, Scale, file_name};
use crate::units::sum;
use crate::workload::{UtilityMarket, draw_utility_market};
use std::borrow::Cow;

/// The experiment of all rows.
const EXPERIMENT: &str = "brokers";
/// The unit of costs: the papers' grid dollars.
const GRID_DOLLARS: &str = "G$";

/// The measures of every session, in the order of [`measure`].
static MEASURES: [Metric; 5] = [
    Metric::new(
        "total cost",
        GRID_DOLLARS,
        "Cost of placed tasks, and the dummy resource's price for those that are left over.",
    )
    .at_least(0.0)
    .better(Better::Less),
    Metric::new("cost of placed jobs", GRID_DOLLARS, "Cost of all tasks that were placed.").at_least(0.0),
    Metric::new("jobs completed", "jobs", "Jobs all of whose tasks were placed.").at_least(0.0).better(Better::More),
    Metric::new("tasks placed", "tasks", "Tasks that were placed.").at_least(0.0).better(Better::More),
    Metric::new("first-round cost", GRID_DOLLARS, "What the first round costs, tasks on the dummy resource included.")
        .at_least(0.0)
        .better(Better::Less),
];

declare_metrics! {
    /// The metrics that only some sessions have.
    OF_SOME:
    GAP = Metric::new(
        "gap to exact (%)",
        PERCENT,
        "Percentage by which the first round costs more than that of the exact broker.",
    )
    .at_least(-100.0)
    .better(Better::Less);
    CERTIFIED = Metric::new(
        "certified gap (%)",
        PERCENT,
        "Percentage of the first round's cost that the broker could not prove to be needed.",
    )
    .within(0.0, 100.0)
    .better(Better::Less);
    GENERATIONS = Metric::new(
        "generations",
        "generations",
        "Generations that the genetic algorithm took in the first round.",
    )
    .at_least(0.0)
    .better(Better::Less);
}

/// The metrics that compare brokers.
struct Comparisons {
    /// With a greedy broker, and with the one by price.
    yardsticks: [Metric; 2],
    by_lpga: Metric,
    generations: Metric,
}

impl Comparisons {
    fn new() -> Self {
        let [total, ..] = &MEASURES;
        let by_lpga = "Percentage by which the total cost of LPGA is below that of this broker.";
        Self {
            yardsticks: [
                total.saving("saving against greedy (%)", "the greedy broker"),
                total.saving("saving against greedy by price (%)", "the greedy broker by price"),
            ],
            by_lpga: total.saving("saving by lpga (%)", "this broker").meaning_that(by_lpga).better(Better::Neither),
            generations: GENERATIONS.saving("fewer generations (%)", "HGA"),
        }
    }
}

/// One session: the measures in order, the gap that the broker has proved, and the generations it took.
struct BrokerRun {
    measures: [Option<f64>; 5],
    certified: Option<f64>,
    generations: Option<f64>,
}

/// Where a broker's observations stand that others are compared with.
#[derive(Clone, Copy)]
struct Places {
    cost: Place,
    generations: Place,
}

impl Kind for Brokers {
    fn metrics(&self) -> Vec<Metric> {
        let Comparisons { yardsticks, by_lpga, generations } = Comparisons::new();
        let compared = yardsticks.into_iter().chain([by_lpga, generations]);
        MEASURES.iter().cloned().chain(copies(OF_SOME)).chain(compared).collect()
    }

    fn own_rows(&self) -> Vec<&str> {
        vec!["brokers"]
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Findings, RunError> {
        run(self, trial)
    }
}

fn run(spec: &Brokers, trial: &Trial<'_>) -> Result<Findings, RunError> {
    let setup = BrokerSetup { genetic: spec.genetic, exact: spec.exact };
    let brokers: Vec<Box<dyn Broker + Send + Sync>> =
        spec.brokers.iter().map(|broker| broker.get().make(setup)).collect();
    let comparisons = Comparisons::new();
    let rows = trial.replicate(|streams| {
        let mut observations = Observations::default();
        for deadline in spec.deadlines.iter() {
            observe(spec, (&brokers, &comparisons), deadline, (&streams, trial.stop()), &mut observations)?;
        }
        Ok(observations)
    })?;
    let figures = if trial.scenario.sweeps.is_empty() { bars(&rows) } else { Vec::new() };
    Ok(Findings { rows, figures, ..Findings::default() })
}

/// All brokers in one market under one kind of deadline.
fn observe<'a>(
    spec: &Brokers,
    (brokers, comparisons): (&'a [Box<dyn Broker + Send + Sync>], &'a Comparisons),
    deadline: &DeadlineSpec,
    (streams, stop): (&Streams, &Stop),
    observations: &mut Observations<'a>,
) -> Result<(), RunError> {
    let UtilityMarket { resources, jobs } =
        &draw_utility_market(&spec.resources, &spec.jobs, &deadline.slack, streams)?;
    let mut sessions = Vec::new();
    for broker in brokers {
        let mut stream = streams.stream(broker.name());
        let terms = (spec.interval, spec.dummy_price);
        let session = run_rounds(resources, jobs, terms, &**broker, (&mut stream, stop))?;
        check_leases(resources, jobs, broker.grain(), spec.interval, &session.leases)?;
        sessions.push(measure(&session)?);
    }
    let series = |name: &'a str| -> Cow<'a, str> {
        if spec.deadlines.len() > 1 { format!("{name}, {}", deadline.name).into() } else { name.into() }
    };
    let exact = spec.brokers.iter().position(|broker| matches!(broker, BrokerChoice::Exact(_)));
    let best = exact.and_then(|exact| sessions[exact].measures[4]);
    let mut places = Vec::new();
    for ((observed, broker), kind) in sessions.iter().zip(brokers).zip(spec.brokers.iter()) {
        let is_compared = !matches!(kind, BrokerChoice::Exact(_) | BrokerChoice::Lp(_));
        let gap = match (observed.measures[4], best) {
            (Some(cost), Some(best)) if best > 0.0 && is_compared => Some(100.0 * (cost / best - 1.0)),
            _ => None,
        };
        let mut series = observations.of(EXPERIMENT, series(broker.name()));
        let measures = [0, 1, 2, 3, 4].map(|at| series.add(&MEASURES[at], observed.measures[at]));
        series.add(&GAP, gap);
        series.add(&CERTIFIED, observed.certified);
        places.push(Places { cost: measures[0], generations: series.add(&GENERATIONS, observed.generations) });
    }
    compare(&spec.brokers, (brokers, comparisons), &places, series, observations);
    Ok(())
}

/// Compares brokers pair by pair: everybody's cost with that of the greedy brokers and with LPGA's, and the generations
/// of LPGA with HGA's; each by how many per cent less the one has than the other.
fn compare<'a>(
    specs: &[BrokerChoice],
    (brokers, comparisons): (&'a [Box<dyn Broker + Send + Sync>], &'a Comparisons),
    places: &[Places],
    series: impl Fn(&'a str) -> Cow<'a, str>,
    observations: &mut Observations<'a>,
) {
    let of = |wanted: &str| specs.iter().position(|spec| spec.key() == wanted);
    for (at, broker) in brokers.iter().enumerate().filter(|(at, _)| !matches!(specs[*at], BrokerChoice::Lp(_))) {
        let mut series = observations.of(EXPERIMENT, series(broker.name()));
        for (yardstick, metric) in ["Greedy", "GreedyByPrice"].into_iter().zip(&comparisons.yardsticks) {
            if let Some(yardstick) = of(yardstick).filter(|&yardstick| yardstick != at) {
                series.ratio(metric, places[at].cost, places[yardstick].cost, Scale::Saving);
            }
        }
        if let Some(lpga) = of("Lpga").filter(|&lpga| lpga != at) {
            series.ratio(&comparisons.by_lpga, places[lpga].cost, places[at].cost, Scale::Saving);
        }
    }
    if let (Some(hga), Some(lpga)) = (of("Hga"), of("Lpga")) {
        let mut series = observations.of(EXPERIMENT, series("lpga against hga"));
        series.ratio(&comparisons.generations, places[lpga].generations, places[hga].generations, Scale::Saving);
    }
}

fn measure(session: &Session) -> Result<BrokerRun, RunError> {
    let placed = sum(session.leases.iter().map(|lease| lease.cost))?;
    let total = placed.checked_add(session.dummy_cost)?;
    let completed = session.left.iter().filter(|&&left| left == 0).count();
    let tasks: u32 = session.leases.iter().map(|lease| lease.tasks).sum();
    let first = session.first;
    let certified = first.and_then(|first| {
        let (cost, bound) = (first.cost.as_f64(), first.bound?.as_f64());
        (cost > 0.0).then(|| 100.0 * (cost - bound) / cost)
    });
    Ok(BrokerRun {
        measures: [
            Some(total.as_f64()),
            Some(placed.as_f64()),
            Some(completed as f64),
            Some(f64::from(tasks)),
            first.map(|first| first.cost.as_f64()),
        ],
        certified,
        generations: first.and_then(|first| first.generations).map(|generations| generations as f64),
    })
}

/// Bars for every measure that a scenario without sweeps has.
fn bars(rows: &[Row]) -> Vec<Figure> {
    let shown = MEASURES[..3].iter().chain([&GAP, &GENERATIONS]);
    let present = shown.filter(|metric| rows.iter().any(|row| row.metric == metric.name()));
    let figure = |metric: &Metric| Figure {
        file: file_name(metric.name()),
        title: format!("{} by broker", metric.title()),
        caption: "Mean over all markets with its 95 % interval; all brokers face the same markets.".into(),
        x_label: String::new(),
        y_label: metric.label(),
        experiment: EXPERIMENT.into(),
        metrics: vec![metric.into()],
        kind: FigureKind::Bars,
    };
    present.map(figure).collect()
}
