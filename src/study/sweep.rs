//! The same experiment for each of a list of values of one field, or for all combinations of the values of several.

use super::calibration::Calibration;
use super::log_axes::report_log;
use super::{Experiment, Slug};
use crate::language::decode::suggest;
use crate::language::{Apart, Context, Count, Cursor, Decode, Finite, Form, NonEmpty, Positive, to_line};
use crate::units::counted;
use crate::{choice, record};
use gridloom_report::LogAxes;
use gridloom_report::{Cut, Factor, SweepValue, factors_text};
use serde::Serialize;
use std::fmt;

/// The largest number of points that a sweep may have.
const MOST_POINTS: usize = 10_000;
/// Tables of a run whose names a crossing, which has a table of its own, can't take.
const FILES: [&str; 5] = ["results", "ranking", "jobs", "trace", "solutions"];

record! {
    /// Runs the experiment again for each value of a field, or for each combination of the values of several fields.
    pub struct Sweep {
        /// The name of the sweep: the experiment of its rows and the beginning of its figures' names.
        name: Slug,
        /// The path of a field of the experiment, as after `--set`: `experiment.domains[0].nodes`. Left out if `grid`
        /// gives several fields.
        field: Option<String>,
        /// The values it takes: all numbers, which are drawn as lines, or all texts, which are drawn as bars. A text
        /// stands for what one would write for the field: `"Alp"`, `"[Easy, Fcfs]"`. A range is written `(from: 0.1,
        /// to: 0.9, step: 0.2)`. Left out if `grid` gives them.
        #[unit = "the unit of the field"]
        values: Option<SweepValues>,
        /// The label of the field, for the axis of the figures, with its unit; its name, unless given.
        label: Option<String>,
        /// Another experiment, which the points of this sweep are of; the scenario's own, unless given.
        experiment: Option<Apart<Experiment>>,
        /// Instead of `field` and `values`: several fields with their values, all combinations of which are run.
        grid: Vec<SweptField> = Vec::new(),
        /// Fields that have other values than in the scenario at all points of the sweep, as after `--set`:
        /// `["experiment.policies=[Easy]"]`.
        set: Vec<String> = Vec::new(),
        /// The metrics to draw, a figure each; all of them, unless some are listed.
        metrics: Vec<String> = Vec::new(),
        /// The axes that are logarithmic; none, unless given. A logarithmic x needs values above 0, and what is not
        /// above 0 is left out of a logarithmic y, with a note. Maps have no such axes.
        log: Option<LogAxes>,
        /// The figures of a crossing. Unless given: a map of each metric if two of the fields have numbers, else lines.
        figures: Vec<CrossingFigure> = Vec::new(),
        /// Printed numbers that each point of a crossing is held against; there are none, unless given.
        calibration: Option<Calibration>,
        /// The number of worlds that are drawn for each value, as a multiple of those that the scenario asks for.
        #[unit = "factor of `replications`"]
        replication_factor: Count = Count::ONE,
    }
    check(this, at, errors) {
        let plain = this.field.is_some() || this.values.is_some();
        match (plain, this.grid.is_empty()) {
            (true, true) => {
                for (is_given, name, example) in [
                    (this.field.is_some(), "field", "\"experiment....\""),
                    (this.values.is_some(), "values", "[...]"),
                ] {
                    if !is_given {
                        errors.add(at, format!("the sweep has no `{name}`"), format!("give `{name}: {example}`"));
                    }
                }
            }
            (true, false) => {
                let right = "put it into the list as `(field: ..., values: ...)`, or leave `grid` out";
                errors.add(&at.field("grid"), "a sweep has either a field of its own or a grid of fields", right);
            }
            (false, true) => errors.add(at, "the sweep varies nothing", "give `field` and `values`, or `grid: [...]`"),
            (false, false) => {}
        }
        if let Some(field) = &this.field {
            report_head(field, &at.field("field"), errors);
        }
        if this.grid.is_empty() && !this.figures.is_empty() {
            errors.add(&at.field("figures"), "only a `grid` of fields has figures of this kind", "list `metrics` instead");
        }
        if this.grid.is_empty() && this.calibration.is_some() {
            let right = "give the fields to search over as `grid: [...]`";
            errors.add(&at.field("calibration"), "only a `grid` of fields can be calibrated", right);
        }
        for (index, set) in this.set.iter().enumerate() {
            let place = at.field("set").element(index);
            match set.split_once('=') {
                Some((field, _)) => report_head(field, &place, errors),
                None => errors.add(&place, "this is not of the form `path=value`", "give `experiment....=value`"),
            }
        }
        if this.is_crossing() && FILES.contains(&this.name.as_str()) {
            let wrong = format!("`{}.csv` is the name of another table of a run", this.name.as_str());
            errors.add(&at.field("name"), wrong, "give another name");
        }
        let factors = this.factors();
        for (index, factor) in factors.iter().enumerate() {
            if factors[..index].iter().any(|other| other.name == factor.name) {
                let wrong = format!("another field of the grid is called `{}`", factor.name);
                errors.add(&at.field("grid").element(index), wrong, "give each of them a `name` of its own");
            }
        }
        let points = factors.iter().fold(1, |product: usize, factor| product.saturating_mul(factor.values.len()));
        if points > MOST_POINTS {
            let wrong = format!("that makes {points} points");
            errors.add(&at.field("grid"), wrong, format!("keep it to {MOST_POINTS}, or make several sweeps"));
        }
        for (index, figure) in this.figures.iter().enumerate() {
            figure.report(&factors, &at.field("figures").element(index), errors);
        }
        report_log(this, &factors, at, errors);
    }
    check_all(items, errors) {
        for (index, (at, sweep)) in items.iter().enumerate() {
            if items[..index].iter().any(|(_, other)| other.name == sweep.name) {
                errors.add(&at.field("name"), "another sweep has this name", "give each sweep a name of its own");
            }
        }
    }
}

