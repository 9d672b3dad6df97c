//! Which server each VM runs on.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::ops::Range;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use crate::num::index_u32;
use crate::trace::{MAX_FLEET, count};
use crate::{Cleaned, Error, Result, Rule, Trace, Vm, WarmUp};

/// Random servers tried before the servers with room are listed.
const TRIES: usize = 32;

/// What a server can hold.
///
/// # Examples
///
/// ```
/// use octopus_pool::{Placement, ServerSize, Trace, Vm, place};
///
/// let vm = Vm { start_s: 0, end_s: 9, memory_gib: 8.0, cores: 4, server: None, censored: false };
/// let trace = Trace::new("t", 0..10, vec![vm])?;
/// let on = |cores| Placement::RandomFeasible {
///     size: ServerSize { cores, memory_gib: 8.0 }, peak_core_use: 1.0, servers: None, seed: 1,
/// };
/// assert!(place(&trace, &on(4)).is_ok() && place(&trace, &on(3)).is_err());
/// # Ok::<(), octopus_pool::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ServerSize {
    /// Virtual cores.
    pub cores: u32,
    /// Memory, GiB.
    pub memory_gib: f64,
}

/// How VMs get their servers.
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
/// let random = place(&trace, &Placement::random(1))?;
/// assert_eq!(random.servers(), 1); // four cores fit on one server
/// assert_eq!(fleet.placement().to_string(), "as in the trace");
/// # Ok::<(), octopus_pool::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Placement {
    /// On the hosts the trace names; caps are the trace's own.
    Given,
    /// Each VM, by start, on a server drawn uniformly from those with room.
    ///
    /// Placement decides much of the saving: first and best fit fill some
    /// servers to the brim and leave nothing to pool.
    RandomFeasible {
        /// The cap on each server's cores and memory.
        size: ServerSize,
        /// Cores in use at the busiest moment of the window, as a share of all
        /// cores; sets the number of servers.
        peak_core_use: f64,
        /// The number of servers, in place of the one `peak_core_use` gives.
        servers: Option<usize>,
        /// Fixes the servers drawn.
        seed: u64,
    },
    /// Each VM, by start, on the server with room that has the least memory
    /// left; the lowest-numbered of equals.
    BestFit {
        /// The cap on each server's cores and memory.
        size: ServerSize,
        /// As for random placement.
        peak_core_use: f64,
        /// As for random placement.
        servers: Option<usize>,
    },
    /// Each VM, by start, on the server with room that has the most memory
    /// left; the lowest-numbered of equals.
    WorstFit {
        /// The cap on each server's cores and memory.
        size: ServerSize,
        /// As for random placement.
        peak_core_use: f64,
        /// As for random placement.
        servers: Option<usize>,
    },
}

impl Placement {
    /// The paper's servers of 96 cores, here with 384 GiB, half of the cores
    /// in use at the peak.
    ///
    /// ```
    /// use octopus_pool::Placement;
    /// let Placement::RandomFeasible { size, .. } = Placement::random(1) else { unreachable!() };
    /// assert_eq!(size.cores, 96);
    /// ```
    #[must_use]
    pub const fn random(seed: u64) -> Self {
        let size = ServerSize { cores: 96, memory_gib: 384.0 };
        Self::RandomFeasible { size, peak_core_use: 0.5, servers: None, seed }
    }

