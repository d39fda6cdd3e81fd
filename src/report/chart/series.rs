//! The rows of a figure, grouped into the series that it draws.

use super::spots::value_of;
use super::theme;
use crate::ReportError;
use crate::number;
use crate::rows::in_order;
use crate::{Figure, Row};
use gridloom_files::SpotValue;

/// The looks of a line, as indices into those of the theme: lines that share one share its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LineLook {
    pub colour: usize,
    /// Of dashes and markers.
    pub pattern: usize,
}

impl LineLook {
    /// The looks of the `index`-th of lines that have nothing in common.
    pub(super) fn of(index: usize) -> Self {
        Self { colour: index, pattern: index }
    }
}

/// One line or area.
#[derive(Clone)]
pub(super) struct DrawnSeries {
    pub name: String,
    pub look: LineLook,
    /// In order of `x`.
    pub points: Vec<Measured>,
}

impl DrawnSeries {
    /// True if its points are few enough for a marker on each.
    pub(super) fn is_marked(&self) -> bool {
        self.points.len() <= theme::MARKED_POINTS
    }

    /// True if its points are so many that only a thin line shows them all.
    pub(super) fn is_dense(&self) -> bool {
        self.points.len() > theme::DENSE_POINTS
    }
}

/// A row at its place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Measured {
    pub x: f64,
    pub mean: f64,
    /// The ends of its interval.
    pub band: Option<[f64; 2]>,
    pub published: Option<f64>,
    /// What it answers to the pointer.
    pub value: SpotValue,
}

impl Measured {
    /// A row at a place that is called `name`.
    pub(super) fn new(row: &Row, x: f64, name: String) -> Self {
        let value = value_of(row, name);
        let band = row.ci95.map(|half| [row.mean - half, row.mean + half]);
        Self { x, mean: row.mean, band, published: row.published, value }
    }
}

/// The series of a figure, in order of metrics and then of first appearance.
pub(super) fn collect(figure: &Figure, rows: &[Row]) -> Result<Vec<DrawnSeries>, ReportError> {
    let mut series = Vec::new();
    for (metric, drawn) in by_metric(figure, rows.iter())? {
        for name in in_order(drawn.iter().copied(), |row| &row.series) {
            let mut points = Vec::new();
            for row in drawn.iter().filter(|row| row.series == name) {
                let missing = || ReportError::NoX { figure: figure.file.clone(), series: name.to_string() };
                let x = row.x.ok_or_else(missing)?;
                points.push(Measured::new(row, x, number::plain(x)));
            }
            points.sort_by(|a, b| a.x.total_cmp(&b.x));
            let name = if figure.metrics.len() > 1 { format!("{name}, {metric}") } else { name.to_string() };
            series.push(DrawnSeries { name, look: LineLook::of(series.len()), points });
        }
    }
    Ok(series)
}

/// Those of the rows that belong to a figure, for each of its metrics; every metric has some.
pub(super) fn by_metric<'a>(
    figure: &'a Figure,
    rows: impl Iterator<Item = &'a Row> + Clone,
) -> Result<Vec<(&'a str, Vec<&'a Row>)>, ReportError> {
    let nothing = |metric: &str| ReportError::NoRows {
        figure: figure.file.clone(),
        experiment: figure.experiment.clone(),
        metric: metric.to_string(),
    };
    let drawn = |metric: &'a String| {
        let belongs = |row: &&Row| row.experiment == figure.experiment && row.metric == *metric;
        let drawn: Vec<&Row> = rows.clone().filter(belongs).collect();
        if drawn.is_empty() { Err(nothing(metric)) } else { Ok((metric.as_str(), drawn)) }
    };
    if figure.metrics.is_empty() { Err(nothing("")) } else { figure.metrics.iter().map(drawn).collect() }
}

/// A layer of a stack: (x, lower edge, upper edge), in order of `x`.
pub(super) type Layer = Vec<(f64, f64, f64)>;

/// The series on top of each other, the first at the bottom.
pub(super) fn stack(figure: &Figure, series: &[DrawnSeries]) -> Result<Vec<Layer>, ReportError> {
    let mut tops: Vec<(f64, f64)> = series.first().into_iter().flat_map(|s| &s.points).map(|p| (p.x, 0.0)).collect();
    let mut layers = Vec::new();
    for one in series {
        let aligned = one.points.len() == tops.len() && one.points.iter().zip(&tops).all(|(p, (x, _))| p.x == *x);
        if !aligned {
            return Err(ReportError::Unstackable { figure: figure.file.clone(), series: one.name.clone() });
        }
        let layer: Layer = one.points.iter().zip(&tops).map(|(p, &(x, low))| (x, low, low + p.mean)).collect();
        tops = layer.iter().map(|&(x, _, high)| (x, high)).collect();
        layers.push(layer);
    }
    Ok(layers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FigureKind, samples};

    #[test]
    fn several_metrics_of_a_sweep_are_lines_of_their_own() {
        let mut rows = samples::sweep(2, 3);
        rows.extend(samples::sweep(2, 3).into_iter().map(|row| Row { metric: "turnaround".into(), ..row }));
        let figure = samples::figure(FigureKind::Lines);
        let figure = Figure { metrics: vec!["turnaround".into(), "waiting".into()], ..figure };
        let names: Vec<String> = collect(&figure, &rows).unwrap().into_iter().map(|one| one.name).collect();
        let expected = ["series 0, turnaround", "series 1, turnaround", "series 0, waiting", "series 1, waiting"];
        assert_eq!(names, expected);
    }
}
