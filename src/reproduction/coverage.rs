//! Which scenario reproduces which published table or figure: the table of `scenarios/README.md`, read from its own
//! text.

/// The text of `scenarios/README.md`.
const TEXT: &str = include_str!("../../scenarios/README.md");

/// A published table, figure or set of numbers, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Covered {
    /// The paper's number.
    pub paper: String,
    /// The table or figure, as the paper numbers it.
    pub item: String,
    /// The names of the scenarios that reproduce it; none where that can't be done.
    pub scenarios: Vec<String>,
    /// The content of the item, and what can be said of it.
    pub note: String,
}

/// All published items, in the order of the table.
///
/// ```
/// use gridloom::reproduction::coverage;
///
/// let table = coverage();
/// let first = table.iter().find(|covered| covered.paper == "001" && covered.item == "Table 1");
/// assert_eq!(first.unwrap().scenarios, ["opt-vs-no-opt"]);
/// ```
pub fn coverage() -> Vec<Covered> {
    TEXT.lines().filter_map(line).collect()
}

/// A line of the table: the paper's number, the item, the scenarios in backquotes, the note.
fn line(line: &str) -> Option<Covered> {
    let cells: Vec<&str> = line.strip_prefix('|')?.strip_suffix('|')?.split('|').map(str::trim).collect();
    let [paper, item, scenarios, note] = cells[..] else { return None };
    let is_number = paper.len() == 3 && paper.chars().all(|c| c.is_ascii_digit());
    is_number.then(|| Covered {
        paper: paper.into(),
        item: item.into(),
        scenarios: scenarios.split('`').skip(1).step_by(2).map(String::from).collect(),
        note: note.replace('`', ""),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_any_number_of_scenarios_and_other_lines_are_passed_over() {
        let covered = line("| 003 | Fig. 2 | `a-b`, `c` | Costs in `G$`. |").unwrap();
        assert_eq!(covered.scenarios, ["a-b", "c"]);
        assert_eq!((covered.item.as_str(), covered.note.as_str()), ("Fig. 2", "Costs in G$."));
        assert_eq!(line("| 003 | Fig. 1 | none | A drawing. |").unwrap().scenarios, [""; 0]);
        for other in ["| paper | item | scenario | note |", "| --- | --- | --- | --- |", "text", "| 003 | a | b |"] {
            assert_eq!(line(other), None, "{other}");
        }
    }
}
