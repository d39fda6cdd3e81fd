//! Plans of jobs made of tasks, against the check, brute force and published examples.

mod exactness;
mod questions;
mod refined;
mod samples;

use gridloom::check::{Facts, check_execution, check_plan};
use gridloom::language::{Source, read_source};
use gridloom::model::{Interval, NodeId, TaskId};
use gridloom::rng::Streams;
use gridloom::sim::{PlannedJob, execute};
use gridloom::study::{NoProgress, Study, load_study, run};
use gridloom::units::{Money, Span, Time};
use gridloom::workflow::chains::{critical_chains, critical_length, longest_chain};
use gridloom::workflow::{
    Failure, Obstacle, Placement, Plan, PlanOutcome, PlanProblem, Strategy, Transfers, exact, heft, list, plan,
};
use proptest::prelude::{Strategy as _, any, prop, prop_assert, prop_assert_eq, proptest};
use proptest::test_runner::Config;
use samples::{Sample, job, six_tasks, ten_tasks};

fn by_critical_jobs(problem: &PlanProblem<'_>) -> Result<Plan, Failure> {
    plan(problem, &mut Streams::new(7, 0).stream("ties"))
}

fn best(problem: &PlanProblem<'_>) -> Option<Plan> {
    match exact(problem, 20_000_000).unwrap() {
        PlanOutcome::Best(plan) => Some(plan),
        PlanOutcome::Impossible => None,
        PlanOutcome::GaveUp => panic!("small jobs are searched to the end"),
    }
}

#[test]
fn the_six_task_job_has_four_chains() {
    let (dag, estimates) = six_tasks();
    let chains = critical_chains(&dag, &estimates, 10);
    let lengths: Vec<Span> = chains.iter().map(|(length, _)| *length).collect();
    assert_eq!(lengths, [12, 11, 10, 9].map(Span::from_units));
    let names = |chain: &[TaskId]| chain.iter().map(|task| task.0 + 1).collect::<Vec<_>>();
    assert_eq!(names(&chains[0].1), [1, 2, 4, 6]);
    assert_eq!(names(&chains[3].1), [1, 3, 5, 6]);
    assert_eq!(critical_chains(&dag, &estimates, 2).len(), 2);
    let placed = [1, 2, 4, 6];
    assert_eq!(names(&longest_chain(&dag, &estimates, |task| !placed.contains(&(task.0 + 1)))), [3, 5]);
    assert!(longest_chain(&dag, &estimates, |_| false).is_empty());
}

#[test]
fn the_six_task_job_costs_what_was_calculated_independently() {
    let (dag, estimates) = six_tasks();
    for (deadline, least) in [(12, 49), (14, 42), (16, 37), (18, 32), (20, 31), (22, 26), (24, 25)] {
        let sample = Sample { transfers: Transfers::Always, ..Sample::idle(dag.clone(), estimates.clone(), deadline) };
        let problem = PlanProblem { refine: false, ..sample.problem() };
        assert_eq!(best(&problem).unwrap().cost, Money::from_units(least), "exact, deadline {deadline}");
        let found = by_critical_jobs(&problem).unwrap();
        check_plan(&problem, &found.placements).unwrap();
        // The method is above the optimum at one deadline only.
        let reached = if deadline == 14 { 44 } else { least };
        assert_eq!(found.cost, Money::from_units(reached), "deadline {deadline}");
        let refined = by_critical_jobs(&sample.problem()).unwrap();
        assert!((least..=reached).any(|cost| refined.cost == Money::from_units(cost)), "deadline {deadline}");
    }
    let sample = Sample { transfers: Transfers::Always, ..Sample::idle(dag, estimates, 11) };
    assert_eq!(best(&sample.problem()), None);
    assert!(by_critical_jobs(&sample.problem()).is_err());
}

#[test]
fn heft_takes_80_for_the_published_example_of_ten_tasks() {
    let (dag, estimates) = ten_tasks();
    let sample = Sample::idle(dag, estimates, 200);
    let found = heft(&sample.problem()).unwrap();
    check_plan(&sample.problem(), &found.placements).unwrap();
    assert_eq!(found.finish(), Some(Time::from_units(80)));
    // Where and when, as the paper's figure has it.
    let shown: Vec<(u32, i64)> =
        found.placements.iter().map(|at| (at.node.0 + 1, at.interval.start.ticks() / 1_000_000)).collect();
    assert_eq!(shown, [(3, 0), (1, 27), (3, 9), (2, 18), (3, 28), (2, 26), (3, 38), (1, 57), (2, 56), (2, 73)]);
}

