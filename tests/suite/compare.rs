//! `gridloom compare`: what it says of two runs, held against their own files.

use super::program::{Contents, call, contents, done, text};
use flate2::read::GzDecoder;
use statrs::distribution::{ContinuousCDF, StudentsT};
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::Output;
use std::sync::LazyLock;
use tempfile::TempDir;

const SMALL: &str = r#"(
    name: "small",
    replications: 6,
    experiment: Grid(
        horizon: 200,
        step: 20,
        domains: [(name: "a", nodes: 4, owners: [(gap: Exponential(mean: 20), length: Uniform(low: 2, high: 9))])],
        flows: [(
            name: "f",
            arrivals: Load(load: 0.6),
            work: Rigid(nodes: UniformInteger(low: 1, high: 3), length: Uniform(low: 2, high: 12)),
            max_price: 3,
        )],
        metascheduler: (period: 5, interval: 60),
        policies: [Easy, Fcfs],
    ),
    sweeps: [(
        name: "load",
        field: "experiment.flows[0].arrivals.load",
        values: [0.3, 0.5, 0.7],
        label: "Load (share of node time)",
        metrics: ["wait"],
    )],
)"#;

fn gridloom(folder: &Path, args: &[&str]) -> Output {
    call(folder, args).env("COLUMNS", "80").output().expect("the program starts")
}

fn run(folder: &Path, out: &str, more: &[&str]) {
    fs::write(folder.join("s.ron"), SMALL).unwrap();
    done(folder, &[&["run", "s.ron", "--quiet", "--out", out], more].concat());
}

/// A folder with the results `a` and `b` of the scenario, the second with these further arguments. The first is run once for
/// all tests.
fn two_runs(more: &[&str]) -> TempDir {
    static FIRST: LazyLock<Contents> = LazyLock::new(|| {
        let folder = tempfile::tempdir().unwrap();
        run(folder.path(), "a", &[]);
        contents(&folder.path().join("a"))
    });
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("a")).unwrap();
    for (name, bytes) in &*FIRST {
        fs::write(folder.path().join("a").join(name), bytes.as_ref().expect("a result has no folders")).unwrap();
    }
    run(folder.path(), "b", more);
    folder
}

/// What a comparison prints, in a terminal of 80 columns.
fn compared(folder: &Path, args: &[&str]) -> String {
    let compared = gridloom(folder, &[&["compare"], args].concat());
    assert_eq!(compared.status.code(), Some(0), "{}", text(&compared.stderr));
    text(&compared.stdout)
}

/// The lines of a table by the names of its columns.
fn table(text: &[u8]) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(text);
    reader.deserialize().map(|line| line.unwrap()).collect()
}

/// The values of a metric of a series at the base point of a result, by replication.
fn observed(result: &Path, series: &str, metric: &str, x: &str) -> Vec<f64> {
    let mut bytes = Vec::new();
    GzDecoder::new(fs::File::open(result.join("observations.csv.gz")).unwrap()).read_to_end(&mut bytes).unwrap();
    let experiment = if x.is_empty() { "whole run" } else { "load" };
    let is_meant = |line: &BTreeMap<String, String>| {
        line["experiment"] == experiment && line["series"] == series && line["metric"] == metric && line["x"] == x
    };
    let lines = table(&bytes).into_iter().filter(is_meant);
    let mut values: Vec<(u64, f64)> =
        lines.map(|line| (line["replication"].parse().unwrap(), line["value"].parse().unwrap())).collect();
    values.sort_by_key(|(number, _)| *number);
    values.into_iter().map(|(_, value)| value).collect()
}

fn mean_and_variance(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / (n - 1.0))
}

fn quantile(freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom).unwrap().inverse_cdf(0.975)
}

fn agrees(found: &str, expected: f64) {
    let found: f64 = found.parse().unwrap();
    assert!((found - expected).abs() <= 1e-6 * expected.abs().max(1e-9), "{found} {expected}");
}

