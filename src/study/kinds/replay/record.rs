//! `Replay`: logs of parallel machines through queues.

use super::logs::ReplayLog;
use crate::check::{Verdict, check_any_replay, check_replay};
use crate::engine::Stop;
use crate::language::{Count, NonEmpty, Positive};
use crate::queueing::{Discipline, Order, Queue, QueueRule, RigidJob};
use crate::sim::{
    Batsim, BatsimPlace, EstimateRule, Instants, LogRules, MissingRequest, Overrun, ProcessorRule, ReplayPlacement,
};
use crate::study::Slug;
use crate::workload::NamedLog;
use crate::workload::swf::LogLimits;
use crate::{choice, record};

/// The largest machine.
const MOST_NODES: u64 = 1_000_000_000;

record! {
    /// Logs of parallel machines, replayed under several policies of the queue. All policies face the same jobs, so that
    /// their waits are compared job by job.
    ///
    /// ```
    /// use gridloom::language::Source;
    /// use gridloom::study::{NoProgress, load_study, run};
    ///
    /// let text = r#"(name: "two", experiment: Replay(
    ///     logs: [Lublin(jobs: 300, nodes: 64, load: 0.9)],
    ///     policies: [Fcfs, Easy],
    /// ))"#;
    /// let outcome = run(&load_study(&Source::new("two.ron", text), &[])?, &NoProgress)?;
    /// let is_wait = |row: &&gridloom::study::Row| row.metric == "mean wait";
    /// let waits: Vec<f64> = outcome.results.rows.iter().filter(is_wait).map(|row| row.mean).collect();
    /// assert!(waits[1] < waits[0], "backfilling pays");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub struct Replay {
        /// The logs, each replayed by itself.
        logs: NonEmpty<ReplayLog>,
        /// The policies of the queue, a series each. The first is what the others are compared with.
        policies: NonEmpty<QueueSpec>,
        /// When the policy decides.
        instants: Instants = Instants::Batch,
        /// The runtime that the scheduler expects of a job.
        estimate: EstimateRule = EstimateRule::Requested,
        /// The processor count of the log that holds.
        processors: ProcessorRule = ProcessorRule::Requested,
        /// The requested time of a job without one.
        missing_request: MissingRequest = MissingRequest::Actual,
        /// The treatment of a job that ran longer than it asked for.
        overrun: Overrun = Overrun::Cut,
        /// Bad or misplaced lines of a log, and more than 18 fields, are errors, if true; else they are left out or moved,
        /// and counted.
        strict: bool = false,
        /// The jobs of each policy are written once more in the columns of Batsim, with the processors of each job, if
        /// true: evalys and other tools of that family read them.
        batsim_tables: bool = false,
        /// The limits on the size of a log.
        limits: LogLimits = LogLimits::default(),
    }
    starter(include_str!("starter.ron"))
    check(this, at, errors) {
        for (index, policy) in this.policies.iter().enumerate() {
            let place = at.field("policies").element(index);
            match policy.queue() {
                Err((field, wrong, right)) => errors.add(&place.field(field), wrong, right),
                // `Easy(depth: 1)` is `Easy`.
                Ok(queue) if this.policies[..index].iter().any(|other| other.queue().is_ok_and(|other| other.name() == queue.name())) => {
                    let right = "leave it out, or change its order, depth or name";
                    errors.add(&place, "this policy is in the list already", right);
                }
                Ok(_) => {}
            }
        }
        for (index, log) in this.logs.iter().enumerate() {
            if this.logs[..index].iter().any(|other| other.name() == log.name()) {
                let wrong = format!("a log called `{}` is in the list already", log.name());
                errors.add(&at.field("logs").element(index), wrong, "give it a `name` of its own");
            }
        }
    }
}

choice! {
    /// Where the jobs of a replay come from.
    pub enum ReplayLogSpec {
        /// A log in the Standard Workload Format, plain or compressed with gzip.
        File {
            /// The path of the file, from the folder of the scenario.
            path: String,
            /// The name of the log in the results; that of the file, unless given.
            name: Option<Slug>,
            /// The machine's processors; `MaxProcs` or `MaxNodes` of the log, unless given.
            #[unit = "processors"]
            nodes: Option<Count>,
            /// The checksum of the file, `crc32:` and eight hexadecimal digits: a log that has changed is refused. It is
            /// not checked, unless given.
            checksum: Option<String>,
        },
        /// A synthetic log in the manner of Lublin and Feitelson, as `gridloom generate` writes it.
        Lublin {
            /// The number of jobs.
            #[unit = "jobs"]
            jobs: Count,
            /// The machine's processors.
            #[unit = "processors"]
            nodes: Count,
            /// Work over capacity until the last job comes.
            #[unit = "share of the capacity"]
            load: Positive,
            /// The seed that decides everything else.
            #[unit = "none"]
            seed: u64 = 1,
            /// The name of the log in the results; `lublin`, unless given.
            name: Option<Slug>,
        },
    }
    check(this, at, errors) {
        if let ReplayLogSpec::Lublin { jobs, nodes, load, .. } = this {
            if jobs.get() > 10_000_000 {
                errors.add(&at.field("jobs"), "that is more than ten million jobs", "give fewer");
            }
            if nodes.get() > 1_000_000 {
                errors.add(&at.field("nodes"), "that is more than a million processors", "give fewer");
            }
            if !(0.001..=100.0).contains(&load.get()) {
                errors.add(&at.field("load"), "gaps between jobs would be absurdly long or short", "give 0.001 to 100");
            }
        }
        if let ReplayLogSpec::File { nodes, checksum, .. } = this {
            if nodes.is_some_and(|nodes| nodes.get() > MOST_NODES) {
                errors.add(&at.field("nodes"), "no machine has as many processors", format!("give up to {MOST_NODES}"));
            }
            if checksum.as_ref().is_some_and(|text| !NamedLog::is_checksum(text)) {
                let right = "give `crc32:` and eight hexadecimal digits, or leave it out";
                errors.add(&at.field("checksum"), "this is no checksum", right);
            }
        }
    }
}

