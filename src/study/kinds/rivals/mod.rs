//! `Rivals`: first come first served, backfilling, and optimised batches on the same worlds.
//!
//! Policies place different jobs, so means over what each has placed do not compare like with like: whoever turns down
//! the long jobs looks quick. Therefore the number of jobs placed stands beside every mean, and the differences from
//! the baseline are taken job by job over the jobs that both policies have placed.

mod contest;
mod record;

pub use record::*;

use super::Kind;
use crate::language::Cursor;
use crate::metrics::{Better, MONEY, Metric, PERCENT, TIME};
use crate::model::{Node, Window};
use crate::rng::Streams;
use crate::search::Offers;
use crate::study::expected::{Judge, idle, work};
use crate::study::replicate::Trial;
use crate::study::{Figure, FigureKind, Findings, Observations, Row, RunError, file_name};
use crate::units::{Span, sum};
use crate::workload::{SlotWorld, draw_environment, draw_jobs};
use contest::{Contest, name};

/// The experiment of the rows per policy.
const EXPERIMENT: &str = "rivals";
/// The metrics of a policy: those of the whole batch, then those of a job.
static METRICS: [Metric; 7] = [
    Metric::new("jobs placed", "jobs per cycle", "Jobs of the batch that have a window.")
        .at_least(0.0)
        .better(Better::More),
    Metric::new("owner income", "money units per cycle", "What all placed jobs pay.")
        .at_least(0.0)
        .better(Better::More),
    Metric::new("utilisation", "% of idle node time", "Idle node time that the placed jobs take.")
        .within(0.0, 100.0)
        .better(Better::More),
    Metric::new("cost", MONEY, "Mean cost of the placed jobs.").at_least(0.0).better(Better::Less),
    Metric::new("usage", TIME, "Mean time of the placed jobs: that of the longest task.")
        .at_least(0.0)
        .better(Better::Less),
    Metric::new("start", TIME, "Mean start of the placed jobs.").at_least(0.0).better(Better::Less),
    Metric::new("finish", TIME, "Mean finish of the placed jobs.").at_least(0.0).better(Better::Less),
];
/// The number of those that are about the whole batch.
const OF_BATCH: usize = 3;

static COUNTED: Metric =
    Metric::new("counted cycles (%)", PERCENT, "Cycles that count: every policy keeps its limits and places a job.")
        .within(0.0, 100.0);

/// Their differences from the baseline. Metrics of a sweep need names of their own.
fn differences_declared() -> [Metric; 7] {
    METRICS.each_ref().map(|metric| metric.difference(format!("{} minus baseline", metric.name()), "the baseline"))
}

/// The results of a policy in one cycle: totals, and means over the jobs it places.
type Values = [f64; 7];

impl Kind for Rivals {
    fn metrics(&self) -> Vec<Metric> {
        METRICS.iter().cloned().chain(differences_declared()).chain([COUNTED.clone()]).collect()
    }

    fn own_rows(&self) -> Vec<&str> {
        vec!["rivals"]
    }

    fn expect(&self, at: &Cursor<'_>, judge: &mut Judge<'_, '_, '_>) {
        judge.environment(&self.environment, at);
        judge.windows(&at.field("jobs"), idle(&self.environment), work(&self.jobs));
    }

    fn series_names(&self) -> Option<Vec<String>> {
        Some(self.policies.iter().map(name).chain(["all policies".to_string()]).collect())
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Findings, RunError> {
        run(self, trial)
    }
}

fn run(spec: &Rivals, trial: &Trial<'_>) -> Result<Findings, RunError> {
    let names: Vec<String> = spec.policies.iter().map(name).collect();
    let against = format!("against {}", name(&spec.baseline));
    let changed = differences_declared();
    let rows = trial.replicate(|streams| observe(spec, &names, (&against, &changed), streams))?;
    let mut figures = Vec::new();
    for (metric, difference) in METRICS.iter().zip(&changed) {
        figures.push(figure(EXPERIMENT, metric, &metric.title()));
        if names.len() > 1 {
            figures.push(figure(&against, difference, &format!("{}, {against}", metric.title())));
        }
    }
    let notes = few_counted(&rows).into_iter().collect();
    Ok(Findings { rows, figures, notes, ..Findings::default() })
}

/// Says so if most cycles are left out.
fn few_counted(rows: &[Row]) -> Option<String> {
    let share = rows.iter().find(|row| row.metric == COUNTED.name())?.mean;
    (share < 50.0).then(|| {
        format!(
            "only {share:.0} % of the cycles count: in the others a policy places no job, or OPT and NO OPT have no combination \
             within their limit. T* is a whole number of units, as in print, so that jobs with a single alternative each can't \
             keep it unless lengths are whole numbers (`jobs.length: UniformInteger(...)`)"
        )
    })
}

fn figure(experiment: &str, metric: &Metric, title: &str) -> Figure {
    let caption = if experiment == EXPERIMENT {
        "Mean over the counted cycles with its 95 % interval; every policy faces the same batches and slots. Cost, usage, start and \
         finish are means over the jobs that the policy places."
    } else {
        "Mean difference over the counted cycles with its 95 % interval. Cost, usage, start and finish are compared job by job, over \
         the jobs that both policies place."
    };
    Figure {
        file: file_name(metric.name()),
        title: title.into(),
        caption: caption.into(),
        x_label: String::new(),
        y_label: metric.label(),
        experiment: experiment.into(),
        metrics: vec![metric.into()],
        kind: FigureKind::Bars,
    }
}

/// One cycle; it counts if every policy keeps its limits and places a job.
fn observe<'a>(
    spec: &Rivals,
    names: &'a [String],
    (against, changed): (&'a str, &'a [Metric]),
    streams: Streams,
) -> Result<Observations<'a>, RunError> {
    let world = draw_environment(&spec.environment, &streams)?;
    let placed = place(spec, &world, &streams)?;
    let baseline = spec.policies.iter().position(|policy| *policy == spec.baseline).unwrap_or(0);
    let mut observations = Observations::default();
    observations.of(EXPERIMENT, "all policies").add(&COUNTED, if placed.is_some() { 100.0 } else { 0.0 });
    for (at, name) in names.iter().enumerate() {
        let mut series = observations.of(EXPERIMENT, name);
        for (part, metric) in METRICS.iter().enumerate() {
            series.add(metric, placed.as_ref().map(|placed| placed[at].values[part]));
        }
    }
    for (at, name) in names.iter().enumerate().filter(|&(at, _)| at != baseline) {
        let differences = placed.as_ref().map(|placed| differences(&placed[at], &placed[baseline]));
        let mut series = observations.of(against, name);
        for (part, metric) in changed.iter().enumerate() {
            series.add(metric, differences.and_then(|differences| differences[part]));
        }
    }
    Ok(observations)
}

