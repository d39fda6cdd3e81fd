//! Policies in any language: a program of the user's own that is asked for decisions by lines of JSON.
//!
//! One process is started for each world. It is told the nodes, asked for one answer per decision, and told the end. What
//! it answers is held to what every policy is held to, before anything is reserved.

mod messages;
mod process;

use super::{Decision, ForeignAnswer, PlacesBy, Policy, PolicyError, PolicySpec, Setup, View, WrongDecision};
use crate::language::{Context, Cursor, Decode, Describe, Description, Form, NonEmpty, Positive};
use crate::model::CostLimit;
use crate::record;
use crate::rng::{below, fingerprint_of};
use crate::units::Price;
use crate::workload::path_from;
use messages::{END, Question, StartMessage};
use process::{ForeignProcess, Unanswered};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The most characters of an answer that an error shows.
const SHOWN: usize = 200;

record! {
    /// A program of your own, in any language. It is started once per world and asked for decisions by lines of JSON on
    /// its standard input, each of which it answers by a line on its standard output.
    pub struct External {
        /// The program and its arguments. A program with a `/` in it is a file, from `folder`; others are looked for as a
        /// shell does.
        command: NonEmpty<String>,
        /// The folder in which the program is run, from that of the scenario.
        folder: String = ".".to_string(),
        /// The name in results; the command, unless given.
        name: Option<String>,
        /// The most time that an answer may take. A program that takes longer is ended, and so is the run.
        #[unit = "seconds on the clock"]
        answer_within: Positive = Positive::of(60.0),
    }
    check(this, at, errors) {
        if this.command[0].is_empty() {
            errors.add(&at.field("command"), "the program has no name", "give the program first, then its arguments");
        }
        super::registry::check_name(this.name.as_deref(), at, errors);
    }
}

/// A program of the user's own, and where it was found to be.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct LocatedExternal {
    /// What the scenario writes.
    pub spec: External,
    /// The folder in which it is run; that of the whole run, unless it was looked for.
    #[serde(skip)]
    folder: Option<PathBuf>,
    /// The name of the unit of time, if it is known.
    #[serde(skip)]
    time_unit: Option<String>,
    /// What is in the files that its command names: a program that has changed decides otherwise.
    #[serde(skip)]
    contents: Vec<u128>,
}

/// Why a program could not decide.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExternalFault {
    /// It could not be started.
    #[error("the program `{program}` can't be started: {why}; give a program that can be run first in `command`")]
    NotStarted {
        /// The program.
        program: String,
        /// Why.
        why: String,
    },
    /// It ended, or closed its output, before it had answered.
    #[error("the program ended before it had answered decision {decision}: {how}")]
    Ended {
        /// The number of the decision, from 1.
        decision: u64,
        /// How it ended, and its last words.
        how: String,
    },
    /// It took too long.
    #[error(
        "the program has not answered decision {decision} within {seconds} s and was ended: {got}; end each answer by \
         a line break and flush the output, or give more time by `answer_within`"
    )]
    Late {
        /// The number of the decision, from 1.
        decision: u64,
        /// The time that it had.
        seconds: String,
        /// What was there of an answer.
        got: String,
    },
    /// It wrote what can't be read as an answer.
    #[error(
        "the answer of the program to decision {decision} can't be read: {why}, in `{line}`; write one line such as \
         {{\"reserve\": [{{\"job\": 3, \"start\": 40, \"nodes\": [0, 2]}}]}} for each decision, or {{}} to let all jobs wait"
    )]
    Unreadable {
        /// The number of the decision, from 1.
        decision: u64,
        /// What is wrong.
        why: String,
        /// The beginning of what it wrote.
        line: String,
    },
    /// It decided on what can't be.
    #[error("the program's answer to decision {decision} can't be carried out: {wrong}")]
    Wrong {
        /// The number of the decision, from 1.
        decision: u64,
        /// The part of it that is wrong, and what would be right.
        wrong: String,
    },
}

