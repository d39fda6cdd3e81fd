//! Blocks that become one result.

use super::block::{Blocks, Fault};
use super::lines::StoredPoint;
use super::{Campaign, CampaignError};
use crate::study::{Checkpoint, KeptObservations, Observations, Point, Row, Study, StudyPoint, study_points};
use crate::units::counted;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// So many missing parts are named; the others are counted.
const NAMED: usize = 8;

/// What no block has.
#[derive(Debug, Clone, Default)]
pub struct Missing {
    /// Points with the replications that are missing, and all that the point has.
    parts: Vec<(String, Range<u64>, u64)>,
    /// All replications of the study.
    all: u64,
    /// Blocks that are there but can't be used: the file and why.
    pub damaged: Vec<Fault>,
}

impl Missing {
    /// True if all is there.
    pub fn is_none(&self) -> bool {
        self.parts.is_empty()
    }

    /// The number of replications that are missing.
    pub fn replications(&self) -> u64 {
        self.parts.iter().map(|(_, range, _)| range.end - range.start).sum()
    }
}

/// `12 of 90 replications are missing: load: load=0.6 (11 to 20 of 30); ...`. Replications are counted from 1.
impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (missing, all) = (self.replications(), self.all);
        write!(
            f,
            "{missing} of {} {} missing: ",
            counted(all, "replication"),
            if missing == 1 { "is" } else { "are" }
        )?;
        let part = |(point, range, all): &(String, Range<u64>, u64)| match (range.start + 1, range.end) {
            (1, last) if last == *all => format!("{point} (all {all})"),
            (first, last) if first == last => format!("{point} ({first} of {all})"),
            (first, last) => format!("{point} ({first} to {last} of {all})"),
        };
        let named: Vec<String> = self.parts.iter().take(NAMED).map(part).collect();
        write!(f, "{}", named.join("; "))?;
        match self.parts.len().saturating_sub(NAMED) {
            0 => Ok(()),
            more => write!(f, "; and {more} more"),
        }
    }
}

/// The finished blocks of a run, from which it is put together. Of what they lack nothing is run but the first
/// replication of the scenario as it stands, whose schedules and figures are not kept.
#[derive(Debug)]
pub struct MergedBlocks {
    blocks: Blocks,
    base: Point,
    /// A block that has gone since it was looked at: somebody else has merged, or removed it.
    lost: Mutex<Option<PathBuf>>,
}

impl MergedBlocks {
    /// The whole blocks of a run, and what is missing. Those that can't be used are set aside.
    pub fn of(campaign: &Campaign, study: &Study) -> Result<(Self, Missing), CampaignError> {
        let (blocks, damaged) = campaign.own_blocks(study)?.only(|block| !block.is_part).set_aside();
        let (points, base) = (study_points(study), Point::of_study(study));
        let missing = Missing {
            parts: points.iter().flat_map(|point| missing_of(&blocks, point, base)).collect(),
            all: points.iter().map(|point| point.replications).sum(),
            damaged,
        };
        Ok((Self { blocks, base, lost: Mutex::default() }, missing))
    }

    /// A block that has gone while it was needed: what was made without it is not to be used.
    pub fn lost(&self) -> Option<PathBuf> {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Everything that the blocks of a point say.
    fn read(&self, point: Point) -> StoredPoint {
        let (found, mut unread) = self.blocks.read(point);
        if let Some(path) = unread.pop() {
            *self.lost.lock().unwrap_or_else(PoisonError::into_inner) = Some(path);
        }
        found
    }
}

/// What no block has of a point, and the merge does not run itself.
fn missing_of(blocks: &Blocks, point: &StudyPoint, base: Point) -> Vec<(String, Range<u64>, u64)> {
    let run = u64::from(point.point == base);
    let missing = blocks.missing_in(point.point, run.min(point.replications)..point.replications);
    missing.into_iter().map(|range| (point.to_string(), range, point.replications)).collect()
}

impl Checkpoint for MergedBlocks {
    fn recall(&self, point: Point) -> BTreeMap<u64, KeptObservations> {
        self.read(point).replications
    }

    fn keep(&self, _: Point, _: u64, _: &Observations<'_>) -> Result<(), String> {
        Ok(())
    }

    fn runs(&self, point: Point, replication: u64) -> bool {
        point == self.base && replication == 0
    }

    fn has(&self, point: Point) -> bool {
        point == self.base || !self.blocks.of(point).is_empty()
    }

    fn recall_rows(&self, point: Point) -> Option<Vec<Row>> {
        self.read(point).rows
    }
}
