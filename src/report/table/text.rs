//! Tables that fit a terminal: names of lines on the left, cells aligned to the right.

use super::{Note, Table};
use crate::lines::{indent_of, label, listed, shortened, width_of, wrapped};
use gridloom_files::single_line;
use gridloom_sim::units::counted;
use std::collections::BTreeMap;

/// The gap between two columns.
const GAP: usize = 2;
/// A column's name takes at most this many lines.
const HEADING_LINES: usize = 3;
/// Names of lines keep at least this many letters, unless all of them are shorter.
const LEAST_LABEL: usize = 16;

impl Table {
    /// True if all columns fit with names of lines that can still be read.
    pub(crate) fn fits(&self, width: usize) -> bool {
        let grid = Grid::of(self, self.lines.len());
        grid.columns(width).len() + 1 == grid.heading.len()
    }

    /// The table in at most `most` lines, none of which is wider than `width`. Columns that do not fit are left out, and
    /// so are the last lines; both are counted below.
    pub(crate) fn text(&self, width: usize, most: usize) -> Vec<String> {
        if self.lines.is_empty() {
            let note =
                |note: &Note| listed(&format!("{}, {}", self.title, note.text), &note.items, width, note.most_lines);
            return self.notes.iter().flat_map(note).collect();
        }
        let mut shown = self.lines.len().min(most);
        loop {
            let mut lines = wrapped(&self.title, width, 2);
            let grid = Grid::of(self, shown);
            lines.extend(grid.render(width));
            lines.extend(self.remarks(width, shown, grid.heading.len() - 1 - grid.columns(width).len()));
            if lines.len() <= most || shown <= 1 {
                return lines;
            }
            shown -= 1;
        }
    }

    /// What stands below: the notes, and how much is left out.
    fn remarks(&self, width: usize, shown: usize, cut_columns: usize) -> Vec<String> {
        let note = |note: &Note| match note.items.is_empty() {
            true => wrapped(&note.text, width, 2),
            false => listed(&note.text, &note.items, width, note.most_lines),
        };
        let mut lines: Vec<String> = self.notes.iter().flat_map(note).collect();
        let (mut metrics, hidden) = (self.left_out, self.lines.len() - shown);
        let mut more = Vec::new();
        match self.line_is {
            "more metric" => metrics += hidden,
            what => {
                metrics += cut_columns;
                let counted =
                    if what.ends_with('s') { format!("{hidden} {what}") } else { counted(hidden as u64, what) };
                more.extend((hidden > 0).then_some(counted));
            }
        }
        more.extend((metrics > 0).then(|| counted(metrics as u64, "more metric")));
        if !more.is_empty() {
            lines.push(shortened(&format!("({}: --verbose, or results.csv)", more.join(", ")), width));
        }
        lines
    }
}

/// Names of lines and the cells beside them.
struct Grid {
    heading: Vec<String>,
    lines: Vec<Vec<String>>,
}

impl Grid {
    /// The first lines of a table. Several labels of a line are one name; where lines share the first label, it stands
    /// above them.
    fn of(table: &Table, shown: usize) -> Self {
        let (labels, columns) = (table.labels, &table.columns);
        let is_shared = labels > 1 && table.lines.windows(2).any(|pair| pair[0].first() == pair[1].first());
        let name = |(k, cell): (usize, &String)| match columns[k].numeric && labels > 1 {
            true => format!("{} = {cell}", columns[k].name),
            false => cell.clone(),
        };
        let named = |line: &[String], from: usize| -> String {
            let names = line.iter().enumerate().take(labels).skip(from).map(name);
            names.filter(|name| !name.is_empty()).collect::<Vec<_>>().join(", ")
        };
        let mut lines: Vec<Vec<String>> = Vec::new();
        for (at, line) in table.lines.iter().enumerate().take(shown) {
            let own = match is_shared {
                true => format!("  {}", named(line, 1)),
                false => named(line, 0),
            };
            if is_shared && (at == 0 || table.lines[at - 1].first() != line.first()) {
                let blank = vec![String::new(); columns.len() - labels];
                lines.push([vec![line[0].clone()], blank].concat());
            }
            lines.push([&[own], &line[labels..]].concat());
        }
        let heading = columns.iter().skip(labels).map(|column| column.name.clone());
        Self { heading: [String::new()].into_iter().chain(heading).collect(), lines }
    }

