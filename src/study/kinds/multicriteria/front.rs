//! All solutions of a small case: which of them are Pareto-optimal, as rows, as a figure and as a file.

use super::{Solution, certain, mean, sum_up, values_of};
use crate::broker::multicriteria::{Market, MarketProblem, all, front as pareto};
use crate::study::kinds::{FrontSpec, Multicriteria};
use crate::study::{Figure, FigureKind, Row, RunError, capitalised};
use crate::workload::market::{Criterion, Direction, Measure};

/// The experiment of the rows.
const EXPERIMENT: &str = "all solutions";
/// More solutions than this are neither listed nor drawn.
const LISTED: usize = 5000;

/// What there is to say about all solutions.
pub(super) struct Front {
    pub rows: Vec<Row>,
    pub figure: Figure,
    pub file: Vec<u8>,
}

/// All solutions, if they are asked for and not too many.
pub(super) fn front(
    spec: &Multicriteria,
    market: &Market,
    problem: &MarketProblem,
    decided: &[Solution],
) -> Result<Option<Front>, RunError> {
    let Some(axes) = &spec.front else { return Ok(None) };
    let Some(solutions) = all(problem, LISTED) else { return Ok(None) };
    let means = |places: &Vec<Option<usize>>| -> Vec<f64> {
        (0..market.criteria.len()).map(|at| mean(&values_of(problem, places, at)).unwrap_or(0.0)).collect()
    };
    // Higher is better for the front, whatever the criterion.
    let objectives = |places: &Vec<Option<usize>>| -> Vec<f64> {
        let signed = means(places).into_iter().zip(&market.criteria);
        signed.map(|(mean, criterion)| if criterion.direction == Direction::Gain { mean } else { -mean }).collect()
    };
    let values = |places: &Vec<Option<usize>>| problem.evaluate(places).values;
    let by_criteria = pareto(&solutions.iter().map(objectives).collect::<Vec<_>>());
    let by_users = pareto(&solutions.iter().map(values).collect::<Vec<_>>());

    let (names, places_of, optimal, sense) = match axes {
        FrontSpec::Criteria { across, up } => {
            let names = [across, up].map(|name| format!("mean {name}"));
            (names, [across, up].map(|name| spec.criterion(name)), &by_criteria, "criterion")
        }
        FrontSpec::Users { across, up } => {
            let names = [across, up].map(|name| format!("value to {name}"));
            (names, [across, up].map(|name| spec.user(name)), &by_users, "user")
        }
    };
    let units = match axes {
        FrontSpec::Criteria { .. } => places_of.map(|at| unit(&market.criteria[at])),
        FrontSpec::Users { .. } => ["no unit"; 2].map(String::from),
    };
    let point = |series: &str, places: &Vec<Option<usize>>| {
        let all = if matches!(axes, FrontSpec::Users { .. }) { values(places) } else { means(places) };
        let [x, y] = places_of.map(|at| all[at]);
        Row::new(EXPERIMENT, series, &names[1], certain(y)).at(x)
    };
    let mut rows = Vec::new();
    for (series, wanted) in [("dominated", false), ("Pareto-optimal", true)] {
        let drawn = solutions.iter().zip(optimal).filter(|(_, optimal)| **optimal == wanted);
        rows.extend(drawn.map(|(places, _)| point(series, places)));
    }
    rows.extend(decided.iter().rev().map(|solution| point(&solution.name, &solution.places)));
    let count = |optimal: &[bool]| optimal.iter().filter(|&&optimal| optimal).count() as f64;
    for (what, number) in [
        ("solutions", solutions.len() as f64),
        ("Pareto-optimal by the criteria", count(&by_criteria)),
        ("Pareto-optimal by the values to users", count(&by_users)),
    ] {
        rows.push(Row::new("number of solutions", "all", what, certain(number)));
    }
    let figure = Figure {
        file: "pareto".into(),
        title: "All solutions, and those that are Pareto-optimal".into(),
        caption: format!(
            "Each point is an assignment of all jobs; nothing betters a Pareto-optimal one for one {sense} without worsening it \
             for another, of all that there are."
        ),
        x_label: format!("{} ({})", capitalised(&names[0]), units[0]),
        y_label: format!("{} ({})", capitalised(&names[1]), units[1]),
        experiment: EXPERIMENT.into(),
        metrics: vec![names[1].clone()],
        kind: FigureKind::Scatter,
    };
    let file = table(spec, market, problem, &solutions, [&by_criteria, &by_users])?;
    Ok(Some(Front { rows, figure, file }))
}

/// What a criterion measures, where its name does not say so already, and in which unit.
fn unit(criterion: &Criterion) -> String {
    let (what, unit) = match criterion.measure {
        Measure::Attribute => return "as offered".to_string(),
        Measure::Start => ("start", "time units"),
        Measure::EstimatedStart => ("estimated start", "time units"),
        Measure::Completion => ("completion", "time units"),
        Measure::Deviation => ("deviation of runtimes", "time units"),
        Measure::Longest => ("longest runtime", "time units"),
        Measure::Error => ("error of predictions", "time units"),
        Measure::Cost => ("cost", "money units"),
    };
    if criterion.name == what { unit.to_string() } else { format!("{what}, {unit}") }
}

/// `solutions.csv`: every solution with its values, and in which sense it is Pareto-optimal.
fn table(
    spec: &Multicriteria,
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
