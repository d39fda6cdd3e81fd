//! Schedulers that speak Batsim's protocol, version 4, as a discipline of the queue.
//!
//! The scheduler is a program of its own that waits at an address for questions, as those of pybatsim do. It is told what
//! happened at an instant and answers with the jobs that start, on processors of its choice.

mod processors;
#[cfg(test)]
mod tests;
mod zmtp;

use crate::engine::Stop;
use crate::queueing::{Decisions, Discipline, QueuedJob};
use crate::units::{Span, Time};
use processors::{ProcessorSet, UsedProcessors};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use zmtp::{NoReply, RequestSocket};

/// The name of the one workload.
const WORKLOAD: &str = "w0";
/// The most letters of an answer that an error shows.
const SHOWN: usize = 200;
/// The longest that a scheduler may take to be there.
const PATIENCE: Duration = Duration::from_secs(10);

/// A scheduler that speaks Batsim's protocol.
#[derive(Debug, Clone, PartialEq)]
pub struct BatsimPlace {
    /// Where it waits for questions: `tcp://127.0.0.1:28000`.
    pub endpoint: String,
    /// The most seconds that an answer may take.
    pub answer_within: f64,
}

impl BatsimPlace {
    /// The host and port of an endpoint; or what would be right.
    pub fn address(&self) -> Result<&str, String> {
        let address = self.endpoint.strip_prefix("tcp://").filter(|address| {
            address
                .rsplit_once(':')
                .is_some_and(|(host, port)| !host.is_empty() && host != "*" && port.parse::<u16>().is_ok())
        });
        address
            .ok_or_else(|| "give the address at which the scheduler waits, such as tcp://127.0.0.1:28000".to_string())
    }
}

/// The queue of a scheduler elsewhere, before an idle machine.
#[derive(Debug)]
pub struct Batsim {
    place: BatsimPlace,
    stop: Stop,
    socket: Option<RequestSocket>,
    processors: u32,
    /// All jobs, those that have arrived, and those that have ended.
    jobs: usize,
    arrived: usize,
    ended: usize,
    waiting: BTreeMap<u32, QueuedJob>,
    /// The processors of jobs that run, and of all that have.
    used: UsedProcessors,
    places: BTreeMap<u32, ProcessorSet>,
    /// What happened since the last question: times are added when it is asked.
    news: Vec<(Option<Time>, &'static str, Value)>,
    /// The times at which the scheduler wants to be called.
    calls: BTreeSet<Time>,
    /// Jobs that the scheduler wants to start later.
    due: BTreeMap<Time, Vec<u32>>,
    fault: Option<String>,
}

/// An answer.
#[derive(Debug, Deserialize)]
struct BatsimAnswer {
    events: Vec<BatsimEvent>,
}

#[derive(Debug, Deserialize)]
struct BatsimEvent {
    timestamp: f64,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    data: Value,
}

impl Batsim {
    /// The queue of a scheduler for this many jobs on a machine of `processors`. It is called when the first job comes.
    pub fn new(place: BatsimPlace, processors: u32, jobs: usize, stop: &Stop) -> Self {
        Self {
            place,
            stop: stop.clone(),
            socket: None,
            processors,
            jobs,
            arrived: 0,
            ended: 0,
            waiting: BTreeMap::new(),
            used: UsedProcessors::default(),
            places: BTreeMap::new(),
            news: Vec::new(),
            calls: BTreeSet::new(),
            due: BTreeMap::new(),
            fault: None,
        }
    }

    fn beginning(&self) -> Value {
        let resource = |id: u32| json!({"id": id, "name": format!("processor{id}"), "state": "idle", "properties": {}});
        json!({
            "nb_resources": self.processors,
            "nb_compute_resources": self.processors,
            "nb_storage_resources": 0,
            "allow_compute_sharing": false,
            "allow_storage_sharing": false,
            "config": {
                "redis-enabled": false,
                "redis-hostname": "",
                "redis-port": 0,
                "redis-prefix": "",
                "profiles-forwarded-on-submission": true,
                "dynamic-jobs-enabled": false,
                "dynamic-jobs-acknowledged": false,
                "profile-reuse-enabled": false,
                "forward-unknown-events": false,
            },
            "compute_resources": (0..self.processors).map(resource).collect::<Vec<Value>>(),
            "storage_resources": [],
            "workloads": {WORKLOAD: "log"},
            "profiles": {WORKLOAD: {}},
        })
    }

