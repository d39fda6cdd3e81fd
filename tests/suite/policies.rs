//! Policies that fail, that decide on what can't be, or whose limits are out of reach; and runs that are followed while they happen.

use super::simulated::{grid, simulated};
use gridloom::broker::{Answer, Broker, BrokerError, CostTable};
use gridloom::check::check_grid;
use gridloom::engine::Stop;
use gridloom::language::Source;
use gridloom::metrics::{GridFigures, GridMetrics, JobOutcome, Metric, job_outcomes};
use gridloom::model::{CostLimit, Interval, JobId, NodeId, Slot, Window};
use gridloom::policy::{
    Acts, BrokerResources, BrokerTerms, Brokered, Decision, FirstWindow, Policy, PolicyError, PolicySpec, Setup, View,
    WhyUnplanned,
};
use gridloom::rng::{Stream, Streams};
use gridloom::sim::{Event, GridEntry, GridError, GridRules, GridTrace, Observer, observe_grid, simulate_grid};
use gridloom::study::Grid;
use gridloom::study::{GridMetric, NoProgress, NotTaken, Outcome, load_study, run};
use gridloom::units::{Span, Time};
use gridloom::workload::{GridWorld, draw_grid};

/// Two nodes and two jobs on one node each, at 0 and at 50.
const QUIET: &str = "(horizon: 100, step: 10, domains: [(name: \"a\", nodes: 2)],
    flows: [(name: \"f\", arrivals: Batches(every: 50, size: 2), work: Rigid(nodes: 1, length: 10), max_price: 1)],
    metascheduler: (period: 5, interval: 60), policies: [(policy: Easy, acts: Cycles)])";

/// More jobs than the nodes can serve.
const OVERLOADED: &str = "(horizon: 1000, step: 100, domains: [(name: \"a\", nodes: 4)],
    flows: [(name: \"f\", arrivals: Load(load: 2), work: Rigid(nodes: UniformInteger(low: 1, high: 2), length: Uniform(low: 2, high: 9)), max_price: 2)],
    metascheduler: (period: 2, interval: 60), policies: [Easy], actual: Uniform(low: 0.6, high: 1.2))";

fn world(spec: &Grid) -> GridWorld {
    draw_grid(&spec.grid(), &Streams::new(1, 0), Stop::NEVER).unwrap()
}

/// Runs a policy of the test's own.
fn simulate(policy: impl Policy + 'static, stop: &Stop) -> Result<GridTrace, GridError> {
    let spec = grid(QUIET);
    let mut policy = policy;
    let rules = GridRules { policy: "mine".into(), limit: CostLimit::PerSlot, ..spec.rules(&spec.policies[0]) };
    simulate_grid(&world(&spec), &rules, &mut policy, stop)
}

/// A policy that is a function.
struct Decides<F>(F);

impl<F: FnMut(&View<'_>) -> Result<Vec<Decision>, PolicyError>> Policy for Decides<F> {
    fn decide(&mut self, view: &View<'_>) -> Result<Vec<Decision>, PolicyError> {
        (self.0)(view)
    }
}

fn message(policy: impl Policy + 'static) -> String {
    simulate(policy, Stop::NEVER).expect_err("the run fails").to_string()
}

fn window(start: i64, node: u32) -> Window {
    Window::new(Time::from_units(start), vec![(NodeId(node), Span::from_units(10))])
}

#[test]
fn a_run_with_a_failing_policy_fails_with_its_name_the_time_and_the_reason() {
    let shaky = Decides(|view: &View<'_>| match view.now < Time::from_units(10) {
        true => Ok(Vec::new()),
        false => Err(PolicyError::Other("out of ideas".into())),
    });
    assert_eq!(message(shaky), "policy mine failed at time 10: out of ideas");
}

#[test]
fn a_broker_whose_solver_gives_up_ends_the_run() {
    struct GivesUp;
    impl Broker for GivesUp {
        fn name(&self) -> &'static str {
            "gives up"
        }
        fn assign(&self, _: &CostTable, _: &mut Stream) -> Result<Answer, BrokerError> {
            Err(BrokerError::Solver("no optimum".into()))
        }
    }
    let stream = Streams::new(1, 0).stream("broker");
    let terms = BrokerTerms { limit: CostLimit::PerSlot, resources: BrokerResources::Groups, ahead: false };
    let brokered = Brokered { broker: Box::new(GivesUp), terms, stream };
    let expected = "policy mine failed at time 0: the linear program of a round was not solved: no optimum";
    assert_eq!(message(brokered), expected);
}

