//! Promises of queues: who may overtake whom, and that no promise is broken where nothing unforeseen happens.

mod displaced;
mod slipped;

use super::simulated::{grid, simulated};
use gridloom::engine::Stop;
use gridloom::language::read_source;
use gridloom::metrics::GridMetrics;
use gridloom::policy::{Backfilling, Decision, LongQueue, Policy, PolicyError, Setup, View};
use gridloom::queueing::QueueRule;
use gridloom::rng::Streams;
use gridloom::sim::{Event, simulate_grid};
use gridloom::study::{NoProgress, Usage, load_study, run};
use gridloom::units::{Span, Time};
use gridloom::workload::draw_grid;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

/// Starts worked out by hand, from the rules of the three queues.
#[test]
fn easy_lets_a_job_overtake_that_conservative_does_not() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/easy-vs-conservative.ron");
    let source = read_source(&path).unwrap_or_else(|report| panic!("{report}"));
    let study = load_study(&source, &[]).unwrap_or_else(|report| panic!("{report}"));
    let outcome = run(&study, &NoProgress).unwrap();
    let (_, jobs) = outcome.files.iter().find(|(name, _)| name == "jobs.csv").unwrap();
    let mut table = csv::Reader::from_reader(jobs.bytes().unwrap());
    let lines: Vec<csv::StringRecord> = table.records().map(Result::unwrap).collect();
    assert_eq!(outcome.schedules.len(), 3, "each policy is drawn");
    for (at, (policy, expected)) in [
        ("EASY", [0.0, 10.0, 23.0, 3.0, 10.0]),
        ("conservative", [0.0, 10.0, 20.0, 25.0, 4.0]),
        ("FCFS", [0.0, 10.0, 20.0, 25.0, 25.0]),
    ]
    .into_iter()
    .enumerate()
    {
        let of = lines.iter().filter(|line| &line[0] == policy);
        let starts: Vec<f64> = of.map(|line| line[4].parse().unwrap()).collect();
        assert_eq!(starts, expected, "{policy}");
        let schedule = &outcome.schedules[at];
        assert!(schedule.title.ends_with(policy), "{}", schedule.title);
        for (job, start) in (1..).zip(expected) {
            let bars = schedule.bars.iter().filter(|bar| bar.kind == Usage::Task && *bar.job == format!("job-{job}"));
            assert!(bars.map(|bar| bar.start).all(|drawn| drawn == start), "{policy}: job {job} is drawn elsewhere");
        }
        let broken = outcome.results.rows.iter().find(|row| row.series == policy && row.metric == "promises broken");
        assert_eq!(broken.unwrap().mean, 0.0, "{policy}");
    }
}

/// Promises of a run: how many there were, how many the metric says were broken, and how many jobs started after their
/// first one.
struct Kept {
    promises: f64,
    broken: f64,
    late: usize,
}

/// Equal nodes, no owners, no failures, no deadlines; `longest` is the longest runtime as a share of the estimate.
fn kept(policy: &str, nodes: u32, load_of_jobs: f64, shortest: f64, longest: f64, seed: u64) -> Kept {
    let text = format!(
        "(horizon: 150, step: 150, drain: UpTo(1000), domains: [(name: \"d\", nodes: {nodes})],
        flows: [(name: \"f\", arrivals: Load(load: {load_of_jobs}), max_price: 1, work: Rigid(
            nodes: UniformInteger(low: 1, high: {nodes}), length: Uniform(low: 1, high: 20)))],
        metascheduler: (period: 150, interval: 100000), actual: Uniform(low: {shortest}, high: {longest}),
        policies: [(policy: {policy}, acts: Events, order: Arrival)])"
    );
    let (world, _, trace) = simulated(&text, seed);
    let mut metrics = GridMetrics::new(&world, Span::from_units(150), Span::from_units(1), false);
    trace.tell(&mut metrics);
    let totals = metrics.finish().totals;
    let value = |name: &str| totals.iter().find(|measure| measure.metric.name() == name).unwrap().value.unwrap();
    let mut first: BTreeMap<usize, Time> = BTreeMap::new();
    let mut late = 0;
    for entry in &trace.entries {
        match entry.what {
            Event::Promised(job, start) => _ = first.entry(job.index()).or_insert(start),
            Event::Started(piece, ..) => {
                late += usize::from(first.get(&piece.job.index()).is_some_and(|&promised| entry.time > promised));
            }
            _ => {}
        }
    }
    Kept { promises: value("promises"), broken: value("promises broken"), late }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// Jobs that take their estimates at most give time back and take none, so that promises only ever move forward:
    /// those of all jobs under conservative backfilling, that of the head of the queue under EASY.
    #[test]
    fn no_promise_is_broken_where_nothing_unforeseen_happens(
        nodes in 2u32..9,
        load_of_jobs in 0.3..1.6f64,
        shortest in 0.1..1.0f64,
        is_exact in any::<bool>(),
        seed in 0u64..1000,
    ) {
        let shortest = if is_exact { 1.0 } else { shortest };
        for policy in ["Conservative", "Easy"] {
            let kept = kept(policy, nodes, load_of_jobs, shortest, 1.0, seed);
            prop_assert_eq!((kept.broken, kept.late), (0.0, 0), "{}", policy);
        }
    }
}

