//! A synthetic log in the manner of Lublin and Feitelson.
//!
//! The model describes what the logs of several large machines have in common (U. Lublin, D. Feitelson, "The workload
//! on parallel supercomputers", 2003): the share of serial jobs, a uniform distribution of log2 of the size in two
//! stages with powers of two favoured, a hyper-gamma distribution of the logarithm of the runtime whose mix depends on
//! the size, and gaps between arrivals that follow the hour of the day. Its numbers for all jobs together are used, as
//! they stand in the authors' program. Where we differ: sizes go up to those of the machine at hand and the stages
//! meet as far below that as in the program (2.5 of 7 powers of two); the load comes out as asked for, see below; the
//! day keeps its hours, while the program cuts the fractions of seconds off its clock but not off its place in the
//! day, which so begins half a second earlier with every job (83 minutes after 10,000 jobs: in logs of the program the
//! peak of the day wanders from two in the afternoon towards noon); random numbers are drawn by other methods; and
//! users ask for the next customary limit above what they think they need, as the model knows no requests.
//!
//! The load: the longest hundredth of the gaps holds half of all time, so that the load of a log hangs on a few gaps
//! and differs by a tenth from one log of the model to the next. Where the load asked for is above that of the gaps
//! drawn, the longest gaps are therefore drawn again, at most one in a hundred: other gaps keep the model's
//! distribution. What is then still missing, all gaps make up by one factor, and so they do where the load asked for is
//! lower.

use super::swf::{Header, Record};
use crate::rng::{Stream, Streams, unit};

/// The share of jobs on one processor, and of those on a larger power of two, among all jobs.
const SERIAL: f64 = 0.244;
const POWER_OF_TWO: f64 = 0.576;
/// log2 of the smallest size; the share of sizes in the lower stage; how far below the largest the stages meet.
const LOG_SMALLEST: f64 = 0.8;
const LOWER_STAGE: f64 = 0.86;
const UPPER_STAGE: f64 = 2.5;
/// Shape and scale of the two gamma distributions of the logarithm of the runtime, and its limit: about 45 hours.
const SHORT: (f64, f64) = (4.2, 0.94);
const LONG: (f64, f64) = (312.0, 0.03);
const LONGEST: f64 = 12.0;
/// The share of short jobs as a line over the size.
const SHORT_SHARE: (f64, f64) = (0.78, -0.0054);
/// Shape and scale of the logarithm of the gaps between arrivals, and its limit: about five days. The shape is that of
/// the rush hours times their ratio to all hours.
const GAP: (f64, f64) = (10.2303 * 1.0225, 0.4871);
const LONGEST_GAP: f64 = 13.0;
/// One gap in so many may be drawn again for the sake of the load.
const REDRAWN: usize = 100;
/// Shape and scale of the arrivals over the half-hours of a day that begins with the eleventh.
const ARRIVALS: (f64, f64) = (8.1737, 3.9631);
const FIRST: usize = 11;

const HALF_HOUR: f64 = 1800.0;
const DAY: f64 = 48.0 * HALF_HOUR;

/// Time limits that users ask for, in seconds.
const LIMITS: [i64; 17] = [
    60, 300, 600, 900, 1800, 3600, 7200, 10_800, 14_400, 21_600, 28_800, 43_200, 64_800, 86_400, 129_600, 172_800,
    345_600,
];

/// The parameters of the log to generate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lublin {
    /// The number of jobs.
    pub jobs: u32,
    /// The processors of the machine.
    pub nodes: u32,
    /// Work over capacity from time zero to the last arrival; above zero.
    pub load: f64,
    /// Decides everything else.
    pub seed: u64,
}

