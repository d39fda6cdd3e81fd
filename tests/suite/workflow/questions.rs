//! Workflows as users ask about them: several files, several methods, figures by case, and why jobs have no plan.

use gridloom::language::read_source;
use gridloom::report;
use gridloom::study::{FigureKind, NoProgress, Outcome, Row, Study, load_study, run};
use std::collections::BTreeMap;

/// A scenario of these fields of the experiment beside files; the report of its errors where it has some.
fn study(files: &[(&str, &str)], experiment: &str, rest: &str) -> Result<Study, String> {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    let path = folder.path().join("w.ron");
    std::fs::write(&path, format!("(name: \"w\", replications: 40, experiment: {experiment}, {rest})")).unwrap();
    let source = read_source(&path).map_err(|report| report.to_string())?;
    load_study(&source, &[]).map_err(|report| report.to_string())
}

const WIDE: &str = "digraph { node [size=4]; a -> b; a -> c; a -> d; b -> e; c -> e; d -> e }";
const LONG: &str = "digraph { node [size=300]; a -> b -> c -> d [size=20] }";

/// Two jobs by two methods on nodes with owners.
fn compared(rest: &str) -> Outcome {
    let experiment = "Workflows(
        cases: [(name: \"wide\", tasks: File(path: \"wide.dot\")),
            (name: \"long\", tasks: File(path: \"long.gv\", bandwidth: 2, speed: 10))],
        methods: [CheapestChains, Heft],
        domain: (nodes: 5, types: [1, 2], performance: 10, occupancy: 0.4, local_length: UniformInteger(low: 2, high: 9)),
        deadline_factor: 2, time_unit: \"hours\")";
    let study = study(&[("wide.dot", WIDE), ("long.gv", LONG)], experiment, rest).unwrap();
    run(&study, &NoProgress).unwrap()
}

fn means(rows: &[Row]) -> BTreeMap<(&str, &str), (f64, u64)> {
    rows.iter().map(|row| ((row.series.as_str(), row.metric.as_str()), (row.mean, row.n))).collect()
}

#[test]
fn every_case_has_a_panel_and_every_method_a_colour_without_being_asked_for() {
    let outcome = compared("");
    let files: Vec<&str> = outcome.figures.iter().map(|figure| figure.file.as_str()).collect();
    assert_eq!(files, ["success-ratio", "makespan", "cost", "collisions", "without-a-plan"]);
    for figure in &outcome.figures[..4] {
        let FigureKind::BarPanels(places) = &figure.kind else { panic!("{figure:?}") };
        let parts: Vec<(&str, &str)> = places.iter().map(|at| (at.panel.as_str(), at.name.as_str())).collect();
        let expected = [("wide", "critical jobs"), ("wide", "HEFT"), ("long", "critical jobs"), ("long", "HEFT")];
        assert_eq!(parts, expected);
        assert_eq!(places[3].series, "long, HEFT");
    }
    assert_eq!(outcome.figures[1].y_label, "Makespan of jobs with a plan (hours)");
    // What means are over stands in the caption: as many as succeeded.
    let rows = means(&outcome.results.rows);
    for series in ["wide, critical jobs", "long, HEFT"] {
        let (success, all) = rows[&(series, "success ratio")];
        let planned = rows.get(&(series, "cost")).map_or(0, |(_, n)| *n);
        assert_eq!((success * all as f64).round() as u64, planned, "{series}");
        let said = format!("{series} {planned}");
        assert!(outcome.figures[2].caption.contains(&said), "{}", outcome.figures[2].caption);
    }
    assert!(report::artefacts(&outcome).unwrap().names().any(|name| name == "makespan.pdf"));
}

#[test]
fn success_and_the_causes_of_failure_are_all_jobs() {
    let outcome = compared("sweeps: [(name: \"h\", field: \"experiment.deadline_factor\", values: [0.5, 1, 1.3, 3])]");
    let mut sums: BTreeMap<String, f64> = BTreeMap::new();
    for row in &outcome.results.rows {
        if row.metric == "success ratio" || row.metric.starts_with("without a plan: ") {
            *sums.entry(format!("{} {} {:?}", row.experiment, row.series, row.x)).or_default() += row.mean;
        }
    }
    assert_eq!(sums.len(), 4 + 4 * 4);
    for (at, sum) in sums {
        assert!((sum - 1.0).abs() < 1e-9, "{at}: {sum}");
    }
    let of = |series: &str, x: f64, metric: &str| {
        let is_so = |row: &&Row| row.series == series && row.x == Some(x) && row.metric == metric;
        outcome.results.rows.iter().find(is_so).map(|row| row.mean)
    };
    // Half of the longest chain is no time for anybody.
    for series in ["wide, critical jobs", "wide, HEFT", "long, critical jobs", "long, HEFT"] {
        assert_eq!(of(series, 0.5, "without a plan: no time"), Some(1.0), "{series}");
    }
    let lines = outcome.figures.iter().find(|figure| figure.file == "h-makespan").unwrap();
    assert!(
        matches!(lines.kind, FigureKind::LinePanels(_, None)) && lines.caption.contains("jobs with a plan"),
        "{lines:?}"
    );
    // Rows of the same worlds at the same factor are the same, whatever else was asked for.
    assert!(outcome.notes.iter().any(|note| note.contains("have no plan: ")), "{:?}", outcome.notes);
}

#[test]
fn differences_are_over_jobs_that_both_have_planned() {
    let outcome = compared("statistics: (pairs: [(\"wide, critical jobs\", \"wide, HEFT\")])");
    let rows = means(&outcome.results.rows);
    let of = |metric: &str| rows[&("wide, critical jobs against wide, HEFT", metric)];
    let both = rows[&("wide, critical jobs", "cost")].1.min(rows[&("wide, HEFT", "cost")].1);
    assert!(of("difference in cost").1 <= both && of("difference in cost").1 > 0);
    assert_eq!(of("difference in success ratio").1, 40);
    assert!(of("difference in cost").0 < 0.0, "slower nodes are cheaper");
}

#[test]
fn one_job_says_why_a_method_has_no_plan_and_which_task_is_concerned() {
    let experiment = "Workflows(cases: [(name: \"job\", tasks: File(path: \"wide.dot\"))], methods: [CheapestChains, Heft, Exact(10000)],
        domain: (nodes: 2, types: [1]), deadline: 11, time_unit: \"minutes\", steps: true)";
    let outcome = run(&study(&[("wide.dot", WIDE)], experiment, "").unwrap(), &NoProgress).unwrap();
    let (_, plans) = outcome.files.iter().find(|(name, _)| name == "plans.json").unwrap();
    let plans: serde_json::Value = serde_json::from_slice(plans.bytes().unwrap()).unwrap();
    for (index, method) in ["critical jobs", "HEFT", "exact"].into_iter().enumerate() {
        let entry = &plans[index];
        assert_eq!((entry["method"].as_str(), entry["cause"].as_str()), (Some(method), Some("no time")));
        assert_eq!((entry["concerned"].as_str(), entry["cost"].is_null()), (Some("e"), true));
        assert!(entry["reason"].as_str().unwrap().contains("takes 12 minutes on the fastest nodes"), "{entry}");
    }
    let why: Vec<&Row> = outcome.results.rows.iter().filter(|row| row.metric == "without a plan: no time").collect();
    assert_eq!((why.len(), why[0].mean), (3, 1.0));
    // A job that can't run matters more than a field that changes nothing.
    let with_more = experiment.replace("wide.dot\"", "wide.dot\", bandwidth: 3");
    let notes = run(&study(&[("wide.dot", WIDE)], &with_more, "").unwrap(), &NoProgress).unwrap().notes;
    assert!(
        notes.len() == 5
            && notes[0].starts_with("critical jobs: 1 of 1 job has no plan: no time (1)")
            && notes[3].contains("bandwidth"),
        "{notes:?}"
    );
    assert_eq!(notes[4], "`replications` has no effect: an experiment of this kind is one fixed run");
    assert_eq!(outcome.results.replications, 1, "of 40");
}

#[test]
fn an_exact_search_that_is_given_up_is_no_success_and_costs_are_told_on_common_jobs() {
    let tasks = "Layered(tiers: 3, width: UniformInteger(low: 1, high: 4), density: 0.5, time: UniformInteger(low: 1, high: 6), transfer: 1)";
    let experiment = format!(
        "Workflows(cases: [(name: \"c\", tasks: {tasks})], methods: [CheapestChains, Exact(3000)],
            domain: (nodes: 3, types: [1, 2], performance: 10), deadline_factor: 1.6, on_grid: [(name: \"grid\", methods: [Exact(3000)])])"
    );
    let outcome = run(&study(&[], &experiment, "").unwrap(), &NoProgress).unwrap();
    let rows = means(&outcome.results.rows);
    let (success, jobs) = rows[&("exact", "success ratio")];
    let (given_up, planned) = (rows[&("exact", "without a plan: given up")].0, rows[&("exact", "cost")].1);
    assert!(given_up > 0.1 && success > 0.1, "{given_up} {success}");
    assert_eq!((jobs, (success * 40.0).round() as u64), (40, planned));
    assert!((success + given_up - 1.0).abs() < 1e-9, "all others were planned");
    assert_eq!(rows[&("exact, grid", "success ratio")], (success, 40));
    let told = format!("exact: {} of 40 jobs have no plan: given up ({0})", 40 - planned);
    assert!(outcome.notes[0].starts_with(&told), "{:?}", outcome.notes);
    let common = format!("Cost on the {planned} jobs that all methods planned: critical jobs ");
    let common = outcome.notes[1].split_once(&common).unwrap_or_else(|| panic!("{:?}", outcome.notes)).1;
    let (other, own) = common.split_once(", exact ").unwrap();
    let [other, own] = [other, own].map(|cost| cost.parse::<f64>().unwrap());
    assert!((own - rows[&("exact", "cost")].0).abs() < 0.01, "{own}");
    assert!(own <= other && other < rows[&("critical jobs", "cost")].0, "small jobs cost less: {other}");
    // One job by itself says so, too.
    let one = "Workflows(cases: [(name: \"job\", tasks: File(path: \"wide.dot\"))], methods: [Exact(3)], domain: (nodes: 2, types: [1]), deadline: 99, steps: true)";
    let outcome = run(&study(&[("wide.dot", WIDE)], one, "").unwrap(), &NoProgress).unwrap();
    let rows = means(&outcome.results.rows);
    assert_eq!((rows[&("exact", "success ratio")].0, rows[&("exact", "without a plan: given up")].0), (0.0, 1.0));
}

#[test]
fn times_that_would_become_zero_are_refused_or_noted() {
    let json = |runtime: f64| {
        format!(
            r#"{{ "schemaVersion": "1.4", "workflow": {{ "tasks": [
            {{ "name": "a", "runtime": {runtime}, "children": ["b"], "files": [ {{ "link": "output", "name": "x", "size": 1 }} ] }},
            {{ "name": "b", "runtime": 900, "files": [ {{ "link": "input", "name": "x", "size": 1 }} ] }} ] }} }}"#
        )
    };
    let days =
        "Workflows(cases: [(name: \"job\", tasks: File(path: \"a.json\", bandwidth: 1e8))], methods: [Heft], domain: (nodes: 1, types: [1]),
        deadline: 99, time_unit: \"days\", steps: true)";
    let refused = study(&[("a.json", &json(0.01))], days, "").unwrap_err();
    assert!(refused.contains("tasks.path: task \"a\" would take 1.1574074074074074e-7 time units"), "{refused}");
    let noted = study(&[("a.json", &json(10.0))], days, "").unwrap();
    let note = "a.json: 1 transfer takes less than a millionth of a unit of time, and counts as 0";
    assert_eq!(noted.notes(), [note]);
    let listed = |time: &str, performance: &str| {
        let tasks = format!("Listed(tasks: [(name: \"x\", time: {time})])");
        let domain = format!("domain: (nodes: 1, types: [1], performance: {performance})");
        study(
            &[],
            &format!(
                "Workflows(cases: [(name: \"job\", tasks: {tasks})], methods: [Heft], {domain}, deadline: 99, steps: true)"
            ),
            "",
        )
    };
    let refused = listed("4e-7", "1").unwrap_err();
    assert!(refused.contains("tasks[0].time: 4e-7 would count as 0"), "{refused}");
    for (time, performance) in [("10.4", "1e-6"), ("1.2345678", "0.001")] {
        let refused = listed(time, performance).unwrap_err();
        assert!(refused.contains("experiment.cases[0].tasks: the work of task \"x\", which takes"), "{refused}");
    }
    let layered =
        "Workflows(cases: [(name: \"job\", tasks: Layered(tiers: 2, width: 2, density: 0.5, time: Uniform(low: 1, high: 4), transfer: 1))],
        methods: [Heft], domain: (nodes: 1, types: [1], performance: 0.01), deadline: 99, steps: true)";
    assert!(study(&[], layered, "").unwrap_err().contains("the work of a task, which takes 1, has six decimals"));
    assert!(listed("0.25", "0.5").is_ok() && listed("0.000001", "1").is_ok() && listed("0", "0.5").is_ok());
}

