//! Jobs that could have no window even on idle nodes: policies don't see them, and decide as if they did.

use super::{Run, grid, names, policy, scenarios};
use gridloom::check::check_grid;
use gridloom::engine::Stop;
use gridloom::metrics::{Fate, job_outcomes};
use gridloom::policy::{PolicyEntry, PolicySpec, Setup};
use gridloom::rng::Streams;
use gridloom::sim::{GridRules, GridTrace, Reason, simulate_grid};
use gridloom::study::Grid;
use gridloom::workload::{GridWorld, draw_grid};
use proptest::prelude::*;

/// The policies that place rigid jobs in windows alone.
fn seekers() -> Vec<PolicyEntry> {
    names().map(|name| policy(name)).filter(PolicySpec::seeks_windows).collect()
}

/// The run of a policy with batches of all jobs, in which it sees hopeless jobs or not.
fn trace(spec: &Grid, world: &GridWorld, entry: &PolicyEntry, seeks_windows: bool, seed: u64) -> GridTrace {
    let rules = GridRules { batch: usize::MAX, seeks_windows, ..spec.rules(entry) };
    let streams = Streams::new(seed, 0);
    let mut made = entry.make(&Setup { metascheduler: &spec.metascheduler(), streams: &streams });
    let trace = simulate_grid(world, &rules, &mut *made, Stop::NEVER).unwrap();
    check_grid(world, &rules, &trace).unwrap();
    trace
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn whether_policies_see_hopeless_jobs_makes_no_difference(text in scenarios(), seed in 0u64..1000) {
        let spec = grid(&text);
        let world = draw_grid(&spec.grid(), &Streams::new(seed, 0), Stop::NEVER).unwrap();
        // Conservative backfilling tries once to move reservations for one who has no place, and may try it for a hopeless one.
        for entry in seekers().into_iter().filter(|entry| entry.name() != "conservative") {
            let [seen, unseen] = [false, true].map(|seeks| trace(&spec, &world, &entry, seeks, seed));
            let differs = seen.entries.iter().zip(&unseen.entries).find(|(seen, unseen)| seen != unseen);
            prop_assert_eq!(differs, None, "{}", entry.name());
            prop_assert_eq!(seen.entries.len(), unseen.entries.len(), "{}", entry.name());
        }
    }
}

/// Jobs that ask for `what` in a grid of two nodes, beside others that can be served.
fn beside(what: &str, rules: &str) -> Grid {
    grid(&format!(
        "(horizon: 200, drain: UpTo(100), step: 50, domains: [(name: \"d\", nodes: 2, performance: 2, price_scale: 2, price_slope: 0)],
          flows: [(name: \"hopeless\", arrivals: Batches(every: 4, size: 1), {what}),
            (name: \"others\", arrivals: Batches(every: 20, size: 1), work: Rigid(nodes: 1, length: 20), max_price: 9)],
          metascheduler: (period: 5, interval: 60, search: Amp(budget_factor: 1){rules}), policies: [Easy])"
    ))
}

const KINDS: [&str; 4] = [
    "work: Rigid(nodes: 3, length: 20), max_price: 9",
    "work: Rigid(nodes: 1, length: 20, min_performance: 3), max_price: 9",
    "work: Rigid(nodes: 1, length: 20), max_price: 0.1",
    "work: Rigid(nodes: 1, length: 200), max_price: 9",
];

/// How many jobs of the two flows were done.
fn done(run: &Run) -> [usize; 2] {
    let outcomes = job_outcomes(&run.world, &run.trace);
    let of_flow = |user: u32| outcomes.iter().filter(|job| job.user == user && job.finish.is_some()).count();
    [0, 1].map(of_flow)
}

#[test]
fn hopeless_jobs_wait_in_vain_and_hold_nobody_up() {
    for what in KINDS {
        let spec = beside(what, "");
        for entry in seekers() {
            let run = Run::of(&spec, &entry, 1);
            run.judge().unwrap();
            let [hopeless, others] = done(&run);
            assert_eq!(hopeless, 0, "{} {what}", entry.name());
            assert!(others >= 9, "{} {what}: {others}", entry.name());
            let [seen, unseen] = [false, true].map(|seeks| trace(&spec, &run.world, &entry, seeks, 1));
            assert_eq!(seen.entries, unseen.entries, "{} {what}", entry.name());
        }
    }
}

#[test]
fn hopeless_jobs_take_no_place_of_a_batch() {
    for what in KINDS {
        let spec = beside(what, ", batch: 2");
        for entry in seekers() {
            let [hopeless, others] = done(&Run::of(&spec, &entry, 1));
            assert!(hopeless == 0 && others >= 9, "{} {what}: {others}", entry.name());
        }
    }
}

#[test]
fn hopeless_jobs_give_up_as_others_do() {
    let spec = beside(KINDS[2], ", attempts: 3");
    for entry in seekers() {
        let run = Run::of(&spec, &entry, 1);
        let outcomes = job_outcomes(&run.world, &run.trace);
        let gave_up =
            outcomes.iter().filter(|job| job.user == 0 && job.fate == Fate::Failed(Reason::Postponed)).count();
        assert!(gave_up > 40, "{}: {gave_up}", entry.name());
    }
}
