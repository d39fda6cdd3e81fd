//! The exact broker against HiGHS, which shares nothing with it (`cargo test --features highs highs`).

use super::laws::{DUMMY, market};
use super::optima::with_first_round;
use super::stream;
use gridloom::broker::{Broker, CostTable, ExactBroker, Highs, Round};
use gridloom::language::Count;
use gridloom::units::{Money, Time};
use proptest::prelude::*;

/// HiGHS computes in floating point and keeps its constraints to a millionth.
const NEARLY: f64 = 1e-6;

/// What either proves must hold for what the other finds; returns whether the exact broker has proved its plan.
fn agree(table: &CostTable, exact: ExactBroker) -> bool {
    let answers = [&exact as &dyn Broker, &Highs::default()].map(|broker| broker.assign(table, &mut stream()).unwrap());
    let [exact, highs] =
        answers.map(|answer| (answer.plan.cost(table).as_f64(), answer.bound.map(Money::as_f64).unwrap()));
    let small = NEARLY * highs.0.max(1.0);
    assert!(exact.1 <= highs.0 + small, "a bound of {}, but a plan at {}", exact.1, highs.0);
    assert!(highs.1 <= exact.0 + small, "a plan at {}, but a bound of {}", exact.0, highs.1);
    let is_proved = exact.0 == exact.1;
    assert!(!is_proved || (exact.0 - highs.0).abs() <= small, "{} is proved, but HiGHS finds {}", exact.0, highs.0);
    is_proved
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn highs_finds_the_optimum_of_every_small_round((resources, jobs) in market()) {
        let free = resources.iter().map(|resource| resource.pes).collect();
        let round = Round { now: Time::from_units(50), resources: &resources, free, jobs, dummy_price: DUMMY };
        let table = CostTable::new(&round).unwrap();
        let is_proved = agree(&table, ExactBroker { nodes: Count::of(10_000), ..ExactBroker::default() });
        prop_assert!(is_proved);
        agree(&table, ExactBroker { nodes: Count::of(2), steps: Count::of(2), ..ExactBroker::default() });
    }
}

#[test]
fn highs_finds_the_optima_of_the_paper_s_rounds() {
    for scenario in ["lpga-tight", "lpga-medium", "lpga-relaxed"] {
        for resources in [25, 50, 100, 150, 200] {
            // Those of the fifteen rounds that were hardest to prove come with the tight deadline.
            let replications: &[u64] = if scenario == "lpga-tight" { &[0, 23, 130] } else { &[0] };
            for &replication in replications {
                let is_proved = |table: &CostTable| agree(table, ExactBroker::default());
                assert!(
                    with_first_round(scenario, resources, replication, is_proved),
                    "{scenario} {resources} {replication}"
                );
            }
        }
    }
}
