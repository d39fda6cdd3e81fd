//! Ways from folder to folder.

use std::path::{Component, Path, PathBuf};

/// The path from a folder to a file, both without links and from the root; nothing where there is no way.
pub fn path_from(folder: &Path, file: &Path) -> Option<PathBuf> {
    let (file, folder): (Vec<Component<'_>>, Vec<Component<'_>>) =
        (file.components().collect(), folder.components().collect());
    let shared = file.iter().zip(&folder).take_while(|(a, b)| a == b).count();
    // On another drive, say.
    if shared == 0 || folder.contains(&Component::ParentDir) {
        return None;
    }
    let up = folder[shared..].iter().map(|_| Component::ParentDir);
    Some(up.chain(file[shared..].iter().copied()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_from_a_folder_to_a_file() {
        let way = |file, folder| path_from(Path::new(folder), Path::new(file)).map(|path| path.display().to_string());
        assert_eq!(way("/a/logs/t.swf", "/a/output/t-easy").as_deref(), Some("../../logs/t.swf"));
        assert_eq!(way("/a/t.swf", "/a").as_deref(), Some("t.swf"));
        assert_eq!(way("/t.swf", "/a/b").as_deref(), Some("../../t.swf"));
        assert_eq!(way("/t.swf", "/a/../b"), None);
    }
}
