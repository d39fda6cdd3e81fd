//! What the refined critical jobs method promises beyond the published one.

use super::samples::{Sample, job};
use super::{best, sample, value};
use gridloom::check::{Facts, check_execution, check_plan};
use gridloom::language::Source;
use gridloom::model::{Interval, NodeId, TaskId};
use gridloom::rng::Streams;
use gridloom::sim::{PlannedJob, execute};
use gridloom::study::{NoProgress, Outcome, Row, load_study, run};
use gridloom::units::{Span, Time};
use gridloom::workflow::{
    Failure, Placement, Plan, PlanOrigin, PlanProblem, Shortcoming, Strategy, Transfers, heft, plan,
};
use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};
use proptest::test_runner::Config;

const STRATEGIES: [Strategy; 3] = [Strategy::Cheapest, Strategy::EarliestFinish, Strategy::LatestStart];

fn planned(problem: &PlanProblem<'_>) -> Result<Plan, Failure> {
    plan(problem, &mut Streams::new(7, 0).stream("ties"))
}

/// The same tasks on the same nodes in the order of their starts, each tried unit by unit from when its data is there.
fn plainly_shifted(problem: &PlanProblem<'_>, placements: &[Placement]) -> Vec<Placement> {
    let mut order = placements.to_vec();
    order.sort_by_key(|at| at.interval.start);
    let mut done: Vec<Placement> = Vec::new();
    for at in order {
        let arrivals = problem.dag.predecessors(at.task).map(|edge| {
            let before = done.iter().find(|other| other.task == edge.from).unwrap();
            before.interval.end + problem.transfers.between(edge.transfer, before.node, at.node)
        });
        let mut start = arrivals.fold(problem.release, Time::max);
        let fits = |start: Time| {
            let interval = Interval::new(start, start + at.interval.span());
            let reserved = problem.reserved.get(at.node.index()).into_iter().flatten();
            problem.free[at.node.index()].iter().any(|free| free.covers(interval))
                && !reserved.into_iter().any(|held| held.overlaps(interval))
                && !done.iter().any(|other| other.node == at.node && other.interval.overlaps(interval))
        };
        while !fits(start) {
            start += Span::from_units(1);
        }
        done.push(Placement { interval: Interval::new(start, start + at.interval.span()), ..at });
    }
    done.sort_by_key(|at| at.task);
    done
}

