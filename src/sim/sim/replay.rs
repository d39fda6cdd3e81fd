//! A queue before a homogeneous machine, as events.

use crate::choice;
use crate::engine::{Ended, Handle, Kernel, Phase, ScheduleError, Stop};
use crate::queueing::{Decisions, Discipline, Queue, QueuedJob, RigidJob};
use crate::units::{Overflow, Span, Time};

/// The order within an instant: jobs end, estimates prove too short, jobs arrive, and then reservations fall due.
const FINISH: Phase = Phase(0);
const OUTLIVE: Phase = Phase(1);
const ARRIVE: Phase = Phase(2);
const WAKE: Phase = Phase(3);

/// Stands for no promise: no job starts at the end of time.
const NO_PROMISE: Time = Time::MAX;

choice! {
    /// When scheduling passes take place.
    #[derive(Copy, Eq)]
    pub enum Instants {
        /// Once per instant, after all its completions and arrivals.
        Batch,
        /// After every single completion and arrival, and after all estimates that prove too short at an instant.
        Each,
    }
}

/// When a job ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplayPlacement {
    /// When it started.
    pub start: Time,
    /// When it ended.
    pub finish: Time,
    /// The start that its first reservation promised, if it ever held one.
    pub promised: Option<Time>,
}

#[derive(Debug, Clone, Copy)]
enum ReplayEvent {
    Finish(u32),
    Outlive(u32),
    Arrive(u32),
    Wake,
}

/// Runs jobs, given in order of submission and none wider than the machine, through a queue; one placement per job.
///
/// A job that outlives its estimate is expected to run as long again, every time, and others may start at that
/// instant: what waits for its processors has to wait longer. A job that never starts has no placement, which would be
/// a defect of the discipline.
///
/// ```
/// use gridloom::queueing::{QueueRule, RigidJob};
/// use gridloom::sim::{Instants, replay};
/// use gridloom::units::{Span, Time};
///
/// let job = |submit, processors, seconds| {
///     let span = Span::from_units(seconds);
///     RigidJob { submit: Time::from_units(submit), processors, estimate: span, runtime: span }
/// };
/// let jobs = [job(0, 3, 100), job(1, 4, 10), job(2, 1, 50)];
/// let placements = replay(&jobs, 4, QueueRule::Easy, Instants::Batch)?;
/// let starts: Vec<Time> = placements.iter().flatten().map(|placement| placement.start).collect();
/// assert_eq!(starts, [0, 100, 2].map(Time::from_units));
/// # Ok::<(), gridloom::engine::ScheduleError>(())
/// ```
pub fn replay(
    jobs: &[RigidJob],
    processors: u32,
    queue: impl Into<Queue>,
    instants: Instants,
) -> Result<Vec<Option<ReplayPlacement>>, ScheduleError> {
    let mut discipline = queue.into().discipline(processors);
    let done = replay_watched(jobs, &mut *discipline, instants, Stop::NEVER, &mut || {})?;
    Ok(done.unwrap_or_default())
}

/// The same for any discipline, while someone looks on, who is called at each arrival. There are no placements if `stop`
/// was set meanwhile.
pub fn replay_watched(
    jobs: &[RigidJob],
    discipline: &mut dyn Discipline,
    instants: Instants,
    stop: &Stop,
    watch: &mut dyn FnMut(),
) -> Result<Option<Vec<Option<ReplayPlacement>>>, ScheduleError> {
    within_reach(jobs)?;
    let mut machine = Machine {
        jobs,
        watch,
        discipline,
        instants,
        expected: vec![Time::MAX; jobs.len()],
        promised: vec![NO_PROMISE; jobs.len()],
        placements: vec![None; jobs.len()],
        decisions: Decisions::default(),
        pending: false,
        alarm: None,
    };
    let mut kernel = Kernel::obeying(stop);
    machine.announce(&mut kernel, 0)?;
    let ended = kernel.run(|kernel, event| machine.handle(kernel, event))?;
    Ok((ended == Ended::Empty).then_some(machine.placements))
}

/// Even one after the other, with all estimates grown, the jobs must end before time does.
fn within_reach(jobs: &[RigidJob]) -> Result<(), Overflow> {
    let mut end = jobs.last().map_or(Time::ZERO, |job| job.submit);
    for job in jobs {
        let span = job.runtime.max(job.estimate);
        end = end.checked_add(span)?.checked_add(span)?;
    }
    Ok(())
}

struct Machine<'a> {
    jobs: &'a [RigidJob],
    watch: &'a mut dyn FnMut(),
    discipline: &'a mut dyn Discipline,
    instants: Instants,
    /// When each job that has started is expected to end.
    expected: Vec<Time>,
    /// The start that was promised to each job.
    promised: Vec<Time>,
    placements: Vec<Option<ReplayPlacement>>,
    decisions: Decisions,
    /// True if something happened at this instant that calls for a pass.
    pending: bool,
    /// The next time at which a reservation falls due.
    alarm: Option<(Time, Handle)>,
}

