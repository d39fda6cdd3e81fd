//! Percentiles of whole samples.

/// The smallest observation that at least `percent` % of the sorted observations do not exceed (the nearest rank);
/// `None` of an empty sample.
///
/// ```
/// use gridloom::metrics::percentile;
/// let waits = [0, 0, 3, 8];
/// assert_eq!((percentile(&waits, 50), percentile(&waits, 51), percentile(&waits, 100)), (Some(0), Some(3), Some(8)));
/// assert_eq!(percentile(&waits[..0], 50), None);
/// ```
pub fn percentile<T: Copy>(sorted: &[T], percent: u8) -> Option<T> {
    let rank = (sorted.len() * usize::from(percent.min(100))).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}
