//! The same log through other simulators: the whole program each, from the start of its process to its end.
//!
//! `cargo bench --bench peers` makes a log of 2,000 jobs and one of 20,000 on a machine of 100 processors that has more to
//! do than it can, and lets each be replayed under EASY:
//!
//! - by gridloom, with its figures, tables and page;
//! - by EASY in plain Python (`plain_easy.py`), which reads the log and prints the mean wait: a yardstick that needs
//!   nothing but Python, and that has to agree with ours to the last digit;
//! - by AccaSim, where its package is installed for that Python.
//!
//! What is not there is named and left out. `GRIDLOOM_PYTHON` names another interpreter than `python3`. The bench fails where
//! the waits differ, and where gridloom is fewer times as fast than it was.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

const PROCESSORS: u32 = 100;

/// So many times as fast gridloom has to be at least.
const PLAIN_PYTHON: f64 = 1.5;
const ACCASIM: f64 = 20.0;

fn main() -> ExitCode {
    let dir = tempfile::tempdir().expect("there is room for files");
    let python = std::env::var("GRIDLOOM_PYTHON").unwrap_or("python3".into());
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peers");
    let runs = |code: &str| {
        let status = Command::new(&python).args(["-c", code]).stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    };
    let has_python = runs("");
    if !has_python {
        println!("no {python}: nothing to compare with");
    }
    let has_accasim =
        has_python && runs("import importlib.util as u; raise SystemExit(u.find_spec('accasim') is None)");
    if has_python && !has_accasim {
        println!("AccaSim is not installed for {python} (pip install accasim): left out");
    }
    let mut passed = true;
    for jobs in [2_000, 20_000] {
        let log = dir.path().join(format!("log-{jobs}.swf"));
        std::fs::write(&log, made_log(jobs)).expect("the log can be written");
        let out = dir.path().join(format!("out-{jobs}"));
        let mut ours = Command::new(env!("CARGO_BIN_EXE_gridloom"));
        ours.args(["replay", "--policy", "easy", "--quiet", "--force", "--out"]).arg(&out).arg(&log);
        let (own, _) = seconds(&mut ours);
        println!("{jobs} jobs: gridloom {own:.3} s");
        let waits = mean_wait(&out);
        let script = |name: &str| {
            let mut command = Command::new(&python);
            command.arg(scripts.join(name)).arg(&log).arg(PROCESSORS.to_string());
            command
        };
        if has_python {
            let (time, printed) = seconds(&mut script("plain_easy.py"));
            let theirs: f64 = printed.trim().parse().expect("the script prints the mean wait");
            let agrees = (theirs - waits).abs() < 1e-6 * theirs.max(1.0);
            passed &= agrees & is_kept("plain Python", time, own, if jobs > 10_000 { PLAIN_PYTHON } else { 0.0 });
            println!(
                "    mean wait {waits:.4} s here, {theirs:.4} s there: {}",
                if agrees { "the same" } else { "DIFFER" }
            );
        }
        // AccaSim takes minutes for the longer log.
        if has_accasim && jobs <= 2_000 {
            let (time, _) = seconds(&mut script("accasim_easy.py"));
            passed &= is_kept("AccaSim", time, own, ACCASIM);
        }
    }
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints how many times as fast gridloom is; whether that is enough.
fn is_kept(name: &str, theirs: f64, ours: f64, least: f64) -> bool {
    let ratio = theirs / ours;
    println!("  {name}: {theirs:.3} s, {ratio:.1} times as long  {}", if ratio >= least { "" } else { "LOST" });
    ratio >= least
}

/// The least time of three runs, and what the last one printed.
#[expect(clippy::disallowed_methods, reason = "a bench is about time")]
fn seconds(command: &mut Command) -> (f64, String) {
    let mut least = f64::INFINITY;
    let mut printed = String::new();
    for _ in 0..3 {
        let begun = Instant::now();
        let output = command.output().expect("the program can be started");
        let time = begun.elapsed().as_secs_f64();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        printed = String::from_utf8_lossy(&output.stdout).into_owned();
        least = least.min(time);
        // Whatever takes long need not be run again.
        if time > 5.0 {
            break;
        }
    }
    (least, printed)
}

/// The mean wait of a replay.
fn mean_wait(out: &Path) -> f64 {
    let results = std::fs::read_to_string(out.join("results.csv")).expect("results were written");
    let row = results.lines().find(|line| line.contains(",mean wait,")).expect("there is a mean wait");
    row.split(',').nth(4).and_then(|value| value.parse().ok()).expect("it is a number")
}

/// A log of rigid jobs that ask for about a tenth more than the machine has.
fn made_log(jobs: u32) -> String {
    let mut drawn = 1u64;
    let mut below = |bound: u64| {
        drawn = drawn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (drawn >> 33) % bound
    };
    let mut log = format!("; MaxProcs: {PROCESSORS}\n; UnixStartTime: 0\n");
    let mut submitted = 0;
    for job in 1..=jobs {
        // A job is 8.5 processors for 20 minutes on average.
        submitted += below(186);
        let (width, estimate) = (1 + below(16), 60 + below(3540));
        let runtime = 1 + estimate * (30 + below(71)) / 100;
        let _ = writeln!(log, "{job} {submitted} -1 {runtime} {width} -1 -1 {width} {estimate} -1 1 1 1 1 1 -1 -1 -1");
    }
    log
}
