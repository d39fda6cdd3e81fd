//! What would take too long or too much is refused with an estimate, or ends with an error; nothing panics.

use gridloom::engine::{Limits, Stop};
use gridloom::language::{Describe, Parts, Source, load};
use gridloom::rng::Streams;
use gridloom::study::{Experiment, Scenario};
use gridloom::study::{NoProgress, RunError, load_study, run};
use gridloom::workload::draw_grid_within;
use proptest::prelude::*;
use std::fmt::Write;

/// A connected grid with these parts in place of the usual ones.
fn grid(parts: &[(&str, &str)]) -> String {
    let part = |name: &str, usual: &'static str| {
        parts.iter().find(|(part, _)| *part == name).map_or(usual.to_string(), |(_, given)| given.to_string())
    };
    format!(
        "(name: \"h\", limits: ({}), experiment: Grid(horizon: {}, step: {}, drain: UpTo(0), domains: [(name: \"d\", nodes: 4{})],
            flows: [(name: \"f\", {}, max_price: 2)], metascheduler: (period: {}, interval: 480), policies: [Easy]))",
        part("limits", ""),
        part("horizon", "1440"),
        part("step", "60"),
        part("domain", ""),
        part("flow", "arrivals: Load(load: 0.3), work: Rigid(nodes: 1, length: 10)"),
        part("period", "10"),
    )
}

fn refusal(text: &str) -> String {
    match load_study(&Source::new("h.ron", text.to_string()), &[]) {
        Ok(_) => panic!("this passes: {text}"),
        Err(report) => report.to_string(),
    }
}

fn outcome(text: &str) -> Result<(), RunError> {
    let study = load_study(&Source::new("h.ron", text.to_string()), &[]).unwrap_or_else(|report| panic!("{report}"));
    run(&study, &NoProgress).map(|_| ())
}

#[track_caller]
fn is_refused(parts: &[(&str, &str)], place: &str, wrong: &str) {
    let said = refusal(&grid(parts));
    assert!(said.contains(place) && said.contains(wrong), "{said}");
}

#[test]
fn quantities_that_could_leave_their_range_are_refused_with_job_and_field() {
    let mut chain = String::new();
    for task in 0..100 {
        let after = if task == 0 { String::new() } else { format!(", after: [(task: \"t{}\")]", task - 1) };
        write!(chain, "(name: \"t{task}\", time: 1000000000{after}), ").unwrap();
    }
    let tasks = format!("arrivals: Poisson(gap: 10), work: Workflow(tasks: Listed(tasks: [{chain}]), nodes: 2)");
    is_refused(
        &[("flow", &tasks)],
        "flows[0].work.tasks",
        "a job could take up to 2e11 time units on the slowest nodes",
    );
    let listed = |job: &str| format!("work: Listed(jobs: [(submit: 10, nodes: 1, {job})])");
    is_refused(
        &[("flow", &listed("length: 10, actual: 1e15"))],
        "flows[0].work.jobs[0].actual",
        "the job would really run for 1000000000000000 times its estimate",
    );
    is_refused(
        &[("flow", &listed("length: 1e9, actual: 999"))],
        "flows[0].work.jobs[0].actual",
        "the job would really run for 1.0e12",
    );
    let patient = format!("{}, patience: 9223.372036036", listed("length: 1000000000"));
    is_refused(&[("flow", &patient)], "flows[0].patience", "the deadline of job 1 could be 9.2e12 time units after");
}

/// The commented scenario of a kind, with one field changed.
fn starter(kind: &str, change: &str) -> Result<(), String> {
    let Parts::Variants(kinds) = Experiment::describe().parts else { panic!("experiments are a choice") };
    let text = kinds.iter().find(|variant| variant.name == kind).and_then(|variant| variant.starter).unwrap();
    let changes = ["replications=2".to_string(), change.to_string()];
    let study = load_study(&Source::new("s.ron", text), &changes).map_err(|report| report.to_string())?;
    run(&study, &NoProgress).map(|_| ()).map_err(|error| format!("at run: {error}"))
}

#[test]
fn prices_that_make_costs_leave_their_range_are_refused_and_limits_without_effect_are_not() {
    let dummy = starter("Brokers", "experiment.dummy_price=1000000000").unwrap_err();
    assert!(dummy.contains("experiment.dummy_price: all jobs together would cost "), "{dummy}");
    let budget = starter("Brokers", "experiment.jobs.runtime=1000000").unwrap_err();
    assert!(!budget.contains("at run"), "{budget}");
    // No node costs as much as that.
    starter("Batches", "experiment.cases[0].jobs.price_base=1000000000000").unwrap();
}

#[test]
fn what_would_never_end_is_refused_with_an_estimate() {
    is_refused(&[("period", "0.000001")], "metascheduler.period", "about 1.4e9 cycles would come");
    let long = [
        ("horizon", "1000000000"),
        ("step", "100000000"),
        ("flow", "arrivals: Poisson(gap: 1e6), work: Rigid(nodes: 1, length: 10)"),
    ];
    is_refused(&long, "experiment: ", "about 1.0e8 events would come in all");
    let outages = ", failures: (up: Discrete([(0, 1000000000), (1000000000, 1)]), down: 0.000001)";
    is_refused(&[("domain", outages)], "domains[0].failures", "about 2.4e9 outages would be drawn");
    let owners = ", owners: [(gap: Discrete([(0, 1000000000), (1000000000, 1)]), length: 0.00001)]";
    is_refused(&[("domain", owners)], "domains[0].owners[0]", "about 4.0e9 tasks of owners would be drawn");
    let rates = "0, ".repeat(200_000) + "1";
    let daily =
        format!("arrivals: Load(load: 0.3, daily: (day: 1440, rates: [{rates}])), work: Rigid(nodes: 1, length: 0.01)");
    is_refused(&[("flow", &daily)], "flows[0].arrivals", "arrivals would be drawn");
}

#[test]
fn a_scenario_raises_its_limits() {
    let said = refusal(&grid(&[("limits", "events: 100")]));
    assert!(
        said.contains("more than the 100 events that a run may have") && said.contains("raise `limits.events`"),
        "{said}"
    );
    let said = refusal(&grid(&[("limits", "memory: 1000")]));
    assert!(
        said.contains("bytes of memory, more than the 1.0e3 it may; let less come up, or raise `limits.memory`"),
        "{said}"
    );
    outcome(&grid(&[("limits", "events: 100000, memory: 1000000")])).unwrap();
}

#[test]
fn intervals_that_owners_could_never_fill_are_refused() {
    let text = "(name: \"h\", experiment: Workflows(
        cases: [(name: \"5 tiers\", tasks: Layered(tiers: 5, width: 2, density: 0.4, time: 6, transfer: 2))], methods: [Heft],
        domain: (nodes: 3, types: [1, 2], occupancy: 0.3, local_length: 6), deadline_factor: 4294967296))";
    let said = refusal(text);
    assert!(said.contains("experiment.deadline_factor: about 2.6e10 tasks of owners would be drawn"), "{said}");
}

/// What can't be foreseen ends the run: listed jobs on several nodes have more events than were reckoned with.
#[test]
fn more_windows_than_a_run_may_collect_are_refused() {
    let cycles = |length: &str| {
        format!(
            "(name: \"w\", experiment: Batches(cases: [(name: \"c\", world: Slots(count: 135, length: {length}, performance: 2, same_start: 0.4,
                gap: 5, price_factor: 1, price_base: 1.7), jobs: (count: 5, nodes: 3, length: 100, min_performance: 1, price_factor: 1, price_base: 1.7),
                searches: [Alp], compare: Searches(ways: [Opt(MinTime), Opt(MinCost)]))]))"
        )
    };
    let said = refusal(&cycles("Uniform(low: 50, high: 1e9)"));
    assert!(said.contains("experiment.cases[0].world: about 4.5e8 windows could be collected"), "{said}");
    outcome(&cycles("Uniform(low: 50, high: 300)")).unwrap();
    let criteria = "(name: \"w\", experiment: Windows(world: Environment(nodes: 100, interval: 600, performance: 5, price_spread: 0,
        load: (low: 1, high: 5, length: 55)), requests: [(name: \"r\", nodes: 5, length: 0.000001, min_performance: 2, max_price: 2)], searches: [MinCost]))";
    let said = refusal(criteria);
    assert!(said.contains("experiment.requests[0].length: about 3.0e10 windows could be collected"), "{said}");
}

#[test]
fn a_deadline_that_owners_could_never_fill_is_refused() {
    let workflow = |deadline: &str| {
        format!(
            "(name: \"d\", experiment: Workflows(cases: [(name: \"job\", tasks: Listed(tasks: [(name: \"a\", time: 2)]))], methods: [Heft],
                domain: (nodes: 20, types: [1], occupancy: 0.2, local_length: 2), deadline: {deadline}, steps: true))"
        )
    };
    let said = refusal(&workflow("1e9"));
    assert!(said.contains("experiment.deadline: about 2.0e9 tasks of owners would be drawn"), "{said}");
    outcome(&workflow("100")).unwrap();
}

