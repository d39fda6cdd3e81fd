//! Files that scenarios name: read before a run, and reported where they are wrong.

use gridloom::experiment::load_study;
use gridloom::rng::Streams;
use gridloom::scenario::schema::TasksSpec;
use gridloom::scenario::{Source, load};
use gridloom::units::Performance;
use gridloom::workload::{DrawError, draw_tasks};

#[test]
fn a_file_that_is_missing_ends_a_study_before_it_runs() {
    let missing = "File(path: \"nowhere.dot\", bandwidth: 1)";
    let domain = "methods: [Heft], domain: (nodes: 2, types: [1]), deadline: 9";
    let swept = format!(
        "(name: \"w\", experiment: Workflow(tasks: Listed(tasks: [(name: \"a\", time: 1)]), {domain}), sweeps: [(name: \"s\", \
         field: \"experiment.tasks\", values: [{missing:?}], label: \"Job\")])"
    );
    let plain = format!("(name: \"w\", experiment: Workflow(tasks: {missing}, {domain}))");
    let said = |text: String| load_study(&Source::new("w.ron", text), &[]).unwrap_err().to_string();
    let plain = said(plain);
    assert!(plain.contains("experiment.tasks.path: the file can't be read"), "{plain}");
    let swept = said(swept);
    assert!(swept.contains("sweeps[0].values[0]: with experiment.tasks = File("), "{swept}");
    // A specification that never was a study draws nothing.
    let spec: TasksSpec = load(Source::new("tasks", missing), &[]).unwrap();
    let drawn = draw_tasks(&spec, Performance::from_units(1), Streams::new(1, 0).stream("tasks"));
    assert_eq!(drawn, Err(DrawError::Unread("nowhere.dot".into())));
}

#[test]
fn a_job_in_a_file_is_judged_like_one_that_is_listed() {
    let tasks = (0..3000).map(|task| format!("t{task} [size=1];")).collect::<String>();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("job.dot"), format!("digraph {{ {tasks} }}")).unwrap();
    let text = "(name: \"w\", experiment: Workflow(tasks: File(path: \"job.dot\", bandwidth: 2), methods: [Heft], \
                domain: (nodes: 9000, types: [1]), deadline: 99))";
    let source = Source::new(folder.path().join("w.ron").to_string_lossy(), text);
    let report = load_study(&source, &[]).unwrap_err().to_string();
    assert!(report.contains("experiment.tasks: 3000 tasks on 9000 nodes are too many"), "{report}");
}
