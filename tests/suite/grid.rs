//! The connected grid: laws that hold for every scenario, policy and fault rate, and a judge that notices when they don't.

mod hopeless;
mod losses;
mod prices;
mod refusals;

pub(super) use refusals::acts_of;

use super::simulated::{Run, grid};
use gridloom::check::{Ledger, check_grid};
use gridloom::engine::Stop;
use gridloom::language::{Source, load};
use gridloom::metrics::{GridFigures, GridMetrics, Use, job_outcomes};
use gridloom::model::{CostLimit, Job};
use gridloom::policy::{
    Decision, FreeSlots, PlacesBy, Policy, PolicyChoice, PolicyEntry, PolicyError, PolicySpec, Setup, View,
};
use gridloom::rng::Streams;
use gridloom::sim::{Displacement, Ending, Event, GridRules, GridTrace, Loss, OverrunRule, Reason, simulate_grid};
use gridloom::study::{Experiment, Scenario};
use gridloom::study::{NoProgress, load_study};
use gridloom::units::Span;
use gridloom::workflow::Transfers;
use gridloom::workload::{DrawError, draw_grid};
use proptest::prelude::*;

/// The policies of the registry but programs of users.
fn names() -> impl Iterator<Item = &'static &'static str> {
    PolicyChoice::NAMES.iter().filter(|name| **name != "External")
}

/// A policy with defaults; those that solve a problem take the second.
fn policy(name: &str) -> PolicyEntry {
    ruled(name, |policy| policy.to_string())
}

/// A policy with rules of its own, given what it is called.
fn ruled(name: &str, rules: impl Fn(&str) -> String) -> PolicyEntry {
    let named = |text: &str| load(Source::new("policy.ron", rules(text)), &[]);
    named(name).or_else(|_| named(&format!("{name}(MinTime)"))).unwrap_or_else(|report| panic!("{report}"))
}

fn figures(run: &Run, step: i64) -> GridFigures {
    let mut metrics = GridMetrics::new(&run.world, Span::from_units(step), Span::from_units(1), false);
    run.trace.tell(&mut metrics);
    metrics.finish()
}

