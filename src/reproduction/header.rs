//! The comment at the head of a scenario file, in which it describes itself.

/// A paragraph of a header: `Set-up: six nodes ...`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paragraph {
    /// The text before the colon; empty for the title.
    pub label: String,
    /// The text behind it.
    pub text: String,
}

/// The most words that a label has: a longer beginning of a line is part of a sentence.
const LABEL_WORDS: usize = 3;

/// The paragraphs of the comment at the head of a scenario's text. One begins at each line that has a label and is not
/// indented.
///
/// ```
/// use gridloom::reproduction::header;
///
/// let paragraphs = header("// A title.\n//\n// Set-up: six nodes,\n//   and a note: all equal.\n(name: \"a\")");
/// assert_eq!(paragraphs[1].label, "Set-up");
/// assert_eq!(paragraphs[1].text, "six nodes, and a note: all equal.");
/// ```
pub fn header(text: &str) -> Vec<Paragraph> {
    let mut paragraphs: Vec<Paragraph> = Vec::new();
    for line in text.lines().map_while(|line| line.strip_prefix("//")) {
        let line = line.strip_prefix(' ').unwrap_or(line);
        match (label(line), paragraphs.last_mut()) {
            (Some((label, rest)), _) => paragraphs.push(Paragraph { label: label.into(), text: rest.trim().into() }),
            (None, Some(last)) if !line.trim().is_empty() => {
                last.text.push(' ');
                last.text.push_str(line.trim());
            }
            (None, None) => paragraphs.push(Paragraph { label: String::new(), text: line.trim().into() }),
            (None, Some(_)) => {}
        }
    }
    paragraphs
}

fn label(line: &str) -> Option<(&str, &str)> {
    let (before, rest) = line.split_once(": ")?;
    // Text in brackets explains the label: "Expect (an independent re-run, within 10 %)".
    let words = before.split(" (").next().unwrap_or(before).split_whitespace().count();
    (before.starts_with(char::is_uppercase) && words <= LABEL_WORDS).then_some((before, rest))
}
