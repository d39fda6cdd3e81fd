//! The sizes of maps: as many side by side as leave room for the values in their cells.

use crate::chart::panels::most_columns;
use crate::chart::theme;
use gridloom_files::text_width;

/// The height of a cell as a share of its width, where the number of cells allows it.
const CELL_SHAPE: f64 = 0.8;
/// The least height of cells that hold no text, and the most of all.
const LOWEST_CELL: f64 = 16.0;
const HIGHEST_CELL: f64 = 300.0;
/// Maps whose cells would be narrower than this stand below each other.
const NARROWEST_CELL: f64 = 10.0;
/// The most letters' heights of the values in cells, and smaller ones for narrow cells.
const TEXT_SIZES: [f64; 3] = [theme::BAR_TEXT_SIZE, 52.0, 44.0];

/// All that needs room in the maps of a figure.
pub(super) struct MapContents {
    pub maps: usize,
    /// Columns of cells in a map, and rows of them.
    pub across: usize,
    pub up: usize,
    /// The width of the widest value in letters of height 1.
    pub value: f64,
    /// The width of the widest label beside the first map, and of the widest number below each.
    pub beside: f64,
    pub below: f64,
}

/// The sizes that all maps of a figure share.
pub(super) struct MapLayout {
    /// Where the first map begins.
    pub left: f64,
    pub columns: usize,
    pub gap: f64,
    pub cell: (f64, f64),
    /// The height of the letters in cells, if there is room for some.
    pub text: Option<f64>,
}

impl MapLayout {
    /// The layout with room for the label of the vertical axis beside the maps; `false` where even two lines of it are
    /// longer than the maps are high.
    pub(super) fn with_label(contents: &MapContents, label: &str) -> (Self, bool) {
        let width = |text: &str| text_width(text, theme::LABEL_SIZE, false);
        let unit = label.rsplit_once(" (");
        let half = unit.map_or(0.6 * width(label), |(name, unit)| width(name).max(width(unit) + theme::GAP));
        for (lines, longest) in [(1.0, width(label)), (2.0, half)] {
            let layout = Self::new(contents, lines);
            if !label.is_empty() && longest <= layout.height(contents) {
                return (layout, true);
            }
        }
        (Self::new(contents, 0.0), false)
    }

    /// The largest letters that fit side by side, or else maps below each other.
    fn new(contents: &MapContents, title_lines: f64) -> Self {
        let left = theme::MARGIN + title_lines * theme::LEADING * theme::LABEL_SIZE + contents.beside + theme::GAP;
        let room = theme::WIDTH - theme::MARGIN - left;
        let most = most_columns(contents.maps);
        let across = contents.across as f64;
        let between = |overhang: f64| 2.0 * (theme::GAP + overhang);
        let width = |columns: usize, overhang: f64| {
            ((room - overhang + between(overhang)) / columns as f64 - between(overhang)) / across
        };
        // Labels wider than a cell stand out to both sides of a map.
        let overhang = |columns: usize| if contents.below > width(columns, 0.0) { 0.5 * contents.below } else { 0.0 };
        let cell_width = |columns: usize| width(columns, overhang(columns));
        let [large, medium, small] = TEXT_SIZES;
        let side_by_side = [large, medium].into_iter().flat_map(|size| (2..=most).rev().map(move |k| (size, k)));
        let alone = [large, medium, small].into_iter().map(|size| (size, 1));
        let fits = |&(size, columns): &(f64, usize)| size * contents.value + theme::GAP <= cell_width(columns);
        let found = side_by_side.chain(alone).find(fits);
        let without_text = || (1..=most).rev().find(|&columns| cell_width(columns) >= NARROWEST_CELL).unwrap_or(1);
        let columns = found.map_or_else(without_text, |(_, columns)| columns);
        let text = found.map(|(size, _)| size);
        let lowest = text.map_or(LOWEST_CELL, |size| 1.7 * size);
        let highest = (900.0 / contents.up as f64).clamp(lowest, HIGHEST_CELL);
        let cell = (cell_width(columns), (CELL_SHAPE * cell_width(columns)).clamp(lowest, highest));
        Self { left, columns, gap: between(overhang(columns)), cell, text }
    }

    /// The height of all maps at least.
    fn height(&self, contents: &MapContents) -> f64 {
        (contents.maps.div_ceil(self.columns) * contents.up) as f64 * self.cell.1
    }
}
