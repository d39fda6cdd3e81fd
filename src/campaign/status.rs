//! How far a spread run is, from its files alone: many clusters keep no accounts.

use super::block::Fault;
use super::{Campaign, CampaignError, Snapshot, Submission, TaskReport, build};
use crate::study::{Block, StudyPoint, shares};
use crate::units::counted;
use std::collections::BTreeMap;
use std::fmt;

/// So many failures are told in full.
const FAILURES: usize = 10;

/// The blocks of a run by what has become of them.
#[derive(Debug, Clone, Default)]
pub struct CampaignStatus {
    /// The name of the run.
    name: String,
    /// The number of shards.
    shards: u64,
    done: u64,
    running: u64,
    failed: u64,
    missing: u64,
    /// Replications that are done, and all.
    replications: (u64, u64),
    /// Replications that are kept of blocks that are not done.
    kept: u64,
    /// Blocks that can't be used and count as missing: the file and why.
    damaged: Vec<Fault>,
    /// Other builds of the program that have made blocks, which this one can't use: their number.
    other_builds: BTreeMap<String, u64>,
    /// Processes at work.
    tasks: Vec<TaskReport>,
    /// Shards that lack something and of which the last process has failed: with its words.
    failures: Vec<TaskReport>,
    /// The seconds that are left with as many processes as run now, by the blocks that are done.
    left: Option<f64>,
    submission: Option<Submission>,
    /// Shards that lack something and of which nothing runs.
    pub unfinished: Vec<u64>,
}

/// What is known of a run.
pub fn status(
    campaign: &Campaign,
    snapshot: &Snapshot,
    points: &[StudyPoint],
) -> Result<CampaignStatus, CampaignError> {
    let tasks = campaign.tasks()?;
    let submission = campaign.submission()?;
    let (all, own) = (campaign.blocks()?, build()?);
    let mut other_builds: BTreeMap<String, u64> = BTreeMap::new();
    for other in all.all().filter(|block| block.build != own && !block.is_part) {
        *other_builds.entry(other.build.clone()).or_default() += 1;
    }
    let (done, damaged) = all.only(|block| block.build == own).verified();
    // Of several ways to share the work, the one that was tried last.
    let latest = tasks.iter().min_by(|a, b| a.silent.total_cmp(&b.silent)).map(|task| task.shard.1);
    let of = submission.as_ref().map(|submission| submission.shards).or(latest).unwrap_or(1);
    let mut last: BTreeMap<u64, &TaskReport> = BTreeMap::new();
    for task in tasks.iter().filter(|task| task.shard.1 == of) {
        // One that runs, else the one that spoke last.
        let is_better = last.get(&task.shard.0).is_none_or(|other| !other.is_running() || task.is_running());
        if is_better {
            last.insert(task.shard.0, task);
        }
    }
    let mut known = CampaignStatus {
        name: snapshot.name().into(),
        shards: of,
        submission,
        damaged,
        other_builds,
        ..CampaignStatus::default()
    };
    // By point, the seconds and replications of a sample of its blocks.
    let mut cost: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for (at, point) in points.iter().enumerate() {
        for block in done.of(point.point).iter().filter(|block| !block.is_part).take(3) {
            if let Ok((_, Some(seconds))) = block.read() {
                let entry = cost.entry(at).or_default();
                entry.0 += seconds;
                entry.1 += (block.replications.end - block.replications.start) as f64;
            }
        }
    }
    let all: (f64, f64) = cost.values().fold((0.0, 0.0), |sum, cost| (sum.0 + cost.0, sum.1 + cost.1));
    let each = |at: usize| match cost.get(&at).copied().filter(|cost| cost.1 > 0.0).unwrap_or(all) {
        (_, count) if count <= 0.0 => None,
        (seconds, count) => Some(seconds / count),
    };
    let mut left = Some(0.0);
    for (index, share) in (1..).zip(shares(points, of)) {
        let task = last.get(&index).copied();
        let is_running = task.is_some_and(TaskReport::is_running);
        let failure = task.and_then(TaskReport::failure);
        let mut lacks = false;
        for Block { at, replications } in share {
            let count = replications.end - replications.start;
            known.replications.1 += count;
            let open = done.missing_in(points[at].point, replications.clone());
            let due: u64 = open.iter().map(|range| range.end - range.start).sum();
            known.replications.0 += count - due;
            if due == 0 {
                known.done += 1;
                continue;
            }
            lacks = true;
            let StudyPoint { point, per_run, .. } = points[at];
            let parts = done.in_range(point, &replications).only(|block| block.is_part).numbers(&point.name());
            let kept = parts.iter().filter(|&number| replications.contains(&(number / per_run))).count() as u64;
            known.kept += (kept / per_run).min(due);
            left = left.zip(each(at)).map(|(left, each)| left + each * due as f64);
            let name = block_name(&points[at], &replications);
            match task {
                Some(task) if is_running && task.at.as_deref() == Some(&*name) => known.running += 1,
                Some(_) if failure.is_some() => known.failed += 1,
                _ => known.missing += 1,
            }
        }
        if is_running {
            known.tasks.extend(task.cloned());
        } else if lacks {
            known.unfinished.push(index);
            known.failures.extend(task.filter(|_| failure.is_some()).cloned());
        }
    }
    known.left = left.filter(|_| known.running > 0).map(|left| left / known.tasks.len().max(1) as f64);
    Ok(known)
}

