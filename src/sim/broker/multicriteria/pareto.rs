//! Pareto-optimal solutions: those that nothing betters in one objective without worsening another.

/// For each point, whether it is Pareto-optimal; all objectives are to be as high as possible. Of equal points all are.
///
/// ```
/// use gridloom::broker::multicriteria::front;
///
/// let points = [vec![1.0, 3.0], vec![2.0, 2.0], vec![1.0, 2.0], vec![2.0, 2.0]];
/// assert_eq!(front(&points), [true, true, false, true]);
/// ```
pub fn front(points: &[Vec<f64>]) -> Vec<bool> {
    // In descending lexicographic order a point can only be dominated by one before it. Dominance is transitive, so
    // that it is then also dominated by one of the front: later points are compared with those alone.
    let mut order: Vec<usize> = (0..points.len()).collect();
    let descending = |one: &Vec<f64>, other: &Vec<f64>| {
        other
            .iter()
            .zip(one)
            .map(|(a, b)| a.total_cmp(b))
            .find(|order| order.is_ne())
            .unwrap_or(std::cmp::Ordering::Equal)
    };
    order.sort_by(|&one, &other| descending(&points[one], &points[other]));
    let mut kept: Vec<usize> = Vec::new();
    let mut optimal = vec![false; points.len()];
    for index in order {
        let betters = |&other: &usize| {
            let pairs = || points[other].iter().zip(&points[index]);
            pairs().all(|(theirs, mine)| theirs >= mine) && pairs().any(|(theirs, mine)| theirs > mine)
        };
        if !kept.iter().any(betters) {
            kept.push(index);
            optimal[index] = true;
        }
    }
    optimal
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_front_is_what_every_pair_compared_leaves(points in prop::collection::vec(prop::collection::vec(0_i32..5, 3), 0..40)) {
            let points: Vec<Vec<f64>> = points.iter().map(|point| point.iter().map(|&value| f64::from(value)).collect()).collect();
            let betters = |one: &[f64], other: &[f64]| one != other && one.iter().zip(other).all(|(a, b)| a >= b);
            let expected: Vec<bool> = points.iter().map(|point| !points.iter().any(|other| betters(other, point))).collect();
            prop_assert_eq!(front(&points), expected);
        }
    }
}
