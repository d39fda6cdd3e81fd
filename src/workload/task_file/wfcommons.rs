//! WfCommons instances (WfFormat 1.0 to 1.6).
//!
//! Up to 1.4 a task holds its structure and its measurements, and tasks refer to each other by name; until 1.2 they are
//! called jobs. From 1.5 on a specification says what is to be done and an execution what was measured, and tasks refer
//! to each other by id. Files in circulation mix both ways, so that names and ids are both taken as references.

use super::few::Few;
use super::{FileTask, LINKS_LIMIT, TASKS_LIMIT, TaskFileError, TextPlace};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// The versions that are read.
const VERSIONS: [&str; 7] = ["1.0", "1.1", "1.2", "1.3", "1.4", "1.5", "1.6"];

/// A list within a task.
type Links<T> = Few<T, LINKS_LIMIT>;

/// The parts of an instance that matter here; all others are passed over.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Instance {
    schema_version: String,
    workflow: WfInstance,
}

#[derive(Deserialize)]
struct WfInstance {
    /// Up to format 1.4: structure and measurements of a task in one place.
    #[serde(default, alias = "jobs")]
    tasks: Few<WfTask, TASKS_LIMIT>,
    /// From format 1.5 on: what is to be done.
    specification: Option<Specification>,
    /// From format 1.5 on: what was measured.
    execution: Option<Execution>,
}

#[derive(Deserialize)]
struct Specification {
    tasks: Few<WfTask, TASKS_LIMIT>,
    #[serde(default)]
    files: Links<File>,
}

