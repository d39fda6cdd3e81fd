//! `Criteria`: the best window by each criterion on generated environments (file 001, section 3).

use crate::language::{AboveZero, Count, NonEmpty};
use crate::record;
use crate::search::Search;
use crate::study::parts::report_repeated;
use crate::units::{Performance, Price, Span};
use crate::workload::{EnvironmentSpec, RuntimeRule};

record! {
    /// One request on many generated environments: the window of each search, beside the best of the windows that
    /// repeated AMP collects.
    pub struct Criteria {
        /// The nodes and their local load.
        environment: EnvironmentSpec,
        /// The number of nodes that the request needs, N.
        #[unit = "nodes"]
        nodes: Count,
        /// The length of the request, t.
        #[read = AboveZero<Span>]
        length: Span,
        /// The slowest node that will do, P_min.
        min_performance: Performance,
        /// The highest price per unit of time and node, C.
        max_price: Price,
        /// The searches that are compared.
        searches: NonEmpty<Search>,
        /// The rule by which a job's length becomes a runtime.
        runtime: RuntimeRule = RuntimeRule::Volume,
    }
    starter(include_str!("starter.ron"))
    check(this, at, errors) {
        report_repeated(&this.searches, &at.field("searches"), errors);
        if this.length.as_f64() > 1e5 {
            errors.add(&at.field("length"), "costs would grow beyond all bounds", "give a length of at most 1e5");
        }
    }
}
