//! The paper's pods (Table 3), kept as data.
//!
//! The wiring of the two larger ones was found by [`super::find`], from the
//! blueprint of the same name, with the goals and seed that the data's README
//! gives. Tests verify every rule and prove the expansion again.

use super::family::bibd;
use crate::{Topology, format};

const OCTOPUS_64: &str = include_str!("../../data/octopus-64.json");
const OCTOPUS_96: &str = include_str!("../../data/octopus-96.json");

/// One island of 25 servers and 50 MPDs, all eight ports in the island.
///
/// # Panics
///
/// Never: a test builds it.
///
/// # Examples
///
/// ```
/// let pod = octopus_design::pod::octopus_25();
/// assert_eq!((pod.servers(), pod.mpds()), (25, 50));
/// ```
#[must_use]
pub fn octopus_25() -> Topology {
    bibd(25, 4).expect("a 2-(25,4,1) design exists and is built").renamed("octopus-25")
}

/// Four islands of 16 servers; 64 servers and 128 MPDs.
///
/// Any two islands share 48 external MPDs; `e_8` = 42 and `e_16` = 64.
///
/// # Panics
///
/// Never: the data is part of the crate, and a test reads it.
///
/// # Examples
///
/// ```
/// use octopus_design::{measure, pod};
/// let hops = measure::mpd_hops(&pod::octopus_64());
/// assert_eq!((hops.pairs[&1], hops.pairs[&2]), (768, 1248));
/// ```
#[must_use]
pub fn octopus_64() -> Topology {
    format::from_json(OCTOPUS_64).expect("the crate's own data is a topology")
}

/// The default pod: six islands of 16 servers; 96 servers and 192 MPDs.
///
/// Any two islands share 28 or 29 external MPDs, every server reaches every
/// island through one external MPD, and `e_k` is as large as islands of 16 with
/// three external ports a server allow for every k up to 16: `e_16` = 68.
///
/// # Panics
///
/// Never: the data is part of the crate, and a test reads it.
///
/// # Examples
///
/// ```
/// use octopus_design::{pod, verify};
/// assert!(verify::octopus(&pod::octopus_96(), 6, 5).passed());
/// ```
#[must_use]
pub fn octopus_96() -> Topology {
    format::from_json(OCTOPUS_96).expect("the crate's own data is a topology")
}
