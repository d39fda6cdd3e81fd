//! The parts of the page, and the table of contents that stays in view beside them.

use gridloom_files::escaped;

/// A part of the page.
pub(super) struct PagePart {
    /// The name that links lead to.
    pub id: &'static str,
    /// Its entry in the contents.
    pub title: String,
    /// The heading, if it has one of its own.
    pub heading: Option<String>,
    pub body: String,
    /// Entries below its own: the place that each leads to, and its text.
    pub entries: Vec<(String, String)>,
}

impl PagePart {
    /// A part whose heading is its title.
    pub(super) fn new(id: &'static str, title: &str, body: String) -> Self {
        Self { id, title: title.into(), heading: Some(title.into()), body, entries: Vec::new() }
    }

    /// Adds the part to a page, as a section.
    pub(super) fn add_to(&self, page: &mut String) {
        page.push_str(&format!("<section id=\"{}\">\n", self.id));
        page.extend(self.heading.as_ref().map(|text| format!("<h2>{}</h2>\n", escaped(text))));
        page.push_str(&self.body);
        page.push_str("</section>\n");
    }
}

/// The table of contents.
pub(super) fn contents(parts: &[PagePart]) -> String {
    let link = |id: &str, text: &str| format!("<a href=\"#{}\">{}</a>", escaped(id), escaped(text));
    let mut text = String::from("<nav class=\"contents\" aria-label=\"Contents\">\n<ul>\n");
    for part in parts {
        text.push_str(&format!("<li>{}", link(part.id, &part.title)));
        if !part.entries.is_empty() {
            let items = part.entries.iter().map(|(id, title)| format!("<li>{}</li>\n", link(id, title)));
            text.push_str(&format!("\n<ul>\n{}</ul>\n", items.collect::<String>()));
        }
        text.push_str("</li>\n");
    }
    text + "</ul>\n</nav>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_leads_to_a_place_and_texts_are_escaped() {
        let mut part = PagePart::new("figures", "Figures", "<p>none</p>\n".into());
        part.entries.push(("figure-wait".into(), "Wait <h>".into()));
        let text = contents(std::slice::from_ref(&part));
        assert!(
            text.contains("<li><a href=\"#figures\">Figures</a>\n<ul>\n<li><a href=\"#figure-wait\">Wait &lt;h&gt;")
        );
        let mut page = String::new();
        part.add_to(&mut page);
        assert_eq!(page, "<section id=\"figures\">\n<h2>Figures</h2>\n<p>none</p>\n</section>\n");
    }
}
