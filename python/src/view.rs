//! What a policy in Python sees: the view of a decision, as arrays and small objects that are made when they are asked for.

use crate::answer::Reserve;
use crate::array::Array;
use gridloom::model::{CostLimit, NodeId, Slot};
use gridloom::policy::{Decision, FirstWindow, Policy, View, Waiting, Why};
use gridloom::search::{Search, budget};
use gridloom::units::Price;
use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyList;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ThreadId};

/// What stays the same for all decisions of a world.
pub(crate) struct DecidingWorld {
    pub(crate) search: Search,
    pub(crate) limit: CostLimit,
    /// A number to start random numbers from: the same in the same world.
    pub(crate) seed: u64,
    /// The nodes as Python last saw them, with the prices that they had.
    pub(crate) nodes: Mutex<Option<(Vec<Price>, Py<Nodes>)>>,
}

/// All that a policy may know when it decides. It is there for the time of the decision only.
#[pyclass(frozen, name = "View", module = "gridloom")]
pub(crate) struct ViewInPython {
    /// The view; null once the decision is over.
    view: AtomicPtr<View<'static>>,
    /// The thread that decides, and the only one that may look: so nobody can look while the decision ends.
    thread: ThreadId,
    world: std::sync::Arc<DecidingWorld>,
    decision: u64,
    queue: PyOnceLock<Py<PyList>>,
    slots: PyOnceLock<Py<Slots>>,
}

impl ViewInPython {
    /// Whoever makes it must [close](Self::close) it, on the same thread, before `view` is gone.
    pub(crate) fn open(view: &View<'_>, world: std::sync::Arc<DecidingWorld>, decision: u64) -> Self {
        let view: *const View<'_> = view;
        Self {
            view: AtomicPtr::new(view.cast::<View<'static>>().cast_mut()),
            thread: thread::current().id(),
            world,
            decision,
            queue: PyOnceLock::new(),
            slots: PyOnceLock::new(),
        }
    }

    pub(crate) fn close(&self) {
        self.view.store(std::ptr::null_mut(), Ordering::Release);
    }

    fn look<T>(&self, look: impl FnOnce(&View<'_>) -> PyResult<T>) -> PyResult<T> {
        let is_own = thread::current().id() == self.thread;
        let pointer = if is_own { self.view.load(Ordering::Acquire) } else { std::ptr::null_mut() };
        // SAFETY: the pointer is that of a view that is there until `close`, which happens on this very thread, after the
        // call to the policy inside which we are; nobody changes a view.
        match unsafe { pointer.as_ref() } {
            Some(view) => look(view),
            None => Err(PyRuntimeError::new_err(
                "a view is there while its decision is made, for the thread that makes it: copy what you need then",
            )),
        }
    }

    /// The jobs that are given, or all that wait, as they stand in the queue of the view: place and job.
    fn chosen<'v>(view: &View<'v>, jobs: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<(usize, Waiting<'v>)>> {
        let Some(jobs) = jobs else { return Ok(view.queue.iter().copied().enumerate().collect()) };
        let places: BTreeMap<u32, usize> =
            view.queue.iter().enumerate().map(|(place, waiting)| (waiting.id.0, place)).collect();
        let one = |job: PyResult<Bound<'_, PyAny>>| {
            let job = job?;
            let id = match job.cast::<Job>() {
                Ok(job) => job.get().id,
                Err(_) => job.extract()?,
            };
            let place = places.get(&id).copied();
            let place = place.ok_or_else(|| PyValueError::new_err(format!("no job {id} waits")))?;
            Ok((place, view.queue[place]))
        };
        jobs.try_iter()?.map(one).collect()
    }
}

#[pymethods]
impl ViewInPython {
    /// The time.
    #[getter]
    fn now(&self) -> PyResult<f64> {
        self.look(|view| Ok(view.now.as_f64()))
    }

    /// The occasion: "cycle", "submission" or "event".
    #[getter]
    fn why(&self) -> PyResult<&'static str> {
        self.look(|view| {
            Ok(match view.why {
                Why::Cycle => "cycle",
                Why::Submission => "submission",
                Why::Event => "event",
            })
        })
    }

