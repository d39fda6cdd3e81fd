//! The scenario of a spread run, with copies of all files that it names.

use super::{CampaignError, names, short_id, study_id, write_whole};
use crate::language::{Report, Source};
use crate::study::{Study, load_study_with};
use crate::workload::Files;
use gridloom_files::read_plain;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

const SCENARIO: &str = "scenario-";
const INPUT: &str = "input-";

/// A scenario as it was when the run began.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Snapshot {
    /// What tells it from others: the scenario as resolved and its inputs.
    id: String,
    /// The name of the scenario.
    name: String,
    /// Its seed and the number of its replications, for messages.
    seed: u64,
    replications: u64,
    /// Where the scenario was.
    path: PathBuf,
    text: String,
    overrides: Vec<String>,
    /// The input files: the names that the scenario gives them, and those of the copies.
    inputs: Vec<(String, String)>,
    /// Where the input files are that are to be copied.
    #[serde(skip)]
    originals: BTreeMap<String, PathBuf>,
}

/// `day, seed 1, 30 replications`.
impl fmt::Display for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, seed, replications, id, .. } = self;
        let short = &id[..id.len().min(6)];
        write!(f, "{name}, seed {seed}, {replications} replications, {short}")
    }
}

impl Snapshot {
    /// The scenario in `source` with its overrides, which were read as `study`.
    pub fn of(source: &Source, overrides: &[String], study: &Study) -> Result<Self, CampaignError> {
        let name = source.name();
        let path = std::path::absolute(source.folder().join(Path::new(name).file_name().unwrap_or_default()));
        let path = path.map_err(CampaignError::io("find", Path::new(name)))?;
        let mut inputs = Vec::new();
        for (name, path) in study.inputs() {
            let bytes = read_plain(path).map_err(CampaignError::io("read", path))?;
            inputs.push((name.clone(), format!("{INPUT}{}", short_id(&bytes))));
        }
        let scenario = study.scenario();
        Ok(Self {
            id: study_id(study, &inputs),
            name: scenario.name.as_str().to_string(),
            seed: scenario.seed,
            replications: scenario.replications.get(),
            path,
            text: source.text().to_string(),
            overrides: overrides.to_vec(),
            inputs,
            originals: study.inputs().clone(),
        })
    }

    /// What tells it from others.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The name of the scenario.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Writes it to a folder, inputs first. Whoever has written it before has written the same.
    pub(super) fn save(&self, folder: &Path) -> Result<(), CampaignError> {
        for (name, copy) in &self.inputs {
            let place = folder.join(copy);
            if let Some(original) = self.originals.get(name).filter(|_| !place.exists()) {
                let bytes = read_plain(original).map_err(CampaignError::io("read", original))?;
                if format!("{INPUT}{}", short_id(&bytes)) != *copy {
                    return Err(CampaignError::damaged(original, "it was changed while it was read"));
                }
                write_whole(&place, &bytes)?;
            }
        }
        let place = folder.join(format!("{SCENARIO}{}.json", self.id));
        if place.exists() {
            return Ok(());
        }
        let text = serde_json::to_vec_pretty(self).map_err(|error| CampaignError::damaged(&place, error))?;
        write_whole(&place, &text)
    }

    /// The study as it was: from the copies of its files.
    pub fn load(&self, folder: &Path) -> Result<Study, SnapshotFault> {
        let source = Source::new(self.path.display().to_string(), &*self.text);
        let copies = self.inputs.iter().map(|(name, copy)| (name.clone(), folder.join(copy))).collect();
        let study = load_study_with(&source, &self.overrides, Files::of_copies(&source, copies))?;
        for (_, copy) in &self.inputs {
            let path = folder.join(copy);
            let bytes = read_plain(&path).map_err(CampaignError::io("read", &path))?;
            if format!("{INPUT}{}", short_id(&bytes)) != *copy {
                return Err(CampaignError::damaged(&path, "it is not as it was written").into());
            }
        }
        match study_id(&study, &self.inputs) == self.id {
            true => Ok(study),
            false => {
                let why = "it reads otherwise than when it was written; another build of gridloom may have made it";
                let path = folder.join(format!("{SCENARIO}{}.json", self.id));
                Err(CampaignError::damaged(&path, why).into())
            }
        }
    }
}

/// Why a scenario that was kept can't be read.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotFault {
    /// Its files are not there, or not as they were.
    #[error(transparent)]
    Files(#[from] CampaignError),
    /// The scenario is wrong.
    #[error(transparent)]
    Scenario(#[from] Report),
}

/// True if a file of the folder is part of a snapshot.
pub(super) fn is_part(name: &str) -> bool {
    name.starts_with(SCENARIO) || name.starts_with(INPUT)
}

/// All snapshots of a folder.
pub(super) fn all(folder: &Path) -> Result<Vec<Snapshot>, CampaignError> {
    let read = |name: &String| {
        let path = folder.join(name);
        let text = read_plain(&path).map_err(CampaignError::io("read", &path))?;
        serde_json::from_slice(&text).map_err(|error| CampaignError::damaged(&path, error))
    };
    let names = names(folder)?;
    names.iter().filter(|name| name.starts_with(SCENARIO) && name.ends_with(".json")).map(read).collect()
}
