//! How far a run is, in words.

use std::time::Duration;

/// The state of a run at some instant.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RunState {
    /// Replications or jobs that are done, those that an earlier run has done included.
    pub made: u64,
    /// Those among them that an earlier run has done.
    pub recalled: u64,
    /// What is done of those under way, in whole ones.
    pub under_way: f64,
    /// All that there are.
    pub expected: u64,
    /// What is counted, in the plural.
    pub unit: &'static str,
    /// Events that were executed.
    pub events: u64,
    /// The time since the run began.
    pub elapsed: Duration,
    /// Where the run is one of several: the seconds that those before it, itself and all of them are known to take.
    pub among: Option<(f64, f64, f64)>,
}

impl RunState {
    /// The share of all work that is done, from 0 to 1.
    pub(super) fn share(&self) -> f64 {
        let own = share(self.made as f64 + self.under_way, self.expected as f64);
        match self.among {
            Some((before, part, all)) => share(before + own * part, all),
            None => own,
        }
    }

    /// What stands beside the bar: how much is done, events per second, the time so far and the time left.
    pub(super) fn text(&self) -> String {
        let done = self.made as f64 + self.under_way.min((self.expected.saturating_sub(self.made)) as f64);
        let mut parts = vec![match (self.among, self.expected) {
            (Some(_), _) | (None, 0 | 1) => format!("{:.0} %", 100.0 * self.share()),
            (None, all) if self.under_way > 0.0 => format!("{done:.1}/{all} {}", self.unit),
            (None, all) => format!("{}/{all} {}", self.made, self.unit),
        }];
        let seconds = self.elapsed.as_secs_f64();
        if self.events > 0 && seconds > 0.0 {
            parts.push(format!("{} events/s", rounded(self.events as f64 / seconds)));
        }
        parts.push(clock(seconds));
        parts.extend(self.left().map(|left| format!("left {}", clock(left))));
        parts.join(", ")
    }

    /// The seconds that are left if the rest goes on as what was done so far.
    fn left(&self) -> Option<f64> {
        let recalled = self.recalled as f64;
        let share = match self.among {
            Some(_) => self.share(),
            None => share(self.made as f64 + self.under_way - recalled, self.expected as f64 - recalled),
        };
        // Of almost nothing no one can tell.
        (share > 0.002).then(|| self.elapsed.as_secs_f64() * (1.0 - share) / share)
    }
}

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { (part / whole).clamp(0.0, 1.0) } else { 0.0 }
}

/// A number to three digits: `950`, `12.3k`, `1.25M`.
fn rounded(number: f64) -> String {
    let (number, unit) = match number {
        _ if number >= 999_500.0 => (number / 1e6, "M"),
        _ if number >= 999.5 => (number / 1e3, "k"),
        _ => return format!("{number:.0}"),
    };
    let digits = if number >= 99.95 {
        0
    } else if number >= 9.995 {
        1
    } else {
        2
    };
    format!("{number:.digits$}{unit}")
}

/// Seconds as one reads them on a clock: `0:07`, `12:34`, `1:02:03`.
fn clock(seconds: f64) -> String {
    let seconds = seconds.max(0.0).round() as u64;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> RunState {
        RunState {
            made: 0,
            recalled: 0,
            under_way: 0.0,
            expected: 1,
            unit: "replications",
            events: 0,
            elapsed: Duration::from_secs(12),
            among: None,
        }
    }

    #[test]
    fn one_world_is_told_by_its_simulated_time() {
        let one = RunState { under_way: 0.375, events: 1_500_000, ..state() };
        assert_eq!((one.share(), one.text().as_str()), (0.375, "38 %, 125k events/s, 0:12, left 0:20"));
        assert_eq!(state().text(), "0 %, 0:12", "nothing can be told yet");
    }

    #[test]
    fn several_worlds_are_counted_with_those_under_way() {
        let several = RunState { made: 12, under_way: 1.5, expected: 40, events: 11_400, ..state() };
        assert_eq!(several.text(), "13.5/40 replications, 950 events/s, 0:12, left 0:24");
        assert_eq!(several.share(), 13.5 / 40.0);
        let jobs = RunState { made: 500, expected: 2000, unit: "jobs", ..state() };
        assert_eq!(jobs.text(), "500/2000 jobs, 0:12, left 0:36");
    }

    #[test]
    fn what_an_earlier_run_has_done_took_no_time() {
        let resumed = RunState { made: 30, recalled: 20, expected: 40, ..state() };
        assert_eq!(resumed.text(), "30/40 replications, 0:12, left 0:12");
    }

    #[test]
    fn one_of_several_runs_moves_on_the_whole() {
        let among = Some((10.0, 20.0, 40.0));
        let half = RunState { made: 1, expected: 2, among, ..state() };
        assert_eq!((half.share(), half.text().as_str()), (0.5, "50 %, 0:12, left 0:12"));
    }

    #[test]
    fn more_than_all_is_all() {
        let late = RunState { made: 3, under_way: 0.9, expected: 3, ..state() };
        assert_eq!((late.share(), late.text().as_str()), (1.0, "3.0/3 replications, 0:12, left 0:00"));
        assert_eq!(RunState { expected: 0, ..state() }.share(), 0.0);
    }

    #[test]
    fn numbers_and_times_are_short() {
        assert_eq!(
            [0.4, 950.0, 999.6, 12_345.0, 123_456.0, 1.25e6].map(rounded),
            ["0", "950", "1.00k", "12.3k", "123k", "1.25M"]
        );
        assert_eq!([0.2, 59.6, 754.0, 3723.0].map(clock), ["0:00", "1:00", "12:34", "1:02:03"]);
    }
}
