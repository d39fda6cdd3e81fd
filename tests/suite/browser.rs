//! The page in a real browser: headless Chromium, where there is one.
//!
//! A test appends its own script to a copy of the page; what the script finds it writes to the console, where the test reads it, and
//! at the end it closes the window, with which the browser ends.

mod report;

use gridloom::language::{Finite, Source};
use gridloom::metrics::{Estimate, Metric};
use gridloom::report::{artefacts, reproduction};
use gridloom::reproduction::{ENTRIES, Reproduced, claims};
use gridloom::study::{
    Cut, Factor, Figure, FigureKind, FiguresSpec, Mark, NoProgress, Outcome, Ranking, RankingLine, Results, Row,
    Schedule, ScheduleBar, StudyAnswer, SummaryFocus, SweepValue, Usage, load_study, run,
};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

const DRIVER: &str = include_str!("browser/driver.js");
/// What a browser may take to do all of one test, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// What a script found, by name.
type Findings = BTreeMap<String, String>;

fn browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let named = |name| std::env::split_paths(&path).map(move |folder: PathBuf| folder.join(name));
    ["chromium", "chromium-browser", "google-chrome"].into_iter().flat_map(named).find(|file| file.is_file())
}

/// Opens a page with a script of the test's own, and returns what that found; nothing where there is no browser.
///
/// Anything else on the console is an error of the page, and fails the test.
fn visit(outcome: &Outcome, script: &str, flags: &[&str]) -> Option<Findings> {
    let files = artefacts(outcome).unwrap();
    let page = String::from_utf8(files.get("report.html").unwrap().to_vec()).unwrap();
    visit_page(&page, &[DRIVER, script].concat(), flags)
}

/// The same for any page; the script has to close the window itself.
fn visit_page(page: &str, script: &str, flags: &[&str]) -> Option<Findings> {
    let Some(browser) = browser() else {
        println!("skipped: there is no chromium, chromium-browser or google-chrome on the PATH");
        return None;
    };
    let driven = page.replace("</body>", &format!("<script type=\"module\">\n{script}</script>\n</body>"));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("page.html"), driven).unwrap();
    let mut child = Command::new(browser)
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"])
        .args(["--disable-extensions", "--disable-background-networking", "--enable-logging=stderr"])
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .args(flags)
        .arg(folder.path().join("page.html"))
        .env("HOME", folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the browser starts");
    let (sender, lines) = mpsc::channel();
    let stderr = BufReader::new(child.stderr.take().expect("it is piped"));
    let reader = std::thread::spawn(move || {
        stderr.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)).ok();
    });
    let mut findings = Findings::new();
    let mut complaints = Vec::new();
    // The console ends when the browser and all its helpers have ended.
    loop {
        match lines.recv_timeout(PATIENCE) {
            Ok(line) => match said(&line) {
                Some(text) => match text.strip_prefix("finding ").and_then(|text| text.split_once(" = ")) {
                    Some((name, value)) => drop(findings.insert(name.into(), value.into())),
                    None => complaints.push(text.to_string()),
                },
                None => continue,
            },
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                child.kill().ok();
                child.wait().ok();
                panic!("the browser did not end; found so far: {findings:#?}, complaints: {complaints:#?}");
            }
        }
    }
    child.wait().expect("the browser ends");
    reader.join().expect("the console is read");
    assert!(complaints.is_empty(), "on the console: {complaints:#?}; found: {findings:#?}");
    assert!(!findings.is_empty(), "the script did not run");
    Some(findings)
}

/// What a line of the browser's log says on behalf of the page.
fn said(line: &str) -> Option<&str> {
    let (_, text) = line.split_once(":CONSOLE:").and_then(|(_, rest)| rest.split_once("] \""))?;
    Some(text.rsplit_once("\", source: ").map_or(text, |(text, _)| text))
}

fn bar(node: usize, start: f64, end: f64, kind: Usage, job: &str, label: &str) -> ScheduleBar {
    ScheduleBar { node, start, end, kind, job: job.into(), label: label.into() }
}

