//! Low-latency domains: sets of servers any two of which share an MPD.

use bitvec::prelude::{BitVec, Lsb0};

use crate::{ServerId, Topology};

/// The largest k such that *every* server belongs to k servers any two of
/// which share an MPD: the "Low (k)" of Table 2.
///
/// Found on the wiring alone; islands that a topology claims are not looked
/// at. A server without links is a domain of its own, k = 1. Each server's
/// largest domain is a maximum clique of the overlap graph, found by branch
/// and bound with a colouring bound (Tomita and Seki, DMTCS 2003); the work is
/// exponential at worst, so it ends after `budget` branches with `None`.
///
/// # Examples
///
/// ```
/// use octopus_design::{Topology, measure::low_latency_domain};
///
/// // A ring of three and a pair: the pair's servers have no third.
/// let pod = Topology::new("p", 2, 2, 5, [[0, 1], [1, 2], [0, 2], [3, 4]])?;
/// assert_eq!(low_latency_domain(&pod, 1_000), Some(2));
/// # Ok::<(), octopus_design::Error>(())
/// ```
#[must_use]
pub fn low_latency_domain(pod: &Topology, budget: u64) -> Option<usize> {
    let overlaps: Vec<BitVec<u64, Lsb0>> =
        pod.server_ids().map(|server| overlapping(pod, server)).collect();
    let mut search = Search { overlaps: &overlaps, left: budget };
    let mut least = usize::MAX;
    for row in &overlaps {
        let mut best = 1;
        search.extend(1, row.iter_ones().collect(), &mut best)?;
        least = least.min(best);
    }
    Some(least)
}

/// The other servers that share an MPD with this one.
fn overlapping(pod: &Topology, server: ServerId) -> BitVec<u64, Lsb0> {
    let mut met = BitVec::repeat(false, pod.servers());
    for mpd in pod.mpds_of(server) {
        met |= pod.server_mask(mpd);
    }
    met.set(server.index(), false);
    met
}

struct Search<'a> {
    overlaps: &'a [BitVec<u64, Lsb0>],
    /// Branches still allowed.
    left: u64,
}

impl Search<'_> {
    /// Raises `best` to the size of the largest clique made of `size` chosen
    /// servers and some of `candidates`, all of which overlap all chosen.
    fn extend(&mut self, size: usize, candidates: Vec<usize>, best: &mut usize) -> Option<()> {
        *best = size.max(*best);
        let mut classes = self.colour(candidates);
        // A clique has at most one server of each class.
        while size + classes.len() > *best {
            let Some(server) = classes.last_mut().and_then(Vec::pop) else { break };
            self.left = self.left.checked_sub(1)?;
            let rest = classes.iter().flatten().copied();
            let rest = rest.filter(|&other| self.overlaps[server][other]).collect();
            self.extend(size + 1, rest, best)?;
            while classes.last().is_some_and(Vec::is_empty) {
                classes.pop();
            }
        }
        Some(())
    }

    /// Splits servers into classes of which no two servers overlap.
    fn colour(&self, servers: Vec<usize>) -> Vec<Vec<usize>> {
        let mut classes: Vec<Vec<usize>> = Vec::new();
        for server in servers {
            let apart =
                |class: &&mut Vec<usize>| class.iter().all(|&other| !self.overlaps[server][other]);
            match classes.iter_mut().find(apart) {
                Some(class) => class.push(server),
                None => classes.push(vec![server]),
            }
        }
        classes
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Over all subsets of servers.
    fn brute_force(pod: &Topology) -> usize {
        let servers = pod.servers();
        let overlap = |a, b| pod.shared_mpds(ServerId(a), ServerId(b)) > 0;
        let mut largest = vec![0; servers];
        for set in 1_u32..1 << servers {
            let members: Vec<usize> = (0..servers).filter(|s| set >> s & 1 == 1).collect();
            let all = members
                .iter()
                .enumerate()
                .all(|(at, &a)| members[at + 1..].iter().all(|&b| overlap(a, b)));
            if all {
                for &member in &members {
                    largest[member] = largest[member].max(members.len());
                }
            }
        }
        largest.into_iter().min().unwrap()
    }

    proptest! {
        #[test]
        fn agrees_with_all_subsets(
            mpds in prop::collection::vec(prop::collection::btree_set(0_usize..8, 0..5), 1..12),
        ) {
            let pod = Topology::new("p", 12, 5, 8, mpds).unwrap();
            prop_assert_eq!(low_latency_domain(&pod, u64::MAX), Some(brute_force(&pod)));
        }
    }

    #[test]
    fn a_budget_ends_the_search() {
        let pod = Topology::new("p", 1, 9, 9, std::iter::once(0..9)).unwrap();
        assert_eq!(low_latency_domain(&pod, 7), None);
        assert_eq!(low_latency_domain(&pod, 1_000), Some(9));
    }
}
