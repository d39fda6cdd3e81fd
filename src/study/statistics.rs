//! How means, intervals and comparisons come about.

use super::{Figure, Kind, Sweep};
use crate::language::decode::suggest;
use crate::language::{Context, Count, Cursor, Positive, constant};
use crate::metrics::{Better, Fold, Metric, holm};
use crate::units::counted;
use crate::{choice, record};
use gridloom_report::{FigureKind, Row, difference, factors_text};
use std::collections::BTreeMap;

/// The largest number of batches of a run: each keeps its own account of all jobs.
const MOST_BATCHES: u64 = 1_000;

record! {
    /// How means, intervals and comparisons come about.
    pub struct StatisticsSpec {
        /// The observations that means and intervals are over: replications, or parts of one long run.
        sampling: Sampling = Sampling::Replications,
        /// Worlds are drawn until a metric is known as exactly as this, `replications` of them at most; without it, just
        /// that many.
        until: Option<Until>,
        /// Series that all others are compared with, besides the first policy of a grid: differences in the same
        /// worlds, with their intervals and p-values.
        baselines: Vec<String> = Vec::new(),
        /// Pairs of series that are compared likewise, the first with the second: each OPT with its NO OPT, for example.
        pairs: Vec<(String, String)> = Vec::new(),
        /// The metrics in which they are compared; in a grid those that it compares by itself, unless given.
        compare: Vec<String> = Vec::new(),
        /// The metrics by which series are ranked, with ties where differences can't be told from chance; there is no
        /// ranking, unless given.
        rank: Vec<String> = Vec::new(),
    }
}

choice! {
    /// What one observation is.
    #[derive(Copy)]
    pub enum Sampling {
        /// A world of its own: a run from the beginning. Worlds are independent, whatever comes up in them.
        Replications,
        /// A part of the measured interval of one long run, which warms up only once. Batches must be much longer than
        /// jobs stay, or neighbours are alike and intervals too narrow; a note says so if they are.
        BatchMeans {
            /// The number of batches of a run; they are of equal length.
            #[unit = "batches"]
            batches: Count = Count::of(20),
        },
    }
    check(this, at, errors) {
        if let Sampling::BatchMeans { batches } = this
            && batches.get() > MOST_BATCHES
        {
            errors.add(at, format!("{} batches are more than {MOST_BATCHES}", batches.get()), "give fewer, longer ones");
        }
    }
}

record! {
    /// More worlds until a metric is known well enough. Decided after each world in their order, so that the number of
    /// worlds does not depend on threads.
    pub struct Until {
        /// The metric that must be known well enough.
        metric: String,
        /// The series that matters; all that have the metric, unless given.
        series: Option<String>,
        /// The half-width of its 95 % interval that is enough, in the unit of the metric.
        #[unit = "the unit of the metric"]
        half_width: Positive,
        /// The least number of worlds: intervals of very few are themselves left to chance.
        #[unit = "replications"]
        at_least: Count = Count::of(10),
    }
}

impl Default for StatisticsSpec {
    fn default() -> Self {
        constant("()")
    }
}

impl Sampling {
    /// What one observation is called.
    pub(super) fn observations(self) -> &'static str {
        match self {
            Self::Replications => "replication",
            Self::BatchMeans { .. } => "batch mean",
        }
    }

    /// The number of observations that a run gives.
    pub(super) fn per_run(self) -> u64 {
        match self {
            Self::Replications => 1,
            Self::BatchMeans { batches } => batches.get(),
        }
    }
}

impl Until {
    /// True once the worlds that were taken in are enough.
    pub(super) fn is_met(&self, fold: &Fold<'_>, worlds: u64) -> bool {
        let half_widths = || fold.half_widths(&self.metric, self.series.as_deref());
        worlds >= self.at_least.get()
            && half_widths().next().is_some()
            && half_widths().all(|half_width| half_width.is_some_and(|half_width| half_width <= self.half_width.get()))
    }
}

impl StatisticsSpec {
    /// The metrics in which series are compared with the baselines.
    pub(super) fn compared(&self, kind: &dyn Kind) -> Vec<String> {
        match self.compare.is_empty() {
            true => kind.compared().into_iter().map(String::from).collect(),
            false => self.compare.clone(),
        }
    }