/// Everything that a chart can show, on four nodes.
fn small() -> Schedule {
    Schedule {
        policy: String::new(),
        title: "A small schedule".into(),
        caption: "With one bar of everything.".into(),
        x_label: "Time (hours)".into(),
        nodes: ["one", "two", "three", "four </script>"].map(String::from).to_vec(),
        bars: vec![
            bar(0, 0.0, 10.0, Usage::Local, "", "task 1"),
            bar(1, 20.0, 42.0, Usage::Window, "alpha", ""),
            bar(1, 20.0, 40.0, Usage::Task, "alpha", "mesh"),
            bar(2, 60.0, 80.0, Usage::Down, "", ""),
            bar(3, 20.0, 30.0, Usage::Task, "alpha", "solve"),
            bar(3, 50.0, 100.0, Usage::Task, "beta", "<b>"),
        ],
        marks: vec![Mark { node: 3, time: 55.0, what: "beta met a local task".into() }],
        cycles: vec![0.0, 25.0, 50.0, 75.0],
    }
}

fn with_schedule(schedule: Schedule) -> Outcome {
    let results = Results {
        scenario: "demo".into(),
        seed: 1,
        replications: 1,
        version: "0.1.0".into(),
        rows: Vec::new(),
        missing: None,
    };
    Outcome {
        about: "A demonstration.".into(),
        answer: None,
        ranking: None,
        scenario: "Scenario()".into(),
        results,
        figures: Vec::new(),
        gantts: Vec::new(),
        schedules: vec![schedule],
        notes: Vec::new(),
        files: Vec::new(),
        focus: SummaryFocus::default(),
        figures_spec: FiguresSpec::default(),
    }
}

#[test]
fn the_chart_zooms_moves_filters_and_obeys_mouse_keys_and_touch() {
    let Some(found) = visit(&with_schedule(small()), include_str!("browser/chart.js"), &["--window-size=1200,900"])
    else {
        return;
    };
    let expected = [
        ("whole", "0.00 100.00"),
        ("rows", "0 4"),
        ("label", "A small schedule: 4 nodes, 6 bars"),
        (
            "legend",
            "window of a job (colours tell jobs apart); local task; node down; \
             task of a job (colours tell jobs apart); collision; cycle begins",
        ),
        ("wheel without focus", "0.00 100.00"),
        ("focus", "true"),
        ("wheel zooms in", "true"),
        ("the time under the wheel stays", "true"),
        ("wheel zooms out", "0.00 100.00"),
        ("plus", "16.67 83.33"),
        ("right", "26.67 93.33"),
        ("minus", "0.00 100.00"),
        ("zero", "0.00 100.00"),
        ("button", "25.00 75.00"),
        ("drag moves back", "true"),
        ("all", "0.00 100.00"),
        ("tip of local", "local task; task 1; one; 0 to 10 (10)"),
        ("tip of task", "Job alpha; task of a job; mesh; two; 20 to 40 (20)"),
        ("tip of down", "node down; three; 60 to 80 (20)"),
        ("tip of window", "Job alpha; window of a job; two; 20 to 42 (22)"),
        ("tip of mark", "Collision; beta met a local task; four </script>; at 55"),
        ("tip of nothing", "none"),
        ("matches", "3"),
        ("kept as it was, dimmed", "true false"),
        // The job, from 20 to 42, and half its length on either side.
        ("enter shows the job", "9.00 53.00"),
        ("part of a name", "4"),
        ("cleared", "0 true"),
        ("as before", "true true"),
        ("chosen by key", "1 Job alpha"),
        ("escape", "true"),
        ("double click", "alpha"),
        ("pinch zooms in", "true"),
    ];
    for (name, value) in expected {
        assert_eq!(found.get(name).map(String::as_str), Some(value), "{name}: {found:#?}");
    }
    assert_eq!(found.len(), expected.len());
}

