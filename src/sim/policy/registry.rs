//! Policies as scenarios write them: by name, or with rules of their own.

use super::{BatchScope, LocatedExternal, MetaschedulerSpec, PerDomain, Planner, Policy, PolicyChoice, TwoTier};
use crate::language::{Context, Cursor, Decode, Description, Form};
use crate::model::CostLimit;
use crate::queueing::Order;
use crate::rng::Streams;
use crate::search::{Finder, Search};
use crate::{choice, record};
use serde::Serialize;

/// The parameters of a policy, as scenarios write them, and the way to make it.
pub trait PolicySpec {
    /// The name in results.
    fn name(&self) -> String;

    /// The policy, for one world.
    fn make(&self, setup: &Setup<'_>) -> Box<dyn Policy>;

    /// When it acts, unless a scenario says otherwise.
    fn acts(&self) -> Acts {
        Acts::Cycles
    }

    /// The order of its queue.
    fn order(&self) -> Order {
        Order::Rank
    }

    /// True if it picks windows within limits of the batch, which may turn out to be out of reach.
    fn has_limits(&self) -> bool {
        false
    }

    /// The ways in which it places jobs.
    fn places(&self) -> PlacesBy {
        PlacesBy::Reserving
    }

    /// True if it places rigid jobs only in windows that end within the scheduling interval. Those that could have none even
    /// if all nodes were idle are then not offered to it.
    fn seeks_windows(&self) -> bool {
        false
    }
}

/// All that policies are made from, besides their own parameters.
#[derive(Debug, Clone, Copy)]
pub struct Setup<'a> {
    /// The parameters that policies share.
    pub metascheduler: &'a MetaschedulerSpec,
    /// The random streams of the world.
    pub streams: &'a Streams,
}

impl<'a> Setup<'a> {
    /// The window search.
    pub fn search(&self) -> &'a Search {
        &self.metascheduler.search
    }

    /// The limit on the cost of a window.
    pub fn limit(&self) -> CostLimit {
        self.search().get().limit()
    }

    /// The search for the earliest window within the same limit on its cost, for policies that need the earliest.
    pub fn finder(&self) -> Finder {
        self.search().get().finder().unwrap_or(Finder::within(self.limit()))
    }

    /// The planner of workflows.
    pub fn planner(&self) -> Planner {
        let MetaschedulerSpec { rich_from, fallback, .. } = *self.metascheduler;
        Planner { rich_from, fallback, limit: self.limit(), ties: self.streams.stream("ties") }
    }

    /// A policy that finds windows, with the tasks of workflows placed inside them.
    pub fn two_tier(&self, windows: impl Policy + 'static) -> Box<dyn Policy> {
        Box::new(TwoTier { windows, planner: self.planner() })
    }

    /// The same for a policy that decides on whole batches by the windows that the metascheduler's search finds: for all
    /// domains together or for each of them, as the metascheduler has it.
    pub fn batched(&self, windows: impl Policy + 'static) -> Box<dyn Policy> {
        match self.metascheduler.batches {
            BatchScope::Grid => self.two_tier(windows),
            BatchScope::Domain => Box::new(PerDomain::new(self.two_tier(windows))),
        }
    }
}

/// The ways in which a policy places jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlacesBy {
    /// It reserves nodes, and never sends jobs to batch systems.
    Reserving,
    /// It sends jobs to the batch systems of domains, and never reserves nodes.
    Sending,
    /// It does both.
    Either,
}

choice! {
    /// When a policy acts.
    #[derive(Copy, Eq)]
    pub enum Acts {
        /// At the cycles of the metascheduler, on the queue.
        Cycles,
        /// At each submission, on the job that was submitted, and at cycles, on the jobs that are left. Not for queues,
        /// whose newcomers would overtake.
        Submission,
        /// After all that happened at an instant, if jobs were submitted or nodes became free, and at cycles, on the
        /// queue.
        Events,
    }
}

record! {
    /// A policy with rules of its own.
    pub(super) struct Ruled {
        /// The policy that the rules are for.
        policy: PolicyChoice,
        /// The name in results; that of the policy, unless given.
        name: Option<String>,
        /// When it acts; as is usual for the policy, unless given.
        acts: Option<Acts>,
        /// The order of its queue; by `rank` of the metascheduler, unless given.
        order: Option<Order>,
    }
    check(this, at, errors) {
        check_name(this.name.as_deref(), at, errors);
        // At a submission a policy sees the newcomer alone, who would overtake all that wait.
        if this.acts == Some(Acts::Submission) && this.policy.get().acts() == Acts::Events {
            let wrong = "a queue must see those who wait, and at submissions it would see the newcomer alone";
            errors.add(&at.field("acts"), wrong, "give `Events` or `Cycles`");
        }
    }
}

/// A name that is given has to be one that can stand in a table.
pub(super) fn check_name(name: Option<&str>, at: &Cursor<'_>, errors: &mut Context<'_>) {
    let Some(name) = name else { return };
    if name.is_empty() {
        errors.add(&at.field("name"), "the name is empty", "give the policy a name, or leave `name` out");
    } else if name.chars().any(char::is_control) {
        errors.add(&at.field("name"), "the name has control characters", "give a name of one line");
    }
}

/// A policy of a scenario: by its name alone, or as a record with rules of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyEntry(Ruled);

impl PolicySpec for PolicyEntry {
    fn name(&self) -> String {
        self.0.name.clone().unwrap_or_else(|| self.0.policy.get().name())
    }

    fn make(&self, setup: &Setup<'_>) -> Box<dyn Policy> {
        self.0.policy.get().make(setup)
    }

    fn acts(&self) -> Acts {
        self.0.acts.unwrap_or_else(|| self.0.policy.get().acts())
    }

    fn order(&self) -> Order {
        self.0.order.unwrap_or_else(|| self.0.policy.get().order())
    }

    fn has_limits(&self) -> bool {
        self.0.policy.get().has_limits()
    }

    fn places(&self) -> PlacesBy {
        self.0.policy.get().places()
    }

    fn seeks_windows(&self) -> bool {
        self.0.policy.get().seeks_windows()
    }
}

impl PolicyEntry {
    /// The program of the user's own that it is, if it is one.
    pub fn external(&self) -> Option<&LocatedExternal> {
        match &self.0.policy {
            PolicyChoice::External(external) => Some(external),
            _ => None,
        }
    }

    pub fn external_mut(&mut self) -> Option<&mut LocatedExternal> {
        match &mut self.0.policy {
            PolicyChoice::External(external) => Some(external),
            _ => None,
        }
    }
}

impl From<PolicyChoice> for PolicyEntry {
    fn from(policy: PolicyChoice) -> Self {
        Self(Ruled { policy, name: None, acts: None, order: None })
    }
}

impl Decode for PolicyEntry {
    fn wanted() -> String {
        format!("{}, or `(policy: ..., name: ..., acts: ..., order: ...)`", PolicyChoice::wanted())
    }

    fn declared() -> Option<fn() -> Description> {
        PolicyChoice::declared()
    }

    fn form() -> Form {
        Form::Either(vec![PolicyChoice::form(), Ruled::form()])
    }

    fn decode(at: &Cursor<'_>, context: &mut Context<'_>) -> Option<Self> {
        if at.name().is_none() && at.group().is_some() {
            Ruled::decode(at, context).map(Self)
        } else {
            PolicyChoice::decode(at, context).map(Self::from)
        }
    }
}

impl Serialize for PolicyEntry {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Ruled { policy, name: None, acts: None, order: None } => policy.serialize(serializer),
            ruled => ruled.serialize(serializer),
        }
    }
}
