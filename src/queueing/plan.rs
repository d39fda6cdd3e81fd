//! A queue of requests before nodes that are not dedicated: one scheduling cycle, planned ahead.
//!
//! All requests wait when the cycle begins, and the free slots are known. The plan lets time pass from one instant to the
//! next at which a slot begins or a reservation falls due, and does at each what the queue's discipline would do then,
//! with runtimes that hold. A request starts only in a [window](crate::search): its nodes are there all at once, fast enough,
//! for the whole runtime on each, and within what it may cost. One that can't have a window in what is left of the cycle
//! leaves the queue and holds up nobody: it is for the next cycle. Since free time only shrinks, waiting longer would not help it.
//!
//! - First come, first served: each request in turn gets the earliest window that does not start before that of anyone ahead.
//! - Backfilling with reservations for the first d in the queue, d = 1 for EASY: each of them holds the earliest window in
//!   what the others ahead leave. The rest may start at once if they delay none of the d: either in time that nobody has
//!   reserved, or in any free time if all reservations can be made anew, in order, to start and to finish no later than before. The
//!   second case is what the extra nodes are on a homogeneous machine; there the plan is EASY exactly.
//! - Conservative backfilling: everybody holds a reservation. With runtimes that hold that is the earliest window for each
//!   request in turn, in what those before it leave.
//!
//! Who runs a grid calls [`plan`] at each cycle with those who wait and the slots as they are, keeps the windows that
//! start before the next cycle, and lets the others wait for a new plan; or keeps them all.

use super::Policy;
use crate::model::{Request, SlotList, Window};
use crate::search::{Finder, Offers};
use crate::units::Time;
use std::collections::VecDeque;

/// The window of each request of `queue`, first in line first, if it gets one in this cycle.
///
/// ```
/// use gridloom::model::{Interval, Node, NodeId, Request, Slot, SlotList};
/// use gridloom::workload::RuntimeRule;
/// use gridloom::queueing::{Policy, plan};
/// use gridloom::search::{Finder, Offers};
/// use gridloom::units::{Performance, Power, Price, Span, Time};
///
/// let (performance, price, power) = (Performance::from_units(1), Price::from_units(1), Power::ZERO);
/// let node = |name: &str| Node { name: name.into(), performance, price, power };
/// let nodes = [node("a"), node("b")];
/// let free = |node, start| Slot { node: NodeId(node), interval: Interval::new(Time::from_units(start), Time::from_units(100)) };
/// let slots = SlotList::new([free(0, 0), free(1, 30)])?;
/// let request = |nodes, length| Request {
///     name: "job".into(),
///     nodes,
///     length: Span::from_units(length),
///     min_performance: performance,
///     max_price: price,
///     deadline: None,
/// };
/// let (wide, short, long) = (request(2, 40), request(1, 30), request(1, 31));
/// let offers = Offers { nodes: &nodes, slots: &slots, rule: RuntimeRule::Reference };
/// let starts = |policy, queue: &[&Request]| -> Vec<Option<String>> {
///     plan(&offers, queue, Finder::Alp, policy).iter().map(|w| w.as_ref().map(|w| w.start().to_string())).collect()
/// };
/// let at = |start: &str| Some(start.to_string());
/// assert_eq!(starts(Policy::Fcfs, &[&wide, &short]), [at("30"), at("70")]);
/// assert_eq!(starts(Policy::Easy, &[&wide, &short]), [at("30"), at("0")]);
/// assert_eq!(starts(Policy::Easy, &[&wide, &long]), [at("30"), None]);
/// # Ok::<(), gridloom::model::NotFree>(())
/// ```
pub fn plan(offers: &Offers<'_>, queue: &[&Request], finder: Finder, policy: Policy) -> Vec<Option<Window>> {
    let depth = match policy {
        Policy::Fcfs => return in_turn(offers, queue, finder),
        Policy::Easy => 1,
        Policy::Depth(depth) => depth.get() as usize,
        Policy::Conservative => usize::MAX,
    };
    let waiting = (0..queue.len()).map(|request| Waiting { request, not_before: BEGINNING }).collect();
    let mut cycle = Cycle {
        offers: *offers,
        queue,
        finder,
        depth,
        free: offers.slots.clone(),
        unreserved: offers.slots.clone(),
        waiting,
        held: Vec::new(),
        granted: vec![None; queue.len()],
    };
    let mut now = BEGINNING;
    cycle.keep_reservations(now);
    while !cycle.held.is_empty() || !cycle.waiting.is_empty() {
        let Some(next) = cycle.next_instant(now) else { break };
        now = next;
        cycle.keep_reservations(now);
        cycle.backfill(now);
    }
    cycle.granted
}

