//! The metascheduler's cycle.

use super::execution::Planned;
use super::grid::{Grid, GridError};
use super::journal::Event;
use super::site::Site;
use super::{CYCLES, Step};
use crate::engine::Kernel;
use crate::model::{Dag, Interval, JobId, NodeId, Request, Slot, SlotList};
use crate::policy::{Decision, Policy, View};
use crate::units::Price;

impl Grid<'_> {
    /// Offers the jobs that wait to the policy and reserves what it decides on. Who gets nothing goes on waiting.
    pub(super) fn cycle(&mut self, policy: &mut dyn Policy, kernel: &mut Kernel<Step>) -> Result<(), GridError> {
        kernel.schedule_after(self.rules.period, CYCLES, Step::Cycle)?;
        self.set_prices(kernel);
        self.note(kernel, Event::Cycle(self.queue.len() as u32));
        if self.queue.is_empty() {
            return Ok(());
        }
        let batch: Vec<JobId> = std::iter::from_fn(|| self.queue.pop()).take(self.rules.batch).collect();
        self.offer(&batch, policy, kernel)
    }

    /// Offers jobs, which are in no queue, to the policy. Who gets nothing waits for the next cycle.
    pub(super) fn offer(
        &mut self,
        batch: &[JobId],
        policy: &mut dyn Policy,
        kernel: &mut Kernel<Step>,
    ) -> Result<(), GridError> {
        let world = self.world;
        let workflows: Vec<Option<&Dag>> = batch.iter().map(|job| world.jobs[job.index()].workflow.as_ref()).collect();
        let requests: Vec<&Request> = batch.iter().map(|job| &world.jobs[job.index()].request).collect();
        let bounds = Interval::new(kernel.now(), kernel.now() + self.rules.interval);
        let slots = free_slots(&self.sites, bounds);
        let view = View {
            now: kernel.now(),
            nodes: &self.nodes,
            domains: &world.domains,
            slots: &slots,
            rule: self.rules.rule,
            queue: &requests,
            workflows: &workflows,
            stop: self.stop,
        };
        let mut is_placed = vec![false; batch.len()];
        for decision in policy.decide(&view) {
            let (request, slots) = match decision {
                Decision::Reserve { request, window } => (request, window.slots().to_vec()),
                Decision::Plan { request, tasks } => (request, tasks),
                Decision::NoPlan { request } => {
                    self.note(kernel, Event::Unplanned(batch[request]));
                    continue;
                }
            };
            let planned = |slot: &Slot| {
                let price = self.nodes[slot.node.index()].price;
                Planned { node: slot.node, interval: slot.interval, price }
            };
            let plan: Vec<Planned> = slots.iter().map(planned).collect();
            self.place(batch[request], &plan, kernel)?;
            is_placed[request] = true;
        }
        for (&job, is_placed) in batch.iter().zip(is_placed) {
            if !is_placed {
                self.postpone(job, kernel);
            }
        }
        Ok(())
    }

    /// Lets the prices of each domain follow its use.
    fn set_prices(&mut self, kernel: &Kernel<Step>) {
        let Some([elasticity, target, bound]) = self.rules.pricing else { return };
        for domain in &self.world.domains {
            let in_use = domain.members().filter(|node| self.sites[node.index()].occupant.is_some()).count();
            let change = 1.0 + elasticity * (in_use as f64 / domain.nodes as f64 - target);
            for node in domain.members() {
                let base = self.world.nodes[node.index()].price.as_f64();
                let price = self.nodes[node.index()].price.as_f64() * change;
                if let Ok(price) = Price::from_f64(price.clamp(base / bound, base * bound))
                    && price != self.nodes[node.index()].price
                {
                    self.nodes[node.index()].price = price;
                    self.note(kernel, Event::Priced(node, price));
                }
            }
        }
    }
}

/// The free time of all nodes that are up.
fn free_slots(sites: &[Site], bounds: Interval) -> SlotList {
    let up = sites.iter().enumerate().filter(|(_, site)| !site.is_down);
    let slots = up.flat_map(|(index, site)| {
        let node = NodeId(index as u32);
        site.timeline.free_within(bounds).map(move |interval| Slot { node, interval })
    });
    // The free intervals of a timeline are disjoint.
    SlotList::new(slots).unwrap_or_default()
}
