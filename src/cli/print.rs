//! The two streams: results go to standard output, everything about the run to standard error.

use super::FAILED;
use std::io::{ErrorKind, Write};
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
    message(&format!("error: {text}"));
}
