//! `gridloom describe`: everything that can be written at a place of a scenario, and the reference of all of it.

mod find;
mod place;
#[cfg(test)]
mod tests;
mod text;

use super::{BAD_INPUT, FAILED, print};
use crate::report::output;
use crate::report::reference::{self, Reference};
use find::PlaceFinder;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A place in a scenario, such as `grid.flows.arrivals` or `sweeps`; or a name alone, such as `attempts`, `Amp` or
    /// "success ratio". The scenario itself, unless given
    path: Option<String>,
    /// Write the whole reference as a page that can be searched [default file: gridloom-reference.html]
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "gridloom-reference.html")]
    #[arg(group = "whole", conflicts_with = "path")]
    html: Option<PathBuf>,
    /// Write it as Markdown [default file: gridloom-reference.md]
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "gridloom-reference.md")]
    #[arg(group = "whole", conflicts_with = "path")]
    markdown: Option<PathBuf>,
    /// Write a JSON Schema for tools [default file: gridloom-schema.json]
    ///
    /// It describes scenarios as if they were JSON: a record is an object, a variant its name or an object with its
    /// name as the one member. No editor completes RON by a schema today: the one language server for RON, ron-lsp,
    /// reads the types of a Rust project instead.
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "gridloom-schema.json")]
    #[arg(group = "whole", conflicts_with = "path")]
    json: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long, requires = "whole")]
    force: bool,
}

pub(super) fn main(args: &Args) -> Result<(), u8> {
    let reference = |text: fn(&Reference) -> String| text(&Reference::gather());
    match (&args.html, &args.markdown, &args.json) {
        (Some(file), _, _) => save(file, args.force, || reference(reference::page)),
        (_, Some(file), _) => save(file, args.force, || reference(reference::text)),
        (_, _, Some(file)) => save(file, args.force, || reference(|all| format!("{:#}\n", reference::schema(all)))),
        _ => match describe_place(args.path.as_deref().unwrap_or_default(), text::columns()) {
            Ok(text) => print::result(&text),
            Err(wrong) => {
                print::error(&wrong);
                Err(BAD_INPUT)
            }
        },
    }
}

/// What can be written at a place of a scenario, as the command prints it; otherwise what is wrong.
pub fn describe_place(path: &str, columns: usize) -> Result<String, String> {
    PlaceFinder::new().text(path, columns)
}

/// Writes a file, or standard output if it is called `-`.
fn save(file: &Path, force: bool, text: impl FnOnce() -> String) -> Result<(), u8> {
    if file == Path::new("-") {
        return print::result(&text());
    }
    let refuse = |status: u8| {
        move |failure: output::OutputError| {
            print::error(&failure.to_string());
            status
        }
    };
    output::preflight_file(file, force).map_err(refuse(BAD_INPUT))?;
    output::save_file(file, text().as_bytes(), force).map_err(refuse(FAILED))?;
    print::message(&format!("wrote {}", file.display()));
    Ok(())
}
