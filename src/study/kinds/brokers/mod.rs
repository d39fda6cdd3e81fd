//! `Brokers`: many users' jobs on priced resources, placed in rounds by several brokers (file 003).

mod record;

pub use record::*;

use super::Kind;
use crate::broker::BrokerSpec;
use crate::broker::{Broker, named_broker};
use crate::check::check_leases;
use crate::engine::Stop;
use crate::rng::Streams;
use crate::sim::{Session, run_rounds};
use crate::study::declared::Metrics;
use crate::study::replicate::Trial;
use crate::study::{Figure, FigureKind, Findings, Observations, Place, Row, RunError, Scale, capitalised, file_name};
use crate::units::sum;
use crate::workload::{UtilityMarket, draw_utility_market};
use std::borrow::Cow;

/// The experiment of all rows.
const EXPERIMENT: &str = "brokers";
/// What is measured of every session.
const MEASURES: [&str; 5] = ["total cost", "cost of placed jobs", "jobs completed", "tasks placed", "first-round cost"];
/// What only some have.
const GAP: &str = "gap to exact (%)";
const CERTIFIED: &str = "certified gap (%)";
const GENERATIONS: &str = "generations";
/// The units of all that have one.
const UNITS: [(&str, &str); 3] = [(MEASURES[0], "G$"), (MEASURES[1], "G$"), (MEASURES[4], "G$")];

/// One session: the measures in order, the gap that the broker has proved, and the generations it took.
struct Observed {
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
    fn metrics(&self) -> Metrics {
        Metrics::of([
            "total cost",
            "cost of placed jobs",
            "jobs completed",
            "tasks placed",
            "first-round cost",
            "gap to exact (%)",
            "certified gap (%)",
            "generations",
            "saving against greedy (%)",
            "saving against greedy by price (%)",
            "saving by lpga (%)",
            "fewer generations (%)",
        ])
    }

    fn own_rows(&self) -> Vec<&str> {
        vec!["brokers"]
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Findings, RunError> {
        run(self, trial)
    }
}

fn run(spec: &Brokers, trial: &Trial<'_>) -> Result<Findings, RunError> {
    let brokers: Vec<Box<dyn Broker + Send + Sync>> =
        spec.brokers.iter().map(|&broker| named_broker(broker, &spec.genetic, &spec.exact)).collect();
    let rows = trial.replicate(|streams| {
        let mut observations = Observations::default();
        for deadline in spec.deadlines.iter() {
            observe(spec, &brokers, deadline, (&streams, trial.stop()), &mut observations)?;
        }
        Ok(observations)
    })?;
    let figures = if trial.scenario.sweeps.is_empty() { bars(&rows) } else { Vec::new() };
    Ok(Findings { rows, units: crate::study::own_units(UNITS), figures, ..Findings::default() })
}

/// All brokers in one market under one kind of deadline.
fn observe<'a>(
    spec: &Brokers,
    brokers: &'a [Box<dyn Broker + Send + Sync>],
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
    let exact = spec.brokers.iter().position(|broker| *broker == BrokerSpec::Exact);
    let best = exact.and_then(|exact| sessions[exact].measures[4]);
    let mut places = Vec::new();
    for ((observed, broker), kind) in sessions.iter().zip(brokers).zip(spec.brokers.iter()) {
        let is_compared = !matches!(kind, BrokerSpec::Exact | BrokerSpec::Lp);
        let gap = match (observed.measures[4], best) {
            (Some(cost), Some(best)) if best > 0.0 && is_compared => Some(100.0 * (cost / best - 1.0)),
            _ => None,
        };
        let mut series = observations.of(EXPERIMENT, series(broker.name()));
        let measures = [0, 1, 2, 3, 4].map(|at| series.add(MEASURES[at], observed.measures[at]));
        series.add(GAP, gap);
        series.add(CERTIFIED, observed.certified);
        places.push(Places { cost: measures[0], generations: series.add(GENERATIONS, observed.generations) });
    }
    compare(&spec.brokers, brokers, &places, series, observations);
    Ok(())
}

/// Compares brokers pair by pair: everybody's cost with that of the greedy brokers and with LPGA's, and the generations of LPGA with
/// HGA's; each by how many per cent less the one has than the other.
fn compare<'a>(
    specs: &[BrokerSpec],
    brokers: &'a [Box<dyn Broker + Send + Sync>],
    places: &[Places],
    series: impl Fn(&'a str) -> Cow<'a, str>,
    observations: &mut Observations<'a>,
) {
    let of = |wanted: BrokerSpec| specs.iter().position(|spec| *spec == wanted);
    let yardsticks = [
        (BrokerSpec::Greedy, "saving against greedy (%)"),
        (BrokerSpec::GreedyByPrice, "saving against greedy by price (%)"),
    ];
    for (at, broker) in brokers.iter().enumerate().filter(|(at, _)| specs[*at] != BrokerSpec::Lp) {
        let mut series = observations.of(EXPERIMENT, series(broker.name()));
        for (yardstick, metric) in yardsticks {
            if let Some(yardstick) = of(yardstick).filter(|&yardstick| yardstick != at) {
                series.ratio(metric, places[at].cost, places[yardstick].cost, Scale::Saving);
            }
        }
        if let Some(lpga) = of(BrokerSpec::Lpga).filter(|&lpga| lpga != at) {
            series.ratio("saving by lpga (%)", places[lpga].cost, places[at].cost, Scale::Saving);
        }
    }
    if let (Some(hga), Some(lpga)) = (of(BrokerSpec::Hga), of(BrokerSpec::Lpga)) {
        let mut series = observations.of(EXPERIMENT, series("lpga against hga"));
        series.ratio("fewer generations (%)", places[lpga].generations, places[hga].generations, Scale::Saving);
    }
}

fn measure(session: &Session) -> Result<Observed, RunError> {
    let placed = sum(session.leases.iter().map(|lease| lease.cost))?;
    let total = placed.checked_add(session.dummy_cost)?;
    let completed = session.left.iter().filter(|&&left| left == 0).count();
    let tasks: u32 = session.leases.iter().map(|lease| lease.tasks).sum();
    let first = session.first;
    let certified = first.and_then(|first| {
        let (cost, bound) = (first.cost.as_f64(), first.bound?.as_f64());
        (cost > 0.0).then(|| 100.0 * (cost - bound) / cost)
    });
    Ok(Observed {
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
    let shown = ["total cost", "cost of placed jobs", "jobs completed", GAP, GENERATIONS];
    let present = shown.into_iter().filter(|metric| rows.iter().any(|row| row.metric == *metric));
    let figure = |metric: &str| {
        let unit =
            UNITS.iter().find(|(known, _)| *known == metric).map_or(String::new(), |(_, unit)| format!(" ({unit})"));
        Figure {
            file: file_name(metric),
            title: format!("{} by broker", capitalised(metric)),
            caption: "Mean over all markets with its 95 % interval; all brokers face the same markets.".into(),
            x_label: String::new(),
            y_label: capitalised(metric) + &unit,
            experiment: EXPERIMENT.into(),
            metrics: vec![metric.to_string()],
            kind: FigureKind::Bars,
        }
    };
    present.map(figure).collect()
}
