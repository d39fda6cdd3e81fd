//! `report.html`: one page that needs nothing but itself.

use super::contents::{PagePart, contents};
use super::excerpt::{grouped, shortened};
use super::gallery::{self, FigureNumbers, Gallery};
use super::ranking;
use super::schedule;
use super::summary;
use super::table::{details, folded};
use super::tables::tables;
use super::{Artefacts, OutputError};
use crate::{Outcome, Results, StudyAnswer};
use gridloom_files::escaped;

/// The looks of the page besides those that all pages share.
const STYLE: &str = include_str!("page/layout.css");

/// The scripts of the page: their files share one scope.
const SCRIPT: [&str; 4] = [
    include_str!("page/element.js"),
    include_str!("page/contents.js"),
    include_str!("page/switch.js"),
    include_str!("page/figures.js"),
];

/// A figure as it is written and shown.
pub struct Drawing {
    /// The name of its files, without extension.
    pub file: String,
    pub title: String,
    /// For the page, and for a file if `has_svg`.
    pub svg: String,
    pub has_svg: bool,
    pub png: Option<Vec<u8>>,
    pub pdf: Option<Vec<u8>>,
    pub caption: String,
    /// Its height as a part of its width.
    pub shape: f64,
    /// The values that answer the pointer, as JSON for the page; empty for none.
    pub spots: String,
}

impl Drawing {
    /// Adds its files under a name, one in each format.
    pub fn add_to(&self, artefacts: &mut Artefacts, name: &str) -> Result<(), OutputError> {
        if self.has_svg {
            artefacts.add(&format!("{name}.svg"), self.svg.as_str())?;
        }
        for (format, bytes) in [("png", &self.png), ("pdf", &self.pdf)] {
            if let Some(bytes) = bytes {
                artefacts.add(&format!("{name}.{format}"), bytes.as_slice())?;
            }
        }
        Ok(())
    }
}

/// The page of a run: the question and its answer, what the scenario is about, the ranking, the figures of sweeps and of
/// the base point, what happens over time, and, folded, the tables and the scenario. `schedules` are the figures of the
/// outcome's schedules.
pub fn page(outcome: &Outcome, drawings: &[Drawing], schedules: String) -> String {
    let results = &outcome.results;
    let gallery = Gallery::of(outcome, drawings);
    let mut numbers = FigureNumbers::default();
    let mut parts: Vec<PagePart> = Vec::new();
    let about = outcome.about.replace("\r\n", "\n");
    let (question, rest) = about.trim().split_once("\n\n").unwrap_or((about.trim(), ""));
    let (answer, about) = match &outcome.answer {
        Some(answer) => (answered(answer, &numbers.grid(&gallery.answer)), about.as_str()),
        None if question.is_empty() => (String::new(), rest),
        None => (format!("<h2>{}</h2>\n", escaped(question)), rest),
    };
    let first = summary::first_table(outcome).map(|table| table.html("pivot")).unwrap_or_default();
    let answer = answer + &first;
    if !answer.is_empty() {
        parts.push(PagePart { heading: None, ..PagePart::new("answer", "Answer", answer) });
    }
    if !about.trim().is_empty() {
        parts.push(PagePart::new("about", "About", paragraphs(about)));
    }
    if let Some(ranking) = &outcome.ranking {
        let part = PagePart::new("ranking", "Ranking", ranking::table(ranking).html("ranking"));
        parts.push(PagePart { heading: Some(ranking::HEADING.into()), ..part });
    }
    for (id, title, drawings) in [("sweeps", "Sweeps", &gallery.sweeps), ("figures", "Figures", &gallery.base)] {
        if !drawings.is_empty() {
            let part = PagePart::new(id, title, numbers.grid(drawings));
            parts.push(PagePart { entries: gallery::entries(drawings), ..part });
        }
    }
    parts.extend(over_time(outcome, &gallery, &mut numbers, schedules));
    if !results.rows.is_empty() {
        parts.push(PagePart::new("tables", "Tables", all_tables(results)));
    }
    // Results that are compared have scenarios of their own.
    if !outcome.scenario.is_empty() {
        parts.push(PagePart::new("scenario", "Scenario", scenario(&outcome.scenario)));
    }
    parts.push(PagePart::new("facts", "Facts", facts(results) + &notes(&outcome.notes)));

    let has_schedule = !outcome.schedules.is_empty();
    let style = [STYLE, if has_schedule { schedule::STYLE } else { "" }].concat();
    let mut page = head(&results.scenario, &style, true);
    page.push_str(&contents(&parts));
    let partial = results.missing.as_ref().map_or(String::new(), |missing| {
        format!("<p class=\"partial\"><strong>{}</strong></p>\n", escaped(&summary::partial(missing)))
    });
    page.push_str(&format!("<main>\n{partial}<h1>{}</h1>\n", escaped(&results.scenario)));
    page.reserve(parts.iter().map(|part| part.body.len() + 1024).sum());
    parts.iter().for_each(|part| part.add_to(&mut page));
    let scripts = SCRIPT.iter().chain(schedule::SCRIPT.iter().filter(|_| has_schedule));
    let scripts: Vec<&str> = scripts.copied().collect();
    page.push_str(&format!("</main>\n<script type=\"module\">\n{}</script>\n</body>\n</html>\n", scripts.join("\n")));
    page
}

