//! Batch systems beneath the domains of a connected grid.

use super::simulated::{checked, grid, simulated};
use gridloom::check::check_grid;
use gridloom::engine::Stop;
use gridloom::language::{Source, load};
use gridloom::metrics::{GridMetrics, JobOutcome, job_outcomes};
use gridloom::model::{Job, JobId};
use gridloom::policy::{Acts, Decision, FirstWindow, Policy, PolicyError, View};
use gridloom::queueing::QueueRule;
use gridloom::rng::Streams;
use gridloom::sim::{Event, GridError, GridRules, GridTrace, Instants, LogRules, replay, select, simulate_grid};
use gridloom::study::{Experiment, Grid, load_study};
use gridloom::units::Time;
use gridloom::workload::swf::write;
use gridloom::workload::{GridWorld, Lublin, draw_grid};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// The jobs that were sent: where to, and the start that was predicted.
fn sent(trace: &GridTrace) -> Vec<(JobId, u32, Option<Time>)> {
    let sent = trace.entries.iter().filter_map(|entry| match entry.what {
        Event::Sent(job, domain, predicted) => Some((job, domain, predicted)),
        _ => None,
    });
    sent.collect()
}

#[test]
fn a_log_is_served_at_the_same_seconds_by_a_machine_and_by_the_batch_system_of_a_domain() {
    let lublin = Lublin { jobs: 1_500, nodes: 64, load: 0.8, seed: 3 };
    let records = lublin.draw();
    let folder = tempfile::tempdir().unwrap();
    let mut text = Vec::new();
    write(&mut text, &lublin.header(), records.iter().cloned()).unwrap();
    std::fs::write(folder.path().join("log.swf"), text).unwrap();
    for rule in QueueRule::ALL {
        let queue = match rule {
            QueueRule::Fcfs => "Fcfs",
            QueueRule::Easy => "Easy",
            _ => "Conservative",
        };
        // Slower and faster nodes in other domains, and a short horizon of the metascheduler, are of no concern.
        let scenario = format!(
            "(name: \"same\", experiment: Grid(horizon: 40000000, step: 20000000, time_unit: \"seconds\",
            domains: [(name: \"slow\", nodes: 3, performance: 0.5),
                (name: \"a\", nodes: 64, batch_system: (queue: {queue})), (name: \"fast\", nodes: 3, performance: 2)],
            flows: [(name: \"f\", domain: \"a\", work: Log(path: \"log.swf\"), max_price: 9)],
            metascheduler: (period: 5000000, interval: 1000), policies: [Easy]))"
        );
        let source = Source::new(folder.path().join("s.ron").to_string_lossy(), scenario);
        let study = load_study(&source, &[]).unwrap_or_else(|report| panic!("{report}"));
        let Experiment::Grid(spec) = study.scenario().experiment.clone() else { unreachable!() };
        let (world, _, trace) = checked(&spec, 1);
        let jobs = select(&records, 64, LogRules::default()).jobs;
        let placements = replay(&jobs, 64, rule, Instants::Batch).unwrap();
        let grid = job_outcomes(&world, &trace);
        assert_eq!((jobs.len(), grid.len()), (1_500, 1_500));
        assert!(grid.iter().filter(|job| job.wait() > Some(0.0)).count() > 300, "few wait under {rule:?}");
        for (job, (placement, outcome)) in placements.iter().zip(&grid).enumerate() {
            let replayed = placement.as_ref().map(|placement| Time::ZERO + (placement.start - jobs[0].submit));
            assert_eq!(replayed, outcome.start, "job {job} under {rule:?}");
        }
    }
}

/// Two systems of one rule with local flows and a global one; runtimes are as estimated.
fn exact(queue: &str, policy: &str) -> Grid {
    grid(&format!(
        "(horizon: 3000, step: 100, domains: [
            (name: \"a\", nodes: 8, batch_system: (queue: {queue})),
            (name: \"b\", nodes: 5, batch_system: (queue: {queue}))],
        flows: [
            (name: \"in a\", domain: \"a\", arrivals: Load(load: 0.5), work: Rigid(nodes: UniformInteger(low: 1, high: 8), length: Uniform(low: 5, high: 60)), max_price: 9),
            (name: \"in b\", domain: \"b\", arrivals: Load(load: 0.5), work: Rigid(nodes: UniformInteger(low: 1, high: 5), length: Uniform(low: 5, high: 60)), max_price: 9),
            (name: \"g\", arrivals: Load(load: 0.4), work: Rigid(nodes: UniformInteger(low: 1, high: 5), length: Uniform(low: 5, high: 60)), max_price: 9)],
        metascheduler: (period: 50, interval: 500), policies: [{policy}])"
    ))
}

#[test]
fn predictions_come_true_where_estimates_are_exact_and_no_job_overtakes() {
    for policy in ["RandomDomain", "LeastLoaded", "ShortestWait", "MulticriteriaWait"] {
        for seed in 0..3 {
            let (world, _, trace) = checked(&exact("Fcfs", policy), seed);
            let outcomes = job_outcomes(&world, &trace);
            let sent = sent(&trace);
            let started: Vec<_> = sent.iter().filter(|(job, ..)| outcomes[job.index()].start.is_some()).collect();
            let waited = started.iter().filter(|(job, ..)| outcomes[job.index()].wait() > Some(0.0)).count();
            assert!(started.len() > 40 && waited > 20, "{policy}: {} of {}", waited, started.len());
            for (job, _, predicted) in started {
                assert_eq!(outcomes[job.index()].start, *predicted, "{job} under {policy}");
            }
        }
    }
}

#[test]
fn a_conservative_system_keeps_what_it_predicts() {
    let (mut early, mut exact_starts) = (0, 0);
    for seed in 0..4 {
        let (world, _, trace) = checked(&exact("Conservative", "ShortestWait"), seed);
        let outcomes = job_outcomes(&world, &trace);
        for (job, _, predicted) in sent(&trace) {
            let (Some(start), Some(predicted)) = (outcomes[job.index()].start, predicted) else { continue };
            assert!(start <= predicted, "{job} starts at {start}, was told {predicted}");
            if start == predicted { exact_starts += 1 } else { early += 1 }
        }
    }
    // With exact estimates nothing becomes free that was not known of.
    assert!(early == 0 && exact_starts > 200, "{early} of {exact_starts} start early");
}

/// A policy that is a function.
struct Decides<F>(F);

impl<F: FnMut(&View<'_>) -> Result<Vec<Decision>, PolicyError>> Policy for Decides<F> {
    fn decide(&mut self, view: &View<'_>) -> Result<Vec<Decision>, PolicyError> {
        (self.0)(view)
    }
}

/// Runs a policy of the test's own, which acts on events.
fn simulate(spec: &Grid, policy: &mut dyn Policy, seed: u64) -> Result<(GridWorld, GridTrace), GridError> {
    let world = draw_grid(&spec.grid(), &Streams::new(seed, 0), Stop::NEVER).unwrap();
    let rules = GridRules { policy: "mine".into(), acts: Acts::Events, ..spec.rules(&spec.policies[0]) };
    let trace = simulate_grid(&world, &rules, policy, Stop::NEVER)?;
    check_grid(&world, &rules, &trace).unwrap_or_else(|broken| panic!("{broken}"));
    Ok((world, trace))
}

#[test]
fn reservations_break_no_promise_of_a_conservative_queue() {
    let text = "(horizon: 4000, step: 100, domains: [
            (name: \"a\", nodes: 8, batch_system: (queue: Conservative, reservations: true)),
            (name: \"b\", nodes: 5, batch_system: (queue: Conservative, reservations: true))],
        flows: [
            (name: \"in a\", domain: \"a\", arrivals: Load(load: 0.5), work: Rigid(nodes: UniformInteger(low: 1, high: 8), length: Uniform(low: 5, high: 60)), max_price: 9),
            (name: \"in b\", domain: \"b\", arrivals: Load(load: 0.5), work: Rigid(nodes: UniformInteger(low: 1, high: 5), length: Uniform(low: 5, high: 60)), max_price: 9),
            (name: \"g\", arrivals: Load(load: 0.3), work: Rigid(nodes: UniformInteger(low: 1, high: 12), length: Uniform(low: 5, high: 60)), max_price: 9)],
        metascheduler: (period: 50, interval: 500), policies: [Easy])";
    let spec = grid(text);
    let (mut promised, mut wide) = (0, 0);
    for seed in 0..3 {
        let mut promises: BTreeMap<JobId, Time> = BTreeMap::new();
        let search = spec.metascheduler().search.clone();
        let mut policy = Decides(|view: &View<'_>| {
            for waiting in view.systems.iter().flat_map(|system| &system.queue) {
                let promise = waiting.promise.expect("every job that waits has a promise");
                promises.entry(waiting.id).or_insert(promise);
            }
            // Windows as far ahead as there are some, over both domains.
            FirstWindow(search.get()).decide(view)
        });
        let (world, trace) = simulate(&spec, &mut policy, seed).unwrap();
        let outcomes = job_outcomes(&world, &trace);
        for (job, promise) in &promises {
            let start = outcomes[job.index()].start;
            assert!(
                start.is_none_or(|start| start <= *promise),
                "{job} was promised {promise} and starts at {start:?}"
            );
            assert!(start.is_some() || *promise >= trace.end, "{job} was promised {promise} and never starts");
        }
        promised += promises.len();
        let is_wide = |(job, outcome): &(&Job, &JobOutcome)| job.request.nodes > 8 && outcome.start.is_some();
        wide += world.jobs.iter().zip(&outcomes).filter(is_wide).count();
    }
    assert!(promised > 100, "{promised} promises");
    assert!(wide > 10, "{wide} jobs ran on nodes of both domains");
}

#[test]
fn the_time_of_a_system_without_reservations_is_not_offered() {
    let text = "(horizon: 100, step: 10, domains: [(name: \"a\", nodes: 2, batch_system: (queue: Easy)), (name: \"b\", nodes: 3)],
        flows: [(name: \"f\", arrivals: Batches(every: 50, size: 2), work: Rigid(nodes: 1, length: 10), max_price: 1)],
        metascheduler: (period: 5, interval: 60), policies: [Easy])";
    let mut seen = 0;
    let mut policy = Decides(|view: &View<'_>| {
        seen += 1;
        assert!(view.slots.as_slice().iter().all(|slot| slot.node.0 >= 2) && view.slots.len() == 3);
        assert_eq!((view.systems.len(), view.systems[0].domain, view.systems[0].nodes.len()), (1, 0, 2));
        Ok(Vec::new())
    });
    simulate(&grid(text), &mut policy, 1).unwrap();
    assert!(seen > 0);
}

#[test]
fn jobs_are_sent_only_where_they_can_wait() {
    let text = "(horizon: 100, step: 10, domains: [(name: \"a\", nodes: 2, batch_system: (queue: Easy)), (name: \"b\", nodes: 3)],
        flows: [(name: \"f\", arrivals: Batches(every: 50, size: 1), work: Rigid(nodes: 1, length: 10), max_price: 1),
            (name: \"wide\", arrivals: Batches(every: 50, size: 1), work: Rigid(nodes: 3, length: 10), max_price: 1),
            (name: \"w\", arrivals: Batches(every: 50, size: 1), work: Workflow(nodes: 2, tasks: Layered(tiers: 2, width: 1, density: 1, time: 3, transfer: 0)), max_price: 1)],
        metascheduler: (period: 5, interval: 60), policies: [Easy])";
    let spec = grid(text);
    let refused = |request: usize, domain: usize| {
        let mut policy = Decides(|_: &View<'_>| Ok(vec![Decision::Send { request, domain }]));
        simulate(&spec, &mut policy, 1).map(|_| ()).unwrap_err().to_string()
    };
    let what = |what: &str| format!("policy mine decided at time 0 on what can't be: {what}");
    assert_eq!(refused(0, 1), what("b, which has no batch system, for f-1"));
    assert_eq!(refused(0, 7), what("domain 7, which does not exist, for f-1"));
    assert_eq!(refused(1, 0), what("a, which has 2 nodes, for the 3 of wide-1"));
    assert_eq!(refused(2, 0), what("the workflow w-1 for the batch system of a"));
    let mut twice = Decides(|_: &View<'_>| Ok(vec![Decision::Send { request: 0, domain: 0 }; 2]));
    assert_eq!(simulate(&spec, &mut twice, 1).map(|_| ()).unwrap_err().to_string(), what("two places for f-1"));
}

#[test]
fn the_judge_notices_jobs_in_domains_that_are_not_theirs() {
    let text = "(horizon: 200, step: 10, domains: [(name: \"a\", nodes: 2, batch_system: (queue: Easy)), (name: \"b\", nodes: 2, batch_system: (queue: Fcfs))],
        flows: [(name: \"f\", arrivals: Poisson(gap: 20), work: Rigid(nodes: 1, length: 10), max_price: 1),
            (name: \"in a\", domain: \"a\", arrivals: Poisson(gap: 20), work: Rigid(nodes: 1, length: 10), max_price: 1)],
        metascheduler: (period: 5, interval: 60), policies: [RandomDomain])";
    let spec = grid(text);
    let (world, _, trace) = checked(&spec, 1);
    let rules = spec.rules(&spec.policies[0]);
    let judge = |world: &GridWorld, trace: &GridTrace| {
        check_grid(world, &rules, trace).map(|_| ()).map_err(|broken| broken.to_string())
    };
    judge(&world, &trace).unwrap();
    let notices = |what: &str, tamper: &dyn Fn(&mut GridWorld, &mut GridTrace)| {
        let (mut world, mut trace) = (world.clone(), trace.clone());
        tamper(&mut world, &mut trace);
        let said = judge(&world, &trace).expect_err(what);
        assert!(said.contains(what), "{said}");
    };
    let sent_at = trace.entries.iter().position(|entry| matches!(entry.what, Event::Sent(..))).unwrap();
    notices("which is not for it", &|_, trace| {
        let Event::Sent(job, domain, predicted) = trace.entries[sent_at].what else { unreachable!() };
        trace.entries[sent_at].what = Event::Sent(job, 1 - domain, predicted);
    });
    notices("which is not for it", &|_, trace| _ = trace.entries.remove(sent_at));
    notices("which is not for it", &|world, _| {
        world.jobs.iter_mut().filter(|job| job.home.is_some()).for_each(|job| job.home = Some(1));
    });
    notices("without a batch system", &|world, _| world.systems = vec![None; 2]);
    notices("which is local", &|world, _| world.jobs.iter_mut().for_each(|job| job.home = Some(0)));
    notices("a second time", &|_, trace| trace.entries.insert(sent_at, trace.entries[sent_at]));
}

#[test]
fn what_is_wrong_with_local_flows_is_said_where() {
    let report = |domains: &str, flow: &str, policy: &str| {
        let text = format!(
            "(horizon: 100, step: 10, domains: [{domains}], flows: [(name: \"f\", arrivals: Poisson(gap: 20), {flow}, max_price: 1)],
            metascheduler: (period: 5, interval: 60), policies: [{policy}])"
        );
        load::<Grid>(Source::new("bad.ron", text), &[]).unwrap_err().to_string()
    };
    let plain = "(name: \"alpha\", nodes: 2)";
    let queue = "(name: \"alpha\", nodes: 2, batch_system: (queue: Easy))";
    let rigid = "work: Rigid(nodes: 1, length: 1)";
    let said = report(queue, &format!("domain: \"alfa\", {rigid}"), "Easy");
    assert!(said.contains("flows[0].domain: there is no domain `alfa`") && said.contains("`alpha`"), "{said}");
    let said = report(plain, &format!("domain: \"alpha\", {rigid}"), "Easy");
    assert!(said.contains("flows[0].domain: the domain `alpha` has no batch system"), "{said}");
    let workflow = "domain: \"alpha\", work: Workflow(nodes: 1, tasks: Layered(tiers: 2, width: 1, density: 1, time: 3, transfer: 0))";
    let said = report(queue, workflow, "Easy");
    assert!(said.contains("flows[0].work: batch systems take rigid jobs only"), "{said}");
    let said = report(plain, rigid, "ShortestWait");
    assert!(said.contains("policies[0]: no domain has a batch system"), "{said}");
    let said = report(queue, rigid, "Easy");
    assert!(said.contains("policies[0]: all domains have batch systems that grant no reservations"), "{said}");
}

/// Grids with batch systems of all kinds, owners, failures, deadlines, overruns and prices that follow demand.
fn scenarios() -> impl Strategy<Value = String> {
    let system = || {
        let rule = prop::sample::select(vec!["Fcfs", "Easy", "Conservative"]);
        (rule, any::<bool>()).prop_map(|(rule, grants)| format!("Some((queue: {rule}, reservations: {grants}))"))
    };
    let failures = prop::option::of((5.0..80.0f64, 1.0..20.0f64));
    let loads = (0.0..0.3f64, 0.1..0.8f64, 0.1..0.8f64);
    let rules = (1.0..12.0f64, 20.0..80.0f64, prop::option::of(1.0..12.0f64), any::<bool>(), any::<bool>());
    (system(), system(), failures, loads, rules, (0.3..1.0f64, 0.0..1.0f64)).prop_map(
        |(one, other, failures, (owners, local, global), (period, interval, patience, per_slot, priced), actual)| {
            let failures = failures.map_or("None".into(), |(up, down)| {
                format!("Some((up: Exponential(mean: {up}), down: Uniform(low: 0, high: {down})))")
            });
            let patience = patience.map_or("None".into(), |most| format!("Some(Uniform(low: 0.5, high: {most}))"));
            let search = if per_slot { "Alp" } else { "Amp(budget_factor: 1.2)" };
            let pricing = if priced { "Some((elasticity: 0.5, target: 0.4))" } else { "None" };
            let (low, high) = (actual.0, actual.0 + actual.1);
            format!(
                "(horizon: 150, step: 10, domains: [
                    (name: \"a\", nodes: 3, performance: Uniform(low: 1, high: 3), batch_system: {one}, failures: {failures},
                        owners: [(load: {owners}, length: Uniform(low: 1, high: 9), notice: Uniform(low: 0, high: 9))]),
                    (name: \"b\", nodes: 4, price_spread: Uniform(low: -0.5, high: 0.5), batch_system: {other}),
                    (name: \"c\", nodes: 2, failures: {failures})],
                flows: [
                    (name: \"in a\", domain: \"a\", arrivals: Load(load: {local}), work: Rigid(nodes: UniformInteger(low: 1, high: 3), length: Uniform(low: 1, high: 12)),
                        max_price: 4, patience: {patience}),
                    (name: \"in b\", domain: \"b\", arrivals: Batches(every: 37, size: 5), work: Rigid(nodes: UniformInteger(low: 1, high: 4), length: 5), max_price: 4),
                    (name: \"g\", arrivals: Load(load: {global}), work: Rigid(nodes: UniformInteger(low: 1, high: 4), length: Uniform(low: 1, high: 12)),
                        max_price: Uniform(low: 0.5, high: 4), patience: {patience}),
                    (name: \"w\", arrivals: Poisson(gap: 40), work: Workflow(nodes: 2, window_factor: 1.5, tasks: Layered(tiers: 3,
                        width: UniformInteger(low: 1, high: 3), density: 0.5, time: Uniform(low: 0, high: 6), transfer: Uniform(low: 0, high: 2))), max_price: 4)],
                metascheduler: (period: {period}, interval: {interval}, search: {search}, attempts: 30,
                    rich_from: 2, genetic: (population: 8, patience: 5), exact: (nodes: 20, steps: 20)),
                policies: [POLICY], actual: Uniform(low: {low}, high: {high}), pricing: {pricing})"
            )
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    /// Policies that choose domains, and some of those that reserve, with their own acts or others: the check is in `run`.
    #[test]
    fn no_policy_breaks_a_law_above_batch_systems(
        text in scenarios(),
        seed in 0u64..1000,
        acts in prop::option::of(prop::sample::select(vec!["Cycles", "Submission", "Events"])),
    ) {
        for policy in [
            "RandomDomain", "LeastLoaded", "ShortestWait", "MulticriteriaWait", "Easy", "Conservative", "Fcfs",
            "Opt(MinTime)", "Multicriteria", "Greedy", "LpgaRepaired", "Reservations", "ApplicationOnly",
        ] {
            let own = acts.map(|acts| format!("(policy: {policy}, acts: {})", crate::grid::acts_of(policy, acts)));
            simulated(&text.replace("POLICY", own.as_deref().unwrap_or(policy)), seed);
        }
    }
}

#[test]
fn predictions_are_measured() {
    // At 0 one node is taken for 10 and predicted free then, but it is free at 5.
    let text = "(horizon: 100, step: 10, domains: [(name: \"a\", nodes: 1, batch_system: (queue: Fcfs))],
        flows: [(name: \"in a\", domain: \"a\", work: Listed((jobs: [(submit: 0, nodes: 1, length: 10, actual: 0.5)])), max_price: 1),
            (name: \"g\", work: Listed((jobs: [(submit: 1, nodes: 1, length: 4), (submit: 2, nodes: 1, length: 4)])), max_price: 1)],
        metascheduler: (period: 50, interval: 60), policies: [ShortestWait])";
    let spec = grid(text);
    let (world, _, trace) = checked(&spec, 1);
    let told: Vec<_> = sent(&trace).into_iter().map(|(job, domain, start)| (job.0, domain, start)).collect();
    assert_eq!(told, [(1, 0, Some(Time::from_units(10))), (2, 0, Some(Time::from_units(14)))]);
    let mut metrics = GridMetrics::new(&world, spec.step(), spec.slowdown_bound(), false);
    trace.tell(&mut metrics);
    let totals = metrics.finish().totals;
    let of = |name: &str| totals.iter().find(|measure| measure.metric.name() == name).unwrap().value;
    assert_eq!(of("wait of local jobs"), Some(0.0));
    // They start at 5 and 9: waits of 4 and 7 where 9 and 12 were predicted.
    assert_eq!(of("wait of global jobs"), Some(5.5));
    assert_eq!(of("predicted wait"), Some(10.5));
    assert_eq!(of("cost of global jobs"), Some(4.0));
    assert_eq!((of("error of predicted waits"), of("bias of predicted waits")), (Some(5.0), Some(5.0)));
}

#[test]
fn a_synthetic_log_is_that_of_its_domain_and_another_one_in_each_world() {
    let spec = grid(
        "(horizon: 500, step: 100, time_unit: \"hours\",
        domains: [(name: \"a\", nodes: 32, batch_system: (queue: Easy)), (name: \"b\", nodes: 100)],
        flows: [(name: \"f\", domain: \"a\", work: Lublin(jobs: 300, load: 0.6), max_price: 9)],
        metascheduler: (period: 50, interval: 100), policies: [Easy])",
    );
    let widths = |seed| {
        let (world, ..) = checked(&spec, seed);
        assert!(world.jobs.len() > 100 && world.jobs.iter().all(|job| job.home == Some(0)));
        world.jobs.iter().map(|job| job.request.nodes).collect::<Vec<_>>()
    };
    let (one, other) = (widths(1), widths(2));
    assert!(one != other && one == widths(1));
    let widest = one.iter().chain(&other).max();
    assert!(widest > Some(&16) && widest <= Some(&32), "{widest:?}");
}
