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
    /// Owners, global jobs, cycles and execution in one simulation
    Connected,
    /// The best compromise between listed users and offers
    Multicriteria,
    /// Brokers by several criteria on generated markets
    MulticriteriaStudy,
    /// Queues, backfilling and optimised batches on the same environments
    Rivals,
    /// One job made of tasks, step by step
    Workflow,
    /// Jobs made of tasks, one per world
    Workflows,
    /// A flow of jobs made of tasks on shared nodes
    JobFlow,
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
            Self::Connected => include_str!("starters/connected.ron"),
            Self::Multicriteria => include_str!("starters/multicriteria.ron"),
            Self::MulticriteriaStudy => include_str!("starters/multicriteria-study.ron"),
            Self::Rivals => include_str!("starters/rivals.ron"),
            Self::Workflow => include_str!("starters/workflow.ron"),
            Self::Workflows => include_str!("starters/workflows.ron"),
            Self::JobFlow => include_str!("starters/job_flow.ron"),
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
    use crate::experiment::load_study;
    use crate::scenario::schema::{
        AimSpec, BatchCase, Batches, BidSpec, BrokeredJobSpec, Brokers, Connected, Criteria, CriterionSpec, Cycles,
        DailySpec, DeadlineSpec, DomainSpec, EnvironmentSpec, ExactSpec, FailureSpec, FileSpec, FlowSpec, GeneticSpec,
        GlobalFlowSpec, Grid, GridDomainSpec, InputSpec, JobFlow, JobsSpec, LayeredSpec, LimitSpec, LoadSpec,
        LocalFlowSpec, MarketSpec, MetaschedulerSpec, Multicriteria, MulticriteriaStudy, NodeGroup, NodeSpec,
        OfferSpec, OwnerSpec, PricingSpec, RankSpec, RequestSpec, ResourcesSpec, Rivals, SlotTimeSpec, SlotsSpec,
        StakeholderSpec, Sweep, TaskSpec, UserJobsSpec, UserSpec, Windows, WishSpec, Workflow, WorkflowCase, Workflows,
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
        let connected = [
            fields::<Connected>(),
            fields::<GridDomainSpec>(),
            fields::<OwnerSpec>(),
            fields::<FailureSpec>(),
            fields::<GlobalFlowSpec>(),
            fields::<MetaschedulerSpec>(),
            fields::<RankSpec>(),
            fields::<PricingSpec>(),
        ]
        .concat();
        let multicriteria = [
            fields::<Multicriteria>(),
            fields::<CriterionSpec>(),
            fields::<UserSpec>(),
            fields::<WishSpec>(),
            fields::<BrokeredJobSpec>(),
            fields::<LimitSpec>(),
            fields::<OfferSpec>(),
            fields::<SlotTimeSpec>(),
            fields::<BidSpec>(),
            fields::<StakeholderSpec>(),
            fields::<AimSpec>(),
        ]
        .concat();
        let multicriteria_study = [fields::<MulticriteriaStudy>(), fields::<MarketSpec>()].concat();
        let rivals = [fields::<Rivals>(), fields::<EnvironmentSpec>(), fields::<JobsSpec>()].concat();
        let workflow = [fields::<Workflow>(), fields::<DomainSpec>(), fields::<FileSpec>()].concat();
        let workflow = [workflow, fields::<TaskSpec>(), fields::<InputSpec>()].concat();
        let workflows = [fields::<Workflows>(), fields::<WorkflowCase>(), fields::<LayeredSpec>()].concat();
        let workflows = [workflows, fields::<Sweep>()].concat();
        let job_flow = [fields::<JobFlow>(), fields::<FlowSpec>()].concat();
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
            (Kind::Connected, connected),
            (Kind::Multicriteria, multicriteria),
            (Kind::MulticriteriaStudy, multicriteria_study),
            (Kind::Rivals, rivals),
            (Kind::Workflow, workflow),
            (Kind::Workflows, workflows),
            (Kind::JobFlow, job_flow),
            (Kind::Brokers, brokers),
        ] {
            for field in fields {
                assert!(kind.starter().contains(&format!("{field}:")), "{kind:?} does not show {field}");
            }
        }
    }
}
