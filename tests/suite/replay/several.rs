//! Several policies and logs in one replay, against single replays and plain sums over `jobs.csv`.

use super::commands::{done, gridloom, text};
use gridloom::language::Source;
use gridloom::study::{NoProgress, load_study, run};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const POLICIES: [&str; 3] = ["FCFS", "EASY", "conservative"];
/// Student's t for 95 % and 19 or 9 degrees of freedom.
const T_19: f64 = 2.093_024;
const T_9: f64 = 2.262_157;

/// A folder with a busy machine of 32 processors in `a.swf` and a smaller one in `b.swf`.
fn with_logs() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (file, jobs, nodes, seed) in [("a.swf", "900", "32", "7"), ("b.swf", "150", "16", "8")] {
        let args = ["generate", "--jobs", jobs, "--nodes", nodes, "--load", "0.9", "--seed", seed, "--out", file];
        assert!(gridloom(folder.path(), &args).status.success());
    }
    folder
}

fn replay(folder: &TempDir, args: &[&str]) -> String {
    done(folder.path(), &[&["replay"], args].concat())
}

/// The lines of a table, each by the names of its columns.
fn table(path: &Path) -> Vec<BTreeMap<String, String>> {
    csv::Reader::from_path(path).unwrap().deserialize().map(|line| line.unwrap()).collect()
}

/// Those of the rows that are of an experiment.
fn rows(result: &Path, experiment: &str) -> Vec<BTreeMap<String, String>> {
    let all = table(&result.join("results.csv"));
    all.into_iter().filter(|row| row["experiment"] == experiment).collect()
}

fn number(row: &BTreeMap<String, String>, column: &str) -> f64 {
    row[column].parse().unwrap_or_else(|_| panic!("{column} of {row:?}"))
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-6 * (1.0 + other.abs())
}

