//! Calibrations: the distances of all settings, and which of them is said to be the best.

use gridloom::language::Source;
use gridloom::study::{NoProgress, Outcome, Row, load_study, run};

fn scenario(fit: &str, held_out: &str) -> String {
    format!(
        r#"(name: "fit", replications: 6, experiment: Batches(cases: [(name: "case", compare: Problem(MinCost),
            world: Environment(nodes: 6, interval: 300, performance: UniformInteger(low: 2, high: 10),
                price_spread: Uniform(low: -0.4, high: 0.4), load: (low: 1, high: 3, length: 20)),
            jobs: (count: 5, nodes: 2, length: 60, min_performance: 1, price_factor: 3, price_base: 1),
            searches: [Amp])]),
        sweeps: [(name: "settings",
            grid: [(field: "experiment.cases[0].world.nodes", values: [4, 6, 8]),
                (field: "experiment.cases[0].world.price_slope", name: "slope", values: [-0.05, 0, 0.05])],
            calibration: (fit: [{fit}], held_out: [{held_out}]))])"#
    )
}

const COST: &str = r#"(series: "NO OPT", metric: "cost", value: 700, scale: 50)"#;
const USAGE: &str = r#"(series: "OPT", metric: "slot usage", than: "NO OPT", by: Percent, value: 2, scale: 1.5)"#;

fn outcome(text: String) -> Outcome {
    let study = load_study(&Source::new("fit.ron", text), &[]).unwrap_or_else(|report| panic!("{report}"));
    run(&study, &NoProgress).unwrap()
}

/// The mean of a series and metric at the point of `row`.
fn at(rows: &[Row], row: &Row, series: &str, metric: &str) -> f64 {
    let is_meant = |other: &&Row| other.factors == row.factors && other.series == series && other.metric == metric;
    rows.iter().filter(|other| other.experiment == "settings").find(is_meant).unwrap().mean
}

#[test]
fn distances_follow_from_the_rows_of_each_setting_and_the_least_is_the_best() {
    let Outcome { results, answer, figures, .. } = outcome(scenario(COST, USAGE));
    let fitted: Vec<&Row> = results.rows.iter().filter(|row| row.metric == "distance to print, fitted").collect();
    assert_eq!(fitted.len(), 9);
    let mut signs = 0;
    for row in &fitted {
        let expected = ((at(&results.rows, row, "NO OPT", "cost") - 700.0) / 50.0).abs();
        assert!((row.mean - expected).abs() < 1e-9, "{} {expected}", row.mean);
        let [opt, no_opt] = ["OPT", "NO OPT"].map(|series| at(&results.rows, row, series, "slot usage"));
        let effect = 100.0 * (opt / no_opt - 1.0);
        let held_out = at(&results.rows, row, &row.series, "distance to print, held out");
        assert!((held_out - ((effect - 2.0) / 1.5).abs()).abs() < 1e-9, "{held_out} {effect}");
        let has_sign = at(&results.rows, row, &row.series, "effects with the sign of print");
        assert_eq!(has_sign, if effect > 0.0 { 1.0 } else { 0.0 });
        signs += has_sign as usize;
    }
    let best = fitted.iter().min_by(|a, b| a.mean.total_cmp(&b.mean)).unwrap();
    let setting: Vec<String> = best.factors.iter().map(|factor| factor.to_string()).collect();
    let sentences = answer.unwrap().sentences.join("\n");
    let said = format!("of 9 settings, {} is nearest to the 1 fitted numbers", setting.join("; "));
    assert!(sentences.contains(&said), "{sentences}");
    let count =
        if signs == 0 { "no setting has all 1 effects".into() } else { format!("{signs} of 9 settings have all 1") };
    assert!(sentences.contains(&count), "{sentences} {signs}");
    assert!(figures.iter().any(|figure| figure.file == "settings-distances"));
}

#[test]
fn a_number_that_no_row_has_is_an_error_or_leaves_no_distance() {
    let text = scenario(&COST.replace("\"cost\"", "\"costs\""), USAGE);
    let report = load_study(&Source::new("fit.ron", text), &[]).unwrap_err().to_string();
    assert!(report.contains("calibration.fit[0].metric: there is no metric `costs`"), "{report}");
    let text =
        scenario(COST, USAGE).replace("grid: [", "field: \"experiment.cases[0].world.nodes\", values: [4, 6], grid: [");
    assert!(load_study(&Source::new("fit.ron", text), &[]).is_err());
    let answer = outcome(scenario(&COST.replace("NO OPT", "nobody"), USAGE)).answer.unwrap();
    assert!(answer.sentences[0].contains("none of 9 settings gave all the numbers"), "{:?}", answer.sentences);
}
