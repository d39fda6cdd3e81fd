//! Merging made blocks of a spread run: time and memory at 1,000, 10,000 and 100,000 of them.
//!
//! `cargo bench --bench merge`; the ratio of the times at ten times the blocks decides.

#![allow(clippy::disallowed_methods, reason = "a bench measures time")]

use gridloom::language::Source;
use gridloom::report::KeptReplications;
use gridloom::report::campaign::{Blocks, Campaign, MergedBlocks, Snapshot};
use gridloom::study::{Checkpoint, NoProgress, Observations, load_study, run_or_resume, study_points};
use std::process::ExitCode;
use std::time::Instant;

/// The targets at 100,000 blocks: seconds and megabytes.
const TARGET: (f64, f64) = (60.0, 1000.0);
/// Ten times the blocks may take at most so many times as long.
const MOST_GROWTH: f64 = 15.0;
/// The observations of a replication, as a grid with two policies has them.
const OBSERVATIONS: usize = 100;

/// A study of this many points with a hundred worlds each, which are never run: its blocks are made.
fn study_text(points: u64) -> String {
    format!(
        "(name: \"made\", replications: 100, experiment: Multicriteria(market: Choices(criteria: 3, offers: 6, value: Uniform(low: 0, \
         high: 10), weight: 1, models: [Mean], past: 20, fresh: 1)), sweeps: [(name: \"made\", field: \
         \"experiment.market.fresh\", values: (from: 2, to: {}, step: 1))])",
        points + 1
    )
}

fn peak_megabytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").trim().parse::<f64>().ok()).map_or(0.0, |kb| kb / 1024.0)
}

fn made(number: u64) -> Observations<'static> {
    let mut world = Observations::default();
    for at in 0..OBSERVATIONS {
        let value = ((number * 31 + at as u64 * 17) % 1009) as f64 / 7.0;
        world.of("made", format!("series {}", at % 4)).add(format!("metric {}", at / 4), value);
    }
    world
}

fn main() -> ExitCode {
    let mut before = None;
    let mut passed = true;
    for blocks in [1_000_u64, 10_000, 100_000] {
        let folder = tempfile::tempdir().expect("a folder");
        let points = blocks / 100 - 1;
        let source = Source::new("made.ron", study_text(points.max(1)));
        let study = load_study(&source, &[]).unwrap_or_else(|report| panic!("{report}"));
        let campaign = Campaign::of(&folder.path().join("result")).expect("a campaign");
        let snapshot = Snapshot::of(&source, &[], &study).expect("a snapshot");
        campaign.begin(&snapshot, &study).expect("it begins");
        let mut count = 0;
        for point in study_points(&study) {
            for number in 0..point.replications {
                let range = number..number + 1;
                let block = KeptReplications::of_block(&campaign, &Blocks::default(), &point, range);
                block.keep(point.point, number, &made(number)).expect("it is kept");
                block.finish_block().expect("it is written");
                count += 1;
            }
        }
        let begun = Instant::now();
        let (merged, missing) = MergedBlocks::of(&campaign, &study).expect("blocks");
        assert!(missing.is_none(), "{missing}");
        let outcome = run_or_resume(&study, &NoProgress, &merged).expect("a result");
        let seconds = begun.elapsed().as_secs_f64();
        let megabytes = peak_megabytes();
        assert!(outcome.results.rows.len() > 100 && merged.lost().is_none());
        print!("{count:>7} blocks: {seconds:6.2} s, at most {megabytes:.0} MB so far");
        if blocks == 100_000 {
            let met = seconds <= TARGET.0 && megabytes <= TARGET.1;
            print!("; target {} s, {} MB: {}", TARGET.0, TARGET.1, if met { "met" } else { "missed" });
            passed &= met;
        }
        if let Some(before) = before {
            let growth: f64 = seconds / before;
            passed &= growth <= MOST_GROWTH;
            print!("; {growth:.1} times as long as a tenth of them");
        }
        println!();
        before = Some(seconds);
    }
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