/// The jobs of a policy in the order of the file: submission and wait.
fn waits(result: &Path, policy: &str) -> Vec<(f64, f64)> {
    let jobs = table(&result.join("jobs.csv"));
    let own = jobs.iter().filter(|job| job["policy"] == policy);
    own.map(|job| (number(job, "submit"), number(job, "wait"))).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Half the width of the interval from so many batches of neighbours.
fn half_width(values: &[f64], batches: usize, t: f64) -> f64 {
    let means: Vec<f64> = (0..batches)
        .map(|batch| mean(&values[values.len() * batch / batches..values.len() * (batch + 1) / batches]))
        .collect();
    let middle = mean(&means);
    let squares: f64 = means.iter().map(|mean| (mean - middle) * (mean - middle)).sum();
    let neighbours: f64 = (1..batches).map(|at| (means[at - 1] - middle) * (means[at] - middle)).sum();
    // The more alike neighbours are, the less they tell.
    let alike = (neighbours / squares).clamp(0.0, 0.75);
    t * (squares / (batches - 1) as f64 / batches as f64 * (1.0 + alike) / (1.0 - alike)).sqrt()
}

#[test]
fn several_policies_give_what_each_gives_alone() {
    let folder = with_logs();
    let said = replay(&folder, &["a.swf", "--policy", "FCFS,EASY,conservative"]);
    assert!(said.contains("\nWhich policy keeps jobs waiting least on a?\n"), "{said}");
    let all = folder.path().join("output/replay-a");
    let (jobs, totals) = (fs::read_to_string(all.join("jobs.csv")).unwrap(), rows(&all, "whole log"));
    let mut means = Vec::new();
    for policy in POLICIES {
        replay(&folder, &["a.swf", "--policy", policy]);
        let file = policy.to_lowercase();
        let alone = folder.path().join(format!("output/replay-a-{file}"));
        for experiment in ["whole log", "over time", "waits", "waits longer than", "week by week"] {
            let own = |rows: Vec<BTreeMap<String, String>>| -> Vec<BTreeMap<String, String>> {
                rows.into_iter().filter(|row| row["series"] == policy).collect()
            };
            let (one, other) = (own(rows(&all, experiment)), own(rows(&alone, experiment)));
            assert!(!one.is_empty() && one == other, "{experiment} of {policy}");
        }
        let of_policy: String =
            jobs.lines().filter(|line| line.ends_with(policy)).map(|line| format!("{line}\n")).collect();
        assert!(fs::read_to_string(alone.join("jobs.csv")).unwrap().ends_with(&of_policy));
        let schedule = |path: &Path| fs::read(path).unwrap();
        assert_eq!(schedule(&all.join(format!("schedule-{file}.swf"))), schedule(&alone.join("schedule.swf")));
        let wait = totals.iter().find(|row| row["series"] == policy && row["metric"] == "mean wait").unwrap();
        means.push((number(wait, "mean"), policy));
    }
    means.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert!(said.contains(&format!("\n{} does: jobs wait ", means[0].1)), "{said}");
    let page = fs::read_to_string(all.join("report.html")).unwrap();
    assert!(POLICIES.iter().all(|policy| page.contains(&format!("Who runs when under {policy}"))));
}

#[test]
fn a_replay_runs_again_from_its_own_scenario_to_the_same_bytes() {
    let folder = with_logs();
    replay(
        &folder,
        &["a.swf", "b.swf", "--policy", "EASY,FCFS", "--depth", "2", "--estimate", "actual", "--out", "first"],
    );
    let first = folder.path().join("first");
    let scenario = fs::read_to_string(first.join("scenario.ron")).unwrap();
    assert!(scenario.contains("path: \"../a.swf\""), "{scenario}");
    let elsewhere = tempfile::tempdir().unwrap();
    for (threads, out) in [("1", folder.path().join("deep/second")), ("2", elsewhere.path().join("third"))] {
        let (from, to) = (first.join("scenario.ron"), out.to_str().unwrap().to_string());
        let args = ["run", from.to_str().unwrap(), "--threads", threads, "--out", &to, "--quiet"];
        let again = gridloom(elsewhere.path(), &args);
        assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
        let files =
            ["results.csv", "results.json", "jobs.csv", "observations.csv.gz", "schedule-a-fcfs.swf", "waits-b.svg"];
        for file in files {
            assert!(fs::read(first.join(file)).unwrap() == fs::read(out.join(file)).unwrap(), "{file}");
        }
        // And once more from there.
        let from = out.join("scenario.ron");
        assert_eq!(gridloom(elsewhere.path(), &["check", from.to_str().unwrap()]).status.code(), Some(0));
    }
}

#[test]
fn the_weeks_and_the_differences_are_those_of_the_jobs() {
    let folder = with_logs();
    replay(&folder, &["a.swf", "--policy", "EASY,FCFS"]);
    let result = folder.path().join("output/replay-a");
    let (easy, fcfs) = (waits(&result, "EASY"), waits(&result, "FCFS"));
    let begin = easy[0].0;
    for (policy, jobs) in [("EASY", &easy), ("FCFS", &fcfs)] {
        let mut weeks: BTreeMap<i64, Vec<f64>> = BTreeMap::new();
        for (submit, wait) in jobs {
            weeks.entry(1 + ((submit - begin) / 604_800.0) as i64).or_default().push(wait / 3600.0);
        }
        let shown = rows(&result, "week by week");
        let shown: Vec<_> = shown.iter().filter(|row| row["series"] == policy).collect();
        assert!(shown.len() == weeks.len() && weeks.len() > 1, "{weeks:?}");
        for (row, (week, waits)) in shown.iter().zip(&weeks) {
            assert_eq!((number(row, "x"), number(row, "n")), (*week as f64, waits.len() as f64));
            assert!(near(number(row, "mean"), mean(waits)), "{row:?}");
            match waits.len() {
                few if few < 20 => assert_eq!(row["ci95"], ""),
                _ => assert!(near(number(row, "ci95"), half_width(waits, 10, T_9)), "{row:?}"),
            }
        }
        let waits: Vec<f64> = jobs.iter().map(|(_, wait)| *wait).collect();
        let totals = rows(&result, "whole log");
        let row = totals.iter().find(|row| row["series"] == policy && row["metric"] == "mean wait").unwrap();
        assert!(near(number(row, "mean"), mean(&waits)) && near(number(row, "ci95"), half_width(&waits, 20, T_19)));
    }
    for row in rows(&result, "waits") {
        let jobs = if row["series"] == "EASY" { &easy } else { &fcfs };
        let no_longer = jobs.iter().filter(|(_, wait)| *wait <= number(&row, "x") * 3600.0 + 1e-6).count();
        assert!(near(number(&row, "mean"), no_longer as f64 / jobs.len() as f64), "{row:?}");
    }
    let differences: Vec<f64> = fcfs.iter().zip(&easy).map(|(fcfs, easy)| fcfs.1 - easy.1).collect();
    let totals = rows(&result, "whole log");
    let row = totals.iter().find(|row| row["metric"] == "difference in mean wait").unwrap();
    assert_eq!(row["series"], "FCFS against EASY");
    assert!(near(number(row, "mean"), mean(&differences)), "{row:?}");
    assert!(near(number(row, "ci95"), half_width(&differences, 20, T_19)), "{row:?}");
}

#[test]
fn policies_under_which_jobs_wait_alike_share_the_first_place() {
    let folder = tempfile::tempdir().unwrap();
    let line = |job: u32, submit: u32, runtime: u32, processors: u32| {
        format!("{job} {submit} -1 {runtime} {processors} -1 -1 {processors} {runtime} -1 1 1 1 1 1 -1 -1 -1\n")
    };
    // The third job overtakes the second, who waits for the first, unless nobody may overtake.
    let log = ["; MaxProcs: 4\n".to_string(), line(1, 0, 100, 2), line(2, 1, 10, 4), line(3, 2, 50, 2)].concat();
    fs::write(folder.path().join("tie.swf"), log).unwrap();
    let said = replay(&folder, &["tie.swf", "--policy", "EASY,FCFS,conservative"]);
    let expected =
        "EASY and conservative do, alike: jobs wait 33 s on average on 4 processors, against 69 s under FCFS.";
    assert!(said.split_whitespace().collect::<Vec<_>>().join(" ").contains(expected), "{said}");
}

#[test]
fn the_distribution_is_drawn_as_steps_down_to_the_longest_wait() {
    let folder = with_logs();
    replay(&folder, &["b.swf", "--policy", "FCFS,EASY"]);
    let result = folder.path().join("output/replay-b");
    let svg = fs::read_to_string(result.join("waits.svg")).unwrap();
    let lines: Vec<&str> = svg.lines().filter(|line| line.contains("stroke-width=\"12\"")).collect();
    for (policy, colour) in [("FCFS", "#0072B2"), ("EASY", "#D55E00")] {
        let jobs: Vec<f64> = waits(&result, policy).iter().map(|(_, wait)| *wait).collect();
        let shown = rows(&result, "waits longer than");
        let shown: Vec<_> = shown.iter().filter(|row| row["series"] == policy).collect();
        for row in &shown {
            let longer = jobs.iter().filter(|&&wait| wait / 3600.0 > number(row, "x") + 1e-9).count();
            assert!(near(number(row, "mean"), longer as f64 / jobs.len() as f64), "{row:?}");
        }
        let mut distinct: Vec<i64> = jobs.iter().map(|&wait| wait as i64).chain([0]).collect();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(shown.len(), distinct.len(), "so few jobs are all shown");
        // The legend has a line of the colour as well.
        let own = lines.iter().filter(|line| line.contains(colour)).max_by_key(|line| line.len()).unwrap();
        let points = own.split('"').nth(1).unwrap().split(' ');
        let points: Vec<(f64, f64)> = points
            .map(|point| point.split_once(',').unwrap())
            .map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap()))
            .collect();
        // A level before each step, and the level after the last is 0: none.
        assert_eq!(points.len(), 2 * (distinct.len() - 1) + 1, "{policy}");
        for (index, pair) in points.windows(2).enumerate() {
            let is_level = index % 2 == 0;
            assert!(if is_level { pair[0].1 == pair[1].1 } else { pair[0].0 == pair[1].0 }, "{pair:?}");
            assert!(pair[0].0 <= pair[1].0 && pair[0].1 <= pair[1].1, "{pair:?}");
        }
    }
}

