//! Columns of numbers that numpy takes without copying and that need no numpy.

use arrow_array::Array as _;
use arrow_array::ffi::to_ffi;
use arrow_array::{ArrayRef, Float64Array, Int64Array};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};
use std::ffi::CStr;
use std::sync::Arc;

pub(crate) const SCHEMA: &CStr = c"arrow_schema";
pub(crate) const ARRAY: &CStr = c"arrow_array";

/// Numbers in a row: `numpy.asarray` takes them without copying.
#[pyclass(frozen, module = "gridloom", sequence)]
pub(crate) struct Array(Numbers);

#[derive(Clone)]
pub(crate) enum Numbers {
    Real(Float64Array),
    Whole(Int64Array),
}

impl Array {
    pub(crate) fn real(numbers: impl IntoIterator<Item = f64>) -> Self {
        Self(Numbers::Real(Float64Array::from_iter_values(numbers)))
    }

    pub(crate) fn whole(numbers: impl IntoIterator<Item = i64>) -> Self {
        Self(Numbers::Whole(Int64Array::from_iter_values(numbers)))
    }

    /// The numbers of a column, if it is one of numbers. Absent ones are NaN.
    pub(crate) fn of(column: &ArrayRef) -> Option<Self> {
        let any = column.as_any();
        let real = any.downcast_ref::<Float64Array>().cloned().map(Numbers::Real);
        real.or_else(|| any.downcast_ref::<Int64Array>().cloned().map(Numbers::Whole)).map(Self)
    }

    fn len(&self) -> usize {
        match &self.0 {
            Numbers::Real(numbers) => numbers.len(),
            Numbers::Whole(numbers) => numbers.len(),
        }
    }
}

#[pymethods]
impl Array {
    fn __len__(&self) -> usize {
        self.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: isize) -> PyResult<Bound<'py, PyAny>> {
        let at = if index < 0 { index + self.len() as isize } else { index };
        let at = usize::try_from(at).ok().filter(|at| *at < self.len());
        let at = at.ok_or_else(|| PyIndexError::new_err(format!("there is no number {index} of {}", self.len())))?;
        Ok(match &self.0 {
            Numbers::Real(numbers) => numbers.value(at).into_pyobject(py)?.into_any(),
            Numbers::Whole(numbers) => numbers.value(at).into_pyobject(py)?.into_any(),
        })
    }

    /// All numbers as a list.
    fn tolist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        match &self.0 {
            Numbers::Real(numbers) => PyList::new(py, numbers.values().iter()),
            Numbers::Whole(numbers) => PyList::new(py, numbers.values().iter()),
        }
    }

    fn __repr__(&self) -> String {
        const SHOWN: usize = 6;
        let shown: Vec<String> = match &self.0 {
            Numbers::Real(numbers) => numbers.values().iter().take(SHOWN).map(f64::to_string).collect(),
            Numbers::Whole(numbers) => numbers.values().iter().take(SHOWN).map(i64::to_string).collect(),
        };
        let more = if self.len() > SHOWN { ", ..." } else { "" };
        format!("Array([{}{more}], {} numbers)", shown.join(", "), self.len())
    }

    /// What numpy reads: the address of the numbers, which stay where they are as long as this object does.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (address, kind) = match &self.0 {
            Numbers::Real(numbers) => (numbers.values().as_ptr() as usize, "f8"),
            Numbers::Whole(numbers) => (numbers.values().as_ptr() as usize, "i8"),
        };
        let order = if cfg!(target_endian = "little") { "<" } else { ">" };
        let interface = PyDict::new(py);
        interface.set_item("version", 3)?;
        interface.set_item("shape", (self.len(),))?;
        interface.set_item("typestr", format!("{order}{kind}"))?;
        // The second says that it may only be read.
        interface.set_item("data", (address, true))?;
        Ok(interface)
    }

    /// The numbers by the Arrow PyCapsule interface.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // A consumer may ask for another type, and has to take what it gets.
        let _ = requested_schema;
        let numbers: ArrayRef = match &self.0 {
            Numbers::Real(numbers) => Arc::new(numbers.clone()),
            Numbers::Whole(numbers) => Arc::new(numbers.clone()),
        };
        let failed = |error: arrow_schema::ArrowError| pyo3::exceptions::PyRuntimeError::new_err(error.to_string());
        let (array, schema) = to_ffi(&numbers.to_data()).map_err(failed)?;
        Ok((PyCapsule::new_with_value(py, schema, SCHEMA)?, PyCapsule::new_with_value(py, array, ARRAY)?))
    }
}
