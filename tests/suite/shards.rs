//! Runs that are cut into shards: the merged result has the bytes of one that was not.

use super::program::{Contents, assert_same, call, contents, done, ends, folder_with, gridloom, start};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

const GRID: &str = r#"(name: "swept", replications: 5, experiment: Grid(
    horizon: 40, step: 10, domains: [(name: "a", nodes: 4, owners: [(load: 0.2, length: 3)])],
    flows: [(name: "f", arrivals: Load(load: 0.5), work: Rigid(nodes: 2, length: Uniform(low: 1, high: 9)), max_price: 2)],
    metascheduler: (period: 2, interval: 30), policies: [Easy, Fcfs]),
    sweeps: [(name: "load", field: "experiment.flows[0].arrivals.load", values: [0.2, 0.5, 0.8], label: "Load", metrics: ["wait"])])"#;

/// Runs these shards of `s.ron`, such as 1/2.
fn run_shards(folder: &Path, shards: &[&str]) {
    for shard in shards {
        done(folder, &["run", "s.ron", "--shard", shard, "--out", "out", "-q"]);
    }
}

/// What a single run of the grid leaves, which runs once for all tests.
static SINGLE: LazyLock<Contents> = LazyLock::new(|| {
    let folder = folder_with(GRID);
    done(folder.path(), &["run", "s.ron", "--out", "single", "-q"]);
    contents(&folder.path().join("single"))
});

fn assert_merges_to_single(folder: &Path) {
    done(folder, &["merge", "out", "-q"]);
    assert_same(&SINGLE, &contents(&folder.join("out")));
}

/// The finished blocks, sorted.
fn blocks(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder.join("out.blocks")).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|end| end == "jsonl")).collect();
    found.sort();
    found
}

/// The number of replications in some blocks.
fn replications(blocks: &[PathBuf]) -> usize {
    blocks.iter().map(|path| fs::read_to_string(path).unwrap().matches("{\"replication\"").count()).sum()
}

#[test]
fn shards_of_any_number_merge_to_the_bytes_of_one_run() {
    let folder = folder_with(GRID);
    let folder = folder.path();
    for of in [1, 3, 7] {
        // In any order, with any number of threads.
        for index in (1..=of).rev() {
            let threads = if index % 2 == 0 { "1" } else { "2" };
            done(folder, &["run", "s.ron", "--shard", &format!("{index}/{of}"), "--out", "out", "--threads", threads]);
        }
        assert_merges_to_single(folder);
        assert!(!folder.join("out.blocks").exists(), "nothing is left");
        fs::remove_dir_all(folder.join("out")).unwrap();
    }
}

#[test]
fn kinds_that_draw_nothing_worlds_until_enough_and_batches_merge_alike() {
    let windows = r#"(name: "w", experiment: Windows(world: Listed(nodes: [(name: "a", performance: 1, price: 1), (name: "b", performance: 2, price: 3)],
        free: Slots([(node: "a", start: 0, end: 90), (node: "b", start: 5, end: 60)])),
        requests: [(name: "r", nodes: 2, length: 10, max_price: 5)], searches: [Amp, Alp]),
        sweeps: [(name: "length", field: "experiment.requests[0].length", values: [5, 10, 20], label: "Length")])"#;
    let until = GRID.replace(
        "replications: 5,",
        "replications: 40, statistics: (until: (metric: \"wait\", half_width: 4, at_least: 3)),",
    );
    let batches = GRID.replace("replications: 5,", "replications: 3, statistics: (sampling: BatchMeans(batches: 4)),");
    for scenario in [windows, &until, &batches] {
        let folder = folder_with(scenario);
        let folder = folder.path();
        done(folder, &["run", "s.ron", "--out", "single", "-q"]);
        run_shards(folder, &["1/2", "2/2"]);
        done(folder, &["merge", "out", "-q"]);
        assert_same(&contents(&folder.join("single")), &contents(&folder.join("out")));
    }
}

#[test]
fn runs_with_a_program_of_ones_own_merge_alike() {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/external/first_come.sh");
    let scenario = GRID.replace("[Easy, Fcfs]", "[Easy, External(command: [\"sh\", \"mine.sh\"], name: \"mine\")]");
    let folder = folder_with(&scenario);
    let folder = folder.path();
    fs::copy(program, folder.join("mine.sh")).unwrap();
    done(folder, &["run", "s.ron", "--out", "single", "-q"]);
    run_shards(folder, &["1/2", "2/2"]);
    done(folder, &["merge", "out", "-q"]);
    assert_same(&contents(&folder.join("single")), &contents(&folder.join("out")));
}

