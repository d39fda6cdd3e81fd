//! Calibration: the distance of each setting of a crossing to printed numbers, those that choose the best setting and
//! those that were held out to judge it.

use super::published::{Contrast, has_sign_of};
use super::{Sweep, file_name};
use crate::language::{Finite, NonEmpty, Positive};
use crate::metrics::{Better, Estimate, Metric};
use crate::record;
use gridloom_report::StudyAnswer;
use gridloom_report::{Figure, FigureKind, Row, factors_text};

/// The unit of distances.
const SCALES: &str = "scales";
/// The series of the rows that hold distances.
const SERIES: &str = "all numbers";
/// The series of the figure, in the order in which they are drawn.
const DRAWN: [&str; 3] = ["other settings", "all effects with the sign of print", "nearest by the fitted numbers"];

/// The distance to the numbers that choose.
static FITTED: Metric = Metric::new(
    "distance to print, fitted",
    SCALES,
    "Root mean square of (ours - print) / scale over the numbers that choose the best setting.",
)
.at_least(0.0)
.better(Better::Less);
/// The distance to the numbers that judge.
static HELD_OUT: Metric = Metric::new(
    "distance to print, held out",
    SCALES,
    "Root mean square of (ours - print) / scale over the numbers that had no part in the choice.",
)
.at_least(0.0)
.better(Better::Less);
/// The number of effects that point the way they do in print.
static SIGNS: Metric = Metric::new(
    "effects with the sign of print",
    "effects",
    "Effects, fitted and held out, whose sign is that of print.",
)
.at_least(0.0)
.better(Better::More);

/// The metrics that a calibration adds to its sweep.
pub(super) fn metrics() -> [Metric; 3] {
    [FITTED.clone(), HELD_OUT.clone(), SIGNS.clone()]
}

record! {
    /// Printed numbers that the settings of a crossing are held against. Some choose the best setting, the others
    /// judge it. Rows of its own give, for each setting, the distance to either part, which is the root mean square of
    /// (ours - print) / scale, and the number of effects with the sign of print. Other rows are kept if they are part of
    /// a number or their metric is drawn.
    pub struct Calibration {
        /// The numbers that choose the best setting.
        fit: NonEmpty<CalibrationTarget>,
        /// The numbers that judge it, which have no part in the choice.
        held_out: NonEmpty<CalibrationTarget>,
    }
}

record! {
    /// A printed number, and how much of a difference counts as a distance of one.
    pub struct CalibrationTarget {
        /// The series of the row.
        series: String,
        /// The metric of the row.
        metric: String,
        /// Another series of the same metric: the number is then an effect, by how much the one is above the other.
        /// Unless given, the number is the value of the row itself.
        than: Option<String>,
        /// The way in which an effect is told; it matters only with `than`.
        by: Contrast = Contrast::Difference,
        /// The printed number.
        #[unit = "the unit of the metric; per cent with `by: Percent`"]
        value: Finite,
        /// The difference from print that counts as a distance of one.
        #[unit = "the unit of `value`"]
        scale: Positive,
    }
    check(this, at, errors) {
        if this.than.as_ref() == Some(&this.series) {
            errors.add(&at.field("than"), "a series is not above itself", "name another series");
        }
        if this.than.is_none() && this.by != Contrast::Difference {
            errors.add(&at.field("by"), "this is no effect", "name the other series as `than`");
        }
    }
}

impl CalibrationTarget {
    /// True if our value is made from this row.
    fn is_about(&self, row: &Row) -> bool {
        row.metric == self.metric && (row.series == self.series || self.than.as_ref() == Some(&row.series))
    }

    /// Our value among the rows of a setting, and the least number of observations behind it; nothing if it was not
    /// observed.
    fn ours(&self, rows: &[Row]) -> Option<(f64, u64)> {
        let of = |series: &str| rows.iter().find(|row| row.series == series && row.metric == self.metric);
        let own = of(&self.series)?;
        let Some(than) = &self.than else { return Some((own.mean, own.n)) };
        let other = of(than)?;
        // Equal but for rounding is equal, and has no sign.
        let is_equal = (own.mean - other.mean).abs() <= 1e-9 * own.mean.abs();
        let effect = match self.by {
            _ if is_equal => 0.0,
            Contrast::Difference => own.mean - other.mean,
            Contrast::Percent => 100.0 * (own.mean / other.mean - 1.0),
        };
        effect.is_finite().then_some((effect, own.n.min(other.n)))
    }