#[test]
fn decisions_that_can_not_be_name_the_policy_and_are_no_panic() {
    let reserve = |request: usize, window: Window| Decision::Reserve { request, window };
    let never = |what: &str, decisions: &dyn Fn() -> Vec<Decision>| {
        // From the second cycle on, so that there is a past.
        let decided = decisions();
        let policy = Decides(move |view: &View<'_>| Ok(if view.now == Time::ZERO { vec![] } else { decided.clone() }));
        let said = message(policy);
        let expected = format!("policy mine decided at time 5 on what can't be: {what}");
        assert!(said.starts_with(&expected), "{said}");
    };
    never("request 2 of 2 in the queue", &|| vec![reserve(2, window(5, 0))]);
    never("request 7 of 2 in the queue", &|| vec![Decision::NoPlan { request: 7, why: WhyUnplanned::NoTime }]);
    never("two places for f-1", &|| vec![reserve(0, window(5, 0)), reserve(0, window(5, 1))]);
    never("[4, 14) on a-1 for f-1", &|| vec![reserve(0, window(4, 0))]);
    never("time for f-2 that is taken", &|| vec![reserve(0, window(5, 1)), reserve(1, window(14, 1))]);
    never("node 9, which does not exist, for f-1", &|| vec![reserve(0, window(5, 9))]);
    let slot =
        |start, end| Slot { node: NodeId(0), interval: Interval::new(Time::from_units(start), Time::from_units(end)) };
    never("2 places for the 1 tasks of f-1", &|| {
        vec![Decision::Plan { request: 0, tasks: vec![slot(5, 9), slot(9, 12)], by_fallback: false }]
    });
    never("[5, 5) on a-1 for f-1", &|| {
        vec![Decision::Plan { request: 0, tasks: vec![slot(5, 5)], by_fallback: false }]
    });
}

#[test]
fn a_run_ends_before_the_next_policy_call_once_it_is_asked_to() {
    let stop = Stop::new();
    let (token, calls) = (stop.clone(), std::rc::Rc::new(std::cell::Cell::new(0)));
    let counted = calls.clone();
    let impatient = Decides(move |_: &View<'_>| {
        counted.set(counted.get() + 1);
        if counted.get() == 3 {
            token.set();
        }
        Ok(Vec::new())
    });
    assert!(matches!(simulate(impatient, &stop), Err(GridError::Stopped(_))));
    assert_eq!(calls.get(), 3);
}

#[test]
fn the_limit_of_a_batch_is_within_reach_whatever_the_unit_of_time() {
    // T* is the mean time to the tick. Rounded down to a whole unit, it would be too short for a window of 10.5.
    let text = "(name: \"unmet\", replications: 2, experiment: Grid(horizon: 100, step: 10, domains: [(name: \"a\", nodes: 2)],
        flows: [(name: \"f\", arrivals: Batches(every: 20, size: 1), work: Rigid(nodes: 1, length: LENGTH), max_price: 1)],
        metascheduler: (period: 5, interval: 60), policies: [Opt(MinCost), NoOpt(MinCost), Weighted, Easy]))";
    let unmet = |length: &str| {
        let text = text.replace("LENGTH", length);
        let study = load_study(&Source::new("unmet.ron", text), &[]).unwrap_or_else(|report| panic!("{report}"));
        let rows = run(&study, &NoProgress).unwrap().results.rows;
        let of = rows.into_iter().filter(|row| row.metric == "cycles whose limit could not be met");
        of.map(|row| (row.series, row.mean)).collect::<Vec<_>>()
    };
    let none = ["OPT min cost", "NO OPT min cost", "weighted"].map(|name| (name.to_string(), 0.0));
    for length in ["10.5", "10", "0.7"] {
        assert_eq!(unmet(length), none, "{length}");
    }
}

