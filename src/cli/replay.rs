//! `gridloom replay`: a log of a parallel machine through a queue.

use super::progress::TerminalProgress;
use super::{BAD_INPUT, FAILED, choice, print};
use crate::language::Count;
use crate::queueing::{Order, Queue, QueueRule};
use crate::report::{artefacts, markdown, output};
use crate::sim::{EstimateRule, Instants, LogRules, MissingRequest, Overrun, ProcessorRule};
use crate::study::{Progress, ReplaySpec, Row, RunError, run_replay};
use crate::workload::swf::{Log, LogError, LogLimits};
use std::fs::File;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

const POLICIES: &[(&str, QueueRule)] =
    &[("fcfs", QueueRule::Fcfs), ("easy", QueueRule::Easy), ("conservative", QueueRule::Conservative)];
const ORDERS: &[(&str, Order)] = &[
    ("arrival", Order::Arrival),
    ("shortest", Order::Shortest),
    ("largest", Order::Largest),
    ("price", Order::Price),
    ("rank", Order::Rank),
];
const INSTANTS: &[(&str, Instants)] = &[("batch", Instants::Batch), ("each", Instants::Each)];
const ESTIMATES: &[(&str, EstimateRule)] =
    &[("requested", EstimateRule::Requested), ("max", EstimateRule::Max), ("actual", EstimateRule::Actual)];
const PROCESSORS: &[(&str, ProcessorRule)] =
    &[("requested", ProcessorRule::Requested), ("allocated", ProcessorRule::Allocated)];
const MISSING: &[(&str, MissingRequest)] = &[("actual", MissingRequest::Actual), ("skip", MissingRequest::Skip)];
const OVERRUNS: &[(&str, Overrun)] = &[("cut", Overrun::Cut), ("keep", Overrun::Keep)];

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A log in the Standard Workload Format, plain or compressed with gzip
    #[arg(value_name = "TRACE.swf")]
    trace: PathBuf,
    /// The policy of the queue: in order of arrival; with one reservation; with a reservation for every job
    #[arg(long, value_name = "POLICY", value_parser = choice::parser(POLICIES))]
    policy: QueueRule,
    /// With easy, how many jobs at the front of the queue hold reservations [default: 1]
    #[arg(long, value_name = "N")]
    depth: Option<NonZeroU32>,
    /// The order of the queue: as jobs came, the shortest estimate, or the most processors first
    #[arg(long, value_name = "ORDER", default_value = "arrival", value_parser = choice::parser(ORDERS))]
    order: Order,
    /// The machine's processors [default: MaxProcs or MaxNodes of the log]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000_000))]
    nodes: Option<u32>,
    /// Decide once per instant after all its completions and arrivals, or after each of them
    #[arg(long, value_name = "WHEN", default_value = "batch", value_parser = choice::parser(INSTANTS))]
    instants: Instants,
    /// The runtime that the scheduler expects: the requested time, the time a job runs, or the larger of both
    #[arg(long, value_name = "WHAT", default_value = "requested", value_parser = choice::parser(ESTIMATES))]
    estimate: EstimateRule,
    /// Which processor count of the log holds; the other one where it is missing
    #[arg(long, value_name = "WHICH", default_value = "requested", value_parser = choice::parser(PROCESSORS))]
    processors: ProcessorRule,
    /// The requested time of a job without one: the time it ran; or leave the job out
    #[arg(long, value_name = "WHAT", default_value = "actual", value_parser = choice::parser(MISSING))]
    missing_request: MissingRequest,
    /// End jobs at their requested time, or let them run on while their estimate doubles as needed
    #[arg(long, value_name = "WHAT", default_value = "cut", value_parser = choice::parser(OVERRUNS))]
    overrun: Overrun,
    /// Stop at bad or misplaced lines, and at more than 18 fields, instead of leaving them out or moving them
    #[arg(long)]
    strict: bool,
    /// The most jobs that are read; each takes 144 bytes of memory
    #[arg(long, value_name = "N", default_value_t = LogLimits::default().records.get(), value_parser = clap::value_parser!(u64).range(1..))]
    max_records: u64,
    /// The most comments that are read
    #[arg(long, value_name = "N", default_value_t = LogLimits::default().header.get(), value_parser = clap::value_parser!(u64).range(1..))]
    max_header: u64,
    /// The most bytes that are read, after expansion of a compressed log
    #[arg(long, value_name = "N", default_value_t = LogLimits::default().bytes.get(), value_parser = clap::value_parser!(u64).range(1..))]
    max_bytes: u64,
    /// Write here instead of output/replay-NAME-POLICY
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace an existing result
    #[arg(long)]
    force: bool,
    /// Say nothing about bad lines, and show no progress
    #[arg(long)]
    quiet: bool,
}

impl Args {
    /// The result's name: that of the log, as far as it can be part of a file's name, and the policy.
    fn name(&self, queue: Queue) -> String {
        let file = self.trace.file_name().unwrap_or_default().to_string_lossy();
        let stem = file.strip_suffix(".gz").unwrap_or(&file);
        let stem = stem.strip_suffix(".swf").unwrap_or(stem);
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
        format!("replay-{}-{}", stem.chars().map(plain).collect::<String>(), queue.name())
    }

