//! The files that show one run in detail: `jobs.csv`, and the trace when asked for.

use crate::metrics::{JobOutcome, SentJob};
use crate::sim::{Ending, Event, GridEntry, Piece};
use crate::study::csv_field;
use crate::units::Time;
use crate::workload::GridWorld;
use serde_json::json;
use std::fmt::Write;

/// `jobs.csv`, one policy after another.
pub(super) struct JobsTable(String);

impl JobsTable {
    pub(super) fn new() -> Self {
        Self("policy,job,user,submit,start,finish,wait,nodes,cost,postponed,fate,domain,predicted start\n".to_string())
    }

    /// Adds the outcomes of the measured jobs under a policy.
    pub(super) fn add(&mut self, world: &GridWorld, policy: &str, outcomes: &[JobOutcome], sent: &[Option<SentJob>]) {
        let time = |time: Option<Time>| time.map_or(String::new(), |time| time.to_string());
        let policy = csv_field(policy);
        for ((job, outcome), sent) in world.jobs.iter().zip(outcomes).zip(sent) {
            if !world.measured.contains(job.arrival) {
                continue;
            }
            let system = job.home.or(sent.map(|sent| sent.domain));
            let _ = writeln!(
                self.0,
                "{policy},{},{},{},{},{},{},{},{:.6},{},{},{},{}",
                csv_field(&job.request.name),
                csv_field(&world.users[job.user as usize]),
                outcome.submit,
                time(outcome.start),
                time(outcome.finish),
                outcome.wait().map_or(String::new(), |wait| wait.to_string()),
                job.request.nodes,
                outcome.cost,
                outcome.postponed,
                outcome.fate.name(),
                system.map_or(String::new(), |domain| csv_field(&world.domains[domain as usize].name)),
                time(sent.and_then(|sent| sent.predicted)),
            );
        }
    }

    pub(super) fn file(self) -> (String, Vec<u8>) {
        ("jobs.csv".to_string(), self.0.into_bytes())
    }
}

/// `trace.csv`: what happened, one line each, written as it happens.
pub(super) struct TraceTable<'w> {
    world: &'w GridWorld,
    text: String,
}

impl<'w> TraceTable<'w> {
    pub(super) fn new(world: &'w GridWorld) -> Self {
        Self { world, text: "time,event,node,job,task,from,to,detail\n".to_string() }
    }

    pub(super) fn note(&mut self, entry: &GridEntry) {
        let line = TraceLine::of(&entry.what);
        let node = line.node.map_or(String::new(), |node| csv_field(&self.world.nodes[node].name));
        let job = line.job.map_or(String::new(), |job| csv_field(&self.world.jobs[job].request.name));
        let number = |value: Option<String>| value.unwrap_or_default();
        let _ = writeln!(
            self.text,
            "{},{},{node},{job},{},{},{},{}",
            entry.time,
            line.event,
            number(line.task.map(|task| task.to_string())),
            number(line.interval.map(|interval| interval.start.to_string())),
            number(line.interval.map(|interval| interval.end.to_string())),
            line.detail
        );
    }

    pub(super) fn file(self) -> (String, Vec<u8>) {
        ("trace.csv".to_string(), self.text.into_bytes())
    }
}

/// The parts of an event.
#[derive(Default)]
struct TraceLine {
    event: &'static str,
    node: Option<usize>,
    job: Option<usize>,
    task: Option<u32>,
    interval: Option<crate::model::Interval>,
    detail: String,
}