    /// True if it asks for comparisons.
    pub(super) fn compares(&self) -> bool {
        !self.baselines.is_empty() || !self.pairs.is_empty()
    }

    /// The metrics of an experiment with the differences that are asked for.
    pub(super) fn metrics(&self, kind: &dyn Kind, outside: &[Metric]) -> Vec<Metric> {
        let mut metrics = kind.metrics_with(outside);
        if self.compares() {
            for name in self.compared(kind) {
                let difference = difference(&name);
                if metrics.iter().any(|metric| metric.name() == difference) {
                    continue;
                }
                let metric = metrics.iter().find(|metric| metric.name() == name);
                metrics.extend(metric.map(|metric| metric.difference(difference, "the baseline")));
            }
        }
        metrics
    }

    /// Reports names that no row will have, and what an experiment can't give.
    pub(super) fn report(&self, kind: &dyn Kind, at: &Cursor<'_>, errors: &mut Context<'_>) {
        if self.sampling != Sampling::Replications && !kind.has_batches() {
            let wrong = "this kind of experiment has no measured interval that could be cut into batches";
            errors.add(&at.field("sampling"), wrong, "leave it out: each world is an observation");
        }
        let metrics = kind.metrics();
        let totals: Vec<&Metric> = metrics.iter().filter(|metric| !metric.is_only_along()).collect();
        let names: Vec<&str> = totals.iter().map(|metric| metric.name()).collect();
        let judge = |name: &str, at: &Cursor<'_>, errors: &mut Context<'_>| {
            if !names.contains(&name) {
                let right = suggest(name, &names, "the metrics are").1;
                errors.add(at, format!("there is no metric `{name}`"), right);
            }
        };
        for (index, name) in self.compare.iter().enumerate() {
            judge(name, &at.field("compare").element(index), errors);
        }
        for (index, name) in self.rank.iter().enumerate() {
            let place = at.field("rank").element(index);
            judge(name, &place, errors);
            let metric = totals.iter().find(|metric| metric.name() == name);
            if metric.is_some_and(|metric| metric.is_better() == Better::Neither) {
                let wrong = format!("neither more nor less of `{name}` is better");
                errors.add(&place, wrong, "rank by another metric");
            }
        }
        if let Some(until) = &self.until {
            judge(&until.metric, &at.field("until").field("metric"), errors);
        }
        if self.compares() && self.compared(kind).is_empty() {
            let right = "give `compare: [...]`, a list of metrics";
            errors.add(at, "nothing says in which metrics series are compared", right);
        }
        let Some(series) = kind.series_names() else { return };
        let series: Vec<&str> = series.iter().map(String::as_str).collect();
        let has_policies = kind.policy_names().is_some();
        let known = |name: &str, at: &Cursor<'_>, errors: &mut Context<'_>| {
            // Series that compare others have names of both.
            if !series.contains(&name) && (has_policies || !name.contains(" against ")) {
                let (what, all) =
                    if has_policies { ("policy", "the policies are") } else { ("series", "the series are") };
                let right = suggest(name, &series, all).1;
                errors.add(at, format!("there is no {what} called `{name}`"), right);
            }
        };
        for (index, name) in self.baselines.iter().enumerate() {
            known(name, &at.field("baselines").element(index), errors);
        }
        for (index, (first, second)) in self.pairs.iter().enumerate() {
            let place = at.field("pairs").element(index);
            known(first, &place, errors);
            known(second, &place, errors);
            if first == second {
                errors.add(&place, "this compares a series with itself", "name two of them");
            }
        }
        if let Some(name) = self.until.as_ref().and_then(|until| until.series.as_ref()) {
            known(name, &at.field("until").field("series"), errors);
        }
    }

