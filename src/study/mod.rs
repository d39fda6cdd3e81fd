//! Studies: points of sweeps x replications, in parallel, and one folder per [kind](Kind) of experiment.
//!
//! [`load_study`] reads a scenario with its files into a [`Study`], which [`run`] turns into an [`Outcome`]. A
//! replication gives [observations](Observations), and nothing else; one [fold](Fold) over them, in the order of
//! replications, gives all rows. Figures say which rows to draw. Everything that a scheduler made has passed the
//! independent [check](crate::check) before it becomes a number.

mod answer;
mod blocks;
mod calibration;
mod checked;
mod checkpoint;
mod crossing;
mod declared;
mod effect;
mod expected;
mod kept;
mod kinds;
mod limits;
mod log_axes;
mod outside;
mod parts;
mod published;
mod ranking;
mod record;
mod replicate;
mod resolved;
mod scenario;
mod shared_points;
mod single_runs;
mod statistics;
mod sweep;
mod sweep_points;
pub(crate) mod verdict;

pub use crate::metrics::{Fold, Key, Observations, Place, Scale, Series, Statistic};
pub use answer::{AnswerSpec, CrossoverSpec};
pub use blocks::{Block, MOST_SHARDS, Shard, StudyPoint, run_block, shares, study_points};
pub use calibration::{Calibration, CalibrationTarget};
pub use checkpoint::{Checkpoint, KeptObservations, NoCheckpoint, Point};
pub(crate) use crossing::sweep_figures;
pub use expected::Judge;
pub use kept::{KeptPart, kept_part, kept_points};
pub use kinds::{
    Batches, Brokers, Compared, DeadlineSpec, Experiment, Grid, Kind, QueueSpec, Replay, ReplayLog, ReplayLogSpec,
    ReplayQueue, WaySpec,
};
pub(crate) use kinds::{has_job, log_name};
pub use limits::LimitsSpec;
pub use outside::{GridMetric, NotTaken};
pub use published::{Contrast, Evidence, Origin, Published, Than, Tolerance};
pub(crate) use record::FILE as OBSERVATIONS;
pub use replicate::{NoProgress, Progress};
pub(crate) use resolved::load_study_with;
pub use resolved::{Study, load_study};
pub use scenario::{Scenario, Slug};
pub(crate) use statistics::correct;
pub use statistics::{Sampling, StatisticsSpec, Until};
pub use sweep::{CrossingFigure, Sweep, SweepPoint, SweepValues, SweptField};
pub(crate) use sweep_points::load_points;

#[doc(inline)]
pub use gridloom_report::{
    Bar, BarKind, Cut, Factor, Figure, FigureFormat, FigureKind, FiguresSpec, FileContent, Gantt, Lane, LateText,
    LogAxes, MOST_BARS, Mark, Outcome, Panel, Ranking, RankingLine, Results, Row, Schedule, ScheduleBar, SeriesName,
    SeriesPlace, StudyAnswer, SummaryFocus, SweepValue, Usage,
};

use crate::broker::multicriteria::{LearnError, Refusal};
use crate::check::Violations;
use crate::combine::NoChoice;
use crate::engine::{ScheduleError, Stopped};
use crate::language::to_ron;
use crate::metrics::{FoldError, Metric};
use crate::policy::PolicyError;
use crate::sim::GridError;
use crate::sim::SessionError;
use crate::units::{Overflow, UnitsError};
use crate::workload::DrawError;
use record::{PointPlace, Samples, StudyRecord};
pub use replicate::Trial;
use shared_points::SharedPoints;

