//! Jobs made of tasks that depend on each other.

use crate::units::{Span, UnitsError, Volume};
use std::collections::{BTreeMap, BTreeSet};

/// The position of a task in its job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(pub u32);

impl TaskId {
    /// The position as an index into the job's tasks.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One piece of work that runs on one node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Its name, unique in its job.
    pub name: String,
    /// The volume of its work.
    pub volume: Volume,
}

/// Data that goes from one task to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// The task that makes the data.
    pub from: TaskId,
    /// The task that needs it.
    pub to: TaskId,
    /// The time that the data takes from node to node.
    pub transfer: Span,
}

/// Tasks and the edges between them, without cycles.
///
/// ```
/// use gridloom::model::{Dag, DagError, Edge, Task, TaskId};
/// use gridloom::units::{Span, Volume};
///
/// let task = |name: &str| Task { name: name.into(), volume: Volume::from_units(10) };
/// let edge = |from, to| Edge { from: TaskId(from), to: TaskId(to), transfer: Span::ZERO };
/// let dag = Dag::new(vec![task("split"), task("work"), task("join")], vec![edge(0, 1), edge(1, 2)])?;
/// assert_eq!(dag.order().len(), 3);
/// assert_eq!(dag.successors(TaskId(0)).next().unwrap().to, TaskId(1));
/// # Ok::<(), DagError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dag {
    tasks: Vec<Task>,
    edges: Vec<Edge>,
    order: Vec<TaskId>,
    outgoing: Vec<Vec<u32>>,
    incoming: Vec<Vec<u32>>,
}

/// Why tasks and edges are not a job.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DagError {
    /// Two tasks of one name.
    #[error("task {0:?} is there twice")]
    DuplicateTask(String),
    /// An edge from or to a task that does not exist.
    #[error("edge {from} -> {to} names a task that does not exist; there are {tasks} tasks, counted from 0")]
    UnknownTask {
        /// The edge's first end.
        from: u32,
        /// The edge's second end.
        to: u32,
        /// The number of tasks.
        tasks: usize,
    },
    /// Two edges between the same tasks.
    #[error("there are two edges from {from:?} to {to:?}")]
    DuplicateEdge {
        /// The edges' first end.
        from: String,
        /// The edges' second end.
        to: String,
    },
    /// Tasks that wait for each other.
    #[error("tasks wait for each other in a circle: {}", .0.join(" -> "))]
    Cycle(Vec<String>),
}

impl Dag {
    /// Builds the job, or says why it is none.
    pub fn new(tasks: Vec<Task>, edges: Vec<Edge>) -> Result<Self, DagError> {
        let mut names = BTreeSet::new();
        if let Some(task) = tasks.iter().find(|task| !names.insert(task.name.as_str())) {
            return Err(DagError::DuplicateTask(task.name.clone()));
        }
        let mut outgoing = vec![Vec::new(); tasks.len()];
        let mut incoming = vec![Vec::new(); tasks.len()];
        let mut pairs = BTreeSet::new();
        for (index, edge) in edges.iter().enumerate() {
            let (from, to) = (edge.from, edge.to);
            if from.index().max(to.index()) >= tasks.len() {
                return Err(DagError::UnknownTask { from: from.0, to: to.0, tasks: tasks.len() });
            }
            if !pairs.insert((from, to)) {
                let name = |task: TaskId| tasks[task.index()].name.clone();
                return Err(DagError::DuplicateEdge { from: name(from), to: name(to) });
            }
            outgoing[from.index()].push(index as u32);
            incoming[to.index()].push(index as u32);
        }
        let mut dag = Self { tasks, edges, order: Vec::new(), outgoing, incoming };
        dag.order = dag.sort()?;
        Ok(dag)
    }

    /// The same with so many times the work in each task.
    pub(crate) fn longer(&self, factor: f64) -> Result<Self, UnitsError> {
        let mut longer = self.clone();
        for task in &mut longer.tasks {
            task.volume = Volume::from_f64(task.volume.as_f64() * factor)?;
        }
        Ok(longer)
    }

    /// The tasks, by [`TaskId`].
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// All edges.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Every task after all that it waits for; among those that could come next, the lowest id first.
    pub fn order(&self) -> &[TaskId] {
        &self.order
    }

