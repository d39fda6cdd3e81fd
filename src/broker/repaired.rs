//! A genetic algorithm of our own that repairs chromosomes, as a yardstick for [the one in print](super::genetic).
//!
//! A chromosome has one gene per job: its resource, or none for the dummy. What does not fit moves to the cheapest
//! resource with room, which is not in file 003: it makes every child a plan that greedy steps can't improve much, and
//! leaves little to gain from a better seed.

use super::CostTable;
use crate::language::{Count, Fraction, constant};
use crate::record;
use crate::rng::{DrawsAhead, Stream, below, unit};
use rand::Rng;
use std::ops::Range;

record! {
    /// The rates of the genetic algorithm with repair.
    #[derive(Copy)]
    pub struct RepairedGenetic {
        /// The number of chromosomes.
        #[unit = "chromosomes"]
        population: Count = Count::of(50),
        /// The number of the best that pass into the next generation unchanged.
        #[unit = "chromosomes"]
        elite: Count = Count::of(5),
        /// The share of a generation that are children; those that are then missing are drawn at random.
        #[unit = "share of a generation"]
        crossover: Fraction = Fraction::ONE,
        /// The probability that a gene of a child changes.
        #[unit = "probability"]
        mutation: Fraction = Fraction::of(0.02),
        /// The number of generations without change after which it has converged.
        #[unit = "generations"]
        patience: Count = Count::of(150),
        /// The number of generations after which it ends in any case.
        #[unit = "generations"]
        cap: Count = Count::of(2000),
    }
    check(this, at, errors) {
        if this.population.get() > 10_000 {
            errors.add(&at.field("population"), "that would take very long", "give at most 10000");
        }
        if this.elite > this.population {
            errors.add(&at.field("elite"), "that is more than the population", "give at most the population");
        }
    }
}

impl Default for RepairedGenetic {
    fn default() -> Self {
        constant("()")
    }
}

/// The resource of a job; the number behind that of the last resource is the dummy.
type RepairedGene = u32;

impl RepairedGenetic {
    /// Evolves a population that begins with `seed`; the best plan, and the generations it took.
    pub(super) fn evolve(
        &self,
        table: &CostTable,
        seed: &[Option<usize>],
        stream: &mut Stream,
    ) -> (Vec<Option<usize>>, u64) {
        let mut repair = Repair::new(table);
        let mut draws = DrawsAhead::new(stream);
        let size = self.population.get() as usize;
        let (mut plans, mut next) = (RepairedPlans::new(size, table.jobs()), RepairedPlans::new(size, table.jobs()));
        let genes = seed.iter().map(|home| home.unwrap_or(table.resources()) as RepairedGene);
        plans.push(&mut repair, |_, own| own.iter_mut().zip(genes).for_each(|(own, gene)| *own = gene));
        let mut without_change = 0;
        let mut generation = 0;
        loop {
            while plans.costs.len() < size {
                plans.push(&mut repair, |repair, genes| repair.randomise(genes, &mut draws));
            }
            plans.rank();
            if generation >= self.cap.get() || without_change >= self.patience.get() || table.is_stopped() {
                let home = |&gene: &RepairedGene| Some(gene as usize).filter(|&home| home < table.resources());
                return (plans.genes_of(plans.order[0]).iter().map(home).collect(), generation);
            }
            let best = plans.costs[plans.order[0]];
            self.breed(&plans, &mut next, &mut repair, &mut draws);
            std::mem::swap(&mut plans, &mut next);
            generation += 1;
            let improved = plans.costs.iter().any(|&cost| cost < best);
            without_change = if improved { 0 } else { without_change + 1 };
        }
    }

