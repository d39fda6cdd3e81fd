//! The reference as one page that needs nothing but itself and filters as one types.

use super::{Chapter, KindMetrics, Reference, ReferenceEntry, ReferenceSection, metric_facts};
use crate::report::html::head;
use gridloom_files::escaped;

/// The page.
pub fn page(reference: &Reference) -> String {
    let entries = reference.entries().count() + reference.metrics.iter().map(|of| of.metrics.len()).sum::<usize>();
    let mut page = head("gridloom reference", include_str!("reference.css"), true);
    page.push_str(&format!(
        "<header>\n<h1>gridloom reference</h1>\n<p>Everything that can be written in a scenario and measured by a run, \
         as gridloom {} declares it. <code>gridloom describe PATH</code> prints the same on a terminal. Times are in \
         the scenario's unit of time: <code>time_unit</code> names it in a <code>Grid</code>.</p>\n</header>\n\
         <div class=\"find\" role=\"search\">\n<label for=\"find\">Search</label>\n\
         <input id=\"find\" type=\"search\" autocomplete=\"off\" spellcheck=\"false\" \
         placeholder=\"{entries} entries\">\n\
         <output id=\"found\" for=\"find\"></output>\n</div>\n",
        env!("CARGO_PKG_VERSION"),
    ));
    page.push_str(&contents(reference));
    page.push_str("<main>\n");
    for chapter in Chapter::ALL {
        page.push_str(&format!("<h2 class=\"chapter\">{}</h2>\n", chapter.title()));
        let sections = reference.sections.iter().filter(|section| section.chapter == chapter);
        page.extend(sections.map(|section| of_section(section, reference)));
    }
    page.push_str("<h2 class=\"chapter\">Metrics</h2>\n");
    page.extend(reference.metrics.iter().map(of_metrics));
    page.push_str(&format!(
        "</main>\n<script type=\"module\">\n{}</script>\n</body>\n</html>\n",
        include_str!("reference.js")
    ));
    page
}

/// Links to the sections, but for those that follow the one they are part of.
fn contents(reference: &Reference) -> String {
    let links = |sections: Vec<(String, String)>| -> String {
        sections.iter().map(|(id, name)| format!("<a href=\"#{id}\">{}</a>\n", escaped(name))).collect()
    };
    let group = |title: &str, sections: Vec<(String, String)>| {
        format!("<div><h3>{title}</h3>\n<p>\n{}</p></div>\n", links(sections))
    };
    let of_chapter = |chapter: Chapter| {
        // The parts of a part follow it, and need no link of their own.
        let is_listed = |section: &&ReferenceSection| section.chapter == chapter && !section.path.contains('.');
        let sections = reference.sections.iter().filter(is_listed);
        let name = |section: &ReferenceSection| (id(&section.path), section.path.clone());
        group(chapter.title(), sections.map(name).collect())
    };
    let metrics = reference.metrics.iter().map(|of| (metrics_id(of), of.of.clone())).collect();
    let chapters: String = Chapter::ALL.into_iter().map(of_chapter).collect();
    format!("<nav aria-label=\"Contents\">\n{chapters}{}</nav>\n", group("Metrics", metrics))
}

fn of_section(section: &ReferenceSection, reference: &Reference) -> String {
    let mut text = format!(
        "<section class=\"type\" id=\"{}\">\n<h3>{}</h3>\n{}",
        id(&section.path),
        escaped(&section.path),
        paragraphs(&section.declared.doc)
    );
    if let Some(variant) = section.declared.number {
        text.push_str(&format!("<p class=\"quiet\">A bare number stands for <code>{variant}</code>.</p>\n"));
    }
    if section.uses.len() > 1 {
        let links: Vec<String> = section.uses.iter().map(|path| link(path, path)).collect();
        text.push_str(&format!("<p class=\"quiet\">Written for {}</p>\n", links.join(", ")));
    }
    text.extend(section.entries.iter().map(|entry| of_entry(entry, reference)));
    text + "</section>\n"
}

fn of_entry(entry: &ReferenceEntry, reference: &Reference) -> String {
    let mut facts: String = entry
        .facts
        .iter()
        .map(|(name, fact)| format!("<div><dt>{name}</dt><dd>{}</dd></div>\n", inline(fact)))
        .collect();
    let of_types = reference.sections.iter().filter(|section| entry.types.contains(&section.declared.name));
    let links: Vec<String> = of_types.map(|section| link(&section.path, &section.path)).collect();
    if !links.is_empty() {
        facts.push_str(&format!("<div><dt>See</dt><dd>{}</dd></div>\n", links.join(", ")));
    }
    let fields: String = entry.fields.iter().map(|field| of_entry(field, reference)).collect();
    format!(
        "<article class=\"entry\" id=\"{}\">\n<h4>{}</h4>\n{}<dl>\n{facts}</dl>\n{fields}</article>\n",
        entry_id(entry, reference),
        escaped(entry.name),
        paragraphs(&entry.doc)
    )
}

fn of_metrics(of: &KindMetrics) -> String {
    let mut text =
        format!("<section class=\"type\" id=\"{}\">\n<h3>Metrics of {}</h3>\n", metrics_id(of), escaped(&of.of));
    for metric in &of.metrics {
        text.push_str(&format!(
            "<article class=\"entry\">\n<h4>{}</h4>\n<p>{}</p>\n<p class=\"quiet\">{}</p>\n</article>\n",
            escaped(metric.name()),
            inline(metric.meaning()),
            escaped(&metric_facts(metric).join("; "))
        ));
    }
    text + "</section>\n"
}

fn metrics_id(of: &KindMetrics) -> String {
    id(&format!("metrics-{}", of.of))
}

/// The path of the section that describes the type of an entry, if it has one.
fn section_path(entry: &ReferenceEntry, reference: &Reference) -> String {
    let section = reference.sections.iter().find(|section| section.path == entry.path);
    section.map(|section| section.path.clone()).unwrap_or_default()
}

/// A field and the section of its type may have one path; the section has it as its id.
fn entry_id(entry: &ReferenceEntry, reference: &Reference) -> String {
    match section_path(entry, reference).is_empty() {
        true => id(&entry.path),
        false => format!("{}.entry", id(&entry.path)),
    }
}

fn id(path: &str) -> String {
    path.replace(' ', "-")
}

fn link(path: &str, name: &str) -> String {
    format!("<a href=\"#{}\">{}</a>", id(path), escaped(name))
}

/// Text whose paragraphs are parted by blank lines, with what is in backquotes as code.
fn paragraphs(text: &str) -> String {
    text.split("\n\n").map(|paragraph| format!("<p>{}</p>\n", inline(paragraph.trim()))).collect()
}

fn inline(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let part = |(index, part): (usize, &str)| match index % 2 {
        0 => escaped(part),
        _ => format!("<code>{}</code>", escaped(part)),
    };
    parts.map(part).collect()
}
