//! The content of a file that a run leaves.

use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

/// The content of a file: its bytes, or a text that is written only when the file is.
///
/// Tables of millions of lines take less memory as what they are made of than as text.
#[derive(Debug, Clone)]
pub enum FileContent {
    /// The bytes.
    Bytes(Vec<u8>),
    /// A text to be written later.
    Late(Arc<dyn LateText>),
}

/// A text that can be written at any time, and is the same each time.
pub trait LateText: fmt::Debug + Send + Sync {
    /// Writes the whole text.
    fn write_to(&self, out: &mut dyn Write) -> io::Result<()>;
}

impl FileContent {
    /// Writes the content.
    pub fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Bytes(bytes) => out.write_all(bytes),
            Self::Late(text) => text.write_to(out),
        }
    }

    /// The bytes, if they are there.
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            Self::Late(_) => None,
        }
    }

    /// All bytes of the text, whenever it is written.
    fn whole(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        // Memory takes what is written to it.
        let _ = self.write_to(&mut bytes);
        bytes
    }
}

impl From<Vec<u8>> for FileContent {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

/// Contents are equal if the files would be.
impl PartialEq for FileContent {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Bytes(one), Self::Bytes(other)) => one == other,
            (Self::Late(one), Self::Late(other)) if Arc::ptr_eq(one, other) => true,
            _ => self.whole() == other.whole(),
        }
    }
}

impl Eq for FileContent {}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Greeting(&'static str);

    impl LateText for Greeting {
        fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
            write!(out, "hello {}", self.0)
        }
    }

    #[test]
    fn late_texts_are_what_they_come_to() {
        let late = |name| FileContent::Late(Arc::new(Greeting(name)));
        assert_eq!(late("grid"), FileContent::from(b"hello grid".to_vec()));
        assert_eq!(late("grid"), late("grid"));
        assert_ne!(late("grid"), late("loom"));
        assert_eq!((late("grid").bytes(), FileContent::from(vec![7]).bytes()), (None, Some(&[7][..])));
    }
}
