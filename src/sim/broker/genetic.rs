//! The genetic algorithm as printed (file 003, section III.C, and Algorithm 2, lines 16 to 31).
//!
//! A chromosome has one gene per job: the resource that the job asks for. Nothing is repaired. Jobs take their places
//! in the order of their QoS index, and a job whose resource has no room left when it is its turn stays on the dummy
//! and is charged its price: that sum is what a chromosome costs. Print names the operators (roulette wheel, crossover,
//! mutation, inversion, random chromosomes that fill the population up) and a limit of iterations, and gives no number
//! for any of them.

use super::CostTable;
use super::cost_table::NEVER;
use super::genes::{Gene, GeneChoices, Population, Wheel, placeable, report_sizes, room, whole_costs};
use crate::language::{Count, Fraction, constant};
use crate::record;
use crate::rng::{DrawsAhead, Stream, below, unit};
use rand::Rng;
use std::hint::select_unpredictable;

record! {
    /// The rates of the genetic algorithm as printed. Print gives none of them. It says that iterations end at a limit,
    /// but not at which one, and that HGA performs 1000 of them at 50 resources. That is the limit here, and half of it
    /// the patience; all other defaults are those that textbooks of the time give, whatever they bring.
    #[derive(Copy)]
    pub struct Genetic {
        /// The number of chromosomes. De Jong (1975) advises 50 to 100.
        #[unit = "chromosomes"]
        population: Count = Count::of(50),
        /// The number of the best that pass into the next generation unchanged. One is the elitism of De Jong and of
        /// Grefenstette (1986).
        #[unit = "chromosomes"]
        elite: Count = Count::of(1),
        /// The share of a generation that the roulette wheel selects as parents, and that their children take; whoever
        /// is then missing is drawn at random (Algorithm 2, lines 17 to 20 and 25). De Jong's 0.6.
        #[unit = "share of a generation"]
        crossover: Fraction = Fraction::of(0.6),
        /// The probability that a gene of a child is drawn anew, perhaps to be what it was: one in 50 genes, the usual
        /// 1 / (number of genes).
        #[unit = "probability"]
        mutation: Fraction = Fraction::of(0.02),
        /// The probability that a stretch of a child's genes is reversed. As rare as a mutation, as inversion breaks up
        /// what crossover has put together.
        #[unit = "probability"]
        inversion: Fraction = Fraction::of(0.02),
        /// The number of generations without change after which it has converged: half of `cap`.
        #[unit = "generations"]
        patience: Count = Count::of(500),
        /// The number of generations after which it ends in any case: as many as HGA performs in print at 50 resources.
        #[unit = "generations"]
        cap: Count = Count::of(1000),
    }
    check(this, at, errors) {
        report_sizes((this.population, this.elite, this.cap), at, errors);
    }
}

impl Default for Genetic {
    fn default() -> Self {
        constant("()")
    }
}

/// The highest share of a roulette wheel.
const SHARE: i128 = 1 << 40;

impl Genetic {
    /// Evolves a population that begins with `seed`; the best plan, and the generations it took.
    pub(super) fn evolve(
        &self,
        table: &CostTable,
        seed: &[Option<usize>],
        stream: &mut Stream,
    ) -> (Vec<Option<usize>>, u64) {
        self.evolve_watched(table, seed, stream, |_| {})
    }

    /// The same, which tells the lowest cost of every generation.
    fn evolve_watched(
        &self,
        table: &CostTable,
        seed: &[Option<usize>],
        stream: &mut Stream,
        mut watch: impl FnMut(i64),
    ) -> (Vec<Option<usize>>, u64) {
        let mut decoder = Decoder::new(table);
        let mut draws = DrawsAhead::new(stream);
        let size = self.population.get() as usize;
        let elite = (self.elite.get() as usize).clamp(1, size);
        let (mut population, mut next) = (Population::new(size, table.jobs()), Population::new(size, table.jobs()));
        population.add(|genes| {
            let homes = seed.iter().map(|home| home.unwrap_or(table.resources()) as Gene);
            genes.iter_mut().zip(homes).for_each(|(gene, home)| *gene = home);
            NEVER
        });
        let mut best = NEVER;
        let (mut generation, mut without_change) = (0, 0);
        loop {
            // Lines 17 to 20: random chromosomes fill the population up.
            while population.costs.len() < size {
                population.add(|genes| {
                    decoder.randomise(genes, &mut draws);
                    NEVER
                });
            }
            population.evaluate(|genes| decoder.cost(genes));
            population.rank(elite);
            let cheapest = population.costs[population.best[0]];
            watch(cheapest);
            without_change = if cheapest < best || generation == 0 { 0 } else { without_change + 1 };
            best = best.min(cheapest);
            if generation >= self.cap.get() || without_change >= self.patience.get() || table.is_stopped() {
                return (decoder.homes(population.genes_of(population.best[0])), generation);
            }
            self.breed(&population, &mut next, &decoder, &mut draws);
            std::mem::swap(&mut population, &mut next);
            generation += 1;
        }
    }

