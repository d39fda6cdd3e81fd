//! The same queue three ways: a log before a homogeneous machine, and in a grid of equal nodes that lives.

use super::simulated::checked;
use gridloom::language::Source;
use gridloom::metrics::job_outcomes;
use gridloom::queueing::QueueRule;
use gridloom::sim::{Instants, LogRules, replay, select};
use gridloom::study::{Experiment, load_study};
use gridloom::units::Time;
use gridloom::workload::Lublin;
use gridloom::workload::swf::{Header, Record, write};

/// The starts of all jobs of a log in seconds from its first submission: replayed, and in a grid of as many equal
/// nodes whose policy acts on events.
fn both(header: &Header, records: &[Record], nodes: u32, rule: QueueRule) -> [Vec<Option<Time>>; 2] {
    let folder = tempfile::tempdir().unwrap();
    let mut text = Vec::new();
    write(&mut text, header, records.iter().cloned()).unwrap();
    std::fs::write(folder.path().join("log.swf"), text).unwrap();
    let policy = match rule {
        QueueRule::Fcfs => "Fcfs",
        QueueRule::Easy => "Easy",
        _ => "Conservative",
    };
    let scenario = format!(
        "(name: \"same\", experiment: Grid(horizon: 40000000, step: 20000000, time_unit: \"seconds\",
        domains: [(name: \"a\", nodes: {nodes})], flows: [(name: \"f\", work: Log(path: \"log.swf\"), max_price: 9)],
        metascheduler: (period: 5000000, interval: 80000000), policies: [{policy}]))"
    );
    let source = Source::new(folder.path().join("s.ron").to_string_lossy(), scenario);
    let study = load_study(&source, &[]).unwrap_or_else(|report| panic!("{report}"));
    let Experiment::Grid(spec) = &study.scenario().experiment else { unreachable!() };
    let (world, _, trace) = checked(spec, 1);
    let grid = job_outcomes(&world, &trace).iter().map(|job| job.start).collect();
    let jobs = select(records, nodes, LogRules::default()).jobs;
    let placements = replay(&jobs, nodes, rule, Instants::Batch).unwrap();
    let begins = jobs[0].submit;
    let replayed = placements.iter().map(|placement| Some(Time::ZERO + (placement.as_ref()?.start - begins))).collect();
    [replayed, grid]
}

#[test]
fn a_log_is_served_at_the_same_seconds_by_a_machine_and_by_a_grid_of_equal_nodes() {
    let lublin = Lublin { jobs: 1_500, nodes: 64, load: 0.8, seed: 3 };
    let records = lublin.draw();
    for rule in QueueRule::ALL {
        let [replayed, grid] = both(&lublin.header(), &records, 64, rule);
        assert_eq!((replayed.len(), grid.len()), (1_500, 1_500));
        let waited = |(start, record): (&Option<Time>, &Record)| {
            start.unwrap().as_f64() > (record.submit - records[0].submit) as f64
        };
        assert!(replayed.iter().zip(&records).filter(|&pair| waited(pair)).count() > 300, "few wait under {rule:?}");
        for (job, (one, other)) in replayed.iter().zip(&grid).enumerate() {
            assert_eq!(one, other, "job {job} under {rule:?}");
        }
    }
}

#[test]
fn a_reservation_is_a_start_and_not_a_set_of_nodes() {
    // At 10 the first ends, the third starts, and 1 of 8 nodes is left idle. The fourth is the head of the queue
    // then: it needs 3 and can start at 20, when the second ends and 4 are free, one more than it needs. So under
    // EASY the fifth may start at once, whichever nodes the head was to get.
    let jobs = [(0, 5, 10), (0, 3, 20), (1, 4, 20), (2, 3, 20), (3, 1, 40), (5, 6, 10)];
    let record = |(number, &(submit, nodes, length)): (usize, &(i64, i64, i64))| {
        Record::new(number as i64 + 1, submit, length, nodes, length)
    };
    let records: Vec<Record> = jobs.iter().enumerate().map(record).collect();
    for rule in QueueRule::ALL {
        let [replayed, grid] = both(&Header::default(), &records, 8, rule);
        assert_eq!(replayed, grid, "{rule:?}");
        if rule == QueueRule::Easy {
            assert_eq!(grid[4], Some(Time::from_units(10)));
        }
    }
}
