//! `gridloom run`: scenarios in, results out.

use super::arguments::Scenarios;
use super::progress::Progress;
use super::{BAD_INPUT, FAILED, load, print};
use crate::experiment::{self, RunError, Study, Watch};
use crate::report::{KeptReplications, artefacts, markdown, output};
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    scenarios: Scenarios,
    /// Override the master seed
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Override the number of replications
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    replications: Option<u64>,
    /// Use this many threads; results do not depend on it [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Write here instead of output/NAME; with several scenarios, to DIR/NAME
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace an existing result
    #[arg(long)]
    force: bool,
    /// Go on with a run that was interrupted: replications that it finished are not run again
    #[arg(long)]
    resume: bool,
    /// Show no progress
    #[arg(long)]
    quiet: bool,
}

impl Args {
    fn all_overrides(&self) -> Vec<String> {
        let seed = self.seed.map(|seed| format!("seed={seed}"));
        let replications = self.replications.map(|replications| format!("replications={replications}"));
        self.scenarios.overrides.iter().cloned().chain(seed).chain(replications).collect()
    }

    fn folder(&self, study: &Study) -> PathBuf {
        let name = study.scenario().name.as_str();
        match &self.out {
            Some(out) if self.scenarios.files.len() == 1 => out.clone(),
            Some(out) => out.join(name),
            None => Path::new("output").join(name),
        }
    }
}

pub(super) fn main(args: &Args) -> Result<(), u8> {
    let studies = load::studies(&args.scenarios.files, &args.all_overrides())?;
    let folders: Vec<PathBuf> = studies.iter().map(|study| args.folder(study)).collect();
    for (index, folder) in folders.iter().enumerate() {
        if folders[..index].contains(folder) {
            print::error(&format!(
                "two of the scenarios would write to {}: give them different names",
                folder.display()
            ));
            return Err(BAD_INPUT);
        }
        if let Err(error) = output::preflight(folder, args.force) {
            print::error(&error.to_string());
            return Err(BAD_INPUT);
        }
    }
    let threads = args.threads.map_or(0, usize::from);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| {
        print::error(&format!("can't start {threads} threads: {error}"));
        FAILED
    })?;
    let progress = Progress::new(args.quiet);
    for (study, folder) in studies.iter().zip(&folders) {
        progress.begin(study.scenario().name.as_str());
        let done = pool.install(|| one(study, folder, args, &progress));
        progress.end();
        match done {
            Ok(summary) => print::result(&summary)?,
            Err(error) => {
                print::error(&format!("{}: {error}", study.scenario().name.as_str()));
                return Err(FAILED);
            }
        }
    }
    Ok(())
}

/// Whatever can end a run.
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Runs one scenario, writes its results, and returns what is to be printed.
fn one(study: &Study, folder: &Path, args: &Args, progress: &Progress) -> Result<String, Failure> {
    let kept = KeptReplications::of(folder, args.resume);
    let outcome = experiment::run_or_resume(study, progress, &kept).map_err(|error| match error {
        RunError::Interrupted => interrupted(&kept),
        other => Failure::from(other),
    })?;
    outcome.notes.iter().for_each(|note| print::message(&format!("note: {note}")));
    let files = artefacts(&outcome)?;
    // Pictures take their time too; who has asked to stop by now wants nothing to be replaced.
    let _writing = progress.while_writing();
    if progress.is_stopped() {
        return Err(interrupted(&kept));
    }
    files.commit(folder, args.force)?;
    kept.remove();
    let names: Vec<&str> = files.names().collect();
    let tables = markdown::tables(&outcome.results.rows);
    let name = &outcome.results.scenario;
    Ok(format!("# {name}\n\n{tables}\nWritten to {}: {}\n", folder.display(), names.join(", ")))
}

/// What is said after an interrupt, when everything that is finished is written down.
fn interrupted(kept: &KeptReplications) -> Failure {
    if let Err(error) = kept.flush() {
        return format!("interrupted, and what is finished can't be kept: {error}").into();
    }
    match kept.len() {
        0 => RunError::Interrupted.into(),
        count => {
            let (are, folder) =
                (if count == 1 { "replication is" } else { "replications are" }, kept.folder().display());
            format!("interrupted; {count} finished {are} kept in {folder}, and --resume goes on from there").into()
        }
    }
}
