//! Measured against published.

use super::Row;
use crate::metrics::Estimate;
use crate::study::{Origin, Published, Than, Tolerance};

/// The place of the one row that a published value is about; otherwise how many rows have its names.
pub(crate) fn row_of(rows: &[Row], one: &Published) -> Result<usize, usize> {
    place(rows, one, &one.series, &metric_of(one), one.x.map(|x| x.get()))
}

fn place(rows: &[Row], one: &Published, series: &str, metric: &str, x: Option<f64>) -> Result<usize, usize> {
    let is_meant = |row: &Row| {
        let experiment = one.experiment.as_ref().is_none_or(|experiment| *experiment == row.experiment);
        experiment && row.series == series && row.metric == metric && row.x == x
    };
    let meant: Vec<usize> = (0..rows.len()).filter(|&index| is_meant(&rows[index])).collect();
    match meant[..] {
        [only] => Ok(only),
        _ => Err(meant.len()),
    }
}

/// The metric of the row that a published value is about: a contrast has a name of its own.
fn metric_of(one: &Published) -> String {
    let metric = &one.metric;
    let at = |than: &Than| than.x.map_or(String::new(), |x| format!(" at {}", x.get()));
    match &one.than {
        None => metric.clone(),
        Some(than) => match &than.series {
            Some(series) => format!("{metric}, above {series}{}", at(than)),
            None => format!("{metric}, above that{}", at(than)),
        },
    }
}

/// Adds a row for every published value that holds one row against another. Its interval takes the two for independent,
/// which is wider than need be where both saw the same worlds.
pub(crate) fn contrast(rows: &mut Vec<Row>, published: &[Published]) {
    for one in published {
        let Some(than) = &one.than else { continue };
        let own = place(rows, one, &one.series, &one.metric, one.x.map(|x| x.get()));
        let other = place(
            rows,
            one,
            than.series.as_ref().unwrap_or(&one.series),
            &one.metric,
            than.x.or(one.x).map(|x| x.get()),
        );
        let (Ok(own), Ok(other), Err(0)) = (own, other, row_of(rows, one)) else { continue };
        let (own, other) = (&rows[own], &rows[other]);
        let ci95 = own.ci95.zip(other.ci95).map(|(own, other)| libm::hypot(own, other));
        let estimate = Estimate { mean: own.mean - other.mean, ci95, n: own.n.min(other.n) };
        let row = Row {
            x: own.x,
            unit: own.unit.clone(),
            ..Row::new(&own.experiment, &own.series, metric_of(one), estimate)
        };
        rows.push(row);
    }
}

/// A published direction in words.
pub(crate) fn direction(value: f64) -> &'static str {
    if value > 0.0 { "above 0" } else { "below 0" }
}

