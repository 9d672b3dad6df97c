//! Pooled demand over time: what the servers of a pod ask of its MPDs.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::num::{fraction, index_u32, round_u32};
use crate::{Error, Fleet, Result};

/// A VM's pooled memory coming or going.
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
/// let first = pod.events()[0];
/// assert_eq!((first.time_s, first.server, first.gib, first.arrives), (-5, 0, 4, true));
/// # Ok::<(), octopus_pool::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// When, in seconds.
    pub time_s: i64,
    /// The VM, numbered from 0 in the order of first events.
    pub vm: u32,
    /// The server, as numbered in the pod.
    pub server: u32,
    /// The pooled memory, GiB; never 0.
    pub gib: u32,
    /// Whether it arrives or departs.
    pub arrives: bool,
}

/// The pooled demand of a whole fleet.
///
/// A VM's pooled part is a fraction of its memory, rounded to whole GiB (the
/// unit of allocation, section 4.2) up or down at random so that the mean is
/// kept. The rest stays in the server and saves nothing.
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
/// assert_eq!(demand.events().iter().map(|event| event.gib).sum::<u32>(), 4 * 4);
/// # Ok::<(), octopus_pool::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Demand {
    pooled_fraction: f64,
    window_start_s: i64,
    /// VMs with pooled memory, server by server, then as in the fleet.
    vms: Vec<Pooled>,
    /// Where each server's begin; one more than servers.
    first: Vec<usize>,
}

/// A VM's pooled memory.
#[derive(Clone, Copy, Debug, Default)]
struct Pooled {
    start_s: i64,
    /// None if it stays to the window's end: that departure changes no peak.
    end_s: Option<i64>,
    vm: u32,
    gib: u32,
}

impl Demand {
    /// The demand of a fleet that pools `pooled_fraction` of each VM's memory.
    ///
    /// One uniform number is drawn for each VM, so that under one seed a
    /// larger fraction never gives a VM less.
    ///
    /// # Errors
    ///
    /// [`Error::BadNumber`] unless the fraction lies in [0, 1].
    ///
    /// # Examples
    ///
    /// ```
    /// use octopus_pool::{Demand, Placement, Trace, Vm, place};
    ///
    /// let vm = Vm { start_s: 2, end_s: 9, memory_gib: 8.0, cores: 2, server: Some(0), censored: false };
    /// let fleet = place(&Trace::new("one VM", 0..10, vec![vm])?, &Placement::Given)?;
    /// let demand = Demand::new(&fleet, 0.5, 1)?;
    /// assert_eq!(demand.events().len(), 2);
    /// assert_eq!(demand.events()[0].gib, 4);
    /// assert!(Demand::new(&fleet, f64::NAN, 1).is_err());
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    pub fn new(fleet: &Fleet, pooled_fraction: f64, seed: u64) -> Result<Self> {
        fraction("pooled_fraction", pooled_fraction)?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let window = fleet.window();
        let mut vms: Vec<(u32, Pooled)> = Vec::with_capacity(fleet.vms().len());
        for ((index, vm), &server) in fleet.vms().iter().enumerate().zip(fleet.hosts()) {
            let exact_gib = vm.memory_gib * pooled_fraction;
            let up = rng.random::<f64>() < exact_gib.fract();
            let gib = round_u32(exact_gib.floor()) + u32::from(up);
            if gib > 0 {
                let end_s = (vm.end_s < window.end).then_some(vm.end_s);
                vms.push((
                    server,
                    Pooled { start_s: vm.start_s, end_s, vm: index_u32(index), gib },
                ));
            }
        }
        // a counting sort, since a fleet has a few VMs a server and there are many
        let mut first = vec![0; fleet.servers() + 1];
        for (server, _) in &vms {
            first[*server as usize + 1] += 1;
        }
        for server in 0..fleet.servers() {
            first[server + 1] += first[server];
        }
        let (mut next, mut by_server) = (first.clone(), vec![Pooled::default(); vms.len()]);
        for (server, vm) in vms {
            let place = &mut next[server as usize];
            by_server[*place] = vm;
            *place += 1;
        }
        Ok(Self { pooled_fraction, window_start_s: window.start, vms: by_server, first })
    }

