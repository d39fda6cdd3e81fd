//! `Multicriteria`: brokers that weigh the criteria of all users, on listed and on drawn markets, and what they can learn.

mod drawn;
mod front;
mod learning;
mod listed;
mod market;
mod offers;
mod record;
mod schedule;
mod small;

pub(super) use record::*;

use super::Kind;
use crate::broker::multicriteria::{
    Assignment, Book, Market, MarketProblem, SatisfactionRules, at_random, improve, least,
};
use crate::check::{check_assignment, check_reservations};
use crate::metrics::{Better, Metric, copies, declare_metrics};
use crate::rng::Streams;
use crate::study::replicate::Trial;
use crate::study::{Figure, FigureKind, Findings, RunError};
use crate::units::{Span, Time};

/// The axis of satisfactions.
const SATISFACTION: &str = "Satisfaction (0 to 1)";

impl Kind for Multicriteria {
    fn metrics(&self) -> Vec<Metric> {
        match &self.market {
            MarketKind::Listed(spec) => listed::metrics(spec),
            MarketKind::Drawn(_) => drawn::metrics(self.total_form),
            MarketKind::Choices(_) => copies(learning::METRICS),
        }
    }

    fn every_metric(&self) -> Vec<Metric> {
        let mut metrics = self.metrics();
        for other in drawn::metrics(self.total_form).into_iter().chain(copies(learning::METRICS)) {
            if metrics.iter().all(|metric| metric.name() != other.name()) {
                metrics.push(other);
            }
        }
        metrics
    }

    fn own_rows(&self) -> Vec<&str> {
        vec!["solutions", drawn::EXPERIMENT, learning::EXPERIMENT]
    }

    fn series_names(&self) -> Option<Vec<String>> {
        Some(match &self.market {
            MarketKind::Listed(spec) => listed::series_names(spec),
            MarketKind::Drawn(spec) => drawn::series_names(spec),
            MarketKind::Choices(spec) => learning::series_names(spec),
        })
    }

    fn draws(&self) -> bool {
        !matches!(self.market, MarketKind::Listed(_))
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Findings, RunError> {
        match &self.market {
            MarketKind::Listed(spec) => listed::run(self, spec, trial),
            MarketKind::Drawn(spec) => drawn::run(self, spec, trial),
            MarketKind::Choices(spec) => learning::run(spec, trial),
        }
    }
}

impl Multicriteria {
    fn rules(&self) -> SatisfactionRules {
        SatisfactionRules { user: self.user_form, total: self.total_form }
    }
}

/// Fails if an assignment breaks a law.
fn judged(market: &Market, places: &[Option<usize>]) -> Result<(), RunError> {
    Ok(check_assignment(&market.criteria, &market.jobs, &market.offers, places)?)
}

/// The units of each offer.
fn units(market: &Market) -> Vec<Option<u64>> {
    market.offers.iter().map(|offer| offer.units).collect()
}

/// Reserves `places` for some jobs at `now`; users confirm them in time or not, each after the time of its `answer`. The
/// jobs that got a reservation, with their offers; true if it is confirmed.
fn reserve(
    book: &mut Book,
    market: &Market,
    (jobs, places): (&[usize], &Assignment),
    now: Time,
    answer: impl Fn(usize) -> Result<Span, RunError>,
) -> Result<Vec<(usize, usize, bool)>, RunError> {
    let mut held = Vec::new();
    for (&job, &place) in jobs.iter().zip(places) {
        let Some(offer) = place else { continue };
        if let Some(number) = book.hold(offer, job, market.jobs[job].units, now)? {
            held.push((job, offer, number));
        }
    }
    held.into_iter().map(|(job, offer, number)| Ok((job, offer, book.confirm(number, now + answer(job)?)))).collect()
}

/// The values of a criterion for all jobs that have a place.
fn values_of(problem: &MarketProblem, places: &[Option<usize>], criterion: usize) -> Vec<f64> {
    let value = |(job, place): (usize, &Option<usize>)| problem.values(job, (*place)?)?.get(criterion).copied();
    places.iter().enumerate().filter_map(value).collect()
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Bars of some metrics.
fn bars(experiment: &str, (file, title): (&str, &str), caption: &str, y_label: &str, metrics: Vec<String>) -> Figure {
    Figure {
        file: file.into(),
        title: title.into(),
        caption: caption.into(),
        x_label: String::new(),
        y_label: y_label.into(),
        experiment: experiment.into(),
        metrics,
        kind: FigureKind::Bars,
    }
}
