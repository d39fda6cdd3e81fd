//! `JobFlow`: jobs made of tasks, one after another on the same nodes (file 001, Table 3).

use crate::language::{Count, Fraction, Name, NonEmpty, Positive, Within};
use crate::study::kinds::batches::CaseNames;
use crate::study::on_grid::GridRun;
use crate::workflow::Transfers;
use crate::workload::bounds::Deviations;
use crate::workload::{ANY_UNIT, DomainSpec, NodeCount, TasksSpec, report_size, report_time_unit};
use crate::{choice, record};

/// The largest number of jobs that a flow may have.
const JOBS_LIMIT: u64 = 100_000;

record! {
    /// A flow of jobs made of tasks. Each is planned for the least cost when it is sent, around the reservations of
    /// those before it, and executed with runtimes that differ from the estimates.
    pub struct JobFlow {
        /// The number of jobs.
        #[unit = "jobs"]
        jobs: Count,
        /// The tasks of each.
        tasks: TasksSpec,
        /// The nodes on which the jobs are planned and run.
        domain: DomainSpec,
        /// A job's interval is this many times as long as its longest chain on the fastest nodes, h.
        #[unit = "factor of the longest chain"]
        interval_factor: Positive,
        /// The ways to send jobs, each a series of its own; all face the same jobs.
        flows: NonEmpty<FlowSpec>,
        /// Actual runtimes, as factors of the estimates.
        #[unit = "factor of the estimate"]
        runtime_factor: Within<Deviations>,
        /// The cases in which data takes time from one task to the next.
        transfers: Transfers = Transfers::Always,
        /// The largest number of attempts to plan a job, each with the chain that failed before in front.
        #[unit = "attempts"]
        attempts: Count = Count::ONE,
        /// The critical jobs methods go on where the published method ends, if true: tasks are moved to the left and to
        /// cheaper nodes after the last chain, and a job whose chains find no place is planned task by task.
        refine: bool = true,
        /// The yardstick by which a schedule counts as optimal.
        optimal: OptimalReading = OptimalReading::EmptyNodes,
        /// The largest number of partial plans that the search for a job's exact optimum may look at; there is no such
        /// search, unless given.
        #[unit = "partial plans"]
        exact_limit: Option<Count>,
        /// Runs of the same flows on the connected grid, each with series of its own beside those of the plans; none,
        /// unless given.
        on_grid: Vec<GridRun> = Vec::new(),
        /// The name of the unit of time, for metrics and the axes of figures. Seconds, minutes, hours and days also say
        /// how long the times of WfCommons files are in it.
        time_unit: String = ANY_UNIT.to_string(),
    }
    starter(include_str!("starter.ron"))
    check(this, at, errors) {
        report_time_unit(&this.time_unit, &at.field("time_unit"), errors);
        report_size(&this.tasks, &this.domain, &at.field("tasks"), errors);
        this.tasks.report_unit(&this.time_unit, &at.field("tasks"), errors);
        if this.jobs.get() > JOBS_LIMIT {
            errors.add(&at.field("jobs"), format!("{} jobs are too many", this.jobs.get()), format!("keep it to {JOBS_LIMIT}"));
        }
        if !matches!(this.domain.nodes, NodeCount::Total(_)) {
            errors.add(&at.field("domain").field("nodes"), "all jobs of a flow share the same nodes", "give a number of nodes");
        }
        if this.domain.occupancy.get() > 0.0 {
            errors.add(&at.field("domain").field("occupancy"), "a flow has no local tasks", "leave it at 0");
        }
        for (index, run) in this.on_grid.iter().enumerate() {
            let place = at.field("on_grid").element(index);
            run.report_methods(&[], &place, errors);
            if run.notice.is_some() {
                errors.add(&place.field("notice"), "a flow has no owners who could announce tasks", "leave it out");
            }
        }
    }
}

choice! {
    /// What counts as in the way of an optimal schedule: it costs no more than the same method pays without that.
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
    pub struct FlowSpec {
        /// Its name, unique among the flows.
        name: Name<CaseNames>,
        /// The share of a job's interval after which the next job is sent, k.
        #[unit = "share of the interval"]
        k: Fraction,
    }
}
