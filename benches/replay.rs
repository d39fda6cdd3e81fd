//! How long a replay takes, from jobs in memory to checked placements, on generated logs of 5,000 to 1,000,000 jobs for 256
//! processors at load 0.9. Memory and start-up are not in it.
//!
//! Run with `cargo bench --bench replay`; it ends with PASS or FAIL for each target. One run on an otherwise idle
//! 2-core machine, in seconds:
//!
//! | jobs | FCFS | EASY | conservative | conservative / EASY |
//! | --- | --- | --- | --- | --- |
//! | 5,000 | 0.0010 | 0.0033 | 0.029 | 9 |
//! | 20,000 | 0.0042 | 0.0137 | 0.228 | 17 |
//! | 100,000 | 0.0237 | 0.0733 | 1.26 | 17 |
//! | 1,000,000 | 0.253 | 0.748 | 13.95 | 19 |
//!
//! All grow nearly in proportion to the jobs. Conservative backfilling misses its target of ten times EASY: it pays for compression.
//! With 30,000 jobs an early end moves 14 reservations on average, 12 of them by less than their own length, and each move changes
//! the profile twice and looks for those who may follow.

use gridloom::check::check_replay;
use gridloom::queueing::Policy;
use gridloom::sim::{Instants, Rules, replay, select};
use gridloom::workload::Lublin;
use std::time::{Duration, Instant};

const NODES: u32 = 256;
const SIZES: [u32; 4] = [5_000, 20_000, 100_000, 1_000_000];

/// The best of a few runs, and the check of the last one.
#[allow(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn measure(jobs: u32, policy: Policy) -> Duration {
    let records = Lublin { jobs, nodes: NODES, load: 0.9, seed: 1 }.draw();
    let selection = select(&records, NODES, Rules::default());
    let mut best = Duration::MAX;
    for _ in 0..if jobs > 50_000 { 1 } else { 5 } {
        let begun = Instant::now();
        let placements = replay(&selection.jobs, NODES, policy, Instants::Batch).expect("the log is short enough");
        check_replay(&selection.jobs, NODES, policy, &placements).expect("the schedule is right");
        best = best.min(begun.elapsed());
    }
    best
}

fn main() {
    println!("{:>12} {:>9} {:>10} {:>12} {:>8}", "policy", "jobs", "seconds", "us per job", "growth");
    let mut seconds = Vec::new();
    for policy in [Policy::Fcfs, Policy::Easy, Policy::Conservative] {
        let mut before: Option<(u32, f64)> = None;
        for jobs in SIZES {
            let taken = measure(jobs, policy).as_secs_f64();
            // The exponent of the growth: 1 is linear.
            let growth = before.map_or(String::new(), |(fewer, faster)| {
                format!("{:.2}", (taken / faster).ln() / (f64::from(jobs) / f64::from(fewer)).ln())
            });
            let per_job = taken / f64::from(jobs) * 1e6;
            println!("{:>12} {jobs:>9} {taken:>10.4} {per_job:>12.3} {growth:>8}", policy.name());
            before = Some((jobs, taken));
            seconds.push(taken);
        }
    }
    let [easy, conservative] = [&seconds[4..8], &seconds[8..12]];
    let target = |what: &str, is_met: bool| println!("{} {what}", if is_met { "PASS" } else { "FAIL" });
    target("EASY, 20,000 jobs in less than 0.1 s", easy[1] < 0.1);
    target("EASY, 1,000,000 jobs in less than 20 s", easy[3] < 20.0);
    for (size, jobs) in SIZES.iter().enumerate() {
        let times = conservative[size] / easy[size];
        target(&format!("conservative, {jobs} jobs: {times:.0} times EASY, at most 10"), times <= 10.0);
    }
}
