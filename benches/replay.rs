//! How long a replay takes, from jobs in memory to checked placements, on generated logs of 5,000 to 1,000,000 jobs for 256
//! processors at load 0.9. Memory and start-up are not in it.
//!
//! Run with `cargo bench --bench replay`. The policies take turns, and the best of a few rounds counts. It ends with PASS or FAIL for each
//! target; what decides whether the bench fails is how many times as long as EASY conservative backfilling takes, since both are
//! measured in the same run. One run on 2 idle cores, in seconds, and the least and the largest ratio in five more runs while the
//! machine was busy with other work (load average about 4):
//!
//! | jobs | FCFS | EASY | conservative | conservative / EASY | in five busy runs |
//! | --- | --- | --- | --- | --- | --- |
//! | 5,000 | 0.0010 | 0.0028 | 0.0117 | 4.2 | 3.9 to 5.7 |
//! | 20,000 | 0.0043 | 0.0114 | 0.0784 | 6.9 | 6.6 to 8.0 |
//! | 100,000 | 0.0238 | 0.0630 | 0.487 | 7.7 | 7.7 to 8.8 |
//! | 1,000,000 | 0.277 | 0.729 | 5.24 | 7.2 | 7.3 to 8.3 |
//!
//! All grow nearly in proportion to the jobs. Conservative backfilling pays for compression: with 100,000 jobs an early end moves 11
//! reservations on average, 9 of them by less than their own length, and after each move it is to be found out who may follow.

use gridloom::check::check_replay;
use gridloom::queueing::{QueueRule, RigidJob};
use gridloom::sim::{Instants, LogRules, replay, select};
use gridloom::workload::Lublin;
use std::process::ExitCode;
use std::time::Instant;

const NODES: u32 = 256;
const POLICIES: [QueueRule; 3] = [QueueRule::Fcfs, QueueRule::Easy, QueueRule::Conservative];
/// Jobs and rounds.
const SIZES: [(u32, usize); 4] = [(5_000, 15), (20_000, 9), (100_000, 5), (1_000_000, 2)];
/// How many times as long as EASY conservative backfilling may take.
const MOST: f64 = 10.0;

/// The seconds of a replay and its check.
#[allow(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn measure(jobs: &[RigidJob], policy: QueueRule) -> f64 {
    let begun = Instant::now();
    let placements = replay(jobs, NODES, policy, Instants::Batch).expect("the log is short enough");
    check_replay(jobs, NODES, policy, &placements).expect("the schedule is right");
    begun.elapsed().as_secs_f64()
}

/// The best of a few rounds for each policy.
fn best(jobs: u32, rounds: usize) -> [f64; 3] {
    let records = Lublin { jobs, nodes: NODES, load: 0.9, seed: 1 }.draw();
    let selection = select(&records, NODES, LogRules::default());
    let mut best = [f64::INFINITY; 3];
    for _ in 0..rounds {
        for (best, policy) in best.iter_mut().zip(POLICIES) {
            *best = best.min(measure(&selection.jobs, policy));
        }
    }
    best
}

fn main() -> ExitCode {
    println!("{:>9} {:>12} {:>10} {:>12} {:>8}", "jobs", "policy", "seconds", "us per job", "growth");
    let mut taken = Vec::new();
    let mut before: Option<(u32, [f64; 3])> = None;
    for (jobs, rounds) in SIZES {
        let seconds = best(jobs, rounds);
        for (number, policy) in POLICIES.into_iter().enumerate() {
            let now = seconds[number];
            // The exponent of the growth: 1 is linear.
            let growth = before.map_or(String::new(), |(fewer, faster)| {
                format!("{:.2}", (now / faster[number]).ln() / (f64::from(jobs) / f64::from(fewer)).ln())
            });
            let per_job = now / f64::from(jobs) * 1e6;
            println!("{jobs:>9} {:>12} {now:>10.4} {per_job:>12.3} {growth:>8}", policy.name());
        }
        before = Some((jobs, seconds));
        taken.push(seconds);
    }
    let target = |what: &str, is_met: bool| println!("{} {what}", if is_met { "PASS" } else { "FAIL" });
    target("EASY, 20,000 jobs in less than 0.1 s", taken[1][1] < 0.1);
    target("EASY, 1,000,000 jobs in less than 20 s", taken[3][1] < 20.0);
    let mut is_met = true;
    for ((jobs, _), [_, easy, conservative]) in SIZES.into_iter().zip(taken) {
        let times = conservative / easy;
        target(&format!("conservative, {jobs} jobs: {times:.1} times EASY, at most {MOST}"), times <= MOST);
        is_met &= times <= MOST;
    }
    if is_met { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
