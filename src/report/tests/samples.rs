//! Result sets that the tests share.

use super::html::Drawing;
use crate::{
    Bar, BarKind, Cut, Factor, Figure, FigureKind, FiguresSpec, Gantt, Lane, Outcome, Panel, Ranking, RankingLine,
    Results, Row, StudyAnswer, SummaryFocus, SweepValue,
};
use gridloom_language::Finite;
use gridloom_sim::metrics::{Estimate, Metric};

/// A handful of rows of every sort, with names that need escaping.
pub(crate) fn small() -> Results {
    let estimate = |mean, ci95| Estimate { mean, ci95, n: if ci95.is_some() { 30 } else { 1 } };
    let mut published = Row::new("criteria", "AMP", "start time", estimate(431.26, Some(2.134)));
    published.published = Some(430.0);
    published.verdict = Some("within 5 %".into());
    published.unit = "time units".into();
    let rows = vec![
        published,
        Row::new("criteria", "ALP, \"fair\"", "start time", estimate(512.0, None)),
        Row::new("sweep", "a|b <script>", "utilisation", estimate(0.431_234, Some(0.002_13))).at(0.1),
        Row::new("sweep", "a|b <script>", "utilisation", estimate(0.5, Some(0.0))).at(0.2),
    ];
    Results { scenario: "demo".into(), seed: u64::MAX, replications: 30, version: "0.1.0".into(), rows, missing: None }
}

/// Rows of one metric: `series` lines over `points` values of x.
pub(crate) fn sweep(series: usize, points: usize) -> Vec<Row> {
    let row = |s: usize, p: usize| {
        let mean = 10.0 + s as f64 + ((p * (s + 2)) % 7) as f64;
        Row::new("sweep", format!("series {s}"), "waiting", Estimate { mean, ci95: Some(0.8), n: 20 }).at(p as f64)
    };
    (0..series).flat_map(|s| (0..points).map(move |p| row(s, p))).collect()
}

/// A figure over [`sweep`].
pub(crate) fn figure(kind: FigureKind) -> Figure {
    Figure {
        file: "waiting".into(),
        title: "Waiting time under load".into(),
        caption: "Waiting grows with the load.".into(),
        x_label: "Load (jobs per hour)".into(),
        y_label: "Waiting time (min)".into(),
        experiment: "sweep".into(),
        metrics: vec!["waiting".into()],
        kind,
    }
}

/// Two methods by three metrics, with "published" values; all numbers are invented.
pub(crate) fn comparison() -> Vec<Row> {
    let row = |series, metric, mean, ci95, published| Row {
        published: Some(published),
        ..Row::new("comparison", series, metric, Estimate { mean, ci95: Some(ci95), n: 1000 })
    };
    vec![
        row("ALP", "execution time", 60.3, 0.9, 60.0),
        row("ALP", "cost", 307.1, 4.2, 314.0),
        row("ALP", "alternatives per job", 7.28, 0.11, 7.4),
        row("AMP", "execution time", 38.7, 0.8, 39.0),
        row("AMP", "cost", 371.5, 5.0, 370.0),
        row("AMP", "alternatives per job", 33.9, 0.6, 34.5),
    ]
}

/// A figure over [`comparison`].
pub(crate) fn bars() -> Figure {
    Figure {
        file: "methods".into(),
        title: "Two searches compared".into(),
        caption: "AMP finds more alternatives than ALP.".into(),
        x_label: String::new(),
        y_label: "Average over experiments".into(),
        experiment: "comparison".into(),
        metrics: ["execution time", "cost", "alternatives per job"].map(String::from).to_vec(),
        kind: FigureKind::Bars,
    }
}

/// The names of the factors of [`crossing`], in order.
pub(crate) const FACTORS: [&str; 3] = ["load", "notice", "displacement"];