/// The question, what the run says to it, the figure that shows it, and the rules under which that holds.
fn answered(answer: &StudyAnswer, figure: &str) -> String {
    let question = escaped(&answer.question);
    let sentences: String = answer.sentences.iter().map(|sentence| format!("<p>{}</p>\n", escaped(sentence))).collect();
    let mut text = format!("<h2>{question}</h2>\n<div class=\"says\">\n{sentences}</div>\n{figure}");
    if !answer.findings.is_empty() {
        let items: String = answer.findings.iter().map(|found| format!("<li>{}</li>\n", escaped(found))).collect();
        text.push_str(&format!("<h3>In detail</h3>\n<ul>\n{items}</ul>\n"));
    }
    if !answer.rules.is_empty() {
        let rule = |(name, choice): &(String, String)| {
            format!("<div><dt>{}</dt><dd>{}</dd></div>\n", escaped(name), escaped(choice))
        };
        let rules: String = answer.rules.iter().map(rule).collect();
        text.push_str(&format!("<h3>The rules under which this holds</h3>\n<dl>\n{rules}</dl>\n"));
    }
    text
}

/// All rows, folded.
fn all_tables(results: &Results) -> String {
    let says =
        "<p>Means with the half-width of their 95 % confidence interval; <code>results.csv</code> has every row.</p>\n";
    says.to_string() + &folded(&tables(&results.rows))
}

/// Schedules and other things over time, each with a switch where there is one for each policy.
fn over_time(
    outcome: &Outcome,
    gallery: &Gallery<'_>,
    numbers: &mut FigureNumbers,
    schedules: String,
) -> Option<PagePart> {
    let mut body = String::new();
    if !gallery.gantts.is_empty() {
        body.push_str(&numbers.grid(&gallery.gantts));
    }
    // One that is alone need not be copied.
    body = if body.is_empty() { schedules } else { body + &schedules };
    let is_drawn = !outcome.schedules.is_empty() || !gallery.gantts.is_empty();
    let title = if is_drawn { "Schedules" } else { "Over time" };
    let mut entries = gallery::entries(&gallery.gantts);
    entries.extend(outcome.schedules.first().map(|_| ("nodes".to_string(), "Node by node".to_string())));
    for (index, group) in gallery.switched.iter().enumerate() {
        let id = format!("shares-{index}");
        body.push_str(&numbers.switch(&id, group));
        entries.push((id, "Use over time".to_string()));
    }
    (!body.is_empty()).then(|| PagePart { entries, ..PagePart::new("schedules", title, body) })
}

/// The scenario, folded; of long lists the beginning.
fn scenario(text: &str) -> String {
    let lines = grouped(text.lines().count());
    let shown = format!("<pre tabindex=\"0\"><code>{}</code></pre>\n", escaped(&shortened(text)));
    details(&format!("scenario.ron, {lines} lines, with which the run can be repeated"), &shown)
}