    /// The edges that leave `task`.
    pub fn successors(&self, task: TaskId) -> impl Iterator<Item = &Edge> + '_ {
        self.outgoing[task.index()].iter().map(|&edge| &self.edges[edge as usize])
    }

    /// The edges that enter `task`.
    pub fn predecessors(&self, task: TaskId) -> impl Iterator<Item = &Edge> + '_ {
        self.incoming[task.index()].iter().map(|&edge| &self.edges[edge as usize])
    }

    /// The same tasks with every edge turned round.
    pub fn reversed(&self) -> Self {
        let turned = |edge: &Edge| Edge { from: edge.to, to: edge.from, transfer: edge.transfer };
        Self {
            tasks: self.tasks.clone(),
            edges: self.edges.iter().map(turned).collect(),
            order: self.order.iter().rev().copied().collect(),
            outgoing: self.incoming.clone(),
            incoming: self.outgoing.clone(),
        }
    }

    /// Kahn's algorithm with an ordered set of ready tasks.
    fn sort(&self) -> Result<Vec<TaskId>, DagError> {
        let mut waiting: Vec<usize> = self.incoming.iter().map(Vec::len).collect();
        let all = (0..self.tasks.len() as u32).map(TaskId);
        let mut ready: BTreeSet<TaskId> = all.filter(|task| waiting[task.index()] == 0).collect();
        let mut order = Vec::with_capacity(self.tasks.len());
        while let Some(task) = ready.pop_first() {
            order.push(task);
            for edge in self.successors(task) {
                waiting[edge.to.index()] -= 1;
                if waiting[edge.to.index()] == 0 {
                    ready.insert(edge.to);
                }
            }
        }
        if order.len() == self.tasks.len() { Ok(order) } else { Err(DagError::Cycle(self.circle(&waiting))) }
    }

    /// One circle among the tasks that still wait: walk back until a task comes up again.
    fn circle(&self, waiting: &[usize]) -> Vec<String> {
        let mut walk: Vec<TaskId> = Vec::new();
        let mut seen: BTreeMap<TaskId, usize> = BTreeMap::new();
        let mut task = TaskId(waiting.iter().position(|&count| count > 0).unwrap_or(0) as u32);
        while !seen.contains_key(&task) {
            seen.insert(task, walk.len());
            walk.push(task);
            let before = self.predecessors(task).find(|edge| waiting[edge.from.index()] > 0);
            task = before.map_or(task, |edge| edge.from);
        }
        walk.push(task);
        let circle = walk[seen[&task]..].iter().rev();
        circle.map(|task| self.tasks[task.index()].name.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tasks(count: usize) -> Vec<Task> {
        (0..count).map(|i| Task { name: format!("t{i}"), volume: Volume::from_units(1) }).collect()
    }

    fn edges(pairs: &[(u32, u32)]) -> Vec<Edge> {
        pairs.iter().map(|&(from, to)| Edge { from: TaskId(from), to: TaskId(to), transfer: Span::ZERO }).collect()
    }

    #[test]
    fn mistakes_are_named() {
        let mut twins = tasks(2);
        twins[1].name = "t0".into();
        let error = |dag: Result<Dag, DagError>| dag.unwrap_err().to_string();
        assert_eq!(error(Dag::new(twins, vec![])), "task \"t0\" is there twice");
        assert_eq!(
            error(Dag::new(tasks(4), edges(&[(0, 1), (1, 2), (2, 3), (3, 1)]))),
            "tasks wait for each other in a circle: t1 -> t2 -> t3 -> t1"
        );
        assert_eq!(error(Dag::new(tasks(1), edges(&[(0, 0)]))), "tasks wait for each other in a circle: t0 -> t0");
        assert!(error(Dag::new(tasks(2), edges(&[(0, 2)]))).contains("does not exist"));
        assert_eq!(error(Dag::new(tasks(2), edges(&[(0, 1), (0, 1)]))), "there are two edges from \"t0\" to \"t1\"");
    }

    #[test]
    fn a_job_without_tasks_is_a_job() {
        assert!(Dag::new(vec![], vec![]).unwrap().order().is_empty());
    }

    proptest! {
        #[test]
        fn an_order_respects_every_edge_and_a_circle_is_made_of_edges(
            pairs in prop::collection::btree_set((0u32..8, 0u32..8), 0..16),
        ) {
            let pairs: Vec<_> = pairs.into_iter().collect();
            match Dag::new(tasks(8), edges(&pairs)) {
                Ok(dag) => {
                    let place = |task: u32| dag.order().iter().position(|&other| other == TaskId(task));
                    prop_assert!(pairs.iter().all(|&(from, to)| place(from) < place(to)));
                }
                Err(DagError::Cycle(circle)) => {
                    let id = |name: &String| name[1..].parse::<u32>().unwrap();
                    prop_assert_eq!(circle.first(), circle.last());
                    let steps = circle.iter().zip(&circle[1..]);
                    prop_assert!(steps.into_iter().all(|(from, to)| pairs.contains(&(id(from), id(to)))));
                }
                Err(other) => prop_assert!(false, "{other}"),
            }
        }
    }
}
