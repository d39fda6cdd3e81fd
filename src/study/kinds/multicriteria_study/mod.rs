//! `MulticriteriaStudy`: brokers on generated markets, over the rounds in which users confirm or not.

mod record;

pub(super) use record::*;

use super::Kind;
use super::multicriteria::{judged, mean, values_of};
use crate::broker::multicriteria::{
    Assignment, Book, Market, MarketProblem, Objective, SatisfactionRules, Stakeholder, Take, TotalForm, User, Wish,
    at_random, exact, improve, least,
};
use crate::check::check_reservations;
use crate::language::NonNegative;
use crate::metrics::{Better, MONEY, Metric, PERCENT, TIME, copies, declare_metrics};
use crate::rng::Streams;
use crate::study::replicate::Trial;
use crate::study::{Figure, FigureKind, Findings, Observations, Place, RunError};
use crate::units::{Span, Time};
use crate::workload::market::{COMPLETION, COST, DrawnMarket, START, draw_market};
use crate::workload::market::{Direction, MarketJob};

/// The experiment of all rows.
const EXPERIMENT: &str = "study";
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

/// The largest number of steps that the exact search of a small market may take.
const EXACT_STEPS: u64 = 50_000_000;

/// The result of a local search, held against the exact one.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Found {
    Optimum,
    /// It places fewer jobs.
    FewerJobs,
    /// It places as many, and misses this many per cent of the best total.
    Gap(f64),
}

impl Found {
    /// The percentage of the best total that is missed; nothing where fewer jobs are placed, which a total can't tell.
    fn gap(self) -> Option<f64> {
        match self {
            Self::Optimum => Some(0.0),
            Self::FewerJobs => None,
            Self::Gap(gap) => Some(gap),
        }
    }
}

impl Kind for MulticriteriaStudy {
    fn metrics(&self) -> Vec<Metric> {
        let mut metrics = METRICS.to_vec();
        if self.total_form == TotalForm::BestFirst {
            metrics[0] = METRICS[0].clone().in_unit("no unit").within(0.0, f64::INFINITY);
        }
        let differences: Vec<Metric> =
            metrics.iter().map(|metric| metric.difference(difference(metric), "the other broker")).collect();
        metrics.into_iter().chain(differences).chain(copies(OF_SEARCH)).collect()
    }

    fn own_rows(&self) -> Vec<&str> {
        vec!["study"]
    }

