//! The application level: the tasks of one job on the nodes it may use (file 001, section 3).
//!
//! [`plan()`] is the critical jobs method. While tasks remain unplaced it takes the longest [chain](chains) of them,
//! plans it by dynamic programming as if nothing else used the nodes, and resolves every collision with what is placed
//! already by the least increase of the criterion. A chain that can't be placed is put first and the job is tried
//! again. Beyond that published method, a plan can be [refined](PlanProblem::refine).
//!
//! Beside it stand [`heft()`] and [`list()`], which look at finish times only, and [`exact()`], which tries everything
//! and is for small jobs. All take a [`PlanProblem`] and return a [`Plan`]; the [check](crate::check) judges them
//! alike.
//!
//! ```
//! use gridloom::engine::Stop;
//! use gridloom::model::{Dag, Edge, Interval, Task, TaskId};
//! use gridloom::rng::Streams;
//! use gridloom::units::{Money, Performance, Rounding, Span, Time, Volume};
//! use gridloom::workflow::{Estimates, PlanProblem, Strategy, Transfers, plan};
//!
//! // Two tasks in a row, on a fast node and on one that takes twice the time for half the money.
//! let task = |name: &str| Task { name: name.into(), volume: Volume::from_units(20) };
//! let edge = Edge { from: TaskId(0), to: TaskId(1), transfer: Span::from_units(1) };
//! let dag = Dag::new(vec![task("first"), task("second")], vec![edge])?;
//! let estimates = Estimates::from_volumes(&dag, &[10, 5].map(Performance::from_units), Rounding::Tick).unwrap();
//! let free = vec![vec![Interval::new(Time::ZERO, Time::from_units(100))]; 2];
//! let cost = |deadline| {
//!     let problem = PlanProblem {
//!         dag: &dag,
//!         estimates: &estimates,
//!         free: &free,
//!         reserved: &[],
//!         release: Time::ZERO,
//!         deadline: Time::from_units(deadline),
//!         transfers: Transfers::BetweenNodes,
//!         strategy: Strategy::Cheapest,
//!         attempts: 4,
//!         refine: true,
//!         stop: Stop::NEVER,
//!     };
//!     plan(&problem, &mut Streams::new(1, 0).stream("ties")).map(|plan| plan.cost)
//! };
//! assert_eq!(cost(8), Ok(Money::from_units(10)), "both on the slow node, without a transfer");
//! assert_eq!(cost(7), Ok(Money::from_units(15)), "one on each");
//! assert_eq!(cost(4), Ok(Money::from_units(20)), "both on the fast node");
//! assert!(cost(3).is_err());
//! # Ok::<(), gridloom::model::DagError>(())
//! ```

mod bounds;
mod calendar;
mod chain;
pub mod chains;
mod collisions;
mod critical;
mod draft;
mod estimates;
mod exact;
mod heft;
mod list;
mod method;
mod node_classes;
mod pareto;
mod plan;
mod problem;
mod reason;
mod refine;
mod relaxed;
mod time_reversal;

pub use crate::model::Strategy;
pub use critical::plan;
pub use critical::{contention_free, free_of_own_contention};
pub use estimates::Estimates;
pub use exact::{PlanOutcome, exact, least_cost};
pub use heft::heft;
pub use list::list;
pub use method::Method;
pub use plan::{Collision, Failure, Obstacle, Placement, Plan, PlanOrigin, PlanStep, Resolution, Shortcoming};
pub use problem::{PlanProblem, Transfers, charge};
pub use reason::{NoPlanCause, WhyNoPlan, why_no_plan};
pub use reason::{four_digits, in_unit};
pub use relaxed::is_impossible;