fn line<'t>(
    lines: &'t [BTreeMap<String, String>],
    series: &str,
    metric: &str,
    x: &str,
) -> &'t BTreeMap<String, String> {
    let is_meant = |line: &&BTreeMap<String, String>| {
        line["series"] == series
            && line["metric"] == metric
            && line["x"] == x
            && line["experiment"] != "queue over time"
    };
    lines.iter().find(is_meant).unwrap_or_else(|| panic!("no {metric} of {series} at {x:?}"))
}

#[test]
fn runs_of_one_seed_are_compared_replication_by_replication() {
    let folder = two_runs(&["--set", "experiment.metascheduler.interval=14"]);
    let said = compared(folder.path(), &["a", "b"]);
    assert!(said.contains("- experiment.metascheduler.interval: 60.0 | 14.0\n"), "{said}");
    assert_eq!(said.matches("\n- ").count(), 1, "nothing else differs:\n{said}");
    assert!(said.contains("b - a") && said.contains("Written to output/compare-a-b: report.html"), "{said}");
    let lines = said.lines();
    assert!(lines.clone().count() <= 40 && lines.clone().all(|line| line.chars().count() <= 80), "{said}");
    let out = folder.path().join("output/compare-a-b");
    let found = table(&fs::read(out.join("compare.csv")).unwrap());
    for (series, x) in [("EASY", ""), ("FCFS", ""), ("EASY", "0.7")] {
        let [first, second] = ["a", "b"].map(|name| observed(&folder.path().join(name), series, "wait", x));
        assert_eq!(first.len(), 6);
        let gaps: Vec<f64> = first.iter().zip(&second).map(|(first, second)| second - first).collect();
        let (mean, variance) = mean_and_variance(&gaps);
        let line = line(&found, series, "wait", x);
        assert_eq!((line["interval"].as_str(), line["n"].as_str()), ("paired", "6"));
        agrees(&line["difference"], mean);
        agrees(&line["ci95"], quantile(5.0) * (variance / 6.0).sqrt());
        agrees(&line["mean_first"], mean_and_variance(&first).0);
    }
    // The overlaid sweep, the bars and the differences are drawn, and the rows are named after their results.
    for file in ["load-wait.svg", "whole-run-wait.png", "whole-run-difference-of-results-in-wait.pdf", "report.html"] {
        assert!(out.join(file).exists(), "{file}");
    }
    let rows = table(&fs::read(out.join("results.csv")).unwrap());
    for series in ["EASY (a)", "EASY (b)", "EASY (b) against EASY (a)"] {
        assert!(rows.iter().any(|row| row["series"] == series && row["x"] == "0.5"), "{series}");
    }
    let svg = fs::read_to_string(out.join("load-wait.svg")).unwrap();
    assert!(svg.contains("EASY (a)") && svg.contains("FCFS (b)"));
}

#[test]
fn runs_of_other_seeds_are_compared_by_welch() {
    let folder = two_runs(&["--seed", "7", "--replications", "9"]);
    let said = compared(folder.path(), &["a", "b"]);
    assert!(
        said.contains("Welch") && said.contains("- seed: 1 | 7\n") && said.contains("- replications: 6 | 9\n"),
        "{said}"
    );
    let found = table(&fs::read(folder.path().join("output/compare-a-b/compare.csv")).unwrap());
    let [first, second] = ["a", "b"].map(|name| observed(&folder.path().join(name), "FCFS", "wait", ""));
    assert_eq!((first.len(), second.len()), (6, 9));
    let ((first, own), (second, other)) = (mean_and_variance(&first), mean_and_variance(&second));
    let (own, other) = (own / 6.0, other / 9.0);
    let freedom = (own + other) * (own + other) / (own * own / 5.0 + other * other / 8.0);
    let line = line(&found, "FCFS", "wait", "");
    assert_eq!((line["interval"].as_str(), line["n"].as_str()), ("Welch", "15"));
    agrees(&line["difference"], second - first);
    agrees(&line["ci95"], quantile(freedom) * (own + other).sqrt());
}

