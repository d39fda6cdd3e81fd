//! What a terminal shows of a run: the answer, one table, the sweeps drawn small, and where the files are, in about
//! thirty lines of the terminal's width. All rows are in the files, and `--verbose` prints them.
//!
//! ```
//! use gridloom::metrics::Estimate;
//! use gridloom::report::summary::{SummaryFocus, rows};
//! use gridloom::study::Row;
//!
//! let row = |series, mean| Row::new("queues", series, "wait", Estimate { mean, ci95: Some(0.5), n: 9 });
//! let text = rows(&[row("EASY", 4.25), row("FCFS", 8.5)], &SummaryFocus::default(), 80);
//! assert_eq!(text, "queues\n             EASY         FCFS\nwait  4.25 ± 0.50  8.50 ± 0.50\n");
//! ```

pub mod lines;
mod pairs;
mod swept;
mod totals;
pub mod value;

use super::number;
use super::table::in_order;
use crate::{Figure, Outcome, Ranking, Row};
use gridloom_sim::units::counted;
use lines::{listed, wrapped};
use pairs::Pairs;
use std::path::Path;
use swept::Swept;
use totals::Totals;

/// The lines of a summary, the one about files not counted.
const LINES: usize = 36;
/// A sweep with fewer lines than this says too little.
const LEAST_LINES: usize = 7;
/// The first table comes before all sweeps: it has this many, if it wants them.
const FIRST_LINES: usize = 12;
/// The lines that the answer may take, and those of each of the smaller parts.
const ANSWER_LINES: usize = 13;
const SMALL_LINES: usize = 3;

/// The parts of a result that a summary shows first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SummaryFocus {
    /// Metrics, the most important one first.
    pub metrics: Vec<String>,
    /// The metric that is shown even where it is 0 throughout: a run in which every job fails must say so.
    pub headline: Option<String>,
    /// Series that others are compared with.
    pub baselines: Vec<String>,
    /// Experiments that are sweeps: their x is a setting, and not a time.
    pub sweeps: Vec<String>,
    /// True if fewer worlds than `replications` may be enough.
    pub may_end_early: bool,
}

/// The summary of a run, without its files.
pub fn run(outcome: &Outcome, focus: &SummaryFocus, width: usize) -> String {
    let results = &outcome.results;
    let counted = if results.replications == 1 { "replication" } else { "replications" };
    let most = if focus.may_end_early { "at most " } else { "" };
    let title = format!("{}: {most}{} {counted}, seed {}", results.scenario, results.replications, results.seed);
    let mut head = results.missing.as_ref().map_or(Vec::new(), |missing| wrapped(&partial(missing), width, 2));
    head.extend(wrapped(&title, width, 2));
    head.extend(opening(outcome, width));
    let mut foot = published(&results.rows, width);
    foot.extend(notes(&outcome.notes, width));
    let room = LINES.saturating_sub(head.len() + foot.len() + 2);
    let body = body(&results.rows, &outcome.figures, outcome.ranking.as_ref(), focus, (width, room));
    let parts = [head, body, foot].into_iter().filter(|part| !part.is_empty());
    parts.map(|part| part.join("\n") + "\n").collect::<Vec<_>>().join("\n")
}

/// The first line of a partial result.
pub(super) fn partial(missing: &str) -> String {
    format!("Partial result: {missing}")
}