/// A small grid with owners, failures, deadlines, overruns and prices that follow demand, each of them perhaps.
fn scenarios() -> impl Strategy<Value = String> {
    let owners = (0.0..0.4f64, 0.0..0.4f64, 0.0..20.0f64);
    let failures = prop::option::of((5.0..80.0f64, 1.0..20.0f64));
    let jobs = (0.1..1.5f64, 1u32..4, prop::option::of(1.0..12.0f64), 0.2..3.0f64);
    let searches =
        ["Alp", "Amp(budget_factor: 1.2)", "Amp(budget_factor: 1.2)", "MinCost", "EarliestFinish", "MinPower"];
    let searches = prop::sample::select(searches.to_vec());
    let pairs = [("Grid", "Groups"), ("Grid", "Nodes"), ("Domain", "Groups"), ("Domain", "Domains")];
    let scopes = prop::sample::select(pairs.to_vec());
    let rules = (1.0..12.0f64, 20.0..80.0f64, 1u32..12, 1u32..8, searches, any::<bool>(), scopes);
    let actual = (0.3..1.0f64, 0.0..1.5f64);
    let displacement = prop_oneof![
        Just("Task".to_string()),
        Just("Job".to_string()),
        (0.1..3.0f64, 0.0..1.0f64)
            .prop_map(|(every, cost)| format!("Checkpoint(every: {every}, cost: {})", every * cost)),
    ];
    let overrun = prop::sample::select(vec!["Ended", "GoesOn", "Extended"]);
    let time = (0.0..60.0f64, prop::option::of(0.0..200.0f64));
    let fallback = prop::sample::select(vec!["Heft", "Postpone"]);
    let fair = (displacement, overrun, time, fallback);
    (owners, failures, jobs, rules, actual, 1u32..4, fair).prop_map(|(owners, failures, jobs, rules, actual, nodes, fair)| {
        let (displacement, overrun, (warm_up, drain), fallback) = fair;
        let drain = match (drain, jobs.2) {
            (Some(drain), _) => format!("Some(UpTo({drain}))"),
            // The flow of batches has no deadlines.
            (None, _) => "None".to_string(),
        };
        let failures = failures.map_or("None".into(), |(up, down)| {
            format!("Some((up: Exponential(mean: {up}), down: Uniform(low: 0, high: {down})))")
        });
        let patience = jobs.2.map_or("None".into(), |patience| format!("Some(Uniform(low: 0.5, high: {patience}))"));
        let (period, interval, batch, attempts, search, priced, (scope, resources)) = rules;
        let pricing = if priced { "Some((elasticity: 0.5, target: 0.4))" } else { "None" };
        format!(
            "(horizon: 120, step: 10, warm_up: {warm_up}, drain: {drain}, displacement: {displacement}, overrun: {overrun},
            domains: [
                (name: \"a\", nodes: {nodes}, performance: Uniform(low: 1, high: 3), owners: [
                    (load: {}, length: Uniform(low: 1, high: 9), notice: Uniform(low: 0, high: {})),
                    (load: {}, length: 3)], failures: {failures}),
                (name: \"b\", nodes: 3, price_spread: Uniform(low: -0.5, high: 0.5), failures: {failures}),
            ],
            flows: [
                (name: \"f\", arrivals: Load(load: {}), work: Rigid(nodes: UniformInteger(low: 1, high: {}), length: Uniform(low: 1, high: 12)),
                 users: 3, max_price: Uniform(low: 0.5, high: {}), patience: {patience}),
                (name: \"g\", arrivals: Batches(every: 37, size: 3), work: Rigid(nodes: 2, length: 5), max_price: 4),
                (name: \"w\", arrivals: Poisson(gap: 15), work: Workflow(nodes: 2, window_factor: {}, tasks: Layered(tiers: 3,
                    width: UniformInteger(low: 1, high: 3), density: 0.5, time: Uniform(low: 0, high: 6), transfer: Uniform(low: 0, high: 2))),
                 max_price: Uniform(low: 1, high: 4), patience: {patience}),
            ],
            metascheduler: (period: {period}, interval: {interval}, batch: {batch}, attempts: {attempts}, search: {search}, batches: {scope}, resources: {resources}, fallback: {fallback}, ahead: {priced},
                rank: (price: 1, deadline: 0.1, attempts: 2, wait: 0.1), rich_from: 2, genetic: (population: 8, patience: 5), exact: (nodes: 20, steps: 20)),
            policies: [Fcfs], actual: Uniform(low: {}, high: {}), pricing: {pricing})",
            owners.0, owners.2, owners.1, jobs.0, jobs.1, jobs.3 + 0.5, 0.8 + jobs.3, actual.0, actual.0 + actual.1,
        )
    })
}

/// A policy that is shown a list of slots and nothing else.
struct Listing(Box<dyn Policy>);

impl Policy for Listing {
    fn decide(&mut self, view: &View<'_>) -> Result<Vec<Decision>, PolicyError> {
        self.0.decide(&View { slots: &FreeSlots::from(view.slots.list().clone()), ..*view })
    }
}

