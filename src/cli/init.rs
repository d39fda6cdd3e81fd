//! `gridloom init`: a scenario to start from.

use super::print;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The kind of experiment
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    /// Windows for listed requests on listed nodes
    Windows,
    /// Nodes with local task flows through the event engine
    Grid,
    /// Independent scheduling cycles on generated slots
    Cycles,
    /// One request on generated environments, by every criterion
    Criteria,
    /// The best combination for a batch against a random one
    Batches,
    /// Jobs of many users on priced resources, by several brokers
    Brokers,
}

impl Kind {
    fn starter(self) -> &'static str {
        match self {
            Self::Windows => include_str!("starters/windows.ron"),
            Self::Grid => include_str!("starters/grid.ron"),
            Self::Cycles => include_str!("starters/cycles.ron"),
            Self::Criteria => include_str!("starters/criteria.ron"),
            Self::Batches => include_str!("starters/batches.ron"),
            Self::Brokers => include_str!("starters/brokers.ron"),
        }
    }
}

pub(super) fn main(args: &Args) -> Result<(), u8> {
    print::result(args.kind.starter())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::schema::{
        BatchCase, Batches, Brokers, Criteria, Cycles, DailySpec, DeadlineSpec, EnvironmentSpec, ExactSpec,
        GeneticSpec, Grid, JobsSpec, LoadSpec, LocalFlowSpec, NodeGroup, NodeSpec, RequestSpec, ResourcesSpec,
        SlotsSpec, UserJobsSpec, Windows, load_study,
    };
    use crate::scenario::{Describe, Parts, Source};
    use clap::ValueEnum;

    #[test]
    fn every_starter_is_a_good_scenario() {
        for kind in Kind::value_variants() {
            let source = Source::new("starter.ron", kind.starter());
            load_study(&source, &[]).unwrap_or_else(|report| panic!("{kind:?}: {report}"));
        }
    }

    #[test]
    fn every_starter_shows_every_field() {
        fn fields<T: Describe>() -> Vec<&'static str> {
            match T::describe().parts {
                Parts::Fields(fields) => fields.into_iter().map(|field| field.name).collect(),
                Parts::Variants(_) => Vec::new(),
            }
        }
        let windows = [fields::<Windows>(), fields::<NodeSpec>(), fields::<RequestSpec>()].concat();
        let grid = [fields::<Grid>(), fields::<NodeGroup>(), fields::<LocalFlowSpec>(), fields::<DailySpec>()].concat();
        let cycles = [fields::<Cycles>(), fields::<SlotsSpec>(), fields::<JobsSpec>()].concat();
        let criteria = [fields::<Criteria>(), fields::<EnvironmentSpec>(), fields::<LoadSpec>()].concat();
        let batches = [fields::<Batches>(), fields::<BatchCase>(), fields::<EnvironmentSpec>()].concat();
        let brokers = [
            fields::<Brokers>(),
            fields::<ResourcesSpec>(),
            fields::<UserJobsSpec>(),
            fields::<DeadlineSpec>(),
            fields::<GeneticSpec>(),
            fields::<ExactSpec>(),
        ]
        .concat();
        for (kind, fields) in [
            (Kind::Windows, windows),
            (Kind::Grid, grid),
            (Kind::Cycles, cycles),
            (Kind::Criteria, criteria),
            (Kind::Batches, batches),
            (Kind::Brokers, brokers),
        ] {
            for field in fields {
                assert!(kind.starter().contains(&format!("{field}:")), "{kind:?} does not show {field}");
            }
        }
    }
}
