//! The exact broker against optima that a general solver of integer programs (HiGHS 1.15, gap 1e-7) has proved.

use super::stream;
use gridloom::broker::{Board, Broker, Exact, Round};
use gridloom::rng::Streams;
use gridloom::scenario::read_source;
use gridloom::scenario::schema::{Brokers, Experiment, load_study};
use gridloom::units::{Money, Time};
use gridloom::workload::draw_utility_market;
use std::path::Path;

/// The first round of `lpga-tight.ron` with 25 resources, by replication: its least cost.
const OPTIMA: [f64; 4] = [895478.625, 916776.952, 803577.236, 931860.065];

#[test]
fn a_general_solver_finds_the_same_optima() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/lpga-tight.ron");
    let source = read_source(&path).unwrap_or_else(|report| panic!("{report}"));
    let study =
        load_study(&source, &["experiment.resources.count=25".into()]).unwrap_or_else(|report| panic!("{report}"));
    let Experiment::Brokers(Brokers { resources, jobs, deadlines, dummy_price, .. }) = &study.scenario.experiment
    else {
        panic!("it is about brokers");
    };
    for (replication, optimum) in OPTIMA.into_iter().enumerate() {
        let streams = Streams::new(study.scenario.seed, replication as u64);
        let market = draw_utility_market(resources, jobs, &deadlines[0].slack, &streams).unwrap();
        let round = Round {
            now: Time::from_units(50),
            resources: &market.resources,
            free: market.resources.iter().map(|resource| resource.pes).collect(),
            jobs: market.jobs,
            dummy_price: *dummy_price,
        };
        let board = Board::new(&round).unwrap();
        let answer = Exact::default().assign(&board, &mut stream()).unwrap();
        let cost = answer.plan.cost(&board);
        assert!((cost.as_f64() - optimum).abs() < 0.001, "{cost}, not {optimum}");
        assert_eq!(answer.bound.map(Money::ticks), Some(cost.ticks()), "it is proved");
    }
}
