//! What the project promises as a whole: its structure, its commands, its files.

mod architecture;
mod cli;
mod combine;
mod plans;
mod replay;
mod rivals;
mod scenarios;
mod windows;
