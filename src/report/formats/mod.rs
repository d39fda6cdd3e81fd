//! Figures of all kinds in each format, read back.

mod pdf;
mod png;
mod svg;
