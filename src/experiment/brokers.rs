//! `Brokers`: many users' jobs on priced resources, placed in rounds by several brokers (file 003).

use super::replicate::{Named, Watch, replicate};
use super::{Figure, FigureKind, Findings, Row, RunError, capitalised, file_name};
use crate::broker::Broker;
use crate::check::check_leases;
use crate::engine::Stop;
use crate::metrics::{Estimate, PairTally};
use crate::policy::named_broker;
use crate::rng::Streams;
use crate::scenario::schema::{BrokerSpec, Brokers, DeadlineSpec, Scenario};
use crate::sim::{Session, run_rounds};
use crate::units::sum;
use crate::workload::{UtilityMarket, draw_utility_market};

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

/// All estimates for one broker under one kind of deadline.
struct Line {
    series: String,
    measures: [Named; 5],
    others: [Named; 3],
}

impl Line {
    fn new(series: String) -> Self {
        Self { series, measures: MEASURES.map(Named::new), others: [GAP, CERTIFIED, GENERATIONS].map(Named::new) }
    }

    fn add(&mut self, observed: &Observed, exact: Option<f64>) -> Result<(), RunError> {
        let gap = match (observed.measures[4], exact) {
            (Some(cost), Some(exact)) if exact > 0.0 => Some(100.0 * (cost / exact - 1.0)),
            _ => None,
        };
        let values = observed.measures.into_iter().chain([gap, observed.certified, observed.generations]);
        let tallies = self.measures.iter_mut().chain(&mut self.others);
        tallies.zip(values).try_for_each(|(tally, value)| value.map_or(Ok(()), |value| tally.add(value)))
    }
}

/// A comparison of two brokers in the same worlds: by how many per cent less the second has than the first.
struct Pair {
    series: String,
    metric: String,
    measure: fn(&Observed) -> Option<f64>,
    /// The places of the two in the list of brokers.
    places: [usize; 2],
    tally: PairTally,
}

impl Pair {
    fn add(&mut self, observed: &[Observed]) -> Result<(), RunError> {
        let [first, second] = self.places.map(|place| (self.measure)(&observed[place]));
        let (Some(first), Some(second)) = (first, second) else { return Ok(()) };
        self.tally.add(second, first).map_err(|error| RunError::Stats { what: self.metric.clone(), error })
    }

    fn row(&self) -> Option<Row> {
        let ratio = self.tally.ratio().ok()?;
        let saving =
            Estimate { mean: 100.0 * (1.0 - ratio.mean), ci95: ratio.ci95.map(|ci95| 100.0 * ci95), n: ratio.n };
        Some(Row::new(EXPERIMENT, &self.series, &self.metric, saving))
    }
}

pub(super) fn run(spec: &Brokers, scenario: &Scenario, watch: &impl Watch) -> Result<Findings, RunError> {
    let brokers: Vec<Box<dyn Broker + Send + Sync>> =
        spec.brokers.iter().map(|&broker| named_broker(broker, &spec.genetic, &spec.exact)).collect();
    let exact = spec.brokers.iter().position(|broker| *broker == BrokerSpec::Exact);
    let several = spec.deadlines.len() > 1;
    let series = |name: &str, deadline: &DeadlineSpec| match several {
        true => format!("{name}, {}", deadline.name),
        false => name.to_string(),
    };
    let mut lines: Vec<Vec<Line>> = Vec::new();
    let mut pairs: Vec<Vec<Pair>> = Vec::new();
    for deadline in spec.deadlines.iter() {
        lines.push(brokers.iter().map(|broker| Line::new(series(broker.name(), deadline))).collect());
        pairs.push(comparisons(&spec.brokers, &brokers, |name| series(name, deadline)));
    }
    replicate(
        scenario,
        watch,
        |streams| observe(spec, &brokers, streams, watch.stop()),
        |kinds| {
            for ((observed, lines), pairs) in kinds.iter().zip(&mut lines).zip(&mut pairs) {
                let best = exact.and_then(|exact| observed[exact].measures[4]);
                for ((line, observed), broker) in lines.iter_mut().zip(observed).zip(spec.brokers.iter()) {
                    let is_compared = !matches!(broker, BrokerSpec::Exact | BrokerSpec::Lp);
                    line.add(observed, best.filter(|_| is_compared))?;
                }
                pairs.iter_mut().try_for_each(|pair| pair.add(observed))?;
            }
            Ok(())
        },
    )?;
    let mut rows = Vec::new();
    for (lines, pairs) in lines.iter().zip(&pairs) {
        for line in lines {
            let tallies = line.measures.iter().chain(&line.others);
            rows.extend(tallies.filter_map(|tally| {
                tally.estimate().map(|estimate| Row::new(EXPERIMENT, &line.series, &tally.name, estimate))
            }));
        }
        rows.extend(pairs.iter().filter_map(Pair::row));
    }
    let figures = if scenario.sweeps.is_empty() { bars(&rows) } else { Vec::new() };
    Ok(Findings { rows, units: super::own_units(UNITS), figures, ..Findings::default() })
}

