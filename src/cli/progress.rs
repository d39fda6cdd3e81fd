//! The display of a run that is under way, and the ways to stop it.

use super::{FAILED, print};
use crate::engine::Stop;
use crate::study::{Progress, RunError};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Work that takes less than this shows no bar.
const PATIENCE: Duration = Duration::from_secs(1);
/// A run that has not come back this long after it was asked to stop is ended from outside.
const GRACE: Duration = Duration::from_millis(600);
/// Steps of the overall bar for each second that a run is known to take.
const TICKS: f64 = 1000.0;

/// A bar on standard error, if that is a terminal; and the user's wish to stop.
#[derive(Debug)]
pub(super) struct TerminalProgress {
    bar: ProgressBar,
    begun: Instant,
    quiet: bool,
    shown: AtomicBool,
    stop: Stop,
    /// Held while files are put in place.
    writing: Arc<Mutex<()>>,
    farewell: Arc<Mutex<Farewell>>,
}

/// Saves what can be saved when a run is ended from outside, and says what was.
struct Farewell(Box<dyn Fn() -> String + Send>);

impl fmt::Debug for Farewell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Farewell")
    }
}

impl TerminalProgress {
    /// From here on, the first interrupt asks the run to stop, and the second one ends the program at once.
    ///
    /// Event loops and solvers poll the token and come back. One that does not within [`GRACE`] is ended from outside,
    /// which loses nothing: results appear whole, and what is kept for later is kept piece by piece.
    #[allow(clippy::disallowed_methods, reason = "the clock decides when to show a bar, never a result")]
    pub(super) fn new(quiet: bool) -> Self {
        let (stop, writing) = (Stop::new(), Arc::new(Mutex::new(())));
        let farewell = Arc::new(Mutex::new(Farewell(Box::new(|| RunError::Interrupted.to_string()))));
        let (token, guard, words) = (stop.clone(), Arc::clone(&writing), Arc::clone(&farewell));
        // Without a handler an interrupt ends the program, which leaves no broken files either: results appear whole.
        let _ = ctrlc::set_handler(move || {
            if token.set() {
                std::process::exit(130);
            }
            print::message("stopping; press again to end at once");
            let (guard, words) = (Arc::clone(&guard), Arc::clone(&words));
            // The handler has to be free for the second interrupt.
            std::thread::spawn(move || {
                std::thread::sleep(GRACE);
                let _whole = guard.lock().unwrap_or_else(PoisonError::into_inner);
                let words = words.lock().unwrap_or_else(PoisonError::into_inner);
                print::error(&(words.0)());
                std::process::exit(i32::from(FAILED));
            });
        });
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        Self { bar, begun: Instant::now(), quiet, shown: AtomicBool::new(false), stop, writing, farewell }
    }

    /// As long as this is held, an interrupt does not end the program from outside: files are put in place.
    pub(super) fn while_writing(&self) -> MutexGuard<'_, ()> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets what is done and said if the run has to be ended from outside.
    pub(super) fn set_farewell(&self, farewell: impl Fn() -> String + Send + 'static) {
        *self.farewell.lock().unwrap_or_else(PoisonError::into_inner) = Farewell(Box::new(farewell));
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

    /// One bar for several runs, which take this many seconds together, as far as is known.
    pub(super) fn overall(&self, seconds: f64) -> Overall<'_> {
        let style = ProgressStyle::with_template("{prefix} {wide_bar} {percent} % {elapsed} (left: {eta})");
        self.bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        self.bar.set_length((seconds * TICKS) as u64);
        Overall { progress: self, done: AtomicU64::new(0) }
    }

    /// Shows the bar once the work has taken its time.
    fn show(&self) {
        if !self.quiet && self.begun.elapsed() > PATIENCE && !self.shown.swap(true, Ordering::Relaxed) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

/// The bar of several runs.
#[derive(Debug)]
pub(super) struct Overall<'a> {
    progress: &'a TerminalProgress,
    done: AtomicU64,
}

impl Overall<'_> {
    /// One of the runs, which is known to take this many seconds.
    pub(super) fn part(&self, name: &str, seconds: f64) -> ProgressPart<'_> {
        self.progress.bar.set_prefix(name.to_string());
        ProgressPart {
            overall: self,
            ticks: (seconds * TICKS) as u64,
            expected: AtomicU64::new(1),
            made: AtomicU64::new(0),
        }
    }
}

/// A run that moves the overall bar on.
#[derive(Debug)]
pub(super) struct ProgressPart<'a> {
    overall: &'a Overall<'a>,
    ticks: u64,
    expected: AtomicU64,
    made: AtomicU64,
}

impl ProgressPart<'_> {
    pub(super) fn end(self) {
        let done = self.overall.done.fetch_add(self.ticks, Ordering::Relaxed) + self.ticks;
        self.overall.progress.bar.set_position(done);
    }
}

impl Progress for ProgressPart<'_> {
    fn expect(&self, replications: u64) {
        self.expected.store(replications.max(1), Ordering::Relaxed);
    }

    fn advance(&self) {
        let made = self.made.fetch_add(1, Ordering::Relaxed) + 1;
        let share = made as f64 / self.expected.load(Ordering::Relaxed) as f64;
        let ticks = (self.ticks as f64 * share.min(1.0)) as u64;
        self.overall.progress.bar.set_position(self.overall.done.load(Ordering::Relaxed) + ticks);
        self.overall.progress.show();
    }

    fn stop(&self) -> &Stop {
        self.overall.progress.stop()
    }
}

impl Progress for TerminalProgress {
    fn expect(&self, replications: u64) {
        self.bar.set_length(replications);
    }

    fn advance(&self) {
        self.bar.inc(1);
        self.show();
    }

    fn stop(&self) -> &Stop {
        &self.stop
    }
}
