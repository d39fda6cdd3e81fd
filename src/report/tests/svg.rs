//! Documents that a browser reads, and what stands in them.

use crate::{Cut, Figure, FigureKind, Row};
use crate::{samples, tidy};
use gridloom_files::svg::document;

fn sample(kind: FigureKind) -> String {
    let mut rows: Vec<Row> = samples::sweep(2, 4);
    for row in &mut rows {
        row.series = format!("<script>\u{7}&\"{}\"", row.series);
        row.published = Some(11.0);
    }
    let figure = Figure { title: "Load & \"wait\" <1 h".into(), ..samples::figure(kind) };
    document(&tidy::scene(&figure, &rows).unwrap())
}

/// A small reader of XML: tags must balance, attributes be quoted, text be escaped.
fn assert_well_formed(text: &str) {
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'));
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let content = &rest[..start];
        assert!(!content.contains('>'), "{content:?}");
        assert!(content.trim().is_empty() || !open.is_empty(), "text outside the root: {content:?}");
        let end = rest[start..].find('>').expect("a tag ends") + start;
        let tag = &rest[start + 1..end];
        assert!(!tag.contains('<') && tag.matches('"').count().is_multiple_of(2), "{tag}");
        let name = tag.trim_matches('/').split_whitespace().next().expect("a tag has a name");
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(name);
        }
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} {rest:?}");
    for entity in text.split('&').skip(1) {
        let known = ["amp;", "lt;", "gt;", "quot;", "apos;", "#39;"];
        assert!(known.iter().any(|name| entity.starts_with(name)), "{entity:.12}");
    }
}

#[test]
fn documents_are_well_formed_and_hold_every_label_as_text() {
    for kind in [FigureKind::Lines, FigureKind::Stacked] {
        let text = sample(kind.clone());
        assert_well_formed(&text);
        let labels = ["&lt;script&gt;&amp;&quot;series 1&quot;", "Load (jobs per hour)", "Waiting time (min)"];
        for label in labels.into_iter().chain(["Load &amp; &quot;wait&quot; &lt;1 h"]) {
            assert!(text.contains(label), "{label}");
        }
        assert!(!text.contains("<script"));
        assert_eq!(text.contains("published"), kind == FigureKind::Lines);
    }
}

#[test]
fn bars_and_schedules_are_well_formed_too() {
    let rows = samples::comparison().into_iter().map(|row| Row { series: format!("<{}> & \"co\"", row.series), ..row });
    let bars = tidy::scene(&samples::bars(), &rows.collect::<Vec<_>>()).unwrap();
    let mut gantt = samples::gantt();
    gantt.title = "Windows & \u{1b}\"slots\"".into();
    gantt.panels[1].lanes[5].label = "<cpu>".into();
    gantt.panels[1].lanes[5].bars[0].label = "a<b".into();
    let gantt = tidy::gantt(&gantt).unwrap();
    let rename = |row: Row| Row { series: format!("<{}>", row.series), ..row };
    let crossing: Vec<Row> = samples::crossing(2, 4, 2, 1).into_iter().map(rename).collect();
    let differences: Vec<Row> = samples::differences(2).into_iter().map(rename).collect();
    let drawn = |kind, rows: &[Row]| tidy::scene(&samples::cut_figure(kind), rows).unwrap();
    let panels = drawn(FigureKind::Panels(samples::cut()), &crossing);
    let up = Some(("notice".into(), "Notice &".into()));
    let map = drawn(FigureKind::Map(Cut { up, panels: None, ..samples::cut() }), &crossing);
    let forest = drawn(FigureKind::Differences, &differences);
    let expected = [
        (bars, ["&lt;ALP&gt; &amp;", "371.5", "cost"]),
        (gantt, ["&lt;cpu&gt;", "a&lt;b", "W3"]),
        (panels, ["&lt;OPT min time 0&gt;, notice = 60", "displacement = Job", "0.45"]),
        (map, ["&lt;OPT min time 1&gt;", "Notice &amp;", "the sign changes"]),
        (forest, ["&lt;OPT min time,", "p &lt; 0.05", "95 % interval"]),
    ];
    for (scene, labels) in expected {
        let text = document(&scene);
        assert_well_formed(&text);
        assert!(labels.iter().all(|label| text.contains(label)), "{labels:?}");
    }
}

#[test]
fn documents_scale_on_white_paper() {
    let text = sample(FigureKind::Lines);
    assert!(text.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 3000 "));
    assert!(text.lines().nth(1).is_some_and(|line| line.starts_with("<rect ") && line.contains("#FFFFFF")));
    assert!(text.contains(", sans-serif"));
}