/// A crossing of loads, notices and ways of displacement: differences of each series against another policy that change
/// their sign; all numbers are invented.
pub(crate) fn crossing(series: usize, loads: usize, notices: usize, displacements: usize) -> Vec<Row> {
    const WAYS: [&str; 3] = ["Job", "Task", "Never"];
    let row = |s: usize, l: usize, n: usize, d: usize| {
        let (load, notice) = ((30 + 15 * l) as f64 / 100.0, 60.0 * f64::from(1_u32 << n));
        let displacement = WAYS.get(d).map_or_else(|| format!("Way({d})"), |way| way.to_string());
        let ci95 = 0.004 + 0.002 * ((l * 7 + n * 3 + s) % 5) as f64;
        let mean = 0.09 * (load - 0.55) - 0.012 * n as f64 + 0.01 * d as f64 + 0.008 * s as f64;
        let p = libm::exp(-4.0 * (mean / ci95).abs());
        let values = [
            SweepValue::Number(Finite::of(load)),
            SweepValue::Number(Finite::of(notice)),
            SweepValue::Text(displacement),
        ];
        let factors = FACTORS.iter().zip(values).map(|(name, value)| Factor { name: name.to_string(), value });
        let estimate = Estimate { mean, ci95: Some(ci95), n: 30 };
        Row {
            x: Some(load),
            unit: "share of jobs".into(),
            factors: factors.collect(),
            p: Some(p),
            p_holm: Some((p * (loads * notices) as f64).min(1.0)),
            ..Row::new("rules", format!("OPT min time {s}"), "difference in success", estimate)
        }
    };
    let mut rows = Vec::new();
    for (l, n) in (0..loads).flat_map(|l| (0..notices).map(move |n| (l, n))) {
        rows.extend((0..displacements).flat_map(|d| (0..series).map(move |s| (s, d))).map(|(s, d)| row(s, l, n, d)));
    }
    rows
}

/// Differences without `x` between pairs of policies with long names.
pub(crate) fn differences(count: usize) -> Vec<Row> {
    let name = |k: usize| match k % 3 {
        0 => format!("OPT min time, at events against application only, {k}"),
        1 => format!("NO OPT against OPT min cost {k}"),
        _ => format!("EASY {k}"),
    };
    let row = |(k, row): (usize, Row)| Row { series: name(k), x: None, factors: Vec::new(), ..row };
    crossing(1, count, 1, 1).into_iter().enumerate().map(row).collect()
}

/// A figure over [`crossing`].
pub(crate) fn cut_figure(kind: FigureKind) -> Figure {
    Figure {
        file: "rules-success".into(),
        title: "OPT against NO OPT by load, notice and displacement".into(),
        caption: "OPT wins above a load of 0.6.".into(),
        x_label: "Load (share of node time)".into(),
        y_label: "Difference in success (share of jobs)".into(),
        experiment: "rules".into(),
        metrics: vec!["difference in success".into()],
        kind,
    }
}

/// A cut along the load with a panel per way of displacement.
pub(crate) fn cut() -> Cut {
    Cut { along: "load".into(), up: None, panels: Some("displacement".into()), series: Vec::new(), log: None }
}

