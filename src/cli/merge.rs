//! `gridloom merge`: the blocks of all shards become one result, with the same bytes as that of one machine.

use super::arguments::Verbosity;
use super::progress::TerminalProgress;
use super::run::{pool, words_of};
use super::shard::{known, refuse, tell};
use super::{FAILED, choice, print};
use crate::language::to_ron;
use crate::report::campaign::status::{ranges, status};
use crate::report::campaign::{Campaign, CampaignError, MergedBlocks, Missing, Snapshot};
use crate::report::summary;
use crate::report::{output, take_artefacts};
use crate::study::{self, Progress, RunError, Study, study_points};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The --out of the shards
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Make a result of what is there; it says on its first line what is missing
    #[arg(long)]
    partial: bool,
    /// Replace an existing result; a partial one is replaced anyway
    #[arg(short, long)]
    force: bool,
    /// Use this many threads; results do not depend on it [default: all cores]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = choice::whole(1, 1024))]
    threads: Option<u64>,
    #[command(flatten)]
    words: Verbosity,
}

pub(super) fn main(args: &Args) -> Result<(), u8> {
    let campaign = Campaign::of(&args.folder).map_err(|error| refuse(&error))?;
    if campaign.is_merged() {
        print::message(&format!("{} is whole: there is nothing to merge", campaign.target().display()));
        return Ok(());
    }
    let (campaign, snapshot, study) = known(&args.folder)?;
    let force = args.force || campaign.has_partial_result() || is_empty(campaign.target());
    output::preflight(campaign.target(), force).map_err(|error| refuse(&error))?;
    let (blocks, missing) = MergedBlocks::of(&campaign, &study).map_err(|error| refuse(&error))?;
    tell(&missing.damaged);
    if !missing.is_none() && !args.partial {
        return Err(incomplete(&campaign, &snapshot, &study, &missing));
    }
    let pool = pool(args.threads)?;
    let progress = TerminalProgress::new(args.words.quiet);
    progress.begin(snapshot.name());
    let done = pool.install(|| merge(args, &campaign, study, &blocks, &missing, force, &progress));
    progress.end();
    let said = done.map_err(|why| {
        print::error(&format!("{}: {why}", snapshot.name()));
        FAILED
    })?;
    let tidied = match missing.is_none() {
        true => campaign.remove().map(drop).map_err(CampaignError::from),
        false => campaign.mark_partial(),
    };
    if let Err(error) = tidied {
        print::message(&format!("note: {error}"));
    }
    print::result(&said)
}

fn is_empty(folder: &std::path::Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

/// Says what is missing, and how to get it.
fn incomplete(campaign: &Campaign, snapshot: &Snapshot, study: &Study, missing: &Missing) -> u8 {
    print::error(&format!("{}: {missing}", snapshot.name()));
    let out = campaign.target().display();
    if let Ok(status) = status(campaign, snapshot, &study_points(study)) {
        let of = status.shards();
        if let Some(first) = status.unfinished.first() {
            print::message(&format!(
                "shard {} of {of} did not finish; `gridloom run --shard {first}/{of} --out {out}` goes on with {first}, \
                 `gridloom status {out}` tells more, and `gridloom merge {out} --partial` makes a result of what is there",
                ranges(&status.unfinished)
            ));
        }
    }
    FAILED
}

fn merge(
    args: &Args,
    campaign: &Campaign,
    study: Study,
    blocks: &MergedBlocks,
    missing: &Missing,
    force: bool,
    progress: &TerminalProgress,
) -> Result<String, super::run::RunFailure> {
    let folder = campaign.target();
    // Blocks are known by the scenario as the shards ran it; what is written names files from where it is written.
    let mut outcome = study::run_or_resume(&study, progress, blocks)?;
    let study = study.refer_from(&output::resolve(folder)?);
    outcome.scenario = to_ron(study.scenario());
    if let Some(block) = blocks.lost() {
        return Err(format!("{} has gone meanwhile: another merge may have done the work", block.display()).into());
    }
    outcome.results.missing = (!missing.is_none()).then(|| missing.to_string());
    drop(study);
    let files = take_artefacts(&mut outcome)?;
    let _writing = progress.while_writing();
    if progress.is_stopped() {
        return Err(RunError::Interrupted.into());
    }
    let width = print::width();
    let said = words_of(&outcome, args.words, width);
    files.commit(folder, force)?;
    progress.set_done();
    if args.words.quiet {
        return Ok(String::new());
    }
    Ok(format!("{said}\n{}", summary::written(folder, files.names(), width)))
}
