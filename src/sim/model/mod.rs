//! The things a grid is made of: plain data with their invariants; no policy, no input or output.
//!
//! A [`Node`] has a performance and a price. Its [`Timeline`] knows when it is free. A [`Slot`] is one free interval on
//! one node, and a [`SlotList`] holds the slots of many nodes in order of start. A [`Request`] asks for several nodes
//! at once; a [`Window`] grants them. A [`Job`] is a request with a user and what its tasks really take; a [`Dag`] is
//! tasks that wait for each other. On a utility grid a [`Resource`] rents its elements out to [`UserJob`]s; a [`Lease`]
//! says who has them.

mod dag;
mod interval;
mod job;
mod node;
mod request;
mod slot_list;
mod slots_by_node;
mod time_map;
mod timeline;
mod utility;
mod window;

pub use dag::{Dag, DagError, Edge, Task, TaskId};
pub use interval::Interval;
pub use job::{Domain, Job, JobId, Strategy};
pub use node::{Node, NodeId, Slot};
pub use request::{CostLimit, Request};
pub use slot_list::{NotFree, SlotList};
pub(crate) use slot_list::{exchange, place, rests, sort_by_node, sort_by_place};
pub(crate) use slots_by_node::SlotsByNode;
pub(crate) use time_map::TimeMap;
pub use timeline::{Timeline, TimelineError};
pub use utility::{Grain, Lease, Resource, UserJob};
pub use window::Window;
