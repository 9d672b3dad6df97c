//! Rules on islands, external MPDs and server pairs.

use bitvec::prelude::{BitVec, Lsb0};

use super::{Outcome, Violation};
use crate::{IslandId, MpdId, ServerId, Topology};

/// Above this, island pairs are not counted (64 MiB of counters).
const MOST_ISLANDS: usize = 4096;
pub(super) const TOO_MANY: Outcome =
    Outcome::Undecided { budget: (MOST_ISLANDS * MOST_ISLANDS) as u64 };

/// A pod taken apart into islands and MPDs within and between them.
pub(super) struct Parts<'a> {
    pub(super) pod: &'a Topology,
    pub(super) islands: Vec<Vec<ServerId>>,
    /// By server.
    island_of: Vec<Option<usize>>,
    /// By MPD: whether all its servers are in one island, none if unlinked.
    internal: Vec<Option<bool>>,
    /// The external MPDs, ascending.
    pub(super) external: Vec<MpdId>,
}

impl<'a> Parts<'a> {
    pub(super) fn of(pod: &'a Topology, expected_islands: usize) -> Self {
        let mut islands = pod.islands().to_vec();
        if islands.is_empty() && expected_islands == 1 {
            islands.push(pod.server_ids().collect());
        }
        let mut island_of = vec![None; pod.servers()];
        for (index, island) in islands.iter().enumerate() {
            for server in island {
                island_of[server.index()] = Some(index);
            }
        }
        let internal: Vec<Option<bool>> = pod
            .mpd_ids()
            .map(|mpd| {
                let mut servers = pod.servers_of(mpd).map(|server| island_of[server.index()]);
                let first = servers.next()?;
                Some(first.is_some() && servers.all(|island| island == first))
            })
            .collect();
        let external = pod.mpd_ids().filter(|mpd| internal[mpd.index()] == Some(false)).collect();
        Self { pod, islands, island_of, internal, external }
    }

    pub(super) fn if_external(&self, outcome: impl FnOnce() -> Outcome) -> Outcome {
        if self.external.is_empty() {
            Outcome::NotApplicable("the pod has no external MPDs")
        } else {
            outcome()
        }
    }

    pub(super) fn partition(&self, expected: usize) -> Option<Violation> {
        let islands = self.islands.len();
        if islands != expected {
            return Some(Violation::IslandCount { islands, expected });
        }
        let mut servers = self.pod.server_ids();
        if let Some(server) = servers.find(|server| self.island_of[server.index()].is_none()) {
            return Some(Violation::NoIsland { server });
        }
        let expected = self.islands.first()?.len();
        let odd = self.islands.iter().position(|island| island.len() != expected)?;
        let servers = self.islands[odd].len();
        Some(Violation::IslandSize { island: IslandId(odd), servers, expected })
    }

    pub(super) fn server_links(&self) -> Option<Violation> {
        let expected = self.pod.server_ports();
        self.pod.server_ids().find_map(|server| {
            let links = self.pod.mpd_mask(server).count_ones();
            (links != expected).then_some(Violation::ServerLinks { server, links, expected })
        })
    }

    pub(super) fn mpd_links(&self) -> Option<Violation> {
        let expected = self.pod.mpd_ports();
        self.pod.mpd_ids().find_map(|mpd| {
            let links = self.pod.server_mask(mpd).count_ones();
            (links != expected).then_some(Violation::MpdLinks { mpd, links, expected })
        })
    }

    fn island_mpds_of(&self, server: ServerId) -> impl Iterator<Item = MpdId> {
        self.pod.mpds_of(server).filter(|mpd| self.internal[mpd.index()] == Some(true))
    }

    pub(super) fn external_mpds_of(&self, server: ServerId) -> impl Iterator<Item = MpdId> {
        self.pod.mpds_of(server).filter(|mpd| self.internal[mpd.index()] == Some(false))
    }

    pub(super) fn island_ports(&self, expected: usize) -> Option<Violation> {
        self.pod.server_ids().find_map(|server| {
            let links = self.island_mpds_of(server).count();
            (links != expected).then_some(Violation::IslandPorts { server, links, expected })
        })
    }

    /// Walks all pairs of every island.
    pub(super) fn island_design(&self) -> Option<Violation> {
        let mut shared = vec![0; self.pod.servers()];
        self.islands.iter().enumerate().find_map(|(index, island)| {
            island.iter().enumerate().find_map(|(position, &a)| {
                self.count_shared(self.island_mpds_of(a), &mut shared);
                let others = &island[position + 1..];
                let b = *others.iter().find(|b| shared[b.index()] != 1)?;
                let shared = shared[b.index()];
                Some(Violation::IslandPair { island: IslandId(index), a, b, shared })
            })
        })
    }

    /// Walks all pairs of the pod.
    pub(super) fn pair_share(&self) -> Option<Violation> {
        let mut shared = vec![0; self.pod.servers()];
        self.pod.server_ids().find_map(|a| {
            self.count_shared(self.pod.mpds_of(a), &mut shared);
            let above = &shared[a.index() + 1..];
            let offset = above.iter().position(|&count| count > 1)?;
            let b = ServerId(a.index() + 1 + offset);
            Some(Violation::PairShare { a, b, shared: above[offset] })
        })
    }

