//! The metrics of each kind of experiment, known before anything runs, so that a misspelt name is an error at once.

use super::Row;
use crate::metrics::Use;
use crate::scenario::decode::suggest;
use crate::scenario::schema::{Experiment, FrontSpec, Multicriteria, Scenario};
use crate::scenario::{Context, Cursor};
use crate::sim::{Cause, Reason, Remedy};

/// The names of metrics.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Metrics {
    /// Those of rows without an x: sweeps can show them.
    pub(super) totals: Vec<String>,
    /// Those that rows have only along an axis of their own.
    pub(super) along: Vec<String>,
}

impl Metrics {
    fn of(totals: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { totals: totals.into_iter().map(Into::into).collect(), along: Vec::new() }
    }

    fn along(self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { along: names.into_iter().map(Into::into).collect(), ..self }
    }

    /// All of them.
    pub(super) fn all(&self) -> impl Iterator<Item = &str> {
        self.totals.iter().chain(&self.along).map(String::as_str)
    }
}

/// The metrics that an experiment may have rows of.
pub(super) fn metrics(experiment: &Experiment) -> Metrics {
    match experiment {
        Experiment::Windows(_) => Metrics::of(["windows", "first start", "first finish", "first cost"]),
        Experiment::Grid(_) => {
            Metrics::of(["utilisation", "idle share", "local tasks per node", "mean local wait"]).along(["utilisation"])
        }
        Experiment::Cycles(_) => cycles(),
        Experiment::Criteria(_) => Metrics::of([
            "slots",
            "found",
            "alternatives",
            "start",
            "runtime",
            "finish",
            "processor time",
            "cost",
            "energy",
        ]),
        Experiment::Batches(_) => Metrics::of([
            "jobs",
            "alternatives per job",
            "limit",
            "infeasible cycles (%)",
            "cost",
            "slot usage",
            "gain (%)",
        ]),
        Experiment::Connected(_) => connected(),
        Experiment::Workflow(_) => Metrics::of(["length", "success", "cost", "start", "finish", "collisions"]),
        Experiment::Workflows(_) => Metrics::of([
            "success ratio",
            "collisions",
            "cost",
            "share of the interval used",
            "resolved on the same type",
            "resolved on another type",
            "resolved by a shift",
            "resolved by planning the rest",
            "resolved by planning the chain",
            "planned without chains",
            "no plan exists",
            "earliest plan found is late",
            "time missing",
        ]),
        Experiment::JobFlow(_) => Metrics::of(super::job_flow::METRICS.into_iter().chain(["execution time ratio"])),
        Experiment::Multicriteria(spec) => multicriteria(spec),
        Experiment::MulticriteriaStudy(_) => {
            let names = super::multicriteria::study::METRICS.map(|(name, _)| name);
            let differences = names.map(|name| format!("{name}, difference"));
            let found = ["optimum reached (%)", "fewer jobs placed (%)", "gap where as many are placed (%)"];
            Metrics::of(names.map(String::from).into_iter().chain(differences).chain(found.map(String::from)))
        }
        Experiment::Rivals(_) => {
            let names = ["jobs placed", "owner income", "utilisation", "cost", "usage", "start", "finish"];
            let differences = names.map(|name| format!("{name} minus baseline"));
            Metrics::of(names.map(String::from).into_iter().chain(differences).chain(["counted cycles (%)".into()]))
        }
        Experiment::Brokers(_) => Metrics::of([
            "total cost",
            "cost of placed jobs",
            "jobs completed",
            "tasks placed",
            "first-round cost",
            "gap to exact (%)",
            "certified gap (%)",
            "generations",
            "saving against greedy (%)",
            "saving against greedy by price (%)",
            "saving by lpga (%)",
            "fewer generations (%)",
        ]),
    }
}

fn cycles() -> Metrics {
    let values = ["TM job time", "TM job cost", "CM job time", "CM job cost"];
    let all = [
        "counted cycles (%)",
        "infeasible cycles (%)",
        "jobs per batch",
        "jobs per counted batch",
        "slots per counted cycle",
        "jobs placed (%)",
        "alternatives per job",
        "cycles with a shorter TM job time (%)",
    ];
    let changes = values.map(|value| format!("{value}, change (%)"));
    Metrics::of(all.into_iter().chain(values).map(String::from).chain(changes)).along(["TM job time"])
}

