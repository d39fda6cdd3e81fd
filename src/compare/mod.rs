//! Results of several runs side by side: the fields in which their scenarios differ, and the differences of all rows
//! that they have in common, with intervals.
//!
//! The first result is the one that others are compared with. Runs of one seed are compared replication by replication,
//! others by Welch's method; see [`Pairing`].

mod alone;
mod diff;
mod figures;
mod read;
mod said;
mod terminal;
mod values;

pub use diff::FieldDifference;
pub use read::{EarlierResult, is_result_of};
pub use values::Pairing;

use crate::language::load;
use crate::metrics::Better;
use crate::report::summary::SummaryFocus;
use crate::study::{FiguresSpec, Outcome, Results, Row, Scenario, StudyAnswer, correct};
use read::{RowName, name_of, tell_apart};
use said::FoundDifferences;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use values::{ComparedRows, ValueDifference, between, compared_rows, values_of};

/// The page names at most this many fields that differ.
const MOST_FIELDS: usize = 20;

/// Why results can't be compared.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// There is no such directory.
    #[error("{0} is no directory; give directories that `gridloom run` has written")]
    NoDirectory(PathBuf),
    /// The directory holds no result.
    #[error("can't read {path}: {why}; give directories that `gridloom run` has written")]
    NotAResult {
        /// The file that was tried.
        path: PathBuf,
        /// The error.
        why: String,
    },
    /// The scenario of a result can't be read.
    #[error("{report}; run the scenario again")]
    Scenario {
        /// The error, with the path of the file.
        report: String,
    },
    /// The observations of a result can't be read.
    #[error("can't read {path}: {why}; run the scenario again")]
    Observations {
        /// The file.
        path: PathBuf,
        /// The error.
        why: String,
    },
    /// No row of one has the names of a row of the other; the text says what each has instead, and what would help.
    #[error("{0}")]
    NothingInCommon(String),
    /// A table could not be written.
    #[error(transparent)]
    Csv(#[from] csv::Error),
}

/// Results side by side.
#[derive(Debug)]
pub struct ResultsComparison<'a> {
    /// Rows of all results with their names behind the series, the differences, figures and files.
    pub outcome: Outcome,
    /// The names of the results.
    pub labels: Vec<String>,
    /// The fields in which the scenarios differ.
    pub fields: Vec<FieldDifference>,
    /// The same in words, with the versions of the program.
    field_lines: Vec<String>,
    found: FoundDifferences,
    sentences: Vec<String>,
    focus: SummaryFocus,
    differences: Vec<ValueDifference<'a>>,
}

/// The name of a series of one of the results.
fn renamed(series: &str, label: &str) -> String {
    format!("{series} ({label})")
}

/// The metric of the difference between two results.
fn result_difference(metric: &str) -> String {
    format!("difference of results in {metric}")
}

/// The focus of a scenario's summary, and after it what the kind of experiment compares by itself and all that can be
/// better or worse; what is neither, such as a count of what comes in, is left to the end.
fn ordered_focus(scenario: &Scenario) -> SummaryFocus {
    let mut focus = scenario.focus();
    let kind = scenario.experiment.get();
    let compared = kind.compared().into_iter().map(String::from);
    let metrics = kind.metrics();
    let judged = metrics.iter().filter(|metric| metric.is_better() != Better::Neither);
    let judged = judged.map(|metric| metric.name().to_string());
    let all = focus.headline.clone().into_iter().chain(focus.metrics.clone()).chain(compared).chain(judged);
    let mut seen = BTreeSet::new();
    focus.metrics = all.filter(|name| seen.insert(name.clone())).collect();
    focus
}

/// Reads results; those of the same name get names that tell them apart.
pub fn read_results(folders: &[PathBuf]) -> Result<Vec<EarlierResult>, CompareError> {
    let mut results = folders.iter().map(|folder| EarlierResult::read(folder)).collect::<Result<Vec<_>, _>>()?;
    tell_apart(&mut results);
    Ok(results)
}

/// Compares all results with the first.
pub fn compare(results: &[EarlierResult]) -> Result<ResultsComparison<'_>, CompareError> {
    let labels: Vec<String> = results.iter().map(|result| result.label.clone()).collect();
    let ComparedRows { common: names, alone, units } = compared_rows(results);
    if names.is_empty() {
        return Err(CompareError::NothingInCommon(alone::nothing_in_common(results)));
    }
    let scenario = load::<Scenario>(results[0].scenario.clone(), &[]).ok();
    let focus = scenario.as_ref().map(ordered_focus).unwrap_or_default();
    let (mut rows, mut differences) = differences(results, &names)?;
    let figures = figures::figures(&rows, scenario.as_ref(), &labels, &focus);
    correct(&mut rows, &figures);
    let corrected: BTreeMap<RowName, Option<f64>> = rows.iter().map(|row| (name_of(row), row.p_holm)).collect();
    for one in &mut differences {
        let name = name_of(&difference_row(one, &labels));
        one.p_holm = corrected.get(&name).copied().flatten();
    }
    let sources: Vec<_> = results.iter().map(|result| &result.scenario).collect();
    let (fields, unread) = match diff::differing(&sources) {
        Ok(fields) => (fields, None),
        Err(why) => (Vec::new(), Some(why)),
    };
    let field_lines = field_lines(results, &fields, unread);
    let scope = alone::scope(results, &names, &alone);
    let found = FoundDifferences::of(&differences, &labels, &focus.sweeps).within(scope);
    let mut said = said::sentences(results, &differences, &names, &alone);
    said.extend(said::other_units(&units));
    let more = field_lines.len().saturating_sub(MOST_FIELDS);
    let shown = field_lines[..field_lines.len() - more].join("; ");
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    let answer = StudyAnswer {
        question: format!("What differs between {}?", labels.join(" and ")),
        sentences: [found.sentences(), vec![format!("In the scenarios: {shown}{more}.")], said.clone()].concat(),
        ..StudyAnswer::default()
    };
    let table = table(&differences, &labels)?;
    let outcome = Outcome {
        about: format!("{} compared with {}", labels[1..].join(" and "), labels[0]),
        answer: Some(answer),
        ranking: None,
        scenario: String::new(),
        results: Results {
            scenario: format!("compare-{}", labels.join("-")),
            seed: results[0].results.seed,
            replications: results[0].results.replications,
            version: env!("CARGO_PKG_VERSION").into(),
            rows,
            missing: lacking(results, &labels),
        },
        figures,
        figures_spec: FiguresSpec::default(),
        gantts: Vec::new(),
        schedules: Vec::new(),
        notes: results.iter().map(|result| format!("{} is {}", result.label, result.folder.display())).collect(),
        files: vec![("compare.csv".into(), table.into())],
    };
    Ok(ResultsComparison { outcome, labels, fields, field_lines, found, sentences: said, focus, differences })
}