impl TraceLine {
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
            Event::Sent(id, domain, predicted) => {
                let predicted = predicted.map_or(String::new(), |start| format!(": start predicted at {start}"));
                Self { detail: format!("domain {}{predicted}", domain + 1), ..job("sent", id) }
            }
            Event::Cycle(waiting) => Self { event: "cycle", detail: waiting.to_string(), ..Self::default() },
            Event::LimitUnmet => Self { event: "limit not met", ..Self::default() },
            Event::Held(of, interval, price) => {
                Self { interval: Some(interval), detail: price.to_string(), ..piece("held", of) }
            }
            Event::Extended(of, interval) => Self { interval: Some(interval), ..piece("extended", of) },
            Event::Freed(of, interval) => Self { interval: Some(interval), ..piece("freed", of) },
            Event::Started(of, ..) => piece("started", of),
            Event::Ended(of, Ending::Done) => Self { detail: "done".into(), ..piece("ended", of) },
            Event::Ended(of, Ending::Broken(loss, _)) => {
                Self { detail: format!("broken: {}", loss.name()), ..piece("ended", of) }
            }
            Event::Collided(of, cause, remedy) => {
                Self { detail: format!("{}: {}", cause.name(), remedy.name()), ..piece("collided", of) }
            }
            Event::Unplanned(id, why) => Self { detail: why.name().into(), ..job("unplanned", id) },
            Event::PlannedByHeft(id) => job("planned by HEFT", id),
            Event::Postponed(id) => job("postponed", id),
            Event::Lost(id, loss) => Self { detail: loss.name().into(), ..job("lost", id) },
            Event::Promised(id, start) => Self { detail: start.to_string(), ..job("promised", id) },
            Event::Finished(id) => job("finished", id),
            Event::GaveUp(id, reason) => Self { detail: reason.name().into(), ..job("gave up", id) },
        }
    }
}

/// `trace.json`, in the format of Chrome's and Perfetto's trace viewers: a track for each node, a process for each
/// domain. A unit of time is shown as a second.
pub(super) struct TraceEvents<'w> {
    world: &'w GridWorld,
    text: String,
    /// The domain of each node.
    process: Vec<usize>,
    /// By node: since when it holds what.
    since: Vec<Option<(Time, String, &'static str)>>,
}

impl<'w> TraceEvents<'w> {
    pub(super) fn new(world: &'w GridWorld) -> Self {
        // Keys stand in the order of the alphabet.
        let text = r#"{"displayTimeUnit":"ms","traceEvents":["#.to_string();
        let count = world.nodes.len();
        let mut events = Self { world, text, process: vec![0; count], since: vec![None; count] };
        for (index, domain) in world.domains.iter().enumerate() {
            let name = json!({ "name": domain.name });
            events.push(&json!({ "ph": "M", "name": "process_name", "pid": index, "args": name }));
            for node in domain.members() {
                events.process[node.index()] = index;
                let name = json!({ "name": world.nodes[node.index()].name });
                events.push(&json!({ "ph": "M", "name": "thread_name", "pid": index, "tid": node.0, "args": name }));
            }
        }
        events
    }

    fn push(&mut self, event: &serde_json::Value) {
        let comma = if self.text.ends_with('[') { "" } else { "," };
        let _ = write!(self.text, "{comma}{event}");
    }

    pub(super) fn note(&mut self, entry: &GridEntry) {
        match entry.what {
            Event::OwnerStarted(node, _) => self.since[node.index()] = Some((entry.time, "owner".into(), "local")),
            Event::Failed(node) => self.since[node.index()] = Some((entry.time, "down".into(), "failure")),
            Event::Started(Piece { job, task, node }, ..) => {
                let name = format!("{} task {}", self.world.jobs[job.index()].request.name, task + 1);
                self.since[node.index()] = Some((entry.time, name, "job"));
            }
            Event::OwnerEnded(node, _) | Event::Repaired(node) | Event::Ended(Piece { node, .. }, _) => {
                self.complete(node.index(), entry.time);
            }
            Event::Collided(Piece { node, .. }, cause, remedy) => self.push(&json!({
                "ph": "i", "s": "t", "name": format!("{}: {}", cause.name(), remedy.name()), "cat": "collision",
                "pid": self.process[node.index()], "tid": node.0, "ts": entry.time.ticks(),
            })),
            Event::Cycle(waiting) => self.push(&json!({
                "ph": "C", "name": "waiting jobs", "pid": 0, "ts": entry.time.ticks(), "args": { "jobs": waiting },
            })),
            _ => {}
        }
    }

    /// Ends what a node holds.
    fn complete(&mut self, node: usize, end: Time) {
        if let Some((start, name, kind)) = self.since[node].take() {
            self.push(&json!({
                "ph": "X", "name": name, "cat": kind, "pid": self.process[node], "tid": node,
                "ts": start.ticks(), "dur": (end - start).ticks(),
            }));
        }
    }

    /// The file, of a run that ended at `end`.
    pub(super) fn file(mut self, end: Time) -> (String, Vec<u8>) {
        (0..self.since.len()).for_each(|node| self.complete(node, end));
        self.text.push_str("]}");
        ("trace.json".to_string(), self.text.into_bytes())
    }
}