#[test]
fn a_run_that_comes_to_a_limit_ends_with_an_error_that_says_where() {
    let jobs: String = (0..50).map(|at| format!("(submit: {at}, nodes: 4, length: 1), ")).collect();
    let listed = format!("work: Listed(jobs: [{jobs}])");
    let said = outcome(&grid(&[("limits", "events: 400"), ("flow", &listed)])).unwrap_err().to_string();
    assert!(said.starts_with("the simulation came to the limit of 400 events at time"), "{said}");
    assert!(said.contains("raise `limits.events` in the scenario"), "{said}");
    outcome(&grid(&[("limits", "events: 500"), ("flow", &listed)])).unwrap();
}

#[test]
fn drawing_a_world_comes_to_its_limits_as_well() {
    let text = grid(&[("domain", ", owners: [(gap: 1, length: 0.5)], failures: (up: 2, down: 1)")]);
    let scenario: Scenario = load(Source::new("h.ron", text), &[]).unwrap_or_else(|report| panic!("{report}"));
    let Experiment::Grid(spec) = scenario.experiment else { unreachable!("this is a connected grid") };
    let draw = |events, memory| {
        let limits = Limits { events, memory };
        draw_grid_within(&spec.grid(), &Streams::new(1, 0), Stop::NEVER, limits)
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    for (events, what) in [
        (100, "drawing the times of jobs"),
        (300, "drawing jobs"),
        (1000, "drawing the tasks of owners"),
        (2000, "drawing the outages of nodes"),
    ] {
        let said = draw(events, 1 << 30).unwrap_err();
        assert!(said.starts_with(&format!("{what} came to the limit of {events} events at time")), "{said}");
    }
    let said = draw(1 << 30, 1 << 17).unwrap_err();
    assert!(said.contains("came to the limit of 131072 bytes of memory at time"), "{said}");
    draw(1 << 30, 1 << 30).unwrap();
}

#[test]
fn limits_leave_results_as_they_are() {
    let rows = |limits: &str| {
        let text = grid(&[("limits", limits)]);
        let study = load_study(&Source::new("h.ron", text), &[]).unwrap_or_else(|report| panic!("{report}"));
        run(&study, &NoProgress).unwrap().results.rows
    };
    assert_eq!(rows(""), rows("events: 1000000000, memory: 100000000000"));
}

#[test]
fn what_a_sweep_cannot_vary_is_refused() {
    let text = "(name: \"sr\", replications: 2, experiment: Grid(horizon: 8, step: 4, domains: [(name: \"d\", nodes: 2, owners: [(gap: 1, length: 0.5)])]),
        sweeps: [(name: \"a\", field: \"replications\", values: [2, 50], label: \"r\"), (name: \"b\", field: \"seed\", values: [1, 2], label: \"s\"),
            (name: \"c\", field: \"name\", values: [\"x\"], label: \"n\"), (name: \"d\", field: \"limits.events\", values: [1e6], label: \"l\")])";
    let said = refusal(text);
    for (place, wrong) in [(0, "replications"), (1, "seed"), (2, "name"), (3, "limits")] {
        let expected =
            format!("sweeps[{place}].field: a sweep can't vary `{wrong}`, which is the same for all its points");
        assert!(said.contains(&expected), "{said}");
    }
    assert!(said.contains("give `replication_factor`"), "{said}");
}

#[test]
fn metrics_that_do_not_exist_are_refused_with_the_nearest_name() {
    let text = "(name: \"m\", experiment: Grid(horizon: 8, step: 4, domains: [(name: \"d\", nodes: 2, owners: [(gap: 1, length: 0.5)])]),
        sweeps: [(name: \"g\", field: \"experiment.domains[0].owners[0].gap\", values: [1, 2], label: \"gap\", metrics: [\"idle time\", \"local lode\"])],
        published: [(series: \"d\", metric: \"local tasks per knot\", value: 1, tolerance: Exact)])";
    let said = refusal(text);
    let sweep = "sweeps[0].metrics[1]: there is no metric `local lode`; did you mean `local load`? the metrics are";
    assert!(said.contains(sweep), "{said}");
    let published =
        "published[0].metric: there is no metric `local tasks per knot`; did you mean `local tasks per node`?";
    assert!(said.contains(published), "{said}");
    let along = grid(&[]).replace(
        "experiment: Grid",
        "sweeps: [(name: \"s\", field: \"experiment.step\", values: [1440], label: \"step\", metrics: [\"waiting jobs\"])], experiment: Grid",
    );
    assert!(
        refusal(&along).contains("a sweep has no such metric, which has an axis of its own"),
        "{}",
        refusal(&along)
    );
}

/// A small scenario of every kind that draws anything or adds up times; numbers in it are replaced by extreme ones, but for those that follow
/// their colon at once: how many there are of something.
const KINDS: [&str; 8] = [
    "Grid(horizon: 40, step: 20, domains: [(name: \"d\", nodes:3, performance: 2, price_spread: 0, price_slope: 0.05, price_scale: 1,
        owners: [(gap: 9, length: 2, notice: 1)], failures: (up: 30, down: 1))],
        flows: [(name: \"r\", arrivals: Poisson(gap: 5), work: Rigid(nodes:2, length: 3, min_performance: 1), max_price: 4, patience: 5),
            (name: \"w\", arrivals: Batches(every: 20, size:1), work: Workflow(tasks: Layered(tiers:2, width:2, density: 0.5, time: 2, transfer: 1),
            nodes:2, window_factor: 1.5, min_performance: 1), max_price: 4, patience: 4),
            (name: \"l\", work: Listed(jobs: [(submit: 3, nodes:1, length: 6, actual: 0.5)]), max_price: 3, patience: 7)],
        metascheduler: (period: 5, interval: 20), policies: [Easy, Conservative, ApplicationOnly], actual: 1)",
    "Grid(horizon: 40, step: 20, domains: [(name: \"d\", nodes:2, owners: [(gap: 3, length: 2, daily: (day: 10, rates: [1, 2]))])])",
    "Batches(cases: [(name: \"c\", world: Slots(count:12, length: 50, performance: 2, same_start: 0.5, gap: 3, price_factor: 1, price_base: 1.5),
        jobs: (count:2, nodes:2, length: 20, min_performance: 1, price_factor: 2, price_base: 1.5), searches: [Alp, Amp()],
        compare: Searches(ways: [Opt(MinTime), Opt(MinCost), Fcfs, Weighted(cost: 1)]))])",
    "Windows(world: Environment(nodes:6, interval: 60, performance: 2, price_spread: 0, price_slope: 0.05, price_scale: 1,
        load: (low: 1, high: 5, length: 4)), requests: [(name: \"r\", nodes:2, length:20, min_performance: 1, max_price: 6)], runtime: Volume,
        searches: [Alp, Amp(), MinCost(), EarliestFinish()])",
    "Workflows(cases: [(name: \"job\", tasks: Listed(tasks: [(name: \"a\", time: 2), (name: \"b\", time: 3, after: [(task: \"a\", transfer: 1)])]))],
        methods: [CheapestChains, EarliestChains, Heft, List], domain: (nodes:2, types: [1, 2], performance: 3, occupancy: 0.1, local_length: 2), deadline: 40, steps: true)",
    "Workflows(cases: [(name: \"c\", tasks: Layered(tiers:2, width:2, density: 0.5, time: 2, transfer: 1))], methods: [CheapestChains, Heft, List],
        domain: (nodes:2, types: [1, 2], performance: 3, occupancy: 0.1, local_length: 2), deadline_factor: 3,
        on_grid: [(name: \"g\", actual: 1.1, notice: 2)])",
    "Workflows(cases: [(name: \"c\", tasks: Layered(tiers:2, width:2, density: 0.5, time: 2, transfer: 1))], methods: [CheapestChains],
        domain: (nodes:2, types: [1, 2], performance: 3), deadline_factor: 2, flow: (jobs:3, ways: [(name: \"a\", k: 0.5), (name: \"b\", k: 1)], runtime_factor: 1),
        on_grid: [(name: \"g\", actual: 1.1)])",
    "Windows(world: Listed(nodes: [(name: \"n\", performance: 2, price: 3)], free: Slots([(node: \"n\", start: 0, end: 90)])), requests: [(name: \"q\", nodes:1, length: 20, max_price: 5, deadline: 80)],
        searches: [Alp, Amp()])",
];

/// Numbers at the ends of what fields allow, and around them.
const EXTREMES: [&str; 16] = [
    "0",
    "0.000001",
    "0.0001",
    "0.001",
    "0.01",
    "1",
    "10",
    "100",
    "1000",
    "1e4",
    "1e5",
    "1e6",
    "1e9",
    "999999999.999999",
    "1e15",
    "Exponential(mean: 9)",
];

/// The text with the numbers at some places replaced.
fn replaced(text: &str, changes: &[(usize, &str)]) -> String {
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    let mut places: Vec<(usize, usize)> = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices() {
        let begins = is_number(c) && text[..at].ends_with([' ', '[', '(']);
        match start {
            None if begins => start = Some(at),
            Some(from) if !is_number(c) => {
                places.push((from, at));
                start = None;
            }
            _ => (),
        }
    }
    let mut text = text.to_string();
    let mut chosen: Vec<(usize, &str)> = changes.iter().map(|&(place, with)| (place % places.len(), with)).collect();
    chosen.sort_unstable();
    chosen.dedup_by_key(|(place, _)| *place);
    for &(place, with) in chosen.iter().rev() {
        text.replace_range(places[place].0..places[place].1, with);
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Extreme numbers give an error with a place, an error of the run, or a result.
    #[test]
    fn extreme_numbers_never_panic(
        kind in 0..KINDS.len(),
        changes in prop::collection::vec((0usize..64, 0..EXTREMES.len()), 1..4),
    ) {
        let changes: Vec<(usize, &str)> = changes.iter().map(|&(place, with)| (place, EXTREMES[with])).collect();
        let experiment = replaced(KINDS[kind], &changes);
        let text = format!("(name: \"x\", limits: (events: 20000, memory: 10000000), experiment: {experiment})");
        if let Ok(study) = load_study(&Source::new("x.ron", text), &[]) {
            let _ = run(&study, &NoProgress);
        }
    }
}

#[test]
fn the_scenarios_whose_numbers_are_replaced_run_as_they_are() {
    for kind in KINDS {
        outcome(&format!("(name: \"x\", experiment: {kind})")).unwrap();
    }
}