#[test]
fn a_scenario_and_its_files_are_as_they_were_when_the_run_began() {
    let scenario = r#"(name: "log", replications: 4, experiment: Grid(horizon: 50, time_unit: "minutes",
        domains: [(name: "a", nodes: 4)], flows: [(name: "f", work: Log(path: "log.swf"), max_price: 2)],
        metascheduler: (period: 5, interval: 50), policies: [Easy]))"#;
    let line = |job: u64| format!("{job} {} 0 600 2 -1 -1 2 900 -1 1 1 1 1 1 -1 -1 -1\n", job * 120);
    let folder = folder_with(scenario);
    let folder = folder.path();
    let log: String = (1..9).map(line).collect();
    fs::write(folder.join("log.swf"), log).unwrap();
    done(folder, &["run", "s.ron", "--out", "single", "-q"]);
    run_shards(folder, &["1/2"]);
    // An edit of either goes unnoticed by those who go on with what is there, and is refused if it is given again.
    fs::write(folder.join("log.swf"), line(1)).unwrap();
    let said = ends(folder, 2, &["run", "s.ron", "--shard", "2/2", "--out", "out"]);
    assert!(said.contains("holds parts of another run"), "{said}");
    fs::write(folder.join("s.ron"), "(").unwrap();
    done(folder, &["run", "--shard", "2/2", "--out", "out", "-q"]);
    done(folder, &["merge", "out", "-q"]);
    assert_same(&contents(&folder.join("single")), &contents(&folder.join("out")));
}

#[test]
fn what_is_finished_is_not_repeated_and_nothing_is_counted_twice() {
    let folder = folder_with(GRID);
    let folder = folder.path();
    done(folder, &["run", "s.ron", "--shard", "1/2", "--out", "out"]);
    let said = done(folder, &["run", "s.ron", "--shard", "1/2", "--out", "out"]);
    assert!(said.contains("0 blocks of 0 replications made, 3 blocks were there already"), "{said}");
    let all = replications(&blocks(folder));
    fs::remove_dir_all(folder.join("out.blocks")).unwrap();
    // Killed processes have left parts of blocks, with half a line at their ends, and had cut the work differently.
    run_shards(folder, &["1/3"]);
    let kept = replications(&blocks(folder));
    for block in blocks(folder) {
        let text = fs::read_to_string(&block).unwrap();
        fs::write(&block, format!("{text}{}", &text[..text.len() / 2])).unwrap();
        fs::rename(&block, block.with_extension("dead-1.part")).unwrap();
    }
    let told = done(folder, &["status", "out"]);
    assert!(told.contains(&format!("3 shards; {kept} more of blocks that are not done")), "{told}");
    let said = done(folder, &["run", "s.ron", "--shard", "1/2", "--out", "out"]);
    assert!(said.contains(&format!("3 blocks of {} replications made", all - kept)), "{said}");
    run_shards(folder, &["1/3", "2/3", "3/3"]);
    assert_merges_to_single(folder);
    assert!(done(folder, &["status", "out"]).contains("the result is there, whole"));
    assert!(gridloom(folder, &["merge", "out"]).status.success(), "a second merge has nothing to do");
    for args in [&["run", "s.ron", "--shard", "1/2"][..], &["submit", "s.ron", "--engine", "slurm"]] {
        let said = ends(folder, 2, &[args, &["--out", "out"]].concat());
        assert!(said.contains("exists already; choose another --out"), "{said}");
    }
}

#[test]
fn two_processes_may_run_one_shard_at_once() {
    let folder = folder_with(GRID);
    let folder = folder.path();
    let begin = |shard: &str| start(folder, &["run", "s.ron", "--shard", shard, "--out", "out", "-q"]);
    for mut child in ["1/2", "1/2", "2/2", "2/2"].map(begin) {
        assert!(child.wait().unwrap().success());
    }
    assert_merges_to_single(folder);
}

