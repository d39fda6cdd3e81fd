//! `gridloom run`: scenarios in, results out.

use super::arguments::{Scenarios, Verbosity};
use super::progress::TerminalProgress;
use super::{BAD_INPUT, FAILED, choice, load, print, shard};
use crate::language::Positive;
use crate::report::campaign::Campaign;
use crate::report::compare::is_result_of;
use crate::report::summary;
use crate::report::{Earlier, KeptReplications, OutputError, output, tables, take_artefacts};
use crate::study::{self, Outcome, Progress, RunError, Shard, Study};
use crate::units::counted;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug, clap::Args)]
// A shard may go on with the scenario that is there.
#[command(mut_arg("files", |files| files.required(false).required_unless_present("shard")))]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) scenarios: Scenarios,
    /// Override the master seed
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = choice::whole(0, u64::MAX))]
    seed: Option<u64>,
    /// Override the number of replications
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = choice::whole(1, u64::MAX))]
    replications: Option<u64>,
    /// Use this many threads; results do not depend on it [default: all cores]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = choice::whole(1, 1024))]
    pub(super) threads: Option<u64>,
    /// Draw figures this wide, such as 3.5 for a column of a paper [default: that of the scenario, or else 5]
    #[arg(long, value_name = "INCHES", value_parser = choice::figure_width())]
    figure_width: Option<Positive>,
    /// Write here instead of output/NAME; with several scenarios, to DIR/NAME
    #[arg(short, long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Do the I-th of N equal parts of the work, for `gridloom merge` to put together; without a scenario, of the one
    /// whose parts are in --out already
    #[arg(long, value_name = "I/N", conflicts_with_all = ["force", "resume"])]
    shard: Option<Shard>,
    /// Replace an existing result, and discard what an interrupted run has kept unless --resume is given
    #[arg(short, long)]
    force: bool,
    /// Go on with a run that was interrupted: replications that it finished are not run again
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    pub(super) words: Verbosity,
}

impl Args {
    pub(super) fn all_overrides(&self) -> Vec<String> {
        let seed = self.seed.map(|seed| format!("seed={seed}"));
        let replications = self.replications.map(|replications| format!("replications={replications}"));
        let width = self.figure_width.map(|width| format!("figures.width={}", width.get()));
        self.scenarios.overrides.iter().cloned().chain(seed).chain(replications).chain(width).collect()
    }

    pub(super) fn folder(&self, study: &Study) -> PathBuf {
        let name = study.scenario().name.as_str();
        match &self.out {
            Some(out) if self.scenarios.files.len() == 1 => out.clone(),
            Some(out) => out.join(name),
            None => Path::new("output").join(name),
        }
    }

    /// The use of replications that an interrupted run has kept. Only an explicit option drops the work of hours.
    fn earlier(&self) -> Earlier {
        match (self.resume, self.force) {
            (true, false) => Earlier::Use,
            (true, true) => Earlier::UseOrDiscard,
            (false, true) => Earlier::Discard,
            (false, false) => Earlier::Refuse,
        }
    }

    /// Finds out before the first run whether all results will find their places. Those whose places are true are
    /// there already, from the run that is resumed.
    fn preflight(&self, studies: &[Study], folders: &[PathBuf]) -> Result<Vec<bool>, OutputError> {
        let mut are_done = Vec::new();
        for (study, folder) in studies.iter().zip(folders) {
            let campaign = Campaign::of(folder)?;
            let kept = campaign.check_for(self.earlier(), study);
            let is_done = self.resume && !matches!(kept, Ok(true)) && is_result_of(folder, study);
            are_done.push(is_done);
            if is_done {
                continue;
            }
            // The place of one result may hold what another of the runs reads.
            let files = self.scenarios.files.iter().map(PathBuf::as_path);
            let inputs = files.chain(studies.iter().flat_map(|study| study.inputs().values().map(PathBuf::as_path)));
            match (output::preflight_apart(folder, self.force, inputs), kept) {
                (Err(OutputError::Exists(place)), Err(OutputError::StoreInUse(store))) => {
                    return Err(OutputError::ExistsAndKept { place, store });
                }
                (Err(OutputError::Exists(place)), Ok(true)) => {
                    return Err(OutputError::ExistsAndKept { place, store: campaign.folder().to_path_buf() });
                }
                (Err(OutputError::Exists(_)), Err(kept)) => return Err(kept),
                (place, kept) => place.and(kept.map(drop))?,
            }
        }
        Ok(are_done)
    }
}

