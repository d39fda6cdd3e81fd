//! The names of tasks, and the tasks that references mean.

use super::parts::{Text, WfTask};
use crate::workload::task_file::TaskFileError;
use std::collections::{BTreeMap, BTreeSet};

/// The names of tasks, and the tasks that references mean.
pub(super) struct Names<'a> {
    /// The name of each task, unique in the file.
    pub(super) own: Vec<&'a str>,
    /// The tasks that a reference may mean.
    meant: BTreeMap<&'a str, BTreeSet<usize>>,
}

impl<'a> Names<'a> {
    /// The format says that ids are unique and are what is referred to; a name counts where no task has it for an id.
    pub(super) fn by_id(tasks: &'a [WfTask<'_>], text: Text<'_>) -> Result<Self, TaskFileError> {
        let own: Vec<&str> = tasks.iter().map(|task| task.id.as_deref().unwrap_or(&task.name)).collect();
        if let Some(place) = repeated(&own) {
            return Err(there_twice(own[place], &tasks[place], text));
        }
        let mut meant: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for (place, &id) in own.iter().enumerate() {
            meant.insert(id, [place].into());
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
    pub(super) fn by_name(tasks: &'a [WfTask<'_>], text: Text<'_>) -> Result<Self, TaskFileError> {
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
            (Some(place), _) => return Err(there_twice(names[place], &tasks[place], text)),
        };
        Ok(Self { own, meant })
    }

    /// The task that `other`, among the neighbours of the task at `place`, means.
    pub(super) fn find(
        &self,
        place: usize,
        other: &str,
        (task, text): (&WfTask<'_>, Text<'_>),
    ) -> Result<usize, TaskFileError> {
        let places: Vec<usize> = self.meant.get(other).into_iter().flatten().copied().collect();
        let connected = format!("task {:?} is connected with {other:?}", self.own[place]);
        match places[..] {
            [only] => Ok(only),
            [] => {
                let right = "give the name or the id of a task of this file";
                Err(text.wrong(task.source, format!("{connected}, which is not there"), right))
            }
            _ => {
                let wrong = format!("{connected}, which can mean {} tasks", places.len());
                Err(text.wrong(task.source, wrong, "refer to ids, as format 1.5 does"))
            }
        }
    }
}

fn there_twice(name: &str, task: &WfTask<'_>, text: Text<'_>) -> TaskFileError {
    text.wrong(task.source, format!("task {name:?} is there twice"), "give each task a name or an id of its own")
}

/// The place of the first word that stands in a list a second time.
fn repeated(words: &[&str]) -> Option<usize> {
    let mut seen = BTreeSet::new();
    words.iter().position(|word| !seen.insert(*word))
}
