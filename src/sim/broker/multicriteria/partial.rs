//! An assignment in the making: what it uses, and how good it is so far.

use super::TotalForm;
use super::problem::{Assignment, MarketProblem, Score};

/// An assignment that searches change job by job.
#[derive(Debug, Clone)]
pub(super) struct PartialAssignment<'p> {
    problem: &'p MarketProblem,
    assignment: Assignment,
    /// The units that are left of each offer.
    left: Vec<Option<u64>>,
    /// The satisfaction of each user.
    users: Vec<f64>,
    placed: usize,
}

/// The score with its parts, by which a change that would not better it is told quickly.
#[derive(Debug, Clone, Copy)]
pub(super) struct Standing {
    pub score: Score,
    /// The weighted sum of all users' satisfactions.
    sum: f64,
    /// The user whose pull is the highest, and that pull.
    decider: usize,
    highest: f64,
    /// The number of stakeholders that count.
    counted: usize,
}

impl<'p> PartialAssignment<'p> {
    /// The assignment in which no job has an offer yet.
    pub(super) fn empty(problem: &'p MarketProblem) -> Self {
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
    pub(super) fn of(problem: &'p MarketProblem, assignment: &[Option<usize>]) -> Self {
        let mut state = Self::empty(problem);
        for (job, &offer) in assignment.iter().enumerate() {
            state.put(job, offer);
        }
        state
    }

    pub(super) fn problem(&self) -> &'p MarketProblem {
        self.problem
    }

    pub(super) fn assignment(&self) -> &Assignment {
        &self.assignment
    }

    pub(crate) fn into_assignment(self) -> Assignment {
        self.assignment
    }

    /// The satisfaction of each user.
    pub(super) fn users(&self) -> &[f64] {
        &self.users
    }

    /// True if an offer has enough units left for a job.
    pub(crate) fn has_room(&self, job: usize, offer: usize) -> bool {
        self.left[offer].is_none_or(|left| left >= self.problem.demand(job))
    }

    /// Moves a job to an offer, or takes it out; returns where it was.
    pub(super) fn put(&mut self, job: usize, offer: Option<usize>) -> Option<usize> {
        let demand = self.problem.demand(job);
        let before = std::mem::replace(&mut self.assignment[job], offer);
        for (place, sign) in [(before, 1), (offer, -1)] {
            let Some(left) = place.and_then(|place| self.left[place].as_mut()) else { continue };
            *left = if sign > 0 { *left + demand } else { left.saturating_sub(demand) };
        }
        self.placed = self.placed + usize::from(offer.is_some()) - usize::from(before.is_some());
        // The user's mean is computed again, so that no rounding errors pile up over many moves.
        let user = self.problem.owner(job);
        let jobs = &self.problem.jobs_of()[user];
        let satisfaction = |&job: &usize| self.assignment[job].map_or(0.0, |at| self.problem.satisfaction(job, at));
        self.users[user] = jobs.iter().map(satisfaction).sum::<f64>() / jobs.len() as f64;
        before
    }

    /// The score.
    pub(super) fn score(&self) -> Score {
        let total = self.problem.total(&self.users, self.problem.others(&self.assignment));
        Score { placed: self.placed, total }
    }

    /// The score with its parts.
    pub(crate) fn standing(&self) -> Standing {
        let problem = self.problem;
        let mut standing =
            Standing { score: self.score(), sum: 0.0, decider: 0, highest: 0.0, counted: problem.counted() };
        for (user, &satisfaction) in self.users.iter().enumerate() {
            let weight = problem.weight(user);
            let pull = problem.form().pull(weight, satisfaction);
            standing.sum += weight * satisfaction;
            if pull > standing.highest {
                (standing.decider, standing.highest) = (user, pull);
            }
        }
        standing
    }

    /// An upper bound on the score after one or two jobs move, without moving them. It is the score itself, unless the
    /// user who decides is among those who move, or there are stakeholders besides users.
    pub(crate) fn prospect(&self, standing: &Standing, moves: &[(usize, Option<usize>)]) -> Score {
        let problem = self.problem;
        let mut placed = self.placed;
        let (mut sum, mut highest, mut decider_moves) = (standing.sum, 0.0_f64, false);
        for (index, &(job, to)) in moves.iter().enumerate() {
            placed = placed + usize::from(to.is_some()) - usize::from(self.assignment[job].is_some());
            let user = problem.owner(job);
            if moves[..index].iter().any(|&(other, _)| problem.owner(other) == user) {
                continue;
            }
            let jobs = &problem.jobs_of()[user];
            let place =
                |job: usize| moves.iter().find(|(moved, _)| *moved == job).map_or(self.assignment[job], |&(_, to)| to);
            let satisfaction = |&job: &usize| place(job).map_or(0.0, |at| problem.satisfaction(job, at));
            let new = jobs.iter().map(satisfaction).sum::<f64>() / jobs.len() as f64;
            let weight = problem.weight(user);
            sum += weight * (new - self.users[user]);
            highest = highest.max(problem.form().pull(weight, new));
            decider_moves |= user == standing.decider;
        }
        if problem.has_others() {
            return Score { placed, total: f64::INFINITY };
        }
        // A worst-off user who moves may leave another one, better off, to decide; a best-off one can only fall back.
        if problem.form() == TotalForm::BestFirst || !decider_moves {
            highest = highest.max(standing.highest);
        }
        Score { placed, total: problem.form().combine(highest, sum, standing.counted) }
    }

    /// True if an offer has enough units left for a job once another job has left it.
    pub(crate) fn has_room_without(&self, job: usize, offer: usize, other: usize) -> bool {
        let freed = if self.assignment[other] == Some(offer) { self.problem.demand(other) } else { 0 };
        self.left[offer].is_none_or(|left| left + freed >= self.problem.demand(job))
    }

    /// The number of jobs with an offer.
    pub(super) fn placed(&self) -> usize {
        self.placed
    }
}
