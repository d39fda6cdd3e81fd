//! `index.html` of a reproduction: per paper, its tables and figures, ours beside the published values.

use super::html::{self, Drawing};
use super::number;
use super::reproduction::{cause, headline, published, short_verdict, subject};
use super::text::escaped;
use crate::reproduction::{
    ClaimCount, Comparison, Covered, PAPERS, Paper, Paragraph, Reproduced, claims, coverage, header,
};

/// The place of scenarios that name none of the known papers.
const UNKNOWN: Paper = Paper { id: "", authors: "", title: "Other scenarios", year: "" };

/// The page of all scenarios that were run, with the drawings of each.
pub(super) fn page(works: &[Reproduced], drawn: &[Vec<Drawing>], quick: bool) -> String {
    let table = coverage();
    let mut page = html::head("Published and reproduced", include_str!("page/overview.css"), false);
    page.push_str(&format!(
        "<header>\n<h1>Published and reproduced</h1>\n{}</header>\n<main>\n",
        opening(works, quick)
    ));
    for paper in PAPERS.iter().chain([&UNKNOWN]) {
        let of_paper: Vec<(&Reproduced, &Vec<Drawing>)> =
            works.iter().zip(drawn).filter(|(work, _)| group(work) == paper.id).collect();
        let covered: Vec<&Covered> = table.iter().filter(|covered| covered.paper == paper.id).collect();
        if of_paper.is_empty() && covered.is_empty() {
            continue;
        }
        page.push_str(&section(paper, &covered, &of_paper, works));
    }
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

/// The paper under which a scenario stands.
fn group(work: &Reproduced) -> &'static str {
    PAPERS.iter().find(|paper| paper.id == work.paper()).map_or("", |paper| paper.id)
}

/// The top of the page: what it is, the counts, the ways into it, and the switch that leaves only the misses.
fn opening(works: &[Reproduced], quick: bool) -> String {
    let claims = claims(works.iter().flat_map(|work| &work.comparisons));
    let mut text = format!("<p><b>{}</b></p>\n", escaped(&headline(&claims)));
    if quick {
        text.push_str(
            "<p class=\"note\">This was a quick run: fewer replications, so wider intervals, and no sweeps that nothing \
             published is about.</p>\n",
        );
    }
    text.push_str(
        "<nav aria-label=\"Papers\">\n<div class=\"scroll\" tabindex=\"0\">\n<table>\n<thead><tr>\
         <th scope=\"col\">paper</th><th scope=\"col\" class=\"number\">values</th>\
         <th scope=\"col\" class=\"number\">match</th><th scope=\"col\" class=\"number\">differs</th></tr></thead>\n<tbody>\n",
    );
    for paper in PAPERS.iter().chain([&UNKNOWN]) {
        let of_paper = works.iter().filter(|work| group(work) == paper.id);
        let of_paper = crate::reproduction::claims(of_paper.flat_map(|work| &work.comparisons));
        let ClaimCount { matching, all } = ClaimCount::of(&of_paper);
        if all == 0 && paper.id.is_empty() {
            continue;
        }
        // Nothing to compare is not the same as none that match.
        let number = |n: usize| if all == 0 { "–".to_string() } else { n.to_string() };
        let cell = |n: usize| format!("<td class=\"number\">{}</td>", number(n));
        let cells = [all, matching, all - matching].map(cell).concat();
        text.push_str(&format!(
            "<tr><td><a href=\"#paper-{0}\">{0} {1}</a></td>{cells}</tr>\n",
            paper.id,
            escaped(paper.title)
        ));
    }
    text.push_str("</tbody>\n</table>\n</div>\n</nav>\n");
    text + "<p><label><input type=\"checkbox\" id=\"only-misses\"> Show only values that differ</label></p>\n\
            <p class=\"note\">In the tables, \u{201c}direction only\u{201d} means that the sign is compared and not the size; ± is the \
            half-width of the 95 % confidence interval over n observations. In the figures, published values are hollow markers.</p>\n"
}

fn section(
    paper: &Paper,
    covered: &[&Covered],
    of_paper: &[(&Reproduced, &Vec<Drawing>)],
    all: &[Reproduced],
) -> String {
    let mut text = format!("<section id=\"paper-{0}\">\n<h2>{0} {1}</h2>\n", paper.id, escaped(paper.title));
    let about: Vec<&str> = [paper.authors, paper.year].into_iter().filter(|part| !part.is_empty()).collect();
    if !about.is_empty() {
        text.push_str(&format!("<p class=\"note\">{}</p>\n", escaped(&about.join(", "))));
    }
    if !covered.is_empty() {
        text.push_str(
            "<div class=\"scroll\" tabindex=\"0\">\n<table class=\"coverage\">\n<thead><tr><th scope=\"col\">item</th>\
             <th scope=\"col\">scenario</th><th scope=\"col\">what it shows, and what became of it</th></tr></thead>\n<tbody>\n",
        );
        for one in covered {
            let links: Vec<String> = one.scenarios.iter().map(|name| link(name, all)).collect();
            let links = if links.is_empty() { "none".to_string() } else { links.join(", ") };
            let (item, note) = (escaped(&one.item), escaped(&one.note));
            text.push_str(&format!("<tr><td>{item}</td><td>{links}</td><td>{note}</td></tr>\n"));
        }
        text.push_str("</tbody>\n</table>\n</div>\n");
    }
    for (work, drawings) in of_paper {
        text.push_str(&article(work, drawings, covered));
    }
    text + "</section>\n"
}

