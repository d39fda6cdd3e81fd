//! Tables of the page: pivots that scroll inside their boxes, folded where they are many.

use super::excerpt::grouped;
use super::pivot;
use super::table::Table;
use crate::Row;
use gridloom_files::escaped;

/// Tables of more lines scroll by themselves.
const LONG_TABLE: usize = 60;

/// So many tables of one thing, such as of all policies, are folded once more.
const MANY_TABLES: usize = 3;

/// All tables, folded; those of one thing for several policies are folded once more.
pub(super) fn tables(rows: &[Row]) -> String {
    let mut text = String::from(
        "<p>Means with the half-width of their 95 % confidence interval; <code>results.csv</code> has every row.</p>\n",
    );
    let mut groups: Vec<(String, Vec<Table>)> = Vec::new();
    for one in pivot::pivots(rows) {
        let subject = one.heading.split(", ").next().unwrap_or_default().to_string();
        match groups.iter_mut().find(|(known, _)| *known == subject) {
            Some((_, group)) => group.push(one),
            None => groups.push((subject, vec![one])),
        }
    }
    for (subject, group) in groups {
        let folded: String = group.iter().map(|one| details(&summary(one), &table(one))).collect();
        match group.len() {
            0..MANY_TABLES => text.push_str(&folded),
            many => text.push_str(&details(&format!("{subject} ({many} tables)"), &folded)),
        }
    }
    text
}

/// A table in a line.
fn summary(table: &Table) -> String {
    let of = |count: usize, what: &str| format!("{} {what}{}", grouped(count), if count == 1 { "" } else { "s" });
    format!("{} ({}, {})", table.heading, of(table.lines.len(), "line"), of(table.columns.len(), "column"))
}

/// A part of the page that opens on demand.
pub(super) fn details(summary: &str, body: &str) -> String {
    format!("<details>\n<summary>{}</summary>\n{body}</details>\n", escaped(summary))
}

/// A table with its notes.
pub(super) fn table(table: &Table) -> String {
    let class = |numeric| if numeric { " class=\"number\"" } else { "" };
    let heading: String = table
        .columns
        .iter()
        .map(|column| format!("<th scope=\"col\"{}>{}</th>", class(column.numeric), escaped(&column.name)))
        .collect();
    // The tables of crossings may have hundreds of lines.
    let long = if table.lines.len() > LONG_TABLE { " long" } else { "" };
    let mut text = format!(
        "<div class=\"scroll{long}\" tabindex=\"0\">\n<table class=\"pivot\">\n<thead><tr>{heading}</tr></thead>\n<tbody>\n"
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
    use crate::samples;
    use gridloom_sim::metrics::Estimate;

    #[test]
    fn tables_of_many_policies_are_folded_once_more() {
        let row = |experiment: String, x: f64| {
            Row::new(experiment, "busy <b>", "share", Estimate { mean: x, ci95: None, n: 1 }).at(x)
        };
        let policies = ["a", "b", "c"].iter();
        let mut rows: Vec<Row> = Vec::new();
        for policy in policies {
            rows.extend((0..30).map(|k| row(format!("use over time, {policy}"), f64::from(k))));
            rows.extend(samples::sweep(1, 30));
        }
        let text = tables(&rows[..60 * 3 - 30]);
        assert!(text.contains("<summary>use over time (3 tables)</summary>\n<details>\n<summary>use over time, a (20"));
        assert!(text.contains("<th scope=\"col\" class=\"number\">busy &lt;b&gt;</th>"));
        assert_eq!(text.matches("<details>").count(), text.matches("</details>").count());
    }

    #[test]
    fn long_tables_scroll_by_themselves() {
        let listed = |lines: usize| Table::new("t".into(), Vec::new(), vec![Vec::new(); lines]);
        assert!(table(&listed(LONG_TABLE + 1)).contains("class=\"scroll long\""));
        assert!(table(&listed(LONG_TABLE)).contains("class=\"scroll\""));
    }
}
