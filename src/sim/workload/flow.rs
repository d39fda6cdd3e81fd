//! Flows of global jobs.

use super::bounds::{Actuals, JobLengths, Millions, Offers, Speeds, TimeFactors};
use super::grid_domain::DomainNames;
use super::swf::LogLimits;
use super::time_unit::report_seconds;
use super::{DailySpec, TasksSpec};
use crate::language::{
    AboveZero, Bounds, Context, Count, Cursor, InTime, Name, NameKind, NonNegative, Positive, Ref, Within,
};
use crate::model::Strategy;
use crate::units::{INPUT_LIMIT, REACH, Span, Time};
use crate::{choice, record};

/// The names of flows.
#[derive(Debug, Clone, PartialEq)]
pub enum FlowNames {}

impl NameKind for FlowNames {
    const WHAT: &'static str = "flow";
}

record! {
    /// Jobs of one kind.
    pub struct GlobalFlowSpec {
        /// Its name, unique among the flows; users and jobs are named after it.
        name: Name<FlowNames>,
        /// The times at which jobs are submitted. `Rigid` and `Workflow` need it; logs and listed jobs bring their own
        /// times.
        arrivals: Option<ArrivalSpec>,
        /// The work of a job.
        work: WorkSpec,
        /// The number of users who share the flow; each job belongs to one of them, drawn uniformly.
        #[unit = "users"]
        users: Count = Count::ONE,
        /// The highest price per unit of time and node, C. With `Alp` no node may cost more; other searches hold the
        /// whole window to the budget k * C * length * nodes, where k is `budget_factor` of `metascheduler.search`.
        #[unit = "money per unit of time and node"]
        max_price: Within<Offers>,
        /// The deadline is this many times the job's length after its submission; there is none, unless given.
        #[unit = "factor of the job's length"]
        patience: Option<Within<TimeFactors>>,
        /// The domain to whose batch system these jobs are submitted: they are local jobs, which the metascheduler does
        /// not see. Jobs are global, unless given.
        domain: Option<Ref<DomainNames>>,
    }
    check(this, at, errors) {
        if let Some(patience) = &this.patience
            && let Some((longest, job)) = this.work.longest()
            && longest * patience.max() > REACH / 10.0
        {
            let wrong = format!("the deadline of {job} could be {:.1e} time units after its submission", longest * patience.max());
            errors.add(&at.field("patience"), wrong, format!("keep patience times length below {:.0e}", REACH / 10.0));
        }
        let has_times = matches!(this.work, WorkSpec::Log { .. } | WorkSpec::Lublin { .. } | WorkSpec::Listed(_));
        if has_times == this.arrivals.is_some() {
            let (wrong, right) = if has_times {
                ("these jobs have their own times of submission", "leave it out")
            } else {
                ("nothing says when jobs are submitted", "give `Poisson`, `Load` or `Batches`")
            };
            errors.add(&at.field("arrivals"), wrong, right);
        }
        if this.domain.is_some() && matches!(this.work, WorkSpec::Workflow(_)) {
            errors.add(&at.field("work"), "batch systems take rigid jobs only", "give `Rigid`, `Log`, `Lublin` or `Listed`, or leave `domain` out");
        }
        if this.users.get() > 1_000_000 {
            errors.add(&at.field("users"), "that is more than a million users", "give fewer");
        }
    }
}

impl GlobalFlowSpec {
    /// The mean time from one job to the next on a grid that does this much work in a unit of time; infinite if there
    /// is no job.
    pub fn mean_gap(&self, capacity: f64) -> f64 {
        match &self.arrivals {
            Some(ArrivalSpec::Poisson { gap, daily }) => gap.get() / daily.as_ref().map_or(1.0, DailySpec::mean_share),
            // Of a file that was not read yet the work is not known.
            Some(ArrivalSpec::Load { load, .. }) if load.get() * self.work.mean_volume() > 0.0 => {
                self.work.mean_volume() / (load.get() * capacity)
            }
            Some(ArrivalSpec::Batches { every, size, .. }) => every.as_f64() / size.mean().max(1.0),
            Some(ArrivalSpec::Load { .. }) | None => f64::INFINITY,
        }
    }
}

choice! {
    /// When jobs are submitted.
    pub enum ArrivalSpec {
        /// One by one, independently of each other.
        Poisson {
            /// The mean time from one to the next, when the flow is busiest.
            #[unit = "units of time"]
            gap: InTime<Positive>,
            /// The activity of the flow over the day; constant, unless given.
            daily: Option<DailySpec>,
        },
        /// One by one, independently of each other, and so often that their work is this share of what all nodes
        /// together could do; of a local flow, all nodes of its domain.
        Load {
            /// The share; above 1, jobs pile up.
            #[unit = "share of the capacity"]
            load: NonNegative,
            /// The activity of the flow over the day; constant, unless given.
            daily: Option<DailySpec>,
        },
        /// Many at once.
        Batches {
            /// The time from one batch to the next.
            #[read = AboveZero<Span>]
            every: Span,
            /// When the first batch comes; at the beginning, unless given.
            first: Span = Span::ZERO,
            /// The number of jobs in a batch.
            #[unit = "jobs"]
            size: Within<TimeFactors>,
        },
    }
}

