//! A genetic algorithm of our own that repairs chromosomes, as a yardstick for [the one in print](super::genetic).
//!
//! A chromosome has one gene per job: its resource, or none for the dummy. What does not fit moves to the cheapest
//! resource with room, which is not in file 003: it makes every child a plan that greedy steps can't improve much, and
//! leaves little to gain from a better seed.

use super::CostTable;
use super::greedy::cheapest;
use crate::language::{Count, Fraction, constant};
use crate::record;
use crate::rng::{Stream, below, unit};

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

/// A plan of whole jobs with its cost in ticks.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RepairedPlan {
    cost: i64,
    genes: Vec<Option<usize>>,
}

impl RepairedGenetic {
    /// Evolves a population that begins with `seed`; the best plan, and the generations it took.
    pub(super) fn evolve(
        &self,
        table: &CostTable,
        seed: Vec<Option<usize>>,
        stream: &mut Stream,
    ) -> (Vec<Option<usize>>, u64) {
        let mut breeding = Breeding { table, free: Vec::new(), stream };
        let mut population = vec![breeding.repaired(seed)];
        let mut without_change = 0;
        let mut generation = 0;
        loop {
            while population.len() < self.population.get() as usize {
                population.push(breeding.random());
            }
            // Stable: of two that cost the same, the elder stays in front.
            population.sort_by_key(|chromosome| chromosome.cost);
            if generation >= self.cap.get() || without_change >= self.patience.get() || table.is_stopped() {
                return (population.swap_remove(0).genes, generation);
            }
            let best = population[0].cost;
            population = self.next(&population, &mut breeding);
            generation += 1;
            let improved = population.iter().any(|chromosome| chromosome.cost < best);
            without_change = if improved { 0 } else { without_change + 1 };
        }
    }

    /// The elite and the children; Algorithm 2 fills up with random chromosomes when it comes back to line 16.
    fn next(&self, population: &[RepairedPlan], breeding: &mut Breeding<'_>) -> Vec<RepairedPlan> {
        let wheel = Wheel::new(population);
        let mut next = population[..(self.elite.get() as usize).clamp(1, population.len())].to_vec();
        let children = libm::round(self.crossover.get() * self.population.get() as f64) as usize;
        let wanted = (next.len() + children).min(self.population.get() as usize);
        while next.len() < wanted {
            let parents = [0; 2].map(|_| &population[wheel.spin(breeding.stream)].genes);
            let cut = below(breeding.stream, parents[0].len() as u64 + 1) as usize;
            for [head, tail] in [parents, [parents[1], parents[0]]] {
                if next.len() < wanted {
                    let genes = head[..cut].iter().chain(&tail[cut..]).copied().collect();
                    next.push(breeding.mutated(genes, self.mutation.get()));
                }
            }
        }
        next
    }
}

/// A roulette wheel on which a chromosome's share is how much cheaper than the most expensive one it is.
struct Wheel(Vec<u64>);

impl Wheel {
    fn new(population: &[RepairedPlan]) -> Self {
        let dearest = population.iter().map(|chromosome| chromosome.cost).max().unwrap_or(0);
        let mut total = 0;
        let share = |chromosome: &RepairedPlan| {
            total += (dearest - chromosome.cost) as u64 + 1;
            total
        };
        Self(population.iter().map(share).collect())
    }

    fn spin(&self, stream: &mut Stream) -> usize {
        let at = below(stream, self.0.last().copied().unwrap_or(0));
        self.0.partition_point(|&up_to| up_to <= at)
    }
}

/// The maker of chromosomes.
struct Breeding<'a> {
    table: &'a CostTable,
    /// Room on every resource, while a chromosome is repaired.
    free: Vec<u32>,
    stream: &'a mut Stream,
}

impl Breeding<'_> {
    fn random(&mut self) -> RepairedPlan {
        let genes = (0..self.table.jobs()).map(|job| self.gene(job)).collect();
        self.repaired(genes)
    }

    /// Any resource on which the job could run alone.
    fn gene(&mut self, job: usize) -> Option<usize> {
        let wholes = self.table.wholes(job);
        let at = below(self.stream, wholes.len() as u64) as usize;
        wholes.get(at).map(|&(_, resource)| resource)
    }

    fn mutated(&mut self, mut genes: Vec<Option<usize>>, rate: f64) -> RepairedPlan {
        for (job, gene) in genes.iter_mut().enumerate() {
            if unit(self.stream) < rate {
                *gene = self.gene(job);
            }
        }
        self.repaired(genes)
    }

    /// Jobs keep their resources as long as there is room, the highest QoS index first. The others, and those on the
    /// dummy, then get the cheapest resource that has room for them, or stay on the dummy.
    fn repaired(&mut self, mut genes: Vec<Option<usize>>) -> RepairedPlan {
        let table = self.table;
        self.free.clear();
        self.free.extend_from_slice(table.free());
        let mut cost = 0;
        for &job in table.by_qos() {
            let Some(home) = genes[job] else { continue };
            if self.free[home] >= table.tasks(job) {
                self.free[home] -= table.tasks(job);
                cost += table.task_ticks(job, home) * i64::from(table.tasks(job));
            } else {
                genes[job] = None;
            }
        }
        for &job in table.by_qos() {
            if genes[job].is_some() {
                continue;
            }
            genes[job] = cheapest(table, job, &self.free);
            cost += match genes[job] {
                Some(home) => {
                    self.free[home] -= table.tasks(job);
                    table.task_ticks(job, home) * i64::from(table.tasks(job))
                }
                None => table.dummy_whole(job),
            };
        }
        RepairedPlan { cost, genes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Streams;

    #[test]
    fn the_wheel_favours_the_cheap_in_proportion() {
        let population: Vec<RepairedPlan> =
            [9, 19, 29].map(|cost| RepairedPlan { cost, genes: Vec::new() }).into_iter().collect();
        let wheel = Wheel::new(&population);
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
