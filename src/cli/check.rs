//! `gridloom check`: validate and run nothing.

use super::arguments::Scenarios;
use super::{load, print};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    scenarios: Scenarios,
}

pub(super) fn main(args: &Args) -> Result<(), u8> {
    let studies = load::studies(&args.scenarios.files, &args.scenarios.overrides)?;
    for (path, study) in args.scenarios.files.iter().zip(&studies) {
        study.notes().iter().for_each(|note| print::message(&format!("note: {note}")));
        print::result(&format!("{}: ok\n", load::shown(path)))?;
    }
    Ok(())
}
