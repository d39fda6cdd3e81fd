//! Logarithmic axes of figures.

use gridloom_language::choice;

choice! {
    /// The axes of a figure that are logarithmic.
    #[derive(Copy, Eq)]
    pub enum LogAxes {
        /// The horizontal axis.
        X,
        /// The vertical axis.
        Y,
        /// Both.
        Both,
    }
}

impl LogAxes {
    /// True if the horizontal axis is among them.
    pub fn has_x(self) -> bool {
        self != Self::Y
    }

    /// True if the vertical axis is among them.
    pub fn has_y(self) -> bool {
        self != Self::X
    }
}
