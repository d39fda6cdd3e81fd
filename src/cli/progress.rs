//! What a user sees while a run is under way, and how it is stopped.

use super::print;
use crate::experiment::Watch;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Work that takes less than this shows no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// A bar on standard error, if that is a terminal; and the user's wish to stop.
#[derive(Debug)]
pub(super) struct Progress {
    bar: ProgressBar,
    begun: Instant,
    quiet: bool,
    shown: AtomicBool,
    stopped: Arc<AtomicBool>,
}

impl Progress {
    /// From here on, the first interrupt asks the run to stop, and the second one ends the program at once.
    #[allow(clippy::disallowed_methods, reason = "the clock decides when to show a bar, never a result")]
    pub(super) fn new(quiet: bool) -> Self {
        let stopped = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stopped);
        // Without a handler an interrupt ends the program, which leaves no broken files either: results appear whole.
        let _ = ctrlc::set_handler(move || {
            if flag.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
            print::message("stopping; press again to end at once");
        });
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        Self { bar, begun: Instant::now(), quiet, shown: AtomicBool::new(false), stopped }
    }

    pub(super) fn begin(&self, name: &str) {
        let style = ProgressStyle::with_template("{prefix} {wide_bar} {pos}/{len} {elapsed} (left: {eta})");
        self.bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        self.bar.set_prefix(name.to_string());
        self.bar.reset();
    }

    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }
}

impl Watch for Progress {
    fn expect(&self, replications: u64) {
        self.bar.set_length(replications);
    }

    fn advance(&self) {
        self.bar.inc(1);
        if !self.quiet && self.begun.elapsed() > PATIENCE && !self.shown.swap(true, Ordering::Relaxed) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}
