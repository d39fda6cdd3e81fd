//! The tasks of the owners of a domain's nodes, and the outages of the nodes: decided before the run, so that all
//! policies face them alike.

use super::local::{LocalFlow, LocalTask, draw_local_tasks};
use super::{DrawError, draw_span};
use crate::engine::Meter;
use crate::language::Distribution;
use crate::language::Positive;
use crate::model::{Interval, Timeline};
use crate::rng::Streams;
use crate::units::{Span, Time};
use crate::workload::{FailureSpec, OwnerSpec};

/// A task that the owner of a node runs on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnerTask {
    /// When the grid learns of it: ahead of its start, or just then.
    pub announced: Time,
    /// When it runs, unless the node is down.
    pub interval: Interval,
}

/// The tasks of the owner of node `node` before `end` in order of start, as far as they are announced by the instant `last`.
///
/// In the order in which they are announced, each takes the first time from its arrival on that the earlier ones leave:
/// what is announced stays as announced, and nothing is known before it is said.
pub(crate) fn draw_owner_tasks(
    flows: &[OwnerSpec],
    end: Time,
    last: Time,
    streams: &Streams,
    node: u64,
    meter: &mut Meter,
) -> Result<Vec<OwnerTask>, DrawError> {
    let mut wanted: Vec<(Time, LocalTask)> = Vec::new();
    for (index, flow) in flows.iter().enumerate() {
        let Some(gap) = gap_of(flow) else { continue };
        let plain = LocalFlow { gap: &gap, length: &flow.length, daily: flow.daily.as_ref() };
        let mut notices = streams.member(&format!("notice {index}"), node);
        for task in draw_local_tasks(plain, end, streams.member(&format!("owner {index}"), node), meter)? {
            let notice = draw_span(&flow.notice, &mut notices)?;
            wanted.push((task.arrival.checked_sub(notice)?.max(Time::ZERO), task));
        }
    }
    // Stable: tasks announced at one instant stay in the order of their flows.
    wanted.sort_by_key(|(announced, task)| (*announced, task.arrival));
    wanted.truncate(wanted.partition_point(|(announced, _)| *announced <= last));
    let mut timeline = Timeline::new(Interval::new(Time::ZERO, Time::MAX));
    let mut tasks = Vec::with_capacity(wanted.len());
    for (announced, task) in wanted {
        let Some(start) = timeline.first_fit(task.arrival, task.length) else { continue };
        let interval = Interval::new(start, start.checked_add(task.length)?);
        if start < end && timeline.reserve(interval).is_ok() {
            tasks.push(OwnerTask { announced, interval });
        }
    }
    tasks.sort_unstable_by_key(|task| task.interval.start);
    Ok(tasks)
}

/// The gaps of a flow, unless nothing ever arrives.
fn gap_of(spec: &OwnerSpec) -> Option<Distribution> {
    match &spec.gap {
        Some(gap) => Some(gap.0.clone()),
        None => Some(Distribution::Exponential { mean: Positive::new(spec.mean_gap())? }),
    }
}

/// When node `node` is down before `end`, in order.
pub(crate) fn draw_outages(
    spec: &FailureSpec,
    end: Time,
    streams: &Streams,
    node: u64,
    meter: &mut Meter,
) -> Result<Vec<Interval>, DrawError> {
    let mut stream = streams.member("failures", node);
    let mut outages = Vec::new();
    let mut clock = Time::ZERO;
    while clock < end {
        let fails = clock.checked_add(draw_span(&*spec.up, &mut stream)?)?;
        // An outage of no length would be a failure and a repair at once: it lasts a tick at least.
        clock = fails.checked_add(draw_span(&*spec.down, &mut stream)?.max(Span::from_ticks(1)))?;
        meter.count("drawing the outages of nodes", size_of::<Interval>(), clock)?;
        if fails < end {
            outages.push(Interval::new(fails, clock));
        }
    }
    Ok(outages)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Limits;
    use crate::language::{Source, load};

    fn meter() -> Meter {
        Meter::new(Limits::DEFAULT)
    }

    fn flows(text: &str) -> Vec<OwnerSpec> {
        load(Source::new("flows", text), &[]).unwrap_or_else(|report| panic!("{report}"))
    }

    #[test]
    fn tasks_of_one_owner_never_overlap_and_are_known_before_they_start() {
        let flows = flows(
            "[(load: 0.4, length: Uniform(low: 1, high: 9), notice: Uniform(low: 0, high: 30)), (load: 0.3, length: 4)]",
        );
        let tasks =
            draw_owner_tasks(&flows, Time::from_units(5000), Time::MAX, &Streams::new(1, 0), 3, &mut meter()).unwrap();
        assert!(tasks.len() > 500, "{}", tasks.len());
        assert!(tasks.iter().all(|task| task.announced <= task.interval.start));
        assert!(tasks.windows(2).all(|pair| pair[0].interval.end <= pair[1].interval.start));
        let busy: f64 = tasks.iter().map(|task| task.interval.span().as_f64()).sum();
        // The tasks number some 1,000 and vary by half their length: four standard deviations are 0.1.
        assert!((busy / 5000.0 - 0.7).abs() < 0.1, "{busy}");
    }

    #[test]
    fn a_load_of_nothing_has_no_tasks() {
        let flows = flows("[(load: 0, length: 4)]");
        assert!(
            draw_owner_tasks(&flows, Time::from_units(1000), Time::MAX, &Streams::new(1, 0), 0, &mut meter())
                .unwrap()
                .is_empty()
        );
    }

    #[test]
    fn outages_follow_each_other_with_time_in_between() {
        let spec: FailureSpec = load(Source::new("f", "(up: 10, down: 2)"), &[]).unwrap();
        let outages = draw_outages(&spec, Time::from_units(30), &Streams::new(1, 0), 0, &mut meter()).unwrap();
        let of = |start, end| Interval::new(Time::from_units(start), Time::from_units(end));
        assert_eq!(outages, [of(10, 12), of(22, 24)]);
    }
}
