//! A report as a reader uses it: the contents, the switch among policies, values at the pointer, folded tables.

use super::{Findings, visit_page};
use gridloom::language::Source;
use gridloom::report::artefacts;
use gridloom::study::{NoProgress, load_study, run};
use std::sync::OnceLock;

const READER: &str = include_str!("reader.js");

/// A small grid with three policies and a sweep.
const SMALL: &str = r#"(
    name: "small",
    about: "Which policy is best?\n\nA few nodes for a few hours.",
    replications: 3,
    experiment: Grid(
        horizon: 60,
        step: 4,
        time_unit: "hours",
        domains: [(name: "a", nodes: 6, owners: [(gap: Exponential(mean: 6), length: Uniform(low: 0.5, high: 3))])],
        flows: [(
            name: "users",
            arrivals: Load(load: 0.5),
            work: Rigid(nodes: UniformInteger(low: 1, high: 3), length: Uniform(low: 1, high: 6)),
            users: 3,
            max_price: 2,
        )],
        metascheduler: (period: 1, interval: 24),
        policies: [Easy, Fcfs, Conservative],
    ),
    sweeps: [(
        name: "load",
        field: "experiment.flows[0].arrivals.load",
        values: [0.2, 0.5],
        label: "Offered load",
        metrics: ["wait"],
    )],
)"#;

/// The report of the small grid, and its rows as `results.csv` has them: experiment, series, x, metric, mean.
struct SmallReport {
    page: String,
    rows: Vec<(String, String, String, String, f64)>,
}

impl SmallReport {
    fn new() -> Self {
        let outcome = run(&load_study(&Source::new("small.ron", SMALL), &[]).unwrap(), &NoProgress).unwrap();
        let files = artefacts(&outcome).unwrap();
        let page = String::from_utf8(files.get("report.html").unwrap().to_vec()).unwrap();
        let mut reader = csv::Reader::from_reader(files.get("results.csv").unwrap());
        let headers = reader.headers().unwrap().clone();
        let at = |name: &str| headers.iter().position(|header| header == name).unwrap();
        let columns = ["experiment", "series", "x", "metric", "mean"].map(at);
        let row = |record: Result<csv::StringRecord, csv::Error>| {
            let record = record.unwrap();
            let [experiment, series, x, metric, mean] = columns.map(|column| record[column].to_string());
            (experiment, series, x, metric, mean.parse().unwrap())
        };
        let rows = reader.records().map(row).collect();
        Self { page, rows }
    }

    fn mean(&self, experiment: &str, series: &str, x: &str, metric: &str) -> f64 {
        let is_meant = |row: &&(String, String, String, String, f64)| {
            row.0 == experiment && row.1 == series && row.2 == x && row.3 == metric
        };
        self.rows.iter().find(is_meant).unwrap_or_else(|| panic!("{experiment} {series} {x} {metric}")).4
    }
}

/// The report, made once for all tests.
fn small() -> &'static SmallReport {
    static REPORT: OnceLock<SmallReport> = OnceLock::new();
    REPORT.get_or_init(SmallReport::new)
}

fn visit(page: &str, test: &str, flags: &[&str]) -> Option<Findings> {
    visit_page(page, &format!("async function test() {{ {test} }}\n{READER}"), flags)
}

fn assert_found(found: &Findings, expected: &[(&str, &str)]) {
    for (name, value) in expected {
        assert_eq!(found.get(*name).map(String::as_str), Some(*value), "{name}: {found:#?}");
    }
}

/// True if a text says a value: rounded to the digits that the text has.
fn says(text: &str, label: &str, value: f64) -> bool {
    let said = text.split("; ").find_map(|line| line.strip_prefix(label)).unwrap_or_else(|| panic!("{text}"));
    let said = said.split(" ± ").next().unwrap().trim();
    let places = said.split_once('.').map_or(0, |(_, digits)| digits.len());
    format!("{value:.places$}").parse::<f64>().unwrap() == said.parse::<f64>().unwrap()
}

#[test]
fn the_contents_stay_in_view_and_mark_what_is_read() {
    let report = small();
    for size in ["--window-size=1280,900", "--window-size=500,900"] {
        let Some(found) = visit(&report.page, "await contents();", &[size]) else { return };
        let expected = [
            ("entries", "Answer; About; Sweeps; Figures; Schedules; Tables; Scenario; Facts"),
            ("higher than the window", "true"),
            ("in view at first", "Answer"),
            ("in view further down", "Schedules"),
            ("in view at the end", "Facts"),
            ("marked there", "Figures"),
            ("a link leads there", "true"),
            ("links that lead nowhere", "0"),
        ];
        assert_found(&found, &expected);
    }
}

