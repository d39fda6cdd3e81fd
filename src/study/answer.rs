//! The answer of a study in a few sentences, worked out from its rows: who wins, by how much, how sure that is.

use super::Scenario;
use super::ranking::LEVEL;
use super::sweep::Sweep;
use crate::language::decode::suggest;
use crate::language::{Context, Cursor};
use crate::metrics::{Better, Metric};
use crate::record;
use crate::units::counted;
use gridloom_report::StudyAnswer;
use gridloom_report::SweepValue;
use gridloom_report::difference;
use gridloom_report::{Factor, Figure, Row};
use std::cmp::Ordering;

record! {
    /// The question that a study answers, and the rows that answer it. The sentences are worked out from the results.
    pub struct AnswerSpec {
        /// The question, in one sentence.
        question: String,
        /// The metric that decides; more or less of it must be better.
        metric: String,
        /// The series that are held against the baseline; all others, unless given.
        series: Vec<String> = Vec::new(),
        /// The series that they are held against: the first policy of a grid, or one of `statistics.baselines`.
        baseline: String,
        /// The sweep whose points are counted; the scenario as it stands, unless given.
        over: Option<String>,
        /// A search, in a crossing, for the values from which on the first of the series does better; there is none,
        /// unless given.
        crossover: Option<CrossoverSpec>,
        /// The file of the figure that shows it, without extension; the first of its metric, unless given.
        figure: Option<String>,
    }
}

record! {
    /// A search for the values from which on a series does better beyond doubt.
    pub struct CrossoverSpec {
        /// The field of the crossing whose values are gone through, by its name.
        along: String,
    }
}

impl AnswerSpec {
    /// Reports names that nothing has.
    pub(super) fn report(&self, scenario: &Scenario, at: &Cursor<'_>, errors: &mut Context<'_>) {
        let kind = scenario.experiment.get();
        let metrics = kind.metrics();
        match metrics.iter().find(|metric| metric.name() == self.metric) {
            Some(metric) if metric.is_better() == Better::Neither => {
                let wrong = format!("neither more nor less of `{}` is better", self.metric);
                errors.add(&at.field("metric"), wrong, "give a metric that decides who wins");
            }
            Some(_) => {}
            None => {
                let names: Vec<&str> = metrics.iter().map(Metric::name).collect();
                let right = suggest(&self.metric, &names, "the metrics are").1;
                errors.add(&at.field("metric"), format!("there is no metric `{}`", self.metric), right);
            }
        }
        let sweeps: Vec<&str> = scenario.sweeps.iter().map(|sweep| sweep.name.as_str()).collect();
        if let Some(over) = self.over.as_ref().filter(|over| !sweeps.contains(&over.as_str())) {
            let right = suggest(over, &sweeps, "the sweeps are").1;
            errors.add(&at.field("over"), format!("there is no sweep `{over}`"), right);
        }
        if let Some(CrossoverSpec { along }) = &self.crossover {
            let place = at.field("crossover").field("along");
            match scenario.sweeps.iter().find(|sweep| self.over.as_deref() == Some(sweep.name.as_str())) {
                Some(sweep) if sweep.is_crossing() => {
                    let factors = sweep.factors();
                    let names: Vec<&str> = factors.iter().map(|factor| factor.name.as_str()).collect();
                    match factors.iter().find(|factor| factor.name == *along) {
                        None => {
                            let right = suggest(along, &names, "the fields are").1;
                            errors.add(&place, format!("the crossing has no field `{along}`"), right);
                        }
                        Some(factor) if !factor.is_numeric() => {
                            errors.add(&place, format!("the values of `{along}` are texts"), "name a field of numbers");
                        }
                        Some(_) => {}
                    }
                }
                _ => errors.add(&place, "only a crossing has crossovers", "let `over` name a sweep with a `grid`"),
            }
        }
        let Some(series) = kind.series_names() else { return };
        let policies = kind.policy_names();
        let series: Vec<&str> = series.iter().map(String::as_str).collect();
        let (what, all) = match &policies {
            Some(_) => ("policy", "the policies are"),
            None => ("series", "the series are"),
        };
        let named = self.series.iter().enumerate().map(|(index, name)| (at.field("series").element(index), name));
        for (place, name) in named.chain([(at.field("baseline"), &self.baseline)]) {
            if self.over.is_none() && !series.contains(&name.as_str()) {
                let right = suggest(name, &series, all).1;
                errors.add(&place, format!("there is no {what} called `{name}`"), right);
            }
        }
        let Some(policies) = policies else { return };
        let compares = scenario.statistics.baselines.contains(&self.baseline)
            && scenario.statistics.compared(kind).contains(&self.metric)
            || policies.first() == Some(&self.baseline) && kind.compared().contains(&self.metric.as_str());
        if !compares {
            let wrong = format!("nothing compares others with `{}` in `{}`", self.baseline, self.metric);
            let right = "name it in `statistics: (baselines: [...], compare: [...])`";
            errors.add(&at.field("baseline"), wrong, right);
        }
    }