    /// How many of `mpds` each server is linked to.
    fn count_shared(&self, mpds: impl Iterator<Item = MpdId>, shared: &mut [usize]) {
        shared.fill(0);
        for mpd in mpds {
            for server in self.pod.servers_of(mpd) {
                shared[server.index()] += 1;
            }
        }
    }

    /// The islands an MPD touches, ascending.
    pub(super) fn islands_of(&self, mpd: MpdId) -> Vec<usize> {
        let servers = self.pod.servers_of(mpd);
        let mut touched: Vec<usize> =
            servers.filter_map(|server| self.island_of[server.index()]).collect();
        touched.sort_unstable();
        touched.dedup();
        touched
    }

    pub(super) fn external_spread(&self) -> Option<Violation> {
        let expected = self.pod.mpd_ports();
        self.external.iter().find_map(|&mpd| {
            let islands = self.islands_of(mpd).len();
            (islands != expected).then_some(Violation::Spread { mpd, islands, expected })
        })
    }

    /// How many of `mpds` each two islands share; none for too many islands.
    pub(super) fn external_pairs(&self, mpds: &[MpdId]) -> Option<Vec<Vec<u32>>> {
        let islands = self.islands.len();
        if islands > MOST_ISLANDS {
            return None;
        }
        let mut shared = vec![vec![0; islands]; islands];
        for &mpd in mpds {
            let touched = self.islands_of(mpd);
            for &a in &touched {
                for &b in touched.iter().filter(|&&b| b != a) {
                    shared[a][b] += 1;
                }
            }
        }
        Some(shared)
    }

    pub(super) fn uncovered(&self) -> Option<Violation> {
        self.pod.server_ids().find_map(|server| {
            let mut reached = vec![false; self.islands.len()];
            if let Some(own) = self.island_of[server.index()] {
                reached[own] = true;
            }
            for mpd in self.external_mpds_of(server) {
                for other in self.pod.servers_of(mpd) {
                    if let Some(island) = self.island_of[other.index()] {
                        reached[island] = true;
                    }
                }
            }
            let island = IslandId(reached.iter().position(|&reached| !reached)?);
            Some(Violation::Uncovered { server, island })
        })
    }

    /// Walks all pairs of the pod.
    pub(super) fn far(&self) -> Option<Violation> {
        let reach = |from: &BitVec<u64, Lsb0>| {
            let mut crossed: BitVec<u64, Lsb0> = BitVec::repeat(false, self.pod.mpds());
            for server in from.iter_ones() {
                crossed |= self.pod.mpd_mask(ServerId(server));
            }
            let mut reached = from.clone();
            for mpd in crossed.iter_ones() {
                reached |= self.pod.server_mask(MpdId(mpd));
            }
            reached
        };
        self.pod.server_ids().find_map(|a| {
            let mut start = BitVec::repeat(false, self.pod.servers());
            start.set(a.index(), true);
            let reached = reach(&reach(&start));
            let b = (a.index() + 1..self.pod.servers()).find(|&b| !reached[b])?;
            Some(Violation::Far { a, b: ServerId(b) })
        })
    }
}

/// The least and the most of a symmetric matrix's pairs, each with its first
/// pair; none for fewer than two islands.
fn extremes(pairs: &[Vec<u32>]) -> Option<[(u32, (usize, usize)); 2]> {
    let all = || {
        let rows = pairs.iter().enumerate();
        rows.flat_map(|(a, row)| (a + 1..row.len()).map(move |b| (row[b], (a, b))))
    };
    // Ties go to the first pair: min_by_key keeps the first, and so does this.
    Some([all().min_by_key(|x| x.0)?, all().min_by_key(|x| u32::MAX - x.0)?])
}

/// Two island pairs that differ by more than one.
pub(super) fn unbalanced(pairs: &[Vec<u32>], round: Option<usize>) -> Option<Violation> {
    let [(least, low), (most, high)] = extremes(pairs)?;
    let ids = |(a, b)| (IslandId(a), IslandId(b));
    (most - least > 1).then(|| Violation::Unbalanced {
        round,
        low: ids(low),
        least: least as usize,
        high: ids(high),
        most: most as usize,
    })
}

/// Whether the pairs that share one less than the others form a regular graph.
pub(super) fn low_pairs(pairs: &[Vec<u32>], round: Option<usize>) -> Outcome {
    let Some([(least, _), (most, _)]) = extremes(pairs) else {
        return Outcome::NotApplicable("there is one island");
    };
    match most - least {
        0 => return Outcome::NotApplicable("all island pairs are equal"),
        1 => {}
        _ => return Outcome::NotApplicable("island pairs are not balanced"),
    }
    let degrees: Vec<usize> = pairs
        .iter()
        .enumerate()
        .map(|(a, row)| row.iter().enumerate().filter(|&(b, &n)| b != a && n == least).count())
        .collect();
    let position = |degree| degrees.iter().position(|&d| d == degree).map(IslandId);
    let (fewest, most) = (degrees.iter().copied().min(), degrees.iter().copied().max());
    let ends = fewest.zip(most).filter(|(fewest, most)| fewest < most);
    Outcome::of(ends.and_then(|(fewest, most)| {
        Some(Violation::Irregular {
            round,
            shared: least as usize,
            low: position(fewest)?,
            least: fewest,
            high: position(most)?,
            most,
        })
    }))
}
