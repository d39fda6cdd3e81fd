//! Text that is safe to show: on one line, and in HTML or XML.

/// The text on one line, without control characters, which terminals obey and XML forbids.
pub fn single_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace(|c: char| is_forbidden(c), "")
}

/// The text for an element's content or a quoted attribute of HTML or XML.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars().filter(|&c| c == '\n' || c == '\t' || !is_forbidden(c)) {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}

fn is_forbidden(c: char) -> bool {
    c.is_control() || matches!(c, '\u{FFFE}' | '\u{FFFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_has_neither_breaks_nor_commands_for_the_terminal() {
        assert_eq!(single_line("  a\tb\r\nc\u{1b}[31m\u{0} d "), "a b c[31m d");
    }

    #[test]
    fn escaping_keeps_breaks_and_drops_what_xml_forbids() {
        assert_eq!(escaped("a<b>\n\u{0}&\"'\u{FFFF}é"), "a&lt;b&gt;\n&amp;&quot;&#39;é");
    }
}
