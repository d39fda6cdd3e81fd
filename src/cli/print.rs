//! The two streams: results go to standard output, everything about the run to standard error.

use super::FAILED;
use crate::language::Report;
use std::env;
use std::io::{ErrorKind, IsTerminal, Write};
use terminal_size::{Width, terminal_size_of};

/// The width of text where no terminal says how wide it is.
const USUAL_WIDTH: usize = 100;
/// Text is not made narrower than this, however narrow the terminal.
const LEAST_WIDTH: usize = 40;

/// The columns of standard output: of the terminal, or what `COLUMNS` says where there is none.
pub(super) fn width() -> usize {
    let terminal = terminal_size_of(std::io::stdout()).map(|(Width(columns), _)| usize::from(columns));
    let said = || std::env::var("COLUMNS").ok()?.trim().parse().ok();
    terminal.or_else(said).filter(|&columns| columns > 0).unwrap_or(USUAL_WIDTH).max(LEAST_WIDTH)
}

/// Prints a result, or says why it can't. A reader that has gone away (`gridloom list | head`) is no error.
pub(super) fn result(text: &str) -> Result<(), u8> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(failure) if failure.kind() != ErrorKind::BrokenPipe => {
            error(&format!("can't write to standard output: {failure}"));
            Err(FAILED)
        }
        _ => Ok(()),
    }
}

/// Prints a message about the run.
pub(super) fn message(text: &str) {
    let mut stderr = std::io::stderr().lock();
    let _ = writeln!(stderr, "{}", text.trim_end());
}

/// Prints why nothing came of it.
pub(super) fn error(text: &str) {
    match has_colours() {
        true => message(&format!("\x1b[1;31merror:\x1b[0m {text}")),
        false => message(&format!("error: {text}")),
    }
}

/// Prints what is wrong with a scenario.
pub(super) fn report(report: &Report) {
    match has_colours() {
        true => message(&report.coloured().to_string()),
        false => message(&report.to_string()),
    }
}

/// True if messages have colours: on a terminal, unless the environment says otherwise.
fn has_colours() -> bool {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    let is_off = set("NO_COLOR").is_some();
    let is_forced = set("CLICOLOR_FORCE").is_some_and(|value| value != "0");
    let is_capable = set("TERM").is_none_or(|term| term != "dumb") && set("CLICOLOR").is_none_or(|value| value != "0");
    !is_off && (is_forced || is_capable && std::io::stderr().is_terminal())
}
