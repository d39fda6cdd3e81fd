//! How long replays take: from jobs in memory to checked placements, and the whole program from a log to its files.
//!
//! Run with `cargo bench --bench replay`. What is compared takes turns, and the best of a few rounds counts. Each
//! limit ends in PASS or FAIL. Limits are ratios of what is measured in the same run, with room for a busy machine, and
//! the bench fails when one is lost. Targets that are not met are told beside them, and so are those in seconds.
//!
//! - Generated logs of 5,000 to 1,000,000 jobs for 256 processors at load 0.9, under each policy.
//! - Deep queues: single-processor jobs on 100 processors at several times the load that these can bear, with estimates
//!   three times the runtimes on average. Conservative backfilling against EASY.
//! - Overload: jobs of all widths at five times the load, under EASY in every order and with four reservations. Twice the jobs
//!   against as many. The same, with fewer jobs, under conservative backfilling, which moves most of those who wait whenever a
//!   job ends early, so that four times the time is what twice the jobs take.
//! - The program: all that `gridloom replay` does, against the scheduling and the check alone.

use gridloom::check::check_replay;
use gridloom::queueing::{Order, Queue, QueueRule, RigidJob};
use gridloom::sim::{Instants, LogRules, replay, select};
use gridloom::units::{Span, Time};
use gridloom::workload::Lublin;
use gridloom::workload::swf::write;
use std::fs::File;
use std::io::BufWriter;
use std::num::NonZeroU32;
use std::process::{Command, ExitCode};
use std::time::Instant;

const NODES: u32 = 256;
const POLICIES: [QueueRule; 3] = [QueueRule::Fcfs, QueueRule::Easy, QueueRule::Conservative];

/// Jobs and rounds.
const SIZES: [(u32, usize); 4] = [(5_000, 15), (20_000, 9), (100_000, 5), (1_000_000, 2)];

/// The processors of the machine before which queues are deep.
const FEW_NODES: u32 = 100;
/// How many times as long as EASY conservative backfilling may take there.
const DEEP_QUEUES: Limit = Limit { most: 10.0, target: 10.0 };
/// Jobs and load.
const DEEP: [(u32, f64); 7] =
    [(5_000, 4.0), (10_000, 4.0), (20_000, 4.0), (187_520, 4.0), (5_000, 40.0), (10_000, 40.0), (20_000, 40.0)];

/// Jobs in overload, and how many times as long twice as many of them may take.
const OVERLOAD_JOBS: u32 = 50_000;
const OVERLOAD: Limit = Limit { most: 3.5, target: 2.5 };
/// The same where all hold reservations.
const RESERVED_JOBS: u32 = 5_000;
const RESERVED: Limit = Limit { most: 12.0, target: 8.0 };

/// Jobs, rounds, how many times as long as scheduling and check under EASY the whole program may take, and how many
/// seconds it should take.
const PROGRAM: [(u32, usize, f64, f64); 2] = [(20_000, 9, 30.0, 0.06), (1_000_000, 2, 5.0, 2.5)];
/// The seconds that EASY should take for a million jobs.
const EASY_MILLION: f64 = 0.5;

/// The seconds that something takes.
#[allow(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn seconds(work: impl FnOnce()) -> f64 {
    let begun = Instant::now();
    work();
    begun.elapsed().as_secs_f64()
}

/// The seconds of a replay and its check.
fn measure(jobs: &[RigidJob], nodes: u32, queue: Queue) -> f64 {
    seconds(|| {
        let placements = replay(jobs, nodes, queue, Instants::Batch).expect("the log is short enough");
        check_replay(jobs, nodes, queue, &placements).expect("the schedule is right");
    })
}

/// The best of a few rounds for each queue.
fn best<const N: usize>(
    jobs: &[RigidJob],
    nodes: u32,
    queues: [impl Into<Queue> + Copy; N],
    rounds: usize,
) -> [f64; N] {
    let mut best = [f64::INFINITY; N];
    for _ in 0..rounds {
        for (best, queue) in best.iter_mut().zip(queues) {
            *best = best.min(measure(jobs, nodes, queue.into()));
        }
    }
    best
}

/// A log of which most jobs start soon.
fn lublin(jobs: u32) -> Lublin {
    Lublin { jobs, nodes: NODES, load: 0.9, seed: 1 }
}

/// Short jobs on one processor each, more of them than the machine can bear.
fn deep(jobs: u32, load: f64) -> Vec<RigidJob> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    // The next of evenly spread numbers from 0 to 1.
    let mut share = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mean = 400.0;
    let (gap, mut clock) = (mean / f64::from(FEW_NODES) / load, 0.0);
    let mut job = |_| {
        clock += 2.0 * gap * share();
        let runtime = 1 + (-mean * (1.0 - share()).ln()) as i64;
        let estimate = runtime + (4.0 * runtime as f64 * share()) as i64;
        let (estimate, runtime) = (Span::from_units(estimate), Span::from_units(runtime));
        RigidJob { submit: Time::from_units(clock as i64), processors: 1, estimate, runtime }
    };
    (0..jobs).map(&mut job).collect()
}

/// The largest ratio with which the bench passes, and the one that is aimed at.
#[derive(Clone, Copy)]
struct Limit {
    most: f64,
    target: f64,
}

impl Limit {
    /// Tells a ratio and whether it is kept.
    fn is_kept(self, what: &str, ratio: f64) -> bool {
        let Self { most, target } = self;
        let is_met = ratio <= most;
        let missed = if ratio > target { format!("; the target of {target} is missed") } else { String::new() };
        println!("{} {what}: {ratio:.1} times, at most {most}{missed}", if is_met { "PASS" } else { "FAIL" });
        is_met
    }
}

