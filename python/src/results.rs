//! What a run leaves: tables, figures and files, from memory or from a folder.

use crate::errors::RunError;
use crate::table::Table;
use flate2::read::GzDecoder;
use gridloom::report::summary;
use gridloom::report::{self, Artefacts};
use gridloom::study::Outcome;
use pyo3::exceptions::{PyFileNotFoundError, PyKeyError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The width of the summary, in letters.
const WIDTH: usize = 100;

/// The results of a run.
#[pyclass(frozen, module = "gridloom")]
pub(crate) struct Results {
    place: ResultsPlace,
    /// The name of the scenario, the seed and the number of replications.
    name: String,
    seed: u64,
    replications: u64,
    /// The text that the program would print.
    summary: String,
    answer: Vec<String>,
    notes: Vec<String>,
    rows: PyOnceLock<Py<Table>>,
}

enum ResultsPlace {
    /// The files are made when they are first asked for: drawing takes its time.
    Memory {
        outcome: Box<Outcome>,
        files: OnceLock<Artefacts>,
    },
    Folder(PathBuf),
}

fn failed(error: impl std::fmt::Display) -> PyErr {
    RunError::new_err(error.to_string())
}

impl Results {
    pub(crate) fn of(outcome: Outcome) -> Self {
        let summary = summary::run(&outcome, WIDTH);
        let answer = outcome.answer.iter().flat_map(|answer| answer.sentences.iter().chain(&answer.findings));
        let (answer, notes) = (answer.cloned().collect(), outcome.notes.clone());
        let results = &outcome.results;
        let (name, seed, replications) = (results.scenario.clone(), results.seed, results.replications);
        let place = ResultsPlace::Memory { outcome: Box::new(outcome), files: OnceLock::new() };
        Self { place, name, seed, replications, summary, answer, notes, rows: PyOnceLock::new() }
    }

    /// All files, drawn if they have not been yet.
    fn artefacts<'r>(py: Python<'_>, outcome: &Outcome, files: &'r OnceLock<Artefacts>) -> PyResult<&'r Artefacts> {
        if let Some(files) = files.get() {
            return Ok(files);
        }
        let drawn = py.detach(|| report::artefacts(outcome)).map_err(failed)?;
        Ok(files.get_or_init(|| drawn))
    }

    fn names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        match &self.place {
            ResultsPlace::Memory { outcome, files } => {
                Ok(Self::artefacts(py, outcome, files)?.names().map(String::from).collect())
            }
            ResultsPlace::Folder(folder) => {
                let mut names: Vec<String> = std::fs::read_dir(folder)?
                    .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
                    .filter(|name| !name.starts_with('.'))
                    .collect();
                names.sort();
                Ok(names)
            }
        }
    }

    /// The bytes of a file; nothing if there is none of this name.
    fn bytes(&self, py: Python<'_>, name: &str) -> PyResult<Option<Vec<u8>>> {
        match &self.place {
            ResultsPlace::Memory { outcome, files } => {
                // Tables need not wait for figures.
                if name == "results.csv" {
                    return report::csv::rows(&outcome.results.rows).map(Some).map_err(failed);
                }
                if let Some((_, content)) = outcome.files.iter().find(|(other, _)| other == name) {
                    let mut bytes = Vec::new();
                    content.write_to(&mut bytes)?;
                    return Ok(Some(bytes));
                }
                if name.ends_with(".csv") || name.ends_with(".csv.gz") {
                    return Ok(None);
                }
                Ok(Self::artefacts(py, outcome, files)?.get(name).map(<[u8]>::to_vec))
            }
            ResultsPlace::Folder(folder) => match std::fs::read(folder.join(name)) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
                read => Ok(Some(read?)),
            },
        }
    }

    /// A table by the name of its file, which may be compressed.
    fn table(&self, py: Python<'_>, name: &str) -> PyResult<Option<Table>> {
        if let Some(bytes) = self.bytes(py, name)? {
            return py.detach(|| Table::of_csv(&bytes)).map(Some);
        }
        let Some(bytes) = self.bytes(py, &format!("{name}.gz"))? else { return Ok(None) };
        py.detach(|| {
            let mut text = Vec::new();
            GzDecoder::new(&bytes[..]).read_to_end(&mut text)?;
            Table::of_csv(&text).map(Some)
        })
    }
}