    /// Lines 24 to 28: the elite and the children of those whom the wheel selects.
    fn breed(&self, from: &Population, to: &mut Population, decoder: &Decoder<'_>, draws: &mut impl Rng) {
        to.clear();
        let size = self.population.get() as usize;
        for &elite in &from.best {
            to.add(|own| {
                own.copy_from_slice(from.genes_of(elite));
                NEVER
            });
        }
        let wheel = wheel(&from.costs);
        let children = libm::round(self.crossover.get() * size as f64) as usize;
        let wanted = (to.costs.len() + children).min(size);
        while to.costs.len() < wanted {
            let [one, other] = [0; 2].map(|_| from.genes_of(wheel.spin(draws)));
            let cut = below(draws, one.len() as u64 + 1) as usize;
            for (head, tail) in [(one, other), (other, one)] {
                if to.costs.len() < wanted {
                    to.add(|child| {
                        child[..cut].copy_from_slice(&head[..cut]);
                        child[cut..].copy_from_slice(&tail[cut..]);
                        decoder.mutate(child, self.mutation.get(), draws);
                        invert(child, self.inversion.get(), draws);
                        NEVER
                    });
                }
            }
        }
    }
}

/// Reverses a stretch between two cuts, with probability `rate`.
fn invert(genes: &mut [Gene], rate: f64, draws: &mut impl Rng) {
    if rate > 0.0 && unit(draws) < rate {
        let [one, other] = [0; 2].map(|_| below(draws, genes.len() as u64 + 1) as usize);
        genes[one.min(other)..one.max(other)].reverse();
    }
}

/// The wheel on which a chromosome's share goes by 1 / cost.
fn wheel(costs: &[i64]) -> Wheel {
    let cheapest = costs.iter().copied().min().unwrap_or(1).max(1);
    Wheel::new(costs.iter().map(|&cost| share(cheapest, cost.max(1))))
}

/// `SHARE * cheapest / cost`, rounded down; `cheapest` is no more than `cost`.
fn share(cheapest: i64, cost: i64) -> u64 {
    // A division of 128 bits takes long. That of doubles is off by one at most, as the share has but 40 bits.
    let nearly = (SHARE as f64 * cheapest as f64 / cost as f64) as i64;
    let rest = SHARE * i128::from(cheapest) - i128::from(nearly) * i128::from(cost);
    (nearly + i64::from(rest >= i128::from(cost)) - i64::from(rest < 0)) as u64
}

/// Makes genes, and plans of them.
struct Decoder<'a> {
    table: &'a CostTable,
    choices: GeneChoices,
    /// The jobs that could run anywhere, by QoS index.
    turns: Vec<Turn>,
    /// By turn, resource and dummy: the cost of the whole job there; that of the dummy where it can't go.
    costs: Vec<i64>,
    /// The cost of all other jobs.
    others: i64,
    /// The room on every resource and on the dummy before a chromosome is decoded.
    room: Vec<u32>,
    /// The same while it is decoded.
    free: Vec<u32>,
}

/// A job that is placed.
struct Turn {
    job: usize,
    tasks: u32,
    /// Its cost on the dummy.
    dummy: i64,
}

impl<'a> Decoder<'a> {
    fn new(table: &'a CostTable) -> Self {
        let (jobs, others) = placeable(table);
        let turn = |&job: &usize| Turn { job, tasks: table.tasks(job), dummy: table.dummy_whole(job) };
        Self {
            table,
            choices: GeneChoices::new(table),
            turns: jobs.iter().map(turn).collect(),
            costs: whole_costs(table, &jobs),
            others,
            room: room(table),
            free: room(table),
        }
    }

