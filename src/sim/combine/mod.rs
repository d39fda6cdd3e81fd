//! One alternative per job: the choice for the whole batch (file 000, section 2).
//!
//! T(s) is the sum of the chosen windows' times and C(s) that of their costs. Each of the four [`Problem`]s makes one
//! of them best within a limit on the other; the [`limits`] come from the alternatives themselves. [`choose`] is
//! exact: OPT. The problem is a multiple-choice knapsack and hard in the worst case, so that time and memory are
//! bounded and a rest remains for which the optimum is not proven ([`Choice::gap`]). What it competes with is
//! [`choose_at_random`]: NO OPT, any combination within the same limit.

mod exact;
pub mod limits;
mod random;
mod two_sided;
mod weighted;

pub use random::choose_at_random;
pub use weighted::{Weights, choose_weighted};

use crate::choice;
use crate::model::{Node, Window};
use crate::units::{Money, Overflow, Span};
use exact::BatchItem;

/// The part of a window that the choice needs to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alternative {
    /// The window's time: its longest runtime.
    pub time: Span,
    /// The window's cost.
    pub cost: Money,
}

impl Alternative {
    /// The alternative that `window` is.
    pub fn of(window: &Window, nodes: &[Node]) -> Result<Self, Overflow> {
        Ok(Self { time: window.time(), cost: window.cost(nodes)? })
    }

    /// Those of the windows of each request.
    pub fn of_each(windows: &[Vec<Window>], nodes: &[Node]) -> Result<Vec<Vec<Self>>, Overflow> {
        windows.iter().map(|windows| windows.iter().map(|window| Self::of(window, nodes)).collect()).collect()
    }
}

choice! {
    /// The total that is made best, and the one that is limited.
    #[derive(Copy, Eq, PartialOrd, Ord)]
    pub enum Problem {
        /// Problem 1: the highest total cost (the owners' income) within a limit on time.
        MaxCost,
        /// Problem 2: the least total time within a limit on cost.
        MinTime,
        /// Problem 3: the least total cost within a limit on time.
        MinCost,
        /// Problem 4: the most total time (use of the nodes) within a limit on cost.
        MaxTime,
    }
}

/// A limit on the total that a problem does not optimise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchLimit {
    /// T*, for problems 1 and 3.
    Time(Span),
    /// B*, for problems 2 and 4.
    Cost(Money),
}

/// The alternative chosen for each job, and the totals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// For each job, which of its alternatives.
    pub picks: Vec<usize>,
    /// T(s).
    pub time: Span,
    /// C(s).
    pub cost: Money,
    /// By how many ticks of what the problem makes best another combination could be better; `None` when it is proven
    /// that none is, and where the choice does not claim to be best. With 0, only one of the same value that takes
    /// less of the limited quantity is not ruled out.
    pub gap: Option<i64>,
}

/// Why there is no choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoChoice {
    /// No combination is within the limit; it is not relaxed.
    #[error("no combination of alternatives is within the limit")]
    Infeasible,
    /// A job has no alternative.
    #[error("job {0} of the batch has no alternative")]
    NothingFor(usize),
    /// The problem limits time and a limit on cost was given, or the other way round.
    #[error("the limit is on the quantity that the problem makes best")]
    WrongLimit,
    /// The search ended without a proof that the best choice found is within a millionth of the optimum.
    #[error(
        "the best combination of alternatives is not known to within a millionth: the optimum may be {0} ticks better"
    )]
    Unproven(i64),
    /// The totals can't be held.
    #[error(transparent)]
    Overflow(#[from] Overflow),
}

