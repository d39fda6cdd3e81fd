//! Choices foretold from choices of the past (file 004, section 3.1).

use super::bars;
use crate::broker::multicriteria::{
    LearnError, PastChoice, ReferenceBounds, UserForm, explained, favourite, learn, value,
};
use crate::language::{Count, NonEmpty, Within};
use crate::metrics::{Better, Metric, PERCENT, declare_metrics};
use crate::record;
use crate::rng::{Stream, Streams};
use crate::study::parts::report_twice;
use crate::study::replicate::Trial;
use crate::study::{Findings, Observations, RunError};
use crate::units::counted;
use crate::workload::bounds::{LongTimes, Weights};
use crate::workload::market::Direction;

record! {
    /// Users choose among offers again and again, each by a model of its own; a broker learns from their past choices
    /// and foretells fresh ones. Each world draws a user's weights and the offers; users of all models share them.
    pub struct PastChoices {
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
        report_twice(&this.models, UserForm::eq, (&at.field("models"), "this model is in the list already"), errors);
    }
}

/// The experiment of all rows.
pub(super) const EXPERIMENT: &str = "preferences";

declare_metrics! {
    /// All metrics.
    pub(super) METRICS:
    FORETOLD = Metric::new("foretold choices (%)", PERCENT, "Fresh choices of the user that the broker foretells.")
        .within(0.0, 100.0)
        .better(Better::More);
    EXPLAINED = Metric::new("explained choices (%)", PERCENT, "Past choices that the learned model makes as well.")
        .within(0.0, 100.0)
        .better(Better::More);
    LOST = Metric::new(
        "value lost (%)",
        PERCENT,
        "Loss if the broker chooses: 0 at the user's favourite, 100 at the worst offer.",
    )
    .within(0.0, 100.0)
    .better(Better::Less);
}

/// The broker's idea of a user.
#[derive(Debug, Clone, Copy)]
enum Learner {
    /// The user's own form, with weights that are learned.
    OwnForm,
    /// A weighted mean, with weights that are learned.
    Mean,
    /// An order of criteria that is learned.
    Order,
    /// All criteria count the same: nothing is learned.
    Nothing,
}

impl Learner {
    const ALL: [Self; 4] = [Self::OwnForm, Self::Mean, Self::Order, Self::Nothing];

    fn name(self) -> &'static str {
        match self {
            Self::OwnForm => "own form learned",
            Self::Mean => "mean learned",
            Self::Order => "order learned",
            Self::Nothing => "nothing learned",
        }
    }

    /// True if it is not the same as to learn the user's own form.
    fn differs(self, model: UserForm) -> bool {
        !matches!((self, model), (Self::Mean, UserForm::Mean) | (Self::Order, UserForm::Lexicographic))
    }

    /// The form and the weights by which the broker chooses for a user of `model`.
    fn learn(self, model: UserForm, criteria: usize, past: &[PastChoice]) -> Result<(UserForm, Vec<f64>), LearnError> {
        let form = match self {
            Self::OwnForm => model,
            Self::Mean => UserForm::Mean,
            Self::Order => UserForm::Lexicographic,
            Self::Nothing => return Ok((UserForm::Mean, learn(UserForm::Mean, criteria, &[])?)),
        };
        Ok((form, learn(form, criteria, past)?))
    }
}

/// The name of users of a model.
fn users(model: UserForm) -> &'static str {
    match model {
        UserForm::Achievement => "achievement",
        UserForm::Distance => "distance",
        UserForm::Mean => "mean",
        UserForm::Lexicographic => "lexicographic",
    }
}

/// The series of a learner for users of a model, unless another is the same.
fn series(model: UserForm, learner: Learner) -> Option<String> {
    learner.differs(model).then(|| format!("{} user, {}", users(model), learner.name()))
}

