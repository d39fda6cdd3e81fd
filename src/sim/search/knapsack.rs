//! N items of least total value within a limit on their total cost: branch and bound on the relaxation that prices the
//! cost.
//!
//! Few choices come near the relaxation as a rule, and those are gone through one by one. Where value and cost lie on
//! a line, as runtimes and costs do with a price that is linear in performance, all choices do, and two more things
//! are needed. The relaxation is computed with fractions of a tick, so that a choice that meets it ends the search.
//! And where one by one takes too long, the last two items are found together by a single pass over items sorted by
//! cost, and only choices with a new item are looked at. The problem stays hard in the worst case: the work of one
//! search is bounded, and when it is used up, the best window found so far stands.

/// An item to choose: a live slot.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct KnapsackItem {
    pub(super) value: i64,
    pub(super) cost: i64,
    /// Its place among the live slots.
    pub(super) index: usize,
    /// Choices without a new item need not be looked at.
    pub(super) is_new: bool,
}

/// The price of a unit of cost in units of value: a fraction, and in how many parts of a tick y = z + lambda * c is
/// counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lambda {
    value: i64,
    cost: i64,
    /// The binary logarithm of the parts.
    bits: u32,
}

/// More parts of a tick than these would tell nothing more.
const MOST_BITS: u32 = 20;

impl Lambda {
    /// The price `value / cost`, with as many parts of a tick as totals of y have room for.
    fn new(value: i64, cost: i64, items: &[KnapsackItem], wanted: usize) -> Self {
        let whole = Self { value, cost: cost.max(1), bits: 0 };
        let largest = items.iter().map(|item| whole.key(item).unsigned_abs()).max().unwrap_or(0).max(1);
        let used = largest.ilog2() + (wanted as u64 + 2).ilog2() + 2;
        Self { bits: MOST_BITS.min(61u32.saturating_sub(used)), ..whole }
    }

    /// y in parts of a tick, rounded down.
    pub(super) fn key(&self, item: &KnapsackItem) -> i64 {
        let (value, cost) = (i128::from(self.value), i128::from(self.cost));
        let priced = (i128::from(item.cost) * value).saturating_mul(1 << self.bits).div_euclid(cost);
        clamp(priced.saturating_add(i128::from(item.value) << self.bits))
    }

    /// The highest y of a choice of at most this value and this cost, rounded up.
    pub(super) fn highest(&self, value: i64, cost: i64) -> i64 {
        let product = (i128::from(cost) * i128::from(self.value)).saturating_mul(1 << self.bits);
        let priced = product.div_euclid(i128::from(self.cost)).saturating_add(1);
        clamp(priced.saturating_add(i128::from(value) << self.bits))
    }
}

fn clamp(number: i128) -> i64 {
    number.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
}

/// The most steps that a search may take at starts that are hard to decide, and at one start before it counts as hard.
#[derive(Debug, Clone, Copy)]
pub(super) struct WorkBudget {
    steps: u64,
}

const STEPS: u64 = 2_000_000_000;
const STEPS_OF_EASY: u64 = 5_000;

impl Default for WorkBudget {
    fn default() -> Self {
        Self { steps: STEPS }
    }
}

