//! The kernel: the clock, the queue and the run loop.

use super::queue::{EventQueue, Handle};
use super::stop::Pulse;
use super::{Phase, Stop};
use crate::units::{Overflow, Span, Time};

/// After so many events the kernel tells how far it is: often enough for an eye, and seldom enough to cost nothing.
const TOLD: u64 = 64;

/// A discrete-event simulation in progress: what is to happen, and what time it is.
///
/// The model lives outside. A handler gets every event in turn, together with the kernel, so that it can schedule and
/// cancel others; see the [module](super) for an example. An error of the handler ends the loop and comes out of it;
/// the kernel is left after the failed event and can go on.
#[derive(Debug)]
pub struct Kernel<E> {
    queue: EventQueue<E>,
    /// The present position in the order: events before it are refused.
    now: Time,
    phase: Phase,
    stopped: bool,
    stop: Stop,
    /// The most events that may be executed in all.
    most: u64,
    /// The time at which most of the work is expected to be done, if it is known.
    goal: Option<Time>,
    pulse: Pulse,
    /// The number of events that have come up.
    executed: u64,
}

/// Why a run loop came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// No event is left.
    Empty,
    /// All events up to the given time were executed; later ones are pending.
    Limit,
    /// A handler called [`Kernel::stop`].
    Stopped,
    /// The [`Stop`] that the kernel obeys was set.
    Interrupted,
    /// As many events were executed as may be, and others are pending.
    Exhausted,
}

/// Why an event can't be scheduled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// The event would come before the present one.
    #[error("an event at {time}, phase {}, would come before the present at {now}, phase {}", .phase.0, .now_phase.0)]
    Past {
        /// The time that was asked for.
        time: Time,
        /// The phase that was asked for.
        phase: Phase,
        /// The time of the clock.
        now: Time,
        /// The phase being executed.
        now_phase: Phase,
    },
    /// The time would be later than [`Time::MAX`].
    #[error(transparent)]
    Overflow(#[from] Overflow),
}

impl<E> Kernel<E> {
    /// A kernel with nothing to do, its clock at [`Time::ZERO`].
    pub fn new() -> Self {
        Self::obeying(Stop::NEVER)
    }

    /// The same, but its run loops come back before the next event once `stop` is set.
    pub(crate) fn obeying(stop: &Stop) -> Self {
        Self {
            queue: EventQueue::new(),
            now: Time::ZERO,
            phase: Phase(0),
            stopped: false,
            stop: stop.clone(),
            most: u64::MAX,
            goal: None,
            pulse: stop.pulse(),
            executed: 0,
        }
    }

    /// The same, and by its [`Stop`] it tells how much of the time up to `goal` is over.
    pub(crate) fn heading_for(self, goal: Time) -> Self {
        Self { goal: Some(goal), ..self }
    }

    /// The same, but its run loops come back before they execute more than `most` events in all.
    pub(crate) fn with_most(self, most: u64) -> Self {
        Self { most, ..self }
    }

    /// The time of the clock: that of the event being executed, or of the last one.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The time of the next event.
    pub(crate) fn peek_time(&self) -> Option<Time> {
        self.queue.peek_time()
    }

    /// Schedules an event at an instant, behind all those already scheduled for the same instant and phase.
    ///
    /// The present is the earliest that will do: the time of the clock, and at that time the phase being executed.
    pub fn schedule_at(&mut self, time: Time, phase: Phase, event: E) -> Result<Handle, ScheduleError> {
        if (time, phase) < (self.now, self.phase) {
            return Err(ScheduleError::Past { time, phase, now: self.now, now_phase: self.phase });
        }
        Ok(self.queue.push(time, phase, event))
    }

    /// Schedules an event `delay` after the present time.
    pub fn schedule_after(&mut self, delay: Span, phase: Phase, event: E) -> Result<Handle, ScheduleError> {
        self.schedule_at(self.now.checked_add(delay)?, phase, event)
    }

    /// Cancels an event; whether it was still pending. It was not if it has been executed, or cancelled before.
    pub fn cancel(&mut self, handle: Handle) -> bool {
        self.queue.cancel(handle)
    }