/// The names of all series.
pub(super) fn series_names(spec: &PastChoices) -> Vec<String> {
    let learners = |&model: &UserForm| Learner::ALL.into_iter().filter_map(move |learner| series(model, learner));
    spec.models.iter().flat_map(learners).collect()
}

pub(super) fn run(spec: &PastChoices, trial: &Trial<'_>) -> Result<Findings, RunError> {
    let rows = trial.replicate(|streams| Ok(observe(spec, &streams)?))?;
    let users = counted(trial.replications(), "user");
    let caption = format!("Mean over {users} of each model with its 95 % interval.");
    let names = ("foretold", "Fresh choices that are foretold");
    let figure = bars(EXPERIMENT, names, &caption, &FORETOLD.label(), vec![(&FORETOLD).into()]);
    Ok(Findings { rows, figures: vec![figure], ..Findings::default() })
}

fn observe(spec: &PastChoices, streams: &Streams) -> Result<Observations<'static>, LearnError> {
    let criteria = spec.criteria.get() as usize;
    let mut stream = streams.stream("weights");
    let weights: Vec<f64> = (0..criteria).map(|_| spec.weight.sample(&mut stream)).collect();
    let lists = |name: &str, count: u64| {
        let mut stream = streams.stream(name);
        (0..count).map(|_| draw_offers(spec, &mut stream)).collect::<Vec<_>>()
    };
    let (past, fresh) = (lists("past", spec.past.get()), lists("fresh", spec.fresh.get()));
    let mut observations = Observations::default();
    for &model in spec.models.iter() {
        let choose =
            |offers: &Vec<Vec<f64>>| PastChoice { chosen: favourite(model, &weights, offers), offers: offers.clone() };
        let past: Vec<PastChoice> = past.iter().map(choose).collect();
        let fresh: Vec<PastChoice> = fresh.iter().map(choose).collect();
        for learner in Learner::ALL {
            let Some(name) = series(model, learner) else { continue };
            let (form, learned) = learner.learn(model, criteria, &past)?;
            let share =
                |choices: &[PastChoice]| 100.0 * explained(form, &learned, choices) as f64 / choices.len() as f64;
            let lost = |choice: &PastChoice| {
                let taken = favourite(form, &learned, &choice.offers);
                loss(model, &weights, choice, taken)
            };
            let mut series = observations.of(EXPERIMENT, name);
            series.add(&FORETOLD, share(&fresh));
            series.add(&EXPLAINED, share(&past));
            series.add(&LOST, 100.0 * fresh.iter().map(lost).sum::<f64>() / fresh.len() as f64);
        }
    }
    Ok(observations)
}

/// The offers of one choice by their scaled criteria.
fn draw_offers(spec: &PastChoices, stream: &mut Stream) -> Vec<Vec<f64>> {
    let criteria = spec.criteria.get() as usize;
    let drawn: Vec<Vec<f64>> =
        (0..spec.offers.get()).map(|_| (0..criteria).map(|_| spec.value.sample(stream)).collect()).collect();
    let bounds: Vec<Option<ReferenceBounds>> =
        (0..criteria).map(|at| ReferenceBounds::around(drawn.iter().map(|offer| offer[at]))).collect();
    let scale = |(value, bounds): (&f64, &Option<ReferenceBounds>)| {
        bounds.map_or(1.0, |bounds| bounds.scale(Direction::Gain, *value))
    };
    drawn.iter().map(|offer| offer.iter().zip(&bounds).map(scale).collect()).collect()
}

/// The loss of the user by `taken`, as a share of the range from the favourite to the worst offer.
fn loss(model: UserForm, weights: &[f64], choice: &PastChoice, taken: usize) -> f64 {
    let values: Vec<f64> = choice.offers.iter().map(|offer| value(model, weights, offer)).collect();
    let worst = values.iter().copied().fold(f64::INFINITY, f64::min);
    let best = values[choice.chosen];
    if best > worst { ((best - values[taken]) / (best - worst)).clamp(0.0, 1.0) } else { 0.0 }
}
