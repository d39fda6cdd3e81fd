//! What is looked at before `ron` reads a text: comments and texts that never end, and brackets. There a reader would
//! stop far behind the fault, and deep nesting would take it long.

use super::Fault;
use super::pieces::{Kind, Piece, is_blank, pieces};
use crate::source::shorten;
use crate::text::tree::{push_field, push_index};

/// The depth to which brackets may nest. The deepest scenario has 9; what it takes to read a text grows with its depth.
const DEPTH_LIMIT: usize = 16;

/// The most bytes that are read, each as often as there are brackets around it. A run on a log of thirty thousand jobs leaves
/// a scenario behind that takes two thirds of this.
const READING_LIMIT: usize = 30_000_000;

/// The first thing wrong with comments, texts or brackets.
pub(super) fn check(text: &str) -> Result<(), Fault> {
    check_texts(text)?;
    check_brackets(text)
}

/// A text that should have ended on its line ends at the opening quote of the next one instead, and what stands between
/// texts is then read as text: nowhere else would a word follow a text right away.
fn check_texts(text: &str) -> Result<(), Fault> {
    // Where the first text over several lines is that nothing follows which could follow a value.
    let mut suspect: Option<Piece<'_>> = None;
    for piece in pieces(text) {
        let fault = |wrong: &str, right: &str| Err(Fault::new(piece.start..piece.end(), wrong, right));
        let rest = &text[piece.end()..];
        match piece.kind {
            Kind::Text if piece.text.starts_with('"') && piece.text.contains('\n') => {
                let continues = |rest: &str| rest.starts_with(|next: char| !",:)]}/".contains(next));
                if continues(rest) && !rest.starts_with(is_blank) {
                    return Err(unclosed(piece));
                }
                if continues(rest.trim_start_matches(is_blank)) {
                    suspect = suspect.or(Some(piece));
                }
            }
            Kind::OpenText => {
                let hashes = piece.text.trim_start_matches('r').chars().take_while(|&c| c == '#').count();
                let mark = shorten(&format!("\"{}", "#".repeat(hashes.min(20))), 20);
                let open =
                    || Fault::new(piece.start..piece.end(), "this text has no end", format!("end it with `{mark}`"));
                return Err(suspect.map_or_else(open, unclosed));
            }
            Kind::OpenComment => return fault("this comment has no end", "end it with `*/`"),
            Kind::Hash if piece.text.starts_with("#!") => {
                let right = "comments begin with `//`; a header reads `#![enable(implicit_some)]`";
                return fault("this is not a header", right);
            }
            Kind::Hash => {
                let place = piece.start..piece.start + 1;
                return Err(Fault::new(place, "`#` begins no comment", "comments begin with `//`"));
            }
            _ => (),
        }
    }
    Ok(())
}

/// A text whose quote is missing at the end of its first line.
fn unclosed(piece: Piece<'_>) -> Fault {
    let line = piece.text.lines().next().unwrap_or_default().trim_end();
    Fault::new(piece.start..piece.start + line.len(), "this text does not end on its line", "end it with `\"`")
}

fn check_brackets(text: &str) -> Result<(), Fault> {
    let mut open: Vec<Piece<'_>> = Vec::new();
    let (mut read, mut read_to) = (0, 0);
    for piece in pieces(text) {
        if matches!(piece.kind, Kind::Open | Kind::Close) {
            read += open.len() * (piece.start - read_to);
            read_to = piece.start;
            if read > READING_LIMIT {
                let right = "name large inputs, such as logs, as files";
                return Err(Fault::new(
                    piece.start..piece.end(),
                    "the text is too long for how deep its brackets are",
                    right,
                ));
            }
        }
        match piece.kind {
            Kind::Open if open.len() == DEPTH_LIMIT => {
                let right = format!("at most {DEPTH_LIMIT} brackets may be inside each other");
                return Err(Fault::new(piece.start..piece.end(), "brackets are nested too deeply here", right));
            }
            Kind::Open => open.push(piece),
            Kind::Close => {
                let closed = open.pop_if(|last| closing(last) == piece.text);
                if closed.is_none() {
                    return Err(wrong_bracket(text, &open, piece));
                }
            }
            _ => (),
        }
    }
    if open.is_empty() { Ok(()) } else { Err(never_closed(&open)) }
}