/// As many as `PROPTEST_CASES` says, or so few that nobody waits for them.
fn cases(few: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(few)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(24), ..ProptestConfig::default() })]

    /// All policies of the registry, each by itself or with rules of its own.
    #[test]
    fn no_policy_breaks_a_law_or_loses_a_job(
        text in scenarios(),
        seed in 0u64..1000,
        rules in prop::option::of((
            prop::sample::select(vec!["Cycles", "Submission", "Events"]),
            prop::sample::select(vec!["Arrival", "Shortest", "Largest", "Price", "Rank"]),
        )),
    ) {
        let spec = grid(&text);
        for name in names() {
            let policy = ruled(name, |policy| match rules {
                Some((acts, order)) => format!("(policy: {policy}, acts: {}, order: {order})", acts_of(name, acts)),
                None => policy.to_string(),
            });
            let run = Run::of(&spec, &policy, seed);
            let ledger = run.judge().unwrap_or_else(|broken| panic!("{policy:?}\n{text}\n{broken}"));
            let Ledger { measured, finished, late, expired, failed, undecided } = ledger;
            prop_assert_eq!(measured, finished + late + expired + failed + undecided);
            let totals = figures(&run, 10).totals;
            let value = |name: &str| totals.iter().find(|measure| measure.metric.name() == name).unwrap().value.unwrap();
            prop_assert_eq!(value("jobs submitted"), measured as f64);
            prop_assert_eq!(value("jobs finished"), finished as f64);
            prop_assert_eq!(value("jobs late"), late as f64);
            prop_assert_eq!(value("jobs expired in the queue"), expired as f64);
            prop_assert_eq!(value("jobs postponed too often") + value("jobs ended at their limit"), failed as f64);
            prop_assert_eq!(value("jobs undecided"), undecided as f64);
        }
    }

    /// Queues that see which nodes are idle without a list of slots decide as those who list them.
    #[test]
    fn queues_decide_alike_with_and_without_a_list_of_slots(text in scenarios(), seed in 0u64..1000) {
        let spec = grid(&text);
        for policy in ["Fcfs", "Easy", "Conservative"].map(policy) {
            let known = Run::of(&spec, &policy, seed);
            let streams = Streams::new(seed, 0);
            let metascheduler = spec.metascheduler();
            let mut listing = Listing(policy.make(&Setup { metascheduler: &metascheduler, streams: &streams }));
            let listed = simulate_grid(&known.world, &known.rules, &mut listing, Stop::NEVER).unwrap();
            prop_assert!(known.trace == listed, "{policy:?}");
        }
    }

    #[test]
    fn local_global_lost_down_and_idle_time_are_all_there_is(text in scenarios(), seed in 0u64..1000) {
        let run = Run::of(&grid(&text), &policy("Easy"), seed);
        let over_time = figures(&run, 7).node_use;
        for step in 0..over_time.shares[0].len() {
            let shares: Vec<f64> = over_time.shares.iter().map(|share| share[step]).collect();
            prop_assert!(shares.iter().all(|share| (-1e-9..=1.0 + 1e-9).contains(share)), "{:?}", shares);
            prop_assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
        prop_assert!((0.0..=1.0 + 1e-9).contains(&over_time.forecast), "{}", over_time.forecast);
        // What owners used is what they wanted, but for outages.
        if run.world.outages.iter().all(Vec::is_empty) {
            let measured = run.world.measured;
            let wanted: f64 = run.world.owners.iter().flatten().map(|task| task.interval.clip(measured).span().as_f64()).sum();
            let whole = figures(&run, 120).node_use;
            let used = whole.shares[Use::Local as usize][0] * run.world.nodes.len() as f64 * 120.0;
            prop_assert!((used - wanted).abs() < 1e-6, "{used} of {wanted}");
        }
    }
}

/// A world in which most things happen.
fn busy() -> Run {
    let text = "(horizon: 300, step: 10,
        domains: [(name: \"a\", nodes: 6, performance: Uniform(low: 1, high: 2), failures: Some((up: Exponential(mean: 60), down: 5)),
            owners: [(load: 0.2, length: 6, notice: 10), (load: 0.1, length: 3)])],
        flows: [(name: \"f\", arrivals: Load(load: 0.6), work: Rigid(nodes: UniformInteger(low: 1, high: 3), length: Uniform(low: 4, high: 20)),
            max_price: 3, patience: Uniform(low: 2, high: 8))],
        metascheduler: (period: 5, interval: 60), policies: [Easy], actual: Uniform(low: 0.5, high: 1.3))";
    Run::of(&grid(text), &policy("Opt(MinTime)"), 5)
}

