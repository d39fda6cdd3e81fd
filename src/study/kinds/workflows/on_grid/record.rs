//! The runs of a planning study's jobs on the connected grid, as scenarios describe them.

use crate::language::{Context, Cursor, Name, NameKind, Within};
use crate::record;
use crate::sim::{Displacement, OverrunRule};
use crate::study::parts::report_twice;
use crate::workflow::Method;
use crate::workload::bounds::{Actuals, Times};

/// The names of runs on the grid.
#[derive(Debug, Clone, PartialEq)]
pub enum GridRunNames {}

impl NameKind for GridRunNames {
    const WHAT: &'static str = "run on the grid";
}

record! {
    /// A run of the very same jobs on the connected grid: the same tasks, nodes, owners and intervals. A job is
    /// submitted when its interval begins and planned at once by the same method; the plan is reserved and executed
    /// event by event. A job that found no place then is not tried again. A task that loses its place or whose data come
    /// late is put where it ends first; if that fails, what is left of the job is planned again by the same method, at
    /// this event and at those that follow. The end of its interval is the job's deadline: what is not done by then is
    /// lost.
    ///
    /// Each run gives further series of the same metrics, beside those of the plans. On the grid a task takes a millionth
    /// of a unit of time at least. Tasks of no length, such as the dummy entry and exit of a job, take neither time nor a
    /// node; but for those with transfers where there is no task before or none after them, or where transfers count
    /// `BetweenNodes` only.
    pub struct GridRun {
        /// Its name, unique among the runs. A series is called by the series beside it and this, such as
        /// "critical jobs, on the grid".
        name: Name<GridRunNames>,
        /// The methods whose jobs run on the grid, of those of the experiment; its first alone, unless given.
        methods: Vec<Method> = Vec::new(),
        /// The actual runtime of a task, as a share of its estimate. Unless given, it is that of the run beside it: the
        /// `runtime_factor` of a flow, and 1 elsewhere. All runs draw the same deviations.
        #[unit = "factor of the estimate"]
        actual: Option<Within<Actuals>>,
        /// The time from the announcement of an owner's task to its start. Unless given, all of them are known from the
        /// beginning, as they are to the plans beside it.
        #[unit = "units of time"]
        notice: Option<Within<Times>>,
        /// The part of its work that a job loses when one of its tasks is driven from a node: `Task` or `Job`.
        displacement: Displacement = Displacement::Task,
        /// The fate of a task that is not done at the end of the time reserved for it.
        overrun: OverrunRule = OverrunRule::GoesOn,
    }
    check(this, at, errors) {
        if matches!(this.displacement, Displacement::Checkpoint { .. }) {
            errors.add(&at.field("displacement"), "the tasks of these jobs write no checkpoints", "give `Task` or `Job`");
        }
    }
}

impl GridRun {
    /// The methods whose jobs run on the grid, of all of an experiment.
    pub(in crate::study::kinds::workflows) fn methods<'a>(&'a self, all: &'a [Method]) -> &'a [Method] {
        if self.methods.is_empty() { &all[..all.len().min(1)] } else { &self.methods }
    }

    /// The name of its series beside another.
    pub(in crate::study::kinds::workflows) fn series(&self, beside: &str) -> String {
        format!("{beside}, {}", self.name)
    }

    /// Reports methods that the experiment does not have, or that are listed twice.
    pub(in crate::study::kinds::workflows) fn report_methods(
        &self,
        all: &[Method],
        at: &Cursor<'_>,
        errors: &mut Context<'_>,
    ) {
        let place = at.field("methods");
        for (index, _) in self.methods.iter().enumerate().filter(|(_, method)| !all.contains(method)) {
            errors.add(&place.element(index), "the experiment has no such method", "give one of its `methods`");
        }
        report_twice(&self.methods, Method::eq, (&place, "this method is in the list already"), errors);
    }
}
