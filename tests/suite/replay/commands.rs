//! `gridloom replay` and `gridloom generate` as a user calls them.

pub(super) use crate::program::{done, gridloom, text};
use std::collections::BTreeMap;
use std::fs;
use std::process::Output;
use tempfile::TempDir;

/// A folder with one log in it.
pub(super) fn with_log(log: impl AsRef<[u8]>) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("t.swf"), log).unwrap();
    folder
}

pub(super) fn line(job: i64, submit: i64, runtime: i64, processors: i64, request: i64) -> String {
    format!("{job} {submit} -1 {runtime} {processors} -1 -1 {processors} {request} -1 1 1 1 1 1 -1 -1 -1\n")
}

/// Three jobs on 4 processors: the third may overtake the second.
pub(super) fn three() -> String {
    format!("; MaxProcs: 4\n{}{}{}", line(11, 0, 100, 3, 100), line(12, 1, 10, 4, 10), line(13, 2, 50, 1, 60))
}

fn replay(folder: &TempDir, args: &[&str]) -> Output {
    gridloom(folder.path(), &[&["replay", "t.swf"], args].concat())
}

fn jobs(folder: &TempDir, policy: &str) -> String {
    fs::read_to_string(folder.path().join(format!("output/replay-t-{policy}/jobs.csv"))).unwrap()
}

#[test]
fn a_replay_leaves_all_its_files_and_a_summary() {
    let folder = with_log(three());
    let done = replay(&folder, &["--policy", "easy", "--verbose"]);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    let expected = "job,submit,start,finish,wait,processors,bounded_slowdown,policy\n\
                    11,0,0,100,0,3,1.000000,EASY\n12,1,100,110,99,4,10.900000,EASY\n13,2,2,52,0,1,1.000000,EASY\n";
    assert_eq!(jobs(&folder, "easy"), expected);
    let result = folder.path().join("output/replay-t-easy");
    let schedule = fs::read_to_string(result.join("schedule.swf")).unwrap();
    assert!(
        schedule.contains("; MaxProcs: 4\n") && schedule.contains("\n12 1 99 10 4 -1 -1 4 10 -1 1 1 1 1 1 -1 -1 -1\n")
    );
    for file in ["results.json", "results.csv", "scenario.ron", "report.html", "queue.svg", "queue.png", "waits.pdf"] {
        assert!(result.join(file).exists(), "{file}");
    }
    let said = text(&done.stdout);
    for (metric, value) in [("mean wait (seconds)", "33"), ("maximum wait (seconds)", "99")] {
        let cells = |row: &str| row.split('|').map(|cell| cell.trim().to_string()).collect::<Vec<_>>();
        assert!(said.lines().any(|row| cells(row) == ["", metric, value, ""]), "{said}");
    }
    assert!(said.contains("longer than requested, cut"), "{said}");
    let again = replay(&folder, &["--policy", "easy"]);
    assert_eq!(again.status.code(), Some(2), "an existing result is replaced only by force");
    assert_eq!(replay(&folder, &["--policy", "easy", "--force"]).status.code(), Some(0));
    assert_eq!(replay(&folder, &["--policy", "fcfs"]).status.code(), Some(0));
    assert!(jobs(&folder, "fcfs").contains("13,2,110,160,108,1,3.160000"));
}

#[test]
fn the_schedule_that_was_written_replays_to_itself_first_come_first_served() {
    let folder = with_log(three());
    replay(&folder, &["--policy", "fcfs"]);
    let schedule = folder.path().join("output/replay-t-fcfs/schedule.swf");
    fs::rename(schedule, folder.path().join("t.swf")).unwrap();
    let before = jobs(&folder, "fcfs");
    assert_eq!(replay(&folder, &["--policy", "fcfs", "--force"]).status.code(), Some(0));
    assert_eq!(jobs(&folder, "fcfs"), before);
}

