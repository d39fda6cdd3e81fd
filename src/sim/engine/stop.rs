//! The wish to end early, as a token that long computations poll; and how far they are, which they tell by it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

/// Parts of a world in which progress is counted.
const WHOLE: i64 = 1_000_000_000;

/// Says whether work should end now. Clones are the same token: whoever holds one can set it, and all see it, on any
/// thread.
///
/// A token goes from unset to set and never back. So a computation that ends early may leave anything behind, as long
/// as whoever uses its result looks at the token afterwards. Polling costs one relaxed load.
///
/// The other way, computations tell by it how many events they have executed and how much of the worlds under way is
/// done, for whoever shows that. It never reaches a result.
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
pub struct Stop {
    token: Option<Arc<StopState>>,
    /// What is told of one world, if a world is under way.
    world: Option<Arc<AtomicI64>>,
    /// The part of the world that one computation is, in parts of [`WHOLE`].
    share: i64,
}

#[derive(Debug, Default)]
struct StopState {
    is_set: AtomicBool,
    events: AtomicU64,
    /// What is done of all worlds under way, in parts of [`WHOLE`].
    under_way: AtomicI64,
}

/// Work ended early, since its [`Stop`] was set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("interrupted")]
pub struct Stopped;

impl Stop {
    /// The token that is never set, for those who let work run to its end.
    pub const NEVER: &'static Self = &Self::never();

    /// A token that can be set.
    #[allow(clippy::new_without_default, reason = "by default nothing can be stopped")]
    pub fn new() -> Self {
        Self { token: Some(Arc::default()), ..Self::never() }
    }

    /// A token that is never set.
    pub const fn never() -> Self {
        Self { token: None, world: None, share: WHOLE }
    }

    /// Asks all who poll this token to end; whether somebody had asked before. The token that is never set stays unset.
    pub fn set(&self) -> bool {
        self.token.as_ref().is_some_and(|token| token.is_set.swap(true, Ordering::Relaxed))
    }

    /// True if work should end now.
    pub fn is_set(&self) -> bool {
        self.token.as_ref().is_some_and(|token| token.is_set.load(Ordering::Relaxed))
    }

    /// An error once work should end, for `?`.
    pub fn check(&self) -> Result<(), Stopped> {
        if self.is_set() { Err(Stopped) } else { Ok(()) }
    }

    /// The number of events that were told so far.
    pub fn events(&self) -> u64 {
        self.token.as_ref().map_or(0, |token| token.events.load(Ordering::Relaxed))
    }

    /// What is done of the worlds under way, in worlds: 1.5 if one is nearly over and another half done.
    pub fn under_way(&self) -> f64 {
        let done = self.token.as_ref().map_or(0, |token| token.under_way.load(Ordering::Relaxed));
        done.max(0) as f64 / WHOLE as f64
    }

    /// The same token for one world, which is made up of this many computations of about the same length. When it is
    /// dropped, the world is under way no more.
    pub fn world(&self, parts: usize) -> StopInWorld {
        let world = self.token.is_some().then(Arc::default);
        StopInWorld(Self { token: self.token.clone(), world, share: WHOLE / parts.max(1) as i64 })
    }

    /// What one computation, such as an event loop, tells of itself.
    pub(crate) fn pulse(&self) -> Pulse {
        Pulse { stop: self.clone(), events: 0, done: 0 }
    }
}

/// A token for the computations of one world.
#[derive(Debug)]
pub struct StopInWorld(Stop);

impl std::ops::Deref for StopInWorld {
    type Target = Stop;

    fn deref(&self) -> &Stop {
        &self.0
    }
}

impl Drop for StopInWorld {
    fn drop(&mut self) {
        if let (Some(token), Some(world)) = (&self.0.token, &self.0.world) {
            token.under_way.fetch_sub(world.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }
}

/// What a computation has told of itself so far. Once it is dropped, its part of the world counts as done.
#[derive(Debug)]
pub(crate) struct Pulse {
    stop: Stop,
    events: u64,
    done: i64,
}

impl Pulse {
    /// Tells the number of events so far and the share that is done, up to 1.
    pub(crate) fn tell(&mut self, events: u64, done: f64) {
        let Some(token) = &self.stop.token else { return };
        token.events.fetch_add(events.saturating_sub(self.events), Ordering::Relaxed);
        self.events = self.events.max(events);
        let Some(world) = &self.stop.world else { return };
        // A share that is not a number counts as none.
        let done = ((self.stop.share as f64 * done.clamp(0.0, 1.0)) as i64).max(self.done);
        token.under_way.fetch_add(done - self.done, Ordering::Relaxed);
        world.fetch_add(done - self.done, Ordering::Relaxed);
        self.done = done;
    }
}

impl Drop for Pulse {
    fn drop(&mut self) {
        self.tell(self.events, 1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worlds_under_way_add_up_and_leave_nothing_behind() {
        let stop = Stop::new();
        let first = stop.world(2);
        let second = stop.clone().world(1);
        let mut pulse = first.pulse();
        pulse.tell(100, 0.5);
        assert_eq!((stop.events(), stop.under_way()), (100, 0.25));
        pulse.tell(90, 0.25);
        assert_eq!((stop.events(), stop.under_way()), (100, 0.25), "nothing is taken back");
        let mut other = second.pulse();
        other.tell(10, 0.5);
        assert_eq!((stop.events(), stop.under_way()), (110, 0.75));
        drop(pulse);
        assert_eq!(stop.under_way(), 1.0, "the first of two parts is done");
        drop(first);
        assert_eq!(stop.under_way(), 0.5);
        drop((other, second));
        assert_eq!((stop.events(), stop.under_way()), (110, 0.0));
    }

    #[test]
    fn without_a_world_or_a_token_nothing_is_under_way() {
        let stop = Stop::new();
        stop.pulse().tell(7, 0.5);
        assert_eq!((stop.events(), stop.under_way()), (7, 0.0));
        Stop::NEVER.world(3).pulse().tell(7, f64::NAN);
        assert_eq!((Stop::NEVER.events(), Stop::NEVER.under_way()), (0, 0.0));
    }
}
