//! Measured against published.

use super::Row;
use crate::scenario::schema::{Published, Tolerance};

/// The place of the one row that a published value is about; otherwise how many rows have its names.
pub(super) fn row_of(rows: &[Row], one: &Published) -> Result<usize, usize> {
    let x = one.x.map(|x| x.get());
    let is_meant = |row: &Row| {
        let experiment = one.experiment.as_ref().is_none_or(|experiment| *experiment == row.experiment);
        experiment && row.series == one.series && row.metric == one.metric && row.x == x
    };
    let meant: Vec<usize> = (0..rows.len()).filter(|&index| is_meant(&rows[index])).collect();
    match meant[..] {
        [only] => Ok(only),
        _ => Err(meant.len()),
    }
}

/// Gives each row that a published value is about that value and a verdict. Returns what could not be compared.
pub(super) fn judge(rows: &mut [Row], published: &[Published]) -> Vec<String> {
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
            _ => format!("{difference:+.2}"),
        };
        let because = if one.because.is_empty() { String::new() } else { format!(", because {}", one.because) };
        row.published = Some(value);
        row.verdict = Some(match one.tolerance.admits(row.mean, value) {
            true => format!("match ({off})"),
            false => format!("differs ({off}){because}"),
        });
    }
    notes
}
