//! NO OPT: any combination within the limit.

use super::{Alternative, BatchLimit, Choice, NoChoice, Problem, check_totals};
use crate::rng::below;
use rand::Rng;

/// The number of combinations that are drawn before one is built to fit.
const REDRAWS: usize = 1000;

/// A random combination that meets the limit that `choose` would have to meet.
///
/// Combinations are drawn, all equally likely, until one fits. When a thousand in a row do not, one is drawn job by
/// job from the alternatives that leave enough for the jobs to come: that always ends, and only combinations near the
/// edge of what is feasible at all are drawn that way.
pub fn choose_at_random(
    batch: &[Vec<Alternative>],
    problem: Problem,
    limit: BatchLimit,
    stream: &mut impl Rng,
) -> Result<Choice, NoChoice> {
    let limit = problem.limit(limit)?;
    check_totals(batch)?;
    let weight = |alternative: &Alternative| problem.item(*alternative).weight;
    for _ in 0..REDRAWS {
        let picks: Vec<usize> = batch.iter().map(|job| below(stream, job.len() as u64) as usize).collect();
        let total: i64 = batch.iter().zip(&picks).map(|(job, &pick)| weight(&job[pick])).sum();
        if total <= limit {
            return Ok(Choice::of(batch, picks));
        }
    }
    let lightest = |job: &Vec<Alternative>| job.iter().map(weight).min().unwrap_or(0);
    let mut left = limit - batch.iter().map(lightest).sum::<i64>();
    if left < 0 {
        return Err(NoChoice::Infeasible);
    }
    let mut picks = Vec::with_capacity(batch.len());
    for job in batch {
        let floor = lightest(job);
        let fitting: Vec<usize> = (0..job.len()).filter(|&pick| weight(&job[pick]) - floor <= left).collect();
        let pick = fitting[below(stream, fitting.len() as u64) as usize];
        left -= weight(&job[pick]) - floor;
        picks.push(pick);
    }
    Ok(Choice::of(batch, picks))
}
