//! The tasks of a node's owner as a flow over time.

use super::{DrawError, draw_span};
use crate::engine::Meter;
use crate::language::{AboveZero, Distribution, Draw, NonEmpty, NonNegative};
use crate::record;
use crate::rng::{Stream, unit};
use crate::units::{Span, Time};

record! {
    /// The rhythm of a day.
    pub struct DailySpec {
        /// The length of a day.
        #[read = AboveZero<Span>]
        day: Span,
        /// The rate of arrivals in each part of the day, which is cut into as many equal parts as there are rates. Only
        /// the ratio to the highest rate counts.
        #[unit = "relative to the highest"]
        rates: NonEmpty<NonNegative>,
    }
    check(this, at, errors) {
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

/// A task that the owner of a node runs on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalTask {
    /// When the owner submits it.
    pub arrival: Time,
    /// The runtime on that node.
    pub length: Span,
}

/// The flow of tasks that the owner of a node submits.
#[derive(Debug, Clone, Copy)]
pub struct LocalFlow<'a, L> {
    /// The time from one arrival to the next, when the owner is busiest.
    pub gap: &'a Distribution,
    /// The runtime of a task.
    pub length: &'a L,
    /// The activity of the owner over the day.
    pub daily: Option<&'a DailySpec>,
}

/// The tasks that arrive before `end`, in order of arrival.
///
/// Arrivals come at the highest rate of the day and are thinned to the rate of the hour, which keeps a Poisson flow
/// Poisson. Tasks without length are left out.
pub(crate) fn draw_local_tasks<L: Draw>(
    flow: LocalFlow<'_, L>,
    end: Time,
    mut stream: Stream,
    meter: &mut Meter,
) -> Result<Vec<LocalTask>, DrawError> {
    let mut tasks = Vec::new();
    let mut clock = Time::ZERO;
    let rhythm = flow.daily.map(Rhythm::new);
    loop {
        clock = clock.checked_add(draw_span(flow.gap, &mut stream)?)?;
        if clock >= end {
            return Ok(tasks);
        }
        let length = draw_span(flow.length, &mut stream)?;
        let kept = rhythm.as_ref().is_none_or(|rhythm| unit(&mut stream) < rhythm.share(clock));
        meter.count("drawing the tasks of owners", size_of::<LocalTask>(), clock)?;
        if kept && length > Span::ZERO {
            tasks.push(LocalTask { arrival: clock, length });
        }
    }
}

/// The rates of a day with the highest of them.
pub(super) struct Rhythm<'a> {
    daily: &'a DailySpec,
    highest: f64,
}

impl<'a> Rhythm<'a> {
    pub(super) fn new(daily: &'a DailySpec) -> Self {
        Self { daily, highest: daily.rates.iter().fold(0.0, |highest: f64, rate| highest.max(rate.get())) }
    }

    /// The share of the highest rate of the day that holds at `time`.
    pub(super) fn share(&self, time: Time) -> f64 {
        let Self { daily, highest } = self;
        let into = time.ticks().rem_euclid(daily.day.ticks());
        // In 128 bits: a long day times many parts may leave 64.
        let part = i128::from(into) * daily.rates.len() as i128 / i128::from(daily.day.ticks());
        daily.rates[part as usize].get() / highest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Limits;
    use crate::language::{Source, load};
    use crate::rng::Streams;
    use crate::workload::OwnerSpec;

    fn tasks(flow: &str, end: i64) -> Vec<LocalTask> {
        let flow: OwnerSpec = load(Source::new("flow", flow), &[]).unwrap_or_else(|report| panic!("{report}"));
        let gap = flow.gap.as_ref().expect("the flow has gaps");
        draw_local_tasks(
            LocalFlow { gap, length: &flow.length, daily: flow.daily.as_ref() },
            Time::from_units(end),
            Streams::new(1, 0).stream("local"),
            &mut Meter::new(Limits::DEFAULT),
        )
        .unwrap()
    }

    #[test]
    fn constant_gaps_arrive_like_clockwork() {
        let arrivals: Vec<Time> = tasks("(gap: 10, length: 3)", 35).iter().map(|task| task.arrival).collect();
        assert_eq!(arrivals, [10, 20, 30].map(Time::from_units));
    }

    #[test]
    fn a_poisson_flow_has_its_rate_and_follows_the_day() {
        let all = tasks("(gap: Exponential(mean: 2), length: 1, daily: (day: 10, rates: [0, 3, 1, 0]))", 40_000);
        let in_part =
            |part: i64| all.iter().filter(|task| task.arrival.ticks() % 10_000_000 / 2_500_000 == part).count() as f64;
        assert_eq!(in_part(0) + in_part(3), 0.0);
        // 4,000 days of 1.25 arrivals in the busiest quarter: 5,000 with a standard deviation of 71.
        assert!((in_part(1) - 5000.0).abs() < 280.0, "{}", in_part(1));
        assert!((in_part(2) - 5000.0 / 3.0).abs() < 165.0, "{}", in_part(2));
    }
}