choice! {
    /// The criterion by which the tasks of a workflow are placed.
    #[derive(Copy, Eq)]
    pub enum PlanStrategy {
        /// As soon as possible: the earliest finish, and then the least cost.
        EarliestFinish,
        /// As late as possible: the latest start from which the job ends by its deadline and within its window, and
        /// then the least cost.
        LatestStart,
        /// The least cost within deadline and window, and then the earliest finish.
        Cheapest,
    }
}

record! {
    /// Tasks that wait for each other, to be placed on the nodes of a window.
    pub struct WorkflowWork {
        /// The tasks; their times are those on a node of performance 1.
        tasks: TasksSpec,
        /// The number of nodes of the window.
        #[unit = "nodes"]
        nodes: Within<Millions>,
        /// The length of the window that is asked for: so many times the least that the job could take on nodes of the
        /// minimum performance, which is its longest chain of tasks with transfers, or all its work shared evenly by the
        /// nodes if that is longer.
        #[unit = "factor of the least time"]
        window_factor: Positive = Positive::of(1.5),
        /// The slowest node that will do.
        #[unit = "relative to a node of performance 1"]
        min_performance: Within<Speeds> = Within::of(1.0),
        /// The criterion by which the tasks are placed. Unless given, it follows from `rich_from` of the metascheduler:
        /// the earliest finish for jobs that offer much, the least cost for others.
        strategy: Option<PlanStrategy>,
    }
    gone("interval_factor", "window_factor", "write `window_factor`: it is the length of the window that a job asks for")
    check(this, at, errors) {
        if this.window_factor.get() > 100.0 {
            errors.add(&at.field("window_factor"), "windows would be absurdly long", "give at most 100");
        }
    }
}

choice! {
    /// The work of a job.
    pub enum WorkSpec {
        /// The same on several nodes at once, from the same instant on.
        Rigid {
            /// The number of nodes; draws are rounded to whole numbers.
            #[unit = "nodes"]
            nodes: Within<Millions>,
            /// The length of the job on a node of performance 1, from 0.0001 to 100,000; draws of an unbounded
            /// distribution beyond that count as the nearer bound.
            #[unit = "units of time"]
            length: Within<JobLengths>,
            /// The slowest node that will do.
            #[unit = "relative to a node of performance 1"]
            min_performance: Within<Speeds> = Within::of(0.01),
        },
        /// Tasks that wait for each other, to be placed on the nodes of a window.
        Workflow(WorkflowWork),
        /// Rigid jobs of a log in the Standard Workload Format (plain or .gz): submission, processors, requested and
        /// actual time. Jobs are judged by the rules of `gridloom replay`: those without a runtime and those wider than
        /// the grid, or the domain of a local flow, are left out. What was left out is reported, by `check` too. The scenario that a run leaves behind
        /// lists the jobs instead.
        Log {
            /// The file, from the folder of the scenario.
            path: String,
            /// The number of seconds of the log in a unit of time. It follows from a `time_unit` of seconds, minutes,
            /// hours, days or weeks; others need it.
            #[unit = "seconds per unit of time"]
            seconds: Option<Positive>,
            /// Only so many of its jobs, from the first on; all, unless given.
            #[unit = "jobs"]
            jobs: Option<Count>,
            /// Bad lines, lines out of order and fields after the 18th are errors, if true.
            strict: bool = false,
            /// The limits on the size of the log.
            limits: LogLimits = LogLimits::default(),
        },
        /// Rigid jobs of a synthetic log in the manner of Lublin and Feitelson, another one in each replication: submission
        /// by the hour of the day, processors, requested and actual time as on large machines. The machine has as many
        /// processors as there are nodes for the flow.
        Lublin {
            /// The number of jobs; those that come after the horizon take no part.
            #[unit = "jobs"]
            jobs: Count,
            /// The actual work as a share of what the nodes could do, at performance 1, until the last job comes.
            #[unit = "share of the capacity"]
            load: Positive,
            /// The number of seconds of the log in a unit of time. It follows from a `time_unit` of seconds, minutes,
            /// hours, days or weeks; others need it.
            #[unit = "seconds per unit of time"]
            seconds: Option<Positive>,
        },
        /// Rigid jobs one by one.
        Listed(ListedJobs),
    }
    check(this, at, errors) {
        if let WorkSpec::Rigid { nodes, .. } | WorkSpec::Workflow(WorkflowWork { nodes, .. }) = this
            && nodes.min() == nodes.max()
            && nodes.max().fract() != 0.0
        {
            let right = "give a whole number, or a distribution of whole numbers such as `UniformInteger`";
            errors.add(&at.field("nodes"), "a job takes whole nodes", right);
        }
        if let WorkSpec::Lublin { jobs, load, .. } = this {
            if jobs.get() > 10_000_000 {
                errors.add(&at.field("jobs"), "that is more than ten million jobs", "give fewer");
            }
            if !(0.001..=100.0).contains(&load.get()) {
                errors.add(&at.field("load"), "gaps between jobs would be absurdly long or short", "give 0.001 to 100");
            }
        }
    }
}