/// The name of a scenario, as a link if it is on the page.
fn link(name: &str, works: &[Reproduced]) -> String {
    match works.iter().any(|work| work.entry.name == name) {
        true => format!("<a href=\"#{0}\">{0}</a>", escaped(name)),
        false => escaped(name),
    }
}

/// One scenario: what it asks, its comparisons item by item, its figures, and what was set up and free.
fn article(work: &Reproduced, drawings: &[Drawing], covered: &[&Covered]) -> String {
    let name = escaped(work.entry.name);
    let paragraphs = header(work.entry.text);
    let mut text = format!(
        "<article id=\"{name}\">\n<h3>{name}</h3>\n{}{}<p>Scenario: <a href=\"{name}.ron\">{name}.ron</a>. \
         All its numbers: <a href=\"{name}.html\">its report</a>.</p>\n",
        html::paragraphs(&work.outcome.about),
        html::facts(&work.outcome.results),
    );
    let is_free = |paragraph: &&Paragraph| paragraph.label.starts_with("Free");
    text.extend(paragraphs.iter().filter(is_free).map(labelled));
    // In the order of the paper, and then whatever its table does not name.
    let named = covered.iter().map(|covered| covered.item.as_str());
    let compared = work.comparisons.iter().map(|one| one.item.as_str());
    let mut items: Vec<&str> = Vec::new();
    for item in named.chain(compared) {
        if !items.contains(&item) && work.comparisons.iter().any(|one| one.item == item) {
            items.push(item);
        }
    }
    for item in items {
        let of_item: Vec<&Comparison> = work.comparisons.iter().filter(|one| one.item == item).collect();
        text.push_str(&comparison_table(item, &of_item));
    }
    let lost = work.scenario.published.len() - work.comparisons.len();
    if lost > 0 {
        text.push_str(&format!("<p class=\"note\">{lost} published values found no row to compare with.</p>\n"));
    }
    text.push_str("<div class=\"figures\">\n");
    for Drawing { svg, caption, .. } in drawings {
        text.push_str(&format!("<figure>\n{svg}<figcaption>{}</figcaption>\n</figure>\n", escaped(caption)));
    }
    text.push_str("</div>\n<details>\n<summary>Question, set-up and what to expect</summary>\n");
    text.extend(paragraphs.iter().filter(|paragraph| !is_free(paragraph)).map(labelled));
    text + "</details>\n</article>\n"
}

fn labelled(paragraph: &Paragraph) -> String {
    match paragraph.label.as_str() {
        "" => format!("<p>{}</p>\n", escaped(&paragraph.text)),
        label => format!("<p><b>{}:</b> {}</p>\n", escaped(label), escaped(&paragraph.text)),
    }
}

fn comparison_table(item: &str, comparisons: &[&Comparison]) -> String {
    let ClaimCount { matching, all } = ClaimCount::of(&claims(comparisons.iter().copied()));
    let mut text = format!(
        "<div class=\"item\">\n<h4>{} <span class=\"note\">{matching} of {all} match</span></h4>\n\
         <div class=\"scroll\" tabindex=\"0\">\n<table>\n<thead><tr>",
        escaped(item)
    );
    for (name, numeric) in [
        ("value", false),
        ("published", true),
        ("ours ± 95 %", true),
        ("n", true),
        ("tolerance", false),
        ("verdict", false),
    ] {
        let class = if numeric { " class=\"number\"" } else { "" };
        text.push_str(&format!("<th scope=\"col\"{class}>{name}</th>"));
    }
    text.push_str("</tr></thead>\n<tbody>\n");
    // Groups of rows of one experiment, where an item has several.
    let several = comparisons.iter().any(|one| one.row.experiment != comparisons[0].row.experiment);
    for one in comparisons {
        let class = if one.is_match() { "match" } else { "differs" };
        let group = if several { format!("{}: ", escaped(&one.row.experiment)) } else { String::new() };
        let because = if one.is_match() { String::new() } else { format!(", {}", escaped(&cause(one))) };
        text.push_str(&format!(
            "<tr class=\"{class}\"><td>{group}{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td>\
             <td class=\"number\">{}</td><td>{}</td><td><b>{}</b>{because}</td></tr>\n",
            escaped(&subject(one)),
            published(one),
            number::estimate(one.row.mean, one.row.ci95),
            one.row.n,
            escaped(&one.published.tolerance.to_string()),
            escaped(short_verdict(one)),
        ));
    }
    text + "</tbody>\n</table>\n</div>\n</div>\n"
}