    /// Lets no event come up after the present one, in the run that is under way.
    pub fn stop(&mut self) {
        self.stopped = true;
    }

    /// Executes events until none is left or the handler stops the loop.
    pub fn run<X>(&mut self, mut handler: impl FnMut(&mut Self, E) -> Result<(), X>) -> Result<Ended, X> {
        self.stopped = false;
        loop {
            // No event is later than this limit, so it never ends the loop.
            match self.next_until(Time::MAX) {
                Ok(event) => handler(self, event)?,
                Err(ended) => return Ok(ended),
            }
        }
    }

    /// The next event, at which the clock stands then; or why there is none at `limit` or before.
    pub(crate) fn next_until(&mut self, limit: Time) -> Result<E, Ended> {
        let next = self.pop_until(limit);
        if next.is_err() || self.executed.is_multiple_of(TOLD) {
            let done = self.goal.map_or(0.0, |goal| self.now.as_f64() / goal.as_f64());
            self.pulse.tell(self.executed, done);
        }
        next
    }

    fn pop_until(&mut self, limit: Time) -> Result<E, Ended> {
        match self.peek_time() {
            _ if self.stopped => return Err(Ended::Stopped),
            _ if self.stop.is_set() => return Err(Ended::Interrupted),
            Some(time) if time > limit => return Err(Ended::Limit),
            Some(_) if self.executed >= self.most => return Err(Ended::Exhausted),
            _ => {}
        }
        let (time, phase, event) = self.queue.pop().ok_or(Ended::Empty)?;
        (self.now, self.phase) = (time, phase);
        self.executed += 1;
        Ok(event)
    }
}

