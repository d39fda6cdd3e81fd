//! Policies that are written in Python.

use crate::answer;
use crate::view::{DecidingWorld, ViewInPython};
use gridloom::policy::{Acts, Decision, PlacesBy, Policy, PolicyError, PolicySpec, Setup, View};
use gridloom::rng::below;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use std::collections::BTreeMap;
use std::ffi::c_long;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What is known of all policies in Python of a run: who decides at the moment, and the first exception.
#[derive(Default)]
pub(crate) struct Deciding {
    state: Mutex<DecidingState>,
}

#[derive(Default)]
struct DecidingState {
    /// By the thread's number in Python: the policy, the number of the decision, and when it began.
    now: BTreeMap<c_long, (String, u64, Instant)>,
    exception: Option<PyErr>,
}

impl Deciding {
    fn state(&self) -> MutexGuard<'_, DecidingState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first exception that a policy raised.
    pub(crate) fn take_exception(&self) -> Option<PyErr> {
        self.state().exception.take()
    }

    /// A decision that has taken longer than `limit`: the policy and the number of the decision.
    pub(crate) fn late(&self, limit: Duration) -> Option<(String, u64)> {
        let state = self.state();
        let late = state.now.values().find(|(_, _, begun)| begun.elapsed() > limit);
        late.map(|(name, decision, _)| (name.clone(), *decision))
    }

    /// The threads that decide at the moment.
    pub(crate) fn threads(&self) -> Vec<c_long> {
        self.state().now.keys().copied().collect()
    }
}

/// A policy as it was given: a function of a view, an object with a method `decide`, or a class of such objects.
pub(crate) struct PythonPolicy {
    name: String,
    given: Py<PyAny>,
    acts: Acts,
    deciding: Arc<Deciding>,
}

impl PythonPolicy {
    pub(crate) fn new(py: Python<'_>, name: String, given: Py<PyAny>, deciding: Arc<Deciding>) -> PyResult<Self> {
        let bound = given.bind(py);
        if !bound.hasattr("decide")? && !bound.is_callable() {
            let wrong =
                format!("policy {name}: give a function of a view, or an object or a class with a method `decide`");
            return Err(PyTypeError::new_err(wrong));
        }
        let acts = match bound.getattr_opt("acts")?.map(|acts| acts.extract::<String>()).transpose()?.as_deref() {
            None | Some("cycles") => Acts::Cycles,
            Some("submission") => Acts::Submission,
            Some("events") => Acts::Events,
            Some(other) => {
                let wrong =
                    format!("policy {name}: `acts` is {other:?}: give \"cycles\", \"submission\" or \"events\"");
                return Err(PyValueError::new_err(wrong));
            }
        };
        Ok(Self { name, given, acts, deciding })
    }
}

impl PolicySpec for PythonPolicy {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn make(&self, setup: &Setup<'_>) -> Box<dyn Policy> {
        let world = DecidingWorld {
            search: setup.search().clone(),
            limit: setup.limit(),
            seed: below(&mut setup.streams.stream("external"), 1 << 32),
            nodes: Mutex::default(),
        };
        setup.two_tier(PythonScheduler {
            name: self.name.clone(),
            given: Python::attach(|py| self.given.clone_ref(py)),
            decide: None,
            deciding: Arc::clone(&self.deciding),
            world: Arc::new(world),
            decision: 0,
        })
    }

    fn acts(&self) -> Acts {
        self.acts
    }

    fn places(&self) -> PlacesBy {
        PlacesBy::Either
    }
}

/// A policy in one world.
struct PythonScheduler {
    name: String,
    given: Py<PyAny>,
    /// What is called: made when the world first asks, so that no state goes from one world to another.
    decide: Option<Py<PyAny>>,
    deciding: Arc<Deciding>,
    world: Arc<DecidingWorld>,
    decision: u64,
}

impl Policy for PythonScheduler {
    fn decide(&mut self, view: &View<'_>) -> Result<Vec<Decision>, PolicyError> {
        self.decision += 1;
        view.stop.check()?;
        let answer = Python::attach(|py| {
            self.ask(py, view).map_err(|error| {
                let text = error.to_string();
                let mut state = self.deciding.state();
                state.exception.get_or_insert(error);
                PolicyError::Other(format!("decision {}: {text}", self.decision))
            })
        });
        // An exception by which it was stopped is no fault of the policy.
        view.stop.check()?;
        let decided = answer?.decisions(view, self.world.limit);
        decided.map_err(|wrong| PolicyError::Other(format!("decision {} can't be carried out: {wrong}", self.decision)))
    }
}

impl PythonScheduler {
    fn ask(&mut self, py: Python<'_>, view: &View<'_>) -> PyResult<gridloom::policy::ForeignAnswer> {
        let decide = match &self.decide {
            Some(decide) => decide.bind(py).clone(),
            None => {
                let made = function_of(self.given.bind(py))?;
                self.decide = Some(made.clone().unbind());
                made
            }
        };
        let seen = Bound::new(py, ViewInPython::open(view, Arc::clone(&self.world), self.decision))?;
        let thread = thread_number(py)?;
        #[allow(clippy::disallowed_methods, reason = "the clock ends policies that hang, and decides nothing else")]
        let begun = Instant::now();
        self.deciding.state().now.insert(thread, (self.name.clone(), self.decision, begun));
        let answer = decide.call1((&seen,)).and_then(|answer| answer::read(&answer));
        self.deciding.state().now.remove(&thread);
        seen.get().close();
        answer
    }
}

/// The function to be called in one world.
fn function_of<'py>(given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if given.is_instance_of::<PyType>() {
        return given.call0()?.getattr("decide");
    }
    match given.getattr_opt("decide")? {
        // A copy for each world: what one learns must not depend on which of them runs first.
        Some(_) => given.py().import("copy")?.call_method1("deepcopy", (given,))?.getattr("decide"),
        None => Ok(given.clone()),
    }
}

/// The number of this thread in Python.
fn thread_number(py: Python<'_>) -> PyResult<c_long> {
    static NUMBER: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let import = || py.import("threading").and_then(|threading| threading.getattr("get_ident")).map(Bound::unbind);
    NUMBER.get_or_try_init(py, import)?.bind(py).call0()?.extract()
}
