//! From what a user types to places: paths, names alone, and the names of metrics.

use super::place::{DescribedPlace, is_same};
use super::text::Lines;
use crate::language::decode::{nearest, suggest};
use crate::metrics::Metric;
use crate::report::reference::{FieldExamples, Reference};
use crate::study::Experiment;
use std::sync::OnceLock;

/// Finds places by what a user types.
pub(super) struct PlaceFinder {
    examples: FieldExamples,
    /// Only what is not a path from the scenario on needs all of it.
    reference: OnceLock<Reference>,
}

impl PlaceFinder {
    pub(super) fn new() -> Self {
        Self { examples: FieldExamples::of_starters(), reference: OnceLock::new() }
    }

    fn reference(&self) -> &Reference {
        self.reference.get_or_init(Reference::gather)
    }

    /// The text about `path`: a path from the scenario, from a kind of experiment or from a type on, a name that is
    /// declared anywhere, or a metric. Otherwise what is wrong.
    pub(super) fn text(&self, path: &str, columns: usize) -> Result<String, String> {
        let mut lines = Lines::new(columns, &self.examples);
        // A path out of an error message has the places of elements in it, which are all alike.
        let elements: Vec<&str> = path
            .split('.')
            .map(|element| element.split('[').next().unwrap_or_default().trim())
            .filter(|element| !element.is_empty())
            .collect();
        let from_scenario = self.walk(start(&elements), &elements);
        if let Ok(place) = &from_scenario {
            lines.place(place);
            return Ok(lines.finish());
        }
        // A path as `--set` has it leaves out the kind of experiment.
        if let ["experiment", inside @ ..] = &elements[..] {
            let of_kind = |kind: &&'static str| {
                let path = [&[*kind], inside].concat();
                self.walk(start(&path), &path).ok().map(|place| (path.join("."), place))
            };
            let found: Vec<(String, DescribedPlace)> = Experiment::NAMES.iter().filter_map(of_kind).collect();
            if let [(_, only)] = &found[..] {
                lines.place(only);
                return Ok(lines.finish());
            }
            if !found.is_empty() {
                lines.add(0, &format!("`{}` stands for {} things:", path.trim(), found.len()));
                lines.blank();
                lines.table(found.into_iter().map(|(path, place)| (path, place.doc)).collect());
                return Ok(lines.finish());
            }
        }
        if let Some(place) = elements.first().and_then(|first| DescribedPlace::of_type(first, self.reference())) {
            lines.place(&self.walk(Some((place, 1)), &elements)?);
            return Ok(lines.finish());
        }
        let metrics = metrics_called(path.trim(), self.reference());
        let mut places = places_called(&elements, self.reference());
        match (places.len(), metrics.len()) {
            (0, 0) => return Err(unknown(&elements, from_scenario.err(), self.reference())),
            (1, 0) => {
                let elements: Vec<&str> = places[0].0.split('.').collect();
                let of_type = || DescribedPlace::of_type(elements[0], self.reference()).map(|place| (place, 1));
                lines.place(&self.walk(start(&elements).or_else(of_type), &elements)?);
            }
            (0, _) => {
                for (metric, kinds) in &metrics {
                    lines.blank();
                    lines.metric(metric, kinds);
                }
            }
            _ => {
                let of = |(metric, kinds): &(&Metric, Vec<&str>)| {
                    (format!("metric of {}", kinds.join(", ")), metric.meaning().to_string())
                };
                places.extend(metrics.iter().map(of));
                lines.add(0, &format!("`{}` stands for {} things:", path.trim(), places.len()));
                lines.blank();
                lines.table(places);
            }
        }
        Ok(lines.finish())
    }

    /// The place that the elements lead to.
    fn walk(&self, begin: Option<(DescribedPlace, usize)>, elements: &[&str]) -> Result<DescribedPlace, String> {
        let (mut place, taken) = begin.ok_or_else(String::new)?;
        for element in &elements[taken..] {
            place = match place.inner(element, &self.examples) {
                Some(inner) => inner,
                None => {
                    let (_, right) = suggest(element, &place.names(), "the names there are");
                    return Err(format!("there is no `{element}` in `{}`; {right}", place.path()));
                }
            };
        }
        Ok(place)
    }
}

/// The place from which a path begins, and how many of its elements lead there.
fn start(elements: &[&str]) -> Option<(DescribedPlace, usize)> {
    match elements.first() {
        None => Some((DescribedPlace::scenario(), 0)),
        Some(first) if is_same(first, "scenario") => Some((DescribedPlace::scenario(), 1)),
        Some(first) => {
            let roots = [DescribedPlace::kinds(), DescribedPlace::scenario()];
            roots.into_iter().find(|root| root.names().iter().any(|name| is_same(first, name))).map(|root| (root, 0))
        }
    }
}

/// The places of that name, or whose path ends with these elements, each with its documentation.
fn places_called(elements: &[&str], reference: &Reference) -> Vec<(String, String)> {
    let ends_so = |path: &str| {
        let names: Vec<&str> = path.split('.').collect();
        names.len() >= elements.len()
            && names.iter().rev().zip(elements.iter().rev()).all(|(name, element)| is_same(element, name))
    };
    let entries = reference.entries().filter(|entry| ends_so(&entry.path));
    entries.map(|entry| (entry.path.clone(), entry.doc.clone())).collect()
}

/// The metrics of that name, each declaration once, with the kinds of experiment that have it.
fn metrics_called<'r>(name: &str, reference: &'r Reference) -> Vec<(&'r Metric, Vec<&'r str>)> {
    let mut found: Vec<(&Metric, Vec<&str>)> = Vec::new();
    for of in &reference.metrics {
        for metric in of.metrics.iter().filter(|metric| is_same(name, metric.name())) {
            match found.iter_mut().find(|(known, _)| *known == metric) {
                Some((_, kinds)) => kinds.push(&of.of),
                None => found.push((metric, vec![&of.of])),
            }
        }
    }
    found
}

/// What is wrong with a path that leads nowhere, and the name that may be meant.
fn unknown(elements: &[&str], wrong: Option<String>, reference: &Reference) -> String {
    if let Some(wrong) = wrong.filter(|wrong| !wrong.is_empty()) {
        return wrong;
    }
    let given = elements.join(".");
    let first = [DescribedPlace::kinds().names(), DescribedPlace::scenario().names()].concat();
    let first_of_all = suggest(elements.first().unwrap_or(&""), &first, "paths begin with");
    if elements.len() > 1 || first_of_all.0.is_some() {
        return format!("there is no `{given}`; {}", first_of_all.1);
    }
    let metrics = reference.metrics.iter().flat_map(|of| of.metrics.iter().map(Metric::name));
    let names = reference.entries().map(|entry| entry.name).chain(metrics);
    match nearest(&given, names) {
        Some(name) => format!("there is no `{given}`; did you mean `{name}`?"),
        None => format!("there is no `{given}`; {}", first_of_all.1),
    }
}
