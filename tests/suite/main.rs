//! What the project promises as a whole: its structure, its commands, its files.

mod architecture;
mod combine;
mod windows;