/// Gives each row that a published value is about that value and a verdict. Returns what could not be compared. Where
/// there is no publication as the `source`, the verdict says what the value rests on.
pub(crate) fn judge(rows: &mut [Row], published: &[Published], source: Option<&Origin>) -> Vec<String> {
    let mut notes = Vec::new();
    for one in published {
        let row = match row_of(rows, one) {
            Ok(index) => &mut rows[index],
            Err(count) => {
                let at = one.x.map_or(String::new(), |x| format!(" at {}", x.get()));
                let (metric, series) = (&one.metric, &one.series);
                notes.push(format!(
                    "the published {metric} of {series}{at} is not compared: {count} rows have these names"
                ));
                continue;
            }
        };
        let value = one.value.get();
        let difference = row.mean - value;
        // Per cent where per cent decide; elsewhere the difference itself, in the metric's own unit.
        let off = match one.tolerance {
            Tolerance::Within(_) if value != 0.0 => format!("{:+.1} %", 100.0 * difference / value.abs()),
            // A difference shows at least as many digits as its tolerance.
            Tolerance::Points(points) if points.get() < 0.1 => format!("{difference:+.4}"),
            Tolerance::Direction => {
                let open = row.ci95.is_some_and(|ci95| row.mean.abs() <= ci95);
                let open = if open { "; the interval includes 0" } else { "" };
                format!("{:+.2}, published: {}{open}", row.mean, direction(value))
            }
            _ => format!("{difference:+.2}"),
        };
        let because = if one.because.is_empty() { String::new() } else { format!(", because {}", one.because) };
        let basis = one.item.as_ref().filter(|_| source.is_none()).map_or(String::new(), |item| format!("; {item}"));
        // Of a direction only the sign is known: there is no value to show or to draw.
        row.published = (one.tolerance != Tolerance::Direction).then_some(value);
        row.verdict = Some(match one.tolerance.admits(row.mean, value) {
            true => format!("match ({off}{basis})"),
            false => format!("differs ({off}{basis}){because}"),
        });
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{Finite, NonNegative};

    fn row(series: &str, x: f64, mean: f64, ci95: f64) -> Row {
        Row { x: Some(x), ..Row::new("sweep", series, "cost", Estimate { mean, ci95: Some(ci95), n: 9 }) }
    }

    fn published(series: &str, x: f64, than: Option<Than>, value: f64) -> Published {
        Published {
            experiment: None,
            series: series.into(),
            metric: "cost".into(),
            x: Some(Finite::of(x)),
            than,
            item: None,
            value: Finite::of(value),
            tolerance: Tolerance::Direction,
            because: "of the weather".into(),
        }
    }

    #[test]
    fn a_contrast_is_a_row_of_its_own_with_a_verdict() {
        let mut rows = vec![row("a", 1.0, 10.0, 0.3), row("a", 2.0, 14.0, 0.4), row("b", 2.0, 11.0, 2.0)];
        let over =
            |series: Option<&str>, x: Option<f64>| Some(Than { series: series.map(Into::into), x: x.map(Finite::of) });
        let all = [
            published("a", 2.0, over(None, Some(1.0)), 1.0),
            published("a", 2.0, over(Some("b"), None), -1.0),
            published("a", 1.0, over(Some("b"), Some(2.0)), -1.0),
            published("b", 2.0, over(None, Some(7.0)), 1.0),
        ];
        contrast(&mut rows, &all);
        let notes = judge(&mut rows, &all, None);
        let said: Vec<_> =
            rows[3..].iter().map(|row| (row.metric.as_str(), row.mean, row.verdict.as_deref())).collect();
        assert_eq!(
            said,
            [
                ("cost, above that at 1", 4.0, Some("match (+4.00, published: above 0)")),
                ("cost, above b", 3.0, Some("differs (+3.00, published: below 0), because of the weather")),
                ("cost, above b at 2", -1.0, Some("match (-1.00, published: below 0; the interval includes 0)")),
            ]
        );
        assert_eq!((rows[3].x, rows[3].ci95, rows[3].published), (Some(2.0), Some(0.5), None));
        assert_eq!(notes.len(), 1, "nothing is known of b at 7: {notes:?}");
        assert!(rows[..3].iter().all(|row| row.verdict.is_none()));
    }

    #[test]
    fn a_verdict_without_a_publication_says_what_the_value_rests_on() {
        let rests = |source: Option<Origin>| {
            let mut rows = vec![row("a", 1.0, 10.0, 0.3)];
            let item = Some("theory: Erlang C".to_string());
            let tolerance = Tolerance::Within(NonNegative::of(5.0));
            let one = Published { item, tolerance, ..published("a", 1.0, None, 10.0) };
            judge(&mut rows, &[one], source.as_ref());
            rows[0].verdict.clone().unwrap()
        };
        assert_eq!(rests(None), "match (+0.0 %; theory: Erlang C)");
        assert_eq!(rests(Some(Origin { paper: "001".into(), item: "Table 1".into() })), "match (+0.0 %)");
    }
}
