//! `Criteria`: one request, every search, on generated environments.

mod record;

pub(super) use record::*;

use super::Kind;
use crate::language::Cursor;
use crate::metrics::{Better, MONEY, Metric, TIME, copies, declare_metrics};
use crate::model::{Node, Request, Window};
use crate::rng::Streams;
use crate::search::{NamedSearch, Offers, find_alternatives, named_searches};
use crate::study::checked::judge;
use crate::study::expected::{Judge, idle};
use crate::study::replicate::Trial;
use crate::study::{Figure, FigureKind, Findings, Observations, RunError, file_name};
use crate::units::{Energy, Overflow, Span, sum};
use crate::workload::draw_environment;
use std::borrow::Cow;

/// The experiment of all rows.
const EXPERIMENT: &str = "criteria";
/// The series of what holds for the environment itself.
const ENVIRONMENT: &str = "environment";
declare_metrics! {
    /// The metrics of environments and searches.
    OF_SEARCHES:
    SLOTS = Metric::new("slots", "per environment", "Free slots that an environment offers.").at_least(0.0);
    FOUND = Metric::new("found", "share of environments", "Environments in which the search finds a window.")
        .within(0.0, 1.0)
        .better(Better::More);
    ALTERNATIVES = Metric::new(
        "alternatives",
        "per environment",
        "Windows that the search collects when it is repeated.",
    )
    .at_least(0.0)
    .better(Better::More);
}

/// A metric of a window.
const fn of_window(name: &'static str, unit: &'static str, meaning: &'static str) -> Metric {
    Metric::new(name, unit, meaning).at_least(0.0).better(Better::Less)
}

/// The metrics of a window, in the order of [`measure`].
static MEASURES: [Metric; 6] = [
    of_window("start", TIME, "The time at which the window starts."),
    of_window("runtime", TIME, "Length of the window: that of its longest task."),
    of_window("finish", TIME, "The time at which the last task of the window ends."),
    of_window("processor time", TIME, "Time on all nodes of the window together."),
    of_window("cost", MONEY, "What the window costs."),
    of_window("energy", "energy units", "Power of the nodes times the time for which the window holds them."),
];

impl Kind for Criteria {
    fn metrics(&self) -> Vec<Metric> {
        copies(OF_SEARCHES).into_iter().chain(MEASURES.iter().cloned()).collect()
    }

    fn own_rows(&self) -> Vec<&str> {
        vec!["criteria"]
    }

    fn expect(&self, at: &Cursor<'_>, judge: &mut Judge<'_, '_, '_>) {
        judge.environment(&self.environment, at);
        let length = self.length.as_f64() * self.min_performance.as_f64().max(1.0);
        judge.windows(&at.field("length"), idle(&self.environment), self.nodes.get() as f64 * length);
    }

    fn series_names(&self) -> Option<Vec<String>> {
        let searches = named_searches(&self.searches);
        let repeated = |search: &NamedSearch<'_>| search.search.finder().map(|_| repeatedly(&search.name));
        let all = searches.iter().flat_map(|search| repeated(search).into_iter().chain([search.name.clone()]));
        Some(all.chain([ENVIRONMENT.to_string()]).collect())
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Findings, RunError> {
        run(self, trial)
    }
}

/// The series of the best window that a search finds when it is repeated.
fn repeatedly(search: &str) -> String {
    format!("best of repeated {search}")
}

fn run(spec: &Criteria, trial: &Trial<'_>) -> Result<Findings, RunError> {
    let searches = named_searches(&spec.searches);
    let request = Request {
        name: "request".into(),
        nodes: spec.nodes.get() as usize,
        length: spec.length,
        min_performance: spec.min_performance,
        max_price: spec.max_price,
        deadline: None,
    };
    let rows = trial.replicate(|streams| observe(spec, &searches, &request, streams))?;
    // A bar chart of starts would show bars of no height: most windows start at once.
    let figures = MEASURES.iter().skip(1).map(|measure| Figure {
        file: format!("by-{}", file_name(measure.name())),
        title: format!("{} of the window each search finds", measure.title()),
        caption: "Mean over the environments with its 95 % interval. \"Best of repeated\" is the best by this measure among all windows that the search collects.".into(),
        x_label: String::new(),
        y_label: measure.label(),
        experiment: EXPERIMENT.into(),
        metrics: vec![measure.into()],
        kind: FigureKind::Bars,
    });
    Ok(Findings { figures: figures.collect(), rows, ..Findings::default() })
}

fn observe<'a>(
    spec: &Criteria,
    searches: &'a [NamedSearch<'_>],
    request: &Request,
    streams: Streams,
) -> Result<Observations<'a>, RunError> {
    let requests = std::slice::from_ref(request);
    let world = draw_environment(&spec.environment, &streams)?;
    let offers = Offers { nodes: &world.nodes, slots: &world.slots, rule: spec.runtime };
    let mut observations = Observations::default();
    observations.of(EXPERIMENT, ENVIRONMENT).add(&SLOTS, world.slots.len() as f64);
    for search in searches {
        let window = search.search.find_window(&offers, request);
        judge(&offers, requests, &[window.clone().into_iter().collect()], search.search)?;
        let window = window.map(|window| measure(&window, &world.nodes)).transpose()?;
        let repeated =
            search.search.finder().map(|finder| find_alternatives(&offers, &[request], finder, None).swap_remove(0));
        let mut best: Option<[f64; 6]> = None;
        for window in repeated.iter().flatten() {
            let values = measure(window, &world.nodes)?;
            best = Some(best.map_or(values, |best| std::array::from_fn(|at| values[at].min(best[at]))));
        }
        let mut series = observations.of(EXPERIMENT, &search.name);
        series.add(&FOUND, f64::from(u8::from(window.is_some())));
        series.add(&ALTERNATIVES, repeated.as_ref().map(|windows| windows.len() as f64));
        for (series, values) in [((&search.name).into(), window), (Cow::from(repeatedly(&search.name)), best)] {
            let mut series = observations.of(EXPERIMENT, series);
            for (at, metric) in MEASURES.iter().enumerate() {
                series.add(metric, values.map(|values| values[at]));
            }
        }
        judge(&offers, requests, &[repeated.unwrap_or_default()], search.search)?;
    }
    Ok(observations)
}

/// The measures of a window, in the order of [`MEASURES`].
fn measure(window: &Window, nodes: &[Node]) -> Result<[f64; 6], Overflow> {
    let spans = window.slots().iter().map(|slot| slot.interval.span());
    let processor_time: Span = sum(spans)?;
    let energies = window.slots().iter().map(|slot| nodes[slot.node.index()].power.checked_mul(slot.interval.span()));
    let energy: Energy = sum(energies.collect::<Result<Vec<_>, _>>()?)?;
    Ok([
        window.start().as_f64(),
        window.time().as_f64(),
        window.finish().as_f64(),
        processor_time.as_f64(),
        window.cost(nodes)?.as_f64(),
        energy.as_f64(),
    ])
}