proptest! {
    #![proptest_config(Config { cases: 300, ..Config::default() })]

    #[test]
    fn the_earliest_finish_loses_to_no_other_method(sample in sample(14)) {
        let problem = PlanProblem { strategy: Strategy::EarliestFinish, ..sample.problem() };
        let cheapest = planned(&PlanProblem { strategy: Strategy::Cheapest, ..problem });
        let published = planned(&PlanProblem { refine: false, ..problem });
        let others = [cheapest, published, heft(&problem)];
        let finish = planned(&problem).ok().and_then(|plan| plan.finish());
        for other in others.into_iter().flatten() {
            prop_assert!(finish.is_some_and(|finish| Some(finish) <= other.finish()));
        }
    }

    #[test]
    fn no_left_shift_improves_a_plan(sample in sample(14), cheapest in any::<bool>()) {
        let strategy = if cheapest { Strategy::Cheapest } else { Strategy::EarliestFinish };
        let problem = PlanProblem { strategy, ..sample.problem() };
        if let Ok(plan) = planned(&problem) {
            check_plan(&problem, &plan.placements).unwrap();
            prop_assert_eq!(plainly_shifted(&problem, &plan.placements), plan.placements);
        }
    }

    #[test]
    fn refining_makes_no_plan_worse(sample in sample(10)) {
        let problem = sample.problem();
        let published = planned(&PlanProblem { refine: false, ..problem });
        let refined = planned(&problem);
        if let Ok(published) = published {
            let refined = refined.unwrap();
            let [better, was] = [&refined, &published].map(|plan| value(problem.strategy, plan));
            prop_assert!(better <= was);
            // Chains that nothing moved are the published ones, unless those of the cheapest strategy end earlier (or,
            // backwards, start later).
            if refined.origin == PlanOrigin::Chains && better == was {
                prop_assert_eq!(refined, published);
            }
        }
    }

    #[test]
    fn a_job_with_ample_time_is_planned((dag, estimates) in job(14, 3), always in any::<bool>()) {
        // All tasks one after another on the slowest nodes, with all transfers between them.
        let slowest = |task| (0..3).map(|node| estimates.span(TaskId(task), NodeId(node))).max().unwrap();
        let work = (0..dag.tasks().len() as u32).map(slowest).fold(Span::ZERO, |sum, span| sum + span);
        let enough = dag.edges().iter().fold(work, |sum, edge| sum + edge.transfer);
        let transfers = if always { Transfers::Always } else { Transfers::BetweenNodes };
        let sample = Sample { transfers, ..Sample::idle(dag, estimates, enough.ticks() / 1_000_000) };
        for strategy in STRATEGIES {
            let problem = PlanProblem { strategy, attempts: 1, ..sample.problem() };
            let plan = planned(&problem).unwrap();
            check_plan(&problem, &plan.placements).unwrap();
        }
    }

    #[test]
    fn reasons_are_true(sample in sample(5)) {
        let problem = sample.problem();
        if let Err(Failure::NoPlace { reason, .. }) = planned(&problem) {
            match reason {
                Shortcoming::Impossible { earliest, deadline, .. } => {
                    prop_assert!(earliest > deadline && deadline == problem.deadline);
                    prop_assert!(best(&problem).is_none());
                    // By how much is true as well: no plan is known to be impossible a tick before it is.
                    let free: Vec<Vec<Interval>> = problem.free.iter().map(|free| {
                        let mut free = free.clone();
                        // A node that is never free is so from the deadline on, too.
                        free.push(Interval::new(free.last().map_or(deadline, |last| last.end.max(deadline)), earliest));
                        free.retain(|free| !free.is_empty());
                        free
                    }).collect();
                    let later = PlanProblem { free: &free, deadline: earliest - Span::from_ticks(1), ..problem };
                    prop_assert!(best(&later).is_none());
                }
                Shortcoming::Late { finish, deadline, .. } => prop_assert!(finish > deadline && deadline == problem.deadline),
                other => prop_assert!(false, "{other:?}"),
            }
        }
    }
}

#[test]
fn tasks_of_no_length_run_as_planned_even_inside_others() {
    let sample = {
        let (dag, estimates) = super::samples::two_with_an_empty_one();
        Sample { transfers: Transfers::Always, ..Sample::idle(dag, estimates, 4) }
    };
    let problem = sample.problem();
    let at = |task, start: i64, end: i64| Placement {
        task: TaskId(task),
        node: NodeId(0),
        interval: Interval::new(Time::from_units(start), Time::from_units(end)),
    };
    let placements = [at(0, 0, 2), at(1, 1, 1), at(2, 2, 4)];
    check_plan(&problem, &placements).unwrap();
    let runtimes = placements.map(|at| at.interval.span());
    let job = PlannedJob { dag: &sample.dag, placements: &placements, runtimes: &runtimes };
    let ran = execute(&[job], 1, sample.transfers).unwrap().remove(0);
    assert_eq!(ran, placements.map(|at| at.interval));
    let facts = Facts { dag: &sample.dag, planned: &placements, ran: &ran, runtimes: &runtimes };
    assert_eq!(check_execution(&[facts], sample.transfers), Ok(()));
    for strategy in STRATEGIES {
        let plan = planned(&PlanProblem { strategy, ..problem }).unwrap();
        check_plan(&problem, &plan.placements).unwrap();
    }
}

fn outcome(text: &str) -> Outcome {
    let study = load_study(&Source::new("w.ron", text), &[]).unwrap_or_else(|report| panic!("{report}"));
    run(&study, &NoProgress).unwrap()
}

fn figure(outcome: &Outcome, series: &str, metric: &str) -> Option<f64> {
    let row = outcome.results.rows.iter().find(|row| row.series == series && row.metric == metric);
    row.map(|row| row.mean)
}