impl LocatedExternal {
    /// Looks for the folder and the program, from the folder of the scenario; or what is wrong and what would be right.
    pub fn locate(&mut self, scenario: &Path, time_unit: &str) -> Result<(), (&'static str, String, &'static str)> {
        let folder = scenario.join(&self.spec.folder);
        let folder = std::path::absolute(&folder).unwrap_or(folder);
        if !folder.is_dir() {
            let wrong = format!("there is no folder {}", folder.display());
            return Err(("folder", wrong, "give a folder, from that of the scenario"));
        }
        (self.folder, self.time_unit) = (Some(folder), Some(time_unit.to_string()));
        let program = self.program();
        if is_path(&self.spec.command[0]) && !program.is_file() {
            let wrong = format!("there is no program {}", program.display());
            return Err((
                "command",
                wrong,
                "give the path of a program, from `folder` or else from that of the scenario",
            ));
        }
        let named = self.spec.command[1..].iter().filter_map(|word| Some(self.folder.as_ref()?.join(word)));
        let files = std::iter::once(program).chain(named).filter(|path| path.is_file());
        self.contents = files.filter_map(|path| std::fs::read(path).ok()).map(|bytes| fingerprint_of(&bytes)).collect();
        Ok(())
    }

    /// What tells it from the same command with other files.
    pub fn contents(&self) -> &[u128] {
        &self.contents
    }

    /// Writes its folder as it is from another one, in which the scenario will stand.
    pub fn refer_from(&mut self, folder: &Path) {
        let is_relative = Path::new(&self.spec.folder).is_relative();
        // Without links, so that `..` leads where it seems to.
        let real = self.folder.as_ref().filter(|_| is_relative).and_then(|folder| std::fs::canonicalize(folder).ok());
        if let Some(way) = real.and_then(|real| path_from(folder, &real))
            && let Some(way) = way.to_str()
        {
            self.spec.folder = if way.is_empty() { ".".to_string() } else { way.to_string() };
        }
    }

    /// The program as it is started.
    fn program(&self) -> PathBuf {
        let program = &self.spec.command[0];
        match &self.folder {
            Some(folder) if is_path(program) => folder.join(program),
            _ => PathBuf::from(program),
        }
    }
}

/// True if a program is named by its path.
fn is_path(program: &str) -> bool {
    program.contains(std::path::is_separator)
}

/// Where it was found to be is no part of what was written.
impl PartialEq for LocatedExternal {
    fn eq(&self, other: &Self) -> bool {
        self.spec == other.spec
    }
}

impl Decode for LocatedExternal {
    fn wanted() -> String {
        External::wanted()
    }

    fn declared() -> Option<fn() -> Description> {
        External::declared()
    }

    fn form() -> Form {
        External::form()
    }

    fn decode(at: &Cursor<'_>, context: &mut Context<'_>) -> Option<Self> {
        External::decode(at, context).map(|spec| Self { spec, folder: None, time_unit: None, contents: Vec::new() })
    }
}

impl Describe for LocatedExternal {
    fn describe() -> Description {
        External::describe()
    }
}

impl PolicySpec for LocatedExternal {
    fn name(&self) -> String {
        self.spec.name.clone().unwrap_or_else(|| {
            let program = Path::new(&self.spec.command[0]).file_name().map(|name| name.to_string_lossy().into_owned());
            let program = program.unwrap_or_else(|| self.spec.command[0].clone());
            std::iter::once(program).chain(self.spec.command[1..].iter().cloned()).collect::<Vec<_>>().join(" ")
        })
    }

    fn make(&self, setup: &Setup<'_>) -> Box<dyn Policy> {
        setup.two_tier(ExternalPolicy {
            external: self.clone(),
            limit: setup.limit(),
            seed: below(&mut setup.streams.stream("external"), 1 << 32),
            process: None,
            decision: 0,
            prices: Vec::new(),
        })
    }

    fn places(&self) -> PlacesBy {
        PlacesBy::Either
    }
}

