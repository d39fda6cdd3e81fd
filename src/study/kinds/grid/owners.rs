//! A grid without jobs: how much of the nodes owners leave over, domain by domain.

use super::schedule::ScheduleDrawing;
use super::{Grid, TOTALS};
use crate::check::GridCheck;
use crate::metrics::{DomainUse, Metric, Use, steps};
use crate::model::JobId;
use crate::policy::{Decision, Policy, PolicyChoice, PolicyEntry, PolicyError, View};
use crate::rng::Streams;
use crate::sim::{GridEntry, GridRules, Observer, observe_grid};
use crate::study::replicate::{Replication, Trial};
use crate::study::{Figure, FigureKind, Findings, MOST_BARS, Observations, RunError, Schedule};
use crate::units::Time;
use crate::workload::draw_grid_within;

/// The experiment of the rows that run over time.
const OVER_TIME: &str = "over time";
/// The uses of node time that there are without jobs.
const USES: [Use; 3] = [Use::Local, Use::Down, Use::Idle];

static TASKS: Metric =
    Metric::new("local tasks per node", "per node", "Tasks that owners start on a node over the run.").at_least(0.0);

pub(super) fn metrics() -> Vec<Metric> {
    USES.map(Use::metric).into_iter().chain([TASKS.clone()]).collect()
}

/// The series: one for each domain, and one for all nodes if there are several.
pub(super) fn series(spec: &Grid) -> Vec<String> {
    let all = (spec.domains.len() > 1).then(|| DomainUse::ALL.to_string());
    spec.domains.iter().map(|domain| domain.name.to_string()).chain(all).collect()
}

/// The policy of a grid without jobs: it places none.
struct NoJobs;

impl Policy for NoJobs {
    fn decide(&mut self, _: &View<'_>) -> Result<Vec<Decision>, PolicyError> {
        Ok(Vec::new())
    }
}

pub(super) fn run(spec: &Grid, trial: &Trial<'_>) -> Result<Findings, RunError> {
    let (rows, schedule) = trial.replicate_and_show(|streams| observe(spec, &streams, trial), |_| ())?;
    let figure = Figure {
        file: "utilisation".into(),
        title: "How busy owners keep their nodes".into(),
        caption: match trial.replications() {
            1 => "Share of busy nodes in one replication.".into(),
            many => format!("Mean share of busy nodes and its 95 % interval over {many} replications."),
        },
        x_label: format!("Time ({})", spec.time_unit),
        y_label: "Share of nodes busy with local tasks".into(),
        experiment: OVER_TIME.into(),
        metrics: vec![Use::Local.name().into()],
        kind: FigureKind::Lines,
    };
    let schedules = schedule.flatten().into_iter().collect();
    Ok(Findings { rows, figures: vec![figure], schedules, ..Findings::default() })
}

/// One world: of each domain, and of all nodes if there are several, how their time was used.
fn observe(
    spec: &Grid,
    streams: &Streams,
    trial: &Trial<'_>,
) -> Result<Replication<'static, Option<Schedule>>, RunError> {
    let (stop, limits) = (&*trial.stop().world(1), trial.limits());
    let world = draw_grid_within(&spec.grid(), streams, stop, limits)?;
    stop.check()?;
    let entry = PolicyEntry::from(PolicyChoice::Fcfs(crate::policy::FcfsPolicy));
    let rules = GridRules { policy: "no jobs".into(), limits, ..spec.rules(&entry) };
    let is_first = streams.replication() == 0;
    let mut run = OwnerObservers {
        check: GridCheck::new(&world, &rules),
        domains: DomainUse::new(&world, spec.step()),
        drawing: (is_first && world.nodes.len() <= MOST_BARS).then(|| ScheduleDrawing::new(&world, MOST_BARS)),
    };
    let end = observe_grid(&world, &rules, &mut NoJobs, stop, &mut run)?;
    run.check.finish(end)?;
    let used = run.domains.finish();
    let mut observations = Observations::default();
    for domain in &used {
        let mut series = observations.of(TOTALS, domain.name.clone());
        for kind in USES {
            series.add(kind.name(), domain.whole.shares[kind as usize][0]);
        }
        series.add(&TASKS, domain.tasks as f64 / domain.nodes as f64);
    }
    let steps = steps(spec.measured(), spec.step());
    for domain in used {
        let mut series = observations.of(OVER_TIME, domain.name);
        for (share, step) in domain.stepwise.shares[Use::Local as usize].iter().zip(&steps) {
            // A step stands at its middle.
            series.add_at(Use::Local.name(), (step.start.as_f64() + step.end.as_f64()) / 2.0, *share);
        }
    }
    let shown = is_first.then(|| run.drawing.map(|drawing| drawing.of_owners(spec)));
    Ok(Replication { observations: vec![observations], shown })
}

/// All who follow the run.
struct OwnerObservers<'w> {
    check: GridCheck<'w>,
    domains: DomainUse,
    drawing: Option<ScheduleDrawing<'w>>,
}

impl Observer for OwnerObservers<'_> {
    fn note(&mut self, entry: &GridEntry) {
        self.check.note(entry);
        self.domains.note(entry);
        if let Some(drawing) = &mut self.drawing {
            drawing.note(entry);
        }
    }

    fn postponed(&mut self, time: Time, jobs: &[JobId]) {
        self.check.postponed(time, jobs);
    }
}
