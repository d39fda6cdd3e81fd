//! What a terminal shows of a run: the answer, one table, the sweeps drawn small, and where the files are, in about
//! thirty lines of the terminal's width. All rows are in the files, and `--verbose` prints them.

mod swept;
mod whole;

pub use crate::results::SummaryFocus;
pub use whole::RESULT;

use crate::lines::{listed, wrapped};
use crate::rows::in_order;
use crate::table::Table;
use crate::{Figure, Outcome, RankingLine, Row, number};
use gridloom_sim::metrics::Estimate;
use gridloom_sim::units::counted;
use std::path::Path;
use swept::Swept;
use whole::MEAN_RANK;

/// The lines of a summary, the one about files not counted.
const LINES: usize = 36;
/// A sweep with fewer lines than this says too little.
const LEAST_LINES: usize = 7;
/// The first table comes before all sweeps: it has this many, if it wants them.
const FIRST_LINES: usize = 12;
/// The lines that the answer may take, and those of each of the smaller parts.
const ANSWER_LINES: usize = 13;
const SMALL_LINES: usize = 3;

/// The summary of a run, without its files.
pub fn run(outcome: &Outcome, width: usize) -> String {
    let results = &outcome.results;
    let replications = counted(results.replications, "replication");
    let most = if outcome.focus.may_end_early { "at most " } else { "" };
    let title = format!("{}: {most}{replications}, seed {}", results.scenario, results.seed);
    let mut head = results.missing.as_ref().map_or(Vec::new(), |missing| wrapped(&partial(missing), width, 2));
    head.extend(wrapped(&title, width, 2));
    head.extend(opening(outcome, width));
    let mut foot = published(&results.rows, width);
    let notes = outcome.notes.iter().map(|note| format!("note: {note}")).collect();
    foot.extend(fitted(notes, width, SMALL_LINES, |left| format!("{}: --verbose", counted(left as u64, "more note"))));
    let room = LINES.saturating_sub(head.len() + foot.len() + 2);
    let body = body(outcome, (width, room));
    let parts = [head, body, foot].into_iter().filter(|part| !part.is_empty());
    parts.map(|part| part.join("\n") + "\n").collect::<Vec<_>>().join("\n")
}

/// The first line of a partial result.
pub(super) fn partial(missing: &str) -> String {
    format!("Partial result: {missing}")
}

/// Where the files are, in a line or two.
///
/// ```
/// use gridloom::report::summary::written;
/// use std::path::Path;
///
/// let names = ["results.json", "results.csv", "wait.svg", "wait.png", "wait.pdf", "report.html"];
/// let text = written(Path::new("output/day"), names, 80);
/// assert_eq!(text, "Written to output/day: report.html, results.csv, 1 figure, results.json\n");
/// ```
pub fn written<'a>(folder: &Path, names: impl IntoIterator<Item = &'a str>, width: usize) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    let is_drawing = |name: &str| [".svg", ".png", ".pdf"].iter().any(|end| name.ends_with(end));
    let figures = names.iter().filter(|name| name.ends_with(".svg")).count();
    let figures = match figures {
        0 => None,
        1 => Some("1 figure".to_string()),
        many => Some(format!("{many} figures")),
    };
    let first = ["report.html", "results.csv"];
    let (before, after): (Vec<&str>, Vec<&str>) =
        names.iter().copied().filter(|name| !is_drawing(name)).partition(|name| first.contains(name));
    let before = first.iter().filter(|name| before.contains(name)).map(|name| name.to_string());
    let files: Vec<String> = before.chain(figures).chain(after.iter().map(|name| name.to_string())).collect();
    listed(&format!("Written to {}: ", folder.display()), &files, width, 2).join("\n") + "\n"
}

