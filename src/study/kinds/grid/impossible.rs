//! Jobs that no policy could serve: too wide, too expensive, too urgent or too long even for nodes that are all idle;
//! and flows of which no job comes while it is measured.
//!
//! Only necessary conditions are judged, from the jobs and nodes that were drawn: a job that passes may still find no
//! place.

use super::Grid;
use crate::model::{CostLimit, Dag, Job, Node, Request};
use crate::units::{Performance, Rounding, Span, counted, runtime_at};
use crate::workload::{ArrivalSpec, GlobalFlowSpec, GridWorld, RuntimeRule};
use std::collections::{BTreeMap, BTreeSet};

/// At most so many jobs are judged.
const MOST_JOBS: usize = 20_000;
/// At most so many nodes are sorted, over all kinds of jobs.
const MOST_SORTED: usize = 5_000_000;
/// Costs within this share of the budget are left to rounding.
const ROUNDING: f64 = 1e-6;

/// A condition that a job does not meet, the first of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Unmet {
    /// It needs more nodes than there are of its speed.
    Width,
    /// The cheapest nodes cost more than its budget.
    Budget,
    /// The fastest nodes do not meet its deadline.
    Deadline,
    /// The fastest nodes need more time for it than policies look ahead.
    Interval,
}

impl Unmet {
    /// The condition in words, with the fields that decide about it.
    fn words(self) -> &'static str {
        match self {
            Self::Width => {
                "need more nodes than there are fast enough for them (look at `nodes` and `min_performance` in \
                 `flows[].work`, and at `domains[].nodes`)"
            }
            Self::Budget => {
                "cost more than their budget even on the cheapest nodes (look at `flows[].max_price`, at `search` in \
                 `metascheduler` and at `domains[].price_scale`)"
            }
            Self::Deadline => {
                "end after their deadline even on the fastest nodes, all idle (look at `flows[].patience`)"
            }
            Self::Interval => {
                "take longer than the scheduling interval even on the fastest nodes (look at `interval` in \
                 `metascheduler`)"
            }
        }
    }
}

/// Jobs that were judged, and how many of them no policy could serve.
#[derive(Debug, Clone, Copy, Default)]
struct JudgedJobs {
    jobs: u64,
    lost: u64,
}

impl JudgedJobs {
    /// True if more than half of them are lost.
    fn is_mostly_lost(self) -> bool {
        2 * self.lost > self.jobs
    }

    /// `none of`, or `only 3 of`.
    fn served(self) -> String {
        if self.lost == self.jobs { "none of".into() } else { format!("only {} of", self.jobs - self.lost) }
    }
}

/// Notes on the flows of a world of which no job comes in the measured time, and on the jobs that no policy could serve.
pub(super) fn notes(spec: &Grid, world: &GridWorld) -> Vec<String> {
    let measured: Vec<&Job> = world.jobs.iter().filter(|job| world.measured.contains(job.arrival)).collect();
    let coming: BTreeSet<usize> = measured.iter().filter_map(|job| flow_of(spec, job)).collect();
    let is_missing = |(at, flow): &(usize, &GlobalFlowSpec)| !coming.contains(at) && !is_switched_off(flow);
    let missing = spec.flows.iter().enumerate().filter(is_missing).map(|(_, flow)| {
        let what = if flow.arrivals.is_some() { "its `arrivals`" } else { "the times of its jobs" };
        format!(
            "no job of flow \"{}\" comes in the measured time of the first world (look at {what}, and at `horizon`)",
            flow.name
        )
    });
    missing.chain(hopeless(spec, world, &measured)).collect()
}

/// True for a flow that is to have no jobs, such as the first value of a sweep over its load.
fn is_switched_off(flow: &GlobalFlowSpec) -> bool {
    matches!(&flow.arrivals, Some(ArrivalSpec::Load { load, .. }) if load.get() == 0.0)
}