#[test]
fn bandwidth_is_needed_where_data_flows_and_noted_where_none_does() {
    let one = |file: &str| {
        format!(
            "Workflows(cases: [(name: \"job\", tasks: {file})], methods: [Heft], domain: (nodes: 2, types: [1]), deadline: 9999, steps: true)"
        )
    };
    let files = [("wide.dot", WIDE), ("long.gv", LONG)];
    let refused = study(&files, &one("File(path: \"long.gv\")"), "").unwrap_err();
    assert!(
        refused.contains("tasks.path: long.gv: data flows to task `b`, and no `bandwidth` says how fast"),
        "{refused}"
    );
    assert!(study(&files, &one("File(path: \"wide.dot\")"), "").unwrap().notes().is_empty());
    let noted = study(&files, &one("File(path: \"wide.dot\", bandwidth: 3)"), "").unwrap();
    assert_eq!(noted.notes(), ["wide.dot: no data flows, so that `bandwidth` changes nothing"]);
}

#[test]
fn units_of_time_are_known_or_told() {
    let json = r#"{ "schemaVersion": "1.4", "workflow": { "tasks": [ { "name": "a", "runtime": 7200 } ] } }"#;
    let time = |more: &str, unit: &str| {
        let experiment = format!(
            "Workflows(cases: [(name: \"job\", tasks: File(path: \"a.json\"{more}))], methods: [Heft], domain: (nodes: 1, types: [1]), deadline: 9999{unit}, steps: true)"
        );
        let outcome = run(&study(&[("a.json", json)], &experiment, "")?, &NoProgress).unwrap();
        let row = outcome.results.rows.iter().find(|row| row.metric == "makespan").unwrap().clone();
        Ok::<_, String>((row.mean, row.unit, outcome.gantts[0].x_label.clone()))
    };
    let expected = |mean: f64, unit: &str| Ok((mean, unit.to_string(), format!("Time ({unit})")));
    assert_eq!(time("", ""), expected(7200.0, "time units"));
    assert_eq!(time("", ", time_unit: \"hours\""), expected(2.0, "hours"));
    assert_eq!(time(", seconds: 720", ", time_unit: \"rounds\""), expected(10.0, "rounds"));
    let unknown = time("", ", time_unit: \"rounds\"").unwrap_err();
    assert!(
        unknown.contains("tasks.seconds: nothing says how many seconds of the file are a unit of time"),
        "{unknown}"
    );
    let other = time(", seconds: 60", ", time_unit: \"hours\"").unwrap_err();
    assert!(other.contains("60 seconds are a unit of time, but `time_unit` is \"hours\""), "{other}");
}

#[test]
fn a_fault_of_a_graph_has_its_file_line_and_column() {
    let one = "Workflows(cases: [(name: \"job\", tasks: File(path: \"my.dot\"))], methods: [Heft], domain: (nodes: 2, types: [1]), deadline: 9, steps: true)";
    let said = study(&[("my.dot", "digraph {\n  a [size=1];\n  a -> b;\n}\n")], one, "").unwrap_err();
    assert!(said.contains("w.ron:1:") && said.contains("tasks.path: my.dot:3:8: task `b` has no size"), "{said}");
    assert!(said.contains("write `b [size=3]`"), "{said}");
}
