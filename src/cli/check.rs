//! `gridloom check`: validate and run nothing.

use super::arguments::Scenarios;
use super::{load, print};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    scenarios: Scenarios,
}

pub(super) fn main(args: &Args) -> Result<(), u8> {
    load::studies(&args.scenarios.files, &args.scenarios.overrides)?;
    args.scenarios.files.iter().try_for_each(|path| print::result(&format!("{}: ok\n", path.display())))
}
