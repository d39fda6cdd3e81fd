//! `index.html` of a reproduction: what came out of each paper, in a few sentences, then its tables and figures one by
//! one, ours beside what was printed.
//!
//! What is said first is short; verdicts are marks, and reasons, points and set-ups open on demand.

mod claims;
mod item;

use super::report::{REASONS_OF_THE_FULL_RUN, counts, headline, is_headline, out_of};
use crate::report::html::{self, Drawing};
use crate::reproduction::{Claim, ClaimCount, Covered, PAPERS, Paper, Reproduced, claims, coverage};
use crate::study::Evidence;
use gridloom_files::escaped;
use item::{Item, Seen};

/// The place of scenarios that name none of the known papers.
const UNKNOWN: Paper = Paper { id: "", authors: "", title: "Other scenarios", year: "", summary: "" };

/// A scenario that was run, and its drawings.
#[derive(Clone, Copy)]
struct Work<'a> {
    reproduced: &'a Reproduced,
    drawings: &'a [Drawing],
}

/// The page of all scenarios that were run, with the drawings of each.
pub(super) fn page(works: &[Reproduced], drawn: &[Vec<Drawing>], quick: bool) -> String {
    let works: Vec<Work<'_>> =
        works.iter().zip(drawn).map(|(reproduced, drawings)| Work { reproduced, drawings }).collect();
    let table = coverage();
    let all = claims(works.iter().flat_map(|work| &work.reproduced.comparisons));
    let mut page = html::head("Published and reproduced", include_str!("overview.css"), false);
    page.push_str(&format!("<header>\n<h1>Published and reproduced</h1>\n{}</header>\n<main>\n", opening(&all, quick)));
    let mut seen = Seen::default();
    for paper in PAPERS.iter().chain([&UNKNOWN]) {
        let covered: Vec<&Covered> = table.iter().filter(|covered| covered.paper == paper.id).collect();
        let items = items(paper, &covered, &works, &all, |claim| claim.evidence() != Evidence::Ours);
        if !covered.is_empty() || !items.is_empty() {
            let of_paper: Vec<&Claim<'_>> = all.iter().filter(|claim| group(claim.paper()) == paper.id).collect();
            page.push_str(&section(paper, &covered, &items, &of_paper, &works, &mut seen));
        }
    }
    page.push_str(&ours(&table, &works, &all, &mut seen));
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

/// The paper under which something stands that names this one.
fn group(paper: &str) -> &'static str {
    PAPERS.iter().find(|known| known.id == paper).map_or("", |known| known.id)
}

/// The top of the page: how much matches, by paper and evidence, what these words mean, and the switch that leaves only
/// the misses.
fn opening(all: &[Claim<'_>], quick: bool) -> String {
    let mut text = format!("<p class=\"says\">{}</p>\n", escaped(&headline(all)));
    if quick {
        text.push_str(&format!(
            "<p class=\"note\">This was a quick run: fewer replications, so wider intervals, and no sweeps that nothing \
             published is about. {REASONS_OF_THE_FULL_RUN}</p>\n",
        ));
    }
    let mut table = counts(all);
    for line in &mut table.lines {
        let paper = PAPERS.iter().find(|paper| paper.id == line[0]);
        table.links.push(paper.map_or(String::new(), |paper| format!("paper-{}", paper.id)));
        line[0] = paper.map_or(line[0].clone(), |paper| format!("{} {}", paper.id, paper.title));
    }
    text.push_str(&format!("<nav aria-label=\"Papers\">\n{}</nav>\n", table.html("counts")));
    text.push_str("<details>\n<summary>What the words mean</summary>\n<ul>\n");
    for evidence in Evidence::ALL {
        text.push_str(&format!("<li><b>{evidence}</b>: {}</li>\n", evidence.meaning()));
    }
    text + "</ul>\n<p>A claim is what one sentence or one cell of a table says; where it is about several values, it matches \
            if all of them do. An effect, one value less another, has to have the sign of print. ± is the half-width of the \
            95 % confidence interval. In the figures, published values are hollow markers.</p>\n</details>\n\
            <p><label><input type=\"checkbox\" id=\"only-misses\"> Show only what differs</label></p>\n"
}

/// The items of a paper: those of its table that a scenario reproduces, in its order, and then whatever else was
/// compared. Only claims that `is_meant` count.
fn items<'a>(
    paper: &Paper,
    covered: &[&'a Covered],
    works: &[Work<'a>],
    all: &'a [Claim<'a>],
    is_meant: impl Fn(&Claim<'_>) -> bool,
) -> Vec<Item<'a>> {
    let claims: Vec<&Claim<'_>> =
        all.iter().filter(|claim| group(claim.paper()) == paper.id && is_meant(claim)).collect();
    let named = covered.iter().map(|covered| covered.item.as_str());
    let mut names: Vec<&str> = Vec::new();
    for name in named.chain(claims.iter().map(|claim| claim.points[0].item.as_str())) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let item = |name: &'a str| {
        let claims = claims.iter().copied().filter(|claim| claim.points[0].item == name).collect();
        let note = covered.iter().find(|covered| covered.item == name).map_or("", |covered| covered.note.as_str());
        Item::new(name, note, claims, works)
    };
    names.into_iter().map(item).filter(|item| !item.claims.is_empty()).collect()
}

