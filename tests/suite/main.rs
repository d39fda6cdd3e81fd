//! What the project promises as a whole: its structure, its commands, its files.

mod application;
mod backfilling;
mod batch_systems;
mod batches;
mod bounds;
mod brokers;
mod browser;
mod calibration;
mod cli;
mod combine;
mod compare;
#[cfg(unix)]
mod external;
mod figures;
mod files;
mod former;
mod grid;
#[cfg(unix)]
mod guide;
mod interrupts;
mod limits;
mod messages;
mod mistakes;
mod moved;
mod multicriteria;
mod mutation;
mod on_grid;
mod output;
mod plans;
mod policies;
mod program;
mod promises;
mod queues;
mod replay;
mod reproduction;
mod resume;
mod scenarios;
mod schedules;
mod shards;
mod simulated;
mod stress;
mod study;
mod theory;
mod windows;
mod workflow;