/// What is wrong when `close` comes and does not fit the innermost bracket that is open.
fn wrong_bracket(text: &str, open: &[Piece<'_>], close: Piece<'_>) -> Fault {
    let count = |kind| pieces(text).filter(|piece| piece.kind == kind).count();
    let fitting = open.iter().rposition(|open| closing(open) == close.text);
    match (open.last(), fitting) {
        // As many closing brackets as opening ones: none is missing, this one is of the wrong kind.
        (Some(last), _) if count(Kind::Open) == count(Kind::Close) => {
            let wrong = format!("`{}` is closed by `{}`", last.text, close.text);
            Fault::new(last.start..last.end(), wrong, format!("close it with `{}`", closing(last)))
        }
        (_, Some(depth)) => never_closed(&open[depth + 1..]),
        (_, None) => {
            let wrong = format!("nothing is open that `{}` could close", close.text);
            Fault::new(close.start..close.end(), wrong, "remove it")
        }
    }
}

/// Brackets that are open where they can't be any more: one error, at the innermost.
fn never_closed(open: &[Piece<'_>]) -> Fault {
    let innermost = open[open.len() - 1];
    let others = match open.len() {
        1 => String::new(),
        2 => ", and neither is the one around it".into(),
        count => format!(", and neither are {} around it", count - 1),
    };
    let wrong = format!("`{}` is never closed{others}", innermost.text);
    Fault::new(innermost.start..innermost.end(), wrong, format!("close it with `{}`", closing(&innermost)))
}

/// The bracket that closes another.
pub(super) fn closing(open: &Piece<'_>) -> &'static str {
    match open.text {
        "(" => ")",
        "[" => "]",
        _ => "}",
    }
}

/// The brackets around a place, as far as its pieces were followed.
#[derive(Debug, Default)]
pub(super) struct Around<'t> {
    pub frames: Vec<Frame<'t>>,
    /// The piece before the place.
    pub before: Option<Piece<'t>>,
    /// The one before that.
    pub second: Option<Piece<'t>>,
}

/// An open bracket and where in it a place is.
#[derive(Debug)]
pub(super) struct Frame<'t> {
    pub open: Piece<'t>,
    /// The first piece inside.
    pub first: Option<Piece<'t>>,
    /// True if a word stands in front of it.
    has_name: bool,
    /// A colon has come, so that its entries have names.
    pub has_names: bool,
    /// The name of the present entry, if it may be one.
    name: Option<&'t str>,
    /// The number of commas so far.
    index: usize,
}

impl<'t> Around<'t> {
    /// Follows one more piece.
    pub(super) fn follow(&mut self, piece: Piece<'t>) {
        if let Some(frame) = self.frames.last_mut() {
            frame.first = frame.first.or(Some(piece));
        }
        match (piece.kind, self.frames.last_mut()) {
            (Kind::Open, _) => {
                let has_name = self.before.is_some_and(|before| before.kind == Kind::Word);
                let frame = Frame { open: piece, first: None, has_name, has_names: false, name: None, index: 0 };
                self.frames.push(frame);
            }
            (Kind::Close, _) => drop(self.frames.pop()),
            (Kind::Comma, Some(frame)) => (frame.name, frame.index) = (None, frame.index + 1),
            (Kind::Colon, Some(frame)) => frame.has_names = true,
            (Kind::Word, Some(frame))
                if self.before.is_none_or(|before| !before.ends_value() && before.kind != Kind::Colon) =>
            {
                frame.name = Some(piece.text.strip_prefix("r#").unwrap_or(piece.text));
            }
            _ => (),
        }
        (self.second, self.before) = (self.before, Some(piece));
    }

    /// The path of this place, appended to `prefix`.
    pub(super) fn path(&self, prefix: &str) -> String {
        let mut path = prefix.to_owned();
        for frame in &self.frames {
            match (frame.open.text, frame.name) {
                ("[", _) => push_index(&mut path, frame.index),
                ("(", Some(name)) if frame.has_names => push_field(&mut path, name),
                // The value in a variant goes by the variant's own path.
                ("(", _) if !frame.has_names && !frame.has_name && frame.index > 0 => {
                    push_index(&mut path, frame.index)
                }
                _ => (),
            }
        }
        path
    }
}
