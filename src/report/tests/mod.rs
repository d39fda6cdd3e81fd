//! Tests of all files of a run and of their figures, and what the tests of this package share.

mod bars;
mod charts;
mod maps;
mod pdf;
mod png;
pub(crate) mod samples;
mod steps;
mod svg;
pub(crate) mod tidy;

use super::*;
use crate::{Figure, Row};

fn outcome(rows: Vec<Row>, figures: Vec<Figure>) -> Outcome {
    Outcome { figures, gantts: Vec::new(), ..samples::outcome(rows) }
}

#[test]
fn a_run_leaves_every_file_and_the_same_bytes_each_time() {
    let rows = [samples::sweep(2, 3), samples::comparison()].concat();
    let figures = vec![samples::figure(FigureKind::Lines), samples::bars()];
    let outcome =
        Outcome { figures, files: vec![("jobs.csv".into(), b"job\n".to_vec().into())], ..samples::outcome(rows) };
    let files = artefacts(&outcome).unwrap();
    let names: Vec<&str> = files.names().collect();
    let expected = "results.json results.csv scenario.ron waiting.svg waiting.png waiting.pdf methods.svg \
                    methods.png methods.pdf schedule.svg schedule.png schedule.pdf jobs.csv report.html";
    assert_eq!(names, expected.split(' ').collect::<Vec<_>>());
    assert_eq!(files.get("scenario.ron"), Some(&b"Scenario()"[..]));
    assert_eq!(artefacts(&outcome).unwrap(), files);
}

#[test]
fn a_crossing_and_a_ranking_have_files_of_their_own() {
    let cut = samples::cut_figure(FigureKind::Panels(samples::cut()));
    let rows = [samples::crossing(1, 3, 1, 2), samples::sweep(1, 2)].concat();
    let files = artefacts(&Outcome {
        answer: Some(samples::answer()),
        ranking: Some(samples::ranking()),
        ..outcome(rows, vec![cut])
    });
    let files = files.unwrap();
    let names: Vec<&str> = files.names().collect();
    let expected = "results.json results.csv rules.csv ranking.csv scenario.ron rules-success.svg \
                    rules-success.png rules-success.pdf report.html";
    assert_eq!(names, expected.split(' ').collect::<Vec<_>>());
}

#[test]
fn numbers_that_json_would_lose_are_refused() {
    for spoil in [|row: &mut Row| row.mean = f64::NAN, |row: &mut Row| row.x = Some(f64::INFINITY)] {
        let mut rows = samples::sweep(1, 3);
        spoil(&mut rows[1]);
        let error = artefacts(&outcome(rows, Vec::new())).unwrap_err();
        assert!(matches!(error, ReportError::NotFinite { .. }), "{error}");
    }
}

#[test]
fn two_figures_can_not_share_a_file_and_none_leaves_the_directory() {
    let figure = samples::figure(FigureKind::Stacked);
    let outside = Figure { file: "../waiting".into(), ..figure.clone() };
    for figures in [vec![figure.clone(), figure], vec![outside]] {
        let error = artefacts(&outcome(samples::sweep(1, 2), figures)).unwrap_err();
        assert!(matches!(error, ReportError::Output(OutputError::FileName(_))), "{error}");
    }
}
