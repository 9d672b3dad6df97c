//! Message hops.
//!
//! # References
//!
//! M. Then et al., "The more the merrier: efficient multi-source graph
//! traversal", PVLDB 8(4), 2014: searches from many sources walk the graph
//! together, one bit a source.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::{Neighbors, pairs};
use crate::Topology;

/// How many MPDs messages must cross, over all server pairs.
///
/// # Examples
///
/// ```
/// use octopus_design::{measure, pod};
/// let hops = measure::mpd_hops(&pod::octopus_96());
/// assert_eq!((&hops.pairs, hops.unreachable), (&[(1, 1152), (2, 3408)].into(), 0));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MpdHops {
    /// Server pairs by the fewest MPDs a message between them crosses (1 where
    /// the two overlap); numbers without a pair are left out.
    pub pairs: BTreeMap<usize, u64>,
    /// Server pairs that cannot reach each other.
    pub unreachable: u64,
}

impl MpdHops {
    /// The most MPDs any message crosses; none where a pair cannot reach each
    /// other, and none in a pod of one server.
    ///
    /// ```
    /// use octopus_design::{Topology, measure::mpd_hops};
    ///
    /// let chain = Topology::new("chain", 2, 2, 4, [[0, 1], [1, 2], [2, 3]])?;
    /// assert_eq!(mpd_hops(&chain).diameter(), Some(3));
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn diameter(&self) -> Option<usize> {
        let farthest = self.pairs.keys().next_back().copied();
        farthest.filter(|_| self.unreachable == 0)
    }
}

/// How many MPDs a message between each two servers must cross, where servers
/// on the way forward it (section 6.2, Figure 11).
///
/// # Examples
///
/// ```
/// use octopus_design::{Topology, measure::mpd_hops};
///
/// let pod = Topology::new("x", 2, 2, 4, [[0, 1], [1, 2]])?;
/// let hops = mpd_hops(&pod);
/// assert_eq!(hops.pairs, [(1, 2), (2, 1)].into());
/// assert_eq!((hops.unreachable, hops.diameter()), (3, None));
/// # Ok::<(), octopus_design::Error>(())
/// ```
#[must_use]
pub fn mpd_hops(pod: &Topology) -> MpdHops {
    let neighbors = Neighbors::of(pod);
    let batches = pod.servers().div_ceil(LANES);
    let ordered = (0..batches)
        .into_par_iter()
        .map(|batch| Search::from_batch(&neighbors, batch * LANES).run())
        .reduce(Vec::new, |a, b| {
            let (mut long, short) = if a.len() < b.len() { (b, a) } else { (a, b) };
            for (sum, more) in long.iter_mut().zip(short) {
                *sum += more;
            }
            long
        });
    // Every pair was found from both its servers.
    let found = ordered.into_iter().enumerate().map(|(hop, pairs)| (hop + 1, pairs / 2));
    let pairs_by_hops: BTreeMap<usize, u64> = found.filter(|&(_, pairs)| pairs > 0).collect();
    let reached: u64 = pairs_by_hops.values().sum();
    MpdHops { pairs: pairs_by_hops, unreachable: pairs(pod.servers()) - reached }
}

const WORDS: usize = 4;
/// Sources that walk together.
const LANES: usize = 64 * WORDS;

/// One bit a source.
type Lanes = [u64; WORDS];
const NONE: Lanes = [0; WORDS];

/// Breadth-first searches from up to [`LANES`] servers at once.
struct Search<'a> {
    neighbors: &'a Neighbors,
    /// By server: the sources that have reached it.
    seen: Vec<Lanes>,
    /// By MPD: the sources that have crossed it.
    crossed: Vec<Lanes>,
    /// The servers reached in the last step, and by which sources.
    frontier: Vec<(usize, Lanes)>,
}

impl<'a> Search<'a> {
    fn from_batch(neighbors: &'a Neighbors, first: usize) -> Self {
        let servers = neighbors.mpds_of.len();
        let mut seen = vec![NONE; servers];
        let mut frontier = Vec::new();
        for lane in 0..LANES.min(servers - first) {
            let mut source = NONE;
            source[lane / 64] = 1 << (lane % 64);
            seen[first + lane] = source;
            frontier.push((first + lane, source));
        }
        Self { neighbors, seen, crossed: vec![NONE; neighbors.servers_of.len()], frontier }
    }

    /// How many servers are first reached at hop 1, 2, .., over all sources.
    fn run(mut self) -> Vec<u64> {
        let Neighbors { mpds_of, servers_of } = self.neighbors;
        let mut at_mpd = Pending::new(servers_of.len());
        let mut at_server = Pending::new(mpds_of.len());
        let mut reached = Vec::new();
        loop {
            for &(server, lanes) in &self.frontier {
                for &mpd in &mpds_of[server] {
                    at_mpd.add(mpd, lanes);
                }
            }
            at_mpd.drain_new(&mut self.crossed, |mpd, lanes| {
                for &server in &servers_of[mpd] {
                    at_server.add(server, lanes);
                }
            });
            let mut count = 0;
            self.frontier.clear();
            let frontier = &mut self.frontier;
            at_server.drain_new(&mut self.seen, |server, lanes| {
                count += lanes.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
                frontier.push((server, lanes));
            });
            if count == 0 {
                return reached;
            }
            reached.push(count);
        }
    }
}

/// Sources that arrive at the vertices of one side within a step.
struct Pending {
    lanes: Vec<Lanes>,
    touched: Vec<usize>,
}

impl Pending {
    fn new(vertices: usize) -> Self {
        Self { lanes: vec![NONE; vertices], touched: Vec::new() }
    }

    fn add(&mut self, vertex: usize, sources: Lanes) {
        let lanes = &mut self.lanes[vertex];
        if *lanes == NONE {
            self.touched.push(vertex);
        }
        for (word, more) in lanes.iter_mut().zip(sources) {
            *word |= more;
        }
    }

    /// Empties this, marks what arrived in `known`, and passes on what was not
    /// known yet.
    fn drain_new(&mut self, known: &mut [Lanes], mut found: impl FnMut(usize, Lanes)) {
        for vertex in self.touched.drain(..) {
            let mut new = std::mem::replace(&mut self.lanes[vertex], NONE);
            for (word, known) in new.iter_mut().zip(&mut known[vertex]) {
                *word &= !*known;
                *known |= *word;
            }
            if new != NONE {
                found(vertex, new);
            }
        }
    }
}
