//! Reading scenarios for a command.

use super::{BAD_INPUT, print};
use crate::language::read_source;
use crate::study::{Study, load_study};
use std::path::{Path, PathBuf};

/// All the scenarios, or everything that is wrong with any of them on standard error.
pub(super) fn studies(paths: &[PathBuf], overrides: &[String]) -> Result<Vec<Study>, u8> {
    let mut studies = Vec::new();
    let mut failed = false;
    for path in paths {
        match study(path, overrides) {
            Ok(study) => studies.push(study),
            Err(report) => {
                failed = true;
                print::message(&report);
            }
        }
    }
    if failed { Err(BAD_INPUT) } else { Ok(studies) }
}

/// One scenario, or what is wrong with it as text.
pub(super) fn study(path: &Path, overrides: &[String]) -> Result<Study, String> {
    let source = read_source(path).map_err(|report| report.to_string())?;
    load_study(&source, overrides).map_err(|report| report.to_string())
}
