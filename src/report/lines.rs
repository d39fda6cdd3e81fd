//! Lines of text that fit a terminal.

use gridloom_files::single_line;

/// The number of letters, each of which takes one column.
pub(crate) fn width_of(text: &str) -> usize {
    text.chars().count()
}

/// The text on one line of at most `width` letters; of a longer one the middle is left out, since names that begin
/// alike differ at their ends.
pub(crate) fn shortened(text: &str, width: usize) -> String {
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
pub(crate) fn indent_of(text: &str) -> usize {
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
pub(crate) fn wrapped(text: &str, width: usize, indent: usize) -> Vec<String> {
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
pub(crate) fn listed(opening: &str, names: &[String], width: usize, most: usize) -> Vec<String> {
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
