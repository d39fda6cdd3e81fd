//! The display of a run that is under way, and the ways to stop it.

mod line;

use super::{FAILED, print};
use crate::engine::Stop;
use crate::study::{Progress, RunError};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use line::RunState;
use std::fmt;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Work that takes less than this shows no bar.
const PATIENCE: Duration = Duration::from_secs(1);
/// A run that has not come back this long after it was asked to stop is ended from outside.
const GRACE: Duration = Duration::from_millis(600);
/// The time from one look at a run to the next.
const PACE: Duration = Duration::from_millis(200);
/// Steps of the bar.
const STEPS: f64 = 10_000.0;

/// A bar on standard error, if that is a terminal; and the user's wish to stop.
#[derive(Debug)]
pub(super) struct TerminalProgress {
    display: Arc<RunDisplay>,
    stop: Stop,
    /// Held while files are put in place.
    writing: Arc<Mutex<()>>,
    farewell: Arc<Mutex<Option<Farewell>>>,
}

/// What is shown of a run. A thread of its own looks at the counts from time to time, so that a single long world moves
/// the bar too, and whoever does the work only counts.
#[derive(Debug)]
struct RunDisplay {
    made: AtomicU64,
    recalled: AtomicU64,
    expected: AtomicU64,
    stop: Stop,
    shown: Mutex<ShownRun>,
}

#[derive(Debug)]
struct ShownRun {
    bar: ProgressBar,
    /// When the run began; nothing while none is under way.
    begun: Option<Instant>,
    /// The events of runs before it.
    events_before: u64,
    unit: &'static str,
    /// See [`RunState::among`].
    among: Option<(f64, f64, f64)>,
    is_visible: bool,
    /// The display is gone: its thread can end.
    is_over: bool,
}

impl RunDisplay {
    fn shown(&self) -> MutexGuard<'_, ShownRun> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self, shown: &ShownRun, begun: Instant) -> RunState {
        RunState {
            made: self.made.load(Ordering::Relaxed),
            recalled: self.recalled.load(Ordering::Relaxed),
            under_way: self.stop.under_way(),
            expected: self.expected.load(Ordering::Relaxed),
            unit: shown.unit,
            events: self.stop.events().saturating_sub(shown.events_before),
            elapsed: begun.elapsed(),
            among: shown.among,
        }
    }

    /// Begins to show a run, or several behind one bar.
    #[allow(clippy::disallowed_methods, reason = "the clock decides what to show, never a result")]
    fn begin(&self, name: &str) {
        let mut shown = self.shown();
        let style = ProgressStyle::with_template("{prefix} {wide_bar} {msg}");
        shown.bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        shown.bar.set_prefix(name.to_string());
        shown.bar.set_length(STEPS as u64);
        shown.bar.reset();
        (shown.begun, shown.events_before, shown.unit) = (Some(Instant::now()), self.stop.events(), "replications");
        self.restart(1);
    }

    /// Counts from nothing to `expected`.
    fn restart(&self, expected: u64) {
        self.made.store(0, Ordering::Relaxed);
        self.recalled.store(0, Ordering::Relaxed);
        self.expected.store(expected, Ordering::Relaxed);
    }

    /// Brings the bar up to date, once the work has taken its time; false if there is nothing more to show.
    fn update(&self) -> bool {
        let mut shown = self.shown();
        if let Some(begun) = shown.begun.filter(|begun| begun.elapsed() > PATIENCE) {
            let state = self.state(&shown, begun);
            if !shown.is_visible {
                shown.is_visible = true;
                shown.bar.set_draw_target(ProgressDrawTarget::stderr());
            }
            // Between the end of a world and its count the share goes back for a moment.
            let position = (STEPS * state.share()) as u64;
            shown.bar.set_position(position.max(shown.bar.position()));
            shown.bar.set_message(state.text());
        }
        !shown.is_over
    }

    fn end(&self) {
        let mut shown = self.shown();
        shown.begun = None;
        shown.bar.finish_and_clear();
        shown.bar.set_draw_target(ProgressDrawTarget::hidden());
        shown.is_visible = false;
    }
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
    pub(super) fn new(quiet: bool) -> Self {
        let (stop, writing) = (Stop::new(), Arc::new(Mutex::new(())));
        let farewell = Arc::new(Mutex::new(Some(Farewell(Box::new(|| RunError::Interrupted.to_string())))));
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
                loop {
                    let whole = guard.lock().unwrap_or_else(PoisonError::into_inner);
                    let words = words.lock().unwrap_or_else(PoisonError::into_inner);
                    if let Some(words) = &*words {
                        print::error(&(words.0)());
                        std::process::exit(i32::from(FAILED));
                    }
                    // All is written: the program ends by itself, or begins with the next run.
                    drop((whole, words));
                    std::thread::sleep(PACE);
                }
            });
        });
        let shown = ShownRun {
            bar: ProgressBar::with_draw_target(Some(STEPS as u64), ProgressDrawTarget::hidden()),
            begun: None,
            events_before: 0,
            unit: "replications",
            among: None,
            is_visible: false,
            is_over: false,
        };
        let display = Arc::new(RunDisplay {
            made: AtomicU64::new(0),
            recalled: AtomicU64::new(0),
            expected: AtomicU64::new(1),
            stop: stop.clone(),
            shown: Mutex::new(shown),
        });
        if !quiet && std::io::stderr().is_terminal() {
            let display = Arc::clone(&display);
            // Without the thread there is no bar, and everything else is the same.
            let _ = std::thread::Builder::new().name("progress".into()).spawn(move || {
                while display.update() {
                    std::thread::sleep(PACE);
                }
            });
        }
        Self { display, stop, writing, farewell }
    }

    /// As long as this is held, an interrupt does not end the program from outside: files are put in place.
    pub(super) fn while_writing(&self) -> MutexGuard<'_, ()> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets what is done and said if the run has to be ended from outside.
    pub(super) fn set_farewell(&self, farewell: impl Fn() -> String + Send + 'static) {
        *self.farewell.lock().unwrap_or_else(PoisonError::into_inner) = Some(Farewell(Box::new(farewell)));
    }

    /// Everything is in place: from here on the run is not ended from outside, until another one sets its words.
    pub(super) fn set_done(&self) {
        *self.farewell.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    pub(super) fn begin(&self, name: &str) {
        self.display.begin(name);
    }

    pub(super) fn end(&self) {
        self.display.end();
    }

    /// One bar for several runs, which take this many seconds together, as far as is known.
    pub(super) fn overall(&self, seconds: f64) -> Overall<'_> {
        self.display.begin("");
        Overall { progress: self, all: seconds, done: Mutex::new(0.0) }
    }
}

