//! The choice for a batch against every combination there is.

use gridloom::combine::limits::{highest_income, mean_cost, mean_time};
use gridloom::combine::{
    Alternative, BatchLimit, Choice, NoChoice, Problem, Weights, choose, choose_at_random, choose_weighted,
};
use gridloom::rng::Streams;
use gridloom::units::{Money, Span};
use proptest::prelude::*;

fn batches() -> impl Strategy<Value = Vec<Vec<Alternative>>> {
    let alternative = (1i64..40_000_000, 0i64..40_000_000)
        .prop_map(|(time, cost)| Alternative { time: Span::from_ticks(time), cost: Money::from_ticks(cost) });
    let whole = (1i64..12, 0i64..12)
        .prop_map(|(time, cost)| Alternative { time: Span::from_units(time), cost: Money::from_units(cost) });
    prop_oneof![
        prop::collection::vec(prop::collection::vec(alternative, 1..6), 0..6),
        prop::collection::vec(prop::collection::vec(whole, 1..6), 0..6),
    ]
}

/// The totals of every combination.
fn combinations(batch: &[Vec<Alternative>]) -> Vec<(Span, Money)> {
    batch.iter().fold(vec![(Span::ZERO, Money::ZERO)], |totals, job| {
        totals.iter().flat_map(|&(time, cost)| job.iter().map(move |one| (time + one.time, cost + one.cost))).collect()
    })
}

fn within(limit: BatchLimit, (time, cost): (Span, Money)) -> bool {
    match limit {
        BatchLimit::Time(limit) => time <= limit,
        BatchLimit::Cost(limit) => cost <= limit,
    }
}

/// What a problem makes least, and then least.
fn rank(problem: Problem, (time, cost): (Span, Money)) -> (i64, i64) {
    match problem {
        Problem::MaxCost => (-cost.ticks(), time.ticks()),
        Problem::MinTime => (time.ticks(), cost.ticks()),
        Problem::MinCost => (cost.ticks(), time.ticks()),
        Problem::MaxTime => (-time.ticks(), cost.ticks()),
    }
}

fn totals(batch: &[Vec<Alternative>], choice: &Choice) -> (Span, Money) {
    let chosen = batch.iter().zip(&choice.picks).map(|(job, &pick)| job[pick]);
    chosen.fold((Span::ZERO, Money::ZERO), |(time, cost), one| (time + one.time, cost + one.cost))
}