impl Lublin {
    /// The header of the log.
    pub fn header(&self) -> Header {
        let entry = |key: &str, value: String| (key.to_string(), value);
        let Self { jobs, nodes, load, seed } = self;
        Header {
            entries: vec![
                entry("Version", "2.2".into()),
                entry("MaxJobs", jobs.to_string()),
                entry("MaxRecords", jobs.to_string()),
                entry("MaxNodes", nodes.to_string()),
                entry("MaxProcs", nodes.to_string()),
                entry("Note", format!("generated in the manner of Lublin and Feitelson, load {load}, seed {seed}")),
            ],
        }
    }

    /// The jobs, in order of submission.
    ///
    /// ```
    /// use gridloom::workload::Lublin;
    ///
    /// let records = Lublin { jobs: 1000, nodes: 64, load: 0.7, seed: 1 }.draw();
    /// let work: i64 = records.iter().map(|record| record.runtime * record.allocated).sum();
    /// let load = work as f64 / (64.0 * records[999].submit as f64);
    /// assert!((load - 0.7).abs() < 0.001);
    /// ```
    pub fn draw(&self) -> Vec<Record> {
        let streams = Streams::new(self.seed, 0);
        let (mut sizes, mut runtimes) = (streams.stream("sizes"), streams.stream("runtimes"));
        let (mut gaps, mut requests) = (streams.stream("gaps"), streams.stream("requests"));
        let mut records: Vec<Record> = Vec::with_capacity(self.jobs as usize);
        let mut clock: Vec<f64> = Vec::with_capacity(self.jobs as usize);
        for number in 1..=i64::from(self.jobs) {
            let size = size(self.nodes, &mut sizes);
            let runtime = runtime(size, &mut runtimes);
            records.push(Record::new(number, 0, runtime, i64::from(size), request(runtime, &mut requests)));
            clock.push(libm::exp(gap(&mut gaps)));
        }
        let work: f64 = records.iter().map(|record| (record.runtime * record.allocated) as f64).sum();
        let cycle = DailyCycle::new();
        // The clock of the gaps runs fast in busy hours and slowly at night; it is to show this at the last arrival.
        let wanted = cycle.passed(work / (f64::from(self.nodes) * self.load));
        let scale = wanted / shorten(&mut clock, wanted, &mut streams.stream("longest gaps"));
        let mut passed = 0.0;
        for (record, gap) in records.iter_mut().zip(clock) {
            passed += gap;
            record.submit = libm::round(cycle.when(passed * scale)) as i64;
        }
        records
    }
}

fn size(nodes: u32, stream: &mut Stream) -> u32 {
    let (kind, stage, place, power) = (unit(stream), unit(stream), unit(stream), unit(stream));
    if kind < SERIAL {
        return 1;
    }
    let is_power = power < POWER_OF_TWO / (1.0 - SERIAL);
    let largest = libm::log2(f64::from(nodes));
    let smallest = LOG_SMALLEST.min(largest);
    let meeting = (largest - UPPER_STAGE).max(smallest);
    let (low, high) = if stage < LOWER_STAGE { (smallest, meeting) } else { (meeting, largest) };
    let log = low + (high - low) * place;
    let log = if is_power { libm::round(log) } else { log };
    (libm::round(libm::exp2(log)) as u32).clamp(1, nodes)
}

fn runtime(size: u32, stream: &mut Stream) -> i64 {
    let share = SHORT_SHARE.0 + SHORT_SHARE.1 * f64::from(size);
    loop {
        // A runtime that is too long is drawn again from the whole mix.
        let kind = if unit(stream) < share { SHORT } else { LONG };
        let log = gamma(kind, stream);
        if log <= LONGEST {
            return (libm::exp(log) as i64).max(1);
        }
    }
}

/// The logarithm of the gap to the next arrival.
fn gap(stream: &mut Stream) -> f64 {
    loop {
        let log = gamma(GAP, stream);
        if log <= LONGEST_GAP {
            return log;
        }
    }
}

