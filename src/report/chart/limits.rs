//! The limits of a figure's values: counts and costs are not below zero, shares not past the whole.

/// The least and the most that values can be; infinite where nothing is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct AxisLimits {
    pub low: f64,
    pub high: f64,
}

impl AxisLimits {
    /// The limits that the label of their axis sets to values, as long as none of them contradicts it. Intervals may
    /// reach further, since they know nothing of limits; they are cut there and not given room.
    pub(super) fn of(label: &str, values: impl Iterator<Item = f64> + Clone) -> Self {
        let low = if values.clone().all(|value| value >= 0.0) { 0.0 } else { f64::NEG_INFINITY };
        let high = whole(label).filter(|&whole| values.clone().all(|value| value <= whole));
        Self { low, high: high.unwrap_or(f64::INFINITY) }
    }

    /// The value, or the limit that it is past.
    pub(super) fn cut(self, value: f64) -> f64 {
        value.max(self.low).min(self.high)
    }
}

/// The sum of all shares, for labels of shares. A mere percentage, such as of a change, has no limit.
fn whole(label: &str) -> Option<f64> {
    let label = label.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| label.contains(word));
    if says(&["share of", "0 to 1)", "jain's index"]) {
        Some(1.0)
    } else if says(&["% of"]) {
        Some(100.0)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_end_at_the_whole_unless_a_value_is_past_it() {
        let high = |label: &str, most: f64| AxisLimits::of(label, [0.2, most].into_iter()).high;
        assert_eq!(high("Success ratio (share of jobs)", 1.0), 1.0);
        assert_eq!(high("Share of all node time", 0.9), 1.0);
        assert_eq!(high("Satisfaction (0 to 1)", 1.0), 1.0);
        assert_eq!(high("Utilisation (% of idle node time)", 99.0), 100.0);
        assert_eq!(high("Global load (share of all node time)", 1.01), f64::INFINITY);
        for unlimited in ["Gap to exact (%)", "Wait (minutes)", "Total satisfaction (0 to 1.1)"] {
            assert_eq!(high(unlimited, 0.9), f64::INFINITY, "{unlimited}");
        }
    }

    #[test]
    fn nothing_is_below_zero_unless_a_value_is() {
        let limits = |least: f64| AxisLimits::of("Wait (minutes)", [least, 3.0].into_iter());
        assert_eq!((limits(0.0).cut(-1.0), limits(-0.5).cut(-1.0)), (0.0, -1.0));
    }
}
