//! One table or figure of a paper, ours beside it.

use super::claims::{list, marks};
use super::{Drawing, Work};
use crate::report::html;
use crate::reproduction::{Claim, Comparison, Paragraph, header};
use gridloom_files::escaped;

/// So many figures stand open beside the claims.
const FIGURES: usize = 2;

/// What the page has shown already.
#[derive(Default)]
pub(super) struct Seen {
    scenarios: Vec<&'static str>,
    drawings: Vec<(&'static str, String)>,
}

/// A table or figure, what is claimed of it, and the scenarios that bear on it.
pub(super) struct Item<'a> {
    pub name: &'a str,
    note: &'a str,
    pub claims: Vec<&'a Claim<'a>>,
    works: Vec<Work<'a>>,
}

impl<'a> Item<'a> {
    /// The item with those of the scenarios that its claims are about; all of them, if it has no claims.
    pub(super) fn new(name: &'a str, note: &'a str, claims: Vec<&'a Claim<'a>>, works: &[Work<'a>]) -> Self {
        let is_about = |work: &&Work<'_>| {
            let mut points = claims.iter().flat_map(|claim| &claim.points);
            claims.is_empty() || points.any(|point| point.scenario == work.reproduced.scenario.name.as_str())
        };
        let works = works.iter().filter(is_about).copied().collect();
        Self { name, note, claims, works }
    }

    /// The item on the page. A scenario is described, and a figure shown, where it comes up first.
    pub(super) fn article(&self, seen: &mut Seen) -> String {
        let marks = if self.claims.is_empty() { String::new() } else { marks(&self.claims) };
        let mut text = format!("<article>\n<h3>{} {marks}</h3>\n", escaped(self.name));
        if !self.note.is_empty() {
            text.push_str(&format!("<p>{}</p>\n", escaped(self.note)));
        }
        let (mut shown, mut others) = (Vec::new(), Vec::new());
        for work in &self.works {
            let name = work.reproduced.entry.name;
            for drawing in work.drawings {
                let place = (name, drawing.file.clone());
                if seen.drawings.contains(&place) {
                    continue;
                }
                let mut points = self.claims.iter().flat_map(|claim| &claim.points).copied();
                if points.any(|point| work.draws(drawing, point)) {
                    shown.push(drawing);
                } else if !work.reproduced.comparisons.iter().any(|point| work.draws(drawing, point)) {
                    // No item is about it: it stands where the scenario is described.
                    others.push(drawing);
                } else {
                    continue;
                }
                seen.drawings.push(place);
            }
        }
        let (shown, more) = shown.split_at(shown.len().min(FIGURES));
        text.push_str("<div class=\"beside\">\n");
        if !self.claims.is_empty() {
            text.push_str(&list(&self.claims));
        }
        text.push_str(&format!("<div class=\"figures\">\n{}</div>\n</div>\n", figures(shown)));
        let folded: Vec<&Drawing> = more.iter().copied().chain(others).collect();
        if !folded.is_empty() {
            text.push_str(&format!(
                "<details>\n<summary>{} more {}</summary>\n<div class=\"figures wide\">\n{}</div>\n</details>\n",
                folded.len(),
                if folded.len() == 1 { "figure" } else { "figures" },
                figures(&folded)
            ));
        }
        for work in &self.works {
            let name = work.reproduced.entry.name;
            text.push_str(&match seen.scenarios.contains(&name) {
                true => format!("<p class=\"note\">From <a href=\"#{name}\">{name}</a>.</p>\n"),
                false => description(work),
            });
            seen.scenarios.push(name);
        }
        text + "</article>\n"
    }
}

impl Work<'_> {
    /// True if a figure draws a value that was compared. A schedule draws no values: it belongs to all of its scenario.
    fn draws(&self, drawing: &Drawing, point: &Comparison) -> bool {
        let figures = &self.reproduced.outcome.figures;
        point.scenario == self.reproduced.scenario.name.as_str()
            && figures.iter().find(|figure| figure.file == drawing.file).is_none_or(|figure| {
                point.row.experiment == figure.experiment && figure.metrics.contains(&point.published.metric)
            })
    }
}

fn figures(drawings: &[&Drawing]) -> String {
    let figure = |drawing: &&Drawing| {
        format!("<figure>\n{}<figcaption>{}</figcaption>\n</figure>\n", drawing.svg, escaped(&drawing.caption))
    };
    drawings.iter().map(figure).collect()
}

/// What a scenario asks, what was free in it, and where all of it is.
fn description(work: &Work<'_>) -> String {
    let reproduced = work.reproduced;
    let name = escaped(reproduced.entry.name);
    let mut text = format!(
        "<details id=\"{name}\">\n<summary>How {name} is set up, and what was free</summary>\n{}{}",
        html::paragraphs(&reproduced.outcome.about),
        html::facts(&reproduced.outcome.results)
    );
    let lost = reproduced.scenario.published.len() - reproduced.comparisons.len();
    if lost > 0 {
        text.push_str(&format!("<p class=\"note\">{lost} published values found no row to compare with.</p>\n"));
    }
    text.extend(header(reproduced.entry.text).iter().map(labelled));
    text + &format!(
        "</details>\n<p class=\"note\">All numbers: <a href=\"{name}.html\">the report</a>. \
         To run it again: <a href=\"{name}.ron\">{name}.ron</a>.</p>\n"
    )
}

fn labelled(paragraph: &Paragraph) -> String {
    match paragraph.label.as_str() {
        "" => format!("<p>{}</p>\n", escaped(&paragraph.text)),
        label => format!("<p><b>{}:</b> {}</p>\n", escaped(label), escaped(&paragraph.text)),
    }
}
