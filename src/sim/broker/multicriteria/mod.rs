//! Brokers that look for the best compromise between stakeholders (file 004).
//!
//! A [`Market`] holds jobs with their users' wishes and hard constraints, and offers with their attributes. A
//! [`MarketProblem`] is what becomes of it under the [`SatisfactionRules`]: which offers each job may take and how
//! satisfied its user would be. An assignment gives each job an offer, or none; the search for the best one is
//! [`exact()`] for small cases and [local](improve) for large ones. Model (i) of the paper, without time
//! characteristics, is a market of offers that have attributes alone; in model (ii) they are candidate reservations,
//! which a [`Book`] holds for a while and forgets unless they are confirmed.
//!
//! ```
//! use gridloom::broker::multicriteria::{Market, MarketProblem, SatisfactionRules, User, Wish, exact};
//! use gridloom::broker::multicriteria::{TotalForm, UserForm};
//! use gridloom::workload::market::{Criterion, Direction, MarketJob, CriterionMeasure, Offer};
//!
//! let criterion = |name: &str, direction| Criterion { name: name.into(), direction, measure: CriterionMeasure::Attribute };
//! let user = |name: &str, weights: [f64; 2]| {
//!     User { name: name.into(), weight: 1.0, wishes: weights.map(Wish::of).to_vec(), satisfaction: None }
//! };
//! let job = |user| MarketJob { name: format!("job {user}"), user, units: 1, limits: Vec::new() };
//! let market = Market {
//!     criteria: vec![criterion("wait", Direction::Cost), criterion("memory", Direction::Gain)],
//!     users: vec![user("hasty", [5.0, 1.0]), user("large", [1.0, 5.0])],
//!     jobs: vec![job(0), job(1)],
//!     offers: vec![
//!         Offer::of_attributes("big", Some(1), vec![Some(60.0), Some(8.0)]),
//!         Offer::of_attributes("idle", Some(1), vec![Some(0.0), Some(2.0)]),
//!     ],
//!     others: Vec::new(),
//! };
//! let rules = SatisfactionRules { user: UserForm::Distance, total: TotalForm::WorstFirst };
//! let problem = MarketProblem::new(&market, rules)?;
//! assert_eq!(exact(&problem, 1000).unwrap(), [Some(1), Some(0)]);
//! # Ok::<(), gridloom::broker::multicriteria::Refusal>(())
//! ```

mod baseline;
mod exact;
mod learn;
mod local;
mod pareto;
mod partial;
mod problem;
mod reservation;
mod stakeholder;
mod utility;

pub use baseline::at_random;
pub use baseline::least;
pub use exact::{all, exact};
pub use learn::value;
pub use learn::{LearnError, PastChoice, explained, favourite, learn};
pub use local::improve;
pub use pareto::front;
pub use problem::{Assignment, Evaluation, Market, MarketProblem, Refusal, SatisfactionRules, Score, User, Wish};
pub use reservation::{Book, PreliminaryReservation};
pub use stakeholder::{Objective, Stakeholder, Take};
pub use utility::{ReferenceBounds, TotalForm, UserForm};

#[cfg(test)]
mod samples;
