//! `gridloom submit`: the shards of a run and their merge as jobs in a cluster's queue.
//!
//! A template for each queue is a program that submits; the placeholders in it are filled, and it prints the jobs.

use super::arguments::Verbosity;
use super::shard::{check_place, known, refuse};
use super::{BAD_INPUT, FAILED, choice, load, print};
use crate::report::campaign::status::{ranges, status};
use crate::report::campaign::{Campaign, Snapshot, Submission};
use crate::study::{MOST_SHARDS, Study, StudyPoint, shares, study_points};
use crate::units::counted;
use gridloom_files::read_plain;
use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The shards of a run that does not say how many: fewer if there are not that many replications.
const USUAL_SHARDS: u64 = 16;

/// The lines of a site that are options of Slurm begin with this.
const SLURM_OPTION: &str = "#SBATCH";

/// The queues that jobs can be given to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Engine {
    Slurm,
    HyperQueue,
}

const ENGINES: &[(&str, Engine)] = &[("slurm", Engine::Slurm), ("hyperqueue", Engine::HyperQueue)];

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The scenario; left out with --missing
    #[arg(required_unless_present = "missing", value_name = "SCENARIO.ron")]
    file: Option<PathBuf>,
    /// The cluster's queue
    #[arg(long, value_parser = choice::parser(ENGINES), required_unless_present = "template")]
    engine: Option<Engine>,
    /// A program that submits to any other queue, with placeholders such as @shards@ (see the guide)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["engine", "options", "site"])]
    template: Option<PathBuf>,
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

pub(super) fn main(args: &Args) -> Result<(), u8> {
    let (template, queue) = template(args).map_err(|why| refuse(&why))?;
    let (options, commands) = site(args).map_err(|why| refuse(&why))?;
    let (campaign, snapshot, study) = match &args.file {
        Some(path) => new(args, path)?,
        None => known(args.out.as_deref().unwrap_or(Path::new("")))?,
    };
    let points = study_points(&study);
    let (numbers, of) = match args.missing {
        true => unfinished(&campaign, &snapshot, &points)?,
        false => all(args, &points),
    };
    let filled = (|| {
        let path = |path: &Path| word(&std::path::absolute(path).map_err(|error| error.to_string())?, args.engine);
        let program = std::env::current_exe().map_err(|error| format!("can't find the program itself: {error}"))?;
        let python = std::env::var("GRIDLOOM_PYTHON").unwrap_or("/usr/bin/env python3".into());
        let values = [
            ("name", snapshot.name().to_string()),
            ("shards", ranges(&numbers)),
            ("of", of.to_string()),
            ("threads", args.threads.to_string()),
            // Slurm reads no pattern in these.
            ("program", word(&program, None)?),
            ("out", path(campaign.target())?),
            ("logs", path(&campaign.logs_folder())?),
            ("options", options),
            ("commands", commands),
            ("python", python),
        ];
        fill(&template, &values).map_err(|why| format!("{queue}: {why}"))
    })();
    let filled = filled.map_err(|why: String| refuse(&why))?;
    let (name, out) = (snapshot.name(), campaign.target().display());
    if args.dry_run {
        let shares = shares(&points, of);
        let blocks: usize = numbers.iter().map(|number| shares[*number as usize - 1].len()).sum();
        let (shards, blocks) = (counted(numbers.len() as u64, "shard"), counted(blocks as u64, "block"));
        let folder = campaign.folder().display();
        return print::result(&format!("{name}: {shards} with {blocks}, in {folder}\n\n{filled}"));
    }
    campaign.begin(&snapshot, &study).map_err(|error| refuse(&error))?;
    let mut submission = Submission { engine: queue.clone(), shards: of, job: None, merge: None };
    if !args.missing {
        campaign.claim(&submission).map_err(|error| refuse(&error))?;
    }
    let logs = campaign.logs_folder();
    let made = fs::create_dir_all(&logs).map_err(|error| format!("can't create {}: {error}", logs.display()));
    let (jobs, failure) = match made.map(|()| submit(&filled, &queue)) {
        Ok((jobs, done)) => (jobs, done.err()),
        Err(why) => (Vec::new(), Some(why)),
    };
    let Some(job) = jobs.first() else {
        if !args.missing {
            campaign.unclaim();
            campaign.remove_unused();
        }
        print::error(&format!("{name}: {}", failure.unwrap_or_default()));
        return Err(FAILED);
    };
    submission.job = Some(job.clone());
    // A queue may have the merge as a task of the same job.
    submission.merge = jobs.last().filter(|_| failure.is_none()).cloned();
    if let Err(error) = campaign.submitted(&submission) {
        print::message(&format!("note: {error}"));
    }
    match (submission.merge, failure) {
        (Some(_), None) if args.words.quiet => print::result(&format!("{job}\n")),
        (Some(merge), None) => print::result(&format!(
            "{name}: {} submitted to {queue} as job {job}; job {merge} merges them to {out}\n`gridloom status {out}` tells how far they are\n",
            counted(numbers.len() as u64, "shard"),
        )),
        (_, why) => {
            // The shards wait in the queue and need what is there.
            let why = why.unwrap_or_default();
            print::error(&format!(
                "{name}: the shards are job {job} in {queue}, but their merge was not submitted: {why}; once they are \
                 done, `gridloom merge {out}` does it"
            ));
            Err(FAILED)
        }
    }
}

