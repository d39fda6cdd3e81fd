//! Studies: crossings of several fields, comparisons, rules for when to stop, ranks and answers.

use gridloom::language::Source;
use gridloom::metrics::{Estimate, holm};
use gridloom::report::{Earlier, KeptReplications};
use gridloom::study::{FigureKind, NoProgress, Outcome, Row, Study, load_study, run, run_or_resume};
use std::collections::BTreeMap;
use std::io::Read;

/// A small grid under three policies, with further fields of the scenario.
fn text(more: &str) -> String {
    format!(
        "(name: \"study\", replications: 6, experiment: Grid(
            horizon: 120, step: 40, domains: [(name: \"a\", nodes: 4, performance: Uniform(low: 1, high: 2), owners: [(load: 0.2, length: 3)])],
            flows: [(name: \"f\", arrivals: Load(load: 0.5), work: Rigid(nodes: UniformInteger(low: 1, high: 3), length: Uniform(low: 1, high: 9)), max_price: 2, patience: 4)],
            metascheduler: (period: 2, interval: 30), policies: [Easy, Fcfs, (policy: Easy, name: \"twin\"), FirstWindow], actual: Uniform(low: 0.6, high: 1.2)),
            {more})"
    )
}

fn study_of(text: &str, overrides: &[&str]) -> Study {
    let overrides: Vec<String> = overrides.iter().map(|set| set.to_string()).collect();
    load_study(&Source::new("study.ron", text), &overrides).unwrap_or_else(|report| panic!("{report}"))
}

fn outcome(more: &str) -> Outcome {
    run(&study_of(&text(more), &[]), &NoProgress).unwrap()
}

/// All that is wrong with a scenario.
fn report(more: &str) -> String {
    load_study(&Source::new("study.ron", text(more)), &[]).unwrap_err().to_string()
}

const CROSSING: &str = "sweeps: [(name: \"map\", grid: [
        (field: \"experiment.displacement\", values: [\"Task\", \"Checkpoint(every: 2, cost: 0.1)\"], names: [\"task\", \"checkpoint\"]),
        (field: \"experiment.flows[0].arrivals.load\", values: (from: 0.1, to: 0.3, step: 0.1), label: \"Load (share)\"),
        (field: \"experiment.actual.high\", name: \"longest\", values: [1.0, 1.2])],
        metrics: [\"success ratio\", \"difference in success ratio\"])]";

#[test]
fn a_crossing_has_rows_for_all_combinations_and_names_their_values() {
    let outcome = outcome(CROSSING);
    let of = |metric: &str, series: &str| -> Vec<&Row> {
        let is_meant = |row: &&Row| row.experiment == "map" && row.metric == metric && row.series == series;
        outcome.results.rows.iter().filter(is_meant).collect()
    };
    let rows = of("success ratio", "EASY");
    let told: Vec<String> =
        rows.iter().map(|row| row.factors.iter().map(|factor| format!("{factor} ")).collect()).collect();
    assert_eq!(rows.len(), 12);
    assert_eq!(told[0], "displacement=task load=0.1 longest=1 ");
    assert_eq!(told[5], "displacement=task load=0.3 longest=1.2 ", "a range is written as one would write it");
    assert_eq!(told[11], "displacement=checkpoint load=0.3 longest=1.2 ");
    assert!(rows.iter().all(|row| row.x == row.factor("load").and_then(|value| value.number())));
    assert_eq!(of("difference in success ratio", "FCFS against EASY").len(), 12);

    // A point of the crossing is the scenario with these values.
    let sets = ["experiment.displacement=Task", "experiment.flows[0].arrivals.load=0.3", "experiment.actual.high=1.2"];
    let alone = run(&study_of(&text(""), &sets), &NoProgress).unwrap();
    let own = alone.results.rows.iter().find(|row| row.series == "EASY" && row.metric == "success ratio").unwrap();
    assert_eq!((own.mean, own.ci95, own.n), (rows[5].mean, rows[5].ci95, rows[5].n));

    // Two of the three fields have numbers: a map of each series, with panels by the third.
    let maps: Vec<_> = outcome.figures.iter().filter(|figure| figure.experiment == "map").collect();
    let cuts = maps.iter().map(|figure| match &figure.kind {
        FigureKind::Map(cut) => (cut.along.as_str(), cut.up.as_ref().unwrap().0.as_str(), cut.panels.as_deref()),
        other => panic!("{other:?}"),
    });
    assert!(cuts.clone().all(|cut| cut == ("load", "longest", Some("displacement"))));
    assert_eq!(cuts.count(), 4 + 3, "four policies, three differences");
}

#[test]
fn what_is_wrong_with_a_crossing_is_said_where_it_stands() {
    let grid = |fields: &str, more: &str| report(&format!("sweeps: [(name: \"map\", grid: [{fields}]{more})]"));
    let load = "(field: \"experiment.flows[0].arrivals.load\", values: [0.1, 0.2])";
    let high = "(field: \"experiment.actual.high\", values: [1.0, 1.2])";
    let low = "(field: \"experiment.actual.low\", values: [0.2, 0.3])";
    for (wrong, said) in [
        (grid(&format!("{load}, {load}"), ""), "another field of the grid is called `load`"),
        (grid(load, ", field: \"experiment.step\", values: [1]"), "either a field of its own or a grid"),
        (
            grid(load, ", figures: [Lines(along: \"laod\")]"),
            "the grid has no field called `laod`; did you mean `load`?",
        ),
        (
            grid(&format!("{load}, {high}, {low}"), ", figures: [Map(along: \"load\", up: \"high\")]"),
            "a cell would have several values, one for each of `low`",
        ),
        (
            grid(load, ", figures: [Lines(along: \"load\", metrics: [\"sucess ratio\"])]"),
            "did you mean `success ratio`?",
        ),
        (grid("(field: \"experiment.actual.high\", values: (from: 2, to: 1, step: 0.1))", ""), "ends before it begins"),
        (grid("(field: \"experiment.actual.high\", values: (from: 1, to: 2, step: 0))", ""), "above 0"),
        (grid("(field: \"seed\", values: [1, 2])", ""), "a sweep can't vary `seed`"),
        (grid("(field: \"experiment.actual.high\", values: [1, 2], names: [\"one\"])", ""), "1 name for 2 values"),
        (
            grid(&format!("{load}, (field: \"experiment.actual.high\", values: [1.0, 0.1])"), ""),
            "with experiment.actual.high = 0.1: experiment.actual",
        ),
        (report("sweeps: [(name: \"map\")]"), "the sweep varies nothing"),
        (report("sweeps: [(name: \"map\", field: \"experiment.actual.high\")]"), "the sweep has no `values`"),
        (report("statistics: (baselines: [\"EASI\"])"), "did you mean `EASY`?"),
        (report("statistics: (pairs: [(\"EASY\", \"EASY\")])"), "compares a series with itself"),
        (report("statistics: (rank: [\"makespan\"])"), "neither more nor less of `makespan` is better"),
        (report("statistics: (until: (metric: \"wiat\", half_width: 1))"), "did you mean `wait`?"),
        (
            report("answer: (question: \"?\", metric: \"wait\", series: [\"EASY\"], baseline: \"FCFS\")"),
            "nothing compares others with `FCFS` in `wait`",
        ),
    ] {
        assert!(wrong.contains(said), "{wrong}\nshould say: {said}");
        assert!(wrong.starts_with("study.ron:"), "{wrong}");
    }
}

/// All single values of a run: by series, metric and number.
fn observations(outcome: &Outcome) -> BTreeMap<(String, String, u64), f64> {
    let (_, bytes) = outcome.files.iter().find(|(name, _)| name == "observations.csv.gz").unwrap();
    let mut text = String::new();
    flate2::read::GzDecoder::new(bytes.bytes().unwrap()).read_to_string(&mut text).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let lines = reader.records().map(|line| line.unwrap()).filter(|line| &line[0] == "whole run");
    lines
        .map(|line| ((line[1].to_string(), line[4].to_string(), line[3].parse().unwrap()), line[5].parse().unwrap()))
        .collect()
}

#[test]
fn differences_from_any_baseline_are_those_of_the_single_values() {
    let outcome = outcome(
        "statistics: (baselines: [\"FCFS\", \"EASY\"], pairs: [(\"first window\", \"twin\")], compare: [\"wait\", \"success ratio\", \"jobs finished\"])",
    );
    let values = observations(&outcome);
    let sample = |series: &str, metric: &str| -> Vec<f64> {
        (0..6).map(|world| values[&(series.to_string(), metric.to_string(), world)]).collect()
    };
    for (first, second) in
        [("EASY", "FCFS"), ("first window", "FCFS"), ("FCFS", "EASY"), ("twin", "EASY"), ("first window", "twin")]
    {
        for metric in ["wait", "jobs finished"] {
            let expected = Estimate::of_difference(&sample(first, metric), &sample(second, metric)).unwrap();
            let (series, name) = (format!("{first} against {second}"), format!("difference in {metric}"));
            let found: Vec<&Row> =
                outcome.results.rows.iter().filter(|row| row.series == series && row.metric == name).collect();
            let [row] = found[..] else { panic!("{series}, {name}: {} rows", found.len()) };
            assert_eq!((row.mean, row.ci95, row.n), (expected.mean, expected.ci95, 6), "{series} {metric}");
            assert!(!row.unit.is_empty());
        }
    }
    // Every pair counts once, whichever way round, and pairs of the same runs do not differ.
    let rows: Vec<&Row> =
        outcome.results.rows.iter().filter(|row| row.metric == "difference in jobs finished").collect();
    let of = |series: &str| rows.iter().find(|row| row.series == series).unwrap();
    let names = [
        "EASY against FCFS",
        "twin against FCFS",
        "first window against FCFS",
        "twin against EASY",
        "first window against EASY",
        "first window against twin",
    ];
    let p_values: Vec<f64> = names.map(|name| of(name).p.unwrap()).to_vec();
    for (name, p) in names.iter().zip(holm(&p_values)) {
        assert_eq!(of(name).p_holm, Some(p), "{name} of {p_values:?}");
    }
    assert_eq!(of("FCFS against EASY").p_holm, of("EASY against FCFS").p_holm);
    assert_eq!((of("twin against EASY").p, of("twin against EASY").mean), (Some(1.0), 0.0));
    assert!(outcome.results.rows.iter().all(|row| row.p.is_some() == row.metric.starts_with("difference in")));
}

/// The number of worlds does not depend on threads or interrupts, and is the first that is enough.
#[test]
fn worlds_are_drawn_until_the_interval_is_narrow_enough() {
    let more = "statistics: (until: (metric: \"success ratio\", series: \"FCFS\", half_width: 0.06, at_least: 4))";
    let study = study_of(&text(more), &["replications=60"]);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(&study, &NoProgress).unwrap())
    };
    let (one, many) = (on(1), on(7));
    assert!(one == many);
    let row = |outcome: &Outcome| {
        let is_meant = |row: &&Row| row.series == "FCFS" && row.metric == "success ratio";
        outcome.results.rows.iter().find(is_meant).cloned().unwrap()
    };
    let found = row(&one);
    assert!(found.n > 4 && found.n < 60 && found.ci95.unwrap() <= 0.06, "{found:?}");
    // One world fewer would not have been enough.
    let fewer = run(&study_of(&text(""), &[&format!("replications={}", found.n - 1)]), &NoProgress).unwrap();
    assert!(row(&fewer).ci95.unwrap() > 0.06);
    // A run that goes on from kept worlds comes to the same.
    let folder = tempfile::tempdir().unwrap();
    let open = || KeptReplications::open(&folder.path().join("study"), Earlier::Use, &study).unwrap();
    let kept = open();
    assert!(run_or_resume(&study, &NoProgress, &kept).unwrap() == one);
    kept.flush().unwrap();
    let kept = open();
    assert!(run_or_resume(&study, &NoProgress, &kept).unwrap() == one);
    // Where the limit comes first, a note says so.
    let short = run(&study_of(&text(more), &["replications=5"]), &NoProgress).unwrap();
    assert!(short.notes.iter().any(|note| note.contains("are known to ± 0.06")), "{:?}", short.notes);
}

/// Batches are the run, cut: counts add up to those of the whole, and shares are their means.
#[test]
fn batches_of_a_run_add_up_to_it() {
    let sets = ["replications=2", "experiment.horizon=1000"];
    let whole = run(&study_of(&text(""), &sets), &NoProgress).unwrap();
    let cut = "statistics: (sampling: BatchMeans(batches: 5))";
    let batches = run(&study_of(&text(cut), &sets), &NoProgress).unwrap();
    let (whole, cut) = (observations(&whole), observations(&batches));
    let worlds = [0, 1];
    for series in ["EASY", "FCFS", "first window"] {
        let of = |values: &BTreeMap<(String, String, u64), f64>, metric: &str, number| {
            values[&(series.to_string(), metric.to_string(), number)]
        };
        for world in worlds {
            for (metric, is_count) in [
                ("jobs submitted", true),
                ("jobs finished", true),
                ("owners' income", true),
                ("local load", false),
                ("global load", false),
            ] {
                let sum: f64 = (0..5).map(|batch| of(&cut, metric, 5 * world + batch)).sum();
                let expected = of(&whole, metric, world);
                let found = if is_count { sum } else { sum / 5.0 };
                assert!((found - expected).abs() < 1e-6 * expected.max(1.0), "{series} {metric}: {found} {expected}");
            }
        }
    }
    let n = batches.results.rows.iter().find(|row| row.metric == "jobs submitted").unwrap().n;
    assert_eq!(n, 10);
    let workflows = "(name: \"w\", statistics: (sampling: BatchMeans()), experiment: Workflows(cases: [(name: \"c\", tasks: Layered(tiers: 2, width: 2, density: 0.5, time: 3, transfer: 1))], methods: [Heft], domain: (nodes: 2, types: [1]), deadline_factor: 2))";
    let refused = load_study(&Source::new("study.ron", workflows), &[]).unwrap_err().to_string();
    assert!(refused.contains("no measured interval"), "{refused}");
}

#[test]
fn batches_that_are_too_short_are_noted() {
    // Waits at a load of 0.95 outlast batches of ten jobs by far.
    let text = "(name: \"queue\", experiment: Grid(
        horizon: 4000, warm_up: 200, step: 4000, domains: [(name: \"d\", nodes: 1)],
        flows: [(name: \"f\", arrivals: Poisson(gap: 1), work: Rigid(nodes: 1, length: Exponential(mean: 0.95)), max_price: 1000)],
        metascheduler: (period: 4000, interval: 4000), policies: [Fcfs]), statistics: (sampling: BatchMeans(batches: 400)))";
    let noted = |overrides: &[&str]| {
        let notes = run(&study_of(text, overrides), &NoProgress).unwrap().notes;
        notes.iter().any(|note| note.contains("neighbouring batches are alike"))
    };
    assert!(noted(&[]));
    let light = ["experiment.flows[0].arrivals.gap=10", "experiment.horizon=40000", "statistics.sampling.batches=20"];
    assert!(!noted(&light), "hardly anybody waits, and batches are long");
}

#[test]
fn policies_that_can_not_be_told_apart_share_a_rank() {
    let more = "statistics: (rank: [\"success ratio\", \"wait\"])";
    let ranked = run(&study_of(&text(more), &["replications=20"]), &NoProgress).unwrap().ranking.unwrap();
    let labels: Vec<String> = ranked.metrics.iter().map(|metric| metric.label()).collect();
    assert_eq!(labels, ["Success ratio (share of jobs)", "Wait (time units)"]);
    let of = |name: &str| ranked.lines.iter().find(|line| line.series == name).unwrap();
    let rank = |name: &str, metric: usize| of(name).places[metric].unwrap().0;
    for metric in [0, 1] {
        assert_eq!(of("EASY").places[metric], of("twin").places[metric], "the same runs");
        assert_eq!(rank("EASY", metric), 1);
        assert!(rank("FCFS", metric) > 1, "{ranked:?}");
    }
    assert!(ranked.lines.windows(2).all(|pair| pair[0].mean_rank <= pair[1].mean_rank));
    assert_eq!(ranked.lines.len(), 4);
}

#[test]
fn a_study_answers_its_question_from_its_rows() {
    let more = "answer: (question: \"Does FCFS keep up with EASY?\", metric: \"success ratio\", series: [\"FCFS\", \"twin\"], baseline: \"EASY\")";
    let outcome = run(&study_of(&text(more), &["replications=20"]), &NoProgress).unwrap();
    let answer = outcome.answer.unwrap();
    let level = |series: &str| {
        let row =
            outcome.results.rows.iter().find(|row| row.series == series && row.metric == "success ratio").unwrap();
        format!("{:.1} %", 100.0 * row.mean)
    };
    let [who, how_much, sure] = &answer.sentences[..] else { panic!("{answer:?}") };
    assert_eq!(
        *who,
        format!(
            "By success ratio, none of those compared is shown to do better than EASY ({}); twin comes nearest ({}).",
            level("EASY"),
            level("twin")
        )
    );
    assert!(how_much.starts_with("twin differs from EASY by +0.0 points (in 20 pairs"), "{how_much}");
    assert!(sure.starts_with("Compared with EASY, 0 of 2 do better and 1 worse with p < 0.05"), "{sure}");
    assert!(answer.rules.iter().any(|(name, rule)| name == "displacement" && rule == "Task"), "{:?}", answer.rules);
    assert_eq!(answer.figure.as_deref(), Some("success-ratio"));
}

#[test]
fn an_answer_over_a_crossing_says_where_the_winner_changes() {
    let answer = "answer: (question: \"Does FCFS keep up with EASY?\", metric: \"success ratio\", series: [\"FCFS\"], baseline: \"EASY\", over: \"map\", crossover: (along: \"longest\"))";
    let outcome = run(&study_of(&text(&format!("{CROSSING}, {answer}")), &["replications=10"]), &NoProgress).unwrap();
    let answer = outcome.answer.unwrap();
    let rows = outcome.results.rows.iter();
    let rows = rows.filter(|row| {
        row.series == "FCFS against EASY" && row.metric == "difference in success ratio" && row.experiment == "map"
    });
    let worse = rows.clone().filter(|row| row.mean < 0.0 && row.p_holm.unwrap() < 0.05).count();
    let said = format!("By success ratio, FCFS does better than EASY at 0 of 12 points, worse at {worse};");
    assert!(answer.sentences[0].starts_with(&said), "{answer:?}");
    assert_eq!(answer.findings.len(), 6, "for each load and rule");
    assert!(answer.findings.iter().all(|found| found.ends_with("FCFS is nowhere shown to do better.")), "{answer:?}");
    let lowest = rows.map(|row| row.mean).fold(f64::INFINITY, f64::min);
    assert!(
        answer.sentences[1].contains(&format!("FCFS less EASY goes from {:+.1} points", 100.0 * lowest)),
        "{answer:?}"
    );
    assert!(answer.rules.iter().any(|(name, rule)| name == "displacement" && rule == "varied"), "{:?}", answer.rules);
    assert!(answer.rules.iter().any(|(name, rule)| name == "overrun" && rule == "GoesOn"));
    assert!(answer.rules.iter().any(|(name, rule)| name == "varied" && rule == "displacement, Load (share), longest"));
}

#[test]
fn an_answer_over_a_sweep_of_texts_counts_its_points() {
    const TEXTS: [&str; 2] = ["Uniform(low: 0.4, high: 0.6)", "Uniform(low: 0.9, high: 1.2)"];
    let answer = "answer: (question: \"?\", metric: \"success ratio\", baseline: \"EASY\", over: \"rules\")";
    let outcome =
        outcome(&format!("sweeps: [(name: \"rules\", field: \"experiment.actual\", values: {TEXTS:?})], {answer}"));
    let answer = outcome.answer.unwrap_or_else(|| panic!("{:?}", outcome.notes));
    let rows = outcome.results.rows.iter().filter(|row| row.experiment == "rules");
    let rows: Vec<&Row> = rows.filter(|row| row.metric == "difference in success ratio").collect();
    let of = |series: &str| rows.iter().find(|row| row.series == series).unwrap().mean;
    for policy in ["FCFS", "twin", "first window"] {
        let said = format!("{policy} does better than EASY at ");
        assert!(answer.sentences[0].contains(&said) && answer.sentences[0].contains("of 2 points"), "{answer:?}");
    }
    let [short, long] = TEXTS.map(|text| of(&format!("FCFS against EASY, {text}")));
    assert!(short != long, "the points differ");
    let (worst, best) = if short < long { (TEXTS[0], TEXTS[1]) } else { (TEXTS[1], TEXTS[0]) };
    let at = |text: &str| answer.sentences[1].find(&format!("at {text}"));
    assert!(at(worst).is_some() && at(worst) < at(best), "{answer:?}");
}

#[test]
fn a_sweep_may_run_another_experiment_than_the_scenario() {
    let section = "sweeps: [(name: \"tiers\", experiment: Workflows(cases: [(name: \"c\", tasks: Layered(tiers: 2, width: 2, density: 0.5, time: 3, transfer: 1))], methods: [Heft], domain: (nodes: 2, types: [1]), deadline_factor: 2), field: \"experiment.deadline_factor\", values: [1.5, 3], label: \"h\", metrics: [\"success ratio\"], replication_factor: 2)]";
    let outcome = outcome(section);
    let rows: Vec<&Row> =
        outcome.results.rows.iter().filter(|row| row.experiment == "tiers" && row.metric == "success ratio").collect();
    let found: Vec<_> = rows.iter().map(|row| (row.series.as_str(), row.x, row.n)).collect();
    assert_eq!(found, [("c", Some(1.5), 12), ("c", Some(3.0), 12)]);
    assert!(outcome.figures.iter().any(|figure| figure.file == "tiers-success-ratio"));
    // What the run leaves can be run again.
    let again = run(&study_of(&outcome.scenario, &[]), &NoProgress).unwrap();
    assert!(again.results == outcome.results);
}
