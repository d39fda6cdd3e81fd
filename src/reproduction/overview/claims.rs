//! Claims as a list: one line each, with its mark, and more about it on demand.

use crate::report::number;
use crate::report::table::{Column, Table};
use crate::reproduction::report::{cause, published, said, short_verdict, subject};
use crate::reproduction::{Claim, ClaimCount, Comparison};
use crate::study::Evidence;
use gridloom_files::escaped;

/// So many claims that match are shown before the others are folded.
const SHOWN: usize = 6;

/// What the columns are; on a phone each value says it itself.
const HEAD: &str = "<div class=\"head\" aria-hidden=\"true\"><span>claim</span><span class=\"print\">print</span>\
    <span class=\"here\">here</span><span></span><span></span></div>\n";

/// The claims of one item: what differs first, then what matches, most of it folded if there is much.
pub(super) fn list(claims: &[&Claim<'_>]) -> String {
    let (matching, differing): (Vec<&Claim<'_>>, Vec<&Claim<'_>>) = claims.iter().partition(|claim| claim.is_match());
    let mut text: String = differing.iter().copied().map(line).collect();
    // One or two more are not worth a click.
    let shown = if matching.len() > SHOWN + 2 { SHOWN } else { matching.len() };
    let (shown, folded) = matching.split_at(shown);
    text.extend(shown.iter().copied().map(line));
    if !folded.is_empty() {
        let lines: String = folded.iter().copied().map(line).collect();
        text.push_str(&format!(
            "<details class=\"wall\">\n<summary>{} more, all of which match</summary>\n{lines}</details>\n",
            folded.len()
        ));
    }
    format!("<div class=\"claims\">\n{HEAD}{text}</div>\n")
}

/// A mark for every claim, for those who only look.
pub(super) fn marks(claims: &[&Claim<'_>]) -> String {
    let count = ClaimCount::of(claims.iter().copied());
    let marks: String = claims.iter().map(|claim| mark(claim.is_match())).collect();
    let words = if count.all == 1 { "claim" } else { "claims" };
    format!(
        "<span class=\"marks\" role=\"img\" aria-label=\"{} of {} {words} match\">{marks}</span>",
        count.matching, count.all
    )
}

fn mark(is_match: bool) -> &'static str {
    if is_match { "<i class=\"yes\">✓</i>" } else { "<i class=\"no\">✗</i>" }
}

fn class(is_match: bool) -> &'static str {
    if is_match { "match" } else { "differs" }
}

/// One claim: its words, print and ours, the evidence, the mark; inside, how it was compared and why it differs.
fn line(claim: &Claim<'_>) -> String {
    let judged = claim.judged();
    let first = judged[0];
    let count = judged.iter().filter(|point| point.is_match()).count();
    let joined =
        |text: &dyn Fn(&Comparison) -> String| judged.iter().map(|&point| text(point)).collect::<Vec<_>>().join(", ");
    let (print, here) = match judged.len() {
        1 => (published(first), number::estimate(first.row.mean, first.row.ci95)),
        2 | 3 if claim.numbers().all > 0 => {
            (joined(&published), joined(&|point| number::significant(point.row.mean, 4)))
        }
        all => (format!("{all} values"), format!("{count} match")),
    };
    let evidence = match claim.evidence() {
        // Ours stand apart from all others, and need no word.
        Evidence::Ours => String::new(),
        evidence => evidence.to_string(),
    };
    let says = if claim.is_match() { "matches" } else { "differs" };
    format!(
        "<details class=\"claim {}\">\n<summary><span class=\"words\">{}</span><span class=\"print\">{}</span>\
         <span class=\"here\">{}</span><span class=\"evidence\">{evidence}</span><span class=\"verdict\" title=\"{says}\">{}\
         <span class=\"spoken\">{says}</span></span></summary>\n{}</details>\n",
        class(claim.is_match()),
        escaped(&said(claim)),
        escaped(&print),
        escaped(&here),
        mark(claim.is_match()),
        inside(claim),
    )
}

fn inside(claim: &Claim<'_>) -> String {
    let mut reasons: Vec<String> = Vec::new();
    for point in claim.judged().into_iter().filter(|point| !point.is_match()) {
        let reason = cause(point);
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    let text: String =
        reasons.iter().map(|reason| format!("<p class=\"because\">It differs, {}.</p>\n", escaped(reason))).collect();
    let named = ["value", "matches if", "verdict"].map(Column::text);
    let numbers = ["print", "here ± 95 %", "n"].map(Column::number);
    let columns = [&named[..1], &numbers, &named[1..]].concat();
    // Which run a value is of, where there are several.
    let first = claim.points[0];
    let place = |one: &Comparison| (one.scenario.clone(), one.row.experiment.clone());
    let several = claim.points.iter().any(|one| place(one) != place(first));
    let readings = claim.points.iter().any(|one| one.published.reading != first.published.reading);
    let line = |one: &&Comparison| {
        let run = if several { format!("{}, {}: ", one.scenario, one.row.experiment) } else { String::new() };
        let reading = if readings { format!("{}: ", one.published.reading) } else { String::new() };
        let ours = number::estimate(one.row.mean, one.row.ci95);
        let tolerance = one.published.tolerance.to_string();
        let value = format!("{reading}{run}{}", subject(one));
        vec![value, published(one), ours, one.row.n.to_string(), tolerance, short_verdict(one).to_string()]
    };
    text + &Table::new("", columns, claim.points.iter().map(line).collect()).html("points")
}
