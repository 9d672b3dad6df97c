//! The least peak any policy can reach, with free movement at every instant.
//!
//! At one instant the demands can be laid on the MPDs without any of them
//! above c exactly if no set U of servers demands more than c times the number
//! of MPDs it reaches (Hall's theorem for flows). So the optimum of an instant
//! is the largest D(U) / |N(U)|, and that of a trace the largest over its
//! instants. It is found by keeping a flow feasible under the best ratio so
//! far: where an arrival finds no augmenting path, the servers its search
//! reached violate the ratio, and theirs is the next one (Dinkelbach, Manage.
//! Sci. 13, 1967). All arithmetic is in whole numbers.

use octopus_design::{ServerId, Topology};

use crate::num::index_u32;
use crate::{Error, Event, PodDemand, Result};

/// Instants probed for a good first ratio before the events are gone through.
const PROBES: usize = 24;

const NONE: u32 = u32::MAX;

/// The exact fractional optimum of a pod's demand, with what proves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Optimum {
    /// D(U): what the set demands at its worst instant, GiB.
    pub demand_gib: u64,
    /// |N(U)|: how many MPDs the set reaches.
    pub mpds: u64,
    /// U, ascending; empty if nothing is ever demanded.
    pub servers: Vec<ServerId>,
    /// How many events of the demand lead to that instant.
    pub after_events: usize,
}

impl Optimum {
    /// D(U) / |N(U)| in GiB: no policy keeps every MPD below it.
    #[must_use]
    pub fn peak_gib(&self) -> f64 {
        self.demand_gib as f64 / self.mpds as f64
    }
}

/// The largest D(U) / |N(U)| over all server sets U and all instants of the
/// window.
///
/// # Errors
///
/// [`Error::SizeMismatch`] if pod and demand differ in size; [`Error::NoMpd`]
/// if a server with demand reaches no MPD.
///
/// # Examples
///
/// Of three servers on a ring of three MPDs, one wants 9 GiB and the others 3:
/// alone it would need 9 / 2 on its two, together they need 15 / 3.
///
/// ```
/// use octopus_design::Topology;
/// use octopus_pool::{Demand, Placement, Trace, Vm, fractional_optimum, place};
///
/// let pod = Topology::new("ring", 2, 2, 3, [[0, 1], [1, 2], [0, 2]])?;
/// let vm = |server, memory_gib| Vm {
///     start_s: 0, end_s: 9, memory_gib, cores: 2, server: Some(server), censored: false,
/// };
/// let trace = Trace::new("t", 0..10, vec![vm(0, 9.0), vm(1, 3.0), vm(2, 3.0)])?;
/// let demand = Demand::new(&place(&trace, &Placement::Given)?, 1.0, 1)?.pod(&[0, 1, 2])?;
/// let optimum = fractional_optimum(&pod, &demand)?;
/// assert_eq!((optimum.demand_gib, optimum.mpds), (15, 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fractional_optimum(topology: &Topology, demand: &PodDemand) -> Result<Optimum> {
    let (servers, pod) = (demand.servers(), topology.servers());
    if servers != pod {
        return Err(Error::SizeMismatch { demand: servers, pod });
    }
    let mut flow = Flow::new(topology);
    let events = demand.events();
    let from = demand.tracked_from();

    // Most records fall while demand climbs to its height: starting there
    // leaves few to find on the way through.
    let inside = events.len() - from;
    let evenly = (1..PROBES).map(|i| from + inside * i / PROBES);
    let mut probes: Vec<_> = evenly.chain([demand.peak_total_after()]).collect();
    probes.sort_unstable();
    let (mut at, mut used) = (0, vec![0_u64; servers]);
    for probe in probes {
        events[at..probe].iter().for_each(|event| apply(&mut used, event));
        at = probe;
        flow.demand_gib.copy_from_slice(&used);
        flow.restore(at)?;
    }

    flow.demand_gib.fill(0);
    events[..from].iter().for_each(|event| apply(&mut flow.demand_gib, event));
    flow.restore(from)?;
    for (at, event) in events.iter().enumerate().skip(from) {
        let (server, gib) = (event.server as usize, u64::from(event.gib));
        if event.arrives {
            flow.demand_gib[server] += gib;
            if flow.push(server, gib * flow.best.mpds).is_err() {
                flow.restore(at + 1)?;
            }
        } else {
            flow.demand_gib[server] -= gib;
            flow.pull(server, gib * flow.best.mpds);
        }
    }
    Ok(flow.best)
}

/// Adds an event to the demand of each server.
fn apply(used: &mut [u64], event: &Event) {
    let used = &mut used[event.server as usize];
    if event.arrives {
        *used += u64::from(event.gib);
    } else {
        *used -= u64::from(event.gib);
    }
}

/// A flow from servers to MPDs in units of 1 / `best.mpds` GiB, in which an
/// MPD holds at most `best.demand_gib` units.
struct Flow {
    /// The links of server s are `first[s]..first[s + 1]`.
    first: Vec<usize>,
    mpd: Vec<u32>,
    amount: Vec<u64>,
    /// Server and link of each cable, by MPD.
    mpd_first: Vec<usize>,
    cable: Vec<(u32, u32)>,
    load: Vec<u64>,
    demand_gib: Vec<u64>,
    best: Optimum,
    /// Of the search: servers in the order reached, the link each server was
    /// reached back over, and the link each MPD was reached by.
    queue: Vec<u32>,
    back: Vec<u32>,
    by: Vec<u32>,
    owner: Vec<u32>,
}