impl WorkSpec {
    /// The criterion of plans that the flow asks for.
    pub(crate) fn strategy(&self) -> Option<Strategy> {
        let Self::Workflow(WorkflowWork { strategy, .. }) = self else { return None };
        strategy.map(|strategy| match strategy {
            PlanStrategy::EarliestFinish => Strategy::EarliestFinish,
            PlanStrategy::LatestStart => Strategy::LatestStart,
            PlanStrategy::Cheapest => Strategy::Cheapest,
        })
    }

    /// Reports files whose times can't be brought into this unit of time.
    pub fn report_unit(&self, time_unit: &str, at: &Cursor<'_>, errors: &mut Context<'_>) {
        match self {
            Self::Log { seconds, .. } | Self::Lublin { seconds, .. } => {
                report_seconds(*seconds, time_unit, &at.field("seconds"), errors)
            }
            Self::Workflow(WorkflowWork { tasks: TasksSpec::File(file), .. }) if !file.is_graphviz() => {
                report_seconds(file.seconds, time_unit, &at.field("tasks").field("seconds"), errors);
            }
            _ => {}
        }
    }

    /// The work of a job, on average.
    pub(crate) fn mean_volume(&self) -> f64 {
        match self {
            Self::Rigid { nodes, length, .. } => nodes.mean() * length.mean(),
            Self::Workflow(WorkflowWork { tasks, .. }) => tasks.mean_volume(),
            Self::Log { .. } | Self::Lublin { .. } | Self::Listed(_) => 0.0,
        }
    }

    /// The length of the longest possible task on a node of performance 1, or of a rigid job; nothing for a file that was
    /// not read yet.
    pub fn longest_task(&self) -> Option<f64> {
        match self {
            Self::Workflow(WorkflowWork { tasks, .. }) => tasks.longest(),
            _ => self.longest().map(|(longest, _)| longest),
        }
    }

    /// The length of the longest possible job, by which deadlines are set, and the job's name; nothing for a file that
    /// was not read yet.
    pub fn longest(&self) -> Option<(f64, String)> {
        let drawn = |longest: f64| Some((longest, "a job".to_string()));
        match self {
            Self::Rigid { length, .. } => drawn(length.max()),
            Self::Workflow(WorkflowWork { tasks, min_performance, .. }) => {
                let extent = tasks.extent()?;
                drawn(extent.time / min_performance.min() + extent.transfer)
            }
            Self::Listed(listed) => {
                let longest = listed.jobs.iter().enumerate().max_by_key(|(_, job)| job.length)?;
                Some((longest.1.length.as_f64(), format!("job {}", longest.0 + 1)))
            }
            Self::Log { .. } | Self::Lublin { .. } => None,
        }
    }
}

record! {
    /// Rigid jobs with their times.
    pub struct ListedJobs {
        /// The jobs, in any order.
        jobs: Vec<ListedJob>,
        /// Notes on the log that they were read from, such as on bad lines, which are told with the results.
        notes: Vec<String> = Vec::new(),
    }
}

record! {
    /// One rigid job.
    pub struct ListedJob {
        /// The time at which it is submitted.
        submit: Time,
        /// The number of nodes it needs.
        #[unit = "nodes"]
        nodes: Count,
        /// The estimated length on a node of performance 1.
        #[read = AboveZero<Span>]
        length: Span,
        /// The real runtime as a share of the estimate.
        #[unit = "factor of the estimate"]
        actual: Positive = Positive::ONE,
    }
    check(this, at, errors) {
        if this.actual.get() > Actuals::HIGH {
            let wrong = format!("the job would really run for {} times its estimate", this.actual.get());
            errors.add(&at.field("actual"), wrong, format!("give at most {}", Actuals::HIGH));
        } else if this.length.as_f64() * this.actual.get() > INPUT_LIMIT {
            let wrong = format!("the job would really run for {:.1e}", this.length.as_f64() * this.actual.get());
            errors.add(&at.field("actual"), wrong, format!("keep length times actual to {INPUT_LIMIT:.0e}"));
        }
        if this.submit < Time::ZERO {
            errors.add(&at.field("submit"), "this is before the run begins", "give a time from 0 on");
        }
    }
}
