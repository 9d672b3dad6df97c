//! Demand laid on a pod's MPDs as a flow, kept feasible under a cap.
//!
//! Servers send units to the MPDs they are wired to; an MPD holds at most the
//! cap. A server whose own MPDs are full finds room along an augmenting path:
//! one of them passes units of another server on to an MPD with room, over as
//! many steps as it takes (Ford and Fulkerson; breadth-first, so that the path
//! is a shortest one).

use std::ops::Range;

use octopus_design::Topology;

use crate::num::index_u32;
use crate::{Error, Result};

const NONE: u32 = u32::MAX;

/// A pod's links in flat arrays. A link's number is its place in them.
#[derive(Clone, Debug)]
pub(crate) struct Wiring {
    /// The links of server s are `first[s]..end[s]`: `first[s + 1]` as long as
    /// none of its MPDs has failed.
    first: Vec<usize>,
    end: Vec<usize>,
    /// The MPD of each link, ascending for a server.
    pub(crate) mpd: Vec<u32>,
    /// The server of each link.
    pub(crate) owner: Vec<u32>,
    /// The links of MPD m are `cable[mpd_first[m]..mpd_first[m + 1]]`.
    mpd_first: Vec<usize>,
    cable: Vec<u32>,
}

impl Wiring {
    pub(crate) fn new(topology: &Topology) -> Self {
        let (mut first, mut mpd, mut owner) = (vec![0], Vec::new(), Vec::new());
        let mut by_mpd = vec![Vec::new(); topology.mpds()];
        for server in topology.server_ids() {
            for to in topology.mpds_of(server) {
                by_mpd[to.index()].push(index_u32(mpd.len()));
                mpd.push(index_u32(to.index()));
                owner.push(index_u32(server.index()));
            }
            first.push(mpd.len());
        }
        let end = first[1..].to_vec();
        let mut wiring = Self { first, end, mpd, owner, mpd_first: Vec::new(), cable: Vec::new() };
        wiring.list_cables(&by_mpd);
        wiring
    }

    fn list_cables(&mut self, by_mpd: &[Vec<u32>]) {
        self.mpd_first.clear();
        self.mpd_first.push(0);
        self.mpd_first.extend(by_mpd.iter().scan(0, |sum, links| {
            *sum += links.len();
            Some(*sum)
        }));
        self.cable = by_mpd.concat();
    }

    /// Takes an MPD's links out. Says, for each server that had one, which of
    /// its links it was; the later ones have moved up by one.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`] for an MPD the pod does not have.
    pub(crate) fn cut(&mut self, mpd: usize) -> Result<Vec<Cut>> {
        if mpd >= self.mpds() {
            let (value, most) = (mpd as u64, (self.mpds() as u64).saturating_sub(1));
            return Err(Error::OutOfRange { field: "mpd", value, least: 0, most });
        }
        let mut cuts = Vec::new();
        for &link in self.cables(mpd) {
            let server = self.owner[link as usize] as usize;
            cuts.push(Cut { server, links: self.links(server), at: link as usize });
        }
        for Cut { server, links, at } in &cuts {
            self.mpd[*at..links.end].rotate_left(1);
            self.end[*server] -= 1;
        }
        let mut by_mpd = vec![Vec::new(); self.mpds()];
        for link in (0..self.servers()).flat_map(|server| self.links(server)) {
            by_mpd[self.mpd[link] as usize].push(index_u32(link));
        }
        self.list_cables(&by_mpd);
        Ok(cuts)
    }

    /// Every server on one MPD.
    pub(crate) fn one_pool(servers: usize) -> Self {
        let every = 0..index_u32(servers);
        Self {
            first: (0..=servers).collect(),
            end: (1..=servers).collect(),
            mpd: vec![0; servers],
            owner: every.clone().collect(),
            mpd_first: vec![0, servers],
            cable: every.collect(),
        }
    }

    pub(crate) fn servers(&self) -> usize {
        self.first.len() - 1
    }

    pub(crate) fn mpds(&self) -> usize {
        self.mpd_first.len() - 1
    }

    /// The links of a server.
    pub(crate) fn links(&self, server: usize) -> Range<usize> {
        self.first[server]..self.end[server]
    }

    /// The links of an MPD.
    pub(crate) fn cables(&self, mpd: usize) -> &[u32] {
        &self.cable[self.mpd_first[mpd]..self.mpd_first[mpd + 1]]
    }

    /// The most links of a server.
    pub(crate) fn most_links(&self) -> usize {
        (0..self.servers()).map(|server| self.links(server).len()).max().unwrap_or(0)
    }
}

/// A link that was taken out of a server's.
#[derive(Clone, Debug)]
pub(crate) struct Cut {
    pub(crate) server: usize,
    /// The server's links before.
    pub(crate) links: Range<usize>,
    /// The one that is gone.
    pub(crate) at: usize,
}

/// Units laid on links and MPDs, and a search for room among them.
#[derive(Clone, Debug)]
pub(crate) struct Flow {
    /// Units on each link.
    pub(crate) amount: Vec<u64>,
    /// Units on each MPD.
    pub(crate) load: Vec<u64>,
    /// Of the search: servers in the order reached, the link each of them was
    /// reached back over, and the link each MPD was reached by.
    queue: Vec<u32>,
    back: Vec<u32>,
    by: Vec<u32>,
}

/// A step of an augmenting path: units go onto link `to`; on all steps but the
/// first, from link `from` of the same server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) from: Option<usize>,
    pub(crate) to: usize,
}