    /// All events: by time, departures before arrivals, then by VM.
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
    /// assert!(demand.events().is_sorted_by_key(|event| event.time_s));
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    #[must_use]
    pub fn events(&self) -> Vec<Event> {
        let servers = 0..index_u32(self.servers());
        self.events_of(servers.map(|server| (server as usize, server))).0
    }

    /// The events of some servers under other numbers, in order, with their VMs
    /// numbered by first event; and how many VMs.
    fn events_of(&self, servers: impl Iterator<Item = (usize, u32)>) -> (Vec<Event>, usize) {
        let mut vms: Vec<(Pooled, u32)> = Vec::new();
        for (server, named) in servers {
            let own = self.first[server]..self.first[server + 1];
            vms.extend(self.vms[own].iter().map(|vm| (*vm, named)));
        }
        vms.sort_unstable_by_key(|(vm, _)| vm.vm);
        let mut events = Vec::with_capacity(2 * vms.len());
        for (at, (vm, server)) in vms.iter().enumerate() {
            let event = Event {
                time_s: vm.start_s,
                vm: index_u32(at),
                server: *server,
                gib: vm.gib,
                arrives: true,
            };
            events.push(event);
            events.extend(vm.end_s.map(|time_s| Event { time_s, arrives: false, ..event }));
        }
        events.sort_unstable_by_key(|e| (e.time_s, e.arrives, e.vm));
        let (mut renamed, mut seen) = (vec![u32::MAX; vms.len()], 0);
        for event in &mut events {
            let name = &mut renamed[event.vm as usize];
            if *name == u32::MAX {
                *name = seen;
                seen += 1;
            }
            event.vm = *name;
        }
        (events, vms.len())
    }

    /// The number of servers of the fleet.
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
    /// assert_eq!(demand.servers(), 2);
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    #[must_use]
    pub fn servers(&self) -> usize {
        self.first.len() - 1
    }

    /// The fraction of memory that is pooled.
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
    /// assert_eq!(demand.pooled_fraction(), 0.5);
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    #[must_use]
    pub fn pooled_fraction(&self) -> f64 {
        self.pooled_fraction
    }

    /// The demand of a pod made of the given servers of the fleet, in order.
    ///
    /// # Errors
    ///
    /// [`Error::BadServer`] for a server that is not in the fleet or is named
    /// twice.
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
    /// let alone = demand.pod(&[1])?;
    /// assert_eq!((alone.servers(), alone.vms(), alone.baseline_gib()), (1, 1, 4));
    /// assert!(demand.pod(&[1, 1]).is_err() && demand.pod(&[2]).is_err());
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    pub fn pod(&self, servers: &[usize]) -> Result<PodDemand> {
        let mut taken = vec![false; self.servers()];
        for &server in servers {
            match taken.get_mut(server) {
                Some(taken) if !*taken => *taken = true,
                _ => return Err(Error::BadServer { server, servers: self.servers() }),
            }
        }
        let (events, vms) = self.events_of(servers.iter().copied().zip(0..));
        Ok(PodDemand::new(servers.len(), vms, events, self.window_start_s))
    }
}

/// The pooled demand of one pod's servers.
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
/// assert_eq!((pod.servers(), pod.vms(), pod.events().len()), (2, 2, 4));
/// # Ok::<(), octopus_pool::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PodDemand {
    servers: usize,
    vms: usize,
    events: Vec<Event>,
    tracked_from: usize,
    server_peaks_gib: Vec<u64>,
    peak_total: (u64, usize),
}

impl PodDemand {
    fn new(servers: usize, vms: usize, events: Vec<Event>, window_start_s: i64) -> Self {
        let tracked_from = tracked_from(&events, window_start_s);
        Self::tracking(servers, vms, events, tracked_from)
    }

