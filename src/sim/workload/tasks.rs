//! Jobs made of tasks, and the nodes they are planned on.

use super::bounds::{TaskTimes, TenThousands};
use super::time_unit::{ANY_UNIT, report_seconds};
use crate::language::{Context, Count, Cursor, Fraction, NonEmpty, Positive, Within};
use crate::model::{Dag, DagError, Edge, Task, TaskId};
use crate::units::{Performance, Span, TICKS_PER_UNIT, Volume};
use crate::{choice, record};
use std::collections::{BTreeMap, BTreeSet};

/// The most tasks that a job may have, and the most nodes for it.
pub(super) const TASKS_LIMIT: u64 = 100_000;
choice! {
    /// Where the tasks of a job come from.
    pub enum TasksSpec {
        /// Drawn tier by tier.
        Layered(LayeredSpec),
        /// Listed one by one.
        Listed(ListedSpec),
        /// Read from a WfCommons (`.json`, format 1.0 to 1.6) or Graphviz (`.dot`, `.gv`) file. The scenario that a run
        /// leaves behind lists the tasks instead.
        File(FileSpec),
    }
}

record! {
    /// A job drawn tier by tier. Every task but those of the first tier waits for at least one task of the tier before.
    pub struct LayeredSpec {
        /// The number of tiers, N.
        #[unit = "tiers"]
        tiers: Count,
        /// The number of tasks in a tier.
        #[unit = "tasks"]
        width: Within<TenThousands>,
        /// The probability that a task waits for a given task of the tier before; where none is drawn, one is chosen.
        #[unit = "probability"]
        density: Fraction,
        /// The time that a task takes on the fastest nodes, up to ten million; draws of an unbounded distribution
        /// beyond that count as ten million.
        #[unit = "units of time"]
        time: Within<TaskTimes>,
        /// The time that data takes from a task to the next, up to ten million; draws of an unbounded distribution
        /// beyond that count as ten million.
        #[unit = "units of time"]
        transfer: Within<TaskTimes>,
    }
    check(this, at, errors) {
        let tasks = this.tiers.get() as f64 * this.width.max();
        if tasks > TASKS_LIMIT as f64 {
            errors.add(&at.field("tiers"), format!("up to {tasks} tasks could be drawn"), format!("keep it to {TASKS_LIMIT} tasks"));
        }
    }
}

record! {
    /// A job whose tasks are listed.
    pub struct ListedSpec {
        /// The tasks, in any order; data must not go round in circles.
        tasks: NonEmpty<TaskSpec>,
    }
    check(this, at, errors) { report_dag(this, at, errors); }
}

record! {
    /// A task.
    pub struct TaskSpec {
        /// Its name, unique in its job.
        name: String,
        /// The time that it takes on the fastest nodes.
        time: Span,
        /// The data that it waits for.
        after: Vec<InputSpec> = Vec::new(),
    }
}

record! {
    /// Data that a task waits for.
    pub struct InputSpec {
        /// The name of the task that makes it.
        task: String,
        /// The time that the data takes from one task to the other.
        transfer: Span = Span::ZERO,
    }
}

record! {
    /// A job in a file.
    pub struct FileSpec {
        /// The file, from the folder of the scenario. A Graphviz file is a `digraph` such as
        /// `digraph { a [size=3]; b [size=4]; a -> b [size=100] }`: the attribute `size` of a node is the work of a
        /// task, which each must have, and that of an edge the data that goes over, none unless given.
        /// `node [size=3]` and `edge [size=100]` hold for those that follow. Attributes of the drawing (`label`,
        /// `color`) are passed over. In a WfCommons file runtimes are the work, and the bytes of files that one task
        /// writes and another reads are the data.
        path: String,
        /// The data that goes over in a unit of time: in bytes for WfCommons, in the sizes of edges for Graphviz.
        /// Needed where data flows; a job without data needs none.
        #[unit = "bytes (WfCommons) or sizes of edges (Graphviz) per unit of time"]
        bandwidth: Option<Positive>,
        /// For WfCommons, the speed of the fastest nodes relative to the machine of the file; for Graphviz, the work
        /// that they do in a unit of time, in the sizes of the graph's nodes.
        #[unit = "factor (WfCommons) or sizes of nodes per unit of time (Graphviz)"]
        speed: Positive = Positive::ONE,
        /// For WfCommons, the number of seconds of runtime in a unit of time. It follows from a `time_unit` of seconds,
        /// minutes, hours, days or weeks; others need it. Outside of grids it is 1, unless given, where no `time_unit` is.
        #[unit = "seconds per unit of time"]
        seconds: Option<Positive>,
        /// The largest file that is read, in bytes; of its tasks and edges there may be 100,000 and 2,000,000.
        #[unit = "bytes"]
        max_bytes: Count = Count::of(64 << 20),
    }
    check(this, at, errors) {
        if this.seconds.is_some() && this.is_graphviz() {
            let right = "leave it out: `speed` says how much of them is done in a unit of time";
            errors.add(&at.field("seconds"), "the sizes of a Graphviz file have no unit", right);
        }
    }
}

impl FileSpec {
    /// True if it is read as a Graphviz file: by its name.
    pub(crate) fn is_graphviz(&self) -> bool {
        is_graphviz(&self.path)
    }
}

/// True if a file of this name is read as a Graphviz file.
pub(crate) fn is_graphviz(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower.ends_with(".dot") || lower.ends_with(".gv")
}

/// The largest possible size of a job.
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    pub tasks: f64,
    pub tiers: f64,
    /// All tasks one after another on the fastest nodes.
    pub time: f64,
    /// All transfers one after another.
    pub transfer: f64,
}

