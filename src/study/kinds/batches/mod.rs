//! `Batches`: ways to serve a batch of jobs, in independent scheduling cycles (file 000, section 5; file 001, section
//! 4.1).

mod problem;
mod record;
mod searches;
mod way;
mod ways;

pub use record::*;
pub use way::WaySpec;

use super::Kind;
use crate::combine::Problem;
use crate::language::Cursor;
use crate::metrics::{Better, MONEY, Metric, PERCENT, TIME, declare_metrics};
use crate::model::Window;
use crate::rng::Streams;
use crate::search::{NamedSearch, Offers, named_searches};
use crate::study::checked;
use crate::study::expected::{Judge, idle, work};
use crate::study::replicate::Trial;
use crate::study::{Figure, Findings, Observations, RunError, file_name};
use crate::units::{Money, Span, UnitsError, sum};
use crate::workload::{SlotWorld, draw_environment, draw_jobs, draw_slots};
use std::borrow::Cow;
use way::{Batch, WayLimit, name};

declare_metrics! {
    /// The metrics that several comparisons have.
    SHARED:
    COUNTED = Metric::new(
        "counted cycles (%)",
        PERCENT,
        "Cycles that count: all limits can be met, and every search places every job or every way places some job.",
    )
    .within(0.0, 100.0);
    INFEASIBLE = Metric::new(
        "infeasible cycles (%)",
        PERCENT,
        "Cycles in which a limit can't be met; of OPT and NO OPT also those in which no job has a place.",
    )
    .within(0.0, 100.0)
    .better(Better::Less);
    ALTERNATIVES = Metric::new("alternatives per job", "per job", "Windows found for a job, in cycles that count.")
        .at_least(0.0)
        .better(Better::More);
}

impl Kind for Batches {
    fn metrics(&self) -> Vec<Metric> {
        let limits = distinct(self.cases.iter().filter_map(|case| match case.compare {
            Compared::Problem(problem) => Some(if problem.limits_time() { TIME } else { MONEY }),
            _ => None,
        }));
        let limit = if let [limit] = limits[..] { limit } else { problem::EITHER };
        distinct(self.cases.iter().flat_map(|case| match &case.compare {
            Compared::Searches { ways, .. } => searches::metrics(ways),
            Compared::Problem(_) => problem::metrics(limit),
            Compared::Ways { .. } => ways::metrics(),
        }))
    }

    fn every_metric(&self) -> Vec<Metric> {
        let ways = [WaySpec::Opt(Problem::MinTime), WaySpec::Opt(Problem::MinCost), WaySpec::EVEN];
        distinct([searches::metrics(&ways), problem::metrics(problem::EITHER), ways::metrics()].concat())
    }

    fn own_rows(&self) -> Vec<&str> {
        self.cases.iter().map(|case| case.name.as_str()).collect()
    }

    fn expect(&self, at: &Cursor<'_>, judge: &mut Judge<'_, '_, '_>) {
        for (index, case) in self.cases.iter().enumerate() {
            let place = at.field("cases").element(index);
            let world = place.field("world");
            match &case.world {
                BatchWorld::Slots(slots) => {
                    let free = slots.count.mean() * slots.length.mean() * slots.performance.mean();
                    judge.windows(&world, free, work(&case.jobs));
                }
                BatchWorld::Environment(environment) => {
                    judge.environment(environment, &world);
                    judge.windows(&place.field("jobs"), idle(environment), work(&case.jobs));
                }
            }
        }
    }

