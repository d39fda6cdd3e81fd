//! Figures as scenarios ask for them: logarithmic axes, and no titles for papers.

use gridloom::language::Source;
use gridloom::report;
use gridloom::study::{NoProgress, Outcome, load_study, run};

/// Jobs of two tasks whose interval is swept so.
fn scenario(sweep: &str) -> String {
    format!(
        "(name: \"f\", replications: 4, experiment: Workflows(
            cases: [(name: \"one\", tasks: Listed(tasks: [(name: \"a\", time: 2), (name: \"b\", time: 3, after: [(task: \"a\")])]))],
            methods: [CheapestChains, Heft], domain: (nodes: 2, types: [1, 2], performance: 10), deadline_factor: 2),
          sweeps: [(name: \"h\", {sweep})])"
    )
}

const FACTOR: &str = "field: \"experiment.deadline_factor\"";

fn wrong(sweep: &str) -> String {
    load_study(&Source::new("f.ron", scenario(sweep)), &[]).unwrap_err().to_string()
}

fn outcome(sweep: &str, overrides: &[&str]) -> Outcome {
    let overrides: Vec<String> = overrides.iter().map(|text| text.to_string()).collect();
    run(&load_study(&Source::new("f.ron", scenario(sweep)), &overrides).unwrap(), &NoProgress).unwrap()
}

/// The drawing of the success ratio.
fn svg(outcome: &Outcome) -> String {
    let files = report::artefacts(outcome).unwrap();
    String::from_utf8(files.get("h-success-ratio.svg").unwrap().to_vec()).unwrap()
}

#[test]
fn what_has_no_place_on_a_logarithmic_axis_is_told_before_anything_runs() {
    let zero = wrong("field: \"experiment.domain.occupancy\", values: [0, 0.1, 0.2], log: X");
    assert!(zero.contains("sweeps[0].values[0]: 0 has no place on the logarithmic x axis"), "{zero}");
    let texts = wrong("field: \"experiment.methods\", values: [\"[Heft]\", \"[List]\"], log: Both");
    assert!(texts.contains("sweeps[0].values: texts have no place on a logarithmic axis"), "{texts}");
    let map =
        wrong(&format!("grid: [({FACTOR}, values: [1, 2]), (field: \"experiment.attempts\", values: [1, 2])], log: X"));
    assert!(map.contains("sweeps[0].log: a map has no logarithmic axes"), "{map}");
    let along = wrong(&format!(
        "grid: [(field: \"experiment.domain.occupancy\", values: [0, 0.2]), ({FACTOR}, values: [1, 2])], log: X,
         figures: [Lines(along: \"occupancy\")]"
    ));
    assert!(along.contains("sweeps[0].grid[0].values[0]: 0 has no place"), "{along}");
    let other = format!(
        "grid: [(field: \"experiment.domain.occupancy\", values: [0, 0.2]), ({FACTOR}, values: [1, 2])], log: X,
         figures: [Lines(along: \"deadline_factor\", panels: \"occupancy\")]"
    );
    assert!(load_study(&Source::new("f.ron", scenario(&other)), &[]).is_ok(), "panels are no axis");
}

#[test]
fn values_that_are_not_above_zero_are_left_out_with_a_note() {
    let sweep = |log: &str| format!("{FACTOR}, values: [0.5, 1, 2, 4, 8], metrics: [\"success ratio\"]{log}");
    let (plain, both) = (outcome(&sweep(""), &[]), outcome(&sweep(", log: Both"), &[]));
    assert_eq!(plain.results, both.results, "axes change no number");
    let about = |outcome: &Outcome| {
        outcome.notes.iter().filter(|note| note.contains("logarithmic")).cloned().collect::<Vec<_>>()
    };
    assert!(about(&plain).is_empty());
    let note =
        "figure h-success-ratio: 2 of 10 values are not above 0 and left out, which a logarithmic axis can't show";
    assert_eq!(about(&both), [note]);
    assert_ne!(svg(&plain), svg(&both));
}

#[test]
fn figures_for_papers_have_no_titles() {
    let sweep = format!("{FACTOR}, values: [1, 2], metrics: [\"success ratio\"]");
    let (titled, untitled) = (svg(&outcome(&sweep, &[])), svg(&outcome(&sweep, &["figures.titles=false"])));
    let title = "Success ratio against deadline_factor";
    let drawn = |text: &str| text.matches(title).count();
    // The title of the document stays, for those who can't see the drawing.
    assert_eq!((drawn(&titled), drawn(&untitled)), (2, 1), "{untitled}");
    let resolved = outcome(&sweep, &["figures.titles=false"]).scenario;
    assert!(resolved.contains("titles: false"), "{resolved}");
}
