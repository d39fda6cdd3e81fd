//! `Multicriteria`: users, jobs and offers; the best compromise (file 004, sections 3 to 5).

use super::drawn::DrawnMarkets;
use super::learning::PastChoices;
use super::market::{report_attributes, report_hopeless, report_providers, report_solutions};
use super::offers::{CriterionNames, CriterionSpec, JobNames, LimitSpec, OfferNames, OfferSpec};
use crate::broker::multicriteria::{Take, TotalForm, UserForm};
use crate::language::{Count, Finite, Name, NameKind, NonEmpty, NonNegative, Positive, Ref};
use crate::study::parts::report_twice;
use crate::units::Span;
use crate::{choice, record};

/// The names of users.
#[derive(Debug, Clone, PartialEq)]
pub enum UserNames {}

impl NameKind for UserNames {
    const WHAT: &'static str = "user";
}

/// The names of stakeholders besides users.
#[derive(Debug, Clone, PartialEq)]
pub enum StakeholderNames {}

impl NameKind for StakeholderNames {
    const WHAT: &'static str = "stakeholder";
}

/// The names of listed solutions and of baselines.
#[derive(Debug, Clone, PartialEq)]
pub enum SolutionNames {}

impl NameKind for SolutionNames {
    const WHAT: &'static str = "solution";
}

record! {
    /// Brokers that weigh the criteria of all users and providers: the best compromise beside simpler brokers, on a listed
    /// market or on drawn ones; or what a broker learns of a user's preferences.
    pub struct Multicriteria {
        /// The market on which brokers decide, or the choices from which one learns.
        market: MarketKind,
        /// The way in which the criteria of one user are aggregated.
        user_form: UserForm = UserForm::Distance,
        /// The way in which the satisfactions of all stakeholders are aggregated.
        total_form: TotalForm = TotalForm::WorstFirst,
        /// The time for which a provider keeps a preliminary reservation for its user to confirm; for ever, unless
        /// given.
        keep: Option<Span>,
    }
    starter(include_str!("starter.ron"))
    moved("criteria", include_str!("moved/listed.ron"))
    check(this, at, errors) {
        match (&this.market, this.keep) {
            (MarketKind::Drawn(_), None) => {
                errors.add(at, "nothing says when reservations on drawn markets expire", "give `keep`");
            }
            (MarketKind::Choices(_), Some(_)) => {
                errors.add(&at.field("keep"), "nothing is reserved where a broker learns", "leave it out");
            }
            _ => {}
        }
        if matches!(this.market, MarketKind::Choices(_)) && this.user_form != UserForm::Distance {
            errors.add(&at.field("user_form"), "users choose by each of `models`", "leave it out");
        }
    }
}

choice! {
    /// What brokers decide on.
    pub enum MarketKind {
        /// Listed users, jobs and offers. Without time slots brokers decide by attributes alone, the papers' model (i);
        /// with them offers are candidate reservations, model (ii).
        Listed(ListedMarket),
        /// Markets of candidate reservations, another one in each world. All brokers face the same, and users take the
        /// same time to confirm what each of them reserves.
        Drawn(DrawnMarkets),
        /// Choices of the past, from which a broker learns what a user wants.
        Choices(PastChoices),
    }
}

record! {
    /// Listed users, jobs and offers, and what is looked at besides.
    pub struct ListedMarket {
        /// The criteria by which offers are compared.
        criteria: NonEmpty<CriterionSpec>,
        /// The users who have jobs, and their wishes.
        users: NonEmpty<UserSpec>,
        /// The jobs to which offers are assigned.
        jobs: NonEmpty<BrokeredJobSpec>,
        /// The offers, or providers.
        offers: NonEmpty<OfferSpec>,
        /// Providers and administrators with wishes of their own.
        stakeholders: Vec<StakeholderSpec> = Vec::new(),
        /// The values between which the satisfaction of a user is scaled, where the user gives none.
        reference: ReferenceSpec = ReferenceSpec::Offers,
        /// Solutions to evaluate beside the best one.
        solutions: Vec<SolutionSpec> = Vec::new(),
        /// Brokers to compare with.
        baselines: Vec<BaselineSpec> = Vec::new(),
        /// Further numbers to report of each solution.
        summaries: Vec<SummarySpec> = Vec::new(),
        /// The axes of a figure of all solutions, with those that are Pareto-optimal apart; there is no such figure,
        /// unless given.
        front: Option<FrontSpec>,
    }
    check(this, at, errors) {
        report_attributes(this, at, errors);
        let market = this.market();
        report_hopeless(&market, at, errors);
        report_solutions(this, &market, at, errors);
        report_providers(this, &market, at, errors);
        if this.reference == ReferenceSpec::Solutions && this.solutions.is_empty() {
            errors.add(&at.field("reference"), "there are no solutions listed", "list some, or give `Offers`");
        }
    }
}

record! {
    /// Somebody with jobs.
    pub struct UserSpec {
        /// The user's name, unique among the users.
        name: Name<UserNames>,
        /// The weight of the user's satisfaction beside that of others.
        #[unit = "weight"]
        weight: Positive = Positive::ONE,
        /// The criteria that matter to the user; those that are not listed do not.
        wishes: NonEmpty<WishSpec>,
        /// The values of all criteria together between which the user goes from not satisfied to fully satisfied.
        /// Unless given, `reference` of the experiment says so.
        satisfaction: Option<BoundsSpec>,
        /// The time that the user takes to confirm a reservation.
        answer: Span = Span::ZERO,
    }
    check(this, at, errors) {
        if this.wishes.iter().all(|wish| wish.weight == NonNegative::ZERO) {
            errors.add(&at.field("wishes"), "all weights are 0", "give at least one criterion a weight above 0");
        }
        let is_same = |one: &WishSpec, other: &WishSpec| one.criterion == other.criterion;
        report_twice(&this.wishes, is_same, (&at.field("wishes"), "this criterion is in the list already"), errors);
    }
}

