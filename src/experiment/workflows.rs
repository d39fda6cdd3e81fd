//! `Workflows`: jobs made of tasks, one per world (file 001, Figs. 3 and 4).

use super::planning::{Attempt, attempt, estimates, interval, name, problem};
use super::replicate::{Named, Watch, replicate};
use super::{Findings, Row, RunError};
use crate::engine::Stop;
use crate::rng::Streams;
use crate::scenario::schema::{Scenario, WorkflowCase, Workflows};
use crate::units::Time;
use crate::workflow::Resolution;
use crate::workload::{draw_domain, draw_tasks};

/// The experiment of all rows.
const EXPERIMENT: &str = "workflows";
/// What is measured of every job.
const ALWAYS: [&str; 2] = ["success ratio", "collisions"];
/// What is measured of jobs that found a place.
const PLACED: [&str; 2] = ["cost", "share of the interval used"];
/// How collisions were resolved, per job that found a place.
const RESOLUTIONS: [(Resolution, &str); 5] = [
    (Resolution::SameType, "resolved on the same type"),
    (Resolution::OtherType, "resolved on another type"),
    (Resolution::Shift, "resolved by a shift"),
    (Resolution::Rest, "resolved by planning the rest"),
    (Resolution::Chain, "resolved by planning the chain"),
];

/// One job by one method: nothing where an exact search gave up.
struct Observed {
    always: [f64; 2],
    placed: Option<[f64; 2]>,
    resolutions: Option<[f64; 5]>,
}

pub(super) fn run(spec: &Workflows, scenario: &Scenario, watch: &impl Watch) -> Result<Findings, RunError> {
    let mut findings = Findings {
        units: super::own_units([("success ratio", "share of jobs"), ("cost", "units"), ("collisions", "per job")]),
        ..Findings::default()
    };
    for case in spec.cases.iter() {
        let named = |names: &[&str]| names.iter().map(|name| Named::new(*name)).collect::<Vec<_>>();
        let ways = RESOLUTIONS.map(|(_, name)| name);
        let mut tallies: Vec<Vec<Named>> =
            spec.methods.iter().map(|_| [named(&ALWAYS), named(&PLACED), named(&ways)].concat()).collect();
        replicate(
            scenario,
            watch,
            |streams| observe(spec, case, streams, watch.stop()),
            |observed| {
                for (tallies, observed) in tallies.iter_mut().zip(observed) {
                    let Some(Observed { always, placed, resolutions }) = observed else { continue };
                    let values = always.map(Some).into_iter();
                    let values = values.chain(placed.map_or([None; 2], |placed| placed.map(Some)));
                    let values = values.chain(resolutions.map_or([None; 5], |counts| counts.map(Some)));
                    for (tally, value) in tallies.iter_mut().zip(values) {
                        value.map_or(Ok(()), |value| tally.add(value))?;
                    }
                }
                Ok(())
            },
        )?;
        for (&method, tallies) in spec.methods.iter().zip(&tallies) {
            let series = match (spec.cases.len(), spec.methods.len()) {
                (_, 1) => case.name.to_string(),
                (1, _) => name(method).to_string(),
                _ => format!("{}, {}", case.name, name(method)),
            };
            let row = |tally: &Named| Some(Row::new(EXPERIMENT, &series, &tally.name, tally.estimate()?));
            findings.rows.extend(tallies.iter().filter_map(row));
        }
    }
    Ok(findings)
}

/// One job by every method.
fn observe(
    spec: &Workflows,
    case: &WorkflowCase,
    streams: Streams,
    stop: &Stop,
) -> Result<Vec<Option<Observed>>, RunError> {
    let dag = draw_tasks(&case.tasks, spec.domain.performance, streams.stream("tasks"))?;
    let interval = interval(&spec.domain, &dag, spec.interval_factor.get(), Time::ZERO)?;
    let domain = draw_domain(&spec.domain, &dag, interval, &streams);
    let estimates = estimates(&spec.domain, &dag, &domain.slower)?;
    let problem = problem(&dag, &estimates, &domain, interval, spec.transfers, (spec.attempts.get(), stop));
    let observe = |&method| {
        Ok(match attempt(method, &problem, &mut streams.stream("ties"))? {
            Attempt::GaveUp => None,
            Attempt::Failed(collisions) => {
                Some(Observed { always: [0.0, collisions.len() as f64], placed: None, resolutions: None })
            }
            Attempt::Planned(plan) => {
                let resolved = |way| plan.collisions.iter().filter(move |collision| collision.resolution == Some(way));
                let ways = RESOLUTIONS.map(|(way, _)| resolved(way).count() as f64);
                let used = plan.finish().map_or(0.0, |finish| (finish - interval.start).as_f64());
                Some(Observed {
                    always: [1.0, plan.collisions.len() as f64],
                    placed: Some([plan.cost.as_f64(), used / interval.span().as_f64().max(f64::MIN_POSITIVE)]),
                    resolutions: Some(ways),
                })
            }
        })
    };
    spec.methods.iter().map(observe).collect()
}
