//! What a grid has to do: generators that turn a scenario's descriptions into nodes, slots, local tasks and jobs, and logs of
//! real machines.

mod environment;
mod jobs;
mod local;
mod lublin;
mod market;
mod slots;
pub mod swf;

pub use environment::draw_environment;
pub use jobs::draw_jobs;
pub use local::{LocalTask, draw_local_tasks};
pub use lublin::Lublin;
pub use market::{Market, draw_market};
pub use slots::{World, draw_slots};

use crate::scenario::Distribution;
use crate::units::{INPUT_LIMIT, Span, UnitsError};
use rand::Rng;

/// A drawn number as a count, rounded to the nearest.
fn draw_count(from: &Distribution, stream: &mut impl Rng) -> usize {
    libm::round(from.sample(stream)).clamp(0.0, 1e9) as usize
}

/// A drawn number as a span; below zero counts as zero, and the largest input as the largest there is.
fn draw_span(from: &Distribution, stream: &mut impl Rng) -> Result<Span, UnitsError> {
    Span::from_f64(from.sample(stream).clamp(0.0, INPUT_LIMIT))
}
