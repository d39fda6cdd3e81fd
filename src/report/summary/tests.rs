use super::*;
use crate::lines::width_of;
use crate::samples;
use crate::{FigureKind, StudyAnswer};

/// What is shown of these rows.
fn rows(rows: &[Row], focus: &SummaryFocus, width: usize) -> String {
    let outcome = Outcome { focus: focus.clone(), ..samples::outcome(rows.to_vec()) };
    body(&outcome, (width, LINES)).join("\n") + "\n"
}

fn row(series: &str, metric: &str, mean: f64) -> Row {
    Row::new("e", series, metric, Estimate { mean, ci95: None, n: 1 })
}

fn compared(series: &str, mean: f64, p: f64) -> Row {
    let row = row(series, "difference in wait", mean);
    Row { ci95: Some(0.5), p: Some(p), p_holm: Some(p), ..row }
}

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
        focus: SummaryFocus { sweeps: vec!["sweep".into()], ..SummaryFocus::default() },
        ..samples::outcome([samples::comparison(), samples::sweep(2, 5)].concat())
    };
    insta::assert_snapshot!(run(&outcome, 80));
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
        focus: SummaryFocus { sweeps: vec!["sweep".into(), "rules".into()], ..SummaryFocus::default() },
        ..samples::outcome(rows)
    };
    for answer in [None, Some(answer)] {
        let outcome = Outcome { answer, ..outcome.clone() };
        for width in [40, 60, 80, 120, 200] {
            let text = run(&outcome, width);
            let wide: Vec<&str> = text.lines().filter(|line| width_of(line) > width).collect();
            assert!(wide.is_empty(), "{width}: {wide:?}");
            assert!(width < 80 || lines_of(&text).len() <= 38, "{width}: {} lines:\n{text}", lines_of(&text).len());
        }
    }
}

#[test]
fn one_sentence_that_is_left_out_is_not_many() {
    let answer = StudyAnswer { sentences: vec!["word ".repeat(150); 2], ..samples::answer() };
    let outcome = Outcome { answer: Some(answer), ..samples::outcome(samples::comparison()) };
    let text = run(&outcome, 80);
    assert!(text.contains("(1 more sentence: --verbose, or report.html)"), "{text}");
}

#[test]
fn what_is_the_same_for_all_is_named_below_the_table() {
    let mut all = Vec::new();
    for (series, wait) in [("EASY", 2.0), ("FCFS", 3.0)] {
        let values = [("late", 0.0), ("jobs", 40.0), ("wait", wait), ("slowdown", wait + 1.0), ("delay", wait)];
        all.extend(values.map(|(metric, mean)| row(series, metric, mean)));
    }
    let focus = SummaryFocus { metrics: vec!["slowdown".into(), "jobs".into()], ..SummaryFocus::default() };
    let expected = "e\n          EASY  FCFS\nslowdown     3     4\nwait         2     3\n\
                    The same for all: jobs 40, late 0\nNot repeated: delay (as wait)\n";
    assert_eq!(rows(&all, &focus, 80), expected);
    // What every job comes to is said in the table.
    let focus = SummaryFocus { headline: Some("late".into()), ..SummaryFocus::default() };
    assert!(rows(&all, &focus, 80).contains("\nlate         0     0\n"));
}

#[test]
fn of_many_metrics_the_first_are_shown_and_zeros_are_named() {
    let mut all: Vec<Row> = (0..14).map(|k| row("a", &format!("m{k}"), f64::from(k + 1))).collect();
    all.extend([row("a", "none", 0.0), row("a", "nothing", 0.0)]);
    let focus = SummaryFocus { metrics: vec!["m13".into()], ..SummaryFocus::default() };
    let text = rows(&all, &focus, 80);
    assert!(text.starts_with("e\n") && lines_of(&text)[2].starts_with("m13") && !text.contains("m12"), "{text}");
    let end = "0 throughout: none, nothing\n(2 more metrics: --verbose, or results.csv)\n";
    assert!(text.ends_with(end), "{text}");
}

#[test]
fn a_table_of_zeros_is_a_line() {
    let other = |metric: &str| Row { experiment: "rules".into(), ..row("a", metric, 0.0) };
    let text = rows(&[row("a", "wait", 3.0), other("bad lines"), other("cut")], &SummaryFocus::default(), 80);
    assert!(text.ends_with("\nrules, 0 throughout: bad lines, cut\n"), "{text}");
}

