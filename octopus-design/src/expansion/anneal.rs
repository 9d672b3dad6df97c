//! Witnesses: small neighbourhoods found by simulated annealing.
//!
//! An upper bound on `e_k` needs no proof beyond the set itself, so any search
//! will do; annealing over swaps finds the value that is later proved in nearly
//! every case, where a greedy choice is often one or two MPDs above it. Where it
//! does not, the proof comes upon the better set: `e_11` of Octopus-64 is 51, and
//! eight annealing runs stay at 52.

use rand::{Rng, RngExt};

use super::graph::{Cover, Graph};

/// Swaps tried in one restart, a member.
const SWEEPS: usize = 3_000;
/// Fewer swaps where servers and MPDs have so many links that one takes long:
/// no more links than this are looked at in a restart.
const MAX_LINKS: usize = 1 << 26;
/// Temperatures in MPDs: at the first a swap that loses three MPDs is common,
/// at the last one that loses a single MPD is rare.
const HOT: f64 = 1.5;
const COLD: f64 = 0.15;

/// The smallest neighbourhood of `k` servers found in one annealing run,
/// with the servers ascending. Without time for annealing, a greedy choice.
pub(super) fn anneal(
    graph: &Graph,
    k: usize,
    start: &[usize],
    is_late: bool,
    rng: &mut impl Rng,
) -> (usize, Vec<usize>) {
    let mut cover = Cover::new(graph);
    for &server in start {
        cover.insert(server);
    }
    while cover.members.len() < k {
        insert_cheapest(graph, &mut cover, rng);
    }
    let mut best = (cover.reached, cover.members.clone());
    if k < graph.servers() && !is_late {
        let swaps = (SWEEPS * k).min(MAX_LINKS / graph.links_near_a_server().max(1));
        let cooling = (COLD / HOT).powf(1.0 / swaps as f64);
        let mut temperature = HOT;
        for _ in 0..swaps {
            swap(graph, &mut cover, temperature, rng);
            if cover.reached < best.0 {
                best = (cover.reached, cover.members.clone());
            }
            temperature *= cooling;
        }
    }
    best.1.sort_unstable();
    best
}

/// Adds a server that reaches the fewest new MPDs; ties fall to chance.
fn insert_cheapest(graph: &Graph, cover: &mut Cover<'_>, rng: &mut impl Rng) {
    let outside = || (0..graph.servers()).filter(|&s| !cover.is_member[s]);
    let least = outside().map(|s| cover.fresh[s]).min();
    let ties: Vec<usize> = outside().filter(|&s| Some(cover.fresh[s]) == least).collect();
    if !ties.is_empty() {
        cover.insert(ties[rng.random_range(0..ties.len())]);
    }
}

/// One Metropolis step: a random member goes, a random other server comes.
fn swap(graph: &Graph, cover: &mut Cover<'_>, temperature: f64, rng: &mut impl Rng) {
    let position = rng.random_range(0..cover.members.len());
    let comes = loop {
        let server = rng.random_range(0..graph.servers());
        if !cover.is_member[server] {
            break server;
        }
    };
    let before = cover.reached;
    let goes = cover.members[position];
    cover.swap_remove(position);
    let after = cover.reached + usize::from(cover.fresh[comes]);
    let accept =
        after <= before || rng.random::<f64>() < (-((after - before) as f64) / temperature).exp();
    cover.insert(if accept { comes } else { goes });
}
