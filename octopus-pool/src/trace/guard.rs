//! A reader that stops before a hostile input fills memory.

use std::io::{self, Read};

/// The longest row, in bytes; an honest one has about a hundred.
pub(super) const MAX_ROW_BYTES: u64 = 64 * 1024;

/// Passes bytes on until a row or the whole input is longer than allowed.
///
/// The CSV parser gathers a row before it hands it out, so the row has to be
/// bounded underneath it. A line break inside double quotes does not end a row,
/// as in the parser. Placed above the gzip decoder, it bounds what a small file
/// can expand to.
pub(crate) struct Guard<R> {
    inner: R,
    row_bytes: u64,
    quoted: bool,
    left_bytes: u64,
    most_bytes: u64,
}

impl<R: Read> Guard<R> {
    pub(crate) fn new(inner: R, most_bytes: u64) -> Self {
        Self { inner, row_bytes: 0, quoted: false, left_bytes: most_bytes, most_bytes }
    }
}

impl<R: Read> Read for Guard<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buf)?;
        let invalid = |message| io::Error::new(io::ErrorKind::InvalidData, message);
        self.left_bytes = self.left_bytes.checked_sub(n as u64).ok_or_else(|| {
            invalid(format!("the input is longer than {} bytes", self.most_bytes))
        })?;
        for &byte in &buf[..n] {
            self.quoted ^= byte == b'"';
            self.row_bytes = if byte == b'\n' && !self.quoted { 0 } else { self.row_bytes + 1 };
            if self.row_bytes > MAX_ROW_BYTES {
                return Err(invalid(format!("a row is longer than {MAX_ROW_BYTES} bytes")));
            }
        }
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(bytes: &[u8], most: u64) -> io::Result<usize> {
        Guard::new(bytes, most).read_to_end(&mut Vec::new())
    }

    #[test]
    fn rows_and_the_whole_are_bounded() {
        let row = vec![b'x'; 60_000];
        let rows = [&row[..], b"\n", &row[..]].concat();
        assert_eq!(pass(&rows, 1 << 20).unwrap(), 120_001);
        assert!(pass(&rows, 120_000).unwrap_err().to_string().contains("input is longer"));
        let joined = [&row[..], &row[..]].concat();
        assert!(pass(&joined, 1 << 20).unwrap_err().to_string().contains("row is longer"));
        let quoted = [b"\"", &row[..], b"\n", &row[..], b"\""].concat();
        assert!(pass(&quoted, 1 << 20).is_err(), "a quoted line break does not end a row");
    }
}
