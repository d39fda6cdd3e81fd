//! Lists whose length is limited while they are read.

use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// A list of at most so many entries: a longer one is refused before it takes the memory.
pub(super) struct Few<T, const MOST: usize>(pub(super) Vec<T>);

impl<T, const MOST: usize> Default for Few<T, MOST> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>, const MOST: usize> Deserialize<'de> for Few<T, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Counting<T, const MOST: usize>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>, const MOST: usize> Visitor<'de> for Counting<T, MOST> {
            type Value = Few<T, MOST>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = list.next_element()? {
                    if entries.len() == MOST {
                        return Err(A::Error::custom(format!("a list has more than {MOST} entries")));
                    }
                    entries.push(entry);
                }
                Ok(Few(entries))
            }
        }

        deserializer.deserialize_seq(Counting(PhantomData))
    }
}