/// Six nodes with seven local tasks: the free slots, and what the windows of three jobs take of them.
pub(crate) fn gantt() -> Gantt {
    let prices = [5, 4, 3, 5, 3, 12];
    let local = [(0, 0, 80), (0, 420, 530), (1, 0, 150), (2, 380, 450), (3, 110, 230), (4, 60, 150), (4, 500, 600)];
    let free = [
        (0, 80, 420),
        (0, 530, 600),
        (1, 150, 600),
        (2, 0, 380),
        (2, 450, 600),
        (3, 0, 110),
        (3, 230, 600),
        (4, 0, 60),
        (4, 150, 500),
        (5, 0, 600),
    ];
    let windows = [(1, 0, 150, 230), (3, 0, 230, 310), (0, 1, 230, 260), (2, 1, 230, 260), (5, 1, 230, 260)];
    let windows = windows.into_iter().chain([(4, 2, 450, 500), (5, 2, 450, 500), (1, 0, 350, 430)]);
    let bar = |start: i32, end: i32, label, kind| Bar { start: start.into(), end: end.into(), label, kind };
    let lanes = |granted: bool| -> Vec<Lane> {
        let lane = |(node, price): (usize, i32)| {
            let mut bars = Vec::new();
            for (index, &(_, start, end)) in local.iter().enumerate().filter(|(_, task)| task.0 == node) {
                bars.push(bar(start, end, format!("p{}", index + 1), BarKind::Local));
            }
            for (index, &(_, start, end)) in free.iter().enumerate().filter(|(_, slot)| slot.0 == node) {
                bars.push(bar(start, end, index.to_string(), BarKind::Free));
            }
            for (_, request, start, end) in windows.clone().filter(|window| granted && window.0 == node) {
                bars.push(bar(start, end, format!("W{}", request + 1), BarKind::Window(request)));
            }
            Lane { label: format!("cpu{}", node + 1), note: price.to_string(), bars }
        };
        prices.into_iter().enumerate().map(lane).collect()
    };
    Gantt {
        file: "schedule".into(),
        title: "Windows for three jobs".into(),
        caption: "Each job gets the first window that it can pay.".into(),
        x_label: "Time".into(),
        requests: ["job 1", "job 2", "job 3"].map(String::from).to_vec(),
        panels: vec![
            Panel { title: "Free slots".into(), lanes: lanes(false) },
            Panel { title: "After the first pass".into(), lanes: lanes(true) },
        ],
    }
}

/// Three alternatives by two metrics: two share the first rank by one of them, and one was not measured by the other.
pub(crate) fn ranking() -> Ranking {
    let line = |series: &str, places: [Option<(u64, f64)>; 2], mean_rank| RankingLine {
        series: series.into(),
        places: places.to_vec(),
        mean_rank,
    };
    Ranking {
        metrics: vec![Metric::new("success", "share of jobs", ""), Metric::new("wait", "minutes", "")],
        lines: vec![
            line("EASY <script>", [Some((2, 0.912_345)), None], 2.0),
            line("OPT min time", [Some((1, 0.953_1)), Some((2, 123.456))], 1.5),
            line("NO OPT", [Some((1, 0.951)), Some((1, 98.765))], 1.0),
        ],
    }
}

/// An answer that the figure of [`cut_figure`] shows.
pub(crate) fn answer() -> StudyAnswer {
    StudyAnswer {
        question: "Does <script> OPT pay?".into(),
        sentences: ["Yes: OPT wins by 0.045 ± 0.004 at a load of 1.05.", "Below 0.55 NO OPT does as well."]
            .map(String::from)
            .to_vec(),
        findings: vec!["load = 0.55: OPT wins from notice = 60 on.".into()],
        figure: Some("rules-success".into()),
        rules: [("displacement", "Job"), ("notice", "120 minutes")].map(|(a, b)| (a.into(), b.into())).to_vec(),
    }
}

/// A figure of this file, as the page gets it.
pub(crate) fn drawing(file: &str) -> Drawing {
    Drawing {
        file: file.into(),
        title: format!("The figure {file}"),
        svg: format!("<svg id=\"{file}\"></svg>\n"),
        has_svg: true,
        png: None,
        pdf: None,
        caption: format!("Of {file}."),
        shape: 0.5,
        spots: String::new(),
    }
}

/// The outcome of a run: these rows, no figure of them, and a Gantt chart.
pub(crate) fn outcome(rows: Vec<Row>) -> Outcome {
    Outcome {
        about: "About.".into(),
        answer: None,
        ranking: None,
        scenario: "Scenario()".into(),
        results: Results { rows, ..small() },
        focus: SummaryFocus::default(),
        figures: Vec::new(),
        gantts: vec![gantt()],
        schedules: Vec::new(),
        notes: Vec::new(),
        files: Vec::new(),
        figures_spec: FiguresSpec::default(),
    }
}
