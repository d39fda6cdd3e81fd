//! Ways to serve a batch of jobs, in scheduling cycles.

use gridloom::language::{read_source, to_line};
use gridloom::rng::Streams;
use gridloom::search::budget;
use gridloom::study::{Experiment, NoProgress, Outcome, Row, Study, load_study, run};
use gridloom::units::{Performance, Span};
use gridloom::workload::{RuntimeRule, draw_jobs};
use std::path::Path;

/// A scenario file with overrides.
fn study(name: &str, overrides: &[&str]) -> Result<Study, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios").join(name);
    let source = read_source(&path).map_err(|report| report.to_string())?;
    let mut overrides: Vec<String> = overrides.iter().map(|&one| one.into()).collect();
    if name == "backfilling-vs-opt.ron" {
        // The batches of print are a section of the scenario: a sweep with an experiment of its own.
        let whole = load_study(&source, &[]).map_err(|report| report.to_string())?;
        let section = whole.scenario().sweeps.iter().find_map(|sweep| sweep.experiment.as_ref()).unwrap();
        let experiment = format!("experiment={}", to_line(section));
        let plain = ["replications=30", "sweeps=[]", "statistics=()", "answer=None", &experiment];
        overrides = plain.iter().map(|&one| one.into()).chain(overrides).collect();
    }
    load_study(&source, &overrides).map_err(|report| report.to_string())
}

fn outcome(name: &str, overrides: &[&str]) -> Outcome {
    run(&study(name, overrides).unwrap_or_else(|report| panic!("{report}")), &NoProgress).unwrap()
}

/// The rows of the ways side by side.
fn ways(overrides: &[&str]) -> Vec<Row> {
    outcome("backfilling-vs-opt.ron", overrides).results.rows
}

fn mean(rows: &[Row], series: &str, metric: &str) -> f64 {
    let row = rows.iter().find(|row| row.series == series && row.metric == metric && row.x.is_none());
    row.unwrap_or_else(|| panic!("no row of {series} for {metric}")).mean
}

#[test]
fn work_takes_its_time_on_every_node_and_is_paid_for_on_the_slowest_that_will_do() {
    let drawn = |overrides: &[&str]| {
        let study = study("alp-vs-amp.ron", overrides).unwrap();
        let Experiment::Batches(batches) = study.scenario().experiment.clone() else { panic!("another kind") };
        (0..200)
            .flat_map(move |cycle| draw_jobs(&batches.cases[0].jobs, Streams::new(1, cycle).stream("jobs")).unwrap())
    };
    let as_work = drawn(&[]);
    let as_time = drawn(&["experiment.cases[0].jobs.length_is=Time", "experiment.cases[0].runtime=Reference"]);
    for (work, time) in as_work.zip(as_time) {
        let needed = time.length.as_f64();
        for performance in [1.0, 1.3, 2.0, 3.0].map(|performance| Performance::from_f64(performance).unwrap()) {
            let runtime = RuntimeRule::Volume.runtime(&work, performance).unwrap();
            assert_eq!(runtime, Span::from_units((needed / performance.as_f64()).ceil() as i64));
        }
        let paid = time.max_price.as_f64() * time.nodes as f64 * needed / time.min_performance.as_f64();
        assert!((budget(&work, 1.0).as_f64() - paid).abs() < 1e-3, "{work:?}");
        assert!(budget(&work, 1.0) <= budget(&time, 1.0));
    }
}

#[test]
fn the_weighted_vector_leads_from_the_cheapest_batch_to_the_fastest() {
    let metrics =
        ["TM job time", "TM job cost", "CM job time", "CM job cost", "weighted job time", "weighted job cost"];
    let with = |weights: &str| {
        let way = format!("experiment.cases[0].compare.ways[2]=Weighted{weights}");
        let rows = outcome("weighted-vector.ron", &["replications=40", "sweeps=[]", &way]).results.rows;
        metrics.map(|metric| mean(&rows, "AMP", metric))
    };
    let cheapest = with("(cost: 1)");
    assert_eq!(cheapest[5], cheapest[3]);
    let fastest = with("(idle: 2)");
    assert_eq!(fastest[4], fastest[0]);
    let between = with("(cost: 1, time: 3)");
    assert!(fastest[4] < between[4] && between[4] < cheapest[4], "{between:?}");
    assert!(cheapest[5] < between[5] && between[5] < fastest[1], "{between:?}");
    assert_eq!(between, with("(saved: 1, idle: 2, time: 1)"), "what is left of a limit says the same as what is used");
}

/// Print has 15 % for 369.69 against 313.56: of the larger.
#[test]
fn a_change_over_the_larger_is_a_share_of_the_larger() {
    let rows = outcome("alp-vs-amp.ron", &["replications=60", "published=[]"]).results.rows;
    for metric in ["TM job cost", "TM job time"] {
        let (alp, amp) = (mean(&rows, "ALP", metric), mean(&rows, "AMP", metric));
        let share = mean(&rows, "AMP against ALP", &format!("{metric}, change over the larger (%)"));
        assert!((share - 100.0 * (amp - alp) / amp.max(alp)).abs() < 1e-9, "{metric}: {share}");
    }
    let pooled = mean(&rows, "AMP", "alternatives per job, pooled");
    let jobs = mean(&rows, "all cycles", "jobs per counted batch");
    assert!((pooled - mean(&rows, "AMP", "alternatives per batch") / jobs).abs() < 1e-9);
}

