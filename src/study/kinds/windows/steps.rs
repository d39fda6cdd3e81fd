//! Steps of searches in vain over the number of slots (files 000 and 002: linear against quadratic).

use super::Windows;
use crate::metrics::{Better, Metric, declare_metrics};
use crate::model::{Interval, NotFree, Request, Slot, SlotList};
use crate::policy::PolicyError;
use crate::rng::Streams;
use crate::search::{Offers, PrintedSearch};
use crate::study::parts::bars;
use crate::study::replicate::Trial;
use crate::study::{Findings, Observations, RunError};
use crate::units::{Price, Span, Time};
use crate::workload::{SlotWorld, SlotsSpec, draw_count, draw_so_many_slots};

/// The experiment of all rows.
pub(super) const EXPERIMENT: &str = "search cost";
declare_metrics! {
    /// The metrics of searches in vain.
    pub(super) METRICS:
    STEPS = Metric::new("steps", "looks at a slot", "Looks at slots of the list and of the window until the search gives up.")
        .at_least(0.0)
        .better(Better::Less);
    PER_SLOT = Metric::new("steps per slot", "looks per slot", "Steps over the number of slots in the list.")
        .at_least(0.0)
        .better(Better::Less);
    EXPONENT = Metric::new(
        "exponent",
        "no unit",
        "How steps grow with slots, from one doubling: 1 is linear, 2 is quadratic.",
    )
    .better(Better::Less);
}

/// The searches with what they look for, in a list of at most so many slots.
fn in_vain(spec: &Windows, slots: usize) -> Vec<(String, PrintedSearch, Request)> {
    // No slot's price is above it.
    let no_room = Request { nodes: slots + 1, max_price: Price::from_units(10_000), ..spec.requests[0].request() };
    let is_listed = |name| spec.searches.iter().any(|search| search.get().name() == name);
    let is_counted = |search: &PrintedSearch| *search == PrintedSearch::Backfilling || is_listed(search.name());
    let counted = PrintedSearch::ALL.into_iter().filter(is_counted);
    let mut all: Vec<_> = counted.map(|search| (search.name().to_string(), search, no_room.clone())).collect();
    for request in spec.requests.iter().filter(|_| is_listed(PrintedSearch::Amp.name())) {
        all.push((format!("AMP, {}", request.name), PrintedSearch::Amp, request.request()));
    }
    all
}

/// The names of all series.
pub(super) fn series_names(spec: &Windows) -> Vec<String> {
    in_vain(spec, 0).into_iter().map(|(name, ..)| name).collect()
}

pub(super) fn run(
    spec: &Windows,
    (slots, span): (&SlotsSpec, Option<Span>),
    trial: &Trial<'_>,
) -> Result<Findings, RunError> {
    let rows = trial.replicate(|streams| observe(spec, (slots, span), streams))?;
    let caption = "Exponent from one doubling of the list, with its 95 % interval: 1 is linear, 2 is quadratic.";
    let title = "Growth of the work with the number of slots".to_string();
    let figure = bars("exponent", title, caption, (EXPONENT.label(), EXPERIMENT), &[&EXPONENT]);
    Ok(Findings { rows, figures: vec![figure], ..Findings::default() })
}

fn observe(
    spec: &Windows,
    (slots, span): (&SlotsSpec, Option<Span>),
    streams: Streams,
) -> Result<Observations<'static>, RunError> {
    let count = draw_count(&slots.count, &mut streams.stream("count"));
    let short = world((slots, span), count, &streams, "slots")?;
    let long = world((slots, span), 2 * count, &streams, "twice as many slots")?;
    let mut observations = Observations::default();
    for (name, search, request) in in_vain(spec, 2 * count) {
        let steps = |world: &SlotWorld| {
            let offers = Offers { nodes: &world.nodes, slots: &world.slots, rule: spec.runtime };
            search.count(&offers, &request).steps as f64
        };
        let (once, twice) = (steps(&short), steps(&long));
        let mut series = observations.of(EXPERIMENT, name);
        series.add(&STEPS, once);
        series.add(&PER_SLOT, once / count as f64);
        series.add(&EXPONENT, libm::log2(twice / once));
    }
    Ok(observations)
}

/// A list of so many slots, with starts spread over the span if there is one.
fn world(
    (slots, span): (&SlotsSpec, Option<Span>),
    count: usize,
    streams: &Streams,
    stream: &str,
) -> Result<SlotWorld, RunError> {
    let drawn = draw_so_many_slots(slots, count, streams.stream(stream))?;
    let Some(span) = span else { return Ok(drawn) };
    let slots = spread(&drawn.slots, span).map_err(PolicyError::from)?;
    Ok(SlotWorld { slots, nodes: drawn.nodes })
}

/// The slots with their starts moved in proportion, so that the last one starts at `span`; each keeps its length and
/// stays alone on its node.
fn spread(slots: &SlotList, span: Span) -> Result<SlotList, NotFree> {
    let last = slots.as_slice().last().map_or(0, |slot| slot.interval.start.ticks()).max(1);
    let moved = |slot: &Slot| {
        let start = i128::from(slot.interval.start.ticks()) * i128::from(span.ticks()) / i128::from(last);
        let start = Time::from_ticks(i64::try_from(start).unwrap_or(i64::MAX / 2));
        Slot { node: slot.node, interval: Interval::new(start, start + slot.interval.span()) }
    };
    SlotList::new(slots.as_slice().iter().map(moved))
}
