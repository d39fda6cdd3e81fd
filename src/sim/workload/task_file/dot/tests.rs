//! Graphs as people write them, and their mistakes.

use super::*;
use crate::workload::task_file::TASKS_LIMIT;
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

/// What is said about a file called `f`, and what would be right.
fn said(text: &str) -> [String; 2] {
    read_dot(text).unwrap_err().in_file("f").into()
}

#[test]
fn a_keyword_in_quotes_is_a_name_like_any_other() {
    let tasks = read_dot("digraph \"digraph\" { \"node\" [size=1]; node [size=4]; b }").unwrap();
    let named: Vec<_> = tasks.iter().map(|task| (task.name.as_str(), task.size)).collect();
    assert_eq!(named, [("node", 1.0), ("b", 4.0)]);
    let every =
        "STRICT Digraph { Node [size=2]; \"edge\" -> \"graph\"; \"subgraph\" -> \"edge\"; \"strict\" -> \"digraph\" }";
    let names: Vec<String> = read_dot(every).unwrap().into_iter().map(|task| task.name).collect();
    assert_eq!(names, ["edge", "graph", "subgraph", "strict", "digraph"]);
    assert_eq!(said("\"digraph\" { }")[0], "f:1:1: found \"digraph\", where \"digraph\" should be");
    let bare = said("digraph { a [size=1];\n node -> a }");
    assert_eq!(bare, ["f:2:2: \"node\" is a keyword", "put it in quotes if a task is called so: `\"node\"`"]);
    assert_eq!(said("digraph { a -> subgraph x { b } }")[0], "f:1:16: subgraphs are not read");
}

#[test]
fn groups_in_braces_are_refused_and_backslashes_may_end_a_text() {
    let group = said("digraph { node [size=1];\n a -> {b c} }");
    let right = "write their edges one by one, such as `a -> b; a -> c`";
    assert_eq!(group, ["f:2:7: groups of tasks in braces are not read", right]);
    let named = read_dot("digraph { node [size=1]; a [label=\"x\\\\\"]; \"b\\\\\"; \"c\\n\" }").unwrap();
    let names: Vec<&str> = named.iter().map(|task| task.name.as_str()).collect();
    assert_eq!(names, ["a", "b\\\\", "c\\n"]);
}

#[test]
fn a_byte_order_mark_and_graphs_without_end() {
    assert_eq!(read_dot("\u{FEFF}digraph { a [size=1] }").unwrap().len(), 1);
    let many: String = (0..=TASKS_LIMIT).map(|task| format!("t{task};")).collect();
    assert_eq!(read_dot(&format!("digraph {{ {many} }}")), Err(TaskFileError::Count(TASKS_LIMIT + 1)));
}

#[test]
fn mistakes_have_their_place() {
    let what = |text: &str| said(text)[0].clone();
    assert_eq!(what("graph { a -- b }"), "f:1:1: found \"graph\", where \"digraph\" should be");
    assert_eq!(what("digraph {\n a [size=1];\n a -> ; }"), "f:3:7: found \";\", where a name should be");
    let open = said("digraph {\n a [size=1]\n");
    assert_eq!(open, ["f:2:11: the file ends inside the graph that begins on line 1", "end it with `}`"]);
    let open = said("digraph {\n a [size=1,\n color=red");
    let inside = "f:3:8: the file ends inside the list of attributes that begins on line 2";
    assert_eq!(open, [inside, "end it with `]`"]);
    assert_eq!(what("digraph {\n subgraph x { a } }"), "f:2:2: subgraphs are not read");
    assert_eq!(what("digraph { \"a }"), "f:1:11: a quote is not closed");
    assert_eq!(what("digraph { a:port [size=1] }"), "f:1:12: ':' is not read here");
    let dash = "`-` is neither part of `->` nor in front of a number";
    assert_eq!(what("digraph { a [size=1]; a -- b }"), format!("f:1:25: {dash}"));
    assert_eq!(what("digraph { node [size=1]; task-1 -> b }"), format!("f:1:30: {dash}"));
    assert_eq!(what("digraph { node [size=1]; a --> b }"), format!("f:1:28: {dash}"));
    assert_eq!(what("digraph { node [size=1]; read-data -> b }"), format!("f:1:30: {dash}"));
    assert_eq!(what("digraph { /* x\n\n */ a:b }"), "f:3:6: ':' is not read here");
    assert_eq!(what("digraph { } x"), "f:1:13: \"x\" stands after the end of the graph");
}

