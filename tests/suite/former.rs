//! Scenarios in the kinds of experiment that there were: the error shows them as they are written now, and what it shows
//! gives the numbers that they gave.

use gridloom::language::{Report, Source};
use gridloom::study::{NoProgress, Study, load_study, run};

/// A former scenario and its rows, as they were.
const FORMER: [(&str, &str, &str); 6] = [
    ("Workflow", include_str!("former/workflow.ron"), include_str!("former/workflow.csv")),
    ("Workflows", include_str!("former/workflows.ron"), include_str!("former/workflows.csv")),
    ("JobFlow", include_str!("former/job_flow.ron"), include_str!("former/job_flow.csv")),
    ("Multicriteria", include_str!("former/multicriteria.ron"), include_str!("former/multicriteria.csv")),
    (
        "MulticriteriaStudy",
        include_str!("former/multicriteria_study.ron"),
        include_str!("former/multicriteria_study.csv"),
    ),
    ("Preferences", include_str!("former/preferences.ron"), include_str!("former/preferences.csv")),
];

fn load(text: &str) -> Result<Study, Report> {
    load_study(&Source::new("s.ron", text), &[])
}

/// The text as its only error says that it is to be written.
fn rewritten(text: &str) -> String {
    let report = load(text).unwrap_err();
    let [error] = report.diagnostics() else { panic!("{report}") };
    let now = match error.right.strip_prefix("write\n") {
        Some(lines) => lines.trim_start(),
        None => error.right.strip_prefix("write `").and_then(|right| right.split('`').next()).unwrap(),
    };
    let (start, end) = (error.span.start as usize, error.span.end as usize);
    format!("{}{now}{}", &text[..start], &text[end..])
}

/// The present name of a row of one job.
fn renamed<'a>(experiment: &'a str, metric: &'a str) -> (&'a str, &'a str) {
    match (experiment, metric) {
        ("workflow", "success") => ("workflows", "success ratio"),
        // Both count from the submission.
        ("workflow", "finish") => ("workflows", "makespan"),
        ("workflow", other) => ("workflows", other),
        same => same,
    }
}

#[test]
fn former_kinds_are_shown_as_they_are_written_now_with_the_same_numbers() {
    for (kind, text, rows) in FORMER {
        let text = rewritten(text);
        let study = load(&text).unwrap_or_else(|report| panic!("{kind}: {report}\n{text}"));
        let found = run(&study, &NoProgress).unwrap().results.rows;
        let mut reader = csv::Reader::from_reader(rows.as_bytes());
        for record in reader.records() {
            let record = record.unwrap();
            let number = |at: usize| record[at].parse::<f64>().ok();
            let (experiment, metric) = renamed(&record[0], &record[3]);
            // All solutions are points, several of which may have the same place across.
            let is_it = |value: Option<f64>, other: Option<f64>| match (value, other) {
                (Some(value), Some(other)) => (value - other).abs() <= 1e-12 * other.abs(),
                (value, other) => value.is_none() && other.is_none(),
            };
            let is_same = found.iter().any(|row| {
                (row.experiment.as_str(), row.series.as_str(), row.metric.as_str()) == (experiment, &record[1], metric)
                    && is_it(row.x, number(2))
                    && is_it(Some(row.mean), number(4))
                    && is_it(row.ci95, number(5))
                    && Some(row.n as f64) == number(6)
            });
            assert!(is_same, "{kind}: {record:?}");
        }
    }
}

#[test]
fn the_length_of_a_window_and_the_time_of_a_job_have_names_of_their_own() {
    let grid =
        "(name: \"g\", experiment: Grid(horizon: 9, step: 3, domains: [(name: \"d\", nodes: 2)], policies: [Easy],
        metascheduler: (period: 1, interval: 9), flows: [(name: \"f\", arrivals: Poisson(gap: 5), max_price: 2,
        work: Workflow(nodes: 1, interval_factor: 2, tasks: Listed(tasks: [(name: \"a\", time: 1)])))]))";
    let said = load(grid).unwrap_err().to_string();
    assert!(said.contains("flows[0].work.interval_factor: there is no such field; write `window_factor`"), "{said}");
    assert!(load(&rewritten(grid)).is_ok());
}
