//! Grids as tests run them: read, drawn, simulated and judged.

use gridloom::check::{Ledger, Violations, check_grid};
use gridloom::engine::Stop;
use gridloom::language::{Source, load};
use gridloom::policy::{PolicyEntry, PolicySpec, Setup};
use gridloom::rng::Streams;
use gridloom::sim::{GridRules, GridTrace, simulate_grid};
use gridloom::study::Grid;
use gridloom::workload::{GridWorld, draw_grid};

pub fn grid(text: &str) -> Grid {
    load(Source::new("grid.ron", text), &[]).unwrap_or_else(|report| panic!("{text}\n{report}"))
}

pub struct Run {
    pub world: GridWorld,
    pub rules: GridRules,
    pub trace: GridTrace,
}

impl Run {
    pub fn of(spec: &Grid, policy: &PolicyEntry, seed: u64) -> Self {
        let streams = Streams::new(seed, 0);
        let world = draw_grid(&spec.grid(), &streams, Stop::NEVER).unwrap();
        let mut made = policy.make(&Setup { metascheduler: &spec.metascheduler(), streams: &streams });
        let rules = spec.rules(policy);
        let trace = simulate_grid(&world, &rules, &mut *made, Stop::NEVER).unwrap();
        Self { world, rules, trace }
    }

    pub fn judge(&self) -> Result<Ledger, Violations> {
        check_grid(&self.world, &self.rules, &self.trace)
    }
}

/// A run under the first policy of a grid, which has passed the check.
pub fn checked(spec: &Grid, seed: u64) -> (GridWorld, GridRules, GridTrace) {
    let run = Run::of(spec, &spec.policies[0], seed);
    run.judge().unwrap_or_else(|broken| panic!("{:?}\n{broken}", spec.policies[0]));
    (run.world, run.rules, run.trace)
}

/// The same from a text.
pub fn simulated(text: &str, seed: u64) -> (GridWorld, GridRules, GridTrace) {
    checked(&grid(text), seed)
}