#[test]
fn the_check_sees_every_broken_law() {
    let (dag, estimates) = six_tasks();
    let mut sample = Sample { transfers: Transfers::Always, ..Sample::idle(dag, estimates, 24) };
    let good = by_critical_jobs(&sample.problem()).unwrap().placements;
    sample.reserved = vec![vec![]; 4];
    sample.reserved[good[5].node.index()] = vec![Interval::new(Time::from_units(23), Time::from_units(24))];
    let said = |change: &dyn Fn(&mut Vec<Placement>)| {
        let mut placements = good.clone();
        change(&mut placements);
        check_plan(&sample.problem(), &placements).map_or_else(|broken| broken.to_string(), |()| String::new())
    };
    let unit = Span::from_units(1);
    let moved =
        |at: &mut Placement, by: Span| at.interval = Interval::new(at.interval.start + by, at.interval.end + by);
    assert!(said(&|all| all.truncate(5)).contains("5 of 6 tasks are placed"));
    assert!(said(&|all| all.swap(0, 1)).contains("is not in the place of its number"));
    assert!(said(&|all| all[0].interval.end += unit).contains("does not take its time"));
    assert!(said(&|all| moved(&mut all[0], Span::from_units(-1))).contains("starts before 0"));
    assert!(said(&|all| moved(&mut all[5], Span::from_units(9))).contains("ends after 24"));
    assert!(said(&|all| moved(&mut all[5], Span::from_units(9))).contains("is not in free time"));
    assert!(said(&|all| moved(&mut all[5], unit)).contains("meets the reservation"));
    assert!(said(&|all| all[0].node = NodeId(9)).contains("there is no such node"));
    let late = said(&|all| {
        let start = all[1].interval.end;
        let span = all[3].interval.span();
        all[3].interval = Interval::new(start, start + span);
    });
    assert!(late.contains("starts before the data of 2"), "{late}");
    let double = said(&|all| {
        all[2].node = all[1].node;
        let start = all[1].interval.start;
        all[2].interval = Interval::new(start, start + sample.estimates.span(TaskId(2), all[2].node));
    });
    assert!(double.contains("overlap on"), "{double}");
}

#[test]
fn execution_delays_what_waits_and_the_check_sees_tampering() {
    let (dag, estimates) = six_tasks();
    let sample = Sample { transfers: Transfers::Always, ..Sample::idle(dag, estimates, 16) };
    let plan = by_critical_jobs(&sample.problem()).unwrap();
    let planned: Vec<Interval> = plan.placements.iter().map(|at| at.interval).collect();
    let exactly: Vec<Span> = planned.iter().map(|interval| interval.span()).collect();
    let run = |runtimes: &[Span]| {
        let job = PlannedJob { dag: &sample.dag, placements: &plan.placements, runtimes };
        execute(&[job], 4, Transfers::Always).unwrap().remove(0)
    };
    assert_eq!(run(&exactly), planned, "runtimes as estimated give the plan itself");
    let mut longer = exactly.clone();
    longer[0] += Span::from_units(2);
    let ran = run(&longer);
    assert!(ran.iter().zip(&planned).all(|(ran, planned)| ran.start >= planned.start));
    assert!(ran[5].end > planned[5].end, "the first task is critical");
    let facts = |ran: &[Interval]| {
        let facts = Facts { dag: &sample.dag, planned: &plan.placements, ran, runtimes: &longer };
        check_execution(&[facts], Transfers::Always)
    };
    assert_eq!(facts(&ran), Ok(()));
    assert!(facts(&planned).is_err());
}

/// A scenario of one job in a file of this name and content, beside the scenario.
fn from_file(name: &str, content: &str) -> Result<Study, String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), content).unwrap();
    let text = format!(
        "(name: \"w\", experiment: Workflows(cases: [(name: \"job\", tasks: File(path: \"{name}\", bandwidth: 2, speed: 4))], methods: [CheapestChains], domain: (nodes: 2, types: [1, 2]), deadline: 99, steps: true))"
    );
    let path = folder.path().join("w.ron");
    std::fs::write(&path, text).unwrap();
    let source = read_source(&path).map_err(|report| report.to_string())?;
    load_study(&source, &[]).map_err(|report| report.to_string())
}