#[test]
fn a_schedule_is_read_back_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let made =
        gridloom(folder.path(), &["generate", "--jobs", "300", "--nodes", "32", "--load", "0.9", "--out", "t.swf"]);
    assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
    let done = replay(&folder, &["--policy", "easy", "--quiet"]);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    let schedule = fs::read_to_string(folder.path().join("output/replay-t-easy/schedule.swf")).unwrap();
    for entry in ["; UnixStartTime: 0\n", "; TimeZoneString: UTC\n"] {
        assert!(schedule.contains(entry), "evalys asks for {entry}");
    }
    let written = schedule.lines().filter(|line| !line.starts_with(';')).map(|line| {
        let fields: Vec<i64> = line.split_whitespace().map(|field| field.parse().unwrap()).collect();
        let (submit, wait, runtime) = (fields[1], fields[2], fields[3]);
        format!("{},{submit},{},{},{wait},{}", fields[0], submit + wait, submit + wait + runtime, fields[4])
    });
    let table = jobs(&folder, "easy");
    let told = table.lines().skip(1).map(|line| line.rsplitn(3, ',').nth(2).unwrap().to_string());
    assert_eq!(written.collect::<Vec<_>>(), told.collect::<Vec<_>>());
    // A log that says when it began keeps that.
    let folder = with_log(format!("; UnixStartTime: 843448000\n; TimeZoneString: Europe/Stockholm\n{}", three()));
    replay(&folder, &["--policy", "easy", "--quiet"]);
    let schedule = fs::read_to_string(folder.path().join("output/replay-t-easy/schedule.swf")).unwrap();
    assert_eq!(schedule.matches("UnixStartTime").count(), 1);
    assert!(schedule.contains("; UnixStartTime: 843448000\n"));
}

#[test]
fn what_is_wrong_with_a_log_is_on_the_page_and_there_again_when_the_replay_is_repeated() {
    let folder = with_log(three() + "word\n");
    let done = replay(&folder, &["--policy", "easy", "--out", "r"]);
    assert!(text(&done.stderr).contains("t.swf: 1 bad line"), "{}", text(&done.stderr));
    assert!(!text(&done.stdout).contains("1 bad line"), "it is told once: {}", text(&done.stdout));
    let again = gridloom(folder.path(), &["run", "r/scenario.ron", "--out", "again"]);
    assert!(text(&again.stdout).contains("t.swf: 1 bad line"), "{}", text(&again.stdout));
    let page = |result: &str| fs::read_to_string(folder.path().join(result).join("report.html")).unwrap();
    assert!(page("r").contains("t.swf: 1 bad line, 0 lines out of order"));
    assert!(page("r") == page("again"), "it is repeated byte for byte");
}

