//! `gridloom submit`: the shards of a run and their merge as jobs in a cluster's queue.

use super::arguments::Verbosity;
use super::shard::{check_place, refuse, refuse_snapshot};
use super::{BAD_INPUT, FAILED, choice, load, print};
use crate::report::campaign::status::{ranges, status};
use crate::report::campaign::{Campaign, Snapshot, Submission};
use crate::study::{MOST_SHARDS, Study, StudyPoint, shares, study_points};
use crate::units::counted;
use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The shards of a run that does not say how many: fewer if there are not that many replications.
const USUAL_SHARDS: u64 = 16;

/// The queues that jobs can be given to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Engine {
    Slurm,
    HyperQueue,
}

/// The lines of a site that are options of Slurm begin with this.
const SLURM_OPTION: &str = "#SBATCH";

const ENGINES: &[(&str, Engine)] = &[("slurm", Engine::Slurm), ("hyperqueue", Engine::HyperQueue)];

impl Engine {
    fn name(self) -> &'static str {
        match self {
            Self::Slurm => "Slurm",
            Self::HyperQueue => "HyperQueue",
        }
    }
}

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The scenario; left out with --missing
    #[arg(required_unless_present = "missing", value_name = "SCENARIO.ron")]
    file: Option<PathBuf>,
    /// The cluster's queue
    #[arg(long, value_parser = choice::parser(ENGINES))]
    engine: Engine,
    /// Where the result goes; what the jobs share is beside it, in DIR.blocks [default: output/NAME, by the scenario's
    /// name]
    #[arg(short, long, value_name = "DIR", required_unless_present = "file")]
    out: Option<PathBuf>,
    /// Cut the work into this many shards [default: 16, or as many as there are replications]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = choice::whole(1, MOST_SHARDS))]
    shards: Option<u64>,
    /// An option for Slurm, such as partition=long or --account=grid; may be given several times
    #[arg(long = "option", value_name = "OPTION", allow_hyphen_values = true)]
    options: Vec<String>,
    /// A file with lines for the head of each job: commands such as module load, and for Slurm #SBATCH options
    #[arg(long, value_name = "FILE")]
    site: Option<PathBuf>,
    /// Threads that each shard uses
    #[arg(long, value_name = "N", default_value = "1", allow_negative_numbers = true, value_parser = choice::whole(1, 1024))]
    threads: u64,
    /// Submit only the shards that lack something and of which nothing runs
    #[arg(long, conflicts_with_all = ["file", "shards", "overrides", "seed", "replications"])]
    missing: bool,
    /// Print what would be submitted, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// Override a field, for example experiment.horizon=48; may be given several times
    #[arg(long = "set", value_name = "PATH=VALUE")]
    overrides: Vec<String>,
    /// Override the master seed
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = choice::whole(0, u64::MAX))]
    seed: Option<u64>,
    /// Override the number of replications
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = choice::whole(1, u64::MAX))]
    replications: Option<u64>,
    #[command(flatten)]
    words: Verbosity,
}

/// The jobs that are to be submitted.
struct QueuedShards<'a> {
    engine: Engine,
    /// The program, and the folder of what the jobs share.
    program: PathBuf,
    folder: &'a Path,
    target: PathBuf,
    name: &'a str,
    /// The numbers of the shards, and the number of all.
    numbers: Vec<u64>,
    of: u64,
    threads: u64,
    options: &'a [String],
    site: String,
}

/// The jobs as the queue numbers them.
struct QueuedJobs {
    /// The one that runs the shards.
    job: String,
    /// The one that merges them, or why the queue has not taken it.
    merge: Result<String, String>,
}