    /// The width of each column but the first: no cell is cut, and a name is broken between its words.
    fn cell_widths(&self) -> Vec<usize> {
        let width = |column: usize| {
            let cells = self.lines.iter().filter_map(|line| line.get(column));
            let least = cells.map(|cell| width_of(cell)).max().unwrap_or(0).max(1);
            let name = single_line(&self.heading[column]);
            let word = name.split(' ').map(width_of).max().unwrap_or(0);
            let is_enough = |&width: &usize| wrapped(&name, width, 0).len() <= HEADING_LINES;
            (least.max(word)..).find(is_enough).unwrap_or(least)
        };
        (1..self.heading.len()).map(width).collect()
    }

    /// The names of lines, but for titles.
    fn labels(&self) -> impl Iterator<Item = &String> {
        self.lines.iter().filter(|line| !is_title(line)).filter_map(|line| line.first())
    }

    fn label_width(&self) -> usize {
        self.labels().map(|label| indent_of(label) + width_of(&single_line(label))).max().unwrap_or(0)
    }

    /// The widths of the columns for which there is room.
    fn columns(&self, width: usize) -> Vec<usize> {
        let mut columns: Vec<usize> = Vec::new();
        let mut taken = self.least_label(width);
        for cell in self.cell_widths() {
            let cell = if columns.is_empty() { cell.min(width.saturating_sub(taken + GAP)) } else { cell };
            if cell == 0 || taken + GAP + cell > width {
                break;
            }
            taken += GAP + cell;
            columns.push(cell);
        }
        columns
    }

    /// The width that names of lines have at least: all of them without their units, up to two fifths of the terminal,
    /// or more where they would read the same if they were cut.
    fn least_label(&self, width: usize) -> usize {
        let bare = |label: &String| {
            let name = single_line(label);
            let cut =
                name.rsplit_once(" (").filter(|(_, unit)| unit.ends_with(')')).map_or(name.as_str(), |(name, _)| name);
            indent_of(label) + width_of(cut)
        };
        let whole = self.labels().map(bare).max().unwrap_or(0);
        let least = whole.min(LEAST_LABEL.max(2 * width / 5)).min(width);
        (least..=self.label_width().min(width)).find(|&room| self.are_told_apart(room)).unwrap_or(least)
    }

    /// True if names that differ still do when they are cut to this width.
    fn are_told_apart(&self, room: usize) -> bool {
        let mut seen: BTreeMap<String, &String> = BTreeMap::new();
        self.labels().all(|name| *seen.entry(label(name, room)).or_insert(name) == name)
    }

    /// The lines below the names of the columns.
    fn render(&self, width: usize) -> Vec<String> {
        let (least, columns) = (self.least_label(width), self.columns(width));
        let taken = least + columns.iter().map(|cell| GAP + cell).sum::<usize>();
        let names_width = (least + width.saturating_sub(taken)).min(self.label_width());
        let names: Vec<Vec<String>> =
            self.heading.iter().skip(1).zip(&columns).map(|(name, &cell)| wrapped(name, cell, 0)).collect();
        let tall = names.iter().map(Vec::len).max().unwrap_or(0).max(1);
        let heading = (0..tall).map(|row| {
            // Names stand on the last line of the heading.
            let name = |lines: &Vec<String>| match (row + lines.len()).checked_sub(tall) {
                Some(at) => lines.get(at).cloned().unwrap_or_default(),
                None => String::new(),
            };
            std::iter::once(String::new()).chain(names.iter().map(name)).collect::<Vec<String>>()
        });
        let line = |cells: &Vec<String>| {
            if is_title(cells) {
                return shortened(&cells[0], width);
            }
            let mut text = format!("{:<names_width$}", label(&cells[0], names_width));
            for (cell, &width) in cells.iter().skip(1).zip(&columns) {
                let fitted = if width_of(cell) > width { shortened(cell, width) } else { cell.clone() };
                text.push_str(&format!("{:GAP$}{fitted:>width$}", ""));
            }
            text.trim_end().to_string()
        };
        let heading: Vec<Vec<String>> = heading.collect();
        heading.iter().chain(&self.lines).map(line).filter(|line| !line.is_empty()).collect()
    }
}