    /// The elite and the children; Algorithm 2 fills up with random chromosomes when it comes back to line 16.
    fn breed(&self, from: &RepairedPlans, to: &mut RepairedPlans, repair: &mut Repair<'_>, draws: &mut DrawsAhead<'_>) {
        to.clear();
        let size = self.population.get() as usize;
        for &elite in &from.order[..(self.elite.get() as usize).clamp(1, size)] {
            to.copy(from, elite);
        }
        let wheel = Wheel::new(from.order.iter().map(|&plan| from.costs[plan]));
        let children = libm::round(self.crossover.get() * size as f64) as usize;
        let wanted = (to.costs.len() + children).min(size);
        while to.costs.len() < wanted {
            let [one, other] = [0; 2].map(|_| from.genes_of(from.order[wheel.spin(draws)]));
            let cut = below(draws, one.len() as u64 + 1) as usize;
            for (head, tail) in [(one, other), (other, one)] {
                if to.costs.len() < wanted {
                    to.push(repair, |repair, child| {
                        child[..cut].copy_from_slice(&head[..cut]);
                        child[cut..].copy_from_slice(&tail[cut..]);
                        repair.mutate(child, self.mutation.get(), draws);
                    });
                }
            }
        }
    }
}

/// The plans of a generation, one behind the other, with their costs in ticks.
struct RepairedPlans {
    jobs: usize,
    genes: Vec<RepairedGene>,
    costs: Vec<i64>,
    /// All of them, the cheapest first; of two that cost the same, the elder.
    order: Vec<usize>,
}

impl RepairedPlans {
    fn new(size: usize, jobs: usize) -> Self {
        Self {
            jobs,
            genes: Vec::with_capacity(size * jobs),
            costs: Vec::with_capacity(size),
            order: Vec::with_capacity(size),
        }
    }

    fn clear(&mut self) {
        self.genes.clear();
        self.costs.clear();
    }

    fn genes_of(&self, plan: usize) -> &[RepairedGene] {
        &self.genes[plan * self.jobs..][..self.jobs]
    }

    /// One plan more: the genes that are written, repaired.
    fn push<'a>(&mut self, repair: &mut Repair<'a>, write: impl FnOnce(&Repair<'a>, &mut [RepairedGene])) {
        let from = self.genes.len();
        self.genes.resize(from + self.jobs, 0);
        write(repair, &mut self.genes[from..]);
        self.costs.push(repair.repair(&mut self.genes[from..]));
    }

    /// One plan more, which is another's.
    fn copy(&mut self, other: &Self, plan: usize) {
        self.genes.extend_from_slice(other.genes_of(plan));
        self.costs.push(other.costs[plan]);
    }

    fn rank(&mut self) {
        self.order.clear();
        self.order.extend(0..self.costs.len());
        self.order.sort_unstable_by_key(|&plan| (self.costs[plan], plan));
    }
}

/// A roulette wheel on which a chromosome's share is how much cheaper than the most expensive one it is.
struct Wheel(Vec<u64>);

impl Wheel {
    /// The wheel of plans with these costs.
    fn new(costs: impl Iterator<Item = i64> + Clone) -> Self {
        let dearest = costs.clone().max().unwrap_or(0);
        let mut total = 0;
        let share = |cost: i64| {
            total += (dearest - cost) as u64 + 1;
            total
        };
        Self(costs.map(share).collect())
    }

    fn spin(&self, draws: &mut impl Rng) -> usize {
        let at = below(draws, self.0.last().copied().unwrap_or(0));
        self.0.partition_point(|&up_to| up_to <= at)
    }
}

/// Makes genes, and plans of them.
struct Repair<'a> {
    table: &'a CostTable,
    /// The jobs by QoS index.
    turns: Vec<RepairTurn>,
    /// By turn, resource and dummy: the cost of the whole job there.
    costs: Vec<i64>,
    /// By turn: the resources on which the job could run alone, the cheapest first.
    cheapest: Vec<RepairedGene>,
    /// The room on every resource and on the dummy, while a chromosome is repaired.
    free: Vec<u32>,
    /// The turns of jobs that do not keep their resources, while a chromosome is repaired.
    homeless: Vec<u32>,
}

/// A job that is placed.
struct RepairTurn {
    job: usize,
    tasks: u32,
    /// Where its resources are listed.
    cheapest: Range<usize>,
}

