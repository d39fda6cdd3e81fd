//! Which domain each job may use.

use super::Broken;
use crate::model::{JobId, NodeId};
use crate::sim::Event;
use crate::units::Time;
use crate::workload::GridWorld;

/// Jobs of a batch system run on the nodes of its domain, and no others do unless it grants reservations.
pub(super) struct Domains<'w> {
    world: &'w GridWorld,
    /// The domain that each job was sent to.
    sent: Vec<Option<u32>>,
}

impl<'w> Domains<'w> {
    pub(super) fn new(world: &'w GridWorld) -> Self {
        Self { world, sent: vec![None; world.jobs.len()] }
    }

    pub(super) fn follow(&mut self, time: Time, what: &Event, is_queued: impl Fn(JobId) -> bool, broken: &mut Broken) {
        match *what {
            Event::Sent(job, domain, predicted) => {
                let system = self.world.systems.get(domain as usize).copied().flatten();
                broken.require(system.is_some(), || format!("{job} is sent to domain {domain} without a batch system"));
                broken.require(is_queued(job), || format!("{job} is sent at {time} and does not wait"));
                let home = self.world.jobs[job.index()].home;
                broken.require(home.is_none(), || format!("{job}, which is local, is sent at {time}"));
                broken.require(predicted.is_none_or(|start| start >= time), || {
                    format!("{job} is sent at {time} with a start predicted at {predicted:?}")
                });
                let before = self.sent[job.index()].replace(domain);
                broken.require(before.is_none(), || format!("{job} is sent at {time} a second time"));
            }
            Event::Held(piece, ..) => {
                let own = self.world.jobs[piece.job.index()].home.or(self.sent[piece.job.index()]);
                let Some((domain, grants)) = self.domain_of(piece.node) else { return };
                broken.require(own.map_or(grants, |own| own == domain), || {
                    format!("{piece:?} gets time at {time} in domain {domain}, which is not for it")
                });
            }
            _ => {}
        }
    }

    /// The domain of a node, and whether jobs may use it that are in no queue of its.
    fn domain_of(&self, node: NodeId) -> Option<(u32, bool)> {
        let domain = self.world.domains.partition_point(|domain| domain.first <= node).checked_sub(1)?;
        let system = self.world.systems.get(domain).copied().flatten();
        Some((domain as u32, system.is_none_or(|system| system.reservations)))
    }
}
