//! One item per class where labels would become too many: from both ends, in bounded memory.
//!
//! Where items lie on a line, or nearly so, no label beats another and the linear relaxation rules none out, so that
//! labels multiply from class to class (the problem is subset sum then). Three things help. Labels are made from the
//! first class on and from the last class on, always on the side that has fewer, and a single pass over both lists
//! finds the best pair: the square root of the work. The relaxation is kept exact, in integers, and tightened to what
//! totals can be by their greatest common divisor: a choice that meets it is proven to be best, and among many
//! combinations some choice usually does. And lists that would outgrow a limit are thinned out, those that are nearest
//! to the relaxation staying: the result is then a choice and a proof of how far it can be from the best one. The
//! limit rises from round to round, until there is a proof or the last round is over.

use super::exact::{BatchItem, Candidate, hull, slope_order};

/// The most labels that may be made for one class, by rounds; and the factor to the most in a round over all classes.
const LABELS: [usize; 4] = [1 << 13, 1 << 16, 1 << 19, 1 << 21];
const CLASSES: usize = 4;
/// The number of sets of classes that are looked at for themselves in a round.
const CORES: usize = 4;

/// A choice and what is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SidedSolution {
    /// One pick per class.
    pub picks: Vec<usize>,
    /// By how much the least total value can be below the one chosen, if the search ended before a proof. With 0, only
    /// a choice of the same value and less weight is not ruled out.
    pub gap: Option<i64>,
}

/// The best choice found for classes of efficient items, by rising weight; `None` when the lightest are too heavy.
pub(super) fn solve(classes: &[Vec<Candidate>], limit: i64) -> Option<SidedSolution> {
    solve_within(&LABELS, classes, limit)
}

fn solve_within(labels: &[usize], classes: &[Vec<Candidate>], limit: i64) -> Option<SidedSolution> {
    let problem = ClassProblem::new(classes, limit);
    let mut best = problem.corner()?;
    let mut is_proven = problem.is_best(&best);
    for &most in labels {
        for core in problem.cores(most) {
            if !is_proven {
                best = problem.improve(best, &core, most);
                is_proven = problem.is_best(&best);
            }
        }
        if !is_proven {
            let (found, is_complete) = problem.round(&best, most.min(CLASSES * most / classes.len().max(1)));
            best = found.unwrap_or(best);
            is_proven = is_complete || problem.is_best(&best);
        }
    }
    let gap = (!is_proven).then(|| best.value - problem.least_value(problem.limit));
    Some(SidedSolution { picks: best.picks, gap })
}

/// A choice for all classes; the better one has the lower (value, weight).
#[derive(Debug, Clone)]
struct Chosen {
    value: i64,
    weight: i64,
    picks: Vec<usize>,
}

struct ClassProblem<'a> {
    classes: &'a [Vec<Candidate>],
    limit: i64,
    /// Totals of value and of weight differ by multiples of these.
    value_step: i64,
    weight_step: i64,
    /// The relaxation for classes k, k + 1, ... and for classes 0 to k - 1.
    behind: Vec<Hull>,
    before: Vec<Hull>,
    /// The edge of the relaxation on which the limit lies.
    edge: BatchItem,
}

impl<'a> ClassProblem<'a> {
    fn new(classes: &'a [Vec<Candidate>], limit: i64) -> Self {
        let mut behind = hulls(classes.iter().rev());
        behind.reverse();
        let before = hulls(classes.iter());
        let step = |of: fn(&BatchItem) -> i64| {
            let differences = classes.iter().flat_map(|class| {
                let first = of(&class[0].item);
                class.iter().map(move |candidate| of(&candidate.item).abs_diff(first))
            });
            i64::try_from(differences.fold(0, greatest_common_divisor)).unwrap_or(1).max(1)
        };
        let (value_step, weight_step) = (step(|item| item.value), step(|item| item.weight));
        let lightest = behind[0].corners[0].weight;
        // The heaviest total that can be at all.
        let limit = limit - if limit < lightest { 0 } else { (limit - lightest) % weight_step };
        let edge = behind[0].edge_at(limit);
        Self { classes, limit, value_step, weight_step, behind, before, edge }
    }