/// True for a line of nothing but a name, which has the whole width.
fn is_title(line: &[String]) -> bool {
    line.first().is_some_and(|name| !name.trim().is_empty()) && line[1..].iter().all(String::is_empty)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Column;
    use proptest::prelude::*;

    /// A table without a title.
    fn table(columns: &[&str], lines: &[&[&str]]) -> Table {
        let columns = columns.iter().map(|name| Column::number(*name)).collect();
        let lines = lines.iter().map(|line| line.iter().map(|cell| cell.to_string()).collect()).collect();
        Table::new("", columns, lines)
    }

    #[test]
    fn names_of_columns_break_between_words_and_cells_stand_below_each_other() {
        let table = table(&["", "NO OPT min cost", "EASY"], &[&["wait", "1.5", "10.25"], &["cost", "20.5", "3"]]);
        assert_eq!(
            table.text(40, 9),
            ["      NO OPT", "         min", "        cost   EASY", "wait     1.5  10.25", "cost    20.5      3"]
        );
    }

    #[test]
    fn lines_with_a_common_first_name_stand_below_it() {
        let lines: [&[&str]; 3] = [&["wait", "EASY", "1"], &["wait", "FCFS", "2"], &["cost", "EASY", "3"]];
        let mut table = Table { labels: 2, ..table(&["metric", "series", "a"], &lines) };
        table.columns[0].numeric = false;
        table.columns[1].numeric = false;
        assert_eq!(table.text(30, 9), ["        a", "wait", "  EASY  1", "  FCFS  2", "cost", "  EASY  3"]);
        table.lines.remove(1);
        table.columns[1].numeric = true;
        assert_eq!(table.text(30, 9)[1], "wait, series = EASY  1");
    }

    #[test]
    fn what_finds_no_room_is_counted() {
        let lines: Vec<Vec<&str>> = vec![vec!["a", "1.25", "2.25"]; 9];
        let lines: Vec<&[&str]> = lines.iter().map(Vec::as_slice).collect();
        let all = Table { left_out: 3, ..table(&["", "quantity", "other"], &lines) };
        let text = all.text(14, 6);
        assert!(text.len() == 6 && text[5].starts_with("(5 more"), "{text:#?}");
        assert_eq!(all.text(18, 6)[4], "a      1.25   2.25");
        assert_eq!(all.text(60, 6)[5], "(5 more lines, 3 more metrics: --verbose, or results.csv)");
        let all = Table { line_is: "more metric", ..all };
        assert_eq!(all.text(50, 5)[4], "(9 more metrics: --verbose, or results.csv)");
    }

    #[test]
    fn names_have_the_room_that_they_need() {
        let names = ["without a plan: nodes taken by others", "without a plan: no slot long enough"];
        let cell = "12345.67 ± 0.12";
        let lines = names.map(|name| [name, cell, cell, cell, cell]);
        let table = table(&["", "a", "b", "c", "d"], &[&lines[0], &lines[1]]);
        // Two columns leave room for whole names; three do so for two fifths of the width.
        let lines = table.text(80, 9);
        assert!(lines[1].starts_with(names[0]) && lines[1].ends_with("  12345.67 ± 0.12"), "{lines:#?}");
        let lines = table.text(84, 9);
        let label: String = lines[1].chars().take(33).collect();
        let ends = label.contains('…') && label.ends_with("others");
        assert!(label.starts_with("without a plan: n") && ends, "{lines:#?}");
    }

    proptest! {
        #[test]
        fn nothing_is_wider_than_the_terminal(
            width in 1_usize..90,
            words in prop::collection::vec("[a-zäß ]{0,24}", 1..5),
            cells in prop::collection::vec(prop::collection::vec("[0-9.± ]{0,16}", 5), 0..4),
        ) {
            let columns: Vec<&str> = words.iter().map(String::as_str).collect();
            let lines: Vec<Vec<&str>> =
                cells.iter().map(|line| line[..columns.len()].iter().map(String::as_str).collect()).collect();
            let lines: Vec<&[&str]> = lines.iter().map(Vec::as_slice).collect();
            let text = words.join(" ");
            let all = table(&columns, &lines).text(width, 99);
            for line in all.into_iter().chain(wrapped(&text, width, 0)).chain([shortened(&text, width)]) {
                prop_assert!(width_of(&line) <= width, "{line:?}");
            }
        }
    }
}