    /// [`Placement::Given`] where every VM has a host, else
    /// [`Placement::random`].
    ///
    /// ```
    /// # use octopus_pool::{Demand, Placement, Trace, Vm, place};
    /// # let vm = |server, start_s, end_s| Vm {
    /// #     start_s, end_s, memory_gib: 8.0, cores: 2, server: Some(server), censored: false,
    /// # };
    /// // 8 GiB on server 0 from -5 to 4 s, on server 1 from 2 to 9 s; the window is 0 to 10 s
    /// # let trace = Trace::new("two VMs", 0..10, vec![vm(0, -5, 4), vm(1, 2, 9)])?;
    /// # let fleet = place(&trace, &Placement::Given)?;
    /// assert_eq!(Placement::for_trace(&trace, 1), Placement::Given);
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    #[must_use]
    pub fn for_trace(trace: &Trace, seed: u64) -> Self {
        let given = trace.vms().iter().all(|vm| vm.server.is_some());
        if given { Self::Given } else { Self::random(seed) }
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Given => f.write_str("as in the trace"),
            Self::RandomFeasible { size, peak_core_use, servers, .. }
            | Self::BestFit { size, peak_core_use, servers }
            | Self::WorstFit { size, peak_core_use, servers } => {
                let ServerSize { cores, memory_gib } = size;
                let how = match self {
                    Self::BestFit { .. } => "best fit",
                    Self::WorstFit { .. } => "worst fit",
                    _ => "random feasible",
                };
                write!(f, "{how}, servers of {cores} cores and {memory_gib} GiB, ")?;
                match servers {
                    Some(servers) => write!(f, "{servers} of them"),
                    None => write!(f, "{:.0}% of cores used at the peak", 100.0 * peak_core_use),
                }
            }
        }
    }
}

/// A trace on its servers: every VM has one.
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
/// assert_eq!((fleet.servers(), fleet.vms().len()), (2, 2));
/// # Ok::<(), octopus_pool::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Fleet {
    source: String,
    window: Range<i64>,
    servers: usize,
    vms: Vec<Vm>,
    hosts: Vec<u32>,
    cleaning: Vec<Cleaned>,
    warm_up: WarmUp,
    placement: Placement,
}

/// One fleet is a list of one, where a list of draws is asked for.
impl AsRef<[Fleet]> for Fleet {
    fn as_ref(&self) -> &[Self] {
        std::slice::from_ref(self)
    }
}

impl Fleet {
    /// The number of servers.
    ///
    /// ```
    /// # use octopus_pool::{Demand, Placement, Trace, Vm, place};
    /// # let vm = |server, start_s, end_s| Vm {
    /// #     start_s, end_s, memory_gib: 8.0, cores: 2, server: Some(server), censored: false,
    /// # };
    /// // 8 GiB on server 0 from -5 to 4 s, on server 1 from 2 to 9 s; the window is 0 to 10 s
    /// # let trace = Trace::new("two VMs", 0..10, vec![vm(0, -5, 4), vm(1, 2, 9)])?;
    /// # let fleet = place(&trace, &Placement::Given)?;
    /// assert_eq!(fleet.servers(), 2);
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    #[must_use]
    pub fn servers(&self) -> usize {
        self.servers
    }

    /// The VMs, by start; each has its server.
    ///
    /// ```
    /// # use octopus_pool::{Demand, Placement, Trace, Vm, place};
    /// # let vm = |server, start_s, end_s| Vm {
    /// #     start_s, end_s, memory_gib: 8.0, cores: 2, server: Some(server), censored: false,
    /// # };
    /// // 8 GiB on server 0 from -5 to 4 s, on server 1 from 2 to 9 s; the window is 0 to 10 s
    /// # let trace = Trace::new("two VMs", 0..10, vec![vm(0, -5, 4), vm(1, 2, 9)])?;
    /// # let fleet = place(&trace, &Placement::Given)?;
    /// assert_eq!(fleet.vms()[1].server, Some(1));
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    #[must_use]
    pub fn vms(&self) -> &[Vm] {
        &self.vms
    }

    /// The server of each VM.
    pub(crate) fn hosts(&self) -> &[u32] {
        &self.hosts
    }