    /// The corner of the relaxation that is next to the limit: whole items.
    fn corner(&self) -> Option<Chosen> {
        let whole = &self.behind[0];
        if self.limit < whole.corners[0].weight {
            return None;
        }
        let taken = whole.corners.partition_point(|corner| corner.weight <= self.limit) - 1;
        // The edges of a class are taken in their own order: the pick is that behind the last one taken.
        let mut reached: Vec<BatchItem> = self.classes.iter().map(|class| class[0].item).collect();
        for &(edge, class) in &edges_in_order(self.classes)[..taken] {
            reached[class].value += edge.value;
            reached[class].weight += edge.weight;
        }
        let pick = |(class, item): (&Vec<Candidate>, BatchItem)| {
            class.iter().find(|candidate| candidate.item == item).map(|candidate| candidate.pick)
        };
        let picks: Option<Vec<usize>> = self.classes.iter().zip(reached).map(pick).collect();
        let corner = whole.corners[taken];
        Some(Chosen { value: corner.value, weight: corner.weight, picks: picks? })
    }

    /// A bound on the value of a choice of at most this weight.
    fn least_value(&self, weight: i64) -> i64 {
        let first = self.behind[0].corners[0].value;
        let bound = self.behind[0].least_value(weight).unwrap_or(first);
        first - (first - bound) / self.value_step * self.value_step
    }

    /// True if no choice can have a lower value, nor the same value with less weight.
    fn is_best(&self, chosen: &Chosen) -> bool {
        let lighter = chosen.weight - self.weight_step;
        chosen.value <= self.least_value(self.limit)
            && (lighter < self.behind[0].corners[0].weight || self.least_value(lighter) > chosen.value)
    }

    /// Sets of classes, of which each has as many combinations as `most` labels from both ends reach, and some more;
    /// those whose items lie nearest to the relaxation first. None where a set would hold all classes.
    fn cores(&self, most: usize) -> Vec<Vec<usize>> {
        let spread = |class: &Vec<Candidate>| {
            let mut above: Vec<i128> = class.iter().map(|candidate| above(candidate.item, self.edge)).collect();
            above.sort_unstable();
            above[above.len() / 2].saturating_sub(above[0])
        };
        let mut order: Vec<(i128, usize)> = self.classes.iter().map(spread).zip(0..).collect();
        order.retain(|&(_, class)| self.classes[class].len() > 1);
        order.sort_unstable();
        let mut cores: Vec<Vec<usize>> = vec![Vec::new()];
        let mut combinations = 1.0;
        for (_, class) in order {
            if combinations > 64.0 * (most * most) as f64 {
                if cores.len() == CORES {
                    return cores;
                }
                cores.push(Vec::new());
                combinations = 1.0;
            }
            let last = cores.len() - 1;
            cores[last].push(class);
            combinations *= self.classes[class].len() as f64;
        }
        // The last one has too few classes.
        cores.pop();
        cores
    }

    /// The best choice that differs from `best` in the classes of `core` alone, as far as `most` labels reach.
    fn improve(&self, mut best: Chosen, core: &[usize], most: usize) -> Chosen {
        let classes: Vec<Vec<Candidate>> = core.iter().map(|&class| self.classes[class].clone()).collect();
        let picks: Vec<usize> = core.iter().map(|&class| best.picks[class]).collect();
        let chosen = |(class, &pick): (&Vec<Candidate>, &usize)| {
            class.iter().find(|candidate| candidate.pick == pick).map_or(class[0].item, |candidate| candidate.item)
        };
        let items: Vec<BatchItem> = classes.iter().zip(&picks).map(chosen).collect();
        let value: i64 = items.iter().map(|item| item.value).sum();
        let weight: i64 = items.iter().map(|item| item.weight).sum();
        let (fixed_value, fixed_weight) = (best.value - value, best.weight - weight);
        let part = ClassProblem::new(&classes, self.limit - fixed_weight);
        if let (Some(better), _) = part.round(&Chosen { value, weight, picks }, most) {
            (best.value, best.weight) = (fixed_value + better.value, fixed_weight + better.weight);
            core.iter().zip(better.picks).for_each(|(&class, pick)| best.picks[class] = pick);
        }
        best
    }

