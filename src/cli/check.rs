//! `gridloom check`: validate and run nothing.

use super::{load, print};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Scenario files
    #[arg(required = true, value_name = "SCENARIO.ron")]
    scenarios: Vec<PathBuf>,
    /// Override a field before validation, for example experiment.horizon=48
    #[arg(long = "set", value_name = "PATH=VALUE")]
    overrides: Vec<String>,
}

pub(super) fn main(args: &Args) -> Result<(), u8> {
    load::studies(&args.scenarios, &args.overrides)?;
    args.scenarios.iter().try_for_each(|path| print::result(&format!("{}: ok\n", path.display())))
}
