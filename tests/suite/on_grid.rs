//! Planning studies as runs of the connected grid: what is executed as it was planned comes out as planned.

use gridloom::language::Source;
use gridloom::study::{NoProgress, Outcome, load_study, run};

const TASKS: &str = "Layered(tiers: 4, width: UniformInteger(low: 1, high: 4), density: 0.4, \
    time: UniformInteger(low: 2, high: 10), transfer: UniformInteger(low: 1, high: 3))";

fn outcome(text: &str) -> Outcome {
    let study = load_study(&Source::new("s.ron", text), &[]).unwrap_or_else(|report| panic!("{text}\n{report}"));
    run(&study, &NoProgress).unwrap_or_else(|error| panic!("{text}\n{error}"))
}

/// A metric of a series: its mean and the number of worlds behind it.
fn figure(outcome: &Outcome, series: &str, metric: &str) -> Option<(f64, u64)> {
    let row = outcome.results.rows.iter().find(|row| row.series == series && row.metric == metric)?;
    Some((row.mean, row.n))
}

fn mean(outcome: &Outcome, series: &str, metric: &str) -> f64 {
    figure(outcome, series, metric).unwrap_or_else(|| panic!("{series} has no {metric}")).0
}

/// Jobs of four tiers by four methods, in intervals of this factor.
fn workflows(factor: f64, transfers: &str, refine: bool, on_grid: &str) -> Outcome {
    outcome(&format!(
        "(name: \"w\", seed: 7, replications: 60, experiment: Workflows(cases: [(name: \"c\", tasks: {TASKS})],
            methods: [CheapestChains, EarliestChains, LatestChains, Heft],
            domain: (nodes: 8, types: [1, 1.5, 2.2, 3], performance: 2.8, occupancy: 0.3, local_length: UniformInteger(low: 2, high: 10)),
            deadline_factor: {factor}, transfers: {transfers}, attempts: 3, refine: {refine}, on_grid: [{on_grid}]))"
    ))
}

const METHODS: [&str; 4] = ["critical jobs", "critical jobs, earliest finish", "critical jobs, latest start", "HEFT"];
const ALL: &str = "methods: [CheapestChains, EarliestChains, LatestChains, Heft]";

#[test]
fn what_takes_the_estimated_time_among_known_owners_is_executed_as_planned() {
    for (factor, transfers, refine) in
        [(1.3, "Always", false), (1.6, "Always", true), (1.6, "BetweenNodes", false), (2.4, "BetweenNodes", true)]
    {
        let found = workflows(factor, transfers, refine, &format!("(name: \"on the grid\", {ALL})"));
        for method in METHODS {
            let on_grid = format!("{method}, on the grid");
            for metric in ["success ratio", "collisions", "cost", "share of the interval used"] {
                let planned = figure(&found, method, metric);
                assert!(planned.is_some(), "{method} has no {metric} at {factor}");
                assert_eq!(figure(&found, &on_grid, metric), planned, "{metric} of {method} at {factor}");
            }
            assert_eq!(mean(&found, &on_grid, "collisions in execution"), 0.0, "{method} at {factor}");
        }
    }
}

#[test]
fn what_ends_early_costs_and_succeeds_as_planned() {
    let found =
        workflows(1.5, "Always", false, &format!("(name: \"early\", {ALL}, actual: Uniform(low: 0.3, high: 1))"));
    for method in METHODS {
        let early = format!("{method}, early");
        for metric in ["success ratio", "cost"] {
            assert_eq!(figure(&found, &early, metric), figure(&found, method, metric), "{metric} of {method}");
        }
        let used = |series: &str| mean(&found, series, "share of the interval used");
        assert!(used(&early) < used(method), "{method}: tasks that end early end jobs early");
    }
}

