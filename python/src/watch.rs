//! Runs on threads of their own, while Python's main thread waits for them, looks out for Ctrl-C and shows progress.

use crate::errors::RunError;
use crate::policy::Deciding;
use crate::results::Results;
use gridloom::engine::Stop;
use gridloom::study::{self, Outcome, Progress, Study};
use pyo3::exceptions::{PyKeyboardInterrupt, PyTimeoutError};
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::c_long;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The time from one look at signals to the next.
const BEAT: Duration = Duration::from_millis(50);
/// The time that threads get to end once they are asked to.
const GRACE: Duration = Duration::from_secs(2);

/// How far a run is.
struct Watch {
    stop: Stop,
    all: AtomicU64,
    done: AtomicU64,
}

impl Progress for Watch {
    fn expect(&self, replications: u64) {
        self.all.store(replications, Ordering::Relaxed);
    }

    fn advance(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    fn stop(&self) -> &Stop {
        &self.stop
    }
}

type Done = Result<Outcome, study::RunError>;

/// Runs a study. The interpreter's lock is free while it runs.
pub(crate) fn run(
    py: Python<'_>,
    study: Study,
    threads: usize,
    answer_within: f64,
    progress: Option<Py<PyAny>>,
    deciding: &Arc<Deciding>,
) -> PyResult<Results> {
    let watch = Arc::new(Watch { stop: Stop::new(), all: AtomicU64::new(0), done: AtomicU64::new(0) });
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| RunError::new_err(format!("can't start threads: {error}")))?;
    let (tell, told) = mpsc::channel::<Done>();
    // Only one thread ever waits, but the compiler can't know.
    let told = Mutex::new(told);
    let own = Arc::clone(&watch);
    // Not in a scope: a policy that can't be ended must not keep its user waiting for ever.
    std::thread::spawn(move || {
        let outcome = pool.install(|| study::run(&study, &*own));
        let _ = tell.send(outcome);
    });
    let limit = Duration::try_from_secs_f64(answer_within).unwrap_or(Duration::MAX);
    let outcome = loop {
        match receive(py, &told, BEAT) {
            Ok(done) => break done,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(RunError::new_err("a defect of gridloom: the run panicked"));
            }
            Err(RecvTimeoutError::Timeout) => (),
        }
        let shown = progress.as_ref().map(|progress| {
            progress.call1(py, (watch.done.load(Ordering::Relaxed), watch.all.load(Ordering::Relaxed)))
        });
        if let Err(stopped) = py.check_signals().and(shown.transpose()) {
            watch.stop.set();
            raise_in(&deciding.threads(), py.get_type::<PyKeyboardInterrupt>().as_any());
            wait(py, &told);
            return Err(stopped);
        }
        if let Some((name, decision)) = deciding.late(limit) {
            watch.stop.set();
            // Other worlds wait for it too.
            raise_in(&deciding.threads(), py.get_type::<PyTimeoutError>().as_any());
            let ended = if wait(py, &told) { "" } else { "; its thread could not be ended and is left behind" };
            return Err(RunError::new_err(format!(
                "policy {name} has not made decision {decision} within {answer_within} s{ended}; give more time by \
                 `answer_within`"
            )));
        }
    };
    match outcome {
        Ok(outcome) => Ok(Results::of(outcome)),
        Err(error) => {
            let raised = RunError::new_err(error.to_string());
            // The traceback of the policy comes along as the cause.
            raised.set_cause(py, deciding.take_exception());
            Err(raised)
        }
    }
}

/// Waits for a run that was asked to end; false if it did not.
fn wait(py: Python<'_>, told: &Mutex<Receiver<Done>>) -> bool {
    !matches!(receive(py, told, GRACE), Err(RecvTimeoutError::Timeout))
}

fn receive(py: Python<'_>, told: &Mutex<Receiver<Done>>, limit: Duration) -> Result<Done, RecvTimeoutError> {
    py.detach(|| told.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(limit))
}

/// Raises an exception in other threads of Python, as soon as they run Python's own code.
fn raise_in(threads: &[c_long], exception: &Bound<'_, PyAny>) {
    for &thread in threads {
        // SAFETY: the interpreter's lock is held, the exception is a class, and a thread that is gone is not found.
        unsafe { ffi::PyThreadState_SetAsyncExc(thread, exception.as_ptr()) };
    }
}
