//! `Criteria`: one request, every search, on generated environments.

use super::checked::judge;
use super::replicate::{Named, Watch, replicate};
use super::{Figure, FigureKind, Findings, Row, RunError, capitalised, file_name};
use crate::model::{Node, Request, Window};
use crate::policy::{NamedSearch, named_searches};
use crate::rng::Streams;
use crate::scenario::schema::{Criteria, Scenario};
use crate::search::{Offers, find_alternatives};
use crate::units::{Energy, Overflow, Span, sum};
use crate::workload::draw_environment;

/// The experiment of all rows.
const EXPERIMENT: &str = "criteria";
/// The series of what holds for the environment itself.
const ENVIRONMENT: &str = "environment";
/// The measures of a window.
const MEASURES: [&str; 6] = ["start", "runtime", "finish", "processor time", "cost", "energy"];
/// Their units.
const UNITS: [&str; 6] = ["time units", "time units", "time units", "time units", "money units", "energy units"];

/// One environment.
struct Observed {
    slots: f64,
    /// Per search: the measures of its window, and how many windows repeated search collects, where it does.
    found: Vec<(Option<[f64; 6]>, Option<f64>)>,
    /// Per repeated search and measure: the best among its windows.
    best: Vec<Option<[f64; 6]>>,
}

pub(super) fn run(spec: &Criteria, scenario: &Scenario, watch: &impl Watch) -> Result<Findings, RunError> {
    let searches = named_searches(&spec.searches);
    let request = Request {
        name: "request".into(),
        nodes: spec.nodes.get() as usize,
        length: spec.length,
        min_performance: spec.min_performance,
        max_price: spec.max_price,
        deadline: None,
    };
    let measures = || MEASURES.map(Named::new).to_vec();
    let mut slots = Named::new("slots");
    let mut found = vec![Named::new("found"); searches.len()];
    let mut alternatives = vec![Named::new("alternatives"); searches.len()];
    let mut windows = vec![measures(); searches.len()];
    let mut best = vec![measures(); searches.len()];
    replicate(
        scenario,
        watch,
        |streams| observe(spec, &searches, &request, streams),
        |observed| {
            slots.add(observed.slots)?;
            for (index, (window, count)) in observed.found.iter().enumerate() {
                found[index].add(f64::from(u8::from(window.is_some())))?;
                if let Some(count) = count {
                    alternatives[index].add(*count)?;
                }
                add_all(&mut windows[index], window)?;
                add_all(&mut best[index], &observed.best[index])?;
            }
            Ok(())
        },
    )?;
    let mut rows = Vec::new();
    let mut push = |series: &str, tally: &Named| {
        rows.extend(tally.estimate().map(|estimate| Row::new(EXPERIMENT, series, &tally.name, estimate)));
    };
    push(ENVIRONMENT, &slots);
    for (index, search) in searches.iter().enumerate() {
        push(&search.name, &found[index]);
        push(&search.name, &alternatives[index]);
        windows[index].iter().for_each(|tally| push(&search.name, tally));
        let repeated = format!("best of repeated {}", search.name);
        best[index].iter().for_each(|tally| push(&repeated, tally));
    }
    // A bar chart of starts would show bars of no height: most windows start at once.
    let figures = MEASURES.iter().zip(UNITS).skip(1).map(|(measure, unit)| Figure {
        file: format!("by-{}", file_name(measure)),
        title: format!("{} of the window each search finds", capitalised(measure)),
        caption: "Mean over the environments with its 95 % interval. \"Best of repeated\" is the best by this measure among all windows that the search collects.".into(),
        x_label: String::new(),
        y_label: format!("{} ({unit})", capitalised(measure)),
        experiment: EXPERIMENT.into(),
        metrics: vec![measure.to_string()],
        kind: FigureKind::Bars,
    });
    Ok(Findings {
        figures: figures.collect(),
        units: super::own_units(MEASURES.into_iter().zip(UNITS)),
        rows,
        ..Findings::default()
    })
}

fn add_all(tallies: &mut [Named], values: &Option<[f64; 6]>) -> Result<(), RunError> {
    let values = values.iter().flatten();
    tallies.iter_mut().zip(values).try_for_each(|(tally, &value)| tally.add(value))
}

fn observe(
    spec: &Criteria,
    searches: &[NamedSearch],
    request: &Request,
    streams: Streams,
) -> Result<Observed, RunError> {
    let requests = std::slice::from_ref(request);
    let world = draw_environment(&spec.environment, &streams)?;
    let offers = Offers { nodes: &world.nodes, slots: &world.slots, rule: spec.runtime.rule() };
    let mut observed = Observed { slots: world.slots.len() as f64, found: Vec::new(), best: Vec::new() };
    for search in searches {
        let window = search.search.find_window(&offers, request);
        judge(&offers, requests, &[window.clone().into_iter().collect()], search)?;
        let window = window.map(|window| measure(&window, &world.nodes)).transpose()?;
        let repeated = search.finder.map(|finder| find_alternatives(&offers, &[request], finder, None).swap_remove(0));
        let count = repeated.as_ref().map(|windows| windows.len() as f64);
        let mut best: Option<[f64; 6]> = None;
        for window in repeated.iter().flatten() {
            let values = measure(window, &world.nodes)?;
            best = Some(best.map_or(values, |best| std::array::from_fn(|at| values[at].min(best[at]))));
        }
        judge(&offers, requests, &[repeated.unwrap_or_default()], search)?;
        observed.found.push((window, count));
        observed.best.push(best);
    }
    Ok(observed)
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
