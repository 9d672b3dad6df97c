//! Values of `e_k` that took long to prove, kept with what proves them again.

use serde::Deserialize;

use super::Expansion;
use crate::{ServerId, Topology, pod};

const OCTOPUS_64: &str = include_str!("../../data/octopus-64.expansion.json");
const OCTOPUS_96: &str = include_str!("../../data/octopus-96.expansion.json");

/// A kept profile, as `inspect --json` prints it.
#[derive(Deserialize)]
struct Kept {
    expansion: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    k: usize,
    lower: usize,
    upper: usize,
    witness: Vec<usize>,
    visited: u64,
}

/// Bounds of `e_k` proved earlier for the wiring of a shipped pod, from k = 1;
/// none for any other wiring.
///
/// [`super::profile`] proves them again, given the work that each took
/// (`visited`); this function proves nothing, it remembers. The data says which
/// command proved it. A witness needs no trust: count its MPDs.
///
/// # Panics
///
/// Never: the data is part of the crate, and a test reads it.
///
/// # Examples
///
/// ```
/// use octopus_design::{expansion, pod};
///
/// let pod = pod::octopus_96();
/// let kept = expansion::kept(&pod);
/// assert_eq!((kept[15].k, kept[15].lower), (16, 68));
/// assert_eq!(pod.neighborhood(&kept[15].witness), kept[15].upper);
/// assert!(expansion::kept(&pod::bibd(13, 4)?).is_empty());
/// # Ok::<(), octopus_design::Error>(())
/// ```
#[must_use]
pub fn kept(topology: &Topology) -> Vec<Expansion> {
    let known = [(pod::octopus_64(), OCTOPUS_64), (pod::octopus_96(), OCTOPUS_96)];
    let Some((_, text)) = known.iter().find(|(pod, _)| same_wiring(pod, topology)) else {
        return Vec::new();
    };
    let kept: Kept = serde_json::from_str(text).expect("the crate's own data is well formed");
    let expansion = |row: Row| {
        let Row { k, lower, upper, witness, visited } = row;
        Expansion { k, lower, upper, witness: witness.into_iter().map(ServerId).collect(), visited }
    };
    kept.expansion.into_iter().map(expansion).collect()
}

/// Whether the same servers are wired to the same MPDs, whatever the names.
fn same_wiring(a: &Topology, b: &Topology) -> bool {
    (a.servers(), a.mpds()) == (b.servers(), b.mpds())
        && a.mpd_ids().all(|mpd| a.server_mask(mpd) == b.server_mask(mpd))
}
