//! Schedulers of the grid: what they see, what they answer, and which of them a scenario can name.
//!
//! A policy gets a read-only [`View`] and returns [`Decision`]s; whoever asked applies them. A policy never sees the
//! event queue or the world's insides. To add a policy: write one file here, with its parameters, an implementation of
//! [`Policy`] and one of [`PolicySpec`], and give it a line in the [registry](PolicyChoice) below. All that lists,
//! explains, compares and tests policies reads the registry.

mod application;
mod backfilling;
mod batch;
mod brokered;
mod choose_domain;
mod domain_time;
mod error;
mod external;
mod first_window;
mod foreign;
mod free_slots;
mod grid_instant;
mod idle;
mod long_queue;
mod metascheduler;
mod offers;
mod per_domain;
mod registry;
mod shops;
mod systems;
mod windowless;

pub use application::{ApplicationOnly, Direct, Planner, TwoTier};
pub use backfilling::{Backfilling, ConservativePolicy, EasyPolicy, FcfsPolicy};
pub use batch::{Batch, FirstOffered, NoOpt, Opt, Pick, WeightedVector};
pub use brokered::{
    Brokered, Compromise, ExactPolicy, GreedyPolicy, HgaRepairedPolicy, LpgaRepairedPolicy, MmcPolicy,
    MulticriteriaPolicy,
};
pub use choose_domain::{LeastLoaded, MulticriteriaWait, RandomDomain, ShortestWait};
pub use error::PolicyError;
pub use external::{External, ExternalFault, LocatedExternal};
pub use first_window::FirstWindow;
pub use foreign::{ForeignAnswer, PromiseAnswer, ReserveAnswer, SendAnswer, WrongDecision};
pub use free_slots::{FreeSlots, SlotSource};
use long_queue::ListedQueue;
pub use long_queue::LongQueue;
pub(crate) use long_queue::within;
pub use metascheduler::{Fallback, MetaschedulerSpec, RankSpec};
pub use offers::{DomainOffers, Reservations};
pub use per_domain::{BatchScope, PerDomain};
pub use registry::{Acts, PlacesBy, PolicyEntry, PolicySpec, Setup};
pub use shops::{BrokerResources, BrokerTerms};
pub use systems::{Forecast, SystemView};

use crate::engine::Stop;
use crate::model::{Dag, Domain, JobId, Node, Request, Slot, SlotList, Strategy, Window};
use crate::units::{Money, Time};
use crate::workload::RuntimeRule;

crate::registry! {
    /// The schedulers of the grid.
    pub enum PolicyChoice: PolicySpec {
        Fcfs(backfilling::FcfsPolicy),
        Easy(backfilling::EasyPolicy),
        Conservative(backfilling::ConservativePolicy),
        FirstWindow(batch::FirstOffered),
        Opt(batch::Opt),
        NoOpt(batch::NoOpt),
        Weighted(batch::WeightedVector),
        Greedy(brokered::GreedyPolicy),
        Mmc(brokered::MmcPolicy),
        HgaRepaired(brokered::HgaRepairedPolicy),
        LpgaRepaired(brokered::LpgaRepairedPolicy),
        Exact(brokered::ExactPolicy),
        Multicriteria(brokered::MulticriteriaPolicy),
        Reservations(offers::Reservations),
        ApplicationOnly(application::ApplicationOnly),
        RandomDomain(choose_domain::RandomDomain),
        LeastLoaded(choose_domain::LeastLoaded),
        ShortestWait(choose_domain::ShortestWait),
        MulticriteriaWait(choose_domain::MulticriteriaWait),
        External(external::LocatedExternal),
    }
    reads "Hga" as HgaRepaired
    reads "Lpga" as LpgaRepaired
}

/// All that a policy may know when it decides.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The present: no window may start before it.
    pub now: Time,
    /// The nodes, by their id.
    pub nodes: &'a [Node],
    /// The domains, each a range of nodes.
    pub domains: &'a [Domain],
    /// The free slots on them, listed when they are first looked at.
    pub slots: &'a FreeSlots<'a>,
    /// The rule by which a job's length becomes a runtime.
    pub rule: RuntimeRule,
    /// The jobs that wait, the first in the queue first.
    pub queue: &'a [Waiting<'a>],
    /// The batch systems beneath domains, in the order of their domains.
    pub systems: &'a [SystemView<'a>],
    /// The occasion.
    pub why: Why,
    /// Whoever takes long polls it and comes back early once it is set; what is decided then does not count.
    pub stop: &'a Stop,
}

impl View<'_> {
    /// The jobs that it lists.
    fn listed_queue(&self) -> ListedQueue<'_> {
        ListedQueue { jobs: self.queue, rule: self.rule }
    }

    /// The free slots on the nodes of a domain.
    pub fn slots_of(&self, domain: &Domain) -> SlotList {
        let last = domain.first.0 + domain.nodes as u32;
        let inside = |slot: &&Slot| (domain.first.0..last).contains(&slot.node.0);
        SlotList::of_ordered(self.slots.as_slice().iter().filter(inside).copied().collect())
    }
}