    /// The window peaks are looked for in, in seconds, end excluded.
    ///
    /// ```
    /// # use octopus_pool::{Demand, Placement, Trace, Vm, place};
    /// # let vm = |server, start_s, end_s| Vm {
    /// #     start_s, end_s, memory_gib: 8.0, cores: 2, server: Some(server), censored: false,
    /// # };
    /// // 8 GiB on server 0 from -5 to 4 s, on server 1 from 2 to 9 s; the window is 0 to 10 s
    /// # let trace = Trace::new("two VMs", 0..10, vec![vm(0, -5, 4), vm(1, 2, 9)])?;
    /// # let fleet = place(&trace, &Placement::Given)?;
    /// assert_eq!(fleet.window(), 0..10);
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    #[must_use]
    pub fn window(&self) -> Range<i64> {
        self.window.clone()
    }

    /// The trace's name.
    ///
    /// ```
    /// # use octopus_pool::{Demand, Placement, Trace, Vm, place};
    /// # let vm = |server, start_s, end_s| Vm {
    /// #     start_s, end_s, memory_gib: 8.0, cores: 2, server: Some(server), censored: false,
    /// # };
    /// // 8 GiB on server 0 from -5 to 4 s, on server 1 from 2 to 9 s; the window is 0 to 10 s
    /// # let trace = Trace::new("two VMs", 0..10, vec![vm(0, -5, 4), vm(1, 2, 9)])?;
    /// # let fleet = place(&trace, &Placement::Given)?;
    /// assert_eq!(fleet.source(), "two VMs");
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The rules that touched a row, those of placement among them.
    ///
    /// ```
    /// # use octopus_pool::{Demand, Placement, Trace, Vm, place};
    /// # let vm = |server, start_s, end_s| Vm {
    /// #     start_s, end_s, memory_gib: 8.0, cores: 2, server: Some(server), censored: false,
    /// # };
    /// // 8 GiB on server 0 from -5 to 4 s, on server 1 from 2 to 9 s; the window is 0 to 10 s
    /// # let trace = Trace::new("two VMs", 0..10, vec![vm(0, -5, 4), vm(1, 2, 9)])?;
    /// # let fleet = place(&trace, &Placement::Given)?;
    /// assert_eq!(fleet.cleaning()[0].rule, octopus_pool::Rule::Clipped);
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    #[must_use]
    pub fn cleaning(&self) -> &[Cleaned] {
        &self.cleaning
    }

    /// How the population at the window's start came about.
    ///
    /// ```
    /// # use octopus_pool::{Demand, Placement, Trace, Vm, place};
    /// # let vm = |server, start_s, end_s| Vm {
    /// #     start_s, end_s, memory_gib: 8.0, cores: 2, server: Some(server), censored: false,
    /// # };
    /// // 8 GiB on server 0 from -5 to 4 s, on server 1 from 2 to 9 s; the window is 0 to 10 s
    /// # let trace = Trace::new("two VMs", 0..10, vec![vm(0, -5, 4), vm(1, 2, 9)])?;
    /// # let fleet = place(&trace, &Placement::Given)?;
    /// assert_eq!(fleet.warm_up(), octopus_pool::WarmUp::None);
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    #[must_use]
    pub fn warm_up(&self) -> WarmUp {
        self.warm_up
    }

    /// How the VMs got their servers.
    ///
    /// ```
    /// # use octopus_pool::{Demand, Placement, Trace, Vm, place};
    /// # let vm = |server, start_s, end_s| Vm {
    /// #     start_s, end_s, memory_gib: 8.0, cores: 2, server: Some(server), censored: false,
    /// # };
    /// // 8 GiB on server 0 from -5 to 4 s, on server 1 from 2 to 9 s; the window is 0 to 10 s
    /// # let trace = Trace::new("two VMs", 0..10, vec![vm(0, -5, 4), vm(1, 2, 9)])?;
    /// # let fleet = place(&trace, &Placement::Given)?;
    /// assert_eq!(fleet.placement(), Placement::Given);
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    #[must_use]
    pub fn placement(&self) -> Placement {
        self.placement
    }
}

