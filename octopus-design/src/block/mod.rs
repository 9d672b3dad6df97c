//! Block designs: the islands of a pod, and for which sizes they exist.
//!
//! A 2-(v, k, 1) design has v points and blocks of k points such that any two
//! points are in exactly one block. With servers for points and MPDs for
//! blocks it is a pod in which any two servers share one MPD (section 5.1.1 of
//! the paper), with v = S, k = N and replication r = X.
//!
//! [`build`] picks a construction, [`exists`] says what is known of a size and
//! [`sizes`] lists the sizes that given parts allow. Below them:
//!
//! | sizes | construction | parallel classes |
//! |---|---|---|
//! | k = 2 | [`complete`] | for even v |
//! | q^d, q | [`affine`] | yes |
//! | q^d + … + 1, q + 1 | [`projective`] | no |
//! | q³ + 1, q + 1 | [`hermitian_unital`] | yes |
//! | 2^(m+n) − 2^n + 2^m, 2^m | [`maximal_arc`] | yes |
//! | 3q or 2q + 1, 3 with q ≡ 1 (mod 6) | [`kirkman_triples`] | yes |
//! | v ≡ 1, 3 (mod 6), 3 | [`steiner_triples`] | no |
//! | what has a symmetry | [`search`] over [`Symmetry`] | no |
//!
//! Here q is any prime power. Every design is checked pair by pair as it is
//! made ([`BlockDesign::new`]), so a wrong construction is an error and never
//! a wrong pod.

mod catalogue;
mod curves;
mod design;
mod existence;
mod geometry;
mod orbits;
mod symmetry;
mod triples;

pub use curves::{hermitian_unital, maximal_arc};
pub use design::BlockDesign;
pub use existence::{Answer, Existence, exists, sizes};
pub use geometry::{affine, projective};
pub use orbits::search;
pub use symmetry::{AbelianGroup, MAX_SYMMETRIES, Symmetry};
pub use triples::{complete, kirkman_triples, steiner_triples};

use crate::{Error, Result};

/// A 2-(v, k, 1) design of v = `points`, k = `block_size`, by the construction
/// this crate has for it; one with parallel classes if there are several.
///
/// # Errors
///
/// [`Error::NoDesign`], [`Error::UnknownDesign`] or [`Error::UnbuiltDesign`],
/// each with the reason [`exists`] gives.
///
/// # Examples
///
/// ```
/// use octopus_design::{Error, block};
///
/// let denniston = block::build(66, 6)?;
/// assert_eq!((denniston.blocks().len(), denniston.replication()), (143, 13));
/// assert!(matches!(block::build(46, 6), Err(Error::NoDesign { .. })));
/// assert!(matches!(block::build(51, 6), Err(Error::UnknownDesign { .. })));
/// # Ok::<(), Error>(())
/// ```
pub fn build(points: usize, block_size: usize) -> Result<BlockDesign> {
    let Existence { answer, reason, constructed } = exists(points, block_size);
    match answer {
        Answer::No => Err(Error::NoDesign { points, block_size, reason }),
        Answer::Unknown => Err(Error::UnknownDesign { points, block_size, reason }),
        Answer::Yes => match catalogue::Construction::choose(points, block_size) {
            Some(construction) if constructed => construction.build(),
            _ => Err(Error::UnbuiltDesign { points, block_size, reason }),
        },
    }
}