    fn tracking(servers: usize, vms: usize, events: Vec<Event>, tracked_from: usize) -> Self {
        let mut used = vec![0_u64; servers];
        let mut total = 0;
        for event in &events[..tracked_from] {
            apply(&mut used, &mut total, event);
        }
        let (mut server_peaks_gib, mut peak_total) = (used.clone(), (total, tracked_from));
        for (at, event) in events.iter().enumerate().skip(tracked_from) {
            apply(&mut used, &mut total, event);
            let server = event.server as usize;
            server_peaks_gib[server] = server_peaks_gib[server].max(used[server]);
            if total > peak_total.0 {
                peak_total = (total, at + 1);
            }
        }
        Self { servers, vms, events, tracked_from, server_peaks_gib, peak_total }
    }

    /// The demand until a time, which ends the window.
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
    /// assert_eq!(pod.until(3).peak_total_gib(), 8);
    /// assert_eq!(pod.until(2).peak_total_gib(), 4);
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    #[must_use]
    pub fn until(&self, time_s: i64) -> Self {
        let before = self.events.partition_point(|event| event.time_s < time_s);
        let events = self.events[..before].to_vec();
        let tracked_from = self.tracked_from.min(before);
        Self::tracking(self.servers, self.vms, events, tracked_from)
    }

    /// The whole demand, with a window that starts at a time.
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
    /// assert_eq!(pod.since(4).peak_total_gib(), 4);
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    #[must_use]
    pub fn since(&self, time_s: i64) -> Self {
        let from = tracked_from(&self.events, time_s).max(self.tracked_from);
        Self::tracking(self.servers, self.vms, self.events.clone(), from)
    }

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
    /// # let demand = Demand::new(&fleet, 0.5, 1)?;
    /// # let pod = demand.pod(&[0, 1])?;
    /// assert_eq!(pod.servers(), 2);
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    #[must_use]
    pub fn servers(&self) -> usize {
        self.servers
    }

    /// The number of VMs with pooled memory.
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
    /// assert_eq!(pod.vms(), 2);
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    #[must_use]
    pub fn vms(&self) -> usize {
        self.vms
    }

    /// The events in order.
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
    /// assert_eq!(pod.events().len(), 4);
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// How many leading events come before the window; peaks do not count
    /// until they are done.
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
    /// assert_eq!(pod.tracked_from(), 1);
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    #[must_use]
    pub fn tracked_from(&self) -> usize {
        self.tracked_from
    }

    /// The peak of each server's own pooled demand inside the window, GiB.
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
    /// assert_eq!(pod.server_peaks_gib(), [4, 4]);
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    #[must_use]
    pub fn server_peaks_gib(&self) -> &[u64] {
        &self.server_peaks_gib
    }

    /// What servers without a pod need: the sum of their own peaks, GiB.
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
    /// assert_eq!(pod.baseline_gib(), 8);
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    #[must_use]
    pub fn baseline_gib(&self) -> u64 {
        self.server_peaks_gib.iter().sum()
    }

    /// The peak of the summed demand inside the window, GiB: what one global
    /// pool needs.
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
    /// assert_eq!(pod.peak_total_gib(), 8);
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    #[must_use]
    pub fn peak_total_gib(&self) -> u64 {
        self.peak_total.0
    }

    /// How many events lead to the instant of [`Self::peak_total_gib`].
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
    /// assert_eq!(pod.peak_total_after(), 2);
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    #[must_use]
    pub fn peak_total_after(&self) -> usize {
        self.peak_total.1
    }
}

/// The events before a window. Departures at its very start leave its first
/// instant.
fn tracked_from(events: &[Event], window_start_s: i64) -> usize {
    events.partition_point(|e| {
        e.time_s < window_start_s || (e.time_s == window_start_s && !e.arrives)
    })
}

/// Adds an event to the demand of each server and their sum.
fn apply(used: &mut [u64], total: &mut u64, event: &Event) {
    let (server, gib) = (event.server as usize, u64::from(event.gib));
    if event.arrives {
        used[server] += gib;
        *total += gib;
    } else {
        used[server] -= gib;
        *total -= gib;
    }
}