#[test]
fn a_grid_means_the_same_in_minutes_and_in_hours() {
    let text = |unit: f64| {
        let [horizon, period, interval, low, high, gap] =
            [1440.0, 10.0, 480.0, 7.0, 90.0, 12.0].map(|minutes| minutes / unit);
        format!(
            "(name: \"unit\", replications: 2, experiment: Grid(horizon: {horizon}, step: {horizon},
            domains: [(name: \"a\", nodes: 12, performance: Uniform(low: 1, high: 3),
                price_spread: Uniform(low: -0.3, high: 0.3))],
            flows: [(name: \"f\", arrivals: Poisson(gap: {gap}), max_price: 3,
                work: Rigid(nodes: UniformInteger(low: 1, high: 3), length: Uniform(low: {low}, high: {high})))],
            metascheduler: (period: {period}, interval: {interval}), policies: [Opt(MinCost), Opt(MinTime), NoOpt(MinTime)]))"
        )
    };
    let waits = |unit: f64| {
        let study = load_study(&Source::new("unit.ron", text(unit)), &[]).unwrap_or_else(|report| panic!("{report}"));
        let rows = run(&study, &NoProgress).unwrap().results.rows;
        rows.into_iter().filter(|row| row.metric == "wait").map(|row| row.mean * unit).collect::<Vec<f64>>()
    };
    let (minutes, hours) = (waits(1.0), waits(60.0));
    assert_eq!(minutes.len(), 3);
    // Times are whole ticks, a millionth of the unit.
    for (one, other) in minutes.iter().zip(&hours) {
        assert!((one - other).abs() < 0.02 * one, "{minutes:?} {hours:?}");
    }
}

/// Counts what it is told, and stores nothing.
#[derive(Default)]
struct Count {
    notes: u64,
    postponed: u64,
}

impl Observer for Count {
    fn note(&mut self, entry: &GridEntry) {
        self.notes += 1;
        self.postponed += u64::from(matches!(entry.what, Event::Postponed(_)));
    }
    fn postponed(&mut self, _: Time, jobs: &[JobId]) {
        self.postponed += jobs.len() as u64;
    }
}

#[test]
fn what_is_noted_grows_with_the_jobs_and_not_with_their_cycles() {
    let spec = grid(OVERLOADED);
    let world = world(&spec);
    let streams = Streams::new(1, 0);
    let observe = |observer: &mut dyn Observer| {
        let easy = &spec.policies[0];
        let mut policy = easy.make(&Setup { metascheduler: &spec.metascheduler(), streams: &streams });
        observe_grid(&world, &spec.rules(easy), &mut *policy, Stop::NEVER, observer).unwrap();
    };
    let mut count = Count::default();
    observe(&mut count);
    let jobs = world.jobs.len() as u64;
    assert!(count.notes < 12 * jobs && count.postponed > 40 * jobs, "{jobs} {} {}", count.notes, count.postponed);
    // A recorded trace has an entry for each, as files of traces do.
    let mut trace = GridTrace::new(world.end);
    observe(&mut trace);
    let stored = trace.entries.iter().filter(|entry| matches!(entry.what, Event::Postponed(_))).count() as u64;
    assert_eq!(stored, count.postponed);
    // Whoever is told of the recorded run comes to the same numbers as who followed it.
    let mut followed = GridMetrics::new(&world, spec.step(), spec.slowdown_bound(), false);
    observe(&mut followed);
    let mut told = GridMetrics::new(&world, spec.step(), spec.slowdown_bound(), false);
    trace.tell(&mut told);
    let (followed, told): (GridFigures, GridFigures) = (followed.finish(), told.finish());
    assert_eq!(followed, told);
    assert_eq!(followed.outcomes.iter().map(|job| u64::from(job.postponed)).sum::<u64>(), stored);
}

/// The last in the queue first, wherever there is room.
struct LastFirst;

impl PolicySpec for LastFirst {
    fn name(&self) -> String {
        "last first".into()
    }

    fn make(&self, setup: &Setup<'_>) -> Box<dyn Policy> {
        let search = setup.search().clone();
        setup.two_tier(Decides(move |view: &View<'_>| {
            let queue: Vec<_> = view.queue.iter().rev().copied().collect();
            let mut decided = FirstWindow(search.get()).decide(&View { queue: &queue, ..*view })?;
            for decision in &mut decided {
                if let Decision::Reserve { request, .. } = decision {
                    *request = queue.len() - 1 - *request;
                }
            }
            Ok(decided)
        }))
    }

    fn acts(&self) -> Acts {
        Acts::Events
    }
}

/// How many jobs waited at all.
struct Waited;

impl GridMetric for Waited {
    fn declared(&self) -> Metric {
        Metric::new("jobs that waited", "per run", "Jobs that did not start at once.").at_least(0.0)
    }

    fn measure(&self, world: &GridWorld, jobs: &[JobOutcome]) -> Option<f64> {
        assert_eq!(world.jobs.len(), jobs.len());
        Some(jobs.iter().filter(|job| job.wait() > Some(0.0)).count() as f64)
    }
}

