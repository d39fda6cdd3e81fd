//! Calls of the system that wait for the disk, beside each other.
//!
//! A file system with a journal may wait for the disk at each file that is made durable or removed, if they come one
//! after the other; those that come at once share a wait. Threads that wait take no processor, so that these are no
//! threads of the pool that computes.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::thread;

/// So many calls wait at once, and so many files are open: a process may not have very many.
pub(super) const AT_ONCE: usize = 64;

/// Writes a new file, which need not be on the disk yet.
pub(super) fn write_new(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<File> {
    let mut file = BufWriter::with_capacity(1 << 18, File::create_new(path)?);
    write(&mut file)?;
    Ok(file.into_inner()?)
}

/// Waits until files are on the disk: some file systems (NFS, quotas) tell only then that there is no room, and an old
/// result must not go before the new one is safe.
pub(super) fn sync(files: &[File]) -> Vec<io::Result<()>> {
    all(files, File::sync_all)
}

/// Removes files.
pub(super) fn remove(files: &[PathBuf]) -> io::Result<()> {
    all(files, |file| fs::remove_file(file)).into_iter().collect()
}

/// The results of a call for each of some things, in their order.
fn all<T: Sync>(things: &[T], call: impl Fn(&T) -> io::Result<()> + Sync) -> Vec<io::Result<()>> {
    let call = &call;
    let some = |things: &[T]| -> Vec<io::Result<()>> {
        thread::scope(|scope| {
            let begun: Vec<_> =
                things.iter().map(|thing| thread::Builder::new().spawn_scoped(scope, move || call(thing))).collect();
            let ended = begun.into_iter().zip(things).map(|(waits, thing)| match waits {
                Ok(waits) => waits.join().unwrap_or_else(|_| Err(io::Error::other("the call was not made"))),
                // There are no more threads.
                Err(_) => call(thing),
            });
            ended.collect()
        })
    };
    things.chunks(AT_ONCE).flat_map(some).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn every_call_is_made_and_results_keep_their_order() {
        let folder = tempfile::tempdir().unwrap();
        let paths: Vec<PathBuf> = (0..2 * AT_ONCE + 3).map(|number| folder.path().join(number.to_string())).collect();
        let write = |path: &PathBuf| write_new(path, |file| write!(file, "{}", path.display())).unwrap();
        let files: Vec<File> = paths.iter().map(write).collect();
        assert!(sync(&files).iter().all(Result::is_ok));
        assert_eq!(fs::read_to_string(&paths[70]).unwrap(), paths[70].display().to_string());
        assert!(write_new(&paths[70], |_| Ok(())).is_err(), "an old file is not written over");
        let odd = |path: &PathBuf| if path == &paths[70] { Err(io::Error::other("odd")) } else { Ok(()) };
        assert_eq!(all(&paths, odd).iter().position(Result::is_err), Some(70));
        fs::remove_file(&paths[70]).unwrap();
        assert_eq!(remove(&paths).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "the others are gone nevertheless");
    }
}