#[pymethods]
impl Results {
    /// The name of the scenario.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.seed
    }

    #[getter]
    fn replications(&self) -> u64 {
        self.replications
    }

    /// The answer to the scenario's question, sentence by sentence; empty if it asks none or was read from a folder.
    #[getter]
    fn answer(&self) -> Vec<String> {
        self.answer.clone()
    }

    /// What should be known of the run, the most serious first; empty if it was read from a folder.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    /// The rows of `results.csv`: an estimate each.
    #[getter]
    fn rows(&self, py: Python<'_>) -> PyResult<Py<Table>> {
        if let Some(rows) = self.rows.get(py) {
            return Ok(rows.clone_ref(py));
        }
        let rows = self.table(py, "results.csv")?.ok_or_else(|| failed("there is no results.csv"))?;
        let rows = Py::new(py, rows)?;
        Ok(self.rows.get_or_init(py, || rows).clone_ref(py))
    }

    /// All observations, of every replication.
    #[getter]
    fn observations(&self, py: Python<'_>) -> PyResult<Option<Table>> {
        self.table(py, "observations.csv")
    }

    /// The stories of the jobs in the first world, or of a replay; `None` where there are no jobs.
    #[getter]
    fn jobs(&self, py: Python<'_>) -> PyResult<Option<Table>> {
        self.table(py, "jobs.csv")
    }

    /// The trace of the first world, if the scenario asks for it.
    #[getter]
    fn trace(&self, py: Python<'_>) -> PyResult<Option<Table>> {
        self.table(py, "trace.csv")
    }

    /// The names of all files.
    #[getter]
    fn files(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.names(py)
    }

    /// The bytes of a file.
    fn file(&self, py: Python<'_>, name: &str) -> PyResult<Vec<u8>> {
        self.bytes(py, name)?.ok_or_else(|| PyKeyError::new_err(format!("there is no file {name:?}: see `files`")))
    }

    /// The figures.
    #[getter]
    fn figures(&self, py: Python<'_>) -> PyResult<Vec<Figure>> {
        let names = self.names(py)?;
        let figure = |name: &str| {
            let svg = self.bytes(py, &format!("{name}.svg"))?.unwrap_or_default();
            let png = self.bytes(py, &format!("{name}.png"))?.unwrap_or_default();
            Ok(Figure { name: name.to_string(), svg: String::from_utf8_lossy(&svg).into_owned(), png })
        };
        names.iter().filter_map(|name| name.strip_suffix(".svg")).map(figure).collect()
    }

    /// One figure by its name.
    fn figure(&self, py: Python<'_>, name: &str) -> PyResult<Figure> {
        let all = self.figures(py)?;
        let names: Vec<String> = all.iter().map(|figure| figure.name.clone()).collect();
        let none = || PyKeyError::new_err(format!("no figure is called {name:?}; there are {}", names.join(", ")));
        all.into_iter().find(|figure| figure.name == name).ok_or_else(none)
    }

    /// Writes all files to a folder, as `gridloom run` does: all of them or none.
    #[pyo3(signature = (folder, force=false))]
    fn save(&self, py: Python<'_>, folder: PathBuf, force: bool) -> PyResult<()> {
        match &self.place {
            ResultsPlace::Memory { outcome, files } => {
                // Nothing is written that would have to be left somewhere else.
                if !force && std::fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_some()) {
                    return Err(failed(format!("{} exists already; force=True replaces it", folder.display())));
                }
                let files = Self::artefacts(py, outcome, files)?;
                py.detach(|| files.commit(&folder, force)).map_err(failed)
            }
            ResultsPlace::Folder(place) => Err(failed(format!("the results are in {} already", place.display()))),
        }
    }

    /// The text that `gridloom run` prints.
    fn __str__(&self) -> &str {
        &self.summary
    }

    fn __repr__(&self) -> String {
        let Self { name, seed, replications, .. } = self;
        format!("<gridloom.Results of {name}, seed {seed}, {replications} replications>")
    }

    /// For notebooks: what is printed, and the first figures.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        const SHOWN: usize = 3;
        let mut html = format!("<pre>{}</pre>", escaped(&self.summary));
        for figure in self.figures(py)?.iter().take(SHOWN) {
            html.push_str(&format!("<figure>{}</figure>", figure.svg));
        }
        Ok(html)
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A figure, which a notebook shows.
#[pyclass(frozen, module = "gridloom")]
pub(crate) struct Figure {
    name: String,
    svg: String,
    png: Vec<u8>,
}

#[pymethods]
impl Figure {
    /// The name of its files, without an ending.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    #[getter]
    fn svg(&self) -> &str {
        &self.svg
    }

    #[getter]
    fn png(&self) -> &[u8] {
        &self.png
    }

    fn __repr__(&self) -> String {
        format!("<gridloom.Figure {}>", self.name)
    }

    fn _repr_svg_(&self) -> &str {
        &self.svg
    }
}

/// The results in a folder that a run has written.
#[pyfunction]
pub(crate) fn read(folder: PathBuf) -> PyResult<Results> {
    let path = folder.join("results.json");
    let text = std::fs::read(&path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            PyFileNotFoundError::new_err(format!("{} holds no results: there is no results.json", folder.display()))
        }
        _ => error.into(),
    })?;
    let head: serde_json::Value = serde_json::from_slice(&text).map_err(|error| wrong(&path, &error))?;
    let number = |field: &str| head[field].as_u64().unwrap_or_default();
    let name = head["scenario"].as_str().ok_or_else(|| wrong(&path, &"it names no scenario"))?.to_string();
    Ok(Results {
        summary: format!(
            "{name}, seed {}, {} replications, in {}",
            number("seed"),
            number("replications"),
            folder.display()
        ),
        name,
        seed: number("seed"),
        replications: number("replications"),
        place: ResultsPlace::Folder(folder),
        answer: Vec::new(),
        notes: Vec::new(),
        rows: PyOnceLock::new(),
    })
}

fn wrong(path: &Path, why: &dyn std::fmt::Display) -> PyErr {
    failed(format!("{} can't be read: {why}", path.display()))
}
