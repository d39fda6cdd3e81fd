//! The scenarios of all points of a scenario's sweeps, and what is wrong with them.

use super::Scenario;
use super::sweep::{Sweep, SweepPoint};
use crate::language::{Context, Cursor, Diagnostic, Report};

/// The number of different errors in points of a sweep that are reported.
const MOST_ERRORS: usize = 10;

/// A scenario, and for each of its sweeps the scenario of each point; `load` gets the overrides of each. An error in a
/// path is reported at that path, one in a value at that value, and each once, however many points share it.
pub(crate) fn load_points(
    overrides: &[String],
    mut load: impl FnMut(&[String]) -> Result<Scenario, Report>,
) -> Result<(Scenario, Vec<Vec<Scenario>>, SweepErrors), Report> {
    let scenario = load(overrides)?;
    let mut wrong: Vec<(usize, Vec<PointError>)> = Vec::new();
    let mut points = Vec::new();
    for (index, sweep) in scenario.sweeps.iter().enumerate() {
        let mut scenarios = Vec::new();
        let mut errors: Vec<PointError> = Vec::new();
        // What is wrong whatever the values are, once something is.
        let mut common: Option<Option<Diagnostic>> = None;
        let worlds = scenario.replications.get().saturating_mul(sweep.replication_factor.get());
        // The question is asked of all points together.
        let replications = [format!("replications={worlds}"), "answer=None".to_string()];
        for point in sweep.points() {
            let failed = match load(&[overrides, &point.overrides, &replications].concat()) {
                Ok(point) => {
                    scenarios.push(point);
                    continue;
                }
                Err(report) => report,
            };
            if errors.len() >= MOST_ERRORS {
                break;
            }
            let common = common.get_or_insert_with(|| {
                let alone = load(&[overrides, &sweep.common(), &replications].concat());
                alone.err().map(|report| report.diagnostics()[0].clone())
            });
            let error = PointError::of(&failed.diagnostics()[0], common.as_ref(), sweep, &point, overrides.len());
            if !errors.contains(&error) {
                errors.push(error);
            }
        }
        points.push(scenarios);
        wrong.push((index, errors));
    }
    Ok((scenario, points, SweepErrors(wrong)))
}

/// What is wrong with points of sweeps, by the place of the sweep.
pub(crate) struct SweepErrors(Vec<(usize, Vec<PointError>)>);

impl SweepErrors {
    /// Reports all of it.
    pub(super) fn report(&self, scenario: &Scenario, root: &Cursor<'_>, errors: &mut Context<'_>) {
        for (sweep, wrong) in &self.0 {
            let at = root.field("sweeps").element(*sweep);
            wrong.iter().for_each(|error| error.report(&at, &scenario.sweeps[*sweep], errors));
        }
    }
}

/// Something that is wrong with a point of a sweep.
#[derive(Debug, PartialEq)]
struct PointError {
    at: PointErrorPlace,
    wrong: String,
    right: String,
}

/// Where something is wrong in a sweep.
#[derive(Debug, PartialEq)]
enum PointErrorPlace {
    /// In an element of `set`, whatever the values are.
    Set(usize),
    /// In all that `set` changes together, or in the sweep's own experiment.
    Common,
    /// In the path of a field that is varied.
    Field(usize),
    /// In a value of a field that is varied.
    Value(usize, usize),
    /// In the scenario that several values make.
    Point,
}

impl PointError {
    /// The error behind the first diagnostic of a point, whose overrides follow `earlier` ones. The text in which it
    /// lies tells what has brought it about; one in the file itself is brought about by all values together, unless
    /// it is in `common`, which holds without them.
    fn of(first: &Diagnostic, common: Option<&Diagnostic>, sweep: &Sweep, point: &SweepPoint, earlier: usize) -> Self {
        let what = format!("{}: {}", first.path, first.wrong);
        let (set_from, set_to) = (sweep.common().len() - sweep.set.len(), sweep.common().len());
        let from = (first.span.source as usize).checked_sub(1 + earlier).filter(|&from| from < point.overrides.len());
        let is_common = common.is_some_and(|common| common.path == first.path && common.wrong == first.wrong);
        let at = match from {
            Some(from) if (set_from..set_to).contains(&from) => PointErrorPlace::Set(from - set_from),
            Some(from) if from >= set_to => {
                let factor = from - set_to;
                let is_path = point.overrides[from].find('=').is_some_and(|equals| first.span.start < equals as u32);
                if is_path {
                    PointErrorPlace::Field(factor)
                } else {
                    PointErrorPlace::Value(factor, point.places[factor])
                }
            }
            _ if is_common => PointErrorPlace::Common,
            _ => match point.places[..] {
                [place] => PointErrorPlace::Value(0, place),
                _ => PointErrorPlace::Point,
            },
        };
        let wrong = match at {
            PointErrorPlace::Set(_) | PointErrorPlace::Common | PointErrorPlace::Field(_) => what,
            PointErrorPlace::Value(factor, _) => {
                let set = point.overrides[set_to + factor].replacen('=', " = ", 1);
                format!("with {set}: {what}")
            }
            PointErrorPlace::Point => format!("with {point}: {what}"),
        };
        Self { at, wrong, right: first.right.clone() }
    }

    /// Reports it at its place in the sweep at `at`.
    fn report(&self, at: &Cursor<'_>, sweep: &Sweep, errors: &mut Context<'_>) {
        let of = |factor: usize| if sweep.is_crossing() { at.field("grid").element(factor) } else { at.clone() };
        let place = match self.at {
            PointErrorPlace::Set(index) => at.field("set").element(index),
            PointErrorPlace::Common if sweep.set.is_empty() => at.field("experiment"),
            PointErrorPlace::Common => at.field("set"),
            PointErrorPlace::Field(factor) => of(factor).field("field"),
            PointErrorPlace::Value(factor, place) => of(factor).field("values").element(place),
            PointErrorPlace::Point => at.field("grid"),
        };
        errors.add(&place, self.wrong.as_str(), self.right.as_str());
    }
}
