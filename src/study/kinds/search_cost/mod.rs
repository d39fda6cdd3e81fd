//! `SearchCost`: steps of searches in vain over the number of slots (files 000 and 002: linear against quadratic).

mod record;

pub(super) use record::*;

use super::Kind;
use crate::metrics::{Better, Metric, copies, declare_metrics};
use crate::model::{Interval, NotFree, Request, Slot, SlotList};
use crate::policy::PolicyError;
use crate::rng::Streams;
use crate::search::{Offers, PrintedSearch};
use crate::study::replicate::Trial;
use crate::study::{Figure, FigureKind, Findings, Observations, RunError};
use crate::units::{Performance, Price, Span, Time};
use crate::workload::{SlotWorld, draw_count, draw_so_many_slots};

/// The experiment of all rows.
const EXPERIMENT: &str = "search cost";
/// The series of AMP with a request that has no money.
const NO_MONEY: &str = "AMP, no money";

declare_metrics! {
    /// All metrics.
    METRICS:
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

impl Kind for SearchCost {
    fn metrics(&self) -> Vec<Metric> {
        copies(METRICS)
    }

    fn own_rows(&self) -> Vec<&str> {
        vec![EXPERIMENT]
    }

    fn series_names(&self) -> Option<Vec<String>> {
        Some(PrintedSearch::ALL.map(PrintedSearch::name).into_iter().chain([NO_MONEY]).map(String::from).collect())
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Findings, RunError> {
        let rows = trial.replicate(|streams| observe(self, streams))?;
        let figure = Figure {
            file: "exponent".into(),
            title: "Growth of the work with the number of slots".into(),
            caption: "Exponent from one doubling of the list, with its 95 % interval: 1 is linear, 2 is quadratic."
                .into(),
            x_label: String::new(),
            y_label: EXPONENT.label(),
            experiment: EXPERIMENT.into(),
            metrics: vec![(&EXPONENT).into()],
            kind: FigureKind::Bars,
        };
        Ok(Findings { rows, figures: vec![figure], ..Findings::default() })
    }
}

fn observe(spec: &SearchCost, streams: Streams) -> Result<Observations<'static>, RunError> {
    let count = draw_count(&spec.slots.count, &mut streams.stream("count"));
    let short = world(spec, count, &streams, "slots")?;
    let long = world(spec, 2 * count, &streams, "twice as many slots")?;
    // No slot's price is above the first one's; any is above the second one's.
    let no_room = request(spec, 2 * count + 1, Price::from_units(10_000));
    let no_money = request(spec, spec.nodes.get() as usize, Price::ZERO);
    let in_vain = PrintedSearch::ALL.map(|search| (search.name(), search, &no_room));
    let mut observations = Observations::default();
    for (name, search, request) in in_vain.into_iter().chain([(NO_MONEY, PrintedSearch::Amp, &no_money)]) {
        let steps = |world: &SlotWorld| {
            let offers = Offers { nodes: &world.nodes, slots: &world.slots, rule: spec.runtime };
            search.count(&offers, request).steps as f64
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
fn world(spec: &SearchCost, count: usize, streams: &Streams, stream: &str) -> Result<SlotWorld, RunError> {
    let drawn = draw_so_many_slots(&spec.slots, count, streams.stream(stream))?;
    let Some(span) = spec.span else { return Ok(drawn) };
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

/// A request for so many nodes at this price.
fn request(spec: &SearchCost, nodes: usize, max_price: Price) -> Request {
    Request {
        name: "request".into(),
        nodes,
        length: spec.length,
        min_performance: Performance::from_ticks(1),
        max_price,
        deadline: None,
    }
}