#[test]
fn several_logs_keep_their_names_apart() {
    let folder = with_logs();
    let said = replay(&folder, &["a.swf", "b.swf", "--policy", "FCFS,EASY"]);
    assert!(said.contains("waiting least on a and b?") && said.contains("\nb: "), "{said}");
    let result = folder.path().join("output/replay-a-b");
    for (log, jobs) in [("a", 900.0), ("b", 150.0)] {
        replay(&folder, &[&format!("{log}.swf"), "--policy", "FCFS,EASY"]);
        let alone = folder.path().join(format!("output/replay-{log}"));
        let without_name = |rows: Vec<BTreeMap<String, String>>| -> Vec<BTreeMap<String, String>> {
            rows.into_iter().map(|row| row.into_iter().filter(|(name, _)| name != "experiment").collect()).collect()
        };
        let together = without_name(rows(&result, &format!("{log}: whole log")));
        // Holm's correction is over what a figure shows, and each log has a figure of its own.
        assert_eq!(together, without_name(rows(&alone, "whole log")));
        assert_eq!(number(&together[0], "mean"), jobs);
        for file in [format!("schedule-{log}-easy.swf"), format!("waits-{log}.svg"), format!("queue-{log}.pdf")] {
            assert!(result.join(&file).exists(), "{file}");
        }
    }
    let jobs = table(&result.join("jobs.csv"));
    let count = |log: &str| jobs.iter().filter(|job| job["log"] == log).count();
    assert_eq!((count("a"), count("b"), jobs.len()), (1800, 300, 2100));
    let header = fs::read_to_string(result.join("jobs.csv")).unwrap();
    assert!(header.starts_with("job,submit,start,finish,wait,processors,bounded_slowdown,policy,log\n"));
    let long = "n".repeat(120) + ".swf";
    fs::rename(folder.path().join("a.swf"), folder.path().join(&long)).unwrap();
    replay(&folder, &[&long, "b.swf", "--policy", "EASY"]);
    let bounded = format!("output/replay-{}-easy", ("n".repeat(80) + "-b").chars().take(88).collect::<String>());
    assert!(folder.path().join(&bounded).exists(), "{bounded}");
}

