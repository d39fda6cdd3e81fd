//! Tables of a page, which scroll inside their boxes.

use super::{Column, Table};
use gridloom_files::escaped;

/// Tables of more lines scroll by themselves.
const LONG_TABLE: usize = 60;
/// So many tables of one thing, such as of all policies, are folded once more.
const MANY_TABLES: usize = 3;

impl Table {
    /// The table with its notes; `class` names its looks.
    pub fn html(&self, class: &str) -> String {
        let heading: String = self.columns.iter().map(heading).collect();
        // The tables of crossings may have hundreds of lines.
        let long = if self.lines.len() > LONG_TABLE { " long" } else { "" };
        let mut text = format!(
            "<div class=\"scroll{long}\" tabindex=\"0\">\n<table class=\"{class}\">\n<thead><tr>{heading}</tr></thead>\n\
             <tbody>\n"
        );
        for at in 0..self.lines.len() {
            let cells: String = (0..self.columns.len()).map(|column| self.cell(at, column)).collect();
            text.push_str(&format!("<tr>{cells}</tr>\n"));
        }
        text.push_str("</tbody>\n</table>\n</div>\n");
        text.extend(self.all_notes().iter().map(|note| format!("<p class=\"note\">{}</p>\n", escaped(note))));
        text
    }

    fn cell(&self, at: usize, column: usize) -> String {
        let text = escaped(self.lines[at].get(column).map_or("", String::as_str));
        let text = match self.links.get(at).filter(|link| column == 0 && !link.is_empty()) {
            Some(link) => format!("<a href=\"#{}\">{text}</a>", escaped(link)),
            None => text,
        };
        match (self.columns[column].numeric, self.strong.contains(&(at, column))) {
            (true, true) => format!("<td class=\"number best\"><b>{text}</b></td>"),
            (true, false) => format!("<td class=\"number\">{text}</td>"),
            (false, _) => format!("<td>{text}</td>"),
        }
    }
}

fn heading(column: &Column) -> String {
    let class = if column.numeric { " class=\"number\"" } else { "" };
    format!("<th scope=\"col\"{class}>{}</th>", escaped(&column.name))
}

/// A part of the page that opens on demand.
pub(crate) fn details(summary: &str, body: &str) -> String {
    format!("<details>\n<summary>{}</summary>\n{body}</details>\n", escaped(summary))
}

/// Tables, folded; those of one thing for several policies are folded once more.
pub(crate) fn folded(tables: &[Table]) -> String {
    let mut groups: Vec<(&str, Vec<&Table>)> = Vec::new();
    for table in tables {
        let subject = table.title.split(", ").next().unwrap_or_default();
        match groups.iter_mut().find(|(known, _)| *known == subject) {
            Some((_, group)) => group.push(table),
            None => groups.push((subject, vec![table])),
        }
    }
    let group = |(subject, group): (&str, Vec<&Table>)| {
        let folded: String = group.iter().map(|table| details(&table.summary(), &table.html("pivot"))).collect();
        match group.len() {
            0..MANY_TABLES => folded,
            many => details(&format!("{subject} ({many} tables)"), &folded),
        }
    };
    groups.into_iter().map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(title: &str, lines: usize) -> Table {
        Table::new(title, vec![Column::text("busy <b>")], vec![vec!["&".into()]; lines])
    }

    #[test]
    fn tables_of_many_policies_are_folded_once_more() {
        let tables = ["use, a", "use, b", "use, c", "sweep"].map(|title| table(title, 1));
        let text = folded(&tables);
        assert!(text.contains("<summary>use (3 tables)</summary>\n<details>\n<summary>use, a (1 line, 1 column)"));
        assert!(text.contains("<th scope=\"col\">busy &lt;b&gt;</th>") && text.contains("<td>&amp;</td>"));
        assert_eq!((text.matches("<details>").count(), text.matches("</details>").count()), (5, 5));
    }

    #[test]
    fn long_tables_scroll_by_themselves() {
        assert!(table("t", LONG_TABLE + 1).html("pivot").contains("class=\"scroll long\""));
        assert!(table("t", LONG_TABLE).html("pivot").contains("class=\"scroll\""));
    }
}