#[test]
fn every_task_has_one_size_that_is_a_number() {
    let [wrong, right] = said("digraph {\n\n  a; \"b c\" }");
    assert_eq!(wrong, "f:3:3: task `a` has no size, and neither has `b c`");
    assert_eq!(right, "write `a [size=3]`, or `node [size=3]` before it for all tasks that follow");
    let [wrong, right] = said("digraph { a [size=1]; a -> \"b c\" }");
    assert_eq!(wrong, "f:1:28: task `b c` has no size");
    assert!(right.starts_with("write `\"b c\" [size=3]`"), "{right}");
    let [wrong, right] = said("digraph { a [label=x, size=large] }");
    assert_eq!(wrong, "f:1:28: `a` has the size \"large\", which is no such number");
    assert_eq!(right, "write a number of at least 0, such as `a [size=3]`");
    assert!(said("digraph { a [size=-1] }")[0].starts_with("f:1:19: `a` has the size \"-1\""));
    assert_eq!(
        said("digraph { node [size=9]; a [size=1];\n a [size=2] }")[0],
        "f:2:5: task `a` has a size already, on line 1"
    );
    assert_eq!(said("digraph { a [size=1, size=20] }")[0], "f:1:22: `a` has a size already, on line 1");
    // The size of the drawing is none of a task.
    assert_eq!(read_dot("digraph { graph [size=\"7,5\"]; size=\"8,8\"; a [size=1]; a [color=red] }").unwrap().len(), 1);
}

#[test]
fn edges_lead_on_and_stand_once() {
    let graph = |edges: &str| format!("digraph {{ node [size=1];\n {edges} }}");
    assert_eq!(said(&graph("a -> b; b -> b"))[0], "f:2:15: task `b` waits for itself");
    assert_eq!(said(&graph("a -> b\na -> b"))[0], "f:3:6: the edge `a -> b` is there twice, first on line 2");
    let circle = said(&graph("x -> c; a -> b -> c -> \"the end\"\n\"the end\" -> a; a -> d"));
    assert_eq!(
        circle[0],
        "f:3:14: tasks wait for each other: c -> \"the end\" -> a -> b -> c".replace("f:3:14", "f:2:20")
    );
    assert_eq!(circle[1], "leave one of these edges out");
}

#[test]
fn attributes_that_neither_graphviz_nor_this_reader_knows_are_refused() {
    let [wrong, right] = said("digraph { a [size=1]; b [sise=2] }");
    assert_eq!(wrong, "f:1:26: `sise` is no attribute that is read");
    assert!(right.starts_with("did you mean `b [size=...]`?"), "{right}");
    for meant in ["data", "weight", "len"] {
        let [wrong, right] = said(&format!("digraph {{ node [size=1];\n a -> b [{meant}=2] }}"));
        assert_eq!(wrong, format!("f:2:10: `{meant}` is no attribute that is read"));
        assert!(right.starts_with("did you mean `b [size=...]`?"), "{right}");
    }
    let [wrong, right] = said("digraph {\n a [size=1, colr=red] }");
    assert_eq!(wrong, "f:2:13: `colr` is no attribute that is read");
    assert!(right.starts_with("did you mean `color`?"), "{right}");
    for (graph, place) in [
        ("digraph { node [size=1]; a -> b [foo=1] }", "f:1:34: `foo`"),
        ("digraph { graph [foo=1]; a [size=1] }", "f:1:18: `foo`"),
        ("digraph { foo=1; a [size=1] }", "f:1:11: `foo`"),
        ("digraph { edge [foo=1]; a [size=1] }", "f:1:17: `foo`"),
    ] {
        let [wrong, right] = said(graph);
        assert_eq!(wrong, format!("{place} is no attribute that is read"));
        assert_eq!(right, "leave it out: besides `size`, only attributes of Graphviz are allowed");
    }
    let drawn = "digraph { rankdir=LR; graph [splines=ortho]; edge [fontname=\"Sans\", penwidth=2];
        a [size=1, label=\"A\", shape=box]; a -> a2 [style=dashed, taillabel=x]; a2 [size=2] }";
    assert_eq!(read_dot(drawn).unwrap().len(), 2);
}

#[test]
fn a_graph_is_known_by_its_beginning() {
    for graph in ["digraph { }", "// a job\n# made by hand\n/* x */ strict digraph j { }", "\u{FEFF}Graph { }"] {
        assert!(begins_as_graph(graph), "{graph}");
    }
    for other in ["{ \"digraph\": 1 }", "", "\"digraph\" { }", "name digraph"] {
        assert!(!begins_as_graph(other), "{other}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "(digraph|\\{|\\}|a|b|->|\\[size=1\\]|;|\"|=|//|/\\*|\\*/|#|\\\\| |\n){0,40}") {
        let _ = read_dot(&text);
    }
}
