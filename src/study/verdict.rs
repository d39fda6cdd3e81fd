//! Measured against published.

use super::Row;
use super::effect::Effect;
use super::single_runs::ENOUGH;
use crate::metrics::Estimate;
use crate::study::published::{has_sign_of, prediction};
use crate::study::{Contrast, Origin, Published, Tolerance};

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
    let Some(than) = &one.than else { return one.metric.clone() };
    let above = match than.by {
        Contrast::Difference => "above",
        Contrast::Percent => "per cent above",
    };
    let other = match (&than.metric, &than.series) {
        (Some(metric), Some(series)) => format!("{metric} of {series}"),
        (Some(metric), None) => metric.clone(),
        (None, Some(series)) => series.clone(),
        (None, None) => "that".into(),
    };
    let at = than.x.map_or(String::new(), |x| format!(" at {}", x.get()));
    format!("{}, {above} {other}{at}", one.metric)
}

/// Adds a row for every published value that holds one row against another; `effects` are theirs, in the same order.
///
/// Where print is a single run, so are its two rows, and not of the same worlds as each other: they are taken for
/// independent there.
pub(crate) fn contrast(rows: &mut Vec<Row>, published: &[Published], effects: &[Effect]) {
    for (one, effect) in published.iter().filter(|one| one.than.is_some()).zip(effects) {
        let paired = !matches!(one.tolerance, Tolerance::Prediction(_));
        let (Some((own, estimate)), Err(0)) = (effect.estimate(rows, paired), row_of(rows, one)) else { continue };
        let unit = match one.than.as_ref().map(|than| than.by) {
            Some(Contrast::Percent) => "%".into(),
            _ => own.unit.clone(),
        };
        let row = Row { x: own.x, unit, ..Row::new(&own.experiment, &own.series, metric_of(one), estimate) };
        rows.push(row);
    }
}

/// A published direction in words.
pub(crate) fn direction(value: f64) -> &'static str {
    if value > 0.0 { "above 0" } else { "below 0" }
}

/// The measured value of a row.
fn estimate_of(row: &Row) -> Estimate {
    Estimate { mean: row.mean, ci95: row.ci95, n: row.n }
}

/// The interval of single runs that a published one is held against, where it is known.
fn single_runs(one: &Published, row: &Row) -> Option<[f64; 2]> {
    let is_single = matches!(one.tolerance, Tolerance::Prediction(runs) if runs.get() == 1);
    row.single_runs.filter(|_| is_single)
}

/// True if a row is as close as the published value asks for; an effect has to have its sign, too, and a sign that
/// chance may have made is none.
pub(crate) fn is_met(one: &Published, row: &Row) -> bool {
    let (value, measured) = (one.value.get(), estimate_of(row));
    let is_close = match single_runs(one, row) {
        Some([low, high]) => (low..=high).contains(&value),
        None => one.tolerance.admits(&measured, value),
    };
    is_close && has_sign(one, &measured) && !is_open(one, &measured)
}

/// True if nothing but the sign is asked for, and the interval includes 0.
fn is_open(one: &Published, measured: &Estimate) -> bool {
    one.tolerance == Tolerance::Direction && measured.ci95.is_some_and(|ci95| measured.mean.abs() <= ci95)
}

/// False if `one` is an effect and ours has another sign. "No difference" has none.
fn has_sign(one: &Published, measured: &Estimate) -> bool {
    let value = one.value.get();
    one.than.is_none() || value == 0.0 || has_sign_of(measured.mean, value)
}

/// What can be said of a row, compared with a published value. Where there is no publication as the `source`, it says
/// what the value rests on.
pub(crate) fn verdict(one: &Published, row: &Row, source: Option<&Origin>) -> String {
    let (value, measured) = (one.value.get(), estimate_of(row));
    let difference = row.mean - value;
    // Per cent where per cent decide; elsewhere the difference itself, in the metric's own unit.
    let mut off = match one.tolerance {
        Tolerance::Within(_) if value != 0.0 => format!("{:+.1} %", 100.0 * difference / value.abs()),
        // A difference shows at least as many digits as its tolerance.
        Tolerance::Points(points) if points.get() < 0.1 => format!("{difference:+.4}"),
        Tolerance::Direction => format!("{:+.2}, published: {}", row.mean, direction(value)),
        Tolerance::Prediction(runs) => {
            let reach = prediction(&measured, runs);
            let single = single_runs(one, row);
            let [low, high] = single.unwrap_or([row.mean - reach, row.mean + reach]).map(number);
            let runs = match runs.get() {
                // Of few runs nothing is left out.
                1 if single.is_some() && row.n < ENOUGH => format!("all of {} single runs", row.n),
                1 => "95 % of single runs".into(),
                runs => format!("95 % of means of {runs}"),
            };
            format!("{}; {runs}: {low} to {high}", signed(difference))
        }
        _ => format!("{difference:+.2}"),
    };
    if !has_sign(one, &measured) {
        off.push_str("; the sign is another");
    }
    let is_sign = one.tolerance == Tolerance::Direction || (one.than.is_some() && value != 0.0);
    if is_sign && row.ci95.is_some_and(|ci95| row.mean.abs() <= ci95) {
        off.push_str("; the interval includes 0");
    }
    let because = if one.because.is_empty() { String::new() } else { format!(", because {}", one.because) };
    let basis = one.item.as_ref().filter(|_| source.is_none()).map_or(String::new(), |item| format!("; {item}"));
    match is_met(one, row) {
        true => format!("match ({off}{basis})"),
        false => format!("differs ({off}{basis}){because}"),
    }
}

