//! One window per request, in queue order.

use super::{Decision, Policy, PolicyError, View};
use crate::search::{Offers, WindowSearch};

/// Gives each request in turn the window that a search finds for it in what the earlier ones left.
#[derive(Debug, Clone, Copy)]
pub struct FirstWindow<S>(pub S);

impl<S: WindowSearch> Policy for FirstWindow<S> {
    fn decide(&mut self, view: &View<'_>) -> Result<Vec<Decision>, PolicyError> {
        let mut slots = view.slots.list().clone();
        let mut decisions = Vec::new();
        for (request, waiting) in view.queue.iter().enumerate() {
            let offers = Offers { nodes: view.nodes, slots: &slots, rule: view.rule };
            if let Some(window) = self.0.find_window(&offers, waiting.request) {
                slots.subtract(&window)?;
                decisions.push(Decision::Reserve { request, window });
            }
        }
        Ok(decisions)
    }
}