    fn series_names(&self) -> Option<Vec<String>> {
        Some(distinct(self.cases.iter().flat_map(BatchCase::series)))
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Findings, RunError> {
        let mut shown = vec![Vec::new(); self.cases.len()];
        let mut rows = trial.replicate_and(
            |streams| {
                let mut observations = Observations::default();
                self.cases.iter().try_for_each(|case| self.observe(case, streams, &mut observations))?;
                Ok(observations)
            },
            |observations| {
                let cases = self.cases.iter().zip(&mut shown);
                cases.for_each(|(case, shown)| searches::show(case, observations, shown));
            },
        )?;
        let (mut figures, mut notes) = (Vec::new(), Vec::new());
        for (case, shown) in self.cases.iter().zip(&shown) {
            let own = match &case.compare {
                Compared::Searches { ways, .. } => searches::figures(case, ways, shown, &mut rows),
                Compared::Problem(_) => problem::figures(case),
                Compared::Ways { ways, baseline, .. } => {
                    notes.extend(ways::few_counted(case, &rows));
                    ways::figures(case, ways, &self.against(case, baseline))
                }
            };
            let is_named = self.cases.len() > 1 || matches!(case.compare, Compared::Problem(_));
            let prefix = if is_named { format!("{}-", file_name(case.name.as_str())) } else { String::new() };
            figures.extend(own.into_iter().map(|figure| Figure { file: format!("{prefix}{}", figure.file), ..figure }));
        }
        Ok(Findings { rows, figures, notes, ..Findings::default() })
    }
}

impl Batches {
    /// The experiment of the rows that hold ways against the baseline.
    fn against(&self, case: &BatchCase, baseline: &WaySpec) -> String {
        let of = if self.cases.len() > 1 { format!("{}, ", case.name) } else { String::new() };
        format!("{of}against {}", name(baseline))
    }

    fn observe(&self, case: &BatchCase, streams: Streams, to: &mut Observations<'_>) -> Result<(), RunError> {
        let cycle = Cycle::run(case, &streams)?;
        match &case.compare {
            Compared::Searches { ways, .. } => searches::observe(case, ways, &cycle, to),
            Compared::Problem(problem) => problem::observe(case, *problem, &cycle, to),
            Compared::Ways { ways, baseline, .. } => {
                ways::observe(case, (ways, baseline), &cycle, (&self.against(case, baseline), to));
            }
        }
        Ok(())
    }
}

impl BatchCase {
    /// The series of a way under a search, which is named where there are several.
    fn series_of(&self, search: &str, way: &str) -> String {
        if self.searches.len() > 1 { format!("{search}, {way}") } else { way.to_string() }
    }

    /// The names of all series but comparisons.
    fn series(&self) -> Vec<String> {
        let searches = named_searches(&self.searches).into_iter().map(|search| search.name);
        let (ways, all): (Vec<String>, &str) = match &self.compare {
            Compared::Searches { .. } => return searches.chain([searches::ALL.to_string()]).collect(),
            Compared::Problem(_) => (problem::MODES.map(String::from).to_vec(), problem::BOTH),
            Compared::Ways { ways, .. } => (ways.iter().map(name).collect(), ways::ALL),
        };
        let of = |search: String| ways.iter().map(|way| self.series_of(&search, way)).collect::<Vec<_>>();
        searches.flat_map(of).chain([all.to_string()]).collect()
    }

    /// The ways by which each cycle is served.
    fn ways(&self) -> Cow<'_, [WaySpec]> {
        match &self.compare {
            Compared::Searches { ways, .. } | Compared::Ways { ways, .. } => Cow::Borrowed(ways),
            Compared::Problem(problem) => {
                let limit = if problem.limits_time() { WayLimit::Time } else { WayLimit::Cost };
                Cow::Owned(vec![WaySpec::Opt(*problem), WaySpec::NoOpt(limit)])
            }
        }
    }
}

/// What comes of one cycle.
struct Cycle {
    slots: usize,
    jobs: usize,
    searches: Vec<Searched>,
    /// True if all limits can be met and all jobs that need a place have one.
    counts: bool,
    /// True if it does not count because of a limit, or because a way places no job.
    is_infeasible: bool,
}

/// What a search finds in a cycle.
struct Searched {
    name: String,
    /// The jobs that have an alternative.
    placed: usize,
    /// The windows of all jobs.
    windows: usize,
    /// The plan of each way, if the cycle counts.
    plans: Option<Vec<Plan>>,
}

impl Searched {
    /// The alternatives of a job, if the cycle counts.
    fn alternatives(&self) -> Option<f64> {
        self.plans.as_ref().map(|_| self.windows as f64 / self.placed as f64)
    }
}

/// What a way makes of a batch.
struct Plan {
    /// The cost, usage (the longest runtime), start and finish of each job that is placed.
    jobs: Vec<Option<[f64; 4]>>,
    limit: Option<f64>,
    cost: Money,
    time: Span,
    /// The share of the free time that the jobs take, in per cent.
    utilisation: f64,
}