/// The price of the budget at which the relaxation is tightest; `None` when even the N cheapest items exceed the
/// budget.
///
/// The relaxation as a function of lambda is the lower envelope of one line per choice; its top lies where a choice
/// that is too expensive crosses one that is not. Each round replaces one of the two by the choice that is best at
/// their crossing.
pub(super) fn best_lambda(items: &[KnapsackItem], wanted: usize, limit: i64) -> Option<Lambda> {
    if items.len() < wanted {
        return None;
    }
    let mut order = items.to_vec();
    let mut pick = |lambda: f64| -> (i64, i64) {
        if wanted < order.len() {
            let y = |item: &KnapsackItem| item.value as f64 + lambda * item.cost as f64;
            order.select_nth_unstable_by(wanted - 1, |a, b| {
                y(a).total_cmp(&y(b)).then(a.cost.cmp(&b.cost)).then(a.index.cmp(&b.index))
            });
        }
        order[..wanted].iter().fold((0, 0), |total, item| plus(total, item.value, item.cost))
    };
    let mut dear = pick(0.0);
    if dear.1 <= limit {
        return Some(Lambda::new(0, 1, items, wanted));
    }
    let mut cheap = {
        let mut costs: Vec<(i64, i64)> = items.iter().map(|item| (item.cost, item.value)).collect();
        if wanted < costs.len() {
            costs.select_nth_unstable(wanted - 1);
        }
        costs[..wanted].iter().fold((0, 0), |total, &(cost, value)| plus(total, value, cost))
    };
    if cheap.1 > limit {
        return None;
    }
    let mut lambda = (0, 1);
    // Every round but the last moves one of the two lines; a handful of rounds is usual.
    for _ in 0..64 {
        lambda = (cheap.0.saturating_sub(dear.0).max(0), dear.1.saturating_sub(cheap.1));
        let next = pick(lambda.0 as f64 / lambda.1 as f64);
        if next == dear || next == cheap {
            break;
        }
        if next.1 > limit {
            dear = next;
        } else {
            cheap = next;
        }
    }
    Some(Lambda::new(lambda.0, lambda.1, items, wanted))
}

fn plus((values, costs): (i64, i64), value: i64, cost: i64) -> (i64, i64) {
    (values.saturating_add(value), costs.saturating_add(cost))
}

/// The problem: the number of items to choose, the limit on their total cost, and the price of cost.
#[derive(Debug, Clone, Copy)]
pub(super) struct Knapsack {
    pub(super) wanted: usize,
    pub(super) limit: i64,
    pub(super) lambda: Lambda,
}

impl Knapsack {
    /// The choice of least (value, cost) with a value below `mark` and a new item, as far as `work` reaches: its value
    /// and its items.
    pub(super) fn solve(self, items: Vec<KnapsackItem>, mark: i64, work: &mut WorkBudget) -> Option<(i64, Vec<usize>)> {
        self.solve_within(STEPS_OF_EASY, items, mark, work)
    }

    fn solve_within(
        self,
        easy: u64,
        mut items: Vec<KnapsackItem>,
        mark: i64,
        work: &mut WorkBudget,
    ) -> Option<(i64, Vec<usize>)> {
        let y = |item: &KnapsackItem| self.lambda.key(item);
        items.sort_by_key(|item| (y(item), item.cost));
        let mut search = KnapsackSearch::new(self, &items, mark);
        search.steps = easy;
        search.descend(0, self.wanted, Picked::default(), &[]);
        if search.steps == 0 {
            search.steps = work.steps;
            search.by_pairs();
            work.steps = search.steps;
        }
        let value = search.best.0;
        search.found.map(|found| (value, found))
    }
}

/// Keeps the items that fewer than `wanted` others beat or equal in both value and cost; the rest is never needed.
pub(super) fn thin_out(items: &mut Vec<KnapsackItem>, wanted: usize) {
    let mut by_value: Vec<(i64, i64, usize)> =
        items.iter().enumerate().map(|(place, item)| (item.value, item.cost, place)).collect();
    by_value.sort_unstable();
    // The `wanted` lowest costs among items of lower value: if all are at most the item's own, it is beaten often
    // enough.
    let mut lowest = std::collections::BinaryHeap::with_capacity(wanted + 1);
    let mut keep = vec![true; items.len()];
    for (_, cost, place) in by_value {
        if lowest.len() == wanted && lowest.peek().is_some_and(|&highest| highest <= cost) {
            keep[place] = false;
            continue;
        }
        lowest.push(cost);
        if lowest.len() > wanted {
            lowest.pop();
        }
    }
    let mut keep = keep.into_iter();
    items.retain(|_| keep.next().unwrap_or(true));
}

