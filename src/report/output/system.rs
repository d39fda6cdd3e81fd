//! Calls of the system that the standard library lacks. Where the system lacks them too, callers have another way.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Swaps two entries of directories in one step, so that neither name is ever seen without its entry.
///
/// [`ErrorKind::Unsupported`] where the system or the file system has no such step (NFS has none).
pub(super) fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    flagged::exchange(one, other)
}

/// Renames, but never replaces anything: an error of [`is_taken`] if there is something at `to`.
pub(super) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    match flagged::rename_new(from, to) {
        Err(error) if error.kind() == ErrorKind::Unsupported => match fs::symlink_metadata(to) {
            Ok(_) => Err(ErrorKind::AlreadyExists.into()),
            Err(_) => fs::rename(from, to),
        },
        done => done,
    }
}

/// Tells from an error of a rename that its place is taken.
pub(super) fn is_taken(error: &io::Error) -> bool {
    // Some systems say of a directory only that it is not empty.
    matches!(error.kind(), ErrorKind::AlreadyExists | ErrorKind::DirectoryNotEmpty)
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
mod flagged {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;
    use std::io::{self, ErrorKind};
    use std::path::Path;

    pub(super) fn exchange(one: &Path, other: &Path) -> io::Result<()> {
        rename(one, other, RenameFlags::EXCHANGE)
    }

    pub(super) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
        rename(from, to, RenameFlags::NOREPLACE)
    }

    fn rename(from: &Path, to: &Path, flags: RenameFlags) -> io::Result<()> {
        renameat_with(CWD, from, CWD, to, flags).map_err(|error| match error {
            // File systems without the flag call it invalid; kernels without the call do not know it.
            Errno::INVAL | Errno::NOSYS | Errno::NOTSUP => ErrorKind::Unsupported.into(),
            other => other.into(),
        })
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
mod flagged {
    use std::io::{self, ErrorKind};
    use std::path::Path;

    pub(super) fn exchange(_: &Path, _: &Path) -> io::Result<()> {
        Err(ErrorKind::Unsupported.into())
    }

    pub(super) fn rename_new(_: &Path, _: &Path) -> io::Result<()> {
        Err(ErrorKind::Unsupported.into())
    }
}

/// The number by which the system knows a file or directory under all its names, where there is one.
#[cfg(unix)]
pub(super) fn identity(metadata: &fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

/// The number by which the system knows a file or directory under all its names, where there is one.
#[cfg(not(unix))]
pub(super) fn identity(_: &fs::Metadata) -> Option<(u64, u64)> {
    None
}

/// Another file system begins at this directory, so that it can't be renamed.
pub(super) fn is_mount_point(dir: &Path) -> bool {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{AtFlags, CWD, StatxAttributes, StatxFlags, statx};
        // The attribute tells of directories that are mounted within one file system as well.
        let root = statx(CWD, dir, AtFlags::empty(), StatxFlags::TYPE)
            .is_ok_and(|found| found.stx_attributes.contains(StatxAttributes::MOUNT_ROOT));
        if root {
            return true;
        }
    }
    let device = |path: &Path| fs::metadata(path).ok().and_then(|found| identity(&found)).map(|(device, _)| device);
    let (here, above) = (device(dir), dir.parent().and_then(device));
    here.is_some() && above.is_some() && here != above
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swap_is_whole_and_a_new_name_replaces_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["one", "other"] {
            fs::create_dir(at(name)).unwrap();
            fs::write(at(name).join(name), "").unwrap();
        }
        match exchange(&at("one"), &at("other")) {
            Ok(()) => assert!(at("one/other").exists() && at("other/one").exists()),
            Err(error) => assert_eq!(error.kind(), ErrorKind::Unsupported),
        }
        assert!(is_taken(&rename_new(&at("one"), &at("other")).unwrap_err()));
        fs::create_dir(at("empty")).unwrap();
        assert!(is_taken(&rename_new(&at("one"), &at("empty")).unwrap_err()), "not even an empty directory");
        rename_new(&at("one"), &at("third")).unwrap();
        assert!(!at("one").exists() && at("third").exists());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn mount_points_are_told_from_directories() {
        let folder = tempfile::tempdir().unwrap();
        assert!(is_mount_point(Path::new("/proc")));
        assert!(!is_mount_point(folder.path()));
        assert!(!is_mount_point(&folder.path().join("missing")));
    }
}