/// The program that submits, and the name of the queue for people.
fn template(args: &Args) -> Result<(String, String), String> {
    match (&args.template, args.engine) {
        (Some(path), _) => Ok((read_text(path)?, path.display().to_string())),
        (None, Some(Engine::HyperQueue)) => Ok((include_str!("submit/hyperqueue.py").into(), "HyperQueue".into())),
        (None, _) => Ok((include_str!("submit/slurm.sh").into(), "Slurm".into())),
    }
}

fn read_text(path: &Path) -> Result<String, String> {
    let failed = |why: &dyn std::fmt::Display| format!("can't read {}: {why}", path.display());
    String::from_utf8(read_plain(path).map_err(|error| failed(&error))?).map_err(|_| failed(&"it is not a text"))
}

/// The options of the queue and the commands that stand at the head of each job; an error for options that the queue
/// would not be given.
fn site(args: &Args) -> Result<(String, String), String> {
    let site = args.site.as_deref().map_or(Ok(String::new()), read_text)?;
    let is_option = |line: &&str| line.starts_with(SLURM_OPTION);
    if args.engine == Some(Engine::HyperQueue) {
        let why = "HyperQueue has no such options: --threads says what a task needs, and options of the cluster's own \
                   queue belong to `hq alloc add`";
        if let Some(option) = args.options.first() {
            return Err(format!("--option {option} is for Slurm: {why}"));
        }
        if let Some(number) = site.lines().position(|line| is_option(&line)) {
            let path = args.site.as_deref().unwrap_or(Path::new("")).display();
            return Err(format!("{path}:{}: a line of {SLURM_OPTION} is for Slurm: {why}", number + 1));
        }
    }
    let is_none = |option: &&String| option.contains('\n') || option.trim_start_matches('-').is_empty();
    if let Some(option) = args.options.iter().find(is_none) {
        return Err(format!("--option {option:?} is no option of Slurm: give one such as partition=long"));
    }
    let (options, commands): (Vec<&str>, Vec<&str>) =
        site.lines().filter(|line| !line.starts_with("#!")).partition(is_option);
    let given = args.options.iter().map(|option| format!("{SLURM_OPTION} {}", slurm_option(option)));
    let options: Vec<String> = options.into_iter().map(String::from).chain(given).collect();
    Ok((options.join("\n"), commands.join("\n")))
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
    campaign.check_unsubmitted().map_err(|error| refuse(&error))?;
    let snapshot = Snapshot::of(&source, &overrides, &study).map_err(|error| refuse(&error))?;
    Ok((campaign, snapshot, study))
}

/// All shards of a run, and how many they are.
fn all(args: &Args, points: &[StudyPoint]) -> (Vec<u64>, u64) {
    let units: u64 = points.iter().map(|point| if point.is_whole { 1 } else { point.replications }).sum();
    // A block has one replication or more: any further shard would wait in the queue for nothing.
    let most = units.max(1);
    let of = args.shards.unwrap_or(USUAL_SHARDS).min(most);
    if let Some(given) = args.shards.filter(|&given| given > most && !args.words.quiet) {
        let (blocks, shards) = (counted(most, "block"), counted(of, "shard"));
        print::message(&format!("note: --shards {given}: the work has {blocks} at most, so that {shards} do it all"));
    }
    ((1..=of).collect(), of)
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

/// A path as a word of a shell; an error if a script can't have it.
fn word(path: &Path, engine: Option<Engine>) -> Result<String, String> {
    let refused = |why: &str| Err(format!("{path:?} can't stand in a job: {why}; choose another place"));
    match path.to_str() {
        None => refused("it is not UTF-8"),
        Some(text) if text.contains(char::is_control) => refused("it has a line break or another control character"),
        // Slurm expands %j and the like in the place of a log, and has quotes of its own.
        Some(text) if engine == Some(Engine::Slurm) && text.contains(['%', '\\', '\'', '"']) => {
            refused("Slurm would take %, a quote or a backslash in it for something else")
        }
        Some(text) => Ok(quoted(text)),
    }
}

/// A template with its placeholders filled: `@out@` as it is, `@out:json@` as a string of JSON, which is one of Python.
fn fill(template: &str, values: &[(&str, String)]) -> Result<String, String> {
    let mut filled = String::new();
    for (number, line) in (1..).zip(template.split_inclusive('\n')) {
        // Between two signs there is a placeholder, unless what stands there is no word.
        let mut parts = line.split('@');
        filled.extend(parts.next());
        let mut parts = parts.peekable();
        while let Some(part) = parts.next() {
            let (name, is_json) = part.strip_suffix(":json").map_or((part, false), |name| (name, true));
            let is_word = !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase());
            let Some(rest) = parts.next_if(|_| is_word) else {
                filled.extend(["@", part]);
                continue;
            };
            let Some((_, value)) = values.iter().find(|(known, _)| *known == name) else {
                let known: Vec<String> = values.iter().map(|(known, _)| format!("@{known}@")).collect();
                return Err(format!(
                    "line {number} has @{name}@, which is no placeholder; there are {}",
                    known.join(", ")
                ));
            };
            match is_json {
                true => filled.push_str(&serde_json::Value::from(value.as_str()).to_string()),
                false => filled.push_str(value),
            }
            filled.push_str(rest);
        }
    }
    Ok(filled)
}

