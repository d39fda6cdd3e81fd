//! `Rivals`: first come first served, backfilling, and optimised batches on the same worlds.
//!
//! Policies place different jobs, so means over what each has placed do not compare like with like: whoever turns down the
//! long jobs looks quick. Therefore the number of jobs placed stands beside every mean, and the differences from the
//! baseline are taken job by job over the jobs that both policies have placed.

mod contest;

use super::replicate::{Named, Watch, replicate};
use super::{Figure, FigureKind, Findings, Row, RunError, capitalised, file_name};
use crate::model::{Node, Window};
use crate::policy::named_search;
use crate::rng::Streams;
use crate::scenario::schema::{Rivals, Scenario};
use crate::search::Offers;
use crate::units::{Span, sum};
use crate::workload::{World, draw_environment, draw_jobs};
use contest::{Contest, name};

/// The experiment of the rows per policy.
const EXPERIMENT: &str = "rivals";
/// What is measured, of the whole batch and of a job.
const TOTALS: [(&str, &str); 3] = [
    ("jobs placed", "jobs per cycle"),
    ("owner income", "money units per cycle"),
    ("utilisation", "% of idle node time"),
];
const OF_A_JOB: [(&str, &str); 4] =
    [("cost", "money units"), ("usage", "time units"), ("start", "time units"), ("finish", "time units")];
/// How differences are called: metrics of a sweep need names of their own.
const DIFFERENCES: [&str; 7] = [
    "jobs placed minus baseline",
    "owner income minus baseline",
    "utilisation minus baseline",
    "cost minus baseline",
    "usage minus baseline",
    "start minus baseline",
    "finish minus baseline",
];

/// What a policy does in one cycle: totals, and means over the jobs it places.
type Values = [f64; 7];

/// The values of each policy, and how they differ from the baseline's; what concerns single jobs only if some job is placed by
/// both.
struct Observed {
    values: Vec<Values>,
    differences: Vec<Vec<f64>>,
}

pub(super) fn run(spec: &Rivals, scenario: &Scenario, watch: &impl Watch) -> Result<Findings, RunError> {
    let names: Vec<String> = spec.policies.iter().map(name).collect();
    let metrics: Vec<(&'static str, &'static str)> = TOTALS.into_iter().chain(OF_A_JOB).collect();
    let mut counted = Named::new("counted cycles (%)");
    let mut values: Vec<Vec<Named>> =
        names.iter().map(|_| metrics.iter().map(|(metric, _)| Named::new(*metric)).collect()).collect();
    let mut differences: Vec<Vec<Named>> = names.iter().map(|_| DIFFERENCES.map(Named::new).to_vec()).collect();
    replicate(
        scenario,
        watch,
        |streams| observe(spec, streams),
        |observed: Option<Observed>| {
            counted.add(if observed.is_some() { 100.0 } else { 0.0 })?;
            let Some(observed) = observed else { return Ok(()) };
            for (tallies, values) in values.iter_mut().zip(&observed.values) {
                tallies.iter_mut().zip(values).try_for_each(|(tally, &value)| tally.add(value))?;
            }
            for (tallies, values) in differences.iter_mut().zip(&observed.differences) {
                tallies.iter_mut().zip(values).try_for_each(|(tally, &value)| tally.add(value))?;
            }
            Ok(())
        },
    )?;
    let baseline = name(&spec.baseline);
    let against = format!("against {baseline}");
    let mut rows = Vec::new();
    let mut push = |experiment: &str, series: &str, tally: &Named| {
        rows.extend(tally.estimate().map(|estimate| Row::new(experiment, series, &tally.name, estimate)));
    };
    push(EXPERIMENT, "all policies", &counted);
    for (name, tallies) in names.iter().zip(&values) {
        tallies.iter().for_each(|tally| push(EXPERIMENT, name, tally));
    }
    for (name, tallies) in names.iter().zip(&differences).filter(|(name, _)| **name != baseline) {
        tallies.iter().for_each(|tally| push(&against, name, tally));
    }
    let mut figures = Vec::new();
    for ((metric, unit), difference) in metrics.iter().zip(DIFFERENCES) {
        figures.push(figure(EXPERIMENT, metric, metric, unit));
        if names.len() > 1 {
            figures.push(figure(&against, difference, &format!("{metric}, {against}"), unit));
        }
    }
    let units = metrics.iter().copied().chain(DIFFERENCES.into_iter().zip(metrics.iter().map(|(_, unit)| *unit)));
    Ok(Findings { units: super::own_units(units), rows, figures, ..Findings::default() })
}

