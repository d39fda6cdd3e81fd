//! The best window over the whole list by a criterion, within the budget (file 001, section 3).

use super::additive::least_sum;
use super::{Amp, Live, LiveSlot, Offers, WindowSearch, budget, scan, terms, window};
use crate::language::Positive;
use crate::model::{CostLimit, Request, Window};
use crate::record;
use crate::units::{Span, Time};
use std::ops::ControlFlow;

/// The criterion of the best window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WindowCriterion {
    /// The earliest start: AMP's window.
    EarliestStart,
    /// The earliest end of its last task.
    EarliestFinish,
    /// The lowest cost.
    MinCost,
    /// The shortest longest task.
    MinRuntime,
    /// The lowest sum of its tasks' runtimes.
    MinProcessorTime,
    /// The lowest energy: the sum of power x runtime.
    MinPower,
}

/// The exact search for the best window by a criterion within the budget S = k * C * t * N.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ByCriterion {
    /// The criterion of the best window.
    pub criterion: WindowCriterion,
    /// The budget factor k.
    pub budget_factor: f64,
}

impl WindowSearch for ByCriterion {
    fn find_window(&self, offers: &Offers<'_>, request: &Request) -> Option<Window> {
        let limit = budget(request, self.budget_factor).ticks();
        match self.criterion {
            WindowCriterion::EarliestStart => Amp::within(self.budget_factor).find_window(offers, request),
            WindowCriterion::EarliestFinish => least_longest(offers, request, limit, LongestOf::Finish),
            WindowCriterion::MinCost => min_cost(offers, request, limit),
            WindowCriterion::MinRuntime => least_longest(offers, request, limit, LongestOf::Runtime),
            WindowCriterion::MinProcessorTime => least_sum(offers, request, limit, |_, runtime| Some(runtime.ticks())),
            WindowCriterion::MinPower => least_sum(offers, request, limit, |node, runtime| {
                node.power.checked_mul(runtime).ok().map(|energy| energy.ticks())
            }),
        }
    }
    fn name(&self) -> &'static str {
        match self.criterion {
            WindowCriterion::EarliestStart => "earliest start",
            WindowCriterion::EarliestFinish => "earliest finish",
            WindowCriterion::MinCost => "minimum cost",
            WindowCriterion::MinRuntime => "minimum runtime",
            WindowCriterion::MinProcessorTime => "minimum processor time",
            WindowCriterion::MinPower => "minimum power",
        }
    }

    fn limit(&self) -> CostLimit {
        CostLimit::Total(self.budget_factor)
    }
}

/// Declares the search by a criterion as scenarios write it.
macro_rules! by_criterion {
    ($($(#[doc = $doc:literal])* $name:ident,)*) => {$(
        record! {
            $(#[doc = $doc])*
            #[derive(Copy)]
            pub struct $name {
                /// The budget factor k: a window may cost k * C * t * N, where C is the highest price of the request, t
                /// its length and N the number of its nodes. Below 1 the budget is tighter than the price says.
                #[unit = "factor of the budget C * t * N"]
                budget_factor: Positive = Positive::ONE,
            }
        }

        impl $name {
            fn search(&self) -> ByCriterion {
                ByCriterion { criterion: WindowCriterion::$name, budget_factor: self.budget_factor.get() }
            }
        }

        impl WindowSearch for $name {
            fn find_window(&self, offers: &Offers<'_>, request: &Request) -> Option<Window> {
                self.search().find_window(offers, request)
            }

            fn name(&self) -> &'static str {
                self.search().name()
            }

            fn limit(&self) -> CostLimit {
                self.search().limit()
            }
        }
    )*};
}

by_criterion! {
    /// The window within the budget whose last task ends first.
    EarliestFinish,
    /// The cheapest window.
    MinCost,
    /// The window within the budget whose longest task is shortest.
    MinRuntime,
    /// The window within the budget whose runtimes have the least sum. The steps of a search have a bound, which windows of
    /// hundreds of nodes may reach; then it is the best that was found by then.
    MinProcessorTime,
    /// The window within the budget that takes the least energy. The steps of a search have a bound, which windows of
    /// hundreds of nodes may reach; then it is the best that was found by then.
    MinPower,
}

/// The N cheapest live slots at every step, and the cheapest of those over the scan.
fn min_cost(offers: &Offers<'_>, request: &Request, limit: i64) -> Option<Window> {
    let terms = terms(offers.nodes, offers.rule, request, |_| true);
    let mut live = Live::new(request.nodes);
    let (mut best, mut found) = (limit, None);
    scan(offers, request, &terms, |start, group| {
        live.advance(start);
        group.iter().for_each(|&entry| live.insert(entry));
        if let Some(total) = live.total()
            && (total < best || (total == best && found.is_none()))
        {
            (best, found) = (total, Some(window(start, live.chosen())));
        }
        ControlFlow::Continue(())
    });
    found
}

/// The measure that the longest task of a window decides.
#[derive(Debug, Clone, Copy)]
enum LongestOf {
    Runtime,
    Finish,
}

/// The window whose longest task makes the measure least.
///
/// The measure of the best window so far only falls, so a slot whose own task would already reach it can be dropped for
/// good. Among the slots that are left, if even the N cheapest exceed the budget, no better window exists at this
/// start; otherwise they form one, the mark falls, the slots that reach it drop, and the question is asked again. Each
/// slot drops once: m log m in all, and exact, where a substitution search may stop short.
fn least_longest(offers: &Offers<'_>, request: &Request, limit: i64, measure: LongestOf) -> Option<Window> {
    let terms = terms(offers.nodes, offers.rule, request, |_| true);
    let mut live = Live::new(request.nodes);
    let (mut mark, mut found) = (i64::MAX, None);
    scan(offers, request, &terms, |start, group| {
        if matches!(measure, LongestOf::Finish) && start.ticks() >= mark {
            return ControlFlow::Break(());
        }
        live.advance_with(start, |entry| below(entry, start, mark, measure));
        let useful = group.iter().filter_map(|&entry| below(entry, start, mark, measure));
        useful.for_each(|entry| live.insert(entry));
        while live.total().is_some_and(|total| total <= limit) {
            found = Some(window(start, live.chosen()));
            let longest = live.chosen().iter().map(|entry| entry.runtime).max().unwrap_or(Span::ZERO);
            mark = match measure {
                LongestOf::Runtime => longest.ticks(),
                LongestOf::Finish => (start + longest).ticks(),
            };
            live.renew(|entry| below(entry, start, mark, measure));
        }
        ControlFlow::Continue(())
    });
    found
}

/// The slot, if it can still be part of a window from `now` on whose measure is below `mark`.
fn below(entry: LiveSlot, now: Time, mark: i64, measure: LongestOf) -> Option<LiveSlot> {
    let latest_start = match measure {
        LongestOf::Runtime if entry.runtime.ticks() >= mark => return None,
        LongestOf::Runtime => entry.latest_start,
        // The task must end a tick before the mark at least.
        LongestOf::Finish => entry.latest_start.min(Time::from_ticks(mark - 1 - entry.runtime.ticks())),
    };
    (latest_start >= now).then_some(LiveSlot { latest_start, ..entry })
}