#[derive(Deserialize)]
struct Execution {
    tasks: Few<MeasuredTask, TASKS_LIMIT>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WfTask {
    id: Option<String>,
    name: String,
    #[serde(default)]
    parents: Links<String>,
    #[serde(default)]
    children: Links<String>,
    /// From format 1.5 on.
    #[serde(default)]
    input_files: Links<String>,
    #[serde(default)]
    output_files: Links<String>,
    /// Up to format 1.4.
    #[serde(default)]
    files: Links<LinkedFile>,
    #[serde(alias = "runtime")]
    runtime_in_seconds: Option<f64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    id: String,
    size_in_bytes: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LinkedFile {
    link: String,
    #[serde(alias = "id")]
    name: String,
    /// The folder of the file, which tells files of one name apart.
    #[serde(default)]
    path: String,
    /// Bytes in all versions, also where the field is called `size`.
    #[serde(alias = "size")]
    size_in_bytes: f64,
}

impl LinkedFile {
    fn key(&self) -> String {
        format!("{}{}", self.path, self.name)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MeasuredTask {
    id: String,
    runtime_in_seconds: f64,
}

/// Reads the tasks of an instance: sizes are runtimes in seconds, and the data from a parent to a child are the bytes
/// of the files that the one writes and the other reads. A task is called by its id where there is a specification, and
/// otherwise by its name, unless several have it.
///
/// ```
/// use gridloom::workload::read_wfcommons;
///
/// let text = r#"{ "schemaVersion": "1.5", "workflow": {
///     "specification": {
///         "tasks": [
///             { "name": "split", "id": "a", "parents": [], "children": ["b"], "outputFiles": ["part"] },
///             { "name": "work", "id": "b", "parents": ["a"], "children": [], "inputFiles": ["part"] }
///         ],
///         "files": [ { "id": "part", "sizeInBytes": 4000 } ]
///     },
///     "execution": { "tasks": [ { "id": "a", "runtimeInSeconds": 2 }, { "id": "b", "runtimeInSeconds": 9.5 } ] }
/// } }"#;
/// let tasks = read_wfcommons(text)?;
/// assert_eq!((tasks[1].name.as_str(), tasks[1].size, &tasks[1].inputs[..]), ("b", 9.5, &[(0, 4000.0)][..]));
/// # Ok::<(), gridloom::workload::TaskFileError>(())
/// ```
pub fn read_wfcommons(text: &str) -> Result<Vec<FileTask>, TaskFileError> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let instance: Instance = serde_json::from_str(text).map_err(|error| {
        let what = error.to_string();
        let what = what.split(" at line ").next().unwrap_or_default().to_string();
        TaskFileError::at(TextPlace { line: error.line(), column: error.column() }, what, "")
    })?;
    let version = instance.schema_version.as_str();
    if !VERSIONS.contains(&version) {
        return Err(TaskFileError::Version(version.chars().take(20).collect()));
    }
    let WfInstance { tasks, specification, execution } = instance.workflow;
    match specification {
        Some(Specification { tasks, files }) => {
            let sizes = files.0.into_iter().map(|file| (file.id, file.size_in_bytes)).collect();
            let measured = execution.into_iter().flat_map(|execution| execution.tasks.0);
            let runtimes = measured.map(|task| (task.id, task.runtime_in_seconds)).collect();
            assemble(&tasks.0, &Names::by_id(&tasks.0)?, &sizes, &runtimes)
        }
        None if tasks.0.is_empty() => {
            let what = "there is neither a list `tasks` in `workflow` nor a `specification`";
            Err(TaskFileError::at(TextPlace { line: 1, column: 1 }, what, ""))
        }
        None => {
            let files = tasks.0.iter().flat_map(|task| &task.files.0);
            let sizes = files.map(|file| (file.key(), file.size_in_bytes)).collect();
            assemble(&tasks.0, &Names::by_name(&tasks.0)?, &sizes, &BTreeMap::new())
        }
    }
}

/// The names of tasks, and the tasks that references mean.
struct Names<'a> {
    /// The name of each task, unique in the file.
    own: Vec<&'a str>,
    /// The tasks that a reference may mean.
    meant: BTreeMap<&'a str, BTreeSet<usize>>,
}

impl<'a> Names<'a> {
    /// The format says that ids are unique and are what is referred to; a name counts where no task has it for an id.
    fn by_id(tasks: &'a [WfTask]) -> Result<Self, TaskFileError> {
        let own: Vec<&str> = tasks.iter().map(|task| task.id.as_deref().unwrap_or(&task.name)).collect();
        let mut meant: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for (place, &id) in own.iter().enumerate() {
            if meant.insert(id, [place].into()).is_some() {
                return Err(TaskFileError::Duplicate(id.into()));
            }
        }
        let mut names: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for (place, task) in tasks.iter().enumerate() {
            names.entry(&task.name).or_default().insert(place);
        }
        for (name, places) in names {
            meant.entry(name).or_insert(places);
        }
        Ok(Self { own, meant })
    }

    /// Names are referred to, and sometimes ids: what is one task's name and another's id means neither.
    fn by_name(tasks: &'a [WfTask]) -> Result<Self, TaskFileError> {
        let mut meant: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for (place, task) in tasks.iter().enumerate() {
            for word in [Some(task.name.as_str()), task.id.as_deref()].into_iter().flatten() {
                meant.entry(word).or_default().insert(place);
            }
        }
        let names: Vec<&str> = tasks.iter().map(|task| task.name.as_str()).collect();
        let ids: Option<Vec<&str>> = tasks.iter().map(|task| task.id.as_deref()).collect();
        let own = match (repeated(&names), ids) {
            (None, _) => names,
            (Some(_), Some(ids)) if repeated(&ids).is_none() => ids,
            (Some(name), _) => return Err(TaskFileError::Duplicate(name.into())),
        };
        Ok(Self { own, meant })
    }

    /// The task that `other`, among the neighbours of the task at `place`, means.
    fn find(&self, place: usize, other: &str) -> Result<usize, TaskFileError> {
        let places: Vec<usize> = self.meant.get(other).into_iter().flatten().copied().collect();
        let (task, other) = (self.own[place].to_string(), other.to_string());
        match places[..] {
            [only] => Ok(only),
            [] => Err(TaskFileError::Missing { task, other }),
            _ => Err(TaskFileError::Ambiguous { task, other, count: places.len() }),
        }
    }
}

/// The first word that stands in a list twice.
fn repeated<'a>(words: &[&'a str]) -> Option<&'a str> {
    let mut seen = BTreeSet::new();
    words.iter().copied().find(|&word| !seen.insert(word))
}

