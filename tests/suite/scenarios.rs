//! The scenarios that come with the project.

use gridloom::language::{Source, read_source};
use gridloom::report::summary;
use gridloom::study::Experiment;
use gridloom::study::{NoProgress, load_study, run};
use std::fs;
use std::path::{Path, PathBuf};

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "ron"));
    files.sort();
    assert!(files.len() >= 5);
    files
}

/// What makes a scenario short enough for a test without optimisation.
fn quick(source: &Source) -> Vec<String> {
    let study = load_study(source, &[]).unwrap_or_else(|report| panic!("{report}"));
    // A search over many settings is the same for all of them.
    let is_search = study.scenario().sweeps.iter().any(|sweep| sweep.calibration.is_some());
    let overrides: &[&str] = match &study.scenario().experiment {
        Experiment::Workflows(spec) if spec.flow.is_some() && is_search => {
            &["replications=2", "experiment.flow.jobs=3"]
        }
        _ if is_search => &["replications=2"],
        Experiment::Brokers(_) => &[
            "replications=2",
            "experiment.jobs.count=12",
            "experiment.genetic=(population: 8, cap: 10)",
            "experiment.repaired=(population: 8, cap: 10)",
            "experiment.exact=(nodes: 1, steps: 10)",
        ],
        // A queue that is held against theory needs far longer for that than to run.
        Experiment::Grid(_) if !study.scenario().published.is_empty() => &["replications=1", "experiment.horizon=1000"],
        // A grid needs its warm-up, drain and length to be measured well, and can do without to be run.
        Experiment::Grid(grid) if !grid.flows.is_empty() => {
            let least = grid.step().max(grid.metascheduler().period).as_f64();
            let horizon = (grid.horizon.as_f64() / 24.0 / least).ceil() * least;
            let short = ["replications=1", "experiment.warm_up=0", "experiment.drain=UpTo(0)"].map(String::from);
            return short.into_iter().chain([format!("experiment.horizon={horizon}")]).collect();
        }
        // A whole simulation observes something at once.
        Experiment::Grid(_) => &["replications=1"],
        Experiment::Workflows(spec) if spec.flow.is_some() => &["replications=8", "experiment.flow.jobs=10"],
        _ => &["replications=8"],
    };
    overrides.iter().map(|text| text.to_string()).collect()
}

#[test]
fn every_scenario_runs_and_every_published_value_finds_its_row_and_every_axis_has_a_unit() {
    for path in files() {
        let source = read_source(&path).unwrap_or_else(|report| panic!("{report}"));
        let overrides = quick(&source);
        let study = load_study(&source, &overrides).unwrap_or_else(|report| panic!("{report}"));
        let outcome = run(&study, &NoProgress).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(!outcome.results.rows.is_empty());
        let lost: Vec<&String> = outcome.notes.iter().filter(|note| note.contains("is not compared")).collect();
        assert!(lost.is_empty(), "{}: {lost:?}", path.display());
        let judged = outcome.results.rows.iter().any(|row| row.verdict.is_some());
        assert_eq!(judged, !study.scenario().published.is_empty(), "{}", path.display());
        // What a terminal of 80 columns shows of it, beside two lines about files.
        let shown = summary::run(&outcome, 80);
        let widest = shown.lines().map(|line| line.chars().count()).max().unwrap();
        let count = shown.lines().count();
        assert!(
            (6..=38).contains(&count) && widest <= 80,
            "{}: {count} lines, {widest} columns:\n{shown}",
            path.display()
        );
        for figure in &outcome.figures {
            for label in [&figure.x_label, &figure.y_label] {
                assert!(says_its_unit(label), "{}: the axis {label:?} of {} has no unit", path.display(), figure.file);
            }
        }
    }
}

/// Whether the label of an axis ends with a unit in brackets, or is plainly of a count, a factor or a share. Axes of names have no label.
fn says_its_unit(label: &str) -> bool {
    let counts = ["number of", "jobs", "nodes", "slots", "alternatives", "generations", "collisions", "cycle"];
    let bare = label.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| bare.contains(word));
    label.is_empty() || (label.contains(" (") && label.ends_with(')')) || says(&counts) || says(&["factor", "share"])
}

#[test]
fn every_scenario_explains_itself_and_is_named_in_a_readme() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readmes =
        ["guide/scenarios.md", "scenarios/README.md"].map(|file| fs::read_to_string(root.join(file)).unwrap());
    for path in files() {
        let text = fs::read_to_string(&path).unwrap();
        for part in ["// Question:", "// Set-up:", "// Expect"] {
            assert!(text.contains(part), "{} has no {part}", path.display());
        }
        let name = path.file_name().unwrap().to_string_lossy();
        let stem = path.file_stem().unwrap().to_string_lossy();
        let is_named = readmes[0].contains(&*name) || readmes[1].contains(&format!("`{stem}`"));
        assert!(is_named, "neither guide/scenarios.md nor scenarios/README.md names {name}");
        assert!(text.contains(&format!("name: \"{stem}\"")), "{name} is not named after its file");
    }
}

#[test]
fn an_experiment_in_which_nothing_succeeds_still_has_results() {
    for (file, overrides) in [
        ("alp-vs-amp.ron", ["replications=3", "experiment.cases[0].jobs.nodes=200"]),
        ("window-criteria.ron", ["replications=3", "experiment.requests[0].nodes=5000"]),
        ("owners-day.ron", ["replications=1", "experiment.domains[0].owners[0].gap=1000000"]),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios").join(file);
        let source = read_source(&path).unwrap_or_else(|report| panic!("{report}"));
        let study = load_study(&source, &overrides.map(String::from)).unwrap_or_else(|report| panic!("{report}"));
        let outcome = run(&study, &NoProgress).unwrap_or_else(|error| panic!("{file}: {error}"));
        gridloom::report::artefacts(&outcome).unwrap_or_else(|error| panic!("{file}: {error}"));
    }
}
