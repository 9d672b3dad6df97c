//! Every subset of a small pod, for all `e_k` at once.

use rayon::prelude::*;

use super::graph::Graph;

/// Pods up to this size are enumerated: 2^26 subsets take about a second.
const MAX_SERVERS: usize = 26;
/// No more steps than this, of one subset and 64 MPDs each.
const MAX_STEPS: usize = 1 << 28;
/// Servers whose choice is fixed in each parallel part.
const SPLIT: usize = 6;

/// Whether every subset can be looked at in a second or two.
pub(super) fn is_small(graph: &Graph) -> bool {
    let words = graph.servers_of.len().div_ceil(64);
    graph.servers() <= MAX_SERVERS && words << graph.servers() <= MAX_STEPS
}

/// For each k from 0: the least neighbourhood and the first subset that has
/// it, as bits.
pub(super) fn least_neighborhoods(graph: &Graph) -> Vec<(usize, u32)> {
    let servers = graph.servers();
    let words = graph.servers_of.len().div_ceil(64);
    let rows: Vec<Vec<u64>> = graph
        .mpds_of
        .iter()
        .map(|mpds| {
            let mut row = vec![0; words];
            for &mpd in mpds {
                row[mpd / 64] |= 1 << (mpd % 64);
            }
            row
        })
        .collect();
    let split = SPLIT.min(servers);
    let parts: Vec<Vec<(usize, u32)>> = (0_u32..1 << split)
        .into_par_iter()
        .map(|choice| {
            let mut walk = Walk {
                rows: &rows,
                reached: vec![0; words * (servers + 1)],
                best: vec![(usize::MAX, 0); servers + 1],
            };
            walk.descend(0, split, choice, 0, 0, 0);
            walk.best
        })
        .collect();
    // in index order, so that the first subset wins whatever the threads did
    let mut best = vec![(usize::MAX, 0); servers + 1];
    for part in parts {
        for (least, found) in best.iter_mut().zip(part) {
            if found.0 < least.0 {
                *least = found;
            }
        }
    }
    best
}

struct Walk<'g> {
    rows: &'g [Vec<u64>],
    /// One row a depth: the MPDs reached by the servers chosen above it.
    reached: Vec<u64>,
    best: Vec<(usize, u32)>,
}

impl Walk<'_> {
    /// Chooses server `depth` and all after it; the first `split` choices are
    /// the bits of `fixed`.
    fn descend(
        &mut self,
        depth: usize,
        split: usize,
        fixed: u32,
        chosen: u32,
        size: usize,
        count: usize,
    ) {
        if depth == self.rows.len() {
            if count < self.best[size].0 {
                self.best[size] = (count, chosen);
            }
            return;
        }
        let words = self.rows[depth].len();
        let (above, below) = self.reached.split_at_mut((depth + 1) * words);
        let above = &above[depth * words..];
        let free = depth >= split;
        if free || fixed >> depth & 1 == 0 {
            below[..words].copy_from_slice(above);
            self.descend(depth + 1, split, fixed, chosen, size, count);
        }
        if free || fixed >> depth & 1 == 1 {
            let (above, below) = self.reached.split_at_mut((depth + 1) * words);
            let mut count = count;
            for ((out, &old), &row) in
                below.iter_mut().zip(&above[depth * words..]).zip(&self.rows[depth])
            {
                count += (row & !old).count_ones() as usize;
                *out = old | row;
            }
            self.descend(depth + 1, split, fixed, chosen | 1 << depth, size + 1, count);
        }
    }
}
