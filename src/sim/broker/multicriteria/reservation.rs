//! Preliminary reservations: providers keep units for a while, and forget them unless they are confirmed (file 004,
//! section 5.2).

use crate::units::{Overflow, Span, Time};

/// Units of an offer that are kept for a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PreliminaryReservation {
    /// The offer's index.
    pub offer: usize,
    /// The job's index.
    pub job: usize,
    /// The number of units.
    pub units: u64,
    /// When it was made.
    pub made: Time,
    /// The last instant at which it can be confirmed.
    pub until: Time,
    /// When it was confirmed, if it was.
    pub confirmed: Option<Time>,
}

impl PreliminaryReservation {
    /// True if its units are kept at an instant, by all that is known of it.
    pub(crate) fn is_kept(&self, now: Time) -> bool {
        self.confirmed.is_some() || now <= self.until
    }
}

/// The reservations of all offers.
///
/// ```
/// use gridloom::broker::multicriteria::Book;
/// use gridloom::units::{Span, Time};
///
/// let at = Time::from_units;
/// let mut book = Book::new(vec![Some(2)], Span::from_units(10));
/// let first = book.hold(0, 0, 1, at(0))?.unwrap();
/// let second = book.hold(0, 1, 1, at(0))?.unwrap();
/// assert_eq!(book.hold(0, 2, 1, at(5))?, None, "all units are kept");
/// assert!(book.confirm(first, at(10)));
/// assert!(!book.confirm(second, at(11)), "it has expired");
/// assert!(book.hold(0, 2, 1, at(11))?.is_some(), "and its unit is free again");
/// # Ok::<(), gridloom::units::Overflow>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Book {
    units: Vec<Option<u64>>,
    keep: Span,
    holds: Vec<PreliminaryReservation>,
}

impl Book {
    /// A book for offers of these units, which keeps unconfirmed reservations for as long as `keep`.
    pub fn new(units: Vec<Option<u64>>, keep: Span) -> Self {
        Self { units, keep, holds: Vec::new() }
    }

    /// The units that can be had at an instant; nothing where there are always enough.
    pub fn free(&self, offer: usize, now: Time) -> Option<u64> {
        let kept = self.holds.iter().filter(|hold| hold.offer == offer && hold.is_kept(now));
        let units = self.units.get(offer).copied().unwrap_or(Some(0))?;
        Some(units.saturating_sub(kept.map(|hold| hold.units).sum()))
    }

    /// Keeps units for a job, if there are enough; returns the number of the reservation. Instants must not go back.
    pub fn hold(&mut self, offer: usize, job: usize, units: u64, now: Time) -> Result<Option<usize>, Overflow> {
        if self.free(offer, now).is_some_and(|free| free < units) {
            return Ok(None);
        }
        let until = Time::ZERO + (now - Time::ZERO).checked_add(self.keep)?;
        self.holds.push(PreliminaryReservation { offer, job, units, made: now, until, confirmed: None });
        Ok(Some(self.holds.len() - 1))
    }

    /// Confirms a reservation; false if there is none of that number any more.
    pub fn confirm(&mut self, number: usize, now: Time) -> bool {
        match self.holds.get_mut(number) {
            Some(hold) if now <= hold.until => {
                hold.confirmed.get_or_insert(now);
                true
            }
            _ => false,
        }
    }

    /// All reservations that were ever made.
    pub fn holds(&self) -> &[PreliminaryReservation] {
        &self.holds
    }
}
