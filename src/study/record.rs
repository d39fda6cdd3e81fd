//! `observations.csv.gz`: every observation of every replication.

use super::effect::Effect;
use super::single_runs::SingleRuns;
use super::sweep::SweepPoint;
use super::{Observations, Published, Row, RunError, Sweep, SweepValue};
use crate::metrics::{ObservationsTable, Tally};
use gridloom_report::{Factor, factors_text};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The name of the file.
pub(crate) const FILE: &str = "observations.csv.gz";

/// Where a point lies in a study.
#[derive(Debug, Clone, Copy)]
pub(super) enum PointPlace<'a> {
    /// It is the scenario as it stands.
    Base,
    /// It is one point of a sweep.
    Swept {
        /// The sweep.
        sweep: &'a Sweep,
        /// The point.
        point: &'a SweepPoint,
    },
}

impl<'a> PointPlace<'a> {
    /// The names of an observation or a row of this point in the results: experiment, series and x. Nothing for those
    /// over time, which only the base keeps.
    ///
    /// The first value that is a number is the row's x. A text makes a series of its own; in a crossing, rows name the
    /// values of all factors instead.
    fn name<'n>(
        &self,
        experiment: &'n str,
        series: &'n str,
        x: Option<f64>,
    ) -> Option<(Cow<'n, str>, Cow<'n, str>, Option<f64>)>
    where
        'a: 'n,
    {
        match *self {
            Self::Base => Some((experiment.into(), series.into(), x)),
            Self::Swept { .. } if x.is_some() => None,
            Self::Swept { sweep, point } => {
                let number = point.factors.iter().find_map(|factor| factor.value.number());
                let series = match &point.factors[..] {
                    [Factor { value: SweepValue::Text(text), .. }] if !sweep.is_crossing() => {
                        format!("{series}, {text}").into()
                    }
                    _ => series.into(),
                };
                Some((sweep.name.as_str().into(), series, number))
            }
        }
    }

    /// The values of all factors, in a crossing.
    fn factors(&self) -> &'a [Factor] {
        match *self {
            Self::Swept { sweep, point } if sweep.is_crossing() => &point.factors,
            _ => &[],
        }
    }

    /// True if a row of the study is of this point.
    pub(super) fn has(&self, row: &Row) -> bool {
        let Self::Swept { sweep, point } = self else { return row.factors.is_empty() };
        match (sweep.is_crossing(), &point.factors[..]) {
            (true, factors) => row.factors == factors,
            (false, [Factor { value: SweepValue::Text(text), .. }]) => row.series.ends_with(&format!(", {text}")),
            (false, factors) => row.x == factors.first().and_then(|factor| factor.value.number()),
        }
    }

    /// A row of the point as one of the study.
    pub(super) fn row(&self, row: Row) -> Option<Row> {
        let (experiment, series, x) = self.name(&row.experiment, &row.series, row.x)?;
        let (experiment, series) = (experiment.into_owned(), series.into_owned());
        Some(Row { experiment, series, x, factors: self.factors().to_vec(), ..row })
    }
}

/// All that a run writes down beside its rows.
pub(super) struct StudyRecord {
    /// The table; none where nobody will read it.
    table: Mutex<Option<ObservationsTable>>,
    samples: Mutex<Samples>,
    /// The values that published effects and single runs are about.
    judged: Mutex<JudgedValues>,
}

/// Values by replication that verdicts need beside the rows.
#[derive(Debug, Default)]
pub(super) struct JudgedValues {
    pub(super) effects: Vec<Effect>,
    pub(super) single_runs: Vec<SingleRuns>,
}

/// Single values of some metrics at the base point: by series and metric, the number of each observation and its value.
#[derive(Debug, Default)]
pub(super) struct Samples(BTreeMap<(String, String), Vec<(u64, f64)>>);

impl Samples {
    /// The values of a metric of a series.
    pub(super) fn values(&self, series: &str, metric: &str) -> &[(u64, f64)] {
        self.0.get(&(series.to_string(), metric.to_string())).map_or(&[], Vec::as_slice)
    }

