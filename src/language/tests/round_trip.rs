//! Written values are read back, and the tree holds what `ron` reads at once.

use super::*;
use gridloom_language::text::{Body, TextNode, Value, read};
use proptest::prelude::*;

fn finite() -> impl Strategy<Value = Finite> {
    (-1e15..1e15f64).prop_map(Finite::of)
}

fn positive() -> impl Strategy<Value = Positive> {
    prop_oneof![1e-12..1.0f64, 1.0..1e15f64].prop_map(Positive::of)
}

fn distribution() -> impl Strategy<Value = Distribution> {
    let pair = (finite(), (1e-3..1e9f64).prop_map(NonNegative::of));
    prop_oneof![
        finite().prop_map(Distribution::Constant),
        (-1e9..0.0f64, 0.0..1e9f64)
            .prop_map(|(low, high)| Distribution::Uniform { low: Finite::of(low), high: Finite::of(high) }),
        (-999..0i64, 0..999i64).prop_map(|(low, high)| Distribution::UniformInteger { low, high }),
        (finite(), positive()).prop_map(|(mean, sd)| Distribution::Normal { mean, sd, low: None, high: Some(mean) }),
        prop::collection::vec(pair, 1..4).prop_map(Distribution::Discrete),
        prop::collection::vec(finite(), 1..4).prop_map(Distribution::Empirical),
    ]
}

record! {
    /// One of each type.
    struct Everything {
        /// Text.
        text: String,
        /// Perhaps text.
        perhaps: Option<String>,
        /// A whole number.
        whole: u64,
        /// A signed one.
        signed: i64,
        /// A small one.
        small: u32,
        /// A number.
        number: Finite,
        /// A positive number.
        positive: Positive,
        /// Distributions.
        distributions: Vec<Distribution>,
        /// A time.
        time: Time,
        /// A truth value.
        truth: bool,
        /// Perhaps a record.
        load: Option<Load>,
        /// A choice.
        experiment: Experiment,
    }
}

prop_compose! {
    fn a_load()(
        volume in 0..1_000_000_000_000_000i64, budget in prop::option::of(0..1_000_000_000_000_000i64), weight in positive()
    ) -> Load {
        let budget = budget.map(Money::from_ticks);
        Load { volume: Volume::from_ticks(volume), budget, horizon: Length::ZERO, weights: (NonNegative::ZERO, weight) }
    }
}

prop_compose! {
    fn everything()(
        (text, perhaps, whole, signed, small) in any::<(String, Option<String>, u64, i64, u32)>(),
        number in finite(),
        positive in positive(),
        distributions in prop::collection::vec(distribution(), 0..4),
        time in 0..1_000_000_000_000_000i64,
        truth in any::<bool>(),
        load in prop::option::of(a_load()),
        batch in a_load(),
        pause in distribution(),
    ) -> Everything {
        let experiment = match small % 3 {
            0 => Experiment::Idle,
            1 => Experiment::Batch(batch),
            _ => Experiment::Repeat { times: Count::of(whole.max(1)), pause, strict: truth },
        };
        let time = Time::from_ticks(time);
        Everything { text, perhaps, whole, signed, small, number, positive, distributions, time, truth, load, experiment }
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(value in everything()) {
        for text in [to_ron(&value), to_line(&value)] {
            let read: Everything = load(Source::new("w.ron", text), &[]).unwrap_or_else(|report| panic!("{report}"));
            prop_assert_eq!(&read, &value);
        }
    }

    #[test]
    fn what_ron_writes_of_any_value_is_read_alike(value in ron_value()) {
        for text in [ron::to_string(&value).unwrap(), ron::ser::to_string_pretty(&value, Default::default()).unwrap()] {
            prop_assert!(agrees(&text)?, "{}", text);
        }
    }

    #[test]
    fn documents_that_both_accept_mean_the_same(text in document()) {
        agrees(&text)?;
    }
}

/// Values as `ron` knows them.
fn ron_value() -> impl Strategy<Value = ron::Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(ron::Value::Bool),
        any::<char>().prop_filter("written without an escape", |c| !c.is_control()).prop_map(ron::Value::Char),
        any::<String>().prop_map(ron::Value::String),
        any::<f64>().prop_map(|number| ron::Value::Number(number.into())),
        any::<u64>().prop_map(|number| ron::Value::Number(number.into())),
        any::<i64>().prop_map(|number| ron::Value::Number(number.into())),
        Just(ron::Value::Unit),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(ron::Value::Seq),
            prop::collection::vec((any::<String>(), inner.clone()), 0..5).prop_map(|entries| ron::Value::Map(
                entries.into_iter().map(|(k, v)| (ron::Value::String(k), v)).collect()
            )),
            prop::option::of(inner).prop_map(|value| ron::Value::Option(value.map(Box::new))),
        ]
    })
}

