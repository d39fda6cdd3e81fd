//! A scenario as the page shows it: long lists, such as the jobs of a log, are cut to their beginning.

/// So many lines one below the other, such as the elements of a list, are shown.
const MOST_LINES: usize = 40;
/// Of more, these are.
const SHOWN: usize = 3;
/// A line shows at most this many letters.
const MOST_LETTERS: usize = 1000;

/// The text of a scenario with the first few elements of each long list, and the number of the others.
pub(super) fn shortened(text: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut shown = String::with_capacity(text.len().min(1 << 16));
    let lines: Vec<&str> = text.lines().collect();
    for alike in lines.chunk_by(|one, other| indent(one) == indent(other)) {
        let most = if alike.len() > MOST_LINES { SHOWN } else { alike.len() };
        for line in &alike[..most] {
            match line.char_indices().nth(MOST_LETTERS) {
                Some((end, _)) => shown.push_str(&format!("{} ... more, in scenario.ron\n", &line[..end])),
                None => shown.extend([line, "\n"]),
            }
        }
        if most < alike.len() {
            let blanks = " ".repeat(indent(alike[0]));
            shown.push_str(&format!("{blanks}... {} more, in scenario.ron\n", grouped(alike.len() - most)));
        }
    }
    shown
}

/// A count with commas between its thousands.
pub(super) fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_keeps_its_first_elements_and_what_follows_it() {
        let jobs: String = (0..28_467).map(|k| format!("        (id: {k}, tasks: [1, 2]),\n")).collect();
        let text = format!("(\n    jobs: [\n{jobs}    ],\n    seed: 1,\n)\n");
        let expected = "(\n    jobs: [\n        (id: 0, tasks: [1, 2]),\n        (id: 1, tasks: [1, 2]),\n        \
                        (id: 2, tasks: [1, 2]),\n        ... 28,464 more, in scenario.ron\n    ],\n    seed: 1,\n)\n";
        assert_eq!(shortened(&text), expected);
        assert_eq!(shortened(expected), expected);
    }

    #[test]
    fn a_long_line_is_cut_between_letters() {
        let text = "ä".repeat(MOST_LETTERS) + "ä]";
        assert_eq!(shortened(&text), "ä".repeat(MOST_LETTERS) + " ... more, in scenario.ron\n");
    }

    #[test]
    fn counts_are_grouped_by_thousands() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