/// Reports fields that are the same for all points of a sweep.
fn report_head(field: &str, at: &Cursor<'_>, errors: &mut Context<'_>) {
    let head = field.split(['.', '[']).next().unwrap_or_default().trim();
    let right = match head {
        "replications" => "give `replication_factor`, or `--replications` to a run",
        "seed" => "give more `replications`: each draws a world of its own",
        "limits" => "set them for the whole scenario: results do not depend on them",
        "figures" => "set it for the whole scenario: results do not depend on it",
        "name" | "about" | "sweeps" | "source" | "published" | "statistics" | "answer" => {
            "give a field of the experiment: `experiment.…`"
        }
        _ => return,
    };
    errors.add(at, format!("a sweep can't vary `{head}`, which is the same for all its points"), right);
}

record! {
    /// A field of a crossing and the values it takes.
    pub struct SweptField {
        /// The path of a field of the experiment, as after `--set`.
        field: String,
        /// Its values: a list of numbers or of texts, or a range `(from: 0.1, to: 0.9, step: 0.2)`.
        #[unit = "the unit of the field"]
        values: SweepValues,
        /// A short name in tables and figures; the last part of the path, unless given.
        name: Option<String>,
        /// Short names of the values, as many as there are; the values as they stand, unless given.
        names: Vec<String> = Vec::new(),
        /// The label of an axis, with its unit; the name, unless given.
        label: Option<String>,
    }
    check(this, at, errors) {
        report_head(&this.field, &at.field("field"), errors);
        if !this.names.is_empty() && this.names.len() != this.values.0.len() {
            let count = |length: usize, noun| counted(length as u64, noun);
            let wrong = format!("{} for {}", count(this.names.len(), "name"), count(this.values.0.len(), "value"));
            errors.add(&at.field("names"), wrong, "give a name for each value, or leave it out");
        }
        for (index, name) in this.names.iter().enumerate() {
            if this.names[..index].contains(name) {
                errors.add(&at.field("names").element(index), "another value has this name", "give each a name of its own");
            }
        }
    }
}

impl SweptField {
    fn factor(&self) -> SweptFactor<'_> {
        let name = self.name.as_deref().unwrap_or(last_part(&self.field));
        let shown = |(index, value): (usize, &SweepValue)| {
            self.names.get(index).map_or_else(|| value.clone(), |name| SweepValue::Text(name.clone()))
        };
        SweptFactor {
            name: name.to_string(),
            label: self.label.as_deref().unwrap_or(name),
            field: &self.field,
            values: self.values.0.iter().enumerate().map(|at| (at.1, shown(at))).collect(),
        }
    }
}