impl<E> Default for Kernel<E> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::convert::Infallible;

    const EARLY: Phase = Phase(0);
    const LATE: Phase = Phase(1);

    fn at(units: i64) -> Time {
        Time::from_units(units)
    }

    /// Runs to the end and lists the events with their times.
    fn trace(kernel: &mut Kernel<u32>) -> Vec<(i64, u32)> {
        let mut trace = Vec::new();
        let ended = kernel.run(|kernel, event| {
            trace.push((kernel.now().ticks() / 1_000_000, event));
            Ok::<_, Infallible>(())
        });
        assert_eq!(ended, Ok(Ended::Empty));
        trace
    }

    #[test]
    fn one_instant_runs_by_phase_and_then_in_the_order_of_scheduling() {
        let mut kernel = Kernel::new();
        for (time, phase, event) in [(2, LATE, 1), (1, LATE, 2), (2, EARLY, 3), (2, LATE, 4), (2, EARLY, 5)] {
            kernel.schedule_at(at(time), phase, event).unwrap();
        }
        assert_eq!(trace(&mut kernel), [(1, 2), (2, 3), (2, 5), (2, 1), (2, 4)]);
    }

    #[test]
    fn an_event_before_the_present_position_is_refused_and_changes_nothing() {
        let mut kernel = Kernel::new();
        assert!(kernel.schedule_at(Time::from_ticks(-1), LATE, 0).is_err());
        kernel.schedule_at(at(5), LATE, 1).unwrap();
        kernel
            .run(|kernel, _| {
                assert!(matches!(kernel.schedule_at(at(4), LATE, 2), Err(ScheduleError::Past { .. })));
                let refused = kernel.schedule_after(Span::ZERO, EARLY, 3).unwrap_err();
                assert_eq!(refused.to_string(), "an event at 5, phase 0, would come before the present at 5, phase 1");
                assert!(kernel.schedule_after(Span::from_ticks(-1), LATE, 4).is_err());
                assert_eq!(kernel.peek_time(), None);
                Ok::<_, Infallible>(())
            })
            .unwrap();
        kernel.schedule_at(at(5), LATE, 6).unwrap();
        assert_eq!(trace(&mut kernel), [(5, 6)]);
    }

    #[test]
    fn a_delay_past_the_end_of_time_is_an_error() {
        let mut kernel = Kernel::new();
        kernel.schedule_at(Time::MAX, EARLY, 1).unwrap();
        kernel
            .run(|kernel, event| {
                assert_eq!(
                    kernel.schedule_after(Span::from_ticks(1), EARLY, 2),
                    Err(ScheduleError::Overflow(Overflow))
                );
                if event == 1 { kernel.schedule_after(Span::ZERO, EARLY, 3).map(|_| ()) } else { Ok(()) }
            })
            .unwrap();
        assert_eq!(kernel.executed, 2);
    }

    #[test]
    fn cancelling_tells_whether_the_event_was_pending() {
        let mut kernel = Kernel::new();
        let first = kernel.schedule_at(at(1), EARLY, 1).unwrap();
        let second = kernel.schedule_at(at(2), EARLY, 2).unwrap();
        assert!(kernel.cancel(second));
        assert!(!kernel.cancel(second));
        assert_eq!(trace(&mut kernel), [(1, 1)]);
        assert!(!kernel.cancel(first));
        let third = kernel.schedule_at(at(1), LATE, 3).unwrap();
        assert!(!kernel.cancel(second));
        assert!(kernel.cancel(third));
        assert_eq!((kernel.executed, kernel.peek_time()), (1, None));
    }

    #[test]
    fn an_event_cannot_cancel_itself() {
        let mut kernel = Kernel::new();
        let own = kernel.schedule_at(at(1), EARLY, 1).unwrap();
        kernel
            .run(|kernel, _| {
                assert!(!kernel.cancel(own));
                Ok::<_, Infallible>(())
            })
            .unwrap();
    }

    #[test]
    fn a_bounded_run_includes_its_bound() {
        let mut kernel = Kernel::new();
        for time in [1, 3, 7] {
            kernel.schedule_at(at(time), LATE, time).unwrap();
        }
        let limit = |kernel: &mut Kernel<i64>, time| kernel.next_until(at(time));
        assert_eq!((limit(&mut kernel, 3), limit(&mut kernel, 3)), (Ok(1), Ok(3)));
        assert_eq!(limit(&mut kernel, 5), Err(Ended::Limit));
        assert_eq!((kernel.now(), kernel.peek_time()), (at(3), Some(at(7))));
        // Between two runs anything from the clock on may be scheduled, also ahead of what was looked at.
        assert!(kernel.schedule_at(at(3), EARLY, 0).is_err());
        kernel.schedule_at(at(5), EARLY, 4).unwrap();
        assert_eq!(limit(&mut kernel, 2), Err(Ended::Limit));
        assert_eq!((limit(&mut kernel, 9), limit(&mut kernel, 9)), (Ok(4), Ok(7)));
        assert_eq!((limit(&mut kernel, 9), kernel.now()), (Err(Ended::Empty), at(7)));
    }

    #[test]
    fn stops_and_errors_end_the_loop_after_the_event_and_it_can_go_on() {
        let mut kernel = Kernel::new();
        for time in 1..=4 {
            kernel.schedule_at(at(time), EARLY, time).unwrap();
        }
        let handler = |kernel: &mut Kernel<i64>, event| match event {
            1 => {
                kernel.stop();
                Ok(())
            }
            2 => Err("two"),
            _ => Ok(()),
        };
        assert_eq!(kernel.run(handler), Ok(Ended::Stopped));
        assert_eq!((kernel.now(), kernel.peek_time()), (at(1), Some(at(2))));
        assert_eq!(kernel.run(handler), Err("two"));
        assert_eq!((kernel.now(), kernel.peek_time()), (at(2), Some(at(3))));
        assert_eq!(kernel.run(handler), Ok(Ended::Empty));
        assert_eq!(kernel.executed, 4);
    }

    #[test]
    fn a_limit_on_events_ends_the_loop_before_the_next_event_and_not_at_the_last() {
        let mut kernel = Kernel::new().with_most(3);
        for time in 1..=4 {
            kernel.schedule_at(at(time), EARLY, time).unwrap();
        }
        let handler = |_: &mut Kernel<i64>, _| Ok::<_, Infallible>(());
        assert_eq!(kernel.run(handler), Ok(Ended::Exhausted));
        assert_eq!((kernel.now(), kernel.peek_time(), kernel.executed), (at(3), Some(at(4)), 3));
        let mut kernel = Kernel::new().with_most(1);
        kernel.schedule_at(at(1), EARLY, 1).unwrap();
        assert_eq!(kernel.run(handler), Ok(Ended::Empty));
    }

    #[test]
    fn a_kernel_tells_how_far_it_is() {
        let stop = Stop::new();
        let world = stop.world(1);
        let mut kernel = Kernel::obeying(&world).heading_for(at(1000));
        for time in 0..1000 {
            kernel.schedule_at(at(time), EARLY, time).unwrap();
        }
        let mut seen = Vec::new();
        let handler = |_: &mut Kernel<i64>, event| {
            if event % 200 == 100 {
                seen.push((stop.events(), stop.under_way()));
            }
            Ok::<_, Infallible>(())
        };
        assert_eq!(kernel.run(handler), Ok(Ended::Empty));
        assert_eq!(seen.len(), 5);
        for ((events, done), expected) in seen.into_iter().zip([100.0, 300.0, 500.0, 700.0, 900.0]) {
            assert!((events as f64 - expected).abs() <= 64.0 && (done - expected / 1000.0).abs() <= 0.066, "{done}");
        }
        assert_eq!((stop.events(), stop.under_way()), (1000, 0.999));
        drop(kernel);
        assert_eq!(stop.under_way(), 1.0, "it is over");
        drop(world);
        assert_eq!(stop.under_way(), 0.0, "and counted as a whole");
    }

    #[test]
    fn a_set_token_ends_the_loop_before_the_next_event() {
        let stop = Stop::new();
        let mut kernel = Kernel::obeying(&stop);
        for time in 1..=4 {
            kernel.schedule_at(at(time), EARLY, time).unwrap();
        }
        let handler = |_: &mut Kernel<i64>, event| {
            if event == 2 {
                stop.set();
            }
            Ok::<_, Infallible>(())
        };
        assert_eq!(kernel.run(handler), Ok(Ended::Interrupted));
        assert_eq!((kernel.now(), kernel.peek_time()), (at(2), Some(at(3))), "the clock stays at the last event");
        assert_eq!(kernel.run(handler), Ok(Ended::Interrupted));
        assert_eq!(kernel.executed, 2);
    }

    proptest! {
        /// Events beget and cancel events; a list that is searched from end to end must tell the same story.
        #[test]
        fn a_branching_simulation_runs_as_by_hand(
            roots in prop::collection::vec(0i64..20, 1..20),
            script in prop::collection::vec((0i64..6, 0u8..3, 0usize..40, any::<bool>()), 1..200),
        ) {
            let mut kernel = Kernel::new();
            let mut handles: Vec<Handle> = Vec::new();
            // The list of all events ever accepted: time, phase, and whether it is still to come.
            let mut list: Vec<(i64, u8, bool)> = Vec::new();
            for (event, &time) in roots.iter().enumerate() {
                handles.push(kernel.schedule_at(Time::from_ticks(time), Phase(1), event).unwrap());
                list.push((time, 1, true));
            }
            let mut script = script.into_iter();
            let ended = kernel.run(|kernel, event| {
                let pending = (0..list.len()).filter(|&each| list[each].2);
                let expected = pending.min_by_key(|&each| (list[each].0, list[each].1, each));
                assert_eq!(Some(event), expected);
                list[event].2 = false;
                assert_eq!(kernel.now(), Time::from_ticks(list[event].0));
                for (delay, phase, victim, cancels) in script.by_ref().take(2) {
                    let time = list[event].0 + delay;
                    match kernel.schedule_after(Span::from_ticks(delay), Phase(phase), list.len()) {
                        Ok(handle) => {
                            assert!((time, phase) >= (list[event].0, list[event].1));
                            handles.push(handle);
                            list.push((time, phase, true));
                        }
                        Err(_) => assert!((time, phase) < (list[event].0, list[event].1)),
                    }
                    if cancels && victim < list.len() {
                        assert_eq!(kernel.cancel(handles[victim]), list[victim].2);
                        list[victim].2 = false;
                    }
                }
                Ok::<_, Infallible>(())
            });
            prop_assert_eq!(ended, Ok(Ended::Empty));
            prop_assert!(list.iter().all(|each| !each.2));
        }
    }
}
