//! Options that take one of a few words, or a number.

use crate::language::Positive;
use crate::language::decode::nearest;
use crate::study::FiguresSpec;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use std::ffi::OsStr;

/// Reads one of the words as what it stands for.
pub(super) fn parser<T: Copy + Send + Sync>(choices: &'static [(&'static str, T)]) -> impl TypedValueParser<Value = T> {
    let words = WordParser::new(choices.iter().map(|&(word, _)| PossibleValue::new(word)));
    words.try_map(|given| {
        let known = choices.iter().find(|(word, _)| *word == given);
        known.map(|&(_, choice)| choice).ok_or("this word is not known")
    })
}

/// Reads one of some words, in capitals or not, with hyphens or without: `TwoWords` is `two-words`.
#[derive(Debug, Clone)]
pub(super) struct WordParser(Vec<PossibleValue>);

impl WordParser {
    pub(super) fn new(words: impl Iterator<Item = PossibleValue>) -> Self {
        Self(words.collect())
    }
}

impl TypedValueParser for WordParser {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        given: &OsStr,
    ) -> Result<String, clap::Error> {
        let meant = given.to_str().and_then(|given| {
            let is_meant = |word: &&PossibleValue| bare(word.get_name()) == bare(given);
            self.0.iter().find(is_meant).map(|word| OsStr::new(word.get_name()))
        });
        let read = PossibleValuesParser::from(self.0.clone()).parse_ref(command, argument, meant.unwrap_or(given));
        read.map_err(|mut error| {
            if let Some(word) = nearest(&given.to_string_lossy(), self.0.iter().map(PossibleValue::get_name)) {
                error.insert(ContextKind::SuggestedValue, ContextValue::String(word.to_string()));
            }
            error
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().cloned()))
    }
}

/// A word without what people write differently.
fn bare(word: &str) -> String {
    word.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).flat_map(char::to_lowercase).collect()
}

/// Reads a whole number from `low` to `high`; `1e3` is one.
pub(super) fn whole(low: u64, high: u64) -> impl TypedValueParser<Value = u64> {
    move |given: &str| -> Result<u64, String> {
        let exact = |number: &f64| (0.0..=9e15).contains(number) && *number == number.trunc();
        let number = given.parse().ok().or_else(|| given.parse().ok().filter(exact).map(|number| number as u64));
        number.filter(|number| (low..=high).contains(number)).ok_or_else(|| match high {
            u64::MAX => format!("give a whole number of at least {low}"),
            _ => format!("give a whole number from {low} to {high}"),
        })
    }
}

/// Reads the width of figures in inches.
pub(super) fn figure_width() -> impl TypedValueParser<Value = Positive> {
    |given: &str| -> Result<Positive, String> {
        let [least, most] = FiguresSpec::WIDTHS;
        let width = given.parse().ok().filter(|width| (least..=most).contains(width)).and_then(Positive::new);
        width.ok_or_else(|| format!("give a number from {least} to {most}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<P: TypedValueParser>(parser: &P, given: &str) -> Result<P::Value, String> {
        let read = parser.parse_ref(&clap::Command::new("test"), None, OsStr::new(given));
        read.map_err(|error| error.to_string())
    }

    #[test]
    fn words_are_known_in_capitals_and_without_hyphens() {
        let words = WordParser::new(["job-flow", "grid"].into_iter().map(PossibleValue::new));
        for given in ["job-flow", "JobFlow", "job_flow", "JOBFLOW", "Job Flow"] {
            assert_eq!(read(&words, given), Ok("job-flow".into()), "{given}");
        }
        let refused = read(&words, "job-flo").unwrap_err();
        assert!(refused.contains("'job-flow'") && refused.contains("grid"), "{refused}");
        let policies = WordParser::new(["FCFS", "EASY"].into_iter().map(PossibleValue::new));
        assert_eq!(read(&policies, "easy"), Ok("EASY".into()));
        let refused = read(&policies, "esy").unwrap_err();
        assert!(refused.contains("a similar value exists: 'EASY'"), "{refused}");
    }

    #[test]
    fn whole_numbers_are_read_in_any_form_and_others_refused() {
        let numbers = whole(1, 5000);
        assert_eq!([read(&numbers, "1e3"), read(&numbers, "20"), read(&numbers, "7.0")], [Ok(1000), Ok(20), Ok(7)]);
        for given in ["abc", "0", "-1", "1.5", "5001", "", "1e99", "NaN"] {
            let refused = read(&numbers, given).unwrap_err();
            assert!(refused.contains("give a whole number from 1 to 5000"), "{refused}");
        }
        assert_eq!(read(&whole(0, u64::MAX), "18446744073709551615"), Ok(u64::MAX));
        assert!(read(&whole(0, u64::MAX), "abc").unwrap_err().contains("give a whole number of at least 0"));
    }
}
