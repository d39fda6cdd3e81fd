//! Finished points of sweeps as files, for runs that are interrupted.
//!
//! They are kept in a directory beside the result, `NAME.points`: a file per point and all their rows as `results.csv`. A point is used again only if the
//! version of the program and every word of the point's scenario are the same, so that a resumed run
//! ends with the same bytes as one that was not interrupted.

use super::csv;
use crate::experiment::{Point, Points, Row};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// What a file holds.
#[derive(Serialize, Deserialize)]
struct Kept {
    version: String,
    scenario: String,
    rows: Vec<Row>,
}

/// The points of one result.
#[derive(Debug)]
pub struct KeptPoints {
    folder: PathBuf,
    /// The rows of all points that are done.
    rows: Vec<Row>,
    points: usize,
}

impl KeptPoints {
    /// The points kept for the result in `target`; without `resume`, those of an earlier run are removed.
    pub fn of(target: &Path, resume: bool) -> Self {
        let mut name = target.file_name().map_or(OsString::from("result"), OsString::from);
        name.push(".points");
        let kept = Self { folder: target.with_file_name(name), rows: Vec::new(), points: 0 };
        if !resume {
            kept.remove();
        }
        kept
    }

    /// Where they are kept.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How many points are done.
    pub fn len(&self) -> usize {
        self.points
    }

    /// Whether no point is done.
    pub fn is_empty(&self) -> bool {
        self.points == 0
    }

    /// Removes what was kept: the whole result is there. Only files of ours are removed, and the directory if it is then empty.
    pub fn remove(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        for path in entries.filter_map(|entry| entry.ok().map(|entry| entry.path())) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name == "results.csv" || (name.starts_with("point-") && name.contains(".json")) {
                let _ = fs::remove_file(&path);
            }
        }
        let _ = fs::remove_dir(&self.folder);
    }

    fn path(&self, point: Point<'_>) -> PathBuf {
        self.folder.join(format!("point-{}-{}.json", point.sweep, point.index + 1))
    }

    /// Writes a file as a whole or not at all.
    fn write(&self, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let mut file = path.as_os_str().to_os_string();
        file.push(".part");
        fs::write(&file, bytes)?;
        fs::rename(&file, path)
    }

    fn add(&mut self, rows: &[Row]) {
        self.rows.extend_from_slice(rows);
        self.points += 1;
    }
}

impl Points for KeptPoints {
    fn recall(&mut self, point: Point<'_>) -> Option<Vec<Row>> {
        let kept: Kept = serde_json::from_slice(&fs::read(self.path(point)).ok()?).ok()?;
        let fits = kept.version == env!("CARGO_PKG_VERSION") && kept.scenario == point.scenario;
        fits.then(|| {
            self.add(&kept.rows);
            kept.rows
        })
    }

    fn keep(&mut self, point: Point<'_>, rows: &[Row]) -> Result<(), String> {
        self.add(rows);
        let (version, scenario) = (env!("CARGO_PKG_VERSION").to_string(), point.scenario.to_string());
        let kept = Kept { version, scenario, rows: rows.to_vec() };
        let bytes = serde_json::to_vec(&kept).map_err(|error| error.to_string())?;
        let table = csv::rows(&self.rows).map_err(|error| error.to_string())?;
        let path = self.path(point);
        let table_path = self.folder.join("results.csv");
        let written = self.write(&path, &bytes).and_then(|()| self.write(&table_path, table.as_ref()));
        written.map_err(|error| format!("can't write to {}: {error}", self.folder.display()))
    }
}