struct KnapsackSearch<'a> {
    knapsack: Knapsack,
    items: &'a [KnapsackItem],
    keys: Vec<i64>,
    /// Sums of the first keys.
    sums: Vec<i64>,
    cheapest_after: Vec<i64>,
    best: (i64, i64),
    /// The highest y that a choice better than the best one can have, and one of lower value.
    highest: i64,
    highest_of_lower: i64,
    picks: Vec<usize>,
    found: Option<Vec<usize>>,
    /// The number of steps that may still be taken.
    steps: u64,
}

/// Totals of the items picked so far.
#[derive(Debug, Clone, Copy, Default)]
struct Picked {
    key: i64,
    value: i64,
    cost: i64,
}

impl<'a> KnapsackSearch<'a> {
    fn new(knapsack: Knapsack, items: &'a [KnapsackItem], mark: i64) -> Self {
        let keys: Vec<i64> = items.iter().map(|item| knapsack.lambda.key(item)).collect();
        let sums: Vec<i64> = std::iter::once(0)
            .chain(keys.iter().scan(0, |sum: &mut i64, &key| {
                *sum = key.saturating_add(*sum);
                Some(*sum)
            }))
            .collect();
        let mut cheapest_after = vec![i64::MAX; items.len() + 1];
        for at in (0..items.len()).rev() {
            cheapest_after[at] = cheapest_after[at + 1].min(items[at].cost);
        }
        let best = (mark, i64::MIN);
        let highest =
            if mark == i64::MAX { i64::MAX } else { knapsack.lambda.highest(mark.saturating_sub(1), knapsack.limit) };
        Self {
            knapsack,
            items,
            keys,
            sums,
            cheapest_after,
            best,
            highest,
            highest_of_lower: highest,
            picks: Vec::new(),
            found: None,
            steps: 0,
        }
    }

    /// Notes a choice if it is the best one so far: `last` with the picks.
    fn note(&mut self, value: i64, cost: i64, last: &[usize]) {
        if cost > self.knapsack.limit || (value, cost) >= self.best {
            return;
        }
        self.best = (value, cost);
        self.found = Some(self.picks.iter().chain(last).copied().collect());
        let lambda = self.knapsack.lambda;
        self.highest_of_lower = lambda.highest(value.saturating_sub(1), self.knapsack.limit);
        self.highest = self.highest_of_lower.max(lambda.highest(value, cost.saturating_sub(1)));
    }

    /// The items picked so far and one more; `None` if no better choice contains them.
    fn with(&self, picked: Picked, at: usize, left: usize) -> Option<Picked> {
        let item = &self.items[at];
        let cost = picked.cost.saturating_add(item.cost);
        let others = self.cheapest_after[at + 1].saturating_mul(left as i64 - 1);
        let least_cost = cost.saturating_add(others);
        let can_be_lower = self.lowest(picked, at, left) <= self.highest_of_lower;
        let is_hopeless = least_cost > self.knapsack.limit || (!can_be_lower && least_cost >= self.best.1);
        (!is_hopeless).then(|| Picked {
            key: picked.key.saturating_add(self.keys[at]),
            value: picked.value.saturating_add(item.value),
            cost,
        })
    }

    /// y of the picks and of the `left` lowest items from `at` on.
    fn lowest(&self, picked: Picked, at: usize, left: usize) -> i64 {
        picked.key.saturating_add(self.sums[at + left].saturating_sub(self.sums[at]))
    }

    /// Adds `left` more items from place `from` on: one by one, but the last two together if there is an order by cost.
    fn descend(&mut self, from: usize, left: usize, picked: Picked, by_cost: &[usize]) {
        match left {
            0 => return self.note(picked.value, picked.cost, &[]),
            2 if !by_cost.is_empty() => return self.add_pair(from, picked, by_cost),
            _ => {}
        }
        for at in from..self.items.len().saturating_sub(left - 1) {
            // Keys rise: the next `left` are the lowest there are, and later places only have higher ones.
            if self.lowest(picked, at, left) > self.highest || self.steps == 0 {
                return;
            }
            self.steps -= 1;
            if let Some(picked) = self.with(picked, at, left) {
                self.picks.push(self.items[at].index);
                self.descend(at + 1, left - 1, picked, by_cost);
                self.picks.pop();
            }
        }
    }