#[test]
fn a_job_in_a_file_becomes_a_list_in_the_scenario_that_a_run_leaves() {
    let study = from_file("job.dot", "digraph { a [size=8]; b [size=4]; a -> b [size=6] }").unwrap();
    let outcome = run(&study, &NoProgress).unwrap();
    let finish = outcome.results.rows.iter().find(|row| row.metric == "makespan").unwrap();
    // a takes 8 / 4, its data 6 / 2 and b 4 / 4; both types cost the same here, so that the fast one is taken.
    assert_eq!(finish.mean, 6.0);
    let again = load_study(&Source::new("again.ron", outcome.scenario), &[]).unwrap();
    assert_eq!(again.scenario(), study.scenario());
}

#[test]
fn what_is_wrong_with_a_file_is_said_where_the_scenario_names_it() {
    let said = |name: &str, content: &str| from_file(name, content).unwrap_err();
    let circle = said("job.gv", "digraph { a [size=1]; b [size=2]; a -> b -> a }");
    assert!(
        circle.contains(
            "w.ron:1:75: experiment.cases[0].tasks.path: job.gv:1:45: tasks wait for each other: a -> b -> a"
        ),
        "{circle}"
    );
    let version = said("job.json", "{ \"schemaVersion\": \"2.0\", \"workflow\": {} }");
    assert!(
        version.contains(
            "experiment.cases[0].tasks.path: job.json:1:20: this is format 2.0; versions 1.0 to 1.6 are read"
        ),
        "{version}"
    );
    let long = said("job.dot", "digraph { a [size=1e300] }");
    assert!(long.contains("task \"a\" would take"), "{long}");
    let none = said("job.dot", "digraph { }");
    assert!(none.contains("there are 0 tasks"), "{none}");
}

/// A random job on three nodes with local tasks and reservations.
fn sample(tasks: u32) -> impl proptest::strategy::Strategy<Value = Sample> {
    let busy = || prop::collection::vec((0i64..12, 1i64..4), 0..3);
    let strategies = prop::sample::select(vec![Strategy::Cheapest, Strategy::EarliestFinish, Strategy::LatestStart]);
    let nodes = prop::collection::vec((busy(), busy()), 3);
    (job(tasks, 3), nodes, strategies, any::<bool>(), 0i64..25).prop_map(
        |((dag, estimates), nodes, strategy, always, room)| {
            let length = critical_length(&dag, &estimates).ticks() / 1_000_000;
            let mut sample = Sample::idle(dag, estimates, length + room);
            sample.strategy = strategy;
            sample.transfers = if always { Transfers::Always } else { Transfers::BetweenNodes };
            let gaps = |pairs: Vec<(i64, i64)>| {
                let mut at = 0;
                let interval = |(gap, length)| {
                    let start = at + gap;
                    at = start + length;
                    Interval::new(Time::from_units(start), Time::from_units(at))
                };
                pairs.into_iter().map(interval).collect::<Vec<_>>()
            };
            for (node, (local, reserved)) in nodes.into_iter().enumerate() {
                let mut start = Time::ZERO;
                sample.free[node].clear();
                for task in gaps(local) {
                    sample.free[node].push(Interval::new(start, task.start));
                    start = task.end;
                }
                sample.free[node].push(Interval::new(start, sample.deadline));
                sample.free[node].retain(|free| !free.is_empty());
                sample.reserved.push(gaps(reserved));
            }
            sample
        },
    )
}

/// What the strategy makes small.
fn value(strategy: Strategy, plan: &Plan) -> i64 {
    match strategy {
        Strategy::Cheapest => plan.cost.ticks(),
        Strategy::EarliestFinish => plan.finish().unwrap().ticks(),
        Strategy::LatestStart => -plan.start().unwrap().ticks(),
    }
}

/// The edges that make one row of so many tasks.
fn row_of(tasks: usize) -> Vec<gridloom::model::Edge> {
    let edge = |to: u32| {
        let transfer = Span::from_units(i64::from(to) % 3);
        gridloom::model::Edge { from: TaskId(to - 1), to: TaskId(to), transfer }
    };
    (1..tasks as u32).map(edge).collect()
}