    /// The cost of a chromosome, with the dummy's price for jobs without room.
    fn cost(&mut self, genes: &[Gene]) -> i64 {
        let free = &mut self.free[..];
        free.copy_from_slice(&self.room);
        let mut cost = self.others;
        for (turn, costs) in self.turns.iter().zip(self.costs.chunks_exact(free.len())) {
            let home = genes[turn.job] as usize;
            // Selections, not branches: whether there is room is as good as random.
            let (own, room) = (costs[home], &mut free[home]);
            let fits = (*room >= turn.tasks) & (own < turn.dummy);
            *room -= select_unpredictable(fits, turn.tasks, 0);
            cost += select_unpredictable(fits, own, turn.dummy);
        }
        cost
    }

    /// The plan of a chromosome.
    fn homes(&mut self, genes: &[Gene]) -> Vec<Option<usize>> {
        self.free.copy_from_slice(&self.room);
        let mut homes = vec![None; genes.len()];
        for &Turn { job, tasks, .. } in &self.turns {
            let home = genes[job] as usize;
            if home < self.table.resources() && self.free[home] >= tasks && self.table.whole_cost(job, home) != NEVER {
                self.free[home] -= tasks;
                homes[job] = Some(home);
            }
        }
        homes
    }

    /// Any resource on which the job could run alone, or the dummy, which is a resource like others in print.
    fn gene(&self, job: usize, draws: &mut impl Rng) -> Gene {
        let choices = self.choices.of(job);
        choices[below(draws, choices.len() as u64) as usize]
    }

    fn randomise(&self, genes: &mut [Gene], draws: &mut DrawsAhead<'_>) {
        draws.need(genes.len());
        for (job, gene) in genes.iter_mut().enumerate() {
            *gene = self.gene(job, draws);
        }
    }