    fn queue(&self) -> Result<Queue, String> {
        let policy = match (self.policy, self.depth) {
            (policy, None) => policy,
            (QueueRule::Easy, Some(NonZeroU32::MIN)) => QueueRule::Easy,
            (QueueRule::Easy, Some(depth)) => QueueRule::Depth(depth),
            (QueueRule::Fcfs, _) => {
                return Err("--depth is for --policy easy: under fcfs nobody holds a reservation".into());
            }
            (_, _) => {
                return Err("--depth is for --policy easy: under conservative everybody holds a reservation".into());
            }
        };
        Queue::new(policy, self.order).map_err(|error| format!("--order {}: {error}", self.order.name()))
    }

    /// The call with all its choices spelt out.
    fn command(&self, nodes: u32) -> String {
        format!(
            "gridloom replay {:?} --policy {}{} --order {} --nodes {nodes} --instants {} --estimate {} --processors {} \
             --missing-request {} --overrun {}",
            self.trace,
            self.policy.name(),
            self.depth.map_or(String::new(), |depth| format!(" --depth {depth}")),
            self.order.name(),
            choice::name(INSTANTS, self.instants),
            choice::name(ESTIMATES, self.estimate),
            choice::name(PROCESSORS, self.processors),
            choice::name(MISSING, self.missing_request),
            choice::name(OVERRUNS, self.overrun),
        )
    }

    fn limits(&self) -> LogLimits {
        LogLimits {
            header: Count::of(self.max_header),
            records: Count::of(self.max_records),
            bytes: Count::of(self.max_bytes),
        }
    }

    fn rules(&self) -> LogRules {
        LogRules {
            estimate: self.estimate,
            processors: self.processors,
            overrun: self.overrun,
            missing_request: self.missing_request,
        }
    }
}

/// Prints why nothing came of it.
fn refuse(status: u8) -> impl Fn(String) -> u8 {
    move |text| {
        print::error(&text);
        status
    }
}

pub(super) fn main(args: &Args) -> Result<(), u8> {
    let queue = args.queue().map_err(refuse(BAD_INPUT))?;
    let name = args.name(queue);
    let folder = args.out.clone().unwrap_or_else(|| Path::new("output").join(&name));
    output::preflight(&folder, args.force).map_err(|error| refuse(BAD_INPUT)(error.to_string()))?;
    let log = read(args)?;
    let nodes = args.nodes.or_else(|| log.header.processors()).ok_or_else(|| {
        refuse(BAD_INPUT)(format!(
            "{}: the log does not say how large the machine is: give --nodes",
            args.trace.display()
        ))
    })?;
    let spec =
        ReplaySpec { name, command: args.command(nodes), nodes, queue, instants: args.instants, rules: args.rules() };
    let progress = TerminalProgress::new(args.quiet);
    progress.begin(&spec.name);
    let outcome = run_replay(&log, &spec, &progress);
    progress.end();
    let outcome = outcome.map_err(|error| {
        let status = if matches!(error, RunError::NoJobs) { BAD_INPUT } else { FAILED };
        refuse(status)(format!("{}: {error}", args.trace.display()))
    })?;
    // The figures need their memory more than the log does.
    drop(log);
    let files = artefacts(&outcome).map_err(|error| refuse(FAILED)(error.to_string()))?;
    // Pictures take their time too; who has asked to stop by now wants nothing to be replaced.
    let _writing = progress.while_writing();
    if progress.is_stopped() {
        return Err(refuse(FAILED)(RunError::Interrupted.to_string()));
    }
    let totals: Vec<Row> = outcome.results.rows.iter().filter(|row| row.x.is_none()).cloned().collect();
    let (name, about) = (&outcome.results.scenario, &outcome.about);
    let summary = format!("# {name}\n\n{about}\n\n{}", markdown::tables(&totals));
    if let Err(error) = files.commit(&folder, args.force) {
        // The disk is full, say: what can be read on a screen is not lost with the files.
        let _ = print::result(&summary);
        return Err(refuse(FAILED)(error.to_string()));
    }
    let names: Vec<&str> = files.names().collect();
    print::result(&format!("{summary}\nWritten to {}: {}\n", folder.display(), names.join(", ")))
}

/// The log, with what is wrong with it on standard error.
fn read(args: &Args) -> Result<Log, u8> {
    let path = args.trace.display();
    let unreadable = |error: LogError| refuse(BAD_INPUT)(format!("can't read {path}: {error}"));
    let file = File::open(&args.trace).map_err(|error| unreadable(error.into()))?;
    let log = Log::read_within(file, args.limits()).map_err(unreadable)?;
    if !log.faults.are_none() && (args.strict || !args.quiet) {
        print::message(&format!("{path}: {}", log.faults));
    }
    if args.strict && !log.faults.are_none() {
        return Err(refuse(BAD_INPUT)(format!("{path} has bad lines, and --strict allows none")));
    }
    if log.records.is_empty() {
        return Err(refuse(BAD_INPUT)(format!("{path} holds no job: is it a log in the Standard Workload Format?")));
    }
    Ok(log)
}
