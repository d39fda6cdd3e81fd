//! The metrics of all kinds of experiment.

use crate::language::{Describe, Parts, Source};
use crate::metrics::{Better, Metric};
use crate::study::{Experiment, load_study};

/// The metrics of one kind of experiment.
#[derive(Debug, Clone)]
pub struct KindMetrics {
    /// The kind.
    pub of: String,
    /// The metrics.
    pub metrics: Vec<Metric>,
}

/// The metrics of every kind of experiment, with the names of its starter.
pub fn metrics_of_kinds() -> Vec<KindMetrics> {
    let Parts::Variants(kinds) = Experiment::describe().parts else { return Vec::new() };
    let of_kind = kinds.iter().filter_map(|kind| {
        let study = load_study(&Source::new("starter.ron", kind.starter?), &[]).ok()?;
        Some(KindMetrics { of: kind.name.into(), metrics: study.scenario().experiment.get().every_metric() })
    });
    of_kind.collect()
}

/// The unit of a metric, its range unless the unit says it, and the better direction, in words.
pub fn metric_facts(metric: &Metric) -> Vec<String> {
    let facts = [metric.unit().to_string(), range(metric), better(metric).to_string()];
    facts.into_iter().filter(|fact| !fact.is_empty()).collect()
}

fn range(metric: &Metric) -> String {
    let range = match metric.range() {
        (f64::NEG_INFINITY, f64::INFINITY) => String::new(),
        (lowest, f64::INFINITY) => format!("{lowest} or more"),
        (f64::NEG_INFINITY, highest) => format!("{highest} or less"),
        (lowest, highest) => format!("{lowest} to {highest}"),
    };
    if metric.unit().contains(&range) { String::new() } else { range }
}

fn better(metric: &Metric) -> &'static str {
    match metric.is_better() {
        Better::More => "more is better",
        Better::Less => "less is better",
        Better::Neither => "",
    }
}
