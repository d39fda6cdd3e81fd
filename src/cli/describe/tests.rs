//! Everything that is declared can be asked for, by its path or by its name.

use super::find::PlaceFinder;
use super::text::MOST_COLUMNS;
use crate::report::reference::Reference;
use std::sync::LazyLock;

/// Made once for all tests: it gathers all that is declared.
static FINDER: LazyLock<PlaceFinder> = LazyLock::new(PlaceFinder::new);

fn told(path: &str) -> String {
    FINDER.text(path, MOST_COLUMNS).unwrap_or_else(|wrong| panic!("{path}: {wrong}"))
}

fn wrong(path: &str) -> String {
    FINDER.text(path, MOST_COLUMNS).err().unwrap_or_default()
}

#[test]
fn every_place_of_the_reference_is_described_within_the_columns() {
    let reference = Reference::gather();
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for entry in reference.entries() {
        let text = FINDER.text(&entry.path, 50).unwrap_or_else(|wrong| panic!("{}: {wrong}", entry.path));
        let is_short = |line: &str| line.chars().count() <= 50 || !line.trim().contains(' ');
        assert!(text.lines().all(is_short), "{}: {text}", entry.path);
        assert!(plain(&text).contains(&plain(&entry.doc)), "{} says something else: {text}", entry.path);
    }
}

#[test]
fn paths_go_through_fields_variants_and_elements_in_any_case() {
    for path in [
        "grid.flows.arrivals",
        "GRID.Flows[0].arrivals",
        "experiment.grid.flows.arrivals",
        "flows.arrivals",
        "experiment.flows[0].arrivals",
    ] {
        let text = told(path);
        assert!(text.contains("\n  Poisson\n") && text.contains("`arrivals: Load(load: 0.4)`"), "{text}");
    }
    assert!(told("grid.flows.arrivals").contains("\n  In a scenario: experiment.flows[0].arrivals\n"));
    assert!(told("grid.flows.work.workflow.tasks.layered").contains("\n  width\n"));
    for path in ["workflows", "sweeps.values", "scenario.seed", "grid.policies.order", "TasksSpec.Layered.tiers"] {
        assert!(!told(path).is_empty());
    }
}

#[test]
fn units_ranges_and_defaults_are_told() {
    insta::assert_snapshot!(told("grid.metascheduler.batch"), @r"
    Grid.metascheduler.batch
      In a scenario: experiment.metascheduler.batch

      The most jobs that a cycle takes from the queue.
      Form: a whole number
      Range: at least 1; Unit: jobs; Default: `1000000`
    ");
    assert!(
        told("grid.horizon").contains("Range: above 0, at most 1e9; Unit: units of time; Required"),
        "{}",
        told("grid.horizon")
    );
    assert!(told("grid.actual").contains("Unit: factor of the estimate; Default: `1`"), "{}", told("grid.actual"));
}

#[test]
fn a_name_alone_is_found_wherever_it_is() {
    let attempts = told("attempts");
    for place in ["Workflows.attempts", "Grid.metascheduler.attempts"] {
        assert!(attempts.contains(&format!("\n  {place} ")), "{attempts}");
    }
    assert!(told("Amp").starts_with("Search.Amp\n"), "it is the only one");
    assert!(told("Opt").contains("PolicyChoice.Opt") && told("Opt").contains("WaySpec.Opt"));
    let metric = told("success ratio");
    assert!(
        metric.contains("A metric of Grid\n") && metric.contains("share of jobs; 0 to 1; more is better"),
        "{metric}"
    );
}

#[test]
fn unknown_names_are_answered_with_what_may_be_meant() {
    let first = wrong("gird.flows");
    assert!(
        first.starts_with("there is no `gird.flows`; did you mean `Grid`?") && first.contains("`Replay`"),
        "{first}"
    );
    let inner = wrong("grid.flow");
    assert!(inner.starts_with("there is no `flow` in `Grid`; did you mean `flows`? the names there are"), "{inner}");
    assert_eq!(wrong("attemps"), "there is no `attemps`; did you mean `attempts`?");
    assert_eq!(wrong("succes ratio"), "there is no `succes ratio`; did you mean `success ratio`?");
    assert!(wrong("scenario.seed.low").ends_with("there are none"), "{}", wrong("scenario.seed.low"));
    assert!(wrong("nothing like it").contains("paths begin with `Windows`"), "{}", wrong("nothing like it"));
}
