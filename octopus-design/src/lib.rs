//! Sparse CXL memory pods: which servers are wired to which multi-ported
//! devices (MPDs), why that wiring exists, and what it is worth.
//!
//! The crate follows section 5 of the Octopus paper ("Octopus: Enhancing CXL
//! Memory Pods via Sparse Topology") and goes on where it stops:
//!
//! * [`Topology`] is the bipartite server–MPD graph everything else speaks of.
//! * [`block`] builds the balanced incomplete block designs that islands are
//!   made of, and says for which sizes they exist.
//! * [`pod`] builds pods: fully connected, BIBD, Jellyfish, Xpander, Octopus.
//! * [`verify`] checks a pod's rules, sharing no code with what built it.
//! * [`measure`] counts overlap and message hops and finds the spectral gap.
//! * [`expansion`] finds the expansion `e_k`, with a proof.
//! * [`mod@format`] reads and writes topologies.

#![forbid(unsafe_code)]

pub mod block;
mod error;
pub mod expansion;
pub mod field;
pub mod format;
mod id;
pub mod measure;
pub mod pod;
mod topology;
pub mod verify;

pub use error::Error;
pub use id::{IslandId, MpdId, ServerId};
pub use topology::{MAX_LINK_CELLS, MAX_MPDS, MAX_SERVERS, Topology};

/// The result of this crate's fallible operations.
///
/// # Examples
///
/// ```
/// fn links() -> octopus_design::Result<usize> {
///     Ok(octopus_design::pod::bibd(13, 4)?.links())
/// }
/// assert_eq!(links()?, 52);
/// # Ok::<(), octopus_design::Error>(())
/// ```
pub type Result<T, E = Error> = std::result::Result<T, E>;
