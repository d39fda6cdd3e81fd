//! A small scenario language declared with the mechanism, and what is said about good and bad texts in it.

mod marks;
mod messages;
mod mistakes;
mod overriding;
mod robust;
mod round_trip;
mod syntax;

use gridloom::language::*;
use gridloom::units::{Money, Performance, Price, Span as Length, Time, Volume};
use gridloom::{choice, record};
use std::collections::BTreeSet;

#[derive(Debug, Clone, PartialEq)]
enum NodeNames {}
impl NameKind for NodeNames {
    const WHAT: &'static str = "node";
}

record! {
    /// A small grid.
    struct Grid {
        /// Its title.
        title: Option<String>,
        /// Where all random numbers come from.
        seed: u64 = 1,
        /// The machines.
        nodes: Vec<Machine>,
        /// The experiment on them.
        experiment: Experiment = Experiment::Idle,
        /// When the owners use their machines.
        outages: Vec<Outage> = Vec::new(),
    }
}

record! {
    /// One machine.
    ///
    /// It has an owner.
    struct Machine {
        /// Its name.
        name: Name<NodeNames>,
        /// How fast it is.
        performance: Performance = Performance::from_units(1),
        /// What it costs.
        price: Price = Price::ZERO,
        /// How likely it fails.
        risk: Fraction = Fraction::ZERO,
        /// How many tasks it takes at once.
        cores: Count = Count::ONE,
    }
}

record! {
    /// A machine that is away.
    struct Outage {
        /// Which.
        node: Ref<NodeNames>,
        /// From when.
        start: Time,
        /// Until when.
        end: Time,
    }
    check(this, at, errors) {
        if this.end < this.start {
            let wrong = format!("the end, {}, is before the start, {}", this.end, this.start);
            errors.add(&at.field("end"), wrong, "end after the start");
        }
    }
    check_all(items, errors) {
        for (index, (at, outage)) in items.iter().enumerate() {
            for (earlier_at, earlier) in &items[..index] {
                if outage.node == earlier.node && outage.start < earlier.end && earlier.start < outage.end {
                    let other = errors.refer(earlier_at);
                    errors.add(at, format!("this overlaps the outage {other}"), "keep outages of one node apart");
                }
            }
        }
    }
}

choice! {
    /// An experiment on a grid.
    enum Experiment {
        /// Nothing.
        Idle,
        /// Everything, once.
        Batch(Load),
        /// Everything, again and again.
        Repeat {
            /// The number of repetitions.
            times: Count,
            /// The time between them.
            pause: Distribution = Distribution::Constant(Finite::ZERO),
            /// Failures count, if true.
            strict: bool = true,
        },
        /// Only this machine.
        Single(Ref<NodeNames>),
    }
}

record! {
    /// The work to run.
    #[derive(Copy)]
    struct Load {
        /// The amount of work.
        volume: Volume,
        /// The most that it may cost.
        budget: Option<Money>,
        /// The longest that it may take.
        horizon: Length = Length::from_units(600),
        /// Its weights.
        weights: (NonNegative, Positive) = (NonNegative::ZERO, Positive::ONE),
    }
}

fn grid(text: &str, overrides: &[&str]) -> Result<Grid, Report> {
    let overrides: Vec<String> = overrides.iter().map(|text| text.to_string()).collect();
    load(Source::new("grid.ron", text), &overrides)
}

const GOOD: &str = r#"// A grid of two.
(
    title: "Two nodes",
    seed: 0xFF,
    nodes: [
        (name: "a", performance: 2.5, risk: 0.1),
        Machine(name: "b", price: 3, cores: 4),
    ],
    experiment: Batch(volume: 1e3, budget: 50),
    outages: [(node: "b", start: 10, end: 20)],
)
"#;
