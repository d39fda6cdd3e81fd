//! One item per class, least total value within a limit on total weight: exact.
//!
//! This is the backward run of the papers (formula 1) with its table replaced by labels: a label is a (weight, value)
//! pair that some choice for the first classes reaches, and only labels that no other one beats in both are kept. Two
//! bounds from the linear relaxation keep the labels few: what the remaining classes can reach at best discards a
//! label, and what they surely reach sets the mark to beat. Integer arithmetic decides; the bounds are rounded towards
//! keeping.
//!
//! Where items lie on a line nearly all labels stay, and their number is multiplied by every class. Beyond a fixed
//! number another method takes over, which works from both ends and within a fixed memory (`two_sided`).

pub(super) use super::two_sided::SidedSolution;

use super::two_sided;

/// The most labels that may be looked at for one class and for all of them, and the most that may be kept in all.
const LABELS_OF_CLASS: usize = 1 << 18;
const LABELS: usize = 1 << 21;
const STEPS: usize = 1 << 20;

/// A candidate of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BatchItem {
    /// The amount that is to be as small as possible in total.
    pub value: i64,
    /// The amount that may not exceed the limit in total.
    pub weight: i64,
}

impl BatchItem {
    const NOTHING: Self = Self { value: 0, weight: 0 };

    pub(super) fn plus(self, other: Self) -> Self {
        Self { value: self.value + other.value, weight: self.weight + other.weight }
    }

    pub(super) fn minus(self, other: Self) -> Self {
        Self { value: self.value - other.value, weight: self.weight - other.weight }
    }
}

/// The picks, one per class, with the least total value within `limit`, and among those the least total weight; `None`
/// when even the lightest items are too heavy together. The totals of the largest magnitudes must fit 64 bits. Time
/// and memory are bounded: a problem that is too hard for a proof of the optimum gets a choice with a known gap.
pub(super) fn solve(classes: &[Vec<BatchItem>], limit: i64) -> Option<SidedSolution> {
    let efficient: Option<Vec<Vec<Candidate>>> = classes.iter().map(|class| efficient(class)).collect();
    let efficient = efficient?;
    match by_labels(&efficient, limit) {
        Ok(picks) => picks.map(|picks| SidedSolution { picks, gap: None }),
        Err(TooMany) => two_sided::solve(&efficient, limit),
    }
}

/// Labels became too many.
struct TooMany;

fn by_labels(classes: &[Vec<Candidate>], limit: i64) -> Result<Option<Vec<usize>>, TooMany> {
    let mut rest = Rest::new(classes);
    let mut arena: Vec<JobStep> = Vec::new();
    let mut labels = vec![ParetoLabel { weight: 0, value: 0, step: None }];
    let mut mark = i64::MAX;
    let mut seen = 0;
    for (at, class) in classes.iter().enumerate() {
        seen += labels.len() * class.len();
        rest.remove(at);
        labels = extend(&labels, class, &mut rest, limit, &mut mark, &mut arena)?;
        if seen > LABELS || arena.len() > STEPS {
            return Err(TooMany);
        }
    }
    let Some(best) = labels.iter().min_by_key(|label| (label.value, label.weight)) else { return Ok(None) };
    let mut picks = Vec::with_capacity(classes.len());
    let mut step = best.step;
    while let Some(index) = step {
        picks.push(arena[index].pick);
        step = arena[index].before;
    }
    picks.reverse();
    Ok(Some(picks))
}

/// An item that no other item of its class beats, with its place in the class.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub item: BatchItem,
    pub pick: usize,
}

