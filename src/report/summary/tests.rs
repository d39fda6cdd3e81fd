use super::*;
use crate::samples;
use crate::{FigureKind, StudyAnswer};

fn lines_of(text: &str) -> Vec<&str> {
    text.lines().collect()
}

#[test]
fn a_run_is_told_in_few_lines_the_answer_first() {
    let outcome = Outcome {
        answer: Some(samples::answer()),
        ranking: None,
        figures: vec![samples::bars(), samples::figure(FigureKind::Lines)],
        notes: vec!["something is odd".into()],
        ..samples::outcome([samples::comparison(), samples::sweep(2, 5)].concat())
    };
    let focus = SummaryFocus { sweeps: vec!["sweep".into()], ..SummaryFocus::default() };
    insta::assert_snapshot!(run(&outcome, &focus, 80));
}

#[test]
fn nothing_is_wider_than_the_terminal_and_nothing_longer_than_a_screen() {
    let judged = |row: Row| Row { verdict: Some("differs (+3.00), because of the weather".into()), ..row };
    let long = |row: Row| Row { series: format!("{} with a name of many words", row.series), ..row };
    let rows = [
        samples::comparison().into_iter().map(judged).collect(),
        samples::sweep(30, 40),
        samples::crossing(5, 4, 3, 3),
        samples::differences(40),
        samples::sweep(25, 1).into_iter().map(|row| long(Row { x: None, experiment: "many".into(), ..row })).collect(),
    ]
    .concat();
    let answer = StudyAnswer {
        sentences: vec!["Words and more words. ".repeat(20); 9],
        findings: vec!["Found. ".repeat(30); 9],
        ..samples::answer()
    };
    let outcome = Outcome {
        figures: vec![samples::figure(FigureKind::Lines), samples::cut_figure(FigureKind::Panels(samples::cut()))],
        notes: vec!["A note of some length, as notes are. ".repeat(3); 7],
        ..samples::outcome(rows)
    };
    let focus = SummaryFocus { sweeps: vec!["sweep".into(), "rules".into()], ..SummaryFocus::default() };
    for answer in [None, Some(answer)] {
        let outcome = Outcome { answer, ..outcome.clone() };
        for width in [40, 60, 80, 120, 200] {
            let text = run(&outcome, &focus, width);
            let wide: Vec<&str> = text.lines().filter(|line| lines::width_of(line) > width).collect();
            assert!(wide.is_empty(), "{width}: {wide:?}");
            assert!(width < 80 || lines_of(&text).len() <= 38, "{width}: {} lines:\n{text}", lines_of(&text).len());
        }
    }
}

#[test]
fn one_sentence_that_is_left_out_is_not_many() {
    let answer = StudyAnswer { sentences: vec!["word ".repeat(150); 2], ..samples::answer() };
    let outcome = Outcome { answer: Some(answer), ..samples::outcome(samples::comparison()) };
    let text = run(&outcome, &SummaryFocus::default(), 80);
    assert!(text.contains("(1 more sentence: --verbose, or report.html)"), "{text}");
}

#[test]
fn zeros_are_left_out_and_counted() {
    let row =
        |metric: &str, mean| Row::new("e", "a", metric, gridloom_sim::metrics::Estimate { mean, ci95: None, n: 1 });
    let mut all: Vec<Row> = (0..14).map(|k| row(&format!("m{k}"), 1.0)).collect();
    all.extend([row("none", 0.0), row("nothing", 0.0)]);
    let focus = SummaryFocus { metrics: vec!["m13".into()], ..SummaryFocus::default() };
    let text = rows(&all, &focus, 80);
    assert!(text.starts_with("e\n") && lines_of(&text)[2].starts_with("m13"), "{text}");
    assert!(!text.contains("none") && !text.contains("m12"), "{text}");
    assert!(text.ends_with("4 more metrics (2 of them 0 throughout): --verbose, or results.csv\n"), "{text}");
}

