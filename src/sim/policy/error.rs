//! The reasons for which a policy can't decide.

use super::ExternalFault;
use crate::broker::BrokerError;
use crate::broker::multicriteria::Refusal;
use crate::combine::NoChoice;
use crate::engine::Stopped;
use crate::model::NotFree;
use crate::units::{Overflow, UnitsError};

/// Why a policy has no decisions. That no job can be placed is no error: it is a decision for none of them.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PolicyError {
    /// It was asked to end.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// Costs or times left their range.
    #[error(transparent)]
    Overflow(#[from] Overflow),
    /// A number that it worked out can't be used.
    #[error(transparent)]
    Units(#[from] UnitsError),
    /// The choice of alternatives failed, and not because of its limit.
    #[error(transparent)]
    Choice(#[from] NoChoice),
    /// The broker's solver gave up.
    #[error(transparent)]
    Broker(#[from] BrokerError),
    /// The broker can't make sense of what is offered.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// A window was cut out of time that is not free.
    #[error(transparent)]
    NotFree(#[from] NotFree),
    /// A program of the user's own failed.
    #[error(transparent)]
    External(#[from] ExternalFault),
    /// Anything else, for policies outside this crate.
    #[error("{0}")]
    Other(String),
}
