//! No text makes reading fail otherwise than with a report, and none takes more than a time in proportion to its size.

use super::*;
use proptest::prelude::*;
use proptest::sample::Index;

/// Whatever comes back, it can be shown.
fn survives(text: &str, overrides: &[&str]) -> usize {
    match grid(text, overrides) {
        Ok(_) => 0,
        Err(report) => {
            assert!(!report.to_string().is_empty() && report.len() > 0);
            report.len()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn random_text_is_survived(text in any::<String>(), change in any::<String>()) {
        survives(&text, &[]);
        survives(GOOD, &[&change, &format!("nodes{change}"), &format!("seed={change}")]);
    }

    #[test]
    fn random_punctuation_is_survived(text in "[\\[\\](){},:\"'#!r/*\\\\a1.\\-=; \n]{0,60}", change in "[a0.\\[\\]=(]{0,12}") {
        survives(&text, &[&change]);
        survives(&format!("(nodes: [{text}]"), &[&change]);
    }

    #[test]
    fn mutations_of_a_good_text_are_survived(edits in prop::collection::vec((any::<Index>(), any::<Index>(), 0..3), 1..6)) {
        let mut characters: Vec<char> = GOOD.chars().collect();
        for (at, from, edit) in edits {
            let (at, from) = (at.index(characters.len()), from.index(characters.len()));
            match edit {
                0 => { characters.remove(at); }
                1 => characters.insert(at, characters[from]),
                _ => characters.swap(at, from),
            }
        }
        survives(&characters.into_iter().collect::<String>(), &["nodes[1].price=1"]);
    }

    #[test]
    fn a_cut_text_is_survived(at in any::<Index>()) {
        survives(&GOOD[..at.index(GOOD.len())], &[]);
    }
}

/// Texts that invite to look at the same byte again and again; with quadratic time any of them would take minutes.
#[test]
fn hostile_texts_are_read_in_linear_time() {
    let fill = |unit: &str| unit.repeat(100_000 / unit.len());
    let pieces = [
        "\"\\\"\n", "\"", "r#\"", "r##\"\"#", "'", "/*", "/", "#", "-", "1e", "0x", ",", ":", "a:", "a: 1,", "a b",
        "[1 2]", "\"a\",", "(1,)", "]", "\\", "é", "\u{0}", "\"\\u{\"", "{1}", "b\"", "a=1;", "[(]", "(]", "a{", "\n",
        "r",
    ];
    for piece in pieces {
        for open in ["", "(nodes: [", "(a: \""] {
            survives(&(open.to_owned() + &fill(piece)), &[]);
        }
    }
    let names: String = (0..4_000).map(|index| format!("(name: \"{index:04}\"),")).collect();
    let outages: String = (0..10_000).map(|index| format!("\"x{index:04}\",")).collect();
    #[rustfmt::skip]
    record! {
        /// Many names and many references.
        struct Many {
            /// The names.
            nodes: Vec<Machine>,
            /// The references.
            mentions: Vec<Ref<NodeNames>>,
        }
    }
    let report =
        load::<Many>(Source::new("m.ron", format!("(nodes: [{names}], mentions: [{outages}])")), &[]).unwrap_err();
    assert_eq!(report.len(), 10_000);
}

#[test]
fn a_text_beyond_the_limit_is_refused() {
    let report = grid(&" ".repeat(SIZE_LIMIT + 1), &[]).unwrap_err();
    assert_eq!(report.diagnostics()[0].wrong, "the text is too long");
}
