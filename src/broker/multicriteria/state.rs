//! An assignment in the making: what it uses, and how good it is so far.

use super::problem::{Assignment, Problem, Score};

/// An assignment that searches change job by job.
#[derive(Debug, Clone)]
pub(super) struct State<'p> {
    problem: &'p Problem,
    assignment: Assignment,
    /// The units that are left of each offer.
    left: Vec<Option<u64>>,
    /// The satisfaction of each user.
    users: Vec<f64>,
    placed: usize,
}

impl<'p> State<'p> {
    /// Nobody has anything yet.
    pub fn empty(problem: &'p Problem) -> Self {
        let satisfied = |jobs: &Vec<usize>| if jobs.is_empty() { 1.0 } else { 0.0 };
        Self {
            problem,
            assignment: vec![None; problem.jobs()],
            left: problem.units().to_vec(),
            users: problem.jobs_of().iter().map(satisfied).collect(),
            placed: 0,
        }
    }

    /// A given assignment.
    pub fn of(problem: &'p Problem, assignment: &[Option<usize>]) -> Self {
        let mut state = Self::empty(problem);
        for (job, &offer) in assignment.iter().enumerate() {
            state.put(job, offer);
        }
        state
    }

    pub fn problem(&self) -> &'p Problem {
        self.problem
    }

    pub fn assignment(&self) -> &Assignment {
        &self.assignment
    }

    pub fn into_assignment(self) -> Assignment {
        self.assignment
    }

    /// The satisfaction of each user.
    pub fn users(&self) -> &[f64] {
        &self.users
    }

    /// Whether an offer has enough units left for a job.
    pub fn has_room(&self, job: usize, offer: usize) -> bool {
        self.left[offer].is_none_or(|left| left >= self.problem.demand(job))
    }

    /// Moves a job to an offer, or takes it out; returns where it was.
    pub fn put(&mut self, job: usize, offer: Option<usize>) -> Option<usize> {
        let demand = self.problem.demand(job);
        let before = std::mem::replace(&mut self.assignment[job], offer);
        for (place, sign) in [(before, 1), (offer, -1)] {
            let Some(left) = place.and_then(|place| self.left[place].as_mut()) else { continue };
            *left = if sign > 0 { *left + demand } else { left.saturating_sub(demand) };
        }
        self.placed = self.placed + usize::from(offer.is_some()) - usize::from(before.is_some());
        // The user's mean is computed anew, so that no rounding errors pile up over many moves.
        let user = self.problem.owner(job);
        let jobs = &self.problem.jobs_of()[user];
        let satisfaction = |&job: &usize| self.assignment[job].map_or(0.0, |at| self.problem.satisfaction(job, at));
        self.users[user] = jobs.iter().map(satisfaction).sum::<f64>() / jobs.len() as f64;
        before
    }

    /// How good it is.
    pub fn score(&self) -> Score {
        let total = self.problem.total(&self.users, self.problem.others(&self.assignment));
        Score { placed: self.placed, total }
    }

    /// How many jobs have an offer.
    pub fn placed(&self) -> usize {
        self.placed
    }
}
