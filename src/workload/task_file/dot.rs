//! Graphviz digraphs whose nodes are tasks.

mod graph;
mod words;

use super::{FileTask, ReadTasks, TaskFileError, TextPlace};
use crate::language::decode::suggest;
use graph::Graph;
use std::collections::BTreeSet;
use std::iter::Peekable;
use words::{DotWord, DotWords, WordKind};

/// Words that mean something of their own unless they stand in quotes.
const KEYWORDS: [&str; 6] = ["graph", "node", "edge", "subgraph", "digraph", "strict"];
/// Names that others give to the amount of work or data, none of which Graphviz knows.
const MEANT: &str = "data volume transfer work time runtime duration length bytes bandwidth cost load amount flops \
    sizes workload computation";
/// Attributes of the drawing, which say nothing of the job.
const DRAWING: &str = "URL area arrowhead arrowsize arrowtail bgcolor class color colorscheme comment constraint \
    decorate dir distortion edgeURL edgehref edgetarget edgetooltip fillcolor fixedsize fontcolor fontname fontsize \
    gradientangle group headURL headclip headhref headlabel headport headtarget headtooltip height href id \
    image imagepos imagescale label labelURL labelangle labeldistance labelfloat labelfontcolor labelfontname \
    labelfontsize labelhref labeljust labelloc labeltarget labeltooltip layer lhead lp ltail margin minlen \
    nojustify ordering orientation pencolor penwidth peripheries pin pos regular rank root shape style \
    tooltip weight width xlabel z";

/// Reads a `digraph`: `a [size=3]; b [size=4]; a -> b [size=100];`. The size of a node is its work, the size of an edge
/// its data, none if it is not given; `node [size=...]` and `edge [size=...]` set what holds for those that follow.
/// Attributes of the drawing are passed over, and so are others that look like no size. Refused are subgraphs, ports
/// and undirected graphs, tasks called by a keyword without quotes, tasks without a size or with two, edges from a task
/// to itself, and circles.
///
/// ```
/// use gridloom::workload::read_dot;
/// let tasks = read_dot("digraph job { split [size=2]; work [size=9.5]; split -> work [size=4, color=red]; }")?;
/// assert_eq!((tasks[1].name.as_str(), tasks[1].size, &tasks[1].inputs[..]), ("work", 9.5, &[(0, 4.0)][..]));
/// # Ok::<(), gridloom::workload::TaskFileError>(())
/// ```
pub fn read_dot(text: &str) -> Result<Vec<FileTask>, TaskFileError> {
    read(text).map(|(tasks, _)| tasks)
}

/// The same, with notes on what was passed over.
pub(super) fn read(text: &str) -> Result<ReadTasks, TaskFileError> {
    let place = TextPlace { line: 1, column: 1 };
    let mut reader = DotReader { words: DotWords::new(text).peekable(), place, passed_over: BTreeSet::new() };
    if reader.peek_is("strict") {
        reader.next()?;
    }
    reader.expect("digraph")?;
    if !reader.peek_is("{") {
        reader.next()?;
    }
    reader.expect("{")?;
    let mut graph = Graph::default();
    while !reader.peek_is("}") {
        statement(&mut reader, &mut graph)?;
        while reader.peek_is(";") {
            reader.next()?;
        }
    }
    reader.expect("}")?;
    if let Some(word) = reader.next()? {
        let right = "leave it out: a file has one graph";
        return Err(reader.wrong(format!("{:?} stands after the end of the graph", word.text), right));
    }
    let names: Vec<String> = reader.passed_over.iter().map(|name| format!("`{name}`")).collect();
    let note = format!("attributes that mean nothing here are passed over: {}", names.join(", "));
    Ok((graph.finish()?, if names.is_empty() { Vec::new() } else { vec![note] }))
}

/// A node, a chain of edges, a setting, or attributes for all that follow.
fn statement(reader: &mut DotReader<'_>, graph: &mut Graph) -> Result<(), TaskFileError> {
    let first = reader.name()?;
    if reader.peek_is("=") {
        reader.next()?;
        return reader.name().map(|_| ());
    }
    if let Some(keyword) = first.keyword()
        && ["graph", "node", "edge"].contains(&keyword)
        && reader.peek_is("[")
    {
        // The size of a graph is that of its drawing.
        let size = attributes(reader, (keyword != "graph").then_some(keyword))?.map(|(size, _)| size);
        match keyword {
            "node" => graph.node_size = size.or(graph.node_size),
            "edge" => graph.edge_size = size.or(graph.edge_size),
            _ => (),
        }
        return Ok(());
    }
    let mut row = vec![(first.place, graph.place(first.place, reader.task(first)?)?)];
    while reader.peek_is("->") {
        reader.next()?;
        let word = reader.name()?;
        row.push((word.place, graph.place(word.place, reader.task(word)?)?));
    }
    let of = graph.name(row[row.len() - 1].1).to_string();
    let size = attributes(reader, Some(&of))?;
    if let [(_, only)] = row[..] {
        graph.size_task(only, size)?;
    }
    for pair in row.windows(2) {
        graph.connect(pair[0].1, (pair[1].0, pair[1].1), size.map(|(size, _)| size))?;
    }
    Ok(())
}

