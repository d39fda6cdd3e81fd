//! Results of earlier runs, read from their directories.

use super::CompareError;
use crate::language::{Finite, Source, read_source, to_ron};
use crate::metrics::Estimate;
use crate::report::output;
use crate::study::{Factor, OBSERVATIONS, Results, Row, Study, SweepValue};
use flate2::read::GzDecoder;
use gridloom_files::read_plain;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const RESULTS: &str = "results.json";
const SCENARIO: &str = "scenario.ron";

/// The name of a row: experiment, series, x, metric and factors.
pub(super) type RowName = (String, String, Option<u64>, String, String);

/// The values of a row by the number of their replication.
pub(super) type RowValues = BTreeMap<RowName, Vec<(u64, f64)>>;

/// The result of an earlier run.
#[derive(Debug, Clone)]
pub struct EarlierResult {
    /// The name that tells it from the others.
    pub label: String,
    /// Its directory.
    pub folder: PathBuf,
    /// Its numbers.
    pub results: Results,
    /// The scenario as it was resolved.
    pub scenario: Source,
}

/// `results.json` as it stands in the file; columns that came later may be missing.
#[derive(Deserialize)]
struct SavedResults {
    scenario: String,
    seed: u64,
    replications: u64,
    version: String,
    rows: Vec<SavedRow>,
    missing: Option<String>,
}

#[derive(Deserialize)]
struct SavedRow {
    experiment: String,
    series: String,
    x: Option<f64>,
    metric: String,
    mean: f64,
    ci95: Option<f64>,
    n: u64,
    #[serde(default)]
    unit: String,
    #[serde(default)]
    factors: String,
    p: Option<f64>,
    p_holm: Option<f64>,
}

impl SavedRow {
    fn row(self) -> Row {
        let Self { experiment, series, x, metric, mean, ci95, n, unit, factors, p, p_holm } = self;
        let factors = factors_of(&factors);
        Row { x, unit, factors, p, p_holm, ..Row::new(experiment, series, metric, Estimate { mean, ci95, n }) }
    }
}

/// `load=0.6; displacement=Job` as factors.
fn factors_of(text: &str) -> Vec<Factor> {
    let value = |text: &str| {
        let number = text.parse().ok().and_then(Finite::new);
        number.map_or_else(|| SweepValue::Text(text.into()), SweepValue::Number)
    };
    let factor = |part: &str| {
        let (name, text) = part.split_once('=').unwrap_or((part, ""));
        Factor { name: name.into(), value: value(text) }
    };
    text.split("; ").filter(|part| !part.is_empty()).map(factor).collect()
}

/// The name of a row, in which zeros of either sign are one.
pub(super) fn name_of(row: &Row) -> RowName {
    let factors: Vec<String> = row.factors.iter().map(Factor::to_string).collect();
    let x = row.x.map(|x| (x + 0.0).to_bits());
    (row.experiment.clone(), row.series.clone(), x, row.metric.clone(), factors.join("; "))
}

/// True if the directory holds the whole result that a run of `study` would write once more. The result does not say
/// which programs of the user's own took part in it, so that one with such is never taken for the same.
///
/// The study names its files from that directory, as the scenario of a result does.
pub fn is_result_of(folder: &Path, study: &Study) -> bool {
    let scenarios = std::iter::once(study.scenario()).chain(study.points().iter().flatten());
    let has_foreign = scenarios.into_iter().any(|scenario| !scenario.experiment.get().foreign_policies().is_empty());
    let is_same = || {
        let found = EarlierResult::read(folder).ok()?;
        let is_of_this_version = found.results.version == env!("CARGO_PKG_VERSION") && found.results.missing.is_none();
        Some(is_of_this_version && found.scenario.text() == to_ron(study.scenario()))
    };
    !has_foreign && output::is_whole_result(folder) && is_same() == Some(true)
}

