//! An independent judge of windows, plans, traces, replayed schedules, leases and brokers' assignments.
//!
//! It shares no code with the schedulers and simulations that it judges, only the plain data they produce, and tests
//! each law in the most direct way there is. Every experiment passes what it made through here before it reports
//! anything.

mod assignment;
mod grid;
mod leases;
mod plan;
mod replay;
mod windows;

pub use assignment::check_assignment;
pub use assignment::check_reservations;
pub use grid::{GridCheck, Ledger, check_grid};
pub use leases::check_leases;
pub use plan::{Facts, check_execution, check_plan};
pub use replay::{check_any_replay, check_replay};
pub use windows::check_turns;
pub use windows::{Grant, check_alternatives, check_windows};

use std::fmt;

/// A law that was broken, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation(pub String);

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The result of a check: nothing, or everything that is wrong.
pub type Verdict = Result<(), Violations>;

/// At least one broken law.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the schedule breaks {} law(s):{}", .0.len(), .0.iter().map(|law| format!("\n- {law}")).collect::<String>())]
pub struct Violations(pub Vec<Violation>);

fn verdict(violations: Vec<Violation>) -> Verdict {
    if violations.is_empty() { Ok(()) } else { Err(Violations(violations)) }
}
