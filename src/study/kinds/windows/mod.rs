//! `Windows`: listed nodes and requests; every search; `windows.json`.

mod record;
mod request;

pub(super) use record::*;

use super::Kind;
use crate::engine::Stop;
use crate::metrics::{Better, Estimate, MONEY, Metric, TIME, copies, declare_metrics};
use crate::model::{Interval, Node, NodeId, Request, SlotList, Timeline, Window};
use crate::policy::PolicyError;
use crate::search::{NamedSearch, Offers, collect_alternatives, named_searches};
use crate::study::checked::judge;
use crate::study::replicate::Trial;
use crate::study::{Bar, BarKind, Findings, Gantt, Lane, Panel, Row, RunError, file_name};
use crate::units::{Money, Time};
use crate::workload::RuntimeRule;
use serde::Serialize;
use std::cmp::Reverse;

/// The experiment of all rows.
const EXPERIMENT: &str = "windows";
/// The subject of the series of all requests together.
const ALL_JOBS: &str = "all jobs";
/// The largest number of bars that a chart may show: more can't be told apart, and make pages that no browser likes.
const BARS: usize = 4000;

declare_metrics! {
    /// All metrics.
    METRICS:
    WINDOWS = Metric::new("windows", "windows", "Windows found in all passes.").at_least(0.0).better(Better::More);
    ON_NODE = Metric::new("windows on the node", "windows", "Windows of all requests that hold the node.")
        .at_least(0.0);
    START = Metric::new("first start", TIME, "Start of the window found in the first pass.").better(Better::Less);
    FINISH = Metric::new("first finish", TIME, "Finish of the window found in the first pass.").better(Better::Less);
    COST = Metric::new("first cost", MONEY, "Cost of the window found in the first pass.")
        .at_least(0.0)
        .better(Better::Less);
}

/// A window as `windows.json` has it.
#[derive(Debug, Serialize)]
struct WindowsEntry<'a> {
    request: &'a str,
    search: &'a str,
    pass: usize,
    start: Time,
    finish: Time,
    cost: Money,
    slots: Vec<HeldSlot<'a>>,
}

#[derive(Debug, Serialize)]
struct HeldSlot<'a> {
    node: &'a str,
    start: Time,
    end: Time,
}

/// The world that the scenario lists.
struct ListedWorld {
    nodes: Vec<Node>,
    slots: SlotList,
    rule: RuntimeRule,
}

impl Kind for Windows {
    fn metrics(&self) -> Vec<Metric> {
        copies(METRICS)
    }

    fn own_rows(&self) -> Vec<&str> {
        vec!["windows"]
    }

    fn series_names(&self) -> Option<Vec<String>> {
        let requests = self.requests.iter().map(|request| request.name.as_str());
        let nodes = self.nodes.iter().map(|node| node.name.as_str());
        let subjects: Vec<&str> = requests.chain([ALL_JOBS]).chain(nodes).collect();
        let of = |search: NamedSearch<'_>| subjects.iter().map(|subject| series(subject, &search)).collect::<Vec<_>>();
        Some(named_searches(&self.searches).into_iter().flat_map(of).collect())
    }

