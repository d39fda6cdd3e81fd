//! The wish to end early, as a token that long computations poll.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Says whether work should end now. Clones are the same token: whoever holds one can set it, and all see it, on any
/// thread.
///
/// A token goes from unset to set and never back. So a computation that ends early may leave anything behind, as long
/// as whoever uses its result looks at the token afterwards. Polling costs one relaxed load.
///
/// ```
/// use gridloom::engine::Stop;
///
/// let stop = Stop::new();
/// let other = stop.clone();
/// assert!(stop.check().is_ok());
/// other.set();
/// assert!(stop.check().is_err());
/// assert!(!Stop::NEVER.is_set());
/// ```
#[derive(Debug, Clone)]
pub struct Stop(Option<Arc<AtomicBool>>);

/// Work ended early, since its [`Stop`] was set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("interrupted")]
pub struct Stopped;

impl Stop {
    /// The token that is never set, for those who let work run to its end.
    pub const NEVER: &'static Self = &Self(None);

    /// A token that can be set.
    #[allow(clippy::new_without_default, reason = "by default nothing can be stopped")]
    pub fn new() -> Self {
        Self(Some(Arc::new(AtomicBool::new(false))))
    }

    /// A token that is never set.
    pub const fn never() -> Self {
        Self(None)
    }

    /// Asks all who poll this token to end; whether somebody had asked before. The token that is never set stays unset.
    pub fn set(&self) -> bool {
        self.0.as_ref().is_some_and(|flag| flag.swap(true, Ordering::Relaxed))
    }

    /// True if work should end now.
    pub fn is_set(&self) -> bool {
        self.0.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// An error once work should end, for `?`.
    pub fn check(&self) -> Result<(), Stopped> {
        if self.is_set() { Err(Stopped) } else { Ok(()) }
    }
}
