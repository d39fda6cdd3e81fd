//! Costs of shared PEs are no plans, and stand apart from what brokers do.

use gridloom::language::read_source;
use gridloom::study::{NoProgress, load_study, run};
use std::path::Path;

#[test]
fn a_cost_model_has_a_cost_and_counts_and_nothing_that_a_plan_has() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/lpga-mgn.ron");
    let source = read_source(&path).unwrap_or_else(|report| panic!("{report}"));
    let short = ["replications=3", "sweeps=[]", "published=[]", "experiment.resources.count=60"].map(String::from);
    let study = load_study(&source, &short).unwrap_or_else(|report| panic!("{report}"));
    let rows = run(&study, &NoProgress).unwrap().results.rows;
    let mean = |series: &str, metric: &str| {
        rows.iter().find(|row| row.series == series && row.metric == metric).map(|row| row.mean)
    };
    let mut before = f64::INFINITY;
    for deadline in ["medium", "relaxed"] {
        let series = format!("lp, shared PEs, {deadline}");
        let metrics: Vec<&str> =
            rows.iter().filter(|row| row.series == series).map(|row| row.metric.as_str()).collect();
        assert_eq!(metrics, ["cost of placed jobs", "jobs completed", "tasks placed"]);
        // All jobs are placed, so that more time lowers every cost, and a share costs less than a whole PE.
        assert_eq!(mean(&series, "jobs completed"), Some(50.0));
        let cost = mean(&series, "cost of placed jobs").unwrap();
        let whole = mean(&format!("lp, {deadline}"), "cost of placed jobs").unwrap();
        assert!(cost < before && cost < whole, "{deadline}: {cost}, {before}, {whole}");
        before = cost;
    }
}
