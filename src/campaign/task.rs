//! What each process of a spread run says of itself.

use super::{Campaign, CampaignError, names, process_name, write_whole};
use crate::report::output::OutputError;
use crate::study::Shard;
use gridloom_files::read_plain;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

/// The time from one sign of life to the next.
const BEAT: Duration = Duration::from_secs(5);
/// A process that says nothing for this long is taken for dead.
const SILENCE: Duration = Duration::from_secs(30);

/// A process that runs a shard, in its own words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskReport {
    /// The shard: its number and the number of all.
    pub shard: (u64, u64),
    /// The host and the number of the process.
    pub process: String,
    /// The job of a cluster's queue, if it is one.
    pub job: Option<String>,
    /// The blocks that it has done, and all of its shard.
    pub blocks: (u64, u64),
    /// The block that it is at.
    pub at: Option<String>,
    /// How it ended: nothing while it runs.
    pub end: Option<TaskEnd>,
    /// Seconds since it gave its last sign, as the reader sees it.
    #[serde(skip)]
    pub silent: f64,
    /// It is not there any more, as far as its own machine can tell.
    #[serde(skip)]
    pub is_gone: bool,
}

/// How a process ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum TaskEnd {
    /// Its shard is done.
    #[serde(rename = "done")]
    Done,
    /// It was stopped, or could not go on.
    #[serde(rename = "failed")]
    Failed(String),
}

impl TaskReport {
    /// True as long as it runs, as far as can be told.
    pub fn is_running(&self) -> bool {
        self.end.is_none() && !self.is_gone && self.silent < SILENCE.as_secs_f64()
    }

    /// Why it did not finish; nothing if it did, or still runs.
    pub fn failure(&self) -> Option<String> {
        match &self.end {
            Some(TaskEnd::Failed(why)) => Some(why.clone()),
            None if self.is_gone => Some("it was killed".into()),
            None if !self.is_running() => {
                Some(format!("it went silent {:.0} s ago: killed, or its machine is gone", self.silent))
            }
            _ => None,
        }
    }
}

impl Campaign {
    /// What all processes have said, in the order of their shards, those that spoke last at the end.
    #[allow(clippy::disallowed_methods, reason = "the clock tells how old a sign is, never a result")]
    pub fn tasks(&self) -> Result<Vec<TaskReport>, OutputError> {
        let (folder, now) = (self.tasks_folder(), SystemTime::now());
        let mut found = Vec::new();
        for path in names(&folder)?.iter().filter(|name| name.ends_with(".json")).map(|name| folder.join(name)) {
            let Ok(text) = read_plain(&path) else { continue };
            let Ok(mut report) = serde_json::from_slice::<TaskReport>(&text) else { continue };
            let age = path.metadata().ok().and_then(|found| now.duration_since(found.modified().ok()?).ok());
            report.silent = age.unwrap_or_default().as_secs_f64();
            report.is_gone = is_gone(&report.process);
            found.push(report);
        }
        found
            .sort_by(|a, b| (a.shard, b.silent).partial_cmp(&(b.shard, a.silent)).unwrap_or(std::cmp::Ordering::Equal));
        Ok(found)
    }
}

/// The sign that a process gives of itself: its own file, written again from time to time by a thread of its own.
#[derive(Debug)]
pub struct TaskSign {
    path: PathBuf,
    shared: Arc<(Mutex<(TaskReport, bool)>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl TaskSign {
    /// The first sign of a process.
    pub fn new(campaign: &Campaign, shard: Shard, blocks: (u64, u64)) -> Result<Self, CampaignError> {
        let process = process_name();
        let path = campaign.tasks_folder().join(format!("{}-of-{}.{process}.json", shard.index, shard.of));
        let report = TaskReport {
            shard: (shard.index, shard.of),
            process,
            job: job(),
            blocks,
            at: None,
            end: None,
            silent: 0.0,
            is_gone: false,
        };
        let shared = Arc::new((Mutex::new((report, false)), Condvar::new()));
        let mut sign = Self { path, shared, thread: None };
        sign.write()?;
        let (shared, path) = (Arc::clone(&sign.shared), sign.path.clone());
        // Without the thread signs come with the blocks alone.
        let beat = move || {
            let (state, bell) = &*shared;
            let mut held = state.lock().unwrap_or_else(PoisonError::into_inner);
            while !held.1 {
                held = bell.wait_timeout(held, BEAT).map_or_else(|error| error.into_inner().0, |(held, _)| held);
                let text = serde_json::to_vec(&held.0).unwrap_or_default();
                // A sign that can't be given is no reason to stop.
                let _ = write_whole(&path, &text);
            }
        };
        sign.thread = std::thread::Builder::new().name("sign".into()).spawn(beat).ok();
        Ok(sign)
    }

    /// Says which block it is at, and how many are done.
    pub fn at(&self, block: &str, done: u64) -> Result<(), CampaignError> {
        self.change(|report| {
            report.at = Some(block.to_string());
            report.blocks.0 = done;
        });
        self.write()
    }

    /// Says how it ended.
    pub fn end(mut self, end: TaskEnd, done: u64) -> Result<(), CampaignError> {
        self.change(|report| {
            report.at = None;
            report.end = Some(end);
            report.blocks.0 = done;
        });
        self.rest();
        self.write()
    }

    fn change(&self, change: impl FnOnce(&mut TaskReport)) {
        change(&mut self.shared.0.lock().unwrap_or_else(PoisonError::into_inner).0);
    }

    fn write(&self) -> Result<(), CampaignError> {
        let held = self.shared.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = serde_json::to_vec(&held.0);
        let text = text.map_err(|error| CampaignError::io("write", &self.path)(error.into()))?;
        write_whole(&self.path, &text)
    }

    /// Ends the thread.
    fn rest(&mut self) {
        self.shared.0.lock().unwrap_or_else(PoisonError::into_inner).1 = true;
        self.shared.1.notify_all();
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl Drop for TaskSign {
    fn drop(&mut self) {
        self.rest();
    }
}

/// True if a process was on this machine and is not any more; of other machines nothing is known.
fn is_gone(process: &str) -> bool {
    let own = process_name();
    let host = |name: &str| name.rsplit_once('-').map(|(host, pid)| (host.to_string(), pid.to_string()));
    let (Some((own, _)), Some((host, pid))) = (host(&own), host(process)) else { return false };
    let processes = Path::new("/proc");
    own == host && processes.join("self").exists() && !processes.join(pid).exists()
}

/// The job of a cluster's queue that this process is.
fn job() -> Option<String> {
    let of = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let slurm = of("SLURM_ARRAY_JOB_ID").zip(of("SLURM_ARRAY_TASK_ID")).map(|(job, task)| format!("{job}_{task}"));
    let slurm = slurm.or_else(|| of("SLURM_JOB_ID")).map(|job| format!("Slurm {job}"));
    let hyperqueue = of("HQ_JOB_ID").zip(of("HQ_TASK_ID")).map(|(job, task)| format!("HyperQueue {job}@{task}"));
    slurm.or(hyperqueue)
}
