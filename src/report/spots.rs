//! The values that figures answer the pointer with, as compact JSON for the page.

use super::ReportError;
use gridloom_files::{HotSpot, Scene};
use serde::Serialize;
use std::collections::BTreeMap;

/// A figure answers at this many places at most; of long series some points answer, evenly spread.
const MOST_SPOTS: usize = 1_500;

/// The places by columns, which repeat no names.
#[derive(Serialize)]
struct SpotColumns<'a> {
    /// The labels of the axes.
    x: &'a str,
    y: &'a str,
    names: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    metrics: Vec<&'a str>,
    places: Vec<&'a str>,
    /// Left, top, right and bottom of each; of points left and top alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    area: Vec<i64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    at: Vec<i64>,
    name: Vec<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    metric: Vec<usize>,
    place: Vec<usize>,
    value: Vec<&'a str>,
    n: Vec<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    published: Vec<&'a str>,
}

/// Texts in order of first appearance.
#[derive(Default)]
struct Numbered<'a> {
    list: Vec<&'a str>,
    numbers: BTreeMap<&'a str, usize>,
}

impl<'a> Numbered<'a> {
    fn number(&mut self, text: &'a str) -> usize {
        *self.numbers.entry(text).or_insert_with(|| {
            self.list.push(text);
            self.list.len() - 1
        })
    }
}

/// The data of a scene whose axes have these labels; empty where nothing answers.
pub(super) fn data(scene: &Scene, x: &str, y: &str) -> Result<String, ReportError> {
    let kept = spread(scene.spots().collect());
    if kept.is_empty() {
        return Ok(String::new());
    }
    let are_points = kept.iter().all(|HotSpot { area: [left, top, right, bottom], .. }| left == right && top == bottom);
    let (mut names, mut metrics, mut places) = (Numbered::default(), Numbered::default(), Numbered::default());
    let area = kept.iter().flat_map(|spot| spot.area.iter().take(if are_points { 2 } else { 4 }));
    let area: Vec<i64> = area.map(|length| length.round() as i64).collect();
    let column = |is_needed: bool, column: Vec<usize>| if is_needed { column } else { Vec::new() };
    let has_metrics = kept.iter().any(|spot| !spot.value.metric.is_empty());
    let is_published = kept.iter().any(|spot| !spot.value.published.is_empty());
    let ns: Vec<u64> = kept.iter().map(|spot| spot.value.n).collect();
    let columns = SpotColumns {
        x,
        y,
        name: kept.iter().map(|spot| names.number(&spot.name)).collect(),
        metric: column(has_metrics, kept.iter().map(|spot| metrics.number(&spot.value.metric)).collect()),
        place: kept.iter().map(|spot| places.number(&spot.value.x)).collect(),
        names: names.list,
        metrics: if has_metrics { metrics.list } else { Vec::new() },
        places: places.list,
        area: if are_points { Vec::new() } else { area.clone() },
        at: if are_points { area } else { Vec::new() },
        value: kept.iter().map(|spot| spot.value.estimate.as_str()).collect(),
        // Mostly all are of the same number of observations.
        n: if ns.iter().all(|n| *n == ns[0]) { ns[..1].to_vec() } else { ns },
        published: if is_published {
            kept.iter().map(|spot| spot.value.published.as_str()).collect()
        } else {
            Vec::new()
        },
    };
    // `<` stands only inside strings, where it may be written as a code: no text can end the script.
    Ok(serde_json::to_string(&columns)?.replace('<', "\\u003c"))
}

/// At most so many places: of each name the first, the last and some evenly between, so that all names keep the same.
fn spread(all: Vec<&HotSpot>) -> Vec<&HotSpot> {
    if all.len() <= MOST_SPOTS {
        return all;
    }
    let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, spot) in all.iter().enumerate() {
        by_name.entry(&spot.name).or_default().push(index);
    }
    let quota = (MOST_SPOTS / by_name.len()).max(1);
    let mut kept: Vec<usize> = Vec::new();
    for own in by_name.values() {
        let count = own.len().min(quota);
        kept.extend((0..count).map(|k| own[if count > 1 { k * (own.len() - 1) / (count - 1) } else { 0 }]));
    }
    kept.sort_unstable();
    kept.truncate(MOST_SPOTS);
    kept.into_iter().map(|index| all[index]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FigureKind, Row};
    use crate::{samples, tidy};

    fn read(kind: FigureKind, rows: &[Row]) -> (String, serde_json::Value) {
        let text = data(&tidy::scene(&samples::figure(kind), rows).unwrap(), "Load", "Wait (min)").unwrap();
        let value = serde_json::from_str(&text).unwrap();
        (text, value)
    }

    #[test]
    fn the_data_say_each_value_once_and_no_name_ends_the_script() {
        let mut rows = samples::sweep(2, 3);
        rows[0].published = Some(9.5);
        for row in &mut rows {
            row.series = row.series.replace("series", "</script><script>");
        }
        let (text, read) = read(FigureKind::Lines, &rows);
        assert!(!text.contains('<'));
        assert_eq!(read["names"][1], "</script><script> 1");
        assert_eq!(read["name"], serde_json::json!([0, 0, 0, 1, 1, 1]));
        assert_eq!(read["places"], serde_json::json!(["0", "1", "2"]));
        assert_eq!(read["place"], serde_json::json!([0, 1, 2, 0, 1, 2]));
        assert_eq!(read["value"][4], "14.00 ± 0.80");
        assert_eq!((&read["n"], &read["published"][0]), (&serde_json::json!([20]), &serde_json::json!("9.5")));
        assert_eq!(read["at"].as_array().unwrap().len(), 12);
        assert!(read["area"].is_null() && read["metric"].is_null());
    }

    #[test]
    fn long_series_answer_at_some_of_their_points_evenly() {
        let (_, read) = read(FigureKind::Lines, &samples::sweep(3, 20_000));
        let of = |name: u64| -> Vec<u64> {
            let names = read["name"].as_array().unwrap().iter().zip(read["place"].as_array().unwrap());
            let own = names.filter(|(own, _)| own.as_u64() == Some(name)).map(|(_, place)| place.as_u64().unwrap());
            own.map(|place| read["places"][place as usize].as_str().unwrap().parse().unwrap()).collect()
        };
        assert_eq!(of(0).len(), MOST_SPOTS / 3);
        assert_eq!(of(0), of(2));
        assert_eq!((of(0)[0], of(0)[MOST_SPOTS / 3 - 1]), (0, 19_999));
    }

    #[test]
    fn a_drawing_without_values_has_no_data() {
        let scene = tidy::gantt(&samples::gantt()).unwrap();
        assert_eq!(data(&scene, "", "").unwrap(), "");
    }
}