pub(super) fn main(args: &Args) -> Result<(), u8> {
    let site = match &args.site {
        None => String::new(),
        Some(path) => {
            fs::read_to_string(path).map_err(|error| refuse(&format!("can't read {}: {error}", path.display())))?
        }
    };
    check_options(args, &site)?;
    let (campaign, snapshot, study) = match &args.file {
        Some(path) => new(args, path)?,
        None => known(args)?,
    };
    let points = study_points(&study);
    let (numbers, of) = match args.missing {
        true => unfinished(&campaign, &snapshot, &points)?,
        false => {
            let units: u64 = points.iter().map(|point| if point.is_whole { 1 } else { point.replications }).sum();
            // A block has one replication or more: any further shard would wait in the queue for nothing.
            let most = units.max(1);
            let of = args.shards.unwrap_or(USUAL_SHARDS).min(most);
            if let Some(given) = args.shards.filter(|&given| given > most && !args.words.quiet) {
                let (blocks, shards) = (counted(most, "block"), counted(of, "shard"));
                print::message(&format!(
                    "note: --shards {given}: the work has {blocks} at most, so that {shards} do it all"
                ));
            }
            ((1..=of).collect(), of)
        }
    };
    let target = std::path::absolute(campaign.target()).map_err(|error| refuse(&error))?;
    let jobs = QueuedShards {
        engine: args.engine,
        program: std::env::current_exe().map_err(|error| refuse(&format!("can't find the program itself: {error}")))?,
        folder: campaign.folder(),
        target,
        name: snapshot.name(),
        numbers,
        of,
        threads: args.threads,
        options: &args.options,
        site,
    };
    if args.dry_run {
        return print::result(&jobs.shown(&points));
    }
    campaign.begin(&snapshot, &study).map_err(|error| refuse(&error))?;
    let mut submission = Submission { engine: args.engine.name().into(), shards: of, job: None, merge: None };
    if !args.missing {
        campaign.claim(&submission).map_err(|error| refuse(&error))?;
    }
    let logs = campaign.logs_folder();
    let made = fs::create_dir_all(&logs).map_err(|error| format!("can't create {}: {error}", logs.display()));
    match made.and_then(|()| jobs.submit()) {
        Ok(QueuedJobs { job, merge }) => {
            (submission.job, submission.merge) = (Some(job.clone()), merge.clone().ok());
            if let Err(error) = campaign.submitted(&submission) {
                print::message(&format!("note: {error}"));
            }
            let out = campaign.target().display();
            let merge = merge.map_err(|why| {
                // The shards wait in the queue and need what is there.
                let name = snapshot.name();
                print::error(&format!(
                    "{name}: the shards are job {job} in {}, but their merge was not submitted: {why}; once they are \
                     done, `gridloom merge {out}` does it",
                    args.engine.name()
                ));
                FAILED
            })?;
            if args.words.quiet {
                return print::result(&format!("{job}\n"));
            }
            print::result(&format!(
                "{}: {} submitted to {} as job {job}; job {merge} merges them to {out}\n`gridloom status {out}` tells how far they are\n",
                snapshot.name(),
                counted(jobs.numbers.len() as u64, "shard"),
                args.engine.name(),
            ))
        }
        Err(why) => {
            if !args.missing {
                campaign.unclaim();
                campaign.remove_unused();
            }
            print::error(&format!("{}: {why}", snapshot.name()));
            Err(FAILED)
        }
    }
}

/// Refuses options that the queue would not be given.
fn check_options(args: &Args, site: &str) -> Result<(), u8> {
    if args.engine == Engine::HyperQueue {
        let why = "HyperQueue has no such options: --threads says what a task needs, and options of the cluster's own \
                   queue belong to `hq alloc add`";
        if let Some(option) = args.options.first() {
            return Err(refuse(&format!("--option {option} is for Slurm: {why}")));
        }
        if let Some(number) = site.lines().position(|line| line.starts_with(SLURM_OPTION)) {
            let (path, number) = (args.site.as_deref().unwrap_or(Path::new("")).display(), number + 1);
            return Err(refuse(&format!("{path}:{number}: a line of {SLURM_OPTION} is for Slurm: {why}")));
        }
    }
    match args.options.iter().find(|option| option.contains('\n') || option.trim_start_matches('-').is_empty()) {
        None => Ok(()),
        Some(option) => {
            Err(refuse(&format!("--option {option:?} is no option of Slurm: give one such as partition=long")))
        }
    }
}

/// A run that is not there yet.
fn new(args: &Args, path: &Path) -> Result<(Campaign, Snapshot, Study), u8> {
    let seed = args.seed.map(|seed| format!("seed={seed}"));
    let replications = args.replications.map(|replications| format!("replications={replications}"));
    let overrides: Vec<String> = args.overrides.iter().cloned().chain(seed).chain(replications).collect();
    let (source, study) = load::one(path, &overrides)?;
    let usual = || Path::new("output").join(study.scenario().name.as_str());
    let campaign = Campaign::of(&args.out.clone().unwrap_or_else(usual)).map_err(|error| refuse(&error))?;
    check_place(&campaign)?;
    if let Ok(Some(Submission { job, .. })) = campaign.submission() {
        let (folder, job) = (campaign.target().display().to_string(), job.unwrap_or("?".into()));
        return Err(refuse(&crate::report::campaign::CampaignError::Submitted { folder, job }));
    }
    let snapshot = Snapshot::of(&source, &overrides, &study).map_err(|error| refuse(&error))?;
    Ok((campaign, snapshot, study))
}

