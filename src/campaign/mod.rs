//! A run that is spread over several processes or machines, as files.
//!
//! All its files are in one folder beside the result, `DIR.shards`. No process writes to a file of another one; a file
//! appears whole, by a rename, and two that have the same name say the same:
//!
//! - `scenario-ID.json` is the scenario with its overrides and the names of its input files, `input-ID` are copies of
//!   those: what waits in a queue can't be changed by an edit;
//! - `blocks/ID.BUILD/POINT.FROM-TO.jsonl` are finished [blocks](crate::study::Block), and `.part` files what is
//!   finished of those that are under way, which is not repeated when a process is killed;
//! - `tasks/` has what each process says of itself, for [`status`];
//! - `submission.json`, the scripts and `logs/` belong to a cluster's queue.

mod block;
mod checkpoint;
mod merged;
mod snapshot;
pub mod status;
mod stored;
mod submission;
mod task;

pub use block::{BlockWriter, BlocksDone, DoneBlock};
pub use checkpoint::KeptReplications;
pub use merged::{MergedBlocks, Missing};
pub use snapshot::{Snapshot, SnapshotFault};
pub use submission::Submission;
pub use task::{TaskEnd, TaskReport, TaskSign};

use crate::report::output::{self, OutputError};
use crate::rng::fingerprint_of;
use crate::study::Study;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// The end of the folder's name.
const ENDING: &str = ".shards";

/// Why a spread run can't go on.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// There is no such run.
    #[error("{0} has no shards: there is no {0}.shards; `gridloom run SCENARIO --shard 1/4 --out {0}` makes the first")]
    None(String),
    /// The folder holds another run.
    #[error("{folder} holds parts of another run ({found}, not {own}): choose another --out, or remove it")]
    Other {
        /// The folder.
        folder: PathBuf,
        /// What is there.
        found: String,
        /// What was to be put there.
        own: String,
    },
    /// Parts of several runs are in one folder.
    #[error("{folder} holds parts of several runs: {found}; remove what does not belong there")]
    Several {
        /// The folder.
        folder: PathBuf,
        /// The runs.
        found: String,
    },
    /// Blocks were made by another build of the program.
    #[error(
        "the blocks in {folder} were made by another build of gridloom ({found}, this is {own}), whose numbers may \
         differ: go on with that build, or remove the folder and begin again"
    )]
    Build {
        /// The build that made them.
        found: String,
        /// This build.
        own: String,
        /// The folder.
        folder: PathBuf,
    },
    /// A file can't be understood.
    #[error("{path} can't be used: {why}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// Two submissions of one folder.
    #[error(
        "{folder} was submitted already, as job {job}; `gridloom status` tells how far it is, and `gridloom submit \
         --missing` sends what is not there"
    )]
    Submitted {
        /// The result.
        folder: String,
        /// The job.
        job: String,
    },
    /// The output can't be used.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The system refused.
    #[error("can't {action} {path}: {source}")]
    Io {
        /// The action that was tried.
        action: &'static str,
        /// Where.
        path: PathBuf,
        /// The error that the system reported.
        source: io::Error,
    },
}

impl CampaignError {
    fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::Io { action, path, source }
    }
}

/// The build of the program that runs: a hash of the program itself, so that two builds of one version differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildId(String);

impl BuildId {
    /// The build of this very process.
    pub fn of_this_process() -> Result<Self, CampaignError> {
        let place = std::env::current_exe().map_err(CampaignError::io("find", Path::new("the program itself")))?;
        let mut file = File::open(&place).map_err(CampaignError::io("read", &place))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(CampaignError::io("read", &place))?;
        Ok(Self(short_id(&bytes)))
    }

    /// It as a text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Another build of the program that has made blocks of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherBuild {
    /// That build.
    pub build: String,
    /// The number of its blocks.
    pub blocks: u64,
    /// This build.
    pub own: String,
}

/// The folder of a spread run.
#[derive(Debug, Clone)]
pub struct Campaign {
    /// The result, once it is merged.
    target: PathBuf,
    folder: PathBuf,
    build: BuildId,
}

