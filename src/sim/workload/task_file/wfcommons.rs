//! WfCommons instances (WfFormat 1.0 to 1.6).
//!
//! Up to 1.4 a task holds its structure and its measurements, and tasks refer to each other by name; until 1.2 they are
//! called jobs. From 1.5 on a specification says what is to be done and an execution what was measured, and tasks refer
//! to each other by id. Files in circulation mix both ways, so that names and ids are both taken as references.

mod edges;
mod names;
mod parts;
mod sizes;

use super::{FileTask, TaskFileError};
use edges::Edges;
use names::Names;
use parts::{Execution, Instance, MeasuredTask, Specification, Text, WfFile, WfInstance, WfTask};
use sizes::{Runtimes, Sizes};

/// The versions that are read.
const VERSIONS: [&str; 7] = ["1.0", "1.1", "1.2", "1.3", "1.4", "1.5", "1.6"];

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
    let text = Text(text.strip_prefix('\u{FEFF}').unwrap_or(text));
    let instance: Instance<'_> = text.object(text.0, "a WfCommons file is")?;
    let version = instance.schema_version.get();
    if !VERSIONS.contains(&version.trim_matches('"')) {
        let version: String = version.trim_matches('"').chars().take(20).collect();
        let wrong = format!("this is format {version}; versions 1.0 to 1.6 are read");
        return Err(text.wrong(instance.schema_version.get(), wrong, "bring it into one of those"));
    }
    let workflow: WfInstance<'_> = text.object(instance.workflow.get(), "`workflow` is")?;
    match workflow.specification {
        Some(specification) => {
            let Specification { tasks, files } = text.object(specification.get(), "`specification` is")?;
            let execution = workflow.execution.map(|execution| text.object(execution.get(), "`execution` is"));
            let measured = execution.transpose()?.map_or(Vec::new(), |execution: Execution<'_>| execution.tasks.0);
            let measured: Vec<MeasuredTask<'_>> = text.objects(&measured, "a task of the `execution` is")?;
            let tasks: Vec<WfTask<'_>> = text.objects(&tasks.0, "a task is")?;
            let files: Vec<WfFile<'_>> = text.objects(&files.0, "a file is")?;
            let names = Names::by_id(&tasks, text)?;
            let runtimes = Runtimes::of(&measured, &names, text)?;
            assemble(&tasks, &names, &Sizes::of_files(&files, text)?, &runtimes, text)
        }
        None if workflow.tasks.0.is_empty() => {
            let wrong = "there is neither a list `tasks` in `workflow` nor a `specification`";
            Err(text.wrong(instance.workflow.get(), wrong, "list the tasks there"))
        }
        None => {
            let tasks: Vec<WfTask<'_>> = text.objects(&workflow.tasks.0, "a task is")?;
            let names = Names::by_name(&tasks, text)?;
            assemble(&tasks, &names, &Sizes::of_links(&tasks, &names, text)?, &Runtimes::default(), text)
        }
    }
}

/// Tasks with their edges.
fn assemble(
    tasks: &[WfTask<'_>],
    names: &Names<'_>,
    sizes: &Sizes,
    runtimes: &Runtimes,
    text: Text<'_>,
) -> Result<Vec<FileTask>, TaskFileError> {
    let mut read = Vec::with_capacity(tasks.len());
    for (task, &name) in tasks.iter().zip(&names.own) {
        read.push(FileTask { name: name.to_string(), size: runtimes.of_task(task, name, text)?, inputs: Vec::new() });
    }
    let edges = Edges::of(tasks, names, text)?;
    for &(to, from) in &edges.pairs {
        let mut bytes = 0.0;
        for file in edges.writes[from].intersection(&edges.reads[to]) {
            bytes += sizes.of_file(file).ok_or_else(|| {
                let wrong = format!("file {file:?}, which task {:?} reads, has no size", names.own[to]);
                text.wrong(tasks[to].source, wrong, "list it in `files` with its `sizeInBytes`")
            })?;
        }
        read[to].inputs.push((from, bytes));
    }
    Ok(read)
}

#[cfg(test)]
mod tests;