/// Puts a trace's VMs on servers.
///
/// VMs larger than a server, or that no server had room for, are dropped and
/// counted ([`Rule::LargerThanServer`], [`Rule::NoRoom`]).
///
/// # Errors
///
/// [`Error::NoHosts`] for [`Placement::Given`] without hosts;
/// [`Error::OutOfRange`] or [`Error::BadNumber`] for a parameter;
/// [`Error::NoVms`] where none could be placed.
///
/// # Examples
///
/// ```
/// use octopus_pool::{Placement, SynthOptions, place, synthesize};
///
/// let options = SynthOptions { servers: 4, window_days: 1.0, ..SynthOptions::default() };
/// let trace = synthesize(&options)?;
/// assert_eq!(place(&trace, &Placement::Given)?.servers(), 4);
/// // The same VMs with hosts of our choosing:
/// let moved = place(&trace, &Placement::random(1))?;
/// assert_eq!(moved.placement(), Placement::random(1));
/// # Ok::<(), octopus_pool::Error>(())
/// ```
pub fn place(trace: &Trace, placement: &Placement) -> Result<Fleet> {
    let mut fleet = Fleet {
        source: trace.source().to_owned(),
        window: trace.window(),
        servers: 0,
        vms: Vec::new(),
        hosts: Vec::new(),
        cleaning: trace.cleaning().to_vec(),
        warm_up: trace.warm_up(),
        placement: *placement,
    };
    match *placement {
        Placement::Given => {
            fleet.vms = trace.vms().to_vec();
            fleet.hosts = trace.vms().iter().filter_map(|vm| vm.server).collect();
            let (vms, without) = (fleet.vms.len(), fleet.vms.len() - fleet.hosts.len());
            if without > 0 {
                return Err(Error::NoHosts { without, vms });
            }
            fleet.servers = fleet.hosts.iter().max().map_or(0, |last| *last as usize + 1);
        }
        Placement::RandomFeasible { size, peak_core_use, servers, .. }
        | Placement::BestFit { size, peak_core_use, servers }
        | Placement::WorstFit { size, peak_core_use, servers } => {
            check_size(size)?;
            fleet.servers = match servers {
                Some(servers) => servers,
                None => servers_for(trace, size, peak_core_use)?,
            };
            let (value, most) = (fleet.servers as u64, MAX_FLEET as u64);
            if !(1..=most).contains(&value) {
                return Err(Error::OutOfRange { field: "servers", value, least: 1, most });
            }
            by_start(trace, size, &mut Choice::new(placement), &mut fleet);
        }
    }
    if fleet.vms.is_empty() {
        let Range { start: start_s, end: end_s } = fleet.window;
        return Err(Error::NoVms { source_name: fleet.source, start_s, end_s });
    }
    Ok(fleet)
}

fn check_size(size: ServerSize) -> Result<()> {
    if size.cores == 0 {
        let value = u64::from(size.cores);
        return Err(Error::OutOfRange { field: "cores", value, least: 1, most: u32::MAX.into() });
    }
    if size.memory_gib.is_finite() && size.memory_gib > 0.0 {
        Ok(())
    } else {
        let value = size.memory_gib;
        Err(Error::BadNumber { field: "memory_gib", value, expected: "more than 0" })
    }
}

/// The fewest servers that leave the wanted share of cores idle at the peak.
fn servers_for(trace: &Trace, size: ServerSize, peak_core_use: f64) -> Result<usize> {
    if !(peak_core_use > 0.0 && peak_core_use <= 1.0) {
        let expected = "more than 0, up to 1";
        return Err(Error::BadNumber { field: "peak_core_use", value: peak_core_use, expected });
    }
    let peak = peak_cores(trace) as f64;
    let servers = (peak / (f64::from(size.cores) * peak_core_use)).ceil();
    Ok(crate::num::round_u32(servers).max(1) as usize)
}