#[test]
fn what_is_missing_is_named_and_a_partial_result_says_so_first() {
    let folder = folder_with(GRID);
    let folder = folder.path();
    run_shards(folder, &["1/2"]);
    let said = ends(folder, 1, &["merge", "out"]);
    assert!(said.contains("of 15 replications are missing: base ("), "{said}");
    assert!(said.contains("`gridloom run --shard 2/2 --out out` goes on"), "{said}");
    assert!(!folder.join("out").exists());
    let told = done(folder, &["status", "out"]);
    assert!(told.starts_with("swept: 3 of 6 blocks done, 0 running, 0 failed, 3 missing\n"), "{told}");
    let said = done(folder, &["merge", "out", "--partial"]);
    assert!(said.starts_with("Partial result: "), "{said}");
    let page = fs::read_to_string(folder.join("out/report.html")).unwrap();
    assert!(page.contains("<main>\n<p class=\"partial\"><strong>Partial result: "));
    let results = fs::read_to_string(folder.join("out/results.json")).unwrap();
    assert!(results.contains("\"missing\": \""), "{results}");
    // It becomes whole without further ado.
    done(folder, &["run", "--shard", "2/2", "--out", "out", "-q"]);
    assert_merges_to_single(folder);
}

#[test]
fn the_replication_that_a_merge_runs_itself_is_not_missing() {
    let folder = folder_with(GRID);
    let folder = folder.path();
    for (of, ending, words) in [
        (1, ".0-5.", "14 of 15 replications are missing: base (2 to 5 of 5); load: load=0.2 (all 5)"),
        (5, ".0-1.", "2 of 15 replications are missing: load: load=0.2 (1 of 5)"),
    ] {
        for index in 1..=of {
            done(folder, &["run", "s.ron", "--shard", &format!("{index}/{of}"), "--out", "out", "-q"]);
        }
        let all = blocks(folder);
        let first: Vec<&PathBuf> = all.iter().filter(|path| path.to_str().unwrap().contains(ending)).collect();
        assert_eq!(first.len(), 3, "one of each point: {all:?}");
        first.iter().for_each(|path| fs::rename(path, path.with_extension("away")).unwrap());
        let said = ends(folder, 1, &["merge", "out"]);
        assert!(said.contains(words), "{said}");
        fs::remove_dir_all(folder.join("out.blocks")).unwrap();
    }
    // What it runs is all that is missing, and the result is whole.
    let plain = GRID.replace("sweeps:", "sweeps: [], // ");
    fs::write(folder.join("s.ron"), plain + "\n)").unwrap();
    done(folder, &["run", "s.ron", "--out", "single", "-q"]);
    for index in 2..=5 {
        done(folder, &["run", "s.ron", "--shard", &format!("{index}/5"), "--out", "out", "-q"]);
    }
    let all = blocks(folder);
    let has_first = all.iter().any(|path| path.to_str().unwrap().contains(".0-1."));
    assert!(all.len() == 4 && !has_first, "{all:?}");
    done(folder, &["merge", "out", "-q"]);
    assert_same(&contents(&folder.join("single")), &contents(&folder.join("out")));
}

#[test]
fn a_damaged_block_is_named_and_made_again() {
    let folder = folder_with(GRID);
    let folder = folder.path();
    run_shards(folder, &["1/2", "2/2"]);
    let whole = blocks(folder);
    let text = fs::read_to_string(&whole[0]).unwrap();
    fs::write(&whole[0], &text[..text.len() - 30]).unwrap();
    let text = fs::read_to_string(&whole[1]).unwrap();
    fs::write(&whole[1], text.replacen("0.", "1.", 1)).unwrap();
    let told = done(folder, &["status", "out"]);
    assert!(told.contains("4 of 6 blocks done") && told.contains("nothing runs of: shard "), "{told}");
    assert!(told.contains("it is cut short; its shard makes it again"), "{told}");
    let said = ends(folder, 1, &["merge", "out"]);
    assert!(said.contains("it is cut short") && said.contains("it is not as it was written"), "{said}");
    let told = done(folder, &["status", "out"]);
    assert!(told.contains("4 of 6 blocks done"), "{told}");
    run_shards(folder, &["1/2", "2/2"]);
    assert_merges_to_single(folder);
}

