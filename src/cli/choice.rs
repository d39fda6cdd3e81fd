//! Options that take one of a few words.

use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Reads one of the words as what it stands for.
pub(super) fn parser<T: Copy + Send + Sync>(choices: &'static [(&'static str, T)]) -> impl TypedValueParser<Value = T> {
    let words = PossibleValuesParser::new(choices.iter().map(|&(word, _)| word));
    words.try_map(|given| {
        let known = choices.iter().find(|(word, _)| *word == given);
        known.map(|&(_, choice)| choice).ok_or("this word is not known")
    })
}
