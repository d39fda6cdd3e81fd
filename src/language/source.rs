//! Where text comes from: scenario files and `--set` overrides, and places in them.

use super::diagnose::{Errors, Report};
use crate::text::ReadText;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// The largest scenario file that is read, in bytes.
pub const SIZE_LIMIT: usize = 6_000_000;

/// A stretch of bytes in one of the [`Sources`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// Which source: 0 is the scenario itself, the others are the overrides in their order.
    pub source: u32,
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

/// A named text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    name: String,
    /// Where the paths in it start.
    folder: PathBuf,
    text: String,
    /// Where each line begins.
    lines: Vec<u32>,
    is_override: bool,
    read: Remembered,
}

/// What has been read of a text. A study reads its scenario once more for each point of a sweep, with other overrides.
#[derive(Debug, Clone, Default)]
struct Remembered(Arc<OnceLock<ReadText>>);

/// It follows from the text, so that it tells no two sources apart.
impl PartialEq for Remembered {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Remembered {}

impl Source {
    /// A scenario's text, called `name` in messages. If the name is a path, files that the scenario names are looked
    /// for in its folder.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let (name, mut text) = (name.into(), text.into());
        if text.starts_with('\u{FEFF}') {
            text.remove(0);
        }
        let ends = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(at, _)| at as u32 + 1);
        let lines = std::iter::once(0).chain(ends).collect();
        let folder = Path::new(&name).parent().unwrap_or(Path::new("")).to_path_buf();
        Self { name, folder, text, lines, is_override: false, read: Remembered::default() }
    }

    /// An override as it was given on the command line: `path=value`.
    pub fn of_override(text: &str) -> Self {
        Self { is_override: true, ..Self::new(format!("--set {}", shorten(text, 60)), text) }
    }

    /// The value of a scenario's whole text, with its errors.
    pub(crate) fn read(&self) -> ReadText {
        self.read.0.get_or_init(|| ReadText::of(self)).clone()
    }

    /// The name that messages use.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The folder from which the paths in it are taken.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The text itself.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// True if this is a `--set` override.
    pub fn is_override(&self) -> bool {
        self.is_override
    }

    /// The line, from 1, in which the byte at `offset` is.
    pub fn line(&self, offset: u32) -> usize {
        self.lines.partition_point(|&start| start <= offset)
    }

    /// The column of `offset`, in characters from 1.
    pub fn column(&self, offset: u32) -> usize {
        let start = self.lines[self.line(offset) - 1];
        self.slice(start, offset).chars().count() + 1
    }

    /// The text of line `line`, from 1, without its end, and the offset at which it begins.
    pub fn line_text(&self, line: usize) -> (&str, u32) {
        let start = self.lines[line - 1];
        let end = self.lines.get(line).copied().unwrap_or(self.text.len() as u32);
        (self.slice(start, end).trim_end_matches(['\n', '\r']), start)
    }

    /// The text from `start` to `end`.
    pub fn slice(&self, start: u32, end: u32) -> &str {
        &self.text[start as usize..end as usize]
    }
}

/// All texts that one scenario is made from: its file, then its overrides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sources(Vec<Source>);

impl Sources {
    /// A scenario and its overrides, each `path=value`.
    pub fn new(scenario: Source, overrides: &[String]) -> Self {
        let overrides = overrides.iter().map(|text| Source::of_override(text));
        Self(std::iter::once(scenario).chain(overrides).collect())
    }

    /// All of them, the scenario first.
    pub fn all(&self) -> &[Source] {
        &self.0
    }

    /// The source in which `span` lies.
    pub fn of(&self, span: Span) -> &Source {
        &self.0[span.source as usize]
    }

    /// The text of `span` as a message may quote it: on one line, and not long.
    pub fn quote(&self, span: Span) -> String {
        shorten(self.of(span).slice(span.start, span.end), 40)
    }

    /// A place that a message about another place refers to: `on line 3`, or ``in `--set a=1` ``.
    pub fn refer(&self, span: Span) -> String {
        let source = self.of(span);
        match source.is_override {
            true => format!("in `{}`", source.name),
            false => format!("on line {}", source.line(span.start)),
        }
    }
}

/// `text` cut to `limit` characters, with everything that would disturb a terminal made visible.
pub(crate) fn shorten(text: &str, limit: usize) -> String {
    let mut characters = text.chars().map(visible);
    let mut short: String = characters.by_ref().take(limit).collect();
    if characters.next().is_some() {
        short.push_str("...");
    }
    short
}

/// Blanks for tabs and line ends, so that columns keep their width, and a mark for other control characters.
pub(crate) fn visible(character: char) -> char {
    match character {
        '\t' | '\n' | '\r' => ' ',
        _ if character.is_control() => '\u{FFFD}',
        _ => character,
    }
}

/// Reads a scenario file; whatever is wrong with the file as such is said in the report.
pub fn read_source(path: &Path) -> Result<Source, Report> {
    let name: String = path.display().to_string().chars().map(visible).collect();
    let bytes = read_bytes(path).map_err(|(wrong, right)| refuse(Source::new(&name, ""), 0, &wrong, right))?;
    // The name is made for messages, and may not be the path any more.
    Ok(Source { folder: path.parent().unwrap_or(path).to_path_buf(), ..decode(name, bytes)? })
}

/// Reads a scenario from standard input, to its end. Files that it names are looked for in the present folder.
pub fn read_standard_input() -> Result<Source, Report> {
    let name = "<stdin>".to_string();
    let bytes = read_all(io::stdin().lock()).map_err(|(wrong, right)| refuse(Source::new(&name, ""), 0, &wrong, right));
    decode(name, bytes?)
}