    /// The series that are held against the baseline, in the order of their rows.
    /// `texts` are the values of a plain sweep of texts, which are part of the names of its series.
    fn contestants(&self, rows: &[Row], texts: &[String]) -> Vec<String> {
        if !self.series.is_empty() {
            return self.series.clone();
        }
        let (against, metric) = (format!(" against {}", self.baseline), difference(&self.metric));
        let mut series: Vec<String> = Vec::new();
        for row in rows.iter().filter(|row| row.metric == metric && self.is_over(row)) {
            let name = without_text(&row.series, texts).0.strip_suffix(&against).map(String::from);
            series.extend(name.filter(|name| !series.contains(name)));
        }
        series
    }

    /// True if the row is of the sweep that counts, or of the scenario as it stands.
    fn is_over(&self, row: &Row) -> bool {
        match &self.over {
            Some(over) => *over == row.experiment,
            None => row.x.is_none() && row.factors.is_empty(),
        }
    }

    /// The answer that the rows give; nothing if they do not have what it asks for.
    /// `points` are those that count: of the sweep, or the scenario itself.
    pub(super) fn answer(
        &self,
        scenario: &Scenario,
        points: &[&Scenario],
        rows: &[Row],
        figures: &[Figure],
    ) -> Option<StudyAnswer> {
        let kind = scenario.experiment.get();
        let metrics = kind.metrics();
        let metric = metrics.iter().find(|metric| metric.name() == self.metric)?;
        let scale = Telling::of(metric);
        let over = scenario.sweeps.iter().find(|sweep| self.over.as_deref() == Some(sweep.name.as_str()));
        let texts = over.filter(|sweep| !sweep.is_crossing()).map_or(Vec::new(), texts_of);
        let series = self.contestants(rows, &texts);
        let policies = kind.policy_names().unwrap_or_default();
        let compared = Compared { spec: self, rows, series, policies, texts, scale, better: metric.is_better() };
        let (sentences, findings) = match &self.over {
            None => (compared.at_base()?, Vec::new()),
            Some(_) => (compared.over()?, compared.crossovers()),
        };
        let figure = self.figure.clone().or_else(|| {
            let wanted = [difference(&self.metric), self.metric.clone()];
            let is_meant = |figure: &&Figure| {
                self.over.as_ref().is_none_or(|over| *over == figure.experiment)
                    && figure.metrics.iter().any(|metric| wanted.contains(metric))
            };
            figures.iter().find(is_meant).map(|figure| figure.file.clone())
        });
        let figure = figure.filter(|file| figures.iter().any(|figure| figure.file == *file));
        let mut rules = common_rules(points);
        if let Some(sweep) = over {
            let varied: Vec<String> = sweep.factors().iter().map(|factor| factor.label.to_string()).collect();
            rules.push(("varied".into(), varied.join(", ")));
        }
        Some(StudyAnswer { question: self.question.clone(), sentences, findings, figure, rules })
    }
}

/// The values of a sweep that are texts.
fn texts_of(sweep: &Sweep) -> Vec<String> {
    let values = sweep.factors().into_iter().flat_map(|factor| factor.values);
    values.filter(|(_, shown)| shown.number().is_none()).map(|(_, shown)| shown.to_string()).collect()
}

