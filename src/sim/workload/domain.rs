//! Nodes of several types for jobs made of tasks.

use super::environment::fill;
use super::tasks::{Extent, TASKS_LIMIT, TasksSpec, work};
use crate::language::{Context, Count, Cursor, Distribution, Fraction, NonEmpty, Positive};
use crate::model::{Dag, Interval};
use crate::rng::Streams;
use crate::units::{Overflow, Performance, REACH, Rounding, Span, UnitsError, Volume, runtime_at};
use crate::{choice, record};

/// The most pairs of a task and a node: each has an estimate.
const PAIRS_LIMIT: f64 = 2e7;
/// The largest part of its time that a task may lose by the rounding of its volume.
const FINENESS: f64 = 1e-5;

record! {
    /// The nodes that a job may use.
    pub struct DomainSpec {
        /// The number of nodes.
        #[unit = "nodes"]
        nodes: NodeCount,
        /// The types of nodes: how many times slower than the fastest each is. Nodes take the types in turn.
        #[unit = "factor of the time on the fastest type"]
        types: NonEmpty<Positive>,
        /// The work that the fastest type does in a unit of time: the volume of a task is this times its time there.
        #[unit = "work per unit of time"]
        performance: Performance = Performance::from_units(1),
        /// The share of the interval that owners' tasks take on each node.
        #[unit = "share of the interval"]
        occupancy: Fraction = Fraction::ZERO,
        /// The length of the tasks of owners, rounded to whole units of time.
        #[unit = "units of time"]
        local_length: Distribution = Distribution::Constant(crate::language::Finite::of(1.0)),
    }
    check(this, at, errors) {
        this.local_length.require_support(&at.field("local_length"), errors, 1.0..=f64::INFINITY);
        if this.types.iter().all(|slower| slower.get() > 1.0) {
            errors.add(&at.field("types"), "no type is the fastest", "let one of them be 1");
        }
        if let Some(index) = this.types.iter().position(|slower| slower.get() < 1.0) {
            errors.add(&at.field("types").element(index), "this is faster than the fastest", "give 1 or more");
        }
        if this.occupancy.get() >= 1.0 {
            errors.add(&at.field("occupancy"), "owners would leave nothing", "give less than 1");
        }
        if this.performance == Performance::ZERO {
            errors.add(&at.field("performance"), "nothing would ever be done", "give more than 0");
        }
    }
}

choice! {
    /// The number of nodes.
    #[derive(Copy)]
    pub enum NodeCount {
        /// This many.
        #[unit = "nodes"]
        Total(Count),
        /// So many for each tier of the job: J = j * N.
        PerTier {
            /// The number of nodes for each tier, j.
            #[unit = "nodes per tier"]
            each: Count,
        },
    }
    number => Total
    check(this, at, errors) {
        let (NodeCount::Total(count) | NodeCount::PerTier { each: count }) = this;
        if count.get() > TASKS_LIMIT {
            errors.add(at, format!("that is {} nodes", count.get()), format!("keep it to {TASKS_LIMIT}"));
        }
    }
}

/// Reports jobs that are too large for these nodes, or whose times could leave the range of numbers.
pub fn report_size(tasks: &TasksSpec, domain: &DomainSpec, at: &Cursor<'_>, errors: &mut Context<'_>) {
    let slowest = domain.types.iter().fold(1.0, |slowest: f64, slower| slowest.max(slower.get()));
    // A file is judged once it is read.
    let Some(Extent { tasks: count, tiers, time, transfer }) = tasks.extent() else { return };
    let nodes = match domain.nodes {
        NodeCount::Total(count) => count.get() as f64,
        NodeCount::PerTier { each } => each.get() as f64 * tiers,
    };
    if count * nodes > PAIRS_LIMIT {
        let wrong = format!("{count} tasks on {nodes} nodes are too many");
        errors.add(at, wrong, format!("keep their product to {PAIRS_LIMIT:.0e}"));
    }
    report_coarse(tasks, domain.performance, at, errors);
    let length = time * slowest + transfer;
    if length.max(time * domain.performance.as_f64()) > REACH {
        errors.add(
            at,
            format!("the job could take up to {length:.0e} time units"),
            format!("keep times, transfers and volumes below {REACH:.0e} in all"),
        );
    }
}

/// Reports a performance so low that the volumes of tasks, which have six decimals, hold their times badly.
fn report_coarse(tasks: &TasksSpec, performance: Performance, at: &Cursor<'_>, errors: &mut Context<'_>) {
    // At 1 or more a volume is at least as fine as the time it is made of.
    if performance >= Performance::from_units(1) {
        return;
    }
    let taken = |time: f64| {
        let time = Span::from_f64(time).ok()?;
        runtime_at(work(performance, time), performance, Rounding::Tick)
    };
    let is_coarse = |time: f64| taken(time).is_none_or(|taken| (taken.as_f64() - time).abs() > FINENESS * time);
    let found = match tasks {
        TasksSpec::Listed(listed) => {
            let coarse = listed.tasks.iter().find(|task| is_coarse(task.time.as_f64()));
            coarse.map(|task| (format!("task {:?}", task.name), task.time.as_f64()))
        }
        TasksSpec::Layered(layered) if layered.time.min() == layered.time.max() => {
            Some(("a task".into(), layered.time.min())).filter(|(_, time)| is_coarse(*time))
        }
        TasksSpec::Layered(layered) => {
            let time = if layered.time.min() > 0.0 { layered.time.min() } else { layered.time.mean() };
            let loss = Volume::from_ticks(1).as_f64() / (performance.as_f64() * time);
            Some(("a task".into(), time)).filter(|_| loss > FINENESS)
        }
        TasksSpec::File(_) => None,
    };
    if let Some((task, time)) = found {
        let wrong = format!(
            "the work of {task}, which takes {time}, has six decimals; at a performance of {performance} they are too few \
             for its time"
        );
        errors.add(at, wrong, "give a higher `performance` in `domain`, such as 1");
    }
}