    /// For each new item, the choices with it and without the new ones before it; the last two items are found
    /// together.
    fn by_pairs(&mut self) {
        for new in (0..self.items.len()).filter(|&at| self.items[at].is_new) {
            // Beside this item and the lowest others, an item of a higher key than this is of no use.
            let lowest = self.sums[self.knapsack.wanted.saturating_sub(2)];
            let highest = self.highest.saturating_sub(self.keys[new]).saturating_sub(lowest);
            let is_bound = self.highest < i64::MAX;
            let others: Vec<KnapsackItem> = (0..self.items.len())
                .filter(|&at| at != new && (at > new || !self.items[at].is_new))
                .filter(|&at| self.keys[at] <= highest || !is_bound)
                .map(|at| self.items[at])
                .collect();
            self.steps = self.steps.saturating_sub(others.len() as u64);
            let mut part = KnapsackSearch::new(self.knapsack, &others, self.best.0);
            (part.best, part.highest, part.highest_of_lower) = (self.best, self.highest, self.highest_of_lower);
            (part.picks, part.steps) = (vec![self.items[new].index], self.steps);
            let picked = Picked { key: self.keys[new], value: self.items[new].value, cost: self.items[new].cost };
            let mut by_cost: Vec<usize> = (0..others.len()).collect();
            by_cost.sort_by_key(|&at| others[at].cost);
            part.descend(0, self.knapsack.wanted - 1, picked, &by_cost);
            (self.best, self.highest, self.highest_of_lower) = (part.best, part.highest, part.highest_of_lower);
            (self.found, self.steps) = (part.found.or(self.found.take()), part.steps);
        }
    }

    /// Adds the best two items from place `from` on. The more expensive one is tried by rising cost; beside it, one of
    /// the items that are cheap enough for the limit and were tried before has the least value.
    fn add_pair(&mut self, from: usize, picked: Picked, by_cost: &[usize]) {
        if from + 2 > self.items.len() || self.lowest(picked, from, 2) > self.highest {
            return;
        }
        // Beside the lowest key, an item of a higher one than this is of no use.
        let highest = self.highest.saturating_sub(picked.key).saturating_sub(self.keys[from]);
        // A bound that does not fit the numbers bounds nothing.
        let is_bound = self.highest < i64::MAX;
        let to = from + self.keys[from..].partition_point(|&key| key <= highest || !is_bound);
        let few: Vec<usize>;
        let order = if (to - from) * 8 < by_cost.len() {
            let mut sorted: Vec<usize> = (from..to).collect();
            sorted.sort_by_key(|&at| self.items[at].cost);
            few = sorted;
            &few
        } else {
            by_cost
        };
        self.steps = self.steps.saturating_sub(order.len() as u64);
        let tried: Vec<KnapsackItem> =
            order.iter().filter(|&&at| (from..to).contains(&at)).map(|&at| self.items[at]).collect();
        // The best of the first items, by (value, cost).
        let mut best_of_first: Vec<KnapsackItem> = Vec::with_capacity(tried.len());
        let room = self.knapsack.limit.saturating_sub(picked.cost);
        let mut affordable = tried.len();
        for item in &tried {
            while affordable > 0 && tried[affordable - 1].cost.saturating_add(item.cost) > room {
                affordable -= 1;
            }
            if affordable == 0 {
                break;
            }
            let cheaper = affordable.min(best_of_first.len());
            if let Some(other) = best_of_first[..cheaper].last().copied() {
                let value = picked.value.saturating_add(item.value).saturating_add(other.value);
                let cost = picked.cost.saturating_add(item.cost).saturating_add(other.cost);
                self.note(value, cost, &[other.index, item.index]);
            }
            let best = best_of_first.last().copied().filter(|best| (best.value, best.cost) <= (item.value, item.cost));
            best_of_first.push(best.unwrap_or(*item));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Items on a line, off it by less than `noise`, or anywhere; some are new.
    fn items() -> impl Strategy<Value = Vec<KnapsackItem>> {
        let range = prop::sample::select(vec![4, 100, 1_000_000_000, 1_000_000_000_000_000]);
        let slope = prop::sample::select(vec![(1, 1), (2, 1), (1, 3), (0, 1), (1_000_001, 1_000_000)]);
        (range, slope, prop::sample::select(vec![1i64, 1, 3, 150, 1_000_000_000])).prop_flat_map(
            |(range, slope, noise)| {
                let item = (0..range, 0..noise, any::<bool>()).prop_map(move |(value, noise, is_new)| {
                    let cost = 4 * range - (i128::from(value) * slope.0 / slope.1) as i64 + noise;
                    KnapsackItem { value, cost, index: 0, is_new }
                });
                prop::collection::vec(item, 1..11).prop_map(|mut items| {
                    items.iter_mut().enumerate().for_each(|(index, item)| item.index = index);
                    items
                })
            },
        )
    }

    /// The least (value, cost) of all choices within the limit and below the mark; with a new item, if asked for.
    fn brute_force(items: &[KnapsackItem], wanted: usize, limit: i64, mark: i64, with_new: bool) -> Option<(i64, i64)> {
        (0u32..1 << items.len())
            .filter(|choice| choice.count_ones() as usize == wanted)
            .map(|choice| items.iter().filter(move |item| choice >> item.index & 1 == 1))
            .filter(|choice| !with_new || choice.clone().any(|item| item.is_new))
            .map(|choice| choice.fold((0, 0), |total, item| plus(total, item.value, item.cost)))
            .filter(|&(value, cost)| cost <= limit && value < mark)
            .min()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5000))]