#[test]
fn a_table_of_zeros_is_left_out_beside_others() {
    let row = |experiment: &str, metric: &str, mean| {
        Row::new(experiment, "a", metric, gridloom_sim::metrics::Estimate { mean, ci95: None, n: 1 })
    };
    let counts = [row("rules", "bad lines", 0.0), row("rules", "cut", 0.0)];
    let whole = row("whole", "wait", 3.0);
    let text = rows(&[std::slice::from_ref(&whole), &counts[..]].concat(), &SummaryFocus::default(), 80);
    assert!(!text.contains("rules") && !text.contains("bad lines"), "{text}");
    assert!(text.ends_with("2 more metrics (0 throughout): --verbose, or results.csv\n"), "{text}");
    // Alone it says all there is; with a count above 0, that one is shown.
    assert!(rows(&counts, &SummaryFocus::default(), 80).contains("bad lines"));
    let text = rows(&[whole, counts[0].clone(), row("rules", "cut", 2.0)], &SummaryFocus::default(), 80);
    assert!(
        text.contains("cut") && text.ends_with("1 more metric (0 throughout): --verbose, or results.csv\n"),
        "{text}"
    );
}

#[test]
fn the_headline_is_shown_even_where_every_job_fails() {
    let row =
        |metric: &str, mean| Row::new("e", "a", metric, gridloom_sim::metrics::Estimate { mean, ci95: None, n: 1 });
    let all = [row("wait", 3.0), row("late", 0.0), row("success", 0.0)];
    let focus = SummaryFocus { headline: Some("success".into()), ..SummaryFocus::default() };
    let text = rows(&all, &focus, 80);
    assert!(lines_of(&text)[2].starts_with("success") && lines_of(&text)[3].starts_with("wait"), "{text}");
    assert!(text.contains("1 more metric (0 throughout)"), "{text}");
}

#[test]
fn columns_that_find_no_room_are_counted_with_the_metrics_left_out() {
    let row = |series: &str, k: usize| {
        let estimate = gridloom_sim::metrics::Estimate { mean: 1000.0 + k as f64, ci95: Some(1.0), n: 9 };
        Row::new("e", series, format!("quantity number {k}"), estimate)
    };
    let names: Vec<String> = (0..12).map(|k| format!("series {k}")).collect();
    let all: Vec<Row> = names.iter().flat_map(|name| (0..10).map(|k| row(name, k))).collect();
    for width in [50, 65, 80] {
        let text = rows(&all, &SummaryFocus::default(), width);
        let shown = (0..10).filter(|k| text.contains(&format!("{}", 1000 + k))).count();
        let left = 10 - shown;
        assert!(left > 0 && text.contains(&format!("{left} more metric")), "{width}: {text}");
    }
}

#[test]
fn what_is_along_time_is_shown_only_if_there_is_nothing_else() {
    let (sweep, figure) = (samples::sweep(1, 5), samples::figure(FigureKind::Lines));
    let shown =
        |rows: &[Row]| body(rows, std::slice::from_ref(&figure), None, &SummaryFocus::default(), (80, 30)).join("\n");
    assert!(shown(&sweep).contains("▁"));
    assert!(!shown(&[samples::comparison(), sweep].concat()).contains("▁"));
}

#[test]
fn the_first_table_has_its_lines_before_the_others() {
    assert_eq!(shares(&[20, 20, 20], 30), [14, 8, 8]);
    assert_eq!(shares(&[20, 20, 20], 20), [13, 7, 0]);
    assert_eq!(shares(&[5, 9, 3], 40), [5, 9, 3]);
    assert_eq!(shares(&[20], 6), [6]);
    assert_eq!(shares(&[], 6), Vec::<usize>::new());
}

#[test]
fn published_values_are_counted_and_the_misses_named() {
    let mut rows = samples::comparison();
    rows[0].verdict = Some("match (+0.5 %)".into());
    rows[1].verdict = Some("differs (-2.2 %)".into());
    rows[2].verdict = Some("match (+0.5 %); differs (-9.0 %)".into());
    let text = published(&rows, 200).join("\n");
    assert_eq!(
        text,
        "1 of 3 published values match; these do not: cost of ALP (307.1, published 314), alternatives per job of ALP \
         (7.28, published 7.4)"
    );
    assert!(published(&samples::comparison(), 200).is_empty());
}
