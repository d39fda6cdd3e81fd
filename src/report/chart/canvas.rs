//! The paper that figures are drawn on.

use super::theme;
use crate::FiguresSpec;
use gridloom_language::Positive;

/// The size of a figure and what stands on it besides the data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Canvas {
    /// In units.
    pub width: i32,
    /// In units; as high as need be, if none.
    pub height: Option<i32>,
    /// Units in an inch.
    pub resolution: f64,
    pub has_titles: bool,
}

impl Default for Canvas {
    fn default() -> Self {
        Self { width: theme::WIDTH, height: None, resolution: theme::RESOLUTION, has_titles: true }
    }
}

impl Canvas {
    /// The paper that a user asks for: larger letters leave fewer units in an inch.
    pub(crate) fn of(spec: &FiguresSpec) -> Self {
        let resolution = theme::RESOLUTION * (theme::FONT_SIZE / spec.font_size.get());
        let units = |inches: Positive| (inches.get() * resolution).round() as i32;
        Self { width: units(spec.width), height: spec.height.map(units), resolution, has_titles: spec.titles }
    }

    /// The height of a plot that is alone.
    pub(super) fn plot_height(&self) -> i32 {
        self.width / 2
    }
}
