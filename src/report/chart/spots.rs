//! Places of a figure that answer the pointer with their values. They are not painted, and only the page has them.

use super::pen::Rect;
use super::series::DrawnSeries;
use super::sheet::Plot;
use crate::Row;
use crate::decimals::{estimate, marked};
use crate::number;
use crate::rows::is_significant;
use gridloom_files::{HotSpot, SpotValue};

/// A row in words.
pub(super) fn value_of(row: &Row, x: String) -> SpotValue {
    let published = row.published.map(number::plain).unwrap_or_default();
    SpotValue {
        metric: String::new(),
        x,
        estimate: marked(estimate(row), is_significant(row), false),
        n: row.n,
        published,
    }
}

/// A place that covers an area.
pub(super) fn place(plot: &Plot, rect: Rect, name: &str, value: SpotValue) {
    plot.pen.spot(HotSpot { area: rect.area(), name: name.into(), value });
}

/// The place of a row without `x` that covers an area.
pub(super) fn area(plot: &Plot, rect: Rect, row: &Row, several_metrics: bool) {
    let metric = if several_metrics { row.metric.clone() } else { String::new() };
    place(plot, rect, &row.series, SpotValue { metric, ..value_of(row, String::new()) });
}

/// The places of points.
pub(super) fn points(plot: &Plot, series: &DrawnSeries) {
    for point in &series.points {
        place(plot, Rect::around(plot.at(point.x, point.mean), (0, 0)), &series.name, point.value.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::theme;
    use crate::{Cut, FigureKind, samples, tidy};

    fn spots(kind: FigureKind, rows: &[Row]) -> Vec<HotSpot> {
        tidy::scene(&samples::figure(kind), rows).unwrap().spots().cloned().collect()
    }

    #[test]
    fn every_row_of_a_figure_answers_once_with_its_value() {
        let swept = samples::sweep(2, 5);
        let many = samples::sweep(theme::COLOURS + 1, 4);
        let crossing = samples::crossing(2, 4, 2, 2);
        let cut = Cut { series: vec!["OPT min time 1".into()], ..samples::cut() };
        let up = Some(("notice".into(), "Notice".into()));
        let map = FigureKind::Map(Cut { up, ..cut.clone() });
        let own: Vec<Row> = crossing.iter().filter(|row| row.series == "OPT min time 1").cloned().collect();
        let of_cut = |kind| tidy::scene(&samples::cut_figure(kind), &crossing).unwrap();
        let differences = samples::differences(6);
        let forest = tidy::scene(&samples::cut_figure(FigureKind::Differences), &differences).unwrap();
        let comparison = samples::comparison();
        let bars = tidy::scene(&samples::bars(), &comparison).unwrap();
        let kinds = [FigureKind::Lines, FigureKind::LogLines, FigureKind::Scatter, FigureKind::Stacked];
        let mut cases: Vec<(Vec<HotSpot>, &[Row])> = Vec::new();
        // The first of the values of x is 0, which no logarithm shows.
        let above: Vec<Row> = swept.iter().filter(|row| row.x > Some(0.0)).cloned().collect();
        for kind in kinds {
            let rows = if kind == FigureKind::LogLines { &above } else { &swept };
            cases.push((spots(kind, &swept), rows));
        }
        cases.push((spots(FigureKind::Lines, &many), &many));
        cases.push((of_cut(FigureKind::Panels(cut)).spots().cloned().collect(), &own));
        cases.push((of_cut(map).spots().cloned().collect(), &own));
        cases.push((forest.spots().cloned().collect(), &differences));
        cases.push((bars.spots().cloned().collect(), &comparison));
        for (index, (spots, rows)) in cases.iter().enumerate() {
            let mut said: Vec<String> = spots.iter().map(|spot| spot.value.estimate.clone()).collect();
            let mut expected: Vec<String> = rows.iter().map(|row| value_of(row, String::new()).estimate).collect();
            said.sort();
            expected.sort();
            assert_eq!(said, expected, "case {index}");
            let [width, height] = [f64::from(theme::WIDTH) + 1.0, 3.0 * f64::from(theme::WIDTH)];
            assert!(spots.iter().all(|HotSpot { area: [left, top, right, bottom], .. }| {
                -1.0 <= *left && left <= right && *right <= width && 0.0 <= *top && top <= bottom && *bottom <= height
            }));
        }
        let published: Vec<&str> = cases[8].0.iter().map(|spot| spot.value.published.as_str()).collect();
        assert!(published.contains(&"314") && cases[8].0[0].value.metric == "execution time");
    }

    #[test]
    fn a_place_stands_where_its_row_is_drawn() {
        let rows = samples::sweep(1, 3);
        let spots = spots(FigureKind::Lines, &rows);
        let x: Vec<f64> = spots.iter().map(|spot| spot.area[0]).collect();
        assert!((x[2] - x[1] - (x[1] - x[0])).abs() < 1e-9 && x[0] < x[1]);
        assert_eq!(spots.iter().map(|spot| spot.value.x.as_str()).collect::<Vec<_>>(), ["0", "1", "2"]);
        for pair in 0..2 {
            assert_eq!(rows[pair].mean < rows[pair + 1].mean, spots[pair].area[1] > spots[pair + 1].area[1]);
        }
    }
}