/// The policy of a program, in one world. The program is started when it is first asked.
struct ExternalPolicy {
    external: LocatedExternal,
    limit: CostLimit,
    /// What the program may start its random numbers from.
    seed: u64,
    process: Option<ForeignProcess>,
    /// The number of decisions that were asked for.
    decision: u64,
    /// The prices of the nodes that the program knows.
    prices: Vec<Price>,
}

impl Policy for ExternalPolicy {
    fn decide(&mut self, view: &View<'_>) -> Result<Vec<Decision>, PolicyError> {
        let decided = self.ask(view);
        // A program that has failed is owed no farewell.
        if decided.is_err() {
            self.process = None;
        }
        decided
    }
}

impl ExternalPolicy {
    fn ask(&mut self, view: &View<'_>) -> Result<Vec<Decision>, PolicyError> {
        let decision = self.decision + 1;
        self.decision = decision;
        let mut lines = Vec::new();
        if self.process.is_none() {
            self.prices = view.nodes.iter().map(|node| node.price).collect();
            let start = StartMessage::new(view, self.external.time_unit.as_deref(), self.seed);
            lines = messages::line(&start)?;
        }
        lines.extend(messages::line(&Question::new(view, decision, self.limit, &self.prices)?)?);
        self.prices.iter_mut().zip(view.nodes).for_each(|(known, node)| *known = node.price);
        let process = match &mut self.process {
            Some(process) => process,
            none => none.insert(self.external.start()?),
        };
        let within = self.external.spec.answer_within.get();
        // Longer than any run.
        let limit = Duration::try_from_secs_f64(within).unwrap_or(Duration::MAX);
        let line = process.ask(lines, limit, view.stop).map_err(|unanswered| match unanswered {
            Unanswered::Stopped(stopped) => PolicyError::Stopped(stopped),
            Unanswered::Ended { how, part } => {
                let part =
                    if part.is_empty() { String::new() } else { format!(", after half an answer: `{}`", shown(&part)) };
                ExternalFault::Ended { decision, how: how + &part }.into()
            }
            Unanswered::Late { part } => {
                let got = match part.is_empty() {
                    true => "it wrote nothing".to_string(),
                    false => format!("it wrote half an answer, `{}`", shown(&part)),
                };
                ExternalFault::Late { decision, seconds: within.to_string(), got }.into()
            }
            Unanswered::TooLong { part } => {
                let why = format!("there is no end of the line in {} bytes", part.len());
                ExternalFault::Unreadable { decision, why, line: shown(&part) }.into()
            }
            Unanswered::Unasked { line } => {
                let why = "it wrote a line before it was asked".to_string();
                ExternalFault::Unreadable { decision, why, line: shown(&line) }.into()
            }
        })?;
        let answer: ForeignAnswer =
            messages::read(&line).map_err(|why| ExternalFault::Unreadable { decision, why, line: shown(&line) })?;
        if let Some(other) = answer.decision.filter(|other| *other != decision) {
            let why = format!("it is about decision {other}");
            return Err(ExternalFault::Unreadable { decision, why, line: shown(&line) }.into());
        }
        let decided = answer.decisions(view, self.limit);
        decided.map_err(|WrongDecision(wrong)| ExternalFault::Wrong { decision, wrong }.into())
    }
}

impl Drop for ExternalPolicy {
    fn drop(&mut self) {
        if let Some(process) = self.process.take() {
            process.end(END.as_bytes().to_vec());
        }
    }
}

impl LocatedExternal {
    fn start(&self) -> Result<ForeignProcess, ExternalFault> {
        let program = self.program();
        ForeignProcess::start(&program, &self.spec.command[1..], self.folder.as_deref()).map_err(|error| {
            ExternalFault::NotStarted { program: program.display().to_string(), why: error.to_string() }
        })
    }
}

/// The beginning of what a program wrote, as text on one line.
fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut letters = text.trim_end().chars().map(|c| if c.is_control() { ' ' } else { c });
    let beginning: String = letters.by_ref().take(SHOWN).collect();
    if letters.next().is_some() { beginning + " ..." } else { beginning }
}