choice! {
    /// A figure of a crossing.
    pub enum CrossingFigure {
        /// Lines: a series each, and one for each value of the fields that are not named here.
        Lines {
            /// The name of the field along the horizontal axis.
            along: String,
            /// The name of the field whose values have a panel each; there is one panel, unless given.
            panels: Option<String>,
            /// The metrics, a figure each; those of the sweep, unless given.
            metrics: Vec<String> = Vec::new(),
            /// The series; all of them, unless given.
            series: Vec<String> = Vec::new(),
        },
        /// Coloured cells, one for each pair of values of two fields.
        Map {
            /// The name of the field along the horizontal axis.
            along: String,
            /// The name of the field up the vertical axis.
            up: String,
            /// The name of the field whose values have a panel each; each series has its own, unless given.
            panels: Option<String>,
            /// The metrics, a figure each; those of the sweep, unless given.
            metrics: Vec<String> = Vec::new(),
            /// The series; all of them, unless given. With `panels`, each has a figure of its own.
            series: Vec<String> = Vec::new(),
        },
    }
}

impl CrossingFigure {
    fn report(&self, factors: &[SweptFactor<'_>], at: &Cursor<'_>, errors: &mut Context<'_>) {
        let Cut { along, up, panels, .. } = self.cut(factors);
        let mut named: Vec<(&str, String)> = vec![("along", along)];
        named.extend(up.map(|(up, _)| ("up", up)));
        named.extend(panels.map(|panels| ("panels", panels)));
        for (index, (field, name)) in named.iter().enumerate() {
            let names: Vec<&str> = factors.iter().map(|factor| factor.name.as_str()).collect();
            if !names.contains(&name.as_str()) {
                let right = suggest(name, &names, "the fields are").1;
                errors.add(&at.field(field), format!("the grid has no field called `{name}`"), right);
            } else if named[..index].iter().any(|(_, other)| other == name) {
                let right = "name another field of the grid";
                errors.add(&at.field(field), format!("`{name}` has another place in this figure"), right);
            }
        }
        if let Self::Map { .. } = self {
            let named: Vec<&String> = named.iter().map(|(_, name)| name).collect();
            if let Some(left) = factors.iter().find(|factor| factor.values.len() > 1 && !named.contains(&&factor.name))
            {
                let wrong = format!("a cell would have several values, one for each of `{}`", left.name);
                errors.add(at, wrong, "name it as `panels`, or draw `Lines`");
            }
        }
    }

    /// The metrics that it lists.
    pub(super) fn metrics(&self) -> &[String] {
        match self {
            Self::Lines { metrics, .. } | Self::Map { metrics, .. } => metrics,
        }
    }

    /// The way in which it cuts through the crossing of these factors.
    pub(super) fn cut(&self, factors: &[SweptFactor<'_>]) -> Cut {
        let label =
            |name: &String| factors.iter().find(|factor| factor.name == *name).map_or("", |factor| factor.label);
        match self.clone() {
            Self::Lines { along, panels, series, .. } => Cut { along, up: None, panels, series, log: None },
            Self::Map { along, up, panels, series, .. } => {
                Cut { along, up: Some((up.clone(), label(&up).into())), panels, series, log: None }
            }
        }
    }
}

/// A field that a sweep varies, by its name.
#[derive(Debug, Clone)]
pub(super) struct SweptFactor<'a> {
    pub(super) name: String,
    pub(super) label: &'a str,
    field: &'a str,
    /// Its values, and the names under which they appear in results.
    pub(super) values: Vec<(&'a SweepValue, SweepValue)>,
}

impl SweptFactor<'_> {
    /// True if its values are numbers.
    pub(super) fn is_numeric(&self) -> bool {
        self.values.iter().all(|(_, shown)| shown.number().is_some())
    }
}

/// One point of a sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepPoint {
    /// The value of each field that is varied, by its short name.
    pub factors: Vec<Factor>,
    /// What `--set` would be given for it.
    pub(super) overrides: Vec<String>,
    /// The place of the value of each of its fields among the field's values.
    pub(super) places: Vec<usize>,
}

impl fmt::Display for SweepPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&factors_text(&self.factors))
    }
}

impl Sweep {
    /// True if it crosses the values of several fields, whose rows name the value of each.
    pub fn is_crossing(&self) -> bool {
        !self.grid.is_empty()
    }

    /// The metrics that it is to draw, where it lists some.
    pub(super) fn drawn(&self) -> impl Iterator<Item = &String> {
        self.metrics.iter().chain(self.figures.iter().flat_map(CrossingFigure::metrics))
    }

