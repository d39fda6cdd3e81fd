//! What a user asks of figures.

use gridloom_language::{constant, record};

record! {
    /// How figures are drawn.
    #[derive(Copy)]
    pub struct FiguresSpec {
        /// Each figure has its title above it, if true. Papers have captions instead.
        titles: bool = true,
    }
}

impl Default for FiguresSpec {
    fn default() -> Self {
        constant("()")
    }
}