#[cfg(unix)]
#[test]
fn a_block_in_the_place_of_another_is_set_aside() {
    let folder = folder_with(GRID);
    let folder = folder.path();
    type Harm<'a> = (&'a str, usize, &'a dyn Fn(&[PathBuf]));
    let harms: [Harm<'_>; 5] = [
        ("it is another block under this name", 2, &|blocks| {
            let spare = folder.join("spare");
            for (from, to) in [(&blocks[0], &spare), (&blocks[1], &blocks[0]), (&spare, &blocks[1])] {
                fs::rename(from, to).unwrap();
            }
        }),
        ("it is another block under this name", 1, &|blocks| {
            fs::copy(&blocks[0], &blocks[1]).unwrap();
        }),
        ("it is not as it was written", 1, &|blocks| {
            let text = fs::read_to_string(&blocks[2]).unwrap();
            fs::write(&blocks[2], text.repeat(2)).unwrap();
        }),
        ("it is not a plain file", 1, &|blocks| {
            fs::remove_file(&blocks[3]).unwrap();
            assert!(Command::new("mkfifo").arg(&blocks[3]).status().unwrap().success());
        }),
        ("it is not a plain file", 1, &|blocks| {
            fs::remove_file(&blocks[4]).unwrap();
            std::os::unix::fs::symlink("/dev/zero", &blocks[4]).unwrap();
        }),
    ];
    for (words, count, harm) in harms {
        run_shards(folder, &["1/2", "2/2"]);
        harm(&blocks(folder));
        let told = done(folder, &["status", "out"]);
        assert!(told.contains(&format!("{} of 6 blocks done", 6 - count)) && told.contains(words), "{told}");
        let said = ends(folder, 1, &["merge", "out"]);
        assert_eq!(said.matches(words).count(), count, "{said}");
        assert!(!folder.join("out").exists());
    }
    run_shards(folder, &["1/2", "2/2"]);
    assert_merges_to_single(folder);
}

#[test]
fn a_run_on_one_machine_goes_on_from_the_blocks_of_shards() {
    let folder = folder_with(GRID);
    let folder = folder.path();
    run_shards(folder, &["1/2"]);
    let (all, sign) = (blocks(folder), folder.join("out.blocks/tasks/2-of-2.elsewhere-1.json"));
    let text = fs::read_to_string(&all[0]).unwrap();
    fs::write(&all[0], text.replacen("0.", "1.", 1)).unwrap();
    let run = ["run", "s.ron", "--out", "out", "--threads", "1"];
    assert!(ends(folder, 2, &run).contains("out.blocks keeps what an interrupted run has finished"));
    fs::write(&sign, r#"{"shard":[2,2],"process":"elsewhere-1","job":null,"blocks":[0,3],"at":null,"end":null}"#)
        .unwrap();
    for more in ["--resume", "--force"] {
        let said = ends(folder, 2, &[&run[..], &[more]].concat());
        assert!(said.contains("shards of this run are at work in out.blocks"), "{said}");
    }
    fs::remove_file(sign).unwrap();
    let said = ends(folder, 0, &[&run[..], &["--resume"]].concat());
    let note = format!("note: out.blocks/{} can't be used", all[0].file_name().unwrap().to_str().unwrap());
    assert!(said.contains(&note) && said.contains("set aside: it is not as it was written"), "{said}");
    assert!(said.contains("swept: resuming: 0 of 4 points kept") && said.contains(" of 20 replications"), "{said}");
    assert_same(&SINGLE, &contents(&folder.join("out")));
    assert!(!folder.join("out.blocks").exists(), "nothing is left");
}

#[test]
fn other_seeds_and_other_builds_are_refused() {
    let folder = folder_with(GRID);
    let folder = folder.path();
    run_shards(folder, &["1/2"]);
    let said = ends(folder, 2, &["run", "s.ron", "--shard", "2/2", "--out", "out", "--seed", "9"]);
    assert!(said.contains("seed 1") && said.contains("seed 9"), "{said}");
    // The same program with a byte more is another build.
    let other = folder.join("other-build");
    fs::copy(env!("CARGO_BIN_EXE_gridloom"), &other).unwrap();
    let mut bytes = fs::read(&other).unwrap();
    bytes.push(0);
    fs::write(&other, bytes).unwrap();
    for args in [&["run", "s.ron", "--shard", "2/2", "--out", "out"][..], &["merge", "out"]] {
        let output = Command::new(&other).current_dir(folder).args(args).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("another build of gridloom"), "{said}");
    }
    let told = Command::new(&other).current_dir(folder).args(["status", "out"]).output().unwrap().stdout;
    let told = String::from_utf8_lossy(&told);
    assert!(told.contains("0 of 6 blocks done") && told.contains("not counted: 3 blocks by another build"), "{told}");
    // Blocks of another seed that somebody has copied there.
    done(folder, &["run", "s.ron", "--shard", "1/2", "--out", "nine", "--seed", "9", "-q"]);
    for entry in fs::read_dir(folder.join("nine.blocks")).unwrap().map(|entry| entry.unwrap()) {
        if entry.file_type().unwrap().is_file() {
            fs::copy(entry.path(), folder.join("out.blocks").join(entry.file_name())).unwrap();
        }
    }
    let said = ends(folder, 2, &["merge", "out"]);
    assert!(said.contains("parts of several runs") && said.contains("seed 9"), "{said}");
}