    /// True if it is an effect and ours points the same way.
    fn has_sign(&self, rows: &[Row]) -> bool {
        self.than.is_some() && self.ours(rows).is_some_and(|(ours, _)| has_sign_of(ours, self.value.get()))
    }
}

/// The root mean square of (ours - print) / scale, and the least number of observations; nothing if a number was not
/// observed.
fn distance(targets: &[CalibrationTarget], rows: &[Row]) -> Option<(f64, u64)> {
    let (mut squares, mut least) = (0.0, u64::MAX);
    for target in targets {
        let (ours, n) = target.ours(rows)?;
        let off = (ours - target.value.get()) / target.scale.get();
        squares += off * off;
        least = least.min(n);
    }
    Some(((squares / targets.len() as f64).sqrt(), least))
}

/// A setting as its rows judge it.
struct Judged<'a> {
    row: &'a Row,
    fitted: f64,
    held_out: f64,
    signs: usize,
}

impl Judged<'_> {
    fn setting(&self) -> String {
        factors_text(&self.row.factors)
    }

    fn distances(&self) -> String {
        format!("{:.3} to the fitted numbers and {:.3} to those held out", self.fitted, self.held_out)
    }
}

impl Calibration {
    pub(super) fn targets(&self) -> impl Iterator<Item = &CalibrationTarget> {
        self.fit.iter().chain(self.held_out.iter())
    }

    fn effects(&self) -> usize {
        self.targets().filter(|target| target.than.is_some()).count()
    }

    /// The rows of one setting that are kept, and those that say how far it is from print.
    pub(super) fn held_against(&self, sweep: &Sweep, mut rows: Vec<Row>) -> Vec<Row> {
        let distances = [(&FITTED, &self.fit), (&HELD_OUT, &self.held_out)]
            .map(|(metric, targets)| distance(targets, &rows).map(|(mean, n)| (metric, mean, n)));
        let signs = self.targets().filter(|target| target.has_sign(&rows)).count() as f64;
        let first = rows.first().cloned();
        rows.retain(|row| {
            self.targets().any(|target| target.is_about(row)) || sweep.drawn().any(|metric| *metric == row.metric)
        });
        // A setting whose numbers were not all observed has no distance, and no part in the choice.
        let [Some(fitted), Some(held_out)] = distances else { return rows };
        let n = fitted.2.min(held_out.2);
        for (metric, mean, n) in [fitted, held_out, (&SIGNS, signs, n)] {
            rows.extend(first.clone().map(|row| Row {
                series: SERIES.into(),
                metric: metric.into(),
                unit: metric.unit().into(),
                mean,
                ci95: None,
                n,
                p: None,
                p_holm: None,
                ..row
            }));
        }
        rows
    }