    /// The number of the decision in its world, from 1.
    #[getter]
    fn decision(&self) -> u64 {
        self.decision
    }

    /// A number to start random numbers of one's own from: the same in the same world.
    #[getter]
    fn seed(&self) -> u64 {
        self.world.seed
    }

    /// The jobs that wait, the first in the queue first.
    #[getter]
    fn queue<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        if let Some(queue) = self.queue.get(py) {
            return Ok(queue.bind(py).clone());
        }
        let queue = self.look(|view| {
            let jobs = view.queue.iter().map(|waiting| Job::new(waiting, view, self.world.limit));
            PyList::new(py, jobs.collect::<Vec<Job>>())
        })?;
        Ok(self.queue.get_or_init(py, || queue.unbind()).bind(py).clone())
    }

    /// The free time, by start and then by node.
    #[getter]
    fn slots(&self, py: Python<'_>) -> PyResult<Py<Slots>> {
        if let Some(slots) = self.slots.get(py) {
            return Ok(slots.clone_ref(py));
        }
        let slots = self.look(|view| Py::new(py, Slots::new(py, view.slots.list().as_slice())?))?;
        Ok(self.slots.get_or_init(py, || slots).clone_ref(py))
    }

    /// The nodes.
    #[getter]
    fn nodes(&self, py: Python<'_>) -> PyResult<Py<Nodes>> {
        self.look(|view| {
            let mut known = self.world.nodes.lock().unwrap_or_else(PoisonError::into_inner);
            let prices = || view.nodes.iter().map(|node| node.price);
            if let Some((seen, nodes)) = &*known
                && prices().eq(seen.iter().copied())
            {
                return Ok(nodes.clone_ref(py));
            }
            let nodes = Py::new(py, Nodes::new(py, view)?)?;
            *known = Some((prices().collect(), nodes.clone_ref(py)));
            Ok(nodes)
        })
    }

    /// The batch systems beneath domains: the domain, the number of jobs that wait there, and the nodes they ask for.
    #[getter]
    fn systems(&self) -> PyResult<Vec<(usize, usize, usize)>> {
        self.look(|view| {
            let system = |system: &gridloom::policy::SystemView<'_>| {
                let nodes = system.queue.iter().map(|waiting| waiting.request.nodes).fold(0, usize::saturating_add);
                (system.domain, system.queue.len(), nodes)
            };
            Ok(view.systems.iter().map(system).collect())
        })
    }

    /// The time for which a job would hold a node; nothing if it would never end.
    fn runtime(&self, job: &Bound<'_, PyAny>, node: u32) -> PyResult<Option<f64>> {
        self.look(|view| {
            let jobs = PyList::new(job.py(), [job])?;
            let chosen = Self::chosen(view, Some(jobs.as_any()))?;
            let (_, waiting) = chosen[0];
            let offered = view.nodes.get(NodeId(node).index());
            let offered = offered.ok_or_else(|| PyIndexError::new_err(format!("there is no node {node}")))?;
            Ok(view.rule.runtime(waiting.request, offered.performance).map(|runtime| runtime.as_f64()))
        })
    }

    /// A window for each of the jobs, or of all that wait, in this order: the one that the search of the scenario finds in
    /// what the earlier ones left. Jobs without a window are left out.
    #[pyo3(signature = (jobs=None))]
    fn first_windows(&self, jobs: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<Reserve>> {
        self.look(|view| {
            let chosen = Self::chosen(view, jobs)?;
            let queue: Vec<Waiting<'_>> = chosen.iter().map(|(_, waiting)| *waiting).collect();
            let decided = FirstWindow(self.world.search.get()).decide(&View { queue: &queue, ..*view });
            let decided = decided.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
            let reserve = |decision| match decision {
                Decision::Reserve { request, window } => Some(Reserve {
                    job: queue[request].id.0,
                    start: window.start().as_f64(),
                    nodes: window.slots().iter().map(|slot| slot.node.0).collect(),
                }),
                _ => None,
            };
            Ok(decided.into_iter().filter_map(reserve).collect())
        })
    }
}

