//! The costs of methods on the jobs that all of them have planned, where an exact search was given up on others.
//!
//! An exact search is given up on large jobs, which cost much: the mean over the jobs that it planned looks low beside
//! that of a method that planned all of them.

use super::planning::WITHOUT_PLAN;
use super::{COST, WorkflowCase, Workflows};
use crate::study::{Key, Observations, Row};
use crate::units::counted;
use crate::workflow::{NoPlanCause, four_digits};

/// The jobs of a case that all methods have planned, and what they cost.
pub(super) struct CommonJobs {
    /// By method: the series of its plans, and the total cost of these jobs.
    costs: Vec<(String, f64)>,
    jobs: u64,
}

impl CommonJobs {
    /// None yet.
    pub(super) fn of(spec: &Workflows, case: &WorkflowCase) -> Self {
        let costs = spec.methods.iter().map(|&method| (spec.series(case, method).into_owned(), 0.0)).collect();
        Self { costs, jobs: 0 }
    }

    /// Takes in a job of the case, if all methods have planned it.
    pub(super) fn take_in(&mut self, observations: &Observations<'_>) {
        let cost = |name: &String| {
            let is_it = |key: &Key<'_>| key.series == *name && key.metric == COST.name();
            let mut found = observations.keys().iter().zip(observations.values());
            found.find(|(key, _)| is_it(key)).and_then(|(_, value)| *value)
        };
        let costs: Option<Vec<f64>> = self.costs.iter().map(|(name, _)| cost(name)).collect();
        let Some(costs) = costs else { return };
        self.jobs += 1;
        self.costs.iter_mut().zip(costs).for_each(|((_, total), cost)| *total += cost);
    }

    /// Says what these jobs cost on average, if there are several methods and one was given up on other jobs.
    pub(super) fn note(&self, rows: &[Row]) -> Option<String> {
        let metric = WITHOUT_PLAN[NoPlanCause::GivenUp as usize].name();
        let is_own = |row: &Row| self.costs.iter().any(|(name, _)| *name == row.series);
        let was_given_up = rows.iter().any(|row| row.metric == metric && row.mean > 0.0 && is_own(row));
        if self.costs.len() < 2 || !was_given_up {
            return None;
        }
        if self.jobs == 0 {
            return Some(
                "Means of cost and makespan are over different jobs: no job was planned by all methods".into(),
            );
        }
        let mean = |(name, total): &(String, f64)| format!("{name} {}", four_digits(total / self.jobs as f64));
        let means: Vec<String> = self.costs.iter().map(mean).collect();
        Some(format!(
            "Means of cost and makespan are over different jobs. Cost on the {} that all methods planned: {}",
            counted(self.jobs, "job"),
            means.join(", ")
        ))
    }
}
