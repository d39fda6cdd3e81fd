//! The answer of a replay in a few sentences: under which policy jobs wait least, and by how much.

use super::batches::difference;
use super::{MeasuredPolicy, Replay, Replayed};
use crate::language::to_line;
use crate::study::StudyAnswer;
use crate::units::counted;

/// The rules under which the results hold: name and choice.
pub(super) fn rules(spec: &Replay) -> Vec<(String, String)> {
    let rule = |name: &str, choice: String| (name.to_string(), choice.to_lowercase());
    vec![
        rule("instants", to_line(&spec.instants)),
        rule("estimate", to_line(&spec.estimate)),
        rule("processors", to_line(&spec.processors)),
        rule("missing request", to_line(&spec.missing_request)),
        rule("overrun", to_line(&spec.overrun)),
    ]
}

pub(super) fn answer(spec: &Replay, logs: &[Replayed]) -> StudyAnswer {
    let names: Vec<&str> = logs.iter().map(|log| log.name.as_str()).collect();
    let question = match logs.first().map(|log| &log.policies[..]) {
        Some([only]) => format!("How long do jobs wait on {} under {}?", listed(&names), only.policy),
        _ => format!("Which policy keeps jobs waiting least on {}?", listed(&names)),
    };
    let sentences = logs.iter().flat_map(|log| {
        let sentences = of_log(log);
        let prefix = if logs.len() > 1 { format!("{}: ", log.name) } else { String::new() };
        sentences.into_iter().map(move |sentence| format!("{prefix}{sentence}"))
    });
    StudyAnswer {
        question,
        sentences: sentences.collect(),
        findings: Vec::new(),
        figure: Some(if logs.len() > 1 { format!("waits-{}", names[0]) } else { "waits".into() }),
        rules: rules(spec),
    }
}

fn of_log(log: &Replayed) -> Vec<String> {
    let mean = |one: &MeasuredPolicy| time(one.sums.mean_wait.mean);
    let mut sentences = Vec::new();
    if let [only] = &log.policies[..] {
        let half = only.sums.mean_wait.ci95.map_or(String::new(), |half| format!(" (± {})", time(half)));
        let median = match only.sums.median_wait {
            0.0 => "start at once".to_string(),
            wait => format!("wait {} or less", time(wait)),
        };
        sentences.push(format!(
            "Jobs wait {}{half} on average on {}; half of them {median}, and none waits longer than {}.",
            mean(only),
            counted(log.nodes.into(), "processor"),
            time(only.sums.longest_wait)
        ));
    } else {
        let mut order: Vec<usize> = (0..log.policies.len()).collect();
        order.sort_by(|&a, &b| log.policies[a].sums.mean_wait.mean.total_cmp(&log.policies[b].sums.mean_wait.mean));
        let under = |&index: &usize| format!("{} under {}", mean(&log.policies[index]), log.policies[index].policy);
        let others: Vec<String> = order[1..].iter().map(under).collect();
        let others: Vec<&str> = others.iter().map(String::as_str).collect();
        let best = &log.policies[order[0]];
        let is_tie = log.policies.iter().all(|one| one.sums.mean_wait.mean == best.sums.mean_wait.mean);
        let machine = counted(log.nodes.into(), "processor");
        if is_tie {
            let wait = mean(best);
            sentences.push(format!("None does: jobs wait {wait} on average on {machine} under each of them."));
        } else {
            sentences.push(format!(
                "{} does: jobs wait {} on average on {machine}, against {}.",
                best.policy,
                mean(best),
                listed(&others)
            ));
            // By how much: against the next best, and against the first of the list.
            sentences.push(by_how_much(best, &log.policies[order[1]]));
            if order[0] != 0 && order[1] != 0 {
                sentences.push(by_how_much(best, &log.policies[0]));
            }
        }
    }
    if !log.touched.first_too_wide.is_empty() {
        let jobs =
            log.touched.first_too_wide.iter().map(|(job, processors)| format!("{job} ({processors} processors)"));
        let more = log.touched.too_wide - log.touched.first_too_wide.len() as u64;
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        sentences.push(format!("Wider than the machine: {}{more}.", jobs.collect::<Vec<_>>().join(", ")));
    }
    sentences
}

/// By how much jobs wait less under the better of two policies.
fn by_how_much(better: &MeasuredPolicy, worse: &MeasuredPolicy) -> String {
    let (estimate, _) = difference(&worse.sums.waits, &better.sums.waits);
    let (one, other) = (&better.policy, &worse.policy);
    let gain = format!("Under {one} a job waits {} less than under {other} on average", time(estimate.mean));
    let Some(half) = estimate.ci95 else { return format!("{gain}; there are too few jobs for an interval.") };
    let (low, high) = (time(estimate.mean - half), time(estimate.mean + half));
    let doubt = if estimate.mean <= half { ", so that the two can't be told apart" } else { "" };
    format!("{gain} (95 % interval {low} to {high}, from batches of consecutive jobs){doubt}.")
}

/// `a`, `a and b`, `a, b and c`.
fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_string(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A time in seconds as one says it, to three digits.
fn time(seconds: f64) -> String {
    let size = seconds.abs();
    let (unit, name) = match size {
        _ if size < 99.95 => (1.0, "s"),
        _ if size < 99.95 * 60.0 => (60.0, "min"),
        _ if size < 48.0 * 3600.0 => (3600.0, "h"),
        _ => (86_400.0, "days"),
    };
    let value = seconds / unit;
    let places = match value.abs() {
        value if value < 9.995 => 2,
        value if value < 99.95 => 1,
        _ => 0,
    };
    let text = format!("{value:.places$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text} {name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_to_three_digits_in_a_unit_that_suits_them() {
        let told = [0.0, 33.0, 99.26, 99.96, 600.0, 6837.485, 7319.0, -354_000.0, 8_640_000.0].map(time);
        assert_eq!(told, ["0 s", "33 s", "99.3 s", "1.67 min", "10 min", "1.9 h", "2.03 h", "-4.1 days", "100 days"]);
    }

    #[test]
    fn names_are_listed_as_one_says_them() {
        assert_eq!([listed(&["a"]), listed(&["a", "b"]), listed(&["a", "b", "c"])], ["a", "a and b", "a, b and c"]);
    }
}