/// Runs a program that submits, by what its first line names; the jobs that it prints, and what has gone wrong.
fn submit(program: &str, queue: &str) -> (Vec<String>, Result<(), String>) {
    let first = program.lines().next().and_then(|line| line.strip_prefix("#!")).unwrap_or("/bin/sh");
    // A path may have blanks in it, and a command may have words.
    let (interpreter, words) = match first.split_once(' ').filter(|_| !Path::new(first).is_file()) {
        Some((interpreter, words)) => (interpreter, words.split_whitespace()),
        None => (first, "".split_whitespace()),
    };
    let run = || {
        let mut child = Command::new(interpreter)
            .args(words)
            .arg("-")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let fed = child.stdin.take().map_or(Ok(()), |mut input| input.write_all(program.as_bytes()));
        // A program that has what it needs need not read on.
        fed.or_else(|error| if error.kind() == ErrorKind::BrokenPipe { Ok(()) } else { Err(error) })?;
        child.wait_with_output()
    };
    let hint = format!("is {queue} on this machine? --dry-run prints what would be submitted");
    let done = match run() {
        Ok(done) => done,
        Err(error) => return (Vec::new(), Err(format!("can't run `{first}`: {error}; {hint}"))),
    };
    let jobs = String::from_utf8_lossy(&done.stdout).into_owned();
    // Slurm names the cluster after the job.
    let jobs = jobs.lines().map(|line| line.split(';').next().unwrap_or_default().trim().to_string());
    let jobs: Vec<String> = jobs.filter(|job| !job.is_empty()).collect();
    let said = String::from_utf8_lossy(&done.stderr);
    let mut last: Vec<&str> = said.lines().rev().take(3).collect();
    last.reverse();
    let failure = match (done.status.success(), jobs.is_empty()) {
        (true, false) => Ok(()),
        (true, true) => Err(format!("{queue} has printed no job")),
        // The shell's own word for a command that is not there.
        (false, _) if done.status.code() == Some(127) => Err(format!("{}; {hint}", last.join("; "))),
        (false, _) => Err(format!("{queue} has refused: {}", last.join("; "))),
    };
    (jobs, failure)
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

    #[test]
    fn paths_are_quoted_or_refused() {
        for (path, engine, written) in [
            ("/a/b", Some(Engine::Slurm), Some("/a/b")),
            ("/a b/$c", Some(Engine::Slurm), Some("'/a b/$c'")),
            ("/it's", None, Some("'/it'\\''s'")),
            ("/it's", Some(Engine::Slurm), None),
            ("/run-%j", Some(Engine::Slurm), None),
            ("/run-%j", None, Some("/run-%j")),
            ("/a\nb", None, None),
        ] {
            assert_eq!(word(Path::new(path), engine).ok().as_deref(), written, "{path}");
        }
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStrExt;
            word(Path::new(std::ffi::OsStr::from_bytes(b"/a\xff")), None).unwrap_err();
        }
    }

    #[test]
    fn placeholders_are_filled_and_unknown_ones_are_named() {
        let values = [("out", "'/a b'".to_string()), ("of", "3".to_string())];
        let filled = fill("x@out@/@of@ me@site.org a @ b @ @out:json@\n@of@@of@", &values);
        assert_eq!(filled.unwrap(), "x'/a b'/3 me@site.org a @ b @ \"'/a b'\"\n33");
        let wrong = fill("\n@outt@", &values).unwrap_err();
        assert!(wrong.starts_with("line 2 has @outt@") && wrong.ends_with("@out@, @of@"), "{wrong}");
    }
}