/// The question with its answer, or else what the run is about.
fn opening(outcome: &Outcome, width: usize) -> Vec<String> {
    let Some(answer) = &outcome.answer else {
        let about = outcome.about.split("\n\n").next().unwrap_or_default();
        let mut lines = wrapped(about, width, 0);
        if lines.len() > SMALL_LINES {
            lines.truncate(SMALL_LINES);
            let last = lines.pop().unwrap_or_default();
            // The last word makes room for the sign that there is more.
            let kept = last.rsplit_once(' ').map_or(last.as_str(), |(kept, _)| kept);
            lines.push(format!("{kept} …"));
        }
        return lines;
    };
    let mut lines = wrapped(&answer.question, width, 0);
    let more = |left: usize| format!("({}: --verbose, or report.html)", counted(left as u64, "more sentence"));
    lines.extend(fitted(answer.sentences.clone(), width, ANSWER_LINES.saturating_sub(lines.len()), more));
    let room = ANSWER_LINES.saturating_sub(lines.len()).max(SMALL_LINES);
    let findings = answer.findings.iter().map(|found| format!("- {found}")).collect();
    lines.extend(fitted(findings, width, room, |left| format!("- {left} more: --verbose, or report.html")));
    lines
}

/// The texts in lines, as many as there is room for but at least one, and what is said of the number of the others.
fn fitted(texts: Vec<String>, width: usize, most: usize, more: impl Fn(usize) -> String) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (at, text) in texts.iter().enumerate() {
        let own = wrapped(text, width, 2);
        if at > 0 && lines.len() + own.len() + usize::from(at + 1 < texts.len()) > most {
            lines.extend(wrapped(&more(texts.len() - at), width, 2));
            break;
        }
        lines.extend(own);
    }
    lines
}

/// How many published values match, and those that do not.
fn published(rows: &[Row], width: usize) -> Vec<String> {
    let judged: Vec<(&Row, &str)> = rows.iter().filter_map(|row| Some((row, row.verdict.as_deref()?))).collect();
    if judged.is_empty() {
        return Vec::new();
    }
    // Two values that were printed of one row have a verdict each.
    let is_match = |verdict: &str| verdict.starts_with("match") && !verdict.contains("; differs (");
    let missed: Vec<String> = judged
        .iter()
        .filter(|(_, verdict)| !is_match(verdict))
        .map(|(row, _)| {
            let at = row.x.map_or(String::new(), |x| format!(" at {}", number::plain(x)));
            let print =
                row.published.map_or(String::new(), |value| format!(", published {}", number::significant(value, 4)));
            format!("{} of {}{at} ({}{print})", row.metric, row.series, number::significant(row.mean, 4))
        })
        .collect();
    let met = judged.len() - missed.len();
    let opening = format!("{met} of {} published values match", judged.len());
    match missed.is_empty() {
        true => vec![opening + "."],
        false => listed(&format!("{opening}; these do not: "), &missed, width, SMALL_LINES + 1),
    }
}

/// The table that comes first: of whole runs, or of results beside each other.
pub(crate) fn first_table(outcome: &Outcome) -> Option<Table> {
    /// No line is too long for a page.
    const WIDE: usize = 1 << 16;
    let experiments = in_order(&outcome.results.rows, |row| &row.experiment);
    let tables = experiments.into_iter().flat_map(|experiment| whole_runs(outcome, experiment, WIDE));
    tables.into_iter().find(|table| !table.lines.is_empty())
}

