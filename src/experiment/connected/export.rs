//! The files that show one run in detail: `jobs.csv`, and the trace when asked for.

use super::Shown;
use crate::scenario::schema::Connected;
use crate::sim::{Event, GridTrace, Piece};
use crate::units::Time;
use crate::workload::GridWorld;
use std::fmt::Write;

/// `jobs.csv` for all policies, and for the first one `trace.csv` and `trace.json` if the scenario wants them.
pub(super) fn files(spec: &Connected, world: &GridWorld, shown: &[Shown]) -> Vec<(String, Vec<u8>)> {
    let mut files = vec![("jobs.csv".to_string(), jobs_csv(world, shown).into_bytes())];
    if let Some(first) = shown.first().filter(|_| spec.trace) {
        files.push(("trace.csv".into(), trace_csv(world, &first.trace).into_bytes()));
        files.push(("trace.json".into(), trace_json(world, &first.trace).into_bytes()));
    }
    files
}

fn jobs_csv(world: &GridWorld, shown: &[Shown]) -> String {
    let mut text = "policy,job,user,submit,start,finish,wait,nodes,cost,postponed,fate\n".to_string();
    let time = |time: Option<Time>| time.map_or(String::new(), |time| time.to_string());
    for run in shown {
        for (job, outcome) in world.jobs.iter().zip(&run.outcomes) {
            let _ = writeln!(
                text,
                "{},{},{},{},{},{},{},{},{:.6},{},{}",
                field(&run.policy),
                field(&job.request.name),
                field(&world.users[job.user as usize]),
                outcome.submit,
                time(outcome.start),
                time(outcome.finish),
                outcome.wait().map_or(String::new(), |wait| wait.to_string()),
                job.request.nodes,
                outcome.cost,
                outcome.postponed,
                outcome.fate.name(),
            );
        }
    }
    text
}

/// A name as a field of a CSV file: in quotes if it has to be.
fn field(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.to_string() }
}

/// What happened, one line each.
fn trace_csv(world: &GridWorld, trace: &GridTrace) -> String {
    let mut text = "time,event,node,job,task,from,to,detail\n".to_string();
    for entry in &trace.entries {
        let line = Line::of(&entry.what);
        let node = line.node.map_or(String::new(), |node| field(&world.nodes[node].name));
        let job = line.job.map_or(String::new(), |job| field(&world.jobs[job].request.name));
        let number = |value: Option<String>| value.unwrap_or_default();
        let _ = writeln!(
            text,
            "{},{},{node},{job},{},{},{},{}",
            entry.time,
            line.event,
            number(line.task.map(|task| task.to_string())),
            number(line.interval.map(|interval| interval.start.to_string())),
            number(line.interval.map(|interval| interval.end.to_string())),
            line.detail
        );
    }
    text
}

/// The parts of an event.
#[derive(Default)]
struct Line {
    event: &'static str,
    node: Option<usize>,
    job: Option<usize>,
    task: Option<u32>,
    interval: Option<crate::model::Interval>,
    detail: String,
}