/// The most cores in use at any moment of the window.
fn peak_cores(trace: &Trace) -> u64 {
    let start = trace.window().start;
    let at_start = trace.vms().iter().filter(|vm| vm.start_s <= start && vm.end_s > start);
    let mut peak: u64 = at_start.map(|vm| u64::from(vm.cores)).sum();
    let mut ends = BinaryHeap::new();
    let mut used = 0;
    for vm in trace.vms() {
        while let Some(&Reverse((end_s, cores))) = ends.peek()
            && end_s <= vm.start_s
        {
            used -= cores;
            ends.pop();
        }
        let cores = u64::from(vm.cores);
        used += cores;
        ends.push(Reverse((vm.end_s, cores)));
        if vm.start_s >= start {
            peak = peak.max(used);
        }
    }
    peak
}

/// The room left on every server.
struct Room {
    cores: Vec<u32>,
    memory_gib: Vec<f64>,
}

impl Room {
    fn fits(&self, server: usize, vm: &Vm) -> bool {
        // Sums of fractions of a GiB leave dust; a millionth of a GiB is none.
        self.cores[server] >= vm.cores && self.memory_gib[server] + 1e-6 >= vm.memory_gib
    }
}

/// How a server is chosen from those with room.
enum Choice {
    Random(Box<ChaCha8Rng>),
    LeastRoom,
    MostRoom,
}

impl Choice {
    fn new(placement: &Placement) -> Self {
        match placement {
            Placement::BestFit { .. } => Self::LeastRoom,
            Placement::WorstFit { .. } => Self::MostRoom,
            Placement::RandomFeasible { seed, .. } => {
                Self::Random(Box::new(ChaCha8Rng::seed_from_u64(*seed)))
            }
            Placement::Given => Self::Random(Box::new(ChaCha8Rng::seed_from_u64(0))),
        }
    }

    fn host(&mut self, room: &Room, vm: &Vm) -> Option<usize> {
        let memory = |&a: &usize, &b: &usize| room.memory_gib[a].total_cmp(&room.memory_gib[b]);
        let fitting = (0..room.cores.len()).filter(|&server| room.fits(server, vm));
        match self {
            Self::Random(rng) => draw_host(room, vm, rng),
            Self::LeastRoom => fitting.min_by(memory),
            // the last of equals is the maximum
            Self::MostRoom => fitting.rev().max_by(memory),
        }
    }
}

/// Puts VMs on servers in the order of their starts.
fn by_start(trace: &Trace, size: ServerSize, choice: &mut Choice, fleet: &mut Fleet) {
    let servers = fleet.servers;
    let mut room =
        Room { cores: vec![size.cores; servers], memory_gib: vec![size.memory_gib; servers] };
    let mut ends: BinaryHeap<Reverse<(i64, usize)>> = BinaryHeap::new();
    let (mut too_large, mut no_room) = (0, 0);
    for vm in trace.vms() {
        while let Some(&Reverse((end_s, gone))) = ends.peek()
            && end_s <= vm.start_s
        {
            let host = fleet.hosts[gone] as usize;
            room.cores[host] += fleet.vms[gone].cores;
            room.memory_gib[host] += fleet.vms[gone].memory_gib;
            ends.pop();
        }
        if vm.cores > size.cores || vm.memory_gib > size.memory_gib {
            too_large += 1;
            continue;
        }
        let Some(host) = choice.host(&room, vm) else {
            no_room += 1;
            continue;
        };
        room.cores[host] -= vm.cores;
        room.memory_gib[host] -= vm.memory_gib;
        ends.push(Reverse((vm.end_s, fleet.vms.len())));
        let host = index_u32(host);
        fleet.vms.push(Vm { server: Some(host), ..*vm });
        fleet.hosts.push(host);
    }
    count(&mut fleet.cleaning, Rule::LargerThanServer, too_large);
    count(&mut fleet.cleaning, Rule::NoRoom, no_room);
}

