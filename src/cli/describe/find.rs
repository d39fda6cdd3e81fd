//! From what a user types to places: paths, names alone, and the names of metrics.

use super::place::{DescribedPlace, is_same};
use super::text::Lines;
use crate::language::decode::{nearest, suggest};
use crate::metrics::Metric;
use crate::report::reference::{FieldExamples, Reference};

/// The text about `path`: a path from the scenario, from a kind of experiment or from a type on, a name that is
/// declared anywhere, or a metric. Otherwise what is wrong.
pub(super) fn text(path: &str, columns: usize) -> Result<String, String> {
    let examples = FieldExamples::of_starters();
    let mut lines = Lines::new(columns, &examples);
    // A path out of an error message has the places of elements in it, which are all alike.
    let elements: Vec<&str> = path
        .split('.')
        .map(|element| element.split('[').next().unwrap_or_default().trim())
        .filter(|element| !element.is_empty())
        .collect();
    let from_scenario = walk(start(&elements), &elements, &examples);
    if let Ok(place) = &from_scenario {
        lines.place(place);
        return Ok(lines.finish());
    }
    let reference = Reference::gather();
    if let Some(place) = elements.first().and_then(|first| DescribedPlace::of_type(first, &reference)) {
        lines.place(&walk(Some((place, 1)), &elements, &examples)?);
        return Ok(lines.finish());
    }
    let metrics = metrics_called(path.trim(), &reference);
    let mut places = places_called(&elements, &reference);
    match (places.len(), metrics.len()) {
        (0, 0) => Err(unknown(&elements, from_scenario.err(), &reference)),
        (1, 0) => {
            let elements: Vec<&str> = places[0].0.split('.').collect();
            let begin =
                start(&elements).or_else(|| DescribedPlace::of_type(elements[0], &reference).map(|place| (place, 1)));
            lines.place(&walk(begin, &elements, &examples)?);
            Ok(lines.finish())
        }
        (0, _) => {
            for (index, (metric, kinds)) in metrics.iter().enumerate() {
                if index > 0 {
                    lines.blank();
                }
                lines.metric(metric, kinds);
            }
            Ok(lines.finish())
        }
        _ => {
            let of = |(metric, kinds): &(&Metric, Vec<&str>)| {
                (format!("metric of {}", kinds.join(", ")), metric.meaning().to_string())
            };
            places.extend(metrics.iter().map(of));
            lines.add(0, &format!("`{}` stands for {} things:", path.trim(), places.len()));
            lines.blank();
            lines.table(places);
            Ok(lines.finish())
        }
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

/// The place that the elements lead to.
fn walk(
    begin: Option<(DescribedPlace, usize)>,
    elements: &[&str],
    examples: &FieldExamples,
) -> Result<DescribedPlace, String> {
    let (mut place, taken) = begin.ok_or_else(String::new)?;
    for element in &elements[taken..] {
        place = match place.inner(element, examples) {
            Some(inner) => inner,
            None => {
                let (_, right) = suggest(element, &place.names(), "the names there are");
                return Err(format!("there is no `{element}` in `{}`; {right}", place.path()));
            }
        };
    }
    Ok(place)
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