/// The tables of an experiment without its sweeps.
fn whole_runs(outcome: &Outcome, experiment: &str, width: usize) -> Vec<Table> {
    let Outcome { focus, results, figures, ranking, .. } = outcome;
    let is_of_results = !focus.beside.is_empty();
    let rows = if is_of_results { &focus.beside } else { &results.rows };
    let is_whole = |row: &&Row| row.x.is_none() && (is_of_results || row.factors.is_empty());
    let whole: Vec<&Row> = rows.iter().filter(|row| row.experiment == experiment).filter(is_whole).collect();
    let place = |row: &Row| ranking.iter().flat_map(|ranking| &ranking.lines).find(|line| line.series == row.series);
    let lines = whole.iter().filter(|row| row.metric == whole[0].metric).filter_map(|row| place(row));
    let rank = |line: &RankingLine| {
        Row::new(experiment, &line.series, MEAN_RANK, Estimate { mean: line.mean_rank, ci95: None, n: 0 })
    };
    let ranks: Vec<Row> = lines.map(rank).collect();
    let mut all: Vec<&Row> = ranks.iter().chain(whole).collect();
    // The best come first.
    let rank = |row: &&Row| place(row).map_or(f64::INFINITY, |line| line.mean_rank);
    all.sort_by(|a, b| rank(a).total_cmp(&rank(b)));
    let drawn = figures.iter().filter(|figure| figure.experiment == experiment);
    let drawn: Vec<&str> = drawn.flat_map(|figure| &figure.metrics).map(String::as_str).collect();
    if all.is_empty() {
        return Vec::new();
    }
    let tables = whole::tables(experiment, &all, focus, &drawn, width);
    tables.into_iter().chain(whole::pairs(experiment, &all, focus, width)).collect()
}

/// Tables and sweeps, in at most as many lines as there is room for.
fn body(outcome: &Outcome, (width, room): (usize, usize)) -> Vec<String> {
    let (rows, focus) = (&outcome.results.rows, &outcome.focus);
    let (mut parts, mut also, mut along_time) = (Vec::new(), Vec::new(), Vec::new());
    for experiment in in_order(rows, |row| &row.experiment) {
        let is_along = |row: &&Row| row.experiment == experiment && (row.x.is_some() || !row.factors.is_empty());
        let along: Vec<&Row> = rows.iter().filter(is_along).collect();
        let figures: Vec<&Figure> = outcome.figures.iter().filter(|figure| figure.experiment == experiment).collect();
        parts.extend(whole_runs(outcome, experiment, width));
        if along.is_empty() {
            continue;
        }
        let swept = Swept::of(experiment, &along, focus, &figures).map(|swept| swept.table(width));
        match (focus.sweeps.iter().any(|name| name == experiment), swept) {
            (true, Some(swept)) => parts.push(swept),
            (true, None) => also.push(experiment.to_string()),
            (false, swept) => along_time.extend(swept),
        }
    }
    // An experiment along an axis of its own has nothing else to show.
    if parts.is_empty() {
        parts = along_time;
    }
    let room = room.saturating_sub(1);
    let wanted: Vec<usize> = parts.iter().map(|part| part.text(width, usize::MAX).len() + 1).collect();
    let mut lines: Vec<String> = Vec::new();
    for (part, share) in parts.iter().zip(shares(&wanted, room)) {
        if share == 0 {
            also.push(part.title.clone());
            continue;
        }
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend(part.text(width, share.saturating_sub(1)));
    }
    also.dedup();
    if !also.is_empty() {
        lines.extend((!lines.is_empty()).then(String::new));
        lines.extend(listed("Also in report.html: ", &also, width, 1));
    }
    lines
}

/// The lines of each part: all that it wants, or a fair share of what there is. Where there are too few for all, the
/// last parts get none.
fn shares(wanted: &[usize], room: usize) -> Vec<usize> {
    let least = |(at, &wanted): (usize, &usize)| wanted.min(if at == 0 { FIRST_LINES } else { LEAST_LINES });
    let all: Vec<usize> = wanted.iter().enumerate().map(least).collect();
    let mut shown = all.len();
    while shown > 1 && all[..shown].iter().sum::<usize>() > room {
        shown -= 1;
    }
    let mut shares = all[..shown].to_vec();
    shares.iter_mut().take(1).for_each(|share| *share = (*share).min(room));
    let mut left = room.saturating_sub(shares.iter().sum());
    while left > 0 && shares.iter().zip(wanted).any(|(share, wanted)| share < wanted) {
        for (share, &wanted) in shares.iter_mut().zip(wanted) {
            if *share < wanted && left > 0 {
                (*share, left) = (*share + 1, left - 1);
            }
        }
    }
    shares.resize(wanted.len(), 0);
    shares
}

#[cfg(test)]
mod tests;
