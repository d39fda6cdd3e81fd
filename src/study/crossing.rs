//! The figures of sweeps and crossings.

use super::sweep::{CrossingFigure, Sweep, SweptFactor};
use super::{Scenario, file_name, lowered, without_unit};
use crate::metrics::Metric;
use crate::units::counted;
use gridloom_report::{Cut, Figure, FigureKind, Row, SeriesPlace};

/// The rows of a sweep that are to be drawn.
pub(super) struct SweptRows<'a> {
    pub(super) sweep: &'a Sweep,
    /// All metrics of the experiment.
    pub(super) metrics: &'a [Metric],
    /// The least and the largest number of observations of a point; 1 if nothing is drawn.
    pub(super) observations: (u64, u64),
    /// What they are.
    pub(super) are: &'static str,
    /// The places of the experiment's series in panels; none where all share one.
    pub(super) places: &'a [SeriesPlace],
}

/// The figures of a scenario's sweeps, of rows that need not be those of its run: of several runs, for example.
pub(crate) fn sweep_figures(scenario: &Scenario, rows: &[Row]) -> Vec<Figure> {
    let own = scenario.statistics.metrics(scenario.experiment.get(), &[]);
    let base: Vec<Row> = rows.iter().filter(|row| row.x.is_none()).cloned().collect();
    let mut figures = Vec::new();
    for sweep in &scenario.sweeps {
        let metrics = sweep.experiment.as_ref().map_or_else(|| own.clone(), |other| other.0.get().metrics());
        let rows: Vec<&Row> = rows.iter().filter(|row| row.experiment == sweep.name.as_str()).collect();
        let most = rows.iter().map(|row| row.n).max().unwrap_or_default();
        let most = if scenario.experiment.get().draws() { most } else { 1 };
        let are = scenario.statistics.sampling.observations();
        let swept = SweptRows { sweep, metrics: &metrics, observations: (most, most), are, places: &[] };
        figures.extend(swept.figures(&base, &rows));
    }
    figures
}

