//! Graphviz digraphs whose nodes are tasks.

use super::{FileTask, TaskFileError};
use std::collections::BTreeMap;
use std::iter::Peekable;
use std::str::Chars;

/// Reads a `digraph`: `a [size=3]; b [size=4]; a -> b [size=100];`. The size of a node is its work, the size of an edge its
/// data, none if it is not given; `node [size=...]` and `edge [size=...]` set what holds for those that follow. Other attributes
/// are passed over. Subgraphs, ports and undirected graphs are refused.
///
/// ```
/// use gridloom::workload::read_dot;
/// let tasks = read_dot("digraph job { split [size=2]; work [size=9.5]; split -> work [size=4, color=red]; }")?;
/// assert_eq!((tasks[1].name.as_str(), tasks[1].size, &tasks[1].inputs[..]), ("work", 9.5, &[(0, 4.0)][..]));
/// # Ok::<(), gridloom::workload::TaskFileError>(())
/// ```
pub fn read_dot(text: &str) -> Result<Vec<FileTask>, TaskFileError> {
    let mut reader = Reader { words: words(text)?.into_iter().peekable(), line: 1 };
    if reader.peek_is("strict") {
        reader.next();
    }
    reader.expect("digraph")?;
    if !reader.peek_is("{") {
        reader.next();
    }
    reader.expect("{")?;
    let mut graph = Graph::default();
    while !reader.peek_is("}") {
        statement(&mut reader, &mut graph)?;
        while reader.peek_is(";") {
            reader.next();
        }
    }
    reader.expect("}")?;
    match reader.next() {
        Some(word) => Err(reader.wrong(format!("{word:?} stands after the end of the graph"))),
        None => graph.finish(),
    }
}