/// A note on the jobs that no policy could serve, if they are more than half of all or of a flow, or if some of them
/// only want a longer scheduling interval.
fn hopeless(spec: &Grid, world: &GridWorld, measured: &[&Job]) -> Option<String> {
    let mut classes: BTreeMap<(Option<u32>, Performance), FastNodes> = BTreeMap::new();
    let (mut all, mut sorted) = (JudgedJobs::default(), 0);
    let mut by_flow: BTreeMap<usize, JudgedJobs> = BTreeMap::new();
    let mut found: BTreeMap<Unmet, (u64, BTreeSet<usize>)> = BTreeMap::new();
    for job in measured.iter().take(MOST_JOBS) {
        if sorted > MOST_SORTED {
            break;
        }
        let nodes = classes.entry((job.home, job.request.min_performance)).or_insert_with(|| {
            sorted += world.nodes.len();
            FastNodes::of(world, job)
        });
        let (flow, unmet) = (flow_of(spec, job), nodes.unmet(job, spec));
        for judged in [Some(&mut all), flow.map(|flow| by_flow.entry(flow).or_default())].into_iter().flatten() {
            judged.jobs += 1;
            judged.lost += u64::from(unmet.is_some());
        }
        if let Some(unmet) = unmet {
            let (count, flows) = found.entry(unmet).or_default();
            *count += 1;
            flows.extend(flow);
        }
    }
    let lost_flows: Vec<(usize, JudgedJobs)> =
        by_flow.into_iter().filter(|(_, judged)| judged.is_mostly_lost()).collect();
    if !all.is_mostly_lost() && lost_flows.is_empty() && !found.contains_key(&Unmet::Interval) {
        return None;
    }
    let reason = |(unmet, (count, flows)): (Unmet, (u64, BTreeSet<usize>))| {
        let names: Vec<String> = flows.iter().map(|&flow| format!("\"{}\"", spec.flows[flow].name)).collect();
        let of = if spec.flows.len() > 1 { format!(" of flow {}", names.join(", ")) } else { String::new() };
        format!("{count}{of} {}", unmet.words())
    };
    let reasons: Vec<String> = found.into_iter().map(reason).collect();
    let first = if all.jobs < measured.len() as u64 { "the first " } else { "" };
    // A small flow that is lost as a whole would hide behind the numbers of the others.
    let of_flow = |(flow, judged): &(usize, JudgedJobs)| {
        format!(", and {} {} of flow \"{}\"", judged.served(), judged.jobs, spec.flows[*flow].name)
    };
    let hidden: String = match all.is_mostly_lost() {
        true => String::new(),
        false => lost_flows.iter().map(of_flow).collect(),
    };
    let (served, jobs) = (all.served(), counted(all.jobs, "job"));
    Some(format!(
        "{served} {first}{jobs}{hidden} can be served by any policy, in the first world: {}",
        reasons.join("; ")
    ))
}

/// The flow that a job belongs to: users are numbered flow by flow.
fn flow_of(spec: &Grid, job: &Job) -> Option<usize> {
    let mut users = 0;
    spec.flows.iter().position(|flow| {
        users += flow.users.get();
        u64::from(job.user) < users
    })
}

/// The nodes that are fast enough for a kind of jobs.
struct FastNodes {
    /// The fastest first.
    performances: Vec<Performance>,
    /// The lowest first.
    prices: Vec<f64>,
    /// Sums of prices over performances, the cheapest first: work of 1 on each of the first k + 1 nodes costs this.
    costs: Vec<f64>,
}

impl FastNodes {
    fn of(world: &GridWorld, job: &Job) -> Self {
        let all = match job.home.and_then(|home| world.domains.get(home as usize)) {
            Some(domain) => &world.nodes[domain.first.index()..domain.first.index() + domain.nodes],
            None => &world.nodes[..],
        };
        let fast = || all.iter().filter(|node| node.performance >= job.request.min_performance);
        let mut performances: Vec<Performance> = fast().map(|node| node.performance).collect();
        performances.sort_unstable_by(|a, b| b.cmp(a));
        let mut prices: Vec<f64> = fast().map(|node| node.price.as_f64()).collect();
        prices.sort_unstable_by(f64::total_cmp);
        let of_work = |node: &Node| node.price.as_f64() / node.performance.as_f64();
        let mut costs: Vec<f64> = fast().map(of_work).collect();
        costs.sort_unstable_by(f64::total_cmp);
        let mut sum = 0.0;
        costs.iter_mut().for_each(|cost| {
            sum += *cost;
            *cost = sum;
        });
        Self { performances, prices, costs }
    }

