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

/// Bits of a key that hold the sequence number. At ten million events a second they last for two centuries.
const SEQUENCE_BITS: u32 = 56;

/// Time, phase and sequence packed into one integer, so that comparing two events is one comparison of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EventKey(u128);

impl EventKey {
    pub(super) fn new(time: Time, phase: Phase, sequence: u64) -> Self {
        let low = u64::from(phase.0) << SEQUENCE_BITS | sequence;
        Self(u128::from(rank(time)) << 64 | u128::from(low))
    }

    /// The time as an unsigned number that sorts as the time does.
    pub(super) fn rank(self) -> u64 {
        (self.0 >> 64) as u64
    }

    pub(super) fn time(self) -> Time {
        Time::from_ticks((self.rank() ^ SIGN) as i64)
    }

    pub(super) fn phase(self) -> Phase {
        Phase((self.0 as u64 >> SEQUENCE_BITS) as u8)
    }

    pub(super) fn sequence(self) -> u64 {
        self.0 as u64 & ((1 << SEQUENCE_BITS) - 1)
    }
}

const SIGN: u64 = 1 << 63;

/// The unsigned number that sorts as `time` does.
pub(super) fn rank(time: Time) -> u64 {
    time.ticks() as u64 ^ SIGN
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keys_sort_as_their_parts_and_give_them_back(
            a in (any::<i64>(), any::<u8>(), 0u64..1 << 56),
            b in (any::<i64>(), any::<u8>(), 0u64..1 << 56),
            (same_time, same_phase) in any::<(bool, bool)>(),
        ) {
            let b = (if same_time { a.0 } else { b.0 }, if same_phase { a.1 } else { b.1 }, b.2);
            let key = |(ticks, phase, sequence)| EventKey::new(Time::from_ticks(ticks), Phase(phase), sequence);
            prop_assert_eq!(key(a).cmp(&key(b)), a.cmp(&b));
            prop_assert_eq!((key(a).time().ticks(), key(a).phase().0, key(a).sequence()), a);
        }
    }
}