impl ResultsComparison<'_> {
    /// What a terminal of this width shows; with `all`, every metric.
    pub fn summary(&self, width: usize, all: bool) -> String {
        terminal::summary(self, width, all)
    }
}

/// The row of a difference.
fn difference_row(one: &ValueDifference<'_>, labels: &[String]) -> Row {
    let (first, second) = (renamed(&one.first.series, &labels[0]), renamed(&one.first.series, &labels[one.other]));
    let metric = result_difference(&one.first.metric);
    let series = format!("{second} against {first}");
    Row {
        x: one.first.x,
        unit: one.first.unit.clone(),
        factors: one.first.factors.clone(),
        p: one.p,
        ..Row::new(&one.first.experiment, series, metric, one.estimate)
    }
}

/// All rows, and the differences of those that all results have.
fn differences<'a>(
    results: &'a [EarlierResult],
    names: &[RowName],
) -> Result<(Vec<Row>, Vec<ValueDifference<'a>>), CompareError> {
    let wanted: BTreeSet<RowName> = names.iter().cloned().collect();
    let values = results.iter().map(|result| result.values(&wanted)).collect::<Result<Vec<_>, _>>()?;
    let by_name: Vec<BTreeMap<RowName, &Row>> =
        results.iter().map(|result| result.results.rows.iter().map(|row| (name_of(row), row)).collect()).collect();
    let labels: Vec<String> = results.iter().map(|result| result.label.clone()).collect();
    let (mut rows, mut differences) = (Vec::new(), Vec::new());
    for name in names {
        let of_name: Vec<&Row> = by_name.iter().filter_map(|rows| rows.get(name).copied()).collect();
        for (row, label) in of_name.iter().zip(&labels) {
            // Their own comparisons were corrected for what their own figures show.
            rows.push(Row { series: renamed(&row.series, label), p: None, p_holm: None, ..(*row).clone() });
        }
        for (other, row) in of_name.iter().enumerate().skip(1) {
            let same_seed = results[other].results.seed == results[0].results.seed;
            let first = (of_name[0], values_of(&values[0], name));
            differences.push(between(first, (row, values_of(&values[other], name)), same_seed, other));
        }
    }
    rows.extend(differences.iter().map(|one| difference_row(one, &labels)));
    Ok((rows, differences))
}

/// The fields that differ, and the versions of the program.
fn field_lines(results: &[EarlierResult], fields: &[FieldDifference], unread: Option<String>) -> Vec<String> {
    let mut found: Vec<String> = fields.iter().map(FieldDifference::to_string).collect();
    let versions: Vec<&str> = results.iter().map(|result| result.results.version.as_str()).collect();
    if versions.windows(2).any(|pair| pair[0] != pair[1]) {
        found.push(format!("version of the program: {}", versions.join(" | ")));
    }
    match unread {
        Some(why) => found.push(format!("what differs in the scenarios is unknown: {why}")),
        None if found.is_empty() => found.push("nothing differs in the scenarios".into()),
        None => {}
    }
    found
}

/// `compare.csv`: a line for each value that results have in common, and each result beside the first.
fn table(differences: &[ValueDifference<'_>], labels: &[String]) -> Result<Vec<u8>, CompareError> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let names = "experiment,series,x,metric,unit,factors,first,second,mean_first,ci95_first,n_first,mean_second,\
                 ci95_second,n_second,difference,ci95,n,interval,p,p_holm";
    writer.write_record(names.split(','))?;
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    for one in differences {
        let (experiment, series, _, metric, factors) = name_of(one.first);
        let ValueDifference { first, second, estimate, .. } = one;
        let record = [
            experiment,
            series,
            number(first.x),
            metric,
            first.unit.clone(),
            factors,
            labels[0].clone(),
            labels[one.other].clone(),
            first.mean.to_string(),
            number(first.ci95),
            first.n.to_string(),
            second.mean.to_string(),
            number(second.ci95),
            second.n.to_string(),
            estimate.mean.to_string(),
            number(estimate.ci95),
            estimate.n.to_string(),
            one.pairing.word().to_string(),
            number(one.p),
            number(one.p_holm),
        ];
        writer.write_record(record)?;
    }
    writer.into_inner().map_err(|error| csv::Error::from(error.into_error()).into())
}
/// What partial results lack.
fn lacking(results: &[EarlierResult], labels: &[String]) -> Option<String> {
    let lacks = |(label, run): (&String, &EarlierResult)| Some(format!("{label}: {}", run.results.missing.as_ref()?));
    let all: Vec<String> = labels.iter().zip(results).filter_map(lacks).collect();
    (!all.is_empty()).then(|| all.join("; "))
}
