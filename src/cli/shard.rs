//! `gridloom run --shard I/N`: one of the equal parts of a run.

use super::progress::TerminalProgress;
use super::run::{Args, pool};
use super::{BAD_INPUT, FAILED, load, print};
use crate::report::campaign::status::block_name;
use crate::report::campaign::{Blocks, Campaign, CampaignError, Fault, Snapshot, SnapshotFault, TaskEnd, TaskSign};
use crate::report::{KeptReplications, OutputError, output};
use crate::study::{Block, Progress, RunError, Shard, Study, StudyPoint, run_block, shares, study_points};
use crate::units::counted;
use std::path::Path;

/// Why a shard did not come to its end, and what to return.
pub(super) fn refuse(error: &impl ToString) -> u8 {
    print::error(&error.to_string());
    BAD_INPUT
}

/// A scenario that was kept could not be read.
pub(super) fn refuse_snapshot(fault: SnapshotFault) -> u8 {
    match fault {
        SnapshotFault::Files(error) => refuse(&error),
        SnapshotFault::Scenario(report) => {
            print::report(&report);
            BAD_INPUT
        }
    }
}

/// Names blocks that can't be used and were set aside.
pub(super) fn tell(faults: &[Fault]) {
    for (file, why) in faults {
        print::message(&format!("note: {} can't be used and was set aside: {why}", file.display()));
    }
}

/// Refuses a place in which a result is: a whole one is not worked at again, while a partial one may become whole.
pub(super) fn check_place(campaign: &Campaign) -> Result<(), u8> {
    match output::preflight(campaign.target(), campaign.has_partial_result()) {
        // Shards take no --force, for the first of them would remove what others have done.
        Err(OutputError::Exists(place)) => {
            Err(refuse(&format!("{} exists already; choose another --out, or remove it first", place.display())))
        }
        checked => checked.map_err(|error| refuse(&error)),
    }
}

/// A run of which parts are there.
pub(super) fn known(out: &Path) -> Result<(Campaign, Snapshot, Study), u8> {
    let campaign = Campaign::of(out).map_err(|error| refuse(&error))?;
    let snapshot = campaign.snapshot().map_err(|error| refuse(&error))?;
    let study = snapshot.load(campaign.folder()).map_err(refuse_snapshot)?;
    Ok((campaign, snapshot, study))
}

/// The run whose part is to be done: of the scenario that is given, or the one that is in its place already.
fn begin(args: &Args) -> Result<(Campaign, Snapshot, Study), u8> {
    let overrides = args.all_overrides();
    match (&args.scenarios.files[..], &args.out) {
        ([], Some(out)) => {
            if !overrides.is_empty() {
                return Err(refuse(&"give the scenario too if something in it is to be changed"));
            }
            let (campaign, snapshot, study) = known(out)?;
            campaign.begin(&snapshot, &study).map_err(|error| refuse(&error))?;
            Ok((campaign, snapshot, study))
        }
        ([], None) => Err(refuse(&"give a scenario, or the --out of a run whose other shards are there")),
        ([path], _) => {
            let (source, study) = load::one(path, &overrides)?;
            let campaign = Campaign::of(&args.folder(&study)).map_err(|error| refuse(&error))?;
            let snapshot = Snapshot::of(&source, &overrides, &study).map_err(|error| refuse(&error))?;
            if campaign.target().exists() {
                check_place(&campaign)?;
            }
            campaign.begin(&snapshot, &study).map_err(|error| refuse(&error))?;
            Ok((campaign, snapshot, study))
        }
        _ => Err(refuse(&"--shard takes one scenario")),
    }
}

