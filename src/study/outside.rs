//! Policies and metrics of programs that use the library.

use super::Study;
use crate::metrics::{JobOutcome, Metric};
use crate::policy::PolicySpec;
use crate::workload::GridWorld;
use std::fmt;
use std::sync::Arc;

/// A metric of a grid's jobs that a program defines for itself.
pub trait GridMetric: Send + Sync {
    /// The metric as results know it.
    fn declared(&self) -> Metric;

    /// The value under one policy in one world; nothing if there is nothing to measure. `jobs` are the stories of the
    /// world's jobs.
    fn measure(&self, world: &GridWorld, jobs: &[JobOutcome]) -> Option<f64>;
}

/// The policies and metrics that a program adds to a study.
#[derive(Clone, Default)]
pub(crate) struct Outside {
    pub(super) policies: Vec<Arc<dyn PolicySpec + Send + Sync>>,
    pub(super) metrics: Vec<Arc<dyn GridMetric>>,
    /// The scenario's own policies are left out.
    pub(super) is_alone: bool,
}

impl Outside {
    /// What tells the results of one program from those of another.
    pub(super) fn key(&self) -> Vec<String> {
        let mut key = self.names();
        key.extend(self.is_alone.then(|| "alone".to_string()));
        key
    }

    /// The names of all of them.
    pub(super) fn names(&self) -> Vec<String> {
        let policies = self.policies.iter().map(|policy| policy.name());
        policies.chain(self.declared().iter().map(String::from)).collect()
    }

    /// The metrics as they are declared.
    pub(super) fn declared(&self) -> Vec<Metric> {
        self.metrics.iter().map(|metric| metric.declared()).collect()
    }
}

impl fmt::Debug for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

/// Why a study does not take a policy or a metric from outside.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotTaken {
    /// It has no jobs to schedule.
    #[error("`{0}` is no grid with flows of jobs: only such experiments take policies and metrics from outside")]
    NoGrid(&'static str),
    /// The name is in use.
    #[error("there is a policy or a metric called {0:?} already: give another name")]
    Repeated(String),
}

impl Study {
    /// Runs the study with one more policy, after those of the scenario; only grids with flows of jobs take it. Results
    /// say that it comes from outside: whether they can be repeated is then the policy's business.
    pub fn with_policy(mut self, policy: impl PolicySpec + Send + Sync + 'static) -> Result<Self, NotTaken> {
        let name = policy.name();
        self.check_outside(&name)?;
        self.outside.policies.push(Arc::new(policy));
        Ok(self)
    }

    /// Leaves the scenario's own policies out, once there is one from outside.
    #[must_use]
    pub fn without_own_policies(mut self) -> Self {
        self.outside.is_alone = !self.outside.policies.is_empty();
        self
    }

    /// Measures one more number of every policy's run, and its difference from the first policy's.
    pub fn with_metric(mut self, metric: impl GridMetric + 'static) -> Result<Self, NotTaken> {
        self.check_outside(metric.declared().name())?;
        self.outside.metrics.push(Arc::new(metric));
        Ok(self)
    }

    fn check_outside(&self, name: &str) -> Result<(), NotTaken> {
        for scenario in std::iter::once(self.scenario()).chain(self.points().iter().flatten()) {
            let kind = scenario.experiment.get();
            let Some(taken) = kind.policy_names() else { return Err(NotTaken::NoGrid(scenario.experiment.key())) };
            let is_metric = kind.metrics().iter().any(|metric| metric.name() == name);
            if is_metric || taken.iter().chain(&self.outside.names()).any(|other| other == name) {
                return Err(NotTaken::Repeated(name.to_string()));
            }
        }
        Ok(())
    }
}
