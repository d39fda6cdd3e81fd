//! The import direction: every module imports only from those before it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The modules in the order in which data passes through them.
const ORDER: [&str; 20] = [
    "units",
    "rng",
    "engine",
    "model",
    "language",
    "workload",
    "search",
    "combine",
    "queueing",
    "workflow",
    "broker",
    "policy",
    "sim",
    "check",
    "metrics",
    "study",
    "reproduction",
    "report",
    "cli",
    "main",
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("src can be listed") {
        let path = entry.expect("src can be listed").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn place(module: &str) -> usize {
    ORDER
        .iter()
        .position(|&name| name == module)
        .unwrap_or_else(|| panic!("module {module} has no place in the order: add it to tests/suite/architecture.rs"))
}

/// The modules that a line of code names as `crate::module` (comments and doc examples are not imports).
fn imports(line: &str) -> Vec<&str> {
    let code = line.split("//").next().unwrap_or_default();
    code.split("crate::")
        .skip(1)
        .flat_map(|rest| match rest.strip_prefix('{') {
            Some(group) => group.split(',').map(|name| name.trim_start_matches(['{', ' '])).collect(),
            None => vec![rest],
        })
        .map(|rest| rest.split(|c: char| !(c.is_ascii_lowercase() || c == '_')).next().unwrap_or_default())
        .filter(|name| !name.is_empty())
        // The crate's macros stand at its root, wherever they are written.
        .map(|name| if ["record", "choice", "registry"].contains(&name) { "language" } else { name })
        .collect()
}

#[test]
fn modules_import_only_from_those_before_them() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    let mut wrong = Vec::new();
    let mut seen = 0;
    for file in files {
        let relative = file.strip_prefix(&src).expect("it is below src");
        let top = relative.components().next().expect("it has a name").as_os_str().to_string_lossy();
        let module = top.trim_end_matches(".rs");
        if module == "lib" {
            continue;
        }
        let text = fs::read_to_string(&file).expect("sources are text");
        for (number, line) in text.lines().enumerate() {
            for import in imports(line).into_iter().filter(|&import| import != module) {
                seen += 1;
                if !ORDER.contains(&import) || place(import) > place(module) {
                    wrong.push(format!("{}:{}: {module} imports {import}", relative.display(), number + 1));
                }
            }
        }
    }
    assert!(seen > 20, "the test must see the imports: it saw {seen}");
    assert!(wrong.is_empty(), "against the direction:\n{}", wrong.join("\n"));
}

/// The sources without their tests: path below `src`, text.
fn production() -> Vec<(String, String)> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    let read = |file: PathBuf| {
        let path = file.strip_prefix(&src).expect("it is below src").to_string_lossy().into_owned();
        let text = fs::read_to_string(&file).expect("sources are text");
        let end = text.find("\n#[cfg(test)]\nmod ").unwrap_or(text.len());
        (path, text[..end].to_string())
    };
    let is_test = |path: &str| path.contains("/tests") || path.ends_with("tests.rs");
    files.into_iter().map(read).filter(|(path, _)| !is_test(path)).collect()
}

#[test]
fn the_language_knows_no_grid() {
    for (path, text) in production().into_iter().filter(|(path, _)| path.starts_with("language/")) {
        for import in text.lines().flat_map(imports) {
            assert!(["language", "units", "rng"].contains(&import), "{path} imports {import}");
        }
    }
}

/// Type names that stand for more than one thing, and why that is well.
const SHARED: [(&str, &str); 1] = [("Args", "the arguments of a command, private to its file")];

/// The name of the type that a line defines; associated types are named by their traits.
fn defined(line: &str) -> Option<&str> {
    if line.starts_with(' ') {
        return None;
    }
    let line = match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
        Some(rest) => rest.trim_start(),
        None => line,
    };
    let mut words = line.split_whitespace();
    let is_type = ["struct", "enum", "trait", "type"].contains(&words.next()?);
    let name = words.next()?;
    is_type.then(|| name.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next()).flatten()
}

#[test]
fn no_type_name_stands_for_two_things() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, text) in production() {
        let mut in_macro = false;
        for line in text.lines() {
            in_macro |= ["record! {", "choice! {", "registry! {", "crate::registry! {"].contains(&line);
            in_macro &= line != "}";
            // Types stand at the margin, or one step in where a macro declares them.
            let line = if in_macro { line.strip_prefix("    ").unwrap_or(line) } else { line };
            if let Some(name) = defined(line).filter(|name| name.starts_with(char::is_uppercase)) {
                places.entry(name.to_string()).or_default().push(path.clone());
            }
        }
    }
    assert!(places.len() > 300, "the test must see the types: it saw {}", places.len());
    let is_shared = |name: &str| SHARED.iter().any(|(shared, _)| *shared == name);
    let twice: Vec<String> = places
        .iter()
        .filter(|(name, paths)| paths.len() > 1 && !is_shared(name))
        .map(|(name, paths)| format!("{name}: {}", paths.join(", ")))
        .collect();
    assert!(twice.is_empty(), "{} names are defined more than once:\n{}", twice.len(), twice.join("\n"));
    for (name, why) in SHARED {
        assert!(places[name].len() > 1, "{name} ({why}) is defined once: take it off the list");
    }
}

#[test]
fn definitions_are_recognised() {
    assert_eq!(defined("pub(super) struct Held<'a> {"), Some("Held"));
    assert_eq!(defined("enum Step {"), Some("Step"));
    assert_eq!(defined("pub type Verdict = Result<(), Violations>;"), Some("Verdict"));
    assert_eq!(defined("// struct Old"), None);
}

#[test]
fn imports_are_recognised() {
    assert_eq!(imports("use crate::units::{Span, Time};"), ["units"]);
    assert_eq!(imports("let x = crate::model::Node::new(crate::rng::unit());"), ["model", "rng"]);
    assert_eq!(imports("use crate::{check, sim};"), ["check", "sim"]);
    assert_eq!(imports("// use crate::cli;"), [""; 0]);
}