/// The first of the folders that is the same place as one before it, by whatever name.
fn repeated(folders: &[PathBuf]) -> Result<Option<&PathBuf>, OutputError> {
    let places: Vec<PathBuf> = folders.iter().map(|folder| output::resolve(folder)).collect::<Result<_, _>>()?;
    Ok((1..folders.len()).find(|&index| places[..index].contains(&places[index])).map(|index| &folders[index]))
}

pub(super) fn main(args: &Args) -> Result<(), u8> {
    if let Some(shard) = args.shard {
        return shard::main(args, shard);
    }
    let studies = load::studies(&args.scenarios.files, &args.all_overrides())?;
    let folders: Vec<PathBuf> = studies.iter().map(|study| args.folder(study)).collect();
    let refuse = |error: String| {
        print::error(&error);
        BAD_INPUT
    };
    if let Some(folder) = repeated(&folders).map_err(|error| refuse(error.to_string()))? {
        let folder = folder.display();
        return Err(refuse(format!("two of the scenarios would write to {folder}: give them different names")));
    }
    let studies: Vec<Study> = studies
        .into_iter()
        .zip(&folders)
        .map(|(study, folder)| Ok(study.refer_from(&output::resolve(folder)?)))
        .collect::<Result<_, OutputError>>()
        .map_err(|error| refuse(error.to_string()))?;
    let are_done = args.preflight(&studies, &folders).map_err(|error| refuse(error.to_string()))?;
    let pool = pool(args.threads)?;
    let progress = TerminalProgress::new(args.words.quiet);
    let names: Vec<String> = studies.iter().map(|study| study.scenario().name.as_str().to_string()).collect();
    let saving = |folder| Saving {
        folder,
        earlier: args.earlier(),
        force: args.force,
        words: args.words,
        has_told_files: false,
    };
    for (index, (study, folder)) in studies.into_iter().zip(&folders).enumerate() {
        if are_done[index] {
            if !args.words.quiet {
                print::message(&format!(
                    "{}: the result of this very run is in {} already",
                    names[index],
                    folder.display()
                ));
            }
            continue;
        }
        progress.begin(&names[index]);
        let done = pool.install(|| one(study, &saving(folder), &progress));
        progress.end();
        match done {
            Ok(summary) => print::result(&summary)?,
            Err(error) => {
                print::error(&format!("{}: {error}", names[index]));
                if index + 1 < names.len() {
                    print::message(&format!("not run: {}", names[index + 1..].join(", ")));
                }
                return Err(FAILED);
            }
        }
    }
    Ok(())
}

/// The threads that a run uses: as many as were asked for, or all cores.
pub(super) fn pool(threads: Option<u64>) -> Result<rayon::ThreadPool, u8> {
    let threads = threads.map_or(0, |threads| threads as usize);
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| {
        print::error(&format!("can't start {}: {error}", counted(threads as u64, "thread")));
        FAILED
    })
}

/// Whatever can end a run.
pub(super) type RunFailure = Box<dyn std::error::Error + Send + Sync>;

/// Where the results of a scenario go.
pub(super) struct Saving<'a> {
    pub(super) folder: &'a Path,
    /// The use of replications that an interrupted run has kept.
    pub(super) earlier: Earlier,
    /// An existing result is replaced.
    pub(super) force: bool,
    /// How much is said.
    pub(super) words: Verbosity,
    /// The notes on the files of the scenario were told when they were read.
    pub(super) has_told_files: bool,
}