impl EarlierResult {
    /// Reads the numbers and the scenario of a result.
    pub fn read(folder: &Path) -> Result<Self, CompareError> {
        if !folder.is_dir() {
            return Err(CompareError::NoDirectory(folder.to_path_buf()));
        }
        let path = folder.join(RESULTS);
        let not_a_result = |why: String| CompareError::NotAResult { path: path.clone(), why };
        let bytes = read_plain(&path).map_err(|error| not_a_result(error.to_string()))?;
        let saved: SavedResults = serde_json::from_slice(&bytes).map_err(|error| not_a_result(error.to_string()))?;
        let results = Results {
            scenario: saved.scenario,
            seed: saved.seed,
            replications: saved.replications,
            version: saved.version,
            rows: saved.rows.into_iter().map(SavedRow::row).collect(),
            missing: saved.missing,
        };
        let path = folder.join(SCENARIO);
        let scenario = read_source(&path).map_err(|report| CompareError::Scenario { report: report.to_string() })?;
        let resolved = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
        let label = resolved.file_name().map_or_else(|| "result".into(), |name| name.to_string_lossy().into_owned());
        Ok(Self { label, folder: folder.to_path_buf(), results, scenario })
    }

    /// Reads the observations of the rows that are wanted.
    pub(super) fn values(&self, wanted: &BTreeSet<RowName>) -> Result<RowValues, CompareError> {
        let path = self.folder.join(OBSERVATIONS);
        let unreadable = |why: String| CompareError::Observations { path: path.clone(), why };
        let bytes = read_plain(&path).map_err(|error| unreadable(error.to_string()))?;
        let mut reader = csv::Reader::from_reader(GzDecoder::new(&bytes[..]));
        let mut values = RowValues::new();
        let mut record = csv::StringRecord::new();
        while reader.read_record(&mut record).map_err(|error| unreadable(error.to_string()))? {
            let line = record.position().map_or(0, csv::Position::line);
            let wrong = || unreadable(format!("line {line} is not an observation"));
            let (Some(experiment), Some(series), Some(x), Some(replication), Some(metric), Some(value)) =
                (record.get(0), record.get(1), record.get(2), record.get(3), record.get(4), record.get(5))
            else {
                return Err(wrong());
            };
            let x: Option<f64> = if x.is_empty() { None } else { Some(x.parse().map_err(|_| wrong())?) };
            let name: RowName = (
                experiment.into(),
                series.into(),
                x.map(|x| (x + 0.0).to_bits()),
                metric.into(),
                record.get(6).unwrap_or_default().into(),
            );
            if wanted.contains(&name) {
                let value: f64 = value.parse().map_err(|_| wrong())?;
                let replication = replication.parse().map_err(|_| wrong())?;
                values.entry(name).or_default().push((replication, value));
            }
        }
        Ok(values)
    }
}

/// Gives results of the same name others that tell them apart: the folders above them, or else a number.
pub(super) fn tell_apart(results: &mut [EarlierResult]) {
    let is_repeated = |results: &[EarlierResult], at: usize| {
        results.iter().enumerate().any(|(other, result)| other != at && result.label == results[at].label)
    };
    let above: Vec<Option<String>> = results
        .iter()
        .map(|result| {
            let resolved = result.folder.canonicalize().ok()?;
            Some(resolved.parent()?.file_name()?.to_string_lossy().into_owned())
        })
        .collect();
    let repeated: Vec<usize> = (0..results.len()).filter(|&at| is_repeated(results, at)).collect();
    for &at in &repeated {
        if let Some(above) = &above[at] {
            results[at].label = format!("{above}/{}", results[at].label);
        }
    }
    let repeated: Vec<usize> = (0..results.len()).filter(|&at| is_repeated(results, at)).collect();
    for at in repeated {
        results[at].label = format!("{}, {}", results[at].label, at + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_read_as_they_are_written() {
        for text in ["", "load=0.6", "load=0.6; displacement=Job", "rule=Load(load: 0.5); nodes=20"] {
            let factors: Vec<String> = factors_of(text).iter().map(Factor::to_string).collect();
            assert_eq!(factors.join("; "), text);
        }
        assert_eq!(factors_of("load=0.6")[0].value.number(), Some(0.6));
    }
}