        #[test]
        fn both_ways_are_exact(items in items(), wanted in 1usize..7, share in 0.0..1.0f64, below in 0.0..1.5f64) {
            let mut costs: Vec<i64> = items.iter().map(|item| item.cost).collect();
            costs.sort_unstable();
            let wanted = wanted.min(items.len());
            let least: i64 = costs[..wanted].iter().sum();
            let most: i64 = costs[costs.len() - wanted..].iter().sum();
            let limit = least + ((most - least) as f64 * share) as i64;
            let values: i64 = items.iter().map(|item| item.value).sum();
            let mark = if below > 1.0 { i64::MAX } else { (values as f64 * below) as i64 };
            let lambda = best_lambda(&items, wanted, limit).expect("the cheapest are within the limit");
            let knapsack = Knapsack { wanted, limit, lambda };
            // One by one, and the last two together.
            for (easy, with_new) in [(u64::MAX, false), (0, true)] {
                let found = knapsack.solve_within(easy, items.clone(), mark, &mut WorkBudget::default());
                let totals = found.map(|(value, picks)| {
                    let totals = picks.iter().fold((0, 0), |total, &at| plus(total, items[at].value, items[at].cost));
                    assert_eq!((picks.len(), value), (wanted, totals.0));
                    totals
                });
                prop_assert_eq!(totals, brute_force(&items, wanted, limit, mark, with_new), "{}", easy);
            }
        }

        /// No choice within the limit has a lower y than the relaxation says, to the part of a tick.
        #[test]
        fn keys_are_rounded_towards_keeping(items in items(), wanted in 1usize..5, limit in 0i64..1 << 52) {
            let wanted = wanted.min(items.len());
            let Some(lambda) = best_lambda(&items, wanted, limit) else { return Ok(()) };
            let chosen = &items[..wanted];
            let keys: i64 = chosen.iter().map(|item| lambda.key(item)).sum();
            let (value, cost) = chosen.iter().fold((0, 0), |total, item| plus(total, item.value, item.cost));
            prop_assert!(keys <= lambda.highest(value, cost));
        }
    }
}
