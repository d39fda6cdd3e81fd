//! Instances as they are found, and their mistakes.

use super::*;
use crate::workload::task_file::{TASKS_LIMIT, TextPlace};

fn one_four(tasks: &str) -> Result<Vec<FileTask>, TaskFileError> {
    read_wfcommons(&format!(r#"{{ "schemaVersion": "1.4", "workflow": {{ "tasks": [{tasks}] }} }}"#))
}

#[test]
fn format_1_4_has_files_and_runtimes_in_the_tasks() {
    let tasks = one_four(
        r#"{ "name": "a", "type": "compute", "runtimeInSeconds": 1.5, "children": ["b"], "files": [
               { "link": "output", "name": "x", "sizeInBytes": 10 }, { "link": "output", "name": "y", "sizeInBytes": 20 } ] },
           { "name": "b", "runtime": 2, "parents": ["a"], "files": [
               { "link": "input", "name": "x", "sizeInBytes": 10 }, { "link": "input", "name": "z", "size": 99 } ] }"#,
    )
    .unwrap();
    let names: Vec<&str> = tasks.iter().map(|task| task.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!((tasks[0].size, tasks[1].size), (1.5, 2.0));
    assert_eq!(tasks[1].inputs, [(0, 10.0)], "y is not read, and z comes from elsewhere");
    assert!(tasks[0].inputs.is_empty());
}

/// Tasks with names, ids, parents and children as authentic files of the flat formats have them.
fn flat(version: &str, list: &str, references: [&str; 2]) -> String {
    let [parent, child] = references;
    format!(
        r#"{{ "name": "sra", "schemaVersion": "{version}", "wms": {{ "name": "Pegasus" }}, "workflow": {{ "makespan": 9, "{list}": [
            {{ "name": "dump_ID0000001", "id": "ID0000001", "category": "dump", "type": "compute", "runtime": 896.867, "memory": 324392,
               "parents": [], "children": ["{child}"],
               "files": [ {{ "link": "output", "name": "reads", "size": 734761744 }} ] }},
            {{ "name": "align_ID0000002", "id": "ID0000002", "category": "align", "runtime": 3.5, "parents": ["{parent}"], "children": [],
               "files": [ {{ "link": "input", "name": "reads", "size": 734761744 }} ] }} ] }} }}"#
    )
}

#[test]
fn flat_formats_refer_to_names_or_to_ids() {
    let by_names = ["dump_ID0000001", "align_ID0000002"];
    let expected = read_wfcommons(&flat("1.4", "tasks", by_names)).unwrap();
    let names: Vec<&str> = expected.iter().map(|task| task.name.as_str()).collect();
    assert_eq!(names, by_names);
    assert_eq!(expected[1].inputs, [(0, 734_761_744.0)]);
    for (version, list) in [("1.0", "jobs"), ("1.1", "jobs"), ("1.2", "jobs"), ("1.3", "tasks"), ("1.4", "tasks")] {
        for references in [by_names, ["ID0000001", "ID0000002"], ["ID0000001", "align_ID0000002"]] {
            assert_eq!(
                read_wfcommons(&flat(version, list, references)),
                Ok(expected.clone()),
                "{version} {references:?}"
            );
        }
    }
}