impl Campaign {
    /// That of the result in `target`, which may also be given by the name of the folder itself.
    pub fn of(target: &Path) -> Result<Self, CampaignError> {
        let name = target.file_name().map_or(OsString::from("result"), OsString::from);
        let target = match name.to_str().and_then(|name| name.strip_suffix(ENDING)) {
            Some(name) if !name.is_empty() => target.with_file_name(name),
            _ => target.to_path_buf(),
        };
        let real = output::resolve(&target)?;
        let mut name = real.file_name().map_or(OsString::from("result"), OsString::from);
        name.push(ENDING);
        Ok(Self { folder: real.with_file_name(name), target, build: BuildId::of_this_process()? })
    }

    /// The place of the result.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// The folder in which the parts are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The build of this program.
    pub fn build(&self) -> &BuildId {
        &self.build
    }

    /// True if there is such a run.
    pub fn exists(&self) -> bool {
        self.folder.is_dir()
    }

    /// Puts the scenario of a study there, with its inputs; an error if another one is there.
    pub fn begin(&self, snapshot: &Snapshot) -> Result<(), CampaignError> {
        for folder in [self.folder.clone(), self.blocks_folder(), self.tasks_folder()] {
            fs::create_dir_all(&folder).map_err(CampaignError::io("create", &folder))?;
        }
        for found in snapshot::all(&self.folder)? {
            if found.id() != snapshot.id() {
                let (found, own) = (found.to_string(), snapshot.to_string());
                return Err(CampaignError::Other { folder: self.folder.clone(), found, own });
            }
        }
        self.check_build(snapshot)?;
        snapshot.save(&self.folder)?;
        let folder = self.blocks_of(snapshot);
        fs::create_dir_all(&folder).map_err(CampaignError::io("create", &folder))
    }

    /// An error if there are blocks of another run or another build.
    pub fn check_build(&self, snapshot: &Snapshot) -> Result<(), CampaignError> {
        let all = self.blocks_folder();
        for name in names(&all)? {
            let Some((id, build)) = name.split_once('.') else { continue };
            if id != snapshot.id() {
                let (found, own) = (format!("run {id}"), snapshot.to_string());
                return Err(CampaignError::Other { folder: all.join(&name), found, own });
            }
            if build != self.build.0 {
                let (found, own) = (build.to_string(), self.build.0.clone());
                return Err(CampaignError::Build { found, own, folder: all.join(&name) });
            }
        }
        Ok(())
    }

    /// Other builds that have made blocks of a run.
    pub fn other_builds(&self, snapshot: &Snapshot) -> Result<Vec<OtherBuild>, CampaignError> {
        let (all, own) = (self.blocks_folder(), self.build.0.clone());
        let mut found = Vec::new();
        for name in names(&all)? {
            let Some((id, build)) = name.split_once('.') else { continue };
            if id == snapshot.id() && build != own {
                let blocks = names(&all.join(&name))?.iter().filter(|name| block::is_done(name)).count() as u64;
                found.push(OtherBuild { build: build.to_string(), blocks, own: own.clone() });
            }
        }
        Ok(found)
    }

    /// The scenario of the run; an error if there is none, or more than one.
    pub fn snapshot(&self) -> Result<Snapshot, CampaignError> {
        if !self.exists() {
            return Err(CampaignError::None(self.target.display().to_string()));
        }
        let mut all = snapshot::all(&self.folder)?;
        match (all.pop(), all.is_empty()) {
            (Some(only), true) => Ok(only),
            (None, _) => Err(CampaignError::None(self.target.display().to_string())),
            (Some(last), false) => {
                let found: Vec<String> = all.iter().chain([&last]).map(Snapshot::to_string).collect();
                Err(CampaignError::Several { folder: self.folder.clone(), found: found.join("; ") })
            }
        }
    }

