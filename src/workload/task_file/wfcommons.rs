//! WfCommons instances (WfFormat 1.4 and 1.5).

use super::{FileTask, TaskFileError};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// The parts of an instance that matter here; all others are passed over.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Instance {
    schema_version: String,
    workflow: Workflow,
}

#[derive(Deserialize)]
struct Workflow {
    /// Format 1.4: structure and measurements of a task in one place.
    #[serde(default)]
    tasks: Vec<Task>,
    /// Format 1.5: what is to be done.
    specification: Option<Specification>,
    /// Format 1.5: what was measured.
    execution: Option<Execution>,
}

#[derive(Deserialize)]
struct Specification {
    tasks: Vec<Task>,
    #[serde(default)]
    files: Vec<File>,
}

#[derive(Deserialize)]
struct Execution {
    tasks: Vec<Measured>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Task {
    id: Option<String>,
    name: String,
    #[serde(default)]
    parents: Vec<String>,
    #[serde(default)]
    children: Vec<String>,
    /// Format 1.5.
    #[serde(default)]
    input_files: Vec<String>,
    #[serde(default)]
    output_files: Vec<String>,
    /// Format 1.4.
    #[serde(default)]
    files: Vec<LinkedFile>,
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
    #[serde(alias = "size")]
    size_in_bytes: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Measured {
    id: String,
    runtime_in_seconds: f64,
}

impl Task {
    /// What others call it: its id, or its name where the format does without.
    fn key(&self) -> &str {
        self.id.as_deref().unwrap_or(&self.name)
    }
}

/// Reads the tasks of an instance: sizes are runtimes in seconds, and the data from a parent to a child are the bytes of the
/// files that the one writes and the other reads.
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
    let instance: Instance = serde_json::from_str(text).map_err(|error| {
        let what = error.to_string();
        let what = what.split(" at line ").next().unwrap_or_default().to_string();
        TaskFileError::Syntax { line: error.line(), what }
    })?;
    let Workflow { tasks, specification, execution } = instance.workflow;
    match (instance.schema_version.as_str(), specification) {
        ("1.4", _) => {
            let sizes = tasks.iter().flat_map(|task| &task.files).map(|file| (file.name.clone(), file.size_in_bytes));
            assemble(&tasks, &sizes.collect(), &BTreeMap::new())
        }
        ("1.5", Some(specification)) => {
            let sizes = specification.files.into_iter().map(|file| (file.id, file.size_in_bytes)).collect();
            let measured = execution.into_iter().flat_map(|execution| execution.tasks);
            let runtimes = measured.map(|task| (task.id, task.runtime_in_seconds)).collect();
            assemble(&specification.tasks, &sizes, &runtimes)
        }
        ("1.5", None) => Err(TaskFileError::Syntax { line: 1, what: "there is no workflow.specification".into() }),
        (version, _) => Err(TaskFileError::Version(version.chars().take(20).collect())),
    }
}

/// Tasks with their edges; `sizes` of files in bytes, `runtimes` in seconds where the tasks don't know them.
fn assemble(
    tasks: &[Task],
    sizes: &BTreeMap<String, f64>,
    runtimes: &BTreeMap<String, f64>,
) -> Result<Vec<FileTask>, TaskFileError> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for (place, task) in tasks.iter().enumerate() {
        if places.insert(task.key(), place).is_some() {
            return Err(TaskFileError::Duplicate(task.key().into()));
        }
    }
    let find = |task: &Task, other: &String| {
        let missing = || TaskFileError::Missing { task: task.key().into(), other: other.clone() };
        places.get(other.as_str()).copied().ok_or_else(missing)
    };
    // An edge may be told by either end.
    let mut edges: BTreeSet<(usize, usize)> = BTreeSet::new();
    for (place, task) in tasks.iter().enumerate() {
        for parent in &task.parents {
            edges.insert((place, find(task, parent)?));
        }
        for child in &task.children {
            edges.insert((find(task, child)?, place));
        }
    }
    let writes: Vec<BTreeSet<&str>> = tasks.iter().map(|task| files(task, "output", &task.output_files)).collect();
    let reads: Vec<BTreeSet<&str>> = tasks.iter().map(|task| files(task, "input", &task.input_files)).collect();
    let mut read = Vec::with_capacity(tasks.len());
    for task in tasks {
        let size = task.runtime_in_seconds.or_else(|| runtimes.get(task.key()).copied());
        let size = size.filter(|size| size.is_finite() && *size >= 0.0);
        let wrong = || TaskFileError::Size { of: format!("task {:?}", task.key()), size: "no runtime".into() };
        read.push(FileTask { name: task.key().to_string(), size: size.ok_or_else(wrong)?, inputs: Vec::new() });
    }
    for (to, from) in edges {
        let mut bytes = 0.0;
        for &file in writes[from].intersection(&reads[to]) {
            let size = sizes.get(file).copied().filter(|size| size.is_finite() && *size >= 0.0);
            let wrong = || TaskFileError::Size { of: format!("file {file:?}"), size: "no size".into() };
            bytes += size.ok_or_else(wrong)?;
        }
        read[to].inputs.push((from, bytes));
    }
    Ok(read)
}

/// The files that a task reads or writes, by either format.
fn files<'a>(task: &'a Task, link: &str, listed: &'a [String]) -> BTreeSet<&'a str> {
    let linked = task.files.iter().filter(|file| file.link == link).map(|file| file.name.as_str());
    linked.chain(listed.iter().map(String::as_str)).collect()
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

    #[test]
    fn mistakes_are_named() {
        let said = |tasks: &str| one_four(tasks).unwrap_err().to_string();
        let a = r#"{ "name": "a", "runtime": 1, "parents": [] }"#;
        assert_eq!(said(&format!("{a}, {a}")), "task \"a\" is there twice");
        let orphan = r#"{ "name": "b", "runtime": 1, "parents": ["c"] }"#;
        assert_eq!(said(&format!("{a}, {orphan}")), "task \"b\" is connected with \"c\", which is not there");
        let timeless = r#"{ "name": "b" }"#;
        assert!(said(timeless).starts_with("task \"b\" has the size \"no runtime\""), "{}", said(timeless));
        let version = r#"{ "schemaVersion": "1.2", "workflow": {} }"#;
        assert_eq!(
            read_wfcommons(version).unwrap_err().to_string(),
            "this is format 1.2; versions 1.4 and 1.5 are read"
        );
        let cut = "{ \"schemaVersion\": \"1.5\",\n  \"workflow\": { \"specification\": [";
        assert!(matches!(read_wfcommons(cut), Err(TaskFileError::Syntax { line: 2, .. })));
        assert!(matches!(read_wfcommons("{}"), Err(TaskFileError::Syntax { .. })));
    }
}
