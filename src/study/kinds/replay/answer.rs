//! The answer of a replay in a few sentences: under which policy jobs wait least, and by how much.

use super::{MeasuredPolicy, Replay, Replayed};
use crate::language::to_line;
use crate::metrics::batches::WaitDifference;
use crate::metrics::holm;
use crate::study::StudyAnswer;
use crate::study::ranking::LEVEL;
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
        sentences.extend(who_waits_least(log));
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

/// Under which of several policies jobs wait least, and by how much.
fn who_waits_least(log: &Replayed) -> Vec<String> {
    let mean = |one: &MeasuredPolicy| one.sums.mean_wait.mean;
    let mut order: Vec<&MeasuredPolicy> = log.policies.iter().collect();
    order.sort_by(|a, b| mean(a).total_cmp(&mean(b)));
    let best = order[0];
    let (leaders, others) = order.split_at(order.partition_point(|one| mean(one) == mean(best)));
    let (wait, machine) = (time(mean(best)), counted(log.nodes.into(), "processor"));
    let Some(next) = others.first() else {
        return vec![format!("None does: jobs wait {wait} on average on {machine} under each of them.")];
    };
    let leading: Vec<&str> = leaders.iter().map(|one| one.policy.as_str()).collect();
    let does = if leading.len() > 1 { "do, alike" } else { "does" };
    let under: Vec<String> = others.iter().map(|one| format!("{} under {}", time(mean(one)), one.policy)).collect();
    let under: Vec<&str> = under.iter().map(String::as_str).collect();
    let mut sentences = vec![format!(
        "{} {does}: jobs wait {wait} on average on {machine}, against {}.",
        listed(&leading),
        listed(&under)
    )];
    let differences: Vec<WaitDifference> =
        others.iter().map(|other| WaitDifference::of(&other.sums.waits, &best.sums.waits)).collect();
    let p_values = holm(&differences.iter().map(|found| found.p_value.unwrap_or(1.0)).collect::<Vec<f64>>());
    // By how much: against the next best, and against the first of the list.
    for ((other, found), p) in others.iter().zip(&differences).zip(p_values) {
        if other.policy == next.policy || other.policy == log.policies[0].policy {
            sentences.push(by_how_much((&best.policy, &other.policy), found, (p, others.len())));
        }
    }
    sentences
}

/// By how much jobs wait less under the better of two policies, where so many differences were judged together.
fn by_how_much((better, worse): (&str, &str), found: &WaitDifference, (p, judged): (f64, usize)) -> String {
    let mean = found.estimate.mean;
    let gain = format!("Under {better} a job waits {} less than under {worse} on average", time(mean));
    let Some(half) = found.estimate.ci95 else { return format!("{gain}; there are too few jobs for an interval.") };
    let (low, high) = (time(mean - half), time(mean + half));
    let doubt = if mean <= half {
        ", so that the two can't be told apart".to_string()
    } else if p >= LEVEL {
        format!(", which is not beyond chance where {} judged", differences_are(judged))
    } else {
        String::new()
    };
    let rough = if found.drifts { ", and rough, since they are alike for long" } else { "" };
    format!("{gain} (95 % interval {low} to {high}, from batches of consecutive jobs{rough}){doubt}.")
}

/// `one difference is` or `3 differences are`.
fn differences_are(judged: usize) -> String {
    if judged == 1 { "one difference is".into() } else { format!("{judged} differences are") }
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
