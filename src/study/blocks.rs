//! Studies in parts: blocks of replications of one point, and the share of the work that a shard does.
//!
//! A block is the unit of work that a machine of a cluster does. The replications of a point are independent, so that a
//! study may be cut anywhere; a merge takes replications in by their number, and the result does not depend on the
//! cuts. Only where the number of worlds is decided as they come up (`until`) does a point stay whole.

use super::checkpoint::{Checkpoint, Point};
use super::record::{PointPlace, StudyRecord};
use super::replicate::{Progress, Trial};
use super::sweep::SweepPoint;
use super::{RunError, Scenario, Study, run_point};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::fmt;
use std::ops::Range;

/// The most shards that a study can be cut into.
pub const MOST_SHARDS: u64 = 1_000_000;

/// A point of a study as work to be shared.
#[derive(Debug, Clone)]
pub struct StudyPoint {
    /// What its replications are kept under.
    pub point: Point,
    /// The number of its replications.
    pub replications: u64,
    /// Its replications can't be shared: how many there are to be is decided as they come up, or there is just one.
    pub is_whole: bool,
    /// The number of observations that a replication gives.
    pub per_run: u64,
    /// The expected cost of a replication, in a unit that all points share.
    cost: f64,
    place: WorkPlace,
    /// The name for people.
    label: String,
}

/// Where a point stands in its study.
#[derive(Debug, Clone)]
enum WorkPlace {
    Base,
    Swept { sweep: usize, index: usize, point: SweepPoint },
}

/// A point by its name for people: `base`, or `load: load=0.6`.
impl fmt::Display for StudyPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.label)
    }
}

impl StudyPoint {
    fn of(study: &Study, scenario: &Scenario, place: WorkPlace) -> Self {
        let experiment = scenario.experiment.get();
        let label = match &place {
            WorkPlace::Base => "base".to_string(),
            WorkPlace::Swept { sweep, point, .. } => {
                format!("{}: {point}", study.scenario().sweeps[*sweep].name.as_str())
            }
        };
        Self {
            point: Point::with(scenario, &study.outside.key()),
            replications: scenario.runs(),
            is_whole: scenario.statistics.until.is_some() || !experiment.draws(),
            per_run: scenario.statistics.sampling.per_run(),
            cost: experiment.cost(),
            place,
            label,
        }
    }
}

/// All points of a study that have work to be shared, each once. What draws nothing and is not swept is left to the
/// merge: it makes the figures.
pub fn study_points(study: &Study) -> Vec<StudyPoint> {
    let mut all = Vec::new();
    if study.scenario().experiment.get().draws() {
        all.push(StudyPoint::of(study, study.scenario(), WorkPlace::Base));
    }
    for (sweep, scenarios) in study.points().iter().enumerate() {
        let points = study.scenario().sweeps[sweep].points();
        for (index, (scenario, point)) in scenarios.iter().zip(points).enumerate() {
            all.push(StudyPoint::of(study, scenario, WorkPlace::Swept { sweep, index, point }));
        }
    }
    let mut found: BTreeMap<Point, usize> = BTreeMap::new();
    let mut points: Vec<StudyPoint> = Vec::new();
    for point in all {
        match found.get(&point.point) {
            // The same world in two places of the study: the longer one serves both.
            Some(&at) if points[at].replications < point.replications => points[at] = point,
            Some(_) => {}
            None => {
                found.insert(point.point, points.len());
                points.push(point);
            }
        }
    }
    points
}

/// One of the equal parts of a study: the `index`-th, from 1, of `of`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    /// Its number, from 1.
    pub index: u64,
    /// The number of all of them.
    pub of: u64,
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

/// Reads `3/10`.
impl std::str::FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = || "give a number and the number of all shards, such as 1/10 to 10/10".to_string();
        let (index, of) = text.split_once('/').ok_or_else(form)?;
        let (index, of) = (index.trim().parse().map_err(|_| form())?, of.trim().parse().map_err(|_| form())?);
        match (index, of) {
            (_, of) if of == 0 || of > MOST_SHARDS => Err(format!("there can be 1 to {MOST_SHARDS} shards")),
            (index, of) if index == 0 || index > of => Err(format!("shards of {of} are 1/{of} to {of}/{of}")),
            _ => Ok(Self { index, of }),
        }
    }
}

/// Replications of one point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The place of the point among [`study_points`].
    pub at: usize,
    /// The numbers of the replications.
    pub replications: Range<u64>,
}