/// The search found no room: the servers it reached demand more than the MPDs
/// it reached hold under the cap, and no other servers are on those with units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

impl Flow {
    /// Nothing laid yet.
    pub(crate) fn new(wiring: &Wiring) -> Self {
        Self {
            amount: vec![0; wiring.mpd.len()],
            load: vec![0; wiring.mpds()],
            queue: Vec::new(),
            back: vec![NONE; wiring.servers()],
            by: vec![NONE; wiring.mpds()],
        }
    }

    /// Forgets what lay on an MPD that has failed, and says how much of which
    /// server that was.
    pub(crate) fn cut(&mut self, mpd: usize, cuts: &[Cut]) -> Vec<(usize, u64)> {
        self.load[mpd] = 0;
        let gone = cuts.iter().map(|Cut { server, links, at }| {
            let units = std::mem::take(&mut self.amount[*at]);
            self.amount[*at..links.end].rotate_left(1);
            (*server, units)
        });
        gone.collect()
    }

    /// Takes everything away.
    pub(crate) fn clear(&mut self) {
        self.amount.fill(0);
        self.load.fill(0);
    }

    /// Adds units for a server along shortest augmenting paths; on failure
    /// those that fit are laid, and `units` is what is left.
    pub(crate) fn push(
        &mut self,
        wiring: &Wiring,
        cap: u64,
        server: usize,
        units: &mut u64,
        on_step: &mut impl FnMut(Step, u64),
    ) -> std::result::Result<(), Full> {
        while *units > 0 {
            let end = self.nearest_room(wiring, cap, server).ok_or(Full)?;
            *units -= self.augment(wiring, cap, end, *units, on_step);
        }
        Ok(())
    }

    /// The nearest MPD below the cap, the least loaded of equally near ones;
    /// of equals among those, the one reached first.
    fn nearest_room(&mut self, wiring: &Wiring, cap: u64, server: usize) -> Option<usize> {
        self.back.fill(NONE);
        self.by.fill(NONE);
        self.queue.clear();
        self.queue.push(index_u32(server));
        let mut layer = 0..1;
        while !layer.is_empty() {
            let mut nearest: Option<usize> = None;
            for at in layer.clone() {
                for link in wiring.links(self.queue[at] as usize) {
                    let mpd = wiring.mpd[link] as usize;
                    if self.by[mpd] != NONE {
                        continue;
                    }
                    self.by[mpd] = index_u32(link);
                    let load = self.load[mpd];
                    if load >= cap {
                        if nearest.is_none() {
                            self.reach_holders(wiring, mpd);
                        }
                    } else if nearest.is_none_or(|best| load < self.load[best]) {
                        nearest = Some(mpd);
                    }
                }
            }
            if nearest.is_some() {
                return nearest;
            }
            layer = layer.end..self.queue.len();
        }
        None
    }

    /// The servers with units on a full MPD come next.
    fn reach_holders(&mut self, wiring: &Wiring, mpd: usize) {
        for &over in wiring.cables(mpd) {
            let holder = wiring.owner[over as usize];
            let unseen = self.back[holder as usize] == NONE && holder != self.queue[0];
            if unseen && self.amount[over as usize] > 0 {
                self.back[holder as usize] = over;
                self.queue.push(holder);
            }
        }
    }

    /// Of the last search: the servers it reached, and how many MPDs.
    pub(crate) fn reached(&self) -> (&[u32], usize) {
        (&self.queue, self.by.iter().filter(|by| **by != NONE).count())
    }

    /// Moves up to `units` along the path found, and says how many.
    fn augment(
        &mut self,
        wiring: &Wiring,
        cap: u64,
        end: usize,
        units: u64,
        on_step: &mut impl FnMut(Step, u64),
    ) -> u64 {
        let mut moved = units.min(cap - self.load[end]);
        let mut mpd = end;
        while let Some(from) = self.step(wiring, mpd).from {
            moved = moved.min(self.amount[from]);
            mpd = wiring.mpd[from] as usize;
        }
        self.load[end] += moved;
        mpd = end;
        loop {
            let step = self.step(wiring, mpd);
            on_step(step, moved);
            self.amount[step.to] += moved;
            let Some(from) = step.from else { return moved };
            self.amount[from] -= moved;
            mpd = wiring.mpd[from] as usize;
        }
    }

    /// The step by which the last search reached an MPD.
    fn step(&self, wiring: &Wiring, mpd: usize) -> Step {
        let to = self.by[mpd] as usize;
        let back = self.back[wiring.owner[to] as usize];
        Step { from: (back != NONE).then_some(back as usize), to }
    }

    /// Takes units of a server away, as many as asked or all it has, from its
    /// links in order.
    pub(crate) fn pull(&mut self, wiring: &Wiring, server: usize, mut units: u64) {
        for link in wiring.links(server) {
            let taken = units.min(self.amount[link]);
            self.amount[link] -= taken;
            self.load[wiring.mpd[link] as usize] -= taken;
            units -= taken;
        }
    }

    /// As [`Self::pull`], each unit from the most loaded MPD.
    pub(crate) fn pull_level(&mut self, wiring: &Wiring, server: usize, units: u64) {
        for _ in 0..units {
            let held = wiring.links(server).filter(|&link| self.amount[link] > 0);
            // the first of equals
            let most = held.rev().max_by_key(|&link| self.load[wiring.mpd[link] as usize]);
            let Some(link) = most else { return };
            self.amount[link] -= 1;
            self.load[wiring.mpd[link] as usize] -= 1;
        }
    }
}
