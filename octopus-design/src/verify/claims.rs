//! What any topology claims.

use bitvec::prelude::{BitVec, Lsb0};

use super::Violation;
use crate::{IslandId, ServerId, Topology};

/// Everything a topology says of itself that is not so.
///
/// A topology says by its port counts that no server has more than
/// [`server_ports`](Topology::server_ports) links and no MPD more than
/// [`mpd_ports`](Topology::mpd_ports), and by each of its islands that every
/// two servers of it share an MPD. Servers come first, then MPDs, then
/// islands; an island is one violation however many pairs it lacks.
///
/// # Examples
///
/// ```
/// use octopus_design::{Topology, verify::claims};
///
/// let pod = Topology::new("chain", 1, 2, 3, [[0, 1], [1, 2]])?.with_islands([[0, 1, 2]])?;
/// let lines: Vec<String> = claims(&pod).iter().map(ToString::to_string).collect();
/// assert_eq!(
///     lines,
///     [
///         "S1 has 2 links but 1 ports",
///         "island I0 is none: S0 and S2 share no MPD (1 of 3 pairs)",
///     ],
/// );
/// # Ok::<(), octopus_design::Error>(())
/// ```
#[must_use]
pub fn claims(pod: &Topology) -> Vec<Violation> {
    let mut found = Vec::new();
    let ports = pod.server_ports();
    for server in pod.server_ids() {
        let links = pod.mpd_mask(server).count_ones();
        if links > ports {
            found.push(Violation::ServerOverPorts { server, links, ports });
        }
    }
    let ports = pod.mpd_ports();
    for mpd in pod.mpd_ids() {
        let links = pod.server_mask(mpd).count_ones();
        if links > ports {
            found.push(Violation::MpdOverPorts { mpd, links, ports });
        }
    }
    let islands = pod.islands().iter().enumerate();
    found.extend(islands.filter_map(|(index, island)| no_overlap(pod, IslandId(index), island)));
    found
}

/// Walks all pairs of an island; its servers are ascending.
fn no_overlap(pod: &Topology, island: IslandId, servers: &[ServerId]) -> Option<Violation> {
    let mut first = None;
    let (mut missing, mut pairs) = (0, 0);
    for (index, &a) in servers.iter().enumerate() {
        let mut met: BitVec<u64, Lsb0> = BitVec::repeat(false, pod.servers());
        for mpd in pod.mpds_of(a) {
            met |= pod.server_mask(mpd);
        }
        for &b in &servers[index + 1..] {
            pairs += 1;
            if !met[b.index()] {
                missing += 1;
                first.get_or_insert((a, b));
            }
        }
    }
    first.map(|(a, b)| Violation::NoOverlap { island, a, b, missing, pairs })
}