#[test]
fn bad_calls_are_refused() {
    let folder = folder_with(GRID);
    let folder = folder.path();
    for (args, words) in [
        (&["run", "s.ron", "--shard", "4/3"][..], "shards of 3 are 1/3 to 3/3"),
        (&["submit", "--missing", "--engine", "slurm", "--out", "q", "--seed", "9"], "cannot be used with"),
        (&["submit", "--missing", "--engine", "slurm", "--out", "q", "--set", "seed=9"], "cannot be used with"),
        (&["submit", "--missing", "--engine", "slurm", "--out", "q", "--replications", "9"], "cannot be used with"),
        (&["run", "s.ron", "--shard", "x"], "such as 1/10"),
        (&["run", "--shard", "1/2"], "give a scenario"),
        (&["run", "s.ron", "--shard", "1/2", "--force"], "cannot be used with"),
        (&["merge", "nowhere"], "nowhere has no shards"),
        (&["status", "nowhere"], "nowhere has no shards"),
        (&["submit", "s.ron", "--engine", "pbs", "--out", "q"], "[possible values: slurm, hyperqueue]"),
        (&["submit", "--missing", "--engine", "slurm", "--out", "nowhere"], "nowhere has no shards"),
    ] {
        let said = ends(folder, 2, args);
        assert!(said.contains(words), "{args:?}: {said}");
    }
    assert_eq!(fs::read_dir(folder).unwrap().count(), 1, "nothing was written");
}

#[test]
fn a_dry_run_shows_the_jobs_and_writes_nothing() {
    let folder = folder_with(GRID);
    let folder = folder.path();
    fs::write(folder.join("site"), "#SBATCH --account=grid\n#SBATCH --partition=short\nmodule load gridloom\n")
        .unwrap();
    let call = ["submit", "s.ron", "--out", "q", "--shards", "4", "--dry-run"];
    let options = ["--option", "partition=long", "--option", "comment=a b", "--site", "site"];
    let slurm = done(folder, &[&call[..], &options, &["--engine", "slurm"]].concat());
    for line in [
        "#SBATCH --array=1-4",
        "#SBATCH --partition=long",
        "#SBATCH --account=grid",
        "#SBATCH --comment='a b'",
        "module load gridloom",
        "sbatch --parsable --dependency=\"afterany:",
    ] {
        assert!(slurm.lines().any(|found| found.starts_with(line)), "{line}: {slurm}");
    }
    // Slurm takes the last of two, and the call is to win.
    assert!(slurm.find("--partition=short").unwrap() < slurm.find("--partition=long").unwrap(), "{slurm}");
    let hyperqueue = [&call[..], &["--engine", "hyperqueue"]].concat();
    assert!(done(folder, &hyperqueue).contains("from hyperqueue import Client, Job"));
    for (more, words) in [(&options[..2], "--option partition=long is for Slurm"), (&options[4..], "site:1: a line of")]
    {
        let said = ends(folder, 2, &[&hyperqueue[..], more].concat());
        assert!(said.contains(words) && said.contains("--threads says what a task needs"), "{said}");
    }
    assert!(!folder.join("q.blocks").exists());
}

