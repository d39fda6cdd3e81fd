//! The commands as a user calls them.

use super::program::{call, contents, done, folder_with, gridloom, start, text};
use std::fs;
use std::path::Path;
use std::process::Command;

const SMALL: &str = r#"(
    name: "small",
    about: "A small grid.",
    replications: 6,
    experiment: Grid(
        horizon: 20,
        step: 2,
        domains: [
            (name: "a", nodes: 3, owners: [(gap: Exponential(mean: 2), length: Uniform(low: 0.5, high: 3))]),
            (name: "b", nodes: 2, owners: [(gap: 3, length: LogNormal(log_mean: 0, log_sd: 0.5))]),
        ],
    ),
)"#;

#[test]
fn a_run_leaves_results_figures_and_a_report() {
    let folder = folder_with(SMALL);
    let done = gridloom(folder.path(), &["run", "s.ron"]);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    let out = folder.path().join("output/small");
    let names: Vec<String> = contents(&out).into_keys().map(|path| path.display().to_string()).collect();
    let expected = [
        ".gridloom",
        "observations.csv.gz",
        "report.html",
        "results.csv",
        "results.json",
        "scenario.ron",
        "utilisation.pdf",
        "utilisation.png",
        "utilisation.svg",
    ];
    assert_eq!(names, expected);
    let results: serde_json::Value = serde_json::from_slice(&fs::read(out.join("results.json")).unwrap()).unwrap();
    assert_eq!(results["scenario"], "small");
    assert_eq!(results["replications"], 6);
    assert_eq!(results["version"], env!("CARGO_PKG_VERSION"));
    let row = &results["rows"][0];
    let keys: Vec<&String> = row.as_object().unwrap().keys().collect();
    let columns = "experiment,series,x,metric,mean,ci95,n,published,verdict,unit,factors,p,p_holm";
    assert_eq!(keys.len(), columns.split(',').count(), "{keys:?}");
    for key in columns.split(',') {
        assert!(row.get(key).is_some(), "{key}");
    }
    assert!(results["rows"].as_array().unwrap().iter().all(|row| row["unit"] != ""), "every metric has a unit");
    let table = fs::read_to_string(out.join("results.csv")).unwrap();
    assert_eq!(table.lines().next(), Some(columns));
    let said = text(&done.stdout);
    assert!(said.starts_with("small: 6 replications, seed 1\nA small grid.\n"), "{said}");
    assert!(said.contains("\nlocal load (share") && said.contains("Written to output/small: report.html"), "{said}");
    assert!(done.stderr.is_empty());
}

#[test]
fn a_summary_fits_the_terminal_verbose_adds_the_tables_and_quiet_leaves_nothing() {
    let folder = folder_with(SMALL);
    let run = |args: &[&str]| {
        call(folder.path(), &["run", "s.ron", "--force"]).args(args).env("COLUMNS", "44").output().unwrap()
    };
    let short = text(&run(&[]).stdout);
    assert!(short.lines().all(|line| line.chars().count() <= 44), "{short}");
    assert!(!short.contains("| ---"), "{short}");
    let (verbose, body) = (text(&run(&["-v"]).stdout), short.split("Written to").next().unwrap());
    let body = body.replace(": --verbose, or ", ": below, or ").replace("± with --verbose", "± below");
    assert!(verbose.starts_with(&body) && verbose.contains("\n# small\n") && verbose.contains("\n| --"), "{verbose}");
    for quiet in ["-q", "--quiet"] {
        let done = run(&[quiet]);
        assert!(done.status.success() && done.stdout.is_empty() && done.stderr.is_empty());
        assert!(folder.path().join("output/small/report.html").exists());
    }
    let wrong = run(&["--quiet", "--set", "experiment.horizon=-1"]);
    assert!(wrong.status.code() == Some(2) && !wrong.stderr.is_empty(), "errors are always told");
    assert_eq!(run(&["-q", "-v"]).status.code(), Some(2));
}

#[test]
fn results_are_the_same_for_any_number_of_threads_and_from_their_own_scenario() {
    let folder = folder_with(SMALL);
    let run = |args: &[&str], out: &str| {
        let done = gridloom(folder.path(), &[args, &["--out", out, "--quiet"]].concat());
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
        contents(&folder.path().join(out))
    };
    let one = run(&["run", "s.ron", "--threads", "1"], "one");
    assert_eq!(one, run(&["run", "s.ron", "--threads", "2"], "two"));
    assert_eq!(one, run(&["run", "one/scenario.ron"], "again"));
    let other = run(&["run", "s.ron", "--seed", "99", "--replications", "3"], "other");
    assert_ne!(one, other);
    assert_eq!(other, run(&["run", "other/scenario.ron"], "other-again"), "overrides are in the resolved scenario");
}