#[test]
fn the_judge_notices_every_kind_of_tampering() {
    let run = busy();
    let ledger = run.judge().unwrap_or_else(|broken| panic!("{broken}"));
    assert!(ledger.finished > 20 && ledger.expired + ledger.late > 5, "{ledger:?}");
    let find =
        |wanted: &dyn Fn(&Event) -> bool| run.trace.entries.iter().position(|entry| wanted(&entry.what)).unwrap();
    let without = |wanted: &dyn Fn(&Event) -> bool| {
        let mut tampered = Run { world: run.world.clone(), rules: run.rules.clone(), trace: run.trace.clone() };
        tampered.trace.entries.remove(find(wanted));
        tampered.judge()
    };
    assert!(without(&|what| matches!(what, Event::Submitted(_))).is_err(), "a job comes from nowhere");
    assert!(without(&|what| matches!(what, Event::Finished(_))).is_err(), "a job never leaves");
    assert!(without(&|what| matches!(what, Event::Held(..))).is_err(), "a task runs without a reservation");
    assert!(without(&|what| matches!(what, Event::Started(..))).is_err(), "a task ends that did not start");
    assert!(without(&|what| matches!(what, Event::Ended(_, Ending::Done))).is_err(), "a task is not done");
    assert!(without(&|what| matches!(what, Event::OwnerStarted(..))).is_err(), "an owner is sent away");
    assert!(without(&|what| matches!(what, Event::Failed(_))).is_err(), "a failure is hushed up");
    let changed = |change: &dyn Fn(&mut GridTrace)| {
        let mut tampered = Run { world: run.world.clone(), rules: run.rules.clone(), trace: run.trace.clone() };
        change(&mut tampered.trace);
        tampered.judge()
    };
    let started = find(&|what| matches!(what, Event::Started(..)));
    assert!(changed(&|trace| trace.entries[started].time += Span::from_ticks(1)).is_err(), "a task starts late");
    let doubled = |trace: &mut GridTrace| {
        let entry = trace.entries[started];
        trace.entries.insert(started, entry);
    };
    assert!(changed(&doubled).is_err(), "a node holds a task twice");
    let expired = find(&|what| matches!(what, Event::GaveUp(_, Reason::Expired)));
    assert!(changed(&|trace| trace.entries[expired].time -= Span::from_ticks(1)).is_err(), "a job expires too soon");
    // The same trace under a tighter budget.
    let under = |rules: GridRules| check_grid(&run.world, &rules, &run.trace);
    let rules = || run.rules.clone();
    assert!(under(GridRules { limit: CostLimit::Total(0.01), ..rules() }).is_err(), "jobs cost more than they may");
    // The same trace under other rules of displacement and overrun.
    assert!(under(GridRules { overrun: OverrunRule::Ended, ..rules() }).is_err(), "an overrun goes on");
    assert!(under(GridRules { overrun: OverrunRule::Extended, ..rules() }).is_err(), "an overrun yields to a job");
    let often = Displacement::Checkpoint { every: Span::from_units(1), cost: Span::ZERO };
    assert!(under(GridRules { displacement: often, ..rules() }).is_err(), "a checkpoint is lost");
    let too_soon = |trace: &mut GridTrace| trace.end = run.world.measured.end;
    assert!(changed(&too_soon).is_err(), "a run ends before all is decided");
}

