//! Arguments that several commands share.

use std::path::PathBuf;

/// Scenario files and what to change in them.
#[derive(Debug, clap::Args)]
pub(super) struct Scenarios {
    /// Scenario files
    #[arg(required = true, value_name = "SCENARIO.ron")]
    pub(super) files: Vec<PathBuf>,
    /// Override a field, for example experiment.horizon=48; may be given several times
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub(super) overrides: Vec<String>,
}
