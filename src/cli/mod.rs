//! The program: one file per subcommand, and the only code that prints.

mod arguments;
mod check;
mod choice;
mod compare;
mod describe;
mod generate;
mod init;
mod list;
mod load;
mod merge;
mod print;
mod progress;
mod replay;
mod reproduce;
mod run;
mod shard;
mod status;
mod submit;

pub use describe::describe_place;

use crate::language::decode::nearest;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser, Subcommand};
use std::process::ExitCode;

/// A run failed.
const FAILED: u8 = 1;
/// The call or a scenario is wrong.
const BAD_INPUT: u8 = 2;

/// Simulates grid scheduling on nodes whose owners come first.
///
/// Scenarios are RON files; `gridloom init KIND` prints one to start from. A run leaves its results, figures and a
/// report in output/NAME. Scenario and seed decide every byte of them.
#[derive(Debug, Parser)]
#[command(name = "gridloom", version, max_term_width = 100, subcommand_required = true, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run scenarios and write their results
    Run(run::Args),
    /// Run everything that has been published, and show ours beside it
    Reproduce(reproduce::Args),
    /// Compare the results of runs: what differs in their scenarios, and all differences with intervals
    Compare(compare::Args),
    /// Replay logs of parallel machines under FCFS, EASY and conservative backfilling
    Replay(replay::Args),
    /// Generate a synthetic log in the manner of Lublin and Feitelson
    Generate(generate::Args),
    /// Put the parts of a run together that shards have made
    Merge(merge::Args),
    /// Tell how far the shards of a run are
    Status(status::Args),
    /// Submit a run to a cluster's queue, in shards
    Submit(submit::Args),
    /// Validate scenarios: every error with its file, line and column
    Check(check::Args),
    /// List scenarios, experiments, window searches, problems, policies, distributions or metrics
    List(list::Args),
    /// Describe what can be written at a place of a scenario: meaning, form and default
    Describe(describe::Args),
    /// Print a commented scenario to start from
    Init(init::Args),
    /// Print a completion script for a shell
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
}

/// The message on a command that does not exist, with the one that is most likely meant, if one is close.
fn unknown_command(error: &clap::Error) -> Option<String> {
    let given = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(given)) if error.kind() == ErrorKind::InvalidSubcommand => given,
        _ => return None,
    };
    let commands = Cli::command();
    let meant = nearest(given, commands.get_subcommands().map(|command| command.get_name()))?;
    Some(format!("there is no command `{given}`; did you mean `gridloom {meant}`? `gridloom --help` lists all"))
}

/// Runs the program: 0 when done, 1 when a run failed, 2 for a bad call or a bad scenario.
pub fn main() -> ExitCode {
    let parsed = Cli::try_parse().unwrap_or_else(|error| {
        // A scenario without a command.
        let file = std::env::args().nth(1).filter(|first| first.ends_with(".ron"));
        if let (ErrorKind::InvalidSubcommand, Some(file)) = (error.kind(), file) {
            print::error(&format!("give a command before the file: `gridloom run {file}`"));
            std::process::exit(i32::from(BAD_INPUT));
        }
        if let Some(wrong) = unknown_command(&error) {
            print::error(&wrong);
            std::process::exit(i32::from(BAD_INPUT));
        }
        error.exit()
    });
    let status = match parsed.command {
        Command::Run(args) => run::main(&args),
        Command::Reproduce(args) => reproduce::main(&args),
        Command::Compare(args) => compare::main(&args),
        Command::Replay(args) => replay::main(&args),
        Command::Generate(args) => generate::main(&args),
        Command::Merge(args) => merge::main(&args),
        Command::Status(args) => status::main(&args),
        Command::Submit(args) => submit::main(&args),
        Command::Check(args) => check::main(&args),
        Command::List(args) => list::main(&args),
        Command::Describe(args) => describe::main(&args),
        Command::Init(args) => init::main(&args),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "gridloom", &mut script);
            print::result(&String::from_utf8_lossy(&script))
        }
    };
    status.map_or_else(ExitCode::from, |()| ExitCode::SUCCESS)
}
