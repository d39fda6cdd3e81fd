//! Titles of axes and panels in lines.

use super::theme;
use gridloom_files::{fitted, text_width, wrapped, wrapped_within};

/// At most this many lines for the title of an axis.
const TITLE_LINES: usize = 3;
/// At most this many lines for the title of a panel.
const PANEL_LINES: usize = 6;

/// The width of a text.
pub(super) fn width(text: &str, size: i32) -> i32 {
    text_width(text, f64::from(size), false).ceil() as i32
}

/// The title of a panel among others, which is all that tells them apart: in more lines than other names.
pub(super) fn panel_title(title: &str, room: i32, size: i32) -> String {
    let lines = wrapped_within(title, f64::from(room), f64::from(size), PANEL_LINES);
    if lines.iter().all(|line| width(line, size) <= room) { lines.join("\n") } else { String::new() }
}

/// The title of an axis in as few lines as its room allows, at most three.
pub(super) fn title_lines(title: &str, room: i32) -> Vec<String> {
    let (room, size) = (f64::from(room), f64::from(theme::LABEL_SIZE));
    let lines = wrapped(title, room, size, false);
    if lines.len() < 2 {
        return lines;
    }
    // The unit is best read in one piece.
    let Some((name, unit)) = title.rsplit_once(" (").map(|(name, unit)| (name.to_string(), format!("({unit}"))) else {
        return wrapped_within(title, room, size, TITLE_LINES);
    };
    let fits = |line: &String| text_width(line, size, false) <= room;
    // "Makespan of jobs with a plan" breaks before the jobs.
    let parts = name.split_once(" of ").map(|(first, rest)| [first.to_string(), format!("of {rest}"), unit.clone()]);
    if let Some(parts) = parts.filter(|parts| !fits(&name) && parts.iter().all(fits)) {
        return parts.to_vec();
    }
    let mut lines = wrapped_within(&name, room, size, TITLE_LINES - 1);
    lines.push(fitted(&unit, room, size, false));
    lines
}