    /// The first condition that a job does not meet, if there is one.
    fn unmet(&self, job: &Job, spec: &Grid) -> Option<Unmet> {
        let request = &job.request;
        // Tasks of a workflow may share nodes, and be placed without a window.
        let nodes = if job.workflow.is_some() { 1 } else { request.nodes };
        let Some(slowest) = nodes.checked_sub(1).and_then(|last| self.performances.get(last)) else {
            return Some(Unmet::Width);
        };
        if job.workflow.is_none() && spec.pricing.is_none() && self.is_too_expensive(request, spec) {
            return Some(Unmet::Budget);
        }
        let takes = match &job.workflow {
            Some(dag) => longest_chain(dag, *slowest),
            None => spec.runtime.runtime(request, *slowest),
        };
        let is_late = request.deadline.is_some_and(|deadline| takes.is_none_or(|takes| job.arrival + takes > deadline));
        if is_late {
            return Some(Unmet::Deadline);
        }
        // Batch systems start jobs whenever they can.
        let has_system = spec.domains.iter().any(|domain| domain.batch_system.is_some());
        let is_long = !has_system && takes.is_none_or(|takes| takes > spec.metascheduler().interval);
        is_long.then_some(Unmet::Interval)
    }

    /// True if the cheapest nodes cost more than a rigid job may.
    fn is_too_expensive(&self, request: &Request, spec: &Grid) -> bool {
        let last = request.nodes - 1;
        match spec.metascheduler().search.get().limit() {
            CostLimit::PerSlot => self.prices[last] > request.max_price.as_f64(),
            CostLimit::Total(factor) => {
                let length = request.length.as_f64();
                // Rounding up to whole units can only add to this.
                let work = match spec.runtime {
                    RuntimeRule::Reference => length,
                    RuntimeRule::Volume => length * request.min_performance.as_f64(),
                };
                let allowed = factor * request.max_price.as_f64() * length * request.nodes as f64;
                work * self.costs[last] > allowed * (1.0 + ROUNDING) + ROUNDING * (request.nodes + 1) as f64
            }
        }
    }
}

