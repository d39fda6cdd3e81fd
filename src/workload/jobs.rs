//! Batches of jobs (file 000, section 5).

use super::{draw_count, draw_span};
use crate::model::Request;
use crate::rng::Stream;
use crate::scenario::schema::{JobsSpec, LengthSpec};
use crate::units::{Performance, Price, Span, TICKS_PER_UNIT, UnitsError};

/// Draws a batch of requests, named by their place in it.
pub fn draw_jobs(spec: &JobsSpec, mut stream: Stream) -> Result<Vec<Request>, UnitsError> {
    let count = draw_count(&spec.count, &mut stream);
    (0..count)
        .map(|index| {
            let nodes = draw_count(&spec.nodes, &mut stream);
            let length = draw_span(&spec.length, &mut stream)?;
            let performance = spec.min_performance.sample(&mut stream);
            let min_performance = Performance::from_f64(performance)?;
            let price = spec.price_factor.sample(&mut stream) * libm::pow(spec.price_base.get(), performance);
            Ok(Request {
                name: format!("job {}", index + 1),
                nodes,
                length: match spec.length_is {
                    LengthSpec::Time => length,
                    LengthSpec::Work => time_of(length, min_performance),
                },
                min_performance,
                max_price: Price::from_f64(price)?,
                deadline: None,
            })
        })
        .collect()
}

/// How long `work`, given as the time it takes at performance 1, takes at this one. Rounded down, so that the rule `Volume`, which rounds up
/// to whole units, never adds one for the division.
fn time_of(work: Span, performance: Performance) -> Span {
    let ticks = i128::from(work.ticks()) * i128::from(TICKS_PER_UNIT) / i128::from(performance.ticks().max(1));
    Span::from_ticks(i64::try_from(ticks).unwrap_or(i64::MAX))
}