    /// Notes for points that ran out of worlds before their metric was known well enough.
    /// Sweeps with an experiment of their own have none to know.
    pub(super) fn unmet(&self, rows: &[Row], sweeps: &[Sweep]) -> Vec<String> {
        let Some(until) = &self.until else { return Vec::new() };
        let is_meant = |row: &&Row| {
            let is_other = |sweep: &Sweep| sweep.experiment.is_some() && sweep.name.as_str() == row.experiment;
            row.metric == until.metric
                && !sweeps.iter().any(is_other)
                && until.series.as_ref().is_none_or(|series| *series == row.series)
        };
        let open = |row: &Row| row.ci95.is_none_or(|half_width| half_width > until.half_width.get());
        let rows: Vec<&Row> = rows.iter().filter(is_meant).filter(|row| open(row)).collect();
        let widest = rows.iter().max_by(|a, b| a.ci95.unwrap_or(f64::MAX).total_cmp(&b.ci95.unwrap_or(f64::MAX)));
        let note = |row: &&Row| {
            let at = match (row.factors.is_empty(), row.x) {
                (false, _) => format!(" at {}", factors_text(&row.factors)),
                (true, x) => x.map_or(String::new(), |x| format!(" at {x}")),
            };
            let (metric, n) = (&until.metric, counted(row.n, "observation"));
            let known = row.ci95.map_or("no interval".into(), |half| format!("a half-width of {half:.3}"));
            let (count, bound) = (rows.len(), until.half_width.get());
            let are = if count == 1 { "is" } else { "are" };
            format!(
                "not all rows of {metric} are known to ± {bound}, {count} {are} not: the widest, {}{at}, has {known} after \
                 {n}; give more `replications`",
                row.series
            )
        };
        widest.map(note).into_iter().collect()
    }
}

/// Corrects the p-values of all differences for those that are shown together: in a figure, or, if none shows them, in
/// one experiment and metric. A row of several figures has the largest of its corrected values.
pub(crate) fn correct(rows: &mut [Row], figures: &[Figure]) {
    let with_p = |row: &Row| row.p.is_some();
    let mut families: Vec<Vec<usize>> = Vec::new();
    let mut is_shown = vec![false; rows.len()];
    for figure in figures {
        let series: &[String] = match &figure.kind {
            FigureKind::Panels(cut) | FigureKind::Map(cut) => &cut.series,
            _ => &[],
        };
        let shows = |row: &Row| {
            row.experiment == figure.experiment
                && figure.metrics.contains(&row.metric)
                && (series.is_empty() || series.contains(&row.series) || series.contains(&mirrored(&row.series)))
        };
        let family: Vec<usize> = (0..rows.len()).filter(|&at| with_p(&rows[at]) && shows(&rows[at])).collect();
        family.iter().for_each(|&at| is_shown[at] = true);
        families.push(family);
    }
    let mut rest: Vec<(&str, &str, Vec<usize>)> = Vec::new();
    for (at, row) in rows.iter().enumerate().filter(|(at, row)| with_p(row) && !is_shown[*at]) {
        match rest.iter_mut().find(|(experiment, metric, _)| *experiment == row.experiment && *metric == row.metric) {
            Some((_, _, family)) => family.push(at),
            None => rest.push((&row.experiment, &row.metric, vec![at])),
        }
    }
    families.extend(rest.into_iter().map(|(_, _, family)| family));
    for family in families {
        // "A against B" and "B against A" are one comparison.
        let mut pairs: Vec<Vec<usize>> = Vec::new();
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        for at in family {
            let place = *places.entry(pair(&rows[at])).or_insert(pairs.len());
            match pairs.get_mut(place) {
                Some(pair) => pair.push(at),
                None => pairs.push(vec![at]),
            }
        }
        let p_values: Vec<f64> = pairs.iter().map(|pair| rows[pair[0]].p.unwrap_or(1.0)).collect();
        for (pair, p) in pairs.into_iter().zip(holm(&p_values)) {
            for at in pair {
                rows[at].p_holm = Some(rows[at].p_holm.map_or(p, |other| other.max(p)));
            }
        }
    }
}

/// The name of a comparison the other way round.
fn mirrored(series: &str) -> String {
    series.split_once(" against ").map_or(String::new(), |(first, second)| format!("{second} against {first}"))
}

/// The same text for a difference and for its mirror image.
fn pair(row: &Row) -> String {
    let mut names: Vec<&str> = row.series.split(" against ").collect();
    names.sort_unstable();
    format!("{:?} {names:?} {:?} {}", row.metric, row.x, factors_text(&row.factors))
}