/// The text of a scenario from its bytes.
fn decode(name: String, bytes: Vec<u8>) -> Result<Source, Report> {
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Source::new(name, text)),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let byte = error.as_bytes()[at];
            let readable = Source::new(name, String::from_utf8_lossy(error.as_bytes()));
            // A byte order mark at the front is gone from the source.
            let at = at - if error.as_bytes().starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
            Err(refuse(readable, at, &format!("byte 0x{byte:02X} is not UTF-8"), "save the file as UTF-8 text"))
        }
    }
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, (String, &'static str)> {
    let metadata = path.metadata().map_err(explain)?;
    if metadata.is_dir() {
        return Err(("this is a directory".into(), "give the scenario file itself"));
    }
    // A device or a pipe may never end, and opening it may never return.
    if !metadata.is_file() {
        return Err(("this is not a regular file".into(), "give a scenario file"));
    }
    if metadata.len() > SIZE_LIMIT as u64 {
        return Err(too_large(metadata.len().to_string()));
    }
    // The file may grow while it is read.
    read_all(File::open(path).map_err(explain)?)
}

fn read_all(from: impl Read) -> Result<Vec<u8>, (String, &'static str)> {
    let mut bytes = Vec::new();
    from.take(SIZE_LIMIT as u64 + 1).read_to_end(&mut bytes).map_err(explain)?;
    if bytes.len() > SIZE_LIMIT {
        return Err(too_large(format!("more than {SIZE_LIMIT}")));
    }
    Ok(bytes)
}

fn too_large(size: String) -> (String, &'static str) {
    (format!("the file has {size} bytes"), "a scenario has at most 6 MB; name large inputs, such as logs, as files")
}

fn explain(error: io::Error) -> (String, &'static str) {
    match error.kind() {
        io::ErrorKind::NotFound => ("there is no such file".into(), "check the path"),
        io::ErrorKind::PermissionDenied => ("reading it is not permitted".into(), "check the file's permissions"),
        _ => (format!("it can't be read: {error}"), "check the path and the disk"),
    }
}

fn refuse(source: Source, at: usize, wrong: &str, right: &str) -> Report {
    let end = source.text[at..].chars().next().map_or(at, |bad| at + bad.len_utf8());
    let mut errors = Errors::default();
    errors.add(Span { source: 0, start: at as u32, end: end as u32 }, "", wrong, right);
    Report::new(errors, Sources(vec![source]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_and_columns_count_characters_from_one() {
        let source = Source::new("s", "\u{FEFF}é\tx\r\nyz");
        let at = |offset| (source.line(offset), source.column(offset));
        assert_eq!([at(0), at(2), at(3), at(6), at(7), at(8)], [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)]);
        assert_eq!(source.line_text(1), ("é\tx", 0));
        assert_eq!(source.line_text(2), ("yz", 6));
    }

    #[test]
    fn other_failures_of_the_file_are_told_apart() {
        let say = |kind: io::ErrorKind| explain(kind.into());
        assert_eq!(say(io::ErrorKind::PermissionDenied).0, "reading it is not permitted");
        assert_eq!(say(io::ErrorKind::NotFound).0, "there is no such file");
        assert!(say(io::ErrorKind::TimedOut).0.starts_with("it can't be read: "));
    }

    fn say(name: &str, make: impl FnOnce(&Path)) -> String {
        let directory = tempfile::tempdir().unwrap();
        make(&directory.path().join(name));
        let report = read_source(&directory.path().join(name)).unwrap_err();
        report.to_string().replace(&format!("{}/", directory.path().display()), "")
    }

    #[test]
    fn each_kind_of_bad_file_is_named() {
        insta::assert_snapshot!(say("missing.ron", |_| ()), @"missing.ron: there is no such file; check the path");
        let made = say("folder", |path| std::fs::create_dir(path).unwrap());
        insta::assert_snapshot!(made, @"folder: this is a directory; give the scenario file itself");
        let bytes = b"(\n    name: \"Jos\xE9\",\n)";
        insta::assert_snapshot!(say("latin.ron", |path| std::fs::write(path, bytes).unwrap()), @r#"
        latin.ron:2:15: byte 0xE9 is not UTF-8; save the file as UTF-8 text
          2 |     name: "Jos�",
            |               ^
        "#);
        let grown = say("large.ron", |path| File::create(path).unwrap().set_len(SIZE_LIMIT as u64 + 1).unwrap());
        insta::assert_snapshot!(grown, @"large.ron: the file has 6000001 bytes; a scenario has at most 6 MB; name large inputs, such as logs, as files");
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_refused_before_they_are_opened() {
        let report = read_source(Path::new("/dev/zero")).unwrap_err().to_string();
        insta::assert_snapshot!(report, @"/dev/zero: this is not a regular file; give a scenario file");
    }

    #[test]
    fn a_file_of_the_largest_size_is_read() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(SIZE_LIMIT as u64).unwrap();
        assert_eq!(read_source(file.path()).unwrap().text().len(), SIZE_LIMIT);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..40), mark in any::<bool>()) {
            let file = tempfile::NamedTempFile::new().unwrap();
            let bytes = if mark { [&b"\xEF\xBB\xBF"[..], &bytes].concat() } else { bytes };
            std::fs::write(file.path(), &bytes).unwrap();
            match read_source(file.path()) {
                Ok(source) => {
                    let text = String::from_utf8(bytes).unwrap();
                    prop_assert_eq!(source.text(), text.strip_prefix('\u{FEFF}').unwrap_or(&text));
                }
                Err(report) => prop_assert!(report.to_string().contains("is not UTF-8")),
            }
        }
    }
}