#[test]
fn every_pair_is_shown_with_its_mark() {
    let plain = ["a", "b", "c", "d"].map(|name| row(name, "wait", name.len() as f64 + 3.0)).to_vec();
    let pairs = [compared("a against b", -2.0, 0.01), compared("c against d", 1.5, 0.2)].to_vec();
    let text = rows(&[plain.clone(), pairs].concat(), &SummaryFocus::default(), 80);
    assert!(text.contains("\ne: differences between pairs\n                      wait\n"), "{text}");
    assert!(text.contains("a against b  -2.00 ± 0.50*\nc against d  +1.50 ± 0.50\n* differs from 0"), "{text}");
    // One pair is what the marks of the table are about.
    let plain = ["a", "b"].map(|name| row(name, "wait", if name == "a" { 2.0 } else { 4.0 })).to_vec();
    let text = rows(&[plain, vec![compared("a against b", -2.0, 0.01)]].concat(), &SummaryFocus::default(), 80);
    assert!(text.contains("2*") && text.contains("differs from b: paired") && !text.contains("pairs"), "{text}");
}

#[test]
fn a_second_baseline_has_lines_of_its_own() {
    let plain = [("a", 1.0), ("b", 2.0), ("c", 3.0)].map(|(name, wait)| row(name, "wait", wait)).to_vec();
    let names = ["b against a", "c against a", "a against b", "c against b"];
    let all = [plain, names.map(|name| compared(name, 1.0, 0.01)).to_vec()].concat();
    let focus = SummaryFocus { baselines: vec!["a".into(), "b".into()], ..SummaryFocus::default() };
    let text = rows(&all, &focus, 80);
    assert!(text.contains("differs from a") && text.contains("\nc against b  +1.00"), "{text}");
    assert!(!text.contains("c against a") && !text.contains("a against b"), "{text}");
}

#[test]
fn results_stand_beside_each_other_below_each_metric() {
    let of = |result: &str, row: Row| {
        let value = crate::SweepValue::Text(result.into());
        Row { factors: vec![crate::Factor { name: RESULT.into(), value }], ..row }
    };
    let mut beside = Vec::new();
    for (series, first, second) in [("EASY", 2.0, 3.0), ("FCFS", 5.0, 4.0)] {
        for (metric, first, second) in [("wait", first, second), ("jobs", first, first)] {
            let less = Row { p: Some(0.01), p_holm: Some(0.01), ..row(series, metric, second - first) };
            beside.extend([
                of("a", row(series, metric, first)),
                of("b", row(series, metric, second)),
                of("b - a", less),
            ]);
        }
    }
    let expected = "e\n                b -\n         a   b    a\nwait\n  EASY  2   3   +1*\n  FCFS  5   4   -1*\n\
                    * differs from 0: p < 0.05 after Holm's correction\nThe same in all results: jobs\n";
    let focus = SummaryFocus { beside, ..SummaryFocus::default() };
    assert_eq!(rows(&[row("EASY (a)", "wait", 2.0)], &focus, 80), expected);
}

#[test]
fn columns_that_find_no_room_are_counted_with_the_metrics_left_out() {
    let row = |s: usize, k: usize| {
        let estimate = Estimate { mean: (1000 + k + 10 * s * k) as f64, ci95: Some(1.0), n: 9 };
        Row::new("e", format!("series {s}"), format!("quantity number {k}"), estimate)
    };
    let all: Vec<Row> = (0..12).flat_map(|s| (1..11).map(move |k| row(s, k))).collect();
    for width in [50, 65, 80] {
        let text = rows(&all, &SummaryFocus::default(), width);
        let shown = (1..11).filter(|k| text.contains(&format!("{}", 1000 + k))).count();
        let left = 10 - shown;
        assert!(left > 0 && text.contains(&format!("{left} more metric")), "{width}: {text}");
    }
}

#[test]
fn what_is_along_time_is_shown_only_if_there_is_nothing_else() {
    let (sweep, figure) = (samples::sweep(1, 5), samples::figure(FigureKind::Lines));
    let shown = |rows: &[Row]| {
        let outcome = Outcome { figures: vec![figure.clone()], ..samples::outcome(rows.to_vec()) };
        body(&outcome, (80, 30)).join("\n")
    };
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