/// The exact optimum of `problem` within `limit`; among equal ones that with the least of the limited quantity.
///
/// Usual batches take microseconds: few combinations of alternatives come near the linear relaxation. Where times and
/// costs lie on a line, all do; then a combination that meets the relaxation is looked for, which is the easier to
/// find the more combinations there are, and all combinations from both ends are gone through if they are fewer than
/// some 10^12. In between, with dozens of jobs and totals beyond 10^12 ticks, a proof may be out of reach within the
/// bounds of a few hundred megabytes and a few seconds: [`Choice::gap`] then says how much is open, and a gap of more
/// than a millionth is an error.
///
/// ```
/// use gridloom::combine::{Alternative, BatchLimit, Problem, choose};
/// use gridloom::units::{Money, Span};
///
/// let window = |time, cost| Alternative { time: Span::from_units(time), cost: Money::from_units(cost) };
/// let batch = [vec![window(10, 9), window(30, 4)], vec![window(20, 8), window(40, 2)]];
/// let choice = choose(&batch, Problem::MinCost, BatchLimit::Time(Span::from_units(50))).unwrap();
/// assert_eq!(choice.picks, [0, 1]);
/// assert_eq!(choice.cost, Money::from_units(11));
/// assert!(choose(&batch, Problem::MinCost, BatchLimit::Time(Span::from_units(29))).is_err());
/// ```
pub fn choose(batch: &[Vec<Alternative>], problem: Problem, limit: BatchLimit) -> Result<Choice, NoChoice> {
    let limit = problem.limit(limit)?;
    check_totals(batch)?;
    let classes: Vec<Vec<BatchItem>> =
        batch.iter().map(|job| job.iter().map(|&alternative| problem.item(alternative)).collect()).collect();
    let exact::SidedSolution { picks, gap } = exact::solve(&classes, limit).ok_or(NoChoice::Infeasible)?;
    let choice = Choice { gap, ..Choice::of(batch, picks) };
    let value = if problem.limits_time() { choice.cost.ticks() } else { choice.time.ticks() };
    match gap {
        Some(gap) if gap > value / PARTS => Err(NoChoice::Unproven(gap)),
        _ => Ok(choice),
    }
}

/// A gap of one part in so many is let pass.
const PARTS: i64 = 1_000_000;

impl Choice {
    /// The choice of these alternatives, whose totals are known to fit.
    fn of(batch: &[Vec<Alternative>], picks: Vec<usize>) -> Self {
        let chosen = || batch.iter().zip(&picks).map(|(job, &pick)| job[pick]);
        let time = Span::from_ticks(chosen().map(|alternative| alternative.time.ticks()).sum());
        let cost = Money::from_ticks(chosen().map(|alternative| alternative.cost.ticks()).sum());
        Self { picks, time, cost, gap: None }
    }
}

impl Problem {
    /// All four, by their numbers in the papers.
    pub const ALL: [Self; 4] = [Self::MaxCost, Self::MinTime, Self::MinCost, Self::MaxTime];

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::MaxCost => "max cost",
            Self::MinTime => "min time",
            Self::MinCost => "min cost",
            Self::MaxTime => "max time",
        }
    }

    /// True if time is what is limited.
    pub fn limits_time(self) -> bool {
        matches!(self, Self::MaxCost | Self::MinCost)
    }

    fn limit(self, limit: BatchLimit) -> Result<i64, NoChoice> {
        match limit {
            BatchLimit::Time(span) if self.limits_time() => Ok(span.ticks()),
            BatchLimit::Cost(money) if !self.limits_time() => Ok(money.ticks()),
            _ => Err(NoChoice::WrongLimit),
        }
    }

    /// The alternative as something to keep small in value and in weight.
    fn item(self, alternative: Alternative) -> BatchItem {
        let (time, cost) = (alternative.time.ticks(), alternative.cost.ticks());
        match self {
            Self::MaxCost => BatchItem { value: -cost, weight: time },
            Self::MinTime => BatchItem { value: time, weight: cost },
            Self::MinCost => BatchItem { value: cost, weight: time },
            Self::MaxTime => BatchItem { value: -time, weight: cost },
        }
    }
}

/// Makes sure that every job has an alternative and that no combination's totals overflow.
fn check_totals(batch: &[Vec<Alternative>]) -> Result<(), NoChoice> {
    let (mut time, mut cost) = (Span::ZERO, Money::ZERO);
    for (job, alternatives) in batch.iter().enumerate() {
        let longest = alternatives.iter().map(|alternative| alternative.time).max();
        let dearest = alternatives.iter().map(|alternative| alternative.cost).max();
        let (Some(longest), Some(dearest)) = (longest, dearest) else { return Err(NoChoice::NothingFor(job)) };
        time = time.checked_add(longest)?;
        cost = cost.checked_add(dearest)?;
    }
    Ok(())
}