impl Drop for TerminalProgress {
    fn drop(&mut self) {
        self.display.shown().is_over = true;
    }
}

/// The bar of several runs.
#[derive(Debug)]
pub(super) struct Overall<'a> {
    progress: &'a TerminalProgress,
    /// The seconds that all of them are known to take.
    all: f64,
    /// Those of the runs that are over.
    done: Mutex<f64>,
}

impl Overall<'_> {
    /// One of the runs, which is known to take this many seconds.
    pub(super) fn part(&self, name: &str, seconds: f64) -> ProgressPart<'_> {
        let done = *self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let display = &self.progress.display;
        let mut shown = display.shown();
        shown.bar.set_prefix(name.to_string());
        shown.among = Some((done, seconds, self.all));
        display.restart(1);
        ProgressPart { overall: self, seconds }
    }
}

/// A run that moves the overall bar on.
#[derive(Debug)]
pub(super) struct ProgressPart<'a> {
    overall: &'a Overall<'a>,
    seconds: f64,
}

impl ProgressPart<'_> {
    pub(super) fn end(self) {
        *self.overall.done.lock().unwrap_or_else(PoisonError::into_inner) += self.seconds;
    }
}

impl Progress for ProgressPart<'_> {
    fn expect(&self, replications: u64) {
        self.overall.progress.expect(replications);
    }

    fn advance(&self) {
        self.overall.progress.advance();
    }

    fn recall(&self) {
        self.overall.progress.recall();
    }

    fn stop(&self) -> &Stop {
        self.overall.progress.stop()
    }
}

impl Progress for TerminalProgress {
    fn expect(&self, replications: u64) {
        self.display.restart(replications);
    }

    fn advance(&self) {
        self.display.made.fetch_add(1, Ordering::Relaxed);
    }

    fn recall(&self) {
        self.display.recalled.fetch_add(1, Ordering::Relaxed);
        self.advance();
    }

    fn count_in(&self, unit: &'static str) {
        self.display.shown().unit = unit;
    }

    fn stop(&self) -> &Stop {
        &self.stop
    }
}
