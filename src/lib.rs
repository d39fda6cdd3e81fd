//! gridloom is a discrete-event simulator of grids whose nodes are not dedicated: owners run local tasks on them, a
//! metascheduler places global jobs into the idle slots that remain, and every schedule is checked independently.
//!
//! # The way data takes
//!
//! ```text
//! scenario (RON) -> resolved study -> world (nodes, owners, jobs) -> policy decides, grid executes (events) -> trace
//!                -> check -> observations of one replication -> fold over replications -> rows -> tables, charts, report
//! ```
//!
//! Five packages make the program, each importing only from those before it, which Cargo sees to:
//!
//! | package, in | module | what lives there |
//! | --- | --- | --- |
//! | `gridloom-language`, `src/language` | [`language`] | the language of scenario files: text, decoding, errors, overrides; it knows no grid |
//! | `gridloom-sim`, `src/sim` | [`units`] | time, spans, money, prices, performance: fixed-point integers with checked arithmetic |
//! | | [`rng`] | named random streams: one consumer's extra draw never shifts another's |
//! | | [`engine`] | the event kernel: clock, queue, cancellation, run loop; it knows no grid |
//! | | [`model`] | node, slot, timeline, window, request, job, DAG: plain data with their invariants |
//! | | [`workload`] | generators of slots, environments, owners' tasks and jobs, with their parameters; readers of logs and workflows |
//! | | [`search`] | window searches, and alternatives for a batch |
//! | | [`combine`] | one alternative per job: exact, at random, weighted |
//! | | [`queueing`] | first come first served, EASY and conservative backfilling before one homogeneous machine |
//! | | [`workflow`] | the tasks of one job: critical chains, collisions, HEFT, exact search |
//! | | [`broker`] | jobs of many users onto priced resources, at the least cost or by several criteria |
//! | | [`policy`] | schedulers: what they see and return, and the registry of those that scenarios can name |
//! | | [`sim`] | the grid as events; it writes the trace |
//! | | [`check`] | an independent judge of windows, traces and replayed schedules |
//! | | [`metrics`] | numbers from traces and replays; observations and their fold to means with confidence intervals |
//! | `gridloom-files`, `src/files` | | drawings to SVG, PNG and PDF, schedules to data of a page, compression, and where memory comes from: what is hot about files |
//! | `gridloom-report`, `src/report` | [`report`] | results as plain data; their tables, figures and pages; it knows no kind of experiment |
//! | `gridloom`, `src` | [`study`] | sweep points x replications to observations to rows, and one folder per kind of experiment |
//! | | [`reproduction`] | the papers: which scenarios stand for what, and how close we are |
//! | | [`campaign`], [`compare`], [`reference`](mod@reference) | runs in parts, results beside each other, and the reference of all fields |
//! | | [`cli`] | the commands, and the only code that prints |
//!
//! The simulator and the files are compiled for speed, all else for a short build: what runs for each job, world or
//! observation stands there.
//!
//! # An example
//!
//! A scenario text in, an [`Outcome`](study::Outcome) out:
//!
//! ```
//! use gridloom::study::{NoProgress, load_study, run};
//! use gridloom::language::Source;
//!
//! let text = r#"(
//!     name: "two-desktops",
//!     replications: 5,
//!     experiment: Grid(
//!         horizon: 8,
//!         step: 1,
//!         domains: [(name: "desktops", nodes: 2, owners: [(gap: Exponential(mean: 1), length: 0.5)])],
//!     ),
//! )"#;
//! let study = load_study(&Source::new("example.ron", text), &["seed=3".to_string()])?;
//! let outcome = run(&study, &NoProgress)?;
//! let busy = &outcome.results.rows[0];
//! assert_eq!((busy.series.as_str(), busy.metric.as_str(), busy.n), ("desktops", "local load", 5));
//! assert!(busy.mean > 0.2 && busy.mean < 0.8);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(unreachable_pub)]

pub mod campaign;
pub mod cli;
pub mod compare;
pub mod reference;
pub mod reproduction;
pub mod study;

/// Results to files, beside each other, and in parts.
pub mod report {
    #[doc(inline)]
    pub use gridloom_report::*;

    pub use crate::campaign::{Earlier, KeptReplications};
    pub use crate::reproduction::fidelity;
    pub use crate::{campaign, compare, reference};

    pub use crate::reproduction::report as reproduction;
}

pub use gridloom_language::{choice, record, registry};
#[doc(inline)]
pub use gridloom_sim::{
    broker, check, combine, engine, language, metrics, model, policy, queueing, rng, search, sim, units, workflow,
    workload,
};
