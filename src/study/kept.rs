//! How much of a study an interrupted run has finished.

use super::checkpoint::Point;
use super::{Scenario, Study};
use crate::units::counted;
use std::collections::BTreeSet;
use std::fmt;

/// The part of a study that an interrupted run has finished, and the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KeptPart {
    /// Points all of whose replications are kept, and all points: the scenario as it stands and those of its sweeps.
    pub points: (u64, u64),
    /// Replications that are kept, and all that there could be.
    pub replications: (u64, u64),
}

/// All points of a study under which replications or rows may be kept.
pub fn kept_points(study: &Study) -> BTreeSet<Point> {
    let outside = study.outside.key();
    let scenarios = std::iter::once(study.scenario()).chain(study.points().iter().flatten());
    scenarios.map(|scenario| Point::with(scenario, &outside)).collect()
}

/// How much is kept of a study whose points have so many observations each.
pub fn kept_part(study: &Study, count: impl Fn(Point) -> u64) -> KeptPart {
    let mut part = KeptPart::default();
    let outside = study.outside.key();
    let mut add = |scenario: &Scenario| {
        let (all, per_run) = (scenario.replications.get(), scenario.statistics.sampling.per_run());
        let kept = (count(Point::with(scenario, &outside)) / per_run).min(all);
        part.points.0 += u64::from(kept == all);
        part.points.1 += 1;
        part.replications.0 += kept;
        part.replications.1 += all;
    };
    add(study.scenario());
    study.points().iter().flatten().for_each(add);
    part
}

/// `4 of 9 points kept`; of a single point, `7 of 10 replications kept`.
impl fmt::Display for KeptPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ((points, all_points), (replications, all)) = (self.points, self.replications);
        match (all_points, replications) {
            (_, 0) => write!(f, "nothing was kept"),
            (1, _) => write!(f, "{replications} of {} kept", counted(all, "replication")),
            _ => write!(f, "{points} of {all_points} points kept, {replications} of {all} replications"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_is_told_in_points_or_replications() {
        let said = |points, replications| KeptPart { points, replications }.to_string();
        assert_eq!(said((4, 9), (45, 90)), "4 of 9 points kept, 45 of 90 replications");
        assert_eq!(said((0, 1), (7, 10)), "7 of 10 replications kept");
        assert_eq!(said((1, 1), (1, 1)), "1 of 1 replication kept");
        assert_eq!(said((0, 9), (0, 90)), "nothing was kept");
    }
}