/// The notes on the run, such as on the log that it read.
fn notes(notes: &[String]) -> String {
    let items: String = notes.iter().map(|note| format!("<li>{}</li>\n", escaped(note))).collect();
    if items.is_empty() { items } else { format!("<ul class=\"note\">\n{items}</ul>\n") }
}

/// Everything before the content of a page: its title, the style that all pages share, and the page's own.
pub fn head(title: &str, style: &str, scripted: bool) -> String {
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
pub fn paragraphs(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let filled = text.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty());
    filled.map(|paragraph| format!("<p>{}</p>\n", escaped(paragraph))).collect()
}

/// The facts that are needed to repeat the run.
pub fn facts(results: &Results) -> String {
    let facts = [
        ("seed", results.seed.to_string()),
        ("replications", results.replications.to_string()),
        ("gridloom", results.version.clone()),
    ];
    let items: String =
        facts.iter().map(|(name, value)| format!("<div><dt>{name}</dt><dd>{}</dd></div>\n", escaped(value))).collect();
    format!("<dl>\n{items}</dl>\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use crate::{FigureKind, Schedule};

    fn page(outcome: &Outcome, drawings: &[Drawing]) -> String {
        super::page(outcome, drawings, schedule::figures(&outcome.schedules).unwrap())
    }

    fn sample() -> String {
        let outcome = Outcome {
            about: "First <script>.\n\nSecond.".into(),
            scenario: "Scenario(\"<script>\")".into(),
            results: Results { scenario: "<script>demo".into(), ..samples::small() },
            ..samples::outcome(Vec::new())
        };
        let caption = "<script>alert(1)</script>".into();
        page(&outcome, &[Drawing { svg: "<svg></svg>\n".into(), caption, ..samples::drawing("drawing") }])
    }

    fn with_schedule() -> String {
        let schedule = Schedule { nodes: vec!["<script>node".into()], ..Schedule::default() };
        page(&Outcome { schedules: vec![schedule], ..samples::outcome(Vec::new()) }, &[])
    }

    /// The page without the scripts of its own.
    fn without_scripts(page: &str) -> String {
        let (before, rest) = page.split_once("<script type=\"module\">").unwrap();
        let (_, after) = rest.split_once("</script>").unwrap();
        [before, after].concat()
    }

    #[test]
    fn the_page_asks_for_nothing_from_outside() {
        for page in [sample(), with_schedule()] {
            for reference in ["http:", "https:", "src=", "url(", "@import", "<link", "<iframe", "fetch(", "XMLHttp"] {
                assert!(!page.contains(reference), "{reference}");
            }
            assert!(page.contains("default-src 'none'"), "and browsers are told so");
            // Links lead to places of the page itself, and all of these are there.
            let links = page.split("href=").skip(1);
            assert!(links.clone().count() > 3);
            for link in links {
                let place =
                    link.strip_prefix("\"#").and_then(|rest| rest.split('"').next()).expect("a place of the page");
                assert_eq!(page.matches(&format!(" id=\"{place}\"")).count(), 1, "{place}");
            }
        }
    }

    #[test]
    fn the_page_has_one_script_of_its_own_and_the_data_of_its_schedules() {
        for (page, scripts) in [(sample(), 1), (with_schedule(), 2)] {
            // Whatever names are in the data.
            assert!(page.contains("script-src 'unsafe-inline'") && page.matches("<script").count() == scripts);
            assert_eq!(page.matches("</script").count(), scripts);
        }
    }

    #[test]
    fn the_answer_comes_first_with_its_figure_which_is_not_shown_again() {
        let outcome = Outcome {
            answer: Some(samples::answer()),
            ranking: Some(samples::ranking()),
            ..samples::outcome(samples::crossing(1, 2, 2, 1))
        };
        let page = page(&outcome, &[samples::drawing("other"), samples::drawing("rules-success")]);
        let order = [
            "<a href=\"#answer\">Answer</a>",
            "<h1>demo</h1>",
            "<h2>Does &lt;script&gt; OPT pay?</h2>",
            "<p>Yes: OPT wins",
            "<svg id=\"rules-success\">",
            "<b>Figure 1.</b> Of rules-success.",
            "The rules under which this holds",
            "<dt>notice</dt><dd>120 minutes</dd>",
            "<p>About.</p>",
            "<h2>Ranks, with ties",
            "<h2>Figures</h2>",
            "<svg id=\"other\">",
            "<b>Figure 2.</b> Of other.",
            "<h2>Tables</h2>",
            "<h2>Scenario</h2>",
            "<dt>seed</dt>",
        ];
        let places: Vec<usize> = order.iter().map(|part| page.find(part).unwrap_or_else(|| panic!("{part}"))).collect();
        assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "{places:?}");
        assert!(order.iter().all(|part| page.matches(part).count() == 1));
        assert!(!without_scripts(&page).contains("<script"));
    }

    #[test]
    fn without_an_answer_the_question_is_the_first_paragraph_and_the_comparison_answers_it() {
        let about = "Which is better?\n\nA long story.".into();
        let page = page(&Outcome { about, ..samples::outcome(samples::comparison()) }, &[]);
        let order =
            ["<h2>Which is better?</h2>", "<td>cost</td><td class=\"number\">307.1 ± 4.2</td>", "<p>A long story.</p>"];
        let places: Vec<usize> = order.iter().map(|part| page.find(part).unwrap_or_else(|| panic!("{part}"))).collect();
        assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "{places:?}");
    }

    #[test]
    fn figures_of_sweeps_come_before_those_of_the_base_point_and_those_of_policies_share_a_switch() {
        let figure = |file: &str, experiment: &str, kind| crate::Figure {
            file: file.into(),
            experiment: experiment.into(),
            ..samples::figure(kind)
        };
        let figures = vec![
            figure("shares-a", "shares, a", FigureKind::Stacked),
            figure("shares-b", "shares, b", FigureKind::Stacked),
            figure("base", "whole", FigureKind::Bars),
            figure("load-wait", "load", FigureKind::Lines),
        ];
        let drawings: Vec<Drawing> = figures.iter().map(|figure| samples::drawing(&figure.file)).collect();
        let page = page(&Outcome { figures, ..samples::outcome(Vec::new()) }, &drawings);
        let order = [
            "<section id=\"sweeps\">",
            "<figure id=\"figure-load-wait\">",
            "<section id=\"figures\">",
            "<figure id=\"figure-base\">",
            "<section id=\"schedules\">",
            "<div class=\"switch\" id=\"shares-0\">\n<figure id=\"figure-shares-a\" data-name=\"a\">",
            "<figure id=\"figure-shares-b\" data-name=\"b\">",
        ];
        let places: Vec<usize> = order.iter().map(|part| page.find(part).unwrap_or_else(|| panic!("{part}"))).collect();
        assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "{places:?}");
    }

    #[test]
    fn tables_and_the_scenario_are_folded_and_long_lists_are_cut() {
        let jobs: String = (0..5_000).map(|k| format!("    (job: {k}),\n")).collect();
        let scenario = format!("Scenario(jobs: [\n{jobs}])\n");
        let notes = vec!["log.swf: 5,000 <jobs>".into()];
        let page = page(&Outcome { scenario, notes, ..samples::outcome(samples::sweep(2, 30)) }, &[]);
        assert!(page.contains("<li>log.swf: 5,000 &lt;jobs&gt;</li>"), "a log is named");
        assert!(page.contains("(job: 2),\n    ... 4,997 more, in scenario.ron\n]"));
        assert!(!page.contains("(job: 3)") && !page.contains("<details open"));
        let (before, after) = page.split_once("<section id=\"tables\">").unwrap();
        assert!(!before.contains("<table") && after.matches("<details>").count() == 2);
    }

    #[test]
    fn names_and_texts_are_escaped() {
        let page = without_scripts(&sample());
        assert!(!page.contains("<script"));
        // Title, heading, question, caption, scenario, and the column of the table whose series is called so.
        assert_eq!(page.matches("&lt;script&gt;").count(), 6);
        assert!(page.contains("<p>Second.</p>") && page.contains("Scenario(&quot;&lt;script&gt;&quot;)"));
    }

    #[test]
    fn the_page_fits_phones_and_the_dark() {
        let page = sample();
        assert!(page.contains("width=device-width") && page.contains("prefers-color-scheme: dark"));
    }
}
