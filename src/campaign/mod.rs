//! What is kept of a run until its result is whole, as files: of a run that is interrupted, and of one that is spread
//! over several processes or machines.
//!
//! All files are in one folder beside the result, `DIR.blocks`, which carries a mark. No process writes to a file of
//! another one, and two files that have the same name say the same:
//!
//! - blocks are finished replications;
//! - `scenario-ID.json` is the scenario of shards with its overrides and the names of its input files, `input-ID` are
//!   copies of those: what waits in a queue can't be changed by an edit;
//! - `tasks/` has what each shard says of itself, for [`status`];
//! - `submission.json` and `logs/` belong to a cluster's queue.

mod block;
mod kept;
mod lines;
mod merged;
mod snapshot;
pub mod status;
mod submission;
mod task;

pub use block::{BlockFile, Blocks, Fault};
pub use kept::{Earlier, KeptReplications};
pub use merged::{MergedBlocks, Missing};
pub use snapshot::{Snapshot, SnapshotFault};
pub use submission::Submission;
pub use task::{TaskEnd, TaskReport, TaskSign};

use crate::report::output::{self, OutputError};
use crate::rng::fingerprint_of;
use crate::study::{Study, kept_points};
use std::collections::BTreeSet;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The end of the folder's name.
const ENDING: &str = ".blocks";
/// The file that says that the result lacks something.
const PARTIAL: &str = "partial";

/// Why a spread run can't go on.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// What is there does not belong to the run, or can't be used.
    #[error("{0}")]
    Refused(String),
    /// The output can't be used, or the system refused.
    #[error(transparent)]
    Output(#[from] OutputError),
}

impl CampaignError {
    fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let refused = OutputError::io(action, path);
        move |source| refused(source).into()
    }

    fn damaged(path: &Path, why: impl fmt::Display) -> Self {
        Self::Refused(format!("{} can't be used: {why}", path.display()))
    }
}

/// The build of this program: a hash of the program itself, so that two builds of one version differ.
fn build() -> Result<&'static str, OutputError> {
    static BUILD: OnceLock<String> = OnceLock::new();
    if let Some(build) = BUILD.get() {
        return Ok(build);
    }
    let place = std::env::current_exe().map_err(OutputError::io("find", Path::new("the program itself")))?;
    let bytes = fs::read(&place).map_err(OutputError::io("read", &place))?;
    Ok(BUILD.get_or_init(|| short_id(&bytes)))
}

/// The folder of what is kept of a run.
#[derive(Debug, Clone)]
pub struct Campaign {
    /// The result, once it is whole.
    target: PathBuf,
    folder: PathBuf,
}