#[test]
fn a_task_of_no_length_may_be_listed_anywhere() {
    let tasks = [
        r#"(name: "a", time: 1)"#,
        r#"(name: "b", time: 0)"#,
        r#"(name: "c", time: 1, after: [(task: "a"), (task: "b", transfer: 1)])"#,
    ];
    for order in [[0, 1, 2], [1, 0, 2], [2, 1, 0], [2, 0, 1]] {
        let tasks = order.map(|task| tasks[task]).join(", ");
        let outcome = outcome(&format!(
            "(name: \"zero-length\", experiment: Workflows(cases: [(name: \"job\", tasks: Listed(tasks: [{tasks}]))], methods: [CheapestChains, \
             EarliestChains, LatestChains, Exact(1000000), Heft], domain: (nodes: 1, types: [1], performance: 10), \
             deadline: 2, attempts: 6, steps: true))"
        ));
        for series in
            ["critical jobs", "critical jobs, earliest finish", "critical jobs, latest start", "exact", "HEFT"]
        {
            assert_eq!(figure(&outcome, series, "makespan"), Some(2.0), "{series}, order {order:?}");
        }
    }
}

#[test]
fn a_run_says_why_a_job_has_no_place() {
    let row = "(name: \"first\", time: 6), (name: \"second\", time: 7, after: [(task: \"first\", transfer: 1)])";
    let one = |deadline: u32, nodes: u32, refine: bool| {
        outcome(&format!(
            "(name: \"w\", experiment: Workflows(cases: [(name: \"job\", tasks: Listed(tasks: [{row}, (name: \"third\", time: 9)]))], methods: [CheapestChains, \
             Heft, Exact(1000)], domain: (nodes: {nodes}, types: [1], performance: 10), deadline: {deadline}, refine: {refine}, steps: true))"
        ))
    };
    let said = one(12, 2, true).notes.join("\n");
    // What no method can do is told of all of them alike.
    for method in ["critical jobs", "HEFT", "exact"] {
        let why = "no time: the chain that ends with task \"second\" takes 14 time units on the fastest nodes, 2 more than the interval of 12";
        assert!(said.lines().any(|line| line.starts_with(&format!("{method}: ")) && line.ends_with(why)), "{said}");
    }
    // On one node all three take 22.
    let said = one(20, 1, true).notes.join("\n");
    assert!(said.contains("the earliest plan found ends with task"), "{said}");
    assert!(said.contains("at 22, 2 time units after the deadline of 20"), "{said}");
    assert!(said.contains("no plan exists: all were tried"), "{said}");
    let said = one(20, 1, false).notes.join("\n");
    assert!(said.contains("the chain that starts with task \"third\" found no place among the others in 1"), "{said}");
    assert!(one(22, 1, true).notes.is_empty());

    let many = outcome(
        "(name: \"w\", replications: 20, experiment: Workflows(cases: [(name: \"row\", tasks: Layered(tiers: 4, width: \
         UniformInteger(low: 1, high: 3), density: 0.5, time: UniformInteger(low: 1, high: 5), transfer: UniformInteger(low: 1, high: 3)))], \
         methods: [CheapestChains], domain: (nodes: 3, types: [1, 2], performance: 10, occupancy: 0.3, local_length: \
         UniformInteger(low: 1, high: 4)), deadline_factor: 1.2))",
    );
    let lost = 20.0 * (1.0 - figure(&many, "row", "success ratio").unwrap());
    let lost = lost.round();
    assert!(lost > 0.0);
    let note = many.notes.join("\n");
    assert!(note.starts_with(&format!("row: {lost} of 20 jobs have no plan: ")), "{note}");
    // Each job is counted for one cause, and there are no other metrics of causes.
    let of_row = |row: &&Row| row.series == "row";
    let causes = || many.results.rows.iter().filter(of_row).filter(|row| row.metric.starts_with("without a plan: "));
    let share: f64 = causes().map(|row| row.mean).sum();
    assert!((20.0 * share - lost).abs() < 1e-9, "{share}");
    for former in ["no plan exists", "earliest plan found is late"] {
        assert_eq!(figure(&many, "row", former), None, "{former}");
    }
    assert!(figure(&many, "row", "time missing").unwrap() > 0.0);
    assert!(figure(&many, "row", "planned without chains").is_some());
}
