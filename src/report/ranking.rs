//! Alternatives ranked: their table, and `ranking.csv`.

use crate::table::{Column, Note, Table};
use crate::{Ranking, RankingLine, number};

pub(crate) const HEADING: &str = "Ranks, with ties where differences can't be told from chance";
const EXPLAINED: &str = "By each metric the rank comes first and the mean stands in brackets. A rank is one more than \
                         the number of alternatives that are better beyond doubt, so that those that can't be told \
                         apart share one. Lines are in the order of their mean rank.";

/// The alternatives, those of the best mean rank first; ties stay in the order in which they are given.
fn sorted(ranking: &Ranking) -> Vec<&RankingLine> {
    let mut lines: Vec<&RankingLine> = ranking.lines.iter().collect();
    lines.sort_by(|a, b| a.mean_rank.total_cmp(&b.mean_rank));
    lines
}

fn place(line: &RankingLine, metric: usize) -> Option<(u64, f64)> {
    line.places.get(metric).copied().flatten()
}

/// The ranking as a table, in which the best by each metric stand out.
pub(crate) fn table(ranking: &Ranking) -> Table {
    let sorted = sorted(ranking);
    let metrics = 0..ranking.metrics.len();
    let mut columns = vec![Column::text("series"), Column::number("mean rank")];
    columns.extend(ranking.metrics.iter().map(|metric| Column::number(metric.label())));
    let cell = |(rank, mean): (u64, f64)| format!("{rank} ({})", number::significant(mean, 4));
    let line = |line: &&RankingLine| {
        let places = metrics.clone().map(|metric| place(line, metric).map(cell).unwrap_or_default());
        [line.series.clone(), number::significant(line.mean_rank, 3)].into_iter().chain(places).collect()
    };
    let rank = |line: &RankingLine, metric: usize| place(line, metric).map(|(rank, _)| rank);
    let best = |metric: usize| sorted.iter().filter_map(|line| rank(line, metric)).min();
    let all = (0..sorted.len()).flat_map(|at| metrics.clone().map(move |metric| (at, metric)));
    let strong = all.filter(|&(at, metric)| best(metric).is_some() && rank(sorted[at], metric) == best(metric));
    let strong = strong.map(|(at, metric)| (at, metric + 2)).collect();
    let table = Table::new(HEADING, columns, sorted.iter().map(line).collect());
    Table { strong, notes: vec![Note::new(EXPLAINED)], ..table }
}

/// What `ranking.csv` holds: a line for each alternative and metric.
pub(crate) fn rows(ranking: &Ranking) -> Table {
    let columns = ["series", "metric", "rank", "mean", "unit"].map(Column::text).to_vec();
    let mut lines = Vec::new();
    for line in sorted(ranking) {
        for (index, metric) in ranking.metrics.iter().enumerate() {
            if let Some((rank, mean)) = place(line, index) {
                let mean = number::without_noise(mean).to_string();
                let (name, unit) = (metric.name().to_string(), metric.unit().to_string());
                lines.push(vec![line.series.clone(), name, rank.to_string(), mean, unit]);
            }
        }
    }
    Table::new("", columns, lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn the_best_mean_rank_stands_first() {
        insta::assert_snapshot!(table(&samples::ranking()).markdown());
    }

    #[test]
    fn the_file_has_a_line_for_each_place() {
        insta::assert_snapshot!(String::from_utf8(rows(&samples::ranking()).csv().unwrap()).unwrap());
    }

    #[test]
    fn only_the_best_stand_out_and_names_are_escaped() {
        let page = table(&samples::ranking()).html("ranking");
        assert_eq!(page.matches("<td class=\"number best\"><b>1 (").count(), 3);
        assert_eq!(page.matches("best").count(), 3);
        assert!(page.contains("EASY &lt;script&gt;") && !page.contains("<script>"));
    }
}