/// A number with four significant digits, and two decimals at least where it is below 1000.
fn number(value: f64) -> String {
    match value.abs() {
        large if large >= 1000.0 => format!("{value:.0}"),
        medium if medium >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.4}"),
    }
}

fn signed(value: f64) -> String {
    format!("{}{}", if value < 0.0 { "" } else { "+" }, number(value))
}

/// Gives each row that a published value is about that value and a verdict. Returns what could not be compared.
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
        let verdict = verdict(one, row, source);
        // Of a side of something only that is known: there is no value to show or to draw.
        let is_value = !matches!(one.tolerance, Tolerance::Direction | Tolerance::Below | Tolerance::Above);
        row.published = is_value.then_some(one.value.get()).or(row.published);
        row.verdict = Some(match row.verdict.take() {
            Some(other) => format!("{other}; {verdict}"),
            None => verdict,
        });
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{Count, Finite, NonNegative};
    use crate::study::{Evidence, Than};

    fn row(series: &str, x: f64, mean: f64, ci95: f64) -> Row {
        Row { x: Some(x), ..Row::new("sweep", series, "cost", Estimate { mean, ci95: Some(ci95), n: 9 }) }
    }

    fn published(series: &str, x: f64, than: Option<Than>, value: f64) -> Published {
        Published {
            claim: String::new(),
            evidence: Evidence::Free,
            reading: String::new(),
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

    fn effects(published: &[Published]) -> Vec<Effect> {
        published.iter().filter_map(Effect::of).collect()
    }

    #[test]
    fn a_contrast_is_a_row_of_its_own_with_a_verdict() {
        let mut rows = vec![row("a", 1.0, 10.0, 0.3), row("a", 2.0, 14.0, 0.4), row("b", 2.0, 11.0, 2.0)];
        let over = |series: Option<&str>, x: Option<f64>| {
            let (series, x) = (series.map(Into::into), x.map(Finite::of));
            Some(Than { series, x, metric: None, by: Contrast::Difference })
        };
        let all = [
            published("a", 2.0, over(None, Some(1.0)), 1.0),
            published("a", 2.0, over(Some("b"), None), -1.0),
            published("a", 1.0, over(Some("b"), Some(2.0)), -1.0),
            published("b", 2.0, over(None, Some(7.0)), 1.0),
        ];
        contrast(&mut rows, &all, &effects(&all));
        let notes = judge(&mut rows, &all, None);
        let said: Vec<_> =
            rows[3..].iter().map(|row| (row.metric.as_str(), row.mean, row.verdict.as_deref())).collect();
        assert_eq!(
            said,
            [
                ("cost, above that at 1", 4.0, Some("match (+4.00, published: above 0)")),
                (
                    "cost, above b",
                    3.0,
                    Some("differs (+3.00, published: below 0; the sign is another), because of the weather")
                ),
                (
                    "cost, above b at 2",
                    -1.0,
                    Some("differs (-1.00, published: below 0; the interval includes 0), because of the weather")
                ),
            ]
        );
        assert_eq!((rows[3].x, rows[3].ci95, rows[3].published), (Some(2.0), Some(0.5), None));
        assert_eq!(notes.len(), 1, "nothing is known of b at 7: {notes:?}");
        assert!(rows[..3].iter().all(|row| row.verdict.is_none()));
    }

    #[test]
    fn an_effect_in_per_cent_needs_its_sign_and_its_size() {
        let judged = |by: Contrast, value: f64, tolerance: Tolerance| {
            let mut rows = vec![row("a", 1.0, 12.0, 0.3), row("b", 1.0, 10.0, 0.4)];
            let than = Some(Than { series: Some("b".into()), x: None, metric: None, by });
            let one = [Published { tolerance, ..published("a", 1.0, than, value) }];
            contrast(&mut rows, &one, &effects(&one));
            judge(&mut rows, &one, None);
            rows.pop().unwrap()
        };
        let points = |points| Tolerance::Points(NonNegative::of(points));
        let percent = judged(Contrast::Percent, 18.0, points(3.0));
        assert_eq!((percent.metric.as_str(), percent.unit.as_str()), ("cost, per cent above b", "%"));
        assert!((percent.mean - 20.0).abs() < 1e-12);
        // 100 / 10 * hypot(0.3, 1.2 * 0.4)
        assert!((percent.ci95.unwrap() - 10.0 * libm::hypot(0.3, 0.48)).abs() < 1e-12);
        assert_eq!(percent.verdict.as_deref(), Some("match (+2.00)"));
        // Within five of print, but on the other side of zero.
        let other = judged(Contrast::Difference, -1.0, points(5.0));
        assert_eq!(other.verdict.as_deref(), Some("differs (+3.00; the sign is another), because of the weather"));
        assert_eq!(judged(Contrast::Difference, 0.0, points(5.0)).verdict.as_deref(), Some("match (+2.00)"));
        // Nine runs: a single one is within 0.5 * sqrt(10) = 1.58 of 2.
        let single = judged(Contrast::Difference, 3.5, Tolerance::Prediction(Count::ONE));
        assert_eq!(single.verdict.as_deref(), Some("match (-1.50; 95 % of single runs: 0.4189 to 3.58)"));
    }

    #[test]
    fn two_values_of_one_row_have_a_verdict_each() {
        let mut rows = vec![row("a", 1.0, 10.0, 0.3)];
        let below = Published { tolerance: Tolerance::Below, ..published("a", 1.0, None, 12.0) };
        let within = Published { tolerance: Tolerance::Exact, ..published("a", 1.0, None, 11.0) };
        judge(&mut rows, &[below, within], None);
        let said = "match (-2.00); differs (-1.00), because of the weather";
        assert_eq!((rows[0].published, rows[0].verdict.as_deref()), (Some(11.0), Some(said)));
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
