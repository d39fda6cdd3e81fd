//! The README and the guide: every command that they show is run, every output that they show is the program's, every
//! link leads somewhere.
//!
//! Files that a page shows are written to a folder of the page's own: a block whose first line is ` ```ron lab.ron ` is
//! the file `lab.ron`. Each line of a block of `sh` is then a command, run in that folder in the order of the page. A
//! block of `text` right after it is what the last command prints, where a line `...` stands for any lines.
//! `GRIDLOOM_UPDATE_GUIDE=1 cargo test --test suite guide` writes what the program prints now into the pages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Commands that are not run here: the gate runs them, or they take long and are run by tests of their own.
const ELSEWHERE: &[&str] =
    &["cargo test", "cargo bench", "cargo install", "cargo build", "cargo doc", "git clone", "mdbook"];
/// A line of an expected output that stands for any lines.
const GAP: &str = "...";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The README and all pages of the guide.
fn pages() -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join("guide")).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    pages.push(root().join("README.md"));
    pages.sort();
    pages
}

/// A fenced block of a page.
struct Block {
    /// What follows the opening fence, such as `ron lab.ron`.
    info: String,
    /// The lines between the fences, as a range of the page's lines.
    lines: std::ops::Range<usize>,
    text: String,
}

fn blocks(page: &str) -> Vec<Block> {
    let lines: Vec<&str> = page.lines().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        if let Some(info) = lines[at].strip_prefix("```") {
            let length = lines[at + 1..].iter().position(|line| *line == "```").expect("a block has an end");
            let inside = at + 1..at + 1 + length;
            let text: String = lines[inside.clone()].iter().map(|line| format!("{line}\n")).collect();
            at = inside.end;
            found.push(Block { info: info.to_string(), lines: inside, text });
        }
        at += 1;
    }
    found
}

/// The commands of a block: lines that end in a backslash go on, comments are left out.
fn commands(text: &str) -> Vec<String> {
    let joined = text.replace("\\\n", " ");
    let lines = joined.lines().map(|line| line.split(" # ").next().unwrap_or_default().trim());
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(String::from).collect()
}

/// The command as it is run here; nothing for those that are run elsewhere.
fn run_here(command: &str, shows_output: bool) -> Option<String> {
    if let Some(bench) = command.strip_prefix("cargo bench --bench ") {
        let name = bench.split_whitespace().next().unwrap_or_default();
        let is_there = ["", ".rs"].iter().any(|end| root().join(format!("benches/{name}{end}")).exists());
        assert!(is_there, "there is no bench for `{command}`");
    }
    if ELSEWHERE.iter().any(|start| command.starts_with(start)) {
        return None;
    }
    if let Some(rest) = command.strip_prefix("cargo run --release --example ") {
        assert!(root().join(format!("examples/{}.rs", rest.trim())).is_file(), "{command}");
        return None;
    }
    let command = command.replace("cargo run --release --", "gridloom");
    // All of them together take minutes; a test of its own and the gate run them.
    if command.starts_with("gridloom reproduce") {
        let quick = if command.contains("--quick") { "" } else { " --quick" };
        return Some(format!("{command}{quick} --only amp-example"));
    }
    // Shipped scenarios are run by another test, at few replications; here the call has to be good.
    if command.starts_with("gridloom run scenarios/") {
        let words: Vec<&str> = command.split(" --").filter(|word| !is_of_run_only(word)).collect();
        return Some(words.join(" --").replacen("run", "check", 1));
    }
    // The program that tests get is not optimised: where the page shows no numbers, few worlds will do.
    let few = command.starts_with("gridloom run") && !shows_output && !command.contains("--replications");
    Some(if few { format!("{command} --replications 2") } else { command })
}

/// True for options of `run` that `check` does not have.
fn is_of_run_only(option: &str) -> bool {
    ["out ", "seed ", "replications ", "threads ", "force", "resume", "verbose"]
        .iter()
        .any(|name| option.starts_with(name))
}

/// A folder for a page, with the scenarios and the program in it.
struct PageFolder(tempfile::TempDir);

impl PageFolder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let scenarios = folder.path().join("scenarios");
        fs::create_dir(&scenarios).unwrap();
        for file in fs::read_dir(root().join("scenarios")).unwrap().map(|entry| entry.unwrap()) {
            fs::copy(file.path(), scenarios.join(file.file_name())).unwrap();
        }
        fs::create_dir(folder.path().join("bin")).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_gridloom"), folder.path().join("bin/gridloom")).unwrap();
        Self(folder)
    }

    fn run(&self, command: &str) -> Output {
        let path = std::env::var("PATH").unwrap_or_default();
        Command::new("sh")
            .args(["-c", command])
            .current_dir(self.0.path())
            .env("PATH", format!("{}:{path}", self.0.path().join("bin").display()))
            .env("COLUMNS", "100")
            .output()
            .expect("there is a shell")
    }
}

