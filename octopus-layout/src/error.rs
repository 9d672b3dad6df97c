//! What can go wrong, with the values that went wrong.

use octopus_design::MpdId;
use octopus_design::ServerId;
use thiserror::Error;

/// Every way an operation of this crate can fail.
///
/// Messages are one line and name the field they speak of, so that a caller
/// only has to put the file's name in front.
///
/// # Examples
///
/// ```
/// use octopus_layout::Geometry;
///
/// let wrong = Geometry::from_toml("server_slots = 1000000000").unwrap_err();
/// assert_eq!(wrong.to_string(), "server_slots is 1000000000, expected 1 to 1024");
/// ```
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// A TOML file is not TOML, or a key of it is unknown or wrong.
    #[error("line {line}: {message}")]
    Toml {
        /// Line, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// A JSON file is not JSON, or a field of it is missing or wrong.
    #[error("{}{message} at line {line} column {column}", named(path))]
    Json {
        /// The field, as in `servers[3].slot`; empty where the whole is meant.
        path: String,
        /// What is wrong.
        message: String,
        /// Line, from 1.
        line: usize,
        /// Column, from 1 (0 at the start of a line).
        column: usize,
    },
    /// A count is zero or above what this crate accepts.
    #[error("{field} is {value}, expected {least} to {most}")]
    Count {
        /// The field.
        field: &'static str,
        /// What it was.
        value: usize,
        /// The smallest accepted value.
        least: usize,
        /// The largest accepted value.
        most: usize,
    },
    /// A length, loss or price is not a number in range.
    #[error("{field} is {value}, expected {expected}")]
    Number {
        /// The field.
        field: &'static str,
        /// What it was.
        value: f64,
        /// What it should be.
        expected: &'static str,
    },
    /// A number in an entry of a list is not in range.
    #[error("{list}[{index}].{field} is {value}, expected {expected}")]
    Entry {
        /// The list.
        list: &'static str,
        /// Position in that list.
        index: usize,
        /// The field.
        field: &'static str,
        /// What it was.
        value: f64,
        /// What it should be.
        expected: &'static str,
    },
    /// A file follows another schema, or another version of it.
    #[error("schema is {found:?}, expected \"{expected}\"")]
    Schema {
        /// What the file says.
        found: String,
        /// What this crate reads.
        expected: &'static str,
    },
    /// A file is about another pod or another geometry.
    #[error("{field} is {found:?}, expected {expected:?}")]
    Foreign {
        /// The field.
        field: &'static str,
        /// What the file says.
        found: String,
        /// What it should say.
        expected: String,
    },
    /// There are more boxes than places for them.
    #[error("{boxes} {what} do not fit in {places} {where_}")]
    NoRoom {
        /// `servers` or `MPDs`.
        what: &'static str,
        /// How many there are.
        boxes: usize,
        /// How many places there are.
        places: usize,
        /// `server slots` or `MPD positions`.
        where_: &'static str,
    },
    /// A placement lists too few or too many boxes.
    #[error("{field} lists {found} places, but the pod has {expected}")]
    Length {
        /// `servers` or `mpds`.
        field: &'static str,
        /// Places listed.
        found: usize,
        /// Boxes of the pod.
        expected: usize,
    },
    /// A box stands outside its rack.
    #[error("{field}[{index}]: {part} {value} is outside the rack, which has {count}")]
    Outside {
        /// `servers` or `mpds`.
        field: &'static str,
        /// Position in that list.
        index: usize,
        /// `slot` or `position`.
        part: &'static str,
        /// What it was.
        value: usize,
        /// How many there are.
        count: usize,
    },
    /// Two boxes stand in one place.
    #[error("{field}[{second}] stands where {field}[{first}] stands")]
    Collision {
        /// `servers` or `mpds`.
        field: &'static str,
        /// The box that is there.
        first: usize,
        /// The box that is there too.
        second: usize,
    },
    /// A cable is longer than the longest that is sold.
    #[error(
        "the cable from {server} to {mpd} is {length_m:.3} m, longer than the longest sold, {longest_m} m"
    )]
    NoCable {
        /// One end.
        server: ServerId,
        /// The other end.
        mpd: MpdId,
        /// How long it is, service loop included.
        length_m: f64,
        /// The longest on the price list.
        longest_m: f64,
    },
    /// A file is longer than this crate reads.
    #[error("the file is longer than {most} bytes")]
    TooLong {
        /// The limit.
        most: usize,
    },
    /// A file is not text.
    #[error("line {line}: not UTF-8")]
    NotUtf8 {
        /// Line of the first bad byte, from 1.
        line: usize,
    },
    /// The operating system failed to deliver a file.
    #[error("cannot read: {0}")]
    Read(#[source] std::io::Error),
}

/// A path as the start of a message.
fn named(path: &str) -> String {
    if path.is_empty() || path == "." { String::new() } else { format!("{path}: ") }
}