/// Draws the longest gaps again, one in [`REDRAWN`] at most, as long as the sum of all gaps does not fall below
/// `wanted`. Returns the sum.
fn shorten(gaps: &mut [f64], wanted: f64, stream: &mut Stream) -> f64 {
    let mut longest: Vec<usize> = (0..gaps.len()).collect();
    longest.sort_by(|&a, &b| gaps[b].total_cmp(&gaps[a]));
    let mut sum: f64 = gaps.iter().sum();
    for &at in &longest[..gaps.len() / REDRAWN] {
        let shorter = libm::exp(gap(stream)).min(gaps[at]);
        // A gap that would take too much away stays, and a shorter one is tried.
        if sum - gaps[at] + shorter >= wanted {
            sum -= gaps[at] - shorter;
            gaps[at] = shorter;
        }
    }
    gaps.iter().sum()
}

/// Users ask for up to twice what the job needs, and then for the next customary limit.
fn request(runtime: i64, stream: &mut Stream) -> i64 {
    let wanted = (runtime as f64 * (1.0 + unit(stream))) as i64;
    LIMITS.into_iter().find(|&limit| limit >= wanted).unwrap_or(wanted)
}

/// A draw from the gamma distribution, for shapes of one and more (Marsaglia and Tsang's rejection).
fn gamma((shape, scale): (f64, f64), stream: &mut Stream) -> f64 {
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / libm::sqrt(9.0 * d);
    loop {
        let x = normal(stream);
        let v = libm::pow(1.0 + c * x, 3.0);
        if v > 0.0 && libm::log(1.0 - unit(stream)) < x * x / 2.0 + d - d * v + d * libm::log(v) {
            return d * v * scale;
        }
    }
}

/// A draw from the standard normal distribution (Box and Muller).
fn normal(stream: &mut Stream) -> f64 {
    let radius = libm::sqrt(-2.0 * libm::log(1.0 - unit(stream)));
    radius * libm::cos(std::f64::consts::TAU * unit(stream))
}

/// The rate of arrivals at each hour of the day, relative to the day's mean.
struct DailyCycle {
    /// The part of a day's arrivals that has passed at the end of each half-hour; the whole day is [`DAY`].
    passed: [f64; 48],
}

impl DailyCycle {
    /// Quiet nights, a steep morning, the peak before two in the afternoon, a slow evening.
    fn new() -> Self {
        let mut passed = [0.0; 48];
        for half_hour in FIRST..FIRST + 48 {
            passed[(half_hour - 1) % 48] = arrivals(half_hour as f64);
        }
        let mut total = 0.0;
        for passed in &mut passed {
            total += *passed;
            *passed = total;
        }
        Self { passed: passed.map(|passed| passed / total * DAY) }
    }

    /// The reading of the clock of the gaps at `time`.
    fn passed(&self, time: f64) -> f64 {
        let days = libm::floor(time / DAY);
        let within = time - days * DAY;
        let index = ((within / HALF_HOUR) as usize).min(47);
        let before = if index == 0 { 0.0 } else { self.passed[index - 1] };
        let share = within / HALF_HOUR - index as f64;
        days * DAY + before + (self.passed[index] - before) * share
    }

    /// When the clock of the gaps shows `passed`.
    fn when(&self, passed: f64) -> f64 {
        let days = libm::floor(passed / DAY);
        let within = passed - days * DAY;
        let index = self.passed.partition_point(|&end| end < within).min(47);
        let before = if index == 0 { 0.0 } else { self.passed[index - 1] };
        let share = (within - before) / (self.passed[index] - before);
        days * DAY + (index as f64 + share) * HALF_HOUR
    }
}