#[test]
fn a_program_runs_a_policy_and_a_metric_of_its_own() {
    let grid = OVERLOADED.replace("horizon: 1000", "horizon: 200");
    let text = format!("(name: \"own\", replications: 3, experiment: Grid{grid})");
    let study = load_study(&Source::new("own.ron", text), &[]).unwrap_or_else(|report| panic!("{report}"));
    let study = study.with_policy(LastFirst).unwrap().with_metric(Waited).unwrap();
    let again = study.clone().with_policy(LastFirst).unwrap_err();
    assert_eq!(again, NotTaken::Repeated("last first".into()));
    let outcome = run(&study, &NoProgress).unwrap();
    let of = |series: &str, metric: &str| {
        let mut rows = outcome.results.rows.iter();
        let row = rows.find(|row| row.series == series && row.metric == metric);
        row.inspect(|row| assert_eq!(row.unit, "per run")).map(|row| (row.mean, row.n))
    };
    let (easy, own) = (of("EASY", "jobs that waited").unwrap(), of("last first", "jobs that waited").unwrap());
    assert!(easy.0 > 0.0 && own.0 > 0.0 && easy.1 == 3, "{easy:?} {own:?}");
    let difference = of("last first against EASY", "difference in jobs that waited").unwrap().0;
    assert!((difference - (own.0 - easy.0)).abs() < 1e-9);
    assert!(outcome.notes.iter().any(|note| note.starts_with("last first comes from outside")), "{:?}", outcome.notes);
    // The same again, to the last bit.
    assert_eq!(run(&study, &NoProgress).unwrap().results, outcome.results);
}

#[test]
fn only_grids_with_jobs_take_policies_from_outside() {
    let text = "(name: \"owners\", experiment: Grid(horizon: 8, step: 4, domains: [(name: \"d\", nodes: 2)]))";
    let study = load_study(&Source::new("owners.ron", text), &[]).unwrap_or_else(|report| panic!("{report}"));
    assert_eq!(study.with_policy(LastFirst).unwrap_err(), NotTaken::NoGrid("Grid"));
}