    /// Labels from both ends, at most `most` for a class. The choice that is better than `best`, if there is one, and
    /// whether labels were made for all that could be better.
    fn round(&self, best: &Chosen, most: usize) -> (Option<Chosen>, bool) {
        let (mut from, mut to) = (0, self.classes.len());
        let (mut front, mut back) = (Side::new(), Side::new());
        let mut is_complete = true;
        while from < to {
            if front.labels.len() <= back.labels.len() {
                is_complete &= front.thin_out(most / self.classes[from].len(), self.edge);
                front.extend(&self.classes[from], &self.behind[from + 1], self, best);
                from += 1;
            } else {
                to -= 1;
                is_complete &= back.thin_out(most / self.classes[to].len(), self.edge);
                back.extend(&self.classes[to], &self.before[to], self, best);
            }
        }
        (join(&front, &back, self.limit, best), is_complete)
    }
}

/// The totals that some choice for the classes of one side reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct SideLabel {
    weight: i64,
    value: i64,
    /// Its step, which is its predecessor's until the label is kept.
    step: u32,
    pick: u32,
}

/// The labels of one side, by rising weight and falling value.
struct Side {
    labels: Vec<SideLabel>,
    /// The item that was picked, and the step before.
    steps: Vec<(u32, u32)>,
}

const NO_STEP: u32 = u32::MAX;

impl Side {
    fn new() -> Self {
        Self { labels: vec![SideLabel { weight: 0, value: 0, step: NO_STEP, pick: 0 }], steps: Vec::new() }
    }

    /// Takes in one more class; `rest` is the relaxation for all classes that this side has not taken in.
    fn extend(&mut self, class: &[Candidate], rest: &Hull, problem: &ClassProblem<'_>, best: &Chosen) {
        let mut made: Vec<SideLabel> = Vec::new();
        for candidate in class {
            let (mut near, mut near_lighter) = (usize::MAX, usize::MAX);
            for label in &self.labels {
                let weight = label.weight + candidate.item.weight;
                let value = label.value + candidate.item.value;
                // Labels come by rising weight: once nothing fits beside one, nothing fits beside the later ones.
                let Some(least) = rest.least_value_near(problem.limit - weight, &mut near) else { break };
                let lighter = best.weight - problem.weight_step - weight;
                let is_of_use = value + least < best.value
                    || rest
                        .least_value_near(lighter, &mut near_lighter)
                        .is_some_and(|least| value + least <= best.value);
                if is_of_use {
                    made.push(SideLabel { weight, value, step: label.step, pick: candidate.pick as u32 });
                }
            }
        }
        made.sort_unstable();
        let mut least = i64::MAX;
        made.retain(|label| {
            let is_better = label.value < least;
            least = least.min(label.value);
            is_better
        });
        for label in &mut made {
            self.steps.push((label.pick, label.step));
            label.step = self.steps.len() as u32 - 1;
        }
        self.labels = made;
    }

    /// Leaves at most `most` labels: the lightest one, so that the limit can be kept, and those nearest to the
    /// relaxation, spread over all weights where many are as near. Whether all could stay.
    fn thin_out(&mut self, most: usize, edge: BatchItem) -> bool {
        let most = most.max(2);
        if self.labels.len() <= most {
            return true;
        }
        let above = |label: &SideLabel| above(BatchItem { value: label.value, weight: label.weight }, edge);
        // A mix of the bits of the weight decides among equals.
        let mix = |label: &SideLabel| (label.weight as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
        let mut order: Vec<(i128, u64, u32)> =
            self.labels.iter().enumerate().skip(1).map(|(at, label)| (above(label), mix(label), at as u32)).collect();
        order.select_nth_unstable(most - 1);
        let mut stay = vec![false; self.labels.len()];
        stay[0] = true;
        order[..most - 1].iter().for_each(|&(_, _, at)| stay[at as usize] = true);
        let mut stay = stay.into_iter();
        self.labels.retain(|_| stay.next().unwrap_or(false));
        false
    }

    /// The picks that lead to a label, the last class taken in first.
    fn picks(&self, label: &SideLabel) -> impl Iterator<Item = usize> {
        let step = |step: u32| (step != NO_STEP).then(|| self.steps[step as usize]);
        std::iter::successors(step(label.step), move |&(_, before)| step(before)).map(|(pick, _)| pick as usize)
    }
}

/// The best pair of labels within the limit, if it is better than `best`.
fn join(front: &Side, back: &Side, limit: i64, best: &Chosen) -> Option<Chosen> {
    let mut fitting = back.labels.len();
    let mut least = (best.value, best.weight);
    let mut found = None;
    for one in &front.labels {
        while fitting > 0 && one.weight + back.labels[fitting - 1].weight > limit {
            fitting -= 1;
        }
        // The heaviest that fits has the lowest value.
        let Some(other) = back.labels[..fitting].last() else { break };
        let total = (one.value + other.value, one.weight + other.weight);
        if total < least {
            (least, found) = (total, Some((one, other)));
        }
    }
    let (one, other) = found?;
    let mut picks: Vec<usize> = front.picks(one).collect();
    picks.reverse();
    picks.extend(back.picks(other));
    Some(Chosen { value: least.0, weight: least.1, picks })
}

/// The lower convex hull of the totals of some classes: each corner is reached by whole items.
struct Hull {
    corners: Vec<BatchItem>,
}

impl Hull {
    /// The least value within `room` by the linear relaxation, rounded up to an integer; `None` when nothing fits.
    fn least_value(&self, room: i64) -> Option<i64> {
        let mut near = usize::MAX;
        self.least_value_near(room, &mut near)
    }