#[test]
fn what_is_searched_for_is_what_looking_at_every_bar_finds() {
    let script = [
        include_str!("../../src/report/page/rows.js"),
        include_str!("../../src/report/page/view.js"),
        include_str!("browser/search.js"),
    ];
    let Some(found) = visit(&with_schedule(small()), &script.concat(), &[]) else { return };
    assert_eq!(found["searches"], "4000 of 4000 right");
    assert!(found["hits"].parse::<u32>().unwrap() > 1000, "{found:#?}");
    assert_eq!(found["views"], "2000 of 2000 right");
    assert_eq!(found["ticks"], "2000 of 2000 right");
}

#[test]
fn a_report_is_whole_on_desktops_and_phones_by_day_and_night_and_loads_nothing() {
    let text = r#"(
        name: "small",
        replications: 3,
        experiment: Grid(
            horizon: 20,
            step: 2,
            domains: [(name: "a", nodes: 3, owners: [(gap: Exponential(mean: 2), length: Uniform(low: 0.5, high: 3))])],
        ),
    )"#;
    let outcome = run(&load_study(&Source::new("small.ron", text), &[]).unwrap(), &NoProgress).unwrap();
    let night = "--blink-settings=preferredColorScheme=0";
    for (dark, flags) in [(false, ["--window-size=1280,900", ""]), (true, ["--window-size=390,844", night])] {
        let flags: Vec<&str> = flags.into_iter().filter(|flag| !flag.is_empty()).collect();
        let Some(found) = visit(&outcome, include_str!("browser/page.js"), &flags) else { return };
        let is = |name: &str, value: &str| assert_eq!(found[name], value, "{name}: {found:#?}");
        is("figures, charts and tables", "table svg canvas table table");
        is("open at first", "0");
        is("all have a size", "true");
        is("as wide as the page", "true");
        is("loaded", "0");
        is("controls without a name", "0");
        is("dark paper", if dark { "true" } else { "false" });
        is("dark page", if dark { "true" } else { "false" });
        println!("{} pixels wide: whole", found["width"]);
    }
}

#[test]
fn a_page_with_an_answer_and_a_ranking_fits_wide_and_narrow_screens() {
    let factor = |name: &str, value| Factor { name: name.into(), value: SweepValue::Number(Finite::of(value)) };
    let rows = (0..12).map(|k| {
        let (load, notice) = (0.2 * f64::from(k % 4), 60.0 * f64::from(k / 4));
        let estimate = Estimate { mean: load - 0.01 * notice, ci95: Some(0.1), n: 30 };
        let row = Row::new("rules", "one against another", "difference in success", estimate).at(load);
        Row { factors: vec![factor("load", load), factor("notice", notice)], p: Some(0.01), p_holm: Some(0.1), ..row }
    });
    let cut = Cut { along: "load".into(), up: Some(("notice".into(), "Notice".into())), ..Cut::default() };
    let map = Figure {
        file: "map".into(),
        title: "A map".into(),
        caption: "Of differences.".into(),
        x_label: "Load".into(),
        y_label: "Difference".into(),
        experiment: "rules".into(),
        metrics: vec!["difference in success".into()],
        kind: FigureKind::Map(cut),
    };
    let answer = StudyAnswer {
        question: "Which of the two does better, and by how much?".into(),
        sentences: vec![
            "A sentence that is longer than a narrow screen is wide, so that it has to be broken.".into();
            2
        ],
        findings: Vec::new(),
        figure: Some("map".into()),
        rules: (0..8).map(|k| (format!("a rule, {k}"), "what it says in this scenario".into())).collect(),
    };
    let line = |k: u64| RankingLine {
        series: format!("an alternative with a long name, {k}"),
        places: (0..6).map(|metric| (metric != k).then_some((k + 1, 12_345.678))).collect(),
        mean_rank: (k + 1) as f64,
    };
    let metrics = (0..6)
        .map(|k| Metric::new("", "share of all jobs", "").called(format!("a metric with its unit {k}")))
        .collect();
    let plain = with_schedule(small());
    let outcome = Outcome {
        answer: Some(answer),
        ranking: Some(Ranking { metrics, lines: (0..4).map(line).collect() }),
        figures: vec![map],
        results: Results { rows: rows.collect(), ..plain.results },
        ..plain
    };
    for size in ["--window-size=1280,900", "--window-size=390,844"] {
        let Some(found) = visit(&outcome, include_str!("browser/page.js"), &[size]) else { return };
        let is = |name: &str, value: &str| assert_eq!(found[name], value, "{name}: {found:#?}");
        is("figures, charts and tables", "svg table canvas table");
        is("all have a size", "true");
        is("as wide as the page", "true");
        is("loaded", "0");
        is("controls without a name", "0");
    }
}