#[test]
fn overruns_and_owners_who_come_unannounced_break_plans() {
    let runs = format!(
        "(name: \"overrun\", {ALL}, actual: Uniform(low: 0.9, high: 1.3)),
         (name: \"ended\", actual: Uniform(low: 0.9, high: 1.3), overrun: Ended),
         (name: \"unannounced\", {ALL}, notice: 0),
         (name: \"announced\", {ALL}, notice: 1000000)"
    );
    let found = workflows(1.5, "Always", false, &runs);
    let success = |series: &str| mean(&found, series, "success ratio");
    for method in METHODS {
        let of = |run: &str| format!("{method}, {run}");
        assert!(success(&of("overrun")) < success(method) - 0.1, "{method}: overruns make jobs late");
        assert!(mean(&found, &of("overrun"), "collisions in execution") > 0.5);
        assert!(mean(&found, &of("unannounced"), "placed at submission") >= success(method));
        assert!(success(&of("unannounced")) < mean(&found, &of("unannounced"), "placed at submission") - 0.1);
        assert_eq!(success(&of("announced")), success(method), "a long notice is as good as none is bad");
    }
    assert!(success("critical jobs, ended") < success("critical jobs, overrun"));
}

/// By hand: a is to run from 0 to 2 and b from 3 to 6; a takes 3, its data come at 4, and b, moved there, takes 4.5.
#[test]
fn a_small_job_is_executed_as_by_hand() {
    let two = |factor: f64, overrun: &str| {
        outcome(&format!(
            "(name: \"w\", experiment: Workflows(cases: [(name: \"two\", tasks: Listed(tasks: [(name: \"a\", time: 2),
                (name: \"b\", time: 3, after: [(task: \"a\", transfer: 1)])]))], methods: [EarliestChains],
                domain: (nodes: 1, types: [1], performance: 4), deadline_factor: {factor},
                on_grid: [(name: \"late\", actual: 1.5, overrun: {overrun})]))"
        ))
    };
    let found = two(2.0, "GoesOn");
    assert_eq!(mean(&found, "two", "share of the interval used"), 0.5);
    assert_eq!(mean(&found, "two, late", "share of the interval used"), 8.5 / 12.0);
    assert_eq!(mean(&found, "two, late", "collisions in execution"), 1.0);
    assert_eq!(mean(&found, "two, late", "cost"), 8.0, "four units of work in a unit of time, for each task");
    // b would be done at 8.5, and its interval ends at 8.4.
    let found = two(1.4, "GoesOn");
    assert_eq!((mean(&found, "two", "success ratio"), mean(&found, "two, late", "success ratio")), (1.0, 0.0));
    assert_eq!(mean(&two(2.0, "Ended"), "two, late", "success ratio"), 0.0, "a is ended at 2");
}

/// A flow of jobs one after another, and overlapping.
fn flow(on_grid: &str) -> Outcome {
    outcome(&format!(
        "(name: \"f\", seed: 3, replications: 2, experiment: Workflows(cases: [(name: \"c\", tasks: {TASKS})], methods: [CheapestChains],
            domain: (nodes: 5, types: [1, 1.5, 2.2], performance: 2.8), deadline_factor: 1.7,
            flow: (jobs: 60, ways: [(name: \"one by one\", k: 1), (name: \"overlapping\", k: 0.4)],
                runtime_factor: Uniform(low: 0.9, high: 1.1), exact_limit: 500), attempts: 6, refine: false, on_grid: [{on_grid}]))"
    ))
}

#[test]
fn a_flow_of_jobs_that_take_the_estimated_time_is_executed_as_planned() {
    let found = flow("(name: \"as estimated\", actual: 1), (name: \"on the grid\")");
    for beside in ["one by one", "overlapping"] {
        for metric in [
            "execution time",
            "optimal schedules (%)",
            "exactly optimal (%)",
            "collisions",
            "load, forecast",
            "job cost",
            "jobs without a place (%)",
        ] {
            let planned = figure(&found, beside, metric);
            assert!(planned.is_some(), "{beside} has no {metric}");
            assert_eq!(figure(&found, &format!("{beside}, as estimated"), metric), planned, "{metric} of {beside}");
        }
        let of = |run: &str, metric: &str| mean(&found, &format!("{beside}, {run}"), metric);
        assert_eq!(of("as estimated", "load, fact"), of("as estimated", "load, forecast"));
        assert_eq!(of("as estimated", "jobs late in fact (%)"), 0.0);
        assert_eq!(of("as estimated", "collisions in execution"), 0.0);
        assert!(of("on the grid", "collisions in execution") > 0.1, "runtimes are those of the flow");
    }
    let collide = |series: &str| mean(&found, series, "collisions");
    assert!(collide("overlapping") > collide("one by one"), "jobs are planned around those before them");
    assert!(mean(&found, "overlapping", "jobs without a place (%)") > 0.0, "and some find no place");
}

#[test]
fn runs_that_make_no_sense_are_refused() {
    let said = |experiment: &str| {
        let text = format!("(name: \"x\", experiment: {experiment})");
        load_study(&Source::new("x.ron", text), &[]).map(|_| ()).unwrap_err().to_string()
    };
    let domain = "domain: (nodes: 2, types: [1]), deadline_factor: 2";
    let workflows = |run: &str| {
        said(&format!("Workflows(cases: [(name: \"c\", tasks: {TASKS})], methods: [Heft], {domain}, on_grid: [{run}])"))
    };
    let one = workflows("(name: \"a\", methods: [List])");
    assert!(one.contains("on_grid[0].methods[0]: the experiment has no such method"), "{one}");
    let twice = workflows("(name: \"a\", methods: [Heft, Heft])");
    assert!(twice.contains("on_grid[0].methods[1]: this method is in the list already"), "{twice}");
    let same = workflows("(name: \"a\"), (name: \"a\")");
    assert!(same.contains("the run on the grid `a` is there already"), "{same}");
    let saved = workflows("(name: \"a\", displacement: Checkpoint(every: 3))");
    assert!(saved.contains("on_grid[0].displacement: the tasks of these jobs write no checkpoints"), "{saved}");
    let flow = said(&format!(
        "Workflows(cases: [(name: \"c\", tasks: {TASKS})], methods: [CheapestChains], domain: (nodes: PerTier(each: 2), \
         types: [1], occupancy: 0.1), deadline: 9, deadline_factor: 2, steps: true, \
         flow: (jobs: 2, ways: [(name: \"f\", k: 1)], runtime_factor: 1), on_grid: [(name: \"a\", notice: 3)])"
    ));
    for wrong in [
        "deadline: there is a `deadline_factor` as well",
        "domain.nodes: all jobs of a flow share the same nodes",
        "domain.occupancy: a flow has no local tasks",
        "steps: the steps of one job alone are shown",
        "on_grid[0].notice: a flow has no owners who could announce tasks",
    ] {
        assert!(flow.contains(wrong), "{wrong}: {flow}");
    }
    let untimed = said(&format!(
        "Workflows(cases: [(name: \"c\", tasks: {TASKS})], methods: [Heft], domain: (nodes: 2, types: [1]))"
    ));
    assert!(
        untimed.contains("experiment: nothing says how long a job may take; give `deadline_factor` or `deadline`"),
        "{untimed}"
    );
}

/// Three tasks in a row, the first and the last of no length, and a fourth beside them.
#[test]
fn tasks_of_no_length_take_neither_time_nor_a_node() {
    let found = |domain: &str, transfer: &str| {
        outcome(&format!(
            "(name: \"w\", experiment: Workflows(cases: [(name: \"c\", tasks: Listed(tasks: [(name: \"entry\", time: 0),
                (name: \"a\", time: 4, after: [(task: \"entry\")]),
                (name: \"between\", time: 0, after: [(task: \"a\", transfer: {transfer})]),
                (name: \"b\", time: 6, after: [(task: \"between\", transfer: {transfer})]),
                (name: \"exit\", time: 0, after: [(task: \"b\")])]))], methods: [CheapestChains, Heft, List],
                domain: ({domain}, performance: 10), deadline_factor: 1,
                on_grid: [(name: \"grid\", methods: [CheapestChains, Heft, List])]))"
        ))
    };
    for (domain, transfer) in [("nodes: 1, types: [1]", "0"), ("nodes: 2, types: [1, 2]", "3")] {
        let found = found(domain, transfer);
        for method in ["critical jobs", "HEFT", "list"] {
            for metric in ["success ratio", "cost", "makespan", "share of the interval used"] {
                let planned = figure(&found, method, metric);
                assert!(planned.is_some(), "{method} has no {metric}");
                assert_eq!(figure(&found, &format!("{method}, grid"), metric), planned, "{metric} of {method}");
            }
            assert_eq!(mean(&found, method, "success ratio"), 1.0, "{method}");
        }
    }
}

#[test]
fn a_job_of_no_length_is_done_at_once() {
    let tasks = "Listed(tasks: [(name: \"entry\", time: 0), (name: \"exit\", time: 0, after: [(task: \"entry\")])])";
    let found = outcome(&format!(
        "(name: \"w\", experiment: Workflows(cases: [(name: \"c\", tasks: {tasks})], methods: [CheapestChains, Heft, Exact(100)],
            domain: (nodes: 2, types: [1, 2]), deadline_factor: 1, on_grid: [(name: \"grid\")]))"
    ));
    for series in ["critical jobs", "HEFT", "exact", "critical jobs, grid"] {
        assert_eq!((mean(&found, series, "success ratio"), mean(&found, series, "makespan")), (1.0, 0.0), "{series}");
    }
    // They have no node time, and so no load: the others have.
    let flow = |tasks: &str| {
        outcome(&format!(
            "(name: \"f\", experiment: Workflows(cases: [(name: \"c\", tasks: {tasks})], methods: [CheapestChains], domain: (nodes: 4, types: [1, 2]),
                deadline_factor: 1.6, flow: (jobs: 60, ways: [(name: \"k1\", k: 1)], runtime_factor: 1), on_grid: [(name: \"grid\")]))"
        ))
    };
    let none = flow(tasks);
    let some = flow(
        "Layered(tiers: 2, width: 1, density: 0.5, time: UniformInteger(low: 0, high: 2), transfer: UniformInteger(low: 0, high: 1))",
    );
    for series in ["k1", "k1, grid"] {
        assert_eq!(mean(&none, series, "jobs without a place (%)"), 0.0, "{series}");
        for metric in ["load, forecast", "load, fact"] {
            assert_eq!(figure(&none, series, metric), None, "{metric} of {series}");
            assert!(mean(&some, series, metric) > 0.0, "{metric} of {series}");
        }
    }
}

/// The first job's task of no length lies on the only node while the second job needs it.
#[test]
fn a_reserved_task_of_no_length_is_in_nobodys_way() {
    let found = outcome(
        "(name: \"f\", experiment: Workflows(cases: [(name: \"c\", tasks: Listed(tasks: [(name: \"a\", time: 6),
            (name: \"b\", time: 0, after: [(task: \"a\", transfer: 6)])]))], methods: [CheapestChains], domain: (nodes: 1, types: [1], performance: 10),
            deadline_factor: 1, flow: (jobs: 10, ways: [(name: \"k\", k: 0.75)], runtime_factor: 1), refine: false, attempts: 6))",
    );
    assert_eq!(mean(&found, "k", "jobs without a place (%)"), 0.0);
}
