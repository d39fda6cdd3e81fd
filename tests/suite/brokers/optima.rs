//! The exact broker against optima that a general solver of integer programs (HiGHS 1.15, gap 1e-7) has proved.

use super::stream;
use gridloom::broker::{Broker, CostTable, ExactBroker, Round};
use gridloom::language::read_source;
use gridloom::rng::Streams;
use gridloom::study::Brokers;
use gridloom::study::Experiment;
use gridloom::study::load_study;
use gridloom::units::{Money, Time};
use gridloom::workload::draw_utility_market;
use std::path::Path;

/// Rounds of `lpga-tight.ron`: resources, replication, and the least cost.
const OPTIMA: [(u64, u64, f64); 6] = [
    (25, 0, 895478.625),
    (25, 1, 916776.952),
    (25, 2, 803577.236),
    (25, 3, 931860.065),
    // Here the PEs that are fast enough just about suffice, and how jobs are packed decides.
    (100, 3, 617362.642),
    (100, 4, 582469.963),
];

/// Shows the first round of a scenario to `test`.
pub(super) fn with_first_round<T>(
    scenario: &str,
    resources: u64,
    replication: u64,
    test: impl FnOnce(&CostTable) -> T,
) -> T {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("scenarios/{scenario}.ron"));
    let source = read_source(&path).unwrap_or_else(|report| panic!("{report}"));
    let count = format!("experiment.resources.count={resources}");
    let study = load_study(&source, &[count]).unwrap_or_else(|report| panic!("{report}"));
    let Experiment::Brokers(Brokers { resources, jobs, deadlines, dummy_price, .. }) = &study.scenario().experiment
    else {
        panic!("it is about brokers");
    };
    let streams = Streams::new(study.scenario().seed, replication);
    let market = draw_utility_market(resources, jobs, &deadlines[0].slack, &streams).unwrap();
    let round = Round {
        now: Time::from_units(50),
        resources: &market.resources,
        free: market.resources.iter().map(|resource| resource.pes).collect(),
        jobs: market.jobs,
        dummy_price: *dummy_price,
    };
    test(&CostTable::new(&round).unwrap())
}

#[test]
fn a_general_solver_finds_the_same_optima() {
    for (resources, replication, optimum) in OPTIMA {
        with_first_round("lpga-tight", resources, replication, |table| {
            let answer = ExactBroker::default().assign(table, &mut stream()).unwrap();
            let cost = answer.plan.cost(table);
            assert!((cost.as_f64() - optimum).abs() < 0.001, "{cost}, not {optimum}");
            assert_eq!(answer.bound.map(Money::ticks), Some(cost.ticks()), "it is proved");
        });
    }
}
