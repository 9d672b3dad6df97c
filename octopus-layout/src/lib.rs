//! Where the servers and MPDs of a CXL memory pod go in three racks, so that
//! the longest cable is short; and a proof of how short it can be.
//!
//! Follows sections 2, 5.3 and 6.4 of the Octopus paper ("Octopus: Enhancing
//! CXL Memory Pods via Sparse Topology") and goes on where it stops.
//!
//! * [`Geometry`] is the racks, [`Placement`] where each box stands.
//! * [`plan`] says which cables to buy from a [`PriceList`] and where each goes;
//!   [`cheaper`] finds placements that need cheaper ones.
//! * [`LossBudget`] says how long a cable may be.
//! * [`PlacementFile`] is `placement.json`.

#![forbid(unsafe_code)]

mod cables;
mod error;
mod format;
mod geometry;
mod placement;
mod reach;
mod text;

pub use cables::{Cable, MAX_SKUS, Plan, PriceList, Sku, cheaper, plan};
pub use error::Error;
pub use format::{MAX_FILE_BYTES, PLACEMENT_SCHEMA, PlacementFile};
pub use geometry::{Geometry, MAX_POSITIONS, MAX_SLOTS};
pub use placement::{MpdPlace, Placement, Rack, ServerPlace};
pub use reach::LossBudget;

/// The result of this crate's fallible operations.
///
/// ```
/// fn slots() -> octopus_layout::Result<usize> {
///     Ok(octopus_layout::Geometry::from_toml("server_slots = 24")?.server_places())
/// }
/// assert_eq!(slots()?, 48);
/// # Ok::<(), octopus_layout::Error>(())
/// ```
pub type Result<T, E = Error> = std::result::Result<T, E>;
