//! The event kernel: a clock, a queue of future events, and the loop that executes them.
//!
//! The kernel knows nothing of grids. It is generic over the event type; what an event means is up to the handler that
//! the caller passes to [`Kernel::run`]. The order of execution is total and stated: by time, then by [`Phase`], then
//! in the order of scheduling. An event can be cancelled by its [`Handle`] until it is executed. Nothing can be
//! scheduled before the present: that is a [`ScheduleError`] and neither a panic nor a silent reordering.
//!
//! A tiny simulation: a ping is answered by a pong two units later, and whoever waits for an answer gives up after
//! five, unless it came.
//!
//! ```
//! use gridloom::engine::{Ended, Handle, Kernel, Phase, ScheduleError};
//! use gridloom::units::{Span, Time};
//!
//! // At one instant answers are heard before anyone gives up.
//! const ANSWER: Phase = Phase(0);
//! const TIMEOUT: Phase = Phase(1);
//!
//! enum Event {
//!     Ping,
//!     Pong { timeout: Handle },
//!     GiveUp,
//! }
//!
//! let mut log = Vec::new();
//! let mut kernel = Kernel::new();
//! kernel.schedule_at(Time::from_units(1), ANSWER, Event::Ping)?;
//!
//! let ended = kernel.run(|kernel, event| {
//!     match event {
//!         Event::Ping => {
//!             log.push(format!("{} ping", kernel.now()));
//!             let timeout = kernel.schedule_after(Span::from_units(5), TIMEOUT, Event::GiveUp)?;
//!             kernel.schedule_after(Span::from_units(2), ANSWER, Event::Pong { timeout })?;
//!         }
//!         Event::Pong { timeout } => {
//!             assert!(kernel.cancel(timeout), "nobody gave up yet");
//!             log.push(format!("{} pong", kernel.now()));
//!         }
//!         Event::GiveUp => log.push(format!("{} no answer", kernel.now())),
//!     }
//!     Ok::<(), ScheduleError>(())
//! })?;
//!
//! assert_eq!(ended, Ended::Empty);
//! assert_eq!(log, ["1 ping", "3 pong"]);
//! # Ok::<(), ScheduleError>(())
//! ```

mod kernel;
mod key;
mod limits;
mod queue;
mod stop;

pub use kernel::{Ended, Kernel, ScheduleError};
pub use key::Phase;
pub use limits::{LimitHit, Limits, Meter};
pub use queue::Handle;
pub use stop::{Stop, StopInWorld, Stopped};