/// A block by its name for people: `load: load=0.6, 11 to 20 of 30`.
pub fn block_name(point: &StudyPoint, replications: &std::ops::Range<u64>) -> String {
    format!("{point}, {} to {} of {}", replications.start + 1, replications.end, point.replications)
}

impl CampaignStatus {
    /// True if every block is done.
    pub fn is_complete(&self) -> bool {
        self.done > 0 && self.failed + self.missing + self.running == 0
    }

    /// The number of shards.
    pub fn shards(&self) -> u64 {
        self.shards
    }
}

impl fmt::Display for CampaignStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, shards, done, running, failed, missing, replications, .. } = self;
        let all = done + running + failed + missing;
        writeln!(
            f,
            "{name}: {done} of {} done, {running} running, {failed} failed, {missing} missing",
            counted(all, "block")
        )?;
        let share = 100.0 * replications.0 as f64 / replications.1.max(1) as f64;
        write!(
            f,
            "  {} of {} replications ({share:.0} %), {}",
            replications.0,
            replications.1,
            counted(*shards, "shard")
        )?;
        if self.kept > 0 {
            write!(f, "; {} more of blocks that are not done", self.kept)?;
        }
        match self.left {
            _ if self.is_complete() => writeln!(f, "; `gridloom merge` makes the result")?,
            Some(left) => writeln!(f, "; about {} left", duration(left))?,
            None => writeln!(f)?,
        }
        if let Some(submission) = &self.submission {
            writeln!(f, "  {submission}")?;
        }
        for (path, why) in self.damaged.iter().take(FAILURES) {
            writeln!(f, "  damaged: {}: {why}; its shard makes it again", path.display())?;
        }
        if self.damaged.len() > FAILURES {
            writeln!(f, "  and {} more", self.damaged.len() - FAILURES)?;
        }
        for (other, blocks) in &self.other_builds {
            writeln!(
                f,
                "  not counted: {} by another build of gridloom ({other}), whose numbers may differ",
                counted(*blocks, "block")
            )?;
        }
        for task in &self.tasks {
            let (index, of) = task.shard;
            let at = task.at.as_deref().unwrap_or("beginning");
            let job = task.job.as_ref().map_or(String::new(), |job| format!(", {job}"));
            writeln!(
                f,
                "  running: shard {index}/{of} on {}{job}: {} of {} done, at {at}",
                task.process,
                task.blocks.0,
                counted(task.blocks.1, "block")
            )?;
        }
        for task in self.failures.iter().take(FAILURES) {
            let (index, of) = task.shard;
            let job = task.job.as_ref().map_or(String::new(), |job| format!(", {job}"));
            writeln!(
                f,
                "  failed: shard {index}/{of} on {}{job}: {}",
                task.process,
                task.failure().unwrap_or_default()
            )?;
        }
        if self.failures.len() > FAILURES {
            writeln!(f, "  and {} more", self.failures.len() - FAILURES)?;
        }
        if !self.unfinished.is_empty() && self.tasks.is_empty() {
            let shown = ranges(&self.unfinished);
            writeln!(f, "  nothing runs of: shard {shown} of {shards}")?;
        }
        Ok(())
    }
}

/// `1-3,7`.
pub fn ranges(numbers: &[u64]) -> String {
    let mut parts: Vec<(u64, u64)> = Vec::new();
    for &number in numbers {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => parts.push((number, number)),
        }
    }
    let part = |&(first, last): &(u64, u64)| if first == last { first.to_string() } else { format!("{first}-{last}") };
    parts.iter().map(part).collect::<Vec<_>>().join(",")
}

/// `40 s`, `3 min`, `2.5 h`.
fn duration(seconds: f64) -> String {
    match seconds {
        ..90.0 => format!("{seconds:.0} s"),
        ..5400.0 => format!("{:.0} min", seconds / 60.0),
        ..172_800.0 => format!("{:.1} h", seconds / 3600.0),
        _ => format!("{:.1} days", seconds / 86400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_a_row_are_one_range() {
        assert_eq!(ranges(&[1, 2, 3, 7, 9, 10]), "1-3,7,9-10");
        assert_eq!(ranges(&[]), "");
    }

    #[test]
    fn times_are_told_in_the_unit_that_fits() {
        assert_eq!([40.0, 200.0, 9000.0, 200_000.0].map(duration), ["40 s", "3 min", "2.5 h", "2.3 days"]);
    }
}
