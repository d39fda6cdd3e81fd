//! Graphviz digraphs whose nodes are tasks.

mod graph;
mod words;

use super::{FileTask, TaskFileError, TextPlace};
use crate::language::decode::nearest;
use graph::Graph;
use std::iter::Peekable;
use words::{DotWord, DotWords, WordKind};

/// Words that mean something of their own unless they stand in quotes.
const KEYWORDS: [&str; 6] = ["graph", "node", "edge", "subgraph", "digraph", "strict"];
/// Names that others give to the amount of work or data. Graphviz draws by two of them, `weight` and `len`, but in a
/// graph of tasks they are more likely meant as amounts.
const MEANT: &str = "data volume transfer work time runtime duration length bytes bandwidth cost load amount flops \
    sizes workload computation weight len";
/// The attributes of Graphviz, which say nothing of the job.
const DRAWING: &str = "Damping K TBbalance URL _background area arrowhead arrowsize arrowtail bb beautify bgcolor \
    center charset class cluster clusterrank color colorscheme comment compound concentrate constraint decorate \
    defaultdist dim dimen dir diredgeconstraints distortion dpi edgeURL edgehref edgetarget edgetooltip epsilon esep \
    fillcolor fixedsize fontcolor fontname fontnames fontpath fontsize forcelabels gradientangle group headURL \
    head_lp headclip headhref headlabel headport headtarget headtooltip height href id image imagepath imagepos \
    imagescale inputscale label labelURL label_scheme labelangle labeldistance labelfloat labelfontcolor \
    labelfontname labelfontsize labelhref labeljust labelloc labeltarget labeltooltip landscape layer layerlistsep \
    layers layerselect layersep layout levels levelsgap lhead lheight linelength lp ltail lwidth margin maxiter \
    mclimit mindist minlen mode model newrank nodesep nojustify normalize notranslate nslimit nslimit1 oneblock \
    ordering orientation outputorder overlap overlap_scaling overlap_shrink pack packmode pad page pagedir pencolor \
    penwidth peripheries pin pos quadtree quantum radius rank rankdir ranksep ratio rects regular remincross \
    repulsiveforce resolution root rotate rotation samehead sametail samplepoints scale searchsize sep shape \
    shapefile showboxes sides skew smoothing sortv splines start style stylesheet tailURL tail_lp tailclip tailhref \
    taillabel tailport tailtarget tailtooltip target tooltip truecolor vertices viewport voro_margin width \
    xdotversion xlabel xlp z";

/// True if a text begins as a graph of Graphviz does, after comments.
pub(super) fn begins_as_graph(text: &str) -> bool {
    let first = DotWords::new(text).next().and_then(Result::ok);
    first.and_then(|word| word.keyword()).is_some_and(|keyword| ["strict", "graph", "digraph"].contains(&keyword))
}

