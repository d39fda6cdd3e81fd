//! `gridloom replay`: logs of parallel machines through queues. The command makes a scenario of its options and runs it.

use super::arguments::Verbosity;
use super::progress::TerminalProgress;
use super::run::{Saving, one};
use super::{BAD_INPUT, FAILED, choice, print};
use crate::language::decode::nearest;
use crate::language::{Count, NonEmpty, Positive, Source, to_ron};
use crate::queueing::{Order, QueueRule};
use crate::report::campaign::Campaign;
use crate::report::{Earlier, output};
use crate::sim::{EstimateRule, Instants, MissingRequest, Overrun, ProcessorRule};
use crate::study::{
    Experiment, FiguresSpec, LimitsSpec, QueueSpec, Replay, ReplayLogSpec, Scenario, Slug, StatisticsSpec, Study,
    file_name, has_job, load_study_with, log_name,
};
use crate::workload::Files;
use crate::workload::swf::LogLimits;
use clap::builder::TypedValueParser;
use std::path::{Path, PathBuf};

const POLICIES: &[(&str, QueueRule)] =
    &[("FCFS", QueueRule::Fcfs), ("EASY", QueueRule::Easy), ("conservative", QueueRule::Conservative)];
// The jobs of a log have no price and no rank.
const ORDERS: &[(&str, Order)] =
    &[("arrival", Order::Arrival), ("shortest", Order::Shortest), ("largest", Order::Largest)];
/// The form of a scheduler elsewhere among the policies.
const BATSIM: &str = "batsim:ADDRESS";
const INSTANTS: &[(&str, Instants)] = &[("batch", Instants::Batch), ("each", Instants::Each)];
const ESTIMATES: &[(&str, EstimateRule)] =
    &[("requested", EstimateRule::Requested), ("max", EstimateRule::Max), ("actual", EstimateRule::Actual)];
const PROCESSORS: &[(&str, ProcessorRule)] =
    &[("requested", ProcessorRule::Requested), ("allocated", ProcessorRule::Allocated)];
const MISSING: &[(&str, MissingRequest)] = &[("actual", MissingRequest::Actual), ("skip", MissingRequest::Skip)];
const OVERRUNS: &[(&str, Overrun)] = &[("cut", Overrun::Cut), ("keep", Overrun::Keep)];

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Logs in the Standard Workload Format, plain or compressed with gzip
    #[arg(required = true, value_name = "TRACE.swf")]
    traces: Vec<PathBuf>,
    /// Required: policies of the queue, with commas between them: FCFS, EASY (one reservation), conservative (one for every job),
    /// or a scheduler that speaks Batsim's protocol and waits at an address, batsim:tcp://127.0.0.1:28000; the others
    /// are compared with the first
    #[arg(long, value_name = "POLICY,...", value_delimiter = ',', value_parser = policy_parser())]
    policy: Vec<PolicyWord>,
    /// With EASY, how many jobs at the front of the queue hold reservations [default: 1]
    #[arg(long, value_name = "N", value_parser = choice::whole(1, u32::MAX.into()))]
    depth: Option<u64>,
    /// The order of the queue: as jobs came, the shortest estimate, or the most processors first
    #[arg(long, value_name = "ORDER", default_value = "arrival", value_parser = choice::parser(ORDERS))]
    order: Order,
    /// The machine's processors [default: MaxProcs or MaxNodes of the log]
    #[arg(long, value_name = "N", value_parser = choice::whole(1, 1_000_000_000).map(|nodes| nodes as u32))]
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
    /// Write the jobs of each policy once more, in the columns of Batsim and with the processors of each, for evalys
    #[arg(long)]
    batsim_tables: bool,
    /// Stop at bad or misplaced lines, and at more than 18 fields, instead of leaving them out or moving them
    #[arg(long)]
    strict: bool,
    /// The most jobs that are read; each takes 144 bytes of memory
    #[arg(long, value_name = "N", default_value_t = LogLimits::default().records.get(), value_parser = choice::whole(1, u64::MAX))]
    max_records: u64,
    /// The most comments that are read
    #[arg(long, value_name = "N", default_value_t = LogLimits::default().header.get(), value_parser = choice::whole(1, u64::MAX))]
    max_header: u64,
    /// The most bytes that are read, after expansion of a compressed log
    #[arg(long, value_name = "N", default_value_t = LogLimits::default().bytes.get(), value_parser = choice::whole(1, u64::MAX))]
    max_bytes: u64,
    /// Draw figures this wide, such as 3.5 for a column of a paper
    #[arg(long, value_name = "INCHES", default_value = "5", value_parser = choice::figure_width())]
    figure_width: Positive,
    /// Write here instead of output/replay-NAME-POLICY (one log and policy) or output/replay-NAME...
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace an existing result
    #[arg(short, long)]
    force: bool,
    #[command(flatten)]
    words: Verbosity,
}

