//! What can go wrong, with the values that went wrong.

use std::ops::RangeInclusive;

use thiserror::Error;

/// Every way an operation of this crate can fail.
///
/// Messages are one line and name the field of the topology they speak of, so
/// that a caller only has to put the file's name in front.
///
/// # Examples
///
/// ```
/// use octopus_design::{Topology, pod};
///
/// let twice = Topology::new("x", 2, 2, 2, [[0, 0]]).map_err(|error| error.to_string());
/// assert_eq!(twice, Err("mpds[0] names server 0 twice".to_owned()));
/// let none = pod::bibd(14, 4).map_err(|error| error.to_string()).unwrap_err();
/// assert!(none.starts_with("no 2-(14,4,1) design exists"));
/// ```
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// A count is zero or above what this crate accepts.
    #[error("{field} is {value}, expected {least} to {most}")]
    OutOfRange {
        /// The field or parameter.
        field: &'static str,
        /// What it was.
        value: u64,
        /// The smallest accepted value.
        least: u64,
        /// The largest accepted value.
        most: u64,
    },
    /// A share is not a number from 0 to 1.
    #[error("a share is {value}, expected 0 to 1")]
    NotAShare {
        /// What it was.
        value: f64,
    },
    /// The bipartite adjacency would have more cells than [`crate::MAX_LINK_CELLS`].
    #[error("{servers} servers times {mpds} MPDs is more than {most} cells")]
    TooLarge {
        /// Servers asked for.
        servers: usize,
        /// MPDs asked for.
        mpds: usize,
        /// The limit on their product.
        most: usize,
    },
    /// An MPD or an island names a server the pod does not have.
    #[error("{field}[{index}] names server {server}, but servers is {servers}")]
    UnknownServer {
        /// `mpds` or `islands`.
        field: &'static str,
        /// Position in that list.
        index: usize,
        /// The server named.
        server: usize,
        /// How many servers there are.
        servers: usize,
    },
    /// An MPD or an island names a server twice.
    #[error("{field}[{index}] names server {server} twice")]
    RepeatedServer {
        /// `mpds` or `islands`.
        field: &'static str,
        /// Position in that list.
        index: usize,
        /// The server named.
        server: usize,
    },
    /// A server stands in two islands.
    #[error("islands[{second}] names server {server}, which is in islands[{first}] already")]
    SharedByIslands {
        /// The server named.
        server: usize,
        /// The island that has it.
        first: usize,
        /// The island that claims it too.
        second: usize,
    },
    /// An island or MPD list entry is empty where it must not be.
    #[error("{field}[{index}] is empty")]
    Empty {
        /// `islands`.
        field: &'static str,
        /// Position in that list.
        index: usize,
    },
    /// No such pod can be built from these parts; the reason is a proof.
    #[error("no such pod: {reason}")]
    Impossible {
        /// The counting argument or theorem.
        reason: String,
    },
    /// A pod that may exist was not found within the budget of its search.
    #[error(
        "{what} was not found within {budget} steps (seed {seed}); another seed or a larger budget may find it"
    )]
    NotFound {
        /// What was searched for.
        what: String,
        /// Steps spent.
        budget: u64,
        /// The seed used.
        seed: u64,
    },
    /// A JSON file is not JSON, or a field of it is missing or wrong.
    #[error("{}{message} at line {line} column {column}", named(path))]
    Json {
        /// The field, as in `mpds[3][1]`; empty where the whole file is meant.
        path: String,
        /// What is wrong.
        message: String,
        /// Line, from 1.
        line: usize,
        /// Column, from 1 (0 at the start of a line).
        column: usize,
    },
    /// A JSON file follows another schema, or another version of it.
    #[error("schema is {found}, expected \"{expected}\"")]
    Schema {
        /// What the file says, quoted and perhaps shortened.
        found: String,
        /// What this crate reads.
        expected: &'static str,
    },
    /// A row of an edge list is not a link.
    #[error("line {line}: {message}")]
    Row {
        /// Line, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// A file holds nothing.
    #[error("the file is empty, expected a JSON object or an edge list")]
    EmptyFile,
    /// A file is not text.
    #[error("line {line}: not UTF-8")]
    NotUtf8 {
        /// Line of the first bad byte, from 1.
        line: usize,
    },
    /// A file is longer than this crate reads.
    #[error("the file is longer than {most} bytes")]
    TooLong {
        /// The limit.
        most: usize,
    },
    /// The operating system failed to deliver a file.
    #[error("cannot read: {0}")]
    Read(#[source] std::io::Error),
    /// A finite field was asked for whose order is not a prime power.
    #[error("there is no finite field of {value} elements: that is not a prime power")]
    NotAPrimePower {
        /// The order asked for.
        value: u64,
    },
    /// Blocks or parallel classes that are not what they are said to be.
    #[error("not a design: {reason}")]
    NotADesign {
        /// The block, pair or class that is wrong.
        reason: String,
    },
    /// A map said to be a permutation of points is not one.
    #[error("generator {index} is not a permutation of {points} points")]
    NotAPermutation {
        /// Position in the list of generators.
        index: usize,
        /// How many points there are.
        points: usize,
    },
    /// A complete search went through every candidate and kept none.
    #[error("{what} does not exist: every candidate was tried")]
    Exhausted {
        /// What was searched for.
        what: String,
    },
    /// There is provably no such block design.
    #[error("no 2-({points},{block_size},1) design exists: {reason}")]
    NoDesign {
        /// v.
        points: usize,
        /// k.
        block_size: usize,
        /// The theorem, with its source.
        reason: String,
    },
    /// It is an open question whether there is such a block design.
    #[error("whether a 2-({points},{block_size},1) design exists is not known here: {reason}")]
    UnknownDesign {
        /// v.
        points: usize,
        /// k.
        block_size: usize,
        /// What is known.
        reason: String,
    },
    /// Such a block design is published, but this crate has no construction.
    #[error("2-({points},{block_size},1) exists, not constructed here: {reason}")]
    UnbuiltDesign {
        /// v.
        points: usize,
        /// k.
        block_size: usize,
        /// Who proved that it exists.
        reason: String,
    },
}

/// Refuses a count outside `range`, by the name of its field.
pub(crate) fn in_range(
    field: &'static str,
    value: usize,
    range: RangeInclusive<usize>,
) -> crate::Result<()> {
    if range.contains(&value) {
        return Ok(());
    }
    let (least, most) = (*range.start() as u64, *range.end() as u64);
    Err(Error::OutOfRange { field, value: value as u64, least, most })
}

/// A path as the start of a message.
fn named(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!("{path}: ") }
}
