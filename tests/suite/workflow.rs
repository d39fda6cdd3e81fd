//! Plans of jobs made of tasks, against the check, brute force and published examples.

mod samples;

use gridloom::check::check_plan;
use gridloom::model::{Interval, TaskId};
use gridloom::rng::Streams;
use gridloom::units::{Money, Span, Time};
use gridloom::workflow::chains::{critical_chains, critical_length, longest_chain};
use gridloom::workflow::{Exact, Failure, Obstacle, Plan, PlanProblem, Strategy, Transfers, exact, heft, list, plan};
use proptest::prelude::{Strategy as _, any, prop, prop_assert, prop_assert_eq, proptest};
use proptest::test_runner::Config;
use samples::{Sample, job, six_tasks, ten_tasks};

fn by_critical_jobs(problem: &PlanProblem<'_>) -> Result<Plan, Failure> {
    plan(problem, &mut Streams::new(7, 0).stream("ties"))
}

fn best(problem: &PlanProblem<'_>) -> Option<Plan> {
    match exact(problem, 20_000_000).unwrap() {
        Exact::Best(plan) => Some(plan),
        Exact::Impossible => None,
        Exact::GaveUp => panic!("small jobs are searched to the end"),
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
        let problem = sample.problem();
        assert_eq!(best(&problem).unwrap().cost, Money::from_units(least), "exact, deadline {deadline}");
        let found = by_critical_jobs(&problem).unwrap();
        check_plan(&problem, &found.placements).unwrap();
        println!("{deadline}: {} {:?}", found.cost, found.attempts);
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
    fn a_single_chain_is_planned_as_well_as_can_be(sample in sample(4)) {
        // Only the edges between neighbours, all of them: one row of tasks.
        let tasks = sample.dag.tasks().to_vec();
        let row: Vec<_> = (1..tasks.len() as u32).map(|to| {
            let (from, to) = (TaskId(to - 1), TaskId(to));
            let transfer = Span::from_units(i64::from(to.0) % 3);
            gridloom::model::Edge { from, to, transfer }
        }).collect();
        let sample = Sample { dag: gridloom::model::Dag::new(tasks, row).unwrap(), ..sample };
        let problem = sample.problem();
        let found = by_critical_jobs(&problem).ok().map(|plan| value(problem.strategy, &plan));
        prop_assert_eq!(found, best(&problem).map(|plan| value(problem.strategy, &plan)));
    }

    #[test]
    fn collisions_need_others_and_every_one_of_a_plan_is_resolved(sample in sample(6)) {
        let problem = sample.problem();
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
