//! The revised simplex method, for the linear programs of brokers.

/// The number of pivots, for each row, after which the program is left as it is.
const PIVOTS: usize = 50;
/// The difference between right-hand sides, so that few pivots change nothing.
const SHIFT: f64 = 1e-7;
/// The entry of a direction that is taken for zero.
const TINY: f64 = 1e-9;

/// A column: its cost, and its entries by row.
#[derive(Debug)]
struct Column {
    cost: f64,
    entries: Vec<(usize, f64)>,
}

/// Minimises the cost of columns, used in amounts of 0 or more, so that every row sums up to its right-hand side.
///
/// Every row has a column of its own, with an entry of 1, from which the search starts: the slack of an inequality, or
/// something so dear that it is used only where nothing else will do.
#[derive(Debug)]
pub(crate) struct Simplex {
    columns: Vec<Column>,
    /// The most that is too little to be a saving.
    tolerance: f64,
    /// By row: what it sums up to, at least 0.
    sides: Vec<f64>,
    /// By row: the column in the basis.
    basis: Vec<usize>,
    /// By row: how much of that column is used, with right-hand sides that were shifted a little.
    amounts: Vec<f64>,
    /// The inverse of the basis, row by row.
    inverse: Vec<f64>,
    /// By row: what one more would cost.
    duals: Vec<f64>,
}

impl Simplex {
    /// A program with a row for each cost of its own column and right-hand side; `tolerance` is too little to be a
    /// saving.
    pub(crate) fn new(rows: &[(f64, f64)], tolerance: f64) -> Self {
        let count = rows.len();
        let mut inverse = vec![0.0; count * count];
        (0..count).for_each(|row| inverse[row * count + row] = 1.0);
        // A golden-ratio sequence: no two rows alike.
        let shift = |row: usize| SHIFT * (1.0 + ((row + 1) as f64 * 0.618_033_988_75).fract());
        let own = |(row, &(cost, _)): (usize, &(f64, f64))| Column { cost, entries: vec![(row, 1.0)] };
        Self {
            columns: rows.iter().enumerate().map(own).collect(),
            tolerance,
            sides: rows.iter().map(|&(_, side)| side).collect(),
            basis: (0..count).collect(),
            amounts: rows.iter().enumerate().map(|(row, &(_, side))| side + shift(row)).collect(),
            inverse,
            duals: rows.iter().map(|&(cost, _)| cost).collect(),
        }
    }

    /// The number of rows, and of columns of their own.
    pub(crate) fn rows(&self) -> usize {
        self.basis.len()
    }

    /// Adds a column; returns its number.
    pub(crate) fn add(&mut self, cost: f64, entries: Vec<(usize, f64)>) -> usize {
        self.columns.push(Column { cost, entries });
        self.columns.len() - 1
    }

    /// By row: what one more would cost, as of the last solution.
    pub(crate) fn duals(&self) -> &[f64] {
        &self.duals
    }

    /// The columns that are used, and how much of each but for the shift: enough to guide a search.
    pub(crate) fn used(&self) -> impl Iterator<Item = (usize, f64)> {
        self.basis.iter().copied().zip(self.amounts.iter().copied()).filter(|(_, amount)| *amount > 10.0 * SHIFT)
    }

    /// How much of each column is used.
    pub(crate) fn solution(&self) -> Vec<f64> {
        let mut amounts = vec![0.0; self.columns.len()];
        for (&column, inverse) in self.basis.iter().zip(self.inverse.chunks(self.rows().max(1))) {
            let amount: f64 = inverse.iter().zip(&self.sides).map(|(entry, side)| entry * side).sum();
            // What is below zero is rounding, or the shift.
            amounts[column] = amount.max(0.0);
        }
        amounts
    }

    /// The cost of such amounts.
    pub(crate) fn cost(&self, amounts: &[f64]) -> f64 {
        self.columns.iter().zip(amounts).map(|(column, amount)| column.cost * amount).sum()
    }

    /// True if a column would lower the cost.
    pub(crate) fn is_saving(&self, cost: f64, entries: &[(usize, f64)]) -> bool {
        self.saving(cost, entries) > self.tolerance
    }

    /// The saving by one unit of a column.
    fn saving(&self, cost: f64, entries: &[(usize, f64)]) -> f64 {
        entries.iter().map(|&(row, entry)| self.duals[row] * entry).sum::<f64>() - cost
    }