/// The mass of the gamma distribution of arrivals half a unit around `x`, but for a constant factor (Simpson's rule).
fn arrivals(x: f64) -> f64 {
    const PARTS: usize = 16;
    let (shape, scale) = ARRIVALS;
    // Relative to the peak, so that the numbers stay near one.
    let peak = (shape - 1.0) * scale;
    let density = |x: f64| libm::exp((shape - 1.0) * libm::log(x / peak) - (x - peak) / scale);
    let at = |part: usize| density(x - 0.5 + part as f64 / PARTS as f64);
    let weight = |part: usize| if part == 0 || part == PARTS { 1.0 } else { 2.0 + 2.0 * (part % 2) as f64 };
    (0..=PARTS).map(|part| weight(part) * at(part)).sum::<f64>() / (3 * PARTS) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(nodes: u32, load: f64) -> Vec<Record> {
        Lublin { jobs: 20_000, nodes, load, seed: 5 }.draw()
    }

    fn share(records: &[Record], is_one: impl Fn(&Record) -> bool) -> f64 {
        records.iter().filter(|record| is_one(record)).count() as f64 / records.len() as f64
    }

    #[test]
    fn the_load_is_what_was_asked_for_and_the_order_is_that_of_submission() {
        for (nodes, load) in [(256, 0.9), (256, 0.3), (7, 1.5), (1, 0.5), (100_000, 0.8)] {
            let records = log(nodes, load);
            assert!(records.windows(2).all(|pair| pair[0].submit <= pair[1].submit));
            let work: i64 = records.iter().map(|record| record.runtime * record.allocated).sum();
            let found = work as f64 / (f64::from(nodes) * records[19_999].submit as f64);
            assert!((found / load - 1.0).abs() < 1e-4, "{nodes} nodes: {found} for {load}");
            assert!(records.iter().all(|r| (1..=i64::from(nodes)).contains(&r.allocated) && r.runtime >= 1));
            assert!(records.iter().all(|r| r.requested_time >= r.runtime));
        }
    }

    #[test]
    fn sizes_runtimes_and_hours_have_the_shape_of_the_model() {
        let records = log(256, 0.9);
        let serial = share(&records, |record| record.allocated == 1);
        assert!((serial - SERIAL).abs() < 0.02, "{serial}");
        // Besides those drawn as powers of two, some others are rounded to one.
        let powers = share(&records, |record| (record.allocated as u64).is_power_of_two());
        assert!(powers > SERIAL + POWER_OF_TWO && powers < SERIAL + POWER_OF_TWO + 0.08, "{powers}");
        // The mix has 77 % short jobs among serial ones, 43 % among those on 64 processors and none among the widest;
        // one in twenty short jobs takes longer than this limit.
        let short = |size| {
            let of_size: Vec<Record> = records.iter().copied().filter(|record| record.allocated == size).collect();
            share(&of_size, |record| record.runtime < 2000)
        };
        let shares = [short(1), short(64), short(256)];
        let expected = [0.95 * 0.775, 0.95 * 0.434, 0.0];
        assert!(shares.iter().zip(expected).all(|(share, expected)| (share - expected).abs() < 0.05), "{shares:?}");
        let in_hours = |from: i64, to: i64| share(&records, |r| (from..to).contains(&(r.submit / 3600 % 24)));
        assert!(in_hours(12, 16) > 2.5 * in_hours(2, 6), "{} {}", in_hours(12, 16), in_hours(2, 6));
    }

    #[test]
    fn arrivals_over_the_day_are_those_of_the_gamma_distribution() {
        use statrs::distribution::{ContinuousCDF, Gamma};
        let gamma = Gamma::new(ARRIVALS.0, 1.0 / ARRIVALS.1).unwrap();
        let mass = |x: f64| gamma.cdf(x + 0.5) - gamma.cdf(x - 0.5);
        for half_hour in FIRST..FIRST + 48 {
            let x = half_hour as f64;
            let ratio = arrivals(x) / arrivals(28.0) / (mass(x) / mass(28.0));
            assert!((ratio - 1.0).abs() < 1e-6, "{half_hour}: {ratio}");
        }
    }

    /// The clock of the gaps by the distribution function of another library, at `time`.
    fn clock(time: f64) -> f64 {
        use statrs::distribution::{ContinuousCDF, Gamma};
        let arrivals = Gamma::new(8.1737, 1.0 / 3.9631).unwrap();
        // The day begins with the eleventh half-hour; the first half-hour of a day is the first of its number.
        let number =
            |half_hour: usize| if half_hour + 1 < 11 { half_hour as f64 + 49.0 } else { half_hour as f64 + 1.0 };
        let mass = |half_hour: usize| {
            let number = number(half_hour);
            arrivals.cdf(number + 0.5) - arrivals.cdf(number - 0.5)
        };
        let day: f64 = (0..48).map(mass).sum();
        let (days, half_hours) = ((time / 86_400.0).floor(), time % 86_400.0 / 1800.0);
        let whole = half_hours as usize;
        let within: f64 = (0..whole).map(mass).sum::<f64>() + mass(whole) * half_hours.fract();
        (days + within / day) * 86_400.0
    }

    #[test]
    fn gaps_keep_the_distribution_of_the_model_up_to_loads_well_above_its_own() {
        use statrs::distribution::{ContinuousCDF, Gamma};
        let model = Gamma::new(10.2303 * 1.0225, 1.0 / 0.4871).unwrap();
        // The model's own load is about 0.9 on this machine.
        for load in [0.9, 1.06, 1.3] {
            let mut distances = Vec::new();
            for seed in 1..=5 {
                let records = Lublin { jobs: 4000, nodes: 256, load, seed }.draw();
                let times: Vec<f64> = records.iter().map(|record| clock(record.submit as f64)).collect();
                let mut logs: Vec<f64> = times.windows(2).map(|pair| (pair[1] - pair[0]).max(0.5).ln()).collect();
                logs.sort_by(f64::total_cmp);
                // Times are whole seconds, which blurs gaps of a few.
                let far = logs.iter().enumerate().filter(|&(_, &log)| log > 2.5);
                let apart = far.map(|(at, &log)| ((at as f64 + 0.5) / 3999.0 - model.cdf(log) / model.cdf(13.0)).abs());
                distances.push(apart.fold(0.0, f64::max));
            }
            let mean = distances.iter().sum::<f64>() / 5.0;
            assert!(mean < 0.025, "at a load of {load}: {distances:?}");
        }
    }

    #[test]
    fn the_day_of_a_long_log_is_that_of_the_model() {
        let expected: Vec<f64> =
            (0..24).map(|hour| (clock((hour + 1) as f64 * 3600.0) - clock(hour as f64 * 3600.0)) / 86_400.0).collect();
        let busiest = |shares: &[f64]| (0..24).max_by(|&a, &b| shares[a].total_cmp(&shares[b])).unwrap();
        assert_eq!(busiest(&expected), 13, "{expected:?}");
        let records = Lublin { jobs: 200_000, nodes: 256, load: 0.9, seed: 5 }.draw();
        let half = &records[100_000..];
        for part in [&records[..], half] {
            let shares: Vec<f64> =
                (0..24).map(|hour| share(part, |record| record.submit / 3600 % 24 == hour)).collect();
            // Neither at the beginning nor later does the day run ahead of its hours.
            let apart =
                shares.iter().zip(&expected).map(|(share, expected)| (share - expected).abs()).fold(0.0, f64::max);
            assert!(apart < 0.006, "{shares:?} {expected:?}");
        }
    }

    #[test]
    fn a_known_job_never_changes() {
        let records = Lublin { jobs: 3, nodes: 256, load: 0.9, seed: 42 }.draw();
        let shown = |r: &Record| format!("{} {} {} {}", r.submit, r.runtime, r.allocated, r.requested_time);
        insta::assert_snapshot!(records.iter().map(shown).collect::<Vec<_>>().join(", "), @"64 9265 4 14400, 108 6 12 60, 199 4302 2 7200");
    }

    #[test]
    fn the_clock_of_the_gaps_can_be_read_both_ways() {
        let cycle = DailyCycle::new();
        for step in 0..2000 {
            let time = f64::from(step) * 97.3;
            assert!((cycle.when(cycle.passed(time)) - time).abs() < 1e-6 * (1.0 + time));
        }
    }
}