/// A policy as the command names it.
#[derive(Debug, Clone)]
enum PolicyWord {
    Rule(QueueRule),
    /// A scheduler elsewhere, by its address.
    Batsim(String),
}

impl std::fmt::Display for PolicyWord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Rule(rule) => f.write_str(&rule.name()),
            Self::Batsim(endpoint) => write!(f, "batsim:{endpoint}"),
        }
    }
}

/// Reads one of the words, or `batsim:` and an address.
fn policy_parser() -> impl TypedValueParser<Value = PolicyWord> {
    PolicyParser(choice::parser(POLICIES))
}

#[derive(Debug, Clone)]
struct PolicyParser<P>(P);

impl<P: TypedValueParser<Value = QueueRule>> TypedValueParser for PolicyParser<P> {
    type Value = PolicyWord;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        given: &std::ffi::OsStr,
    ) -> Result<PolicyWord, clap::Error> {
        match given.to_str().and_then(|given| given.strip_prefix("batsim:")) {
            Some(endpoint) => Ok(PolicyWord::Batsim(endpoint.to_string())),
            None => self.0.parse_ref(command, argument, given).map(PolicyWord::Rule),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = clap::builder::PossibleValue> + '_>> {
        let words = self.0.possible_values()?;
        Some(Box::new(words.chain([clap::builder::PossibleValue::new(BATSIM)])))
    }
}

impl Args {
    /// The policies, or what is wrong with them.
    fn policies(&self) -> Result<Vec<QueueSpec>, String> {
        let mut policies: Vec<QueueSpec> = Vec::new();
        for word in &self.policy {
            let order = self.order;
            let depth = self.depth.map_or(Count::ONE, Count::of);
            let elsewhere = policies.iter().filter(|policy| matches!(policy, QueueSpec::Batsim { .. })).count();
            let policy = match word {
                PolicyWord::Rule(QueueRule::Fcfs) => QueueSpec::Fcfs { order },
                PolicyWord::Rule(QueueRule::Easy | QueueRule::Depth(_)) => QueueSpec::Easy { depth, order },
                PolicyWord::Rule(QueueRule::Conservative) => QueueSpec::Conservative { order },
                PolicyWord::Batsim(endpoint) => QueueSpec::Batsim {
                    endpoint: endpoint.clone(),
                    // Of several, all but the first have numbers.
                    name: (elsewhere > 0).then(|| Slug::new(&format!("batsim-{}", elsewhere + 1))).flatten(),
                    answer_within: Positive::of(60.0),
                },
            };
            if policies.contains(&policy) {
                return Err(format!("--policy has {word} twice: give each policy once"));
            }
            policy.queue().map_err(|(field, wrong, right)| match field {
                "order" => format!("--order {}: {wrong}", order.name()),
                _ => format!("--policy {word}: {wrong}: {right}"),
            })?;
            policies.push(policy);
        }
        let is_easy = |policy: &QueueSpec| matches!(policy, QueueSpec::Easy { .. });
        match policies.first() {
            None => {
                Err("no policy is given: give --policy with FCFS, EASY, conservative, or several of them, such as \
                         --policy FCFS,EASY"
                    .into())
            }
            Some(_) if self.depth.is_none() || policies.iter().any(is_easy) => Ok(policies),
            Some(QueueSpec::Fcfs { .. }) => {
                Err("--depth is for --policy EASY: under FCFS nobody holds a reservation".into())
            }
            Some(QueueSpec::Batsim { .. }) => Err("--depth is for --policy EASY".into()),
            Some(_) => Err("--depth is for --policy EASY: under conservative everybody holds a reservation".into()),
        }
    }

    /// The result's name: those of the logs, and of the policy if there is but one.
    fn name(&self, policies: &[QueueSpec]) -> String {
        let logs: Vec<String> = self.traces.iter().map(|trace| log_name(trace)).collect();
        let policy = match policies {
            [only] => only.queue().map_or(String::new(), |queue| format!("-{}", file_name(&queue.name()))),
            _ => String::new(),
        };
        let logs: String = logs.join("-").chars().take(Slug::LONGEST - "replay-".len() - policy.len()).collect();
        // A dot at the end is none of a folder's name.
        format!("replay-{logs}{policy}").trim_end_matches('.').to_string()
    }