#[test]
fn more_than_two_results_and_rows_of_only_one_of_them() {
    let folder = two_runs(&["--set", "experiment.policies=[Easy, Conservative]"]);
    let said = compared(folder.path(), &["a", "b", "a", "--out", "three", "--verbose"]);
    assert!(said.contains("- experiment.policies[1]: Fcfs | Conservative | Fcfs\n"), "{said}");
    let flat = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("not in all are the series \"FCFS\"") && flat.contains("\"conservative\" (b)."), "{said}");
    let found = table(&fs::read(folder.path().join("three/compare.csv")).unwrap());
    assert!(found.iter().all(|line| line["series"] != "FCFS" && line["series"] != "conservative"));
}

#[test]
fn values_in_other_units_are_not_compared() {
    let folder = two_runs(&["--set", "experiment.time_unit=\"hours\""]);
    run(folder.path(), "c", &["--set", "experiment.time_unit=\"minutes\""]);
    let said = compared(folder.path(), &["c", "b", "--out", "both", "--verbose"]);
    let flat = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("not compared, since the units differ (hours, minutes): give both scenarios"), "{said}");
    let found = table(&fs::read(folder.path().join("both/compare.csv")).unwrap());
    assert!(found.iter().any(|line| line["metric"] == "success ratio"));
    assert!(found.iter().all(|line| line["metric"] != "wait"), "{found:?}");
}

/// The names of metrics, series and results of the lines of `compare.csv` that are told from chance.
fn told(table: &[BTreeMap<String, String>]) -> Vec<(&str, &str)> {
    let is_told = |line: &&BTreeMap<String, String>| line["p_holm"].parse::<f64>().is_ok_and(|p| p < 0.05);
    let plain = table.iter().filter(|line| !line["metric"].starts_with("difference ")).filter(is_told);
    plain.map(|line| (line["metric"].as_str(), line["series"].as_str())).collect()
}

#[test]
fn the_first_lines_name_what_differs_beyond_chance() {
    let folder = two_runs(&["--set", "experiment.domains[0].nodes=2"]);
    let said = compared(folder.path(), &["a", "b"]);
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[1] == "What differs between a and b?" && lines[2].starts_with("Beyond chance (p < 0.05"), "{said}");
    let found = table(&fs::read(folder.path().join("output/compare-a-b/compare.csv")).unwrap());
    let told = told(&found);
    let asked = ["success ratio", "wait", "slowdown", "job cost"];
    let first = asked.iter().find(|metric| told.iter().any(|(name, _)| name == *metric)).unwrap();
    let flat = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains(&format!("for each metric): {first} (")), "{first}\n{said}");
    // What comes in says least, and is told last.
    assert!(said.find("\nsuccess ratio").unwrap() < said.find("\njobs submitted").unwrap_or(usize::MAX), "{said}");
}

#[test]
fn nothing_beyond_chance_is_said_and_a_result_does_not_differ_from_itself() {
    let folder = two_runs(&["--seed", "9"]);
    let said = compared(folder.path(), &["a", "b", "--out", "c"]);
    let found = table(&fs::read(folder.path().join("c/compare.csv")).unwrap());
    assert_eq!(said.contains("Nothing differs beyond chance"), told(&found).is_empty(), "{said}");
    let starred = said.lines().any(|line| line.chars().skip(1).any(|letter| letter == '*'));
    assert_eq!(said.contains("* differs from 0"), starred, "{said}");
    // A comparison has no scenario of its own.
    assert!(!said.contains("scenario.ron") && !folder.path().join("c/scenario.ron").exists());
    let page = fs::read_to_string(folder.path().join("c/report.html")).unwrap();
    assert!(!page.contains("id=\"scenario\"") && page.contains("a is a; b is b"));
    let said = compared(folder.path(), &["a", "a", "--out", "same"]);
    assert!(said.contains("nothing differs in the scenarios") && said.contains("0 differ, 0 of them"), "{said}");
    assert!(said.contains("Nothing differs: all values are the same.") && !said.contains('*'), "{said}");
    let found = table(&fs::read(folder.path().join("same/compare.csv")).unwrap());
    assert!(found.len() > 50 && found.iter().all(|line| line["difference"] == "0"));
    assert!(found.iter().filter(|line| line["interval"] == "paired").all(|line| line["ci95"] == "0"));
    // An existing comparison stays, unless it is to be replaced.
    let again = ["compare", "a", "a", "--out", "same", "--quiet"];
    assert_eq!(gridloom(folder.path(), &again).status.code(), Some(2));
    let quiet = gridloom(folder.path(), &[&again[..], &["--force"]].concat());
    assert!(quiet.status.success() && quiet.stdout.is_empty() && quiet.stderr.is_empty());
}

