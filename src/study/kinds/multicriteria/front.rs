//! All solutions of a small case: which of them are Pareto-optimal, as rows, as a figure and as a file.

use super::listed::{Solution, certain, sum_up, value_to};
use super::{FrontSpec, ListedMarket, mean, values_of};
use crate::broker::multicriteria::{Market, MarketProblem, all, front as pareto};
use crate::metrics::{MONEY, Metric, TIME, declare_metrics};
use crate::study::{Figure, FigureKind, Row, RunError};
use crate::workload::market::{Criterion, CriterionMeasure, Direction};

/// The experiment of the rows.
const EXPERIMENT: &str = "all solutions";
/// More solutions than this are neither listed nor drawn.
const LISTED: usize = 5000;

/// The series that are no decision of a broker.
const DOMINATED: &str = "dominated";
const OPTIMAL: &str = "Pareto-optimal";
const ALL: &str = "all";
pub(super) const SERIES: [&str; 3] = [DOMINATED, OPTIMAL, ALL];

/// The report on all solutions.
pub(super) struct Front {
    pub rows: Vec<Row>,
    pub figure: Figure,
    pub file: Vec<u8>,
}

/// All solutions, if they are asked for and not too many.
pub(super) fn front(
    spec: &ListedMarket,
    market: &Market,
    problem: &MarketProblem,
    decided: &[Solution],
) -> Result<Option<Front>, RunError> {
    let Some(axes) = &spec.front else { return Ok(None) };
    let Some(solutions) = all(problem, LISTED) else { return Ok(None) };
    let means = |places: &Vec<Option<usize>>| -> Vec<f64> {
        let ordered = |at: usize| {
            let mut values = values_of(problem, places, at);
            // Which job has which offer is nothing to the mean, nor may it be to the rounding of their sum.
            values.sort_by(f64::total_cmp);
            values
        };
        (0..market.criteria.len()).map(|at| mean(&ordered(at)).unwrap_or(0.0)).collect()
    };
    // Higher is better for the front, whatever the criterion.
    let objectives = |places: &Vec<Option<usize>>| -> Vec<f64> {
        let signed = means(places).into_iter().zip(&market.criteria);
        signed.map(|(mean, criterion)| if criterion.direction == Direction::Gain { mean } else { -mean }).collect()
    };
    let values = |places: &Vec<Option<usize>>| problem.evaluate(places).values;
    let by_criteria = pareto(&solutions.iter().map(objectives).map(comparable).collect::<Vec<_>>());
    let by_users = pareto(&solutions.iter().map(values).map(comparable).collect::<Vec<_>>());

    let (places_of, optimal, sense) = match axes {
        FrontSpec::Criteria { across, up } => {
            ([across, up].map(|name| spec.criterion(name)), &by_criteria, "criterion")
        }
        FrontSpec::Users { across, up } => ([across, up].map(|name| spec.user(name)), &by_users, "user"),
    };
    let (up, labels) = match axes {
        FrontSpec::Criteria { .. } => {
            let criteria = places_of.map(|at| &market.criteria[at]);
            (mean_of(criteria[1]), criteria.map(axis))
        }
        FrontSpec::Users { .. } => {
            let values = places_of.map(|at| value_to(&market.users[at].name));
            (values[1].clone(), values.map(|value| value.label()))
        }
    };
    let point = |series: &str, places: &Vec<Option<usize>>| {
        let all = if matches!(axes, FrontSpec::Users { .. }) { values(places) } else { means(places) };
        let [x, y] = places_of.map(|at| all[at]);
        Row::new(EXPERIMENT, series, &up, certain(y)).at(x)
    };
    let mut rows = Vec::new();
    for (series, wanted) in [(DOMINATED, false), (OPTIMAL, true)] {
        let drawn = solutions.iter().zip(optimal).filter(|(_, optimal)| **optimal == wanted);
        rows.extend(drawn.map(|(places, _)| point(series, places)));
    }
    rows.extend(decided.iter().rev().map(|solution| point(&solution.name, &solution.places)));
    let count = |optimal: &[bool]| optimal.iter().filter(|&&optimal| optimal).count() as f64;
    let counts = [solutions.len() as f64, count(&by_criteria), count(&by_users)];
    for (metric, number) in [&SOLUTIONS, &BY_CRITERIA, &BY_USERS].into_iter().zip(counts) {
        rows.push(Row::new("number of solutions", ALL, metric, certain(number)));
    }
    let [x_label, y_label] = labels;
    let figure = Figure {
        file: "pareto".into(),
        title: "All solutions, and those that are Pareto-optimal".into(),
        caption: format!(
            "Each point is an assignment of all jobs; nothing betters a Pareto-optimal one for one {sense} without worsening it \
             for another, of all that there are."
        ),
        x_label,
        y_label,
        experiment: EXPERIMENT.into(),
        metrics: vec![String::from(&up)],
        kind: FigureKind::Scatter,
    };
    let file = table(spec, market, problem, &solutions, [&by_criteria, &by_users])?;
    Ok(Some(Front { rows, figure, file }))
}