fn figure(experiment: &str, metric: &str, title: &str, unit: &str) -> Figure {
    let caption = if experiment == EXPERIMENT {
        "Mean over the counted cycles with its 95 % interval; every policy faces the same batches and slots. Cost, usage, start and \
         finish are means over the jobs that the policy places."
    } else {
        "Mean difference over the counted cycles with its 95 % interval. Cost, usage, start and finish are compared job by job, over \
         the jobs that both policies place."
    };
    Figure {
        file: file_name(metric),
        title: capitalised(title),
        caption: caption.into(),
        x_label: String::new(),
        y_label: format!("{} ({unit})", capitalised(metric)),
        experiment: experiment.into(),
        metrics: vec![metric.into()],
        kind: FigureKind::Bars,
    }
}

/// One cycle; it counts if every policy keeps its limits and places a job.
fn observe(spec: &Rivals, streams: Streams) -> Result<Option<Observed>, RunError> {
    let world = draw_environment(&spec.environment, &streams)?;
    let requests = draw_jobs(&spec.jobs, streams.stream("jobs"))?;
    let mut stream = streams.stream("ranks");
    let ranks = requests.iter().map(|_| libm::round(spec.ranks.sample(&mut stream)) as i64).collect();
    let search = named_search(&spec.search);
    let Some(finder) = search.finder else { return Ok(None) };
    let offers = Offers { nodes: &world.nodes, slots: &world.slots, rule: spec.runtime.rule() };
    let contest = Contest { spec, offers, requests: &requests, ranks, search: &search, finder };
    let Some(plans) = contest.windows(&streams)? else { return Ok(None) };
    let mut jobs = Vec::new();
    for plan in &plans {
        let measured: Result<Vec<_>, RunError> =
            plan.iter().map(|window| window.as_ref().map(|window| measure(window, &world.nodes)).transpose()).collect();
        jobs.push(measured?);
    }
    if jobs.iter().any(|jobs| jobs.iter().flatten().next().is_none()) {
        return Ok(None);
    }
    let values: Vec<Values> =
        plans.iter().zip(&jobs).map(|(plan, jobs)| values(plan, jobs, &world)).collect::<Result<_, _>>()?;
    let baseline = spec.policies.iter().position(|policy| *policy == spec.baseline).unwrap_or(0);
    let differences = (0..plans.len()).map(|at| {
        let mut all: Vec<f64> = (0..TOTALS.len()).map(|total| values[at][total] - values[baseline][total]).collect();
        let pairs = jobs[at].iter().zip(&jobs[baseline]).filter_map(|(one, other)| Some(((*one)?, (*other)?)));
        let pairs: Vec<([f64; 4], [f64; 4])> = pairs.collect();
        let mean =
            |part: usize| pairs.iter().map(|(one, other)| one[part] - other[part]).sum::<f64>() / pairs.len() as f64;
        if !pairs.is_empty() {
            all.extend((0..OF_A_JOB.len()).map(mean));
        }
        all
    });
    let differences = differences.collect();
    Ok(Some(Observed { values, differences }))
}

/// Cost, usage (the longest runtime), start and finish of a job.
fn measure(window: &Window, nodes: &[Node]) -> Result<[f64; 4], RunError> {
    let cost = window.cost(nodes)?;
    Ok([cost.as_f64(), window.time().as_f64(), window.start().as_f64(), window.finish().as_f64()])
}

fn values(plan: &[Option<Window>], jobs: &[Option<[f64; 4]>], world: &World) -> Result<Values, RunError> {
    let placed: Vec<[f64; 4]> = jobs.iter().flatten().copied().collect();
    let total = |part: usize| placed.iter().map(|job| job[part]).sum::<f64>();
    let held = plan.iter().flatten().flat_map(|window| window.slots().iter().map(|slot| slot.interval.span()));
    let held: Span = sum(held)?;
    let [cost, usage, start, finish] = [0, 1, 2, 3].map(|part| total(part) / placed.len() as f64);
    let utilisation = 100.0 * held.as_f64() / world.slots.total().as_f64();
    Ok([placed.len() as f64, total(0), utilisation, cost, usage, start, finish])
}
