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
mod values;

pub use read::{EarlierResult, is_result_of};
pub use values::Pairing;

use crate::language::load;
use crate::metrics::{Better, Estimate};
use crate::report::rows::{distinct, is_difference};
use crate::report::summary::{RESULT, SummaryFocus};
use crate::report::table::{Column, Table};
use crate::study::{Factor, FiguresSpec, Outcome, Results, Row, Scenario, StudyAnswer, SweepValue, correct};
use read::{RowName, name_of, tell_apart};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use values::{ComparedRows, ValueDifference, between, compared_rows, values_of};

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

/// The name of a series of one of the results.
fn renamed(series: &str, label: &str) -> String {
    format!("{series} ({label})")
}

/// The metric of the difference between two results.
fn result_difference(metric: &str) -> String {
    format!("difference of results in {metric}")
}

/// The focus of a scenario's summary, and after it what the kind of experiment compares by itself and all that can be
/// better or worse, without a headline: one that is the same in all results is said below the table. What is neither, such as a count of what comes in, is left to the end.
fn ordered_focus(scenario: &Scenario) -> SummaryFocus {
    let mut focus = scenario.focus();
    let kind = scenario.experiment.get();
    let compared = kind.compared().into_iter().map(String::from);
    let metrics = kind.metrics();
    let judged = metrics.iter().filter(|metric| metric.is_better() != Better::Neither);
    let judged = judged.map(|metric| metric.name().to_string());
    let all = focus.headline.take().into_iter().chain(focus.metrics).chain(compared).chain(judged);
    focus.metrics = distinct(all);
    focus
}

/// Reads results; those of the same name get names that tell them apart.
pub fn read_results(folders: &[PathBuf]) -> Result<Vec<EarlierResult>, CompareError> {
    let mut results = folders.iter().map(|folder| EarlierResult::read(folder)).collect::<Result<Vec<_>, _>>()?;
    tell_apart(&mut results);
    Ok(results)
}

/// Compares all results with the first: their rows with their names behind the series, the differences, an answer,
/// figures and files.
pub fn compare(results: &[EarlierResult]) -> Result<Outcome, CompareError> {
    let labels: Vec<String> = results.iter().map(|result| result.label.clone()).collect();
    let ComparedRows { common: names, alone, units } = compared_rows(results);
    if names.is_empty() {
        return Err(CompareError::NothingInCommon(alone::nothing_in_common(results)));
    }
    let scenario = load::<Scenario>(results[0].scenario.clone(), &[]).ok();
    let mut focus = scenario.as_ref().map(ordered_focus).unwrap_or_default();
    let (mut rows, mut differences) = differences(results, &names)?;
    let figures = figures::figures(&rows, scenario.as_ref(), &labels, &focus);
    correct(&mut rows, &figures);
    // Their rows are the last ones, in the same order.
    for (one, row) in differences.iter_mut().rev().zip(rows.iter().rev()) {
        one.p_holm = row.p_holm;
    }
    focus.beside = beside(&differences, &labels, &focus);
    let answer = StudyAnswer {
        question: format!("What differs between {}?", labels.join(" and ")),
        sentences: [
            alone::scope(results, &names, &alone).into_iter().collect(),
            said::found(&differences, &labels, &focus, alone.iter().all(Vec::is_empty)),
            said::intervals(results, &differences),
            said::other_units(&units).into_iter().collect(),
        ]
        .concat(),
        findings: fields(results),
        ..StudyAnswer::default()
    };
    let first = &results[0].results;
    let place = |result: &EarlierResult| format!("{} is {}", result.label, result.folder.display());
    let places: Vec<String> = results.iter().map(place).collect();
    Ok(Outcome {
        about: format!("{} compared with {}:\n\n{}.", labels[1..].join(" and "), labels[0], places.join("; ")),
        answer: Some(answer),
        ranking: None,
        scenario: String::new(),
        results: Results {
            scenario: format!("compare-{}", labels.join("-")),
            seed: first.seed,
            replications: first.replications,
            version: env!("CARGO_PKG_VERSION").into(),
            rows,
            missing: lacking(results),
        },
        focus,
        figures,
        figures_spec: FiguresSpec::default(),
        gantts: Vec::new(),
        schedules: Vec::new(),
        notes: Vec::new(),
        files: vec![("compare.csv".into(), table(&differences, &labels).csv()?.into())],
    })
}

