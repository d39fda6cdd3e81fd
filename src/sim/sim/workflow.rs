//! Planned jobs executed with their actual runtimes.

use crate::engine::{Kernel, Phase, ScheduleError};
use crate::model::{Dag, Interval, NodeId, TaskId};
use crate::units::{Span, Time};
use crate::workflow::{Placement, Transfers};

/// At one instant, tasks end before others can take their nodes.
const FINISHES: Phase = Phase(0);
const STARTS: Phase = Phase(1);

/// A job with its plan, and how long its tasks really take.
#[derive(Debug, Clone, Copy)]
pub struct PlannedJob<'a> {
    /// The tasks.
    pub dag: &'a Dag,
    /// Where and when each is to run, by task; not before time zero.
    pub placements: &'a [Placement],
    /// The runtime of each, by task.
    pub runtimes: &'a [Span],
}

/// One task of one job.
type Id = (usize, TaskId);

#[derive(Debug, Clone, Copy)]
enum TaskEvent {
    /// The planned start has come, or data has arrived.
    Ready(Id),
    Finish(Id),
}

/// Executes jobs that share nodes; when each task ran, by job and task.
///
/// A task starts when its planned start has come, all its data is there and every task planned before it on its node
/// has ended. So a task that takes longer than planned delays others, and one that is shorter leaves its node idle. A
/// task that takes no time does not wait for its node.
///
/// ```
/// use gridloom::model::{Dag, Interval, NodeId, Task, TaskId};
/// use gridloom::sim::{PlannedJob, execute};
/// use gridloom::units::{Span, Time, Volume};
/// use gridloom::workflow::{Placement, Transfers};
///
/// let task = |name: &str| Task { name: name.into(), volume: Volume::from_units(1) };
/// let dag = Dag::new(vec![task("a"), task("b")], vec![])?;
/// let at = |start, end| Interval::new(Time::from_units(start), Time::from_units(end));
/// let place = |task, interval| Placement { task: TaskId(task), node: NodeId(0), interval };
/// let placements = [place(0, at(0, 2)), place(1, at(2, 3))];
/// let runtimes = [Span::from_units(4), Span::from_units(1)];
/// let job = PlannedJob { dag: &dag, placements: &placements, runtimes: &runtimes };
/// let ran = execute(&[job], 1, Transfers::Always).unwrap();
/// assert_eq!(ran[0], [at(0, 4), at(4, 5)], "the second waits for the node");
/// # Ok::<(), gridloom::model::DagError>(())
/// ```
pub fn execute(
    jobs: &[PlannedJob<'_>],
    nodes: usize,
    transfers: Transfers,
) -> Result<Vec<Vec<Interval>>, ScheduleError> {
    let mut kernel = Kernel::new();
    let mut floor = Floor::new(jobs, nodes, transfers);
    for (job, planned) in jobs.iter().enumerate() {
        for at in planned.placements {
            kernel.schedule_at(at.interval.start, STARTS, TaskEvent::Ready((job, at.task)))?;
        }
    }
    kernel.run(|kernel, event| match event {
        TaskEvent::Ready(id) => floor.ready(id, kernel),
        TaskEvent::Finish(id) => floor.finish(id, kernel),
    })?;
    Ok(floor.ran)
}

/// The nodes at work.
struct Floor<'a> {
    jobs: &'a [PlannedJob<'a>],
    transfers: Transfers,
    /// By node: its tasks in the order of their planned starts.
    queues: Vec<Vec<Id>>,
    /// By node: how many of them have ended.
    done: Vec<usize>,
    /// By job and task: how many data it still waits for, and its planned start.
    waits: Vec<Vec<usize>>,
    ran: Vec<Vec<Interval>>,
}

impl<'a> Floor<'a> {
    fn new(jobs: &'a [PlannedJob<'a>], nodes: usize, transfers: Transfers) -> Self {
        let mut queues: Vec<Vec<(Interval, usize, usize, TaskId)>> = vec![Vec::new(); nodes];
        for (index, job) in jobs.iter().enumerate() {
            let takes_time = |task: TaskId| job.runtimes[task.index()] > Span::ZERO;
            for (place, &task) in job.dag.order().iter().enumerate().filter(|(_, task)| takes_time(**task)) {
                let at = job.placements[task.index()];
                queues[at.node.index()].push((at.interval, index, place, task));
            }
        }
        let sorted = |mut queue: Vec<(Interval, usize, usize, TaskId)>| {
            queue.sort_unstable();
            queue.into_iter().map(|(_, job, _, task)| (job, task)).collect()
        };
        let inputs = |job: &PlannedJob<'_>| {
            let tasks = 0..job.dag.tasks().len() as u32;
            tasks.map(|task| job.dag.predecessors(TaskId(task)).count() + 1).collect()
        };
        let idle = |job: &PlannedJob<'_>| vec![Interval::new(Time::ZERO, Time::ZERO); job.dag.tasks().len()];
        Self {
            jobs,
            transfers,
            queues: queues.into_iter().map(sorted).collect(),
            done: vec![0; nodes],
            waits: jobs.iter().map(inputs).collect(),
            ran: jobs.iter().map(idle).collect(),
        }
    }

    fn node(&self, (job, task): Id) -> NodeId {
        self.jobs[job].placements[task.index()].node
    }

    fn ready(&mut self, (job, task): Id, kernel: &mut Kernel<TaskEvent>) -> Result<(), ScheduleError> {
        self.waits[job][task.index()] -= 1;
        if self.takes_no_time((job, task)) {
            if self.waits[job][task.index()] > 0 {
                return Ok(());
            }
            self.ran[job][task.index()] = Interval::new(kernel.now(), kernel.now());
            // Its data goes on in the phase that is under way.
            return self.send_data((job, task), kernel);
        }
        let node = self.node((job, task));
        let is_next = self.queues[node.index()].get(self.done[node.index()]) == Some(&(job, task));
        if is_next { self.start_next(node, kernel) } else { Ok(()) }
    }

    fn finish(&mut self, id: Id, kernel: &mut Kernel<TaskEvent>) -> Result<(), ScheduleError> {
        self.send_data(id, kernel)?;
        let node = self.node(id);
        self.done[node.index()] += 1;
        self.start_next(node, kernel)
    }

    /// Sends the data of a task that has ended to all who wait for it.
    fn send_data(&self, (job, task): Id, kernel: &mut Kernel<TaskEvent>) -> Result<(), ScheduleError> {
        let node = self.node((job, task));
        for edge in self.jobs[job].dag.successors(task) {
            let delay = self.transfers.between(edge.transfer, node, self.node((job, edge.to)));
            kernel.schedule_after(delay, STARTS, TaskEvent::Ready((job, edge.to)))?;
        }
        Ok(())
    }

    fn takes_no_time(&self, (job, task): Id) -> bool {
        self.jobs[job].runtimes[task.index()] <= Span::ZERO
    }

    /// Starts the next task of a node, if nothing keeps it.
    fn start_next(&mut self, node: NodeId, kernel: &mut Kernel<TaskEvent>) -> Result<(), ScheduleError> {
        let Some(&(job, task)) = self.queues[node.index()].get(self.done[node.index()]) else { return Ok(()) };
        if self.waits[job][task.index()] > 0 {
            return Ok(());
        }
        let now = kernel.now();
        let runtime = self.jobs[job].runtimes[task.index()];
        self.ran[job][task.index()] = Interval::new(now, now.checked_add(runtime)?);
        kernel.schedule_after(runtime, FINISHES, TaskEvent::Finish((job, task)))?;
        Ok(())
    }
}