/// Text that is often, but not always, a document: literals in all notations, comments and nesting.
fn document() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        "[+-]?[0-9][0-9_]{0,5}",
        "[+-]?[0-9_]{0,3}\\.[0-9_]{0,4}([eE][+-]?[0-9_]{1,2})?",
        "0[xob][0-9a-fA-F_]{1,6}",
        "[0-9]{17,42}",
        "[0-9]{1,3}(u8|i64|f32|f64|u128)",
        "\"([a-z é]|\\\\[nrt0'\"\\\\]|\\\\x[0-7][0-9a-f]|\\\\u\\{[0-9a-f]{1,5}\\}|\\\\\n  ){0,6}\"",
        "r(\"[a-z\\\\]{0,4}\"|#\"[a-z\"\\\\]{0,4}\"#)",
        "'([a-z\"é]|\\\\[nrt0'\"\\\\])'",
        "(true|false|inf|-inf|NaN|None|[A-Z][a-z_0-9]{0,4})",
        "Some\\([0-9]{1,3}\\)",
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        let blank = || "( |\n|\t|/\\* x \\*/|// y\n)?";
        prop_oneof![
            (prop::collection::vec(inner.clone(), 0..4), blank())
                .prop_map(|(items, blank)| format!("[{blank}{}]", items.join(&format!(",{blank}")))),
            prop::collection::vec(("[a-z]{1,3}", inner.clone()), 0..4).prop_map(|fields| {
                let fields: String = fields.iter().map(|(name, value)| format!("{name}: {value},")).collect();
                format!("({fields})")
            }),
            (blank(), inner.clone(), inner).prop_map(|(blank, key, value)| format!("{{{key}{blank}:{blank}{value}}}")),
        ]
    })
}

/// True if both read `text`; an error if they read it differently.
fn agrees(text: &str) -> Result<bool, TestCaseError> {
    let (mut errors, mut lost) = (Errors::default(), BTreeSet::new());
    let node = read(&Source::new("s", text), 0, (0, ""), &mut errors, &mut lost);
    match ron::from_str::<ron::Value>(text) {
        Ok(value) if errors.is_empty() => {
            prop_assert!(same(&node, &value), "{}\n{:?}\n{:?}", text, node.value, value);
            Ok(true)
        }
        _ => Ok(false),
    }
}

fn same(node: &TextNode, value: &ron::Value) -> bool {
    let all = |nodes: &[TextNode], values: &[ron::Value]| {
        nodes.len() == values.len() && nodes.iter().zip(values).all(|(node, value)| same(node, value))
    };
    match (&node.value, value) {
        (Value::Bool(ours), ron::Value::Bool(theirs)) => ours == theirs,
        (Value::Character(ours), ron::Value::Char(theirs)) => ours == theirs,
        (Value::Text(ours), ron::Value::String(theirs)) => ours == theirs,
        (Value::Integer(ours), ron::Value::Number(theirs)) => *ours as f64 == theirs.into_f64(),
        (Value::Float(ours), ron::Value::Number(theirs)) => match theirs {
            _ if ours.is_nan() => theirs.into_f64().is_nan(),
            // `ron` keeps a number in half the size where that is enough.
            ron::value::Number::F32(theirs) => *ours as f32 == theirs.get(),
            _ => *ours == theirs.into_f64(),
        },
        (Value::List(nodes), ron::Value::Seq(values)) => all(nodes, values),
        (Value::Map(entries), ron::Value::Map(map)) => {
            entries.len() == map.len()
                && entries.iter().zip(map.iter()).all(|((k, v), (key, value))| same(k, key) && same(v, value))
        }
        (Value::Group(group), _) => match (group.name.as_ref().map(|name| name.text.as_str()), &group.body, value) {
            (Some("None"), Body::Bare, ron::Value::Option(None)) => true,
            (Some("Some"), Body::Items(items), ron::Value::Option(Some(value))) => {
                items.len() == 1 && same(&items[0], value)
            }
            (_, Body::Bare, ron::Value::Unit) => true,
            (_, Body::Items(items), ron::Value::Unit) => items.is_empty(),
            (_, Body::Items(items), ron::Value::Seq(values)) => all(items, values),
            (_, Body::Fields(fields), ron::Value::Map(map)) => {
                fields.len() == map.len()
                    && fields.iter().all(|field| {
                        map.get(&ron::Value::String(field.name.text.clone()))
                            .is_some_and(|value| same(&field.value, value))
                    })
            }
            _ => false,
        },
        _ => false,
    }
}

#[test]
fn a_scenario_is_written_as_one_would_write_it() {
    insta::assert_snapshot!(to_ron(&grid(GOOD, &[]).unwrap()), @r##"
    (
        title: "Two nodes",
        seed: 255,
        nodes: [
            (
                name: "a",
                performance: 2.5,
                price: 0.0,
                risk: 0.1,
                cores: 1,
            ),
            (
                name: "b",
                performance: 1.0,
                price: 3.0,
                risk: 0.0,
                cores: 4,
            ),
        ],
        experiment: Batch(
            volume: 1000.0,
            budget: 50.0,
            horizon: 600.0,
            weights: (0.0, 1.0),
        ),
        outages: [
            (
                node: "b",
                start: 10.0,
                end: 20.0,
            ),
        ],
    )
    "##);
}