/// On one node no data moves: tasks follow each other at once, unless data takes time all the same.
#[test]
fn the_judge_knows_when_data_takes_time() {
    let text = "(horizon: 100, step: 10, domains: [(name: \"a\", nodes: 1)],
        flows: [(name: \"w\", arrivals: Poisson(gap: 30), work: Workflow(nodes: 1, window_factor: 3,
            tasks: Layered(tiers: 3, width: 1, density: 1, time: 3, transfer: 2)), max_price: 9)],
        metascheduler: (period: 5, interval: 60), policies: [ApplicationOnly])";
    let run = Run::of(&grid(text), &policy("ApplicationOnly"), 5);
    assert!(run.judge().unwrap_or_else(|broken| panic!("{broken}")).finished > 1);
    let rules = GridRules { transfers: Transfers::Always, ..run.rules.clone() };
    assert!(check_grid(&run.world, &rules, &run.trace).is_err(), "tasks start before their data are there");
}

#[test]
fn the_numbers_of_a_run_agree_with_its_ledger() {
    let run = busy();
    let ledger = run.judge().unwrap();
    let totals = figures(&run, 10).totals;
    let value = |name: &str| totals.iter().find(|measure| measure.metric.name() == name).unwrap().value.unwrap();
    assert_eq!(value("jobs submitted"), ledger.measured as f64);
    assert_eq!(value("jobs finished"), ledger.finished as f64);
    assert_eq!((value("jobs undecided"), ledger.undecided), (0.0, 0), "every job has a deadline");
    let failed: f64 = Reason::ALL.iter().map(|reason| value(&format!("jobs {}", reason.name()))).sum();
    assert_eq!(failed, (ledger.failed + ledger.late + ledger.expired) as f64);
    assert_eq!(value("success ratio"), ledger.finished as f64 / ledger.measured as f64);
    let lost: f64 = Loss::ALL.iter().map(|loss| value(&format!("work lost to {}", loss.name()))).sum();
    // Tasks that ran at the end of the measured interval may be lost afterwards.
    assert!(lost > 0.0 && (lost - value("lost work")).abs() < 0.05, "{lost} {}", value("lost work"));
}

