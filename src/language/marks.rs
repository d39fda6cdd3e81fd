//! Marks in the texts of starters: which values are required, which are defaults, and which are only examples.

use super::decode::Decode;
use super::written::{WrittenField, written_fields};
use std::collections::{BTreeMap, BTreeSet};

/// No line becomes longer than this.
const COLUMNS: usize = 120;
/// Defaults of more letters are not repeated.
const LONG_DEFAULT: usize = 40;

/// A line that says what the marks mean.
const LEGEND: &str = "// Marks: `required` has no default; `default` may be left out; `example` differs from the \
                      default, which is named.";

/// The text of a `T` with a mark for every value: at the end of the line where the value begins, or above that line
/// where it would become too long. The marks are worked out from the declarations.
///
/// ```
/// use gridloom::language::{Count, mark_defaults};
///
/// gridloom::record! {
///     /// A queue.
///     pub struct QueueSpec {
///         /// Its name.
///         name: String,
///         /// The number of servers.
///         #[unit = "servers"]
///         servers: Count = Count::ONE,
///         /// The number of places; without end, unless given.
///         #[unit = "jobs"]
///         places: Option<Count>,
///     }
/// }
///
/// let text = mark_defaults::<QueueSpec>("(\n    name: \"a\",\n    servers: 1,\n    places: 5,\n)\n");
/// let lines: Vec<&str> = text.lines().collect();
/// assert_eq!(lines[2..5], [
///     "    name: \"a\", // required",
///     "    servers: 1, // default",
///     "    places: 5, // example; default: None",
/// ]);
/// ```
pub fn mark_defaults<T: Decode>(text: &str) -> String {
    let fields = visible(written_fields(text, &T::form()));
    let mut marked = String::new();
    let (mut begin, mut has_legend) = (0, false);
    for line in text.split_inclusive('\n') {
        let end = begin + line.len();
        let bare = line.trim_end();
        if !has_legend && !bare.is_empty() && !bare.starts_with("//") {
            marked.push_str(&format!("{LEGEND}\n"));
            has_legend = true;
        }
        let here: Vec<&WrittenField> = fields.iter().filter(|field| (begin..end).contains(&field.start)).collect();
        match mark(bare, &here) {
            None => marked.push_str(line),
            Some(mark) => {
                // Text that goes on in the next line would take the mark in.
                let in_text = here.iter().any(|field| field.end > end && field.value.starts_with(['"', 'r']));
                let fits = bare.chars().count() + 1 + mark.chars().count() <= COLUMNS;
                if fits && !in_text && !bare.contains("//") {
                    marked.push_str(&format!("{bare} {mark}\n"));
                } else {
                    let indent = bare.len() - bare.trim_start().len();
                    for part in broken(&mark, COLUMNS - indent) {
                        marked.push_str(&format!("{:indent$}{part}\n", ""));
                    }
                    marked.push_str(line);
                }
            }
        }
        begin = end;
    }
    marked
}

/// A comment as several lines, broken after a group, if it is too long for one.
fn broken(mark: &str, columns: usize) -> Vec<String> {
    if mark.chars().count() <= columns {
        return vec![mark.to_string()];
    }
    mark.trim_start_matches("// ").split("; ").map(|group| format!("// {group}")).collect()
}

/// The fields that are marked: not those inside of a value that is a default as a whole.
fn visible(fields: Vec<WrittenField>) -> Vec<WrittenField> {
    let mut kept = Vec::new();
    let mut default_until = 0;
    for field in fields {
        if field.start >= default_until {
            if field.is_default() {
                default_until = field.end;
            }
            kept.push(field);
        }
    }
    kept
}

/// The mark of a line on which these fields begin.
fn mark(line: &str, fields: &[&WrittenField]) -> Option<String> {
    let outermost = fields.iter().map(|field| field.depth).min()?;
    let is_told = |field: &&&WrittenField| field.depth == outermost || field.entry.default.is_some();
    let told: Vec<&WrittenField> = fields.iter().filter(is_told).copied().collect();
    if let [only] = told[..]
        && line.trim_start().starts_with(only.entry.name)
    {
        return Some(match &only.entry.default {
            None => "// required".into(),
            Some(_) if only.is_default() => "// default".into(),
            Some(default) => format!("// example; default: {}", short(default)),
        });
    }
    // In the order of the words, each name once.
    let mut groups: BTreeMap<&str, (Vec<String>, BTreeSet<String>)> = BTreeMap::new();
    for field in told {
        let name = field.entry.name;
        let (group, text) = match &field.entry.default {
            None => ("required", name.to_string()),
            Some(_) if field.is_default() => ("default", name.to_string()),
            Some(default) => ("example", format!("{name} (default: {})", short(default))),
        };
        let (texts, seen) = groups.entry(group).or_default();
        if seen.insert(text.clone()) {
            texts.push(text);
        }
    }
    let parts: Vec<String> = ["required", "example", "default"]
        .iter()
        .filter_map(|group| groups.get(group).map(|(texts, _)| format!("{group}: {}", texts.join(", "))))
        .collect();
    Some(format!("// {}", parts.join("; ")))
}

fn short(default: &str) -> &str {
    if default.chars().count() > LONG_DEFAULT { "see `gridloom describe`" } else { default }
}
