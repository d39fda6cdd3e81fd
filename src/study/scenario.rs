//! A scenario as it stands in a file.

use super::answer::AnswerSpec;
use super::expected::Judge;
use super::kinds::Experiment;
use super::limits::LimitsSpec;
use super::published::{Origin, Published};
use super::statistics::StatisticsSpec;
use super::sweep::Sweep;
use crate::language::{Context, Count, Cursor, Decode, Form};
use crate::record;
use gridloom_report::FiguresSpec;
use gridloom_report::summary::SummaryFocus;
use serde::Serialize;

impl Scenario {
    /// The number of replications that are run: one where nothing is drawn.
    pub(super) fn runs(&self) -> u64 {
        if self.experiment.get().draws() { self.replications.get() } else { 1 }
    }
}

record! {
    /// A scenario: what is run, how often, and what others have published about it.
    pub struct Scenario {
        /// The name of the scenario and of the folder of its results: letters, digits, `-`, `_` and, inside, `.`.
        name: Slug,
        /// The question, the setup and the results to expect, in a few sentences; shown in the report.
        about: String = String::new(),
        /// The master seed of all random streams: scenario and seed decide every byte of the results.
        #[unit = "none"]
        seed: u64 = 1,
        /// The number of independent worlds that are drawn; means and intervals are over them.
        #[unit = "replications"]
        replications: Count = Count::ONE,
        /// The experiment that is run.
        experiment: Experiment,
        /// The limits of a replication, which keep a mistake from taking hours or all memory.
        limits: LimitsSpec = LimitsSpec::default(),
        /// The rules by which means, intervals and comparisons come about.
        statistics: StatisticsSpec = StatisticsSpec::default(),
        /// The question that the study answers, and the rows that answer it; none is asked, unless given.
        answer: Option<AnswerSpec>,
        /// The way figures are drawn; results do not depend on it.
        figures: FiguresSpec = FiguresSpec::default(),
        /// Runs the experiment again for each of a list of values of a field, or for all combinations of several.
        sweeps: Vec<Sweep> = Vec::new(),
        /// The publication that is reproduced; there is none, unless given.
        source: Option<Origin>,
        /// Published values that results are compared with.
        published: Vec<Published> = Vec::new(),
    }
    check(this, at, errors) {
        this.experiment.get().expect(&at.field("experiment"), &mut Judge::new(&this.limits, errors));
        this.statistics.report(this.experiment.get(), &at.field("statistics"), errors);
        if let Some(answer) = &this.answer {
            answer.report(this, &at.field("answer"), errors);
        }
        let own_rows = this.experiment.get().own_rows();
        for (index, sweep) in this.sweeps.iter().enumerate() {
            let name = sweep.name.as_str();
            if own_rows.contains(&name) {
                let place = at.field("sweeps").element(index).field("name");
                errors.add(&place, "the rows of the experiment itself have this name", "give the sweep another name");
            }
        }
    }
}

impl Scenario {
    /// What the scenario says to be important: the metrics of its question, its comparisons, its ranking and its sweeps,
    /// in this order.
    pub fn focus(&self) -> SummaryFocus {
        let statistics = &self.statistics;
        let mut focus = SummaryFocus { may_end_early: statistics.until.is_some(), ..SummaryFocus::default() };
        let answer = self.answer.iter();
        let swept = self.sweeps.iter().filter(|sweep| sweep.experiment.is_none()).flat_map(|sweep| &sweep.metrics);
        let metrics = answer.clone().map(|answer| &answer.metric).chain(&statistics.compare).chain(&statistics.rank);
        for name in metrics.chain(swept) {
            if !focus.metrics.contains(name) {
                focus.metrics.push(name.clone());
            }
        }
        let compared = self.experiment.get().compared().first().map(|name| name.to_string());
        focus.headline = self.answer.as_ref().map(|answer| answer.metric.clone()).or(compared);
        focus.baselines = answer.map(|answer| &answer.baseline).chain(&statistics.baselines).cloned().collect();
        focus.baselines.extend(self.experiment.get().policy_names().into_iter().flatten().take(1));
        focus.sweeps = self.sweeps.iter().map(|sweep| sweep.name.as_str().to_string()).collect();
        focus
    }
}

/// A name that is safe as the name of a folder on every system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Slug(String);

impl Slug {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name, if it is safe.
    pub fn new(name: &str) -> Option<Self> {
        let safe = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        // What begins with a dot is hidden, and some systems drop one at the end.
        let has_edge = name.starts_with('.') || name.ends_with('.');
        let is_good = !name.is_empty() && name.len() <= Self::LONGEST && name.chars().all(safe) && !has_edge;
        is_good.then(|| Self(name.to_string()))
    }

    /// The most letters of a name.
    pub(crate) const LONGEST: usize = 100;
}

impl Decode for Slug {
    fn wanted() -> String {
        "a name of letters, digits, `-`, `_` and, inside, `.` in quotes".into()
    }

    fn form() -> Form {
        Form::Text(Self::wanted())
    }

    fn decode(at: &Cursor<'_>, context: &mut Context<'_>) -> Option<Self> {
        let name = String::decode(at, context)?;
        let slug = Self::new(&name);
        if slug.is_none() {
            let right = format!("give {}, at most {} of them", Self::wanted(), Self::LONGEST);
            context.add(at, "this can't name a folder", right);
        }
        slug
    }
}