impl Line {
    fn of(what: &Event) -> Self {
        let owner = |event, node: crate::model::NodeId, task| Self {
            event,
            node: Some(node.index()),
            task: Some(task),
            ..Self::default()
        };
        let node = |event, node: crate::model::NodeId| Self { event, node: Some(node.index()), ..Self::default() };
        let job = |event, job: crate::model::JobId| Self { event, job: Some(job.index()), ..Self::default() };
        let piece = |event, piece: Piece| Self {
            event,
            node: Some(piece.node.index()),
            job: Some(piece.job.index()),
            task: Some(piece.task),
            ..Self::default()
        };
        match *what {
            Event::Announced(at, task) => owner("announced", at, task),
            Event::OwnerStarted(at, task) => owner("owner started", at, task),
            Event::OwnerEnded(at, task) => owner("owner ended", at, task),
            Event::Failed(at) => node("failed", at),
            Event::Repaired(at) => node("repaired", at),
            Event::Priced(at, price) => Self { detail: price.to_string(), ..node("priced", at) },
            Event::Submitted(id) => job("submitted", id),
            Event::Cycle(waiting) => Self { event: "cycle", detail: waiting.to_string(), ..Self::default() },
            Event::Held(of, interval, price) => {
                Self { interval: Some(interval), detail: price.to_string(), ..piece("held", of) }
            }
            Event::Freed(of, interval) => Self { interval: Some(interval), ..piece("freed", of) },
            Event::Started(of, ..) => piece("started", of),
            Event::Ended(of, ending) => Self { detail: format!("{ending:?}").to_lowercase(), ..piece("ended", of) },
            Event::Collided(of, cause, remedy) => {
                Self { detail: format!("{}: {}", cause.name(), remedy.name()), ..piece("collided", of) }
            }
            Event::Unplanned(id) => job("unplanned", id),
            Event::Postponed(id) => job("postponed", id),
            Event::Finished(id) => job("finished", id),
            Event::GaveUp(id, reason) => Self { detail: reason.name().into(), ..job("gave up", id) },
        }
    }
}

/// The trace in the format of Chrome's and Perfetto's trace viewers: a track for each node, a process for each domain. A unit of
/// time is shown as a second.
fn trace_json(world: &GridWorld, trace: &GridTrace) -> String {
    let mut events: Vec<serde_json::Value> = Vec::new();
    let mut process = vec![0; world.nodes.len()];
    for (index, domain) in world.domains.iter().enumerate() {
        let name = serde_json::json!({ "name": domain.name });
        events.push(serde_json::json!({ "ph": "M", "name": "process_name", "pid": index, "args": name }));
        for node in domain.members() {
            process[node.index()] = index;
            let name = serde_json::json!({ "name": world.nodes[node.index()].name });
            events.push(
                serde_json::json!({ "ph": "M", "name": "thread_name", "pid": index, "tid": node.0, "args": name }),
            );
        }
    }
    let mut since: Vec<Option<(Time, String, &str)>> = vec![None; world.nodes.len()];
    let complete = |node: usize, end: Time, (start, name, kind): (Time, String, &str)| {
        serde_json::json!({
            "ph": "X", "name": name, "cat": kind, "pid": process[node], "tid": node,
            "ts": start.ticks(), "dur": (end - start).ticks(),
        })
    };
    for entry in &trace.entries {
        match entry.what {
            Event::OwnerStarted(node, _) => since[node.index()] = Some((entry.time, "owner".into(), "local")),
            Event::Failed(node) => since[node.index()] = Some((entry.time, "down".into(), "failure")),
            Event::Started(Piece { job, task, node }, ..) => {
                let name = format!("{} task {}", world.jobs[job.index()].request.name, task + 1);
                since[node.index()] = Some((entry.time, name, "job"));
            }
            Event::OwnerEnded(node, _) | Event::Repaired(node) | Event::Ended(Piece { node, .. }, _) => {
                events.extend(since[node.index()].take().map(|begun| complete(node.index(), entry.time, begun)));
            }
            Event::Collided(Piece { node, .. }, cause, remedy) => events.push(serde_json::json!({
                "ph": "i", "s": "t", "name": format!("{}: {}", cause.name(), remedy.name()), "cat": "collision",
                "pid": process[node.index()], "tid": node.0, "ts": entry.time.ticks(),
            })),
            Event::Cycle(waiting) => events.push(serde_json::json!({
                "ph": "C", "name": "waiting jobs", "pid": 0, "ts": entry.time.ticks(), "args": { "jobs": waiting },
            })),
            _ => {}
        }
    }
    for (node, begun) in since.iter_mut().enumerate() {
        events.extend(begun.take().map(|begun| complete(node, trace.end, begun)));
    }
    serde_json::json!({ "traceEvents": events, "displayTimeUnit": "ms" }).to_string()
}