    fn draws(&self) -> bool {
        false
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Findings, RunError> {
        run(self, trial)
    }
}

/// The series of a request, a node or all jobs under a search.
fn series(of: &str, search: &NamedSearch<'_>) -> String {
    format!("{of}, {}", search.name)
}

fn run(spec: &Windows, trial: &Trial<'_>) -> Result<Findings, RunError> {
    let world = ListedWorld { nodes: nodes(spec), slots: slots(spec), rule: spec.runtime };
    let mut queue: Vec<_> = spec.requests.iter().collect();
    queue.sort_by_key(|request| Reverse(request.rank));
    let requests: Vec<Request> = queue.into_iter().map(|request| request.request()).collect();
    let passes = spec.passes.map(|passes| passes.get() as usize);
    let mut rows = Vec::new();
    let mut entries = Vec::new();
    for search in named_searches(&spec.searches) {
        let windows = collect(&world, &requests, &search, (passes, trial.stop()))?;
        trial.stop().check()?;
        let offers = Offers { nodes: &world.nodes, slots: &world.slots, rule: world.rule };
        judge(&offers, &requests, &windows, search.search)?;
        for (request, windows) in requests.iter().zip(&windows) {
            rows.extend(summary(&world, &search, request, windows)?);
        }
        let all = windows.iter().map(Vec::len).sum::<usize>() as f64;
        rows.push(Row::new(EXPERIMENT, series(ALL_JOBS, &search), &WINDOWS, exact(all)));
        rows.extend(on_nodes(&world, &search, &windows));
        entries.push((search.name, windows));
    }
    trial.record(&rows)?;
    let json = json(&world, &requests, &entries)?;
    let gantts = entries.iter().map(|(search, windows)| chart(spec, &world, &requests, search, windows)).collect();
    Ok(Findings { rows, gantts, files: vec![("windows.json".into(), json.into())], ..Findings::default() })
}

fn nodes(spec: &Windows) -> Vec<Node> {
    let node = |node: &NodeSpec| Node {
        name: node.name.as_str().to_string(),
        performance: node.performance,
        price: node.price,
        power: node.power,
    };
    spec.nodes.iter().map(node).collect()
}

/// The free slots; the scenario's checks have made sure that names exist and nothing overlaps.
fn slots(spec: &Windows) -> SlotList {
    let id = |name: &str| spec.nodes.iter().position(|node| node.name.as_str() == name).map(|id| NodeId(id as u32));
    match &spec.free {
        FreeTime::Slots(slots) => {
            let slots = slots.iter().filter_map(|slot| {
                let interval = Interval::new(slot.start, slot.end);
                Some(crate::model::Slot { node: id(slot.node.as_str())?, interval })
            });
            SlotList::new(slots).unwrap_or_default()
        }
        FreeTime::AroundTasks { start, end, tasks } => {
            let bounds = Interval::new(*start, *end);
            let mut timelines = vec![Timeline::new(bounds); spec.nodes.len()];
            for task in tasks {
                if let Some(id) = id(task.node.as_str()) {
                    // Tasks do not overlap and lie within the bounds, so this can't be refused.
                    let _ = timelines[id.index()].reserve(Interval::new(task.start, task.end));
                }
            }
            SlotList::from_timelines(&timelines, bounds)
        }
    }
}

/// The windows of each request, pass by pass.
fn collect(
    world: &ListedWorld,
    requests: &[Request],
    search: &NamedSearch<'_>,
    (passes, stop): (Option<usize>, &Stop),
) -> Result<Vec<Vec<Window>>, PolicyError> {
    let queue: Vec<&Request> = requests.iter().collect();
    let offers = Offers { nodes: &world.nodes, slots: &world.slots, rule: world.rule };
    Ok(collect_alternatives(&offers, &queue, search.search, passes, stop)?)
}

/// A number that was not drawn.
fn exact(mean: f64) -> Estimate {
    Estimate { mean, ci95: None, n: 1 }
}

/// The number of windows that a request got, and the start, finish and cost of the first.
fn summary(
    world: &ListedWorld,
    search: &NamedSearch<'_>,
    request: &Request,
    windows: &[Window],
) -> Result<Vec<Row>, RunError> {
    let row = |metric: &Metric, value: f64| Row::new(EXPERIMENT, series(&request.name, search), metric, exact(value));
    let mut rows = vec![row(&WINDOWS, windows.len() as f64)];
    if let Some(first) = windows.first() {
        rows.push(row(&START, first.start().as_f64()));
        rows.push(row(&FINISH, first.finish().as_f64()));
        rows.push(row(&COST, first.cost(&world.nodes)?.as_f64()));
    }
    Ok(rows)
}

/// The number of windows that hold each node.
fn on_nodes(world: &ListedWorld, search: &NamedSearch<'_>, windows: &[Vec<Window>]) -> Vec<Row> {
    let mut held = vec![0_u32; world.nodes.len()];
    for slot in windows.iter().flatten().flat_map(Window::slots) {
        held[slot.node.index()] += 1;
    }
    let row =
        |(node, held): (&Node, u32)| Row::new(EXPERIMENT, series(&node.name, search), &ON_NODE, exact(f64::from(held)));
    world.nodes.iter().zip(held).map(row).collect()
}

/// The schedule step by step: what is free, the first pass, all passes.
fn chart(spec: &Windows, world: &ListedWorld, requests: &[Request], search: &str, windows: &[Vec<Window>]) -> Gantt {
    let passes = windows.iter().map(Vec::len).max().unwrap_or(0);
    let panel = |title: String, passes: usize| {
        let mut lanes = lanes(spec, world, passes == 0);
        for (job, windows) in windows.iter().enumerate() {
            for (pass, window) in windows.iter().take(passes).enumerate() {
                let label = if passes == 1 { format!("W{}", job + 1) } else { format!("{}.{}", job + 1, pass + 1) };
                for slot in window.slots() {
                    lanes[slot.node.index()].bars.push(bar(slot.interval, label.clone(), BarKind::Window(job)));
                }
            }
        }
        Panel { title, lanes }
    };
    let mut panels = vec![panel("Free slots, numbered by start".into(), 0), panel("After the first pass".into(), 1)];
    let mut bars = 0;
    let fits = |&pass: &usize| {
        bars +=
            windows.iter().filter_map(|windows| windows.get(pass)).map(|window| window.slots().len()).sum::<usize>();
        bars <= BARS
    };
    let drawn = (0..passes).take_while(fits).count();
    if drawn > 1 {
        let title = if drawn == passes { "All windows, found in".into() } else { format!("{drawn} of") };
        panels.push(panel(format!("{title} {passes} passes"), drawn));
    }
    Gantt {
        file: format!("gantt-{}", file_name(search)),
        title: format!("Windows found by {search}"),
        caption:
            "Wi is the first window of request i, i.p its window in pass p. Hatched: local tasks of the nodes' owners."
                .into(),
        x_label: "Time (time units)".into(),
        requests: requests.iter().map(|request| request.name.clone()).collect(),
        panels,
    }
}

/// A lane for each node, with its owner's tasks and, if they are to be numbered, its free slots.
fn lanes(spec: &Windows, world: &ListedWorld, numbered: bool) -> Vec<Lane> {
    let lane = |node: &Node| Lane { label: node.name.clone(), note: format!("price {}", node.price), bars: Vec::new() };
    let mut lanes: Vec<Lane> = world.nodes.iter().map(lane).collect();
    if let FreeTime::AroundTasks { tasks, .. } = &spec.free {
        for (index, task) in tasks.iter().enumerate() {
            let task_bar = bar(Interval::new(task.start, task.end), format!("p{}", index + 1), BarKind::Local);
            let lane = lanes.iter_mut().find(|lane| lane.label == task.node.as_str());
            lane.into_iter().for_each(|lane| lane.bars.push(task_bar.clone()));
        }
    }
    for (index, slot) in world.slots.as_slice().iter().enumerate() {
        let label = if numbered { index.to_string() } else { String::new() };
        lanes[slot.node.index()].bars.push(bar(slot.interval, label, BarKind::Free));
    }
    lanes
}

fn bar(interval: Interval, label: String, kind: BarKind) -> Bar {
    Bar { start: interval.start.as_f64(), end: interval.end.as_f64(), label, kind }
}

fn json(world: &ListedWorld, requests: &[Request], found: &[(String, Vec<Vec<Window>>)]) -> Result<Vec<u8>, RunError> {
    let mut entries = Vec::new();
    for (search, windows) in found {
        let passes = windows.iter().map(Vec::len).max().unwrap_or(0);
        for pass in 0..passes {
            for (request, windows) in requests.iter().zip(windows) {
                let Some(window) = windows.get(pass) else { continue };
                let held = window.slots().iter().map(|slot| HeldSlot {
                    node: &world.nodes[slot.node.index()].name,
                    start: slot.interval.start,
                    end: slot.interval.end,
                });
                entries.push(WindowsEntry {
                    request: &request.name,
                    search,
                    pass: pass + 1,
                    start: window.start(),
                    finish: window.finish(),
                    cost: window.cost(&world.nodes)?,
                    slots: held.collect(),
                });
            }
        }
    }
    let mut json = serde_json::to_vec_pretty(&entries).unwrap_or_default();
    json.push(b'\n');
    Ok(json)
}