/// A point as the front compares it: to twelve significant digits. Sums of doubles that are equal as numbers may differ
/// in their last digits, and one of two equal solutions would seem to better the other.
fn comparable(point: Vec<f64>) -> Vec<f64> {
    // Adding 0 makes -0 the 0 that it equals.
    point.into_iter().map(|value| format!("{value:.11e}").parse().unwrap_or(value) + 0.0).collect()
}

declare_metrics! {
    /// The numbers of solutions.
    pub(super) METRICS:
    SOLUTIONS = Metric::new("solutions", "solutions", "Assignments of all jobs that keep all limits.").at_least(0.0);
    BY_CRITERIA = Metric::new(
        "Pareto-optimal by the criteria",
        "solutions",
        "Solutions that nothing betters in one mean of a criterion without worsening another.",
    )
    .at_least(0.0);
    BY_USERS = Metric::new(
        "Pareto-optimal by the values to users",
        "solutions",
        "Solutions that nothing betters for one user without worsening it for another.",
    )
    .at_least(0.0);
}

/// The mean of a criterion over the jobs, for the axes of all solutions.
pub(super) fn mean_of(criterion: &Criterion) -> Metric {
    Metric::new("mean", "as offered", "")
        .called(format!("mean {}", criterion.name))
        .in_unit(unit(criterion.measure))
        .meaning_that(format!("Mean of {} over the jobs.", criterion.name))
}

/// The unit of what a criterion measures.
pub(super) fn unit(measure: CriterionMeasure) -> &'static str {
    match measure {
        CriterionMeasure::Attribute => "as offered",
        CriterionMeasure::Cost => MONEY,
        CriterionMeasure::Start
        | CriterionMeasure::EstimatedStart
        | CriterionMeasure::Completion
        | CriterionMeasure::Deviation
        | CriterionMeasure::Longest
        | CriterionMeasure::Error => TIME,
    }
}

/// An axis of a criterion: what it measures, where its name does not say so already, and in which unit.
fn axis(criterion: &Criterion) -> String {
    let what = match criterion.measure {
        CriterionMeasure::Attribute => return mean_of(criterion).label(),
        CriterionMeasure::Start => "start",
        CriterionMeasure::EstimatedStart => "estimated start",
        CriterionMeasure::Completion => "completion",
        CriterionMeasure::Deviation => "deviation of runtimes",
        CriterionMeasure::Longest => "longest runtime",
        CriterionMeasure::Error => "error of predictions",
        CriterionMeasure::Cost => "cost",
    };
    let mean = mean_of(criterion);
    if criterion.name == what { mean.label() } else { format!("{} ({what}, {})", mean.title(), mean.unit()) }
}

/// `solutions.csv`: every solution with its values, and in which sense it is Pareto-optimal.
fn table(
    spec: &ListedMarket,
    market: &Market,
    problem: &MarketProblem,
    solutions: &[Vec<Option<usize>>],
    optimal: [&[bool]; 2],
) -> Result<Vec<u8>, RunError> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let jobs = market.jobs.iter().map(|job| job.name.clone());
    let values = market.users.iter().map(|user| format!("value to {}", user.name));
    let summaries = spec.summaries.iter().map(|summary| summary.name.clone());
    let tail = ["total satisfaction", "Pareto-optimal by criteria", "Pareto-optimal by users"].map(String::from);
    writer.write_record(jobs.chain(values).chain(summaries).chain(tail))?;
    for (index, places) in solutions.iter().enumerate() {
        let name = |place: &Option<usize>| place.map_or(String::new(), |offer| market.offers[offer].name.clone());
        let evaluation = problem.evaluate(places);
        let number = |value: &f64| format!("{value:.6}");
        let summaries = spec.summaries.iter().map(|summary| {
            let values = values_of(problem, places, spec.criterion(&summary.of));
            sum_up(summary, &values).as_ref().map(number).unwrap_or_default()
        });
        let tail = [number(&evaluation.score.total), optimal[0][index].to_string(), optimal[1][index].to_string()];
        let line = places.iter().map(name).chain(evaluation.values.iter().map(number)).chain(summaries).chain(tail);
        writer.write_record(line)?;
    }
    writer.into_inner().map_err(|error| RunError::Csv(error.into_error().into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_that_are_equal_as_numbers_are_equal_points() {
        let sums = [[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.1, 0.1, 0.4]].map(|values| values.iter().sum::<f64>());
        assert!(sums[0] > sums[1], "in doubles they differ");
        let points: Vec<Vec<f64>> = sums.iter().map(|&sum| comparable(vec![sum, -0.0])).collect();
        assert_eq!(pareto(&points), [true; 3]);
        // What differs in the twelfth digit differs.
        assert_eq!(pareto(&[vec![1.0], vec![1.000_000_000_01]].map(comparable)), [false, true]);
    }
}
