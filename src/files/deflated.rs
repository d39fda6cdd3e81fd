//! Compressed data, as images and PDF files hold it.

use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::Write;

/// Levels of compression. Images with numbered colours are even at the least about as large as with full colours at a high
/// one, in much less time.
pub const FAST: Compression = Compression::new(1);
pub const THOROUGH: Compression = Compression::new(6);

/// All of these bytes, compressed in one call: each one clears a buffer of 32 KiB, which for pieces the size of a row of
/// an image takes longer than to compress them.
pub fn deflated(bytes: &[u8], effort: Compression) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), effort);
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory takes all bytes")
}
