//! The results of a reproduction as files: one page, the comparisons as tables, every figure, every scenario.

use super::fidelity;
use super::overview;
use crate::report::html;
use crate::report::schedule;
use crate::report::table::{Column, Table};
use crate::report::{Artefacts, ReportError, drawings, number};
use crate::reproduction::{Claim, ClaimCount, Comparison, PAPERS, Reproduced, claims};
use crate::study::verdict::direction;
use crate::study::{Evidence, Tolerance};
use crate::units::counted;
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
        let schedules = schedule::figures(&work.outcome.schedules)?;
        artefacts.add(&format!("{name}.html"), html::page(&work.outcome, drawn, schedules))?;
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

/// The published value; in words where print gives no more than a side.
pub(super) fn published(one: &Comparison) -> String {
    let value = one.published.value.get();
    match one.published.tolerance {
        Tolerance::Direction => direction(value).into(),
        Tolerance::Below => format!("below {}", number::plain(value)),
        Tolerance::Above => format!("above {}", number::plain(value)),
        _ => number::plain(value),
    }
}

/// The verdict with the distance of ours, without the reason.
pub(super) fn short_verdict(one: &Comparison) -> &str {
    one.verdict.split_once(", because").map_or(one.verdict.as_str(), |(short, _)| short)
}

/// What a claim says: its own words, or the name of its only value.
pub(super) fn said(claim: &Claim<'_>) -> String {
    let first = claim.points[0];
    match first.published.claim.as_str() {
        "" => format!("{}: {}", first.item, subject(first)),
        words => words.into(),
    }
}

/// The kinds of evidence that are counted as published, and that the headline is of.
pub(super) const PUBLISHED: [Evidence; 4] = [Evidence::Free, Evidence::Read, Evidence::Fitted, Evidence::Built];
const HEADLINE: [Evidence; 2] = [Evidence::Free, Evidence::Read];

/// True if nothing was fitted to a claim, and nothing built for it.
pub(super) fn is_headline(claim: &Claim<'_>) -> bool {
    HEADLINE.contains(&claim.evidence())
}

