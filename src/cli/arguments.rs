//! Arguments that several commands share.

use std::path::PathBuf;

/// Scenario files and what to change in them.
#[derive(Debug, clap::Args)]
pub(super) struct Scenarios {
    /// Scenario files; - is standard input
    #[arg(required = true, value_name = "SCENARIO.ron")]
    pub(super) files: Vec<PathBuf>,
    /// Override a field, for example experiment.horizon=48; may be given several times
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub(super) overrides: Vec<String>,
}

/// How much is said.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(super) struct Verbosity {
    /// Print nothing but errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print all tables after the summary
    #[arg(short, long)]
    pub verbose: bool,
}