    /// The same; `near` is where to look first: rooms asked for in falling order make the walk short.
    fn least_value_near(&self, room: i64, near: &mut usize) -> Option<i64> {
        if room < self.corners[0].weight {
            return None;
        }
        if *near >= self.corners.len() {
            *near = self.corners.partition_point(|corner| corner.weight <= room) - 1;
        }
        while self.corners[*near].weight > room {
            *near -= 1;
        }
        let corner = self.corners[*near];
        let Some(next) = self.corners.get(*near + 1) else { return Some(corner.value) };
        let (fall, part, whole) = (corner.value - next.value, room - corner.weight, next.weight - corner.weight);
        let fall = match fall.checked_mul(part) {
            Some(product) => product / whole,
            // Less than `fall`, which fits.
            None => (i128::from(fall) * i128::from(part) / i128::from(whole)) as i64,
        };
        Some(corner.value - fall)
    }

    /// The edge above `weight`; a level one behind the last corner.
    fn edge_at(&self, weight: i64) -> BatchItem {
        let behind = self.corners.partition_point(|corner| corner.weight <= weight).max(1);
        match self.corners.get(behind) {
            Some(next) => between(self.corners[behind - 1], *next),
            None => BatchItem { value: 0, weight: 1 },
        }
    }
}

/// The height of a point above a line in the direction of the edge, but for constants.
fn above(point: BatchItem, edge: BatchItem) -> i128 {
    let product = |one: i64, other: i64| i128::from(one).saturating_mul(i128::from(other));
    product(point.value, edge.weight).saturating_sub(product(point.weight, edge.value))
}

fn between(from: BatchItem, to: BatchItem) -> BatchItem {
    to.minus(from)
}

/// The hulls of no class, of the first class, of the first two, ...
fn hulls<'a>(classes: impl Iterator<Item = &'a Vec<Candidate>>) -> Vec<Hull> {
    let mut hulls = vec![Hull { corners: vec![BatchItem { value: 0, weight: 0 }] }];
    let mut edges: Vec<BatchItem> = Vec::new();
    let mut first = BatchItem { value: 0, weight: 0 };
    for class in classes {
        first = BatchItem { value: first.value + class[0].item.value, weight: first.weight + class[0].item.weight };
        edges.extend(hull(class).windows(2).map(|pair| between(pair[0], pair[1])));
        edges.sort_by(|a, b| slope_order(*a, *b));
        let corners = edges.iter().scan(first, |corner, edge| {
            *corner = BatchItem { value: corner.value + edge.value, weight: corner.weight + edge.weight };
            Some(*corner)
        });
        hulls.push(Hull { corners: std::iter::once(first).chain(corners).collect() });
    }
    hulls
}