/// The name of a series without the value of a plain sweep of texts that follows it, and that value.
fn without_text<'r>(series: &'r str, texts: &'r [String]) -> (&'r str, Option<&'r str>) {
    let parts = texts.iter().filter_map(|text| Some((series.strip_suffix(text.as_str())?.strip_suffix(", ")?, text)));
    // Of two values of which one ends with the other, the longer one is meant.
    let longest = parts.max_by_key(|(_, text)| text.len());
    longest.map_or((series, None), |(series, text)| (series, Some(text)))
}

/// The rules that all points share; of the others, that they are varied.
fn common_rules(points: &[&Scenario]) -> Vec<(String, String)> {
    let all: Vec<Vec<(String, String)>> = points.iter().map(|point| point.experiment.get().rules()).collect();
    let Some(first) = all.first() else { return Vec::new() };
    let common = |rule: &(String, String)| match all.iter().all(|rules| rules.contains(rule)) {
        true => rule.clone(),
        false => (rule.0.clone(), "varied".to_string()),
    };
    first.iter().map(common).collect()
}

/// The form in which differences of a metric are told.
#[derive(Debug, Clone, Copy)]
struct Telling<'a> {
    factor: f64,
    unit: &'a str,
    digits: usize,
}

impl<'a> Telling<'a> {
    /// Shares are told in points, so that one does not read "2 %" as a share of a share.
    fn of(metric: &'a Metric) -> Self {
        match metric.range() {
            (0.0, 1.0) => Self { factor: 100.0, unit: "points", digits: 1 },
            _ => Self { factor: 1.0, unit: metric.unit(), digits: 2 },
        }
    }

    fn signed(self, value: f64) -> String {
        format!("{:+.*} {}", self.digits, self.factor * value, self.unit)
    }

    fn plain(self, value: f64) -> String {
        match self.unit {
            "points" => format!("{:.*} %", self.digits, self.factor * value),
            unit => format!("{:.*} {unit}", self.digits, self.factor * value),
        }
    }
}

/// The rows that a series is compared by.
struct Compared<'a> {
    spec: &'a AnswerSpec,
    rows: &'a [Row],
    series: Vec<String>,
    /// All policies of a grid.
    policies: Vec<String>,
    /// The values of a plain sweep of texts, which are part of the names of its series.
    texts: Vec<String>,
    scale: Telling<'a>,
    better: Better,
}

/// How a difference stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WhichWay {
    Better,
    Worse,
    Open,
}

