//! A queue of requests before nodes that are not dedicated: one scheduling cycle, planned ahead.
//!
//! All requests wait when the cycle begins, and the free slots are known. The plan lets time pass from one instant to
//! the next at which a slot begins or a reservation is due, and applies the [rule of backfilling](Backfill) at each,
//! with runtimes that hold. A request that can't have a window in what is left of the cycle leaves the queue and
//! holds no other up: it is for the next cycle. Since free time only shrinks, waiting longer would not help it.
//!
//! - First come, first served: each request in turn gets the earliest window that does not start before that of
//!   anyone ahead.
//! - Backfilling with reservations for the first d in the queue, d = 1 for EASY: each of them holds the earliest
//!   window in what the others ahead leave. The rest may start at once if they delay none of the d: either in time
//!   that no one has reserved, or in any free time if all reservations can be made again, in order, to start and to
//!   finish no later than before. The second case is what the extra nodes are on a homogeneous machine; there the
//!   plan is EASY exactly.
//! - Conservative backfilling: all hold a reservation. With runtimes that hold that is the earliest window for each
//!   request in turn, in what those before it leave.
//!
//! A grid that lives applies the same rule to the same windows, one instant at a time: see the policy
//! [`Backfilling`](crate::policy::Backfilling).

use super::backfill::Backfill;
use super::{FreeWindows, QueueRule};
use crate::model::{Request, Window};
use crate::search::{Finder, Offers};
use crate::units::Time;

/// The window of each request of `queue`, first in line first, if it gets one in this cycle.
///
/// ```
/// use gridloom::model::{Interval, Node, NodeId, Request, Slot, SlotList};
/// use gridloom::workload::RuntimeRule;
/// use gridloom::queueing::{QueueRule, plan};
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
/// let starts = |rule, queue: &[&Request]| -> Vec<Option<String>> {
///     plan(&offers, queue, Finder::ALP, rule).iter().map(|w| w.as_ref().map(|w| w.start().to_string())).collect()
/// };
/// let at = |start: &str| Some(start.to_string());
/// assert_eq!(starts(QueueRule::Fcfs, &[&wide, &short]), [at("30"), at("70")]);
/// assert_eq!(starts(QueueRule::Easy, &[&wide, &short]), [at("30"), at("0")]);
/// assert_eq!(starts(QueueRule::Easy, &[&wide, &long]), [at("30"), None]);
/// # Ok::<(), gridloom::model::NotFree>(())
/// ```
pub fn plan(offers: &Offers<'_>, queue: &[&Request], finder: Finder, rule: QueueRule) -> Vec<Option<Window>> {
    let mut windows = FreeWindows::new(offers, offers.slots.clone(), queue, finder, BEGINNING);
    let mut backfill = Backfill::new(rule.depth());
    backfill.queue.extend(0..queue.len());
    let mut now = BEGINNING;
    backfill.pass(&mut windows, now);
    while !backfill.held.is_empty() || !backfill.queue.is_empty() {
        let Some(next) = next_instant(&windows, &backfill, now) else { break };
        now = next;
        windows.set_now(now);
        backfill.pass(&mut windows, now);
    }
    let mut granted = vec![None; queue.len()];
    for (request, window) in backfill.started {
        granted[request] = Some(window);
    }
    granted
}

/// Before all slots.
const BEGINNING: Time = Time::from_ticks(i64::MIN);

/// When something may happen next: a slot begins, or a reservation is due.
fn next_instant(windows: &FreeWindows<'_>, backfill: &Backfill<FreeWindows<'_>>, now: Time) -> Option<Time> {
    let slots = windows.free().as_slice();
    let begins = slots.get(slots.partition_point(|slot| slot.interval.start <= now)).map(|slot| slot.interval.start);
    let due = backfill.held.iter().map(|(_, window)| window.start()).min();
    begins.into_iter().chain(due).min()
}