/// A run of which parts are there.
fn known(args: &Args) -> Result<(Campaign, Snapshot, Study), u8> {
    let Some(out) = &args.out else {
        return Err(refuse(&"give the --out of the run whose missing shards are to be submitted"));
    };
    let campaign = Campaign::of(out).map_err(|error| refuse(&error))?;
    let snapshot = campaign.snapshot().map_err(|error| refuse(&error))?;
    let study = snapshot.load(campaign.folder()).map_err(refuse_snapshot)?;
    Ok((campaign, snapshot, study))
}

/// The shards that lack something and of which nothing runs.
fn unfinished(campaign: &Campaign, snapshot: &Snapshot, points: &[StudyPoint]) -> Result<(Vec<u64>, u64), u8> {
    let status = status(campaign, snapshot, points).map_err(|error| refuse(&error))?;
    if status.unfinished.is_empty() {
        let out = campaign.target().display();
        let why = if status.is_complete() { "all blocks are there" } else { "all that is missing is being run" };
        print::message(&format!("nothing to submit: {why}; `gridloom status {out}` and `gridloom merge {out}` go on"));
        return Err(if status.is_complete() { BAD_INPUT } else { FAILED });
    }
    Ok((status.unfinished.clone(), status.shards()))
}

/// An option as a script of Slurm has it: with its hyphens, and a value with blanks in quotes.
fn slurm_option(given: &str) -> String {
    // A single hyphen belongs to a short option, such as `-A grid`.
    let hyphens = if given.starts_with('-') { "" } else { "--" };
    match given.split_once('=') {
        Some((name, value)) if !value.starts_with(['"', '\'']) => format!("{hyphens}{name}={}", quoted(value)),
        _ => format!("{hyphens}{given}"),
    }
}

/// A word as a shell takes it.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/-_.=,:+@%".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_string(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

impl QueuedShards<'_> {
    /// The command of the shard whose number is in a variable of the shell.
    fn shard_command(&self, number: &str) -> String {
        let (program, out) = (quoted(&self.program.to_string_lossy()), quoted(&self.target.to_string_lossy()));
        format!("{program} run --shard {number}/{} --out {out} --threads {} --quiet", self.of, self.threads)
    }

    fn merge_command(&self) -> String {
        let (program, out) = (quoted(&self.program.to_string_lossy()), quoted(&self.target.to_string_lossy()));
        format!("{program} merge {out}")
    }

    /// The lines of the site that are options of the queue, and those that are commands.
    fn site_lines(&self) -> (String, String) {
        let (options, commands): (Vec<&str>, Vec<&str>) =
            self.site.lines().filter(|line| !line.starts_with("#!")).partition(|line| line.starts_with(SLURM_OPTION));
        let lines = |lines: Vec<&str>| lines.iter().map(|line| format!("{line}\n")).collect();
        (lines(options), lines(commands))
    }

    /// A script of Slurm: its options, then those of the site and of the call, then commands. Of two that say the same,
    /// Slurm takes the last.
    fn slurm_script(&self, own: &[String], command: &str) -> String {
        let (site, commands) = self.site_lines();
        let line = |option: String| format!("{SLURM_OPTION} {option}\n");
        let own: String = own.iter().cloned().map(line).collect();
        let given: String = self.options.iter().map(|option| line(slurm_option(option))).collect();
        format!("#!/bin/sh\n{own}{site}{given}{commands}exec {command}\n")
    }

    fn slurm_scripts(&self) -> (String, String) {
        let logs = self.folder.join("logs");
        let log = |name: &str| format!("--output={}", quoted(&logs.join(name).to_string_lossy()));
        let shards = [
            format!("--job-name={}", self.name),
            format!("--array={}", ranges(&self.numbers)),
            format!("--cpus-per-task={}", self.threads),
            // A task whose node dies is queued again; its own log goes on.
            "--requeue".to_string(),
            "--open-mode=append".to_string(),
            log("shard-%a.log"),
        ];
        let merge = [format!("--job-name={}-merge", self.name), "--open-mode=append".to_string(), log("merge.log")];
        (
            self.slurm_script(&shards, &self.shard_command("$SLURM_ARRAY_TASK_ID")),
            self.slurm_script(&merge, &self.merge_command()),
        )
    }

    /// A program for HyperQueue's own client, which is a package of Python: a task for each shard, and one that merges
    /// them. A task that fails would take the merge with it, so that shards always end well; the merge tells what is
    /// missing.
    fn hyperqueue_program(&self) -> String {
        let (_, commands) = self.site_lines();
        let shard = |number: &u64| {
            let log = quoted(&self.folder.join(format!("logs/shard-{number}.log")).to_string_lossy());
            format!("{commands}{} >> {log} 2>&1 || true", self.shard_command(&number.to_string()))
        };
        let shards: Vec<String> = self.numbers.iter().map(shard).collect();
        let log = quoted(&self.folder.join("logs/merge.log").to_string_lossy());
        let merge = format!("{commands}{} >> {log} 2>&1", self.merge_command());
        let json = |value: &serde_json::Value| value.to_string();
        format!(
            "import os\n\
             from hyperqueue import Client, Job\n\
             from hyperqueue.ffi.protocol import ResourceRequest\n\
             shards = {}\n\
             merge = {}\n\
             job = Job(name={})\n\
             rest = dict(resources=ResourceRequest(cpus={}), stdout=None, stderr=None)\n\
             done = [job.program([\"sh\", \"-c\", shard], **rest) for shard in shards]\n\
             job.program([\"sh\", \"-c\", merge], deps=done, **rest)\n\
             print(Client(os.environ.get(\"HQ_SERVER_DIR\")).submit(job).id)\n",
            json(&shards.into()),
            json(&merge.into()),
            json(&self.name.into()),
            self.threads,
        )
    }

    /// What would be submitted.
    fn shown(&self, points: &[StudyPoint]) -> String {
        let blocks: usize = {
            let shares = shares(points, self.of);
            self.numbers.iter().map(|number| shares[*number as usize - 1].len()).sum()
        };
        let head = format!(
            "{}: {} with {}, in {}\n",
            self.name,
            counted(self.numbers.len() as u64, "shard"),
            counted(blocks as u64, "block"),
            self.folder.display()
        );
        match self.engine {
            Engine::Slurm => {
                let (shards, merge) = self.slurm_scripts();
                format!(
                    "{head}\nsbatch --parsable <<'END'\n{shards}END\n\nsbatch --parsable --dependency=afterany:JOB <<'END'\n{merge}END\n"
                )
            }
            Engine::HyperQueue => format!("{head}\npython3 - <<'END'\n{}END\n", self.hyperqueue_program()),
        }
    }

    /// Gives the jobs to the queue.
    fn submit(&self) -> Result<QueuedJobs, String> {
        match self.engine {
            Engine::Slurm => {
                let (shards, merge) = self.slurm_scripts();
                let job = fed("sbatch", &["--parsable"], &shards, "Slurm")?;
                // Whatever becomes of the shards, the merge runs and tells what is missing.
                let after = format!("--dependency=afterany:{job}");
                let merge = fed("sbatch", &["--parsable", &after], &merge, "Slurm");
                Ok(QueuedJobs { job, merge })
            }
            Engine::HyperQueue => {
                let python = std::env::var("GRIDLOOM_PYTHON").unwrap_or("python3".into());
                let job = fed(&python, &["-"], &self.hyperqueue_program(), "HyperQueue's client for Python")?;
                Ok(QueuedJobs { merge: Ok(job.clone()), job })
            }
        }
    }
}