/// The placement of a batch by a policy.
struct Placed {
    /// The cost, usage, start and finish of each job that is placed.
    jobs: Vec<Option<[f64; 4]>>,
    values: Values,
}

/// Every policy's placement of the same batch; nothing if a policy can't keep its limit or places no job.
fn place(spec: &Rivals, world: &SlotWorld, streams: &Streams) -> Result<Option<Vec<Placed>>, RunError> {
    let requests = draw_jobs(&spec.jobs, streams.stream("jobs"))?;
    let mut stream = streams.stream("ranks");
    let ranks = requests.iter().map(|_| libm::round(spec.ranks.sample(&mut stream)) as i64).collect();
    let search = spec.search.get();
    let Some(finder) = search.finder() else { return Ok(None) };
    let offers = Offers { nodes: &world.nodes, slots: &world.slots, rule: spec.runtime };
    let contest = Contest { spec, offers, requests: &requests, ranks, search: &search, finder };
    let Some(plans) = contest.windows(streams)? else { return Ok(None) };
    let mut all = Vec::new();
    for plan in &plans {
        let measured =
            plan.iter().map(|window| window.as_ref().map(|window| measure(window, &world.nodes)).transpose());
        let jobs = measured.collect::<Result<Vec<_>, RunError>>()?;
        if jobs.iter().flatten().next().is_none() {
            return Ok(None);
        }
        let values = values(plan, &jobs, world)?;
        all.push(Placed { jobs, values });
    }
    Ok(Some(all))
}

/// The differences of a policy from the baseline; those that concern single jobs only if some job is placed by both.
fn differences(own: &Placed, baseline: &Placed) -> [Option<f64>; 7] {
    let pairs = own.jobs.iter().zip(&baseline.jobs).filter_map(|(one, other)| Some(((*one)?, (*other)?)));
    let pairs: Vec<([f64; 4], [f64; 4])> = pairs.collect();
    std::array::from_fn(|part| match part.checked_sub(OF_BATCH) {
        None => Some(own.values[part] - baseline.values[part]),
        Some(part) => {
            let sum = pairs.iter().map(|(one, other)| one[part] - other[part]).sum::<f64>();
            (!pairs.is_empty()).then(|| sum / pairs.len() as f64)
        }
    })
}

/// Cost, usage (the longest runtime), start and finish of a job.
fn measure(window: &Window, nodes: &[Node]) -> Result<[f64; 4], RunError> {
    let cost = window.cost(nodes)?;
    Ok([cost.as_f64(), window.time().as_f64(), window.start().as_f64(), window.finish().as_f64()])
}

fn values(plan: &[Option<Window>], jobs: &[Option<[f64; 4]>], world: &SlotWorld) -> Result<Values, RunError> {
    let placed: Vec<[f64; 4]> = jobs.iter().flatten().copied().collect();
    let total = |part: usize| placed.iter().map(|job| job[part]).sum::<f64>();
    let held = plan.iter().flatten().flat_map(|window| window.slots().iter().map(|slot| slot.interval.span()));
    let held: Span = sum(held)?;
    let [cost, usage, start, finish] = [0, 1, 2, 3].map(|part| total(part) / placed.len() as f64);
    let utilisation = 100.0 * held.as_f64() / world.slots.total().as_f64();
    Ok([placed.len() as f64, total(0), utilisation, cost, usage, start, finish])
}