proptest! {
    #![proptest_config(Config { cases: 300, ..Config::default() })]

    #[test]
    fn every_plan_keeps_the_laws_and_none_is_better_than_the_best(sample in sample(5)) {
        let problem = sample.problem();
        let best = best(&problem);
        if let Some(best) = &best {
            check_plan(&problem, &best.placements).unwrap();
        }
        for found in [by_critical_jobs(&problem), heft(&problem), list(&problem)].into_iter().flatten() {
            check_plan(&problem, &found.placements).unwrap();
            let best = best.as_ref().expect("what others find, the exact search finds");
            prop_assert!(value(problem.strategy, &found) >= value(problem.strategy, best));
        }
    }

    #[test]
    fn data_that_passes_over_tasks_of_a_chain_is_waited_for(
        sample in sample(5),
        transfers in prop::collection::vec(0i64..4, 10),
    ) {
        // Every task waits for all before it.
        let tasks = sample.dag.tasks().to_vec();
        let pairs = (1..tasks.len() as u32).flat_map(|to| (0..to).map(move |from| (TaskId(from), TaskId(to))));
        let edge = |((from, to), transfer): ((TaskId, TaskId), i64)| {
            gridloom::model::Edge { from, to, transfer: Span::from_units(transfer) }
        };
        let edges = pairs.zip(transfers).map(edge).collect();
        let sample = Sample { dag: gridloom::model::Dag::new(tasks, edges).unwrap(), ..sample };
        let problem = sample.problem();
        let best = best(&problem);
        if let Ok(found) = by_critical_jobs(&problem) {
            check_plan(&problem, &found.placements).unwrap();
            let best = best.as_ref().expect("what others find, the exact search finds");
            prop_assert!(value(problem.strategy, &found) >= value(problem.strategy, best));
        }
    }

    #[test]
    fn a_single_chain_is_planned_as_well_as_can_be(sample in sample(4)) {
        // Only the edges between neighbours, all of them: one row of tasks.
        let tasks = sample.dag.tasks().to_vec();
        let row = row_of(tasks.len());
        let sample = Sample { dag: gridloom::model::Dag::new(tasks, row).unwrap(), ..sample };
        let problem = sample.problem();
        let found = by_critical_jobs(&problem).ok().map(|plan| value(problem.strategy, &plan));
        prop_assert_eq!(found, best(&problem).map(|plan| value(problem.strategy, &plan)));
    }

    #[test]
    fn collisions_need_others_and_every_one_of_a_plan_is_resolved(sample in sample(6)) {
        let problem = PlanProblem { refine: false, ..sample.problem() };
        if let Ok(found) = by_critical_jobs(&problem) {
            prop_assert!(found.steps.iter().flat_map(|step| &step.collisions).all(|collision| collision.resolution.is_some()));
        }
        // With the nodes to itself a job meets nobody but itself, and its first chain nobody at all.
        let free = vec![vec![Interval::new(problem.release, problem.deadline)]; problem.free.len()];
        if let Ok(found) = by_critical_jobs(&PlanProblem { free: &free, reserved: &[], ..problem }) {
            prop_assert!(found.collisions.iter().all(|collision| collision.with == Obstacle::OwnTask));
            prop_assert!(found.steps[0].collisions.is_empty());
        }
    }

    #[test]
    fn jobs_run_as_planned_or_later_whatever_their_runtimes(sample in sample(6), factors in prop::collection::vec(0i64..20, 6)) {
        if let Ok(plan) = by_critical_jobs(&sample.problem()) {
            let actual = |(at, factor): (&Placement, i64)| Span::from_ticks(at.interval.span().ticks() / 10 * factor);
            let runtimes: Vec<Span> = plan.placements.iter().zip(factors).map(actual).collect();
            let job = PlannedJob { dag: &sample.dag, placements: &plan.placements, runtimes: &runtimes };
            let ran = execute(&[job], 3, sample.transfers).unwrap().remove(0);
            let facts = Facts { dag: &sample.dag, planned: &plan.placements, ran: &ran, runtimes: &runtimes };
            prop_assert_eq!(check_execution(&[facts], sample.transfers), Ok(()));
        }
    }

    #[test]
    fn the_longest_chain_is_the_first_of_all_chains((dag, estimates) in job(7, 2)) {
        let all = critical_chains(&dag, &estimates, usize::MAX);
        prop_assert!(all.windows(2).all(|pair| pair[0].0 >= pair[1].0));
        let longest = longest_chain(&dag, &estimates, |_| true);
        let length = |chain: &[TaskId]| {
            let work = chain.iter().fold(Span::ZERO, |sum, &task| sum + estimates.best(task));
            chain.windows(2).fold(work, |sum, pair| {
                sum + dag.successors(pair[0]).find(|edge| edge.to == pair[1]).unwrap().transfer
            })
        };
        prop_assert_eq!(length(&longest), all[0].0);
        prop_assert_eq!(critical_length(&dag, &estimates), all[0].0);
        prop_assert!(all.iter().all(|(span, chain)| length(chain) == *span));
    }
}