/// The first lines of an expected output that are not there, if the output is another one.
fn missing(expected: &str, output: &str) -> Option<String> {
    let mut rest: Vec<&str> = output.lines().map(str::trim_end).collect();
    let lines: Vec<&str> = expected.lines().map(str::trim_end).collect();
    let mut after_gap = false;
    for part in lines.split(|line| *line == GAP) {
        if part.is_empty() {
            after_gap = true;
            continue;
        }
        let places = if after_gap { rest.len().saturating_sub(part.len()) + 1 } else { 1 };
        let Some(found) = (0..places).find(|&start| rest.get(start..start + part.len()) == Some(part)) else {
            return Some(part.join("\n"));
        };
        rest.drain(..found + part.len());
        after_gap = true;
    }
    (!rest.is_empty() && lines.last() != Some(&GAP)).then(|| format!("the end: {} is still to come", rest.join("\n")))
}

fn check_page(path: &Path) {
    let updates = std::env::var_os("GRIDLOOM_UPDATE_GUIDE").is_some();
    let page = fs::read_to_string(path).unwrap();
    let name = path.strip_prefix(root()).unwrap().display();
    let folder = PageFolder::new();
    let blocks = blocks(&page);
    let mut updated: Vec<(std::ops::Range<usize>, String)> = Vec::new();
    for (index, block) in blocks.iter().enumerate() {
        let mut info = block.info.split_whitespace();
        let (language, file) = (info.next().unwrap_or_default(), info.next());
        if language != "sh" {
            if let Some(file) = file {
                fs::write(folder.0.path().join(file), &block.text).unwrap();
            }
            continue;
        }
        let shown = blocks.get(index + 1).filter(|next| next.info == "text" && next.lines.start <= block.lines.end + 3);
        let mut printed = String::new();
        for command in commands(&block.text).iter().filter_map(|command| run_here(command, shown.is_some())) {
            let done = folder.run(&command);
            let (out, errors) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
            let wanted = if file == Some("refused") { 2 } else { 0 };
            assert_eq!(done.status.code(), Some(wanted), "{name}: {command}\n{errors}");
            printed = if wanted == 0 { out.into_owned() } else { errors.into_owned() };
        }
        let Some(shown) = shown else { continue };
        match missing(&shown.text, &printed) {
            // A gap alone shows nothing yet.
            found if updates && (found.is_some() || shown.text.trim() == GAP) => {
                updated.push((shown.lines.clone(), printed));
            }
            Some(part) => panic!("{name}: after\n{}\nthis is not printed:\n{part}\nbut\n{printed}", block.text),
            None => {}
        }
    }
    if !updated.is_empty() {
        let mut lines: Vec<String> = page.lines().map(String::from).collect();
        for (range, text) in updated.into_iter().rev() {
            lines.splice(range, text.lines().map(|line| line.trim_end().to_string()));
        }
        fs::write(path, lines.join("\n") + "\n").unwrap();
    }
}

#[test]
fn every_command_of_the_readme_and_the_guide_runs() {
    pages().iter().for_each(|page| check_page(page));
}

#[test]
fn every_link_leads_somewhere() {
    for path in pages() {
        let page = fs::read_to_string(&path).unwrap();
        for target in page.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = target.split('#').next().unwrap_or_default();
            let is_outside = file.contains("://") || file.is_empty();
            assert!(is_outside || path.parent().unwrap().join(file).exists(), "{}: {target}", path.display());
        }
    }
}

#[test]
fn the_summary_names_every_page() {
    let summary = fs::read_to_string(root().join("guide/SUMMARY.md")).unwrap();
    for path in pages().iter().filter(|path| path.starts_with(root().join("guide"))) {
        let name = path.file_name().unwrap().to_string_lossy();
        assert!(name == "SUMMARY.md" || summary.contains(&format!("({name})")), "{name} is not in SUMMARY.md");
    }
}

#[test]
fn outputs_are_compared_line_by_line_but_for_gaps() {
    let output = "first\nsecond\nthird\nfourth\n";
    for same in [output, "first\n...\n", "...\nthird\nfourth\n", "first\n...\nthird\n...\n", "...\n"] {
        assert_eq!(missing(same, output), None, "{same}");
    }
    for other in ["first\n", "second\n...\n", "first\n...\nfifth\n...\n", "...\nfourth\nthird\n"] {
        assert!(missing(other, output).is_some(), "{other}");
    }
}

#[test]
fn the_metrics_that_the_guide_explains_are_there() {
    let page = fs::read_to_string(root().join("guide/metrics.md")).unwrap();
    let listed = PageFolder::new().run("gridloom list metrics");
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let names = page.split('`').skip(1).step_by(2).filter(|name| !name.starts_with("gridloom"));
    let missing: Vec<&str> = names.filter(|name| !listed.contains(&format!("    {name} ["))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