#[test]
fn fifty_thousand_bars_can_be_looked_around_in() {
    let (nodes, each) = (100, 500);
    let kinds = [Usage::Local, Usage::Task, Usage::Task, Usage::Window, Usage::Down];
    let bars = (0..nodes * each).map(|k| {
        let (node, turn) = (k / each, k % each);
        // Gaps and lengths that differ from row to row, without chance.
        let start = turn as f64 + ((k * 7919) % 1000) as f64 / 4000.0;
        let length = 0.05 + ((k * 104_729) % 1000) as f64 / 1500.0;
        let job = if turn % 5 == 0 { String::new() } else { format!("job {}", (turn * 13 + node / 4) % 3000) };
        bar(node, start, start + length, kinds[turn % 5], &job, "")
    });
    let mut schedule = Schedule {
        title: "A large schedule".into(),
        x_label: "Time (hours)".into(),
        nodes: (1..=nodes).map(|node| format!("node {node}")).collect(),
        cycles: (0..500).map(f64::from).collect(),
        ..Schedule::default()
    };
    schedule.fill(bars.collect::<Vec<_>>());
    let flags = ["--window-size=1280,900"];
    let Some(found) = visit(&with_schedule(schedule), include_str!("browser/frames.js"), &flags) else { return };
    assert_eq!(found["bars"], "A large schedule: 100 nodes, 50000 bars");
    assert_eq!(found["bars in view"], "50000");
    // Speed depends on the machine: it is told, and decides nothing.
    println!("{found:#?}");
}

#[test]
fn the_overview_of_a_reproduction_is_whole_on_desktops_and_phones_and_by_keyboard() {
    let mut works = Vec::new();
    for name in ["amp-example", "multicriteria-model-i", "multicriteria-model-ii"] {
        let entry = ENTRIES.iter().find(|entry| entry.name == name).unwrap();
        let study = entry.study(true).unwrap();
        let outcome = run(&study, &NoProgress).unwrap();
        works.push(Reproduced::new(entry, study.scenario().clone(), outcome));
    }
    let files = reproduction::artefacts(&works, true).unwrap();
    // The page has no script, and tells browsers to run none; the test's own needs leave.
    let page = String::from_utf8(files.get("index.html").unwrap().to_vec()).unwrap();
    let page = page.replace("style-src", "script-src 'unsafe-inline'; style-src");
    let all = claims(works.iter().flat_map(|work| &work.comparisons));
    let misses = all.iter().filter(|claim| !claim.is_match()).count();
    assert!(misses > 0, "there is something to show");
    let misses = misses.to_string();
    let night = "--blink-settings=preferredColorScheme=0";
    for (dark, flags) in [(false, ["--window-size=1280,900", ""]), (true, ["--window-size=500,900", night])] {
        let flags: Vec<&str> = flags.into_iter().filter(|flag| !flag.is_empty()).collect();
        let Some(found) = visit_page(&page, include_str!("browser/overview.js"), &flags) else { return };
        let is = |name: &str, value: &str| assert_eq!(found[name], value, "{name}: {found:#?}");
        is("figures", "7");
        is("as wide as the page", "true");
        is("reasons shown at first", "0");
        is("marks", "true");
        is("folded to a part of its height", "true");
        is("all have a size", "true");
        is("as wide as the page with all open", "true");
        is("figures beside claims", if dark { "false" } else { "true" });
        is("loaded", "0");
        is("dark page", if dark { "true" } else { "false" });
        is("misses shown", &misses);
        is("reasons on demand", "true");
        is("matches hidden by the switch", "true");
        is("misses still shown", &misses);
        is("links that lead nowhere", "0");
        is("controls without a name", "0");
        is("a claim opens", "true");
    }
}