    /// Looks for the least cost; false if it takes too many pivots.
    pub(crate) fn solve(&mut self) -> bool {
        let rows = self.rows();
        let mut direction = vec![0.0; rows];
        for _ in 0..=PIVOTS * rows {
            self.price();
            let savings = self.columns.iter().enumerate().map(|(at, c)| (self.saving(c.cost, &c.entries), at));
            let Some((saving, entering)) = savings.max_by(|a, b| a.0.total_cmp(&b.0)) else { return true };
            if saving <= self.tolerance {
                return true;
            }
            for (part, inverse) in direction.iter_mut().zip(self.inverse.chunks(rows.max(1))) {
                *part = self.columns[entering].entries.iter().map(|&(row, entry)| inverse[row] * entry).sum();
            }
            let ratios = (0..rows).filter(|&row| direction[row] > TINY);
            let ratios = ratios.map(|row| (self.amounts[row] / direction[row], row));
            // Without end only if the cost has no bound, which no program here has.
            let Some((ratio, leaving)) = ratios.min_by(|a, b| a.0.total_cmp(&b.0)) else { return false };
            self.pivot(entering, leaving, ratio.max(0.0), &direction);
        }
        false
    }

    /// Prices the rows by the basis.
    fn price(&mut self) {
        self.duals.fill(0.0);
        for (&column, inverse) in self.basis.iter().zip(self.inverse.chunks(self.rows().max(1))) {
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
    use microlp::{ComparisonOp, OptimizationDirection, Problem, SolveOutcome};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_least_cost_is_that_of_another_solver_and_amounts_keep_all_rows(
            rows in prop::collection::vec((10_u32..100, 0_u32..20), 1..8),
            others in prop::collection::vec((1_u32..60, prop::collection::vec(-2_i32..5, 8)), 0..30),
        ) {
            let rows: Vec<(f64, f64)> = rows.into_iter().map(|(cost, side)| (f64::from(cost), f64::from(side))).collect();
            let mut program = Simplex::new(&rows, 1e-9);
            let mut columns: Vec<(f64, Vec<(usize, f64)>)> =
                rows.iter().enumerate().map(|(row, &(cost, _))| (cost, vec![(row, 1.0)])).collect();
            for (cost, entries) in others {
                let entries = entries.into_iter().enumerate().take(rows.len()).filter(|(_, entry)| *entry != 0);
                let column = (f64::from(cost), entries.map(|(row, entry)| (row, f64::from(entry))).collect::<Vec<_>>());
                program.add(column.0, column.1.clone());
                columns.push(column);
            }
            let mut oracle = Problem::new(OptimizationDirection::Minimize);
            let mut sums = vec![Vec::new(); rows.len()];
            for (cost, entries) in &columns {
                let variable = oracle.add_var(*cost, (0.0, f64::INFINITY));
                entries.iter().for_each(|&(row, entry)| sums[row].push((variable, entry)));
            }
            for (sum, (_, side)) in sums.into_iter().zip(&rows) {
                oracle.add_constraint(sum, ComparisonOp::Eq, *side);
            }
            let SolveOutcome::Solution(oracle) = oracle.solve().expect("solved") else { panic!("interrupted") };
            prop_assert!(program.solve());
            let amounts = program.solution();
            let cost = program.cost(&amounts);
            prop_assert!((cost - oracle.objective()).abs() <= 1e-6 * cost.max(1.0), "{} {}", cost, oracle.objective());
            let mut found = vec![0.0; rows.len()];
            for ((_, entries), amount) in columns.iter().zip(&amounts) {
                entries.iter().for_each(|&(row, entry)| found[row] += entry * amount);
            }
            for (found, (_, side)) in found.iter().zip(&rows) {
                prop_assert!((found - side).abs() < 1e-6, "{} instead of {}", found, side);
            }
            // No column would lower the cost, and prices tell the cost.
            for (cost, entries) in &columns {
                prop_assert!(program.saving(*cost, entries) < 1e-6);
            }
            let priced: f64 = program.duals().iter().zip(&rows).map(|(dual, (_, side))| dual * side).sum();
            prop_assert!((priced - cost).abs() < 1e-6 * cost.max(1.0));
        }
    }
}
