//! Tables: the files that a run leaves, as columns of numbers and texts.

use crate::array::{Array, SCHEMA};
use arrow_array::builder::StringBuilder;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array as _, ArrayRef, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, StringArray};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use pyo3::exceptions::{PyKeyError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};
use std::ffi::CStr;
use std::sync::Arc;

const STREAM: &CStr = c"arrow_array_stream";

/// Columns that hold texts, whatever is in them: an empty one could be anything.
const TEXTS: [&str; 16] = [
    "experiment",
    "series",
    "metric",
    "verdict",
    "unit",
    "factors",
    "policy",
    "job",
    "user",
    "fate",
    "domain",
    "event",
    "node",
    "detail",
    "log",
    "point",
];
/// Columns that hold whole numbers in every line.
const WHOLE: [&str; 4] = ["n", "replication", "postponed", "task"];

/// A table with named columns. pandas, polars and pyarrow take it without copying, by the Arrow PyCapsule interface.
#[pyclass(frozen, module = "gridloom")]
pub(crate) struct Table(RecordBatch);

fn failed(error: impl std::fmt::Display) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

impl Table {
    /// A table from a file with commas between its columns.
    pub(crate) fn of_csv(bytes: &[u8]) -> PyResult<Self> {
        let mut reader = csv::ReaderBuilder::new().from_reader(bytes);
        let names: Vec<String> = reader.headers().map_err(failed)?.iter().map(String::from).collect();
        let mut columns: Vec<ColumnReader> = names.iter().map(|name| ColumnReader::new(name)).collect();
        let mut record = csv::StringRecord::new();
        while reader.read_record(&mut record).map_err(failed)? {
            columns.iter_mut().zip(&record).for_each(|(column, cell)| column.add(cell));
        }
        let columns: Vec<ArrayRef> = columns.into_iter().map(ColumnReader::finish).collect();
        let fields: Vec<Field> = names
            .iter()
            .zip(&columns)
            .map(|(name, column)| Field::new(name, column.data_type().clone(), *column.data_type() != DataType::Int64))
            .collect();
        RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).map(Self).map_err(failed)
    }

    fn column_at(&self, name: &str) -> PyResult<&ArrayRef> {
        let has =
            || PyKeyError::new_err(format!("no column is called {name:?}; there are {}", self.names().join(", ")));
        self.0.column_by_name(name).ok_or_else(has)
    }

    fn names(&self) -> Vec<String> {
        self.0.schema().fields().iter().map(|field| field.name().clone()).collect()
    }
}

#[pymethods]
impl Table {
    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.names()
    }

    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    fn __repr__(&self) -> String {
        format!("Table({} rows: {})", self.0.num_rows(), self.names().join(", "))
    }

    /// A column: an array of numbers, or a list of texts.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let column = self.column_at(name)?;
        if let Some(numbers) = Array::of(column) {
            return Ok(Bound::new(py, numbers)?.into_any());
        }
        let texts = column.as_any().downcast_ref::<StringArray>().ok_or_else(|| failed("a column of another type"))?;
        Ok(PyList::new(py, texts.iter())?.into_any())
    }

    /// The types of the columns and their names, by the Arrow PyCapsule interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.0.schema().as_ref()).map_err(failed)?;
        PyCapsule::new_with_value(py, schema, SCHEMA)
    }

    /// The table by the Arrow PyCapsule interface.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A consumer may ask for other types, and has to take what it gets.
        let _ = requested_schema;
        let batches: [Result<RecordBatch, ArrowError>; 1] = [Ok(self.0.clone())];
        let reader = RecordBatchIterator::new(batches, self.0.schema());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), STREAM)
    }
}

/// A column while it is read.
struct ColumnReader {
    /// The type is fixed, and not a matter of what is found.
    is_text: bool,
    is_whole: bool,
    /// The numbers so far, as long as there are only numbers.
    numbers: Option<Vec<Option<f64>>>,
    /// All cells. What turns out to be numbers is kept as text until the end.
    cells: StringBuilder,
}

impl ColumnReader {
    fn new(name: &str) -> Self {
        let is_text = TEXTS.contains(&name);
        let numbers = (!is_text).then(Vec::new);
        Self { is_text, is_whole: WHOLE.contains(&name), numbers, cells: StringBuilder::new() }
    }

    fn add(&mut self, cell: &str) {
        self.cells.append_option((!cell.is_empty()).then_some(cell));
        if let Some(numbers) = &mut self.numbers {
            match cell.parse::<f64>() {
                Ok(number) => numbers.push(Some(number)),
                Err(_) if cell.is_empty() => numbers.push(None),
                Err(_) => self.numbers = None,
            }
        }
    }

    fn finish(mut self) -> ArrayRef {
        match self.numbers {
            Some(numbers) if !self.is_text => {
                if self.is_whole
                    && let Some(whole) = numbers.iter().map(whole).collect::<Option<Vec<i64>>>()
                {
                    return Arc::new(Int64Array::from(whole));
                }
                // Behind an absent number there is NaN, for those who look at the numbers alone.
                let nulls: Vec<bool> = numbers.iter().map(Option::is_some).collect();
                let values: Vec<f64> = numbers.into_iter().map(|number| number.unwrap_or(f64::NAN)).collect();
                let nulls = nulls.contains(&false).then(|| nulls.into());
                Arc::new(Float64Array::new(values.into(), nulls))
            }
            _ => Arc::new(self.cells.finish()),
        }
    }
}

fn whole(number: &Option<f64>) -> Option<i64> {
    number.filter(|number| number.fract() == 0.0 && number.abs() < 9e15).map(|number| number as i64)
}
