//! Alternatives ranked: the table of the terminal and of the page, and `ranking.csv`.

use super::ReportError;
use super::number;
use super::table::{Column, Table};
use crate::{Ranking, RankingLine};
use csv::{Error, Writer};
use gridloom_files::escaped;

pub(super) const HEADING: &str = "Ranks, with ties where differences can't be told from chance";
const EXPLAINED: &str = "By each metric the rank comes first and the mean stands in brackets. A rank is one more than \
                         the number of alternatives that are better beyond doubt, so that those that can't be told \
                         apart share one. Lines are in the order of their mean rank.";

/// The alternatives, those of the best mean rank first; ties stay in the order in which they are given.
fn sorted(ranking: &Ranking) -> Vec<&RankingLine> {
    let mut lines: Vec<&RankingLine> = ranking.lines.iter().collect();
    lines.sort_by(|a, b| a.mean_rank.total_cmp(&b.mean_rank));
    lines
}

/// The least rank by a metric.
fn best(ranking: &Ranking, metric: usize) -> Option<u64> {
    let ranks = ranking.lines.iter().filter_map(|line| place(line, metric));
    ranks.map(|(rank, _)| rank).min()
}

fn place(line: &RankingLine, metric: usize) -> Option<(u64, f64)> {
    line.places.get(metric).copied().flatten()
}

fn cell((rank, mean): (u64, f64)) -> String {
    format!("{rank} ({})", number::significant(mean, 4))
}

/// The ranking as a table of text.
pub(super) fn table(ranking: &Ranking) -> Table {
    let numeric = |name: &str| Column { name: name.into(), numeric: true };
    let mut columns = vec![Column { name: "series".into(), numeric: false }, numeric("mean rank")];
    columns.extend(ranking.metrics.iter().map(|metric| numeric(&metric.label())));
    let line = |line: &RankingLine| {
        let places = (0..ranking.metrics.len()).map(|metric| place(line, metric).map(cell).unwrap_or_default());
        [line.series.clone(), number::significant(line.mean_rank, 3)].into_iter().chain(places).collect()
    };
    let lines = sorted(ranking).into_iter().map(line).collect();
    Table { signs: vec![EXPLAINED.to_string()], ..Table::new(HEADING.into(), columns, lines) }
}

/// The table of the page, in which the best by each metric stand out.
pub(super) fn section(ranking: &Ranking) -> String {
    let mut header = String::from("<th scope=\"col\">series</th><th scope=\"col\" class=\"number\">mean rank</th>");
    // Names of metrics are longer than ranks, and may take several lines.
    header.extend(
        ranking
            .metrics
            .iter()
            .map(|metric| format!("<th scope=\"col\" class=\"number metric\">{}</th>", escaped(&metric.label()))),
    );
    let mut text = format!(
        "<div class=\"scroll\" tabindex=\"0\">\n<table class=\"ranking\">\n<thead><tr>{header}</tr></thead>\n<tbody>\n"
    );
    for line in sorted(ranking) {
        let rank = number::significant(line.mean_rank, 3);
        text.push_str(&format!("<tr><th scope=\"row\">{}</th><td class=\"number\">{rank}</td>", escaped(&line.series)));
        for metric in 0..ranking.metrics.len() {
            let Some((rank, mean)) = place(line, metric) else {
                text.push_str("<td class=\"number\">–</td>");
                continue;
            };
            let class = if best(ranking, metric) == Some(rank) { "number best" } else { "number" };
            let mean = number::significant(mean, 4);
            text.push_str(&format!("<td class=\"{class}\"><b>{rank}</b> <span>({mean})</span></td>"));
        }
        text.push_str("</tr>\n");
    }
    text + &format!("</tbody>\n</table>\n</div>\n<p class=\"note\">{}</p>\n", escaped(EXPLAINED))
}

/// The text of `ranking.csv`: a line for each alternative and metric.
pub(super) fn csv(ranking: &Ranking) -> Result<Vec<u8>, ReportError> {
    let mut writer = Writer::from_writer(Vec::new());
    writer.write_record(["series", "metric", "rank", "mean", "unit"])?;
    for line in sorted(ranking) {
        for (index, metric) in ranking.metrics.iter().enumerate() {
            if let Some((rank, mean)) = place(line, index) {
                let (rank, mean) = (rank.to_string(), number::without_noise(mean).to_string());
                writer.write_record([&line.series, metric.name(), &rank, &mean, metric.unit()])?;
            }
        }
    }
    writer.into_inner().map_err(|error| Error::from(error.into_error()).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{markdown, samples};

    #[test]
    fn the_best_mean_rank_stands_first() {
        insta::assert_snapshot!(markdown::section(&table(&samples::ranking())));
    }

    #[test]
    fn the_file_has_a_line_for_each_place() {
        insta::assert_snapshot!(String::from_utf8(csv(&samples::ranking()).unwrap()).unwrap());
    }

    #[test]
    fn only_the_best_stand_out_and_names_are_escaped() {
        let page = section(&samples::ranking());
        assert_eq!(page.matches("<td class=\"number best\"><b>1</b>").count(), 3);
        assert_eq!(page.matches("number best").count(), 3);
        assert!(page.contains("<th scope=\"row\">EASY &lt;script&gt;</th>") && !page.contains("<script>"));
        assert!(page.contains("<td class=\"number\">–</td>"));
    }
}
