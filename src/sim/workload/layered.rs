//! Jobs made of tasks, tier by tier.

use super::{DrawError, draw_count, draw_span};
use crate::model::{Dag, Edge, Task, TaskId};
use crate::rng::{Stream, below, unit};
use crate::units::{Performance, UnitsError};
use crate::workload::{LayeredSpec, TasksSpec, work};

/// The tasks of a job; `performance` is that of the fastest nodes, which with a task's time gives its volume.
pub fn draw_tasks(spec: &TasksSpec, performance: Performance, stream: Stream) -> Result<Dag, DrawError> {
    match spec {
        TasksSpec::Layered(layered) => Ok(draw_layered(layered, performance, stream)?),
        TasksSpec::Listed(listed) => Ok(listed.dag(performance)?),
        TasksSpec::File(file) => Err(DrawError::Unread(file.path.clone())),
    }
}

/// Tasks in tiers, with edges from each tier to the next.
fn draw_layered(spec: &LayeredSpec, performance: Performance, mut stream: Stream) -> Result<Dag, UnitsError> {
    let mut tasks = Vec::new();
    let mut edges = Vec::new();
    let mut before = 0..0;
    for tier in 0..spec.tiers.get() {
        let first = tasks.len() as u32;
        let width = draw_count(&spec.width, &mut stream).max(1) as u32;
        for to in first..first + width {
            let time = draw_span(&spec.time, &mut stream)?;
            tasks.push(Task { name: format!("{}", to + 1), volume: work(performance, time) });
            let mut parents: Vec<u32> = before.clone().filter(|_| unit(&mut stream) < spec.density.get()).collect();
            if parents.is_empty() && tier > 0 {
                parents.push(before.start + below(&mut stream, u64::from(before.end - before.start)) as u32);
            }
            for from in parents {
                let transfer = draw_span(&spec.transfer, &mut stream)?;
                edges.push(Edge { from: TaskId(from), to: TaskId(to), transfer });
            }
        }
        before = first..first + width;
    }
    Ok(assemble(tasks, edges))
}

/// Names are numbers and edges lead on to later tasks, so this is always a job.
fn assemble(tasks: Vec<Task>, edges: Vec<Edge>) -> Dag {
    Dag::new(tasks, edges).unwrap_or_else(|error| unreachable!("{error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{Source, load};
    use crate::rng::Streams;

    fn drawn(spec: &str, replication: u64) -> Dag {
        let spec: TasksSpec = load(Source::new("tasks", spec), &[]).unwrap_or_else(|report| panic!("{report}"));
        draw_tasks(&spec, Performance::from_units(10), Streams::new(3, replication).stream("tasks")).unwrap()
    }

    #[test]
    fn a_layered_job_has_its_tiers_and_nobody_but_the_first_starts_alone() {
        let text = "Layered(tiers: 5, width: UniformInteger(low: 1, high: 4), density: 0.4, time: UniformInteger(low: 2, high: 10), transfer: 1)";
        let (mut edges, mut possible) = (0, 0);
        for replication in 0..200 {
            let dag = drawn(text, replication);
            let mut tier = vec![0u32; dag.tasks().len()];
            for &task in dag.order() {
                let parents: Vec<u32> = dag.predecessors(task).map(|edge| tier[edge.from.index()]).collect();
                tier[task.index()] = parents.iter().max().map_or(0, |tier| tier + 1);
                assert!(parents.windows(2).all(|pair| pair[0] == pair[1]), "edges lead from one tier to the next");
            }
            let widths: Vec<usize> = (0..5).map(|of| tier.iter().filter(|&&tier| tier == of).count()).collect();
            assert!(widths.iter().all(|width| (1..=4).contains(width)));
            assert!(dag.tasks().iter().all(|task| (20.0..=100.0).contains(&task.volume.as_f64())));
            edges += dag.edges().len();
            possible += widths.windows(2).map(|pair| pair[0] * pair[1]).sum::<usize>();
        }
        // Density 0.4, and one where none is drawn: with two and a half candidates on average that adds about a tenth.
        let density = edges as f64 / possible as f64;
        assert!((0.45..0.60).contains(&density), "{density}");
    }

    #[test]
    fn a_listed_job_is_as_listed() {
        let dag = drawn(
            "Listed(tasks: [(name: \"a\", time: 2), (name: \"b\", time: 3, after: [(task: \"a\", transfer: 1)])])",
            0,
        );
        assert_eq!(dag.tasks()[1].volume.as_f64(), 30.0);
        assert_eq!(dag.edges().len(), 1);
    }

    #[test]
    fn what_is_no_job_is_refused_with_its_place() {
        let text = "Listed(tasks: [
    (name: \"a\", time: 2, after: [(task: \"c\"), (task: \"b\"), (task: \"b\")]),
    (name: \"b\", time: 3),
    (name: \"b\", time: 3),
])";
        let said = |text: &str| load::<TasksSpec>(Source::new("tasks", text), &[]).unwrap_err().to_string();
        let first = said(text);
        assert!(first.contains("tasks[0].after[0].task: there is no task \"c\""), "{first}");
        assert!(first.contains("tasks[0].after[2].task: \"b\" is waited for already"), "{first}");
        assert!(first.contains("tasks[2].name: another task is called \"b\""), "{first}");
        let circle = said(
            "Listed(tasks: [(name: \"a\", time: 2, after: [(task: \"b\")]), (name: \"b\", time: 3, after: [(task: \"a\")])])",
        );
        assert!(circle.contains("tasks wait for each other in a circle: a -> b -> a"), "{circle}");
    }
}