    /// Draws every gene anew with probability `rate`.
    fn mutate<R: Rng>(&self, genes: &mut [Gene], rate: f64, draws: &mut R) {
        if rate <= 0.0 {
            return;
        }
        // The number of genes up to the next that is drawn is geometric: one draw for each of these, not for each gene.
        let scale = 1.0 / libm::log1p(-rate);
        let skip = |draws: &mut R| (libm::log1p(-unit(draws)) * scale) as usize;
        let mut job = skip(draws);
        while job < genes.len() {
            genes[job] = self.gene(job, draws);
            job = job.saturating_add(1).saturating_add(skip(draws));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broker::tests::{Case, brute_force, small_rounds, with_cost_table};
    use crate::broker::{Greedy, Preference};
    use crate::rng::Streams;
    use proptest::prelude::*;

    fn stream() -> Stream {
        Streams::new(1, 0).stream("genetic")
    }

    #[test]
    fn shares_of_the_wheel_go_by_one_over_the_cost() {
        let costs = [100, 200, 400];
        let by_cost = wheel(&costs);
        let mut counts = [0; 3];
        let (mut stream, draws) = (stream(), 70_000);
        (0..draws).for_each(|_| counts[by_cost.spin(&mut stream)] += 1);
        for (count, cost) in counts.into_iter().zip(costs) {
            let share = (1.0 / f64::from(cost as i32)) / (1.0 / 100.0 + 1.0 / 200.0 + 1.0 / 400.0);
            let expected = f64::from(draws) * share;
            // Five standard deviations of a binomial count.
            assert!((f64::from(count) - expected).abs() < 5.0 * (expected * (1.0 - share)).sqrt(), "{counts:?}");
        }
        // Costs of 0 are no division by 0.
        assert_eq!(wheel(&[0, 0]).0.len(), 2);
    }

    #[test]
    fn as_many_genes_are_drawn_as_the_rate_says() {
        let case = Case { resources: vec![(5, 10, 40); 40], jobs: vec![(1, 50, 300_000, 200); 100] };
        // A gene that no draw gives, so that every draw shows.
        const UNCHANGED: Gene = Gene::MAX;
        with_cost_table(&case, |table| {
            let decoder = Decoder::new(table);
            let mut stream = stream();
            for rate in [0.0, 0.02, 0.3, 1.0] {
                let changed: usize = (0..500)
                    .map(|_| {
                        let mut genes = vec![UNCHANGED; 100];
                        decoder.mutate(&mut genes, rate, &mut stream);
                        genes.iter().filter(|&&gene| gene != UNCHANGED).count()
                    })
                    .sum();
                let expected = 50_000.0 * rate;
                let spread = 5.0 * (expected * (1.0 - rate)).sqrt();
                assert!((changed as f64 - expected).abs() <= spread, "{changed} at {rate}");
            }
        });
    }

    proptest! {
        #[test]
        fn shares_are_rounded_down(cost in 1i64..=i64::MAX, bits in 0u32..63, less in 0.0f64..1.0) {
            let cost = (cost >> bits).max(1);
            for cheapest in [1, cost, cost / 2 + 1, ((cost as f64 * less) as i64).clamp(1, cost)] {
                prop_assert_eq!(i128::from(share(cheapest, cost)), SHARE * i128::from(cheapest) / i128::from(cost));
            }
        }

        #[test]
        fn the_cost_of_a_chromosome_is_that_of_its_plan(
            case in small_rounds(7, 5),
            genes in prop::collection::vec(0u32..6, 7),
        ) {
            with_cost_table(&case, |table| {
                let mut decoder = Decoder::new(table);
                let dummy = table.resources() as Gene;
                let genes: Vec<Gene> = genes[..table.jobs()].iter().map(|&gene| gene.min(dummy)).collect();
                let homes = decoder.homes(&genes);
                let cost: i64 = homes.iter().enumerate().map(|(job, &home)| table.cost_at(job, home)).sum();
                assert_eq!(decoder.cost(&genes), cost);
            });
        }

        #[test]
        fn inversion_reverses_one_stretch(genes in prop::collection::vec(0u32..9, 0..12), seed in 0u64..1000) {
            let mut stream = Streams::new(seed, 0).stream("inversion");
            let mut inverted = genes.clone();
            invert(&mut inverted, 1.0, &mut stream);
            let stretches = (0..=genes.len()).flat_map(|from| (from..=genes.len()).map(move |to| (from, to)));
            let is_one = stretches.into_iter().any(|(from, to)| {
                let turned = genes[from..to].iter().rev();
                inverted.iter().eq(genes[..from].iter().chain(turned).chain(&genes[to..]))
            });
            prop_assert!(is_one, "{:?} {:?}", genes, inverted);
            let before = inverted.clone();
            invert(&mut inverted, 0.0, &mut stream);
            prop_assert_eq!(before, inverted);
        }

        #[test]
        fn the_best_never_gets_worse_nor_better_than_the_optimum(case in small_rounds(6, 4)) {
            with_cost_table(&case, |table| {
                let seed = Greedy { preference: Preference::Price }.homes(table);
                let least = brute_force(table, 0, &mut table.free().to_vec());
                let genetic = Genetic { population: Count::of(12), cap: Count::of(40), ..Genetic::default() };
                let mut costs = Vec::new();
                let (homes, generations) = genetic.evolve_watched(table, &seed, &mut stream(), |cost| costs.push(cost));
                assert!(costs.is_sorted_by(|before, after| before >= after) && costs.last() >= Some(&least), "{costs:?} {least}");
                assert_eq!(costs.len() as u64, generations + 1);
                assert!(generations == 40 || table.jobs() == 0);
                // The plan costs what was told, and the population began with the seed.
                let cost = |homes: &[Option<usize>]| homes.iter().enumerate().map(|(job, &home)| table.cost_at(job, home)).sum::<i64>();
                assert_eq!(Some(&cost(&homes)), costs.last());
                assert!(costs[0] <= cost(&seed));
            });
        }

        #[test]
        fn alone_and_without_operators_the_seed_stays_as_it_is(case in small_rounds(7, 5)) {
            with_cost_table(&case, |table| {
                let seed = Greedy::default().homes(table);
                let none = Fraction::of(0.0);
                let still = Genetic {
                    population: Count::ONE,
                    crossover: none,
                    mutation: none,
                    inversion: none,
                    patience: Count::of(3),
                    ..Genetic::default()
                };
                assert_eq!(still.evolve(table, &seed, &mut stream()), (seed, 3));
            });
        }

        #[test]
        fn small_rounds_end_at_the_optimum(case in small_rounds(4, 3)) {
            with_cost_table(&case, |table| {
                let least = brute_force(table, 0, &mut table.free().to_vec());
                let seed = vec![None; table.jobs()];
                let genetic = Genetic { cap: Count::of(300), patience: Count::of(300), ..Genetic::default() };
                let (homes, _) = genetic.evolve(table, &seed, &mut stream());
                let cost: i64 = homes.iter().enumerate().map(|(job, &home)| table.cost_at(job, home)).sum();
                assert_eq!(cost, least);
            });
        }
    }
}
