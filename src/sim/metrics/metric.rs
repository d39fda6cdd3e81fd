//! The declaration of a metric: its name, unit, meaning and range, and which direction is better.
//!
//! A metric is declared once, beside the code that computes it. Rows, axes, `gridloom list metrics`, sweeps, figures
//! and published values know it by that declaration.
//!
//! ```
//! use gridloom::metrics::{Better, Metric, TIME};
//!
//! static WAIT: Metric = Metric::new("wait", TIME, "Time from submission to start.").at_least(0.0).better(Better::Less);
//!
//! assert_eq!(WAIT.label(), "Wait (time units)");
//! assert!(WAIT.admits(2.5) && !WAIT.admits(-1.0));
//! let difference = WAIT.difference("difference in wait", "the first policy");
//! assert_eq!((difference.unit(), difference.is_better()), (TIME, Better::Less));
//! assert!(difference.admits(-1.0));
//! ```

use std::borrow::Cow;

/// The unit of times, unless a scenario names another.
pub const TIME: &str = "time units";
/// The unit of costs.
pub const MONEY: &str = "money units";
/// The unit of percentages.
pub const PERCENT: &str = "%";

/// The distance that a mean may lie outside its range by rounding, relative to the end of the range.
const ROUNDING: f64 = 1e-6;

/// The direction in which a metric improves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// A higher value is better.
    More,
    /// A lower value is better.
    Less,
    /// Neither, or it depends on what is wanted.
    Neither,
}

impl Better {
    fn reversed(self) -> Self {
        match self {
            Self::More => Self::Less,
            Self::Less => Self::More,
            Self::Neither => Self::Neither,
        }
    }
}

/// A metric as it is declared.
#[derive(Debug, Clone, PartialEq)]
pub struct Metric {
    name: Cow<'static, str>,
    unit: Cow<'static, str>,
    meaning: Cow<'static, str>,
    lowest: f64,
    highest: f64,
    better: Better,
    only_along: bool,
    only_of: &'static str,
}

impl Metric {
    /// A metric that may have any value, of which neither more nor less is better. Its meaning is one sentence.
    pub const fn new(name: &'static str, unit: &'static str, meaning: &'static str) -> Self {
        Self {
            name: Cow::Borrowed(name),
            unit: Cow::Borrowed(unit),
            meaning: Cow::Borrowed(meaning),
            lowest: f64::NEG_INFINITY,
            highest: f64::INFINITY,
            better: Better::Neither,
            only_along: false,
            only_of: "",
        }
    }

    /// The same with a name that depends on the scenario.
    pub fn called(self, name: impl Into<Cow<'static, str>>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// The same with a unit that depends on the scenario.
    pub fn in_unit(self, unit: impl Into<Cow<'static, str>>) -> Self {
        Self { unit: unit.into(), ..self }
    }

    /// The same with a meaning that depends on the scenario.
    pub fn meaning_that(self, meaning: impl Into<Cow<'static, str>>) -> Self {
        Self { meaning: meaning.into(), ..self }
    }

    /// The same with times in the unit that the scenario names.
    pub fn with_times_in(self, unit: &str) -> Self {
        if self.unit == TIME { self.in_unit(unit.to_string()) } else { self }
    }

    /// No value lies below this.
    pub const fn at_least(mut self, lowest: f64) -> Self {
        self.lowest = lowest;
        self
    }

    /// No value lies outside of these two.
    pub const fn within(mut self, lowest: f64, highest: f64) -> Self {
        self.lowest = lowest;
        self.highest = highest;
        self
    }

    /// The direction in which it improves.
    pub const fn better(mut self, better: Better) -> Self {
        self.better = better;
        self
    }

    /// Rows have it only along an axis of their own, such as time, so that sweeps can't show it.
    pub const fn only_along(mut self) -> Self {
        self.only_along = true;
        self
    }

    /// The mean is over some of the cases only, such as "jobs with a plan", and axes say so.
    pub const fn only_of(mut self, some: &'static str) -> Self {
        self.only_of = some;
        self
    }

    /// This metric minus that of `other` in the same world.
    pub fn difference(&self, name: impl Into<Cow<'static, str>>, other: &str) -> Self {
        let span = self.highest - self.lowest;
        let meaning = format!("{} minus that of {other}, in the same worlds.", self.title());
        self.clone().called(name).meaning_that(meaning).within(-span, span)
    }

    /// By how many per cent this metric, which is never negative, is above that of `other`.
    pub fn change(&self, name: impl Into<Cow<'static, str>>, other: &str) -> Self {
        let meaning = format!("Percentage by which {} is above that of {other}.", self.name);
        self.clone().called(name).in_unit(PERCENT).meaning_that(meaning).within(-100.0, f64::INFINITY)
    }

    /// By how many per cent this metric, which is never negative, is below that of `other`.
    pub fn saving(&self, name: impl Into<Cow<'static, str>>, other: &str) -> Self {
        let meaning = format!("Percentage by which {} is below that of {other}.", self.name);
        let better = self.better.reversed();
        self.clone().called(name).in_unit(PERCENT).meaning_that(meaning).within(f64::NEG_INFINITY, 100.0).better(better)
    }

    /// This metric, which is never negative, over that of `other`.
    pub fn ratio(&self, name: impl Into<Cow<'static, str>>, other: &str) -> Self {
        let meaning = format!("{} over that of {other}.", self.title());
        self.clone().called(name).in_unit("ratio").meaning_that(meaning).within(0.0, f64::INFINITY)
    }

    /// The name in rows, sweeps, figures and published values.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The unit; never empty.
    pub fn unit(&self) -> &str {
        &self.unit
    }

    /// Its meaning, in one sentence.
    pub fn meaning(&self) -> &str {
        &self.meaning
    }

    /// The lowest and the highest value that it can have.
    pub fn range(&self) -> (f64, f64) {
        (self.lowest, self.highest)
    }

    /// The direction in which it improves.
    pub fn is_better(&self) -> Better {
        self.better
    }

    /// True if rows have it only along an axis of their own.
    pub fn is_only_along(&self) -> bool {
        self.only_along
    }

    /// The cases that the mean is over, if it is not over all.
    pub fn is_only_of(&self) -> Option<&'static str> {
        (!self.only_of.is_empty()).then_some(self.only_of)
    }

