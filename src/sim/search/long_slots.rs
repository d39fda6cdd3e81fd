//! The slots that are long enough, by the size of tasks.

use super::by_rate::is_too_short;
use super::room::{least_ticks, least_work, pace};
use crate::model::{Interval, Node, Slot, SlotList, exchange, place, rests, sort_by_place};
use crate::units::Time;
use std::cell::{Cell, OnceCell};

/// Of the slots of a list, those in which a task of a grade of work could run, for the grades that were asked about; in the
/// order of the list.
///
/// Where many reservations are held, nearly all that they leave is too short for any job, and each search would pass over
/// the same pieces.
#[derive(Debug, Clone)]
pub(crate) struct LongSlots {
    by_grade: Vec<OnceCell<LongForGrade>>,
    /// None is known of those before and behind.
    known: Cell<(usize, usize)>,
    /// Free time is known until then.
    until: Time,
    /// Those that last until then, however short they are.
    lasting: OnceCell<Vec<Slot>>,
}

#[derive(Debug, Clone)]
struct LongForGrade {
    /// The least work of a task.
    work: f64,
    slots: Vec<Slot>,
    /// The most in which tasks could begin at once, if that was counted since they changed.
    most: Cell<Option<usize>>,
}

/// So many nodes at once need not be counted.
const MANY: usize = 256;

/// There are no more grades of work.
const GRADES: usize = 256;

/// True if a task of so much work might run in a slot.
fn is_long(nodes: &[Node], slot: Slot, work: f64) -> bool {
    !is_too_short(work, nodes[slot.node.index()].performance, slot.interval.start, slot.interval.end)
}

impl LongSlots {
    /// Of slots that are known until an instant nothing is listed yet.
    pub(crate) fn new(until: Time) -> Self {
        let by_grade = vec![OnceCell::new(); GRADES];
        Self { by_grade, known: Cell::new((GRADES, 0)), until, lasting: OnceCell::new() }
    }

    /// Those that are long enough for a grade, and those that may turn out to be when more time is known.
    pub(crate) fn may_be_long(&self, nodes: &[Node], slots: &SlotList, grade: usize) -> Vec<Slot> {
        let is_lasting = |slot: &&Slot| slot.interval.end >= self.until;
        let lasting = self.lasting.get_or_init(|| slots.as_slice().iter().filter(is_lasting).copied().collect());
        let long = self.of(nodes, slots, grade).iter().filter(|slot| !is_lasting(slot));
        let mut all: Vec<Slot> = lasting.iter().chain(long).copied().collect();
        sort_by_place(&mut all);
        all
    }

    /// Those of `slots` that are long enough for a grade.
    pub(crate) fn of(&self, nodes: &[Node], slots: &SlotList, grade: usize) -> &[Slot] {
        &self.of_grade(nodes, slots, grade).slots
    }

    fn of_grade(&self, nodes: &[Node], slots: &SlotList, grade: usize) -> &LongForGrade {
        let grade = grade.min(GRADES - 1);
        self.by_grade[grade].get_or_init(|| {
            let (first, behind) = self.known.get();
            self.known.set((first.min(grade), behind.max(grade + 1)));
            let work = least_work(grade);
            // What is too short for less work need not be looked at.
            let less = self.by_grade[first.min(grade)..grade].iter().rev().find_map(OnceCell::get);
            let all = less.map_or(slots.as_slice(), |less| &less.slots);
            let slots = all.iter().filter(|&&slot| is_long(nodes, slot, work)).copied().collect();
            LongForGrade { work, slots, most: Cell::new(None) }
        })
    }

    /// No request of this grade that asks for more nodes has a window in `slots`. If there are many, it is any large number.
    pub(crate) fn most(&self, nodes: &[Node], slots: &SlotList, grade: usize) -> usize {
        let LongForGrade { work, slots, most: counted } = self.of_grade(nodes, slots, grade);
        if let Some(most) = counted.get() {
            return most;
        }
        // The last starts in those that have begun.
        let (mut live, mut most): (Vec<i64>, usize) = (Vec::new(), 0);
        for slot in slots {
            let start = slot.interval.start.ticks();
            if live.len() >= most {
                live.retain(|&last| last >= start);
            }
            let least = least_ticks(pace(&nodes[slot.node.index()]), *work);
            live.push(slot.interval.end.ticks().saturating_sub(least).max(start));
            most = most.max(live.len());
            if most >= MANY {
                most = usize::MAX;
                break;
            }
        }
        counted.set(Some(most));
        most
    }

    /// All slots changed.
    pub(crate) fn clear(&mut self) {
        let (first, behind) = self.known.replace((GRADES, 0));
        self.by_grade[first.min(behind)..behind].fill_with(OnceCell::new);
        self.lasting.take();
    }

    /// Some of a slot is taken.
    pub(crate) fn cut(&mut self, nodes: &[Node], whole: Slot, taken: Interval) {
        let until = self.until;
        for (list, work) in self.lists(nodes, whole) {
            let is_left = |rest: &Slot| work.map_or(rest.interval.end >= until, |work| is_long(nodes, *rest, work));
            if let Ok(found) = list.binary_search_by_key(&place(&whole), place) {
                exchange(list, Some(found), rests(whole, taken).filter(is_left));
            }
        }
    }

