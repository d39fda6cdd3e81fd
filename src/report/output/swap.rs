//! A finished directory takes its place, and an earlier result goes.

use super::OutputError;
use super::hidden::{HIDDEN, Hidden, remove_ours, with_fresh_name};
use super::place::{OutputPlace, listed, stranger};
use super::system::{is_taken, rename_new};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// So often a place is tried that other processes keep taking.
const TRIES: usize = 1000;

/// Moves `staging` to its place; with `force` an earlier result is replaced, by `exchange` if it can.
///
/// Whatever happens, no whole result is removed but the one that `force` replaces: if the place can't be taken, the new
/// one stays beside it under another name, which the error tells.
pub(super) fn put(
    staging: Hidden,
    place: &OutputPlace,
    force: bool,
    exchange: impl Fn(&Path, &Path) -> io::Result<()>,
) -> Result<(), OutputError> {
    let path = place.path();
    let failed = |error: io::Error| OutputError::io("replace", place.given())(error);
    let mut last = ErrorKind::AlreadyExists.into();
    for _ in 0..TRIES {
        let tried = match place.holds_result(force) {
            Err(refused) => return Err(rescue(staging, place, refused)),
            Ok(false) => match rename_new(staging.path(), &path) {
                Ok(()) => {
                    staging.release();
                    return Ok(());
                }
                Err(error) => failed(error),
            },
            Ok(true) => match exchange(staging.path(), &path) {
                // The hidden name is that of the old result now.
                Ok(()) => return discard(&staging.release(), place),
                Err(error) if error.kind() == ErrorKind::Unsupported => match move_aside(&staging, place) {
                    Ok((aside, old)) => {
                        staging.release();
                        return discard_aside(aside, &old, place);
                    }
                    Err(error) => error,
                },
                Err(error) => failed(error),
            },
        };
        // Another process was quicker, so the place is not what it was when it was looked at.
        match tried {
            OutputError::Io { source, .. } if is_taken(&source) => last = source,
            OutputError::Io { source, .. } if source.kind() == ErrorKind::NotFound => match staging.path().exists() {
                true => last = source,
                false => return Err(failed(source)),
            },
            error => return Err(rescue(staging, place, error)),
        }
    }
    Err(rescue(staging, place, failed(last)))
}

/// The way with two renames: the old result goes to a hidden directory, and the new one takes its place. A process that
/// is killed between the two leaves the old result whole where it is.
fn move_aside(staging: &Hidden, place: &OutputPlace) -> Result<(Hidden, PathBuf), OutputError> {
    let failed = |error: io::Error| OutputError::io("replace", place.given())(error);
    let (aside, path) = (Hidden::create(place.parent())?, place.path());
    let old = aside.path().join(place.name());
    fs::rename(&path, &old).map_err(failed)?;
    let Err(error) = rename_new(staging.path(), &path) else { return Ok((aside, old)) };
    if is_taken(&error) {
        // Somebody else who replaces by force has taken the place, and so the old result is replaced. Or it was restored.
        if old.exists() {
            discard_aside(aside, &old, place)?;
        }
    } else if rename_new(&old, &path).is_err() {
        aside.release();
        return Err(OutputError::Kept { why: Box::new(failed(error)), what: "the earlier result", at: old });
    }
    Err(failed(error))
}

/// Puts an old result back that a process has moved aside and that was killed before the new one took its place.
pub(super) fn restore(place: &OutputPlace) {
    let path = place.path();
    if path.exists() {
        return;
    }
    for entry in fs::read_dir(place.parent()).into_iter().flatten().flatten() {
        let is_hidden = entry.file_name().to_str().is_some_and(|name| name.starts_with(HIDDEN));
        let old = entry.path().join(place.name());
        // If the process lives after all, it finds its place taken, and tries again.
        if is_hidden && super::is_whole_result(&old) && rename_new(&old, &path).is_ok() {
            let _ = fs::remove_dir(entry.path());
            return;
        }
    }
}

/// Removes an old result and the hidden directory that holds it.
fn discard_aside(aside: Hidden, old: &Path, place: &OutputPlace) -> Result<(), OutputError> {
    let done = discard(old, place);
    if old.exists() {
        aside.release();
    }
    done
}

/// Removes an old result that was moved to a hidden name, but not if somebody has put something into it since.
fn discard(old: &Path, place: &OutputPlace) -> Result<(), OutputError> {
    if matches!(stranger(old), Ok(None)) {
        // Files that can't be removed stay behind, hidden.
        let _ = remove_ours(old, listed(old));
        return Ok(());
    }
    let kept = show(old, place, "previous");
    Err(OutputError::Displaced { place: place.given().to_path_buf(), kept })
}

/// Keeps a finished result that could not take its place.
fn rescue(staging: Hidden, place: &OutputPlace, why: OutputError) -> OutputError {
    let at = show(&staging.release(), place, "unplaced");
    OutputError::Kept { why: Box::new(why), what: "the finished result", at }
}

/// Gives a hidden directory a name that can be seen; the hidden one if that fails.
fn show(hidden: &Path, place: &OutputPlace, what: &str) -> PathBuf {
    let stem = format!("{}-{what}", place.name().to_string_lossy());
    let named = with_fresh_name(place.parent(), &stem, "", |path| match rename_new(hidden, path) {
        Err(error) if is_taken(&error) => Err(ErrorKind::AlreadyExists.into()),
        done => done,
    });
    named.map_or(hidden.to_path_buf(), |(path, ())| path)
}
