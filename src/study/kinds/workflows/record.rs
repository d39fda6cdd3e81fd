//! `Workflows`: jobs made of tasks, one per world (file 001, Figs. 3 and 4).

use crate::language::{Count, Name, NonEmpty, Positive};
use crate::record;
use crate::study::kinds::batches::CaseNames;
use crate::study::on_grid::GridRun;
use crate::workflow::{Method, Transfers};
use crate::workload::{ANY_UNIT, DomainSpec, TasksSpec, report_size, report_time_unit};

record! {
    /// Jobs made of tasks, each planned by itself on nodes with local tasks: how many find a place, and how they
    /// collide.
    pub struct Workflows {
        /// Kinds of jobs, each a series of its own.
        cases: NonEmpty<WorkflowCase>,
        /// The methods by which jobs are planned; all of them face the same jobs and nodes.
        methods: NonEmpty<Method>,
        /// The nodes on which jobs are planned.
        domain: DomainSpec,
        /// The scheduling interval is this many times as long as the longest chain on the fastest nodes, h.
        #[unit = "factor of the longest chain"]
        interval_factor: Positive,
        /// The cases in which data takes time from one task to the next.
        transfers: Transfers = Transfers::Always,
        /// The largest number of attempts to plan a job, each with the chain that failed before in front.
        #[unit = "attempts"]
        attempts: Count = Count::ONE,
        /// The critical jobs methods go on where the published method ends, if true: tasks are moved to the left and to
        /// cheaper nodes after the last chain, and a job whose chains find no place is planned task by task.
        refine: bool = true,
        /// Runs of the same jobs on the connected grid, each with series of its own beside those of the plans; none,
        /// unless given.
        on_grid: Vec<GridRun> = Vec::new(),
        /// The name of the unit of time, for metrics and the axes of figures. Seconds, minutes, hours and days also say
        /// how long the times of WfCommons files are in it.
        time_unit: String = ANY_UNIT.to_string(),
    }
    starter(include_str!("starter.ron"))
    check(this, at, errors) {
        report_time_unit(&this.time_unit, &at.field("time_unit"), errors);
        for (index, case) in this.cases.iter().enumerate() {
            let place = at.field("cases").element(index).field("tasks");
            report_size(&case.tasks, &this.domain, &place, errors);
            case.tasks.report_unit(&this.time_unit, &place, errors);
        }
        report_repeated_methods(&this.methods, &at.field("methods"), errors);
        for (index, run) in this.on_grid.iter().enumerate() {
            run.report_methods(&this.methods, &at.field("on_grid").element(index), errors);
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

/// Reports a method that stands in the list twice.
pub(in crate::study::kinds) fn report_repeated_methods(
    methods: &[Method],
    at: &crate::language::Cursor<'_>,
    errors: &mut crate::language::Context<'_>,
) {
    let kind = |method: &Method| std::mem::discriminant(method);
    for (index, method) in methods.iter().enumerate() {
        if methods[..index].iter().any(|other| kind(other) == kind(method)) {
            errors.add(&at.element(index), "this method is in the list already", "leave it out");
        }
    }
}