#[cfg(unix)]
#[test]
fn a_template_of_ones_own_submits_to_any_queue() {
    let folder = folder_with(GRID);
    let folder = folder.path();
    let call = |more: &[&str]| -> Vec<String> {
        let args = ["submit", "s.ron", "--template", "own.sh", "--shards", "3", "--out"];
        args.iter().chain(more).map(|word| word.to_string()).collect()
    };
    let refused = |more: &[&str]| ends(folder, 2, &call(more).iter().map(String::as_str).collect::<Vec<_>>());
    assert!(refused(&["q"]).contains("can't read own.sh"), "there is no template");
    fs::write(folder.join("own.sh"), "#!/bin/sh\necho @jobs@\n").unwrap();
    assert!(refused(&["q"]).contains("own.sh: line 2 has @jobs@, which is no placeholder; there are @name@, @shards@"));
    // A queue that does all at once.
    let own = "#!/bin/sh\nset -e\necho job-7\nfor shard in 1 2 3; do @program@ run --shard $shard/@of@ --out @out@ \
               --quiet; done\n@program@ merge @out@ --quiet\necho job-8 @shards@\n";
    fs::write(folder.join("own.sh"), own).unwrap();
    assert!(refused(&["new\nline"]).contains("it has a line break"));
    assert!(refused(&["q", "--engine", "slurm"]).contains("cannot be used with"));
    let words = call(&["it's $HOME"]);
    let said = done(folder, &words.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(said.contains("submitted to own.sh as job job-7; job job-8 1-3 merges them"), "{said}");
    assert_same(&SINGLE, &contents(&folder.join("it's $HOME")));
    let slurm = ["submit", "s.ron", "--engine", "slurm", "--out", "run-%j", "--dry-run"];
    assert!(ends(folder, 2, &slurm).contains("Slurm would take %, a quote or a backslash"));
}

#[test]
fn no_shard_is_submitted_that_would_have_no_block() {
    let folder = folder_with(GRID);
    // A load of 0.5 is in the scenario and in the sweep: 5 replications of 3 points.
    let call = ["submit", "s.ron", "--engine", "slurm", "--out", "q", "--dry-run"];
    let ask = |more: &[&str]| gridloom(folder.path(), &[&call[..], more].concat());
    let many = ask(&["--shards", "40"]);
    let (shown, said) = (String::from_utf8_lossy(&many.stdout), String::from_utf8_lossy(&many.stderr));
    assert!(shown.contains("15 shards with 15 blocks") && shown.contains("#SBATCH --array=1-15\n"), "{shown}");
    assert_eq!(said, "note: --shards 40: the work has 15 blocks at most, so that 15 shards do it all\n");
    for few in [&["--shards", "15"][..], &[], &["--shards", "40", "--quiet"]] {
        let few = ask(few);
        assert!(few.status.success() && few.stderr.is_empty(), "{}", String::from_utf8_lossy(&few.stderr));
        assert!(String::from_utf8_lossy(&few.stdout).contains("#SBATCH --array=1-15\n"));
    }
}

#[cfg(unix)]
#[test]
fn a_queue_that_is_not_there_or_refuses_leaves_nothing_submitted() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder_with(GRID);
    let folder = folder.path();
    let submit = |path: &Path| {
        let args = ["submit", "s.ron", "--engine", "slurm", "--out", "q", "--shards", "3"];
        let output = call(folder, &args).env("PATH", path).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), said + &String::from_utf8_lossy(&output.stdout))
    };
    let (status, said) = submit(Path::new("/nowhere"));
    assert!(status == Some(1) && said.contains("is Slurm on this machine?"), "{said}");
    assert!(!folder.join("q.blocks").exists(), "nothing is left");
    let queue = |script: &str| {
        fs::write(folder.join("sbatch"), format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(folder.join("sbatch"), fs::Permissions::from_mode(0o755)).unwrap();
        submit(folder)
    };
    let (status, said) = queue("echo 'invalid partition' >&2; exit 1");
    assert!(status == Some(1) && said.contains("has refused: invalid partition"), "{said}");
    // The shards wait in the queue and need their folder, whatever becomes of the merge.
    let (status, said) = queue("case \"$*\" in *--dependency*) echo 'no more jobs' >&2; exit 1;; esac; echo 42");
    assert!(status == Some(1) && said.contains("the shards are job 42 in Slurm, but their merge"), "{said}");
    assert!(said.contains("has refused: no more jobs; once they are done, `gridloom merge q` does it"), "{said}");
    assert!(done(folder, &["status", "q"]).contains("submitted to Slurm as job 42\n"));
    let (status, said) = queue("echo 43");
    assert!(status == Some(2) && said.contains("was submitted already, as job 42"), "{said}");
    done(folder, &["run", "--shard", "1/3", "--out", "q", "-q"]);
    fs::remove_dir_all(folder.join("q.blocks")).unwrap();
    let (status, said) = queue("echo '17;trial'");
    assert!(status == Some(0) && said.contains("as job 17; job 17 merges them"), "{said}");
    let (status, said) = queue("echo 18");
    assert!(status == Some(2) && said.contains("was submitted already, as job 17"), "{said}");
    assert!(done(folder, &["status", "q"]).contains("submitted to Slurm as job 17"));
}