    /// What the first series is above the second, over the worlds that have both.
    pub(super) fn difference(&self, metric: &str, first: &str, second: &str) -> Tally {
        let (first, second) = (self.values(first, metric), self.values(second, metric));
        let mut tally = Tally::default();
        let mut others = second.iter().peekable();
        for (number, value) in first {
            while others.next_if(|(other, _)| other < number).is_some() {}
            if let Some((_, other)) = others.next_if(|(other, _)| other == number) {
                // A value that is not finite has ended the run.
                let _ = tally.add(value - other);
            }
        }
        tally
    }

    /// The series and the metric whose neighbouring batches are most alike, and their correlation: batches of a run
    /// follow each other, and each run has `per_run` of them.
    pub(super) fn likeness(&self, per_run: u64) -> Option<(&str, &str, f64)> {
        let correlation = |values: &[(u64, f64)]| {
            let mean = values.iter().map(|(_, value)| value).sum::<f64>() / values.len() as f64;
            let squares: f64 = values.iter().map(|(_, value)| (value - mean) * (value - mean)).sum();
            let is_pair = |pair: &&[(u64, f64)]| pair[1].0 == pair[0].0 + 1 && !pair[1].0.is_multiple_of(per_run);
            let pairs = values.windows(2).filter(is_pair);
            let products: f64 = pairs.map(|pair| (pair[0].1 - mean) * (pair[1].1 - mean)).sum();
            (squares > 0.0).then(|| products / squares)
        };
        let all = self.0.iter().filter_map(|((series, metric), values)| {
            correlation(values).map(|correlation| (series.as_str(), metric.as_str(), correlation))
        });
        all.max_by(|a, b| a.2.total_cmp(&b.2))
    }
}

impl StudyRecord {
    /// An empty record that also keeps what `published` effects and single runs are about.
    pub(super) fn new(published: &[Published]) -> Result<Self, RunError> {
        let table = ObservationsTable::new()?;
        let judged = JudgedValues {
            effects: published.iter().filter_map(Effect::of).collect(),
            single_runs: published.iter().filter_map(SingleRuns::of).collect(),
        };
        Ok(Self { table: Mutex::new(Some(table)), samples: Mutex::default(), judged: Mutex::new(judged) })
    }

    /// A record of a run whose observations are kept elsewhere: nothing is written down.
    pub(super) fn of_nothing() -> Self {
        Self { table: Mutex::new(None), samples: Mutex::default(), judged: Mutex::default() }
    }

    /// Adds all values of a replication.
    pub(super) fn add(
        &self,
        place: &PointPlace<'_>,
        replication: u64,
        observations: &Observations<'_>,
    ) -> Result<(), RunError> {
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(table) = table.as_mut() else { return Ok(()) };
        let mut judged = self.judged.lock().unwrap_or_else(PoisonError::into_inner);
        let factors = factors_text(place.factors());
        for (key, value) in observations.keys().iter().zip(observations.values()) {
            let Some(value) = value else { continue };
            let Some((experiment, series, x)) = place.name(&key.experiment, &key.series, key.x) else { continue };
            let names = (&*experiment, &*series, &*key.metric, x);
            judged.effects.iter_mut().for_each(|effect| effect.take_in(names, replication, *value));
            judged.single_runs.iter_mut().for_each(|runs| runs.take_in(names, replication, *value));
            table.add(names, replication, *value, &factors)?;
        }
        Ok(())
    }

    /// Keeps the values of some metrics by themselves.
    pub(super) fn sample(&self, metrics: &[String], replication: u64, observations: &Observations<'_>) {
        if metrics.is_empty() {
            return;
        }
        let mut samples = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        for (key, value) in observations.keys().iter().zip(observations.values()) {
            let Some(value) = value else { continue };
            if key.x.is_none() && metrics.iter().any(|metric| *metric == key.metric) {
                let name = (key.series.to_string(), key.metric.to_string());
                samples.0.entry(name).or_default().push((replication, *value));
            }
        }
    }

    /// The bytes of the file, the single values that were kept, and the values that verdicts need.
    pub(super) fn finish(self) -> Result<(Vec<u8>, Samples, JudgedValues), RunError> {
        let table = self.table.into_inner().unwrap_or_else(PoisonError::into_inner);
        let bytes = table.map(ObservationsTable::finish).transpose()?.unwrap_or_default();
        let samples = self.samples.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok((bytes, samples, self.judged.into_inner().unwrap_or_else(PoisonError::into_inner)))
    }
}