/// Runs a command with a text on its standard input; the last line that it prints, without what comes after `;`.
fn fed(command: &str, arguments: &[&str], text: &str, what: &str) -> Result<String, String> {
    let started = Command::new(command)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| {
            format!(
                "can't run `{command}`: {error}; is {what} on this machine? --dry-run prints what would be submitted"
            )
        })?;
    let mut child = started;
    let fed = child.stdin.take().map_or(Ok(()), |mut input| input.write_all(text.as_bytes()));
    let done = child.wait_with_output().map_err(|error| format!("`{command}`: {error}"))?;
    let words = String::from_utf8_lossy(&done.stderr);
    if !done.status.success() {
        let last: Vec<&str> = words.lines().rev().take(3).collect();
        let last: Vec<&str> = last.into_iter().rev().collect();
        return Err(format!("`{command}` has refused: {}", last.join("; ")));
    }
    // Whoever has what it needs need not read on.
    fed.or_else(|error| if error.kind() == ErrorKind::BrokenPipe { Ok(()) } else { Err(error) })
        .map_err(|error| format!("`{command}`: {error}"))?;
    let printed = String::from_utf8_lossy(&done.stdout);
    let last = printed.lines().last().unwrap_or_default();
    match last.split(';').next().unwrap_or_default().trim() {
        "" => Err(format!("`{command}` has printed no job")),
        job => Ok(job.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_get_their_hyphens_and_values_with_blanks_their_quotes() {
        for (given, written) in [
            ("partition=long", "--partition=long"),
            ("--time=2:00:00", "--time=2:00:00"),
            ("exclusive", "--exclusive"),
            ("-A grid", "-A grid"),
            ("comment=a b", "--comment='a b'"),
            ("comment='a b'", "--comment='a b'"),
        ] {
            assert_eq!(slurm_option(given), written);
        }
    }
}
