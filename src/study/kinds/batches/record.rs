//! `Batches`: one batch of jobs in each of many independent scheduling cycles.

use super::way::{WaySpec, name};
use crate::combine::Problem;
use crate::combine::limits::BudgetLimit;
use crate::language::{Context, Cursor, Name, NameKind, NonEmpty, Within};
use crate::search::Search;
use crate::study::parts::report_repeated;
use crate::workload::bounds::Ranks;
use crate::workload::{EnvironmentSpec, JobsSpec, RuntimeRule, SlotsSpec};
use crate::{choice, record};

/// The names of cases.
#[derive(Debug, Clone, PartialEq)]
pub enum CaseNames {}

impl NameKind for CaseNames {
    const WHAT: &'static str = "case";
}

record! {
    /// Ways to serve a batch of jobs, in independent scheduling cycles on drawn worlds. Each cycle draws free slots and
    /// a batch, collects the alternatives of every job by each search, and lets each way give the jobs their windows:
    /// the best combination of alternatives (OPT), a random one within the same limit (NO OPT), one by the weighted
    /// vector of criteria, or those that a queue with or without backfilling gives.
    pub struct Batches {
        /// The cases, each with a world of its own.
        cases: NonEmpty<BatchCase>,
    }
    starter(include_str!("starter.ron"))
}

record! {
    /// A world, the batches on it, and a comparison.
    pub struct BatchCase {
        /// Its name, unique among the cases: the experiment of its rows.
        name: Name<CaseNames>,
        /// Where the free slots of a cycle come from.
        world: BatchWorld,
        /// The jobs of a cycle, in the order of arrival; all wait when it begins.
        jobs: JobsSpec,
        /// The searches that collect alternatives: `Alp` and `Amp`.
        searches: NonEmpty<Search>,
        /// The comparison: of searches, of OPT with NO OPT, or of ways.
        compare: Compared,
        /// The rule by which a job's length becomes a runtime.
        runtime: RuntimeRule = RuntimeRule::Reference,
        /// The form of the limit B*, for choices that limit cost.
        budget: BudgetLimit = BudgetLimit::HighestIncome,
    }
    moved("environment", include_str!("moved/case.ron"))
    check(this, at, errors) {
        let searches = at.field("searches");
        report_repeated(&this.searches, &searches, errors);
        if this.searches.iter().any(|search| search.get().finder().is_none()) {
            errors.add(&searches, "only `Alp` and `Amp` collect alternatives", "leave the others out");
        }
        this.jobs.require_rule(this.runtime, at, errors);
    }
}

choice! {
    /// Where the free slots of a cycle come from.
    pub enum BatchWorld {
        /// A list of slots, each on a node of its own.
        Slots(SlotsSpec),
        /// Nodes with tasks of their owners, between which they are free.
        Environment(EnvironmentSpec),
    }
}

choice! {
    /// The comparison of a case.
    pub enum Compared {
        /// The searches, by the time and the cost of a job under each of the ways. A cycle counts only if every job has
        /// an alternative under every search.
        Searches {
            /// The ways to choose: for print's TM and CM `Opt(MinTime)` and `Opt(MinCost)`.
            ways: NonEmpty<WaySpec>,
            /// The number of counted cycles that are shown one by one, from the first on.
            #[unit = "cycles"]
            first: u64 = 0,
        },
        /// The best combination for this problem (OPT) and a random one within the same limit (NO OPT). Jobs that have
        /// no alternative are dropped from the cycle.
        Problem(Problem),
        /// The ways, by the jobs that they place and, job by job, against the baseline. A cycle counts if every way
        /// keeps its limits and places a job.
        Ways {
            /// The ways that are compared.
            ways: NonEmpty<WaySpec>,
            /// The way that the others are compared with: one of the list.
            baseline: WaySpec,
            /// The ranks of the jobs, for queues by rank; drawn numbers are rounded.
            #[unit = "rank"]
            ranks: Within<Ranks> = Within::of(0.0),
        },
    }
    check(this, at, errors) {
        match this {
            Self::Searches { ways, .. } => report_namesakes(ways, at, errors),
            Self::Problem(_) => (),
            Self::Ways { ways, baseline, .. } => {
                report_namesakes(ways, at, errors);
                if !ways.contains(baseline) {
                    let right = "give one of `ways`, as it stands there";
                    errors.add(&at.field("baseline"), "this way is not in the list", right);
                }
            }
        }
    }
}

/// Reports ways whose rows could not be told apart.
fn report_namesakes(ways: &[WaySpec], at: &Cursor<'_>, errors: &mut Context<'_>) {
    for (index, way) in ways.iter().enumerate() {
        if ways[..index].iter().any(|other| name(other) == name(way)) {
            let place = at.field("ways").element(index);
            errors.add(&place, "this way is in the list already", "leave it out, or change its order or depth");
        }
    }
}
