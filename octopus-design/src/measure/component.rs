//! Connected components.

use super::Neighbors;
use crate::Topology;

/// Whether all servers, and all MPDs that have a link, hang together.
///
/// An MPD without a link is a spare part rather than a piece of the pod, and
/// does not count; a server without a link is cut off, and does. A single
/// server is connected to all there is.
///
/// # Examples
///
/// ```
/// use octopus_design::{Topology, measure::connected};
///
/// let chain = Topology::new("chain", 2, 2, 3, [vec![0, 1], vec![1, 2], vec![]])?;
/// assert!(connected(&chain));
/// let apart = Topology::new("apart", 1, 2, 4, [[0, 1], [2, 3]])?;
/// assert!(!connected(&apart));
/// # Ok::<(), octopus_design::Error>(())
/// ```
#[must_use]
pub fn connected(pod: &Topology) -> bool {
    // A linked MPD is in the component of its servers.
    components(&Neighbors::of(pod)).len() == 1
}

/// The servers of each component, by its lowest server.
pub(super) fn components(neighbors: &Neighbors) -> Vec<Vec<usize>> {
    let Neighbors { mpds_of, servers_of } = neighbors;
    let mut seen = vec![false; mpds_of.len()];
    let mut crossed = vec![false; servers_of.len()];
    let mut found = Vec::new();
    for start in 0..mpds_of.len() {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        let mut component = vec![start];
        let mut next = 0;
        while let Some(&server) = component.get(next) {
            next += 1;
            for &mpd in &mpds_of[server] {
                if std::mem::replace(&mut crossed[mpd], true) {
                    continue;
                }
                for &other in &servers_of[mpd] {
                    if !std::mem::replace(&mut seen[other], true) {
                        component.push(other);
                    }
                }
            }
        }
        found.push(component);
    }
    found
}
