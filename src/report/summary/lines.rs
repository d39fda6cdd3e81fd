//! Lines of text that fit a terminal.

use gridloom_files::single_line;
use gridloom_sim::units::counted;
use std::collections::BTreeMap;

/// The gap between two columns.
const GAP: usize = 2;
/// A column's name takes at most this many lines.
const HEADING_LINES: usize = 3;
/// Names of lines keep at least this many letters, unless all of them are shorter.
const LEAST_LABEL: usize = 16;

/// The number of letters, each of which takes one column.
pub(crate) fn width_of(text: &str) -> usize {
    text.chars().count()
}

/// The text on one line of at most `width` letters; of a longer one the middle is left out, since names that begin
/// alike differ at their ends.
pub fn shortened(text: &str, width: usize) -> String {
    let text = single_line(text);
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= width {
        return text;
    }
    let kept = width.saturating_sub(1);
    let end = kept / 3;
    let (first, last) = (&letters[..kept - end], &letters[letters.len() - end..]);
    first.iter().chain(['…'].iter().take(width)).chain(last).collect()
}

/// The blanks before a name, which set it below another one.
fn indent_of(text: &str) -> usize {
    text.chars().take_while(|&c| c == ' ').count()
}

/// A name with its unit in brackets, of at most `width` letters: what is too long loses its unit first.
pub(crate) fn label(text: &str, width: usize) -> String {
    let indent = indent_of(text).min(width);
    if indent > 0 {
        return " ".repeat(indent) + &label(text.trim_start(), width - indent);
    }
    let text = single_line(text);
    let parts = text.rsplit_once(" (").filter(|(_, unit)| unit.ends_with(')'));
    match parts {
        Some((name, unit)) if width_of(&text) > width => {
            let room = width.saturating_sub(width_of(name) + 4);
            let unit: String = unit.chars().take(room).collect();
            if room > 2 { format!("{name} ({}…)", unit.trim_end()) } else { shortened(name, width) }
        }
        _ => shortened(&text, width),
    }
}

/// The words in lines of at most `width` letters; all but the first begin with `indent` blanks. A word that is longer
/// than a line is broken.
pub fn wrapped(text: &str, width: usize, indent: usize) -> Vec<String> {
    let width = width.max(indent + 1);
    let mut lines: Vec<String> = Vec::new();
    let mut line: Vec<char> = Vec::new();
    let put = |lines: &mut Vec<String>, line: &mut Vec<char>| {
        let before = if lines.is_empty() { 0 } else { indent };
        lines.push(std::iter::repeat_n(' ', before).chain(line.drain(..)).collect());
    };
    for word in single_line(text).split(' ').filter(|word| !word.is_empty()) {
        let mut letters: Vec<char> = word.chars().collect();
        let room = |lines: &[String]| if lines.is_empty() { width } else { width - indent };
        if !line.is_empty() {
            if line.len() + 1 + letters.len() > room(&lines) {
                put(&mut lines, &mut line);
            } else {
                line.push(' ');
            }
        }
        while line.len() + letters.len() > room(&lines) {
            let rest = letters.split_off(room(&lines) - line.len());
            line.append(&mut letters);
            put(&mut lines, &mut line);
            letters = rest;
        }
        line.append(&mut letters);
    }
    if !line.is_empty() {
        put(&mut lines, &mut line);
    }
    lines
}

/// A list in lines, as many as fit `most` of them; the number of the others follows.
pub fn listed(opening: &str, names: &[String], width: usize, most: usize) -> Vec<String> {
    let text = |shown: usize| match names.len() - shown {
        0 => format!("{opening}{}", names.join(", ")),
        left => format!("{opening}{}, and {left} more", names[..shown].join(", ")),
    };
    let lines = |shown: usize| wrapped(&text(shown), width, 2);
    let shown = (1..=names.len()).rev().find(|&shown| lines(shown).len() <= most).unwrap_or(names.len().min(1));
    let mut lines = lines(shown);
    lines.truncate(most.max(1));
    lines
}

/// Text in columns: names of lines on the left, cells aligned to the right.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TextTable {
    /// The names of the columns; that of the names of lines comes first.
    pub heading: Vec<String>,
    /// The lines; a cell for each column.
    pub lines: Vec<Vec<String>>,
}

impl TextTable {
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

    fn label_width(&self) -> usize {
        let labels =
            self.lines.iter().filter(|line| !is_title(line)).chain([&self.heading]).filter_map(|line| line.first());
        labels.map(|label| indent_of(label) + width_of(&single_line(label))).max().unwrap_or(0)
    }

