//! Points of sweeps that an interrupted run has finished.

use super::Row;

/// One value of one sweep.
#[derive(Debug, Clone, Copy)]
pub struct Point<'a> {
    /// The sweep's name.
    pub sweep: &'a str,
    /// The place of the value in the sweep.
    pub index: usize,
    /// The text of the point's scenario, which decides its rows.
    pub scenario: &'a str,
}

/// A place where finished points are kept, so that a run that was interrupted can go on.
pub trait Points {
    /// The rows of a point, if it was finished by an earlier run of the same scenario.
    fn recall(&mut self, point: Point<'_>) -> Option<Vec<Row>>;
    /// Keeps the rows of a point that is finished, or says why they can't be kept.
    fn keep(&mut self, point: Point<'_>, rows: &[Row]) -> Result<(), String>;
}

/// Nothing is kept.
#[derive(Debug, Clone, Copy)]
pub struct Forget;

impl Points for Forget {
    fn recall(&mut self, _: Point<'_>) -> Option<Vec<Row>> {
        None
    }

    fn keep(&mut self, _: Point<'_>, _: &[Row]) -> Result<(), String> {
        Ok(())
    }
}
