//! `Workflows`: jobs made of tasks (file 001, Figs. 3 and 4, Table 3).

use super::on_grid::GridRun;
use crate::language::{AboveZero, Context, Count, Cursor, Fraction, Name, NameKind, NonEmpty, Positive, Within};
use crate::study::kinds::batches::CaseNames;
use crate::study::parts::report_twice;
use crate::units::Time;
use crate::workflow::{Method, Transfers};
use crate::workload::bounds::Deviations;
use crate::workload::{ANY_UNIT, DomainSpec, NodeCount, TasksSpec, report_size, report_time_unit};
use crate::{choice, record};
use std::mem::discriminant;

/// The largest number of jobs that a flow may have.
const JOBS_LIMIT: u64 = 100_000;

/// The names of the ways to send a flow.
#[derive(Debug, Clone, PartialEq)]
pub enum WayNames {}

impl NameKind for WayNames {
    const WHAT: &'static str = "way";
}

record! {
    /// Jobs made of tasks, each planned by itself on nodes with local tasks: how many find a place, what they cost and
    /// how they collide. One job can be shown step by step, and a flow of jobs be sent to the same nodes.
    pub struct Workflows {
        /// Kinds of jobs, each a series of its own.
        cases: NonEmpty<WorkflowCase>,
        /// The methods by which jobs are planned; all of them face the same jobs and nodes.
        methods: NonEmpty<Method>,
        /// The nodes on which jobs are planned.
        domain: DomainSpec,
        /// The time allowed for a job, its scheduling interval: this many times as long as its longest chain on the
        /// fastest nodes, h. Either this is given or `deadline`.
        #[unit = "factor of the longest chain"]
        deadline_factor: Option<Positive>,
        /// The time allowed for a job, whatever its length, in which all of its tasks must have ended. Either this is given
        /// or `deadline_factor`.
        #[read = Option<AboveZero<Time>>]
        deadline: Option<Time>,
        /// The cases in which data takes time from one task to the next.
        transfers: Transfers = Transfers::Always,
        /// The largest number of attempts to plan a job, each with the chain that failed before in front.
        #[unit = "attempts"]
        attempts: Count = Count::ONE,
        /// The critical jobs methods go on where the published method ends, if true: tasks are moved to the left and to
        /// cheaper nodes after the last chain, and a job whose chains find no place is planned task by task.
        refine: bool = true,
        /// One job is shown, if true: its chains, the plan of each method, and the plan of the first critical jobs
        /// method chain by chain. There is one world then.
        steps: bool = false,
        /// Jobs that are sent one after another to the same nodes, and executed; unless given, each job is planned by
        /// itself.
        flow: Option<FlowSpec>,
        /// Runs of the same jobs on the connected grid, each with series of its own beside those of the plans; none,
        /// unless given.
        on_grid: Vec<GridRun> = Vec::new(),
        /// The name of the unit of time, for metrics and the axes of figures. Seconds, minutes, hours and days also say
        /// how long the times of WfCommons files are in it.
        time_unit: String = ANY_UNIT.to_string(),
    }
    starter(include_str!("starter.ron"))
    gone("interval_factor", "deadline_factor", "write `deadline_factor`: it is the time that a job is allowed")
    check(this, at, errors) {
        report_time_unit(&this.time_unit, &at.field("time_unit"), errors);
        match (&this.deadline_factor, &this.deadline) {
            (None, None) => errors.add(at, "nothing says how long a job may take", "give `deadline_factor` or `deadline`"),
            (Some(_), Some(_)) => errors.add(&at.field("deadline"), "there is a `deadline_factor` as well", "give one of them"),
            _ => {}
        }
        for (index, case) in this.cases.iter().enumerate() {
            let place = at.field("cases").element(index).field("tasks");
            report_size(&case.tasks, &this.domain, &place, errors);
            case.tasks.report_unit(&this.time_unit, &place, errors);
        }
        let is_same = |one: &Method, other: &Method| discriminant(one) == discriminant(other);
        report_twice(&this.methods, is_same, (&at.field("methods"), "this method is in the list already"), errors);
        if this.steps && (this.cases.len() > 1 || this.flow.is_some()) {
            errors.add(&at.field("steps"), "the steps of one job alone are shown", "leave one case, and no flow");
        }
        for (index, run) in this.on_grid.iter().enumerate() {
            run.report_methods(&this.methods, &at.field("on_grid").element(index), errors);
        }
        if this.flow.is_some() {
            report_flow(this, at, errors);
        }
    }
}

record! {
    /// A kind of job.
    pub struct WorkflowCase {
        /// Its name, unique among the cases.
        name: Name<CaseNames>,
        /// Its tasks.
        tasks: TasksSpec,
    }
}

record! {
    /// A flow of jobs. Each is planned when it is sent, around the reservations of those before it, and executed with
    /// runtimes that differ from the estimates.
    pub struct FlowSpec {
        /// The number of jobs.
        #[unit = "jobs"]
        jobs: Count,
        /// The ways to send jobs, each a series of its own; all face the same jobs.
        ways: NonEmpty<FlowWay>,
        /// Actual runtimes, as factors of the estimates.
        #[unit = "factor of the estimate"]
        runtime_factor: Within<Deviations>,
        /// The yardstick by which a schedule counts as optimal.
        optimal: OptimalReading = OptimalReading::EmptyNodes,
        /// The largest number of partial plans that the search for a job's exact optimum may look at; there is no such
        /// search, unless given.
        #[unit = "partial plans"]
        exact_limit: Option<Count>,
    }
    check(this, at, errors) {
        if this.jobs.get() > JOBS_LIMIT {
            errors.add(&at.field("jobs"), format!("{} jobs are too many", this.jobs.get()), format!("keep it to {JOBS_LIMIT}"));
        }
    }
}

choice! {
    /// What counts as in the way of an optimal schedule: it costs no more than the critical jobs method pays without
    /// that.
    #[derive(Copy)]
    pub enum OptimalReading {
        /// Earlier jobs, and the job's own chains in the way of each other.
        EmptyNodes,
        /// The job's own chains in the way of each other; earlier jobs are there, on the grid as they were planned.
        AroundEarlierJobs,
    }
}

record! {
    /// A way to send jobs.
    pub struct FlowWay {
        /// Its name, unique among the ways.
        name: Name<WayNames>,
        /// The share of a job's interval after which the next job is sent, k.
        #[unit = "share of the interval"]
        k: Fraction,
    }
}

/// Reports what a flow can't have.
fn report_flow(this: &Workflows, at: &Cursor<'_>, errors: &mut Context<'_>) {
    let domain = at.field("domain");
    if !matches!(this.domain.nodes, NodeCount::Total(_)) {
        errors.add(&domain.field("nodes"), "all jobs of a flow share the same nodes", "give a number of nodes");
    }
    if this.domain.occupancy.get() > 0.0 {
        errors.add(&domain.field("occupancy"), "a flow has no local tasks", "leave it at 0");
    }
    for index in (0..this.on_grid.len()).filter(|&index| this.on_grid[index].notice.is_some()) {
        let place = at.field("on_grid").element(index).field("notice");
        errors.add(&place, "a flow has no owners who could announce tasks", "leave it out");
    }
}
