//! The tasks that a task waits for.

use super::names::Names;
use super::parts::{LinkedFile, Text, WfTask};
use crate::workload::task_file::TaskFileError;
use std::collections::{BTreeMap, BTreeSet};

/// The edges of a job, and the files that flow over them.
pub(super) struct Edges {
    /// Each task with one that it waits for.
    pub(super) pairs: BTreeSet<(usize, usize)>,
    /// By task: the files that it writes.
    pub(super) writes: Vec<BTreeSet<String>>,
    /// By task: the files that it reads.
    pub(super) reads: Vec<BTreeSet<String>>,
}

impl Edges {
    /// The edges that tasks tell by their parents and children. Where no task of a file has any, tasks wait for the
    /// tasks whose files they read; elsewhere such a file shows that an edge is missing.
    pub(super) fn of(tasks: &[WfTask<'_>], names: &Names<'_>, text: Text<'_>) -> Result<Self, TaskFileError> {
        // An edge may be told by either end.
        let mut pairs: BTreeSet<(usize, usize)> = BTreeSet::new();
        for (place, task) in tasks.iter().enumerate() {
            for parent in &task.parents.0 {
                pairs.insert((place, names.find(place, parent, (task, text))?));
            }
            for child in &task.children.0 {
                pairs.insert((names.find(place, child, (task, text))?, place));
            }
        }
        let writes = tasks.iter().map(|task| files(task, "output", &task.output_files.0)).collect();
        let reads = tasks.iter().map(|task| files(task, "input", &task.input_files.0)).collect();
        let mut edges = Self { pairs, writes, reads };
        let flows = edges.flows();
        if edges.pairs.is_empty() {
            edges.pairs = flows.iter().map(|&(from, to, _)| (to, from)).collect();
        } else if let Some((from, to, file)) = edges.unconnected(&flows) {
            let [writer, reader] = [from, to].map(|task| names.own[task]);
            let wrong =
                format!("task {reader:?} reads file {file:?}, which task {writer:?} writes, but does not wait for it");
            let right = format!("list {writer:?} among the `parents` of {reader:?}");
            return Err(text.wrong(tasks[to].source, wrong, right));
        }
        Ok(edges)
    }

    /// Every file with a task that writes it and another that reads it.
    fn flows(&self) -> Vec<(usize, usize, &str)> {
        let mut writers: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (task, files) in self.writes.iter().enumerate() {
            files.iter().for_each(|file| writers.entry(file).or_default().push(task));
        }
        let of = |(reader, files): (usize, &BTreeSet<String>)| -> Vec<(usize, usize, &str)> {
            let flow = |file: &String| {
                let (file, writers) = writers.get_key_value(file.as_str())?;
                // What a task writes itself, it needs from no other.
                let writers = writers.iter().filter(|_| !writers.contains(&reader));
                Some(writers.map(|&writer| (writer, reader, *file)).collect::<Vec<_>>())
            };
            files.iter().filter_map(flow).flatten().collect()
        };
        self.reads.iter().enumerate().flat_map(of).collect()
    }

    /// A task, another that reads what it writes, and the file, if the reader waits neither for this nor for another
    /// writer of the file, and none of them for the reader.
    fn unconnected<'f>(&self, flows: &[(usize, usize, &'f str)]) -> Option<(usize, usize, &'f str)> {
        let mut after: Vec<Vec<usize>> = vec![Vec::new(); self.reads.len()];
        let mut before = after.clone();
        for &(to, from) in &self.pairs {
            after[from].push(to);
            before[to].push(from);
        }
        let is_pair = |from: usize, to: usize| self.pairs.contains(&(to, from)) || self.pairs.contains(&(from, to));
        let direct: BTreeSet<(usize, &str)> =
            flows.iter().filter(|(from, to, _)| is_pair(*from, *to)).map(|&(_, to, file)| (to, file)).collect();
        let mut open: BTreeMap<usize, Vec<(usize, &'f str)>> = BTreeMap::new();
        for &(from, to, file) in flows.iter().filter(|(_, to, file)| !direct.contains(&(*to, *file))) {
            open.entry(from).or_default().push((to, file));
        }
        let mut found: BTreeSet<(usize, &str)> = BTreeSet::new();
        for (&from, readers) in &open {
            let [later, earlier] = [&after, &before].map(|edges| reached(from, edges));
            found.extend(readers.iter().filter(|(to, _)| later[*to] || earlier[*to]));
        }
        let all = open.iter().flat_map(|(&from, readers)| readers.iter().map(move |&(to, file)| (from, to, file)));
        all.into_iter().find(|(_, to, file)| !found.contains(&(*to, *file)))
    }
}

/// The tasks that edges lead to from one, at once or over others.
fn reached(from: usize, edges: &[Vec<usize>]) -> Vec<bool> {
    let mut is_reached = vec![false; edges.len()];
    let mut open = vec![from];
    while let Some(task) = open.pop() {
        for &next in &edges[task] {
            if !std::mem::replace(&mut is_reached[next], true) {
                open.push(next);
            }
        }
    }
    is_reached
}

/// The files that a task reads or writes, by either format.
fn files(task: &WfTask<'_>, link: &str, listed: &[String]) -> BTreeSet<String> {
    let linked = task.files.0.iter().filter(|file| file.link.eq_ignore_ascii_case(link)).map(LinkedFile::key);
    linked.chain(listed.iter().cloned()).collect()
}