/// What is compared pair by pair: everybody's cost with that of the greedy brokers and with LPGA's, and the generations of LPGA with HGA's.
fn comparisons(
    specs: &[BrokerSpec],
    brokers: &[Box<dyn Broker + Send + Sync>],
    series: impl Fn(&str) -> String,
) -> Vec<Pair> {
    let place = |wanted: BrokerSpec| specs.iter().position(|spec| *spec == wanted);
    let cost = |observed: &Observed| observed.measures[0];
    let pair = |name: &str, metric: &str, measure, places| Pair {
        series: series(name),
        metric: metric.to_string(),
        measure,
        places,
        tally: PairTally::default(),
    };
    let mut pairs = Vec::new();
    let yardsticks = [
        (BrokerSpec::Greedy, "saving against greedy (%)"),
        (BrokerSpec::GreedyByPrice, "saving against greedy by price (%)"),
    ];
    for (at, broker) in brokers.iter().enumerate().filter(|(at, _)| specs[*at] != BrokerSpec::Lp) {
        for (yardstick, metric) in yardsticks {
            if let Some(yardstick) = place(yardstick).filter(|&yardstick| yardstick != at) {
                pairs.push(pair(broker.name(), metric, cost, [yardstick, at]));
            }
        }
        if let Some(lpga) = place(BrokerSpec::Lpga).filter(|&lpga| lpga != at) {
            pairs.push(pair(broker.name(), "saving by lpga (%)", cost, [at, lpga]));
        }
    }
    if let (Some(hga), Some(lpga)) = (place(BrokerSpec::Hga), place(BrokerSpec::Lpga)) {
        pairs.push(pair("lpga against hga", "fewer generations (%)", |observed| observed.generations, [hga, lpga]));
    }
    pairs
}

/// What every broker made of one market, by kind of deadline.
fn observe(
    spec: &Brokers,
    brokers: &[Box<dyn Broker + Send + Sync>],
    streams: Streams,
    stop: &Stop,
) -> Result<Vec<Vec<Observed>>, RunError> {
    let kind = |deadline: &DeadlineSpec| {
        let market = draw_utility_market(&spec.resources, &spec.jobs, &deadline.slack, &streams)?;
        let UtilityMarket { resources, jobs } = &market;
        let one = |broker: &dyn Broker| {
            let mut stream = streams.stream(broker.name());
            let terms = (spec.interval, spec.dummy_price);
            let session = run_rounds(resources, jobs, terms, broker, (&mut stream, stop))?;
            check_leases(resources, jobs, broker.grain(), spec.interval, &session.leases)?;
            measure(&session)
        };
        brokers.iter().map(|broker| one(broker.as_ref())).collect()
    };
    spec.deadlines.iter().map(kind).collect()
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
