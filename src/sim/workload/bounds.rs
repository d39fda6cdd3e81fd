//! The bounds of what is drawn: wide enough for any sensible scenario, and so narrow that sums and products fit.

use crate::language::Bounds;

macro_rules! bounds {
    (@times) => {
        true
    };
    ($($(#[doc = $doc:literal])* $name:ident: $low:literal..=$high:literal $(, $kind:ident)?;)*) => {$(
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name {}

        impl Bounds for $name {
            const LOW: f64 = $low;
            const HIGH: f64 = $high;
            $(const ARE_TIMES: bool = bounds!(@$kind);)?
        }
    )*};
}

bounds! {
    /// Speeds of nodes, from 0.01 to 100.
    Speeds: 1e-2..=1e2;
    /// Lowest speeds of nodes that a job accepts, from 0.01 to 1000.
    LeastSpeeds: 1e-2..=1e3;
    /// Deviations of prices as shares of them, from -1 to 1000.
    Spreads: -1.0..=1e3;
    /// Prices that users offer, up to 10,000.
    Offers: 0.0..=1e4;
    /// Factors of prices, up to a million.
    PriceFactors: 0.0..=1e6;
    /// Lengths of jobs, from 0.0001 to 100,000.
    JobLengths: 1e-4..=1e5, times;
    /// Lengths of jobs of a batch, from 0.01 to 100,000.
    BatchLengths: 1e-2..=1e5, times;
    /// Times, up to a million.
    Times: 0.0..=1e6, times;
    /// Factors of times and numbers of jobs, up to a million.
    TimeFactors: 0.0..=1e6;
    /// Runtimes of users' tasks, from 0.01 to a million.
    Runtimes: 1e-2..=1e6, times;
    /// Lengths of local tasks in whole units, from 1 to a million.
    WholeLengths: 1.0..=1e6, times;
    /// Lengths and instants, up to a thousand million.
    LongTimes: 0.0..=1e9;
    /// Gaps between slots, up to 1,000.
    SlotGaps: 0.0..=1e3, times;
    /// Numbers of nodes or slots, from 1 to a million.
    Millions: 1.0..=1e6;
    /// Numbers of jobs or tasks, from 1 to 10,000.
    TenThousands: 1.0..=1e4;
    /// Numbers of tasks or processing elements, from 1 to 1,000.
    Thousands: 1.0..=1e3;
    /// Times of tasks and transfers, up to ten million.
    TaskTimes: 0.0..=1e7, times;
    /// Numbers of units, from 1 to a thousand million.
    Units: 1.0..=1e9;
    /// Real runtimes as shares of the estimates, from 0.001 to 1,000.
    Actuals: 1e-3..=1e3;
    /// Real runtimes as shares of the estimates of tasks, up to 10.
    Deviations: 0.0..=10.0;
    /// Shapes of prices around their mean, from -1 to 1.
    Shapes: -1.0..=1.0;
    /// Ranks, up to a thousand million either way.
    Ranks: -1e9..=1e9;
    /// Speeds of offers and weights of criteria, from a millionth to a million.
    Weights: 1e-6..=1e6;
    /// Noise of runtimes, up to 1,000.
    Noises: 0.0..=1e3;
}
