//! Graphviz digraphs whose nodes are tasks.

mod words;

use super::{FileTask, LINKS_LIMIT, TASKS_LIMIT, TaskFileError};
use std::collections::BTreeMap;
use std::iter::Peekable;
use words::{DotWord, DotWords, WordKind};

/// Words that mean something of their own unless they stand in quotes.
const KEYWORDS: [&str; 6] = ["graph", "node", "edge", "subgraph", "digraph", "strict"];

/// Reads a `digraph`: `a [size=3]; b [size=4]; a -> b [size=100];`. The size of a node is its work, the size of an edge
/// its data, none if it is not given; `node [size=...]` and `edge [size=...]` set what holds for those that follow.
/// Other attributes are passed over. Subgraphs, ports and undirected graphs are refused, and so are tasks called by a
/// keyword without quotes.
///
/// ```
/// use gridloom::workload::read_dot;
/// let tasks = read_dot("digraph job { split [size=2]; work [size=9.5]; split -> work [size=4, color=red]; }")?;
/// assert_eq!((tasks[1].name.as_str(), tasks[1].size, &tasks[1].inputs[..]), ("work", 9.5, &[(0, 4.0)][..]));
/// # Ok::<(), gridloom::workload::TaskFileError>(())
/// ```
pub fn read_dot(text: &str) -> Result<Vec<FileTask>, TaskFileError> {
    let mut reader = DotReader { words: DotWords::new(text).peekable(), line: 1 };
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
    match reader.next()? {
        Some(word) => Err(reader.wrong(format!("{:?} stands after the end of the graph", word.text))),
        None => graph.finish(),
    }
}

/// The graph as far as it has been read.
#[derive(Default)]
struct Graph {
    names: Vec<String>,
    places: BTreeMap<String, usize>,
    sizes: Vec<Option<f64>>,
    edges: BTreeMap<(usize, usize), f64>,
    node_size: Option<f64>,
    edge_size: Option<f64>,
}

impl Graph {
    fn place(&mut self, name: String) -> Result<usize, TaskFileError> {
        if let Some(&place) = self.places.get(&name) {
            return Ok(place);
        }
        let place = self.names.len();
        if place == TASKS_LIMIT {
            return Err(TaskFileError::Count(place + 1));
        }
        self.names.push(name.clone());
        self.sizes.push(self.node_size);
        self.places.insert(name, place);
        Ok(place)
    }

    fn finish(self) -> Result<Vec<FileTask>, TaskFileError> {
        let mut tasks = Vec::with_capacity(self.names.len());
        for (name, size) in self.names.into_iter().zip(self.sizes) {
            let wrong = || TaskFileError::Size { of: format!("task {name:?}"), size: "none".into() };
            let size = size.ok_or_else(wrong)?;
            tasks.push(FileTask { name, size, inputs: Vec::new() });
        }
        for ((from, to), data) in self.edges {
            tasks[to].inputs.push((from, data));
        }
        Ok(tasks)
    }
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
        let size = attributes(reader, keyword)?;
        match keyword {
            "node" => graph.node_size = size.or(graph.node_size),
            "edge" => graph.edge_size = size.or(graph.edge_size),
            _ => (),
        }
        return Ok(());
    }
    let mut row = vec![graph.place(reader.task(first)?)?];
    while reader.peek_is("->") {
        reader.next()?;
        let word = reader.name()?;
        row.push(graph.place(reader.task(word)?)?);
    }
    let of = graph.names[row[row.len() - 1]].clone();
    let size = attributes(reader, &of)?;
    if let [only] = row[..] {
        graph.sizes[only] = size.or(graph.sizes[only]);
    }
    for pair in row.windows(2) {
        let data = size.or(graph.edge_size).unwrap_or(0.0);
        if graph.edges.insert((pair[0], pair[1]), data).is_some() {
            let [from, to] = [pair[0], pair[1]].map(|place| &graph.names[place]);
            return Err(reader.wrong(format!("the edge from {from:?} to {to:?} is there twice")));
        }
        if graph.edges.len() > LINKS_LIMIT {
            return Err(reader.wrong(format!("there are more than {LINKS_LIMIT} edges")));
        }
    }
    Ok(())
}

