//! Kinds of experiment that have become forms of others: what is said to write runs, and finds what the kind found.

use gridloom::language::Source;
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

/// Experiments as they were once written, and the fingerprint of the rows that they then had.
const OLD: [(&str, u128); 7] = [
    (
        "Cycles(
        slots: {slots},
        jobs: (count: 2, nodes: 2, length: 60, min_performance: 1, price_factor: 1.5, price_base: 1.7),
        searches: [Alp, Amp],
        first: 5,
    )",
        1,
    ),
    (
        "Cycles(budget: MeanCost, searches: [Amp], weights: (cost: 1, time: 2), slots: {slots}, runtime: Volume,
        jobs: (count: 2, nodes: 2, length: 60, min_performance: 1, price_factor: 1.5, price_base: 1.7))",
        2,
    ),
    (
        "Batches(cases: [
        (name: \"cost\", problem: MinCost, environment: {environment}, jobs: {jobs}, search: Amp),
        (name: \"time\", problem: MinTime, environment: {environment}, jobs: {jobs}, search: Alp, budget: MeanCost),
    ])",
        3,
    ),
    (
        "Rivals(environment: {environment}, jobs: {jobs}, ranks: UniformInteger(low: 0, high: 9), search: Amp,
        policies: [Fcfs, Easy(depth: 4), Conservative(order: Rank), NoOpt(Time), NoOpt(Cost), Opt(MinTime)],
        baseline: Fcfs)",
        4,
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
        5,
    ),
    (
        "Criteria(environment: {environment}, nodes: 3, length: 150, min_performance: 2, max_price: 2, searches: [Amp, MinPower])",
        6,
    ),
    ("SearchCost(slots: {slots}, span: 600, length: 100)", 7),
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
        let line = |row: &Row| {
            format!(
                "{},{},{},{:?},{:?},{:?},{}\n",
                row.experiment, row.series, row.metric, row.x, row.mean, row.ci95, row.n
            )
        };
        let rows: String = rows.iter().map(line).collect();
        assert_eq!(fingerprint(&rows), expected, "{experiment}\n{rows}");
    }
}

#[test]
fn the_error_names_the_new_kind_and_shows_what_to_write() {
    let text = "(name: \"old\", experiment: SearchCost(slots: (count: 3), length: 100))";
    let said = load_study(&Source::new("old.ron", text), &[]).unwrap_err().to_string();
    insta::assert_snapshot!(said);
}