    fn limits(&self) -> LogLimits {
        LogLimits {
            header: Count::of(self.max_header),
            records: Count::of(self.max_records),
            bytes: Count::of(self.max_bytes),
        }
    }

    /// The logs as a scenario names them, or what is wrong with them.
    fn logs(&self) -> Result<Vec<ReplayLogSpec>, String> {
        let mut logs: Vec<ReplayLogSpec> = Vec::new();
        for (index, trace) in self.traces.iter().enumerate() {
            if let Some(other) = self.traces[..index].iter().find(|other| log_name(other) == log_name(trace)) {
                let (name, other) = (log_name(trace), other.display());
                let shown = trace.display();
                return Err(format!(
                    "{other} and {shown} would both be called {name:?}: give the files different names"
                ));
            }
            if trace.extension().is_some_and(|end| end == "ron") {
                let shown = trace.display();
                return Err(format!("{shown} is a scenario, not a log: use `gridloom run {shown}`"));
            }
            if trace.as_os_str() == "-" {
                return Err("a replay names its log, so that it can be run again: write standard input to a file \
                            first, and give that"
                    .into());
            }
            let path = trace.to_str().ok_or_else(|| {
                format!("{} is no text that a scenario could name: give the file another name", trace.display())
            })?;
            let nodes = self.nodes.map(|nodes| Count::of(nodes.into()));
            logs.push(ReplayLogSpec::File { path: path.into(), name: None, nodes, checksum: None });
        }
        Ok(logs)
    }
}

/// Prints why nothing came of it.
fn refuse(text: impl std::fmt::Display) -> u8 {
    print::error(&text.to_string());
    BAD_INPUT
}

pub(super) fn main(args: &Args) -> Result<(), u8> {
    let policies = args.policies().map_err(refuse)?;
    let logs = args.logs().map_err(refuse)?;
    let name = args.name(&policies);
    let folder = args.out.clone().unwrap_or_else(|| Path::new("output").join(&name));
    let earlier = if args.force { Earlier::Discard } else { Earlier::Refuse };
    let traces = args.traces.iter().map(PathBuf::as_path);
    output::preflight_apart(&folder, args.force, traces).map_err(refuse)?;
    Campaign::of(&folder).and_then(|campaign| campaign.check(earlier)).map_err(refuse)?;
    let study = study(args, &name, policies, logs)?.refer_from(&output::resolve(&folder).map_err(refuse)?);
    let progress = TerminalProgress::new(args.words.quiet);
    progress.begin(&name);
    let done = one(
        study,
        &Saving { folder: &folder, earlier, force: args.force, words: args.words, has_told_files: true },
        &progress,
    );
    progress.end();
    match done {
        Ok(summary) => print::result(&summary),
        Err(error) => {
            print::error(&format!("{name}: {error}"));
            Err(FAILED)
        }
    }
}

/// The call as a study.
fn study(args: &Args, name: &str, policies: Vec<QueueSpec>, logs: Vec<ReplayLogSpec>) -> Result<Study, u8> {
    let about = |machines: &[u32]| about(&policies, machines);
    let entries = NonEmpty::new(logs.into_iter().map(Into::into).collect());
    let (Some(name), Some(entries), Some(listed)) = (Slug::new(name), entries, NonEmpty::new(policies.clone())) else {
        return Err(refuse(format!("{name:?} can't name a scenario: give the log another name")));
    };
    let replay = Replay {
        logs: entries,
        policies: listed,
        instants: args.instants,
        estimate: args.estimate,
        processors: args.processors,
        missing_request: args.missing_request,
        overrun: args.overrun,
        strict: args.strict,
        batsim_tables: args.batsim_tables,
        limits: args.limits(),
    };
    let here = Source::new("gridloom replay", "");
    let mut files = Files::new(&here);
    let machines = read(args, &replay, &mut files)?;
    let scenario = Scenario {
        name,
        about: about(&machines),
        seed: 0,
        replications: Count::ONE,
        experiment: Experiment::Replay(replay),
        limits: LimitsSpec::default(),
        figures: FiguresSpec { width: args.figure_width, ..FiguresSpec::default() },
        statistics: StatisticsSpec::default(),
        answer: None,
        sweeps: Vec::new(),
        source: None,
        published: Vec::new(),
    };
    let source = Source::new("gridloom replay", to_ron(&scenario));
    load_study_with(&source, &[], files).map_err(|report| {
        print::message(&report.to_string());
        BAD_INPUT
    })
}

