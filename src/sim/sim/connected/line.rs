//! The jobs that wait for the metascheduler.

use super::batch_systems::waiting;
use super::grid::GridState;
use crate::model::JobId;
use crate::policy::{LongQueue, RankedQueue, Waiting};
use crate::search::grade_of;
use crate::units::Time;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Jobs in the order of the line.
type ByRank = BTreeSet<(Reverse<i64>, JobId)>;

/// The jobs that wait, by rank.
#[derive(Debug, Default)]
pub(super) struct WaitingLine {
    ranked: RankedQueue<JobId>,
    /// What is known of each besides.
    known: BTreeMap<JobId, InLine>,
    /// Those that are workflows.
    workflows: BTreeSet<JobId>,
    /// The starts that were promised.
    promises: BTreeSet<(Time, JobId)>,
    /// Those that are not offered, since they could have no place even on idle nodes, by rank.
    aside: ByRank,
}

/// A job in the line.
#[derive(Debug, Clone, Copy)]
pub(super) struct InLine {
    pub(super) rank: i64,
    pub(super) promise: Option<Time>,
    pub(super) is_workflow: bool,
    /// True if it could have a place if all nodes were idle.
    pub(super) has_hope: bool,
}

impl WaitingLine {
    /// Lets a job wait. One that waits already gets the rank.
    pub(super) fn push(&mut self, job: JobId, known: InLine) {
        self.remove(job);
        if !known.has_hope {
            self.aside.insert((Reverse(known.rank), job));
            self.known.insert(job, known);
            return;
        }
        self.ranked.push(job, known.rank);
        if known.is_workflow {
            self.workflows.insert(job);
        }
        if let Some(start) = known.promise {
            self.promises.insert((start, job));
        }
        self.known.insert(job, known);
    }

    /// Takes a job out; whether it waited.
    pub(super) fn remove(&mut self, job: JobId) -> bool {
        let Some(known) = self.known.remove(&job) else { return false };
        if !known.has_hope {
            return self.aside.remove(&(Reverse(known.rank), job));
        }
        self.ranked.remove(job);
        self.workflows.remove(&job);
        if let Some(start) = known.promise {
            self.promises.remove(&(start, job));
        }
        true
    }

    /// A job was promised a start.
    pub(super) fn promise(&mut self, job: JobId, start: Time) {
        let Some(known) = self.known.get_mut(&job) else { return };
        if let Some(old) = known.promise.replace(start) {
            self.promises.remove(&(old, job));
        }
        self.promises.insert((start, job));
    }

    /// The first promise that is due later than `now`.
    pub(super) fn next_promise(&self, now: Time) -> Option<Time> {
        let later = (Time::from_ticks(now.ticks().saturating_add(1)), JobId(0));
        self.promises.range(later..).next().map(|&(start, _)| start)
    }

    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// The first so many of those that are offered, and all that are not, in the order of the line.
    pub(super) fn batch(&self, size: usize) -> Vec<JobId> {
        let offered = self.ranked.iter().take(size);
        if self.aside.is_empty() {
            return offered.collect();
        }
        let key = |job: JobId| Some((Reverse(self.known.get(&job)?.rank), job));
        let mut all: Vec<_> = offered.filter_map(key).chain(self.aside.iter().copied()).collect();
        all.sort_unstable();
        all.into_iter().map(|(_, job)| job).collect()
    }

    pub(super) fn workflows(&self) -> impl Iterator<Item = JobId> + '_ {
        self.workflows.iter().copied()
    }

    pub(super) fn at(&self, position: usize) -> Option<JobId> {
        self.ranked.at(position)
    }

    /// Those to whom a start was promised, with their positions, in order.
    fn promised(&self) -> Vec<(usize, JobId)> {
        let key = |&(_, job): &(Time, JobId)| Some((Reverse(self.known.get(&job)?.rank), job));
        let mut promised: Vec<_> = self.promises.iter().filter_map(key).collect();
        promised.sort_unstable();
        self.ranked.positions(promised)
    }
}

/// The first jobs of the line, as many as a batch may have.
pub(super) struct OfferedJobs<'g, 'w> {
    pub(super) grid: &'g GridState<'w>,
}

impl OfferedJobs<'_, '_> {
    /// The positions of all jobs from one on that ask for no more nodes than `most` says for the grade of their work.
    fn within(&self, from: usize, mut most: impl FnMut(usize) -> usize) -> impl Iterator<Item = (usize, JobId)> {
        let GridState { queue, jobs, rules, .. } = self.grid;
        // Of the few grades that there are, many jobs ask.
        let mut of_grade: Vec<Option<usize>> = Vec::new();
        let all = queue.ranked.iter().take(rules.batch).enumerate().skip(from);
        all.filter(move |&(_, job)| {
            let (grade, nodes) = jobs[job].size;
            if of_grade.len() <= grade {
                of_grade.resize(grade + 1, None);
            }
            nodes <= *of_grade[grade].get_or_insert_with(|| most(grade))
        })
    }
}

impl LongQueue for OfferedJobs<'_, '_> {
    fn len(&self) -> usize {
        self.grid.queue.ranked.len().min(self.grid.rules.batch)
    }

    fn at(&self, position: usize) -> Waiting<'_> {
        // A position below the length has a job.
        let job = self.grid.queue.at(position).unwrap_or(JobId(0));
        waiting(self.grid.world, &self.grid.jobs, job)
    }

    fn next_within(&self, from: usize, most: &mut dyn FnMut(usize) -> usize) -> Option<usize> {
        self.within(from, most).next().map(|(position, _)| position)
    }

    fn unpromised_within(&self, from: usize, most: &mut dyn FnMut(usize) -> usize) -> Vec<usize> {
        let unpromised = self.within(from, most).filter(|&(_, job)| self.grid.jobs[job].promise.is_none());
        unpromised.map(|(position, _)| position).collect()
    }

    fn promised(&self) -> Vec<(usize, Waiting<'_>)> {
        let offered = self.grid.queue.promised().into_iter().take_while(|&(position, _)| position < self.len());
        offered.map(|(position, job)| (position, waiting(self.grid.world, &self.grid.jobs, job))).collect()
    }

    fn list(&self) -> Vec<Waiting<'_>> {
        let jobs = self.grid.queue.ranked.iter().take(self.grid.rules.batch);
        jobs.map(|job| waiting(self.grid.world, &self.grid.jobs, job)).collect()
    }
}

impl GridState<'_> {
    /// The grade of the work and the nodes of a job that is to wait: those of its smallest rest, if some of it is done.
    pub(super) fn size_in_line(&self, job: JobId) -> (usize, usize) {
        let is_workflow = self.world.jobs[job.index()].workflow.is_some();
        let state = &self.jobs[job];
        // What is left of a workflow is worked out anew at every question.
        if is_workflow && !(state.tasks.is_empty() && state.saved.is_empty()) {
            return (0, 1);
        }
        let request = self.request(job);
        (grade_of(self.rules.rule, request), request.nodes)
    }
}