impl Machine<'_> {
    fn handle(&mut self, kernel: &mut Kernel<ReplayEvent>, event: ReplayEvent) -> Result<(), ScheduleError> {
        let now = kernel.now();
        match event {
            ReplayEvent::Finish(id) => {
                let job = &self.jobs[id as usize];
                self.discipline.finish(now, id, job.processors, self.expected[id as usize]);
                self.pending = true;
            }
            ReplayEvent::Outlive(id) => {
                self.outlive(kernel, id)?;
                // Whoever waits for its processors waits longer, and leaves time to others.
                self.pending = true;
            }
            ReplayEvent::Arrive(id) => {
                let job = &self.jobs[id as usize];
                self.discipline.arrive(QueuedJob { id, processors: job.processors, estimate: job.estimate });
                self.announce(kernel, id + 1)?;
                self.pending = true;
                (self.watch)();
            }
            ReplayEvent::Wake => {
                self.alarm = None;
                self.pending = true;
            }
        }
        // Estimates that prove too short at one instant count together.
        let is_one_of_many = self.instants == Instants::Batch || matches!(event, ReplayEvent::Outlive(_));
        let is_time = !is_one_of_many || kernel.peek_time() != Some(now);
        if self.pending && is_time {
            self.pending = false;
            self.pass(kernel, matches!(event, ReplayEvent::Wake))?;
        }
        Ok(())
    }

    /// Schedules the arrival of a job; each arrival announces the next, so that the queue of events stays short.
    fn announce(&mut self, kernel: &mut Kernel<ReplayEvent>, id: u32) -> Result<(), ScheduleError> {
        if let Some(job) = self.jobs.get(id as usize) {
            kernel.schedule_at(job.submit, ARRIVE, ReplayEvent::Arrive(id))?;
        }
        Ok(())
    }

    fn pass(&mut self, kernel: &mut Kernel<ReplayEvent>, was_woken: bool) -> Result<(), ScheduleError> {
        let now = kernel.now();
        self.discipline.pass(now, &mut self.decisions);
        for (id, start) in self.decisions.promises.drain(..) {
            let promised = &mut self.promised[id as usize];
            if *promised == NO_PROMISE {
                *promised = start;
            }
        }
        for id in self.decisions.starts.drain(..) {
            let index = id as usize;
            let job = &self.jobs[index];
            let finish = now.checked_add(job.runtime)?;
            let expected = now.checked_add(job.estimate)?;
            let promised = Some(self.promised[index]).filter(|&promised| promised != NO_PROMISE);
            self.placements[index] = Some(ReplayPlacement { start: now, finish, promised });
            self.expected[index] = expected;
            kernel.schedule_at(finish, FINISH, ReplayEvent::Finish(id))?;
            if finish > expected {
                kernel.schedule_at(expected, OUTLIVE, ReplayEvent::Outlive(id))?;
            }
        }
        self.set_alarm(kernel, was_woken)
    }

    fn set_alarm(&mut self, kernel: &mut Kernel<ReplayEvent>, was_woken: bool) -> Result<(), ScheduleError> {
        let now = kernel.now();
        // After the last pass of an instant nothing more can fall due at it.
        let next = self.discipline.wake().filter(|&next| next > now || !was_woken);
        if next == self.alarm.map(|(time, _)| time) {
            return Ok(());
        }
        if let Some((_, handle)) = self.alarm.take() {
            kernel.cancel(handle);
        }
        if let Some(next) = next {
            self.alarm = Some((next, kernel.schedule_at(next.max(now), WAKE, ReplayEvent::Wake)?));
        }
        Ok(())
    }

    fn outlive(&mut self, kernel: &mut Kernel<ReplayEvent>, id: u32) -> Result<(), ScheduleError> {
        let (index, now) = (id as usize, kernel.now());
        let Some(placement) = self.placements[index] else { return Ok(()) };
        let so_far: Span = now - placement.start;
        let later = now.checked_add(so_far)?;
        self.discipline.outlive(self.jobs[index].processors, now, later);
        self.expected[index] = later;
        if placement.finish > later {
            kernel.schedule_at(later, OUTLIVE, ReplayEvent::Outlive(id))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queueing::{Order, Plain, QueueRule, Reserving};
    use proptest::prelude::*;
    use std::num::NonZeroU32;

    /// The jobs of gaps, widths, estimates, and runtimes as shares of those in hundredths.
    fn jobs(drawn: Vec<(i64, u32, i64, i64)>) -> Vec<RigidJob> {
        let mut clock = 0;
        let job = |(gap, processors, estimate, share): (i64, u32, i64, i64)| {
            clock += gap;
            let (submit, runtime) = (Time::from_units(clock), Span::from_units((estimate * share / 100).max(1)));
            RigidJob { submit, processors, estimate: Span::from_units(estimate), runtime }
        };
        drawn.into_iter().map(job).collect()
    }

    /// Conservative backfilling by the plain rule.
    fn plainly(jobs: &[RigidJob], nodes: u32, instants: Instants) -> Vec<ReplayPlacement> {
        placed(jobs, &mut Plain::new(nodes, Order::Arrival, usize::MAX), instants)
    }

    fn placed(jobs: &[RigidJob], discipline: &mut dyn Discipline, instants: Instants) -> Vec<ReplayPlacement> {
        let placements = replay_watched(jobs, discipline, instants, Stop::NEVER, &mut || {}).unwrap().unwrap();
        placements.into_iter().map(Option::unwrap).collect()
    }

    fn starts(placements: &[ReplayPlacement]) -> Vec<Time> {
        placements.iter().map(|placement| placement.start).collect()
    }

    #[test]
    fn when_an_estimate_proves_too_short_others_start_at_once_in_what_is_idle() {
        let job = |submit, processors, estimate, runtime| RigidJob {
            submit: Time::from_units(submit),
            processors,
            estimate: Span::from_units(estimate),
            runtime: Span::from_units(runtime),
        };
        // The first is expected until 10, then until 20, then until 40. The wide one waits for it; the last fits beside
        // it from 10 to 20.
        let jobs = [job(0, 2, 10, 30), job(0, 1, 12, 12), job(0, 4, 10, 10), job(3, 1, 10, 10)];
        for rule in [QueueRule::Easy, QueueRule::Conservative, QueueRule::Depth(NonZeroU32::MIN)] {
            for instants in [Instants::Batch, Instants::Each] {
                let placements = replay(&jobs, 4, rule, instants).unwrap();
                let starts = placements.into_iter().map(|placement| placement.unwrap().start);
                assert_eq!(starts.collect::<Vec<_>>(), [0, 0, 30, 10].map(Time::from_units), "{rule:?}");
            }
        }
    }

    fn instants(each: bool) -> Instants {
        if each { Instants::Each } else { Instants::Batch }
    }

    proptest! {
        #[test]
        fn at_any_depth_jobs_start_as_by_the_plain_rule(
            drawn in prop::collection::vec((0i64..6, 1u32..=6, 1i64..40, 1i64..=115), 1..150),
            order in prop::sample::select(vec![Order::Arrival, Order::Shortest, Order::Largest]),
            depth in prop::sample::select(vec![0, 1, 2, 3, 7, usize::MAX]),
            each in any::<bool>(),
        ) {
            let (jobs, instants) = (jobs(drawn), instants(each));
            let plain = placed(&jobs, &mut Plain::new(6, order, depth), instants);
            let quick = placed(&jobs, &mut Reserving::new(6, order, depth), instants);
            prop_assert_eq!(starts(&plain), starts(&quick));
        }

        #[test]
        fn deep_queues_of_one_width_and_a_few_others_start_as_by_the_plain_rule(
            width in 1u32..4,
            // Some outlive their estimates, and every now and then there is a pause in which the queue may run dry.
            drawn in prop::collection::vec(
                (prop_oneof![30 => 0i64..3, 1 => 100i64..300], 1u32..=7, 0u8..20, 1i64..40, 1i64..=115), 1..120,
            ),
            // Also queues in which hardly two are alike.
            rare in prop::sample::select(vec![0u8, 1, 2, 20]),
            each in any::<bool>(),
        ) {
            let drawn = drawn.into_iter().map(|(gap, other, chance, estimate, share)| {
                (gap, if chance < rare { other } else { width }, estimate, share)
            });
            let (jobs, instants) = (jobs(drawn.collect()), instants(each));
            let quick = replay(&jobs, 7, QueueRule::Conservative, instants).unwrap();
            let quick: Vec<ReplayPlacement> = quick.into_iter().map(Option::unwrap).collect();
            prop_assert_eq!(starts(&plainly(&jobs, 7, instants)), starts(&quick));
        }
    }

    proptest! {
        // What goes wrong in one of a hundred thousand jobs is met in one of twenty logs of this kind.
        #![proptest_config(ProptestConfig { cases: 100, max_shrink_iters: 200, ..ProptestConfig::default() })]

        #[test]
        fn logs_of_round_numbers_in_overload_start_as_by_the_plain_rule_and_promises_are_kept(
            drawn in prop::collection::vec(
                (0i64..40, 0u32..7, prop::sample::select(vec![6i64, 30, 60, 180, 360, 720]), 1i64..=100), 800..1000,
            ),
        ) {
            let drawn = drawn.into_iter().map(|(gap, power, estimate, share)| (gap, 1 << power, estimate, share));
            let jobs = jobs(drawn.collect());
            let quick = replay(&jobs, 64, QueueRule::Conservative, Instants::Batch).unwrap();
            let quick: Vec<ReplayPlacement> = quick.into_iter().map(Option::unwrap).collect();
            let plain = plainly(&jobs, 64, Instants::Batch);
            prop_assert_eq!(starts(&plain), starts(&quick));
            for (plain, quick) in plain.into_iter().zip(quick) {
                // While all who wait are equally wide, reservations are made late, and better.
                prop_assert!(quick.start <= quick.promised.unwrap() && quick.promised <= plain.promised);
            }
        }
    }
}