#[test]
fn an_existing_result_is_replaced_only_by_force() {
    let folder = folder_with(SMALL);
    let run = |args: &[&str]| gridloom(folder.path(), &[&["run", "s.ron", "--quiet"], args].concat());
    assert_eq!(run(&[]).status.code(), Some(0));
    let before = contents(&folder.path().join("output"));
    let refused = run(&["--seed", "5"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("--force"), "{}", text(&refused.stderr));
    assert_eq!(contents(&folder.path().join("output")), before);
    assert_eq!(run(&["--seed", "5", "--force"]).status.code(), Some(0));
    assert_ne!(contents(&folder.path().join("output")), before);
    assert_eq!(run(&["--out", ".", "--force"]).status.code(), Some(2), "a folder of other things is never replaced");
}

#[test]
fn five_planted_errors_are_reported_together_with_their_places() {
    let planted = r#"(
    name: "bad",
    experiment: Windows(
        world: Listed(nodes: [
            (name: "a", performance: -1),
            (name: "a", prise: 3),
        ],
        free: Slots([
            (node: "a", start: 10, end: 5),
            (node: "z", start: 0, end: "late"),
        ])),
        requests: [(name: "job", nodes: 1, length: 5, max_price: 1)],
        searches: [Alp],
    ),
)"#;
    let folder = folder_with(planted);
    for command in ["check", "run"] {
        let failed = gridloom(folder.path(), &[command, "s.ron"]);
        assert_eq!(failed.status.code(), Some(2));
        let said = text(&failed.stderr);
        for place in [
            "s.ron:5:38: experiment.world.nodes[0].performance",
            "s.ron:6:20: experiment.world.nodes[1].name",
            "s.ron:6:25: experiment.world.nodes[1].prise",
            "s.ron:9:41: experiment.world.free[0].end",
            "s.ron:10:40: experiment.world.free[1].end",
            "s.ron:10:20: experiment.world.free[1].node",
        ] {
            assert!(said.contains(place), "{place} is missing:\n{said}");
        }
        assert!(said.contains("did you mean `price`?"), "{said}");
        assert_eq!(contents(folder.path()).len(), 1, "nothing was written");
    }
}

#[test]
fn bad_files_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let said = |name: &str| {
        let failed = gridloom(folder.path(), &["run", name]);
        assert_eq!(failed.status.code(), Some(2), "{name}");
        assert!(failed.stdout.is_empty());
        assert!(!folder.path().join("output").exists());
        text(&failed.stderr)
    };
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    write("empty.ron", b"");
    write("latin.ron", b"(name: \"caf\xe9\")");
    write("syntax.ron", b"(name: \"x\",, experiment: )");
    write("nested.ron", "[".repeat(1_000_000).as_bytes());
    fs::File::create(folder.path().join("huge.ron")).unwrap().set_len(100_000_000).unwrap();
    fs::create_dir(folder.path().join("folder.ron")).unwrap();
    for (name, expected) in [
        ("missing.ron", "no such file"),
        ("folder.ron", "directory"),
        ("empty.ron", "empty"),
        ("latin.ron", "latin.ron:1:12"),
        ("syntax.ron", "syntax.ron:1:12"),
        ("nested.ron", "nested.ron:1:"),
        ("huge.ron", "6 MB"),
    ] {
        let said = said(name);
        assert!(said.contains(expected), "{name}: {said}");
        assert!(said.len() < 5000, "{name} says too much: {} bytes", said.len());
    }
}

#[test]
fn bad_values_are_refused() {
    let folder = folder_with(SMALL);
    for (set, expected) in [
        ("experiment.horizon=-1", "--set experiment.horizon=-1: experiment.horizon"),
        ("experiment.horizon=inf", "experiment.horizon"),
        ("experiment.horizon=NaN", "experiment.horizon"),
        ("experiment.horizon=0", "experiment.horizon"),
        ("experiment.step=100", "experiment.step"),
        ("experiment.groups=[]", "experiment.groups"),
        ("experiment.groups[0].nodes=0", "experiment.groups[0].nodes"),
        ("experiment.groups[0].nodes=999999999999", "experiment.groups"),
        ("experiment.groups[0].local.gap=0", "experiment.groups[0].local.gap"),
        ("experiment.groups[1].name=\"a\"", "experiment.groups[1].name"),
        ("experiment.groups[5].nodes=1", "groups[5]"),
        ("experiment.horizn=5", "did you mean `horizon`?"),
        ("name=\"../up\"", "name"),
        ("replications=0", "replications"),
        ("horizon", "="),
    ] {
        let failed = gridloom(folder.path(), &["run", "s.ron", "--set", set]);
        let said = text(&failed.stderr);
        assert_eq!(failed.status.code(), Some(2), "{set}: {said}");
        assert!(said.contains(expected), "{set}: {said}");
    }
    assert!(!folder.path().join("output").exists());
}

