//! What every kind of experiment promises.

use crate::language::{Describe, Parts, Source};
use crate::study::{Experiment, NoProgress, load_study, run};

/// The starters of all kinds, with their names, and scenarios of the forms that they show in comments.
fn starters() -> Vec<(&'static str, &'static str)> {
    let Parts::Variants(kinds) = Experiment::describe().parts else { return Vec::new() };
    let forms = [
        ("drawn markets", include_str!("../../../scenarios/multicriteria-study.ron")),
        ("past choices", include_str!("../../../scenarios/preferences.ron")),
    ];
    kinds.iter().map(|kind| (kind.name, kind.starter.unwrap_or_default())).chain(forms).collect()
}

#[test]
fn series_are_named_before_a_run_as_they_are_after_it() {
    for (kind, starter) in starters() {
        let few = ["replications=2".to_string()];
        let study = load_study(&Source::new("starter.ron", starter), &few).unwrap();
        let names = study.scenario().experiment.get().series_names();
        let names = names.unwrap_or_else(|| panic!("{kind} has no names"));
        let sweeps: Vec<&str> = study.scenario().sweeps.iter().map(|sweep| sweep.name.as_str()).collect();
        let outcome = run(&study, &NoProgress).unwrap();
        let mut is_met = vec![false; names.len()];
        for row in outcome.results.rows.iter().filter(|row| !sweeps.contains(&row.experiment.as_str())) {
            let place = names.iter().position(|name| *name == row.series);
            if let Some(place) = place {
                is_met[place] = true;
            }
            // What the rules did to a log is of all policies.
            let is_total = row.x.is_none() && !row.series.contains("against") && row.experiment != "jobs by rule";
            assert!(
                place.is_some() || !is_total,
                "{kind}: {} of {} is not among {names:?}",
                row.series,
                row.experiment
            );
        }
        // Others have series that only some worlds have rows of.
        let always = ["past choices", "drawn markets", "Multicriteria", "Windows", "Grid"];
        for (name, is_met) in names.iter().zip(is_met) {
            assert!(is_met || !always.contains(&kind), "{kind}: no row is of {name}");
        }
    }
}

#[test]
fn misspelt_series_are_refused_with_the_one_that_is_meant() {
    for (kind, meant, given) in [
        ("drawn markets", "multicriteria", "multicritera"),
        ("Windows", "job 1, AMP", "job 1, AMB"),
        ("Multicriteria", "multicriteria", "multicritria"),
    ] {
        let starter = starters().into_iter().find(|(name, _)| *name == kind).unwrap().1;
        let metric = load_study(&Source::new("starter.ron", starter), &[]).unwrap();
        let metric = metric.scenario().experiment.get().metrics()[0].name().to_string();
        let set = |name: &str| vec![format!("statistics=(baselines: [{name:?}], compare: [{metric:?}])")];
        let said = load_study(&Source::new("starter.ron", starter), &set(given)).unwrap_err().to_string();
        let wrong = format!("there is no series called `{given}`; did you mean `{meant}`?");
        assert!(said.contains(&wrong), "{kind}: {said}");
        assert!(load_study(&Source::new("starter.ron", starter), &set(meant)).is_ok(), "{kind}");
    }
}
