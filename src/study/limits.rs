//! How much a run may take.

use crate::engine::Limits;
use crate::language::{Count, constant};
use crate::record;

record! {
    /// What one replication may take at most. It ends with an error when it comes to a limit; results do not depend on them.
    #[derive(Copy)]
    pub struct LimitsSpec {
        /// How many events may be drawn, and how many executed; more are expected, and the scenario is refused at once. A hundred million
        /// take some minutes.
        events: Count = Count::of(Limits::DEFAULT.events),
        /// How many bytes what is drawn and written down may take, by a count that is the same on every machine; as many replications
        /// run at once as there are threads.
        memory: Count = Count::of(Limits::DEFAULT.memory),
    }
}

impl Default for LimitsSpec {
    fn default() -> Self {
        constant("()")
    }
}

impl LimitsSpec {
    /// The limits themselves.
    pub fn limits(&self) -> Limits {
        Limits { events: self.events.get(), memory: self.memory.get() }
    }
}