impl Compared<'_> {
    fn differences(&self, series: &str) -> Vec<&Row> {
        let name = format!("{series} against {}", self.spec.baseline);
        let metric = difference(&self.spec.metric);
        let is_named = |row: &Row| without_text(&row.series, &self.texts).0 == name;
        let is_meant = |row: &&Row| self.spec.is_over(row) && row.metric == metric && is_named(row);
        self.rows.iter().filter(is_meant).collect()
    }

    fn standing(&self, row: &Row) -> WhichWay {
        match row.p_holm {
            Some(p) if p < LEVEL && row.mean != 0.0 => {
                if (row.mean > 0.0) == (self.better == Better::More) {
                    WhichWay::Better
                } else {
                    WhichWay::Worse
                }
            }
            _ => WhichWay::Open,
        }
    }

    /// The better of two first.
    fn order(&self, a: f64, b: f64) -> Ordering {
        if self.better == Better::More { b.total_cmp(&a) } else { a.total_cmp(&b) }
    }

    fn at_base(&self) -> Option<Vec<String>> {
        let AnswerSpec { metric, baseline, .. } = self.spec;
        let level = |name: &str| {
            let is_meant = |row: &&Row| row.x.is_none() && row.factors.is_empty() && row.metric == *metric;
            self.rows.iter().filter(is_meant).find(|row| row.series == name)
        };
        let base = level(baseline)?;
        let differences = self.series.iter().filter_map(|name| Some((name, *self.differences(name).first()?)));
        let mut differences: Vec<(&String, &Row)> = differences.collect();
        differences.sort_by(|a, b| self.order(a.1.mean, b.1.mean));
        // Who is better beyond doubt comes before who only looks better.
        let &(best, row) =
            differences.iter().find(|(_, row)| self.standing(row) == WhichWay::Better).or(differences.first())?;
        let own = level(best)?;
        let count = |standing| differences.iter().filter(|(_, row)| self.standing(row) == standing).count();
        let (told, base_told) = (self.scale.plain(own.mean), self.scale.plain(base.mean));
        let who = match self.standing(row) {
            WhichWay::Better => format!("{best} does better than {baseline} by {metric}: {told} against {base_told}."),
            WhichWay::Open => format!(
                "By {metric}, none of those compared is shown to do better than {baseline} ({base_told}); {best} comes \
                 nearest ({told})."
            ),
            WhichWay::Worse => format!(
                "By {metric}, none of those compared is shown to do better than {baseline} ({base_told}); the nearest, \
                 {best}, does worse ({told})."
            ),
        };
        let interval = row.ci95.map_or(String::new(), |half| {
            let (low, high) = (self.scale.signed(row.mean - half), self.scale.signed(row.mean + half));
            format!(", 95 % interval {low} to {high}")
        });
        let how_much = format!(
            "{best} differs from {baseline} by {} (in {}{interval}).",
            self.scale.signed(row.mean),
            counted(row.n, "pair")
        );
        let (better, worse) = (count(WhichWay::Better), count(WhichWay::Worse));
        let sure = format!(
            "Compared with {baseline}, {better} of {} do better and {worse} worse with p < {LEVEL} after Holm's \
             correction; for {best} p {}.",
            differences.len(),
            row.p_holm.map_or("is unknown".into(), probability),
        );
        let mut sentences = vec![who, how_much, sure];
        sentences.extend(self.without_value());
        Some(sentences)
    }

    /// A sentence on those that could not be compared, as policies under which no job was done.
    fn without_value(&self) -> Option<String> {
        let AnswerSpec { metric, baseline, series: wanted, .. } = self.spec;
        let rows = || self.rows.iter().filter(|row| self.spec.is_over(row) && !row.series.contains(" against "));
        let has = |name: &str| rows().any(|row| row.series == name && row.metric == *metric);
        let mut names: Vec<&str> = Vec::new();
        for name in rows().map(|row| row.series.as_str()).chain(wanted.iter().map(String::as_str)) {
            let is_meant = if wanted.is_empty() { self.is_rival(name) } else { wanted.iter().any(|one| one == name) };
            if is_meant && name != baseline && !has(name) && !names.contains(&name) {
                names.push(name);
            }
        }
        let have = if names.len() == 1 { "has" } else { "have" };
        (!names.is_empty()).then(|| format!("{} {have} no {metric}: nothing to compare.", names.join(", ")))
    }

    /// True if a series is of the same kind as the baseline: one of the policies.
    fn is_rival(&self, name: &str) -> bool {
        self.policies.iter().any(|policy| policy == name)
    }

    fn over(&self) -> Option<Vec<String>> {
        let AnswerSpec { metric, baseline, .. } = self.spec;
        let found: Vec<(&String, Vec<&Row>)> = self
            .series
            .iter()
            .map(|name| (name, self.differences(name)))
            .filter(|(_, rows)| !rows.is_empty())
            .collect();
        let clause = |(name, rows): &(&String, Vec<&Row>)| {
            let count = |standing| rows.iter().filter(|row| self.standing(row) == standing).count();
            format!(
                "{name} does better than {baseline} at {} of {}, worse at {}",
                count(WhichWay::Better),
                counted(rows.len() as u64, "point"),
                count(WhichWay::Worse)
            )
        };
        let clauses: Vec<String> = found.iter().map(clause).collect();
        let who = format!("By {metric}, {}; at the others the two can't be told apart.", clauses.join("; "));
        let (first, rows) = found.first()?;
        let extreme = |pick: Ordering| {
            let mut rows = rows.clone();
            rows.sort_by(
                |a, b| if pick == Ordering::Less { self.order(a.mean, b.mean) } else { self.order(b.mean, a.mean) },
            );
            rows.first().map(|row| {
                let half = row
                    .ci95
                    .map_or(String::new(), |half| format!(" ± {:.*}", self.scale.digits, self.scale.factor * half));
                let at = without_text(&row.series, &self.texts).1.map_or_else(|| place(row), String::from);
                format!("{}{half} at {at}", self.scale.signed(row.mean))
            })
        };
        let (best, worst) = (extreme(Ordering::Less)?, extreme(Ordering::Greater)?);
        let how_much = format!("{first} less {baseline} goes from {worst} to {best}.");
        let worlds = (rows.iter().map(|row| row.n).min()?, rows.iter().map(|row| row.n).max()?);
        let worlds = if worlds.0 == worlds.1 { worlds.0.to_string() } else { format!("{} to {}", worlds.0, worlds.1) };
        let sure = format!(
            "A difference counts with p < {LEVEL} after Holm's correction for all comparisons that are shown together, \
             from {worlds} pairs in the same worlds at each point."
        );
        Some(vec![who, how_much, sure])
    }

    /// For each combination of the other factors, from which value on the first series does better.
    fn crossovers(&self) -> Vec<String> {
        let (Some(CrossoverSpec { along }), Some(first)) = (&self.spec.crossover, self.series.first()) else {
            return Vec::new();
        };
        let rows = self.differences(first);
        let mut groups: Vec<(Vec<&Factor>, Vec<&Row>)> = Vec::new();
        for row in rows {
            let others: Vec<&Factor> = row.factors.iter().filter(|factor| factor.name != *along).collect();
            match groups.iter_mut().find(|(key, _)| *key == others) {
                Some((_, rows)) => rows.push(row),
                None => groups.push((others, vec![row])),
            }
        }
        let value = |row: &Row| row.factor(along).and_then(SweepValue::number).unwrap_or(f64::NAN);
        let tell = |(key, mut rows): (Vec<&Factor>, Vec<&Row>)| {
            rows.sort_by(|a, b| value(a).total_cmp(&value(b)));
            let values: Vec<(f64, bool)> =
                rows.iter().map(|row| (value(row), self.standing(row) == WhichWay::Better)).collect();
            let key: Vec<String> = key.iter().map(|factor| format!("{} = {}", factor.name, factor.value)).collect();
            let key = if key.is_empty() { "in all".to_string() } else { key.join(", ") };
            format!("{key}: {first} {}.", where_better(along, &values))
        };
        groups.into_iter().map(tell).collect()
    }
}