#[test]
fn bad_usage_has_status_2() {
    let folder = tempfile::tempdir().unwrap();
    for args in [&["run"][..], &["fly"], &["run", "x.ron", "--threads", "0"], &["init", "nothing"], &[]] {
        assert_eq!(gridloom(folder.path(), args).status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn list_init_and_completions_print_to_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let said = |args: &[&str]| done(folder.path(), args);
    let listed = said(&["list"]);
    for name in ["Windows", "Grid", "Amp", "MinCost", "Weibull"] {
        assert!(listed.contains(name), "{name}");
    }
    assert!(!listed.contains("Jain's index"), "metrics are listed when they are asked for");
    let policies = said(&["list", "policies"]);
    assert!(listed.contains(&policies) && policies.contains("Easy") && !policies.contains("Weibull"), "{policies}");
    let metrics = said(&["list", "metrics"]);
    for kind in ["Windows", "Grid", "Brokers", "Multicriteria", "Replay"] {
        assert!(metrics.contains(&format!("Metrics of {kind}\n")), "{kind}");
    }
    let wait = "    difference in wait [time units; less is better]\n        Wait minus that of the first policy";
    assert!(metrics.contains(wait), "{metrics}");
    assert!(metrics.lines().all(|line| line.chars().count() <= 100), "{metrics}");
    let unknown = gridloom(folder.path(), &["list", "polices"]);
    assert_eq!(unknown.status.code(), Some(2));
    let said_of_it = text(&unknown.stderr);
    assert!(said_of_it.contains("'policies'") && said_of_it.contains("replay-policies"), "{said_of_it}");
    assert!(said(&["completions", "bash"]).contains("gridloom"));
    for kind in ["windows", "grid", "brokers", "replay", "batches"] {
        fs::write(folder.path().join(format!("{kind}.ron")), said(&["init", kind])).unwrap();
        said(&["check", &format!("{kind}.ron")]);
    }
    said(&["run", "windows.ron"]);
    assert!(folder.path().join("output/my-windows/windows.json").exists());
}

#[test]
fn describe_says_what_can_be_written_where() {
    let folder = tempfile::tempdir().unwrap();
    let described = |args: &[&str]| {
        let done = gridloom(folder.path(), &[&["describe"], args].concat());
        (done.status.code(), text(&done.stdout), text(&done.stderr))
    };
    let (status, whole, _) = described(&[]);
    assert_eq!(status, Some(0));
    assert!(whole.contains("\n  replications\n      The number of independent worlds that are drawn"), "{whole}");
    let (_, arrivals, _) = described(&["grid.flows.arrivals"]);
    assert!(arrivals.starts_with("Grid.flows.arrivals\n") && arrivals.contains("\n  Poisson\n"), "{arrivals}");
    assert!(arrivals.contains("Range: above 0; Unit: units of time; Required\n"), "{arrivals}");
    assert!(arrivals.lines().all(|line| line.chars().count() <= 80), "{arrivals}");
    let (status, nothing, wrong) = described(&["grid.flows.arival"]);
    assert_eq!((status, nothing.as_str()), (Some(2), ""));
    assert!(wrong.contains("did you mean `arrivals`? the names there are `name`"), "{wrong}");
}

#[test]
fn describe_writes_the_reference_as_files_and_overwrites_none() {
    let folder = tempfile::tempdir().unwrap();
    let written = |args: &[&str]| gridloom(folder.path(), &[&["describe"], args].concat()).status.code();
    for (format, file, part) in [
        ("--html", "gridloom-reference.html", "<h3>Grid.flows</h3>"),
        ("--markdown", "gridloom-reference.md", "### Grid.flows\n"),
        ("--json", "gridloom-schema.json", "\"GlobalFlowSpec\": {"),
    ] {
        assert_eq!(written(&[format]), Some(0), "{format}");
        let path = folder.path().join(file);
        assert!(fs::read_to_string(&path).unwrap().contains(part), "{format}");
        fs::write(&path, "mine").unwrap();
        assert_eq!(written(&[format]), Some(2), "{format} overwrites nothing");
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
        assert_eq!(written(&[format, file, "--force"]), Some(0));
        assert!(fs::read_to_string(&path).unwrap().contains(part), "{format}");
    }
    assert_eq!(written(&["--html", "a.html", "--json"]), Some(2), "one at a time");
    assert_eq!(written(&["grid", "--force"]), Some(2));
    let printed = gridloom(folder.path(), &["describe", "--markdown", "-"]);
    assert!(text(&printed.stdout).starts_with("# Reference\n"));
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_the_previous_result_untouched() {
    let folder = folder_with(SMALL);
    assert_eq!(gridloom(folder.path(), &["run", "s.ron"]).status.code(), Some(0));
    let result = folder.path().join("output/small");
    let before = contents(&result);
    let mut long = start(folder.path(), &["run", "s.ron", "--force", "--replications", "100000000"]);
    std::thread::sleep(std::time::Duration::from_millis(500));
    let sent = Command::new("kill").args(["-INT", &long.id().to_string()]).status().unwrap();
    assert!(sent.success());
    assert_eq!(long.wait().unwrap().code(), Some(1));
    assert!(contents(&result) == before, "the previous result is as it was");
}

/// One replication that would take hours: signals are seen inside it, not only between replications.
#[cfg(unix)]
#[test]
fn a_signal_ends_a_run_in_the_middle_of_a_replication() {
    let folder = folder_with(
        "(name: \"long\", experiment: Grid(horizon: 40000, step: 1000, domains: [(name: \"a\", nodes: 1000)],
        flows: [(name: \"f\", arrivals: Load(load: 0.5), work: Rigid(nodes: 1, length: 20), max_price: 2)],
        metascheduler: (period: 10, interval: 100), policies: [Easy]))",
    );
    for signal in ["-INT", "-TERM"] {
        let long = start(folder.path(), &["run", "s.ron", "--quiet"]);
        std::thread::sleep(std::time::Duration::from_millis(700));
        assert!(Command::new("kill").args([signal, &long.id().to_string()]).status().unwrap().success());
        let ended = long.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(1), "{signal}");
        assert!(text(&ended.stderr).contains("interrupted"), "{}", text(&ended.stderr));
    }
}

#[test]
fn a_bad_point_of_a_sweep_is_reported_at_its_value_in_the_file() {
    let swept = SMALL.replace(
        "replications: 6,",
        "replications: 6,\n    sweeps: [(name: \"n\", field: \"experiment.domains[0].nodes\", values: [2, 0, -1], label: \"Nodes\")],",
    );
    let folder = folder_with(swept);
    let failed = gridloom(folder.path(), &["check", "s.ron"]);
    let said = text(&failed.stderr);
    assert_eq!(failed.status.code(), Some(2));
    for place in
        ["s.ron:5:76: sweeps[0].values[1]: with experiment.domains[0].nodes = 0", "s.ron:5:79: sweeps[0].values[2]"]
    {
        assert!(said.contains(place), "{place} is missing:\n{said}");
    }
}

#[test]
fn searches_that_differ_only_in_their_budget_are_told_apart_and_repeated_ones_refused() {
    let folder = folder_with(text(&gridloom(Path::new("."), &["init", "windows"]).stdout));
    let run = |searches: &str| {
        let set = format!("experiment.searches={searches}");
        gridloom(folder.path(), &["run", "s.ron", "--force", "--verbose", "--set", &set])
    };
    let done = run("[Amp(budget_factor: 1), Amp(budget_factor: 0.8)]");
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    assert!(text(&done.stdout).contains("job 1, AMP, k = 0.8"), "{}", text(&done.stdout));
    let refused = run("[Alp, Amp, Alp]");
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("experiment.searches[2]"), "{}", text(&refused.stderr));
}

#[test]
fn published_values_that_match_no_row_are_mentioned() {
    let published = SMALL.replace(
        "replications: 6,",
        "replications: 6,\n    published: [(series: \"z\", metric: \"local load\", value: 1, tolerance: Exact)],",
    );
    let folder = folder_with(published);
    let done = gridloom(folder.path(), &["run", "s.ron"]);
    assert_eq!(done.status.code(), Some(0));
    assert!(text(&done.stdout).contains("note: the published local load of z"), "{}", text(&done.stdout));
}