record! {
    /// A user's wish about one criterion.
    pub struct WishSpec {
        /// The criterion that the wish is about.
        criterion: Ref<CriterionNames>,
        /// The weight of the criterion; only proportions matter.
        #[unit = "weight"]
        weight: NonNegative,
        /// The values between which it is scaled: the lowest and highest that the offers have, unless given.
        bounds: Option<BoundsSpec>,
    }
}

record! {
    /// Two values to scale between.
    #[derive(Copy)]
    pub struct BoundsSpec {
        /// The lower value.
        #[unit = "the unit of what is scaled"]
        low: Finite,
        /// The higher value.
        #[unit = "the unit of what is scaled"]
        high: Finite,
    }
    check(this, at, errors) {
        if this.low >= this.high {
            errors.add(&at.field("high"), "nothing can be scaled between these bounds", "give a high above low");
        }
    }
}

record! {
    /// A job for the broker.
    pub struct BrokeredJobSpec {
        /// Its name, unique among the jobs.
        name: Name<JobNames>,
        /// The user whose job it is.
        user: Ref<UserNames>,
        /// The number of units of an offer that it takes.
        #[unit = "units of an offer"]
        units: Count = Count::ONE,
        /// Hard constraints that an offer must satisfy; there are none, unless given.
        limits: Vec<LimitSpec> = Vec::new(),
    }
}

record! {
    /// Somebody with wishes for the assignment as a whole.
    pub struct StakeholderSpec {
        /// The stakeholder's name, unique among the stakeholders.
        name: Name<StakeholderNames>,
        /// The weight of the stakeholder's satisfaction beside that of the users.
        #[unit = "weight"]
        weight: Positive = Positive::ONE,
        /// The provider whose wishes these are, who looks at the jobs on its own offers. Unless given, they are an
        /// administrator's, who looks at all jobs.
        provider: Option<String>,
        /// The aims of the stakeholder.
        aims: NonEmpty<AimSpec>,
    }
    check(this, at, errors) {
        if this.aims.iter().all(|aim| aim.weight == NonNegative::ZERO) {
            errors.add(&at.field("aims"), "all weights are 0", "give at least one aim a weight above 0");
        }
    }
}

record! {
    /// A criterion of an assignment as a whole.
    pub struct AimSpec {
        /// The criterion of offers that it looks at; the number of jobs, unless given.
        of: Option<Ref<CriterionNames>>,
        /// The way in which the jobs' values are summed up.
        take: Take = Take::Total,
        /// The direction in which it gets better.
        direction: crate::workload::market::Direction,
        /// The weight among the aims.
        #[unit = "weight"]
        weight: NonNegative = NonNegative::of(1.0),
        /// The values between which it is scaled: those that no assignment can leave, unless given.
        bounds: Option<BoundsSpec>,
    }
}

choice! {
    /// Between what the satisfaction of a user is scaled, unless the user says so.
    #[derive(Copy)]
    pub enum ReferenceSpec {
        /// The worst and the best of all offers to each job.
        Offers,
        /// The worst and the best of the listed solutions.
        Solutions,
    }
}

record! {
    /// A solution to evaluate.
    pub struct SolutionSpec {
        /// Its name, unique among the solutions and baselines.
        name: Name<SolutionNames>,
        /// The offer of each job, in the order of jobs.
        offers: NonEmpty<Ref<OfferNames>>,
    }
}

choice! {
    /// Brokers that look at one thing only.
    pub enum BaselineSpec {
        /// Each job in turn takes the offer with the least value of a criterion: shortest queue, MST, MCT.
        Least {
            /// The broker's name.
            name: Name<SolutionNames>,
            /// The criterion that it looks at.
            criterion: Ref<CriterionNames>,
        },
        /// Each job in random order takes any offer.
        Random {
            /// The broker's name.
            name: Name<SolutionNames>,
        },
    }
}

record! {
    /// A number that sums a solution up.
    pub struct SummarySpec {
        /// Its name: the metric of its rows.
        name: String,
        /// The criterion whose values are summed up.
        of: Ref<CriterionNames>,
        /// The way in which the values of all jobs are summed up.
        take: SummaryTake,
    }
}

choice! {
    /// Ways to sum up the values of all jobs.
    #[derive(Copy)]
    pub enum SummaryTake {
        /// Their mean.
        Mean,
        /// The highest.
        Highest,
        /// The mean of those above 0.
        MeanAboveZero,
    }
}

choice! {
    /// The axes of the figure of all solutions, and with them the sense in which some are Pareto-optimal.
    pub enum FrontSpec {
        /// Two criteria, each by its mean over the jobs; optimal by all criteria.
        Criteria {
            /// The criterion along the horizontal axis.
            across: Ref<CriterionNames>,
            /// The criterion along the vertical axis.
            up: Ref<CriterionNames>,
        },
        /// The values to two users; optimal by the values to all users.
        Users {
            /// The user along the horizontal axis.
            across: Ref<UserNames>,
            /// The user along the vertical axis.
            up: Ref<UserNames>,
        },
    }
}