#[test]
fn three_results_fit_a_screen_and_intervals_name_their_pair() {
    let folder = two_runs(&["--seed", "9", "--set", "experiment.policies=[Easy, Conservative, Fcfs]"]);
    let changes = [
        "experiment.metascheduler.period=9",
        "experiment.metascheduler.interval=50",
        "experiment.metascheduler.attempts=2",
        "experiment.flows[0].max_price=2",
        "experiment.flows[0].users=3",
        "experiment.flows[0].arrivals.load=0.9",
        "experiment.domains[0].nodes=3",
        "experiment.horizon=240",
        "experiment.step=10",
        "sweeps[0].values=[0.3, 0.4, 0.5, 0.7, 0.9]",
    ];
    let set: Vec<&str> = changes.iter().flat_map(|change| ["--set", change]).collect();
    run(folder.path(), "c", &[&["--replications", "4"], &set[..]].concat());
    let said = compared(folder.path(), &["a", "b", "c"]);
    assert!(said.lines().count() <= 40 && said.lines().all(|line| line.chars().count() <= 80), "{said}");
    let flat = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        flat.contains("Intervals of c - a are those of paired") && flat.contains("Intervals of b - a are Welch"),
        "{said}"
    );
    let wide = text(&gridloom(folder.path(), &["compare", "a", "b", "c", "--verbose", "--force"]).stdout);
    assert!(wide.contains("experiment.flows[0].users"), "{wide}");
    let flat = wide.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("c - a is over the 4 replications that both have"), "{wide}");
}

#[test]
fn what_is_no_result_is_refused_with_its_path() {
    let folder = two_runs(&["--set", "sweeps=[]"]);
    let at = |name: &str| folder.path().join(name);
    let refused = |args: &[&str], parts: &[&str]| {
        let done = gridloom(folder.path(), &[&["compare"], args].concat());
        assert_eq!(done.status.code(), Some(2), "{args:?}");
        let said = text(&done.stderr);
        assert!(parts.iter().all(|part| said.contains(part)), "{args:?}: {said}");
        assert!(done.stdout.is_empty() && !at("output").exists());
    };
    refused(&["a", "nowhere"], &["nowhere is no directory", "gridloom run"]);
    fs::create_dir(at("empty")).unwrap();
    refused(&["empty", "a"], &["empty/results.json", "gridloom run"]);
    refused(&["a"], &["2 values required"]);
    // A run of another kind has no row in common.
    let windows = gridloom(folder.path(), &["init", "windows"]).stdout;
    fs::write(at("w.ron"), windows).unwrap();
    done(folder.path(), &["run", "w.ron", "--quiet", "--out", "w"]);
    refused(&["a", "w"], &["a and w have no row in common"]);
    let whole = fs::read(at("b/observations.csv.gz")).unwrap();
    for broken in [whole[..whole.len() / 2].to_vec(), b"no table".to_vec()] {
        fs::write(at("b/observations.csv.gz"), broken).unwrap();
        refused(&["a", "b"], &["b/observations.csv.gz", "run the scenario again"]);
    }
    fs::remove_file(at("b/observations.csv.gz")).unwrap();
    refused(&["a", "b"], &["b/observations.csv.gz"]);
    fs::remove_file(at("b/scenario.ron")).unwrap();
    refused(&["a", "b"], &["b/scenario.ron"]);
    fs::write(at("b/results.json"), "{\"rows\": 3}").unwrap();
    refused(&["a", "b"], &["b/results.json"]);
}

