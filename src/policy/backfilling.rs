//! First come first served, EASY and conservative backfilling in a grid that lives.

use super::idle::Idle;
use super::{Decision, Policy, PolicyError, PolicySpec, Setup, View};
use crate::model::{CostLimit, NotFree, SlotList};
use crate::record;
use crate::search::{Offers, Search};

record! {
    /// First come, first served: the queue starts in its order, and nobody overtakes.
    #[derive(Copy)]
    pub struct FcfsPolicy;
}

record! {
    /// The first of those that must wait holds a reservation; others may start if they don't delay it.
    #[derive(Copy)]
    pub struct EasyPolicy;
}

record! {
    /// All that must wait hold a reservation; others may start if they delay none.
    #[derive(Copy)]
    pub struct ConservativePolicy;
}

impl PolicySpec for FcfsPolicy {
    fn name(&self) -> String {
        "FCFS".into()
    }

    fn make(&self, setup: &Setup<'_>) -> Box<dyn Policy> {
        of_depth(0, setup)
    }
}

impl PolicySpec for EasyPolicy {
    fn name(&self) -> String {
        "EASY".into()
    }

    fn make(&self, setup: &Setup<'_>) -> Box<dyn Policy> {
        of_depth(1, setup)
    }
}

impl PolicySpec for ConservativePolicy {
    fn name(&self) -> String {
        "conservative".into()
    }

    fn make(&self, setup: &Setup<'_>) -> Box<dyn Policy> {
        of_depth(usize::MAX, setup)
    }
}

fn of_depth(depth: usize, setup: &Setup<'_>) -> Box<dyn Policy> {
    setup.two_tier(Backfilling { depth, search: setup.search().clone(), limit: setup.limit() })
}

/// Goes through the queue in its order. Who can start now does so, on the idle nodes that are cheapest per unit of work. The first `depth`
/// of those who can't are promised the earliest window that there is, and nobody behind them may take what it needs. With a
/// depth of 0 nobody overtakes: first come, first served. With 1 it is EASY, with no end it is conservative backfilling.
///
/// Promises are made anew in every cycle, since owners and early ends change what is possible. A job that has no window at all within the
/// scheduling interval holds nobody up.
#[derive(Debug, Clone)]
pub struct Backfilling {
    /// How many of those who must wait are promised a window.
    pub depth: usize,
    /// How windows are searched; it must return the earliest.
    pub search: Search,
    /// What a window may cost.
    pub limit: CostLimit,
}

impl Policy for Backfilling {
    fn decide(&mut self, view: &View<'_>) -> Result<Vec<Decision>, PolicyError> {
        let mut idle = Idle::new(view);
        let mut decisions = Vec::new();
        let mut promised = 0;
        // What started and what was promised, taken out; made when the first has to wait.
        let mut left: Option<SlotList> = None;
        for (request, waiting) in view.queue.iter().enumerate() {
            let asked = waiting.request;
            let mut window = idle.take(asked, self.limit);
            if window.is_none() && (promised < self.depth || self.depth == 0) {
                let slots = match &mut left {
                    Some(slots) => slots,
                    None => left.insert(remaining(view, &decisions)?),
                };
                let offers = Offers { nodes: view.nodes, slots, rule: view.rule };
                match self.search.get().find_window(&offers, asked) {
                    // Of equally cheap nodes the search may have chosen others, which leave room.
                    Some(now) if now.start() <= view.now => {
                        idle.keep_free(&now);
                        window = Some(now);
                    }
                    Some(_) if self.depth == 0 => break,
                    Some(later) => {
                        promised += 1;
                        idle.keep_free(&later);
                        slots.subtract(&later)?;
                    }
                    None => {}
                }
            }
            if let Some(window) = window {
                if let Some(slots) = &mut left {
                    slots.subtract(&window)?;
                }
                decisions.push(Decision::Reserve { request, window });
            }
        }
        Ok(decisions)
    }
}

/// The free slots without the windows that were decided on, all of which start now.
fn remaining(view: &View<'_>, decisions: &[Decision]) -> Result<SlotList, NotFree> {
    let mut until = vec![view.now; view.nodes.len()];
    for decision in decisions {
        let Decision::Reserve { window, .. } = decision else { continue };
        window.slots().iter().for_each(|slot| until[slot.node.index()] = slot.interval.end);
    }
    let rest = view.slots.as_slice().iter().map(|&slot| {
        let mut rest = slot;
        rest.interval.start = slot.interval.start.max(until[slot.node.index()]);
        rest
    });
    SlotList::new(rest.filter(|slot| slot.interval.start < slot.interval.end))
}