/// Before all slots.
const BEGINNING: Time = Time::from_ticks(i64::MIN);

/// First come, first served.
fn in_turn(offers: &Offers<'_>, queue: &[&Request], finder: Finder) -> Vec<Option<Window>> {
    let mut free = offers.slots.clone();
    let mut last = BEGINNING;
    let mut turn = |request: &&Request| {
        let window = finder.first_window(&Offers { slots: &free, ..*offers }, request, last..=Time::MAX)?;
        free.subtract(&window).ok()?;
        last = window.start();
        Some(window)
    };
    queue.iter().map(&mut turn).collect()
}

/// A request without a reservation.
struct Waiting {
    /// Its place in the queue.
    request: usize,
    /// It can't start earlier than this even if nobody held a reservation.
    not_before: Time,
}

/// A cycle under way.
struct Cycle<'a> {
    offers: Offers<'a>,
    queue: &'a [&'a Request],
    finder: Finder,
    depth: usize,
    /// What those who have started leave.
    free: SlotList,
    /// What is left of it by the reservations.
    unreserved: SlotList,
    waiting: VecDeque<Waiting>,
    /// Reservations of the first in the queue, in order.
    held: Vec<(usize, Window)>,
    granted: Vec<Option<Window>>,
}

impl Cycle<'_> {
    fn find(&self, slots: &SlotList, request: usize, from: Time, until: Time) -> Option<Window> {
        self.finder.first_window(&Offers { slots, ..self.offers }, self.queue[request], from..=until)
    }

    /// When something may happen next.
    fn next_instant(&self, now: Time) -> Option<Time> {
        let slots = self.free.as_slice();
        let begins =
            slots.get(slots.partition_point(|slot| slot.interval.start <= now)).map(|slot| slot.interval.start);
        let due = self.held.iter().map(|(_, window)| window.start()).min();
        begins.into_iter().chain(due).min()
    }

    /// Starts those whose reservation falls due and gives the first in the queue theirs, until all of them hold one.
    fn keep_reservations(&mut self, now: Time) {
        loop {
            while self.held.len() < self.depth
                && let Some(Waiting { request, .. }) = self.waiting.pop_front()
            {
                if let Some(window) = self.find(&self.unreserved, request, now, Time::MAX)
                    && self.unreserved.subtract(&window).is_ok()
                {
                    self.held.push((request, window));
                }
            }
            let Some(due) = self.held.iter().position(|(_, window)| window.start() <= now) else { return };
            let (request, window) = self.held.remove(due);
            // It was taken out of what is unreserved when it was promised.
            let _ = self.free.subtract(&window);
            self.granted[request] = Some(window);
        }
    }

    /// Lets those start, in order, who delay none of those who hold a reservation.
    fn backfill(&mut self, now: Time) {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.retain_mut(|one| {
            if one.not_before > now {
                return true;
            }
            let Some(window) = self.find(&self.free, one.request, now, Time::MAX) else { return false };
            one.not_before = window.start();
            one.not_before > now || !(self.start_beside(one.request, now) || self.start_within(one.request, window))
        });
        self.waiting = waiting;
    }

    /// Starts a request now in time that nobody has reserved.
    fn start_beside(&mut self, request: usize, now: Time) -> bool {
        let Some(window) = self.find(&self.unreserved, request, now, now) else { return false };
        let is_free = self.unreserved.subtract(&window).is_ok() && self.free.subtract(&window).is_ok();
        self.granted[request] = is_free.then_some(window);
        is_free
    }

    /// Starts a request now in a window that collides with reservations, if these can be made anew without delay.
    fn start_within(&mut self, request: usize, window: Window) -> bool {
        let mut free = self.free.clone();
        if free.subtract(&window).is_err() {
            return false;
        }
        let mut unreserved = free.clone();
        let mut held = Vec::with_capacity(self.held.len());
        for (other, old) in &self.held {
            match self.find(&unreserved, *other, window.start(), old.start()) {
                Some(new) if new.finish() <= old.finish() && unreserved.subtract(&new).is_ok() => {
                    held.push((*other, new))
                }
                _ => return false,
            }
        }
        (self.free, self.unreserved, self.held) = (free, unreserved, held);
        self.granted[request] = Some(window);
        true
    }
}
