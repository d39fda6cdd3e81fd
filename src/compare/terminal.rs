//! What a terminal shows of a comparison.

use super::figures::{base_metrics, is_base};
use super::values::ValueDifference;
use super::{ResultsComparison, result_difference};
use crate::report::summary::lines::{TextTable, listed, shortened, wrapped};
pub(super) use crate::report::summary::value::{Decimals, MARK, is_difference, metric_name, with_marks};
use crate::report::summary::{self, SummaryFocus};
use crate::report::table::in_order;
use crate::study::{Figure, Row};
use crate::units::counted;

/// The lines of a comparison at 80 columns, those about files not counted.
const LINES: usize = 36;
/// The lines of its parts: what differs beyond chance, the fields that differ, what is said about intervals, and sweeps.
const FOUND_LINES: usize = 8;
const FIELD_LINES: usize = 6;
const SAID_LINES: usize = 7;
const SWEEP_LINES: usize = 12;
/// A sweep of fewer lines says too little.
const LEAST_SWEEP: usize = 5;
/// The table of whole runs has at least this many.
const LEAST_LINES: usize = 9;

/// The texts in lines, as many as there is room for; `more` says how many are left out.
fn fitted(texts: &[String], width: usize, most: usize, more: impl Fn(usize) -> String) -> Vec<String> {
    let all: Vec<Vec<String>> = texts.iter().map(|text| wrapped(text, width, 2)).collect();
    let taken = |shown: usize| all[..shown].iter().map(Vec::len).sum::<usize>() + usize::from(shown < all.len());
    let shown = (0..=all.len()).rev().find(|&shown| taken(shown) <= most).unwrap_or(0);
    let mut lines = all[..shown].concat();
    if shown < all.len() {
        lines.push(shortened(&more(all.len() - shown), width));
    }
    lines
}

/// What is said before the tables: what differs beyond chance, the fields that differ, and how intervals come about.
fn head(found: &ResultsComparison, width: usize, all: bool) -> Vec<String> {
    let most = |lines: usize| if all { usize::MAX } else { lines };
    let mut head = wrapped(&found.outcome.about, width, 2);
    head.truncate(most(2));
    head.extend(found.found.scope.iter().flat_map(|scope| wrapped(scope, width, 2)));
    head.extend(wrapped(&found.found.opening, width, 2));
    // Set below the sentence before them; what goes on is set further in.
    let strongest = found.found.strongest.iter().map(|text| wrapped(text, width.saturating_sub(2), 2));
    let (mut room, mut more) = (most(FOUND_LINES), found.found.more + found.found.strongest.len());
    for lines in strongest {
        if lines.len() + 1 > room {
            break;
        }
        (room, more) = (room - lines.len(), more - 1);
        head.extend(lines.into_iter().map(|line| format!("  {line}")));
    }
    head.extend(
        (more > 0).then(|| format!("  {}", shortened(&format!("{more} more in compare.csv"), width.saturating_sub(2)))),
    );
    let fields: Vec<String> = found.field_lines.iter().map(|field| format!("- {field}")).collect();
    let more = |left: usize| format!("- {left} more: --verbose, or report.html");
    head.extend(fitted(&fields, width, most(FIELD_LINES), more));
    let more = |left: usize| format!("({}: --verbose, or report.html)", counted(left as u64, "more sentence"));
    head.extend(fitted(&found.sentences, width, most(SAID_LINES), more));
    head
}

/// A summary that fits the terminal; with `all`, every metric of whole runs.
pub(super) fn summary(found: &ResultsComparison, width: usize, all: bool) -> String {
    let head = head(found, width, all);
    let room = if all { usize::MAX } else { LINES.saturating_sub(head.len() + 2) };
    let swept = swept(found, width, if all { usize::MAX } else { SWEEP_LINES.min(room.saturating_sub(LEAST_LINES)) });
    let whole = whole_runs(found, width, if all { usize::MAX } else { room - swept.len() });
    let parts = [head, whole, swept].into_iter().filter(|part| !part.is_empty());
    parts.map(|part| part.join("\n") + "\n").collect::<Vec<_>>().join("\n")
}

/// The sweeps, drawn small, in at most so many lines; nothing if there is no room for them.
fn swept(found: &ResultsComparison, width: usize, most: usize) -> Vec<String> {
    let is_two = found.labels.len() == 2;
    // One column of differences needs no names of results.
    let short = |row: &Row| {
        let second = row.series.split(" against ").next().unwrap_or_default();
        let own = if is_two { second.rsplit_once(" (").map_or(second, |(name, _)| name) } else { second };
        Row { series: own.to_string(), ..row.clone() }
    };
    let swept = found.outcome.results.rows.iter().filter(|row| !is_base(row) && is_of_results(row));
    let swept: Vec<Row> = swept.map(short).collect();
    let drawn = |figure: &Figure| Figure {
        metrics: figure.metrics.iter().map(|name| result_difference(name)).collect(),
        ..figure.clone()
    };
    let figures: Vec<Figure> = found.outcome.figures.iter().map(drawn).collect();
    let is_sweep = |row: &Row| found.focus.sweeps.contains(&row.experiment);
    if !swept.iter().any(is_sweep) {
        return Vec::new();
    }
    let focus = SummaryFocus {
        metrics: found.focus.metrics.iter().map(|name| result_difference(name)).collect(),
        ..found.focus.clone()
    };
    // A part may take more than its share: then it gets less.
    for room in (LEAST_SWEEP..=most.min(SWEEP_LINES)).rev() {
        let room = if most > SWEEP_LINES { most } else { room };
        let lines = summary::body(&swept, &figures, None, &focus, (width, room));
        if lines.len() <= most {
            return lines;
        }
    }
    Vec::new()
}

