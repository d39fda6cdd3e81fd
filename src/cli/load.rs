//! Reading scenarios for a command.

use super::{BAD_INPUT, print};
use crate::language::decode::suggest;
use crate::language::{Report, Source, read_source, read_standard_input};
use crate::study::{Study, load_study};
use std::path::{Path, PathBuf};

/// The name by which a scenario is read from standard input.
const STANDARD_INPUT: &str = "-";

/// All the scenarios, or everything that is wrong with any of them on standard error.
pub(super) fn studies(paths: &[PathBuf], overrides: &[String]) -> Result<Vec<Study>, u8> {
    let mut failed = false;
    for path in paths {
        if let Some(wrong) = no_scenario(path) {
            print::error(&wrong);
            failed = true;
        }
    }
    if paths.iter().filter(|path| path.as_os_str() == STANDARD_INPUT).count() > 1 {
        print::error("standard input can be read only once: give `-` once");
        failed = true;
    }
    if failed {
        return Err(BAD_INPUT);
    }
    let mut studies = Vec::new();
    for path in paths {
        match source(path).and_then(|source| load_study(&source, overrides)) {
            Ok(study) => studies.push(study),
            Err(report) => {
                failed = true;
                print::report(&report);
            }
        }
    }
    if failed { Err(BAD_INPUT) } else { Ok(studies) }
}

/// One scenario with its text, or everything that is wrong with it on standard error.
pub(super) fn one(path: &Path, overrides: &[String]) -> Result<(Source, Study), u8> {
    if let Some(wrong) = no_scenario(path) {
        print::error(&wrong);
        return Err(BAD_INPUT);
    }
    let loaded = source(path).and_then(|source| load_study(&source, overrides).map(|study| (source, study)));
    loaded.map_err(|report| {
        print::report(&report);
        BAD_INPUT
    })
}

/// One scenario, or what is wrong with it as text.
pub(super) fn study(path: &Path, overrides: &[String]) -> Result<Study, String> {
    let source = read_source(path).map_err(|report| report.to_string())?;
    load_study(&source, overrides).map_err(|report| report.to_string())
}

/// A path as messages name it.
pub(super) fn shown(path: &Path) -> String {
    if path.as_os_str() == STANDARD_INPUT { "<stdin>".into() } else { path.display().to_string() }
}

fn source(path: &Path) -> Result<Source, Report> {
    if path.as_os_str() == STANDARD_INPUT { read_standard_input() } else { read_source(path) }
}

/// What to do with a file whose name says that it is no scenario.
fn no_scenario(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_string_lossy().to_lowercase();
    let shown = path.display();
    if let Some(meant) = meant(path) {
        return Some(format!("{shown}: there is no such file; did you mean `{}`?", meant.display()));
    }
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    if ends(&[".swf", ".swf.gz"]) {
        Some(format!("{shown} is a log, not a scenario: use `gridloom replay {shown} --policy EASY`"))
    } else if ends(&[".dot", ".gv", ".json"]) {
        Some(format!(
            "{shown} is no scenario: a scenario names a file of tasks as `tasks: File(path: \"{shown}\", bandwidth: \
             ...)`, see `gridloom init workflow`"
        ))
    } else {
        None
    }
}

/// The scenario that is most likely meant by a path that leads nowhere: one with the ending, in the usual folder, or
/// with nearly the same name.
fn meant(path: &Path) -> Option<PathBuf> {
    if path.as_os_str() == STANDARD_INPUT || path.exists() {
        return None;
    }
    let name = path.file_name()?.to_str()?;
    let file = if name.ends_with(".ron") { name.to_string() } else { format!("{name}.ron") };
    let places = [path.with_file_name(&file), Path::new("scenarios").join(&file)];
    if let Some(place) = places.into_iter().find(|place| place.is_file()) {
        return Some(place);
    }
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".ron"))
        .collect();
    names.sort();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    suggest(&file, &names, "").0.map(|name| path.with_file_name(name))
}