choice! {
    /// Policies of a queue before one machine.
    pub enum QueueSpec {
        /// First come, first served: no job starts before one ahead of it in the queue.
        Fcfs {
            /// The order of the queue.
            order: Order = Order::Arrival,
        },
        /// Backfilling that delays none of the first in the queue, which hold reservations: just the head, unless
        /// `depth` says otherwise.
        Easy {
            /// The number of jobs that hold reservations.
            #[unit = "jobs"]
            depth: Count = Count::ONE,
            /// The order of the queue.
            order: Order = Order::Arrival,
        },
        /// Backfilling that delays no job: all hold reservations.
        Conservative {
            /// The order of the queue.
            order: Order = Order::Arrival,
        },
        /// A scheduler that speaks Batsim's protocol, version 4, as those of pybatsim do: a program that waits for
        /// questions. Only the times are ours.
        Batsim {
            /// Where it waits: `tcp://127.0.0.1:28000`.
            endpoint: String,
            /// The name in results; `batsim`, unless given.
            name: Option<Slug>,
            /// The most time that an answer may take. A scheduler that takes longer ends the run.
            #[unit = "seconds on the clock"]
            answer_within: Positive = Positive::of(60.0),
        },
    }
}

/// What is wrong with a policy: the field, why, and what would be right.
type WrongQueue = (&'static str, String, String);

impl QueueSpec {
    /// The queue, or why there is none.
    pub fn queue(&self) -> Result<ReplayQueue, WrongQueue> {
        let (rule, order) = match self {
            Self::Fcfs { order } => (QueueRule::Fcfs, *order),
            Self::Easy { depth, order } => (QueueRule::easy(*depth), *order),
            Self::Conservative { order } => (QueueRule::Conservative, *order),
            Self::Batsim { endpoint, name, answer_within } => {
                let place = BatsimPlace { endpoint: endpoint.clone(), answer_within: answer_within.get() };
                place.address().map_err(|right| ("endpoint", format!("{endpoint:?} is no address"), right))?;
                let name = name.as_ref().map_or("batsim", Slug::as_str).to_string();
                return Ok(ReplayQueue::Batsim { name, place });
            }
        };
        let queue = Queue::new(rule, order).map(ReplayQueue::Own);
        queue.map_err(|wrong| ("order", wrong.to_string(), "give `Arrival`, `Shortest` or `Largest`".to_string()))
    }
}

/// A queue that logs are replayed through.
#[derive(Debug, Clone, PartialEq)]
pub enum ReplayQueue {
    /// One of this program.
    Own(Queue),
    /// That of a scheduler elsewhere.
    Batsim {
        /// The name in results.
        name: String,
        /// Where it is.
        place: BatsimPlace,
    },
}

impl ReplayQueue {
    /// The name in results.
    pub fn name(&self) -> String {
        match self {
            Self::Own(queue) => queue.name(),
            Self::Batsim { name, .. } => name.clone(),
        }
    }

    /// True if it comes from outside this program.
    pub(super) fn is_foreign(&self) -> bool {
        matches!(self, Self::Batsim { .. })
    }

    /// The queue, empty, before an idle machine of `processors` for so many jobs.
    pub(super) fn discipline(&self, processors: u32, jobs: usize, stop: &Stop) -> Box<dyn Discipline> {
        match self {
            Self::Own(queue) => queue.discipline(processors),
            Self::Batsim { place, .. } => Box::new(Batsim::new(place.clone(), processors, jobs, stop)),
        }
    }

    /// Judges a schedule by the laws of the queue.
    pub(super) fn check(&self, jobs: &[RigidJob], nodes: u32, placed: &[Option<ReplayPlacement>]) -> Verdict {
        match self {
            Self::Own(queue) => check_replay(jobs, nodes, *queue, placed),
            Self::Batsim { .. } => check_any_replay(jobs, nodes, placed),
        }
    }
}

impl Replay {
    /// The queues of its policies; those that the check of the record has refused are not among them.
    pub(super) fn queues(&self) -> Vec<ReplayQueue> {
        self.policies.iter().filter_map(|policy| policy.queue().ok()).collect()
    }

    /// The rules by which records become jobs.
    pub fn log_rules(&self) -> LogRules {
        LogRules {
            estimate: self.estimate,
            processors: self.processors,
            overrun: self.overrun,
            missing_request: self.missing_request,
        }
    }
}
