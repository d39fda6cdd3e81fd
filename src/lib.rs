//! gridloom is a discrete-event simulator of grids whose nodes are not dedicated: owners run local tasks on them, a
//! metascheduler places global jobs into the idle slots that remain, and every schedule is checked independently.
//!
//! # The way data takes
//!
//! ```text
//! scenario (RON) -> workload (nodes, local load, jobs) -> scheduling (search, combine, policy) -> execution (sim, engine)
//!                -> trace -> check + metrics -> results -> tables, charts, report
//! ```
//!
//! Every module sits at one place on that way and imports only from those before it:
//!
//! | module | what lives there |
//! | --- | --- |
//! | [`units`] | time, spans, money, prices, performance: fixed-point integers with checked arithmetic |
//! | [`rng`] | named random streams: one consumer's extra draw never shifts another's |
//! | [`engine`] | the event kernel: clock, queue, cancellation, run loop; it knows no grid |
//! | [`model`] | node, slot, timeline, window, request, job, DAG: plain data with their invariants |
//! | [`scenario`] | the language of scenario files, and what they can say |
//! | [`workload`] | generators of slots, environments, local tasks and jobs; logs in the Standard Workload Format |
//! | [`search`] | window searches, and alternatives for a batch |
//! | [`combine`] | one alternative per job: exact, at random, weighted |
//! | [`queueing`] | first come first served, EASY and conservative backfilling before one homogeneous machine |
//! | [`workflow`] | the tasks of one job: critical chains, collisions, HEFT, exact search |
//! | [`broker`] | jobs of many users onto priced resources, at the least cost or by several criteria |
//! | [`policy`] | what schedulers see and return, and which one a scenario means |
//! | [`sim`] | the grid as events; it writes the trace |
//! | [`check`] | an independent judge of windows, traces and replayed schedules |
//! | [`metrics`] | numbers from traces; means with confidence intervals |
//! | [`experiment`] | scenario x replications in parallel: one file per kind |
//! | [`report`] | results to JSON, CSV, Markdown, SVG, PNG and HTML |
//! | [`cli`] | the commands, and the only code that prints |
//!
//! # An example
//!
//! A scenario text in, an [`Outcome`](experiment::Outcome) out:
//!
//! ```
//! use gridloom::study::{Silent, load_study, run};
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
//! let outcome = run(&study, &Silent)?;
//! let busy = &outcome.results.rows[0];
//! assert_eq!((busy.series.as_str(), busy.metric.as_str(), busy.n), ("desktops", "local load", 5));
//! assert!(busy.mean > 0.2 && busy.mean < 0.8);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod broker;
pub mod check;
pub mod cli;
pub mod combine;
pub mod engine;
pub mod language;
pub mod metrics;
pub mod model;
pub mod policy;
pub mod queueing;
pub mod report;
pub mod reproduction;
pub mod rng;
pub mod search;
pub mod sim;
pub mod study;
pub mod units;
pub mod workflow;
pub mod workload;