/// The edges of all classes' hulls with their classes, the steepest fall first: the same order as in [`hulls`] of all
/// classes from the last to the first.
fn edges_in_order(classes: &[Vec<Candidate>]) -> Vec<(BatchItem, usize)> {
    let mut edges: Vec<(BatchItem, usize)> = Vec::new();
    for (at, class) in classes.iter().enumerate().rev() {
        edges.extend(hull(class).windows(2).map(|pair| (between(pair[0], pair[1]), at)));
    }
    edges.sort_by(|a, b| slope_order(a.0, b.0));
    edges
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::super::exact::efficient;
    use super::super::exact::tests::{brute_force, totals};
    use super::*;
    use proptest::prelude::*;

    /// Items on a line, or off it by less than `noise`, with weights below `range` that are multiples of `step`.
    #[derive(Debug, Clone)]
    struct CostLine {
        slope: (i64, i64),
        noise: i64,
        range: i64,
        step: i64,
    }

    fn lines() -> impl Strategy<Value = CostLine> {
        let slope = prop::sample::select(vec![(1, 1), (2, 1), (1, 3), (7, 5), (0, 1), (1_000_001, 1_000_000)]);
        let range = prop::sample::select(vec![3, 10, 1000, 1_000_000_000, 900_000_000_000_000]);
        (slope, prop::sample::select(vec![0, 0, 2, 1000]), range, prop::sample::select(vec![1, 1, 7, 1_000_000]))
            .prop_map(|(slope, noise, range, step)| CostLine { slope, noise, range, step })
    }

    fn classes() -> impl Strategy<Value = (Vec<Vec<BatchItem>>, i64)> {
        lines().prop_flat_map(|line| {
            let CostLine { slope, noise, range, step } = line;
            let item = (0..range, 0..noise.max(1)).prop_map(move |(weight, noise)| {
                let weight = weight / step * step;
                let value = i128::from(weight) * i128::from(slope.0) / i128::from(slope.1);
                BatchItem { weight, value: noise - value as i64 }
            });
            (prop::collection::vec(prop::collection::vec(item, 1..6), 0..7), 0..=4 * range)
        })
    }

    fn candidates(classes: &[Vec<BatchItem>]) -> Vec<Vec<Candidate>> {
        classes.iter().map(|class| efficient(class).unwrap()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn items_on_a_line_or_near_it((classes, limit) in classes()) {
            let found = solve(&candidates(&classes), limit);
            prop_assert!(found.iter().all(|found| found.gap.is_none()), "{found:?}");
            prop_assert_eq!(found.map(|found| totals(&classes, &found.picks)), brute_force(&classes, limit));
        }

        /// Lists of four labels are hardly enough for a proof; what is said to be proven must be so all the same, and
        /// what is not is as near as it is said to be.
        #[test]
        fn proofs_and_gaps_hold_when_labels_are_few((classes, limit) in classes(), most in 4usize..20) {
            let found = solve_within(&[most], &candidates(&classes), limit);
            let best = brute_force(&classes, limit);
            prop_assert_eq!(found.is_some(), best.is_some());
            if let (Some(found), Some(best)) = (found, best) {
                let (value, weight) = totals(&classes, &found.picks);
                prop_assert!(weight <= limit);
                match found.gap {
                    None => prop_assert_eq!((value, weight), best),
                    Some(gap) => prop_assert!(value - gap <= best.0 && best.0 <= value, "{value} - {gap}, {best:?}"),
                }
            }
        }
    }

    #[test]
    fn some_proofs_fail_when_labels_are_few() {
        let class = |seed: i64| (0..5).map(|at| (seed * 7919 + at * at * 104_729) % 1_000_003).collect::<Vec<i64>>();
        let classes: Vec<Vec<BatchItem>> = (1..9)
            .map(|seed| class(seed).into_iter().map(|weight| BatchItem { weight, value: -weight }).collect())
            .collect();
        let found = solve_within(&[8], &candidates(&classes), 2_000_000).unwrap();
        assert!(found.gap.is_some_and(|gap| gap > 0), "{found:?}");
    }

    #[test]
    fn many_classes_on_a_line_are_no_harder_than_a_few() {
        let mut state = 1u64;
        let mut weight = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            50_000_000 + (state >> 33) as i64 % 100_000_000
        };
        let mut class = || (0..60).map(|_| weight()).map(|weight| BatchItem { weight, value: -weight }).collect();
        let classes: Vec<Vec<BatchItem>> = (0..60).map(|_| class()).collect();
        let found = solve(&candidates(&classes), 6_000_000_007).unwrap();
        assert_eq!(totals(&classes, &found.picks), (-6_000_000_007, 6_000_000_007));
        assert_eq!(found.gap, None);
    }
}