    /// True if a mean lies within the range, but for rounding.
    pub fn admits(&self, mean: f64) -> bool {
        let slack = |end: f64| ROUNDING * (1.0 + end.abs());
        mean >= self.lowest - slack(self.lowest) && mean <= self.highest + slack(self.highest)
    }

    /// The name as a heading.
    pub fn title(&self) -> String {
        capitalised(&self.name)
    }

    /// The name with its unit, for an axis. A unit that the name says already is not said again.
    pub fn label(&self) -> String {
        let title = match self.is_only_of() {
            Some(some) => format!("{} of {some}", self.title()),
            None => self.title(),
        };
        if says(&self.name, &self.unit) { title } else { format!("{title} ({})", self.unit) }
    }
}

/// True if the name of a metric says its unit: as a word of its own, since "makespan" does not say "s".
pub fn says(name: &str, unit: &str) -> bool {
    let is_apart = |beside: Option<char>| beside.is_none_or(|letter| !letter.is_alphanumeric());
    name.match_indices(unit)
        .any(|(at, _)| is_apart(name[..at].chars().next_back()) && is_apart(name[at + unit.len()..].chars().next()))
}

impl<'a> From<&'a Metric> for Cow<'a, str> {
    fn from(metric: &'a Metric) -> Self {
        metric.name().into()
    }
}

impl From<&Metric> for String {
    fn from(metric: &Metric) -> Self {
        metric.name().into()
    }
}

/// A text with its first letter in upper case.
fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().collect::<String>() + letters.as_str())
}

/// Declares metrics as statics, and a list of all of them: `ALL: NAME = Metric::new(...); ...`.
#[doc(hidden)]
#[macro_export]
macro_rules! declare_metrics {
    ($(#[$about:meta])* $visibility:vis $all:ident: $($name:ident = $metric:expr;)+) => {
        $(static $name: $crate::metrics::Metric = $metric;)+
        $(#[$about])*
        $visibility static $all: &[&$crate::metrics::Metric] = &[$(&$name),+];
    };
}
pub use crate::declare_metrics;

/// Copies of listed declarations.
pub fn copies(declared: &[&Metric]) -> Vec<Metric> {
    declared.iter().copied().cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    static COST: Metric = Metric::new("cost", MONEY, "Cost of a job.").within(10.0, 30.0).better(Better::Less);

    #[test]
    fn derived_metrics_have_the_ranges_that_follow() {
        assert_eq!(COST.difference("d", "x").range(), (-20.0, 20.0));
        assert_eq!(
            COST.clone().at_least(0.0).within(0.0, f64::INFINITY).difference("d", "x").range().0,
            f64::NEG_INFINITY
        );
        let (change, saving) = (COST.change("c (%)", "x"), COST.saving("s (%)", "x"));
        assert_eq!((change.range().0, saving.range().1), (-100.0, 100.0));
        assert_eq!((change.is_better(), saving.is_better()), (Better::Less, Better::More));
        assert_eq!(saving.meaning(), "Percentage by which cost is below that of x.");
        assert_eq!(COST.difference("d", "x").meaning(), "Cost minus that of x, in the same worlds.");
    }

    #[test]
    fn labels_do_not_repeat_a_unit_that_the_name_has() {
        let label = |name, unit| Metric::new(name, unit, "").label();
        assert_eq!(label("gain (%)", PERCENT), "Gain (%)");
        assert_eq!(label("alternatives per job", "per job"), "Alternatives per job");
        assert_eq!(label("collisions", "per job"), "Collisions (per job)");
        assert_eq!(COST.clone().only_of("jobs done").label(), format!("Cost of jobs done ({MONEY})"));
    }

    #[test]
    fn rounding_is_no_defect_and_more_is() {
        assert!(COST.admits(10.0 - 1e-7) && COST.admits(30.0) && !COST.admits(9.9) && !COST.admits(30.1));
        assert!(Metric::new("any", "", "").admits(-1e300));
    }

    #[test]
    fn only_times_take_the_unit_of_a_scenario() {
        assert!(says("saving (%)", "%") && says("jobs per hour", "hour") && says("share of jobs", "share of jobs"));
        assert!(!says("makespan", "s") && !says("jobs late", "late jobs") && !says("hours", "hour"));
        let wait = Metric::new("wait", TIME, "").with_times_in("hours");
        assert_eq!((wait.unit(), COST.clone().with_times_in("hours").unit()), ("hours", MONEY));
    }
}
