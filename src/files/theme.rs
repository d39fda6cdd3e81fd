//! The looks of all figures: sizes, colours, dashes and markers.
//!
//! Lengths are in units of 1/600 inch on usual paper, which is five inches wide.

use super::scene::Colour;

/// The size of names and numbers in points, where an inch has [`RESOLUTION`] units.
pub const FONT_SIZE: f64 = 8.88;
/// Units in an inch.
pub const RESOLUTION: f64 = 600.0;
pub const WIDTH: i32 = 3000;
pub const MARGIN: i32 = 50;
/// The usual distance between neighbours.
pub const GAP: i32 = 30;

pub const TITLE_SIZE: i32 = 78;
pub const LABEL_SIZE: i32 = 76;
pub const TICK_SIZE: i32 = 74;
/// Text inside bars and at their tips.
pub const BAR_TEXT_SIZE: i32 = 62;
/// Distance between the lines of a label, in text sizes.
pub const NAME_LEADING: f64 = 1.2;

pub const LINE: i32 = 12;
pub const AXIS_LINE: i32 = 6;
pub const GRID_LINE: i32 = 4;
/// Labels stand twice as far from their axis.
pub const TICK_LENGTH: i32 = 19;
/// Distance between the strokes of a hatched box, to the right.
pub const HATCH_DISTANCE: i32 = 26;
pub const MARKER_RADIUS: f64 = 24.0;
/// A fifth.
pub const BAND_OPACITY: u8 = 51;
/// The usual length of a legend's sample.
pub const SAMPLE: i32 = 160;
/// Length of a legend's line sample: long enough for a dash pattern to show on both sides of a marker.
pub const LINE_SAMPLE: i32 = 260;

/// Lines of at most this many points carry a marker on each.
pub const MARKED_POINTS: usize = 30;
/// Series of more points than this are drawn as thin lines.
pub const DENSE_POINTS: usize = 200;

/// The height of a line of text that stands alone.
pub const fn line(size: i32) -> i32 {
    size * 3 / 2
}

/// The height of one of several lines of a label.
pub fn name_line(size: i32) -> i32 {
    (NAME_LEADING * f64::from(size)) as i32
}

pub const INK: Colour = Colour::new(0x222222);
pub const AXIS: Colour = Colour::new(0x555555);
pub const GRID: Colour = Colour::new(0xE4E4E4);
pub const HATCH: Colour = Colour::new(0xB4B4B4);
pub const SHADE: Colour = Colour::new(0xEEEEEE);
pub const PALE: Colour = Colour::new(0xB0B0B0);
pub const PAPER: Colour = Colour::new(0xFFFFFF);

/// Okabe and Ito's colours, which the colour-blind tell apart; grey stands for their yellow, too pale for a line.
const PALETTE: [Colour; 8] = [
    Colour::new(0x0072B2),
    Colour::new(0xD55E00),
    Colour::new(0x009E73),
    Colour::new(0xCC79A7),
    Colour::new(0x000000),
    Colour::new(0xE69F00),
    Colour::new(0x56B4E9),
    Colour::new(0x888888),
];

/// Dash patterns (drawn, skipped, ...), in line widths, each of which a legend's sample shows whole. Five of them
/// against eight colours: forty series differ.
const DASHES: [&[f64]; 5] = [&[], &[5.0, 2.5], &[1.5, 2.0], &[6.0, 2.0, 1.5, 2.0], &[4.6, 1.6, 1.5, 1.6, 1.5, 1.6]];

/// Markers are regular polygons: number of corners and the direction of the first, in turns from the right, clockwise.
const MARKERS: [(u32, f64); 6] = [(24, 0.0), (4, 0.125), (3, 0.75), (4, 0.0), (3, 0.25), (5, 0.75)];

/// The number of series that have colours of their own.
pub const COLOURS: usize = PALETTE.len();

/// The number of dash patterns.
pub const PATTERNS: usize = DASHES.len();

/// The colour of the `index`-th series.
pub fn colour(index: usize) -> Colour {
    PALETTE[index % PALETTE.len()]
}

/// The colour of the `index`-th layer of a stack: neighbours are dark and light by turns, which print without colours
/// needs.
pub fn area_colour(index: usize) -> Colour {
    const ORDER: [usize; 8] = [0, 5, 2, 6, 1, 3, 4, 7];
    PALETTE[ORDER[index % ORDER.len()]]
}

/// A light shade of a colour, on which ink is easy to read.
pub fn tint(colour: Colour) -> Colour {
    let lighter = |channel: u8| 0xFF - ((0xFF - u16::from(channel)) * 9 / 20) as u8;
    Colour { rgb: colour.rgb.map(lighter), ..colour }
}

/// The number of requests whose windows have different colours.
pub const WINDOW_COLOURS: usize = 6;

/// The colour of the windows of the `index`-th request; black and grey are left to what is no window.
pub fn window_colour(index: usize) -> Colour {
    const ORDER: [usize; WINDOW_COLOURS] = [0, 1, 2, 3, 5, 6];
    PALETTE[ORDER[index % WINDOW_COLOURS]]
}

/// The dash pattern of the `index`-th series, in units; empty for an unbroken line.
pub fn dashes(index: usize) -> Vec<f64> {
    DASHES[index % DASHES.len()].iter().map(|length| length * f64::from(LINE)).collect()
}

/// The corners of the `index`-th series' marker around `centre`.
pub fn marker(index: usize, centre: (f64, f64), radius: f64) -> Vec<(f64, f64)> {
    let (corners, direction) = MARKERS[index % MARKERS.len()];
    // Fewer corners enclose less: a larger circle makes the markers look alike in weight.
    let radius = radius * if corners < 5 { 1.2 } else { 1.0 };
    (0..corners)
        .map(|corner| {
            let angle = (direction + f64::from(corner) / f64::from(corners)) * std::f64::consts::TAU;
            (centre.0 + radius * libm::cos(angle), centre.1 + radius * libm::sin(angle))
        })
        .collect()
}
