//! The figures of the page in the order in which they are read: that of the answer, those of sweeps, those of the base
//! point, and those over time, of which a switch shows one policy's.

use super::html::Drawing;
use crate::{Figure, FigureKind, Outcome};
use gridloom_files::escaped;

/// Figures whose height is a larger part of their width than this take the whole width of the page.
const TALL: f64 = 1.6;

/// Figures are low up to this part of their width.
const LOW: f64 = 0.5;

/// The drawings of a page by the place where they are shown.
#[derive(Default)]
pub(super) struct Gallery<'a> {
    pub answer: Vec<&'a Drawing>,
    pub sweeps: Vec<&'a Drawing>,
    pub base: Vec<&'a Drawing>,
    /// Small schedules.
    pub gantts: Vec<&'a Drawing>,
    /// Drawings of the same thing for one policy each, with its name.
    pub switched: Vec<Vec<(&'a str, &'a Drawing)>>,
}

impl<'a> Gallery<'a> {
    pub(super) fn of(outcome: &'a Outcome, drawings: &'a [Drawing]) -> Self {
        let mut gallery = Self::default();
        let mut groups: Vec<(&Figure, Vec<(&str, &Drawing)>)> = Vec::new();
        let shown = outcome.answer.as_ref().and_then(|answer| answer.figure.as_ref());
        for drawing in drawings {
            let figure = outcome.figures.iter().find(|figure| figure.file == drawing.file);
            match figure {
                _ if Some(&drawing.file) == shown => gallery.answer.push(drawing),
                None if outcome.gantts.iter().any(|gantt| gantt.file == drawing.file) => gallery.gantts.push(drawing),
                None => gallery.base.push(drawing),
                Some(figure) if is_of_sweep(figure) => gallery.sweeps.push(drawing),
                Some(figure) => match policy_of(figure) {
                    None => gallery.base.push(drawing),
                    Some(policy) => match groups.iter_mut().find(|(first, _)| are_alike(first, figure)) {
                        Some((_, group)) => group.push((policy, drawing)),
                        None => groups.push((figure, vec![(policy, drawing)])),
                    },
                },
            }
        }
        gallery.switched = groups.into_iter().map(|(_, group)| group).collect();
        // Figures stand side by side: low ones beside low ones. Those come first that are more.
        for drawings in [&mut gallery.sweeps, &mut gallery.base] {
            let low = drawings.iter().filter(|drawing| drawing.shape <= LOW).count();
            let low_first = 2 * low >= drawings.len();
            drawings.sort_by_key(|drawing| (drawing.shape > LOW) == low_first);
        }
        gallery
    }
}

/// True for a figure of a sweep, whose name begins the figure's.
fn is_of_sweep(figure: &Figure) -> bool {
    let is_cut = matches!(figure.kind, FigureKind::Panels(_) | FigureKind::Map(_));
    is_cut || figure.file.strip_prefix(&figure.experiment).is_some_and(|rest| rest.starts_with('-'))
}

/// The policy of a figure of which there is one for each.
fn policy_of(figure: &Figure) -> Option<&str> {
    let is_switched = figure.kind == FigureKind::Stacked;
    figure.experiment.split_once(", ").filter(|_| is_switched).map(|(_, policy)| policy)
}

/// True for two figures that differ in their policy only.
fn are_alike(one: &Figure, other: &Figure) -> bool {
    let subject = |figure: &Figure| figure.experiment.split_once(", ").map(|(subject, _)| subject.to_string());
    let looks = |figure: &Figure| (figure.metrics.clone(), figure.x_label.clone(), figure.y_label.clone());
    subject(one) == subject(other) && looks(one) == looks(other)
}

/// Figures on the page, numbered from where it is.
#[derive(Default)]
pub(super) struct FigureNumbers(usize);

impl FigureNumbers {
    /// A figure; where it is one of several to switch among, `name` is what chooses it.
    pub(super) fn figure(&mut self, drawing: &Drawing, name: Option<&str>) -> String {
        self.0 += 1;
        let wide = if drawing.shape > TALL { " class=\"wide\"" } else { "" };
        let name = name.map(|name| format!(" data-name=\"{}\"", escaped(name))).unwrap_or_default();
        let spots = match drawing.spots.as_str() {
            "" => String::new(),
            spots => format!("<script type=\"application/json\" class=\"spots\">{spots}</script>\n"),
        };
        format!(
            "<figure id=\"{}\"{wide}{name}>\n{}{spots}<figcaption><b>Figure {}.</b> {}</figcaption>\n</figure>\n",
            escaped(&place(drawing)),
            drawing.svg,
            self.0,
            escaped(&drawing.caption)
        )
    }

    /// Figures side by side, where there is room.
    pub(super) fn grid(&mut self, drawings: &[&Drawing]) -> String {
        let figures: String = drawings.iter().map(|drawing| self.figure(drawing, None)).collect();
        format!("<div class=\"grid\">\n{figures}</div>\n")
    }

    /// Figures of which a switch shows one; without scripts, all.
    pub(super) fn switch(&mut self, id: &str, drawings: &[(&str, &Drawing)]) -> String {
        let figures: String = drawings.iter().map(|(name, drawing)| self.figure(drawing, Some(name))).collect();
        switch_begins(id) + &figures + SWITCH_ENDS
    }
}

/// What stands before figures to switch among.
pub(super) fn switch_begins(id: &str) -> String {
    format!("<div class=\"switch\" id=\"{id}\">\n")
}

/// What stands behind them.
pub(super) const SWITCH_ENDS: &str = "</div>\n";

/// The place of a figure that links lead to.
fn place(drawing: &Drawing) -> String {
    format!("figure-{}", drawing.file)
}

/// Entries of the contents for figures.
pub(super) fn entries(drawings: &[&Drawing]) -> Vec<(String, String)> {
    drawings.iter().map(|drawing| (place(drawing), drawing.title.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn figures_of_sweeps_and_of_policies_are_told_from_the_others() {
        let of_policy = |policy: &str| Figure {
            file: format!("use-over-time-{policy}"),
            experiment: format!("use over time, {policy}, at events"),
            ..samples::figure(FigureKind::Stacked)
        };
        let figures = vec![
            of_policy("a"),
            samples::figure(FigureKind::Lines),
            Figure { file: "sweep-waiting".into(), ..samples::figure(FigureKind::Lines) },
            of_policy("b"),
            samples::cut_figure(FigureKind::Map(samples::cut())),
        ];
        let outcome = Outcome { figures, answer: Some(samples::answer()), ..samples::outcome(Vec::new()) };
        let files = outcome.figures.iter().map(|figure| figure.file.as_str()).chain(["schedule", "other"]);
        let mut drawings: Vec<Drawing> = files.map(samples::drawing).collect();
        drawings[1].shape = 0.7;
        let gallery = Gallery::of(&outcome, &drawings);
        let files = |drawings: &[&Drawing]| drawings.iter().map(|drawing| drawing.file.clone()).collect::<Vec<_>>();
        assert_eq!(files(&gallery.answer), ["rules-success"]);
        assert_eq!(files(&gallery.sweeps), ["sweep-waiting"]);
        assert_eq!(files(&gallery.base), ["other", "waiting"], "the low one first");
        assert_eq!(files(&gallery.gantts), ["schedule"]);
        let names: Vec<&str> = gallery.switched[0].iter().map(|(name, _)| *name).collect();
        assert_eq!((gallery.switched.len(), names), (1, vec!["a, at events", "b, at events"]));
    }
}