    /// Tells all that happened up to now, and takes the answer in.
    fn exchange(&mut self, now: Time, decisions: &mut Decisions) -> Result<(), String> {
        let within = Duration::try_from_secs_f64(self.place.answer_within).unwrap_or(Duration::MAX);
        let mut socket = match self.socket.take() {
            Some(socket) => socket,
            None => {
                let socket = RequestSocket::connect(self.place.address()?, &self.stop, PATIENCE);
                let begin = vec![(Some(now), "SIMULATION_BEGINS", self.beginning())];
                let mut socket = socket.map_err(|no| self.told("can't be reached", no))?;
                self.ask(&mut socket, now, begin, within, decisions)?;
                socket
            }
        };
        let news = std::mem::take(&mut self.news);
        self.ask(&mut socket, now, news, within, decisions)?;
        if self.ended < self.jobs {
            self.socket = Some(socket);
            return Ok(());
        }
        let ends = self.ask(&mut socket, now, vec![(None, "SIMULATION_ENDS", json!({}))], within, decisions);
        // Nobody is there any more who could be called.
        self.calls.clear();
        self.due.clear();
        ends
    }

    fn ask(
        &mut self,
        socket: &mut RequestSocket,
        now: Time,
        news: Vec<(Option<Time>, &'static str, Value)>,
        within: Duration,
        decisions: &mut Decisions,
    ) -> Result<(), String> {
        let event = |(time, kind, data): (Option<Time>, &str, Value)| json!({"timestamp": time.unwrap_or(now).as_f64(), "type": kind, "data": data});
        let question = json!({"now": now.as_f64(), "events": news.into_iter().map(event).collect::<Vec<Value>>()});
        let reply = socket.ask(question.to_string().as_bytes(), within).map_err(|no| self.told("has no answer", no))?;
        let answer: BatsimAnswer = serde_json::from_slice(&reply).map_err(|error| {
            let text: String = String::from_utf8_lossy(&reply).chars().take(SHOWN).collect();
            format!("its answer at time {now} can't be read: {error}, in `{text}`")
        })?;
        for event in answer.events {
            let kind = event.kind.clone();
            self.take_in(event, now, decisions)
                .map_err(|wrong| format!("its {kind} at time {now} can't be carried out: {wrong}"))?;
        }
        Ok(())
    }

    fn told(&self, what: &str, no: NoReply) -> String {
        let BatsimPlace { endpoint, answer_within } = &self.place;
        match no {
            NoReply::Stopped(stopped) => stopped.to_string(),
            NoReply::Lost(why) => {
                format!("the scheduler at {endpoint} {what}: {why}; start it first, and let it wait there")
            }
            NoReply::Late => format!("the scheduler at {endpoint} has not answered within {answer_within} s"),
            NoReply::Unclear(why) => format!("the scheduler at {endpoint} can't be understood: {why}"),
        }
    }

    fn take_in(&mut self, event: BatsimEvent, now: Time, decisions: &mut Decisions) -> Result<(), String> {
        let time = |given: f64| Time::from_f64(given).map_err(|_| format!("{given} is no time"));
        match event.kind.as_str() {
            "EXECUTE_JOB" => {
                let job = self.job_of(&event.data)?;
                let alloc = event.data["alloc"].as_str().ok_or("it has no `alloc`")?;
                let places = ProcessorSet::read(alloc)?;
                let wanted = self.waiting[&job].processors;
                if places.len() != u64::from(wanted) {
                    return Err(format!("job {WORKLOAD}!{job} gets {} processors and asks for {wanted}", places.len()));
                }
                if let Some(beyond) = places.last().filter(|&last| last >= self.processors) {
                    return Err(format!("there is no processor {beyond}: the last is {}", self.processors - 1));
                }
                self.used.take(&places).map_err(|taken| format!("processor {taken} is in use"))?;
                self.waiting.remove(&job);
                self.places.insert(job, places);
                // A scheduler may take its time, and then all that it does is later.
                match time(event.timestamp)? {
                    later if later > now => self.due.entry(later).or_default().push(job),
                    _ => decisions.starts.push(job),
                }
                Ok(())
            }
            "CALL_ME_LATER" => {
                let asked = event.data["timestamp"].as_f64().ok_or("it has no `timestamp`")?;
                // A scheduler that is called in the same instant again and again would never come to an end.
                if asked <= now.as_f64() {
                    return Err(format!("it is to be called at {asked}, which is not after {now}"));
                }
                self.calls.insert(time(asked)?.max(now + Span::from_ticks(1)));
                Ok(())
            }
            "REJECT_JOB" => {
                let job = self.job_of(&event.data)?;
                Err(format!("a replay runs every job, and it rejects job {WORKLOAD}!{job}"))
            }
            "NOTIFY" => Ok(()),
            _ => Err("a replay knows EXECUTE_JOB, REJECT_JOB, CALL_ME_LATER and NOTIFY only".to_string()),
        }
    }

    /// The number of a job that waits.
    fn job_of(&self, data: &Value) -> Result<u32, String> {
        let id = data["job_id"].as_str().ok_or("it has no `job_id`")?;
        let number = id.strip_prefix(WORKLOAD).and_then(|id| id.strip_prefix('!')?.parse().ok());
        number.filter(|number| self.waiting.contains_key(number)).ok_or_else(|| format!("no job {id} waits"))
    }
}

impl Discipline for Batsim {
    fn arrive(&mut self, job: QueuedJob) {
        let id = format!("{WORKLOAD}!{}", job.id);
        let profile = job.id.to_string();
        let described = json!({
            "id": id, "res": job.processors, "walltime": job.estimate.as_f64(), "profile": profile, "subtime": null,
        });
        // Schedulers want a profile; what a job will take is none of their business.
        let data =
            json!({"job_id": id, "job": described, "profile": {"type": "delay", "delay": job.estimate.as_f64()}});
        self.news.push((None, "JOB_SUBMITTED", data));
        self.waiting.insert(job.id, job);
        self.arrived += 1;
        if self.arrived == self.jobs {
            self.news.push((None, "NOTIFY", json!({"type": "no_more_static_job_to_submit"})));
        }
    }