    /// True if all columns fit with names of lines that can still be read.
    pub fn fits(&self, width: usize) -> bool {
        let cells: usize = self.cell_widths().iter().map(|cell| cell + GAP).sum();
        cells + self.least_label(width) <= width
    }

    /// The widths of the columns for which there is room.
    pub(crate) fn columns(&self, width: usize) -> Vec<usize> {
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

    /// The names of lines, but for titles.
    fn labels(&self) -> impl Iterator<Item = &String> {
        self.lines.iter().filter(|line| !is_title(line)).filter_map(|line| line.first())
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

    /// The names of lines in this width. Where there is no room to tell them apart, those that are cut alike are numbered.
    fn fitted_labels(&self, room: usize) -> Vec<String> {
        let mut seen: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let fit = |line: &Vec<String>| {
            let Some(name) = line.first().filter(|_| !is_title(line)) else { return String::new() };
            let cut = label(name, room);
            let alike = seen.entry(cut.clone()).or_default();
            let place = alike.iter().position(|other| other == name).unwrap_or_else(|| {
                alike.push(name.clone());
                alike.len() - 1
            });
            let number = (place + 1).to_string();
            match place {
                0 => cut,
                _ => label(name, room.saturating_sub(number.len())) + &number[..number.len().min(room)],
            }
        };
        self.lines.iter().map(fit).collect()
    }

    /// The table under some lines, in at most `most` lines together; those that are left out are counted, as `what`.
    pub(crate) fn under(mut self, heading: Vec<String>, width: usize, most: usize, what: &str) -> Vec<String> {
        let (mut lines, all) = (heading, self.lines.len());
        while self.lines.len() > 1
            && lines.len() + self.render(width).len() + usize::from(self.lines.len() < all) > most
        {
            self.lines.pop();
        }
        lines.extend(self.render(width));
        let left = (all - self.lines.len()) as u64;
        if left > 0 {
            lines.push(shortened(&format!("({}: --verbose, or results.csv)", counted(left, what)), width));
        }
        lines
    }

    /// The lines, none of which is wider than `width`: columns that do not fit are left out.
    pub fn render(&self, width: usize) -> Vec<String> {
        let (least, columns) = (self.least_label(width), self.columns(width));
        let taken = least + columns.iter().map(|cell| GAP + cell).sum::<usize>();
        let names_width = (least + (width - taken)).min(self.label_width());
        let names: Vec<Vec<String>> =
            self.heading.iter().skip(1).zip(&columns).map(|(name, &cell)| wrapped(name, cell, 0)).collect();
        let tall = names.iter().map(Vec::len).max().unwrap_or(0).max(1);
        let first = self.heading.first().cloned().unwrap_or_default();
        let heading = (0..tall).map(|row| {
            let name =
                |lines: &Vec<String>| (row + lines.len()).checked_sub(tall).map_or("", |at| &lines[at]).to_string();
            let own = if row + 1 == tall { first.clone() } else { String::new() };
            [own].into_iter().chain(names.iter().map(name)).collect::<Vec<String>>()
        });
        let heading: Vec<Vec<String>> = heading.collect();
        let line = |(cells, name): (&Vec<String>, String)| {
            if is_title(cells) {
                return shortened(&cells[0], width);
            }
            let mut text = format!("{name:<names_width$}");
            for (cell, &width) in cells.iter().skip(1).zip(&columns) {
                let fitted = if width_of(cell) > width { shortened(cell, width) } else { cell.clone() };
                text.push_str(&format!("{:GAP$}{fitted:>width$}", ""));
            }
            text.trim_end().to_string()
        };
        let above = heading.iter().map(|cells| label(cells.first().map_or("", String::as_str), names_width));
        let labels = above.chain(self.fitted_labels(names_width));
        heading.iter().chain(&self.lines).zip(labels).map(line).filter(|line| !line.is_empty()).collect()
    }
}

/// True for a line of nothing but a name, which has the whole width.
fn is_title(line: &[String]) -> bool {
    line.first().is_some_and(|name| !name.trim().is_empty()) && line[1..].iter().all(String::is_empty)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_long_name_loses_its_middle() {
        assert_eq!(shortened("windows without a plan: none found", 20), "windows witho… found");
        assert_eq!(
            (shortened("EASY", 4), shortened("EASY", 1), shortened("EASY", 0)),
            ("EASY".into(), "…".into(), "".into())
        );
    }

    #[test]
    fn a_name_that_is_too_long_loses_its_unit_first() {
        assert_eq!(label("value to user A (no unit)", 25), "value to user A (no unit)");
        assert_eq!(label("value to user A (no unit)", 22), "value to user A (no…)");
        assert_eq!(label("value to user A (no unit)", 20), "value to user A");
        assert_eq!(label("value to user A (no unit)", 12), "value to…r A");
    }

    #[test]
    fn words_stay_whole_where_they_can() {
        assert_eq!(wrapped("one two  three", 7, 2), ["one two", "  three"]);
        assert_eq!(wrapped("abcdefghij k", 4, 1), ["abcd", " efg", " hij", " k"]);
        assert_eq!(wrapped(" ", 10, 2), Vec::<String>::new());
    }

    #[test]
    fn a_list_that_is_too_long_ends_with_a_count() {
        let names: Vec<String> = ["alpha", "beta", "gamma", "delta"].map(String::from).to_vec();
        assert_eq!(listed("Also: ", &names, 100, 1), ["Also: alpha, beta, gamma, delta"]);
        assert_eq!(listed("Also: ", &names, 24, 1), ["Also: alpha, and 3 more"]);
    }

    #[test]
    fn names_of_columns_break_between_words_and_cells_stand_below_each_other() {
        let table = TextTable {
            heading: ["", "NO OPT min cost", "EASY"].map(String::from).to_vec(),
            lines: vec![
                ["wait", "1.5", "10.25"].map(String::from).to_vec(),
                ["cost", "20.5", "3"].map(String::from).to_vec(),
            ],
        };
        assert_eq!(
            table.render(40),
            ["      NO OPT", "         min", "        cost   EASY", "wait     1.5  10.25", "cost    20.5      3"]
        );
    }

    #[test]
    fn a_line_without_cells_is_a_title_over_those_set_below_it() {
        let line = |cells: [&str; 2]| cells.map(String::from).to_vec();
        let table = TextTable {
            heading: line(["", "a"]),
            lines: vec![line(["a metric with a long name", ""]), line(["  EASY", "1"]), line(["  FCFS", "2"])],
        };
        assert_eq!(table.render(30), ["        a", "a metric with a long name", "  EASY  1", "  FCFS  2"]);
    }

    #[test]
    fn names_have_the_room_that_they_need_and_never_read_the_same() {
        let line = |name: &str| [&[name.to_string()][..], &vec!["12345.67 ± 0.12".to_string(); 4]].concat();
        let names = ["without a plan: nodes taken by others", "without a plan: no slot long enough"];
        let heading = [&[String::new()][..], &["a", "b", "c", "d"].map(String::from)].concat();
        let table = TextTable { heading, lines: names.iter().map(|name| line(name)).collect() };
        // Two columns leave room for whole names; three do so for two fifths of the width.
        let lines = table.render(80);
        assert!(lines[1].starts_with(names[0]) && lines[1].ends_with("  12345.67 ± 0.12"), "{lines:#?}");
        let lines = table.render(84);
        let label: String = lines[1].chars().take(33).collect();
        assert!(
            label.starts_with("without a plan: n") && label.contains('…') && label.ends_with("others"),
            "{lines:#?}"
        );
        let alike = ["a policy with a very long name, 1 and so on", "a policy with a very long name, 2 and so on"];
        for width in 1..60 {
            let table = TextTable { lines: alike.iter().map(|name| line(name)).collect(), ..table.clone() };
            let lines = table.render(width);
            let [first, second] = [2, 1].map(|from_end| lines[lines.len() - from_end].clone());
            assert!(width_of(&first) <= width && (width < 2 || first != second), "{width}: {lines:#?}");
        }
    }

    proptest! {
        #[test]
        fn nothing_is_wider_than_the_terminal(
            width in 1_usize..90,
            words in prop::collection::vec("[a-zäß ]{0,24}", 1..5),
            cells in prop::collection::vec(prop::collection::vec("[0-9.± ]{0,16}", 5), 0..4),
        ) {
            let columns = words.len();
            let lines = cells.into_iter().map(|line| line[..columns].to_vec()).collect();
            let text = words.join(" ");
            let table = TextTable { heading: words, lines };
            let all = table.render(width).into_iter().chain(wrapped(&text, width, 0)).chain([shortened(&text, width)]);
            for line in all {
                prop_assert!(width_of(&line) <= width, "{line:?}");
            }
        }
    }
}
