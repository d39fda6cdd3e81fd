//! The exact broker against HiGHS, a solver of mixed-integer programs (`cargo test --features highs`).

use super::stream;
use gridloom::broker::{Board, Broker, Exact, Round};
use gridloom::model::{Resource, UserJob};
use gridloom::rng::{Streams, below};
use gridloom::units::{Money, Performance, Price, Time, Volume};
use highs::{HighsModelStatus, RowProblem, Sense};

/// A round like the paper's: jobs of 3 to 7 tasks, resources of 4 to 12 PEs, prices of 4 to 5 by user.
fn draw(jobs: usize, resources: usize, seed: u64) -> (Vec<Resource>, Vec<UserJob>) {
    let mut stream = Streams::new(seed, 0).stream("market");
    let mut between = |low: i64, high: i64| low + below(&mut stream, (high - low + 1) as u64) as i64;
    let resource = |_| Resource {
        pes: between(4, 12) as u32,
        speed: Performance::from_ticks(between(70, 100) * 10_000),
        prices: (0..jobs).map(|_| Price::from_ticks(between(4000, 5000) * 1000)).collect(),
    };
    let resources: Vec<Resource> = (0..resources).map(resource).collect();
    let job = |user| UserJob {
        user,
        arrival: Time::ZERO,
        tasks: between(3, 7) as u32,
        size: Volume::from_units(between(320, 480)),
        budget: Money::from_units(20_000),
        deadline: Time::from_units(between(450, 800)),
    };
    let jobs = (0..jobs).map(job).collect();
    (resources, jobs)
}

/// The optimum by HiGHS: a variable for every job and resource that can take it whole, and one for the dummy.
fn optimum(board: &Board, round: &Round<'_>) -> f64 {
    let mut problem = RowProblem::default();
    let mut capacity = vec![Vec::new(); round.resources.len()];
    for (index, job) in round.jobs.iter().enumerate() {
        let tasks = f64::from(job.tasks);
        let mut own = vec![(problem.add_integer_column(tasks * board.dummy_cost(index).as_f64(), 0..=1), 1.0)];
        for resource in 0..round.resources.len() {
            let Some(cost) = board.task_cost(index, resource).map(|cost| cost.as_f64() * tasks) else { continue };
            if job.tasks <= round.free[resource] && cost <= job.budget.as_f64() {
                let column = problem.add_integer_column(cost, 0..=1);
                own.push((column, 1.0));
                capacity[resource].push((column, tasks));
            }
        }
        problem.add_row(1..=1, own);
    }
    for (row, &free) in capacity.into_iter().zip(&round.free) {
        problem.add_row(..=f64::from(free), row);
    }
    let mut model = problem.optimise(Sense::Minimise);
    model.make_quiet();
    model.set_option("mip_rel_gap", 0.0);
    let solved = model.solve();
    assert_eq!(solved.status(), HighsModelStatus::Optimal);
    solved.objective_value()
}

#[test]
fn a_general_solver_finds_the_same_optima() {
    for (jobs, resources, seed) in [(10, 4, 1), (15, 8, 2), (20, 10, 3), (20, 30, 4), (30, 25, 5), (30, 60, 6)] {
        let (resources, jobs) = draw(jobs, resources, seed);
        let free = resources.iter().map(|resource| resource.pes).collect();
        let now = Time::from_units(50);
        let round = Round { now, resources: &resources, free, jobs, dummy_price: Price::from_units(10) };
        let board = Board::new(&round).unwrap();
        let answer = Exact { nodes: 2000, steps: 120, gap: 0.0 }.assign(&board, &mut stream()).unwrap();
        let (cost, bound) = (answer.plan.cost(&board).as_f64(), answer.bound.unwrap().as_f64());
        let best = optimum(&board, &round);
        // HiGHS keeps its rows to a millionth; ours is proved in whole ticks.
        assert!((bound - 1e-6 * best..=best * (1.0 + 1e-6)).contains(&best), "bound {bound}, optimum {best}");
        assert!(cost >= best * (1.0 - 1e-6), "plan {cost}, optimum {best}");
        if cost == bound {
            assert!((cost - best).abs() <= 1e-6 * best, "proved {cost}, optimum {best}");
        } else {
            assert!(cost - best <= cost - bound + 1e-6 * best);
        }
    }
}
