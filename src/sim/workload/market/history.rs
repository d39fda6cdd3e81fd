//! A simple predictor: what happens next is the mean of what happened before.

/// Earlier observations of one job profile, oldest first, and what they predict.
///
/// ```
/// use gridloom::workload::market::History;
///
/// let runs = History::new(vec![10.0, 14.0, 12.0]);
/// assert_eq!((runs.mean(), runs.longest()), (Some(12.0), Some(14.0)));
/// assert_eq!(runs.deviation(), Some(2.0));
/// // The second run was predicted to take 10, the third 12: errors of 4 and 0.
/// assert_eq!(runs.error(), Some(2.0));
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct History {
    runs: Vec<f64>,
}

impl History {
    /// A history of these observations.
    pub fn new(runs: Vec<f64>) -> Self {
        Self { runs }
    }

    /// Takes in what happened last.
    pub fn record(&mut self, run: f64) {
        self.runs.push(run);
    }

    /// The observations, oldest first.
    pub fn runs(&self) -> &[f64] {
        &self.runs
    }

    /// The prediction: the mean; nothing before the first observation.
    pub fn mean(&self) -> Option<f64> {
        (!self.runs.is_empty()).then(|| self.runs.iter().sum::<f64>() / self.runs.len() as f64)
    }

    /// The standard deviation of the observations; 0 of a single one.
    pub fn deviation(&self) -> Option<f64> {
        let mean = self.mean()?;
        let squares: f64 = self.runs.iter().map(|run| (run - mean) * (run - mean)).sum();
        let freedom = (self.runs.len() - 1).max(1) as f64;
        Some((squares / freedom).sqrt())
    }

    /// The longest observation.
    pub fn longest(&self) -> Option<f64> {
        self.runs.iter().copied().reduce(f64::max)
    }

    /// The mean absolute error of predictions, had each been made when only the earlier observations were known; 0 as
    /// long as nothing was predicted.
    pub fn error(&self) -> Option<f64> {
        let first = *self.runs.first()?;
        let (mut sum, mut errors) = (first, 0.0);
        for (before, run) in self.runs.iter().enumerate().skip(1) {
            errors += (sum / before as f64 - run).abs();
            sum += run;
        }
        Some(errors / (self.runs.len() - 1).max(1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nothing_is_predicted_from_nothing() {
        let empty = History::default();
        assert_eq!((empty.mean(), empty.deviation(), empty.longest(), empty.error()), (None, None, None, None));
        let mut one = empty;
        one.record(7.0);
        assert_eq!(
            (one.mean(), one.deviation(), one.longest(), one.error()),
            (Some(7.0), Some(0.0), Some(7.0), Some(0.0))
        );
    }

    proptest! {
        #[test]
        fn measures_are_those_of_the_textbook(runs in prop::collection::vec(0_i32..1000, 2..30)) {
            let n = runs.len() as f64;
            let history = History::new(runs.iter().map(|&run| f64::from(run)).collect());
            let sum: i64 = runs.iter().map(|&run| i64::from(run)).sum();
            let squares: i64 = runs.iter().map(|&run| i64::from(run).pow(2)).sum();
            let variance = (n * squares as f64 - (sum * sum) as f64) / (n * (n - 1.0));
            prop_assert!((history.mean().unwrap() - sum as f64 / n).abs() < 1e-9);
            prop_assert!((history.deviation().unwrap().powi(2) - variance).abs() < 1e-6 * (1.0 + variance));
            let errors = (1..runs.len()).map(|at| {
                let before = runs[..at].iter().map(|&run| f64::from(run)).sum::<f64>() / at as f64;
                (before - f64::from(runs[at])).abs()
            });
            prop_assert!((history.error().unwrap() - errors.sum::<f64>() / (n - 1.0)).abs() < 1e-9);
        }
    }
}