impl TasksSpec {
    /// Reports a file in seconds for a unit of time of unknown length, or of another length than it says. A unit that
    /// nobody named is a second.
    pub fn report_unit(&self, time_unit: &str, at: &Cursor<'_>, errors: &mut Context<'_>) {
        if let Self::File(file) = self
            && !file.is_graphviz()
            && time_unit != ANY_UNIT
        {
            report_seconds(file.seconds, time_unit, &at.field("seconds"), errors);
        }
    }

    /// The work of all tasks together on nodes of performance 1, on average; nothing for a file that was not read yet.
    pub(crate) fn mean_volume(&self) -> f64 {
        match self {
            Self::Layered(spec) => spec.tiers.get() as f64 * spec.width.mean() * spec.time.mean(),
            Self::Listed(spec) => spec.tasks.iter().map(|task| task.time.as_f64()).sum(),
            Self::File(_) => 0.0,
        }
    }

    /// The number of tasks on average; one for a file that was not read yet.
    pub fn mean_tasks(&self) -> f64 {
        match self {
            Self::Layered(spec) => spec.tiers.get() as f64 * spec.width.mean(),
            Self::Listed(spec) => spec.tasks.len() as f64,
            Self::File(_) => 1.0,
        }
    }

    /// The approximate time of a chain of tasks on the fastest nodes, transfers included: for listed tasks, all in a
    /// row.
    pub fn usual_chain(&self) -> f64 {
        match self {
            Self::Layered(spec) => spec.tiers.get() as f64 * (spec.time.mean() + spec.transfer.mean()),
            Self::Listed(_) | Self::File(_) => self.extent().map_or(0.0, |extent| extent.time + extent.transfer),
        }
    }

    /// The longest possible task; nothing for a file that was not read yet.
    pub(crate) fn longest(&self) -> Option<f64> {
        match self {
            Self::Layered(spec) => Some(spec.time.max()),
            Self::Listed(spec) => spec.tasks.iter().map(|task| task.time.as_f64()).reduce(f64::max),
            Self::File(_) => None,
        }
    }

    /// The largest possible size of the job; nothing for a file that was not read yet.
    pub fn extent(&self) -> Option<Extent> {
        match self {
            Self::Layered(spec) => {
                let (tiers, width) = (spec.tiers.get() as f64, spec.width.max());
                let tasks = tiers * width;
                Some(Extent {
                    tasks,
                    tiers,
                    time: tasks * spec.time.max(),
                    transfer: tasks * width * spec.transfer.max(),
                })
            }
            Self::Listed(spec) => {
                let tasks = spec.tasks.len() as f64;
                let time = spec.tasks.iter().map(|task| task.time.as_f64()).sum();
                let inputs = spec.tasks.iter().flat_map(|task| &task.after);
                Some(Extent { tasks, tiers: tasks, time, transfer: inputs.map(|input| input.transfer.as_f64()).sum() })
            }
            Self::File(_) => None,
        }
    }
}

impl ListedSpec {
    /// The listed job; `performance` is that of the fastest nodes.
    pub fn dag(&self, performance: Performance) -> Result<Dag, DagError> {
        let named = self.tasks.iter().enumerate().map(|(id, task)| (task.name.as_str(), TaskId(id as u32)));
        let ids: BTreeMap<&str, TaskId> = named.collect();
        let tasks =
            self.tasks.iter().map(|task| Task { name: task.name.clone(), volume: work(performance, task.time) });
        let edges = self.tasks.iter().enumerate().flat_map(|(to, task)| {
            // A name that does not exist becomes a number that does not, which is refused.
            let from = |input: &InputSpec| ids.get(input.task.as_str()).copied().unwrap_or(TaskId(u32::MAX));
            let edge = |input: &InputSpec| Edge { from: from(input), to: TaskId(to as u32), transfer: input.transfer };
            task.after.iter().map(edge).collect::<Vec<_>>()
        });
        Dag::new(tasks.collect(), edges.collect())
    }
}

/// The work that nodes of `performance` do in `time`, as far as a volume can hold it; rounded down, since they don't do
/// more.
pub fn work(performance: Performance, time: Span) -> Volume {
    let ticks = i128::from(performance.ticks()) * i128::from(time.ticks()) / i128::from(TICKS_PER_UNIT);
    i64::try_from(ticks).map_or(Volume::MAX, Volume::from_ticks)
}

/// Reports names that are there twice or not at all, inputs that are there twice, and circles.
fn report_dag(this: &ListedSpec, at: &Cursor<'_>, errors: &mut Context<'_>) {
    let tasks = at.field("tasks");
    let before = errors.len();
    let names: BTreeSet<&str> = this.tasks.iter().map(|task| task.name.as_str()).collect();
    let mut seen = BTreeSet::new();
    for (index, task) in this.tasks.iter().enumerate() {
        let place = tasks.element(index);
        if !seen.insert(task.name.as_str()) {
            errors.add(
                &place.field("name"),
                format!("another task is called {:?}", task.name),
                "give each task a name of its own",
            );
        }
        for (input, needed) in task.after.iter().enumerate() {
            let place = place.field("after").element(input).field("task");
            if !names.contains(needed.task.as_str()) {
                errors.add(
                    &place,
                    format!("there is no task {:?}", needed.task),
                    "give the name of a task of this job",
                );
            } else if task.after[..input].iter().any(|other| other.task == needed.task) {
                errors.add(&place, format!("{:?} is waited for already", needed.task), "leave it out");
            }
        }
    }
    if errors.len() == before
        && let Err(error) = this.dag(Performance::from_units(1))
    {
        errors.add(&tasks, error.to_string(), "let no task wait for itself");
    }
}
