//! Drawn markets: brokers over the rounds in which users confirm or not.

use super::small::{Found, small};
use super::*;
use crate::broker::multicriteria::{Objective, Stakeholder, Take, TotalForm, User, Wish};
use crate::language::{Count, NonNegative, Within};
use crate::metrics::{MONEY, PERCENT, TIME};
use crate::record;
use crate::study::{Observations, Place};
use crate::workload::MarketSpec;
use crate::workload::bounds::LongTimes;
use crate::workload::market::{COMPLETION, COST, Direction, DrawnMarket, MarketJob, START, draw_market};

record! {
    /// Generated markets: each job is of a user of its own, whose wishes concern the guaranteed start, the estimated
    /// completion, the cost and the error of predictions; memory is a hard constraint.
    pub struct DrawnMarkets {
        /// The number of jobs.
        #[unit = "jobs"]
        jobs: Count,
        /// The number of offers.
        #[unit = "offers"]
        offers: Count,
        /// The values that are drawn for each job and offer.
        values: MarketSpec,
        /// The weight, beside 1 for each user, of an administrator who wants a short makespan and early starts; above 0
        /// there is a further broker that listens to users and administrator.
        #[unit = "weight"]
        administrator: NonNegative = NonNegative::ZERO,
        /// The number of starting points of the local search.
        #[unit = "starting points"]
        beginnings: Count = Count::of(10),
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

/// The experiment of all rows.
pub(super) const EXPERIMENT: &str = "study";
/// The brokers. The last one listens to an administrator besides, if there is one.
const BROKERS: [&str; 5] = ["multicriteria", "MST", "MCT", "random", "users + administrator"];
const WITH_ADMINISTRATOR: usize = 4;

/// The metrics of each, in the order in which [`observe`] computes them.
static METRICS: [Metric; 8] = [
    Metric::new(
        "total satisfaction",
        "0 to 1.1",
        "Satisfactions of all users aggregated, as the broker maximises them.",
    )
    .within(0.0, 1.1)
    .better(Better::More),
    Metric::new("mean satisfaction", "0 to 1", "Mean satisfaction of the users.").within(0.0, 1.0).better(Better::More),
    Metric::new("worst user", "satisfaction, 0 to 1", "Satisfaction of the least satisfied user.")
        .within(0.0, 1.0)
        .better(Better::More),
    Metric::new("makespan", TIME, "The latest completion of a job.").at_least(0.0).better(Better::Less),
    Metric::new("mean start", TIME, "Mean start of the placed jobs.").at_least(0.0).better(Better::Less),
    Metric::new("mean cost", MONEY, "Mean cost of the placed jobs.").at_least(0.0).better(Better::Less),
    Metric::new("placed jobs (%)", PERCENT, "Jobs with a confirmed reservation in the end.")
        .within(0.0, 100.0)
        .better(Better::More),
    Metric::new("expired reservations (%)", PERCENT, "Reservations that their users did not confirm in time.")
        .within(0.0, 100.0)
        .better(Better::Less),
];

/// The name of a metric's difference.
fn difference(metric: &Metric) -> String {
    format!("{}, difference", metric.name())
}

declare_metrics! {
    /// The metrics of the local search in small markets.
    OF_SEARCH:
    OPTIMUM = Metric::new("optimum reached (%)", PERCENT, "Small markets in which the local search finds the optimum.")
        .within(0.0, 100.0)
        .better(Better::More);
    FEWER = Metric::new(
        "fewer jobs placed (%)",
        PERCENT,
        "Small markets in which the local search places fewer jobs than possible.",
    )
    .within(0.0, 100.0)
    .better(Better::Less);
    GAP = Metric::new(
        "gap where as many are placed (%)",
        PERCENT,
        "Percentage of the best total that the local search misses in small markets in which it places as many jobs as \
         possible; 0 where it finds the optimum.",
    )
    .within(0.0, 100.0)
    .better(Better::Less);
}

/// All metrics.
pub(super) fn metrics(total: TotalForm) -> Vec<Metric> {
    let mut metrics = METRICS.to_vec();
    if total == TotalForm::BestFirst {
        metrics[0] = METRICS[0].clone().in_unit("no unit").within(0.0, f64::INFINITY);
    }
    let differences: Vec<Metric> =
        metrics.iter().map(|metric| metric.difference(difference(metric), "the other broker")).collect();
    metrics.into_iter().chain(differences).chain(copies(OF_SEARCH)).collect()
}

/// The names of all series.
pub(super) fn series_names(spec: &DrawnMarkets) -> Vec<String> {
    BROKERS[..heard(spec)].iter().map(|broker| broker.to_string()).chain([of_search(spec)]).collect()
}

pub(super) fn run(of: &Multicriteria, spec: &DrawnMarkets, trial: &Trial<'_>) -> Result<Findings, RunError> {
    Ok(Findings {
        rows: trial.replicate(|streams| observe(of, spec, streams))?,
        figures: figures(trial.replications()),
        ..Findings::default()
    })
}

/// The number of brokers that decide: the one with an administrator needs one.
fn heard(spec: &DrawnMarkets) -> usize {
    BROKERS.len() - usize::from(spec.administrator == NonNegative::ZERO)
}

/// The series of the local search in small markets.
fn of_search(spec: &DrawnMarkets) -> String {
    let size = spec.small.get();
    format!("local search, {size} jobs x {size} offers")
}

/// The figures of the study.
fn figures(markets: u64) -> Vec<Figure> {
    let caption = format!("Mean and 95 % interval over {markets} markets, the same for all brokers.");
    let figure = |names, y_label, metrics: [&str; 2]| {
        bars(EXPERIMENT, names, &caption, y_label, metrics.map(String::from).to_vec())
    };
    vec![
        figure(("satisfaction", "Satisfaction of users"), SATISFACTION, ["mean satisfaction", "worst user"]),
        figure(("times", "Makespan and mean start"), "Time (time units)", ["makespan", "mean start"]),
    ]
}

/// The market with its users, none of whom counts more than another.
pub(super) fn market(drawn: DrawnMarket) -> Market {
    let user = |(index, weights): (usize, Vec<f64>)| User {
        name: format!("user {}", index + 1),
        weight: 1.0,
        wishes: weights.into_iter().map(Wish::of).collect(),
        satisfaction: None,
    };
    Market {
        criteria: drawn.criteria,
        users: drawn.weights.into_iter().enumerate().map(user).collect(),
        jobs: drawn.jobs,
        offers: drawn.offers,
        others: Vec::new(),
    }
}

/// The decision of a broker.
fn decide(broker: usize, spec: &DrawnMarkets, problem: &MarketProblem, streams: &Streams, round: u64) -> Assignment {
    match broker {
        0 | WITH_ADMINISTRATOR => {
            improve(problem, spec.beginnings.get() as u32, &mut streams.member("local search", round))
        }
        1 => least(problem, START),
        2 => least(problem, COMPLETION),
        _ => at_random(problem, &mut streams.member("random broker", round)),
    }
}

fn observe(of: &Multicriteria, spec: &DrawnMarkets, streams: Streams) -> Result<Observations<'static>, RunError> {
    let rules = of.rules();
    let market = market(draw_market(&spec.values, spec.jobs.get() as usize, spec.offers.get() as usize, &streams));
    let problem = MarketProblem::new(&market, rules)?;
    let mut brokers = [[None; METRICS.len()]; BROKERS.len()];
    for (broker, values) in brokers.iter_mut().enumerate().take(heard(spec)) {
        let (places, made, expired) = negotiate(broker, (of, spec), &market, &streams)?;
        judged(&market, &places)?;
        let evaluation = problem.evaluate(&places);
        let values_of = |criterion| values_of(&problem, &places, criterion);
        *values = [
            Some(evaluation.score.total),
            mean(&evaluation.users),
            evaluation.users.iter().copied().reduce(f64::min),
            values_of(COMPLETION).into_iter().reduce(f64::max),
            mean(&values_of(START)),
            mean(&values_of(COST)),
            Some(100.0 * evaluation.score.placed as f64 / market.jobs.len() as f64),
            (made > 0).then(|| 100.0 * f64::from(expired) / f64::from(made)),
        ];
    }
    let mut observations = Observations::default();
    let mut places: Vec<Vec<Place>> = Vec::new();
    for (broker, values) in BROKERS.into_iter().zip(brokers) {
        let mut series = observations.of(EXPERIMENT, broker);
        places.push(METRICS.iter().zip(values).map(|(metric, value)| series.add(metric, value)).collect());
    }
    for (broker, own) in BROKERS.into_iter().zip(&places).skip(1) {
        let mut series = observations.of(EXPERIMENT, format!("multicriteria against {broker}"));
        for (metric, (&best, &own)) in METRICS.iter().zip(places[0].iter().zip(own)) {
            series.difference(difference(metric), best, own);
        }
    }
    let found = small(spec, rules, &streams)?;
    let share = |wanted: Found| found.map(|found| if found == wanted { 100.0 } else { 0.0 });
    let mut series = observations.of(EXPERIMENT, of_search(spec));
    series.add(&OPTIMUM, share(Found::Optimum));
    series.add(&FEWER, share(Found::FewerJobs));
    series.add(&GAP, found.and_then(Found::gap));
    Ok(observations)
}

/// The rounds of a broker: it reserves, users confirm in time or not, and who was too late is in the next round.
/// Returns what is confirmed in the end, how many reservations were made and how many expired.
fn negotiate(
    broker: usize,
    (of, spec): (&Multicriteria, &DrawnMarkets),
    market: &Market,
    streams: &Streams,
) -> Result<(Assignment, u32, u32), RunError> {
    let keep = of.keep.unwrap_or(Span::ZERO);
    let mut book = Book::new(units(market), keep);
    let mut places: Assignment = vec![None; market.jobs.len()];
    let (mut made, mut expired) = (0, 0);
    for round in 0..spec.rounds.get() {
        // A round begins when all reservations of the one before are confirmed or gone.
        let now = Time::from_f64(round as f64 * (keep.as_f64() + 1.0))?;
        let waiting: Vec<usize> = (0..places.len()).filter(|&job| places[job].is_none()).collect();
        if waiting.is_empty() {
            break;
        }
        let mut left = part(market, &waiting, |offer| book.free(offer, now));
        if broker == WITH_ADMINISTRATOR {
            left.others.push(administrator(spec.administrator.get()));
        }
        let problem = MarketProblem::new(&left, of.rules())?;
        let decided = decide(broker, spec, &problem, streams, round);
        judged(&left, &decided)?;
        // The same answers whichever the broker.
        let answer = |job: usize| {
            let mut stream = streams.member("answers", round * places.len() as u64 + job as u64);
            Ok(Span::from_f64(spec.answer.sample(&mut stream))?)
        };
        for (job, offer, is_confirmed) in reserve(&mut book, market, (&waiting, &decided), now, answer)? {
            made += 1;
            match is_confirmed {
                true => places[job] = Some(offer),
                false => expired += 1,
            }
        }
    }
    check_reservations(&units(market), book.holds())?;
    Ok((places, made, expired))
}

/// Somebody who wants a short makespan and early starts.
fn administrator(weight: f64) -> Stakeholder {
    let aim = |of, take| Objective { of: Some(of), take, direction: Direction::Cost, weight: 1.0, bounds: None };
    let aims = vec![aim(COMPLETION, Take::Highest), aim(START, Take::Total)];
    Stakeholder { name: "administrator".into(), weight, provider: None, aims }
}

/// The market of some of the jobs, with the units that are left.
fn part(market: &Market, jobs: &[usize], free: impl Fn(usize) -> Option<u64>) -> Market {
    let mut part = Market { jobs: Vec::new(), users: Vec::new(), ..market.clone() };
    for (index, &job) in jobs.iter().enumerate() {
        part.jobs.push(MarketJob { user: index, ..market.jobs[job].clone() });
        part.users.push(market.users[job].clone());
    }
    for (index, offer) in part.offers.iter_mut().enumerate() {
        offer.units = free(index);
        offer.bids = jobs.iter().enumerate().filter_map(|(at, job)| Some((at, offer.bids.get(job)?.clone()))).collect();
    }
    part
}
