//! A genetic algorithm of our own that repairs chromosomes, as a yardstick for [the one in print](super::genetic).
//!
//! A chromosome has one gene per job: its resource, or none for the dummy. What does not fit moves to the cheapest
//! resource with room, which is not in file 003: it makes every child a plan that greedy steps can't improve much, and
//! leaves little to gain from a better seed.

use super::CostTable;
use super::genes::{Gene, GeneChoices, Population, Wheel, placeable, report_sizes, room, whole_costs};
use crate::language::{Count, Fraction, constant};
use crate::record;
use crate::rng::{DrawsAhead, Stream, below};
use rand::Rng;
use std::hint::select_unpredictable;

record! {
    /// The rates of the genetic algorithm with repair. It places every job that has room: a plan that leaves one out so that
    /// others do better is never made, however long it is sought.
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
        report_sizes((this.population, this.elite, this.cap), at, errors);
    }
}

impl Default for RepairedGenetic {
    fn default() -> Self {
        constant("()")
    }
}

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
        let (mut plans, mut next) = (Population::new(size, table.jobs()), Population::new(size, table.jobs()));
        let genes = seed.iter().map(|home| home.unwrap_or(table.resources()) as Gene);
        plans.add(|own| {
            own.iter_mut().zip(genes).for_each(|(own, gene)| *own = gene);
            repair.repair(own)
        });
        let mut without_change = 0;
        let mut generation = 0;
        loop {
            while plans.costs.len() < size {
                plans.add(|genes| {
                    repair.randomise(genes, &mut draws);
                    repair.repair(genes)
                });
            }
            plans.rank(size);
            if generation >= self.cap.get() || without_change >= self.patience.get() || table.is_stopped() {
                let home = |&gene: &Gene| Some(gene as usize).filter(|&home| home < table.resources());
                return (plans.genes_of(plans.best[0]).iter().map(home).collect(), generation);
            }
            let best = plans.costs[plans.best[0]];
            self.breed(&plans, &mut next, &mut repair, &mut draws);
            std::mem::swap(&mut plans, &mut next);
            generation += 1;
            let improved = plans.costs.iter().any(|&cost| cost < best);
            without_change = if improved { 0 } else { without_change + 1 };
        }
    }

    /// The elite and the children; Algorithm 2 fills up with random chromosomes when it comes back to line 16.
    fn breed(&self, from: &Population, to: &mut Population, repair: &mut Repair<'_>, draws: &mut DrawsAhead<'_>) {
        to.clear();
        let size = self.population.get() as usize;
        for &elite in &from.best[..(self.elite.get() as usize).clamp(1, size)] {
            to.add(|own| {
                own.copy_from_slice(from.genes_of(elite));
                from.costs[elite]
            });
        }
        let wheel = wheel(from.best.iter().map(|&plan| from.costs[plan]));
        let children = libm::round(self.crossover.get() * size as f64) as usize;
        let wanted = (to.costs.len() + children).min(size);
        while to.costs.len() < wanted {
            let [one, other] = [0; 2].map(|_| from.genes_of(from.best[wheel.spin(draws)]));
            let cut = below(draws, one.len() as u64 + 1) as usize;
            for (head, tail) in [(one, other), (other, one)] {
                if to.costs.len() < wanted {
                    to.add(|child| {
                        child[..cut].copy_from_slice(&head[..cut]);
                        child[cut..].copy_from_slice(&tail[cut..]);
                        repair.mutate(child, self.mutation.get(), draws);
                        repair.repair(child)
                    });
                }
            }
        }
    }
}

/// The wheel on which a chromosome's share is how much cheaper than the most expensive one it is.
fn wheel(costs: impl Iterator<Item = i64> + Clone) -> Wheel {
    let dearest = costs.clone().max().unwrap_or(0);
    Wheel::new(costs.map(|cost| (dearest - cost) as u64 + 1))
}

/// Makes genes, and plans of them.
struct Repair<'a> {
    table: &'a CostTable,
    choices: GeneChoices,
    /// The jobs that could run anywhere, by QoS index, and their tasks.
    turns: Vec<(usize, u32)>,
    /// By turn, resource and dummy: the cost of the whole job there.
    costs: Vec<i64>,
    /// The cost of all other jobs.
    others: i64,
    /// The room on every resource and on the dummy before a chromosome is repaired.
    room: Vec<u32>,
    /// The same while it is repaired.
    free: Vec<u32>,
    /// The turns of jobs that do not keep their resources, while a chromosome is repaired.
    homeless: Vec<u32>,
}

