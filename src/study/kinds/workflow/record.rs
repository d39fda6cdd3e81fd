//! `Workflow`: one job made of tasks, step by step.

use crate::language::{AboveZero, Count, NonEmpty};
use crate::record;
use crate::study::kinds::workflows::report_repeated_methods;
use crate::units::Time;
use crate::workflow::{Method, Transfers};
use crate::workload::{ANY_UNIT, DomainSpec, TasksSpec, report_size, report_time_unit};

record! {
    /// One job made of tasks: its chains, how each method plans it, and the plan of the critical jobs method step by
    /// step.
    pub struct Workflow {
        /// The tasks of the job.
        tasks: TasksSpec,
        /// The methods by which the job is planned.
        methods: NonEmpty<Method>,
        /// The nodes on which the job is planned.
        domain: DomainSpec,
        /// The time by which all tasks must have ended.
        #[read = AboveZero<Time>]
        deadline: Time,
        /// The cases in which data takes time from one task to the next.
        transfers: Transfers = Transfers::Always,
        /// The largest number of attempts to plan the job, each with the chain that failed before in front.
        #[unit = "attempts"]
        attempts: Count = Count::ONE,
        /// The critical jobs methods go on where the published method ends, if true: tasks are moved to the left and to
        /// cheaper nodes after the last chain, and a job whose chains find no place is planned task by task.
        refine: bool = true,
        /// The name of the unit of time, for metrics and the axes of figures. Seconds, minutes, hours and days also say
        /// how long the times of WfCommons files are in it.
        time_unit: String = ANY_UNIT.to_string(),
    }
    starter(include_str!("starter.ron"))
    check(this, at, errors) {
        report_time_unit(&this.time_unit, &at.field("time_unit"), errors);
        report_size(&this.tasks, &this.domain, &at.field("tasks"), errors);
        this.tasks.report_unit(&this.time_unit, &at.field("tasks"), errors);
        report_repeated_methods(&this.methods, &at.field("methods"), errors);
    }
}
