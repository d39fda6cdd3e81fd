//! The reference as Markdown, for the guide.

use super::{Chapter, Reference, ReferenceEntry, ReferenceSection, metric_facts};
use gridloom_files::single_line;

/// No line is longer, but for words that are.
const COLUMNS: usize = 120;

/// The whole reference.
pub fn text(reference: &Reference) -> String {
    let mut text = String::from("# Reference\n\n");
    let about = "Everything that can be written in a scenario and measured by a run. `gridloom describe --markdown` \
                 writes this file from the declarations; `gridloom describe PATH` prints a part of it, and `gridloom \
                 describe --html` makes a page that can be searched. Times are in the scenario's unit of time: \
                 `time_unit` names it in a `Grid`.";
    add(&mut text, 0, "", about);
    for chapter in Chapter::ALL {
        text.push_str(&format!("\n## {}\n", chapter.title()));
        let sections = reference.sections.iter().filter(|section| section.chapter == chapter);
        text.extend(sections.map(|section| of_section(section, reference)));
    }
    text.push_str("\n## Metrics\n\nUsers, jobs and criteria have the names of the kind's starter.\n");
    for of in &reference.metrics {
        text.push_str(&format!("\n### Metrics of {}\n\n", of.of));
        for metric in &of.metrics {
            let facts = plain(&metric_facts(metric).join("; "));
            let line = format!("**{}** [{facts}]: {}", plain(metric.name()), plain(metric.meaning()));
            add(&mut text, 0, "- ", &line);
        }
    }
    text
}

/// Adds a paragraph whose lines are broken between words; the first begins with `mark`, the others below its end.
fn add(text: &mut String, indent: usize, mark: &str, paragraph: &str) {
    let mut line = format!("{:indent$}{mark}", "");
    let mut is_empty = true;
    for word in paragraph.split_whitespace() {
        let length = line.chars().count() + 1 + word.chars().count();
        if !is_empty && length > COLUMNS {
            text.push_str(&format!("{line}\n"));
            line = format!("{:1$}", "", indent + mark.len());
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    text.push_str(&format!("{line}\n"));
}

fn of_section(section: &ReferenceSection, reference: &Reference) -> String {
    let mut text = format!("\n### {}\n", section.path);
    for paragraph in section.declared.doc.split("\n\n") {
        text.push('\n');
        add(&mut text, 0, "", &plain(&single_line(paragraph)));
    }
    if let Some(variant) = section.declared.number {
        text.push_str(&format!("\nA bare number stands for `{variant}`.\n"));
    }
    if section.uses.len() > 1 {
        let uses: Vec<String> = section.uses.iter().map(|path| format!("`{path}`")).collect();
        text.push('\n');
        add(&mut text, 0, "", &format!("Written for {}.", uses.join(", ")));
    }
    if !section.entries.is_empty() {
        text.push('\n');
    }
    text.extend(section.entries.iter().map(|entry| of_entry(entry, 0, reference)));
    text
}

fn of_entry(entry: &ReferenceEntry, indent: usize, reference: &Reference) -> String {
    let mut text = String::new();
    add(&mut text, indent, "- ", &format!("**`{}`**: {}", entry.name, plain(&single_line(&entry.doc))));
    let facts = entry.facts.iter().map(|(name, fact)| format!("{name}: {}", plain(fact)));
    let of_types = reference.sections.iter().filter(|section| entry.types.contains(&section.declared.name));
    let links = of_types.map(|section| format!("See [{}](#{})", section.path, anchor(&section.path)));
    let facts: Vec<String> = facts.chain(links).collect();
    add(&mut text, indent + 2, "", &format!("{}.", facts.join(". ")));
    text.extend(entry.fields.iter().map(|field| of_entry(field, indent + 2, reference)));
    text
}

/// The anchor that readers of Markdown make of a heading.
pub(super) fn anchor(heading: &str) -> String {
    heading.to_lowercase().replace(' ', "-").replace(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_', "")
}

/// The text with the characters escaped that Markdown would take for markup, but for code in backquotes.
fn plain(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let part = |(index, part): (usize, &str)| match index % 2 {
        0 => part.replace('*', "\\*").replace('_', "\\_").replace('<', "&lt;"),
        _ => format!("`{part}`"),
    };
    parts.map(part).collect()
}