/// A job that waits.
#[derive(Debug, Clone, Copy)]
pub struct Waiting<'a> {
    /// The job: jobs are numbered as they are submitted.
    pub id: JobId,
    /// The nodes it asks for.
    pub request: &'a Request,
    /// The tasks that are to be placed on its nodes, if they depend on each other.
    pub workflow: Option<&'a Dag>,
    /// The criterion by which its tasks are to be placed, if its user has one.
    pub strategy: Option<Strategy>,
    /// The time of its submission.
    pub submitted: Time,
    /// The number of decisions that have left it without a place so far, and of collisions that sent it back.
    pub attempts: u32,
    /// The number of its user.
    pub user: u32,
    /// The start that a policy has promised it, if one has.
    pub promise: Option<Time>,
    /// No task of it may start before: of a job that was displaced, some tasks may be done or under way, and their data
    /// come by then. The request and the workflow are those of what is left.
    pub ready: Time,
    /// The budget that is left of such a job, where it is limited in all; by the request, unless given.
    pub budget: Option<Money>,
}

impl<'a> Waiting<'a> {
    /// A job that was submitted just now, at time 0 by the first user.
    pub fn new(id: JobId, request: &'a Request) -> Self {
        Self {
            id,
            request,
            workflow: None,
            strategy: None,
            submitted: Time::ZERO,
            attempts: 0,
            user: 0,
            promise: None,
            ready: Time::ZERO,
            budget: None,
        }
    }
}

/// The occasion on which a policy is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// A cycle of the metascheduler: the queue up to the size of a batch.
    Cycle,
    /// The submission of a job: that job alone.
    Submission,
    /// Something happened that may let a job start: the queue up to the size of a batch.
    Event,
}

/// An action that a policy wants done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Reserve `window` for the job at position `request` of the queue.
    Reserve {
        /// The position in the view's queue.
        request: usize,
        /// Its nodes and their time.
        window: Window,
    },
    /// Reserve a place for each task of a workflow.
    Plan {
        /// The position in the view's queue.
        request: usize,
        /// The place of each task, by task.
        tasks: Vec<Slot>,
        /// True if the plan is by HEFT because the critical jobs method found none.
        by_fallback: bool,
    },
    /// The job is promised to start by this time; nothing is reserved. Views show it until the job has a place.
    Promise {
        /// The position in the view's queue.
        request: usize,
        /// The latest start.
        start: Time,
    },
    /// The job goes to the queue of a domain's batch system, which will start it. Workflows can't be sent.
    Send {
        /// The position in the view's queue.
        request: usize,
        /// The position of the domain.
        domain: usize,
    },
    /// There is a window for the workflow, but its tasks can't be placed in it; or, without windows, in no domain.
    NoPlan {
        /// The position in the view's queue.
        request: usize,
        /// The reason.
        why: WhyUnplanned,
    },
    /// The limit of this cycle's batch (T* or B*) can't be met, so the windows were chosen without it.
    LimitUnmet,
}

impl Decision {
    /// The position in the view's queue of the job that it is about.
    pub fn request(&self) -> Option<usize> {
        match *self {
            Self::Reserve { request, .. }
            | Self::Plan { request, .. }
            | Self::Promise { request, .. }
            | Self::Send { request, .. }
            | Self::NoPlan { request, .. } => Some(request),
            Self::LimitUnmet => None,
        }
    }

    /// The same about another position in the queue.
    pub(super) fn renumbered(self, place: impl Fn(usize) -> usize) -> Self {
        match self {
            Self::Send { request, domain } => Self::Send { request: place(request), domain },
            Self::Reserve { request, window } => Self::Reserve { request: place(request), window },
            Self::Plan { request, tasks, by_fallback } => Self::Plan { request: place(request), tasks, by_fallback },
            Self::Promise { request, start } => Self::Promise { request: place(request), start },
            Self::NoPlan { request, why } => Self::NoPlan { request: place(request), why },
            Self::LimitUnmet => Self::LimitUnmet,
        }
    }
}

/// The reason for which a workflow has no plan, from the farthest to the nearest to one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WhyUnplanned {
    /// There is no time for it before its deadline or the end of its window, whatever the plan.
    NoTime,
    /// There may be time for it, but no plan was found.
    NotFound,
    /// The plan that was found costs more than the job may.
    TooExpensive,
}

impl WhyUnplanned {
    /// All reasons.
    pub const ALL: [Self; 3] = [Self::NoTime, Self::NotFound, Self::TooExpensive];

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoTime => "no time",
            Self::NotFound => "none found",
            Self::TooExpensive => "too expensive",
        }
    }
}

/// A scheduler.
pub trait Policy {
    /// Decisions about the jobs that wait; those without one go on waiting. An error ends the run.
    fn decide(&mut self, view: &View<'_>) -> Result<Vec<Decision>, PolicyError>;

    /// The same from a queue that is not listed, in place of that of the view, which is empty. Nothing if the policy
    /// needs the list: it is asked to [`decide`](Self::decide) then.
    fn decide_from(&mut self, _: &View<'_>, _: &dyn LongQueue) -> Option<Result<Vec<Decision>, PolicyError>> {
        None
    }
}

impl<P: Policy + ?Sized> Policy for Box<P> {
    fn decide(&mut self, view: &View<'_>) -> Result<Vec<Decision>, PolicyError> {
        (**self).decide(view)
    }

    fn decide_from(&mut self, view: &View<'_>, queue: &dyn LongQueue) -> Option<Result<Vec<Decision>, PolicyError>> {
        (**self).decide_from(view, queue)
    }
}
