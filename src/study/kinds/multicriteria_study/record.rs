//! `MulticriteriaStudy`: brokers on generated markets of candidate reservations.

use crate::broker::multicriteria::{TotalForm, UserForm};
use crate::language::{Count, NonNegative, Within};
use crate::record;
use crate::units::Span;
use crate::workload::MarketSpec;
use crate::workload::bounds::LongTimes;

record! {
    /// Brokers on generated markets: each job is of a user of its own, whose wishes concern the guaranteed start, the
    /// estimated completion, the cost and the error of predictions; memory is a hard constraint. All brokers face the
    /// same markets, and users take the same time to confirm what each of them reserves.
    pub struct MulticriteriaStudy {
        /// The number of jobs.
        #[unit = "jobs"]
        jobs: Count,
        /// The number of offers.
        #[unit = "offers"]
        offers: Count,
        /// The values that are drawn for each job and offer.
        market: MarketSpec,
        /// The way in which the criteria of one user are aggregated.
        user_form: UserForm = UserForm::Distance,
        /// The way in which the satisfactions of all users are aggregated.
        total_form: TotalForm = TotalForm::WorstFirst,
        /// The weight, beside 1 for each user, of an administrator who wants a short makespan and early starts; above 0
        /// there is a further broker that listens to users and administrator.
        #[unit = "weight"]
        administrator: NonNegative = NonNegative::ZERO,
        /// The number of starting points of the local search.
        #[unit = "starting points"]
        beginnings: Count = Count::of(10),
        /// The time for which providers keep a preliminary reservation.
        keep: Span,
        /// The time that users take to confirm a preliminary reservation.
        #[unit = "units of time"]
        answer: Within<LongTimes>,
        /// The largest number of rounds, the first included: in each, jobs that lost their reservation are brought
        /// before the broker again.
        #[unit = "rounds"]
        rounds: Count = Count::of(3),
        /// The number of jobs, and of offers, of a small market that is drawn besides. On it, with one job for each
        /// offer, the local search is compared with the exact one.
        #[unit = "jobs and offers"]
        small: Count = Count::of(6),
    }
    starter(include_str!("starter.ron"))
    check(this, at, errors) {
        let size = this.jobs.get().saturating_mul(this.offers.get());
        if size > 1_000_000 {
            errors.add(at, format!("{size} pairs of a job and an offer"), "keep jobs x offers below a million");
        }
        if this.small.get() > 8 {
            errors.add(&at.field("small"), "the exact search would take too long", "give at most 8");
        }
        if this.beginnings.get() > 10_000 {
            errors.add(&at.field("beginnings"), "the local search would take too long", "give at most 10000");
        }
    }
}