#[test]
fn weighted_policies_are_told_apart_by_their_weights_and_choose_by_them() {
    // A cheap slow node and a dear fast one; the cheap window is four times as long.
    let text = |policies: &str| {
        format!("(name: \"weights\", experiment: Grid(horizon: 100, step: 10,
        domains: [(name: \"slow\", nodes: 1, performance: 1, price_scale: 1), (name: \"fast\", nodes: 1, performance: 4, price_scale: 2)],
        flows: [(name: \"f\", arrivals: Batches(every: 100, size: 4), work: Rigid(nodes: 1, length: 8), max_price: 9)],
        metascheduler: (period: 5, interval: 60, alternatives: 4), policies: [{policies}]))")
    };
    let load = |policies: &str| load_study(&Source::new("weights.ron", text(policies)), &[]);
    let policies =
        "Weighted, Weighted(cost: 9, start: 0), Weighted(time: 9, start: 0), (policy: Weighted, name: \"the same\")";
    let study = load(policies).unwrap_or_else(|report| panic!("{report}"));
    let outcome = run(&study, &NoProgress).unwrap();
    let cost = |series: &str| {
        let of = |row: &&gridloom::study::Row| row.series == series && row.metric == "job cost";
        outcome.results.rows.iter().find(of).map(|row| row.mean)
    };
    assert!(cost("weighted").is_some() && cost("weighted") == cost("the same"));
    // On the slow node a job costs 8 and takes 8; on the fast one it costs 16 and takes 2.
    assert_eq!(cost("weighted, time 9, start 0"), Some(16.0));
    assert!(cost("weighted, cost 9, start 0") < Some(15.0));
    let refused = |policies: &str, part: &str| {
        let report = load(policies).unwrap_err().to_string();
        assert!(report.contains(part), "{report}");
    };
    refused("Weighted, Weighted(cost: 1)", "a policy of this name is in the list already");
    refused("(policy: Easy, name: \"\")", "policies[0].name: the name is empty");
    refused("(policy: Easy, name: \"a\\nb\")", "policies[0].name: the name has control characters");
    refused("Weighted(cost: 0, saved: 0, time: 0, idle: 0, start: 0)", "nothing would be weighed");
    refused("Weighted(cost: 1e9)", "policies[0].cost");
}

/// The mean of a metric of the whole run.
fn total(outcome: &Outcome, series: &str, metric: &str) -> f64 {
    let of = |row: &&gridloom::study::Row| row.series == series && row.metric == metric && row.x.is_none();
    outcome.results.rows.iter().find(of).unwrap_or_else(|| panic!("no {metric} of {series}")).mean
}

#[test]
fn workflows_without_a_plan_are_counted_by_reason_in_both_tiers() {
    let run_with = |factor: f64, price: f64, fallback: &str| {
        let text = format!("(name: \"plans\", replications: 3, experiment: Grid(horizon: 400, step: 100, domains: [(name: \"a\", nodes: 6)],
            flows: [(name: \"w\", arrivals: Poisson(gap: 8), max_price: {price}, patience: {},
                work: Workflow(nodes: 3, window_factor: {factor}, tasks: Layered(tiers: 4, width: UniformInteger(low: 2, high: 4),
                    density: 0.6, time: Uniform(low: 1, high: 9), transfer: Uniform(low: 0, high: 3))))],
            metascheduler: (period: 4, interval: 200, fallback: {fallback}), policies: [Easy, ApplicationOnly]))", factor);
        let study = load_study(&Source::new("plans.ron", text), &[]).unwrap_or_else(|report| panic!("{report}"));
        run(&study, &NoProgress).unwrap()
    };
    let reasons = |outcome: &Outcome, series: &str| {
        let of =
            WhyUnplanned::ALL.map(|why| total(outcome, series, &format!("windows without a plan: {}", why.name())));
        assert!((of.iter().sum::<f64>() - total(outcome, series, "windows without a plan")).abs() < 1e-9);
        of
    };
    let by_heft = |outcome: &Outcome, series: &str| total(outcome, series, "plans by HEFT instead");
    let both = ["EASY", "application only"];
    // Windows much shorter than the longest chain: no time for any plan.
    let short = run_with(0.3, 20.0, "Heft");
    for [no_time, not_found, expensive] in both.map(|series| reasons(&short, series)) {
        assert!(no_time > 0.0 && not_found + expensive == 0.0, "{no_time} {not_found} {expensive}");
    }
    assert!(both.iter().all(|series| by_heft(&short, series) == 0.0));
    // Windows of about the length of the job: HEFT finds some plans that chains don't, and without it they are missing.
    let tight = run_with(1.25, 20.0, "Heft");
    let postponed = run_with(1.25, 20.0, "Postpone");
    for series in both {
        assert!(by_heft(&tight, series) > 0.0 && by_heft(&postponed, series) == 0.0, "{series}");
        assert!(reasons(&postponed, series)[1] > reasons(&tight, series)[1], "{series}");
    }
    // The application level finds plans that cost too much; windows for them are not even reserved.
    let poor = run_with(3.0, 0.05, "Heft");
    assert!(reasons(&poor, "application only")[2] > 0.0);
    assert_eq!(reasons(&poor, "EASY"), [0.0; 3]);
}

#[test]
fn workflows_that_start_as_late_as_possible_start_later_and_keep_their_deadlines() {
    let starts = |policy: &str, strategy: &str| {
        let text = format!("(horizon: 2000, step: 100, domains: [(name: \"a\", nodes: 5), (name: \"b\", nodes: 4, performance: 2, price_scale: 3)],
            flows: [(name: \"w\", arrivals: Batches(every: 100, size: 1), max_price: 20, patience: 3,
                work: Workflow(nodes: 3, window_factor: 2, {strategy} tasks: Layered(tiers: 3, width: UniformInteger(low: 1, high: 3),
                    density: 0.6, time: Uniform(low: 1, high: 9), transfer: Uniform(low: 0, high: 2))))],
            metascheduler: (period: 1, interval: 200, rich_from: 30), policies: [{policy}])");
        let (world, _, trace) = simulated(&text, 1);
        let done = job_outcomes(&world, &trace);
        assert!(
            done.iter().zip(&world.jobs).all(|(done, job)| done.finish <= job.request.deadline),
            "{policy} {strategy}"
        );
        let measured = done.iter().filter(|done| world.measured.contains(done.submit));
        measured.map(|done| (done.start.unwrap(), done.finish.unwrap(), done.cost)).collect::<Vec<_>>()
    };
    for policy in ["ApplicationOnly", "Easy"] {
        let early = starts(policy, "strategy: EarliestFinish,");
        let late = starts(policy, "strategy: LatestStart,");
        let cheap = starts(policy, "strategy: Cheapest,");
        // Jobs are alone in the grid, so that each can be compared.
        assert!(early.iter().zip(&late).all(|(early, late)| early.0 < late.0), "{policy}");
        assert!(early.iter().zip(&late).all(|(early, late)| early.1 <= late.1), "{policy}");
        let total = |of: &[(Time, Time, f64)]| of.iter().map(|(_, _, cost)| cost).sum::<f64>();
        assert!(total(&cheap) <= total(&early), "{policy}");
        assert_eq!(cheap, starts(policy, ""), "jobs that offer less than `rich_from`");
    }
}

#[test]
fn nodes_beyond_the_price_limit_do_not_keep_a_domain_from_serving_workflows() {
    let run_with = |price: f64| {
        let text = format!("(name: \"prices\", replications: 2, experiment: Grid(horizon: 300, step: 100,
            domains: [(name: \"a\", nodes: 8, price_spread: Uniform(low: -0.5, high: 0.5))],
            flows: [(name: \"w\", arrivals: Poisson(gap: 20), max_price: {price}, work: Workflow(nodes: 2, tasks: Layered(tiers: 2,
                width: 2, density: 0.6, time: Uniform(low: 1, high: 9), transfer: 1)))],
            metascheduler: (period: 5, interval: 200, search: Alp), policies: [ApplicationOnly]))");
        let study = load_study(&Source::new("prices.ron", text), &[]).unwrap_or_else(|report| panic!("{report}"));
        run(&study, &NoProgress).unwrap()
    };
    let value = |outcome: &Outcome, metric: &str| total(outcome, "application only", metric);
    assert!(value(&run_with(1.0), "jobs finished") > 0.0);
    let poor = run_with(0.1);
    assert_eq!(value(&poor, "jobs finished"), 0.0);
    assert!(value(&poor, "windows without a plan: too expensive") > 0.0);
    assert_eq!(value(&poor, "windows without a plan: no time"), 0.0);
}

/// The starts of two jobs of all nodes, the second of which comes while the first runs.
fn starts_by_a_broker(domain: &str, ahead: bool, acts: &str) -> Vec<Option<f64>> {
    let text = format!(
        "(horizon: 100, step: 10, domains: [(name: \"a\", nodes: 2{domain})],
        flows: [(name: \"f\", work: Listed(jobs: [(submit: 0, nodes: 2, length: 30), (submit: 5, nodes: 2, length: 10)]), max_price: 1)],
        metascheduler: (period: 10, interval: 60, ahead: {ahead}), policies: [(policy: Greedy, acts: {acts})])"
    );
    let spec = grid(&text);
    let (world, streams) = (world(&spec), Streams::new(1, 0));
    let mut made = spec.policies[0].make(&Setup { metascheduler: &spec.metascheduler(), streams: &streams });
    let rules = spec.rules(&spec.policies[0]);
    let mut counted = Decided { policy: &mut *made, sent: 0, ahead: 0 };
    let trace = simulate_grid(&world, &rules, &mut counted, Stop::NEVER).unwrap();
    check_grid(&world, &rules, &trace).unwrap_or_else(|broken| panic!("{broken}"));
    assert_eq!(counted.sent > 0, domain.contains("batch_system"), "who has a queue is sent jobs");
    assert_eq!(counted.ahead > 0, ahead, "windows ahead are reserved by those who sell them");
    job_outcomes(&world, &trace).iter().map(|job| job.start.map(Time::as_f64)).collect()
}

/// Counts the jobs that a policy sends, and those that it reserves a later time for.
struct Decided<'p> {
    policy: &'p mut dyn Policy,
    sent: u32,
    ahead: u32,
}

impl Policy for Decided<'_> {
    fn decide(&mut self, view: &View<'_>) -> Result<Vec<Decision>, PolicyError> {
        let decisions = self.policy.decide(view)?;
        for decision in &decisions {
            match decision {
                Decision::Send { .. } => self.sent += 1,
                Decision::Reserve { window, .. } if window.start() > view.now => self.ahead += 1,
                _ => {}
            }
        }
        Ok(decisions)
    }
}

#[test]
fn brokers_sell_idle_nodes_or_windows_ahead_or_places_in_queues() {
    assert_eq!(starts_by_a_broker("", false, "Cycles"), [Some(0.0), Some(30.0)], "at the cycle when nodes are idle");
    assert_eq!(starts_by_a_broker("", true, "Submission"), [Some(0.0), Some(30.0)], "reserved at 5");
    let queue = ", batch_system: (queue: Fcfs)";
    assert_eq!(starts_by_a_broker(queue, false, "Submission"), [Some(0.0), Some(30.0)], "as the queue has it");
}
