//! `gridloom reproduce`: everything published, beside ours.

use super::arguments::Verbosity;
use super::progress::TerminalProgress;
use super::{BAD_INPUT, FAILED, choice, print};
use crate::report::{fidelity, output, reproduction, tables};
use crate::reproduction::{CatalogueEntry, Comparison, ENTRIES, Reproduced};
use crate::study::{self, Progress, RunError, Study};
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Make fewer replications, and leave out sweeps that nothing published is about
    #[arg(long)]
    quick: bool,
    /// Run only these scenarios
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    only: Vec<String>,
    /// Write here instead of output/reproduction
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Hold the verdicts against the fidelity.csv of an earlier run, and fail if they contradict it
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// Use this many threads; results do not depend on it [default: all cores]
    #[arg(long, value_name = "N", value_parser = choice::whole(1, 1024))]
    threads: Option<u64>,
    /// Replace an existing result
    #[arg(short, long)]
    force: bool,
    #[command(flatten)]
    words: Verbosity,
}

pub(super) fn main(args: &Args) -> Result<(), u8> {
    let fail = |status: u8| {
        move |error: String| {
            print::error(&error);
            status
        }
    };
    let entries = chosen(&args.only).map_err(fail(BAD_INPUT))?;
    let out = args.out.clone().unwrap_or_else(|| Path::new("output").join("reproduction"));
    output::preflight(&out, args.force).map_err(|error| fail(BAD_INPUT)(error.to_string()))?;
    let earlier = args.against.as_ref().map(|path| read(path)).transpose().map_err(fail(BAD_INPUT))?;
    let studies = studies(&entries, args.quick).map_err(fail(FAILED))?;
    let threads = args.threads.map_or(0, |threads| threads as usize);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| fail(FAILED)(format!("can't start {threads} threads: {error}")))?;
    let progress = TerminalProgress::new(args.words.quiet);
    let works = pool.install(|| run(&entries, studies, args, &progress)).map_err(fail(FAILED))?;
    let files = pool.install(|| reproduction::artefacts(&works, args.quick));
    let files = files.map_err(|error| fail(FAILED)(error.to_string()))?;
    // Pictures take their time too; who has asked to stop by now wants nothing to be replaced.
    let _writing = progress.while_writing();
    if progress.is_stopped() {
        return Err(fail(FAILED)(RunError::Interrupted.to_string()));
    }
    let summary = reproduction::summary(&works, args.quick);
    if let Err(error) = files.commit(&out, args.force) {
        // The disk is full, say: what can be read on a screen is not lost with the files.
        let _ = if args.words.quiet { Ok(()) } else { print::result(&summary) };
        return Err(fail(FAILED)(error.to_string()));
    }
    progress.set_done();
    if !args.words.quiet {
        let tables = if args.words.verbose { all_tables(&works) } else { String::new() };
        print::result(&format!(
            "{summary}{tables}\nWritten to {}: index.html, fidelity.csv, fidelity.json and {} other files\n",
            out.display(),
            files.names().count() - 3
        ))?;
    }
    match earlier {
        Some(earlier) => compare(&works, &earlier, args.words).map_err(fail(FAILED)),
        None => Ok(()),
    }
}

/// All tables of all scenarios.
fn all_tables(works: &[Reproduced]) -> String {
    let one =
        |work: &Reproduced| format!("\n# {}\n\n{}", work.entry.name, tables::markdown(&work.outcome.results.rows));
    works.iter().map(one).collect()
}

/// The scenarios of the catalogue with these names; all of them if none are given.
fn chosen(only: &[String]) -> Result<Vec<&'static CatalogueEntry>, String> {
    if let Some(unknown) = only.iter().find(|name| !ENTRIES.iter().any(|entry| entry.name == name.as_str())) {
        let names: Vec<&str> = ENTRIES.iter().map(|entry| entry.name).collect();
        return Err(format!("{unknown:?} is no scenario with published values; there are {}", names.join(", ")));
    }
    let is_chosen = |entry: &&CatalogueEntry| only.is_empty() || only.iter().any(|name| name == entry.name);
    Ok(ENTRIES.iter().filter(is_chosen).collect())
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| format!("can't read {}: {error}", path.display()))
}

fn studies(entries: &[&'static CatalogueEntry], quick: bool) -> Result<Vec<Study>, String> {
    entries.iter().map(|entry| entry.study(quick).map_err(|report| report.to_string())).collect()
}

/// Runs all scenarios behind one bar, each of which moves it on by the time that it is known to take.
fn run(
    entries: &[&'static CatalogueEntry],
    studies: Vec<Study>,
    args: &Args,
    progress: &TerminalProgress,
) -> Result<Vec<Reproduced>, String> {
    let seconds: Vec<f64> =
        entries.iter().zip(&studies).map(|(entry, study)| entry.expected_seconds(study, args.quick)).collect();
    let overall = progress.overall(seconds.iter().sum());
    let mut works = Vec::new();
    for ((entry, study), seconds) in entries.iter().zip(studies).zip(seconds) {
        let part = overall.part(entry.name, seconds);
        let outcome = study::run(&study, &part).map_err(|error| format!("{}: {error}", entry.name))?;
        part.end();
        if !args.words.quiet {
            outcome.notes.iter().for_each(|note| print::message(&format!("note: {}: {note}", entry.name)));
        }
        works.push(Reproduced::new(entry, study.scenario().clone(), outcome));
    }
    progress.end();
    Ok(works)
}

/// Fails if the verdicts contradict those of an earlier run.
fn compare(works: &[Reproduced], earlier: &[u8], words: Verbosity) -> Result<(), String> {
    let names: Vec<&str> = works.iter().map(|work| work.entry.name).collect();
    let comparisons: Vec<Comparison> = works.iter().flat_map(|work| work.comparisons.clone()).collect();
    let found = fidelity::contradictions(&comparisons, &names, earlier).map_err(|error| error.to_string())?;
    match found.len() {
        0 if words.quiet => Ok(()),
        0 => print::result("No verdict contradicts the earlier run.\n").map_err(|_| "can't say so".to_string()),
        1 => Err(format!("1 verdict contradicts the earlier run:\n- {}", found.join("\n- "))),
        count => Err(format!("{count} verdicts contradict the earlier run:\n- {}", found.join("\n- "))),
    }
}