/// The findings of one experiment.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    rows: Vec<Row>,
    figures: Vec<Figure>,
    gantts: Vec<Gantt>,
    schedules: Vec<Schedule>,
    files: Vec<(String, FileContent)>,
    /// What they say to the question of the experiment, unless the scenario asks one of its own.
    answer: Option<StudyAnswer>,
    /// Further notes on the run for the user.
    notes: Vec<String>,
}

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The user stopped it.
    #[error("interrupted; nothing was written")]
    Interrupted,
    /// A finished replication could not be kept.
    #[error("{0}")]
    Keep(String),
    /// A schedule did not pass the check: a defect of the program.
    #[error("a defect of gridloom, please report it: {0}")]
    Check(#[from] Violations),
    /// A log has no job that can be replayed.
    #[error("no job can be replayed: all are left out by the rules")]
    NoJobs,
    /// Reservations of a log could reach beyond all times.
    #[error(
        "{log}: the requested times of all jobs add up to more than can be planned ({requested:.1e} s, counted twice); \
         plan with `estimate: Actual`, or give the log a sensible longest request"
    )]
    TooLong {
        /// The log's name.
        log: String,
        /// The sum of the requested times, in seconds.
        requested: f64,
    },
    /// A scheduler elsewhere, which was to serve a queue, failed.
    #[error("policy {name} failed: {why}")]
    Scheduler {
        /// Its name in results.
        name: String,
        /// What happened.
        why: String,
    },
    /// Numbers left their range.
    #[error(transparent)]
    Overflow(#[from] Overflow),
    /// A drawn number can't be used.
    #[error(transparent)]
    Units(#[from] UnitsError),
    /// A world can't be drawn.
    #[error(transparent)]
    Draw(#[from] DrawError),
    /// Observations have no mean.
    #[error(transparent)]
    Stats(#[from] FoldError),
    /// A choice failed for another reason than a limit that can't be met.
    #[error(transparent)]
    Choice(#[from] NoChoice),
    /// A broker can't make sense of a market.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Nothing can be learned from choices.
    #[error(transparent)]
    Learn(#[from] LearnError),
    /// A table could not be written.
    #[error(transparent)]
    Csv(#[from] csv::Error),
    /// A broker's session ended early.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// An event could not be scheduled.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    /// A search for windows failed.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// A simulation of a connected grid failed.
    #[error(transparent)]
    Grid(#[from] GridError),
}

impl From<Stopped> for RunError {
    fn from(Stopped: Stopped) -> Self {
        Self::Interrupted
    }
}

/// Runs a scenario and all points of its sweeps.
pub fn run(study: &Study, watch: &impl Progress) -> Result<Outcome, RunError> {
    run_or_resume(study, watch, &NoCheckpoint)
}

/// The same, but replications that `checkpoint` knows are not run again, and those that are run are kept there.
pub fn run_or_resume(study: &Study, watch: &impl Progress, checkpoint: &impl Checkpoint) -> Result<Outcome, RunError> {
    let scenario = study.scenario();
    let scenarios = || std::iter::once(scenario).chain(study.points().iter().flatten());
    watch.expect(scenarios().map(Scenario::runs).sum());
    let record = StudyRecord::new(&scenario.published)?;
    let checkpoint = &SharedPoints::new(study, checkpoint);
    let trial = |scenario, place| {
        run_point(&Trial { scenario, place, outside: &study.outside, watch, checkpoint, written: &record })
    };
    let mut findings = trial(scenario, PointPlace::Base)?;
    let metrics_of =
        |scenario: &Scenario| scenario.statistics.metrics(scenario.experiment.get(), &study.outside.declared());
    let metrics = metrics_of(scenario);
    let base: Vec<Row> = findings.rows.iter().filter(|row| row.x.is_none()).cloned().collect();
    let swept: Vec<Vec<SweepPoint>> = scenario.sweeps.iter().map(Sweep::points).collect();
    for ((sweep, points), scenarios) in scenario.sweeps.iter().zip(&swept).zip(study.points()) {
        for (point, scenario) in points.iter().zip(scenarios) {
            let place = PointPlace::Swept { sweep, point };
            let found = trial(scenario, place)?.rows.into_iter();
            let mut rows: Vec<Row> = found.filter_map(|row| place.row(row)).collect();
            if let Some(calibration) = &sweep.calibration {
                rows = calibration.held_against(sweep, rows);
            }
            findings.rows.extend(rows);
        }
        let own = scenarios.first().filter(|_| sweep.experiment.is_some()).map(metrics_of);
        let mut metrics = own.unwrap_or_else(|| metrics.clone());
        metrics.extend(sweep.calibration.iter().flat_map(|_| calibration::metrics()));
        let rows: Vec<&Row> = findings.rows.iter().filter(|row| row.experiment == sweep.name.as_str()).collect();
        // What could not be measured in some worlds has fewer: the largest number of a point is that of its worlds.
        let worlds = |point: &SweepPoint| {
            let place = PointPlace::Swept { sweep, point };
            rows.iter().filter(|row| place.has(row)).map(|row| row.n).max()
        };
        let counts: Vec<u64> = points.iter().filter_map(worlds).collect();
        let swept = scenarios.first().unwrap_or(scenario);
        let observations = match swept.experiment.get().draws() {
            true => counts.iter().min().copied().zip(counts.iter().max().copied()).unwrap_or_default(),
            false => (1, 1),
        };
        let (are, places) = (swept.statistics.sampling.observations(), swept.experiment.get().places());
        let drawn = crossing::SweptRows { sweep, metrics: &metrics, observations, are, places: &places };
        findings.figures.extend(drawn.figures(&base, &rows));
        if let Some((rows, figure)) = sweep.calibration.as_ref().map(|calibration| calibration.scatter(sweep, &rows)) {
            findings.rows.extend(rows);
            findings.figures.push(figure);
        }
    }
    let mut left_out = keep_drawable(&mut findings);
    left_out.extend(off_log_axes(&findings));
    left_out.extend(scenario.figures.unknown(&findings.rows));
    let unmet = scenario.statistics.unmet(&findings.rows, &scenario.sweeps);
    statistics::correct(&mut findings.rows, &findings.figures);
    let (table, samples, judged) = record.finish()?;
    verdict::contrast(&mut findings.rows, &scenario.published, &judged.effects);
    judged.single_runs.iter().for_each(|runs| runs.give(&mut findings.rows));
    let misnamed = verdict::judge(&mut findings.rows, &scenario.published, scenario.source.as_ref());
    let answer = scenario.answer.as_ref().map(|spec| {
        let over = scenario.sweeps.iter().position(|sweep| spec.over.as_deref() == Some(sweep.name.as_str()));
        let points = over.map_or(vec![scenario], |sweep| study.points()[sweep].iter().collect());
        spec.answer(scenario, &points, &findings.rows, &findings.figures)
    });
    // The most serious notes come first: what has no answer or no plan, what was read otherwise than it stands, what is
    // known badly; then what is not shown, and remarks.
    let mut notes: Vec<String> = Vec::new();
    if answer.as_ref().is_some_and(Option::is_none) {
        notes.push("the question of the study has no answer: no row compares what it names".into());
    }
    notes.append(&mut findings.notes);
    notes.extend(study.notes().iter().cloned());
    notes.extend(unmet);
    let replications = scenario.runs();
    if scenarios().all(|scenario| scenario.runs() == 1) && 1 < scenario.replications.get() {
        notes.push("`replications` has no effect: an experiment of this kind is one fixed run".into());
    }
    notes.extend(note_on_batches(scenario, &samples));
    notes.extend(misnamed);
    notes.extend(left_out);
    let mut foreign = study.outside.names();
    for name in scenarios().flat_map(|scenario| scenario.experiment.get().foreign_policies()) {
        if !foreign.contains(&name) {
            foreign.push(name);
        }
    }
    for name in foreign {
        notes.push(format!(
            "{name} comes from outside gridloom: whether its results can be repeated is its own business"
        ));
    }
    if scenario.statistics.sampling.per_run() > 1 {
        notes.push("each observation is a batch of a run: what is counted per run is counted per batch".into());
    }
    let calibrated = calibration::answer(&scenario.sweeps, &findings.rows);
    let ranking = ranking_of(scenario, &metrics, &samples, &findings.rows);
    let results = Results {
        scenario: scenario.name.as_str().into(),
        seed: scenario.seed,
        replications,
        version: env!("CARGO_PKG_VERSION").into(),
        rows: findings.rows,
        missing: None,
    };
    let mut files = vec![(record::FILE.to_string(), table.into())];
    files.append(&mut findings.files);
    Ok(Outcome {
        about: scenario.about.clone(),
        answer: answer.flatten().or(findings.answer).or(calibrated),
        ranking,
        scenario: to_ron(scenario),
        results,
        focus: scenario.focus(),
        figures: findings.figures,
        gantts: findings.gantts,
        schedules: findings.schedules,
        notes,
        files,
        figures_spec: scenario.figures.clone(),
    })
}

/// Says so if neighbouring batches are more alike than chance makes them: intervals are too narrow then.
fn note_on_batches(scenario: &Scenario, samples: &Samples) -> Option<String> {
    let per_run = scenario.statistics.sampling.per_run();
    let (series, metric, correlation) = samples.likeness(per_run).filter(|_| per_run > 1)?;
    let batches = (per_run * scenario.replications.get()) as f64;
    // Three standard errors of a correlation where there is none: the largest of several is told.
    (correlation > 3.0 / batches.sqrt()).then(|| {
        format!(
            "neighbouring batches are alike (correlation {correlation:.2} in {metric} of {series}), so that intervals may be \
             too narrow: give fewer batches or a longer `horizon`"
        )
    })
}

/// The ranking that a scenario asks for. Series stand in the order of their rows.
fn ranking_of(scenario: &Scenario, metrics: &[Metric], samples: &Samples, rows: &[Row]) -> Option<Ranking> {
    let wanted = |name: &String| metrics.iter().find(|metric| metric.name() == *name);
    let ranked: Vec<&Metric> = scenario.statistics.rank.iter().filter_map(wanted).collect();
    let mut order: Vec<String> = Vec::new();
    for row in rows.iter().filter(|row| ranked.iter().any(|metric| metric.name() == row.metric)) {
        if !order.contains(&row.series) {
            order.push(row.series.clone());
        }
    }
    (!ranked.is_empty()).then(|| ranking::rank(samples, &ranked, &order))
}

/// Leaves out what can't be drawn since nothing was observed: a cycle that never counts has no mean time. A note names
/// series that a figure of a crossing asks for and no row has.
fn keep_drawable(findings: &mut Findings) -> Vec<String> {
    let Findings { rows, figures, .. } = findings;
    let mut notes = Vec::new();
    for figure in figures.iter_mut() {
        figure
            .metrics
            .retain(|metric| rows.iter().any(|row| row.experiment == figure.experiment && row.metric == *metric));
        let (FigureKind::Panels(cut) | FigureKind::Map(cut)) = &mut figure.kind else { continue };
        let (experiment, metrics) = (&figure.experiment, &figure.metrics);
        let has = |series: &String| {
            let is_meant = |row: &Row| row.experiment == *experiment && row.series == *series;
            rows.iter().any(|row| is_meant(row) && metrics.contains(&row.metric))
        };
        let missing: Vec<String> = cut.series.iter().filter(|series| !has(series)).cloned().collect();
        if missing.is_empty() {
            continue;
        }
        notes.push(format!("figure {} leaves out what no row has: {}", figure.file, missing.join(", ")));
        cut.series.retain(|series| !missing.contains(series));
        if cut.series.is_empty() {
            figure.metrics.clear();
        }
    }
    figures.retain(|figure| !figure.metrics.is_empty());
    notes
}

/// Notes on figures that leave out values which a logarithmic axis can't show.
fn off_log_axes(findings: &Findings) -> Vec<String> {
    let note = |figure: &Figure| {
        let log = match &figure.kind {
            FigureKind::LinesOn(log) => *log,
            FigureKind::LinePanels(_, log) => (*log)?,
            FigureKind::Panels(cut) => cut.log?,
            _ => return None,
        };
        let is_drawn = |row: &&Row| row.experiment == figure.experiment && figure.metrics.contains(&row.metric);
        let drawn: Vec<&Row> = findings.rows.iter().filter(is_drawn).collect();
        let left_out = drawn.iter().filter(|row| log.has_y() && row.mean <= 0.0).count();
        let what = format!("figure {}: {left_out} of {} values are not above 0", figure.file, drawn.len());
        match left_out {
            0 => None,
            _ if left_out == drawn.len() => Some(format!("{what}, so that its vertical axis is not logarithmic")),
            _ => Some(format!("{what} and left out, which a logarithmic axis can't show")),
        }
    };
    findings.figures.iter().filter_map(note).collect()
}

/// A label without the unit in brackets at its end.
fn without_unit(label: &str) -> &str {
    label.rsplit_once(" (").filter(|(_, unit)| unit.ends_with(')')).map_or(label, |(name, _)| name)
}

/// A label inside a sentence: "Number of nodes" becomes "number of nodes".
fn lowered(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_lowercase().collect::<String>() + letters.as_str())
}

fn run_point(trial: &Trial<'_>) -> Result<Findings, RunError> {
    let experiment = trial.scenario.experiment.get();
    if !trial.is_there() {
        return Ok(Findings::default());
    }
    let is_kept_whole = !experiment.draws() && matches!(trial.place, PointPlace::Swept { .. });
    if is_kept_whole && let Some(rows) = trial.recall_rows()? {
        return Ok(Findings { rows, ..Findings::default() });
    }
    let mut found = experiment.run(trial);
    // The return value of an interrupted solver is no result, and an error is but a consequence.
    if trial.watch.is_stopped() {
        return Err(RunError::Interrupted);
    }
    if let Ok(findings) = &mut found {
        let metrics = trial.scenario.statistics.metrics(experiment, &trial.outside.declared());
        declared::give_units(&mut findings.rows, &metrics);
        if is_kept_whole {
            trial.keep_rows(&findings.rows)?;
        }
    }
    found
}

/// A name as a field of a CSV file: in quotes if it has to be.
pub(crate) fn csv_field(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.to_string() }
}

/// The name of a metric or a policy as part of a file's name.
pub(crate) fn file_name(metric: &str) -> String {
    let words = metric.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}