#[test]
fn tables_of_batsim_say_which_processors_each_job_had() {
    let folder = with_log(three());
    let done = replay(&folder, &["--policy", "easy,fcfs", "--batsim-tables", "--quiet"]);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    let table = fs::read_to_string(folder.path().join("output/replay-t/batsim-jobs-easy.csv")).unwrap();
    let rows: Vec<&str> = table.lines().skip(1).collect();
    let expected = [
        "11,log,11,0,3,100,1,COMPLETED_SUCCESSFULLY,0,100,100,0,100,1.000000,0-2,-1,",
        "12,log,12,1,4,10,1,COMPLETED_SUCCESSFULLY,100,10,110,99,109,10.900000,0-3,-1,",
        "13,log,13,2,1,60,1,COMPLETED_SUCCESSFULLY,2,50,52,0,50,1.000000,3,-1,",
    ];
    assert_eq!(rows, expected);
    assert!(folder.path().join("output/replay-t/batsim-jobs-fcfs.csv").exists());

    // A job that is ended at its request has not succeeded, and one that lasts just as long has.
    let folder = with_log(format!("; MaxProcs: 4\n{}{}", line(1, 0, 30, 1, 20), line(2, 0, 20, 1, 20)));
    replay(&folder, &["--policy", "easy", "--batsim-tables", "--quiet"]);
    let table = fs::read_to_string(folder.path().join("output/replay-t-easy/batsim-jobs.csv")).unwrap();
    let states: Vec<&str> = table.lines().skip(1).map(|row| row.split(',').nth(7).unwrap()).collect();
    assert_eq!(states, ["COMPLETED_WALLTIME_REACHED", "COMPLETED_SUCCESSFULLY"]);
    let successes: Vec<&str> = table.lines().skip(1).map(|row| row.split(',').nth(6).unwrap()).collect();
    assert_eq!(successes, ["0", "1"]);

    let made =
        gridloom(folder.path(), &["generate", "--jobs", "400", "--nodes", "32", "--load", "0.9", "--out", "l.swf"]);
    assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
    let args = ["replay", "l.swf", "--policy", "easy", "--batsim-tables", "--quiet"];
    assert_eq!(gridloom(folder.path(), &args).status.code(), Some(0));
    let table = fs::read_to_string(folder.path().join("output/replay-l-easy/batsim-jobs.csv")).unwrap();
    // By processor, when it was held: nobody holds it together with another.
    let mut held: BTreeMap<u32, Vec<(f64, f64)>> = BTreeMap::new();
    for row in table.lines().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        let (start, end): (f64, f64) = (cells[8].parse().unwrap(), cells[10].parse().unwrap());
        let mut count = 0;
        for range in cells[14].split(' ') {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            for processor in first.parse::<u32>().unwrap()..=last.parse().unwrap() {
                assert!(processor < 32);
                held.entry(processor).or_default().push((start, end));
                count += 1;
            }
        }
        assert_eq!(count.to_string(), cells[4], "{row}");
    }
    for (processor, mut times) in held {
        times.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert!(times.windows(2).all(|pair| pair[0].1 <= pair[1].0), "processor {processor}");
    }
}

#[test]
fn a_scheduler_elsewhere_that_is_no_address_or_not_there_is_told() {
    let folder = with_log(three());
    let done = replay(&folder, &["--policy", "batsim:localhost"]);
    assert_eq!(done.status.code(), Some(2));
    let said = text(&done.stderr);
    assert!(said.contains("--policy batsim:localhost") && said.contains("such as tcp://127.0.0.1:28000"), "{said}");
    let unknown = replay(&folder, &["--policy", "batsm"]);
    assert!(text(&unknown.stderr).contains("FCFS"), "{}", text(&unknown.stderr));
}

#[test]
fn every_rule_can_be_chosen_and_is_counted() {
    // An overrun, a missing request, a cancelled job, one that is too wide, and one whose counts differ.
    let differs = "5 4 -1 20 2 -1 -1 3 30 -1 5 1 1 1 1 -1 -1 -1\n";
    let jobs_text =
        [line(1, 0, 90, 2, 60), line(2, 1, 40, 2, -1), line(3, 2, 0, 1, 60), line(4, 3, 10, 64, 60)].concat();
    let folder = with_log(format!("{jobs_text}{differs}"));
    let run = |args: &[&str]| {
        let done = replay(&folder, &[&["--policy", "fcfs", "--nodes", "4", "--force", "--verbose"], args].concat());
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
        let table = jobs(&folder, "fcfs")
            .lines()
            .skip(1)
            .map(|line| line.rsplitn(3, ',').nth(2).unwrap().to_string())
            .collect::<Vec<_>>();
        (table, text(&done.stdout))
    };
    let count = |said: &str, rule: &str| {
        let row = said
            .lines()
            .find(|line| line.starts_with('|') && line.contains(rule))
            .unwrap_or_else(|| panic!("{rule} in {said}"));
        row.split('|').nth(2).unwrap().trim().parse::<u64>().unwrap()
    };
    let (table, said) = run(&[]);
    assert_eq!(table, ["1,0,0,60,0,2", "2,1,1,41,0,2", "5,4,60,80,56,3"]);
    for (rule, expected) in [
        ("no runtime", 1),
        ("wider than the machine", 1),
        ("no requested time, runtime taken", 1),
        ("longer than requested, cut", 1),
        ("longer than requested, kept", 0),
        ("cancelled while running", 1),
    ] {
        assert_eq!(count(&said, rule), expected, "{rule}");
    }
    assert!(said.contains("Wider than the machine: 4 (64 processors)."), "{said}");
    let (table, said) = run(&["--overrun", "keep", "--processors", "allocated", "--missing-request", "skip"]);
    assert_eq!(table, ["1,0,0,90,0,2", "5,4,4,24,0,2"]);
    assert_eq!((count(&said, "no requested time, left out"), count(&said, "longer than requested, kept")), (1, 1));
}