/// A job that waits.
#[pyclass(frozen, get_all, module = "gridloom")]
pub(crate) struct Job {
    pub(crate) id: u32,
    name: String,
    nodes: usize,
    length: f64,
    min_performance: f64,
    max_price: f64,
    budget: Option<f64>,
    deadline: Option<f64>,
    submitted: f64,
    waited: f64,
    attempts: u32,
    user: u32,
    promise: Option<f64>,
    ready: f64,
    tasks: Option<usize>,
}

impl Job {
    fn new(waiting: &Waiting<'_>, view: &View<'_>, limit: CostLimit) -> Self {
        let Waiting { id, request, workflow, submitted, attempts, user, promise, ready, .. } = *waiting;
        Self {
            id: id.0,
            name: request.name.clone(),
            nodes: request.nodes,
            length: request.length.as_f64(),
            min_performance: request.min_performance.as_f64(),
            max_price: request.max_price.as_f64(),
            budget: match limit {
                CostLimit::PerSlot => None,
                CostLimit::Total(factor) => Some(budget(request, factor).as_f64()),
            },
            deadline: request.deadline.map(|deadline| deadline.as_f64()),
            submitted: submitted.as_f64(),
            // Exactly, and not the difference of two rounded numbers.
            waited: (view.now - submitted).as_f64(),
            attempts,
            user,
            promise: promise.map(|promise| promise.as_f64()),
            ready: ready.as_f64(),
            tasks: workflow.map(|dag| dag.tasks().len()),
        }
    }
}

#[pymethods]
impl Job {
    fn __repr__(&self) -> String {
        let Self { id, name, nodes, length, submitted, .. } = self;
        format!("Job(id={id}, name={name:?}, nodes={nodes}, length={length}, submitted={submitted})")
    }
}

/// The nodes, by their number.
#[pyclass(frozen, get_all, module = "gridloom")]
pub(crate) struct Nodes {
    names: Vec<String>,
    performance: Py<Array>,
    price: Py<Array>,
    /// By node, the number of its domain.
    domain: Py<Array>,
    /// The names of the domains.
    domains: Vec<String>,
}

impl Nodes {
    fn new(py: Python<'_>, view: &View<'_>) -> PyResult<Self> {
        let domain = |node: usize| {
            let has = |domain: &gridloom::model::Domain| {
                (domain.first.index()..domain.first.index() + domain.nodes).contains(&node)
            };
            view.domains.iter().position(has).map_or(-1, |at| at as i64)
        };
        Ok(Self {
            names: view.nodes.iter().map(|node| node.name.clone()).collect(),
            performance: Py::new(py, Array::real(view.nodes.iter().map(|node| node.performance.as_f64())))?,
            price: Py::new(py, Array::real(view.nodes.iter().map(|node| node.price.as_f64())))?,
            domain: Py::new(py, Array::whole((0..view.nodes.len()).map(domain)))?,
            domains: view.domains.iter().map(|domain| domain.name.clone()).collect(),
        })
    }
}

#[pymethods]
impl Nodes {
    fn __len__(&self) -> usize {
        self.names.len()
    }
}

/// Free time: node, start and end of each slot, by start and then by node.
#[pyclass(frozen, get_all, module = "gridloom")]
pub(crate) struct Slots {
    node: Py<Array>,
    start: Py<Array>,
    end: Py<Array>,
    length: usize,
}

impl Slots {
    fn new(py: Python<'_>, slots: &[Slot]) -> PyResult<Self> {
        Ok(Self {
            node: Py::new(py, Array::whole(slots.iter().map(|slot| i64::from(slot.node.0))))?,
            start: Py::new(py, Array::real(slots.iter().map(|slot| slot.interval.start.as_f64())))?,
            end: Py::new(py, Array::real(slots.iter().map(|slot| slot.interval.end.as_f64())))?,
            length: slots.len(),
        })
    }
}

#[pymethods]
impl Slots {
    fn __len__(&self) -> usize {
        self.length
    }
}
