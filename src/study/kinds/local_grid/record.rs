//! `Grid`: nodes with local task flows, through the event engine.

use crate::language::{Count, Name, NameKind, NonEmpty};
use crate::record;
use crate::study::parts::report_steps;
use crate::units::Span;
use crate::workload::LocalFlowSpec;

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
    starter(include_str!("starter.ron"))
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