#[test]
fn each_optimum_is_the_best_of_those_that_place_the_same_jobs() {
    let rows = ways(&["experiment.cases[0].jobs.count=12"]);
    let others = ["OPT min time", "OPT max time", "NO OPT within T*"];
    for series in others {
        assert_eq!(mean(&rows, series, "jobs placed minus baseline"), 0.0);
    }
    // Within the same limit T* chance can't do better than either optimum.
    let income = |series| mean(&rows, series, "owner income");
    assert!(income("OPT min cost") <= income("NO OPT within T*"));
    assert!(income("NO OPT within T*") <= income("OPT max cost"));
    assert!(mean(&rows, "OPT min time", "usage") < mean(&rows, "OPT max time", "usage"));
}

#[test]
fn a_note_tells_where_hardly_any_cycle_counts() {
    let notes = |overrides: &[&str]| outcome("backfilling-vs-opt.ron", overrides).notes;
    assert!(notes(&["experiment.cases[0].jobs.count=12"]).is_empty());
    // Each job has one alternative at most, and T* is below its time but for whole lengths.
    let equal = "experiment.cases[0].world=Environment(nodes: 4, interval: 400, performance: 1, price_spread: 0, \
                 load: (low: 1, high: 2, length: 10))";
    let lengths = "experiment.cases[0].jobs.length=Uniform(low: 110, high: 190)";
    let notes = notes(&[equal, "experiment.cases[0].jobs.nodes=4", lengths]);
    assert!(notes.iter().any(|note| note.starts_with("only ") && note.contains("T* is a whole number")), "{notes:?}");
}

#[test]
fn the_difference_of_totals_is_that_of_the_means() {
    let rows = ways(&["experiment.cases[0].compare.baseline=Fcfs"]);
    for metric in ["jobs placed", "owner income", "utilisation"] {
        let expected = mean(&rows, "EASY", metric) - mean(&rows, "FCFS", metric);
        let found = mean(&rows, "EASY", &format!("{metric} minus baseline"));
        assert!((found - expected).abs() < 1e-6 * expected.abs().max(1.0), "{metric}: {found} for {expected}");
    }
}

#[test]
fn queues_in_every_order_and_at_every_depth_run() {
    let listed = "experiment.cases[0].compare.ways=[Conservative, Conservative(order: Shortest), Fcfs(order: Largest), \
                  Easy(order: Price), Easy(depth: 3, order: Rank), Conservative(order: Rank)]";
    let rows = ways(&[listed, "experiment.cases[0].compare.ranks=UniformInteger(low: 0, high: 5)"]);
    for series in ["conservative, shortest first", "FCFS, largest first", "EASY, by price", "EASY, depth 3, by rank"] {
        assert!(mean(&rows, series, "jobs placed") > 1.0);
    }
    let starts = |series| mean(&rows, series, "start");
    assert_ne!(starts("conservative, by rank"), starts("conservative"));
}

/// Every comparison takes every world, any number of searches, and cases of other comparisons beside it.
#[test]
fn comparisons_worlds_and_searches_can_be_crossed() {
    let slots = "experiment.cases[0].world=Slots(count: 60, length: 200, performance: Uniform(low: 2, high: 3), \
                 same_start: 0.4, gap: 5, price_factor: 1, price_base: 1.3)";
    let few = ["experiment.cases[0].jobs.count=4", "replications=8"];
    let both = "experiment.cases[0].searches=[Alp, Amp]";
    let one = ways(&[slots, few[0], few[1]]);
    let two = ways(&[slots, few[0], few[1], both]);
    for series in ["FCFS", "OPT min cost", "NO OPT within T*"] {
        let amp = format!("AMP, {series}");
        assert!(two.iter().any(|row| row.series == format!("ALP, {series}")));
        if mean(&two, "all policies", "counted cycles (%)") == 100.0 {
            assert_eq!(mean(&two, &amp, "owner income"), mean(&one, series, "owner income"), "{series}");
        }
    }
    let gain =
        outcome("opt-vs-no-opt.ron", &["replications=8", "published=[]", "experiment.cases[0].searches=[Alp, Amp]"]);
    let rows = |case: &str| gain.results.rows.iter().filter(|row| row.experiment == case).cloned().collect::<Vec<_>>();
    let (crossed, plain) = (rows("1 max cost"), rows("2 min usage"));
    for series in ["ALP, OPT against NO OPT", "AMP, OPT against NO OPT"] {
        assert!(mean(&crossed, series, "gain (%)") >= 0.0);
    }
    assert!(mean(&plain, "OPT against NO OPT", "gain (%)") >= 0.0);
}

#[test]
fn what_makes_no_sense_is_refused_at_its_place() {
    let places = "experiment.cases[0]";
    for (file, set, path, expected) in [
        (
            "backfilling-vs-opt.ron",
            "compare.baseline=Easy(depth: 7)",
            "compare.baseline",
            "this way is not in the list",
        ),
        (
            "backfilling-vs-opt.ron",
            "compare.ways=[Conservative, Conservative]",
            "compare.ways[1]",
            "in the list already",
        ),
        ("backfilling-vs-opt.ron", "searches=[MinCost]", "searches", "only `Alp` and `Amp` collect alternatives"),
        ("backfilling-vs-opt.ron", "compare.ways[1]=Easy(depth: 0)", "compare.ways[1].depth", "0"),
        ("weighted-vector.ron", "compare.ways[2]=Weighted(cost: 0)", "compare.ways[2]", "all weights are 0"),
        ("alp-vs-amp.ron", "searches=[Amp, Amp]", "searches[1]", "in the list already"),
        ("alp-vs-amp.ron", "runtime=Reference", "runtime", "only `Volume` gives the work's own runtimes"),
    ] {
        let said = study(file, &[&format!("{places}.{set}")]).map(|_| ()).unwrap_err();
        assert!(said.contains(&format!("{places}.{path}")) && said.contains(expected), "{said}");
    }
}