    fn series_names(&self) -> Option<Vec<String>> {
        Some(BROKERS[..heard(self)].iter().map(|broker| broker.to_string()).chain([of_search(self)]).collect())
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Findings, RunError> {
        run(self, trial)
    }
}

fn run(spec: &MulticriteriaStudy, trial: &Trial<'_>) -> Result<Findings, RunError> {
    Ok(Findings {
        rows: trial.replicate(|streams| observe(spec, streams))?,
        figures: figures(trial.replications()),
        ..Findings::default()
    })
}

/// The number of brokers that decide: the one with an administrator needs one.
fn heard(spec: &MulticriteriaStudy) -> usize {
    BROKERS.len() - usize::from(spec.administrator == NonNegative::ZERO)
}

/// The series of the local search in small markets.
fn of_search(spec: &MulticriteriaStudy) -> String {
    let size = spec.small.get();
    format!("local search, {size} jobs x {size} offers")
}

/// The figures of the study.
fn figures(markets: u64) -> Vec<Figure> {
    let figure = |file: &str, title: &str, y_label: &str, metrics: &[&str]| Figure {
        file: file.into(),
        title: title.into(),
        caption: format!("Mean and 95 % interval over {markets} markets, the same for all brokers."),
        x_label: String::new(),
        y_label: y_label.into(),
        experiment: EXPERIMENT.into(),
        metrics: metrics.iter().map(|&metric| metric.into()).collect(),
        kind: FigureKind::Bars,
    };
    let satisfaction = ["mean satisfaction", "worst user"];
    vec![
        figure("satisfaction", "Satisfaction of users", "Satisfaction (0 to 1)", &satisfaction),
        figure("times", "Makespan and mean start", "Time (time units)", &["makespan", "mean start"]),
    ]
}

/// The market with its users, none of whom counts more than another.
fn market(drawn: DrawnMarket) -> Market {
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
fn decide(
    broker: usize,
    spec: &MulticriteriaStudy,
    problem: &MarketProblem,
    streams: &Streams,
    round: u64,
) -> Assignment {
    match broker {
        0 | WITH_ADMINISTRATOR => {
            improve(problem, spec.beginnings.get() as u32, &mut streams.member("local search", round))
        }
        1 => least(problem, START),
        2 => least(problem, COMPLETION),
        _ => at_random(problem, &mut streams.member("random broker", round)),
    }
}

fn observe(spec: &MulticriteriaStudy, streams: Streams) -> Result<Observations<'static>, RunError> {
    let rules = SatisfactionRules { user: spec.user_form, total: spec.total_form };
    let market = market(draw_market(&spec.market, spec.jobs.get() as usize, spec.offers.get() as usize, &streams));
    let problem = MarketProblem::new(&market, rules)?;
    let mut brokers = [[None; METRICS.len()]; BROKERS.len()];
    for (broker, values) in brokers.iter_mut().enumerate().take(heard(spec)) {
        let (places, made, expired) = negotiate(broker, spec, &market, rules, &streams)?;
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
    spec: &MulticriteriaStudy,
    market: &Market,
    rules: SatisfactionRules,
    streams: &Streams,
) -> Result<(Assignment, u32, u32), RunError> {
    let units: Vec<Option<u64>> = market.offers.iter().map(|offer| offer.units).collect();
    let mut book = Book::new(units.clone(), spec.keep);
    let mut places: Assignment = vec![None; market.jobs.len()];
    let (mut made, mut expired) = (0, 0);
    for round in 0..spec.rounds.get() {
        // A round begins when all reservations of the one before are confirmed or gone.
        let now = Time::from_f64(round as f64 * (spec.keep.as_f64() + 1.0))?;
        let waiting: Vec<usize> = (0..places.len()).filter(|&job| places[job].is_none()).collect();
        if waiting.is_empty() {
            break;
        }
        let mut left = part(market, &waiting, |offer| book.free(offer, now));
        if broker == WITH_ADMINISTRATOR {
            left.others.push(administrator(spec.administrator.get()));
        }
        let problem = MarketProblem::new(&left, rules)?;
        let decided = decide(broker, spec, &problem, streams, round);
        judged(&left, &decided)?;
        let mut holds = Vec::new();
        for (&job, place) in waiting.iter().zip(decided) {
            let Some(place) = place else { continue };
            if let Some(number) = book.hold(place, job, market.jobs[job].units, now)? {
                made += 1;
                holds.push((job, place, number));
            }
        }
        for (job, place, number) in holds {
            // The same answers whichever the broker.
            let mut stream = streams.member("answers", round * places.len() as u64 + job as u64);
            let answer = Span::from_f64(spec.answer.sample(&mut stream))?;
            match book.confirm(number, now + answer) {
                true => places[job] = Some(place),
                false => expired += 1,
            }
        }
    }
    check_reservations(&units, book.holds())?;
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

/// The result of the local search in a small market; nothing where no job can be placed.
fn small(spec: &MulticriteriaStudy, rules: SatisfactionRules, streams: &Streams) -> Result<Option<Found>, RunError> {
    let size = spec.small.get() as usize;
    let mut market = market(draw_market(&spec.market, size, size, streams));
    // One job for each offer: the tightest there is.
    market.offers.iter_mut().for_each(|offer| offer.units = Some(1));
    market.jobs.iter_mut().for_each(|job| job.units = 1);
    let problem = MarketProblem::new(&market, rules)?;
    let Some(best) = exact(&problem, EXACT_STEPS) else { return Ok(None) };
    let found = improve(&problem, spec.beginnings.get() as u32, &mut streams.stream("small local search"));
    judged(&market, &best)?;
    judged(&market, &found)?;
    let [best, found] = [best, found].map(|places| problem.evaluate(&places).score);
    if best.placed == 0 {
        return Ok(None);
    }
    let gap = 100.0 * (best.total - found.total) / best.total;
    Ok(Some(match found.placed < best.placed {
        true => Found::FewerJobs,
        false if best.total - found.total < 1e-9 => Found::Optimum,
        false => Found::Gap(gap),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gap_is_over_all_markets_in_which_as_many_are_placed() {
        let found = [Found::Optimum, Found::Gap(12.0), Found::FewerJobs, Found::Optimum];
        let gaps: Vec<f64> = found.into_iter().filter_map(Found::gap).collect();
        assert_eq!(gaps, [0.0, 12.0, 0.0]);
    }
}