/// The totals that some choice for the classes so far reaches, and the last step towards it.
#[derive(Debug, Clone, Copy)]
struct ParetoLabel {
    weight: i64,
    value: i64,
    step: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
struct JobStep {
    pick: usize,
    before: Option<usize>,
}

/// The items worth having, by rising weight and falling value; `None` for a class without items.
pub(super) fn efficient(class: &[BatchItem]) -> Option<Vec<Candidate>> {
    let mut sorted: Vec<Candidate> = class.iter().enumerate().map(|(pick, &item)| Candidate { item, pick }).collect();
    sorted.sort_unstable_by_key(|candidate| (candidate.item.weight, candidate.item.value, candidate.pick));
    let mut least = i64::MAX;
    sorted.retain(|candidate| {
        let better = candidate.item.value < least;
        least = least.min(candidate.item.value);
        better
    });
    (!sorted.is_empty()).then_some(sorted)
}

/// The totals that the classes from some one on can reach: corner points of the lower convex hull of their total
/// (weight, value). Each corner is reached by whole items; between two corners lies the linear relaxation.
///
/// The hull of a sum of sets is the sum of their edges, the steepest fall first. So the edges of all classes are sorted
/// once, and those of a class are taken out of the list when it is no longer among the rest. A cursor stands at the
/// corner that was last asked about: the next question is mostly about one nearby.
#[derive(Debug)]
struct Rest {
    edges: Vec<HullEdge>,
    /// The places of each class's edges.
    of_class: Vec<Vec<u32>>,
    /// The lightest items of the classes.
    first_of_class: Vec<BatchItem>,
    /// The lightest total.
    first: BatchItem,
    /// The corner at which the cursor stands, and the edge behind it.
    corner: BatchItem,
    next: u32,
}

/// An edge in a list of those that are left; place 0 is before the first and behind the last.
#[derive(Debug, Clone, Copy)]
struct HullEdge {
    edge: BatchItem,
    before: u32,
    next: u32,
}

impl Rest {
    /// For all classes.
    fn new(classes: &[Vec<Candidate>]) -> Self {
        let mut sorted: Vec<(BatchItem, usize)> = Vec::new();
        let mut first_of_class = Vec::with_capacity(classes.len());
        // Of edges that are as steep, those of later classes come first.
        for (at, class) in classes.iter().enumerate().rev() {
            let hull = hull(class);
            sorted.extend(hull.windows(2).map(|pair| (pair[1].minus(pair[0]), at)));
            first_of_class.push(hull[0]);
        }
        first_of_class.reverse();
        sorted.sort_by(|a, b| slope_order(a.0, b.0));
        let mut of_class = vec![Vec::new(); classes.len()];
        let none = HullEdge { edge: BatchItem::NOTHING, before: sorted.len() as u32, next: 1 };
        let mut edges = Vec::with_capacity(sorted.len() + 1);
        edges.push(none);
        for (edge, class) in sorted {
            let place = edges.len() as u32;
            of_class[class].push(place);
            edges.push(HullEdge { edge, before: place - 1, next: place + 1 });
        }
        let last = edges.len() - 1;
        edges[last].next = 0;
        let first = first_of_class.iter().fold(BatchItem::NOTHING, |sum, &first| sum.plus(first));
        let next = edges[0].next;
        Self { edges, of_class, first_of_class, first, corner: first, next }
    }

    /// Takes a class out of the rest.
    fn remove(&mut self, class: usize) {
        let first = self.first_of_class[class];
        (self.first, self.corner) = (self.first.minus(first), self.corner.minus(first));
        for &place in &self.of_class[class] {
            let HullEdge { edge, before, next } = self.edges[place as usize];
            self.edges[before as usize].next = next;
            self.edges[next as usize].before = before;
            if self.next == place {
                self.next = next;
            } else if self.next == 0 || place < self.next {
                self.corner = self.corner.minus(edge);
            }
        }
    }

