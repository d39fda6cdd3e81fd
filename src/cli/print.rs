//! The two streams: results go to standard output, everything about the run to standard error.

use std::io::Write;

/// Prints a result. A reader that has gone away (`gridloom list | head`) is no error.
pub(super) fn result(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
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
