//! Random small markets for tests.

use super::{Market, Objective, SatisfactionRules, Stakeholder, Take, TotalForm, User, UserForm, Wish};
use crate::workload::market::{Criterion, CriterionMeasure, Direction, MarketJob, Offer, OfferLimit};
use proptest::prelude::*;

/// The rules by two answers.
pub(super) fn rules(worst_first: bool, achievement: bool) -> SatisfactionRules {
    SatisfactionRules {
        user: if achievement { UserForm::Achievement } else { UserForm::Distance },
        total: if worst_first { TotalForm::WorstFirst } else { TotalForm::BestFirst },
    }
}

/// Up to so many jobs of up to three users and so many offers with two attributes, few units, and hard constraints;
/// sometimes the first provider and an administrator have a say as well.
pub(super) fn small(jobs: usize, offers: usize) -> impl Strategy<Value = Market> {
    let job = (0_usize..3, 1_u64..3, 0_i32..4);
    let offer = (prop::option::weighted(0.8, 1_u64..4), 0_i32..10, 0_i32..10);
    let user = (1_i32..4, 0_i32..5, 1_i32..5);
    let lists = (
        prop::collection::vec(job, 1..=jobs),
        prop::collection::vec(offer, 1..=offers),
        prop::collection::vec(user, 3),
        any::<bool>(),
    );
    lists.prop_map(|(jobs, offers, users, with_others)| Market {
        criteria: [("wait", Direction::Cost), ("memory", Direction::Gain)]
            .map(|(name, direction)| Criterion { name: name.into(), direction, measure: CriterionMeasure::Attribute })
            .to_vec(),
        users: users
            .into_iter()
            .enumerate()
            .map(|(index, (weight, wait, memory))| User {
                name: format!("user {index}"),
                weight: f64::from(weight),
                wishes: vec![Wish::of(f64::from(wait)), Wish::of(f64::from(memory))],
                satisfaction: None,
            })
            .collect(),
        jobs: jobs
            .into_iter()
            .enumerate()
            .map(|(index, (user, units, least))| MarketJob {
                name: format!("job {index}"),
                user,
                units,
                limits: vec![OfferLimit { criterion: 1, low: Some(f64::from(least)), high: None }],
            })
            .collect(),
        offers: offers
            .into_iter()
            .enumerate()
            .map(|(index, (units, wait, memory))| {
                let attributes = [wait, memory].map(|value| Some(f64::from(value))).to_vec();
                Offer::of_attributes(format!("offer {index}"), units, attributes)
            })
            .collect(),
        others: if with_others { others() } else { Vec::new() },
    })
}

/// A provider who wants jobs, and an administrator who wants short waits, above all no long one.
fn others() -> Vec<Stakeholder> {
    let aim = |of, take, direction, weight| Objective { of, take, direction, weight, bounds: None };
    let stakeholder = |name: &str, provider: Option<&str>, aims| Stakeholder {
        name: name.into(),
        weight: 2.0,
        provider: provider.map(Into::into),
        aims,
    };
    vec![
        stakeholder("provider", Some("offer 0"), vec![aim(None, Take::Total, Direction::Gain, 1.0)]),
        stakeholder(
            "administrator",
            None,
            vec![aim(Some(0), Take::Total, Direction::Cost, 1.0), aim(Some(0), Take::Highest, Direction::Cost, 3.0)],
        ),
    ]
}