/// Tasks with their edges; `sizes` of files in bytes, `runtimes` in seconds where the tasks don't know them.
fn assemble(
    tasks: &[WfTask],
    names: &Names<'_>,
    sizes: &BTreeMap<String, f64>,
    runtimes: &BTreeMap<String, f64>,
) -> Result<Vec<FileTask>, TaskFileError> {
    // An edge may be told by either end.
    let mut edges: BTreeSet<(usize, usize)> = BTreeSet::new();
    for (place, task) in tasks.iter().enumerate() {
        for parent in &task.parents.0 {
            edges.insert((place, names.find(place, parent)?));
        }
        for child in &task.children.0 {
            edges.insert((names.find(place, child)?, place));
        }
    }
    let writes: Vec<BTreeSet<String>> = tasks.iter().map(|task| files(task, "output", &task.output_files.0)).collect();
    let reads: Vec<BTreeSet<String>> = tasks.iter().map(|task| files(task, "input", &task.input_files.0)).collect();
    let mut read = Vec::with_capacity(tasks.len());
    for (task, &name) in tasks.iter().zip(&names.own) {
        let size = task.runtime_in_seconds.or_else(|| runtimes.get(name).copied());
        let size = size.filter(|size| size.is_finite() && *size >= 0.0);
        let wrong = || TaskFileError::Size { of: format!("task {name:?}"), size: "no runtime".into() };
        read.push(FileTask { name: name.to_string(), size: size.ok_or_else(wrong)?, inputs: Vec::new() });
    }
    for (to, from) in edges {
        let mut bytes = 0.0;
        for file in writes[from].intersection(&reads[to]) {
            let size = sizes.get(file).copied().filter(|size| size.is_finite() && *size >= 0.0);
            let wrong = || TaskFileError::Size { of: format!("file {file:?}"), size: "no size".into() };
            bytes += size.ok_or_else(wrong)?;
        }
        read[to].inputs.push((from, bytes));
    }
    Ok(read)
}

/// The files that a task reads or writes, by either format.
fn files(task: &WfTask, link: &str, listed: &[String]) -> BTreeSet<String> {
    let linked = task.files.0.iter().filter(|file| file.link.eq_ignore_ascii_case(link)).map(LinkedFile::key);
    linked.chain(listed.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let said = one_four(&twice).unwrap_err().to_string();
        assert_eq!(
            said,
            "task \"3\" is connected with \"map\", which can mean 2 tasks: refer to ids, as format 1.5 does"
        );
        let by_id = [task("map", "1", ""), task("map", "2", ""), task("join", "3", "\"1\", \"2\"")].join(", ");
        let tasks = one_four(&by_id).unwrap();
        assert_eq!((tasks[2].name.as_str(), &tasks[2].inputs[..]), ("3", &[(0, 0.0), (1, 0.0)][..]));
        // One task's name is another's id.
        let crossed = [task("a", "b", ""), task("b", "a", ""), task("c", "c", "\"a\"")].join(", ");
        assert!(matches!(one_four(&crossed), Err(TaskFileError::Ambiguous { count: 2, .. })));
        // Where the format says that ids are meant, they are.
        let split = format!(
            r#"{{ "schemaVersion": "1.6", "workflow": {{ "specification": {{ "tasks": [{crossed}] }}, "execution": {{ "tasks": [] }} }} }}"#
        );
        assert_eq!(read_wfcommons(&split).unwrap()[2].inputs, [(1, 0.0)]);
        // Neither names nor ids tell these apart.
        let same = [task("a", "1", ""), task("a", "1", "")].join(", ");
        assert_eq!(one_four(&same), Err(TaskFileError::Duplicate("a".into())));
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

    #[test]
    fn mistakes_are_named() {
        let said = |tasks: &str| one_four(tasks).unwrap_err().to_string();
        let a = r#"{ "name": "a", "runtime": 1, "parents": [] }"#;
        assert_eq!(said(&format!("{a}, {a}")), "task \"a\" is there twice");
        let orphan = r#"{ "name": "b", "runtime": 1, "parents": ["c"] }"#;
        assert_eq!(said(&format!("{a}, {orphan}")), "task \"b\" is connected with \"c\", which is not there");
        let timeless = r#"{ "name": "b" }"#;
        assert!(said(timeless).starts_with("task \"b\" has the size \"no runtime\""), "{}", said(timeless));
        let version = r#"{ "schemaVersion": "2.0", "workflow": {} }"#;
        assert_eq!(
            read_wfcommons(version).unwrap_err().to_string(),
            "this is format 2.0; versions 1.0 to 1.6 are read"
        );
        let empty = r#"{ "schemaVersion": "1.5", "workflow": {} }"#;
        assert!(read_wfcommons(empty).unwrap_err().to_string().contains("nor a `specification`"));
        let cut = "{ \"schemaVersion\": \"1.5\",\n  \"workflow\": { \"specification\": [";
        assert!(matches!(read_wfcommons(cut), Err(TaskFileError::Syntax { place: TextPlace { line: 2, .. }, .. })));
        assert!(matches!(read_wfcommons("{}"), Err(TaskFileError::Syntax { .. })));
    }
}