impl<'a> Repair<'a> {
    fn new(table: &'a CostTable) -> Self {
        let (jobs, others) = placeable(table);
        Self {
            table,
            choices: GeneChoices::new(table),
            turns: jobs.iter().map(|&job| (job, table.tasks(job))).collect(),
            costs: whole_costs(table, &jobs),
            others,
            room: room(table),
            free: room(table),
            homeless: vec![0; jobs.len()],
        }
    }

    /// Any resource on which the job could run alone.
    fn gene(&self, job: usize, draws: &mut impl Rng) -> Gene {
        let choices = self.choices.of(job);
        // The last one is the dummy, which is drawn where there is no other.
        choices[below(draws, choices.len() as u64 - 1) as usize]
    }

    fn randomise(&self, genes: &mut [Gene], draws: &mut DrawsAhead<'_>) {
        draws.need(genes.len());
        for (job, gene) in genes.iter_mut().enumerate() {
            *gene = self.gene(job, draws);
        }
    }

    fn mutate(&self, genes: &mut [Gene], rate: f64, draws: &mut DrawsAhead<'_>) {
        draws.need(genes.len());
        let mut job = 0;
        while let Some(kept) = draws.first_below(rate, genes.len() - job) {
            genes[job + kept] = self.gene(job + kept, draws);
            job += kept + 1;
        }
    }

    /// Jobs keep their resources as long as there is room, the highest QoS index first. The others, and those on the
    /// dummy, then get the cheapest resource that has room for them, or stay on the dummy. The cost of all.
    fn repair(&mut self, genes: &mut [Gene]) -> i64 {
        let dummy = self.table.resources();
        let free = &mut self.free[..];
        free.copy_from_slice(&self.room);
        let (mut cost, mut homeless) = (self.others, 0);
        for (turn, (&(job, tasks), costs)) in self.turns.iter().zip(self.costs.chunks_exact(free.len())).enumerate() {
            let home = genes[job] as usize;
            // Selections, not branches: whether there is room is as good as random.
            let (own, room) = (costs[home], &mut free[home]);
            let fits = (*room >= tasks) & (home != dummy);
            *room -= select_unpredictable(fits, tasks, 0);
            cost += select_unpredictable(fits, own, 0);
            self.homeless[homeless] = turn as u32;
            homeless += usize::from(!fits);
        }
        for &turn in &self.homeless[..homeless] {
            let (job, tasks) = self.turns[turn as usize];
            let mut cheapest = self.choices.of(job).iter().map(|&resource| resource as usize);
            let home = cheapest.find(|&resource| free[resource] >= tasks).unwrap_or(dummy);
            if home != dummy {
                free[home] -= tasks;
            }
            genes[job] = home as Gene;
            cost += self.costs[turn as usize * free.len() + home];
        }
        cost
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broker::greedy::cheapest;
    use crate::broker::tests::{small_rounds, with_cost_table};
    use crate::rng::Streams;
    use proptest::prelude::*;

    /// Repairs a chromosome as the rule says it; the cost.
    fn plainly_repaired(table: &CostTable, genes: &mut [Option<usize>]) -> i64 {
        let mut free = table.free().to_vec();
        for &job in table.by_qos() {
            match genes[job] {
                Some(home) if free[home] >= table.tasks(job) => free[home] -= table.tasks(job),
                _ => genes[job] = None,
            }
        }
        for &job in table.by_qos() {
            if genes[job].is_none() {
                genes[job] = cheapest(table, job, &free);
                genes[job].iter().for_each(|&home| free[home] -= table.tasks(job));
            }
        }
        genes.iter().enumerate().map(|(job, &home)| table.cost_at(job, home)).sum()
    }

    proptest! {
        #[test]
        fn repair_does_what_the_rule_says(case in small_rounds(7, 5), seed in 0u64..1000) {
            with_cost_table(&case, |table| {
                let mut repair = Repair::new(table);
                let mut stream = Streams::new(seed, 0).stream("repair");
                let mut genes = vec![0; table.jobs()];
                repair.randomise(&mut genes, &mut DrawsAhead::new(&mut stream));
                let home = |&gene: &Gene| Some(gene as usize).filter(|&home| home < table.resources());
                let mut plain: Vec<Option<usize>> = genes.iter().map(home).collect();
                assert_eq!(repair.repair(&mut genes), plainly_repaired(table, &mut plain));
                assert_eq!(genes.iter().map(home).collect::<Vec<_>>(), plain);
            });
        }
    }

    #[test]
    fn the_wheel_favours_the_cheap_in_proportion() {
        let wheel = wheel([9, 19, 29].into_iter());
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
