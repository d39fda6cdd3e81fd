//! The linear program over patterns: how much of each to use so that every job is covered at the least cost.

/// The number of pivots, for each row, after which the program is left as it is.
const PIVOTS: usize = 50;
/// The difference between right-hand sides, so that few pivots change nothing.
const SHIFT: f64 = 1e-7;
/// The entry of a direction that is taken for zero.
const TINY: f64 = 1e-9;

/// A column: its cost, and the rows in which it has a one.
#[derive(Debug)]
struct PatternColumn {
    cost: f64,
    rows: Vec<usize>,
}

/// Minimises the cost of columns of zeros and ones so that every row sums up to one, by the revised simplex method.
///
/// Its answer only guides the search, so rounding errors do no harm.
#[derive(Debug)]
pub(super) struct Master {
    columns: Vec<PatternColumn>,
    /// The most that is too little to be a saving.
    tolerance: f64,
    /// By row: the column in the basis.
    basis: Vec<usize>,
    /// By row: how much of that column is used.
    amounts: Vec<f64>,
    /// The inverse of the basis, row by row.
    inverse: Vec<f64>,
    /// By row: what one more would cost.
    duals: Vec<f64>,
}

impl Master {
    /// A program with one column of its own for every row at the given cost; `tolerance` is too little to be a saving.
    pub(super) fn new(costs: &[f64], tolerance: f64) -> Self {
        let rows = costs.len();
        let mut inverse = vec![0.0; rows * rows];
        (0..rows).for_each(|row| inverse[row * rows + row] = 1.0);
        // A golden-ratio sequence: no two rows alike.
        let shift = |row: usize| 1.0 + SHIFT * (1.0 + ((row + 1) as f64 * 0.618_033_988_75).fract());
        Self {
            columns: costs.iter().enumerate().map(|(row, &cost)| PatternColumn { cost, rows: vec![row] }).collect(),
            tolerance,
            basis: (0..rows).collect(),
            amounts: (0..rows).map(shift).collect(),
            inverse,
            duals: costs.to_vec(),
        }
    }

    /// The number of rows, and of columns of their own.
    pub(super) fn rows(&self) -> usize {
        self.basis.len()
    }

    /// Adds a column.
    pub(super) fn add(&mut self, cost: f64, rows: Vec<usize>) {
        self.columns.push(PatternColumn { cost, rows });
    }

    /// By row: what one more would cost, as of the last solution.
    pub(super) fn duals(&self) -> &[f64] {
        &self.duals
    }

    /// The columns that are used, and how much of each.
    pub(super) fn used(&self) -> impl Iterator<Item = (usize, f64)> {
        self.basis.iter().copied().zip(self.amounts.iter().copied()).filter(|(_, amount)| *amount > 10.0 * SHIFT)
    }

    /// True if a column would lower the cost.
    pub(super) fn is_saving(&self, cost: f64, rows: &[usize]) -> bool {
        self.saving(cost, rows) > self.tolerance
    }

    /// The saving by one unit of a column.
    fn saving(&self, cost: f64, rows: &[usize]) -> f64 {
        rows.iter().map(|&row| self.duals[row]).sum::<f64>() - cost
    }

    /// Finds the least cost.
    pub(super) fn solve(&mut self) {
        let rows = self.basis.len();
        let mut direction = vec![0.0; rows];
        for _ in 0..PIVOTS * rows {
            self.price();
            let savings = self.columns.iter().enumerate().map(|(at, c)| (self.saving(c.cost, &c.rows), at));
            let Some((saving, entering)) = savings.max_by(|a, b| a.0.total_cmp(&b.0)) else { return };
            if saving <= self.tolerance {
                return;
            }
            for (entry, inverse) in direction.iter_mut().zip(self.inverse.chunks(rows)) {
                *entry = self.columns[entering].rows.iter().map(|&row| inverse[row]).sum();
            }
            let ratios = (0..rows).filter(|&row| direction[row] > TINY);
            let ratios = ratios.map(|row| (self.amounts[row] / direction[row], row));
            let Some((ratio, leaving)) = ratios.min_by(|a, b| a.0.total_cmp(&b.0)) else { return };
            self.pivot(entering, leaving, ratio.max(0.0), &direction);
        }
    }

    /// Prices the rows by the basis.
    fn price(&mut self) {
        self.duals.fill(0.0);
        for (&column, inverse) in self.basis.iter().zip(self.inverse.chunks(self.basis.len())) {
            let cost = self.columns[column].cost;
            if cost != 0.0 {
                self.duals.iter_mut().zip(inverse).for_each(|(dual, entry)| *dual += cost * entry);
            }
        }
    }

    fn pivot(&mut self, entering: usize, leaving: usize, ratio: f64, direction: &[f64]) {
        let rows = self.basis.len();
        let by = direction[leaving];
        let pivot: Vec<f64> = self.inverse[leaving * rows..][..rows].iter().map(|entry| entry / by).collect();
        for (row, inverse) in self.inverse.chunks_mut(rows).enumerate() {
            let factor = direction[row];
            if row == leaving {
                inverse.copy_from_slice(&pivot);
            } else if factor != 0.0 {
                inverse.iter_mut().zip(&pivot).for_each(|(entry, pivot)| *entry -= factor * pivot);
                self.amounts[row] = (self.amounts[row] - ratio * factor).max(0.0);
            }
        }
        self.amounts[leaving] = ratio;
        self.basis[leaving] = entering;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn amounts_and_duals_prove_each_other(
            own in prop::collection::vec(10u32..100, 1..8),
            others in prop::collection::vec((1u32..60, 1u32..256), 0..30),
        ) {
            let rows = own.len();
            let costs: Vec<f64> = own.into_iter().map(f64::from).collect();
            let mut master = Master::new(&costs, 1e-9);
            let mut columns: Vec<(f64, Vec<usize>)> =
                costs.into_iter().enumerate().map(|(row, cost)| (cost, vec![row])).collect();
            for (cost, mask) in others {
                let column = (f64::from(cost), (0..rows).filter(|row| mask >> row & 1 == 1).collect::<Vec<usize>>());
                master.add(column.0, column.1.clone());
                columns.push(column);
            }
            master.solve();
            let mut covered = vec![0.0; rows];
            let mut cost = 0.0;
            for (column, amount) in master.used() {
                cost += amount * columns[column].0;
                columns[column].1.iter().for_each(|&row| covered[row] += amount);
            }
            for amount in covered {
                prop_assert!((amount - 1.0).abs() < 1e-4, "a row sums up to {}", amount);
            }
            for (cost, rows) in &columns {
                prop_assert!(master.saving(*cost, rows) < 1e-4);
            }
            prop_assert!((master.duals().iter().sum::<f64>() - cost).abs() < 1e-2 * cost.max(1.0));
        }
    }
}