/// The tables of rows alone.
pub fn rows(rows: &[Row], focus: &SummaryFocus, width: usize) -> String {
    body(rows, &[], None, focus, (width, LINES)).iter().map(|line| format!("{line}\n")).collect()
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
    let sentences: Vec<Vec<String>> = answer.sentences.iter().map(|sentence| wrapped(sentence, width, 2)).collect();
    let mut left = sentences.len();
    for sentence in sentences {
        if lines.len() + sentence.len() > ANSWER_LINES {
            break;
        }
        left -= 1;
        lines.extend(sentence);
    }
    if left > 0 {
        lines.extend(wrapped(
            &format!("({}: --verbose, or report.html)", counted(left as u64, "more sentence")),
            width,
            2,
        ));
    }
    let room = ANSWER_LINES.saturating_sub(lines.len()).max(1);
    let findings: Vec<Vec<String>> =
        answer.findings.iter().map(|found| wrapped(&format!("- {found}"), width, 2)).collect();
    let mut left = findings.len();
    let mut taken = 0;
    for found in findings {
        if taken + found.len() + usize::from(left > 1) > room {
            break;
        }
        (taken, left) = (taken + found.len(), left - 1);
        lines.extend(found);
    }
    if left > 0 {
        lines.extend(wrapped(&format!("- {left} more: --verbose, or report.html"), width, 2));
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

fn notes(notes: &[String], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut left = notes.len();
    for note in notes {
        let own = wrapped(&format!("note: {note}"), width, 2);
        if lines.len() + own.len() > SMALL_LINES && !lines.is_empty() {
            break;
        }
        (left, lines) = (left - 1, [lines, own].concat());
    }
    if left > 0 {
        lines.push(format!("{}: --verbose", counted(left as u64, "more note")));
    }
    lines
}

/// A table or a sweep.
#[derive(Debug)]
enum SummaryPart<'a> {
    Totals(Totals<'a>),
    Swept(Swept<'a>),
    Pairs(Pairs<'a>),
}

impl SummaryPart<'_> {
    /// The number of metrics of a table.
    fn metrics(&self) -> Option<usize> {
        match self {
            Self::Totals(totals) => Some(totals.all()),
            Self::Swept(_) | Self::Pairs(_) => None,
        }
    }

    /// At most `most` lines, and the number of metrics that found no room.
    fn render(&self, most: usize, width: usize) -> (Vec<String>, usize) {
        match self {
            Self::Totals(totals) => totals.render(most, width),
            Self::Swept(swept) => (swept.render(most, width), 0),
            Self::Pairs(pairs) => (pairs.render(most, width), 0),
        }
    }
}

/// Tables and sweeps, in at most as many lines as there is room for.
pub fn body(
    rows: &[Row],
    figures: &[Figure],
    ranking: Option<&Ranking>,
    focus: &SummaryFocus,
    (width, room): (usize, usize),
) -> Vec<String> {
    let (mut parts, mut also) = (Vec::new(), Vec::new());
    let mut along_time = Vec::new();
    for experiment in in_order(rows, |row| &row.experiment) {
        let of_experiment = rows.iter().filter(|row| row.experiment == experiment);
        let (along, whole): (Vec<&Row>, Vec<&Row>) =
            of_experiment.partition(|row| row.x.is_some() || !row.factors.is_empty());
        let figures: Vec<&Figure> = figures.iter().filter(|figure| figure.experiment == experiment).collect();
        let drawn: Vec<&str> = figures.iter().flat_map(|figure| &figure.metrics).map(String::as_str).collect();
        parts.extend(Totals::of(experiment, &whole, focus, &drawn, ranking).into_iter().map(SummaryPart::Totals));
        parts.extend(Pairs::of(experiment, &whole, focus).map(SummaryPart::Pairs));
        if along.is_empty() {
            continue;
        }
        let swept = Swept::of(experiment, &along, focus, &figures);
        match (focus.sweeps.iter().any(|name| name == experiment), swept) {
            (true, Some(swept)) => parts.push(SummaryPart::Swept(swept)),
            (true, None) => also.push(experiment.to_string()),
            (false, swept) => along_time.extend(swept),
        }
    }
    // An experiment along an axis of its own has nothing else to show.
    if parts.is_empty() {
        parts.extend(along_time.into_iter().map(SummaryPart::Swept));
    }
    // Beside other tables one of zeros alone only takes their room.
    let is_nothing = |part: &SummaryPart| matches!(part, SummaryPart::Totals(totals) if totals.is_nothing);
    let nothing: Vec<usize> = match parts.iter().all(is_nothing) {
        true => Vec::new(),
        false => parts.extract_if(.., |part| is_nothing(part)).filter_map(|part| part.metrics()).collect(),
    };
    let left_out: Vec<(usize, usize)> = parts
        .iter()
        .filter_map(|part| match part {
            SummaryPart::Totals(totals) => Some((totals.left_out.len() + totals.cut(width), totals.zeros)),
            SummaryPart::Swept(_) | SummaryPart::Pairs(_) => None,
        })
        .chain(nothing.into_iter().map(|all| (all, all)))
        .collect();
    let (mut more, zeros) =
        (left_out.iter().map(|(more, _)| more).sum::<usize>(), left_out.iter().map(|(_, zeros)| zeros).sum::<usize>());
    let room = room.saturating_sub(usize::from(more > 0) + 1);
    let wanted: Vec<usize> = parts.iter().map(|part| part.render(usize::MAX, width).0.len() + 1).collect();
    let shares = shares(&wanted, room);
    let mut lines: Vec<String> = Vec::new();
    for (part, share) in parts.iter().zip(&shares) {
        match part.render(share.saturating_sub(1), width) {
            (text, hidden) if *share > 0 => {
                more += hidden;
                if !lines.is_empty() {
                    lines.push(String::new());
                }
                lines.extend(text);
            }
            _ => also.push(match part {
                SummaryPart::Totals(totals) => totals.heading.clone(),
                SummaryPart::Swept(swept) => swept.name.to_string(),
                SummaryPart::Pairs(pairs) => pairs.heading(),
            }),
        }
    }
    let mut end = Vec::new();
    if more > 0 {
        let zeros = match zeros {
            0 => String::new(),
            all if all == more => " (0 throughout)".to_string(),
            some => format!(" ({some} of them 0 throughout)"),
        };
        let more = counted(more as u64, "more metric");
        end.extend(wrapped(&format!("{more}{zeros}: --verbose, or results.csv"), width, 2));
    }
    also.dedup();
    if !also.is_empty() {
        end.extend(listed("Also in report.html: ", &also, width, 1));
    }
    if !end.is_empty() && !lines.is_empty() {
        lines.push(String::new());
    }
    [lines, end].concat()
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