    /// All settings that have distances, in the order of the sweep.
    fn judged<'a>(&self, rows: &[&'a Row]) -> Vec<Judged<'a>> {
        let own: Vec<&Row> = rows.iter().filter(|row| row.series == SERIES).copied().collect();
        let of = |metric: &'static Metric| own.iter().filter(move |row| row.metric == metric.name());
        let all = of(&FITTED).zip(of(&HELD_OUT)).zip(of(&SIGNS));
        all.map(|((fitted, held_out), signs)| Judged {
            row: fitted,
            fitted: fitted.mean,
            held_out: held_out.mean,
            signs: signs.mean as usize,
        })
        .collect()
    }

    /// The two distances of all settings against each other: rows and their figure.
    pub(super) fn scatter(&self, sweep: &Sweep, rows: &[&Row]) -> (Vec<Row>, Figure) {
        let experiment = format!("{} distances", sweep.name.as_str());
        let judged = self.judged(rows);
        let best = nearest(judged.iter()).map(|best| best.row);
        let [others, with_signs, chosen] = DRAWN;
        let series = |one: &Judged<'_>| match one.signs == self.effects() {
            _ if best == Some(one.row) => chosen,
            true if self.effects() > 0 => with_signs,
            _ => others,
        };
        let mut points: Vec<Row> = Vec::new();
        for one in &judged {
            let estimate = Estimate { mean: one.held_out, ci95: None, n: one.row.n };
            let row = Row::new(&experiment, series(one), &HELD_OUT, estimate).at(one.fitted);
            points.push(Row { unit: SCALES.into(), ..row });
        }
        // The best is drawn last, on top of the others.
        points.sort_by_key(|row| DRAWN.iter().position(|name| *name == row.series));
        let figure = Figure {
            file: format!("{}-{}", sweep.name.as_str(), file_name("distances")),
            title: format!("{}: distance to print, held out against fitted", sweep.name.as_str()),
            caption: format!(
                "Each point is one of {} settings; a distance of 1 is one scale off in the root mean square.",
                judged.len()
            ),
            x_label: FITTED.label(),
            y_label: HELD_OUT.label(),
            experiment,
            metrics: vec![String::from(&HELD_OUT)],
            kind: FigureKind::Scatter,
        };
        (points, figure)
    }

    /// Which setting is best by the fitted numbers, how it stands by the others, and how many have all signs.
    fn sentences(&self, sweep: &Sweep, rows: &[&Row]) -> Vec<String> {
        let (name, judged) = (sweep.name.as_str(), self.judged(rows));
        let tried = sweep.points().len();
        let Some(best) = nearest(judged.iter()) else {
            return vec![format!("{name}: none of {tried} settings gave all the numbers that print has.")];
        };
        let least = judged.iter().map(|one| one.held_out).fold(f64::INFINITY, f64::min);
        let mut sentences = vec![format!(
            "{name}: of {tried} settings, {} is nearest to the {} fitted numbers: its distance is {} ({} of them; the \
             least of any setting is {least:.3}).",
            best.setting(),
            self.fit.len(),
            best.distances(),
            self.held_out.len(),
        )];
        let weights = [self.fit.len(), self.held_out.len()].map(|count| count as f64);
        let to_all =
            |one: &&Judged<'_>| weights[0] * one.fitted * one.fitted + weights[1] * one.held_out * one.held_out;
        if let Some(one) = judged.iter().min_by(|a, b| to_all(a).total_cmp(&to_all(b))) {
            sentences.push(format!(
                "{name}: to all {} numbers together {} is nearest, at {}.",
                self.fit.len() + self.held_out.len(),
                one.setting(),
                one.distances()
            ));
        }
        let effects = self.effects();
        let with_all = || judged.iter().filter(|one| one.signs == effects);
        sentences.extend(match (effects, nearest(with_all())) {
            (0, _) => None,
            (_, Some(with)) => Some(format!(
                "{name}: {} of {tried} settings have all {effects} effects with the sign of print; the nearest of them \
                 is {}, at {}.",
                with_all().count(),
                with.setting(),
                with.distances(),
            )),
            (_, None) => {
                let most = judged.iter().map(|one| one.signs).max().unwrap_or(0);
                Some(format!(
                    "{name}: no setting has all {effects} effects with the sign of print; the most is {most}, and the \
                     nearest setting has {}.",
                    best.signs
                ))
            }
        });
        if judged.len() < tried {
            sentences.push(format!("{name}: {} settings lack a number and have no distance.", tried - judged.len()));
        }
        sentences
    }
}

/// The one with the least distance to the fitted numbers; of several the first.
fn nearest<'j, 'a: 'j>(judged: impl Iterator<Item = &'j Judged<'a>>) -> Option<&'j Judged<'a>> {
    judged.min_by(|a, b| a.fitted.total_cmp(&b.fitted))
}

