//! Errors as exceptions, with all that the program would print.

use gridloom::language::Report;
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

create_exception!(gridloom, ScenarioError, PyValueError, "A scenario is wrong: every error with its place.");
create_exception!(gridloom, RunError, pyo3::exceptions::PyRuntimeError, "A run failed.");

/// Everything that is wrong with a scenario. The exception's `errors` are tuples of the file, line and column, the path of the field, what is wrong and what would be right.
pub(crate) fn scenario(report: &Report) -> PyErr {
    let error = ScenarioError::new_err(report.to_string());
    let places: Vec<(String, usize, usize, String, String, String)> = report
        .diagnostics()
        .iter()
        .map(|found| {
            let source = report.sources().of(found.span);
            let (line, column) = (source.line(found.span.start), source.column(found.span.start));
            (source.name().to_string(), line, column, found.path.clone(), found.wrong.clone(), found.right.clone())
        })
        .collect();
    Python::attach(|py| {
        // An exception that can't be given more still has its text.
        let _ = error.value(py).setattr("errors", places);
    });
    error
}
