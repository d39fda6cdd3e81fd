//! What was given to a cluster's queue.

use super::{Campaign, CampaignError, write_whole};
use gridloom_files::read_plain;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};

pub(super) const FILE: &str = "submission.json";

/// Jobs in a cluster's queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submission {
    /// The queue's name.
    pub engine: String,
    /// The number of shards.
    pub shards: u64,
    /// The job that runs the shards; nothing while it is being submitted.
    pub job: Option<String>,
    /// The job that merges them.
    pub merge: Option<String>,
}

/// `submitted to Slurm as job 12, merged by job 13`.
impl fmt::Display for Submission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.job {
            None => write!(f, "was about to be submitted to {}", self.engine),
            Some(job) => write!(f, "submitted to {} as job {job}", self.engine),
        }?;
        self.merge.as_ref().map_or(Ok(()), |merge| write!(f, ", merged by job {merge}"))
    }
}

impl Campaign {
    /// What was submitted.
    pub fn submission(&self) -> Result<Option<Submission>, CampaignError> {
        let path = self.folder.join(FILE);
        match read_plain(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(CampaignError::io("read", &path)(error)),
            Ok(text) => serde_json::from_slice(&text).map(Some).map_err(|error| CampaignError::damaged(&path, error)),
        }
    }

    /// An error if it was submitted already.
    pub fn check_unsubmitted(&self) -> Result<(), CampaignError> {
        let Some(submission) = self.submission()? else { return Ok(()) };
        let (folder, job) = (self.target.display(), submission.job.unwrap_or("?".into()));
        Err(CampaignError::Refused(format!(
            "{folder} was submitted already, as job {job}; `gridloom status` tells how far it is, and `gridloom submit \
             --missing` sends what is not there"
        )))
    }

    /// Takes the right to submit: of two who try at once, one gets an error.
    pub fn claim(&self, submission: &Submission) -> Result<(), CampaignError> {
        let path = self.folder.join(FILE);
        let text = serde_json::to_vec(submission).map_err(|error| CampaignError::io("write", &path)(error.into()))?;
        match File::create_new(&path).and_then(|mut file| file.write_all(&text)) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                self.check_unsubmitted()?;
                Err(CampaignError::io("write", &path)(error))
            }
            done => done.map_err(CampaignError::io("write", &path)),
        }
    }

    /// Gives the right back: nothing was submitted.
    pub fn unclaim(&self) {
        let _ = fs::remove_file(self.folder.join(FILE));
    }

    /// Writes down what was submitted.
    pub fn submitted(&self, submission: &Submission) -> Result<(), CampaignError> {
        let path = self.folder.join(FILE);
        let text = serde_json::to_vec(submission).map_err(|error| CampaignError::io("write", &path)(error.into()))?;
        write_whole(&path, &text)
    }
}
