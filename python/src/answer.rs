//! What a policy in Python answers.

use crate::view::Job;
use gridloom::policy::{ForeignAnswer, PromiseAnswer, ReserveAnswer, SendAnswer};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A window for a job: its start and its nodes, each of which it holds for its runtime there.
#[pyclass(frozen, get_all, eq, module = "gridloom", from_py_object)]
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reserve {
    pub(crate) job: u32,
    pub(crate) start: f64,
    pub(crate) nodes: Vec<u32>,
}

/// The latest start that a job is promised; nothing is reserved.
#[pyclass(frozen, get_all, eq, module = "gridloom", from_py_object)]
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Promise {
    job: u32,
    start: f64,
}

/// A job for the queue of a domain's batch system.
#[pyclass(frozen, get_all, eq, module = "gridloom", from_py_object)]
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Send {
    job: u32,
    domain: usize,
}

#[pymethods]
impl Reserve {
    #[new]
    fn new(job: &Bound<'_, PyAny>, start: f64, nodes: Vec<u32>) -> PyResult<Self> {
        Ok(Self { job: number_of(job)?, start, nodes })
    }

    fn __repr__(&self) -> String {
        format!("Reserve(job={}, start={}, nodes={:?})", self.job, self.start, self.nodes)
    }
}

#[pymethods]
impl Promise {
    #[new]
    fn new(job: &Bound<'_, PyAny>, start: f64) -> PyResult<Self> {
        Ok(Self { job: number_of(job)?, start })
    }

    fn __repr__(&self) -> String {
        format!("Promise(job={}, start={})", self.job, self.start)
    }
}

#[pymethods]
impl Send {
    #[new]
    fn new(job: &Bound<'_, PyAny>, domain: usize) -> PyResult<Self> {
        Ok(Self { job: number_of(job)?, domain })
    }

    fn __repr__(&self) -> String {
        format!("Send(job={}, domain={})", self.job, self.domain)
    }
}

/// The number of a job: a job of the queue, or the number itself.
fn number_of(job: &Bound<'_, PyAny>) -> PyResult<u32> {
    match job.cast::<Job>() {
        Ok(job) => Ok(job.get().id),
        Err(_) => job.extract(),
    }
}

/// Reads an answer: `None`, a list of `Reserve`, `Promise` and `Send`, or a dictionary as external programs write it.
pub(crate) fn read(answer: &Bound<'_, PyAny>) -> PyResult<ForeignAnswer> {
    let mut read = ForeignAnswer::default();
    if answer.is_none() {
        return Ok(read);
    }
    if let Ok(parts) = answer.cast::<PyDict>() {
        for (key, list) in parts {
            match key.extract::<String>().unwrap_or_default().as_str() {
                "reserve" => read.reserve = each(&list, reserve)?,
                "promise" => read.promise = each(&list, promise)?,
                "send" => read.send = each(&list, send)?,
                _ => return Err(PyValueError::new_err(format!("{key}: give `reserve`, `promise` or `send`"))),
            }
        }
        return Ok(read);
    }
    for part in answer.try_iter().map_err(|_| wrong(answer))? {
        let part = part?;
        if let Ok(Reserve { job, start, nodes }) = part.extract() {
            read.reserve.push(ReserveAnswer { job, start, nodes });
        } else if let Ok(Promise { job, start }) = part.extract() {
            read.promise.push(PromiseAnswer { job, start });
        } else if let Ok(Send { job, domain }) = part.extract() {
            read.send.push(SendAnswer { job, domain });
        } else {
            return Err(wrong(&part));
        }
    }
    Ok(read)
}

fn wrong(answer: &Bound<'_, PyAny>) -> PyErr {
    let shown: String = answer.repr().map(|repr| repr.to_string()).unwrap_or_default().chars().take(200).collect();
    PyTypeError::new_err(format!(
        "{shown} is no decision: return a list of gridloom.Reserve, Promise and Send, or None"
    ))
}

fn each<T>(list: &Bound<'_, PyAny>, one: impl Fn(&Bound<'_, PyAny>) -> PyResult<T>) -> PyResult<Vec<T>> {
    list.try_iter()?.map(|part| one(&part?)).collect()
}

fn reserve(part: &Bound<'_, PyAny>) -> PyResult<ReserveAnswer> {
    Ok(ReserveAnswer {
        job: number_of(&part.get_item("job")?)?,
        start: part.get_item("start")?.extract()?,
        nodes: part.get_item("nodes")?.extract()?,
    })
}

fn promise(part: &Bound<'_, PyAny>) -> PyResult<PromiseAnswer> {
    Ok(PromiseAnswer { job: number_of(&part.get_item("job")?)?, start: part.get_item("start")?.extract()? })
}

fn send(part: &Bound<'_, PyAny>) -> PyResult<SendAnswer> {
    Ok(SendAnswer { job: number_of(&part.get_item("job")?)?, domain: part.get_item("domain")?.extract()? })
}
