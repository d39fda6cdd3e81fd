//! What is hot about files: a drawing as a list of shapes, written as SVG, PNG and PDF, long schedules as data of a
//! page, and compression.

#![warn(unreachable_pub)]

mod allocator;
mod deflated;
mod font;
pub mod pdf;
mod plain;
pub mod png;
mod scene;
mod schedule;
pub mod svg;
mod text;
pub mod theme;

pub use allocator::BySize;
pub use deflated::{FAST, THOROUGH, deflated};
pub use font::{Font, Glyph, fitted, text_width, wrapped, wrapped_within};
pub use plain::read_plain;
pub use scene::{Align, Colour, HotSpot, Label, Scene, ScenePoint, Shape, SpotValue, rounded, unbroken};
pub use schedule::{BYTES_PER_BAR, MOST_BARS, Mark, Schedule, ScheduleBar, Usage, Words};
pub use text::{escaped, single_line};

/// Why a drawing can't be written.
#[derive(Debug, thiserror::Error)]
pub enum DrawingError {
    /// A figure has too many rows for an image.
    #[error("the figure {figure:?} is too tall for an image")]
    TooTall {
        /// The figure's title.
        figure: String,
    },
    /// The font could not be put into a document.
    #[error("writing PDF failed: {0}")]
    Pdf(#[from] subsetter::Error),
    /// The image could not be encoded.
    #[error("writing PNG failed: {0}")]
    Png(#[from] ::png::EncodingError),
}