#[test]
fn runs_of_different_lengths_say_over_which_replications_they_differ() {
    let folder = two_runs(&["--replications", "3"]);
    let said = compared(folder.path(), &["a", "b"]);
    let flat = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("b - a is over the 3 replications that both have"), "{said}");
}

/// A folder with replays of one small log, each under a name and with these options.
fn replays(of: &[(&str, &[&str])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let jobs: String =
        (1..9).map(|job| format!("{job} {} -1 60 3 -1 -1 3 60 -1 1 1 1 1 1 -1 -1 -1\n", 9 * job)).collect();
    fs::write(folder.path().join("t.swf"), format!("; MaxProcs: 8\n{jobs}")).unwrap();
    for (name, options) in of {
        done(folder.path(), &[&["replay", "t.swf", "--quiet", "--out", name], *options].concat());
    }
    folder
}

#[test]
fn series_of_only_one_result_are_named_before_what_is_the_same() {
    let folder = replays(&[
        ("a", &["--policy", "FCFS,EASY"]),
        ("b", &["--policy", "FCFS,conservative"]),
        ("c", &["--policy", "FCFS,EASY", "--order", "shortest"]),
    ]);
    let opening = |args: &[&str]| {
        let said = compared(folder.path(), args);
        let flat = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(!flat.contains("Nothing differs: all values"), "{said}");
        flat
    };
    let said = opening(&["a", "b", "--out", "ab"]);
    assert!(said.contains("values are in both results; not in both are the series \"EASY\" (a), \"cons"), "{said}");
    assert!(said.contains("\"conservative\" (b). What all of them have is the same. Of"), "{said}");
    // Only what the log itself says is in both of these.
    let said = opening(&["a", "c", "--out", "ac"]);
    let others = "the series \"FCFS\" (a), \"EASY\" (a), \"FCFS, shortest first\" (c), \"EASY, shortest first\" (c).";
    assert!(said.contains("13 values are in both results; not in both are") && said.contains(others), "{said}");
    let said = opening(&["a", "b", "a", "--out", "aba"]);
    assert!(said.contains("in all results; not in all are the series \"EASY\" ("), "{said}");
    let page = fs::read_to_string(folder.path().join("ab/report.html")).unwrap();
    assert!(page.contains("not in both are the series"));
}

#[test]
fn replays_without_a_common_policy_are_told_to_be_made_in_one_call() {
    let folder = replays(&[
        ("easy", &["--policy", "EASY"]),
        ("cons", &["--policy", "conservative"]),
        ("short", &["--policy", "EASY", "--order", "shortest"]),
    ]);
    fs::copy(folder.path().join("t.swf"), folder.path().join("u.swf")).unwrap();
    done(folder.path(), &["replay", "t.swf", "u.swf", "--policy", "EASY", "--out", "two"]);
    let refused = |other: &str| {
        let done = gridloom(folder.path(), &["compare", "easy", other]);
        assert_eq!(done.status.code(), Some(2), "{other}");
        text(&done.stderr)
    };
    let said = refused("cons");
    assert!(said.contains("no policy in common: easy has EASY, cons has conservative; replay the log"), "{said}");
    assert!(said.contains("in one call (--policy EASY,conservative)") && !said.contains("kind"), "{said}");
    // The command has one order for all policies; a scenario has one for each.
    let said = refused("short");
    assert!(said.contains("short has EASY, shortest first; list all of them in `policies` of one scenario"), "{said}");
    let said = refused("two");
    assert!(said.contains("easy has \"whole log\"") && said.contains("two has \"t: whole log\""), "{said}");
}