/// Reads the logs, with what is wrong with them on standard error; returns the sizes of their machines.
fn read(args: &Args, replay: &Replay, files: &mut Files<'_>) -> Result<Vec<u32>, u8> {
    let mut machines = Vec::new();
    for trace in &args.traces {
        let (path, text) = (trace.display(), trace.to_str().unwrap_or_default());
        let read = files.named_log(text, replay.limits);
        let read = read.map_err(|error| match trace.exists() {
            true => refuse(format!("can't read {path}: {error}")),
            false => refuse(no_log(trace)),
        })?;
        let log = &read.log;
        if !log.faults.are_none() && (args.strict || !args.words.quiet) {
            print::message(&format!("{path}: {}", log.faults));
        }
        if args.strict && !log.faults.are_none() {
            return Err(refuse(format!("{path} has bad lines, and --strict allows none")));
        }
        if log.records.is_empty() {
            return Err(refuse(format!("{path} holds no job: is it a log in the Standard Workload Format?")));
        }
        let Some(nodes) = args.nodes.or_else(|| log.header.processors()) else {
            return Err(refuse(format!("{path}: {}: give --nodes", log.header.no_size())));
        };
        if !has_job(log, nodes, replay.log_rules()) {
            return Err(refuse(format!("{path}: no job can be replayed: all are left out by the rules")));
        }
        machines.push(nodes);
    }
    Ok(machines)
}

/// The message on a log that is not there: where it was looked for, and the logs that are there.
fn no_log(trace: &Path) -> String {
    const SHOWN: usize = 5;
    let folder = trace.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let whole = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    let (path, place) = (trace.display(), whole.display());
    let Ok(entries) = std::fs::read_dir(folder) else {
        return format!("{path}: there is no such file, and no folder {place}; give the path of a log");
    };
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".swf") || name.ends_with(".swf.gz"))
        .collect();
    names.sort();
    let given = trace.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let meant = nearest(given, names.iter().map(String::as_str));
    let right = match (meant, &names[..]) {
        (Some(meant), _) => format!("did you mean `{}`?", trace.with_file_name(meant).display()),
        (None, []) => "no log is there; `gridloom generate` makes one".to_string(),
        (None, _) => {
            let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
            let more = names.len().saturating_sub(SHOWN);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("the logs there are {}{more}", shown.join(", "))
        }
    };
    format!("{path}: there is no such file in {place}; {right}")
}

/// The description of the scenario: machines of these sizes under the policies.
fn about(policies: &[QueueSpec], machines: &[u32]) -> String {
    let rule = |policy: &QueueSpec| match policy {
        QueueSpec::Fcfs { .. } => "first come, first served".to_string(),
        QueueSpec::Easy { depth, .. } if depth.get() > 1 => {
            format!("EASY backfilling with reservations for the first {} in the queue", depth.get())
        }
        QueueSpec::Easy { .. } => "EASY backfilling".to_string(),
        QueueSpec::Conservative { .. } => "conservative backfilling".to_string(),
        QueueSpec::Batsim { endpoint, .. } => format!("a scheduler at {endpoint} that speaks Batsim's protocol"),
    };
    let order = match policies.first() {
        Some(QueueSpec::Fcfs { order } | QueueSpec::Easy { order, .. } | QueueSpec::Conservative { order }) => *order,
        Some(QueueSpec::Batsim { .. }) | None => Order::Arrival,
    };
    let order = match order {
        Order::Arrival => String::new(),
        order => format!(", the queue being ordered by {} first", order.name()),
    };
    let rules: Vec<String> = policies.iter().map(rule).collect();
    let machines: Vec<String> = machines.iter().map(u32::to_string).collect();
    let (a_log, in_turn) = if machines.len() > 1 { ("Logs", ", in this order,") } else { ("A log", "") };
    format!(
        "{a_log} replayed on {}{in_turn} identical processors under {}{order}. Times are in seconds; the bounded slowdown takes \
         runtimes below 10 s as 10 s; a percentile is the smallest wait that so many jobs do not exceed.",
        machines.join(" and "),
        rules.join("; "),
    )
}