/// Runs one scenario, writes its results, and returns what is to be printed. The paths of the study are those from the
/// folder of the result.
pub(super) fn one(study: Study, to: &Saving<'_>, progress: &TerminalProgress) -> Result<String, RunFailure> {
    let folder = to.folder;
    let kept = Arc::new(KeptReplications::open(folder, to.earlier, &study)?);
    shard::tell(kept.faults());
    let (last, name) = (Arc::clone(&kept), study.scenario().name.as_str().to_string());
    if matches!(to.earlier, Earlier::Use | Earlier::UseOrDiscard) && !to.words.quiet {
        print::message(&format!("{name}: resuming: {}", study::kept_part(&study, |point| kept.count(point))));
    }
    let go_on = if to.force || folder.exists() { "--resume --force" } else { "--resume" };
    progress.set_farewell(move || format!("{name}: {}", ended("interrupted", &last, go_on)));
    let mut outcome = study::run_or_resume(&study, progress, &*kept).map_err(|error| match error {
        RunError::Interrupted => ended("interrupted", &kept, go_on),
        RunError::Keep(why) => ended(&why, &kept, go_on),
        // It would end the same way again, so there is no use in going on.
        other => RunFailure::from(other),
    })?;
    let told = if to.has_told_files { study.notes().to_vec() } else { Vec::new() };
    // Logs may take much memory, and so do the figures.
    drop(study);
    let files = take_artefacts(&mut outcome)?;
    outcome.notes.retain(|note| !told.contains(note));
    // Pictures take their time too; who has asked to stop by now wants nothing to be replaced.
    let _writing = progress.while_writing();
    if progress.is_stopped() {
        return Err(ended("interrupted", &kept, go_on));
    }
    let width = print::width();
    let said = words_of(&outcome, to.words, width);
    if let Err(error) = files.commit(folder, to.force) {
        // The disk is full, say: what can be read on a screen is not lost with the files.
        let all = Verbosity { verbose: true, ..to.words };
        let _ = print::result(&words_of(&outcome, all, width));
        return Err(ended(&error.to_string(), &kept, go_on));
    }
    // The words for an interrupt held the replications too; no other holder is left.
    progress.set_done();
    let left = match Arc::into_inner(kept).map_or(Ok(None), KeptReplications::remove) {
        // Another run has kept something there, from which it may go on.
        Ok(None) if to.earlier == Earlier::Use => {
            Campaign::of(folder)?.check(Earlier::Refuse).err().map(|error| format!("note: {error}"))
        }
        Ok(None) => None,
        Ok(Some(left)) => Some(format!("note: {} is left: no run has written it", left.display())),
        Err(error) => Some(format!("note: {error}")),
    };
    if to.words.quiet {
        return Ok(String::new());
    }
    left.iter().for_each(|note| print::message(note));
    Ok(format!("{said}\n{}", summary::written(folder, files.names(), width)))
}

/// What is printed of a run, apart from where its files are.
pub(super) fn words_of(outcome: &Outcome, words: Verbosity, width: usize) -> String {
    if words.quiet {
        return String::new();
    }
    if !words.verbose {
        return summary::run(outcome, width);
    }
    // All notes come with the tables, and whatever the summary leaves out.
    let short = summary::run(&Outcome { notes: Vec::new(), ..outcome.clone() }, width);
    let short = short.replace(": --verbose, or ", ": below, or ").replace("± with --verbose", "± below");
    let opening = tables::opening(outcome.answer.as_ref(), outcome.ranking.as_ref());
    let notes: String = outcome.notes.iter().map(|note| format!("\nnote: {note}\n")).collect();
    let tables = tables::markdown(&outcome.results.rows);
    format!("{short}\n# {}\n\n{opening}{tables}{notes}", outcome.results.scenario)
}

/// The failure of a run that came to nothing, once everything that is finished is written down: it says how to go on.
fn ended(why: &str, kept: &KeptReplications, go_on: &str) -> RunFailure {
    if let Err(error) = kept.flush() {
        return format!("{why}, and what is finished can't be kept: {error}").into();
    }
    match kept.len() {
        0 => format!("{why}; nothing was written").into(),
        count => {
            let (are, folder) =
                (if count == 1 { "replication is" } else { "replications are" }, kept.folder().display());
            format!("{why}; {count} finished {are} kept in {folder}, and {go_on} goes on from there").into()
        }
    }
}