/// What has been read so far.
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
    fn place(&mut self, name: String) -> usize {
        *self.places.entry(name.clone()).or_insert_with(|| {
            self.names.push(name);
            self.sizes.push(self.node_size);
            self.names.len() - 1
        })
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
fn statement(reader: &mut Reader, graph: &mut Graph) -> Result<(), TaskFileError> {
    let first = reader.name()?;
    if reader.peek_is("=") {
        reader.next();
        return reader.name().map(|_| ());
    }
    if ["graph", "node", "edge"].contains(&first.as_str()) && reader.peek_is("[") {
        let size = attributes(reader, &first)?;
        match first.as_str() {
            "node" => graph.node_size = size.or(graph.node_size),
            "edge" => graph.edge_size = size.or(graph.edge_size),
            _ => (),
        }
        return Ok(());
    }
    if first == "subgraph" {
        return Err(reader.wrong("subgraphs are not read".into()));
    }
    let mut row = vec![graph.place(first)];
    while reader.peek_is("->") {
        reader.next();
        let name = reader.name()?;
        row.push(graph.place(name));
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
    }
    Ok(())
}

/// The size among attributes in brackets, if there are any.
fn attributes(reader: &mut Reader, of: &str) -> Result<Option<f64>, TaskFileError> {
    let mut found = None;
    while reader.peek_is("[") {
        reader.next();
        while !reader.peek_is("]") {
            let name = reader.name()?;
            reader.expect("=")?;
            let value = reader.name()?;
            if name == "size" {
                let number = value.parse().ok().filter(|size: &f64| size.is_finite() && *size >= 0.0);
                found = Some(number.ok_or_else(|| TaskFileError::Size { of: format!("{of:?}"), size: value })?);
            }
            while reader.peek_is(",") || reader.peek_is(";") {
                reader.next();
            }
        }
        reader.expect("]")?;
    }
    Ok(found)
}

/// A word or a sign, whether it is a name, and its line.
struct Word {
    text: String,
    is_name: bool,
    line: usize,
}

struct Reader {
    words: Peekable<std::vec::IntoIter<Word>>,
    /// The line of the last word.
    line: usize,
}

impl Reader {
    fn peek_is(&mut self, sign: &str) -> bool {
        self.words
            .peek()
            .is_some_and(|word| word.text == sign && (!word.is_name || sign.starts_with(char::is_alphabetic)))
    }

    fn next(&mut self) -> Option<String> {
        let word = self.words.next()?;
        self.line = word.line;
        Some(word.text)
    }

    fn wrong(&self, what: String) -> TaskFileError {
        TaskFileError::Syntax { line: self.line, what }
    }

    fn expect(&mut self, sign: &str) -> Result<(), TaskFileError> {
        let is_there = self.peek_is(sign);
        let word = self.next();
        if is_there {
            return Ok(());
        }
        let found = word.map_or("the file ends".to_string(), |word| format!("found {word:?}"));
        Err(self.wrong(format!("{found}, where {sign:?} should be")))
    }

    fn name(&mut self) -> Result<String, TaskFileError> {
        let is_name = self.words.peek().is_some_and(|word| word.is_name);
        let word = self.next();
        let found = word.clone().map_or("the file ends".to_string(), |word| format!("found {word:?}"));
        word.filter(|_| is_name).ok_or_else(|| self.wrong(format!("{found}, where a name should be")))
    }
}

/// Names, numbers and signs, without comments.
fn words(text: &str) -> Result<Vec<Word>, TaskFileError> {
    let mut words = Vec::new();
    for (index, line) in blank_comments(text).lines().enumerate() {
        let number = index + 1;
        let mut letters = line.chars().peekable();
        while let Some(&letter) = letters.peek() {
            let (text, is_name) = match letter {
                _ if letter.is_whitespace() => {
                    letters.next();
                    continue;
                }
                '"' => (quoted(&mut letters, number)?, true),
                _ if is_part(letter) || letter == '-' => {
                    let word = plain(&mut letters);
                    let is_name = word != "->";
                    (word, is_name)
                }
                '{' | '}' | '[' | ']' | '=' | ';' | ',' => {
                    letters.next();
                    (letter.to_string(), false)
                }
                _ => {
                    let what = format!("{letter:?} is not read here");
                    return Err(TaskFileError::Syntax { line: number, what });
                }
            };
            words.push(Word { text, is_name, line: number });
        }
    }
    Ok(words)
}

fn is_part(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '.'
}

/// A name or number, `->`, or a negative number.
fn plain(letters: &mut Peekable<Chars<'_>>) -> String {
    let mut word: String = letters.next().into_iter().collect();
    if word == "-" && letters.peek() == Some(&'>') {
        letters.next();
        return "->".into();
    }
    while let Some(letter) = letters.next_if(|&letter| is_part(letter)) {
        word.push(letter);
    }
    word
}

/// A text in quotes, which ends on its line.
fn quoted(letters: &mut Peekable<Chars<'_>>, line: usize) -> Result<String, TaskFileError> {
    letters.next();
    let mut text = String::new();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => return Ok(text),
            '\\' if letters.peek() == Some(&'"') => text.extend(letters.next()),
            _ => text.push(letter),
        }
    }
    Err(TaskFileError::Syntax { line, what: "a quote is not closed".into() })
}

/// The text with blanks for comments (`//`, `#` at the start of a line, `/* */`), so that lines keep their numbers.
fn blank_comments(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let (mut in_block, mut in_quotes) = (false, false);
    for line in text.lines() {
        let mut letters = line.chars().peekable();
        let mut is_skipped = !in_block && !in_quotes && line.trim_start().starts_with('#');
        while let Some(letter) = letters.next() {
            let next = letters.peek().copied();
            match (letter, next) {
                _ if is_skipped => (),
                ('*', Some('/')) if in_block => {
                    letters.next();
                    in_block = false;
                }
                _ if in_block => (),
                ('\\', Some(escaped)) if in_quotes => {
                    clean.extend([letter, escaped]);
                    letters.next();
                }
                ('/', Some('/')) if !in_quotes => is_skipped = true,
                ('/', Some('*')) if !in_quotes => in_block = true,
                _ => {
                    in_quotes ^= letter == '"';
                    clean.push(letter);
                }
            }
        }
        in_quotes = false;
        clean.push('\n');
    }
    clean
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
