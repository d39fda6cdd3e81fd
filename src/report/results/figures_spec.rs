//! What a user asks of figures.

use super::{Figure, FigureKind, Row};
use gridloom_language::{Positive, choice, constant, record};

record! {
    /// How figures are drawn. Results do not depend on it.
    pub struct FiguresSpec {
        /// The width of every figure: a column of a paper takes 3.3 to 3.5 inches.
        #[unit = "inches"]
        width: Positive = Positive::of(5.0),
        /// The height of every figure; each is as high as its contents need, unless given.
        #[unit = "inches"]
        height: Option<Positive>,
        /// The size of names and of numbers at axes; values in bars and cells are a little smaller.
        #[unit = "points"]
        font_size: Positive = Positive::of(8.88),
        /// The series that figures show; a figure that has none of them shows all of its own, and so do all if none is
        /// given.
        series: Vec<String> = Vec::new(),
        /// Other names for series.
        names: Vec<SeriesName> = Vec::new(),
        /// The series that come first, in this order.
        order: Vec<String> = Vec::new(),
        /// Each figure has its title above it, if true. Papers have captions instead.
        titles: bool = true,
        /// The files of each figure.
        formats: Vec<FigureFormat> = vec![FigureFormat::Svg, FigureFormat::Png, FigureFormat::Pdf],
    }
    check(this, at, errors) {
        let height = this.height.map(|height| ("height", height, [1.0, 40.0]));
        let given = [("width", this.width, FiguresSpec::WIDTHS), ("font_size", this.font_size, [5.0, 24.0])];
        for (field, value, [least, most]) in given.into_iter().chain(height) {
            if !(least..=most).contains(&value.get()) {
                let right = format!("give {least} to {most}");
                errors.add(&at.field(field), format!("{} is no size for a figure", value.get()), right);
            }
        }
    }
}

record! {
    /// Another name for a series, as figures show it.
    pub struct SeriesName {
        /// The series as tables name it.
        series: String,
        /// The name in figures.
        name: String,
    }
}

choice! {
    /// A format of figures.
    #[derive(Copy, Eq)]
    pub enum FigureFormat {
        /// For browsers and drawing programs.
        Svg,
        /// For programs that take no other format.
        Png,
        /// For print.
        Pdf,
    }
}

impl Default for FiguresSpec {
    fn default() -> Self {
        constant("()")
    }
}

/// What stands between the two series of a comparison.
const AGAINST: &str = " against ";

impl FiguresSpec {
    /// The least and the most inches that a figure may be wide.
    pub const WIDTHS: [f64; 2] = [2.0, 20.0];

    /// A figure and its rows as they are shown: the series that are asked for, in their order and by their names. None if
    /// that is as they are.
    pub fn shown(&self, figure: &Figure, rows: &[Row]) -> Option<(Figure, Vec<Row>)> {
        if self.series.is_empty() && self.names.is_empty() && self.order.is_empty() {
            return None;
        }
        let own = |row: &&Row| row.experiment == figure.experiment && figure.metrics.contains(&row.metric);
        let is_listed = |row: &Row| row.series.split(AGAINST).all(|part| self.series.iter().any(|one| one == part));
        let shows_all = !rows.iter().filter(own).any(is_listed);
        let mut rows: Vec<Row> = rows.iter().filter(own).filter(|row| shows_all || is_listed(row)).cloned().collect();
        let place = |part: &str| self.order.iter().position(|one| one == part).unwrap_or(self.order.len());
        rows.sort_by_key(|row| row.series.split(AGAINST).map(place).collect::<Vec<_>>());
        rows.iter_mut().for_each(|row| row.series = self.named(&row.series));
        let mut figure = figure.clone();
        match &mut figure.kind {
            FigureKind::LinePanels(places, _) | FigureKind::BarPanels(places) => {
                for text in places.iter_mut().flat_map(|place| [&mut place.series, &mut place.panel, &mut place.name]) {
                    *text = self.named(text);
                }
            }
            FigureKind::Panels(cut) | FigureKind::Map(cut) => {
                cut.series.iter_mut().for_each(|series| *series = self.named(series));
            }
            _ => {}
        }
        Some((figure, rows))
    }

    fn named(&self, series: &str) -> String {
        let name = |part| self.names.iter().find(|one| one.series == part).map_or(part, |one| one.name.as_str());
        series.split(AGAINST).map(name).collect::<Vec<_>>().join(AGAINST)
    }

    /// Notes on series that are named here and that no row has.
    pub fn unknown(&self, rows: &[Row]) -> Vec<String> {
        let lists = [("series", self.series.clone()), ("order", self.order.clone())];
        let renamed = ("names", self.names.iter().map(|one| one.series.clone()).collect());
        let named =
            lists.into_iter().chain([renamed]).flat_map(|(field, list)| list.into_iter().map(move |one| (field, one)));
        let is_there = |series: &str| rows.iter().any(|row| row.series.split(AGAINST).any(|part| part == series));
        let unknown = named.filter(|(_, series)| !is_there(series));
        unknown.map(|(field, series)| format!("figures.{field}: no row is of {series:?}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    fn spec() -> FiguresSpec {
        let names = vec![SeriesName { series: "series 2".into(), name: "ours".into() }];
        let listed = |list: &[&str]| list.iter().map(|one| one.to_string()).collect::<Vec<_>>();
        FiguresSpec {
            series: listed(&["series 0", "series 2"]),
            order: listed(&["series 2"]),
            names,
            ..FiguresSpec::default()
        }
    }

    fn series(rows: &[Row]) -> Vec<&str> {
        crate::rows::in_order(rows, |row| &row.series)
    }

    #[test]
    fn series_are_chosen_ordered_and_renamed() {
        let rows = samples::sweep(4, 3);
        let figure = samples::figure(FigureKind::Lines);
        let shown = |spec: &FiguresSpec| spec.shown(&figure, &rows).unwrap().1;
        assert_eq!(series(&shown(&spec())), ["ours", "series 0"]);
        assert_eq!(shown(&spec()).len(), 6);
        assert_eq!(FiguresSpec::default().shown(&figure, &rows), None);
        let others = FiguresSpec { series: vec!["somebody".into()], ..FiguresSpec::default() };
        assert_eq!(shown(&others), rows, "a figure without these shows its own");
        assert_eq!(others.unknown(&rows), ["figures.series: no row is of \"somebody\""]);
        assert!(spec().unknown(&rows).is_empty());
    }

    #[test]
    fn comparisons_follow_their_two_series() {
        let mut rows = samples::sweep(3, 1);
        let names = ["series 1 against series 0", "series 0 against series 2", "series 2 against series 0"];
        rows.iter_mut().zip(names).for_each(|(row, name)| row.series = name.into());
        let shown = spec().shown(&samples::figure(FigureKind::Lines), &rows).unwrap().1;
        assert_eq!(series(&shown), ["ours against series 0", "series 0 against ours"]);
    }
}