/// At which values, which stand in order, a series does better: from one on, if that is so.
fn where_better(along: &str, values: &[(f64, bool)]) -> String {
    let better: Vec<f64> = values.iter().filter(|(_, is_better)| *is_better).map(|(value, _)| *value).collect();
    let at_end = values.iter().rev().take_while(|(_, is_better)| *is_better).count();
    match better[..] {
        [] => "is nowhere shown to do better".into(),
        _ if better.len() == values.len() => format!("does better at all values of {along}"),
        [from, _, ..] if at_end == better.len() => format!("does better from {along} = {from} on"),
        _ => {
            let listed: Vec<String> = better.iter().map(f64::to_string).collect();
            let all = counted(values.len() as u64, "value");
            format!("does better at {along} = {} alone, of {all}", listed.join(", "))
        }
    }
}

/// The point of a row in words.
fn place(row: &Row) -> String {
    match (row.factors.is_empty(), row.x) {
        (false, _) => row
            .factors
            .iter()
            .map(|factor| format!("{} = {}", factor.name, factor.value))
            .collect::<Vec<_>>()
            .join(", "),
        (true, Some(x)) => x.to_string(),
        (true, None) => row.series.clone(),
    }
}

/// A p-value as one reads it.
pub(super) fn probability(p: f64) -> String {
    if p < 0.001 { "< 0.001".into() } else { format!("= {p:.3}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crossing_is_told_only_where_there_is_one() {
        let told = |better: [bool; 4]| {
            where_better("load", &std::array::from_fn::<_, 4, _>(|at| (at as f64 / 4.0, better[at])))
        };
        assert_eq!(told([false, false, true, true]), "does better from load = 0.5 on");
        assert_eq!(told([false; 4]), "is nowhere shown to do better");
        assert_eq!(told([true; 4]), "does better at all values of load");
        // The last value alone is no range, and what is better at both ends has no crossing.
        assert_eq!(told([false, false, false, true]), "does better at load = 0.75 alone, of 4 values");
        assert_eq!(told([true, false, true, true]), "does better at load = 0, 0.5, 0.75 alone, of 4 values");
    }
}