impl Campaign {
    /// That of the result in `target`, which may also be given by the name of the folder itself. For a link it is beside
    /// what the link points to.
    pub fn of(target: &Path) -> Result<Self, OutputError> {
        let name = target.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(ENDING));
        let target = match name {
            Some(name) if !name.is_empty() && output::is_marked(target).is_ok_and(|is_marked| is_marked) => {
                target.with_file_name(name)
            }
            _ => target.to_path_buf(),
        };
        let real = output::resolve(&target)?;
        let beside = if target.is_symlink() { &real } else { &target };
        let mut name = real.file_name().unwrap_or_default().to_os_string();
        name.push(ENDING);
        Ok(Self { folder: beside.with_file_name(name), target })
    }

    /// The place of the result.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// The folder in which blocks are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The blocks that are there, by their names alone.
    pub fn blocks(&self) -> Result<Blocks, OutputError> {
        Blocks::in_folder(&self.folder)
    }

    /// Puts the scenario of a study there, with its inputs; an error if another one is there.
    pub fn begin(&self, snapshot: &Snapshot, study: &Study) -> Result<(), CampaignError> {
        output::make_marked(&self.folder)?;
        fs::create_dir_all(self.tasks_folder()).map_err(CampaignError::io("create", &self.folder))?;
        if let Some(found) = snapshot::all(&self.folder)?.iter().find(|found| found.id() != snapshot.id()) {
            return Err(self.of_another(found, snapshot));
        }
        self.own_blocks(study)?;
        snapshot.save(&self.folder)
    }

    /// The blocks that are there; an error if there are some of another run or another build.
    pub fn own_blocks(&self, study: &Study) -> Result<Blocks, CampaignError> {
        let (blocks, own, points) = (self.blocks()?, build()?, point_names(study));
        for block in blocks.all() {
            if !points.contains(&block.point) {
                let file = block.path.file_name().unwrap_or_default().to_string_lossy();
                return Err(self.of_another(&file, &study.scenario().name.as_str()));
            }
            if block.build != own {
                return Err(CampaignError::Refused(format!(
                    "the blocks in {} were made by another build of gridloom ({}, this is {own}), whose numbers may \
                     differ: go on with that build, or remove the folder and begin again",
                    self.folder.display(),
                    block.build
                )));
            }
        }
        Ok(blocks)
    }

    fn of_another(&self, found: &dyn fmt::Display, own: &dyn fmt::Display) -> CampaignError {
        let folder = self.folder.display();
        let remedy = "choose another --out, or remove it";
        CampaignError::Refused(format!("{folder} holds parts of another run ({found}, not {own}): {remedy}"))
    }

    /// The scenario of the run; an error if there is none, or more than one.
    pub fn snapshot(&self) -> Result<Snapshot, CampaignError> {
        let mut all = snapshot::all(&self.folder)?;
        let (target, folder) = (self.target.display(), self.folder.display());
        let refused = match (all.len(), all.pop()) {
            (1, Some(only)) => return Ok(only),
            (_, None) if self.blocks()?.all().next().is_some() => format!(
                "{folder} has no shards: a run on one machine was interrupted; `gridloom run SCENARIO --resume` goes on"
            ),
            (_, None) => {
                format!("{target} has no shards; `gridloom run SCENARIO --shard 1/4 --out {target}` makes the first")
            }
            (_, Some(last)) => {
                let found: Vec<String> = all.iter().chain([&last]).map(Snapshot::to_string).collect();
                let found = found.join("; ");
                format!("{folder} holds parts of several runs: {found}; remove what does not belong there")
            }
        };
        Err(CampaignError::Refused(refused))
    }

    /// Removes what is left once the whole result is there; what belongs to a cluster's queue stays. A file that no run
    /// has put there stays, too, and is returned.
    pub fn remove(&self) -> Result<Option<PathBuf>, OutputError> {
        self.remove_points(|_| true)
    }

    /// The same for the blocks of some points; the others stay, with their scenario.
    fn remove_points(&self, is_own: impl Fn(&str) -> bool) -> Result<Option<PathBuf>, OutputError> {
        if !output::is_marked(&self.folder)? {
            return Ok(None);
        }
        let (blocks, others): (Vec<_>, Vec<_>) =
            names(&self.folder)?.into_iter().partition(|name| block::is_block(name));
        let (own, spared): (Vec<_>, Vec<_>) = blocks.into_iter().partition(|name| is_own(&name[..32]));
        let removed = |name: &String| gone(fs::remove_file(self.folder.join(name)), &self.folder);
        if !spared.is_empty() {
            return own.iter().try_for_each(removed).map(|()| None);
        }
        let is_left_over = |name: &&String| snapshot::is_part(name) || *name == PARTIAL || name.contains(".new-");
        // The scenario first: without it the run is over, wherever this is cut off.
        others.iter().filter(is_left_over).chain(&own).try_for_each(removed)?;
        gone(fs::remove_dir_all(self.tasks_folder()), &self.folder)?;
        let mut left = others.iter().filter(|name| !is_left_over(name) && !output::is_mark(name) && *name != TASKS);
        let is_queues = |name: &&String| *name == LOGS || *name == submission::FILE;
        match (left.clone().next(), left.find(|name| !is_queues(name))) {
            (None, _) => gone(output::remove_marked(&self.folder), &self.folder).map(|()| None),
            (_, stranger) => Ok(stranger.map(|name| self.folder.join(name))),
        }
    }

    /// Removes a folder in which nothing was ever done; one that holds anything besides the scenario stays.
    pub fn remove_unused(&self) {
        let has_blocks = !self.blocks().is_ok_and(|blocks| blocks.all().next().is_none());
        if !has_blocks && names(&self.tasks_folder()).is_ok_and(|names| names.is_empty()) {
            // Only what is empty can be removed in this way.
            let _ = fs::remove_dir(self.logs_folder());
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
        self.target.join("results.json").exists() && !self.has_scenario()
    }

    fn has_scenario(&self) -> bool {
        names(&self.folder).is_ok_and(|names| names.iter().any(|name| snapshot::is_part(name)))
    }

    fn tasks_folder(&self) -> PathBuf {
        self.folder.join(TASKS)
    }

    /// Where a cluster's jobs write what they say.
    pub fn logs_folder(&self) -> PathBuf {
        self.folder.join(LOGS)
    }
}

const TASKS: &str = "tasks";
const LOGS: &str = "logs";

/// What is removed may have gone already.
fn gone(done: io::Result<()>, path: &Path) -> Result<(), OutputError> {
    match done {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(OutputError::io("remove", path)(error)),
        _ => Ok(()),
    }
}

/// The names of all points of a study.
fn point_names(study: &Study) -> BTreeSet<String> {
    kept_points(study).into_iter().map(|point| point.name()).collect()
}

/// The names in a folder that are texts, sorted; none if it is not there.
fn names(folder: &Path) -> Result<Vec<String>, OutputError> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(OutputError::io("read", folder))?,
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
