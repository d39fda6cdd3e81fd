//! The limits of a run.

use crate::engine::Limits;
use crate::language::{Count, constant};
use crate::record;

record! {
    /// The limits of one replication. It ends with an error when it comes to a limit; results do not depend on them.
    #[derive(Copy)]
    pub struct LimitsSpec {
        /// The largest number of events that may be drawn, and of events that may be executed. If more are expected,
        /// the scenario is refused at once. A hundred million take some minutes.
        #[unit = "events"]
        events: Count = Count::of(Limits::DEFAULT.events),
        /// The largest number of bytes that drawn and recorded data may take, by a count that is the same on every
        /// machine; as many replications run at once as there are threads.
        #[unit = "bytes"]
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