    /// Removes what is left once the whole result is there; logs of a cluster's jobs stay.
    pub fn remove(&self) -> Result<(), CampaignError> {
        let gone = |done: io::Result<()>, path: &Path| match done {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(CampaignError::io("remove", path)(error)),
            _ => Ok(()),
        };
        for folder in [self.blocks_folder(), self.tasks_folder()] {
            gone(fs::remove_dir_all(&folder), &folder)?;
        }
        for entry in fs::read_dir(&self.folder).map_err(CampaignError::io("read", &self.folder))?.flatten() {
            let name = entry.file_name();
            if name.to_str().is_some_and(|name| snapshot::is_part(name) || name == PARTIAL) {
                gone(fs::remove_file(entry.path()), &entry.path())?;
            }
        }
        // What a cluster's queue has written is its user's.
        let _ = fs::remove_dir(&self.folder);
        Ok(())
    }

    /// Removes a folder in which nothing was ever done; one that holds anything besides the scenario stays.
    pub fn remove_unused(&self) {
        let blocks = fs::read_dir(self.blocks_folder()).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut folders: Vec<PathBuf> = blocks.collect();
        folders.extend([self.blocks_folder(), self.tasks_folder(), self.logs_folder()]);
        // Only what is empty can be removed in this way.
        let is_gone = |folder: &PathBuf| match fs::remove_dir(folder) {
            Ok(()) => true,
            Err(error) => error.kind() == ErrorKind::NotFound,
        };
        if folders.iter().all(is_gone) {
            let _ = self.remove();
        }
    }

    /// Notes that the result in its place lacks something, so that the whole one may replace it.
    pub fn mark_partial(&self) -> Result<(), CampaignError> {
        write_whole(&self.folder.join(PARTIAL), b"The result is partial: a merge replaces it.\n")
    }

    /// True if the result in its place lacks something.
    pub fn has_partial_result(&self) -> bool {
        self.folder.join(PARTIAL).exists()
    }

    /// True if the whole result is there, and no parts are left.
    pub fn is_merged(&self) -> bool {
        self.target.join("results.json").exists() && !self.blocks_folder().exists()
    }

    fn blocks_folder(&self) -> PathBuf {
        self.folder.join("blocks")
    }

    /// Where this build puts the blocks of a run.
    fn blocks_of(&self, snapshot: &Snapshot) -> PathBuf {
        self.blocks_folder().join(format!("{}.{}", snapshot.id(), self.build.0))
    }

    fn tasks_folder(&self) -> PathBuf {
        self.folder.join("tasks")
    }

    /// Where a cluster's jobs write what they say.
    pub fn logs_folder(&self) -> PathBuf {
        self.folder.join("logs")
    }
}

/// The file that says that the result lacks something.
const PARTIAL: &str = "partial";

/// The names in a folder that are texts, sorted; none if it is not there.
fn names(folder: &Path) -> Result<Vec<String>, CampaignError> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(CampaignError::io("read", folder))?,
    };
    let mut names: Vec<String> = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    Ok(names)
}

/// A hash of some bytes, short enough to be read out.
fn short_id(bytes: &[u8]) -> String {
    format!("{:032x}", fingerprint_of(bytes))[..16].to_string()
}

/// The name of this process among all that may write to one folder.
fn process_name() -> String {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").ok().or_else(|| std::env::var("HOSTNAME").ok());
    let host: String = host.unwrap_or_default().trim().chars().filter(|c| c.is_ascii_alphanumeric()).take(40).collect();
    format!("{}-{}", if host.is_empty() { "host" } else { &host }, std::process::id())
}

/// Writes a file whole or not at all, and waits until it is on the disk. One that is there already is replaced.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), CampaignError> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".new-{}", process_name()));
    let beside = path.with_file_name(name);
    let written = File::create(&beside).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&beside, path)
    });
    written.map_err(|error| {
        let _ = fs::remove_file(&beside);
        CampaignError::io("write", path)(error)
    })
}

/// The identity of a study: its scenario as resolved, whatever it was written like, and what is in its input files.
fn study_id(study: &Study, inputs: &[(String, String)]) -> String {
    let scenario = crate::language::to_ron(study.scenario());
    let inputs: String = inputs.iter().map(|(name, id)| format!("{name} {id}\n")).collect();
    short_id(format!("{scenario}\n{inputs}").as_bytes())
}