    /// Time is given back, and is one slot with those that it touched, now.
    pub(crate) fn join(&mut self, nodes: &[Node], given: Slot, whole: Slot) {
        for (list, _) in self.lists(nodes, whole) {
            let behind = list.binary_search_by_key(&(given.interval.end, given.node), place).ok();
            match list.binary_search_by_key(&place(&whole), place) {
                // What was free before it has the place of the whole.
                Ok(before) => {
                    list[before] = whole;
                    behind.into_iter().for_each(|behind| _ = list.remove(behind));
                }
                Err(_) => exchange(list, behind, [whole]),
            }
        }
    }

    /// The lists that a slot belongs to, each with the least work of a task in it; nothing with those that last.
    fn lists(&mut self, nodes: &[Node], slot: Slot) -> impl Iterator<Item = (&mut Vec<Slot>, Option<f64>)> {
        let (first, behind) = self.known.get();
        let known = self.by_grade[first.min(behind)..behind].iter_mut().filter_map(OnceCell::get_mut);
        // Higher grades take longer.
        let long = known.take_while(move |of_grade| is_long(nodes, slot, of_grade.work));
        let long = long.inspect(|of_grade| of_grade.most.set(None));
        let lasting = self.lasting.get_mut().filter(|_| slot.interval.end >= self.until);
        long.map(|of_grade| (&mut of_grade.slots, Some(of_grade.work))).chain(lasting.map(|lasting| (lasting, None)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::room::grade_of;
    use crate::search::room::tests::{disjoint, job, nodes};
    use crate::search::{Amp, Finder, Offers};
    use crate::units::Span;
    use crate::workload::RuntimeRule;
    use proptest::prelude::*;

    proptest! {
        /// What is found among the long slots is what is found among all, also when windows are taken and given back; and the
        /// lists that are kept are those that would be made anew.
        #[test]
        fn whoever_has_a_window_has_it_in_long_slots(
            slots in prop::collection::vec((0u32..12, 0i64..100_000, 1i64..60_000), 1..60),
            jobs in prop::collection::vec((1usize..6, 1i64..90_000, any::<bool>()), 1..30),
            rule in prop::sample::select(vec![RuntimeRule::Reference, RuntimeRule::Volume]),
        ) {
            let milli = |ticks: i64| Time::from_ticks(ticks * 1000);
            let nodes = nodes();
            let mut free: SlotList =
                disjoint(slots.into_iter().map(|(node, start, span)| (node, milli(start), milli(start + span))));
            let until = free.as_slice().iter().map(|slot| slot.interval.end).max().unwrap();
            let finder = Finder::Amp(Amp::within(1.0));
            let mut long = LongSlots::new(until);
            let mut taken = Vec::new();
            for (wanted, length, is_taken) in jobs {
                let request = job(wanted, Span::from_ticks(length * 1000));
                let grade = grade_of(rule, &request);
                let anew = LongSlots::new(until);
                prop_assert_eq!(long.of(&nodes, &free, grade), anew.of(&nodes, &free, grade));
                prop_assert_eq!(long.may_be_long(&nodes, &free, grade), anew.may_be_long(&nodes, &free, grade));
                prop_assert_eq!(long.most(&nodes, &free, grade), anew.most(&nodes, &free, grade));
                let may_be_long = long.may_be_long(&nodes, &free, grade);
                let is_listed = |slot: &Slot| may_be_long.contains(slot);
                let is_lasting = |slot: &&Slot| slot.interval.end >= until;
                prop_assert!(free.as_slice().iter().filter(is_lasting).all(is_listed));
                prop_assert!(long.of(&nodes, &free, grade).iter().all(is_listed));
                let offers = Offers { nodes: &nodes, slots: &free, rule };
                let starts = Time::ZERO..=Time::MAX;
                let window = finder.first_window(&offers, &request, starts.clone());
                let slots = long.of(&nodes, &free, grade).iter().copied();
                prop_assert_eq!(&finder.first_window_of(slots, &offers, &request, starts), &window);
                prop_assert!(window.is_none() || long.most(&nodes, &free, grade) >= wanted);
                match window {
                    Some(window) if is_taken => {
                        for &slot in window.slots() {
                            let whole = free.slot_around(slot).unwrap();
                            free.cut(whole, slot.interval);
                            long.cut(&nodes, whole, slot.interval);
                        }
                        taken.push(window);
                    }
                    _ => {
                        for &slot in taken.pop().iter().flat_map(|window| window.slots()) {
                            let whole = free.join(slot);
                            long.join(&nodes, slot, whole);
                        }
                    }
                }
            }
            long.clear();
            let anew = LongSlots::new(until);
            prop_assert_eq!(long.of(&nodes, &free, 40), anew.of(&nodes, &free, 40));
        }
    }
}
