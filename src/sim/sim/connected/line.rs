//! The jobs that wait for the metascheduler, and what of them can be found without a look at all.

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
    /// Those to whom no start was promised, and those to whom one was.
    sizes: [JobsBySize; 2],
    /// What is known of each besides.
    known: BTreeMap<JobId, InLine>,
    /// Those that are workflows.
    workflows: BTreeSet<JobId>,
    /// The starts that were promised.
    promises: BTreeSet<(Time, JobId)>,
    /// Those to whom one was, by rank.
    promised: ByRank,
    /// Those that are not offered, since they could have no place even on idle nodes, by rank.
    aside: ByRank,
}

/// Jobs by the grade of their work and the nodes they ask for; in each cell by rank.
#[derive(Debug, Default)]
struct JobsBySize {
    cells: BTreeMap<usize, BTreeMap<usize, ByRank>>,
}

impl JobsBySize {
    fn insert(&mut self, job: JobId, known: &InLine) {
        let (grade, nodes) = known.size;
        self.cells.entry(grade).or_default().entry(nodes).or_default().insert((Reverse(known.rank), job));
    }

    fn remove(&mut self, job: JobId, known: &InLine) {
        let (grade, nodes) = known.size;
        if let Some(cells) = self.cells.get_mut(&grade)
            && let Some(cell) = cells.get_mut(&nodes)
        {
            cell.remove(&(Reverse(known.rank), job));
            if cell.is_empty() {
                cells.remove(&nodes);
            }
            if cells.is_empty() {
                self.cells.remove(&grade);
            }
        }
    }

    /// The cells of those who ask for no more nodes than `most` says for the grade of their work.
    fn within(&self, most: &mut dyn FnMut(usize) -> usize) -> impl Iterator<Item = &ByRank> {
        self.cells.iter().flat_map(|(&grade, cells)| cells.range(..=most(grade)).map(|(_, cell)| cell))
    }
}

/// A job in the line.
#[derive(Debug, Clone, Copy)]
pub(super) struct InLine {
    pub(super) rank: i64,
    /// The grade of the work of a task, and the number of nodes; neither grows less while the job waits.
    pub(super) size: (usize, usize),
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
        self.sizes[usize::from(known.promise.is_some())].insert(job, &known);
        if known.is_workflow {
            self.workflows.insert(job);
        }
        if let Some(start) = known.promise {
            self.promises.insert((start, job));
            self.promised.insert((Reverse(known.rank), job));
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
            self.promised.remove(&(Reverse(known.rank), job));
        }
        self.sizes[usize::from(known.promise.is_some())].remove(job, &known);
        true
    }

    /// A job was promised a start.
    pub(super) fn promise(&mut self, job: JobId, start: Time) {
        let Some(known) = self.known.get_mut(&job) else { return };
        match known.promise.replace(start) {
            Some(old) => _ = self.promises.remove(&(old, job)),
            None => {
                self.sizes[0].remove(job, known);
                self.sizes[1].insert(job, known);
            }
        }
        self.promises.insert((start, job));
        self.promised.insert((Reverse(known.rank), job));
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

    /// The first job from a position on that asks for no more nodes than `most` says for the grade of its work.
    fn next_within(&self, from: usize, most: &mut dyn FnMut(usize) -> usize) -> Option<usize> {
        let first = self.ranked.at(from)?;
        let from = (Reverse(self.known.get(&first)?.rank), first);
        let mut next = None;
        for sizes in &self.sizes {
            for cell in sizes.within(most) {
                // Whoever stands behind one that was found need not be looked at.
                next = match (cell.range(from..).next(), next) {
                    (Some(&key), Some(found)) => Some(key.min(found)),
                    (Some(&key), None) => Some(key),
                    (None, found) => found,
                };
            }
        }
        next.and_then(|(_, job)| self.ranked.position(job))
    }

    /// The positions of all jobs from a position on of which that is so and who were promised nothing, in order.
    fn unpromised_within(&self, from: usize, most: &mut dyn FnMut(usize) -> usize) -> Vec<usize> {
        let first = self.ranked.at(from).and_then(|first| Some((Reverse(self.known.get(&first)?.rank), first)));
        let Some(from) = first else { return Vec::new() };
        let mut jobs: Vec<_> = self.sizes[0].within(most).flat_map(|cell| cell.range(from..)).copied().collect();
        jobs.sort_unstable();
        self.ranked.positions(jobs).into_iter().map(|(position, _)| position).collect()
    }
}

/// The first jobs of the line, as many as a batch may have.
pub(super) struct OfferedJobs<'g, 'w> {
    pub(super) grid: &'g GridState<'w>,
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
        self.grid.queue.next_within(from, most).filter(|&position| position < self.len())
    }

    fn unpromised_within(&self, from: usize, most: &mut dyn FnMut(usize) -> usize) -> Vec<usize> {
        let mut positions = self.grid.queue.unpromised_within(from, most);
        positions.retain(|&position| position < self.len());
        positions
    }

    fn promised(&self) -> Vec<(usize, Waiting<'_>)> {
        let queue = &self.grid.queue;
        let promised = queue.ranked.positions(queue.promised.iter().copied());
        let offered = promised.into_iter().take_while(|&(position, _)| position < self.len());
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
