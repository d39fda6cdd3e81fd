//! The graph of a Graphviz file as far as it has been read.

use super::in_dot;
use crate::workload::task_file::{FileTask, LINKS_LIMIT, TASKS_LIMIT, TaskFileError, TextPlace};
use std::collections::BTreeMap;

/// Tasks and edges in the order of the file, and the sizes of those that follow without one.
#[derive(Default)]
pub(super) struct Graph {
    nodes: Vec<GraphNode>,
    places: BTreeMap<String, usize>,
    edges: BTreeMap<(usize, usize), (f64, TextPlace)>,
    pub(super) node_size: Option<f64>,
    pub(super) edge_size: Option<f64>,
}

/// A task of the graph.
struct GraphNode {
    name: String,
    /// Where it is named first.
    place: TextPlace,
    size: Option<f64>,
    /// Where its size is given, if it has one of its own.
    sized: Option<TextPlace>,
}

impl Graph {
    /// The number of the task of this name, which stands at `at`.
    pub(super) fn place(&mut self, at: TextPlace, name: String) -> Result<usize, TaskFileError> {
        if let Some(&place) = self.places.get(&name) {
            return Ok(place);
        }
        let place = self.nodes.len();
        if place == TASKS_LIMIT {
            return Err(TaskFileError::Count(place + 1));
        }
        self.nodes.push(GraphNode { name: name.clone(), place: at, size: self.node_size, sized: None });
        self.places.insert(name, place);
        Ok(place)
    }

    pub(super) fn name(&self, task: usize) -> &str {
        &self.nodes[task].name
    }

    /// Gives a task its size, and the place where that stands.
    pub(super) fn size_task(&mut self, task: usize, size: Option<(f64, TextPlace)>) -> Result<(), TaskFileError> {
        let Some((size, at)) = size else { return Ok(()) };
        let node = &mut self.nodes[task];
        if let Some(first) = node.sized {
            let wrong = format!("task `{}` has a size already, on line {}", node.name, first.line);
            return Err(TaskFileError::at(at, wrong, "give each task one size"));
        }
        (node.size, node.sized) = (Some(size), Some(at));
        Ok(())
    }

    /// An edge, whose second end stands at `at`, with its data.
    pub(super) fn connect(
        &mut self,
        from: usize,
        (at, to): (TextPlace, usize),
        size: Option<f64>,
    ) -> Result<(), TaskFileError> {
        let [first, second] = [from, to].map(|task| in_dot(self.name(task)));
        if from == to {
            let wrong = format!("task `{first}` waits for itself");
            return Err(TaskFileError::at(at, wrong, format!("leave `{first} -> {second}` out")));
        }
        let data = size.or(self.edge_size).unwrap_or(0.0);
        if let Some((_, before)) = self.edges.insert((from, to), (data, at)) {
            let wrong = format!("the edge `{first} -> {second}` is there twice, first on line {}", before.line);
            return Err(TaskFileError::at(at, wrong, "leave one out, and give the other the data of both"));
        }
        if self.edges.len() > LINKS_LIMIT {
            let wrong = format!("there are more than {LINKS_LIMIT} edges");
            return Err(TaskFileError::at(at, wrong, "give a smaller graph"));
        }
        Ok(())
    }

    /// The tasks of the whole graph.
    pub(super) fn finish(self) -> Result<Vec<FileTask>, TaskFileError> {
        let unsized_ones: Vec<&GraphNode> = self.nodes.iter().filter(|node| node.size.is_none()).collect();
        if let [first, others @ ..] = &unsized_ones[..] {
            let name = in_dot(&first.name);
            let more = match others {
                [] => String::new(),
                [other] => format!(", and neither has `{}`", other.name),
                _ => format!(", and neither have {} others", others.len()),
            };
            let wrong = format!("task `{}` has no size{more}", first.name);
            let right = format!("write `{name} [size=3]`, or `node [size=3]` before it for all tasks that follow");
            return Err(TaskFileError::at(first.place, wrong, right));
        }
        if let Some(circle) = self.circle() {
            let names: Vec<String> = circle.iter().take(SHOWN).map(|&task| in_dot(self.name(task))).collect();
            let cut = if circle.len() > SHOWN { " -> ..." } else { "" };
            let at = self.edges.get(&(circle[circle.len() - 1], circle[0])).map(|(_, at)| *at);
            let wrong = format!("tasks wait for each other: {}{cut} -> {}", names.join(" -> "), names[0]);
            let at = at.unwrap_or(self.nodes[circle[0]].place);
            return Err(TaskFileError::at(at, wrong, "leave one of these edges out"));
        }
        let task = |node: GraphNode| FileTask { name: node.name, size: node.size.unwrap_or(0.0), inputs: Vec::new() };
        let mut tasks: Vec<FileTask> = self.nodes.into_iter().map(task).collect();
        for ((from, to), (data, _)) in self.edges {
            tasks[to].inputs.push((from, data));
        }
        Ok(tasks)
    }

    /// Tasks each of which waits for the one before it, and the first for the last, if there are such.
    fn circle(&self) -> Option<Vec<usize>> {
        let mut waits = vec![0_usize; self.nodes.len()];
        let mut after: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for &(from, to) in self.edges.keys() {
            waits[to] += 1;
            after[from].push(to);
            before[to].push(from);
        }
        let mut ready: Vec<usize> = (0..waits.len()).filter(|&task| waits[task] == 0).collect();
        while let Some(task) = ready.pop() {
            for &next in &after[task] {
                waits[next] -= 1;
                if waits[next] == 0 {
                    ready.push(next);
                }
            }
        }
        // Whatever still waits has one before it that does: going back, one of them comes a second time.
        let mut task = (0..waits.len()).find(|&task| waits[task] > 0)?;
        let mut seen: Vec<Option<usize>> = vec![None; waits.len()];
        let mut path = Vec::new();
        while seen[task].is_none() {
            seen[task] = Some(path.len());
            path.push(task);
            task = before[task].iter().copied().find(|&task| waits[task] > 0)?;
        }
        let mut circle = path.split_off(seen[task].unwrap_or(0));
        circle.reverse();
        // The first of them in the file comes first.
        let first = (0..circle.len()).min_by_key(|&index| circle[index]).unwrap_or(0);
        circle.rotate_left(first);
        Some(circle)
    }
}

/// At most this many tasks of a circle are named.
const SHOWN: usize = 10;
