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

use crate::flow::{Flow, Full, Wiring};
use crate::{Error, Event, PodDemand, Result};

/// Instants probed for a good first ratio before the events are gone through.
const PROBES: usize = 24;

/// The exact fractional optimum of a pod's demand, with what proves it.
///
/// # Examples
///
/// ```
/// # use octopus_pool::{Demand, Placement, Trace, Vm, place};
/// # let vm = |server, start_s, end_s| Vm {
/// #     start_s, end_s, memory_gib: 8.0, cores: 2, server: Some(server), censored: false,
/// # };
/// // 8 GiB on server 0 from -5 to 4 s, on server 1 from 2 to 9 s; the window is 0 to 10 s
/// # let trace = Trace::new("two VMs", 0..10, vec![vm(0, -5, 4), vm(1, 2, 9)])?;
/// # let fleet = place(&trace, &Placement::Given)?;
/// # let demand = Demand::new(&fleet, 0.5, 1)?;
/// # let pod = demand.pod(&[0, 1])?;
/// # use octopus_design::{ServerId, Topology};
/// # use octopus_pool::fractional_optimum;
/// // both servers on one MPD
/// let wiring = Topology::new("one", 1, 2, 2, [[0, 1]])?;
/// let optimum = fractional_optimum(&wiring, &pod)?;
/// assert_eq!(optimum.servers, [ServerId(0), ServerId(1)]);
/// assert_eq!((optimum.demand_gib, optimum.mpds, optimum.after_events), (8, 1, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    ///
    /// ```
    /// use octopus_pool::Optimum;
    /// let optimum = Optimum { demand_gib: 9, mpds: 2, servers: Vec::new(), after_events: 0 };
    /// assert_eq!(optimum.peak_gib(), 4.5);
    /// ```
    #[must_use]
    pub fn peak_gib(&self) -> f64 {
        self.demand_gib as f64 / self.mpds as f64
    }
}

/// The largest D(U) / |N(U)| over all server sets U and all instants of the
/// window. A server that reaches no MPD keeps its demand to itself and is in no
/// such set.
///
/// # Errors
///
/// [`Error::SizeMismatch`] if pod and demand differ in size.
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
    let mut laid = Laid::new(topology);
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
        laid.demand_gib.copy_from_slice(&used);
        laid.restore(at);
    }

    laid.demand_gib.fill(0);
    events[..from].iter().for_each(|event| apply(&mut laid.demand_gib, event));
    laid.restore(from);
    for (at, event) in events.iter().enumerate().skip(from) {
        let (server, gib) = (event.server as usize, u64::from(event.gib));
        if event.arrives {
            laid.demand_gib[server] += gib;
            if laid.push(server, gib).is_err() {
                laid.restore(at + 1);
            }
        } else {
            laid.demand_gib[server] -= gib;
            laid.flow.pull(&laid.wiring, server, gib * laid.best.mpds);
        }
    }
    Ok(laid.best)
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

/// The demand of an instant, laid out in units of 1 / `best.mpds` GiB, so that
/// an MPD holds at most `best.demand_gib` units.
struct Laid {
    wiring: Wiring,
    flow: Flow,
    demand_gib: Vec<u64>,
    best: Optimum,
}

impl Laid {
    fn new(topology: &Topology) -> Self {
        let wiring = Wiring::new(topology);
        Self {
            flow: Flow::new(&wiring),
            wiring,
            demand_gib: vec![0; topology.servers()],
            best: Optimum { demand_gib: 0, mpds: 1, servers: Vec::new(), after_events: 0 },
        }
    }

    /// Lays a server's GiB in addition.
    fn push(&mut self, server: usize, gib: u64) -> Result<(), Full> {
        if self.wiring.links(server).is_empty() {
            return Ok(());
        }
        let mut units = gib * self.best.mpds;
        self.flow.push(&self.wiring, self.best.demand_gib, server, &mut units, &mut |_, _| {})
    }

    /// Lays the whole demand afresh, raising the ratio until it fits.
    fn restore(&mut self, after_events: usize) {
        loop {
            self.flow.clear();
            let mut servers = 0..self.demand_gib.len();
            match servers.try_for_each(|server| self.push(server, self.demand_gib[server])) {
                Ok(()) => return,
                Err(Full) => self.raise(after_events),
            }
        }
    }

    /// Takes the ratio of the set the failed search reached.
    fn raise(&mut self, after_events: usize) {
        // All MPDs reached are full, and full with demand of servers reached
        // alone, which want more: the ratio is above the one before.
        let (reached, mpds) = self.flow.reached();
        let demand_gib = reached.iter().map(|server| self.demand_gib[*server as usize]).sum();
        let mut servers: Vec<_> = reached.iter().map(|s| ServerId(*s as usize)).collect();
        servers.sort_unstable();
        self.best = Optimum { demand_gib, mpds: mpds as u64, servers, after_events };
    }
}
