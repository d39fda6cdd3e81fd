//! A batch system beneath a domain.

use crate::{choice, record};

choice! {
    /// The rule by which the queue of a batch system is served. Jobs stand in the order in which they came.
    #[derive(Copy, Eq)]
    pub enum BatchQueue {
        /// First come, first served: no job overtakes.
        Fcfs,
        /// A job may overtake if it does not delay the head of the queue.
        Easy,
        /// A job may overtake if it delays none of those before it: every job holds a reservation.
        Conservative,
    }
}

record! {
    /// A queue of its own before the nodes of a domain, in which local and global jobs wait together. It decides
    /// whenever a job comes or nodes become free, without regard to the cycles of the metascheduler.
    #[derive(Copy, Eq)]
    pub struct BatchSystemSpec {
        /// The rule by which its jobs start.
        queue: BatchQueue,
        /// The metascheduler may reserve nodes in time that is not promised to jobs of the queue, if true. Otherwise it
        /// can only send jobs to the queue. All jobs of a first-come-first-served or conservative queue have a promise,
        /// and the head of an EASY queue.
        reservations: bool = false,
    }
}