/// The nodes that one job may use.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskDomain {
    /// By node: how many times slower than the fastest type it is.
    pub slower: Vec<f64>,
    /// By node: when its owner leaves it free.
    pub free: Vec<Vec<Interval>>,
}

/// Draws nodes for `dag` and their owners' tasks during `interval`.
pub fn draw_domain(spec: &DomainSpec, dag: &Dag, interval: Interval, streams: &Streams) -> TaskDomain {
    let count = match spec.nodes {
        NodeCount::Total(count) => count.get(),
        NodeCount::PerTier { each } => each.get() * depth(dag).max(1),
    };
    let slower = (0..count as usize).map(|node| spec.types[node % spec.types.len()].get());
    let free = |node: u64| {
        // A job without length still has an instant in which its tasks may lie.
        if interval.is_empty() {
            return vec![interval];
        }
        let mut stream = streams.member("local", node);
        let timeline = fill(interval, spec.occupancy.get(), &spec.local_length, &mut stream);
        timeline.free_within(interval).collect()
    };
    TaskDomain { slower: slower.collect(), free: (0..count).map(free).collect() }
}

/// The time that a task of `volume` takes on a node that is `slower` times slower than the fastest of `spec`.
///
/// It is rounded up, first on the fastest nodes and then on the slower ones, as it is on the connected grid: with less
/// time than it needs a task would do more work in a unit of time than its node can, and be charged for that.
pub fn estimate(spec: &DomainSpec, volume: Volume, slower: f64) -> Result<Span, UnitsError> {
    let fastest = runtime_at(volume, spec.performance, Rounding::Tick).ok_or(Overflow)?;
    let ticks = fastest.ticks() as f64 * slower;
    // Decimal factors are binary fractions, a little off: 3 times 0.1 is 0.3, and no tick more.
    let nearest = libm::round(ticks);
    let is_whole = (ticks - nearest).abs() <= 4.0 * f64::EPSILON * ticks;
    let ticks = if is_whole { nearest } else { libm::ceil(ticks) };
    if ticks > Span::REACH.ticks() as f64 {
        return Err(Overflow.into());
    }
    Ok(Span::from_ticks(ticks as i64))
}

/// The number of tiers: how many tasks the longest row has.
fn depth(dag: &Dag) -> u64 {
    let mut depths = vec![1; dag.tasks().len()];
    for &task in dag.order() {
        for edge in dag.successors(task) {
            depths[edge.to.index()] = depths[edge.to.index()].max(depths[task.index()] + 1);
        }
    }
    depths.into_iter().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{Source, load};
    use proptest::prelude::*;

    /// The units of work in a unit of time, rounded up, for which a task is charged.
    fn charged(volume: Volume, span: Span) -> i64 {
        if volume == Volume::ZERO { 0 } else { (volume.ticks() - 1) / span.ticks() + 1 }
    }

    fn spec(performance: Performance, slower: f64) -> DomainSpec {
        let text = format!("(nodes: 2, types: [1, {slower}], performance: {performance})");
        load(Source::new("domain", text), &[]).unwrap_or_else(|report| panic!("{report}"))
    }

    #[test]
    fn times_are_rounded_up_and_binary_fractions_are_not() {
        let time = |performance: i64, time: i64, slower: f64| {
            let performance = Performance::from_units(performance);
            estimate(&spec(performance, slower), work(performance, Span::from_ticks(time)), slower).unwrap().ticks()
        };
        assert_eq!(time(5, 333_333, 1.25), 416_667, "416666.25");
        assert_eq!(time(10, 100_000, 3.0), 300_000);
        assert_eq!(time(10, 10_000_000, 1.1), 11_000_000, "11.000000000000002 as a binary fraction");
        assert_eq!(time(1, 1, 1.1), 2);
        assert_eq!(time(7, 0, 3.0), 0);
        // A task of 0.333333 at 5, a quarter slower: exactly 4 units of work in a unit of time, and no more.
        let volume = work(Performance::from_units(5), Span::from_ticks(333_333));
        let span = estimate(&spec(Performance::from_units(5), 1.25), volume, 1.25).unwrap();
        assert_eq!(charged(volume, span), 4);
    }

    proptest! {
        /// On the fastest nodes a task takes its time, and on no node does it cost more than the node can do.
        #[test]
        fn no_task_is_charged_for_more_than_its_node_can_do(
            time in 1i64..20_000_000,
            performance in 1_000_000i64..20_000_000,
            slower in 100u32..500,
        ) {
            let (time, performance, slower) =
                (Span::from_ticks(time), Performance::from_ticks(performance), f64::from(slower) / 100.0);
            let (spec, volume) = (spec(performance, slower), work(performance, time));
            prop_assert_eq!(estimate(&spec, volume, 1.0).unwrap(), time);
            let span = estimate(&spec, volume, slower).unwrap();
            let most = libm::ceil(performance.as_f64() / slower - 1e-9);
            prop_assert!(charged(volume, span) as f64 <= most, "{span} {most}");
        }
    }
}