    /// The fields that it varies: one, or those of its grid.
    pub(super) fn factors(&self) -> Vec<SweptFactor<'_>> {
        if let (Some(field), Some(values)) = (&self.field, &self.values) {
            let name = last_part(field);
            let label = self.label.as_deref().unwrap_or(name);
            let values = values.0.iter().map(|value| (value, value.clone())).collect();
            return vec![SweptFactor { name: name.into(), label, field, values }];
        }
        self.grid.iter().map(SweptField::factor).collect()
    }

    /// What `--set` would be given for all its points: for another experiment, then its `set`.
    pub(super) fn common(&self) -> Vec<String> {
        // The statistics of the scenario are about its own experiment.
        let other =
            self.experiment.as_ref().map(|other| [format!("experiment={}", to_line(other)), "statistics=()".into()]);
        other.into_iter().flatten().chain(self.set.iter().cloned()).collect()
    }

    /// All its points; the values of the last field change first.
    pub fn points(&self) -> Vec<SweepPoint> {
        let mut points = vec![SweepPoint { factors: Vec::new(), overrides: self.common(), places: Vec::new() }];
        for factor in self.factors() {
            let extended = |point: &SweepPoint| -> Vec<SweepPoint> {
                let with = |(place, (value, shown)): (usize, &(&SweepValue, SweepValue))| {
                    let mut point = point.clone();
                    point.places.push(place);
                    point.factors.push(Factor { name: factor.name.clone(), value: shown.clone() });
                    point.overrides.push(format!("{}={value}", factor.field));
                    point
                };
                factor.values.iter().enumerate().map(with).collect()
            };
            points = points.iter().flat_map(extended).collect();
        }
        points
    }
}

/// The last part of a path: `load` of `experiment.flows[0].arrivals.load`.
fn last_part(path: &str) -> &str {
    let last = path.rsplit('.').next().unwrap_or(path);
    last.split('[').next().unwrap_or(last).trim()
}

/// The values that a field takes, all numbers or all texts.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct SweepValues(pub Vec<SweepValue>);

record! {
    /// Numbers at equal distances.
    struct SweepRange {
        /// The first number.
        #[unit = "the unit of the field"]
        from: Finite,
        /// The last number, if the steps lead there; no number goes beyond it.
        #[unit = "the unit of the field"]
        to: Finite,
        /// The distance from one number to the next.
        #[unit = "the unit of the field"]
        step: Positive,
    }
    check(this, at, errors) {
        if this.to.get() < this.from.get() {
            errors.add(&at.field("to"), "the range ends before it begins", "give a `to` that is not below `from`");
        } else if this.count() > MOST_POINTS {
            let wrong = format!("that makes {} values", this.count());
            errors.add(&at.field("step"), wrong, format!("give a longer step: at most {MOST_POINTS} values"));
        }
    }
}

impl SweepRange {
    /// How many numbers it has; a step that leads to the end but for rounding does lead there.
    fn count(&self) -> usize {
        let steps = (self.to.get() - self.from.get()) / self.step.get();
        ((steps + 1e-9 * steps.max(1.0)) as usize).saturating_add(1)
    }

    /// The numbers as one would write them: 0.3, not 0.30000000000000004.
    fn values(&self) -> Vec<SweepValue> {
        let value = |index: usize| self.from.get() + index as f64 * self.step.get();
        let written = |value: f64| format!("{value:.11e}").parse().ok().and_then(Finite::new);
        (0..self.count()).filter_map(|index| written(value(index))).map(SweepValue::Number).collect()
    }
}

impl Decode for SweepValues {
    fn wanted() -> String {
        "a list `[...]` of numbers or of texts in quotes that stand for values of the field, or a range \
         `(from: ..., to: ..., step: ...)`"
            .into()
    }

    fn form() -> Form {
        Form::Either(vec![NonEmpty::<SweepValue>::form(), SweepRange::form()])
    }

    fn decode(at: &Cursor<'_>, context: &mut Context<'_>) -> Option<Self> {
        if at.name().is_none() && at.group().is_some() {
            return SweepRange::decode(at, context).map(|range| Self(range.values()));
        }
        let values = NonEmpty::<SweepValue>::decode(at, context)?;
        for (index, value) in values.iter().enumerate() {
            if value.number().is_some() != values[0].number().is_some() {
                let wrong = "numbers and texts can't stand on one axis";
                context.add(&at.element(index), wrong, "give either numbers or texts");
            }
            if values[..index].contains(value) {
                context.add(&at.element(index), "this value is in the list already", "leave it out");
            }
        }
        Some(Self(values.iter().cloned().collect()))
    }
}
