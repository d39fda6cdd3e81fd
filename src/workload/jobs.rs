//! Batches of jobs (file 000, section 5).

use super::{draw_count, draw_span};
use crate::model::Request;
use crate::rng::Stream;
use crate::scenario::schema::JobsSpec;
use crate::units::{Performance, Price, UnitsError};

/// Draws a batch of requests, named by their place in it.
pub fn draw_jobs(spec: &JobsSpec, mut stream: Stream) -> Result<Vec<Request>, UnitsError> {
    let count = draw_count(&spec.count, &mut stream);
    (0..count)
        .map(|index| {
            let nodes = draw_count(&spec.nodes, &mut stream);
            let length = draw_span(&spec.length, &mut stream)?;
            let performance = spec.min_performance.sample(&mut stream);
            let price = spec.price_factor.sample(&mut stream) * libm::pow(spec.price_base.get(), performance);
            Ok(Request {
                name: format!("job {}", index + 1),
                nodes,
                length,
                min_performance: Performance::from_f64(performance)?,
                max_price: Price::from_f64(price)?,
                deadline: None,
            })
        })
        .collect()
}
