//! A topology from anything that can be read.

use std::io::Read;

use super::{from_edge_list, from_json};
use crate::{Error, Result, Topology};

/// The longest file [`read`] accepts, in bytes.
///
/// The largest pods of the paper take a few KiB; a pod of [`crate::MAX_SERVERS`]
/// servers with eight ports takes about 1 MiB.
///
/// # Examples
///
/// ```
/// use octopus_design::format::read;
///
/// let endless = std::io::repeat(b' ');
/// let wrong = read("endless", endless).unwrap_err();
/// assert_eq!(wrong.to_string(), "the file is longer than 16777216 bytes");
/// ```
pub const MAX_FILE_BYTES: usize = 16 << 20;

/// A topology from a JSON file or an edge list, whichever it is.
///
/// What starts with a bracket is JSON, all else is an edge list. A byte order
/// mark is skipped. `name` is given to a topology from an edge list, which has
/// no name of its own.
///
/// # Errors
///
/// [`Error::Read`], [`Error::TooLong`], [`Error::NotUtf8`] and
/// [`Error::EmptyFile`] for the file as such, and all errors of [`from_json`]
/// and [`from_edge_list`].
///
/// # Examples
///
/// ```
/// use octopus_design::format::read;
///
/// let pod = read("pair", "server,mpd\n0,0\n1,0\n".as_bytes())?;
/// assert_eq!((pod.name(), pod.links()), ("pair", 2));
///
/// let cut = read("cut", r#"{"schema":"octopus.topology/1","mpds":[[0,1"#.as_bytes());
/// assert_eq!(
///     cut.unwrap_err().to_string(),
///     "mpds[0]: EOF while parsing a list at line 1 column 43",
/// );
/// # Ok::<(), octopus_design::Error>(())
/// ```
pub fn read(name: impl Into<String>, source: impl Read) -> Result<Topology> {
    let mut bytes = Vec::new();
    // One byte more than the limit tells a file that is too long.
    source.take(MAX_FILE_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(Error::Read)?;
    if bytes.len() > MAX_FILE_BYTES {
        return Err(Error::TooLong { most: MAX_FILE_BYTES });
    }
    let text = str::from_utf8(&bytes).map_err(|error| Error::NotUtf8 {
        line: bytes[..error.valid_up_to()].split(|&byte| byte == b'\n').count(),
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match text.trim_start().chars().next() {
        None => Err(Error::EmptyFile),
        Some('{' | '[') => from_json(text),
        Some(_) => from_edge_list(name, text),
    }
}
