//! `Brokers`: many users' jobs on priced resources, placed in rounds by several brokers (file 003).

mod record;

pub use record::*;

use super::Kind;
use crate::broker::{Broker, BrokerChoice, BrokerSetup, Round, shared_cost};
use crate::check::check_leases;
use crate::engine::Stop;
use crate::metrics::{Better, Metric, PERCENT, copies, declare_metrics};
use crate::model::Grain;
use crate::rng::Streams;
use crate::sim::{Session, run_rounds};
use crate::study::replicate::Trial;
use crate::study::{Figure, FigureKind, Findings, Observations, Place, Row, RunError, Scale, file_name};
use crate::units::{Time, sum};
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
    PER_JOB = Metric::new(
        "cost per completed job",
        GRID_DOLLARS,
        "Cost of all tasks that were placed, over the jobs that were completed.",
    )
    .at_least(0.0)
    .better(Better::Less);
    IDLE = Metric::new(
        "paid without work (%)",
        PERCENT,
        "Percentage of what completed jobs pay for that their smaller tasks leave without work.",
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

/// The metrics that compare brokers: in total cost, where the dummy's price counts for jobs that are left over, and in
/// the cost of placed jobs, which is what the paper draws.
struct Comparisons {
    /// With a greedy broker, and with the one by price.
    yardsticks: [Yardstick; 2],
    by_lpga: [Metric; 2],
    /// Of LPGA against HGA, with the same genetic algorithm.
    pair: [Metric; 2],
    generations: Metric,
}

/// The metrics of a broker held against a greedy one.
struct Yardstick {
    key: &'static str,
    total: Metric,
    placed: Metric,
    largest: Metric,
}

impl Yardstick {
    fn new(key: &'static str, name: &str) -> Self {
        let [total, placed, ..] = &MEASURES;
        let other = name.replacen("greedy", "the greedy broker", 1);
        let largest = format!("The most that is saved on placed jobs in one run against {other}.");
        Self {
            key,
            total: total.saving(format!("saving against {name} (%)"), &other),
            placed: placed.saving(format!("saving on placed jobs against {name} (%)"), &other),
            largest: placed
                .saving(format!("largest saving on placed jobs in one run against {name} (%)"), &other)
                .meaning_that(largest),
        }
    }
}

impl Comparisons {
    fn new() -> Self {
        let [total, placed, ..] = &MEASURES;
        let by_lpga = |metric: &Metric, name: &'static str| {
            let meaning = format!("Percentage by which the {} of LPGA is below that of this broker.", metric.name());
            metric.saving(name, "this broker").meaning_that(meaning).better(Better::Neither)
        };
        Self {
            yardsticks: [Yardstick::new("Greedy", "greedy"), Yardstick::new("GreedyByPrice", "greedy by price")],
            by_lpga: [by_lpga(total, "saving by lpga (%)"), by_lpga(placed, "saving on placed jobs by lpga (%)")],
            pair: [total.saving("saving (%)", "HGA"), placed.saving("saving on placed jobs (%)", "HGA")],
            generations: GENERATIONS.saving("fewer generations (%)", "HGA"),
        }
    }

    fn all(self) -> impl Iterator<Item = Metric> {
        let yardsticks =
            self.yardsticks.into_iter().flat_map(|Yardstick { total, placed, largest, .. }| [total, placed, largest]);
        yardsticks.chain(self.by_lpga).chain(self.pair).chain([self.generations])
    }
}

/// One session: the measures in order, the gap that the broker has proved, and the generations it took.
struct BrokerRun {
    measures: [Option<f64>; 5],
    certified: Option<f64>,
    generations: Option<f64>,
    /// The share of what completed jobs pay for that is without work, in per cent.
    idle: Option<f64>,
}

/// Where a broker's observations stand that others are compared with.
#[derive(Clone, Copy)]
struct Places {
    total: Place,
    placed: Place,
    generations: Place,
}

impl Kind for Brokers {
    fn metrics(&self) -> Vec<Metric> {
        MEASURES.iter().cloned().chain(copies(OF_SOME)).chain(Comparisons::new().all()).collect()
    }

    fn own_rows(&self) -> Vec<&str> {
        vec!["brokers"]
    }

    fn series_names(&self) -> Option<Vec<String>> {
        let setup = BrokerSetup { genetic: self.genetic, repaired: self.repaired, exact: self.exact };
        let brokers: Vec<_> = self.brokers.iter().map(|broker| broker.get().make(setup)).collect();
        let names: Vec<&str> = brokers.iter().map(|broker| broker.name()).chain(["lp, shared PEs"]).collect();
        let of = |deadline: &DeadlineSpec| {
            names.iter().map(|name| self.series(name, deadline).into_owned()).collect::<Vec<_>>()
        };
        Some(self.deadlines.iter().flat_map(of).collect())
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Findings, RunError> {
        run(self, trial)
    }
}

impl Brokers {
    /// The series of a broker under one kind of deadline.
    fn series<'n>(&self, broker: &'n str, deadline: &DeadlineSpec) -> Cow<'n, str> {
        if self.deadlines.len() > 1 { format!("{broker}, {}", deadline.name).into() } else { broker.into() }
    }
}

