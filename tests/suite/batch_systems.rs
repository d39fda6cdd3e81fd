//! Batch systems beneath the domains of a connected grid.

use gridloom::check::check_grid;
use gridloom::engine::Stop;
use gridloom::language::{Source, load};
use gridloom::metrics::job_outcomes;
use gridloom::model::JobId;
use gridloom::policy::{PolicySpec, Setup};
use gridloom::queueing::QueueRule;
use gridloom::rng::Streams;
use gridloom::sim::{Event, GridTrace, Instants, LogRules, replay, select, simulate_grid};
use gridloom::study::{Experiment, Grid, load_study};
use gridloom::units::Time;
use gridloom::workload::swf::write;
use gridloom::workload::{GridWorld, Lublin, draw_grid};

fn scenario(text: &str) -> Grid {
    load(Source::new("grid.ron", text), &[]).unwrap_or_else(|report| panic!("{text}\n{report}"))
}

/// A run under the policy at a place of the list, which has passed the check.
fn run(spec: &Grid, policy: usize, seed: u64) -> (GridWorld, GridTrace) {
    let streams = Streams::new(seed, 0);
    let world = draw_grid(&spec.grid(), &streams, Stop::NEVER).unwrap();
    let entry = &spec.policies[policy];
    let mut made = entry.make(&Setup { metascheduler: &spec.metascheduler(), streams: &streams });
    let rules = spec.rules(entry);
    let trace = simulate_grid(&world, &rules, &mut *made, Stop::NEVER).unwrap();
    check_grid(&world, &rules, &trace).unwrap_or_else(|broken| panic!("{entry:?}\n{broken}"));
    (world, trace)
}

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
        let Experiment::Grid(spec) = &study.scenario().experiment else { unreachable!() };
        let (world, trace) = run(spec, 0, 1);
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
    scenario(&format!(
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
            let (world, trace) = run(&exact("Fcfs", policy), 0, seed);
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
        let (world, trace) = run(&exact("Conservative", "ShortestWait"), 0, seed);
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