/// The law above is no matter of course: jobs that overrun their estimates break promises, and they are counted.
#[test]
fn overruns_break_promises() {
    for policy in ["Conservative", "Easy"] {
        let (exact, over) = (kept(policy, 6, 1.0, 0.5, 1.0, 1), kept(policy, 6, 1.0, 0.5, 2.0, 1));
        assert!(exact.promises > 10.0 && over.promises > 10.0, "{policy}");
        assert!(over.broken > 0.0 && over.late > 0, "{policy}: {} broken, {} late", over.broken, over.late);
    }
}

/// Backfilling twice: once as it is, from a queue that is not listed, and once from a list with a look at every job at every
/// decision.
struct Twice {
    usual: Backfilling,
    plain: Backfilling,
    decided: usize,
}

impl Policy for Twice {
    fn decide(&mut self, view: &View<'_>) -> Result<Vec<Decision>, PolicyError> {
        self.plain.decide(view)
    }

    fn decide_from(&mut self, view: &View<'_>, queue: &dyn LongQueue) -> Option<Result<Vec<Decision>, PolicyError>> {
        let listed = queue.list();
        let plain = self.plain.decide(&View { queue: &listed, ..*view });
        let usual = self.usual.decide_from(view, queue)?;
        let decided = [&plain, &usual].map(|decided| decided.as_ref().ok());
        assert_eq!(decided[0], decided[1], "at {} in decision {}", view.now, self.decided);
        self.decided += 1;
        Some(usual)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Whoever is passed over would have got nothing else: on unlike nodes with owners and failures, and more jobs than
    /// they can bear.
    #[test]
    fn no_job_is_passed_over_that_could_have_gained(
        nodes in 4u32..16,
        load_of_jobs in 0.8f64..2.5,
        patience in 2u32..40,
        rule in prop::sample::select(vec![QueueRule::Easy, QueueRule::Conservative, QueueRule::Conservative]),
        interval in prop::sample::select(vec![25, 60, 150, 480]),
        price in prop::sample::select(vec!["0.9", "1.2", "1.5"]),
        failures in prop::sample::select(vec!["", ", failures: (up: Exponential(mean: 400), down: Uniform(low: 30, high: 60))"]),
        search in prop::sample::select(vec!["", ", search: Alp", ", search: Amp(takes: FirstMet)"]),
        seed in 0u64..1000,
    ) {
        let text = format!(
            "(horizon: 600, step: 600, domains: [(name: \"d\", nodes: {nodes}, performance: Uniform(low: 1, high: 2),
                price_spread: Uniform(low: -0.2, high: 0.2),
                owners: [(load: 0.1, length: Uniform(low: 20, high: 90), notice: 60),
                    (load: 0.03, length: Uniform(low: 5, high: 20))]{failures})],
            flows: [(name: \"f\", arrivals: Load(load: {load_of_jobs}), max_price: {price}, patience: Uniform(low: 1.5, high: {patience}),
                work: Rigid(nodes: UniformInteger(low: 1, high: 5), length: Uniform(low: 10, high: 90)))],
            metascheduler: (period: 5, interval: {interval}{search}), actual: Uniform(low: 0.5, high: 1.1),
            policies: [Conservative])"
        );
        let spec = grid(&text);
        let streams = Streams::new(seed, 0);
        let world = draw_grid(&spec.grid(), &streams, Stop::NEVER).unwrap();
        let rules = spec.rules(&spec.policies[0]);
        let finder = Setup { metascheduler: &spec.metascheduler(), streams: &streams }.finder();
        let queue = || Backfilling::new(rule, finder);
        let mut twice = Twice { usual: queue(), plain: queue(), decided: 0 };
        twice.plain.look_at_all();
        simulate_grid(&world, &rules, &mut twice, Stop::NEVER).unwrap();
        prop_assert!(twice.decided > 0);
    }
}
