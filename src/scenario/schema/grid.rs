//! `Grid`: nodes with local task flows, through the event engine.

use super::parts::report_steps;
use crate::record;
use crate::scenario::{Count, Distribution, Name, NameKind, NonEmpty, NonNegative};
use crate::units::Span;

/// How many nodes a grid may have.
const NODES_LIMIT: f64 = 1e6;

/// The names of groups of nodes.
#[derive(Debug, Clone, PartialEq)]
pub enum GroupNames {}

impl NameKind for GroupNames {
    const WHAT: &'static str = "group";
}

record! {
    /// Nodes with local task flows, run through the event engine.
    pub struct Grid {
        /// How long the run is.
        horizon: Span,
        /// The steps in which utilisation over time is reported.
        step: Span,
        /// The name of the unit of time, for the axes of figures.
        time_unit: String = "time units".to_string(),
        /// The nodes, in groups of one kind.
        groups: NonEmpty<NodeGroup>,
    }
    check(this, at, errors) {
        if !report_steps(this.horizon, this.step, at, errors) {
            return;
        }
        let nodes: f64 = this.groups.iter().map(|group| group.nodes.get() as f64).sum();
        if nodes > NODES_LIMIT {
            errors.add(&at.field("groups"), format!("that is {nodes} nodes"), format!("keep it to {NODES_LIMIT} nodes"));
        }
    }
}

record! {
    /// Nodes of one kind.
    pub struct NodeGroup {
        /// Its name, unique among the groups; the series in results and figures.
        name: Name<GroupNames>,
        /// How many nodes.
        nodes: Count,
        /// The tasks of their owners.
        local: LocalFlowSpec,
    }
}

record! {
    /// How the owner of a node uses it. Tasks wait for each other and run one at a time.
    pub struct LocalFlowSpec {
        /// The time from one arrival to the next, when the owner is busiest.
        gap: Distribution,
        /// How long a task runs.
        length: Distribution,
        /// How busy the owner is over the day; always as busy, unless given.
        daily: Option<DailySpec>,
    }
    check(this, at, errors) {
        this.gap.require_support(&at.field("gap"), errors, 0.0..=f64::INFINITY);
        this.length.require_support(&at.field("length"), errors, 0.0..=f64::INFINITY);
        if this.gap.max() <= 0.0 {
            errors.add(&at.field("gap"), "all tasks would arrive at once", "give gaps above 0");
        }
    }
}

record! {
    /// The rhythm of a day.
    pub struct DailySpec {
        /// How long a day is.
        day: Span,
        /// The rate of arrivals in each part of the day, which is cut into as many equal parts as there are rates. Only
        /// the ratio to the highest rate counts.
        rates: NonEmpty<NonNegative>,
    }
    check(this, at, errors) {
        if this.day == Span::ZERO {
            errors.add(&at.field("day"), "a day of no length has no parts", "give a length above 0");
        }
        if this.rates.iter().all(|rate| rate.get() == 0.0) {
            errors.add(&at.field("rates"), "nothing would ever arrive", "give at least one rate above 0");
        }
    }
}

impl DailySpec {
    /// The mean of the rates as a share of the highest.
    pub fn mean_share(&self) -> f64 {
        let highest = self.rates.iter().fold(0.0, |highest: f64, rate| highest.max(rate.get()));
        self.rates.iter().map(|rate| rate.get() / highest).sum::<f64>() / self.rates.len() as f64
    }
}
