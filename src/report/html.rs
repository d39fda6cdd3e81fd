//! `report.html`: one page that needs nothing but itself.

use super::ranking;
use super::schedule;
use super::table::{self, Table};
use super::text::escaped;
use super::{Artefacts, OutputError, ReportError};
use crate::study::{Outcome, Results, StudyAnswer};

/// Tables of more lines scroll by themselves.
const LONG_TABLE: usize = 60;

/// A figure as it is written and shown.
pub(super) struct Drawing {
    /// The name of its files, without extension.
    pub file: String,
    pub svg: String,
    pub png: Vec<u8>,
    pub pdf: Vec<u8>,
    pub caption: String,
}

impl Drawing {
    /// Adds its files under a name, one in each format.
    pub(crate) fn add_to(&self, artefacts: &mut Artefacts, name: &str) -> Result<(), OutputError> {
        artefacts.add(&format!("{name}.svg"), self.svg.as_str())?;
        artefacts.add(&format!("{name}.png"), self.png.as_slice())?;
        artefacts.add(&format!("{name}.pdf"), self.pdf.as_slice())
    }
}

/// The page of a run: the answer and what was asked, the ranking, the figures as inline SVG, the schedules, the tables,
/// and the scenario.
pub(super) fn page(outcome: &Outcome, drawings: &[Drawing]) -> Result<String, ReportError> {
    let results = &outcome.results;
    let name = escaped(&results.scenario);
    let scripted = !outcome.schedules.is_empty();
    // The figure of the answer is the first, and stands there only.
    let shown = outcome.answer.as_ref().and_then(|answer| answer.figure.as_ref());
    let (of_answer, others): (Vec<&Drawing>, Vec<&Drawing>) =
        drawings.iter().partition(|drawing| Some(&drawing.file) == shown);
    let figures: Vec<String> =
        of_answer.iter().chain(&others).enumerate().map(|(index, drawing)| figure(index + 1, drawing)).collect();
    let (of_answer, others) = figures.split_at(of_answer.len());
    let mut page = head(&results.scenario, if scripted { schedule::STYLE } else { "" }, scripted);
    page.push_str(&format!(
        "<header>\n<h1>{name}</h1>\n{}{}{}</header>\n<main>\n",
        outcome.answer.as_ref().map(|answer| answered(answer, &of_answer.concat())).unwrap_or_default(),
        paragraphs(&outcome.about),
        facts(results)
    ));
    page.extend(outcome.ranking.as_ref().map(ranking::section));
    if !others.is_empty() {
        page.push_str(&format!("<section>\n<h2>Figures</h2>\n{}</section>\n", others.concat()));
    }
    if scripted {
        page.push_str("<section>\n<h2>Schedules</h2>\n");
        for schedule in &outcome.schedules {
            page.push_str(&schedule::figure(schedule)?);
        }
        page.push_str("</section>\n");
    }
    if !results.rows.is_empty() {
        page.push_str(
            "<section>\n<h2>Results</h2>\n<p>Means with the half-width of their 95 % confidence interval over n \
             observations.</p>\n",
        );
        page.extend(table::tables(&results.rows).iter().map(section));
        page.push_str("</section>\n");
    }
    page.push_str(&format!(
        "<section>\n<h2>Scenario</h2>\n<pre tabindex=\"0\"><code>{}</code></pre>\n</section>\n</main>\n",
        escaped(&outcome.scenario)
    ));
    if scripted {
        page.push_str(&format!("<script type=\"module\">\n{}</script>\n", schedule::SCRIPT.join("\n")));
    }
    page.push_str("</body>\n</html>\n");
    Ok(page)
}

fn figure(number: usize, Drawing { svg, caption, .. }: &Drawing) -> String {
    let caption = escaped(caption);
    format!("<figure>\n{svg}<figcaption><b>Figure {number}.</b> {caption}</figcaption>\n</figure>\n")
}

/// The question, what the run says to it, the figure that shows it, and the rules under which that holds.
fn answered(answer: &StudyAnswer, figure: &str) -> String {
    let question = escaped(&answer.question);
    let sentences: String = answer.sentences.iter().map(|sentence| format!("<p>{}</p>\n", escaped(sentence))).collect();
    let mut text =
        format!("<section class=\"answer\">\n<h2>{question}</h2>\n<div class=\"says\">\n{sentences}</div>\n{figure}");
    if !answer.findings.is_empty() {
        let items: String = answer.findings.iter().map(|found| format!("<li>{}</li>\n", escaped(found))).collect();
        text.push_str(&format!("<h3>Crossovers</h3>\n<ul>\n{items}</ul>\n"));
    }
    if !answer.rules.is_empty() {
        let rule = |(name, choice): &(String, String)| {
            format!("<div><dt>{}</dt><dd>{}</dd></div>\n", escaped(name), escaped(choice))
        };
        let rules: String = answer.rules.iter().map(rule).collect();
        text.push_str(&format!("<h3>The rules under which this holds</h3>\n<dl>\n{rules}</dl>\n"));
    }
    text + "</section>\n"
}

/// Everything before the content of a page: its title, the style that all pages share, and the page's own.
pub(super) fn head(title: &str, style: &str, scripted: bool) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n\
         <style>\n{}{style}</style>\n</head>\n<body>\n",
        policy(scripted),
        escaped(title),
        include_str!("page/report.css"),
    )
}

/// The content security policy of the page: browsers load nothing at all, and run no script where the page has none.
fn policy(scripted: bool) -> String {
    let scripts = if scripted { " script-src 'unsafe-inline';" } else { "" };
    format!("default-src 'none'; style-src 'unsafe-inline';{scripts} base-uri 'none'; form-action 'none'")
}