    /// The value surely reached and a bound on the best value within `room`; `None` when nothing fits.
    fn within(&mut self, room: i64) -> Option<(i64, i64)> {
        if room < self.first.weight {
            return None;
        }
        while self.corner.weight > room {
            let before = self.edges[self.next as usize].before;
            self.corner = self.corner.minus(self.edges[before as usize].edge);
            self.next = before;
        }
        let behind = loop {
            let behind = &self.edges[self.next as usize];
            if self.next == 0 || self.corner.weight + behind.edge.weight > room {
                break behind.edge;
            }
            self.corner = self.corner.plus(behind.edge);
            self.next = behind.next;
        };
        let bound = if self.next == 0 {
            self.corner.value
        } else {
            let share = (room - self.corner.weight) as f64 / behind.weight as f64;
            let drop = -behind.value as f64 * share;
            // Rounded towards a lower bound by more than the arithmetic above can err.
            self.corner.value - (drop + drop * 1e-12) as i64 - 2
        };
        Some((self.corner.value, bound))
    }
}

/// The order of value / weight of two edges, exactly.
pub(super) fn slope_order(a: BatchItem, b: BatchItem) -> std::cmp::Ordering {
    let cross = |one: BatchItem, other: BatchItem| i128::from(one.value) * i128::from(other.weight);
    cross(a, b).cmp(&cross(b, a))
}

/// The lower convex hull of a class's efficient items.
pub(super) fn hull(class: &[Candidate]) -> Vec<BatchItem> {
    let mut hull: Vec<BatchItem> = Vec::new();
    for item in class.iter().map(|candidate| candidate.item) {
        while let [.., before, last] = hull[..] {
            if slope_order(last.minus(before), item.minus(last)).is_lt() {
                break;
            }
            hull.pop();
        }
        hull.push(item);
    }
    hull
}

/// The labels after one more class.
fn extend(
    labels: &[ParetoLabel],
    class: &[Candidate],
    rest: &mut Rest,
    limit: i64,
    mark: &mut i64,
    arena: &mut Vec<JobStep>,
) -> Result<Vec<ParetoLabel>, TooMany> {
    let mut made: Vec<(i64, i64, usize, usize)> = Vec::with_capacity(labels.len());
    for candidate in class {
        for (index, label) in labels.iter().enumerate() {
            let weight = label.weight + candidate.item.weight;
            let value = label.value + candidate.item.value;
            // Labels come by rising weight: once nothing fits behind one, nothing fits behind the later ones.
            let Some((sure, bound)) = rest.within(limit - weight) else { break };
            *mark = (*mark).min(value + sure);
            if value + bound <= *mark {
                made.push((weight, value, index, candidate.pick));
            }
        }
        if made.len() > LABELS_OF_CLASS {
            return Err(TooMany);
        }
    }
    made.sort_unstable();
    let mut kept: Vec<ParetoLabel> = Vec::new();
    let mut least = i64::MAX;
    for (weight, value, index, pick) in made {
        if value < least {
            least = value;
            arena.push(JobStep { pick, before: labels[index].step });
            kept.push(ParetoLabel { weight, value, step: Some(arena.len() - 1) });
        }
    }
    Ok(kept)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every combination, one after another: the least (value, weight) within the limit.
    pub(crate) fn brute_force(classes: &[Vec<BatchItem>], limit: i64) -> Option<(i64, i64)> {
        let mut totals = vec![(0, 0)];
        for class in classes {
            totals = totals
                .iter()
                .flat_map(|&(value, weight)| class.iter().map(move |item| (value + item.value, weight + item.weight)))
                .collect();
        }
        totals.into_iter().filter(|&(_, weight)| weight <= limit).min()
    }

    pub(crate) fn totals(classes: &[Vec<BatchItem>], picks: &[usize]) -> (i64, i64) {
        let items: Vec<BatchItem> = classes.iter().zip(picks).map(|(class, &pick)| class[pick]).collect();
        (items.iter().map(|item| item.value).sum(), items.iter().map(|item| item.weight).sum())
    }

    fn classes(
        values: std::ops::Range<i64>,
        weights: std::ops::Range<i64>,
    ) -> impl Strategy<Value = Vec<Vec<BatchItem>>> {
        let item = (values, weights).prop_map(|(value, weight)| BatchItem { value, weight });
        prop::collection::vec(prop::collection::vec(item, 0..6), 0..6)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]
        #[test]
        fn small_numbers_with_many_ties(classes in classes(-6..6, 0..6), limit in 0i64..30) {
            let picks = solve(&classes, limit);
            prop_assert_eq!(picks.map(|found| totals(&classes, &found.picks)), brute_force(&classes, limit));
        }

        #[test]
        fn large_numbers(classes in classes(-900_000_000_000_000..900_000_000_000_000, 0..900_000_000_000_000), limit in 0i64..3_000_000_000_000_000) {
            let picks = solve(&classes, limit);
            prop_assert_eq!(picks.map(|found| totals(&classes, &found.picks)), brute_force(&classes, limit));
        }
    }

    #[test]
    fn no_class_needs_no_pick_and_an_empty_class_can_not_be_served() {
        assert_eq!(solve(&[], 0), Some(SidedSolution { picks: vec![], gap: None }));
        assert_eq!(solve(&[vec![]], 100), None);
    }
}
