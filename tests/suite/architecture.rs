//! The import direction: every module imports only from those before it.

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

#[test]
fn imports_are_recognised() {
    assert_eq!(imports("use crate::units::{Span, Time};"), ["units"]);
    assert_eq!(imports("let x = crate::model::Node::new(crate::rng::unit());"), ["model", "rng"]);
    assert_eq!(imports("use crate::{check, sim};"), ["check", "sim"]);
    assert_eq!(imports("// use crate::cli;"), [""; 0]);
}