#[test]
fn the_first_entry_is_marked_at_the_top_of_a_window_that_shows_much_of_the_page() {
    let report = small();
    let test = "await contents();";
    let Some(found) = visit(&report.page, test, &["--window-size=1280,3000"]) else { return };
    assert_found(&found, &[("in view at first", "Answer")]);
}

#[test]
fn paper_shows_everything_but_what_needs_a_pointer() {
    let report = small();
    let Some(found) = visit(&report.page, "await onPaper();", &["--window-size=720,1000"]) else { return };
    let expected = [
        ("contents and switches", "none"),
        ("schedules that can't be moved", "none"),
        ("wider than the paper", "none"),
        ("figures side by side", "true"),
        ("background", "rgb(255, 255, 255)"),
    ];
    assert_found(&found, &expected);
}

#[test]
fn the_switch_shows_another_policy_and_figures_answer_with_the_values_of_the_results() {
    let report = small();
    let test =
        "await policies(); await bars('success-ratio', ['EASY', 'FCFS', 'conservative']); await markers('load-wait');";
    let Some(found) = visit(&report.page, test, &["--window-size=1280,900"]) else { return };
    let expected = [
        ("schedules", "EASY; FCFS; conservative"),
        ("uses", "EASY; FCFS; conservative"),
        ("shown at first", "EASY | EASY"),
        ("shown after the click", "FCFS | FCFS"),
        ("pressed", "FCFS; FCFS"),
        ("same view", "true"),
        ("drawn", "true"),
        ("and back", "EASY | EASY"),
    ];
    assert_found(&found, &expected);
    for policy in ["EASY", "FCFS", "conservative"] {
        let tip = &found[&format!("bar {policy}")];
        assert!(tip.starts_with(&format!("{policy}; ")) && tip.contains("; n = 3"), "{tip}");
        let mean = report.mean("whole run", policy, "", "success ratio");
        assert!(says(tip, "Success ratio (share of jobs): ", mean), "{tip} against {mean}");
    }
    // Three in the legend, then those of each series in order of x.
    assert_eq!(found["markers"], "9", "{found:#?}");
    for (k, (policy, x)) in
        ["EASY", "FCFS", "conservative"].into_iter().flat_map(|policy| [(policy, "0.2"), (policy, "0.5")]).enumerate()
    {
        let tip = &found[&format!("marker {}", k + 3)];
        let mean = report.mean("load", policy, x, "wait");
        let label = "Wait (hours): ";
        // Markers may lie on each other, and then the one is as good as the other.
        let others = ["EASY", "FCFS", "conservative"].map(|policy| report.mean("load", policy, x, "wait"));
        assert!(others.into_iter().any(|other| says(tip, label, other)), "{tip} against {mean}");
        assert!(tip.contains(&format!("Offered load: {x}; ")), "{tip}");
    }
    assert_found(&found, &[("far away", "none"), ("escape", "none"), ("touched", "true")]);
    assert_found(&found, &[("right", "EASY; Offered load: 0.5"), ("down", "FCFS; Offered load: 0.5")]);
}

#[test]
fn nothing_is_wider_than_a_phone_and_all_is_folded_at_first() {
    let page = small().page.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
    let frame = format!(
        "<!DOCTYPE html>\n<html><body><iframe srcdoc=\"{page}\" style=\"width: 400px; height: 800px; border: 0\">\
         </iframe></body></html>"
    );
    let Some(found) = visit(&frame, "await narrow();", &["--window-size=800,900"]) else { return };
    let expected = [
        ("width", "400"),
        ("open at first", "0"),
        ("no wider", "true"),
        ("no wider with all open", "true"),
        ("what is wider is in a box that scrolls", "true"),
        ("tables", "true"),
        ("contents in view", "true"),
    ];
    assert_found(&found, &expected);
}

#[test]
fn without_scripts_everything_is_shown() {
    let page = &small().page;
    // What a browser makes of the page that runs no scripts.
    let (before, rest) = page.split_once("<script type=\"module\">").unwrap();
    let (_, after) = rest.split_once("</script>").unwrap();
    let page = [before, after].concat().replace("<noscript>", "<div>").replace("</noscript>", "</div>");
    let Some(found) = visit(&page, "await unscripted();", &["--window-size=1280,900"]) else { return };
    let figures = page.matches("<figure").count().to_string();
    let expected = [
        ("figures", figures.as_str()),
        ("all shown", "true"),
        ("said of schedules", "3"),
        ("switches", "0"),
        ("contents", "true"),
        ("opens", "true"),
        ("leads", "#tables"),
    ];
    assert_found(&found, &expected);
}