impl SweptRows<'_> {
    /// The figures of the sweep's rows. Metrics stand in the order of the scenario's own rows.
    pub(super) fn figures(&self, base: &[Row], rows: &[&Row]) -> Vec<Figure> {
        let mut shown: Vec<&Metric> = Vec::new();
        for row in base.iter().chain(rows.iter().copied()) {
            let metric = self.metrics.iter().find(|metric| metric.name() == row.metric);
            shown.extend(metric.filter(|metric| !shown.contains(metric)));
        }
        let listed = |names: &[String]| -> Vec<&Metric> {
            let is_listed = |metric: &&&Metric| names.is_empty() || names.iter().any(|name| name == metric.name());
            shown.iter().filter(is_listed).copied().collect()
        };
        if !self.sweep.is_crossing() {
            return listed(&self.sweep.metrics).into_iter().map(|metric| self.plain(metric, rows)).collect();
        }
        let factors = self.sweep.factors();
        // The settings of a search are drawn by their distances: they are too many for lines.
        if self.sweep.calibration.is_some() && self.sweep.figures.is_empty() {
            return Vec::new();
        }
        let wanted = if self.sweep.figures.is_empty() { vec![usual(&factors)] } else { self.sweep.figures.clone() };
        let mut figures: Vec<Figure> = Vec::new();
        for one in &wanted {
            let names = if one.metrics().is_empty() { &self.sweep.metrics } else { one.metrics() };
            for metric in listed(names) {
                figures.extend(self.crossed(one, metric, &factors, rows));
            }
        }
        // Several figures of a metric have names of their own.
        let names: Vec<String> = figures.iter().map(|figure| figure.file.clone()).collect();
        for (index, figure) in figures.iter_mut().enumerate() {
            let same = names[..index].iter().filter(|name| **name == names[index]).count();
            if same > 0 {
                figure.file = format!("{}-{}", names[index], same + 1);
            }
        }
        figures
    }

    /// The number of observations in words.
    fn counted(&self) -> String {
        match self.observations {
            (least, most) if least == most => counted(most, self.are),
            (least, most) => format!("{least} to {most} {}s", self.are),
        }
    }

    /// The number of observations of a metric in words; some of them may be without it.
    fn counted_of(&self, metric: &Metric, rows: &[&Row]) -> String {
        let counts = rows.iter().filter(|row| row.metric == metric.name()).map(|row| row.n);
        let Some(some) = metric.is_only_of() else { return self.counted() };
        match (counts.clone().min(), counts.max()) {
            (Some(least), Some(most)) if least == most => format!("{some}, {most} of {}", self.counted()),
            (Some(least), Some(most)) => format!("{some}, {least} to {most} of {}", self.counted()),
            _ => self.counted(),
        }
    }

    fn named(&self, metric: &Metric, title: String, x_label: &str, kind: FigureKind, rows: &[&Row]) -> Figure {
        Figure {
            file: format!("{}-{}", self.sweep.name.as_str(), file_name(metric.name())),
            title,
            caption: match self.observations {
                (1, 1) if rows.iter().any(|row| row.metric == metric.name() && row.ci95.is_some()) => {
                    "One run per point, with the 95 % interval that it gives by itself.".into()
                }
                (1, 1) => "One run per point.".into(),
                _ => format!("Mean and 95 % interval over {} per point.", self.counted_of(metric, rows)),
            },
            x_label: x_label.into(),
            y_label: metric.label(),
            experiment: self.sweep.name.as_str().into(),
            metrics: vec![metric.into()],
            kind,
        }
    }

    fn plain(&self, metric: &Metric, rows: &[&Row]) -> Figure {
        let factors = self.sweep.factors();
        let label = factors.first().map_or("", |factor| factor.label);
        let is_numeric = factors.first().is_some_and(SweptFactor::is_numeric);
        let kind = match (is_numeric, self.sweep.log) {
            (false, _) => FigureKind::Bars,
            (true, log) if !self.places.is_empty() => FigureKind::LinePanels(self.places.to_vec(), log),
            (true, None) => FigureKind::Lines,
            (true, Some(log)) => FigureKind::LinesOn(log),
        };
        let title = format!("{} against {}", without_unit(&metric.title()), lowered(without_unit(label)));
        self.named(metric, title, label, kind, rows)
    }

    fn crossed(
        &self,
        one: &CrossingFigure,
        metric: &Metric,
        factors: &[SweptFactor<'_>],
        rows: &[&Row],
    ) -> Vec<Figure> {
        let cut = Cut { log: self.sweep.log, ..one.cut(factors) };
        let label = |name: &str| factors.iter().find(|factor| factor.name == name).map_or("", |factor| factor.label);
        let x_label = label(&cut.along).to_string();
        let against = |name: &str| lowered(without_unit(label(name)));
        let title = without_unit(&metric.title()).to_string();
        let Some((up, _)) = cut.up.clone() else {
            let title = format!("{title} against {}", against(&cut.along));
            return vec![self.named(metric, title, &x_label, FigureKind::Panels(cut), rows)];
        };
        let axes = format!("{} and {}", against(&cut.along), against(&up));
        let map = |cut: Cut, title: String| {
            let mut figure = self.named(metric, title, &x_label, FigureKind::Map(cut), rows);
            figure.file.push_str("-map");
            figure.caption = format!("Means over {} in each cell.", self.counted());
            figure
        };
        if cut.panels.is_none() {
            return vec![map(cut, format!("{title} against {axes}"))];
        }
        let mut series: Vec<&str> = Vec::new();
        for row in rows.iter().filter(|row| row.metric == metric.name()) {
            let is_wanted = cut.series.is_empty() || cut.series.contains(&row.series);
            if is_wanted && !series.contains(&row.series.as_str()) {
                series.push(&row.series);
            }
        }
        let of = |name: &&str| {
            let mut figure = map(Cut { series: vec![name.to_string()], ..cut.clone() }, format!("{title}: {name}"));
            if series.len() > 1 {
                figure.file = format!("{}-{}", figure.file, file_name(name));
            }
            figure
        };
        series.iter().map(of).collect()
    }
}

/// The figure of a crossing that asks for none: a map of the first two factors of numbers, with panels by the factor
/// that is left if there is just one, else lines along the first factor of numbers with panels by the next one.
pub(super) fn usual(factors: &[SweptFactor<'_>]) -> CrossingFigure {
    let name = |factor: &SweptFactor<'_>| factor.name.clone();
    let (metrics, series) = (Vec::new(), Vec::new());
    let numeric: Vec<&SweptFactor<'_>> = factors.iter().filter(|factor| factor.is_numeric()).collect();
    if let ([along, up, ..], 2..=3) = (&numeric[..], factors.len()) {
        let panels = factors.iter().find(|factor| factor.name != along.name && factor.name != up.name).map(name);
        return CrossingFigure::Map { along: name(along), up: name(up), panels, metrics, series };
    }
    let along = numeric.first().copied().or(factors.first()).map_or(String::new(), name);
    let panels = factors.iter().find(|factor| factor.name != along).map(name);
    CrossingFigure::Lines { along, panels, metrics, series }
}