/// Text whose paragraphs are parted by blank lines.
pub(super) fn paragraphs(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let filled = text.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty());
    filled.map(|paragraph| format!("<p>{}</p>\n", escaped(paragraph))).collect()
}

/// The facts that are needed to repeat the run.
pub(super) fn facts(results: &Results) -> String {
    let facts = [
        ("seed", results.seed.to_string()),
        ("replications", results.replications.to_string()),
        ("gridloom", results.version.clone()),
    ];
    let items: String =
        facts.iter().map(|(name, value)| format!("<div><dt>{name}</dt><dd>{}</dd></div>\n", escaped(value))).collect();
    format!("<dl>\n{items}</dl>\n")
}

fn section(table: &Table) -> String {
    let class = |numeric| if numeric { " class=\"number\"" } else { "" };
    let heading: String = table
        .columns
        .iter()
        .map(|column| format!("<th scope=\"col\"{}>{}</th>", class(column.numeric), escaped(&column.name)))
        .collect();
    // The tables of crossings may have hundreds of lines.
    let long = if table.lines.len() > LONG_TABLE { " long" } else { "" };
    let mut text = format!(
        "<h3>{}</h3>\n<div class=\"scroll{long}\" tabindex=\"0\">\n<table>\n<thead><tr>{heading}</tr></thead>\n<tbody>\n",
        escaped(&table.heading)
    );
    for line in &table.lines {
        let cells = line.iter().zip(&table.columns);
        let cells: String =
            cells.map(|(cell, column)| format!("<td{}>{}</td>", class(column.numeric), escaped(cell))).collect();
        text.push_str(&format!("<tr>{cells}</tr>\n"));
    }
    text.push_str("</tbody>\n</table>\n</div>\n");
    text.extend(table.notes().iter().map(|note| format!("<p class=\"note\">{}</p>\n", escaped(note))));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples;
    use crate::study::Schedule;

    fn sample() -> String {
        let outcome = Outcome {
            about: "First <script>.\n\nSecond.".into(),
            scenario: "Scenario(\"<script>\")".into(),
            results: Results { scenario: "<script>demo".into(), ..samples::small() },
            ..samples::outcome(Vec::new())
        };
        let (svg, caption) = ("<svg></svg>\n".into(), "<script>alert(1)</script>".into());
        let drawing = Drawing { file: "drawing".into(), svg, png: Vec::new(), pdf: Vec::new(), caption };
        page(&outcome, &[drawing]).unwrap()
    }

    fn with_schedule() -> String {
        let schedule = Schedule { nodes: vec!["<script>node".into()], ..Schedule::default() };
        page(&Outcome { schedules: vec![schedule], ..samples::outcome(Vec::new()) }, &[]).unwrap()
    }

    #[test]
    fn the_page_asks_for_nothing_from_outside() {
        for page in [sample(), with_schedule()] {
            for reference in ["http:", "https:", "src=", "href=", "url(", "@import", "<link", "<iframe"] {
                assert!(!page.contains(reference), "{reference}");
            }
            assert!(page.contains("default-src 'none'"), "and browsers are told so");
        }
    }

    #[test]
    fn scripts_run_only_where_there_is_a_schedule() {
        assert!(!sample().contains("script-src"));
        let page = with_schedule();
        // The data and the chart itself, whatever names are in the data.
        assert!(page.contains("script-src 'unsafe-inline'") && page.matches("<script").count() == 2);
    }

    #[test]
    fn the_answer_comes_first_with_its_figure_which_is_not_shown_again() {
        let drawing = |file: &str| Drawing {
            file: file.into(),
            svg: format!("<svg id=\"{file}\"></svg>\n"),
            png: Vec::new(),
            pdf: Vec::new(),
            caption: format!("Of {file}."),
        };
        let outcome = Outcome {
            answer: Some(samples::answer()),
            ranking: Some(samples::ranking()),
            ..samples::outcome(samples::crossing(1, 2, 2, 1))
        };
        let page = page(&outcome, &[drawing("other"), drawing("rules-success")]).unwrap();
        let order = [
            "<h1>demo</h1>",
            "<h2>Does &lt;script&gt; OPT pay?</h2>",
            "<p>Yes: OPT wins",
            "<svg id=\"rules-success\">",
            "<b>Figure 1.</b> Of rules-success.",
            "The rules under which this holds",
            "<dt>notice</dt><dd>120 minutes</dd>",
            "<p>About.</p>",
            "<dt>seed</dt>",
            "<h2>Ranks, with ties",
            "<h2>Figures</h2>",
            "<svg id=\"other\">",
            "<b>Figure 2.</b> Of other.",
            "<h2>Results</h2>",
        ];
        let places: Vec<usize> = order.iter().map(|part| page.find(part).unwrap_or_else(|| panic!("{part}"))).collect();
        assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "{places:?}");
        assert!(order.iter().all(|part| page.matches(part).count() == 1) && !page.contains("<script"));
    }

    #[test]
    fn names_and_texts_are_escaped() {
        let page = sample();
        assert!(!page.contains("<script"));
        // Title, heading, about, caption, scenario, and the line of the table whose series is called so.
        assert_eq!(page.matches("&lt;script&gt;").count(), 6);
        assert!(page.contains("<p>Second.</p>") && page.contains("Scenario(&quot;&lt;script&gt;&quot;)"));
    }

    #[test]
    fn the_page_fits_phones_and_the_dark() {
        let page = sample();
        assert!(page.contains("width=device-width") && page.contains("prefers-color-scheme: dark"));
    }
}
