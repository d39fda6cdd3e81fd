//! The results of a reproduction as files: one page, the comparisons as tables, every figure, every scenario.

use super::fidelity;
use super::html;
use super::table::{Column, Table};
use super::{Artefacts, ReportError, drawings, markdown, number, overview};
use crate::reproduction::{Comparison, PAPERS, Reproduced};
use rayon::prelude::*;

/// All files of a reproduction. Those of a scenario begin with its name: its figures, its report and its text.
pub fn artefacts(works: &[Reproduced], quick: bool) -> Result<Artefacts, ReportError> {
    let drawn: Vec<_> = works.par_iter().map(|work| drawings(&work.outcome)).collect::<Result<_, _>>()?;
    let comparisons: Vec<Comparison> = works.iter().flat_map(|work| work.comparisons.clone()).collect();
    let mut artefacts = Artefacts::default();
    artefacts.add("index.html", overview::page(works, &drawn, quick))?;
    artefacts.add("fidelity.csv", fidelity::csv(&comparisons)?)?;
    artefacts.add("fidelity.json", fidelity::json(&comparisons, quick)?)?;
    for (work, drawn) in works.iter().zip(&drawn) {
        let name = work.entry.name;
        artefacts.add(&format!("{name}.ron"), work.entry.text)?;
        artefacts.add(&format!("{name}.html"), html::page(&work.outcome, drawn)?)?;
        for drawing in drawn {
            drawing.add_to(&mut artefacts, &format!("{name}-{}", drawing.file))?;
        }
    }
    Ok(artefacts)
}

/// The subject of a value, in the words of its scenario.
pub(super) fn subject(one: &Comparison) -> String {
    let at = one.row.x.map_or(String::new(), |x| format!(" at {}", number::plain(x)));
    format!("{}, {}{at}", one.row.metric, one.row.series)
}

/// The published value; in words where print gives no more than a direction.
pub(super) fn claim(one: &Comparison) -> String {
    one.direction().map_or_else(|| number::plain(one.published), Into::into)
}

/// The verdict with the distance of ours, without the reason.
pub(super) fn short_verdict(one: &Comparison) -> &str {
    let verdict = one.row.verdict.as_deref().unwrap_or_default();
    verdict.split_once(", because").map_or(verdict, |(short, _)| short)
}

/// The number of comparisons that match, and the number of all.
pub(super) fn count<'a>(comparisons: impl IntoIterator<Item = &'a Comparison>) -> (usize, usize) {
    comparisons.into_iter().fold((0, 0), |(matching, all), one| (matching + usize::from(one.is_match()), all + 1))
}

/// The comparisons as text: a table for each paper, the count of matches, and why the others differ.
pub fn summary(works: &[Reproduced]) -> String {
    let mut text = String::new();
    let header = columns(&[("paper", false), ("values", true), ("match", true), ("differs", true)]);
    let mut counts = Table::new("Verdicts".into(), header, Vec::new());
    let line = |name: &str, (matching, all): (usize, usize)| {
        vec![name.to_string(), all.to_string(), matching.to_string(), (all - matching).to_string()]
    };
    for paper in PAPERS.iter().map(|paper| paper.id).chain([""]) {
        let of_paper: Vec<&Comparison> =
            works.iter().flat_map(|work| &work.comparisons).filter(|one| one.paper == paper).collect();
        if of_paper.is_empty() {
            continue;
        }
        let name = if paper.is_empty() { "without a paper" } else { paper };
        counts.lines.push(line(name, count(of_paper.iter().copied())));
        text.push_str(&markdown::section(&paper_table(name, &of_paper)));
        text.push('\n');
    }
    let all = || works.iter().flat_map(|work| &work.comparisons);
    counts.lines.push(line("all", count(all())));
    counts.lines.push(line("of these directions only", count(all().filter(|one| one.direction().is_some()))));
    text.push_str(&markdown::section(&counts));
    let reasons: Vec<String> = works.iter().flat_map(|work| &work.comparisons).filter_map(reason).collect();
    if !reasons.is_empty() {
        text.push_str(&format!("\nWhat differs, and why:\n{}", reasons.concat()));
    }
    text
}

fn columns(names: &[(&str, bool)]) -> Vec<Column> {
    names.iter().map(|&(name, numeric)| Column { name: name.into(), numeric }).collect()
}

fn paper_table(paper: &str, comparisons: &[&Comparison]) -> Table {
    let title =
        PAPERS.iter().find(|known| known.id == paper).map_or(String::new(), |paper| format!(" {}", paper.title));
    let names = [("item", false), ("scenario", false), ("value", false), ("published", true), ("ours ± 95 %", true)];
    let lines = comparisons.iter().map(|one| {
        vec![
            one.item.clone(),
            one.scenario.clone(),
            subject(one),
            claim(one),
            number::estimate(one.row.mean, one.row.ci95),
            one.tolerance.to_string(),
            short_verdict(one).to_string(),
        ]
    });
    let header = columns(&[&names[..], &[("tolerance", false), ("verdict", false)]].concat());
    Table::new(format!("{paper}{title}"), header, lines.collect())
}

fn reason(one: &Comparison) -> Option<String> {
    (!one.is_match()).then(|| format!("- {}, {}: {}\n", one.scenario, subject(one), cause(one)))
}

/// Why ours differs, as far as the scenario knows, and whether that may be chance.
pub(super) fn cause(one: &Comparison) -> String {
    let chance = "the interval reaches as far as the tolerance, so that more replications may decide otherwise";
    match (one.because.as_str(), one.is_settled()) {
        ("", false) => chance.into(),
        ("", true) => "the reason is not known".into(),
        (because, _) => format!("because {because}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Estimate;
    use crate::study::Row;
    use crate::study::Tolerance;

    #[test]
    fn a_direction_is_claimed_in_words_and_a_value_in_digits() {
        let claimed = |published: f64, tolerance: Tolerance| {
            let row = Row::new("e", "s", "m", Estimate { mean: 3.0, ci95: None, n: 1 });
            let (paper, item, scenario, because) = Default::default();
            claim(&Comparison { paper, item, scenario, row, published, tolerance, because })
        };
        assert_eq!(claimed(1.0, Tolerance::Direction), "above 0");
        assert_eq!(claimed(-1.0, Tolerance::Direction), "below 0");
        assert_eq!(claimed(2.5, Tolerance::Exact), "2.5");
    }
}
