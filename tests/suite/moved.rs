//! Kinds of experiment that have become forms of others: what is said to write runs, and finds what the kind found.

use gridloom::language::Source;
use gridloom::report::csv;
use gridloom::rng::fingerprint;
use gridloom::study::{NoProgress, Row, Study, load_study, run};

const SLOTS: &str = "(
            count: UniformInteger(low: 60, high: 70),
            length: Uniform(low: 50, high: 300),
            performance: Uniform(low: 1, high: 3),
            same_start: 0.4,
            gap: Uniform(low: 0, high: 10),
            price_factor: Uniform(low: 0.75, high: 1.25),
            price_base: 1.7,
        )";
const JOBS: &str = "(count: 5, nodes: UniformInteger(low: 1, high: 4), length: Uniform(low: 50, high: 150), \
                    min_performance: 1, price_factor: Uniform(low: 1.4, high: 2.2), price_base: 1)";
const ENVIRONMENT: &str = "(nodes: 12, interval: 600, performance: UniformInteger(low: 2, high: 10), price_spread: \
                           Uniform(low: -0.6, high: 0.6), price_scale: 1.4, load: (low: 1, high: 5, length: 55))";

/// Experiments as they were once written, and the fingerprint of `results.csv` as it then was.
const OLD: [(&str, u128); 7] = [
    (
        "Cycles(
        slots: {slots},
        jobs: (count: 2, nodes: 2, length: 60, min_performance: 1, price_factor: 1.5, price_base: 1.7),
        searches: [Alp, Amp],
        first: 5,
    )",
        0xa518_4c11_f1ef_795b_6601_4cd6_2456_d1cd,
    ),
    (
        "Cycles(budget: MeanCost, searches: [Amp], weights: (cost: 1, time: 2), slots: {slots}, runtime: Volume,
        jobs: (count: 2, nodes: 2, length: 60, min_performance: 1, price_factor: 1.5, price_base: 1.7))",
        0xaa7b_d3d9_32b9_b8c3_6102_14f8_c9a1_3714,
    ),
    (
        "Batches(cases: [
        (name: \"cost\", problem: MinCost, environment: {environment}, jobs: {jobs}, search: Amp),
        (name: \"time\", problem: MinTime, environment: {environment}, jobs: {jobs}, search: Alp, budget: MeanCost),
    ])",
        0x134b_ee12_4288_42c1_df30_3757_1dca_ccbb,
    ),
    (
        "Rivals(environment: {environment}, jobs: {jobs}, ranks: UniformInteger(low: 0, high: 9), search: Amp,
        policies: [Fcfs, Easy(depth: 4), Conservative(order: Rank), NoOpt(Time), NoOpt(Cost), Opt(MinTime)],
        baseline: Fcfs)",
        0xec05_1e26_4eaa_2e40_dd67_63e0_1d73_8814,
    ),
    (
        "Windows(
        nodes: [(name: \"fast\", performance: 2, price: 3, power: 4), (name: \"slow\")],
        free: AroundTasks(end: 200, tasks: [(node: \"fast\", start: 0, end: 20)]),
        requests: [
            (name: \"one\", nodes: 2, length: 60, max_price: 3),
            (name: \"two\", nodes: 1, length: 30, max_price: 2, rank: 1),
        ],
        searches: [Alp, Amp, MinCost],
        passes: 2,
    )",
        0x961a_27bd_0b1b_0b01_5d8f_3c23_a597_5df4,
    ),
    (
        "Criteria(environment: {environment}, nodes: 3, length: 150, min_performance: 2, max_price: 2, searches: [Amp, MinPower])",
        0x9bde_bbe9_b4ad_c56e_58ca_8a96_e442_8b7c,
    ),
    ("SearchCost(slots: {slots}, span: 600, length: 100)", 0x0e05_800f_ebc7_3ed2_836e_426c_b1fd_b24e),
];

/// Does what is said of a scenario until nothing is wrong with it.
fn mended(mut text: String) -> Study {
    for _ in 0..3 {
        let report = match load_study(&Source::new("old.ron", text.clone()), &[]) {
            Ok(study) => return study,
            Err(report) => report,
        };
        for said in report.diagnostics().iter().rev() {
            let now = said.right.strip_prefix("write\n").unwrap_or_else(|| panic!("{report}"));
            text.replace_range(said.span.start as usize..said.span.end as usize, now.trim_start());
        }
    }
    panic!("{text}");
}

#[test]
fn kinds_of_old_are_rewritten_to_what_they_found() {
    for (experiment, expected) in OLD {
        let places = [("{slots}", SLOTS), ("{jobs}", JOBS), ("{environment}", ENVIRONMENT)];
        let experiment = places.iter().fold(experiment.to_string(), |text, (place, value)| text.replace(place, value));
        let text = format!("(\n    name: \"old\",\n    replications: 4,\n    experiment: {experiment},\n)");
        let study = mended(text);
        let names = study.scenario().experiment.get().series_names().unwrap();
        let rows = run(&study, &NoProgress).unwrap().results.rows;
        let is_named = |row: &&Row| row.series.contains(" against ") || names.contains(&row.series);
        assert!(rows.iter().all(|row| is_named(&row)), "{names:?}");
        // Ways had names of their own.
        let found = String::from_utf8(csv::rows(&rows).unwrap()).unwrap().replace("OPT min time", "OPT 2 min usage");
        assert_eq!(fingerprint(&found), expected, "{experiment}\n{found}");
    }
}

#[test]
fn the_error_names_the_new_kind_and_shows_what_to_write() {
    let text = "(name: \"old\", experiment: SearchCost(slots: (count: 3), length: 100))";
    let said = load_study(&Source::new("old.ron", text), &[]).unwrap_err().to_string();
    insta::assert_snapshot!(said, @r#"
    old.ron:1:27: experiment: `SearchCost` is now a form of `Windows`; write
    Windows(
        world: Slots(
            slots: (count: 3),
        ),
        requests: [(
            name: "no money",
            nodes: 5,
            length: 100,
            min_performance: 0.000001,
            max_price: 0,
        )],
        searches: [Alp, Amp],
    )
      1 | (name: "old", experiment: SearchCost(slots: (count: 3), length: 100))
        |                           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    "#);
}