/// The rows of whole runs with the results as a factor, and their differences from the first.
fn beside(differences: &[ValueDifference<'_>], labels: &[String], focus: &SummaryFocus) -> Vec<Row> {
    let of_result = |row: &Row, result: String| {
        let result = Factor { name: RESULT.into(), value: SweepValue::Text(result) };
        Row { factors: vec![result], p: None, p_holm: None, ..row.clone() }
    };
    let is_whole = |one: &&ValueDifference<'_>| {
        let row = one.first;
        figures::is_base(row) && !is_difference(row) && !focus.sweeps.contains(&row.experiment)
    };
    let mut rows = Vec::new();
    for one in differences.iter().filter(is_whole) {
        if one.other == 1 {
            rows.push(of_result(one.first, labels[0].clone()));
        }
        rows.push(of_result(one.second, labels[one.other].clone()));
        let less = of_result(one.first, format!("{} - {}", labels[one.other], labels[0]));
        let Estimate { mean, ci95, n } = one.estimate;
        // One that nothing is known of has its sign all the same.
        rows.push(Row { mean, ci95, n, p: Some(one.p.unwrap_or(1.0)), p_holm: one.p_holm, ..less });
    }
    rows
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
fn fields(results: &[EarlierResult]) -> Vec<String> {
    let sources: Vec<_> = results.iter().map(|result| &result.scenario).collect();
    let mut found = match diff::differing(&sources) {
        Ok(fields) => fields,
        Err(why) => vec![format!("what differs in the scenarios is unknown: {why}")],
    };
    let versions: Vec<&str> = results.iter().map(|result| result.results.version.as_str()).collect();
    if versions.windows(2).any(|pair| pair[0] != pair[1]) {
        found.push(format!("version of the program: {}", versions.join(" | ")));
    }
    if found.is_empty() {
        found.push("nothing differs in the scenarios".into());
    }
    found
}

/// `compare.csv`: a line for each value that results have in common, and each result beside the first.
fn table(differences: &[ValueDifference<'_>], labels: &[String]) -> Table {
    let names = "experiment,series,x,metric,unit,factors,first,second,mean_first,ci95_first,n_first,mean_second,\
                 ci95_second,n_second,difference,ci95,n,interval,p,p_holm";
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let line = |one: &ValueDifference<'_>| {
        let (experiment, series, _, metric, factors) = name_of(one.first);
        let ValueDifference { first, second, estimate, .. } = one;
        let names = [experiment, series, number(first.x), metric, first.unit.clone(), factors];
        let labels = [labels[0].clone(), labels[one.other].clone()];
        let estimates = [first.estimate(), second.estimate(), *estimate];
        let numbers = estimates.map(|Estimate { mean, ci95, n }| [mean.to_string(), number(ci95), n.to_string()]);
        let end = [one.pairing.word().to_string(), number(one.p), number(one.p_holm)];
        names.into_iter().chain(labels).chain(numbers.concat()).chain(end).collect()
    };
    Table::new("", names.split(',').map(Column::text).collect(), differences.iter().map(line).collect())
}

/// What partial results lack.
fn lacking(results: &[EarlierResult]) -> Option<String> {
    let lacks = |result: &EarlierResult| Some(format!("{}: {}", result.label, result.results.missing.as_ref()?));
    let all: Vec<String> = results.iter().filter_map(lacks).collect();
    (!all.is_empty()).then(|| all.join("; "))
}
