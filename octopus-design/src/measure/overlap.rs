//! Pairwise overlap.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::Neighbors;
use crate::{ServerId, Topology};

/// How many server pairs share 0, 1, 2.. MPDs, all pairs counted.
///
/// Numbers that no pair shares are left out.
///
/// # Examples
///
/// ```
/// use octopus_design::{Topology, measure::shared_mpds};
///
/// let pod = Topology::new("x", 2, 3, 4, [vec![0, 1, 2], vec![0, 1], vec![3]])?;
/// assert_eq!(shared_mpds(&pod), [(0, 3), (1, 2), (2, 1)].into());
/// # Ok::<(), octopus_design::Error>(())
/// ```
#[must_use]
pub fn shared_mpds(pod: &Topology) -> BTreeMap<usize, u64> {
    let neighbors = Neighbors::of(pod);
    let servers = pod.servers();
    (0..servers)
        .into_par_iter()
        .map_init(
            || vec![0; servers],
            |shared, server| {
                count_shared(pod, &neighbors, server, shared);
                let mut pairs = BTreeMap::new();
                for &count in &shared[server + 1..] {
                    *pairs.entry(count).or_insert(0) += 1;
                }
                pairs
            },
        )
        .reduce(BTreeMap::new, |mut all, some| {
            for (shared, pairs) in some {
                *all.entry(shared).or_insert(0) += pairs;
            }
            all
        })
}

/// Writes how many MPDs `server` shares with each server above it.
fn count_shared(pod: &Topology, neighbors: &Neighbors, server: usize, shared: &mut [usize]) {
    let mpds = &neighbors.mpds_of[server];
    let visits: usize = mpds.iter().map(|&mpd| neighbors.servers_of[mpd].len()).sum();
    // Walking the MPDs is quicker in a sparse pod, comparing rows in a dense one.
    let words = (pod.servers() - server) * pod.mpds().div_ceil(64);
    if visits <= words {
        shared.fill(0);
        for &mpd in mpds {
            for &other in &neighbors.servers_of[mpd] {
                shared[other] += 1;
            }
        }
    } else {
        for (other, shared) in shared.iter_mut().enumerate().skip(server + 1) {
            *shared = pod.shared_mpds(ServerId(server), ServerId(other));
        }
    }
}