/// The claims of the headline that match, in a few sentences: all of them, those for which nothing was chosen, and those
/// that hang on a chosen reading, with what the text as it stands brings.
pub(super) fn headline(claims: &[Claim<'_>]) -> String {
    let count = ClaimCount::of(claims.iter().filter(|claim| is_headline(claim)));
    let numbers: ClaimCount = claims.iter().filter(|claim| is_headline(claim)).map(Claim::numbers).sum();
    let of = |evidence| claims.iter().filter(move |claim| claim.evidence() == evidence);
    let (free, read) = (ClaimCount::of(of(Evidence::Free)), ClaimCount::of(of(Evidence::Read)));
    if count.all == 0 {
        return "These scenarios hold no claim of print to which nothing was fitted.".into();
    }
    let mut text = format!(
        "Of {} of print to which nothing was fitted, {} match ({}), and so do {} values in them ({}), as printed or worked \
         out from print.",
        counted(count.all as u64, "claim"),
        count.matching,
        share(count),
        out_of(numbers),
        share(numbers)
    );
    if free.all > 0 {
        text.push_str(&format!(" Where nothing was chosen either, {} match ({}).", out_of(free), share(free)));
    }
    if read.all > 0 {
        text.push_str(&format!(
            " By a reading of the text, or of its formulas, that was chosen because it brings many values at once, {} match \
             ({}).",
            out_of(read),
            share(read)
        ));
    }
    let printed: Vec<bool> = of(Evidence::Read).filter_map(Claim::is_match_as_printed).collect();
    if !printed.is_empty() {
        let matching = printed.iter().filter(|&&is_match| is_match).count();
        text.push_str(&format!(
            " For {} of these the text as it stands was run beside, by which {matching} match.",
            printed.len()
        ));
    }
    text
}

/// A share in whole per cent.
pub(super) fn share(count: ClaimCount) -> String {
    format!("{:.0} %", 100.0 * count.matching as f64 / count.all.max(1) as f64)
}

/// `12 of 14`, or a dash where there is nothing to count.
pub(super) fn out_of(count: ClaimCount) -> String {
    if count.all == 0 { "–".into() } else { format!("{} of {}", count.matching, count.all) }
}

/// How many claims match, by paper and evidence: a line for each paper that has any, and one for all.
pub(super) fn counts(claims: &[Claim<'_>]) -> Table {
    let mut header = vec![Column::text("paper")];
    header.extend(PUBLISHED.map(|evidence| Column::number(evidence.to_string())));
    let line = |name: &str, is_meant: &dyn Fn(&Claim<'_>) -> bool| {
        let of = |evidence| claims.iter().filter(move |claim| is_meant(claim) && claim.evidence() == evidence);
        let cells = PUBLISHED.map(|evidence| out_of(ClaimCount::of(of(evidence))));
        [vec![name.to_string()], cells.to_vec()].concat()
    };
    let is_published = |claim: &Claim<'_>| claim.evidence() != Evidence::Ours;
    let papers = PAPERS.iter().map(|paper| paper.id);
    let papers = papers.filter(|&id| claims.iter().any(|claim| claim.paper() == id && is_published(claim)));
    let mut lines: Vec<Vec<String>> = papers.map(|id| line(id, &|claim| claim.paper() == id)).collect();
    lines.push(line("all", &|_| true));
    Table::new("Claims that match", header, lines)
}

/// Reasons name numbers of the full run; this stands above them where a quick one was made.
pub(super) const REASONS_OF_THE_FULL_RUN: &str =
    "Reasons were written of the full run: the numbers that they name are its own, and not those of this one.";

/// The comparisons as text: the headline, how many claims match by paper and evidence, and why the others differ.
pub fn summary(works: &[Reproduced], quick: bool) -> String {
    let claims = claims(works.iter().flat_map(|work| &work.comparisons));
    let mut text = format!("{}\n\n{}", headline(&claims), counts(&claims).markdown());
    text.push('\n');
    for evidence in PUBLISHED {
        text.push_str(&format!("{evidence}: {}\n", evidence.meaning()));
    }
    let ours = claims.iter().filter(|claim| claim.evidence() == Evidence::Ours);
    text.push_str(&format!("Besides, checks of ours that are in no paper: {}\n", out_of(ClaimCount::of(ours))));
    let reasons: Vec<String> = claims.iter().filter(|claim| !claim.is_match()).map(reason).collect();
    if !reasons.is_empty() {
        let note = if quick { format!("{REASONS_OF_THE_FULL_RUN}\n") } else { String::new() };
        text.push_str(&format!("\nWhat differs, and why:\n{note}{}", reasons.concat()));
    }
    text
}

/// Why a claim does not match: the first of its values that do not, and the reason given for it.
fn reason(claim: &Claim<'_>) -> String {
    let judged = claim.judged();
    let misses: Vec<&Comparison> = judged.iter().copied().filter(|point| !point.is_match()).collect();
    let mut text = format!("- {}, {} ({}): ", claim.paper(), said(claim), claim.evidence());
    if judged.len() > 1 {
        text.push_str(&format!("{} of {} values differ; ", misses.len(), judged.len()));
    }
    let first = misses[0];
    let ours = number::estimate(first.row.mean, first.row.ci95);
    text.push_str(&format!("{}: {} in print, {ours} here, {}\n", subject(first), published(first), cause(first)));
    text
}

/// Why ours differs, as far as the scenario knows, and whether that may be chance.
pub(super) fn cause(one: &Comparison) -> String {
    let chance = "the interval reaches as far as the tolerance, so that more replications may decide otherwise";
    match (one.published.because.as_str(), one.is_settled()) {
        ("", false) => chance.into(),
        ("", true) => "the reason is not known".into(),
        (because, false) => format!("because {because}; {chance}"),
        (because, true) => format!("because {because}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::constant;
    use crate::metrics::Estimate;
    use crate::study::{Origin, Row};

    fn comparison(claim: &str, evidence: &str, value: f64, tolerance: &str) -> Comparison {
        let row = Row::new("e", "s", "m", Estimate { mean: 3.0, ci95: None, n: 1 });
        let source = Origin { paper: "003".into(), item: "Fig. 1".into() };
        let text = format!(
            "(claim: {claim:?}, evidence: {evidence}, series: \"s\", metric: \"m\", value: {value}, \
             tolerance: {tolerance}, because: \"of the weather\")"
        );
        Comparison::new("demo", Some(&source), &constant(&text), &row)
    }

    #[test]
    fn a_side_is_published_in_words_and_a_value_in_digits() {
        let said = |value: f64, tolerance: &str| published(&comparison("", "Free", value, tolerance));
        assert_eq!(said(1.0, "Direction"), "above 0");
        assert_eq!(said(-1.0, "Direction"), "below 0");
        assert_eq!(said(700.0, "Below"), "below 700");
        assert_eq!(said(2.5, "Exact"), "2.5");
    }

    #[test]
    fn counts_are_by_paper_and_evidence_and_ours_stand_apart() {
        let all = [
            comparison("it rises", "Free", 1.0, "Direction"),
            comparison("it rises", "Free", -1.0, "Direction"),
            comparison("it is 3", "Read", 3.0, "Exact"),
            comparison("it was made so", "Built", 3.0, "Exact"),
            comparison("a check", "Ours", 3.0, "Exact"),
        ];
        let claims = claims(&all);
        let counts = counts(&claims);
        assert_eq!(counts.lines[0], ["003", "0 of 1", "1 of 1", "–", "1 of 1"]);
        assert_eq!(counts.lines.len(), 2);
        let head = headline(&claims);
        assert!(head.starts_with("Of 2 claims of print to which nothing was fitted, 1 match (50 %)"), "{head}");
        assert!(head.contains("and so do 1 of 1 values in them (100 %)"), "{head}");
        assert!(headline(&[]).starts_with("These scenarios hold no claim"), "{head}");
        assert!(head.contains("Where nothing was chosen either, 0 of 1 match (0 %)."), "{head}");
        assert!(head.ends_with(" at once, 1 of 1 match (100 %)."), "{head}");
        let reason = reason(&claims[0]);
        assert_eq!(
            reason,
            "- 003, it rises (free): 1 of 2 values differ; m, s: below 0 in print, 3 here, because of the weather\n"
        );
    }

    #[test]
    fn every_chosen_reading_is_counted_and_the_text_as_it_stands_beside_it() {
        let under = |claim: &str, reading: &str, evidence: &str, value: f64| {
            let mut one = comparison(claim, evidence, value, "Exact");
            one.published.reading = reading.into();
            one
        };
        let all = [
            under("one", "to the letter", "Free", 4.0),
            under("one", "as chosen", "Read", 3.0),
            under("two", "to the letter", "Free", 3.0),
            under("two", "as chosen", "Read", 3.0),
            under("three", "", "Read", 3.0),
        ];
        let head = headline(&claims(&all));
        assert!(head.contains(" at once, 3 of 3 match (100 %)."), "{head}");
        assert!(head.ends_with(" For 2 of these the text as it stands was run beside, by which 1 match."), "{head}");
    }

    #[test]
    fn a_reason_does_not_hide_that_chance_may_decide() {
        let mut one = comparison("it is 2", "Free", 2.0, "Points(0.5)");
        assert_eq!(cause(&one), "because of the weather");
        one.row.ci95 = Some(0.7);
        assert!(cause(&one).starts_with("because of the weather; the interval reaches as far as"), "{}", cause(&one));
    }
}
