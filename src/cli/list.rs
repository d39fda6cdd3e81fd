//! `gridloom list`: what there is.

use super::choice::WordParser;
use super::{load, print};
use crate::broker::BrokerChoice;
use crate::combine::Problem;
use crate::language::{Describe, Distribution, Parts};
use crate::policy::PolicyChoice;
use crate::queueing::Order;
use crate::queueing::QueueRule;
use crate::report::reference::{KindMetrics, metric_facts, metrics_of_kinds};
use crate::search::Search;
use crate::study::{Experiment, WaySpec};
use crate::workflow::Method;
use clap::builder::PossibleValue;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The section to list; all but the metrics, unless given
    #[arg(value_parser = WordParser::new(SECTIONS.iter().map(|section| PossibleValue::new(section.name))))]
    section: Option<String>,
}

/// A part of the list.
struct Section {
    /// Its name on the command line.
    name: &'static str,
    title: &'static str,
    text: fn() -> String,
}

impl Section {
    const fn new(name: &'static str, title: &'static str, text: fn() -> String) -> Self {
        Self { name, title, text }
    }
}

/// The least room for texts beside names.
const LEAST_BESIDE: usize = 30;

/// The section that is printed only when it is asked for: it is longer than all others.
const METRICS: &str = "metrics";

static SECTIONS: [Section; 12] = [
    Section::new("scenarios", "Scenarios (in scenarios/)", || lines(scenarios(Path::new("scenarios")))),
    Section::new("experiments", "Experiments", variants::<Experiment>),
    Section::new("searches", "Window searches and criteria", variants::<Search>),
    Section::new("problems", "Problems of the choice for a batch", variants::<Problem>),
    Section::new("policies", "Policies of a grid", variants::<PolicyChoice>),
    Section::new("batch-policies", "Policies for a batch", variants::<WaySpec>),
    Section::new("orders", "Orders of a queue", variants::<Order>),
    Section::new("methods", "Methods for jobs made of tasks", variants::<Method>),
    Section::new("brokers", "Brokers", variants::<BrokerChoice>),
    Section::new("replay-policies", "Policies of a replay", || {
        lines(QueueRule::ALL.map(|policy| (policy.name(), policy.about().to_string())).to_vec())
    }),
    Section::new("distributions", "Distributions", variants::<Distribution>),
    Section::new(METRICS, "Metrics", metrics),
];

pub(super) fn main(args: &Args) -> Result<(), u8> {
    let is_wanted = |section: &&Section| match &args.section {
        Some(name) => section.name == name,
        None => section.name != METRICS,
    };
    let section = |section: &Section| format!("{}\n{}\n", section.title, (section.text)());
    let text: String = SECTIONS.iter().filter(is_wanted).map(section).collect();
    print::result(&text)
}

/// A name and what it stands for on each line, broken at the width of the terminal.
fn lines(entries: Vec<(String, String)>) -> String {
    let columns = print::width();
    let width = entries.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let entry = |(name, about): (String, String)| match columns < width + 4 + LEAST_BESIDE {
        // Where there is no room beside the name, it stands below.
        true => hanging(&format!("  {name}\n      "), &about, 6, columns),
        false => hanging(&format!("  {name:width$}  "), &about, width + 4, columns),
    };
    entries.into_iter().map(entry).collect()
}

/// A text behind `first`, in lines of at most so many columns that are indented but for the first.
fn hanging(first: &str, text: &str, indent: usize, columns: usize) -> String {
    let (mut lines, mut column) = (first.to_string(), indent);
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column > indent && column + 1 + length > columns {
            lines.push_str(&format!("\n{:indent$}", ""));
            column = indent;
        } else if column > indent {
            lines.push(' ');
            column += 1;
        }
        lines.push_str(word);
        column += length;
    }
    format!("{}\n", lines.trim_end())
}

/// The metrics of all kinds of experiment.
fn metrics() -> String {
    let columns = print::width();
    let mut text = [
        "Users, jobs and criteria have the names of the kind's starter (`gridloom init KIND`).",
        "In results, the `time_unit` of an experiment stands for \"time units\".",
    ]
    .map(|line| hanging("  ", line, 2, columns))
    .concat();
    for KindMetrics { of, metrics } in metrics_of_kinds() {
        text.push_str(&format!("\n  Metrics of {of}\n"));
        for metric in metrics {
            let facts = metric_facts(&metric).join("; ");
            text.push_str(&hanging("    ", &format!("{} [{facts}]", metric.name()), 4, columns));
            text.push_str(&hanging("        ", metric.meaning(), 8, columns));
        }
    }
    text
}

/// The variants of a choice, each with the first sentence of its documentation.
fn variants<T: Describe>() -> String {
    let Parts::Variants(variants) = T::describe().parts else { return String::new() };
    lines(variants.into_iter().map(|variant| (variant.name.to_string(), sentence(&variant.doc))).collect())
}

/// The scenario files of a folder, each with the first sentence of what it says about itself.
fn scenarios(folder: &Path) -> Vec<(String, String)> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return vec![("none".into(), "there is no folder of that name here".into())];
    };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "ron"));
    paths.sort();
    let line = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let about = match load::study(path, &[]) {
            Ok(study) => sentence(&study.scenario().about),
            Err(_) => "has errors: see `gridloom check`".into(),
        };
        (name, about)
    };
    paths.iter().map(line).collect()
}

/// The first sentence of a text, on one line.
pub(super) fn sentence(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let ends = [". ", "? "].iter().filter_map(|end| text.find(end).map(|at| at + 1));
    let end = ends.min().unwrap_or(text.len());
    text[..end].trim_end_matches('.').to_string()
}
