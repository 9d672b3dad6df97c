//! The pod as flat arrays, and a set of servers that grows and shrinks.

use itertools::Itertools;

use crate::{MpdId, ServerId, Topology};

/// Adjacency as index lists, with what the bounds need to know of the degrees.
#[derive(Debug)]
pub(super) struct Graph {
    /// MPDs of each server.
    pub(super) mpds_of: Vec<Vec<usize>>,
    /// Servers of each MPD.
    pub(super) servers_of: Vec<Vec<usize>>,
    /// The largest server degree, X in a regular pod.
    pub(super) max_degree: usize,
    /// The most MPDs that two servers share.
    pub(super) max_shared: usize,
}

impl Graph {
    pub(super) fn new(topology: &Topology) -> Self {
        let mpds_of: Vec<Vec<usize>> = topology
            .server_ids()
            .map(|s| topology.mpds_of(s).map(MpdId::index).collect())
            .collect();
        let servers_of: Vec<Vec<usize>> = topology
            .mpd_ids()
            .map(|m| topology.servers_of(m).map(ServerId::index).collect())
            .collect();
        let max_degree = mpds_of.iter().map(Vec::len).max().unwrap_or(0);
        let mut shared = vec![0_usize; mpds_of.len()];
        let mut max_shared = 0;
        for (server, mpds) in mpds_of.iter().enumerate() {
            let others = || mpds.iter().flat_map(|&m| &servers_of[m]).filter(|&&o| o > server);
            for &other in others() {
                shared[other] += 1;
                max_shared = max_shared.max(shared[other]);
            }
            for &other in others() {
                shared[other] = 0;
            }
        }
        Self { mpds_of, servers_of, max_degree, max_shared }
    }

    pub(super) fn servers(&self) -> usize {
        self.mpds_of.len()
    }

    /// Whether the counts of a [`Cover`] have room for the pod's degrees.
    pub(super) fn is_searchable(&self) -> bool {
        self.max_degree < usize::from(MEMBER)
    }

    /// The most links that a server's MPDs have together, itself included.
    pub(super) fn links_near_a_server(&self) -> usize {
        let near = |mpds: &Vec<usize>| mpds.iter().map(|&m| self.servers_of[m].len()).sum();
        self.mpds_of.iter().map(near).max().unwrap_or(0)
    }

    /// How far a server's degree is below the largest.
    pub(super) fn deficit(&self, server: usize) -> usize {
        self.max_degree - self.mpds_of[server].len()
    }

    /// |N(U)|.
    pub(super) fn neighborhood(&self, set: &[usize]) -> usize {
        set.iter().flat_map(|&s| &self.mpds_of[s]).unique().count()
    }
}

/// Above every degree that is searched.
const MEMBER: u16 = 1 << 15;

/// A set of servers U with the counts that follow from it, kept up to date as
/// servers come and go.
#[derive(Clone, Debug)]
pub(super) struct Cover<'g> {
    graph: &'g Graph,
    /// Members, in order of arrival.
    pub(super) members: Vec<usize>,
    pub(super) is_member: Vec<bool>,
    /// How many members reach each MPD.
    pub(super) count: Vec<u16>,
    /// The XOR of the members that reach each MPD: the member itself where
    /// there is one.
    pub(super) reacher: Vec<usize>,
    /// For each server, how many of its MPDs no member reaches; for a member,
    /// [`MEMBER`], so that no search for few fresh MPDs meets it.
    pub(super) fresh: Vec<u16>,
    /// For each member, how many MPDs it alone reaches.
    pub(super) private: Vec<u16>,
    /// |N(U)|.
    pub(super) reached: usize,
    /// Σ max(0, count − 2) over MPDs, plus the members' degree deficits.
    pub(super) surplus: usize,
}

impl<'g> Cover<'g> {
    pub(super) fn new(graph: &'g Graph) -> Self {
        let degree = |mpds: &Vec<usize>| u16::try_from(mpds.len()).unwrap_or(u16::MAX);
        Self {
            graph,
            members: Vec::new(),
            is_member: vec![false; graph.servers()],
            count: vec![0; graph.servers_of.len()],
            reacher: vec![0; graph.servers_of.len()],
            fresh: graph.mpds_of.iter().map(degree).collect(),
            private: vec![0; graph.servers()],
            reached: 0,
            surplus: 0,
        }
    }

    /// The largest server degree.
    pub(super) fn max_degree(&self) -> u16 {
        // the caller made sure of it: see `Graph::is_searchable`
        u16::try_from(self.graph.max_degree).unwrap_or(u16::MAX)
    }

    /// How many servers outside have exactly this many fresh MPDs.
    pub(super) fn servers_with_fresh(&self, value: u16) -> u16 {
        // counted in u16, eight servers an instruction
        self.fresh.iter().map(|&fresh| u16::from(fresh == value)).sum()
    }

    /// The servers outside whose fresh MPDs are in a range, ascending.
    pub(super) fn collect_fresh(&self, least: u16, most: u16, out: &mut Vec<usize>) {
        let span = most - least;
        let servers = self.fresh.iter().enumerate();
        out.extend(servers.filter(|(_, fresh)| fresh.wrapping_sub(least) <= span).map(|(s, _)| s));
    }

    /// Counts a server as a member on its MPDs alone, to see what its arrival
    /// does to the others' private MPDs; [`Self::take_off`] undoes it.
    pub(super) fn try_on(&mut self, server: usize) {
        for &mpd in &self.graph.mpds_of[server] {
            if self.count[mpd] == 1 {
                self.private[self.reacher[mpd]] -= 1;
            }
            self.count[mpd] += 1;
        }
    }

    pub(super) fn take_off(&mut self, server: usize) {
        for &mpd in &self.graph.mpds_of[server] {
            self.count[mpd] -= 1;
            if self.count[mpd] == 1 {
                self.private[self.reacher[mpd]] += 1;
            }
        }
    }

    pub(super) fn insert(&mut self, server: usize) {
        self.members.push(server);
        self.is_member[server] = true;
        self.fresh[server] += MEMBER;
        self.surplus += self.graph.deficit(server);
        for &mpd in &self.graph.mpds_of[server] {
            match self.count[mpd] {
                0 => {
                    self.reached += 1;
                    self.private[server] += 1;
                    for &other in &self.graph.servers_of[mpd] {
                        self.fresh[other] -= 1;
                    }
                }
                1 => self.private[self.reacher[mpd]] -= 1,
                _ => self.surplus += 1,
            }
            self.count[mpd] += 1;
            self.reacher[mpd] ^= server;
        }
    }

    /// Takes out the member that came last.
    pub(super) fn pop(&mut self) {
        if let Some(server) = self.members.pop() {
            self.take_out(server);
        }
    }

    /// Takes out the member at a position; the last one moves there.
    pub(super) fn swap_remove(&mut self, position: usize) {
        let server = self.members.swap_remove(position);
        self.take_out(server);
    }

    fn take_out(&mut self, server: usize) {
        self.is_member[server] = false;
        self.fresh[server] -= MEMBER;
        self.surplus -= self.graph.deficit(server);
        for &mpd in &self.graph.mpds_of[server] {
            self.count[mpd] -= 1;
            self.reacher[mpd] ^= server;
            match self.count[mpd] {
                0 => {
                    self.reached -= 1;
                    self.private[server] -= 1;
                    for &other in &self.graph.servers_of[mpd] {
                        self.fresh[other] += 1;
                    }
                }
                1 => self.private[self.reacher[mpd]] += 1,
                _ => self.surplus -= 1,
            }
        }
    }
}