#[test]
fn work_that_a_checkpoint_has_saved_is_not_lost() {
    // The owner comes every hour for five minutes; a job of 200 minutes works on from its last checkpoint each time.
    let text = "(horizon: 400, step: 40, domains: [(name: \"a\", nodes: 1, owners: [(gap: 55, length: 5)])],
        flows: [(name: \"f\", work: Listed((jobs: [(submit: 0, nodes: 1, length: 200)])), max_price: 2)],
        metascheduler: (period: 10, interval: 400), policies: [Fcfs], displacement: DISPLACED)";
    let shares = |displaced: &str| {
        let run = Run::of(&grid(&text.replace("DISPLACED", displaced)), &policy("Fcfs"), 1);
        run.judge().unwrap_or_else(|broken| panic!("{broken}"));
        let totals = figures(&run, 40).totals;
        ["lost work", "work lost to owners", "global load", "load in fact", "load forecast"]
            .map(|name| totals.iter().find(|measure| measure.metric.name() == name).unwrap().value.unwrap())
    };
    let [lost, to_owners, global, fact, forecast] = shares("Checkpoint(every: 10)");
    assert!((lost - to_owners).abs() < 1e-9 && lost < 0.05, "{lost} {to_owners}");
    assert!((global - 0.5).abs() < 1e-9 && (fact - global).abs() < 1e-9, "{global} {fact}");
    assert!((forecast - fact).abs() < 0.05, "{forecast} {fact}");
    let [lost, to_owners, ..] = shares("Task");
    assert!((lost - to_owners).abs() < 1e-9 && lost > 0.5, "{lost} {to_owners}");
}

#[test]
fn time_that_is_given_back_early_and_reserved_again_is_forecast_once() {
    // Jobs need a third of what they reserve, so that reservations of three jobs overlap.
    let text = "(horizon: 200, step: 10, drain: UpTo(0), domains: [(name: \"a\", nodes: 1)],
        flows: [(name: \"f\", arrivals: Batches(every: 200, size: 60), work: Rigid(nodes: 1, length: 9), max_price: 1)],
        metascheduler: (period: 1, interval: 60), policies: [Easy], actual: Uniform(low: 0.3333, high: 0.3334))";
    for policy in ["Fcfs", "Easy", "Conservative", "LpgaRepaired"].map(policy) {
        let run = Run::of(&grid(text), &policy, 1);
        let finished = run.trace.entries.iter().filter(|entry| matches!(entry.what, Event::Finished(_))).count();
        assert!(finished as f64 * 9.0 > 200.0, "{policy:?}: {finished} jobs reserve no more than there is");
        let whole = figures(&run, 200).node_use;
        assert!(whole.fact <= whole.forecast && whole.forecast <= 1.0, "{policy:?}: {} {}", whole.fact, whole.forecast);
    }
}

#[test]
fn a_quiet_grid_does_all_jobs_at_once_for_their_estimates() {
    let text = "(horizon: 100, step: 10, drain: UpTo(0), domains: [(name: \"a\", nodes: 4)],
        flows: [(name: \"f\", arrivals: Batches(every: 50, size: 2), work: Rigid(nodes: 2, length: 10), max_price: 1)],
        metascheduler: (period: 5, interval: 60), policies: [Easy])";
    // Chance may pick a later window, so NO OPT, the last, is left out.
    for policy in
        &names().map(|name| policy(name)).filter(|policy| !policy.name().starts_with("NO OPT")).collect::<Vec<_>>()
    {
        // Policies that send jobs need a queue to send them to.
        let queue = if policy.places() == PlacesBy::Sending {
            "nodes: 4, batch_system: (queue: Fcfs, reservations: true)"
        } else {
            "nodes: 4"
        };
        let run = Run::of(&grid(&text.replace("nodes: 4", queue)), policy, 1);
        run.judge().unwrap();
        let outcomes = job_outcomes(&run.world, &run.trace);
        assert_eq!(outcomes.len(), 4);
        for outcome in outcomes {
            assert_eq!((outcome.wait(), outcome.slowdown(), outcome.cost), (Some(0.0), Some(1.0), 20.0), "{policy:?}");
        }
    }
}

#[test]
fn jobs_and_workflows_come_from_files_and_results_repeat_without_them() {
    let folder = tempfile::tempdir().unwrap();
    let line = |job: u32, submit: u32, run: i64, nodes: u32| {
        format!("{job} {submit} -1 {run} {nodes} -1 -1 {nodes} 600 -1 1 1 1 1 1 -1 -1 -1\n")
    };
    let log = line(1, 100, 300, 2) + &line(2, 160, 600, 1) + &line(3, 170, -1, 1) + &line(4, 7300, 60, 1);
    std::fs::write(folder.path().join("log.swf"), log).unwrap();
    std::fs::write(folder.path().join("job.dot"), "digraph { a [size=5]; b [size=5]; a -> b [size=2]; }").unwrap();
    let text = |path: &str| {
        format!(
            "(name: \"files\", experiment: Grid(horizon: 300, step: 10, time_unit: \"minutes\", domains: [(name: \"a\", nodes: 4)],
            flows: [(name: \"log\", work: Log(path: \"{path}\"), max_price: 1),
                (name: \"dot\", arrivals: Poisson(gap: 50), max_price: 9,
                    work: Workflow(nodes: 2, tasks: File(path: \"job.dot\", bandwidth: 1)))],
            metascheduler: (period: 5, interval: 60), policies: [Easy]))"
        )
    };
    let source = |path: &str| Source::new(folder.path().join("s.ron").to_string_lossy(), text(path));
    let read = |path: &str| load_study(&source(path), &[]);
    let study = read("log.swf").unwrap_or_else(|report| panic!("{report}"));
    let Experiment::Grid(spec) = &study.scenario().experiment else { unreachable!() };
    let world = draw_grid(&spec.grid(), &Streams::new(1, 0), Stop::NEVER).unwrap();
    let logged: Vec<_> = world.jobs.iter().filter(|job| job.request.name.starts_with("log")).collect();
    let minutes = |job: &Job| (job.arrival.as_f64(), job.request.nodes, job.request.length.as_f64(), job.actual[0]);
    let expected = [(0.0, 2, 10.0, 0.5), (1.0, 1, 10.0, 1.0), (120.0, 1, 10.0, 0.1)];
    assert_eq!(logged.into_iter().map(minutes).collect::<Vec<_>>(), expected, "the one that never ran is left out");
    assert!(world.jobs.iter().any(|job| job.workflow.as_ref().is_some_and(|dag| dag.tasks().len() == 2)));
    let first = gridloom::study::run(&study, &NoProgress).unwrap();
    let again = load_study(&Source::new("", first.scenario.clone()), &[]).unwrap_or_else(|report| panic!("{report}"));
    assert_eq!(first.notes, ["log.swf: of 4 jobs: 1 no runtime (cancelled, or over within a second), left out"]);
    let repeated = gridloom::study::run(&again, &NoProgress).unwrap();
    assert!(repeated == first, "what is listed is run as what was read, and what was said of it comes again");
    let report = read("missing.swf").unwrap_err().to_string();
    assert!(report.contains("experiment.flows[0].work.path") && report.contains("can't be read"), "{report}");
    // A specification that never was a study draws nothing.
    let raw: Scenario = load(source("log.swf"), &[]).unwrap();
    let Experiment::Grid(spec) = &raw.experiment else { unreachable!() };
    assert_eq!(
        draw_grid(&spec.grid(), &Streams::new(1, 0), Stop::NEVER).unwrap_err(),
        DrawError::Unread("log.swf".into())
    );
}

#[test]
fn the_exported_trace_tells_the_same_story_as_the_numbers() {
    let text = "(name: \"traced\", experiment: Grid(horizon: 200, step: 10, drain: UpTo(0), trace: true,
        domains: [(name: \"a\", nodes: 5, failures: (up: Exponential(mean: 90), down: 5), owners: [(load: 0.2, length: 6, notice: 10)])],
        flows: [(name: \"f\", arrivals: Load(load: 0.5), work: Rigid(nodes: 2, length: Uniform(low: 4, high: 12)), max_price: 3)],
        metascheduler: (period: 5, interval: 60), policies: [Easy], actual: Uniform(low: 0.5, high: 1.2)))";
    let study = load_study(&Source::new("traced.ron", text), &[]).unwrap_or_else(|report| panic!("{report}"));
    let outcome = gridloom::study::run(&study, &NoProgress).unwrap();
    let file = |name: &str| {
        let (_, bytes) = outcome.files.iter().find(|(file, _)| file == name).unwrap();
        String::from_utf8(bytes.bytes().unwrap().to_vec()).unwrap()
    };
    let trace: serde_json::Value = serde_json::from_str(&file("trace.json")).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    // Durations are in microseconds, a unit of time being a second.
    let busy = |category: &str| -> f64 {
        let of = events.iter().filter(|event| event["cat"] == category);
        of.map(|event| event["dur"].as_f64().unwrap() / 1e6).sum::<f64>() / (5.0 * 200.0)
    };
    let share = |metric: &str| outcome.results.rows.iter().find(|row| row.metric == metric).unwrap().mean;
    assert!((busy("local") - share("local load")).abs() < 1e-9);
    assert!((busy("failure") - share("down time")).abs() < 1e-9);
    // What runs at the end is counted as used.
    assert!((busy("job") - share("global load") - share("lost work")).abs() < 1e-9);
    let table = file("trace.csv");
    assert!(table.starts_with("time,event,node,job,task,from,to,detail\n"));
    assert!(table.lines().all(|line| line.split(',').count() == 8), "every line has eight fields");
    let finished = table.lines().filter(|line| line.contains(",finished,")).count();
    assert_eq!(finished as f64, share("jobs finished"));
    assert_eq!(file("jobs.csv").lines().count() as f64, 1.0 + share("jobs submitted"));
}

#[test]
fn batches_of_one_domain_at_a_time_never_cross_domains_and_with_one_domain_are_the_same() {
    let text = |domains: &str, scope: &str| {
        format!(
            "(horizon: 200, step: 10, domains: [{domains}],
            flows: [(name: \"f\", arrivals: Load(load: 0.7), work: Rigid(nodes: UniformInteger(low: 1, high: 3), length: Uniform(low: 2, high: 15)), max_price: 3)],
            metascheduler: (period: 5, interval: 60, batches: {scope}), policies: [Easy])"
        )
    };
    let (one, two) = ("(name: \"a\", nodes: 7)", "(name: \"a\", nodes: 4), (name: \"b\", nodes: 3)");
    for policy in ["Opt", "NoOpt", "Weighted"].map(policy) {
        let [together, apart] = ["Grid", "Domain"].map(|scope| Run::of(&grid(&text(one, scope)), &policy, 3));
        assert_eq!(together.trace, apart.trace, "{policy:?}");
        let crossing = |scope: &str| {
            let run = Run::of(&grid(&text(two, scope)), &policy, 3);
            run.judge().unwrap();
            let mut nodes = vec![[0usize; 2]; run.world.jobs.len()];
            for entry in &run.trace.entries {
                if let Event::Held(piece, ..) = entry.what {
                    nodes[piece.job.index()][usize::from(piece.node.0 >= 4)] += 1;
                }
            }
            let held = nodes.iter().fold([0, 0], |sum, nodes| [sum[0] + nodes[0], sum[1] + nodes[1]]);
            (nodes.iter().filter(|nodes| nodes[0] > 0 && nodes[1] > 0).count(), held)
        };
        let (crossed, [in_first, in_second]) = crossing("Domain");
        assert!(crossed == 0 && in_first > 0 && in_second > 0, "{policy:?}");
        assert!(crossing("Grid").0 > 0, "{policy:?}");
    }
}

#[test]
fn those_who_have_waited_long_overtake_those_who_pay_more() {
    // One node and jobs of 10: the cheap ones come at 0, 1 and 2, the rich ones at 3, 4 and 5, who offer 4 more.
    let order = |rank: &str| {
        let jobs = |first: u32| {
            (first..first + 3).map(|at| format!("(submit: {at}, nodes: 1, length: 10)")).collect::<Vec<_>>().join(", ")
        };
        let text = format!(
            "(horizon: 100, step: 10, domains: [(name: \"a\", nodes: 1)],
            flows: [(name: \"cheap\", work: Listed(jobs: [{}]), max_price: 1), (name: \"rich\", work: Listed(jobs: [{}]), max_price: 5)],
            metascheduler: (period: 1, interval: 60, rank: ({rank})), policies: [Fcfs])",
            jobs(0),
            jobs(3)
        );
        let run = Run::of(&grid(&text), &policy("Fcfs"), 1);
        let outcomes = job_outcomes(&run.world, &run.trace);
        let mut jobs: Vec<usize> = (0..outcomes.len()).collect();
        jobs.sort_by_key(|&job| outcomes[job].start.unwrap());
        jobs
    };
    // The first starts at once; the others are ranked while it runs.
    assert_eq!(order(""), [0, 1, 2, 3, 4, 5]);
    assert_eq!(order("price: 1"), [0, 3, 4, 5, 1, 2]);
    assert_eq!(order("wait: 1"), [0, 1, 2, 3, 4, 5]);
    // A unit of time weighs as much as a unit of price: 4 - 3 and 4 - 4 against -1, and 4 - 5 as much as it.
    assert_eq!(order("price: 1, wait: 1"), [0, 3, 4, 1, 5, 2]);
    assert_eq!(order("price: 1, wait: 5"), [0, 1, 2, 3, 4, 5]);
}