/// The blocks of every shard when the work is shared among `of` of them: the first one's first.
///
/// Every point is shared evenly, so that shards take equally long whatever the points cost. What is left over, fewer
/// replications of a point than shards, goes by its expected cost, the dearest first, to whoever has least so far.
pub fn shares(points: &[StudyPoint], of: u64) -> Vec<Vec<Block>> {
    let shards = usize::try_from(of.max(1)).unwrap_or(usize::MAX);
    let mut left_over: Vec<(usize, u64)> = Vec::new();
    for (at, point) in points.iter().enumerate() {
        left_over.push((at, if point.is_whole { 1 } else { point.replications % of.max(1) }));
    }
    let whole_cost = |at: usize| match &points[at] {
        point if point.is_whole => point.cost * point.replications as f64,
        point => point.cost,
    };
    // A stable sort: equals stay in the order of the study.
    left_over.sort_by(|a, b| whole_cost(b.0).total_cmp(&whole_cost(a.0)));
    // By shard: what it has so far, in steps of a queue that gives the least first.
    let mut extra: Vec<BTreeMap<usize, u64>> = vec![BTreeMap::new(); shards];
    // Costs are not negative: their bits have the order of the numbers.
    let mut idle: BinaryHeap<Reverse<(u64, usize)>> = (0..shards).map(|shard| Reverse((0, shard))).collect();
    for (at, count) in left_over {
        for _ in 0..count {
            let Some(Reverse((load, shard))) = idle.pop() else { continue };
            *extra[shard].entry(at).or_default() += 1;
            idle.push(Reverse(((f64::from_bits(load) + whole_cost(at)).to_bits(), shard)));
        }
    }
    let mut next: Vec<u64> = vec![0; points.len()];
    let mut shares: Vec<Vec<Block>> = Vec::with_capacity(shards);
    for extra in extra {
        let mut share = Vec::new();
        for (at, point) in points.iter().enumerate() {
            let more = extra.get(&at).copied().unwrap_or(0);
            let count = match point.is_whole {
                true => more * point.replications,
                false => point.replications / of.max(1) + more,
            };
            if count > 0 {
                share.push(Block { at, replications: next[at]..next[at] + count });
                next[at] += count;
            }
        }
        shares.push(share);
    }
    shares
}

/// Runs the replications of a point that `checkpoint` asks for; they are kept there, and nothing else comes of it.
pub fn run_block(
    study: &Study,
    point: &StudyPoint,
    watch: &impl Progress,
    checkpoint: &impl Checkpoint,
) -> Result<(), RunError> {
    let (scenario, place) = match &point.place {
        WorkPlace::Base => (study.scenario(), PointPlace::Base),
        WorkPlace::Swept { sweep, index, point } => {
            (&study.points()[*sweep][*index], PointPlace::Swept { sweep: &study.scenario().sweeps[*sweep], point })
        }
    };
    let written = StudyRecord::of_nothing();
    run_point(&Trial { scenario, place, outside: &study.outside, watch, checkpoint, written: &written }).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point(replications: u64, is_whole: bool, cost: f64) -> StudyPoint {
        StudyPoint {
            point: Point::of(&crate::language::constant(
                "(name: \"p\", experiment: Windows(world: Listed(nodes: [(name: \"a\", performance: 1, price: 1)], free: Slots([(node: \"a\", start: 0, end: 9)])), requests: [(name: \"r\", nodes: 1, length: 1, max_price: 1)], searches: [Amp]))",
            )),
            replications,
            is_whole,
            per_run: 1,
            cost,
            place: WorkPlace::Base,
            label: String::new(),
        }
    }

    proptest! {
        #[test]
        fn every_replication_is_in_just_one_share_and_shares_are_even(
            points in prop::collection::vec((1_u64..40, prop::bool::weighted(0.2), 0.1_f64..100.0), 1..12),
            of in 1_u64..15,
        ) {
            let points: Vec<StudyPoint> = points.into_iter().map(|(count, whole, cost)| point(count, whole, cost)).collect();
            let shares = shares(&points, of);
            prop_assert_eq!(shares.len() as u64, of);
            for (at, point) in points.iter().enumerate() {
                let mut next = 0;
                for block in shares.iter().flatten().filter(|block| block.at == at) {
                    prop_assert_eq!(block.replications.start, next);
                    prop_assert!(block.replications.end > next);
                    next = block.replications.end;
                }
                prop_assert_eq!(next, point.replications);
            }
            let cost = |share: &Vec<Block>| share.iter().map(|block| {
                points[block.at].cost * (block.replications.end - block.replications.start) as f64
            }).sum::<f64>();
            let costs: Vec<f64> = shares.iter().map(cost).collect();
            let dearest = points.iter().map(|point| point.cost * if point.is_whole { point.replications as f64 } else { 1.0 }).fold(0.0, f64::max);
            let (least, most) = costs.iter().fold((f64::INFINITY, 0.0_f64), |(least, most), &cost| (least.min(cost), most.max(cost)));
            prop_assert!(most - least <= dearest * 1.000_001, "{:?}", costs);
        }
    }

    #[test]
    fn a_shard_is_read_as_it_is_written_and_nothing_else_is() {
        assert_eq!("3/10".parse(), Ok(Shard { index: 3, of: 10 }));
        assert_eq!(Shard { index: 3, of: 10 }.to_string(), "3/10");
        for (text, words) in [
            ("0/4", "shards of 4 are 1/4 to 4/4"),
            ("5/4", "1/4 to 4/4"),
            ("1/0", "there can be 1 to"),
            ("3", "such as 1/10"),
            ("a/b", "such as 1/10"),
            ("-1/3", "such as 1/10"),
            ("1/99999999999", "there can be 1 to 1000000"),
        ] {
            let error = text.parse::<Shard>().unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
