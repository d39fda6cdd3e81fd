//! One request or several on many generated environments (file 001, section 3).

use super::{WindowSearch, Windows, collect};
use crate::metrics::{Better, MONEY, Metric, TIME, copies, declare_metrics};
use crate::model::{Node, Window};
use crate::rng::Streams;
use crate::search::{NamedSearch, Offers, named_searches};
use crate::study::parts::bars;
use crate::study::replicate::Trial;
use crate::study::{Findings, Observations, RunError};
use crate::units::{Energy, Overflow, Span, sum};
use crate::workload::{EnvironmentSpec, draw_environment};

/// The experiment of all rows.
pub(super) const EXPERIMENT: &str = "criteria";
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

pub(super) fn metrics() -> Vec<Metric> {
    copies(OF_SEARCHES).into_iter().chain(MEASURES.iter().cloned()).collect()
}

/// The series of a request under a search; a single request needs no name.
fn series(spec: &Windows, request: &str, search: &str) -> String {
    if spec.requests.len() > 1 { format!("{request}, {search}") } else { search.to_string() }
}

/// The series of the best window that a search finds when it is repeated.
fn repeatedly(series: &str) -> String {
    format!("best of repeated {series}")
}

/// The most windows that a search is to find for a request: one, if it is not repeated.
fn passes(spec: &Windows, search: &dyn WindowSearch) -> Option<usize> {
    match spec.passes {
        Some(passes) => Some(passes.get() as usize),
        None if search.finder().is_some() => None,
        None => Some(1),
    }
}

/// The names of all series.
pub(super) fn series_names(spec: &Windows) -> Vec<String> {
    let mut names = Vec::new();
    for search in named_searches(&spec.searches) {
        for request in spec.ranked() {
            let series = series(spec, &request.name, &search.name);
            names.extend((passes(spec, search.search) != Some(1)).then(|| repeatedly(&series)));
            names.push(series);
        }
    }
    names.push(ENVIRONMENT.to_string());
    names
}

pub(super) fn run(spec: &Windows, environment: &EnvironmentSpec, trial: &Trial<'_>) -> Result<Findings, RunError> {
    let searches = named_searches(&spec.searches);
    let rows = trial.replicate(|streams| observe(spec, environment, &searches, (streams, trial)))?;
    // A bar chart of starts would show bars of no height: most windows start at once.
    let caption = "Mean over the environments with its 95 % interval. \"Best of repeated\" is the best by this measure \
                   among all windows that the search collects.";
    let figures = MEASURES.iter().skip(1).map(|measure| {
        let title = format!("{} of the window each search finds", measure.title());
        bars(&format!("by {}", measure.name()), title, caption, (measure.label(), EXPERIMENT), &[measure])
    });
    Ok(Findings { figures: figures.collect(), rows, ..Findings::default() })
}

fn observe(
    spec: &Windows,
    environment: &EnvironmentSpec,
    searches: &[NamedSearch<'_>],
    (streams, trial): (Streams, &Trial<'_>),
) -> Result<Observations<'static>, RunError> {
    let world = draw_environment(environment, &streams)?;
    let offers = Offers { nodes: &world.nodes, slots: &world.slots, rule: spec.runtime };
    let requests = spec.ranked();
    let mut observations = Observations::default();
    observations.of(EXPERIMENT, ENVIRONMENT).add(&SLOTS, world.slots.len() as f64);
    for search in searches {
        let passes = passes(spec, search.search);
        let found = collect(&offers, &requests, search.search, (passes, trial.stop()))?;
        for (request, windows) in requests.iter().zip(&found) {
            let windows = windows.iter().map(|window| measure(window, &world.nodes)).collect::<Result<Vec<_>, _>>()?;
            let least = |one: [f64; 6], other: [f64; 6]| std::array::from_fn(|at| one[at].min(other[at]));
            let is_repeated = passes != Some(1);
            let name = series(spec, &request.name, &search.name);
            let mut series = observations.of(EXPERIMENT, name.clone());
            series.add(&FOUND, f64::from(u8::from(!windows.is_empty())));
            series.add(&ALTERNATIVES, is_repeated.then_some(windows.len() as f64));
            let best = windows.iter().copied().reduce(least).filter(|_| is_repeated);
            for (series, values) in [(name.clone(), windows.first().copied()), (repeatedly(&name), best)] {
                let mut series = observations.of(EXPERIMENT, series);
                for (at, metric) in MEASURES.iter().enumerate() {
                    series.add(metric, values.map(|values| values[at]));
                }
            }
        }
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