/// The search found no room: the set it reached demands too much.
struct Full;

impl Flow {
    fn new(topology: &Topology) -> Self {
        let (mut first, mut mpd, mut owner) = (vec![0], Vec::new(), Vec::new());
        let mut by_mpd = vec![Vec::new(); topology.mpds()];
        for server in topology.server_ids() {
            for to in topology.mpds_of(server) {
                by_mpd[to.index()].push((index_u32(server.index()), index_u32(mpd.len())));
                mpd.push(index_u32(to.index()));
                owner.push(index_u32(server.index()));
            }
            first.push(mpd.len());
        }
        let mut mpd_first = vec![0];
        mpd_first.extend(by_mpd.iter().scan(0, |sum, cables| {
            *sum += cables.len();
            Some(*sum)
        }));
        Self {
            amount: vec![0; mpd.len()],
            load: vec![0; topology.mpds()],
            demand_gib: vec![0; topology.servers()],
            best: Optimum { demand_gib: 0, mpds: 1, servers: Vec::new(), after_events: 0 },
            queue: Vec::new(),
            back: vec![NONE; topology.servers()],
            by: vec![NONE; topology.mpds()],
            first,
            mpd,
            mpd_first,
            cable: by_mpd.concat(),
            owner,
        }
    }

    /// Lays the whole demand afresh, raising the ratio until it fits.
    fn restore(&mut self, after_events: usize) -> Result<()> {
        loop {
            self.amount.fill(0);
            self.load.fill(0);
            let fits = (0..self.demand_gib.len())
                .try_for_each(|server| self.push(server, self.demand_gib[server] * self.best.mpds));
            match fits {
                Ok(()) => return Ok(()),
                Err(Full) => self.raise(after_events)?,
            }
        }
    }

    /// Takes the ratio of the set the failed search reached.
    fn raise(&mut self, after_events: usize) -> Result<()> {
        // All MPDs reached are full, and full with demand of servers reached
        // alone, which want more: the ratio is above the one before.
        let mpds = self.by.iter().filter(|by| **by != NONE).count() as u64;
        let demand_gib = self.queue.iter().map(|s| self.demand_gib[*s as usize]).sum();
        let mut servers: Vec<_> = self.queue.iter().map(|s| ServerId(*s as usize)).collect();
        if mpds == 0 {
            return Err(Error::NoMpd { server: servers[0].index() });
        }
        servers.sort_unstable();
        self.best = Optimum { demand_gib, mpds, servers, after_events };
        Ok(())
    }

    /// Adds units for a server along shortest augmenting paths.
    fn push(&mut self, server: usize, mut units: u64) -> Result<(), Full> {
        while units > 0 {
            let end = self.search(server).ok_or(Full)?;
            units -= self.augment(end, units);
        }
        Ok(())
    }

    /// Breadth-first to the nearest MPD with room; the servers reached stay in
    /// `queue`.
    fn search(&mut self, server: usize) -> Option<usize> {
        self.back.fill(NONE);
        self.by.fill(NONE);
        self.queue.clear();
        self.queue.push(index_u32(server));
        let mut next = 0;
        while let Some(&from) = self.queue.get(next) {
            next += 1;
            let from = from as usize;
            for link in self.first[from]..self.first[from + 1] {
                let mpd = self.mpd[link] as usize;
                if self.by[mpd] != NONE {
                    continue;
                }
                self.by[mpd] = index_u32(link);
                if self.load[mpd] < self.best.demand_gib {
                    return Some(mpd);
                }
                for &(holder, over) in &self.cable[self.mpd_first[mpd]..self.mpd_first[mpd + 1]] {
                    let unseen = self.back[holder as usize] == NONE && holder != self.queue[0];
                    if unseen && self.amount[over as usize] > 0 {
                        self.back[holder as usize] = over;
                        self.queue.push(holder);
                    }
                }
            }
        }
        None
    }

    /// Moves up to `units` along the path found, and says how many.
    fn augment(&mut self, end: usize, units: u64) -> u64 {
        let mut moved = units.min(self.best.demand_gib - self.load[end]);
        let mut mpd = end;
        loop {
            let server = self.owner[self.by[mpd] as usize] as usize;
            let back = self.back[server];
            if back == NONE {
                break;
            }
            moved = moved.min(self.amount[back as usize]);
            mpd = self.mpd[back as usize] as usize;
        }
        self.load[end] += moved;
        mpd = end;
        loop {
            let by = self.by[mpd] as usize;
            self.amount[by] += moved;
            let back = self.back[self.owner[by] as usize];
            if back == NONE {
                return moved;
            }
            self.amount[back as usize] -= moved;
            mpd = self.mpd[back as usize] as usize;
        }
    }

    /// Takes units of a server away; it has at least as many.
    fn pull(&mut self, server: usize, mut units: u64) {
        for link in self.first[server]..self.first[server + 1] {
            let taken = units.min(self.amount[link]);
            self.amount[link] -= taken;
            self.load[self.mpd[link] as usize] -= taken;
            units -= taken;
        }
    }
}
