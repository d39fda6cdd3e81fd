//! Scenarios that are ready to run.

use super::declared::report_unknown;
use super::outside::Outside;
use crate::language::{Apart, Report, Source, check_at, load_and};
use crate::study::{Scenario, Sweep, load_points};
use crate::workload::Files;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A scenario with the scenarios of all points of its sweeps: all validated, and all files that they name are read.
/// There is no other way to make one than [`load_study`], so that nothing runs on a file that was never read.
#[derive(Debug, Clone)]
pub struct Study {
    scenario: Scenario,
    points: Vec<Vec<Scenario>>,
    notes: Vec<String>,
    inputs: BTreeMap<String, PathBuf>,
    pub(super) outside: Outside,
}

impl Study {
    /// The scenario itself. What files held is listed in it.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// For each of its sweeps, the scenario of each value.
    pub fn points(&self) -> &[Vec<Scenario>] {
        &self.points
    }

    /// Notes for the user on the files that were read: bad lines of a log, jobs that were left out.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Where the files are that were read, by the names that the scenario gives them.
    pub fn inputs(&self) -> &BTreeMap<String, PathBuf> {
        &self.inputs
    }

    /// The same with paths of files that it goes on naming as they are from a folder, in which the scenario of its
    /// results will stand.
    pub(crate) fn refer_from(mut self, folder: &Path) -> Self {
        let sweeps = self.scenario.sweeps.iter_mut().filter_map(|sweep| sweep.experiment.as_mut());
        for Apart(experiment) in sweeps {
            experiment.get_mut().refer_from(folder);
        }
        self.scenario.experiment.get_mut().refer_from(folder);
        self
    }

    /// The same without the sweeps that `is_kept` turns down.
    pub(crate) fn with_sweeps(mut self, is_kept: impl Fn(&Sweep) -> bool) -> Self {
        let sweeps = std::mem::take(&mut self.scenario.sweeps).into_iter().zip(self.points);
        (self.scenario.sweeps, self.points) = sweeps.filter(|(sweep, _)| is_kept(sweep)).unzip();
        self
    }
}

/// Reads a scenario with its overrides (`path=value`), every point of its sweeps, and the files that they name, whose
/// paths are taken from the folder of the scenario. The report holds everything that is wrong; what is wrong with a
/// point is reported at the value that makes it so.
///
/// ```
/// use gridloom::study::load_study;
/// use gridloom::language::Source;
///
/// let text = r#"(name: "one-job", experiment: Workflows(cases: [(name: "job", tasks: File(path: "nowhere.dot", bandwidth: 1))],
///     methods: [Heft], domain: (nodes: 2, types: [1]), deadline: 9))"#;
/// let report = load_study(&Source::new("one-job.ron", text), &[]).unwrap_err().to_string();
/// assert!(report.contains("experiment.cases[0].tasks.path: the file can't be read"), "{report}");
/// ```
pub fn load_study(source: &Source, overrides: &[String]) -> Result<Study, Report> {
    load_study_with(source, overrides, Files::new(source))
}

/// The same with files of which some may have been read already.
pub(crate) fn load_study_with(source: &Source, overrides: &[String], mut files: Files<'_>) -> Result<Study, Report> {
    let (scenario, points, wrong) = load_points(overrides, |overrides| {
        load_and(source.clone(), overrides, |scenario: &mut Scenario, root, errors| {
            let (experiment, at) = (&mut scenario.experiment, root.field("experiment"));
            let had_file = experiment.get_mut().read_files(&mut files, &at, errors);
            // The contents of files pass the checks of what is written by hand.
            if had_file && errors.is_empty() {
                experiment.check_chosen(&at, errors);
            }
            for (index, sweep) in scenario.sweeps.iter_mut().enumerate() {
                let at = root.field("sweeps").element(index).field("experiment");
                if let Some(Apart(experiment)) = &mut sweep.experiment {
                    experiment.get_mut().read_files(&mut files, &at, errors);
                }
            }
        })
    })?;
    check_at(source, overrides, |root, errors| {
        wrong.report(&scenario, root, errors);
        report_unknown(&scenario, &points, root, errors);
    })?;
    let (notes, inputs) = files.into_notes();
    Ok(Study { scenario, points, notes, inputs, outside: Outside::default() })
}
