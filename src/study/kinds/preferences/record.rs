//! `Preferences`: what a broker can learn from choices of the past.

use crate::broker::multicriteria::UserForm;
use crate::language::{Count, NonEmpty, Within};
use crate::record;
use crate::workload::bounds::{LongTimes, Weights};

record! {
    /// Users choose among offers again and again, each by a model of its own; a broker learns from their past choices
    /// and foretells fresh ones. Each world draws a user's weights and the offers; users of all models share them.
    pub struct Preferences {
        /// The number of criteria, from 2 to 5; of each, more is better.
        #[unit = "criteria"]
        criteria: Count,
        /// The number of offers among which a user chooses each time.
        #[unit = "offers"]
        offers: Count,
        /// The value of a criterion of an offer; scaled over the offers of one choice.
        #[unit = "any; values are scaled"]
        value: Within<LongTimes>,
        /// The weight that a user gives to a criterion.
        #[unit = "weight"]
        weight: Within<Weights>,
        /// The models of users.
        models: NonEmpty<UserForm>,
        /// The number of past choices that the broker has seen.
        #[unit = "choices"]
        past: Count,
        /// The number of fresh choices that it predicts.
        #[unit = "choices"]
        fresh: Count = Count::of(100),
    }
    starter(include_str!("starter.ron"))
    check(this, at, errors) {
        if !(2..=5).contains(&this.criteria.get()) {
            errors.add(&at.field("criteria"), "weights can't be learned for so many", "give 2 to 5");
        }
        if this.offers.get() < 2 || this.offers.get() > 100 {
            errors.add(&at.field("offers"), "this is no choice that teaches anything", "give 2 to 100");
        }
        for (name, count, most) in [("past", this.past, 500), ("fresh", this.fresh, 10_000)] {
            if count.get() > most {
                errors.add(&at.field(name), "that would take too long", format!("give at most {most}"));
            }
        }
        for (index, model) in this.models.iter().enumerate() {
            if this.models[..index].contains(model) {
                errors.add(&at.field("models").element(index), "this model is listed twice", "leave one out");
            }
        }
    }
}