    fn finish(&mut self, now: Time, id: u32, _: u32, _: Time) {
        self.ended += 1;
        let places = self.places.get(&id);
        if let Some(places) = places {
            self.used.give_back(places);
        }
        let data = json!({
            "job_id": format!("{WORKLOAD}!{id}"),
            "job_state": "COMPLETED_SUCCESSFULLY",
            "return_code": 0,
            "alloc": places.map(ToString::to_string).unwrap_or_default(),
        });
        self.news.push((Some(now), "JOB_COMPLETED", data));
    }

    fn outlive(&mut self, _: u32, _: Time, _: Time) {}

    fn pass(&mut self, now: Time, decisions: &mut Decisions) {
        if self.fault.is_some() {
            return;
        }
        for (_, _, data) in self.news.iter_mut().filter(|(_, kind, _)| *kind == "JOB_SUBMITTED") {
            data["job"]["subtime"] = json!(now.as_f64());
        }
        while let Some(due) = self.due.first_entry().filter(|due| *due.key() <= now) {
            decisions.starts.extend(due.remove());
        }
        let called = self.calls.len();
        self.calls.retain(|call| *call > now);
        if self.calls.len() < called {
            self.news.push((Some(now), "REQUESTED_CALL", json!({})));
        }
        if self.news.is_empty() {
            return;
        }
        if let Err(wrong) = self.exchange(now, decisions) {
            decisions.starts.clear();
            self.socket = None;
            self.fault = Some(wrong);
        }
    }

    fn wake(&self) -> Option<Time> {
        let due = self.due.first_key_value().map(|(time, _)| *time);
        if self.fault.is_some() { None } else { self.calls.first().copied().into_iter().chain(due).min() }
    }

    fn fault(&self) -> Option<String> {
        self.fault.clone()
    }

    fn places(&mut self) -> Option<Vec<String>> {
        let places = std::mem::take(&mut self.places);
        Some(places.into_values().map(|places| places.to_string()).collect())
    }
}
