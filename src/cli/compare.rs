//! `gridloom compare`: results of several runs side by side.

use super::arguments::Verbosity;
use super::run::words_of;
use super::{BAD_INPUT, FAILED, print};
use crate::report::compare::{compare, read_results};
use crate::report::{artefacts, output, summary};
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Directories that runs have written; the others are compared with the first
    #[arg(required = true, num_args = 2.., value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// Write here instead of output/compare-NAME-NAME
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace an existing result
    #[arg(short, long)]
    force: bool,
    #[command(flatten)]
    words: Verbosity,
}

/// The name of the directory of a comparison.
fn name(labels: &[String]) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    format!("compare-{}", labels.join("-")).chars().map(safe).collect()
}

pub(super) fn main(args: &Args) -> Result<(), u8> {
    let refuse = |status: u8| {
        move |error: String| {
            print::error(&error);
            status
        }
    };
    let results = read_results(&args.folders).map_err(|error| refuse(BAD_INPUT)(error.to_string()))?;
    let labels: Vec<String> = results.iter().map(|result| result.label.clone()).collect();
    let folder = args.out.clone().unwrap_or_else(|| Path::new("output").join(name(&labels)));
    let inputs = args.folders.iter().map(PathBuf::as_path);
    output::preflight_apart(&folder, args.force, inputs).map_err(|error| refuse(BAD_INPUT)(error.to_string()))?;
    let found = compare(&results).map_err(|error| refuse(BAD_INPUT)(error.to_string()))?;
    let files = artefacts(&found).map_err(|error| refuse(FAILED)(error.to_string()))?;
    files.commit(&folder, args.force).map_err(|error| refuse(FAILED)(error.to_string()))?;
    if args.words.quiet {
        return Ok(());
    }
    let width = print::width();
    let said = words_of(&found, args.words, width);
    print::result(&format!("{said}\n{}", summary::written(&folder, files.names(), width)))
}
