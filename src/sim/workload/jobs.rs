//! Batches of jobs (file 000, section 5).

use super::RuntimeRule;
use super::bounds::{BatchLengths, LeastSpeeds, Millions, PriceFactors, TenThousands};
use super::{draw_count, draw_span};
use crate::language::{Context, Cursor, Positive, Within};
use crate::model::Request;
use crate::rng::Stream;
use crate::units::{Performance, Price, Span, TICKS_PER_UNIT, UnitsError};
use crate::{choice, record};

choice! {
    /// The meaning of the length that is drawn for a job. The budget of a window is made from the job's time t.
    #[derive(Copy)]
    pub enum LengthSpec {
        /// The job's time t as it stands; the runtime rule says what it means on a node.
        Time,
        /// The work to do: t is the time that it takes on the slowest node that will do, as the rule `Volume` has it.
        Work,
    }
}

record! {
    /// The distributions that jobs are drawn from.
    pub struct JobsSpec {
        /// The number of jobs in a batch.
        #[unit = "jobs"]
        count: Within<TenThousands>,
        /// The number of nodes that a job needs.
        #[unit = "nodes"]
        nodes: Within<Millions>,
        /// The length of a job, from 0.01 to 100,000; draws of an unbounded distribution beyond that count as the
        /// nearer bound.
        #[unit = "units of time, or of work with `length_is: Work`"]
        length: Within<BatchLengths>,
        /// The meaning of the length.
        length_is: LengthSpec = LengthSpec::Time,
        /// The slowest node that will do.
        #[unit = "relative to a node of performance 1"]
        min_performance: Within<LeastSpeeds>,
        /// The maximum price is this times `price_base` to the power of the minimum performance; from 1e12 on, that is no
        /// limit at all.
        #[unit = "money per unit of time and node"]
        price_factor: Within<PriceFactors>,
        /// The base of the power by which the maximum price grows with the minimum performance.
        #[unit = "factor per unit of performance"]
        price_base: Positive,
    }
}

/// A maximum price that no node comes near. Larger ones, which a power soon gives, would leave the range of quantities.
const NO_LIMIT: f64 = 1e12;

impl JobsSpec {
    /// Reports a rule by which a job's time would not come out as the work it was made from.
    pub fn require_rule(&self, rule: RuntimeRule, at: &Cursor<'_>, errors: &mut Context<'_>) {
        if self.length_is == LengthSpec::Work && rule != RuntimeRule::Volume {
            let wrong = "with jobs whose length is `Work`, only `Volume` gives the work's own runtimes";
            errors.add(&at.field("runtime"), wrong, "give `runtime: Volume`, or leave out `length_is`");
        }
    }
}

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
                max_price: Price::from_f64(price.min(NO_LIMIT))?,
                deadline: None,
            })
        })
        .collect()
}

/// The time that `work`, given as the time it takes at performance 1, takes at this one. Rounded down, so that the rule
/// `Volume`, which rounds up to whole units, never adds one for the division.
fn time_of(work: Span, performance: Performance) -> Span {
    let ticks = i128::from(work.ticks()) * i128::from(TICKS_PER_UNIT) / i128::from(performance.ticks().max(1));
    Span::from_ticks(i64::try_from(ticks).unwrap_or(i64::MAX))
}