/// Reads a `digraph`: `a [size=3]; b [size=4]; a -> b [size=100];`. The size of a node is its work, the size of an edge
/// its data, none if it is not given; `node [size=...]` and `edge [size=...]` set what holds for those that follow.
/// Attributes of the drawing that Graphviz knows are passed over. Refused are other attributes, subgraphs, ports and
/// undirected graphs, tasks called by a keyword without quotes, tasks without a size or with two, edges from a task to
/// itself, and circles.
///
/// ```
/// use gridloom::workload::read_dot;
/// let tasks = read_dot("digraph job { split [size=2]; work [size=9.5]; split -> work [size=4, color=red]; }")?;
/// assert_eq!((tasks[1].name.as_str(), tasks[1].size, &tasks[1].inputs[..]), ("work", 9.5, &[(0, 4.0)][..]));
/// # Ok::<(), gridloom::workload::TaskFileError>(())
/// ```
pub fn read_dot(text: &str) -> Result<Vec<FileTask>, TaskFileError> {
    let place = TextPlace { line: 1, column: 1 };
    let mut reader = DotReader { words: DotWords::new(text).peekable(), place };
    if reader.peek_is("strict") {
        reader.next()?;
    }
    reader.expect("digraph")?;
    if !reader.peek_is("{") {
        reader.next()?;
    }
    reader.expect("{")?;
    let begin = reader.place;
    let mut graph = Graph::default();
    while !reader.peek_is("}") {
        reader.not_over("the graph", begin, "}")?;
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
    graph.finish()
}

/// A node, a chain of edges, a setting, or attributes for all that follow.
fn statement(reader: &mut DotReader<'_>, graph: &mut Graph) -> Result<(), TaskFileError> {
    let first = reader.name()?;
    if reader.peek_is("=") {
        reader.next()?;
        // The size of a graph is that of its drawing.
        if first.text != "size" {
            report_unknown(&first, None)?;
        }
        return reader.name().map(|_| ());
    }
    if let Some(keyword) = first.keyword()
        && ["graph", "node", "edge"].contains(&keyword)
        && reader.peek_is("[")
    {
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
/// they are, a size is that of the drawing.
fn attributes(reader: &mut DotReader<'_>, of: Option<&str>) -> Result<Option<(f64, TextPlace)>, TaskFileError> {
    let mut found = None;
    while reader.peek_is("[") {
        reader.next()?;
        let begin = reader.place;
        while !reader.peek_is("]") {
            reader.not_over("the list of attributes", begin, "]")?;
            let name = reader.name()?;
            reader.expect("=")?;
            let value = reader.name()?;
            match of {
                Some(of) if name.text == "size" => {
                    let before = found.replace((size(of, &value)?, name.place));
                    if let Some((_, TextPlace { line, .. })) = before {
                        let wrong = format!("`{of}` has a size already, on line {line}");
                        return Err(TaskFileError::at(name.place, wrong, "give one size"));
                    }
                }
                None if name.text == "size" => (),
                _ => report_unknown(&name, of)?,
            }
            while reader.peek_is(",") || reader.peek_is(";") {
                reader.next()?;
            }
        }
        reader.expect("]")?;
    }
    Ok(found)
}

/// Refuses an attribute that Graphviz does not know, or that may be meant as a size of the task or edge `of`.
fn report_unknown(name: &DotWord, of: Option<&str>) -> Result<(), TaskFileError> {
    let text = name.text.as_str();
    let known: Vec<&str> = DRAWING.split(' ').collect();
    if known.contains(&text) {
        return Ok(());
    }
    let is_meant =
        || MEANT.split(' ').any(|meant| text.eq_ignore_ascii_case(meant)) || nearest(text, ["size"]).is_some();
    let right = match (of.filter(|_| is_meant()), nearest(text, known)) {
        (Some(of), _) => format!(
            "did you mean `{} [size=...]`? The size of a task is its work, that of an edge its data",
            in_dot(of)
        ),
        (None, Some(meant)) => {
            format!("did you mean `{meant}`? Besides `size`, only attributes of Graphviz are allowed")
        }
        (None, None) => "leave it out: besides `size`, only attributes of Graphviz are allowed".into(),
    };
    let text: String = text.chars().take(40).collect();
    Err(TaskFileError::at(name.place, format!("`{text}` is no attribute that is read"), right))
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

    /// Refuses the end of the file inside of something that began at `begin` and ends with `sign`.
    fn not_over(&mut self, what: &str, begin: TextPlace, sign: &str) -> Result<(), TaskFileError> {
        if self.words.peek().is_some() {
            return Ok(());
        }
        let wrong = format!("the file ends inside {what} that begins on line {}", begin.line);
        Err(self.wrong(wrong, format!("end it with `{sign}`")))
    }

    fn expect(&mut self, wanted: &str) -> Result<(), TaskFileError> {
        let is_there = self.peek_is(wanted);
        let word = self.next()?;
        if is_there {
            return Ok(());
        }
        let found = word.map_or("the file ends".to_string(), |word| format!("found {:?}", word.text));
        let right = match wanted {
            "digraph" => "begin with `digraph {`: only directed graphs are read".to_string(),
            "=" => "write attributes as `[name=value]`".to_string(),
            sign => format!("write `{sign}` there"),
        };
        Err(self.wrong(format!("{found}, where {wanted:?} should be"), right))
    }

    fn name(&mut self) -> Result<DotWord, TaskFileError> {
        let found = match self.next()? {
            Some(word) if word.kind != WordKind::Sign => return Ok(word),
            Some(word) if word.text == "{" => {
                let right = "write their edges one by one, such as `a -> b; a -> c`";
                return Err(self.wrong("groups of tasks in braces are not read", right));
            }
            Some(word) => format!("found {:?}", word.text),
            None => "the file ends".to_string(),
        };
        let right = "write a name there: letters, digits, `_` and `.`, or anything in quotes";
        Err(self.wrong(format!("{found}, where a name should be"), right))
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
}

#[cfg(test)]
mod tests;
