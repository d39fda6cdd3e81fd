//! What a job loses when one of its tasks is broken off, and when it counts as begun.

use crate::simulated::simulated;
use gridloom::check::check_grid;
use gridloom::metrics::job_outcomes;
use gridloom::model::JobId;
use gridloom::sim::{Cause, Ending, Event, GridEntry, GridRules, GridTrace};
use gridloom::units::{Span, Time};
use gridloom::workload::GridWorld;

/// A run of workflows or rigid jobs among owners who come without notice, and its rules.
fn ran(work: &str, policy: &str, displacement: &str, seed: u64) -> (GridWorld, GridRules, GridTrace) {
    let text = format!(
        "(horizon: 600, drain: UpTo(600), step: 50,
        domains: [(name: \"d\", nodes: 4, owners: [(gap: Exponential(mean: 60), length: 5)])],
        flows: [(name: \"f\", arrivals: Batches(every: 60, first: 1, size: 1), work: {work}, max_price: 5)],
        metascheduler: (period: 10, interval: 400), policies: [{policy}], displacement: {displacement})"
    );
    simulated(&text, seed)
}

const CHAIN: &str = "Workflow(tasks: Listed(tasks: [(name: \"a\", time: 30), (name: \"b\", time: 30, after: [(task: \"a\", transfer: 1)])]),
    nodes: 2, window_factor: 2)";

/// Jobs and instants.
type Instants = Vec<(JobId, Time)>;

/// The instants at which a task of each job was broken off, and those at which the job lost all it had.
fn breaks_and_losses(trace: &GridTrace) -> (Instants, Instants) {
    let (mut breaks, mut losses) = (Vec::new(), Vec::new());
    for entry in &trace.entries {
        match entry.what {
            Event::Ended(piece, Ending::Broken(..)) => breaks.push((piece.job, entry.time)),
            Event::Lost(job, _) => losses.push((job, entry.time)),
            _ => {}
        }
    }
    breaks.dedup();
    (breaks, losses)
}

#[test]
fn a_workflow_that_is_displaced_as_a_whole_begins_again() {
    for policy in ["ApplicationOnly", "FirstWindow", "Easy"] {
        let mut displaced = 0;
        for seed in 1..6 {
            let (world, rules, trace) = ran(CHAIN, policy, "Job", seed);
            let (breaks, losses) = breaks_and_losses(&trace);
            assert_eq!(breaks, losses, "{policy}, seed {seed}");
            displaced += breaks.len();
            // The check does not take a run for one that it is not: there, jobs go on.
            let (_, _, kept) = ran(CHAIN, policy, "Task", seed);
            let (breaks, losses) = breaks_and_losses(&kept);
            assert!(breaks.is_empty() || losses.len() < breaks.len());
            assert!(breaks.is_empty() || check_grid(&world, &rules, &kept).is_err(), "{policy}, seed {seed}");
        }
        assert!(displaced > 10, "{displaced}");
    }
}

#[test]
fn no_job_drives_itself_away() {
    let text = "(horizon: 4000, drain: UpTo(400), step: 50, domains: [(name: \"d\", nodes: 2)],
        flows: [(name: \"f\", arrivals: Batches(every: 400, first: 1, size: 1), work: CHAIN, max_price: 5)],
        metascheduler: (period: 10, interval: 400), policies: [POLICY], actual: Uniform(low: 1, high: 1.6))";
    for policy in ["ApplicationOnly", "FirstWindow", "Opt(MinTime)", "Easy"] {
        let chain = CHAIN.replace("window_factor: 2", "window_factor: 3");
        let text = text.replace("POLICY", policy).replace("CHAIN", &chain);
        let (world, _, trace) = simulated(&text, 1);
        assert_eq!(breaks_and_losses(&trace).0, [], "{policy}");
        let done = job_outcomes(&world, &trace).iter().filter(|outcome| outcome.finish.is_some()).count();
        assert_eq!(done, 10, "{policy}");
        let gave_way = |entry: &&GridEntry| matches!(entry.what, Event::Collided(_, Cause::Input, _));
        assert!(trace.entries.iter().any(|entry| gave_way(&entry)), "{policy}: nothing waits for an overrun");
        // Where no other job is, it is all the same whether one could hold an overrun up.
        let extended = text.replace("actual:", "overrun: Extended, actual:");
        let (world, _, other) = simulated(&extended, 1);
        assert_eq!(job_outcomes(&world, &trace), job_outcomes(&world, &other), "{policy}");
    }
}

/// The start of each job as its trace tells it: of the tasks whose work was not lost, the first start; by a look at all
/// of the trace for each job.
fn plain_start(trace: &GridTrace, job: JobId, is_workflow: bool) -> Option<Time> {
    let mut starts: Vec<(u32, Time, bool)> = Vec::new();
    for entry in &trace.entries {
        match entry.what {
            Event::Started(piece, ..) if piece.job == job && starts.iter().all(|&(task, ..)| task != piece.task) => {
                starts.push((piece.task, entry.time, false));
            }
            Event::Ended(piece, Ending::Broken(_, kept)) if piece.job == job => {
                let is_hit = |task: u32| !is_workflow || task == piece.task;
                if kept > Span::ZERO {
                    starts.iter_mut().filter(|(task, ..)| is_hit(*task)).for_each(|(.., saved)| *saved = true);
                } else {
                    starts.retain(|&(task, _, saved)| saved || !is_hit(task));
                }
            }
            Event::Lost(lost, _) if lost == job => starts.clear(),
            _ => {}
        }
    }
    starts.iter().map(|&(_, start, _)| start).min()
}

#[test]
fn a_job_begins_with_the_first_work_that_is_not_lost() {
    let mut later = 0;
    let rigid = "Rigid(nodes: UniformInteger(low: 1, high: 2), length: 40)";
    for (work, policy) in [(CHAIN, "ApplicationOnly"), (CHAIN, "FirstWindow"), (rigid, "Fcfs"), (rigid, "FirstWindow")]
    {
        for displacement in ["Task", "Job", "Checkpoint(every: 8, cost: 0.5)"] {
            for seed in 1..4 {
                let (world, _, trace) = ran(work, policy, displacement, seed);
                for (index, outcome) in job_outcomes(&world, &trace).iter().enumerate() {
                    let job = JobId(index as u32);
                    let plain = plain_start(&trace, job, world.jobs[index].workflow.is_some());
                    assert_eq!(outcome.start, plain, "{job} under {policy}, {displacement}, seed {seed}");
                    let begins =
                        |entry: &&GridEntry| matches!(entry.what, Event::Started(piece, ..) if piece.job == job);
                    let first = trace.entries.iter().find(begins).map(|entry| entry.time);
                    later += usize::from(first < plain);
                }
            }
        }
    }
    assert!(later > 50, "{later}");
}