fn connected() -> Metrics {
    let mut totals: Vec<String> = ["jobs submitted", "jobs finished", "success ratio"].map(String::from).into();
    totals.extend(Reason::ALL.map(|reason| format!("jobs {}", reason.name())));
    let plain = ["jobs under way at the end", "wait", "slowdown", "job cost", "owners' income", "makespan", "fairness"];
    totals.extend(plain.map(String::from));
    totals.extend(Use::ALL.map(|kind| kind.name().to_string()));
    totals.extend(["load forecast", "load in fact", "windows without a plan", "collisions"].map(String::from));
    totals.extend(Cause::ALL.map(|cause| format!("collisions with {}", cause.name())));
    totals.extend(Remedy::ALL.map(|remedy| format!("collisions {}", remedy.name())));
    totals.push("cycles whose limit could not be met".into());
    totals.extend(super::connected::COMPARED.map(|name| format!("difference in {name}")));
    Metrics::of(totals).along(["share of node time", "idle share of node time", "waiting jobs"])
}

fn multicriteria(spec: &Multicriteria) -> Metrics {
    let users = spec.users.iter().map(|user| user.name.to_string());
    let others = spec.stakeholders.iter().map(|other| other.name.to_string());
    let mut totals: Vec<String> = users.clone().map(|user| format!("value to {user}")).collect();
    totals.extend(users.chain(others).map(|name| format!("satisfaction of {name}")));
    totals.extend(spec.summaries.iter().map(|summary| summary.name.clone()));
    totals.extend(spec.jobs.iter().map(|job| format!("offer number of {}", job.name)));
    let counts = ["solutions", "Pareto-optimal by the criteria", "Pareto-optimal by the values to users"];
    totals.extend(["total satisfaction", "confirmed reservations"].into_iter().chain(counts).map(String::from));
    let along = match &spec.front {
        Some(FrontSpec::Criteria { up, .. }) => vec![format!("mean {up}")],
        Some(FrontSpec::Users { up, .. }) => vec![format!("value to {up}")],
        None => Vec::new(),
    };
    Metrics::of(totals).along(along)
}

/// The metric of a row that its kind of experiment does not declare, if there is one: a defect.
pub(super) fn undeclared(experiment: &Experiment, rows: &[Row]) -> Option<String> {
    let known = metrics(experiment);
    let is_known = |row: &Row| match row.x {
        Some(_) => known.all().any(|name| name == row.metric),
        None => known.totals.contains(&row.metric),
    };
    rows.iter().find(|row| !is_known(row)).map(|row| row.metric.clone())
}

/// Reports metrics that no row will have: those that sweeps are to draw, and those that published values are about. `points` are the
/// scenarios of each sweep.
pub(super) fn report_unknown(
    scenario: &Scenario,
    points: &[Vec<Scenario>],
    root: &Cursor<'_>,
    errors: &mut Context<'_>,
) {
    let own = metrics(&scenario.experiment);
    let mut all = own.clone();
    for (index, (sweep, points)) in scenario.sweeps.iter().zip(points).enumerate() {
        let mut known = own.clone();
        points.iter().map(|point| metrics(&point.experiment)).for_each(|of| known.totals.extend(of.totals));
        let place = root.field("sweeps").element(index).field("metrics");
        for (index, metric) in sweep.metrics.iter().enumerate() {
            let along = known.along.contains(metric) && !known.totals.contains(metric);
            let wrong = along.then_some("a sweep has no such metric, which has an axis of its own");
            judge(metric, known.totals.iter().map(String::as_str), wrong, &place.element(index), errors);
        }
        all.totals.extend(known.totals);
    }
    for (index, published) in scenario.published.iter().enumerate() {
        let place = root.field("published").element(index).field("metric");
        judge(&published.metric, all.all(), None, &place, errors);
    }
}

fn judge<'a>(
    metric: &str,
    known: impl Iterator<Item = &'a str>,
    wrong: Option<&str>,
    at: &Cursor<'_>,
    errors: &mut Context<'_>,
) {
    let mut names: Vec<&str> = Vec::new();
    for name in known {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if !names.contains(&metric) {
        let wrong = wrong.map_or_else(|| format!("there is no metric `{metric}`"), String::from);
        errors.add(at, wrong, suggest(metric, &names, "the metrics are").1);
    }
}
