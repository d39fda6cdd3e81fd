//! A scenario as the page shows it: long lists, such as the jobs of a log, are cut to their beginning.

/// Lists of more elements are cut.
const MOST_ELEMENTS: usize = 40;
/// So many elements of such a list are shown.
const SHOWN: usize = 3;

/// A bracket that is open.
struct OpenBracket {
    is_list: bool,
    /// Elements that ended with a comma.
    elements: usize,
    /// Where the text ends that is shown of a list that is cut.
    cut: usize,
    /// True if something stands after the last comma.
    is_filled: bool,
}

/// The text of a scenario with the first few elements of each long list, and the number of the others.
pub(super) fn shortened(text: &str) -> String {
    let mut shown = String::with_capacity(text.len().min(1 << 16));
    let mut open: Vec<OpenBracket> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = token(rest, first);
        let (part, after) = rest.split_at(length);
        rest = after;
        if let Some(inner) = open.last_mut() {
            inner.is_filled |= !(first.is_whitespace() || matches!(first, ',' | ']' | ')' | '}') || is_comment(part));
        }
        match first {
            '[' | '(' | '{' => {
                shown.push_str(part);
                open.push(OpenBracket { is_list: first == '[', elements: 0, cut: 0, is_filled: false });
                continue;
            }
            ']' | ')' | '}' => {
                if let Some(bracket) = open.pop() {
                    let elements = bracket.elements + usize::from(bracket.is_filled);
                    if bracket.is_list && elements > MOST_ELEMENTS {
                        cut(&mut shown, bracket.cut, elements - SHOWN);
                    }
                }
            }
            _ => {}
        }
        shown.push_str(part);
        if let (',', Some(inner)) = (first, open.last_mut()) {
            inner.elements += 1;
            inner.is_filled = false;
            if inner.elements == SHOWN {
                inner.cut = shown.len();
            }
        }
    }
    shown
}

/// Replaces all from `at` on by the number of elements that stood there; what separated the elements is kept.
fn cut(shown: &mut String, at: usize, left_out: usize) {
    let blank = |text: &str| text.len() - text.trim_start().len();
    let before = shown[at..at + blank(&shown[at..])].to_string();
    let after = shown[shown.trim_end().len()..].to_string();
    shown.truncate(at);
    shown.push_str(&format!("{before}... {} more, in scenario.ron{after}", grouped(left_out)));
}

/// The length of what begins here: a text, a comment, or a single character.
fn token(rest: &str, first: char) -> usize {
    let until = |end: &str, from: usize| rest[from..].find(end).map_or(rest.len(), |at| from + at + end.len());
    let raw = rest.strip_prefix('r').map(|rest| rest.len() - rest.trim_start_matches('#').len());
    match (first, raw) {
        ('"', _) => {
            let mut is_escaped = false;
            let closing = rest[1..].char_indices().find(|&(_, c)| {
                let is_closing = c == '"' && !is_escaped;
                is_escaped = c == '\\' && !is_escaped;
                is_closing
            });
            closing.map_or(rest.len(), |(at, _)| at + 2)
        }
        ('r', Some(hashes)) if rest[1 + hashes..].starts_with('"') => {
            until(&format!("\"{}", "#".repeat(hashes)), 2 + hashes)
        }
        ('/', _) if rest.starts_with("//") => until("\n", 2),
        ('/', _) if rest.starts_with("/*") => until("*/", 2),
        _ => first.len_utf8(),
    }
}

fn is_comment(part: &str) -> bool {
    part.starts_with("//") || part.starts_with("/*")
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
    fn a_long_list_keeps_its_first_elements_and_its_layout() {
        let jobs: Vec<String> = (0..28_467).map(|k| format!("        (id: {k}, tasks: [1, 2]),\n")).collect();
        let text = format!("(\n    jobs: [\n{}    ],\n    seed: 1,\n)", jobs.concat());
        let shown = shortened(&text);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(
            lines[2..],
            [
                "        (id: 0, tasks: [1, 2]),",
                "        (id: 1, tasks: [1, 2]),",
                "        (id: 2, tasks: [1, 2]),",
                "        ... 28,464 more, in scenario.ron",
                "    ],",
                "    seed: 1,",
                ")"
            ]
        );
    }

    #[test]
    fn lists_inside_of_others_and_on_one_line_are_cut_too() {
        let numbers: Vec<String> = (0..100).map(|k| k.to_string()).collect();
        let text = format!("[[{0}], ({0})]", numbers.join(", "));
        let whole = format!("({})", numbers.join(", "));
        assert_eq!(shortened(&text), format!("[[0, 1, 2, ... 97 more, in scenario.ron], {whole}]"));
    }

    #[test]
    fn short_lists_and_texts_with_brackets_stay_as_they_are() {
        let tricky = "a: \"[\\\"1,2\", b: r#\"]\"[,\"#, // ],],\n/* [, */ c: [1, 2,], d: \"\\\\\", e: []";
        assert_eq!(shortened(tricky), tricky);
        let names: Vec<String> = (0..MOST_ELEMENTS).map(|k| format!("\"{k}, ]\"")).collect();
        let text = format!("[{}, // none, at all\n]", names.join(", "));
        assert_eq!(shortened(&text), text);
        for broken in ["[\"", "]]", "[1, 2", "r#\"", "/*", "é[ü,"] {
            assert_eq!(shortened(broken), broken);
        }
    }

    #[test]
    fn counts_are_grouped_by_thousands() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