/// The size among attributes in brackets and its place, if there is one. Without a task or keyword whose attributes
/// they are, all are passed over.
fn attributes(reader: &mut DotReader<'_>, of: Option<&str>) -> Result<Option<(f64, TextPlace)>, TaskFileError> {
    let mut found = None;
    while reader.peek_is("[") {
        reader.next()?;
        while !reader.peek_is("]") {
            let name = reader.name()?;
            reader.expect("=")?;
            let value = reader.name()?;
            match of {
                Some(of) if name.text == "size" => found = Some((size(of, &value)?, name.place)),
                Some(of) => reader.pass_over(&name, of)?,
                None => (),
            }
            while reader.peek_is(",") || reader.peek_is(";") {
                reader.next()?;
            }
        }
        reader.expect("]")?;
    }
    Ok(found)
}

/// The number that a size is.
fn size(of: &str, value: &DotWord) -> Result<f64, TaskFileError> {
    let number = value.text.parse().ok().filter(|size: &f64| size.is_finite() && *size >= 0.0);
    number.ok_or_else(|| {
        let right = format!("write a number of at least 0, such as `{} [size=3]`", in_dot(of));
        TaskFileError::at(
            value.place,
            format!("`{}` has the size {:?}, which is no such number", of, value.text),
            right,
        )
    })
}

/// A name as it is written in a graph.
fn in_dot(name: &str) -> String {
    let is_plain = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    let is_plain = is_plain && !name.is_empty() && (!KEYWORDS.contains(&name) || name == "node" || name == "edge");
    if is_plain { name.to_string() } else { format!("{name:?}") }
}

impl DotWord {
    /// The keyword that it is; in quotes it is none.
    fn keyword(&self) -> Option<&'static str> {
        let is = |known: &&&str| self.kind == WordKind::Plain && self.text.eq_ignore_ascii_case(known);
        KEYWORDS.iter().find(is).copied()
    }
}

struct DotReader<'a> {
    words: Peekable<DotWords<'a>>,
    /// The place of the last word.
    place: TextPlace,
    /// The names of attributes that neither Graphviz nor this reader knows.
    passed_over: BTreeSet<String>,
}

impl DotReader<'_> {
    /// True if this sign or keyword comes next.
    fn peek_is(&mut self, wanted: &str) -> bool {
        match self.words.peek() {
            Some(Ok(word)) if word.kind == WordKind::Sign => word.text == wanted,
            Some(Ok(word)) => word.keyword() == Some(wanted),
            _ => false,
        }
    }

    fn next(&mut self) -> Result<Option<DotWord>, TaskFileError> {
        let word = self.words.next().transpose()?;
        self.place = word.as_ref().map_or(self.place, |word| word.place);
        Ok(word)
    }

    fn wrong(&self, what: impl Into<String>, right: impl Into<String>) -> TaskFileError {
        TaskFileError::at(self.place, what, right)
    }

    fn expect(&mut self, wanted: &str) -> Result<(), TaskFileError> {
        let is_there = self.peek_is(wanted);
        let word = self.next()?;
        if is_there {
            return Ok(());
        }
        let found = word.map_or("the file ends".to_string(), |word| format!("found {:?}", word.text));
        let right = match wanted {
            "digraph" => "begin with `digraph {`: only directed graphs are read",
            "=" => "write attributes as `[name=value]`",
            _ => "",
        };
        Err(self.wrong(format!("{found}, where {wanted:?} should be"), right))
    }

    fn name(&mut self) -> Result<DotWord, TaskFileError> {
        let found = match self.next()? {
            Some(word) if word.kind != WordKind::Sign => return Ok(word),
            Some(word) => format!("found {:?}", word.text),
            None => "the file ends".to_string(),
        };
        Err(self.wrong(format!("{found}, where a name should be"), ""))
    }

    /// The name that a word gives if it stands for a task.
    fn task(&self, word: DotWord) -> Result<String, TaskFileError> {
        match word.keyword() {
            Some("subgraph") => Err(TaskFileError::at(
                word.place,
                "subgraphs are not read",
                "list their tasks and edges in the graph itself",
            )),
            Some(keyword) => {
                let right = format!("put it in quotes if a task is called so: `\"{keyword}\"`");
                Err(TaskFileError::at(word.place, format!("{keyword:?} is a keyword"), right))
            }
            None => Ok(word.text),
        }
    }

    /// Passes over an attribute, unless it looks like a size.
    fn pass_over(&mut self, name: &DotWord, of: &str) -> Result<(), TaskFileError> {
        let text = name.text.as_str();
        if DRAWING.split(' ').any(|known| known == text) {
            return Ok(());
        }
        let is_meant = MEANT.split(' ').any(|meant| text.eq_ignore_ascii_case(meant));
        if is_meant || suggest(text, &["size"], "").0.is_some() {
            let right = format!(
                "did you mean `{} [size=...]`? The size of a task is its work, that of an edge its data",
                in_dot(of)
            );
            return Err(TaskFileError::at(name.place, format!("`{text}` is no attribute that is read"), right));
        }
        self.passed_over.insert(text.chars().take(40).collect());
        Ok(())
    }
}

#[cfg(test)]
mod tests;