fn run(spec: &Brokers, trial: &Trial<'_>) -> Result<Findings, RunError> {
    let setup = BrokerSetup { genetic: spec.genetic, repaired: spec.repaired, exact: spec.exact };
    let brokers: Vec<Box<dyn Broker + Send + Sync>> =
        spec.brokers.iter().map(|broker| broker.get().make(setup)).collect();
    let comparisons = Comparisons::new();
    let rows = trial.replicate(|streams| {
        let mut observations = Observations::default();
        let stop = trial.stop().world(brokers.len() * spec.deadlines.len());
        for deadline in spec.deadlines.iter() {
            observe(spec, (&brokers, &comparisons), deadline, (&streams, &stop), &mut observations)?;
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
    let market @ UtilityMarket { resources, jobs, .. } =
        &draw_utility_market(&spec.resources, &spec.jobs, &deadline.slack, streams)?;
    let mut sessions = Vec::new();
    for broker in brokers {
        let mut stream = streams.stream(broker.name());
        let terms = (spec.interval, spec.dummy_price);
        let session = run_rounds(resources, jobs, terms, &**broker, (&mut stream, stop))?;
        check_leases(resources, jobs, broker.grain(), spec.interval, &session.leases)?;
        sessions.push(measure(&session, market)?);
    }
    let series = |name: &'a str| spec.series(name, deadline);
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
        if broker.grain() == Grain::Whole {
            let [_, placed, completed, ..] = observed.measures;
            series.add(&PER_JOB, placed.zip(completed).filter(|pair| pair.1 > 0.0).map(|(cost, jobs)| cost / jobs));
        }
        series.add(&IDLE, observed.idle.filter(|_| spec.jobs.task_spread.get() > 0.0));
        let generations = series.add(&GENERATIONS, observed.generations);
        places.push(Places { total: measures[0], placed: measures[1], generations });
    }
    for CostModel::SharedPes in &spec.cost_models {
        let present = jobs.iter().filter(|job| job.arrival <= Time::ZERO + spec.interval).copied();
        let round = Round {
            now: Time::ZERO + spec.interval,
            resources,
            free: resources.iter().map(|resource| resource.pes).collect(),
            jobs: present.collect(),
            dummy_price: spec.dummy_price,
        };
        let found = shared_cost(&round, stop)?;
        stop.check()?;
        let mut series = observations.of(EXPERIMENT, series("lp, shared PEs"));
        for (metric, value) in MEASURES[1..4].iter().zip([found.cost.as_f64(), found.jobs as f64, found.tasks]) {
            series.add(metric, value);
        }
    }
    compare(&spec.brokers, (brokers, comparisons), &places, series, observations);
    Ok(())
}

/// Compares brokers pair by pair: everybody's cost with that of the greedy brokers and with LPGA's, and LPGA with HGA;
/// each by how many per cent less the one has than the other.
fn compare<'a>(
    specs: &[BrokerChoice],
    (brokers, comparisons): (&'a [Box<dyn Broker + Send + Sync>], &'a Comparisons),
    places: &[Places],
    series: impl Fn(&'a str) -> Cow<'a, str>,
    observations: &mut Observations<'a>,
) {
    let of = |wanted: &str| specs.iter().position(|spec| spec.key() == wanted);
    for (at, broker) in brokers.iter().enumerate().filter(|(at, _)| !matches!(specs[*at], BrokerChoice::Lp(_))) {
        let own = places[at];
        for yardstick in &comparisons.yardsticks {
            let Some(other) = of(yardstick.key).filter(|&other| other != at).map(|other| places[other]) else {
                continue;
            };
            let costs = observations.value(own.placed).zip(observations.value(other.placed));
            let saving = costs.filter(|costs| costs.1 > 0.0).map(|(own, other)| 100.0 * (1.0 - own / other));
            let mut series = observations.of(EXPERIMENT, series(broker.name()));
            series.ratio(&yardstick.total, own.total, other.total, Scale::Saving);
            series.ratio(&yardstick.placed, own.placed, other.placed, Scale::Saving);
            series.largest(&yardstick.largest, saving);
        }
        if let Some(lpga) = of("Lpga").filter(|&lpga| lpga != at).map(|lpga| places[lpga]) {
            let mut series = observations.of(EXPERIMENT, series(broker.name()));
            let [total, placed] = &comparisons.by_lpga;
            series.ratio(total, lpga.total, own.total, Scale::Saving);
            series.ratio(placed, lpga.placed, own.placed, Scale::Saving);
        }
    }
    let pairs =
        [("Lpga", "Hga", "lpga against hga"), ("LpgaRepaired", "HgaRepaired", "lpga, repaired against hga, repaired")];
    for (lpga, hga, name) in pairs {
        let (Some(lpga), Some(hga)) = (of(lpga), of(hga)) else { continue };
        let (lpga, hga) = (places[lpga], places[hga]);
        let mut series = observations.of(EXPERIMENT, series(name));
        let [total, placed] = &comparisons.pair;
        series.ratio(total, lpga.total, hga.total, Scale::Saving);
        series.ratio(placed, lpga.placed, hga.placed, Scale::Saving);
        series.ratio(&comparisons.generations, lpga.generations, hga.generations, Scale::Saving);
    }
}

fn measure(session: &Session, market: &UtilityMarket) -> Result<BrokerRun, RunError> {
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
        idle: idle(session, market),
        generations: first.and_then(|first| first.generations).map(|generations| generations as f64),
    })
}

/// The share of the work that completed jobs have paid for and their tasks do not have, in per cent: all PEs of a job
/// are paid for as long as its largest task runs.
fn idle(session: &Session, market: &UtilityMarket) -> Option<f64> {
    let completed = || (0..market.jobs.len()).filter(|&job| session.left[job] == 0);
    let paid: f64 = completed().map(|job| market.jobs[job].size.as_f64() * f64::from(market.jobs[job].tasks)).sum();
    let done: f64 = completed().flat_map(|job| &market.task_sizes[job]).map(|size| size.as_f64()).sum();
    (paid > 0.0).then(|| 100.0 * (1.0 - done / paid).max(0.0))
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