/// A server drawn uniformly from those with room for the VM.
fn draw_host(room: &Room, vm: &Vm, rng: &mut ChaCha8Rng) -> Option<usize> {
    let servers = room.cores.len();
    for _ in 0..TRIES {
        let server = rng.random_range(0..servers);
        if room.fits(server, vm) {
            return Some(server);
        }
    }
    let feasible: Vec<_> = (0..servers).filter(|&server| room.fits(server, vm)).collect();
    if feasible.is_empty() { None } else { Some(feasible[rng.random_range(0..feasible.len())]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vm(start_s: i64, end_s: i64, cores: u32) -> Vm {
        Vm { start_s, end_s, memory_gib: 1.0, cores, server: None, censored: false }
    }

    #[test]
    fn the_peak_of_cores_is_inside_the_window() {
        // 9 cores before the window, 4 at its start, then 3.
        let vms = vec![vm(-10, -1, 5), vm(-10, 1, 4), vm(2, 5, 3), vm(5, 6, 2)];
        let trace = Trace::new("t", 0..10, vms).unwrap();
        assert_eq!(peak_cores(&trace), 4);
        let trace = Trace::new("t", 0..10, vec![vm(-10, 1, 1), vm(2, 5, 3), vm(5, 6, 4)]).unwrap();
        assert_eq!(peak_cores(&trace), 4, "departures come before arrivals");
    }

    #[test]
    fn what_does_not_fit_is_dropped_by_name() {
        let size = ServerSize { cores: 4, memory_gib: 8.0 };
        let random =
            Placement::RandomFeasible { size, peak_core_use: 0.5, servers: Some(2), seed: 1 };
        let vms = vec![vm(0, 9, 4), vm(0, 9, 4), vm(0, 9, 1), vm(0, 9, 5), vm(9, 10, 4)];
        let fleet = place(&Trace::new("t", 0..10, vms).unwrap(), &random).unwrap();
        assert_eq!(fleet.vms().len(), 3);
        let expected = [Rule::LargerThanServer, Rule::NoRoom].map(|rule| Cleaned { rule, rows: 1 });
        assert_eq!(fleet.cleaning(), expected);
        assert_ne!(fleet.hosts()[0], fleet.hosts()[1]);
    }

    #[test]
    fn fits_are_the_least_and_the_most_room() {
        let size = ServerSize { cores: 8, memory_gib: 8.0 };
        let vms = vec![vm(0, 9, 1), vm(1, 9, 1), vm(2, 9, 8), vm(9, 10, 1)];
        let trace = Trace::new("t", 0..10, vms).unwrap();
        let (peak_core_use, servers) = (0.5, Some(3));
        let hosts = |placement| place(&trace, &placement).unwrap().hosts().to_vec();
        // the third needs a whole server; then all are empty again
        assert_eq!(hosts(Placement::BestFit { size, peak_core_use, servers }), [0, 0, 1, 0]);
        assert_eq!(hosts(Placement::WorstFit { size, peak_core_use, servers }), [0, 1, 2, 0]);
    }

    #[test]
    fn parameters_are_checked() {
        let trace = Trace::new("t", 0..10, vec![vm(0, 9, 4)]).unwrap();
        assert!(matches!(place(&trace, &Placement::Given), Err(Error::NoHosts { .. })));
        let good = ServerSize { cores: 4, memory_gib: 8.0 };
        for (size, peak_core_use, servers) in [
            (ServerSize { cores: 0, ..good }, 0.5, None),
            (ServerSize { memory_gib: f64::NAN, ..good }, 0.5, None),
            (good, f64::NAN, None),
            (good, 1.5, None),
            (good, 1e-9, None),
            (good, 0.5, Some(0)),
        ] {
            let bad = Placement::RandomFeasible { size, peak_core_use, servers, seed: 1 };
            assert!(place(&trace, &bad).is_err(), "{bad:?}");
        }
    }
}
