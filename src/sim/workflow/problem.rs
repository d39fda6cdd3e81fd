//! The problem of planning one job.

use super::Estimates;
use crate::choice;
use crate::engine::Stop;
use crate::model::{Dag, Interval, NodeId, Strategy};
use crate::units::{Money, Overflow, Span, Time, Volume, sum};

/// One job, and the nodes that it may use.
///
/// It serves equally for the few nodes of a reserved window (each free during its own interval) and for a whole domain
/// with local tasks and reservations of earlier jobs.
#[derive(Debug, Clone, Copy)]
pub struct PlanProblem<'a> {
    /// The tasks and the data that goes between them.
    pub dag: &'a Dag,
    /// The runtime of each task on each node.
    pub estimates: &'a Estimates,
    /// When each node is free of its owner's tasks: by node, sorted, without overlaps.
    pub free: &'a [Vec<Interval>],
    /// The part of it that earlier jobs hold: by node, sorted, without overlaps; empty if there are none at all. Plans
    /// never use it, but a first plan that would is a collision.
    pub reserved: &'a [Vec<Interval>],
    /// The earliest that a task may start.
    pub release: Time,
    /// When all tasks must have ended.
    pub deadline: Time,
    /// When data takes time.
    pub transfers: Transfers,
    /// The criterion that is made best.
    pub strategy: Strategy,
    /// The most times that the whole job is planned, each time with the chain that failed before in front; at least
    /// once.
    pub attempts: u32,
    /// If true, the critical jobs method goes on where the published one ends: tasks are moved after the last chain,
    /// and a job whose chains find no place is planned task by task.
    pub refine: bool,
    /// Planning gives up once it is set; what it returns then does not count.
    pub stop: &'a Stop,
}

choice! {
    /// The cases in which data takes time from one task to the next.
    #[derive(Copy, Eq)]
    pub enum Transfers {
        /// From every task to the next.
        Always,
        /// Not when both tasks run on one node.
        BetweenNodes,
    }
}

impl Transfers {
    /// The time that data takes from `from` to `to` if it takes `transfer` between nodes.
    pub fn between(self, transfer: Span, from: NodeId, to: NodeId) -> Span {
        if self == Self::BetweenNodes && from == to { Span::ZERO } else { transfer }
    }

    /// The least time that it takes, wherever the tasks will be.
    pub(super) fn least(self, transfer: Span) -> Span {
        if self == Self::BetweenNodes { Span::ZERO } else { transfer }
    }
}

/// The cost of a task of `volume` that holds a node for `span`: the volume over the time, rounded up to a whole unit,
/// so that fast nodes are expensive and slow ones cheap. A task that takes no time costs nothing.
///
/// ```
/// use gridloom::units::{Money, Span, Volume};
/// use gridloom::workflow::charge;
/// assert_eq!(charge(Volume::from_units(20), Span::from_units(6)), Money::from_units(4));
/// ```
pub fn charge(volume: Volume, span: Span) -> Money {
    if span <= Span::ZERO || volume <= Volume::ZERO {
        return Money::ZERO;
    }
    let units = (volume.ticks() - 1) / span.ticks() + 1;
    // More than a Money holds would take a volume of its own size within less than a unit of time.
    Money::from_ticks(units.saturating_mul(Money::from_units(1).ticks()))
}

impl PlanProblem<'_> {
    /// Makes sure that no sum of times or costs can leave its range: with the job laid out one task after another on
    /// the slowest nodes, all stay within it.
    pub(super) fn check_range(&self) -> Result<(), Overflow> {
        let (tasks, edges) = (self.dag.order(), self.dag.edges());
        let slowest = |row: &[Span]| row.iter().copied().max().unwrap_or(Span::ZERO);
        let work: Span = sum(tasks.iter().map(|&task| slowest(self.estimates.row(task))))?;
        let data: Span = sum(edges.iter().map(|edge| edge.transfer))?;
        let nodes = (0..self.estimates.nodes() as u32).map(NodeId);
        let dearest = |task| nodes.clone().map(|node| self.estimates.cost(task, node)).max().unwrap_or(Money::ZERO);
        sum(tasks.iter().map(|&task| dearest(task)))?;
        let last = self.free.iter().filter_map(|free| free.last()).map(|free| free.end).max();
        let ends = [Some(self.release), Some(self.deadline), last].into_iter().flatten();
        for end in ends {
            let far = Span::from_ticks(end.ticks().checked_abs().ok_or(Overflow)?);
            // Twice, as bounds may be moved both ways, and tasks may lie behind the deadline.
            sum([far, work, work, data, data])?;
        }
        Ok(())
    }
}
