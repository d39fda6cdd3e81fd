//! `gridloom status`: how far the shards of a run are, from their files.

use super::print;
use super::shard::{known, refuse};
use crate::report::campaign::Campaign;
use crate::report::campaign::status::status;
use crate::study::study_points;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The --out of the shards
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(super) fn main(args: &Args) -> Result<(), u8> {
    let campaign = Campaign::of(&args.folder).map_err(|error| refuse(&error))?;
    let target = campaign.target();
    if campaign.is_merged() {
        let submission = campaign.submission().ok().flatten();
        let how = submission.map_or(String::new(), |submission| format!("  {submission}\n"));
        return print::result(&format!("{}: the result is there, whole\n{how}", target.display()));
    }
    let (campaign, snapshot, study) = known(&args.folder)?;
    let status = status(&campaign, &snapshot, &study_points(&study)).map_err(|error| refuse(&error))?;
    print::result(&status.to_string())
}
