//! Published values by the sentence or cell that makes them: what one sentence says counts once.

use super::Comparison;
use crate::study::Evidence;

/// A sentence or cell of a paper, with the values of it that were compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim<'a> {
    /// The values under all readings, in the order of the scenarios; there is at least one.
    pub points: Vec<&'a Comparison>,
}

impl<'a> Claim<'a> {
    /// The number of the paper.
    pub fn paper(&self) -> &'a str {
        &self.points[0].paper
    }

    /// The values that the claim is judged by: those of the last reading, which is the one that was chosen. It is
    /// the same whether they match or not.
    pub fn judged(&self) -> Vec<&'a Comparison> {
        let chosen = self.points.last().map_or("", |point| point.published.reading.as_str());
        self.points.iter().copied().filter(|point| point.published.reading == chosen).collect()
    }

    /// What the claim is evidence of: the weakest that one of the values is that it is judged by.
    pub fn evidence(&self) -> Evidence {
        let weakest = self.judged().iter().map(|point| point.published.evidence).max_by_key(|one| one.rank());
        weakest.expect("a claim has a value")
    }

    /// True if all values match that it is judged by.
    pub fn is_match(&self) -> bool {
        self.judged().iter().all(|point| point.is_match())
    }

    /// Where the text as it stands was run beside the reading that was chosen, whether all values match by the text: it
    /// is the first of the readings. Nothing where there is but one.
    pub fn is_match_as_printed(&self) -> Option<bool> {
        let printed = self.points.first()?.published.reading.as_str();
        let chosen = self.points.last()?.published.reading.as_str();
        let mut points = self.points.iter().filter(|point| point.published.reading == printed);
        (printed != chosen).then(|| points.all(|point| point.is_match()))
    }

    /// How many of the values that it is held against match, as printed or worked out from print. One that it gives of
    /// several things is one, and matches if all of them do; a direction is none.
    pub fn numbers(&self) -> ClaimCount {
        let judged = self.judged();
        let numbers: Vec<&Comparison> = judged.into_iter().filter(|point| point.is_number()).collect();
        let mut values: Vec<f64> = numbers.iter().map(|point| point.published.value.get()).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let all_match = |value: &&f64| {
            numbers.iter().filter(|point| point.published.value.get() == **value).all(|point| point.is_match())
        };
        ClaimCount { matching: values.iter().filter(all_match).count(), all: values.len() }
    }

    fn has(&self, other: &Comparison) -> bool {
        let first = self.points[0];
        !other.published.claim.is_empty()
            && first.paper == other.paper
            && first.published.claim == other.published.claim
    }
}

/// The claims that comparisons are about, in the order in which they first come up. A value that names no claim is one
/// by itself.
///
/// ```
/// use gridloom::reproduction::{ENTRIES, Reproduced, claims};
/// use gridloom::study::{NoProgress, run};
///
/// let entry = ENTRIES.iter().find(|entry| entry.name == "multicriteria-model-ii").unwrap();
/// let study = entry.study(true)?;
/// let reproduced = Reproduced::new(entry, study.scenario().clone(), run(&study, &NoProgress)?);
/// let claims = claims(&reproduced.comparisons);
/// assert!(claims.len() <= reproduced.comparisons.len() && claims.iter().all(|claim| claim.is_match()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn claims<'a>(comparisons: impl IntoIterator<Item = &'a Comparison>) -> Vec<Claim<'a>> {
    let mut claims: Vec<Claim<'a>> = Vec::new();
    for one in comparisons {
        match claims.iter_mut().find(|claim| claim.has(one)) {
            Some(claim) => claim.points.push(one),
            None => claims.push(Claim { points: vec![one] }),
        }
    }
    claims
}

/// How many of some claims match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClaimCount {
    /// Those that match.
    pub matching: usize,
    /// All of them.
    pub all: usize,
}

impl ClaimCount {
    /// Counts claims.
    pub fn of<'a, 'b: 'a>(claims: impl IntoIterator<Item = &'a Claim<'b>>) -> Self {
        claims.into_iter().fold(Self::default(), |count, claim| Self {
            matching: count.matching + usize::from(claim.is_match()),
            all: count.all + 1,
        })
    }
}

impl std::iter::Sum for ClaimCount {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), |sum, one| Self { matching: sum.matching + one.matching, all: sum.all + one.all })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::constant;
    use crate::metrics::Estimate;
    use crate::study::{Origin, Row};

    fn comparison(paper: &str, claim: &str, evidence: &str, mean: f64) -> Comparison {
        let row = Row::new("e", "s", "m", Estimate { mean, ci95: None, n: 1 });
        let text = format!(
            "(claim: {claim:?}, evidence: {evidence}, series: \"s\", metric: \"m\", value: 1, tolerance: Exact)"
        );
        let source = Origin { paper: paper.into(), item: "Fig. 1".into() };
        Comparison::new("demo", Some(&source), &constant(&text), &row)
    }

    #[test]
    fn a_claim_under_several_readings_counts_once_by_the_last_whatever_it_brings() {
        let under = |reading: &str, evidence: &str, mean: f64| {
            let mut one = comparison("003", "it is 1", evidence, mean);
            one.published.reading = reading.into();
            one
        };
        let judged = |points: &[Comparison]| {
            let claims = claims(points);
            assert_eq!(claims.len(), 1);
            (claims[0].is_match(), claims[0].evidence(), claims[0].judged().len())
        };
        let [miss, hit] = [2.0, 1.0].map(|mean| under("as printed", "Free", mean));
        assert_eq!(judged(&[miss, under("shared", "Read", 1.0)]), (true, Evidence::Read, 1));
        assert_eq!(judged(&[hit, under("shared", "Read", 3.0)]), (false, Evidence::Read, 1));
        let as_printed = |points: &[Comparison]| claims(points)[0].is_match_as_printed();
        let [miss, hit] = [2.0, 1.0].map(|mean| under("as printed", "Free", mean));
        assert_eq!(as_printed(&[miss.clone(), hit.clone(), under("shared", "Read", 1.0)]), Some(false));
        assert_eq!(as_printed(&[hit.clone(), under("shared", "Read", 3.0)]), Some(true));
        assert_eq!(as_printed(&[hit, miss]), None, "there is but one reading");
    }

    #[test]
    fn what_one_sentence_says_counts_once_and_matches_only_as_a_whole() {
        let all = [
            comparison("001", "it rises", "Free", 1.0),
            comparison("001", "it is 1", "Free", 1.0),
            comparison("001", "it rises", "Fitted", 2.0),
            comparison("002", "it rises", "Read", 1.0),
            comparison("002", "", "Free", 1.0),
            comparison("002", "", "Free", 1.0),
        ];
        let claims = claims(&all);
        let seen: Vec<_> =
            claims.iter().map(|claim| (claim.points.len(), claim.is_match(), claim.evidence())).collect();
        assert_eq!(
            seen,
            [
                (2, false, Evidence::Fitted),
                (1, true, Evidence::Free),
                (1, true, Evidence::Read),
                (1, true, Evidence::Free),
                (1, true, Evidence::Free)
            ]
        );
        assert_eq!(ClaimCount::of(&claims), ClaimCount { matching: 4, all: 5 });
        // The two values of the first claim are one number, which one of them does not match.
        assert_eq!(claims[0].numbers(), ClaimCount { matching: 0, all: 1 });
        assert_eq!(claims.iter().map(Claim::numbers).sum::<ClaimCount>(), ClaimCount { matching: 4, all: 5 });
    }
}
