//! Batches for one virtual domain at a time (file 001, section 2).

use super::{Decision, Policy, PolicyError, View, Waiting};
use crate::choice;

choice! {
    /// The nodes among which the windows of one batch are sought.
    #[derive(Copy, Eq)]
    pub enum BatchScope {
        /// All nodes together: a window may have nodes of several domains.
        Grid,
        /// One virtual domain at a time, as the papers have it. At each decision the domains take turns, and each of
        /// them gets the jobs that still wait as its batch. The domain that comes first changes from decision to
        /// decision.
        Domain,
    }
}

/// Asks a policy about one domain after another: each time it sees the slots of that domain alone and the jobs that are
/// still without a place. The first domain of the first decision is the first of all, and then the next one in turn.
///
/// A limit that can't be met in some of the domains is reported once; a workflow without a plan in a domain is reported
/// and offered to the next domain.
#[derive(Debug, Clone)]
pub struct PerDomain<P> {
    /// The policy.
    pub policy: P,
    /// The number of decisions so far.
    decided: usize,
}

impl<P> PerDomain<P> {
    /// This policy, one domain at a time.
    pub fn new(policy: P) -> Self {
        Self { policy, decided: 0 }
    }
}

impl<P: Policy> Policy for PerDomain<P> {
    fn decide(&mut self, view: &View<'_>) -> Result<Vec<Decision>, PolicyError> {
        let (head, tail) = view.domains.split_at(self.decided.checked_rem(view.domains.len()).unwrap_or(0));
        self.decided = self.decided.wrapping_add(1);
        // Positions in the view's queue of those who still wait.
        let mut present: Vec<usize> = (0..view.queue.len()).collect();
        let mut decisions = Vec::new();
        for domain in tail.iter().chain(head) {
            if present.is_empty() {
                break;
            }
            let queue: Vec<Waiting<'_>> = present.iter().map(|&place| view.queue[place]).collect();
            let (slots, domains) = (view.slots_of(domain).into(), std::slice::from_ref(domain));
            let decided = self.policy.decide(&View { domains, slots: &slots, queue: &queue, ..*view })?;
            let mut is_placed = vec![false; view.queue.len()];
            for decision in decided {
                let decision = decision.renumbered(|request| present[request]);
                match decision {
                    Decision::Reserve { request, .. }
                    | Decision::Plan { request, .. }
                    | Decision::Send { request, .. } => {
                        is_placed[request] = true;
                    }
                    Decision::LimitUnmet if decisions.contains(&Decision::LimitUnmet) => continue,
                    Decision::LimitUnmet | Decision::NoPlan { .. } | Decision::Promise { .. } => {}
                }
                decisions.push(decision);
            }
            present.retain(|&place| !is_placed[place]);
        }
        Ok(decisions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Stop;
    use crate::model::{Domain, Interval, JobId, Node, NodeId, Request, Slot, SlotList};
    use crate::policy::{FirstWindow, Why};
    use crate::search::Alp;
    use crate::units::{Performance, Power, Price, Span, Time};
    use crate::workload::RuntimeRule;

    /// Decides on jobs of these widths on two domains of two equal nodes, so many times; the nodes of each job.
    fn nodes_of(widths: &[usize], times: usize) -> Vec<Vec<(usize, Vec<u32>)>> {
        let node = Node {
            name: "n".into(),
            performance: Performance::from_units(1),
            price: Price::from_units(1),
            power: Power::from_units(1),
        };
        let nodes = vec![node; 4];
        let domain = |name: &str, first| Domain { name: name.into(), first: NodeId(first), nodes: 2 };
        let domains = [domain("a", 0), domain("b", 2)];
        let free = Interval::new(Time::ZERO, Time::from_units(10));
        let slots = SlotList::new((0..4).map(|node| Slot { node: NodeId(node), interval: free })).unwrap();
        let request = |nodes: &usize| Request {
            name: "job".into(),
            nodes: *nodes,
            length: Span::from_units(10),
            min_performance: Performance::from_units(1),
            max_price: Price::from_units(1),
            deadline: None,
        };
        let requests: Vec<Request> = widths.iter().map(request).collect();
        let waiting = |(id, request)| Waiting::new(JobId(id as u32), request);
        let queue: Vec<Waiting<'_>> = requests.iter().enumerate().map(waiting).collect();
        let view = View {
            now: Time::ZERO,
            nodes: &nodes,
            domains: &domains,
            slots: &slots.into(),
            rule: RuntimeRule::Reference,
            queue: &queue,
            systems: &[],
            why: Why::Cycle,
            stop: Stop::NEVER,
        };
        let mut policy = PerDomain::new(FirstWindow(Alp::CHEAPEST));
        let placed = |decision: Decision| match decision {
            Decision::Reserve { request, window } => {
                Some((request, window.slots().iter().map(|slot| slot.node.0).collect()))
            }
            _ => None,
        };
        (0..times).map(|_| policy.decide(&view).unwrap().into_iter().filter_map(placed).collect()).collect()
    }

    #[test]
    fn domains_take_turns_and_no_window_has_nodes_of_two() {
        let first = vec![(0, vec![0]), (1, vec![2, 3])];
        // Where the second domain comes first, the wide job finds only one of its nodes left and gets the other domain.
        let second = vec![(0, vec![2]), (1, vec![0, 1])];
        assert_eq!(nodes_of(&[1, 2], 3), [first.clone(), second, first]);
    }

    #[test]
    fn a_job_that_is_wider_than_every_domain_goes_on_waiting() {
        assert_eq!(nodes_of(&[3], 2), [vec![], vec![]]);
        assert_eq!(nodes_of(&[1, 1, 1, 1, 1], 1)[0].len(), 4);
    }
}
