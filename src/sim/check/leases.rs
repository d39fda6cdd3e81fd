//! The laws of leases on a utility grid.

use super::{Verdict, Violation, verdict};
use crate::model::{Grain, Lease, Resource, UserJob};
use crate::units::{Span, TICKS_PER_UNIT};

/// Judges what a broker placed: every lease against its job and its resource, and all leases against each other.
///
/// `interval` is the time between rounds, at which alone anything may start.
///
/// ```
/// use gridloom::check::check_leases;
/// use gridloom::model::{Grain, Lease, Resource, UserJob};
/// use gridloom::units::{Money, Performance, Price, Span, Time, Volume};
///
/// let resource = Resource { pes: 3, speed: Performance::from_units(2), prices: vec![Price::from_units(4)] };
/// let job = UserJob {
///     user: 0,
///     arrival: Time::ZERO,
///     tasks: 3,
///     size: Volume::from_units(100),
///     budget: Money::from_units(600),
///     deadline: Time::from_units(100),
/// };
/// let start = Time::from_units(50);
/// let runtime = Span::from_units(50);
/// let lease = Lease { job: 0, resource: 0, tasks: 3, start, runtime, cost: Money::from_units(600) };
/// let judge = |lease| check_leases(&[resource.clone()], &[job], Grain::Whole, Span::from_units(50), &[lease]);
/// assert!(judge(lease).is_ok());
/// assert!(judge(Lease { tasks: 2, cost: Money::from_units(400), ..lease }).is_err(), "not whole");
/// ```
pub fn check_leases(
    resources: &[Resource],
    jobs: &[UserJob],
    grain: Grain,
    interval: Span,
    leases: &[Lease],
) -> Verdict {
    let mut broken = Vec::new();
    for lease in leases {
        match (jobs.get(lease.job), resources.get(lease.resource)) {
            (Some(job), Some(resource)) => check_lease(job, resource, interval, lease, &mut broken),
            _ => broken.push(Violation(format!("job {} on resource {}: no such pair", lease.job, lease.resource))),
        }
    }
    for (index, job) in jobs.iter().enumerate() {
        let own: Vec<&Lease> = leases.iter().filter(|lease| lease.job == index).collect();
        check_job(index, job, grain, &own, &mut broken);
    }
    for (index, resource) in resources.iter().enumerate() {
        let own: Vec<&Lease> = leases.iter().filter(|lease| lease.resource == index).collect();
        // The most PEs are busy at the start of some lease.
        for at in &own {
            let held = own.iter().filter(|other| other.start <= at.start && at.start < other.start + other.runtime);
            let busy: u64 = held.map(|other| u64::from(other.tasks)).sum();
            if busy > u64::from(resource.pes) {
                let what = format!("resource {index}: {busy} tasks at {}, {} PEs", at.start, resource.pes);
                broken.push(Violation(what));
            }
        }
    }
    verdict(broken)
}

fn check_lease(job: &UserJob, resource: &Resource, interval: Span, lease: &Lease, broken: &mut Vec<Violation>) {
    let mut law = |holds: bool, what: &str| {
        if !holds {
            broken.push(Violation(format!("job {} on resource {}: {what}", lease.job, lease.resource)));
        }
    };
    law(lease.tasks > 0, "no tasks");
    law(lease.start >= job.arrival, "starts before it arrives");
    law(lease.start.ticks() > 0 && lease.start.ticks() % interval.ticks() == 0, "starts between two rounds");
    let done = |ticks: i64| i128::from(ticks) * i128::from(resource.speed.ticks());
    let work = i128::from(job.size.ticks()) * i128::from(TICKS_PER_UNIT);
    law(done(lease.runtime.ticks()) >= work, "too short for its work");
    law(lease.runtime.ticks() == 0 || done(lease.runtime.ticks() - 1) < work, "longer than its work");
    law(lease.start.ticks() + lease.runtime.ticks() <= job.deadline.ticks(), "ends after its deadline");
    let Some(price) = resource.prices.get(job.user) else {
        law(false, "its user has no price there");
        return;
    };
    // Each task is charged the nearest tick.
    let exact = i128::from(price.ticks()) * i128::from(lease.runtime.ticks()) * i128::from(lease.tasks);
    let off = (i128::from(lease.cost.ticks()) * i128::from(TICKS_PER_UNIT) - exact).abs();
    law(2 * off <= i128::from(TICKS_PER_UNIT) * i128::from(lease.tasks), "is not charged price x runtime x tasks");
}

fn check_job(index: usize, job: &UserJob, grain: Grain, leases: &[&Lease], broken: &mut Vec<Violation>) {
    let mut law = |holds: bool, what: String| {
        if !holds {
            broken.push(Violation(format!("job {index}: {what}")));
        }
    };
    let tasks: u64 = leases.iter().map(|lease| u64::from(lease.tasks)).sum();
    law(tasks <= u64::from(job.tasks), format!("{tasks} tasks placed, {} asked for", job.tasks));
    let cost: i128 = leases.iter().map(|lease| i128::from(lease.cost.ticks())).sum();
    law(cost <= i128::from(job.budget.ticks()), format!("costs {cost} ticks, above its budget of {}", job.budget));
    if grain == Grain::Whole {
        let is_whole = leases.is_empty() || (leases.len() == 1 && tasks == u64::from(job.tasks));
        law(is_whole, format!("in {} parts with {tasks} of {} tasks", leases.len(), job.tasks));
    }
}
