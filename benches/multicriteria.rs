//! How long the multicriteria broker takes to decide for 200 jobs on 50 offers, from the market to a checked assignment, from
//! 1 and from 10 beginnings of its local search.
//!
//! Run with `cargo bench --bench multicriteria`; it ends with PASS or FAIL. One run on 2 cores that others used as well: 0.02 to 0.03 s from
//! one beginning, 0.17 to 0.22 s from ten.

use gridloom::broker::multicriteria::{
    Market, MarketProblem, SatisfactionRules, TotalForm, User, UserForm, Wish, improve,
};
use gridloom::check::check_assignment;
use gridloom::language::{Source, load};
use gridloom::rng::Streams;
use gridloom::workload::MarketSpec;
use gridloom::workload::market::draw_market;
use std::time::Instant;

const JOBS: usize = 200;
const OFFERS: usize = 50;
const SPEC: &str = "(
    start: Uniform(low: 0, high: 100), speed: Uniform(low: 1, high: 3), price: Uniform(low: 1, high: 2),
    units: UniformInteger(low: 3, high: 7), memory: UniformInteger(low: 4, high: 16), length: Uniform(low: 20, high: 100),
    need: UniformInteger(low: 1, high: 10), noise: Uniform(low: 0.8, high: 1.2), weight: Empirical([1, 1, 2, 5]),
)";

#[allow(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn main() {
    let spec: MarketSpec = load(Source::new("bench", SPEC), &[]).expect("the market is well described");
    let mut worst = 0.0_f64;
    println!("{:>10} {:>6} {:>9} {:>8} {:>8}", "beginnings", "market", "seconds", "placed", "total");
    for beginnings in [1, 10] {
        for number in 0..5 {
            let streams = Streams::new(1, number);
            let drawn = draw_market(&spec, JOBS, OFFERS, &streams);
            let user = |weights: &Vec<f64>| User {
                name: "user".into(),
                weight: 1.0,
                wishes: weights.iter().copied().map(Wish::of).collect(),
                satisfaction: None,
            };
            let market = Market {
                users: drawn.weights.iter().map(user).collect(),
                criteria: drawn.criteria,
                jobs: drawn.jobs,
                offers: drawn.offers,
                others: Vec::new(),
            };
            let begun = Instant::now();
            let rules = SatisfactionRules { user: UserForm::Distance, total: TotalForm::WorstFirst };
            let problem = MarketProblem::new(&market, rules).expect("the market makes sense");
            let places = improve(&problem, beginnings, &mut streams.stream("local search"));
            check_assignment(&market.criteria, &market.jobs, &market.offers, &places).expect("it breaks no law");
            let seconds = begun.elapsed().as_secs_f64();
            let score = problem.evaluate(&places).score;
            println!("{beginnings:>10} {number:>6} {seconds:>9.4} {:>8} {:>8.4}", score.placed, score.total);
            worst = worst.max(seconds);
        }
    }
    println!("{} {JOBS} jobs x {OFFERS} offers in less than 1 s", if worst < 1.0 { "PASS" } else { "FAIL" });
}