/// The time that the longest chain of tasks takes on nodes of this performance, if data take none; nothing if it is
/// beyond all times.
fn longest_chain(dag: &Dag, performance: Performance) -> Option<Span> {
    let mut ends = vec![Span::ZERO; dag.tasks().len()];
    for &task in dag.order() {
        let ready = dag.predecessors(task).map(|edge| ends[edge.from.index()]).max().unwrap_or(Span::ZERO);
        let takes = runtime_at(dag.tasks()[task.index()].volume, performance, Rounding::Tick)?;
        ends[task.index()] = ready.checked_add(takes).ok()?;
    }
    ends.into_iter().max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Stop;
    use crate::language::{Source, load};
    use crate::rng::Streams;
    use crate::workload::draw_grid;

    /// The notes on two nodes of performance 2 and price 4, with flows `a`, `b`... of these fields and this search.
    fn all_said(flows: &[&str], search: &str) -> Vec<String> {
        let flows: Vec<String> =
            flows.iter().zip('a'..).map(|(flow, name)| format!("(name: \"{name}\", {flow})")).collect();
        let flows = flows.join(", ");
        let text = format!(
            "(horizon: 200, step: 50, domains: [(name: \"d\", nodes: 2, performance: 2, price_scale: 2, price_slope: 0)],
              flows: [{flows}],
              metascheduler: (period: 10, interval: 100, search: {search}), policies: [Easy])"
        );
        let spec: Grid =
            load(Source::new("t.ron", text.clone()), &[]).unwrap_or_else(|report| panic!("{text}\n{report}"));
        let world = draw_grid(&spec.grid(), &Streams::new(1, 0), Stop::NEVER).unwrap();
        notes(&spec, &world)
    }

    /// The note on one flow, of which a job comes every 10 units of time.
    fn said(flow: &str, search: &str) -> Option<String> {
        let mut notes = all_said(&[&format!("arrivals: Batches(every: 10, size: 1), {flow}")], search);
        assert!(notes.len() < 2, "{notes:?}");
        notes.pop()
    }

    #[test]
    fn jobs_that_nothing_can_serve_are_told_with_the_field() {
        let amp = "Amp(budget_factor: 1)";
        let rigid = |nodes: u32, max_price: f64, patience: f64| {
            format!("work: Rigid(nodes: {nodes}, length: 20), max_price: {max_price}, patience: {patience}")
        };
        assert_eq!(said(&rigid(2, 9.0, 2.0), amp), None);
        let wide = said(&rigid(3, 9.0, 2.0), amp).unwrap();
        assert!(wide.starts_with("none of 20 jobs can be served by any policy"), "{wide}");
        assert!(wide.contains("20 need more nodes") && wide.contains("`flows[].work`"), "{wide}");
        let dear = said(&rigid(2, 0.1, 2.0), amp).unwrap();
        assert!(dear.contains("20 cost more than their budget") && dear.contains("max_price"), "{dear}");
        // On nodes of performance 2 a job of length 20 takes 10.
        assert_eq!(said(&rigid(2, 9.0, 0.5), amp), None);
        let late = said(&rigid(2, 9.0, 0.49), amp).unwrap();
        assert!(late.contains("20 end after their deadline") && late.contains("flows[].patience"), "{late}");
    }

    #[test]
    fn any_job_that_is_too_long_for_the_interval_is_told() {
        let flow = |high: u32| format!("work: Rigid(nodes: 1, length: Uniform(low: 20, high: {high})), max_price: 9");
        // On nodes of performance 2 a length of 200 takes the whole interval of 100.
        assert_eq!(said(&flow(200), "Alp"), None);
        let long = said(&flow(240), "Alp").unwrap();
        assert!(long.starts_with("only ") && long.contains("take longer than the scheduling interval"), "{long}");
        assert!(long.contains("`interval` in `metascheduler`"), "{long}");
    }

    #[test]
    fn budgets_are_those_of_the_search() {
        let flow = |max_price: f64| format!("work: Rigid(nodes: 2, length: 20), max_price: {max_price}");
        let price = 4.0;
        // Each slot may cost the maximum price; or all slots together what they would at performance 1.
        assert_eq!(said(&flow(price + 0.01), "Alp"), None);
        assert!(said(&flow(price - 0.01), "Alp").is_some());
        assert_eq!(said(&flow(price / 2.0 + 0.01), "Amp(budget_factor: 1)"), None);
        assert!(said(&flow(price / 2.0 - 0.01), "Amp(budget_factor: 1)").is_some());
        assert_eq!(said(&flow(price / 4.0 + 0.01), "Amp(budget_factor: 2)"), None);
    }

    #[test]
    fn half_of_the_jobs_are_no_reason_for_a_note() {
        let flow = |low: u32, high: u32| {
            format!("work: Rigid(nodes: UniformInteger(low: {low}, high: {high}), length: 20), max_price: 9")
        };
        assert_eq!(said(&flow(1, 3), "Alp"), None);
        let most = said(&flow(2, 12), "Alp").unwrap();
        assert!(most.starts_with("only ") && most.contains(" of 20 jobs"), "{most}");
    }

    #[test]
    fn a_small_flow_that_nothing_can_serve_is_told_though_most_jobs_can_be() {
        let flow = |every: u32, nodes: &str| {
            format!("arrivals: Batches(every: {every}, size: 1), work: Rigid(nodes: {nodes}, length: 20), max_price: 9")
        };
        let (small, wide) = (flow(10, "1"), flow(40, "3"));
        assert_eq!(all_said(&[&small, &flow(40, "2")], "Alp"), [""; 0]);
        let said = all_said(&[&small, &wide, &wide], "Alp").join("\n");
        let opening =
            "only 20 of 30 jobs, and none of 5 of flow \"b\", and none of 5 of flow \"c\" can be served by any";
        assert!(said.starts_with(opening), "{said}");
        assert!(said.contains(": 10 of flow \"b\", \"c\" need more nodes"), "{said}");
        // Where most jobs are lost, the numbers of all say so.
        let said = all_said(&[&flow(40, "1"), &flow(10, "3")], "Alp").join("\n");
        assert!(said.starts_with("only 5 of 25 jobs can be served by any policy, in the first world: 20 of"), "{said}");
    }

    #[test]
    fn a_flow_without_a_job_is_told() {
        let flow = |arrivals: &str| format!("arrivals: {arrivals}, work: Rigid(nodes: 1, length: 20), max_price: 9");
        let usual = flow("Batches(every: 10, size: 1)");
        let late = flow("Batches(every: 10, first: 500, size: 1)");
        let said = all_said(&[&usual, &late], "Alp");
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].starts_with("no job of flow \"b\" comes in the measured time"), "{said:?}");
        assert!(said[0].contains("`arrivals`") && said[0].contains("`horizon`"), "{said:?}");
        // A sweep over the load may well begin at 0.
        assert_eq!(all_said(&[&usual, &flow("Load(load: 0)")], "Alp"), [""; 0]);
    }
}
