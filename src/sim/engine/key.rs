//! The place of an event in the order: time, then phase, then sequence.

use crate::units::Time;

/// The rank of an event among those of the same instant: lower phases run first.
///
/// A simulation names its phases once, so that rules such as "finishes come before starts" are stated and not left to
/// the order of scheduling.
///
/// ```
/// use gridloom::engine::Phase;
/// const FINISH: Phase = Phase(0);
/// const START: Phase = Phase(1);
/// assert!(FINISH < START);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Phase(pub u8);

/// The place of an event in the order. No two events have the same sequence number, so the order is total.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EventKey {
    pub(super) time: Time,
    pub(super) phase: Phase,
    pub(super) sequence: u64,
}
