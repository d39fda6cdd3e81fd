//! The best plan of whole jobs by [HiGHS](https://highs.dev), a general solver of mixed-integer programs: an
//! independent proof of what [`ExactBroker`](super::ExactBroker) finds.
//!
//! It is here only with the feature `highs`, which no other part of the crate needs: HiGHS is C++ and takes some ten
//! minutes of one core to build, with cmake, a C++ compiler and libclang.
//!
//! ```text
//! cargo test --features highs highs
//! cargo clippy --all-targets --features highs -- -D warnings
//! ```

use super::{Answer, Broker, BrokerError, BrokerPlan, CostTable};
use crate::rng::Stream;
use crate::units::{Money, TICKS_PER_UNIT};
use highs::{HighsModelStatus, RowProblem, Sense};

/// The share of a bound that rounding errors may have added to it.
const ERROR: f64 = 1e-9;

/// The best plan of whole jobs by HiGHS, on one thread and cut by a limit of nodes, so that results repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Highs {
    /// The limit of nodes of its search tree; [`BrokerError`] if they do not prove the optimum.
    pub nodes: u32,
}

impl Default for Highs {
    /// A limit that rounds of 50 jobs and 25 to 200 resources do not reach.
    fn default() -> Self {
        Self { nodes: 1_000_000 }
    }
}

impl Broker for Highs {
    fn name(&self) -> &'static str {
        "highs"
    }

    fn assign(&self, table: &CostTable, _: &mut Stream) -> Result<Answer, BrokerError> {
        let failed = |what: &str| BrokerError::Solver(format!("HiGHS: {what}"));
        let mut homes = vec![None; table.jobs()];
        if homes.is_empty() {
            return Ok(Answer { plan: BrokerPlan::whole(table, &homes), bound: Some(Money::ZERO), generations: None });
        }
        let (problem, pairs) = program(table);
        let mut model = problem.try_optimise(Sense::Minimise).map_err(|_| failed("it refuses the program"))?;
        model.make_quiet();
        let nodes = i32::try_from(self.nodes).unwrap_or(i32::MAX);
        let whole = [("threads", 1), ("random_seed", 0), ("mip_max_nodes", nodes)];
        let options = whole.into_iter().map(|(name, value)| model.try_set_option(name, value)).collect::<Vec<_>>();
        let gaps = ["mip_rel_gap", "mip_abs_gap"].map(|name| model.try_set_option(name, 0.0));
        if options.into_iter().chain(gaps).any(|set| set.is_err()) {
            return Err(failed("it does not know an option"));
        }
        let solved = model.try_solve().map_err(|_| failed("it gave up"))?;
        if solved.status() != HighsModelStatus::Optimal {
            return Err(failed("the optimum is not proved"));
        }
        for (&(job, home), &amount) in pairs.iter().zip(solved.get_solution().columns()) {
            if amount > 0.5 {
                homes[job] = home;
            }
        }
        let bound = solved.double_info_value(c"mip_dual_bound").map_err(|_| failed("there is no bound"))?;
        let bound = Money::from_ticks((bound * (1.0 - ERROR) * TICKS_PER_UNIT as f64) as i64);
        Ok(Answer { plan: BrokerPlan::whole(table, &homes), bound: Some(bound), generations: None })
    }
}

/// A job and a home, of which the dummy is one.
type Pair = (usize, Option<usize>);

/// A variable of 0 or 1 for every pair of a job and a home that can take it whole; a row for every job and every
/// resource.
fn program(table: &CostTable) -> (RowProblem, Vec<Pair>) {
    let units = |ticks: i64| ticks as f64 / TICKS_PER_UNIT as f64;
    let mut problem = RowProblem::default();
    let mut pairs = Vec::new();
    let mut room = vec![Vec::new(); table.resources()];
    for job in 0..table.jobs() {
        let mut own = vec![(problem.add_integer_column(units(table.dummy_whole(job)), 0..=1), 1.0)];
        pairs.push((job, None));
        for &(cost, resource) in table.wholes(job) {
            let column = problem.add_integer_column(units(cost), 0..=1);
            own.push((column, 1.0));
            room[resource].push((column, f64::from(table.tasks(job))));
            pairs.push((job, Some(resource)));
        }
        problem.add_row(1..=1, own);
    }
    for (tasks, &free) in room.into_iter().zip(table.free()) {
        problem.add_row(..=free, tasks);
    }
    (problem, pairs)
}