pub(super) fn main(args: &Args, shard: Shard) -> Result<(), u8> {
    let (campaign, snapshot, study) = begin(args)?;
    let pool = pool(args.threads)?;
    let progress = TerminalProgress::new(args.words.quiet);
    progress.begin(&format!("{} {shard}", snapshot.name()));
    // What is finished is written down every second.
    let name = snapshot.name().to_string();
    progress.set_farewell(move || format!("{name}: interrupted"));
    let points = study_points(&study);
    let share = shares(&points, shard.of).swap_remove(shard.index as usize - 1);
    let run = ShardRun { campaign, snapshot, study, points, shard, share };
    let done = pool.install(|| run.all(&progress));
    progress.end();
    match done {
        Ok(ShardSummary { made, found, replications }) if !args.words.quiet => {
            let there = match found {
                0 => String::new(),
                1 => ", 1 block was there already".to_string(),
                many => format!(", {many} blocks were there already"),
            };
            let (name, folder) = (run.snapshot.name(), run.campaign.folder().display());
            print::result(&format!(
                "{name}, shard {shard}: {} of {} made{there}; in {folder}\nWhen all shards are done: gridloom merge {}\n",
                counted(made, "block"),
                counted(replications, "replication"),
                run.campaign.target().display(),
            ))
        }
        Ok(_) => Ok(()),
        Err(why) => {
            print::error(&format!("{}, shard {shard}: {why}", run.snapshot.name()));
            Err(FAILED)
        }
    }
}

/// A shard that is being run.
struct ShardRun {
    campaign: Campaign,
    snapshot: Snapshot,
    study: Study,
    points: Vec<StudyPoint>,
    shard: Shard,
    share: Vec<Block>,
}

/// What became of a shard: blocks that were made and those that were there, and the replications that were run.
struct ShardSummary {
    made: u64,
    found: u64,
    replications: u64,
}

impl ShardRun {
    /// Runs all blocks that are not there yet. What is finished is kept, whatever ends it.
    fn all(&self, progress: &TerminalProgress) -> Result<ShardSummary, String> {
        let text = |error: CampaignError| error.to_string();
        let done = self.campaign.blocks().map_err(|error| error.to_string())?;
        let is_open = |block: &&Block| {
            let (point, replications) = (self.points[block.at].point, block.replications.clone());
            // A block that is damaged is made again.
            let (whole, faults) = done.in_range(point, &replications).set_aside();
            tell(&faults);
            !whole.missing_in(point, replications).is_empty()
        };
        let open: Vec<&Block> = self.share.iter().filter(is_open).collect();
        let all = self.share.len() as u64;
        let found = all - open.len() as u64;
        progress.expect(open.iter().map(|block| block.replications.end - block.replications.start).sum());
        let sign = TaskSign::new(&self.campaign, self.shard, (found, all)).map_err(text)?;
        let (mut made, mut replications) = (0, 0);
        for block in open {
            let point = &self.points[block.at];
            let told = sign.at(&block_name(point, &block.replications), found + made).map_err(text);
            match told.and_then(|()| self.one(&done, block, progress)) {
                Ok(run) => replications += run,
                Err(why) => {
                    let _ = sign.end(TaskEnd::Failed(why.clone()), found + made);
                    return Err(why);
                }
            }
            made += 1;
        }
        progress.set_done();
        sign.end(TaskEnd::Done, found + made).map_err(text)?;
        Ok(ShardSummary { made, found, replications })
    }

    /// Runs one block; the number of its replications that were run.
    fn one(&self, done: &Blocks, block: &Block, progress: &TerminalProgress) -> Result<u64, String> {
        let (point, replications) = (&self.points[block.at], block.replications.clone());
        let all = replications.end - replications.start;
        let kept = KeptReplications::of_block(&self.campaign, done, point, replications);
        tell(kept.faults());
        let due = all.saturating_sub(kept.count(point.point) / point.per_run);
        let why = match run_block(&self.study, point, progress, &kept) {
            Ok(()) => return kept.finish_block().map_err(|error| error.to_string()).map(|()| due),
            Err(RunError::Interrupted) => {
                "interrupted; what is finished is kept, and the same command goes on".to_string()
            }
            Err(error) => error.to_string(),
        };
        Err(kept.flush().map_or_else(|more| format!("{why}; {more}"), |()| why.clone()))
    }
}