#[test]
fn a_sweep_over_drawn_logs_tells_them_apart_by_series() {
    let source = r#"(
        name: "drawn",
        replications: 3,
        experiment: Replay(
            logs: [Lublin(jobs: 200, nodes: 32, load: 0.8), Lublin(jobs: 200, nodes: 32, load: 0.8, seed: 2, name: "two")],
            policies: [Fcfs, Easy(depth: 2, order: Shortest)],
        ),
        sweeps: [(
            name: "load",
            field: "experiment.logs[0].load",
            values: [0.5, 0.9],
            metrics: ["mean wait", "difference in mean wait"],
        )],
    )"#;
    let outcome = run(&load_study(&Source::new("drawn.ron", source), &[]).unwrap(), &NoProgress).unwrap();
    let swept = |series: &str| -> Vec<f64> {
        let own =
            |row: &&gridloom::study::Row| row.experiment == "load" && row.series == series && row.metric == "mean wait";
        outcome.results.rows.iter().filter(own).map(|row| row.mean).collect()
    };
    let (first, second) = (swept("lublin: FCFS"), swept("two: EASY, depth 2, shortest first"));
    assert_eq!((first.len(), second.len()), (2, 2));
    assert!(first[0] < first[1], "a busier machine keeps jobs waiting: {first:?}");
    assert_eq!(second[0], second[1], "what is not swept stays the same");
    assert!(outcome.notes.iter().any(|note| note.contains("a replay draws nothing")), "{:?}", outcome.notes);
    // The log is the one that `generate` writes.
    let folder = tempfile::tempdir().unwrap();
    let args = ["generate", "--jobs", "200", "--nodes", "32", "--load", "0.8", "--seed", "2", "--out", "g.swf"];
    assert!(gridloom(folder.path(), &args).status.success());
    replay(&folder, &["g.swf", "--policy", "FCFS"]);
    let written = rows(&folder.path().join("output/replay-g-fcfs"), "whole log");
    let drawn = outcome.results.rows.iter().find(|row| row.experiment == "two: whole log" && row.metric == "mean wait");
    let wait = written.iter().find(|row| row["metric"] == "mean wait").unwrap();
    assert!(near(drawn.unwrap().mean, number(wait, "mean")));
}
