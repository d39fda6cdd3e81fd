//! `gridloom list`: what there is.

use super::{load, print};
use crate::broker::BrokerSpec;
use crate::combine::Problem;
use crate::language::{Describe, Distribution, Parts};
use crate::policy::PolicyChoice;
use crate::queueing::Order;
use crate::queueing::QueueRule;
use crate::search::Search;
use crate::study::Experiment;
use crate::study::kinds::RivalSpec;
use crate::workflow::Method;
use std::path::{Path, PathBuf};

pub(super) fn main() -> Result<(), u8> {
    let mut text = String::new();
    section(&mut text, "Scenarios (in scenarios/)", scenarios(Path::new("scenarios")));
    section(&mut text, "Experiments", variants::<Experiment>());
    section(&mut text, "Window searches and criteria", variants::<Search>());
    section(&mut text, "Problems of the choice for a batch", variants::<Problem>());
    section(&mut text, "Policies of a grid", variants::<PolicyChoice>());
    section(&mut text, "Policies for a batch", variants::<RivalSpec>());
    section(&mut text, "Orders of a queue", variants::<Order>());
    section(&mut text, "Methods for jobs made of tasks", variants::<Method>());
    section(&mut text, "Brokers", variants::<BrokerSpec>());
    let policies = QueueRule::ALL.map(|policy| (policy.name().to_string(), policy.about().to_string()));
    section(&mut text, "Policies of a replay", policies.to_vec());
    section(&mut text, "Distributions", variants::<Distribution>());
    print::result(&text)
}

fn section(text: &mut String, title: &str, lines: Vec<(String, String)>) {
    let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    text.push_str(&format!("{title}\n"));
    for (name, about) in lines {
        text.push_str(&format!("  {name:width$}  {about}\n"));
    }
    text.push('\n');
}

/// The variants of a choice, each with the first sentence of its documentation.
fn variants<T: Describe>() -> Vec<(String, String)> {
    match T::describe().parts {
        Parts::Variants(variants) => {
            variants.into_iter().map(|variant| (variant.name.to_string(), sentence(&variant.doc))).collect()
        }
        Parts::Fields(_) => Vec::new(),
    }
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
fn sentence(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let ends = [". ", "? "].iter().filter_map(|end| text.find(end).map(|at| at + 1));
    let end = ends.min().unwrap_or(text.len());
    text[..end].trim_end_matches('.').to_string()
}