fn limit_of(batch: &[Vec<Alternative>], problem: Problem) -> BatchLimit {
    if problem.limits_time() { BatchLimit::Time(mean_time(batch)) } else { BatchLimit::Cost(mean_cost(batch)) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_four_problems_are_solved_exactly(batch in batches()) {
        for problem in Problem::ALL {
            let limit = limit_of(&batch, problem);
            let best = combinations(&batch).into_iter().filter(|&all| within(limit, all)).map(|all| rank(problem, all)).min();
            match choose(&batch, problem, limit) {
                Ok(choice) => {
                    prop_assert_eq!(totals(&batch, &choice), (choice.time, choice.cost));
                    prop_assert_eq!(Some(rank(problem, (choice.time, choice.cost))), best);
                }
                Err(error) => prop_assert_eq!((error, best), (NoChoice::Infeasible, None)),
            }
        }
    }

    #[test]
    fn a_random_choice_keeps_the_limit_and_exists_whenever_any_does(batch in batches(), seed in any::<u64>()) {
        for problem in Problem::ALL {
            let limit = limit_of(&batch, problem);
            let possible = combinations(&batch).into_iter().any(|all| within(limit, all));
            match choose_at_random(&batch, problem, limit, &mut Streams::new(seed, 0).stream("no-opt")) {
                Ok(choice) => prop_assert!(within(limit, totals(&batch, &choice))),
                Err(error) => prop_assert_eq!((error, possible), (NoChoice::Infeasible, false)),
            }
        }
    }

    #[test]
    fn the_weighted_choice_is_exact(
        (batch, starts) in batches().prop_flat_map(|batch| {
            let starts = batch.iter().map(|job| prop::collection::vec(0i64..40_000_000, job.len())).collect::<Vec<_>>();
            (Just(batch), starts)
        }),
        weights in prop::array::uniform5(0u32..4),
        is_whole in any::<bool>(),
        slack in 0.8f64..1.5,
    ) {
        let [cost, saved, time, idle, start] = weights.map(|weight| f64::from(weight) * if is_whole { 1.0 } else { 0.7 });
        let time_limit = Span::from_f64(mean_time(&batch).as_f64() * slack).unwrap();
        let cost_limit = mean_cost(&batch);
        let start_of = |job: usize, pick: usize| Span::from_ticks(starts[job][pick]);
        // Every combination as the picks that make it.
        let all = batch.iter().fold(vec![Vec::new()], |picks, job| {
            picks.iter().flat_map(|one: &Vec<usize>| (0..job.len()).map(|pick| [&one[..], &[pick]].concat())).collect()
        });
        let of = |picks: &[usize]| {
            let (mut t, mut c, mut late) = (Span::ZERO, Money::ZERO, 0.0);
            for (job, &pick) in picks.iter().enumerate() {
                let one = batch[job][pick];
                (t, c, late) = (t + one.time, c + one.cost, late + start_of(job, pick).as_f64());
            }
            (t, c, (cost + saved) * c.as_f64() + (time + idle) * t.as_f64() + start * late)
        };
        let kept = all.iter().map(|picks| of(picks)).filter(|&(t, c, _)| t <= time_limit && c <= cost_limit);
        let best = kept.map(|(_, _, value)| value).min_by(f64::total_cmp);
        match choose_weighted(&batch, start_of, Weights { cost, saved, time, idle, start }, time_limit, cost_limit) {
            Ok(choice) => {
                let (t, c, value) = of(&choice.picks);
                prop_assert!(t <= time_limit && c <= cost_limit);
                prop_assert!((value - best.unwrap()).abs() <= 1e-9 * (1.0 + value));
            }
            Err(error) => prop_assert_eq!((error, best), (NoChoice::Infeasible, None)),
        }
    }

    /// With all weight on one part of the vector it is the problem of that part; what a limit leaves says the same as what is used of it.
    #[test]
    fn a_weight_on_one_part_alone_is_that_problem(batch in batches(), weight in 0.1f64..10.0) {
        let time = mean_time(&batch);
        let Ok(budget) = highest_income(&batch, time) else { return Ok(()) };
        let none = Weights { cost: 0.0, saved: 0.0, time: 0.0, idle: 0.0, start: 0.0 };
        let by = |weights| choose_weighted(&batch, |_, _| Span::ZERO, weights, time, budget).unwrap();
        let cheapest = choose(&batch, Problem::MinCost, BatchLimit::Time(time)).unwrap().cost;
        prop_assert_eq!(by(Weights { cost: weight, ..none }).cost, cheapest);
        prop_assert_eq!(by(Weights { saved: weight, ..none }).cost, cheapest);
        let fastest = choose(&batch, Problem::MinTime, BatchLimit::Cost(budget)).unwrap().time;
        prop_assert_eq!(by(Weights { time: weight, ..none }).time, fastest);
        prop_assert_eq!(by(Weights { idle: weight, ..none }).time, fastest);
    }

    #[test]
    fn the_budget_of_formula_3_is_reachable_within_the_time(batch in batches()) {
        let time = mean_time(&batch);
        if let Ok(budget) = highest_income(&batch, time) {
            let fastest = choose(&batch, Problem::MinTime, BatchLimit::Cost(budget)).expect("the combination behind B* is within it");
            prop_assert!(fastest.time <= time);
        }
    }
}

#[test]
fn a_single_job_an_empty_batch_and_a_job_without_alternatives() {
    let one = Alternative { time: Span::from_units(5), cost: Money::from_units(7) };
    let limit = BatchLimit::Time(Span::from_units(5));
    assert_eq!(choose(&[vec![one]], Problem::MinCost, limit).unwrap().picks, [0]);
    assert!(choose(&[], Problem::MinCost, limit).unwrap().picks.is_empty());
    assert_eq!(choose(&[vec![one], vec![]], Problem::MinCost, limit), Err(NoChoice::NothingFor(1)));
    assert_eq!(choose(&[vec![one]], Problem::MinTime, limit), Err(NoChoice::WrongLimit));
    let huge = Alternative { time: Span::MAX, cost: Money::MAX };
    let both = [vec![huge], vec![huge]];
    assert!(matches!(choose(&both, Problem::MinCost, limit), Err(NoChoice::Overflow(_))));
}

#[test]
fn random_choices_are_spread_evenly_over_what_is_within_the_limit() {
    let one = |time| Alternative { time: Span::from_units(time), cost: Money::ZERO };
    let batch = [vec![one(1), one(2), one(3)], vec![one(1), one(2), one(3)]];
    let limit = BatchLimit::Time(Span::from_units(4));
    let mut stream = Streams::new(1, 0).stream("no-opt");
    let mut counts = [[0u32; 3]; 3];
    for _ in 0..6000 {
        let picks = choose_at_random(&batch, Problem::MinCost, limit, &mut stream).unwrap().picks;
        counts[picks[0]][picks[1]] += 1;
    }
    // Six of the nine combinations take at most four units; chi-square with 5 degrees of freedom, 99.9 % quantile.
    let seen: Vec<f64> = counts.iter().flatten().filter(|&&count| count > 0).map(|&count| f64::from(count)).collect();
    assert_eq!(seen.len(), 6);
    assert!(seen.iter().map(|count| (count - 1000.0).powi(2) / 1000.0).sum::<f64>() < 20.5, "{counts:?}");
}

/// Jobs whose alternatives cost `price` a unit of time, exactly or but for the rounding to ticks.
fn priced_alike(jobs: usize, alternatives: usize, price: f64) -> Vec<Vec<Alternative>> {
    let mut stream = Streams::new(1, 0).stream("times");
    let mut alternative = || {
        let time = 50_000_000 + (gridloom::rng::unit(&mut stream) * 1e8) as i64;
        Alternative { time: Span::from_ticks(time), cost: Money::from_ticks((time as f64 * price).round() as i64) }
    };
    (0..jobs).map(|_| (0..alternatives).map(|_| alternative()).collect()).collect()
}

/// All combinations lie on a line, or next to it: none is worse in both than another, and none is ruled out by the linear relaxation.
#[test]
fn nodes_that_all_cost_the_same_make_no_batch_too_hard() {
    for (jobs, alternatives, price) in [(6, 150, 1.0), (6, 150, 1.7), (20, 60, 1.0), (200, 10, 0.3)] {
        let batch = priced_alike(jobs, alternatives, price);
        let time = mean_time(&batch);
        let income = choose(&batch, Problem::MaxCost, BatchLimit::Time(time)).unwrap();
        // So many combinations come so near to the limit that nothing is left below it but a few ticks of rounding.
        let reachable = (time.ticks() as f64 * price) as i64;
        assert!((reachable - income.cost.ticks()).abs() < jobs as i64, "{income:?} within {time:?}");
        assert_eq!(highest_income(&batch, time), Ok(income.cost));
        for problem in Problem::ALL {
            let limit = if problem.limits_time() { BatchLimit::Time(time) } else { BatchLimit::Cost(income.cost) };
            let choice = choose(&batch, problem, limit).unwrap();
            assert_eq!(totals(&batch, &choice), (choice.time, choice.cost));
            assert!(within(limit, (choice.time, choice.cost)));
            assert!(choice.gap.is_none_or(|gap| gap < 2), "{problem:?}: {choice:?}");
        }
        let weights = Weights { cost: 1.0, saved: 1.0, time: 0.0, idle: 0.0, start: 0.0 };
        let cheapest = choose_weighted(&batch, |_, _| Span::ZERO, weights, time, income.cost).unwrap();
        let least: i64 = batch.iter().map(|job| job.iter().map(|one| one.cost.ticks()).min().unwrap()).sum();
        assert_eq!(cheapest.cost, Money::from_ticks(least));
    }
}

#[test]
fn a_weight_of_starts_alone_takes_the_earliest_windows() {
    let one = |time, cost| Alternative { time: Span::from_units(time), cost: Money::from_units(cost) };
    let batch = [vec![one(9, 9), one(1, 1)], vec![one(8, 1), one(7, 7), one(2, 2)]];
    let starts = [vec![0, 5], vec![3, 1, 2]];
    let weights = Weights { cost: 0.0, saved: 0.0, time: 0.0, idle: 0.0, start: 1.0 };
    let start = |job: usize, pick: usize| Span::from_units(starts[job][pick]);
    let picks = |time, cost| {
        let (time, cost) = (Span::from_units(time), Money::from_units(cost));
        choose_weighted(&batch, start, weights, time, cost).map(|choice| choice.picks)
    };
    assert_eq!(picks(100, 100), Ok(vec![0, 1]));
    assert_eq!(picks(15, 100), Ok(vec![0, 2]), "not enough time for the second job's earliest");
    assert_eq!(picks(100, 10), Ok(vec![0, 0]), "too expensive");
    // The first job's earliest leaves neither time nor money for the second's.
    assert_eq!(picks(9, 8), Ok(vec![1, 1]), "both limits");
    assert_eq!(picks(2, 100), Err(NoChoice::Infeasible));
    let absurd = Weights { start: f64::MAX, ..weights };
    let far = choose_weighted(
        &batch,
        |_, _| Span::from_units(1_000_000),
        absurd,
        Span::from_units(99),
        Money::from_units(99),
    );
    assert!(matches!(far, Err(NoChoice::Overflow(_))), "{far:?}");
}
