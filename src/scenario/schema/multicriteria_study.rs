//! `MulticriteriaStudy`: brokers on generated markets of candidate reservations.

use super::multicriteria::{TotalFormSpec, UserFormSpec};
use crate::record;
use crate::scenario::{Count, Distribution, Finite, NonNegative};
use crate::units::Span;

record! {
    /// Brokers on generated markets: each job is of a user of its own, whose wishes concern the guaranteed start, the estimated
    /// completion, the cost and the error of predictions; memory is a hard constraint. All brokers face the same markets, and users
    /// take the same time to confirm what each of them reserves.
    pub struct MulticriteriaStudy {
        /// How many jobs there are.
        jobs: Count,
        /// How many offers there are.
        offers: Count,
        /// What is drawn for each job and offer.
        market: MarketSpec,
        /// How the criteria of one user are aggregated.
        user_form: UserFormSpec = UserFormSpec::Distance,
        /// How the satisfactions of all users are aggregated.
        total_form: TotalFormSpec = TotalFormSpec::WorstFirst,
        /// The weight, beside 1 for each user, of an administrator who wants a short makespan and early starts; above 0 there is a
        /// further broker that listens to users and administrator.
        administrator: NonNegative = NonNegative::ZERO,
        /// From how many beginnings the local search starts.
        beginnings: Count = Count::of(10),
        /// How long providers keep a preliminary reservation.
        keep: Span,
        /// How long users take to confirm one.
        answer: Distribution,
        /// How often jobs that lost their reservation are brought before the broker again, the first time included.
        rounds: Count = Count::of(3),
        /// As many jobs and offers make a small market, drawn besides, with one job for each offer, on which the local search is
        /// held against the exact one.
        small: Count = Count::of(6),
    }
    check(this, at, errors) {
        this.answer.require_support(&at.field("answer"), errors, 0.0..=1e9);
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

record! {
    /// What jobs and offers are drawn from.
    pub struct MarketSpec {
        /// The guaranteed start of an offer.
        start: Distribution,
        /// How fast an offer is: a job of length t runs for t / speed.
        speed: Distribution,
        /// What an offer costs per unit of time and of speed.
        price: Distribution,
        /// How many units an offer has.
        units: Distribution,
        /// The memory of an offer.
        memory: Distribution,
        /// The length of a job.
        length: Distribution,
        /// How many units a job takes.
        demand: Distribution = Distribution::Constant(Finite::of(1.0)),
        /// The memory that a job needs.
        need: Distribution,
        /// The factor by which a run deviates from t / speed.
        noise: Distribution = Distribution::Constant(Finite::of(1.0)),
        /// How many earlier runs of each job's profile there are on each offer.
        history: Count = Count::of(5),
        /// The weight of each criterion to a user.
        weight: Distribution,
    }
    check(this, at, errors) {
        for (name, distribution, low, high) in [
            ("start", &this.start, 0.0, 1e9),
            ("speed", &this.speed, 1e-6, 1e6),
            ("price", &this.price, 0.0, 1e6),
            ("units", &this.units, 1.0, 1e9),
            ("memory", &this.memory, 0.0, 1e9),
            ("length", &this.length, 0.0, 1e9),
            ("demand", &this.demand, 1.0, 1e9),
            ("need", &this.need, 0.0, 1e9),
            ("noise", &this.noise, 0.0, 1e3),
            // A user with nothing but weights of 0 would have no wishes.
            ("weight", &this.weight, 1e-6, 1e6),
        ] {
            distribution.require_support(&at.field(name), errors, low..=high);
        }
        if this.history.get() > 1000 {
            errors.add(&at.field("history"), "so many runs are not remembered", "give at most 1000");
        }
    }
}