fn is_of_results(row: &Row) -> bool {
    row.metric.starts_with(&result_difference(""))
}

/// The whole runs: a line for each series below each metric, the values of all results and their differences from the
/// first.
fn whole_runs(found: &ResultsComparison, width: usize, most: usize) -> Vec<String> {
    let base: Vec<&ValueDifference<'_>> =
        found.differences.iter().filter(|one| is_base(one.first) && !is_difference(one.first)).collect();
    let firsts: Vec<&Row> = base.iter().map(|one| one.first).collect();
    let differs = |metric: &&str| base.iter().any(|one| one.first.metric == **metric && one.estimate.mean != 0.0);
    let (changed, same): (Vec<&str>, Vec<&str>) = base_metrics(&firsts, &found.focus).into_iter().partition(differs);
    let labels = &found.labels;
    let mut heading = vec![String::new(), labels[0].clone()];
    for label in &labels[1..] {
        heading.extend([label.clone(), format!("{label} - {}", labels[0])]);
    }
    let table = |with_interval: bool| -> Vec<Vec<Vec<String>>> {
        changed.iter().map(|metric| block(&base, metric, labels.len(), with_interval)).collect()
    };
    let whole = |blocks: &[Vec<Vec<String>>]| TextTable { heading: heading.clone(), lines: blocks.concat() };
    let with_intervals = table(true);
    let blocks = if whole(&with_intervals).fits(width) { with_intervals } else { table(false) };
    let rendered = |shown: usize| {
        let mut lines = if shown == 0 { Vec::new() } else { whole(&blocks[..shown]).render(width) };
        let is_shown = |one: &&&ValueDifference<'_>| changed[..shown].contains(&one.first.metric.as_str());
        if base.iter().filter(is_shown).any(|one| one.is_told()) {
            lines.extend(wrapped(&format!("{MARK} beyond chance"), width, 2));
        }
        if shown < blocks.len() {
            lines.push(shortened(&more_metrics(blocks.len() - shown), width));
        }
        if !same.is_empty() {
            let names: Vec<String> = same.iter().map(|name| name.to_string()).collect();
            lines.extend(listed("No difference at all: ", &names, width, if most == usize::MAX { most } else { 2 }));
        }
        lines
    };
    let shown = (0..=blocks.len()).rev().find(|&shown| rendered(shown).len() <= most).unwrap_or(0);
    let lines = rendered(shown);
    if shown > 0 || blocks.is_empty() {
        return lines;
    }
    // A metric of very many series: the first of them.
    let mut first = TextTable { heading, lines: blocks[0].clone() };
    let all = first.lines.len();
    let left = |first: &TextTable| all - first.lines.len();
    while first.lines.len() > 2 && first.render(width).len() + lines.len() + usize::from(left(&first) > 0) > most {
        first.lines.pop();
    }
    let left = (left(&first) > 0).then(|| format!("({} more series: --verbose, or compare.csv)", left(&first)));
    let more = (blocks.len() > 1).then(|| more_metrics(blocks.len() - 1));
    let table = first.render(width);
    let legend = table.iter().any(|line| line.contains(MARK)).then(|| format!("{MARK} beyond chance"));
    table.into_iter().chain(left).chain(legend).chain(more).chain(lines.into_iter().skip(1)).collect()
}

fn more_metrics(left: usize) -> String {
    let differ = if left == 1 { "differs" } else { "differ" };
    format!("{} {differ}: --verbose, or compare.csv", counted(left as u64, "more metric"))
}

/// The lines of a metric: its name, and the series.
fn block(base: &[&ValueDifference<'_>], metric: &str, results: usize, with_interval: bool) -> Vec<Vec<String>> {
    let own: Vec<&&ValueDifference<'_>> = base.iter().filter(|one| one.first.metric == metric).collect();
    let rows: Vec<&Row> = own.iter().flat_map(|one| [one.first, one.second]).collect();
    let decimals = Decimals::of(&rows);
    let columns = 2 * results;
    let mut name = vec![rows.first().map(|row| metric_name(row)).unwrap_or_default()];
    name.resize(columns, String::new());
    let mut lines = vec![name];
    let place = |row: &Row| (row.experiment.clone(), row.series.clone());
    let mut seen: Vec<(String, String)> = Vec::new();
    for one in &own {
        if seen.contains(&place(one.first)) {
            continue;
        }
        seen.push(place(one.first));
        let mut line = vec![format!("  {}", one.first.series), decimals.estimate(one.first, with_interval)];
        for other in 1..results {
            let of_other = own.iter().find(|own| own.other == other && place(own.first) == place(one.first));
            let Some(of_other) = of_other else {
                line.extend([String::new(), String::new()]);
                continue;
            };
            let difference = Row { p: Some(1.0), ..Row::new("", "", "", of_other.estimate) };
            let text = decimals.estimate(&difference, with_interval);
            line.push(decimals.estimate(of_other.second, with_interval));
            line.extend(with_marks(vec![(text, of_other.is_told())], true));
        }
        lines.push(line);
    }
    // Series of one name in several experiments are rare; the name of the experiment tells them apart.
    let experiments = in_order(rows.iter().copied(), |row| &row.experiment);
    if experiments.len() > 1 {
        for (line, (experiment, _)) in lines.iter_mut().skip(1).zip(&seen) {
            line[0] = format!("{} ({experiment})", line[0]);
        }
    }
    lines
}
