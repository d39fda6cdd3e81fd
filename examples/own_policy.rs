//! A policy and a metric of one's own, beside EASY on the worlds of a shipped scenario.
//!
//! Run it with `cargo run --release --example own_policy`, or with another scenario of a grid as its argument.

use gridloom::language::read_source;
use gridloom::metrics::{Better, JobOutcome, Metric, TIME};
use gridloom::policy::{Acts, Decision, FirstWindow, Policy, PolicyError, PolicySpec, Setup, View, Waiting};
use gridloom::search::Search;
use gridloom::study::{GridMetric, NoProgress, load_study, run};
use gridloom::workload::GridWorld;
use std::error::Error;
use std::path::Path;

/// Shortest job first, with aging: a job's length counts for less the longer it has waited, so that long jobs don't wait for ever.
pub struct ShortestWithAging {
    /// How much length an hour of waiting makes up for, in hours.
    pub aging: f64,
}

impl PolicySpec for ShortestWithAging {
    fn name(&self) -> String {
        "shortest first with aging".into()
    }

    fn make(&self, setup: &Setup<'_>) -> Box<dyn Policy> {
        // Workflows get their tasks placed inside the windows that this policy finds, as under the policies of the library.
        setup.two_tier(Scheduler { aging: self.aging, search: setup.search().clone() })
    }

    fn acts(&self) -> Acts {
        Acts::Cycles
    }
}

struct Scheduler {
    aging: f64,
    search: Search,
}

impl Policy for Scheduler {
    fn decide(&mut self, view: &View<'_>) -> Result<Vec<Decision>, PolicyError> {
        let key = |waiting: &Waiting<'_>| {
            let waited = (view.now - waiting.submitted).as_f64();
            waiting.request.length.as_f64() - self.aging * waited
        };
        let mut order: Vec<usize> = (0..view.queue.len()).collect();
        order.sort_by(|&a, &b| key(&view.queue[a]).total_cmp(&key(&view.queue[b])).then(a.cmp(&b)));
        let queue: Vec<Waiting<'_>> = order.iter().map(|&place| view.queue[place]).collect();
        let decided = FirstWindow(self.search.get()).decide(&View { queue: &queue, ..*view })?;
        // Decisions name jobs by their place in the queue that was given: back to the places of the view.
        let back = |decision| match decision {
            Decision::Reserve { request, window } => Decision::Reserve { request: order[request], window },
            other => other,
        };
        Ok(decided.into_iter().map(back).collect())
    }
}

/// The longest wait of all jobs that started.
struct LongestWait;

impl GridMetric for LongestWait {
    fn declared(&self) -> Metric {
        Metric::new("longest wait", TIME, "The longest wait of all jobs that started.")
            .at_least(0.0)
            .better(Better::Less)
    }

    fn measure(&self, _: &GridWorld, jobs: &[JobOutcome]) -> Option<f64> {
        jobs.iter().filter_map(JobOutcome::wait).max_by(f64::total_cmp)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "scenarios/grid-day.ron".into());
    let source = read_source(Path::new(&path))?;
    let overrides = ["experiment.policies=[Easy]", "replications=10", "sweeps=[]", "published=[]"];
    let study = load_study(&source, &overrides.map(String::from))?
        .with_policy(ShortestWithAging { aging: 1.0 })?
        .with_metric(LongestWait)?;
    let outcome = run(&study, &NoProgress)?;
    for metric in ["success ratio", "wait", "slowdown", "job cost", "longest wait"] {
        let of = |series: &str, metric: &str| {
            let mut rows = outcome.results.rows.iter();
            let row = rows.find(|row| row.series == series && row.metric == metric && row.x.is_none());
            row.map_or("-".to_string(), |row| format!("{:.3} ± {:.3}", row.mean, row.ci95.unwrap_or(f64::NAN)))
        };
        let own = "shortest first with aging";
        let difference = of(&format!("{own} against EASY"), &format!("difference in {metric}"));
        println!("{metric:14} EASY {:20} {own} {:20} difference {difference}", of("EASY", metric), of(own, metric));
    }
    Ok(())
}
