//! Distributions whose values a field keeps within bounds.

use super::Distribution;
use crate::language::decode::{Context, Cursor, Decode, Describe, Description, Finite, Form, NumberRange};
use rand::Rng;
use serde::{Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;

/// The bounds that a field sets to what is drawn for it.
pub trait Bounds {
    /// The least value.
    const LOW: f64;
    /// The greatest value.
    const HIGH: f64;
    /// True if the values are times, which may be written with a unit.
    const ARE_TIMES: bool = false;
}

/// A distribution of values from [`Bounds::LOW`] to [`Bounds::HIGH`].
///
/// One that has no least or no greatest value of its own, such as `Exponential`, is allowed if at most a hundredth of
/// it lies outside; what lies outside then counts as the nearer bound, in draws and in the mean alike. Values that are
/// given outside on purpose, as by `Uniform` or `Normal` with a `low`, are refused.
///
/// ```
/// use gridloom::language::{Bounds, Source, Within, load};
///
/// #[derive(Debug, Clone, PartialEq)]
/// enum Lengths {}
/// impl Bounds for Lengths {
///     const LOW: f64 = 0.0;
///     const HIGH: f64 = 10.0;
/// }
///
/// let lengths: Within<Lengths> = load(Source::new("s", "Exponential(mean: 2)"), &[])?;
/// assert_eq!(lengths.max(), 10.0);
/// assert!(lengths.mean() < 2.0);
/// assert!(load::<Within<Lengths>>(Source::new("s", "Exponential(mean: 5)"), &[]).is_err());
/// assert!(load::<Within<Lengths>>(Source::new("s", "Uniform(low: 0, high: 11)"), &[]).is_err());
/// # Ok::<(), gridloom::language::Report>(())
/// ```
pub struct Within<B> {
    whole: Distribution,
    bounds: PhantomData<fn() -> B>,
}

impl<B: Bounds> Within<B> {
    /// Always this number.
    ///
    /// # Panics
    /// If it is outside of the bounds.
    pub const fn of(value: f64) -> Self {
        assert!(B::LOW <= value && value <= B::HIGH, "outside of the bounds");
        Self { whole: Distribution::Constant(Finite::of(value)), bounds: PhantomData }
    }

    /// The distribution before anything counts as a bound.
    pub fn whole(&self) -> &Distribution {
        &self.whole
    }

    /// The mean of what is drawn.
    pub fn mean(&self) -> f64 {
        self.whole.mean_between(B::LOW, B::HIGH)
    }

    /// A draw.
    pub fn sample(&self, stream: &mut impl Rng) -> f64 {
        self.whole.sample(stream).clamp(B::LOW, B::HIGH)
    }

    /// The same draws, where many are to come: what they have in common is worked out once.
    pub(crate) fn for_many<R: Rng>(&self) -> impl Fn(&mut R) -> f64 {
        let many = self.whole.for_many();
        move |stream| many.sample(stream).clamp(B::LOW, B::HIGH)
    }

    /// The smallest value that is drawn.
    pub fn min(&self) -> f64 {
        self.whole.min().max(B::LOW)
    }

    /// The largest value that is drawn.
    pub fn max(&self) -> f64 {
        self.whole.max().min(B::HIGH)
    }
}

/// A distribution from which numbers can be drawn.
pub trait Draw {
    /// A draw; see [`Distribution::sample`].
    fn sample(&self, stream: &mut impl Rng) -> f64;
}

impl Draw for Distribution {
    fn sample(&self, stream: &mut impl Rng) -> f64 {
        Distribution::sample(self, stream)
    }
}

impl<B: Bounds> Draw for Within<B> {
    fn sample(&self, stream: &mut impl Rng) -> f64 {
        Within::sample(self, stream)
    }
}

impl<B: Bounds> Decode for Within<B> {
    fn wanted() -> String {
        Distribution::wanted()
    }

    fn declared() -> Option<fn() -> Description> {
        Distribution::declared()
    }

    fn form() -> Form {
        Form::Drawn(Distribution::describe, NumberRange::new(B::LOW, B::HIGH))
    }

    fn decode(at: &Cursor<'_>, context: &mut Context<'_>) -> Option<Self> {
        let whole = context.with_times(B::ARE_TIMES, |context| Distribution::decode(at, context))?;
        let before = context.len();
        whole.require_support(at, context, B::LOW..=B::HIGH);
        (context.len() == before).then_some(Self { whole, bounds: PhantomData })
    }
}

// By hand, as the derived ones would ask the same of `B`, of which there is never a value.
impl<B> Clone for Within<B> {
    fn clone(&self) -> Self {
        Self { whole: self.whole.clone(), bounds: PhantomData }
    }
}

impl<B> PartialEq for Within<B> {
    fn eq(&self, other: &Self) -> bool {
        self.whole == other.whole
    }
}

impl<B> fmt::Debug for Within<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.whole.fmt(f)
    }
}

impl<B> Serialize for Within<B> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.whole.serialize(serializer)
    }
}
