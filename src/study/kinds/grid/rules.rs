//! The rules under which the results of a grid hold, in words.

use super::Grid;
use crate::language::to_line;
use crate::policy::{Acts, PolicySpec};

/// Each rule by its name, as the scenario has it or by its default.
pub(super) fn rules(spec: &Grid) -> Vec<(String, String)> {
    let unit = &spec.time_unit;
    let metascheduler = spec.metascheduler();
    let (warm_up, horizon) = (spec.warm_up.as_f64(), spec.horizon.as_f64());
    let drain = spec.drain.map_or_else(|| "up to as long again".to_string(), |drain| to_line(&drain));
    let mut rules = vec![
        ("displacement", to_line(&spec.displacement)),
        ("overrun", to_line(&spec.overrun)),
        ("actual runtimes, of estimates", to_line(&spec.actual)),
        ("measured", format!("{horizon} {unit} after a warm-up of {warm_up}; drained: {drain}")),
    ];
    for (acts, name) in [(Acts::Cycles, "at cycles"), (Acts::Submission, "at submission"), (Acts::Events, "at events")]
    {
        let who: Vec<String> =
            spec.policies.iter().filter(|entry| entry.acts() == acts).map(|entry| entry.name()).collect();
        if !who.is_empty() {
            rules.push((name, who.join(", ")));
        }
    }
    let period = metascheduler.period.as_f64();
    let (interval, batch) = (metascheduler.interval.as_f64(), metascheduler.batch.get());
    rules.push(("cycles", format!("every {period} {unit}, {interval} ahead, batches of {batch}")));
    rules.push(("windows", to_line(&metascheduler.search)));
    rules.push(("a batch is of", to_line(&metascheduler.batches)));
    rules.push(("no plan in the window", to_line(&metascheduler.fallback)));
    rules.into_iter().map(|(name, rule)| (name.to_string(), rule)).collect()
}