/// What all calibrations among the sweeps say, if there are some.
pub(super) fn answer(sweeps: &[Sweep], rows: &[Row]) -> Option<StudyAnswer> {
    let mut sentences = Vec::new();
    for sweep in sweeps {
        let Some(calibration) = &sweep.calibration else { continue };
        let rows: Vec<&Row> = rows.iter().filter(|row| row.experiment == sweep.name.as_str()).collect();
        sentences.extend(calibration.sentences(sweep, &rows));
    }
    let first = sweeps.iter().find(|sweep| sweep.calibration.is_some())?;
    Some(StudyAnswer {
        question: "Which of the settings tried is nearest to print, and is it near to numbers it was not fitted to?"
            .into(),
        sentences,
        figure: Some(format!("{}-distances", first.name.as_str())),
        ..StudyAnswer::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::constant;

    fn row(series: &str, mean: f64, n: u64) -> Row {
        Row::new("e", series, "cost", Estimate { mean, ci95: None, n })
    }

    fn target(series: &str, than: Option<&str>, value: f64, scale: f64) -> CalibrationTarget {
        let by = if than.is_some() { Contrast::Percent } else { Contrast::Difference };
        CalibrationTarget {
            series: series.into(),
            metric: "cost".into(),
            than: than.map(Into::into),
            by,
            value: Finite::of(value),
            scale: Positive::of(scale),
        }
    }

    #[test]
    fn a_distance_is_what_one_works_out_by_hand() {
        let rows = [row("a", 10.0, 4), row("b", 8.0, 3)];
        // Off by -2 scales of 1, and 25 % instead of 20 % is off by 1 scale of 5: the root of (4 + 1) / 2.
        let targets = [target("a", None, 12.0, 1.0), target("a", Some("b"), 20.0, 5.0)];
        let (found, n) = distance(&targets, &rows).unwrap();
        assert!((found - 2.5_f64.sqrt()).abs() < 1e-12, "{found}");
        assert_eq!(n, 3, "the least number of observations");
        let plain = CalibrationTarget { by: Contrast::Difference, ..targets[1].clone() };
        assert_eq!(plain.ours(&rows), Some((2.0, 3)));
        assert_eq!(distance(&[target("c", None, 1.0, 1.0)], &rows), None, "nothing was observed of c");
    }

    #[test]
    fn rows_that_are_no_part_of_a_number_go_whether_or_not_there_is_a_distance() {
        let sweep: Sweep = constant(
            r#"(name: "s", grid: [(field: "experiment.a", values: [1]), (field: "experiment.b", values: [1])],
                metrics: ["drawn"])"#,
        );
        let calibration = Calibration {
            fit: NonEmpty::new(vec![target("a", None, 12.0, 1.0)]).unwrap(),
            held_out: NonEmpty::new(vec![target("b", None, 8.0, 1.0)]).unwrap(),
        };
        let of = |metric: &str| Row { metric: metric.into(), ..row("a", 1.0, 4) };
        let kept = |seen: &[Row]| {
            let rows = [&[of("other"), of("drawn")], seen].concat();
            let kept = calibration.held_against(&sweep, rows).into_iter();
            kept.map(|row| format!("{} {}", row.series, row.metric)).collect::<Vec<_>>()
        };
        assert_eq!(kept(&[row("a", 10.0, 4)]), ["a drawn", "a cost"], "b lacks");
        let all = kept(&[row("a", 10.0, 4), row("b", 8.0, 3)]);
        assert_eq!(all[..3], ["a drawn", "a cost", "b cost"]);
        assert_eq!(all.len(), 6, "two distances and the signs");
    }

    #[test]
    fn only_effects_have_signs() {
        let rows = [row("a", 10.0, 4), row("b", 8.0, 3)];
        let is_right = |series: &str, than, value| target(series, than, value, 1.0).has_sign(&rows);
        assert!(is_right("a", Some("b"), 0.1) && !is_right("b", Some("a"), 0.1) && is_right("b", Some("a"), -90.0));
        assert!(!is_right("a", None, 10.0), "a level is no effect");
        let rows = [row("a", 0.3, 4), row("b", 0.1 + 0.2, 4)];
        assert!(!target("b", Some("a"), 1.0, 1.0).has_sign(&rows), "nor is what rounding leaves");
    }
}
