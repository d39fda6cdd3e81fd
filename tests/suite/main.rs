//! What the project promises as a whole: its structure, its commands, its files.

mod architecture;
mod backfilling;
mod brokers;
mod browser;
mod cli;
mod combine;
mod cycles;
mod files;
mod grid;
mod limits;
mod multicriteria;
mod mutation;
mod output;
mod plans;
mod policies;
mod queues;
mod replay;
mod reproduction;
mod resume;
mod rivals;
mod scenarios;
mod schedules;
mod stress;
mod theory;
mod windows;
mod workflow;
