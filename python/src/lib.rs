//! The native part of the Python package `gridloom`: what `python/gridloom/__init__.py` wraps.

mod answer;
mod array;
mod errors;
mod policy;
mod results;
mod table;
mod view;
mod watch;

use errors::{RunError, ScenarioError};
use gridloom::language::{Source, read_source};
use gridloom::study::{self, Study};
use policy::{Deciding, PythonPolicy};
use pyo3::prelude::*;
use std::path::Path;
use std::sync::Arc;

/// A scenario: its text, or the path of its file if there is none.
fn load(name: &str, text: Option<String>, overrides: &[String]) -> PyResult<Study> {
    let source = match text {
        Some(text) => Source::new(name, text),
        None => read_source(Path::new(name)).map_err(|report| errors::scenario(&report))?,
    };
    study::load_study(&source, overrides).map_err(|report| errors::scenario(&report))
}

/// Runs a scenario. `progress` is called now and then with the number of worlds that are done and of all.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "the arguments have names in the function that wraps it")]
fn run(
    py: Python<'_>,
    name: &str,
    text: Option<String>,
    overrides: Vec<String>,
    policies: Vec<(String, Py<PyAny>)>,
    alone: bool,
    threads: usize,
    answer_within: f64,
    progress: Option<Py<PyAny>>,
) -> PyResult<results::Results> {
    let deciding = Arc::new(Deciding::default());
    // Logs may take a while to be read.
    let mut study = py.detach(|| load(name, text, &overrides))?;
    for (name, policy) in policies {
        let policy = PythonPolicy::new(py, name, policy, Arc::clone(&deciding))?;
        study = study.with_policy(policy).map_err(|error| RunError::new_err(error.to_string()))?;
    }
    if alone {
        study = study.without_own_policies();
    }
    watch::run(py, study, threads, answer_within, progress, &deciding)
}

/// Reads a scenario with its files and runs nothing; returns the notes on it.
#[pyfunction]
fn check(py: Python<'_>, name: &str, text: Option<String>, overrides: Vec<String>) -> PyResult<Vec<String>> {
    py.detach(|| load(name, text, &overrides)).map(|study| study.notes().to_vec())
}

/// What can be written at a place of a scenario.
#[pyfunction]
fn describe(place: &str, width: usize) -> PyResult<String> {
    gridloom::cli::describe_place(place, width).map_err(pyo3::exceptions::PyKeyError::new_err)
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("ScenarioError", module.py().get_type::<ScenarioError>())?;
    module.add("RunError", module.py().get_type::<RunError>())?;
    module.add_class::<answer::Reserve>()?;
    module.add_class::<answer::Promise>()?;
    module.add_class::<answer::Send>()?;
    module.add_class::<array::Array>()?;
    module.add_class::<results::Figure>()?;
    module.add_class::<results::Results>()?;
    module.add_class::<table::Table>()?;
    module.add_class::<view::Job>()?;
    module.add_class::<view::Nodes>()?;
    module.add_class::<view::Slots>()?;
    module.add_class::<view::ViewInPython>()?;
    module.add_function(wrap_pyfunction!(run, module)?)?;
    module.add_function(wrap_pyfunction!(check, module)?)?;
    module.add_function(wrap_pyfunction!(describe, module)?)?;
    module.add_function(wrap_pyfunction!(results::read, module)?)?;
    Ok(())
}