#[test]
fn estimates_decide_who_may_overtake() {
    // The second needs all 4; the third runs for 50 seconds, but asked for 500.
    let log = [line(1, 0, 100, 3, 100), line(2, 1, 10, 4, 10), line(3, 2, 50, 1, 500)].concat();
    let folder = with_log(log);
    let start = |estimate: &str| {
        let done = replay(&folder, &["--policy", "easy", "--nodes", "4", "--force", "--estimate", estimate]);
        assert_eq!(done.status.code(), Some(0));
        jobs(&folder, "easy").lines().nth(3).unwrap().split(',').nth(2).unwrap().to_string()
    };
    assert_eq!([start("requested"), start("max"), start("actual")], ["110", "110", "2"]);
}

#[test]
fn bad_lines_are_counted_by_default_and_end_a_strict_run() {
    let log = three()
        + "14 3 -1 10\n15 x -1 1 1 -1 -1 1 1 -1 1 1 1 1 1 -1 -1 -1\n"
        + &line(16, 1, 5, 1, 5)
        + &line(17, -4, 5, 1, 5);
    let folder = with_log(log);
    let strict = replay(&folder, &["--policy", "easy", "--strict"]);
    assert_eq!(strict.status.code(), Some(2));
    assert!(!folder.path().join("output").exists());
    let lenient = replay(&folder, &["--policy", "easy"]);
    assert_eq!(lenient.status.code(), Some(0));
    for said in [text(&strict.stderr), text(&lenient.stderr)] {
        for part in [
            "3 bad lines, 1 line out of order",
            "line 5: 4 fields instead of 18",
            "line 6: field 2 (submit time) is \"x\", which is not a number",
            "line 7: the submit time 1 comes after 2",
            "line 8: the submit time -4 is negative",
        ] {
            assert!(said.contains(part), "{part}: {said}");
        }
    }
    assert_eq!(jobs(&folder, "easy").lines().count(), 5);
    let quiet = replay(&folder, &["--policy", "easy", "--force", "--quiet"]);
    assert!(quiet.stderr.is_empty());
}

#[test]
fn depth_and_order_of_the_queue_can_be_chosen_where_they_mean_something() {
    // Two processors, the first job holds both; a long and then a short one wait.
    let log = format!("; MaxProcs: 2\n{}{}{}", line(1, 0, 20, 2, 20), line(2, 1, 30, 2, 30), line(3, 5, 10, 2, 10));
    let folder = with_log(log);
    let done = replay(&folder, &["--policy", "easy", "--depth", "3", "--order", "shortest"]);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    let jobs = jobs(&folder, "easy-depth-3-shortest-first");
    let starts: Vec<&str> = jobs.lines().skip(1).map(|line| line.split(',').nth(2).unwrap()).collect();
    assert_eq!(starts, ["0", "30", "20"]);
    let report =
        fs::read_to_string(folder.path().join("output/replay-t-easy-depth-3-shortest-first/scenario.ron")).unwrap();
    assert!(report.contains("Easy(depth: 3, order: Shortest)"), "{report}");
    for (args, expected) in [
        (&["--policy", "easy", "--order", "price"][..], "possible values: arrival, shortest, largest]"),
        (&["--policy", "fcfs", "--order", "rank"], "possible values: arrival, shortest, largest]"),
        (&["--policy", "fcfs", "--depth", "2"], "under FCFS nobody holds a reservation"),
        (&["--policy", "conservative", "--depth", "2"], "under conservative everybody holds a reservation"),
        (&["--policy", "easy", "--depth", "0"], "0"),
    ] {
        let refused = replay(&folder, args);
        assert_eq!(refused.status.code(), Some(2), "{args:?}");
        assert!(text(&refused.stderr).contains(expected), "{}", text(&refused.stderr));
    }
}