impl Cycle {
    fn run(case: &BatchCase, streams: &Streams) -> Result<Self, RunError> {
        let world = case.world.draw(streams)?;
        let requests = draw_jobs(&case.jobs, streams.stream("jobs"))?;
        let offers = Offers { nodes: &world.nodes, slots: &world.slots, rule: case.runtime };
        let ranks: Vec<i64> = match &case.compare {
            Compared::Ways { ranks, .. } => {
                let mut stream = streams.stream("ranks");
                requests.iter().map(|_| libm::round(ranks.sample(&mut stream)) as i64).collect()
            }
            _ => vec![0; requests.len()],
        };
        let searches = named_searches(&case.searches);
        let collect = |passes| -> Result<Vec<Vec<Vec<Window>>>, RunError> {
            searches.iter().map(|search| checked::windows(&offers, &requests, search.search, passes)).collect()
        };
        // A job that finds nothing in the first pass never does, so that one pass tells whether a cycle counts for which
        // every job needs a place; most do not, and need no more.
        let needs_every_job = matches!(case.compare, Compared::Searches { .. });
        let mut found = collect(needs_every_job.then_some(1))?;
        let placed: Vec<usize> =
            found.iter().map(|windows| windows.iter().filter(|windows| !windows.is_empty()).count()).collect();
        let is_complete = placed.iter().all(|&jobs| if needs_every_job { jobs == requests.len() } else { jobs > 0 });
        let mut plans: Option<Vec<Vec<Plan>>> = None;
        if is_complete {
            if needs_every_job {
                found = collect(None)?;
            }
            let serve = |(search, windows): (&NamedSearch<'_>, &Vec<Vec<Window>>)| {
                let batch = Batch::new(case, offers, (&requests, &ranks), (search.search, windows))?;
                case.ways().iter().map(|way| Plan::of(&batch, way, &world, streams)).collect()
            };
            plans = searches.iter().zip(&found).map(serve).collect::<Result<_, RunError>>()?;
        }
        let (counts, mut plans) = (plans.is_some(), plans.into_iter().flatten());
        let found = found.iter().map(|windows| windows.iter().map(Vec::len).sum());
        let searched = searches.into_iter().zip(placed).zip(found).map(|((search, placed), windows)| Searched {
            name: search.name,
            placed,
            windows,
            plans: plans.next(),
        });
        Ok(Self {
            slots: world.slots.len(),
            jobs: requests.len(),
            searches: searched.collect(),
            counts,
            is_infeasible: is_complete && !counts,
        })
    }
}

/// 100 if it holds, of the per cent of cycles.
fn percent(holds: bool) -> f64 {
    if holds { 100.0 } else { 0.0 }
}

impl Plan {
    /// The plan of a way; nothing if its limit can't be met or it places no job.
    fn of(batch: &Batch<'_>, way: &WaySpec, world: &SlotWorld, streams: &Streams) -> Result<Option<Self>, RunError> {
        let Some((windows, limit)) = batch.serve(way, streams)? else { return Ok(None) };
        let placed: Vec<&Window> = windows.iter().flatten().collect();
        if placed.is_empty() {
            return Ok(None);
        }
        let costs = placed.iter().map(|window| window.cost(&world.nodes)).collect::<Result<Vec<Money>, _>>()?;
        let slots = placed.iter().flat_map(|window| window.slots());
        let held: Span = sum(slots.map(|slot| slot.interval.span()))?;
        let mut priced = costs.iter();
        let mut measure = |window: &Window| {
            let cost = priced.next().map_or(0.0, |cost| cost.as_f64());
            [cost, window.time().as_f64(), window.start().as_f64(), window.finish().as_f64()]
        };
        Ok(Some(Self {
            jobs: windows.iter().map(|window| window.as_ref().map(&mut measure)).collect(),
            limit,
            cost: sum(costs.iter().copied())?,
            time: sum(placed.iter().map(|window| window.time()))?,
            utilisation: 100.0 * held.as_f64() / world.slots.total().as_f64(),
        }))
    }
}

impl BatchWorld {
    fn draw(&self, streams: &Streams) -> Result<SlotWorld, UnitsError> {
        match self {
            Self::Slots(slots) => draw_slots(slots, streams.stream("slots")),
            Self::Environment(environment) => draw_environment(environment, streams),
        }
    }
}

/// Each of them once.
fn distinct<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for one in all {
        if !distinct.contains(&one) {
            distinct.push(one);
        }
    }
    distinct
}