impl<'a> Repair<'a> {
    fn new(table: &'a CostTable) -> Self {
        let mut cheapest = Vec::new();
        let turn = |&job: &usize| {
            let from = cheapest.len();
            cheapest.extend(table.wholes(job).iter().map(|&(_, resource)| resource as RepairedGene));
            RepairTurn { job, tasks: table.tasks(job), cheapest: from..cheapest.len() }
        };
        let turns: Vec<RepairTurn> = table.by_qos().iter().map(turn).collect();
        let homes = || (0..table.resources()).map(Some).chain([None]);
        let costs = table.by_qos().iter().flat_map(|&job| homes().map(move |home| table.cost_at(job, home)));
        Self { table, homeless: vec![0; turns.len()], turns, costs: costs.collect(), cheapest, free: Vec::new() }
    }

    /// Any resource on which the job could run alone.
    fn gene(&self, job: usize, draws: &mut impl Rng) -> RepairedGene {
        let wholes = self.table.wholes(job);
        let at = below(draws, wholes.len() as u64) as usize;
        wholes.get(at).map_or(self.table.resources(), |&(_, resource)| resource) as RepairedGene
    }

    fn randomise(&self, genes: &mut [RepairedGene], draws: &mut DrawsAhead<'_>) {
        draws.need(genes.len());
        for (job, gene) in genes.iter_mut().enumerate() {
            *gene = self.gene(job, draws);
        }
    }

    fn mutate(&self, genes: &mut [RepairedGene], rate: f64, draws: &mut DrawsAhead<'_>) {
        draws.need(genes.len());
        for (job, gene) in genes.iter_mut().enumerate() {
            if unit(draws) < rate {
                *gene = self.gene(job, draws);
            }
        }
    }

    /// Jobs keep their resources as long as there is room, the highest QoS index first. The others, and those on the
    /// dummy, then get the cheapest resource that has room for them, or stay on the dummy. The cost of all.
    fn repair(&mut self, genes: &mut [RepairedGene]) -> i64 {
        let dummy = self.table.resources();
        self.free.clear();
        self.free.extend_from_slice(self.table.free());
        self.free.push(0);
        let free = &mut self.free[..];
        let (mut cost, mut homeless) = (0, 0);
        for (number, (turn, costs)) in self.turns.iter().zip(self.costs.chunks_exact(free.len())).enumerate() {
            let home = genes[turn.job] as usize;
            // Selections, not branches: whether there is room is as good as random.
            let (own, room) = (costs[home], &mut free[home]);
            let fits = (*room >= turn.tasks) & (home != dummy);
            *room -= if fits { turn.tasks } else { 0 };
            cost += if fits { own } else { 0 };
            self.homeless[homeless] = number as u32;
            homeless += usize::from(!fits);
        }
        for &number in &self.homeless[..homeless] {
            let RepairTurn { job, tasks, cheapest } = &self.turns[number as usize];
            let found = self.cheapest[cheapest.clone()].iter().find(|&&resource| free[resource as usize] >= *tasks);
            let home = found.map_or(dummy, |&resource| resource as usize);
            if home != dummy {
                free[home] -= tasks;
            }
            genes[*job] = home as RepairedGene;
            cost += self.costs[number as usize * free.len() + home];
        }
        cost
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Streams;

    #[test]
    fn the_wheel_favours_the_cheap_in_proportion() {
        let wheel = Wheel::new([9, 19, 29].into_iter());
        assert_eq!(wheel.0, [21, 32, 33]);
        let mut stream = Streams::new(1, 0).stream("wheel");
        let mut counts = [0; 3];
        (0..33_000).for_each(|_| counts[wheel.spin(&mut stream)] += 1);
        // Five standard deviations of a binomial count.
        for (count, expected) in counts.into_iter().zip([21_000, 11_000, 1_000]) {
            let spread = 5.0 * (f64::from(expected) * (1.0 - f64::from(expected) / 33_000.0)).sqrt();
            assert!((f64::from(count) - f64::from(expected)).abs() < spread, "{counts:?}");
        }
    }
}
