//! What the project promises as a whole: its structure, its commands, its files.

mod architecture;
mod brokers;
mod cli;
mod combine;
mod replay;
mod scenarios;
mod windows;
