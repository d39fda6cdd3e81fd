//! Figures as SVG: text stays text, and the drawing scales to any width.

use super::ReportError;
use super::chart::{Scene, theme};
use super::text::escaped;
use plotters::prelude::SVGBackend;

/// Units of CSS in an inch.
const CSS_RESOLUTION: f64 = 96.0;

/// The SVG document of a scene.
pub(super) fn document(scene: &Scene) -> Result<String, ReportError> {
    let (width, height) = scene.size();
    let mut painted = String::new();
    scene.paint(&mut SVGBackend::with_string(&mut painted, (width, height)))?;
    // Plotters' first line asks for a window as large as the canvas; ours asks for the size in print.
    let shapes = painted.split_once('\n').map_or("", |(_, shapes)| shapes);
    let scale = CSS_RESOLUTION / theme::RESOLUTION;
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{}\" height=\"{}\" \
         role=\"img\" aria-label=\"{}\" stroke-linejoin=\"round\">\n{shapes}",
        f64::from(width) * scale,
        f64::from(height) * scale,
        escaped(&scene.title),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{chart, samples};
    use crate::study::{Figure, FigureKind, Row};

    fn sample(kind: FigureKind) -> String {
        let mut rows: Vec<Row> = samples::sweep(2, 4);
        for row in &mut rows {
            row.series = format!("<script>\u{7}&\"{}\"", row.series);
            row.published = Some(11.0);
        }
        let figure = Figure { title: "Load & \"wait\" <1 h".into(), ..samples::figure(kind) };
        document(&chart::scene(&figure, &rows).unwrap()).unwrap()
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
            let text = sample(kind);
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
        let rows =
            samples::comparison().into_iter().map(|row| Row { series: format!("<{}> & \"co\"", row.series), ..row });
        let bars = chart::scene(&samples::bars(), &rows.collect::<Vec<_>>()).unwrap();
        let mut gantt = samples::gantt();
        gantt.title = "Windows & \u{1b}\"slots\"".into();
        gantt.panels[1].lanes[5].label = "<cpu>".into();
        gantt.panels[1].lanes[5].bars[0].label = "a<b".into();
        let gantt = chart::gantt::scene(&gantt).unwrap();
        let expected = [(bars, ["&lt;ALP&gt; &amp;", "372", "cost"]), (gantt, ["&lt;cpu&gt;", "a&lt;b", "W3"])];
        for (scene, labels) in expected {
            let text = document(&scene).unwrap();
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
}