fn section(
    paper: &Paper,
    covered: &[&Covered],
    items: &[Item<'_>],
    of_paper: &[&Claim<'_>],
    works: &[Work<'_>],
    seen: &mut Seen,
) -> String {
    let mut text = format!("<section id=\"paper-{0}\">\n<h2>{0} {1}</h2>\n", paper.id, escaped(paper.title));
    let about: Vec<&str> = [paper.authors, paper.year].into_iter().filter(|part| !part.is_empty()).collect();
    if !about.is_empty() {
        text.push_str(&format!("<p class=\"note\">{}</p>\n", escaped(&about.join(", "))));
    }
    let count = ClaimCount::of(of_paper.iter().copied().filter(|claim| is_headline(claim)));
    let came = match count.all {
        0 => String::new(),
        _ => format!(" Of its claims that nothing was fitted to, {} match.", out_of(count)),
    };
    text.push_str(&format!("<p class=\"summary\">{}{came}</p>\n", escaped(paper.summary)));
    text.extend(items.iter().map(|item| item.article(seen)));
    // Scenarios of the paper that have nothing to compare are shown all the same.
    let of_paper = works.iter().filter(|work| group(work.reproduced.paper()) == paper.id);
    for work in of_paper.filter(|work| work.reproduced.comparisons.is_empty()) {
        text.push_str(&Item::new(work.reproduced.entry.name, "", Vec::new(), &[*work]).article(seen));
    }
    let rest: Vec<&&Covered> =
        covered.iter().filter(|covered| !items.iter().any(|item| item.name == covered.item)).collect();
    if !rest.is_empty() {
        text.push_str("<details class=\"rest\">\n<summary>What else the paper shows</summary>\n<dl>\n");
        for one in rest {
            let links: Vec<String> = one.scenarios.iter().map(|name| link(name, works)).collect();
            let links = if links.is_empty() { String::new() } else { format!(" ({})", links.join(", ")) };
            let (item, note) = (escaped(&one.item), escaped(&one.note));
            text.push_str(&format!("<div><dt>{item}</dt><dd>{note}{links}</dd></div>\n"));
        }
        text.push_str("</dl>\n</details>\n");
    }
    text + "</section>\n"
}

/// Checks that stand in no paper, in a place of their own.
fn ours(table: &[Covered], works: &[Work<'_>], all: &[Claim<'_>], seen: &mut Seen) -> String {
    let is_ours = |claim: &Claim<'_>| claim.evidence() == Evidence::Ours;
    let count = ClaimCount::of(all.iter().filter(|claim| is_ours(claim)));
    if count.all == 0 {
        return String::new();
    }
    let mut text = format!(
        "<section id=\"ours\">\n<h2>Checks of ours</h2>\n<p class=\"summary\">Values that no paper prints: independent \
         re-runs and worked examples that the methods are held against. {} match.</p>\n",
        out_of(count)
    );
    for paper in PAPERS.iter().chain([&UNKNOWN]) {
        let covered: Vec<&Covered> = table.iter().filter(|covered| covered.paper == paper.id).collect();
        text.extend(items(paper, &covered, works, all, is_ours).iter().map(|item| item.article(seen)));
    }
    text + "</section>\n"
}

/// The name of a scenario, as a link if it is on the page.
fn link(name: &str, works: &[Work<'_>]) -> String {
    match works.iter().any(|work| work.reproduced.entry.name == name) {
        true => format!("<a href=\"#{0}\">{0}</a>", escaped(name)),
        false => escaped(name),
    }
}
