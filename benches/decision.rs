//! What a decision of a policy from outside costs, on 100 nodes with 50 jobs that wait: in Rust, and as a program.
//!
//! A policy that decides nothing is asked at every unit of time; the time of a run that asks a hundredth as often is taken
//! off, so that what is left is what a decision costs, what the simulator does for it included. `python/benches/decision.py`
//! does the same for a function in Python. Measured on two cores, in microseconds per decision: Rust 3.5; a program in
//! Python that does not read what it is told 129 to 209, one that reads it as JSON 537 to 579; a function in Python 18.

use gridloom::language::Source;
use gridloom::policy::{Decision, Policy, PolicyError, PolicySpec, Setup, View};
use gridloom::study::{NoProgress, load_study, run};
use std::time::Instant;

const HORIZON: u64 = 20_000;

struct Nothing;

impl PolicySpec for Nothing {
    fn name(&self) -> String {
        "nothing".into()
    }

    fn make(&self, setup: &Setup<'_>) -> Box<dyn Policy> {
        setup.two_tier(Self)
    }
}

impl Policy for Nothing {
    fn decide(&mut self, _: &View<'_>) -> Result<Vec<Decision>, PolicyError> {
        Ok(Vec::new())
    }
}

fn scenario(period: u64, policy: &str) -> String {
    format!(
        "(name: \"decisions\", replications: 1, experiment: Grid(
            horizon: {HORIZON},
            drain: UpTo(1),
            domains: [(name: \"lab\", nodes: 100, owners: [(gap: Exponential(mean: {HORIZON}), length: 1)])],
            flows: [(name: \"jobs\", arrivals: Batches(every: 1000000, size: 50), max_price: 2,
                     work: Rigid(nodes: 2, length: 10), patience: 1000000)],
            metascheduler: (period: {period}, interval: 200),
            policies: [{policy}],
        ))"
    )
}

/// Seconds of a run; in Rust, unless a program is given.
#[allow(clippy::disallowed_methods, reason = "a bench looks at the clock")]
fn seconds(period: u64, program: Option<&str>) -> f64 {
    let policy =
        program.map_or("Easy".to_string(), |program| format!("External(command: [\"python3\", \"-c\", {program:?}])"));
    let study = load_study(&Source::new("decisions", scenario(period, &policy)), &[]);
    let study = study.unwrap_or_else(|report| panic!("{report}"));
    let study = match program {
        Some(_) => study,
        None => study.with_policy(Nothing).expect("a grid takes it").without_own_policies(),
    };
    let begun = Instant::now();
    run(&study, &NoProgress).expect("it runs");
    begun.elapsed().as_secs_f64()
}

fn main() {
    let unread = "import sys\nfor line in sys.stdin:\n  if line[12:18] == 'decide': print('{}', flush=True)";
    let read = "import sys, json\nfor line in sys.stdin:\n  if json.loads(line)['message'] == 'decide': print('{}', flush=True)";
    for (name, program) in
        [("Rust", None), ("a program that does not read", Some(unread)), ("a program that reads JSON", Some(read))]
    {
        let each = (0..3).map(|_| seconds(1, program) - seconds(100, program)).fold(f64::INFINITY, f64::min);
        println!("{name}: {:.1} microseconds", each / (HORIZON as f64 * 0.99) * 1e6);
    }
}