/// The size among attributes in brackets, if there are any.
fn attributes(reader: &mut DotReader<'_>, of: &str) -> Result<Option<f64>, TaskFileError> {
    let mut found = None;
    while reader.peek_is("[") {
        reader.next()?;
        while !reader.peek_is("]") {
            let name = reader.name()?.text;
            reader.expect("=")?;
            let value = reader.name()?.text;
            if name == "size" {
                let number = value.parse().ok().filter(|size: &f64| size.is_finite() && *size >= 0.0);
                found = Some(number.ok_or_else(|| TaskFileError::Size { of: format!("{of:?}"), size: value })?);
            }
            while reader.peek_is(",") || reader.peek_is(";") {
                reader.next()?;
            }
        }
        reader.expect("]")?;
    }
    Ok(found)
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
    /// The line of the last word.
    line: usize,
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
        self.line = word.as_ref().map_or(self.line, |word| word.line);
        Ok(word)
    }

    fn wrong(&self, what: String) -> TaskFileError {
        TaskFileError::Syntax { line: self.line, what }
    }

    fn expect(&mut self, wanted: &str) -> Result<(), TaskFileError> {
        let is_there = self.peek_is(wanted);
        let word = self.next()?;
        if is_there {
            return Ok(());
        }
        let found = word.map_or("the file ends".to_string(), |word| format!("found {:?}", word.text));
        Err(self.wrong(format!("{found}, where {wanted:?} should be")))
    }

    fn name(&mut self) -> Result<DotWord, TaskFileError> {
        let found = match self.next()? {
            Some(word) if word.kind != WordKind::Sign => return Ok(word),
            Some(word) => format!("found {:?}", word.text),
            None => "the file ends".to_string(),
        };
        Err(self.wrong(format!("{found}, where a name should be")))
    }

    /// The name that a word gives if it stands for a task.
    fn task(&self, word: DotWord) -> Result<String, TaskFileError> {
        match word.keyword() {
            Some("subgraph") => Err(self.wrong("subgraphs are not read".into())),
            Some(keyword) => {
                Err(self.wrong(format!("{keyword:?} is a keyword: put it in quotes if a task is called so")))
            }
            None => Ok(word.text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_graph_as_people_write_them() {
        let text = "strict digraph \"my job\" {
  // comment with } and \"
  rankdir=LR; node [shape=box, size=\"2.5\"];
# a line for the preprocessor
  root [size=\"10\" label=\"a // b\"];
  root -> \"task \\\"1\\\"\" -> end_2 [size=3]
  /* several
     lines */ edge [size=7]
  root -> end_2
}";
        let tasks = read_dot(text).unwrap();
        let names: Vec<&str> = tasks.iter().map(|task| task.name.as_str()).collect();
        assert_eq!(names, ["root", "task \"1\"", "end_2"]);
        assert_eq!(tasks.iter().map(|task| task.size).collect::<Vec<_>>(), [10.0, 2.5, 2.5]);
        assert_eq!(tasks[2].inputs, [(0, 7.0), (1, 3.0)]);
    }

    #[test]
    fn a_keyword_in_quotes_is_a_name_like_any_other() {
        let said = |text: &str| read_dot(text).unwrap_err().to_string();
        let tasks = read_dot("digraph \"digraph\" { \"node\" [size=1]; node [size=4]; b }").unwrap();
        let named: Vec<_> = tasks.iter().map(|task| (task.name.as_str(), task.size)).collect();
        assert_eq!(named, [("node", 1.0), ("b", 4.0)]);
        let every = "STRICT Digraph { Node [size=2]; \"edge\" -> \"graph\"; \"subgraph\" -> \"edge\"; \"strict\" -> \"digraph\" }";
        let names: Vec<String> = read_dot(every).unwrap().into_iter().map(|task| task.name).collect();
        assert_eq!(names, ["edge", "graph", "subgraph", "strict", "digraph"]);
        assert_eq!(said("\"digraph\" { }"), "line 1: found \"digraph\", where \"digraph\" should be");
        let bare = said("digraph { a [size=1];\n node -> a }");
        assert_eq!(bare, "line 2: \"node\" is a keyword: put it in quotes if a task is called so");
        assert_eq!(said("digraph { a -> subgraph x { b } }"), "line 1: subgraphs are not read");
    }

    #[test]
    fn a_byte_order_mark_and_graphs_without_end() {
        assert_eq!(read_dot("\u{FEFF}digraph { a [size=1] }").unwrap().len(), 1);
        let many: String = (0..=TASKS_LIMIT).map(|task| format!("t{task};")).collect();
        assert_eq!(read_dot(&format!("digraph {{ {many} }}")), Err(TaskFileError::Count(TASKS_LIMIT + 1)));
    }

    #[test]
    fn mistakes_have_their_line() {
        let said = |text: &str| read_dot(text).unwrap_err().to_string();
        assert_eq!(said("graph { a -- b }"), "line 1: found \"graph\", where \"digraph\" should be");
        assert_eq!(said("digraph {\n a [size=1];\n a -> ; }"), "line 3: found \";\", where a name should be");
        assert_eq!(said("digraph {\n a [size=1]\n"), "line 2: the file ends, where a name should be");
        assert_eq!(
            said("digraph { a [size=1] a -> b [size=2] a -> b }"),
            "line 1: the edge from \"a\" to \"b\" is there twice"
        );
        assert!(said("digraph { a -> b }").starts_with("task \"a\" has the size \"none\""));
        assert!(said("digraph { a [size=-1] }").starts_with("\"a\" has the size \"-1\""));
        assert_eq!(said("digraph {\n subgraph x { a } }"), "line 2: subgraphs are not read");
        assert_eq!(said("digraph { \"a }"), "line 1: a quote is not closed");
        assert_eq!(said("digraph { a:port [size=1] }"), "line 1: ':' is not read here");
        assert_eq!(said("digraph { } x"), "line 1: \"x\" stands after the end of the graph");
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(digraph|\\{|\\}|a|b|->|\\[size=1\\]|;|\"|=|//|/\\*|\\*/|#|\\\\| |\n){0,40}") {
            let _ = read_dot(&text);
        }
    }
}