#[test]
fn a_reference_that_several_tasks_answer_to_is_named() {
    let task = |name: &str, id: &str, parents: &str| {
        format!(r#"{{ "name": "{name}", "id": "{id}", "runtime": 1, "parents": [{parents}] }}"#)
    };
    // Nextflow calls tasks by their process: several have one name, and an id each.
    let twice = [task("map", "1", ""), task("map", "2", ""), task("join", "3", "\"map\"")].join(", ");
    let [said, right] = one_four(&twice).unwrap_err().in_file("f").into();
    assert!(said.ends_with(": task \"3\" is connected with \"map\", which can mean 2 tasks"), "{said}");
    assert_eq!(right, "refer to ids, as format 1.5 does");
    let by_id = [task("map", "1", ""), task("map", "2", ""), task("join", "3", "\"1\", \"2\"")].join(", ");
    let tasks = one_four(&by_id).unwrap();
    assert_eq!((tasks[2].name.as_str(), &tasks[2].inputs[..]), ("3", &[(0, 0.0), (1, 0.0)][..]));
    // One task's name is another's id.
    let crossed = [task("a", "b", ""), task("b", "a", ""), task("c", "c", "\"a\"")].join(", ");
    assert!(one_four(&crossed).unwrap_err().to_string().ends_with("which can mean 2 tasks"));
    // Where the format says that ids are meant, they are.
    let split = format!(
        r#"{{ "schemaVersion": "1.6", "workflow": {{ "specification": {{ "tasks": [{crossed}] }}, "execution": {{ "tasks": [] }} }} }}"#
    );
    assert_eq!(read_wfcommons(&split).unwrap()[2].inputs, [(1, 0.0)]);
    // Neither names nor ids tell these apart.
    let same = [task("a", "1", ""), task("a", "1", "")].join(", ");
    assert!(one_four(&same).unwrap_err().to_string().ends_with("task \"a\" is there twice"));
}

#[test]
fn files_of_one_name_in_different_folders_are_different_files() {
    let file = |link: &str, path: &str, size: u32| {
        format!(r#"{{ "link": "{link}", "name": "versions.yml", "path": "{path}", "sizeInBytes": {size} }}"#)
    };
    let (one, two) = (file("output", "/1/", 60), file("output", "/2/", 70));
    let inputs = [file("input", "/1/", 60), file("input", "/3/", 99)].join(", ");
    let tasks = one_four(&format!(
        r#"{{ "name": "a", "runtime": 1, "files": [{one}] }}, {{ "name": "b", "runtime": 1, "files": [{two}] }},
           {{ "name": "c", "runtime": 1, "parents": ["a", "b"], "files": [{inputs}] }}"#
    ));
    assert_eq!(tasks.unwrap()[2].inputs, [(0, 60.0), (1, 0.0)]);
}

#[test]
fn a_byte_order_mark_and_lists_without_end() {
    let marked = format!("\u{FEFF}{}", flat("1.4", "tasks", ["ID0000001", "ID0000002"]));
    assert_eq!(read_wfcommons(&marked).unwrap().len(), 2);
    let task = r#"{ "name": "a", "runtime": 1 },"#;
    let many = task.repeat(TASKS_LIMIT + 1);
    let said = one_four(many.trim_end_matches(',')).unwrap_err().to_string();
    assert!(said.contains("a list has more than 100000 entries"), "{said}");
}

/// What is said about a file, and what would be right.
fn said(text: &str) -> [String; 2] {
    read_wfcommons(text).unwrap_err().in_file("f").into()
}

#[test]
fn mistakes_are_named_with_their_place() {
    let flat =
        |tasks: &str| said(&format!("{{ \"schemaVersion\": \"1.4\",\n\"workflow\": {{ \"tasks\": [\n{tasks}] }} }}"));
    let a = r#"{ "name": "a", "runtime": 1, "parents": [] }"#;
    assert_eq!(flat(&format!("{a},\n  {a}"))[0], "f:4:3: task \"a\" is there twice");
    let orphan = r#"{ "name": "b", "runtime": 1, "parents": ["c"] }"#;
    assert_eq!(flat(&format!("{a}, {orphan}"))[0], "f:3:47: task \"b\" is connected with \"c\", which is not there");
    assert_eq!(flat(r#"{ "name": "b" }"#), ["f:3:1: task \"b\" has no runtime", "give `runtimeInSeconds`"]);
    let negative = flat(r#"{ "name": "b", "runtime": -5 }"#);
    assert_eq!(negative, ["f:3:1: the runtime of task \"b\" is -5 seconds", "give a number of at least 0"]);
    let small = flat(r#"{ "name": "b", "runtime": 5, "files": [ { "link": "input", "name": "x", "size": -1 } ] }"#);
    assert_eq!(small[0], "f:3:1: task \"b\": the size of file \"x\" is -1 bytes");
    // The place of what serde finds within a task.
    let typed = flat("{ \"name\": \"b\",\n \"runtime\": \"long\" }");
    assert!(
        typed[0].starts_with("f:4:") && typed[0].ends_with("invalid type: string \"long\", expected a number"),
        "{typed:?}"
    );
    let version = said("{\n \"schemaVersion\": \"2.0\", \"workflow\": {} }");
    assert_eq!(version[0], "f:2:19: this is format 2.0; versions 1.0 to 1.6 are read");
    assert!(said(r#"{ "schemaVersion": "1.5", "workflow": {} }"#)[0].contains("nor a `specification`"));
    let cut = "{ \"schemaVersion\": \"1.5\",\n  \"workflow\": { \"specification\": [";
    assert!(matches!(read_wfcommons(cut), Err(TaskFileError::Syntax { place: TextPlace { line: 2, .. }, .. })));
    assert!(matches!(read_wfcommons("{}"), Err(TaskFileError::Syntax { .. })));
}

#[test]
fn what_is_no_object_is_told_without_internals() {
    for (text, found) in [("[]", "`[]`"), ("null", "`null`"), ("", "nothing")] {
        assert_eq!(said(text)[0], format!("f:1:1: a WfCommons file is an object in braces, and here is {found}"));
    }
    let listed = said(r#"{ "schemaVersion": "1.5", "workflow": [1, 2] }"#);
    assert_eq!(listed[0], "f:1:39: `workflow` is an object in braces, and here is `[1,`");
}

/// An instance of format 1.5 with these tasks, files and measurements.
fn one_five(tasks: &str, files: &str, measured: &str) -> String {
    format!(
        r#"{{ "schemaVersion": "1.5", "workflow": {{ "specification": {{ "tasks": [{tasks}], "files": [{files}] }},
        "execution": {{ "tasks": [{measured}] }} }} }}"#
    )
}

const MEASURED: &str = r#"{ "id": "a", "runtimeInSeconds": 5 }, { "id": "b", "runtimeInSeconds": 6 }"#;

#[test]
fn what_is_told_twice_is_told_alike() {
    let tasks = r#"{ "name": "a", "id": "a", "children": ["b"], "outputFiles": ["x"] }, { "name": "b", "id": "b", "inputFiles": ["x"] }"#;
    let x = |size: u32| format!(r#"{{ "id": "x", "sizeInBytes": {size} }}"#);
    let same = read_wfcommons(&one_five(tasks, &[x(9), x(9)].join(", "), MEASURED)).unwrap();
    assert_eq!(same[1].inputs, [(0, 9.0)]);
    let [wrong, right] = said(&one_five(tasks, &[x(100), x(900)].join(", "), MEASURED));
    assert!(wrong.ends_with("the size of file \"x\" is 900 bytes, and was 100 bytes before"), "{wrong}");
    assert_eq!(right, "give each file one size");
    let again = said(&one_five(tasks, &x(9), &format!(r#"{MEASURED}, {{ "id": "a", "runtimeInSeconds": 50 }}"#)));
    assert!(again[0].ends_with(": task \"a\" is in the `execution` twice"), "{again:?}");
    let unknown = said(&one_five(tasks, &x(9), &format!(r#"{MEASURED}, {{ "id": "z", "runtimeInSeconds": 7 }}"#)));
    assert!(unknown[0].contains("the `execution` has a task \"z\""), "{unknown:?}");
    let both = tasks.replacen("\"id\": \"a\"", "\"id\": \"a\", \"runtimeInSeconds\": 4", 1);
    let both = said(&one_five(&both, &x(9), MEASURED));
    assert!(both[0].contains("is 4 seconds, and 5 seconds in the `execution`"), "{both:?}");
    let file = |link: &str, size: u32| format!(r#"{{ "link": "{link}", "name": "x", "size": {size} }}"#);
    let flat = format!(
        r#"{{ "name": "a", "runtime": 5, "children": ["b"], "files": [{}] }}, {{ "name": "b", "runtime": 2, "files": [{}] }}"#,
        file("output", 100),
        file("input", 900)
    );
    let wrong = one_four(&flat).unwrap_err().to_string();
    assert!(wrong.ends_with("task \"b\": the size of file \"x\" is 900 bytes, and was 100 bytes before"), "{wrong}");
}

#[test]
fn files_show_edges_that_are_missing() {
    let task = |name: &str, fields: &str| format!(r#"{{ "name": "{name}", "runtime": 1, {fields} }}"#);
    let file = |link: &str| format!(r#""files": [{{ "link": "{link}", "name": "x", "size": 8 }}]"#);
    let (write, read) = (file("output"), file("input"));
    // No task has parents or children: files are all there is.
    let tasks = [task("a", &write), task("b", &format!(r#""parent": ["a"], {read}"#))].join(", ");
    assert_eq!(one_four(&tasks).unwrap()[1].inputs, [(0, 8.0)]);
    // Others have: this one is forgotten.
    let c = task("c", r#""parents": ["a"]"#);
    let [wrong, right] = one_four(&format!("{tasks}, {c}")).unwrap_err().in_file("f").into();
    assert!(
        wrong.ends_with("task \"b\" reads file \"x\", which task \"a\" writes, but does not wait for it"),
        "{wrong}"
    );
    assert_eq!(right, "list \"a\" among the `parents` of \"b\"");
    // It waits over another, or the writer for it.
    let over = [task("a", &write), c.clone(), task("b", &format!(r#""parents": ["c"], {read}"#))].join(", ");
    assert_eq!(one_four(&over).unwrap()[2].inputs, [(1, 0.0)]);
    let earlier =
        [task("b", &read), task("c", r#""parents": ["b"]"#), task("a", &format!(r#""parents": ["c"], {write}"#))];
    assert_eq!(one_four(&earlier.join(", ")).unwrap().len(), 3);
    // One of two writers is waited for.
    let two = [task("a", &write), task("d", &write), task("b", &format!(r#""parents": ["d"], {read}"#))].join(", ");
    assert_eq!(one_four(&two).unwrap()[2].inputs, [(1, 8.0)]);
}