/// Tells whether a target in seconds is met.
fn tell(what: &str, taken: f64, target: f64) {
    println!(
        "     {what}: {taken:.3} s, the target of {target} s is {}",
        if taken <= target { "met" } else { "missed" }
    );
}

/// All policies on logs whose queues are short.
fn short_queues() {
    println!("{:>9} {:>12} {:>10} {:>12} {:>8}", "jobs", "policy", "seconds", "us per job", "growth");
    let mut before: Option<(u32, [f64; 3])> = None;
    for (jobs, rounds) in SIZES {
        let selection = select(&lublin(jobs).draw(), NODES, LogRules::default());
        let taken = best(&selection.jobs, NODES, POLICIES, rounds);
        for (number, policy) in POLICIES.into_iter().enumerate() {
            let now = taken[number];
            // The exponent of the growth: 1 is linear.
            let growth = before.map_or(String::new(), |(fewer, faster)| {
                format!("{:.2}", (now / faster[number]).ln() / (f64::from(jobs) / f64::from(fewer)).ln())
            });
            let per_job = now / f64::from(jobs) * 1e6;
            println!("{jobs:>9} {:>12} {now:>10.4} {per_job:>12.3} {growth:>8}", policy.name());
        }
        before = Some((jobs, taken));
        if jobs == 1_000_000 {
            tell("EASY", taken[1], EASY_MILLION);
        }
    }
}

/// Conservative backfilling against EASY where thousands wait.
fn deep_queues() -> bool {
    println!("\n{:>9} {:>6} {:>10} {:>13}", "jobs", "load", "EASY (s)", "conservative");
    let mut are_kept = true;
    for (count, load) in DEEP {
        let jobs = deep(count, load);
        let [easy, conservative] = best(&jobs, FEW_NODES, [QueueRule::Easy, QueueRule::Conservative], 3);
        println!("{count:>9} {load:>6} {easy:>10.4} {conservative:>13.4}");
        let what = format!("{count} jobs at load {load}, conservative over EASY");
        are_kept &= DEEP_QUEUES.is_kept(&what, conservative / easy);
    }
    are_kept
}

/// Twice the jobs against as many where most of them wait, in every order and with more and more reservations.
fn overload() -> bool {
    let in_order = |order: Order| Queue::new(QueueRule::Easy, order).expect("the key of the order is known");
    let four = Queue::from(QueueRule::Depth(NonZeroU32::new(4).expect("four is above zero")));
    let queues = [in_order(Order::Arrival), in_order(Order::Shortest), in_order(Order::Largest), four];
    let few = twice_in_overload(OVERLOAD_JOBS, queues, OVERLOAD);
    let all = twice_in_overload(RESERVED_JOBS, [Queue::from(QueueRule::Conservative)], RESERVED);
    few && all
}

/// Twice as many jobs as that against as many.
fn twice_in_overload<const N: usize>(jobs: u32, queues: [Queue; N], limit: Limit) -> bool {
    println!("\n{:>24} {:>12} {:>12}", "queue", jobs, 2 * jobs);
    let taken = [1, 2].map(|times| {
        let log = Lublin { load: 5.0, ..lublin(times * jobs) };
        best(&select(&log.draw(), NODES, LogRules::default()).jobs, NODES, queues, 2)
    });
    let mut are_kept = true;
    for (number, queue) in queues.into_iter().enumerate() {
        let [fewer, more] = taken.map(|taken| taken[number]);
        println!("{:>24} {fewer:>12.4} {more:>12.4}", queue.name());
        are_kept &= limit.is_kept(&format!("twice the jobs in overload under {}", queue.name()), more / fewer);
    }
    are_kept
}

/// The program against the scheduling and the check that are part of it.
fn program() -> bool {
    println!("\n{:>9} {:>12} {:>12}", "jobs", "program (s)", "EASY (s)");
    let folder = tempfile::tempdir().expect("there is a place for temporary files");
    let mut are_kept = true;
    for (jobs, rounds, most, target) in PROGRAM {
        let (path, out) = (folder.path().join("log.swf"), folder.path().join("out"));
        let records = lublin(jobs).draw();
        let mut file = BufWriter::new(File::create(&path).expect("the folder is ours"));
        write(&mut file, &lublin(jobs).header(), records.iter().copied()).expect("there is room for a log");
        drop(file);
        let selection = select(&records, NODES, LogRules::default());
        drop(records);
        let (mut whole, mut easy) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..rounds {
            let mut command = Command::new(env!("CARGO_BIN_EXE_gridloom"));
            command.args(["replay", "--policy", "easy", "--quiet", "--force", "--out"]).arg(&out).arg(&path);
            whole = whole.min(seconds(|| assert!(command.status().is_ok_and(|status| status.success()))));
            easy = easy.min(measure(&selection.jobs, NODES, QueueRule::Easy.into()));
        }
        println!("{jobs:>9} {whole:>12.3} {easy:>12.4}");
        are_kept &= Limit { most, target: most }.is_kept(&format!("{jobs} jobs, the program over EASY"), whole / easy);
        tell("the program", whole, target);
    }
    are_kept
}

fn main() -> ExitCode {
    short_queues();
    let are_kept = [deep_queues(), overload(), program()];
    if are_kept.iter().all(|&is_kept| is_kept) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
