//! `Windows`: windows for requests, by every search.

mod environment;
mod listed;
mod record;
mod request;
mod steps;

pub(super) use record::*;
use request::RequestSpec;

use super::Kind;
use crate::engine::Stop;
use crate::language::Cursor;
use crate::metrics::{Metric, copies};
use crate::model::{Request, Window};
use crate::policy::PolicyError;
use crate::search::{Offers, WindowSearch, collect_alternatives};
use crate::study::checked::judge;
use crate::study::expected::{Judge, idle};
use crate::study::replicate::Trial;
use crate::study::{Findings, RunError};
use std::cmp::Reverse;

impl Kind for Windows {
    fn metrics(&self) -> Vec<Metric> {
        match self.world {
            WindowWorld::Listed { .. } => copies(listed::METRICS),
            WindowWorld::Environment(_) => environment::metrics(),
            WindowWorld::Slots { .. } => copies(steps::METRICS),
        }
    }

    fn every_metric(&self) -> Vec<Metric> {
        [copies(listed::METRICS), environment::metrics(), copies(steps::METRICS)].concat()
    }

    fn own_rows(&self) -> Vec<&str> {
        vec![match self.world {
            WindowWorld::Listed { .. } => listed::EXPERIMENT,
            WindowWorld::Environment(_) => environment::EXPERIMENT,
            WindowWorld::Slots { .. } => steps::EXPERIMENT,
        }]
    }

    fn expect(&self, at: &Cursor<'_>, judge: &mut Judge<'_, '_, '_>) {
        let WindowWorld::Environment(environment) = &self.world else { return };
        judge.environment(environment, &at.field("world"));
        for (index, request) in self.requests.iter().enumerate() {
            let length = request.length.as_f64() * request.min_performance.as_f64().max(1.0);
            let place = at.field("requests").element(index).field("length");
            judge.windows(&place, idle(environment), request.nodes.get() as f64 * length);
        }
    }

    fn series_names(&self) -> Option<Vec<String>> {
        Some(match &self.world {
            WindowWorld::Listed { nodes, .. } => listed::series_names(self, nodes),
            WindowWorld::Environment(_) => environment::series_names(self),
            WindowWorld::Slots { .. } => steps::series_names(self),
        })
    }

    fn draws(&self) -> bool {
        !matches!(self.world, WindowWorld::Listed { .. })
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Findings, RunError> {
        match &self.world {
            WindowWorld::Listed { nodes, free } => listed::run(self, (nodes, free), trial),
            WindowWorld::Environment(environment) => environment::run(self, environment, trial),
            WindowWorld::Slots { slots, span } => steps::run(self, (slots, *span), trial),
        }
    }
}

impl Windows {
    /// The requests in the order of their ranks.
    fn ranked(&self) -> Vec<Request> {
        let mut queue: Vec<&RequestSpec> = self.requests.iter().collect();
        queue.sort_by_key(|request| Reverse(request.rank));
        queue.into_iter().map(RequestSpec::request).collect()
    }
}

/// The windows of each request, pass by pass, checked.
fn collect(
    offers: &Offers<'_>,
    requests: &[Request],
    search: &dyn WindowSearch,
    (passes, stop): (Option<usize>, &Stop),
) -> Result<Vec<Vec<Window>>, RunError> {
    let queue: Vec<&Request> = requests.iter().collect();
    let windows = collect_alternatives(offers, &queue, search, passes, stop).map_err(PolicyError::from)?;
    stop.check()?;
    judge(offers, requests, &windows, search)?;
    Ok(windows)
}