#[test]
fn what_is_no_log_is_refused_with_a_reason() {
    let zipped_cut = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0x33, 0x54];
    let nothing_runs = line(1, 0, 0, 1, 5);
    for (log, args, expected) in [
        (&b""[..], &["--nodes", "4"][..], "holds no job"),
        (b"\x7fELF\x02\0\0\n\0\0\0", &["--nodes", "4"], "holds no job"),
        (b"<html>not found</html>\n", &["--nodes", "4"], "line 1: 2 fields instead of 18"),
        (&zipped_cut, &["--nodes", "4"], "reading fails from here on"),
        (line(1, 0, 5, 1, 5).as_bytes(), &[], "give --nodes"),
        (nothing_runs.as_bytes(), &["--nodes", "4"], "no job can be replayed"),
        (line(1, 0, 5, 1, 5).as_bytes(), &["--nodes", "0"], "0"),
        (line(1, 0, 5, 1, 5).as_bytes(), &["--nodes", "4", "--estimate", "guess"], "guess"),
    ] {
        let folder = with_log(log);
        let failed = replay(&folder, &[&["--policy", "easy"], args].concat());
        let said = text(&failed.stderr);
        assert_eq!(failed.status.code(), Some(2), "{expected}: {said}");
        assert!(said.contains(expected), "{expected}: {said}");
        assert!(failed.stdout.is_empty() && !folder.path().join("output").exists());
    }
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(gridloom(folder.path(), &["replay", "missing.swf", "--policy", "easy"]).status.code(), Some(2));
    assert_eq!(gridloom(folder.path(), &["replay", ".", "--policy", "easy"]).status.code(), Some(2));
}

#[test]
fn a_generated_log_is_the_same_for_the_same_seed_and_replays_under_every_policy() {
    let folder = tempfile::tempdir().unwrap();
    let generate = |seed: &str, more: &[&str]| {
        let args = ["generate", "--jobs", "300", "--nodes", "32", "--load", "0.8", "--seed", seed];
        let done = gridloom(folder.path(), &[&args, more].concat());
        (done.status.code(), text(&done.stdout))
    };
    let (status, log) = generate("7", &[]);
    assert_eq!((status, log.lines().filter(|line| !line.starts_with(';')).count()), (Some(0), 300));
    assert_ne!(generate("8", &[]).1, log);
    assert_eq!(generate("7", &["--out", "t.swf"]), (Some(0), String::new()));
    assert_eq!(fs::read_to_string(folder.path().join("t.swf")).unwrap(), log);
    assert_eq!(generate("7", &["--out", "t.swf"]).0, Some(2), "an existing file is replaced only by force");
    assert_eq!(generate("7", &["--out", "t.swf", "--force"]).0, Some(0));
    let mut makespans = BTreeMap::new();
    for policy in ["fcfs", "easy", "conservative"] {
        let done = replay(&folder, &["--policy", policy, "--strict"]);
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
        makespans.insert(policy, jobs(&folder, policy));
    }
    assert_ne!(makespans["fcfs"], makespans["easy"]);
    for bad in [["--load", "0"], ["--load", "nan"], ["--nodes", "0"], ["--jobs", "-1"]] {
        assert_eq!(
            gridloom(folder.path(), &[&["generate", "--jobs", "5", "--nodes", "5"], &bad[..]].concat()).status.code(),
            Some(2)
        );
    }
}
