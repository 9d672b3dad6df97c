//! Plays a pod's demand back against a policy.

use octopus_design::{MpdId, ServerId};
use serde::Serialize;

use crate::{Error, Event, Lease, MAX_ROWS, PodDemand, Policy, Result};

/// What came of a replay.
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
/// # use octopus_pool::{GlobalPool, replay};
/// let played = replay(&pod, &mut GlobalPool::new(2))?;
/// assert_eq!((played.peak_mpd_gib, played.allocated_gib, played.released_gib), (8, 8, 8));
/// assert_eq!((played.moved_gib, played.spilled_vms, played.events), (0, 0, 4));
/// # Ok::<(), octopus_pool::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Replay {
    /// The highest load of any MPD inside the window, GiB.
    pub peak_mpd_gib: u32,
    /// GiB allocated, those before the window too.
    pub allocated_gib: u64,
    /// GiB released.
    pub released_gib: u64,
    /// GiB lost with MPDs that failed.
    pub lost_gib: u64,
    /// GiB still held when the window closed.
    pub resident_gib: u64,
    /// GiB allocated inside the window.
    pub window_allocated_gib: u64,
    /// GiB the policy moved between MPDs inside the window.
    pub window_moved_gib: u64,
    /// GiB the policy moved between MPDs, before the window too.
    pub moved_gib: u64,
    /// The most GiB moved for a single VM inside the window.
    pub largest_burst_gib: u64,
    /// GiB inside the window that found no room on MPDs of a fixed capacity
    /// and stayed with the server.
    pub spilled_gib: u64,
    /// VMs inside the window of which some memory found no room.
    pub spilled_vms: u64,
    /// Allocations and releases.
    pub events: u64,
}

/// Feeds every event to the policy and tracks the peak inside the window.
///
/// # Errors
///
/// [`Error::SizeMismatch`] if the policy's pod is of another size; what
/// [`Policy::allocate`] returns.
///
/// # Examples
///
/// ```
/// use octopus_pool::{Demand, GlobalPool, Placement, Trace, Vm, place, replay};
///
/// // Two VMs of 4 GiB that meet, before the window; one of them lives on.
/// let vm = |end_s| Vm { start_s: -9, end_s, memory_gib: 4.0, cores: 2, server: Some(0), censored: false };
/// let trace = Trace::new("t", 0..10, vec![vm(1), vm(99)])?;
/// let demand = Demand::new(&place(&trace, &Placement::Given)?, 1.0, 1)?.pod(&[0])?;
/// let replay = replay(&demand, &mut GlobalPool::new(1))?;
/// assert_eq!((replay.peak_mpd_gib, replay.resident_gib, replay.events), (8, 4, 3));
/// # Ok::<(), octopus_pool::Error>(())
/// ```
pub fn replay<P: Policy + ?Sized>(demand: &PodDemand, policy: &mut P) -> Result<Replay> {
    let (servers, pod) = (demand.servers(), policy.servers());
    if servers != pod {
        return Err(Error::SizeMismatch { demand: servers, pod });
    }
    let mut player = Replayer::new(policy);
    let (before, inside) = demand.events().split_at(demand.tracked_from());
    for event in before {
        player.play(event)?;
    }
    player.open_window();
    for event in inside {
        player.play(event)?;
    }
    Ok(player.finish())
}

/// What an MPD holds at a moment.
///
/// # Examples
///
/// ```
/// assert_eq!(octopus_pool::Held::default().gib, 0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// VMs with a share on it.
    pub vms: u64,
    /// VMs with pooled memory on any MPD.
    pub all_vms: u64,
    /// GiB on it.
    pub gib: u64,
}

/// A VM that has memory.
#[derive(Debug)]
struct Running {
    lease: Lease,
    server: u32,
    gib: u32,
}

/// Plays events one by one, for streams that are never whole in memory.
///
/// Memory grows with the highest VM number, so a stream gives the numbers of
/// VMs that are gone to new ones.
///
/// # Examples
///
/// ```
/// use octopus_pool::{Event, GlobalPool, Replayer};
///
/// let mut pool = GlobalPool::new(1);
/// let mut player = Replayer::new(&mut pool);
/// player.open_window();
/// for time_s in 0..1000 {
///     let event = Event { time_s, vm: 0, server: 0, gib: 8, arrives: time_s % 2 == 0 };
///     player.play(&event)?;
/// }
/// let played = player.finish();
/// assert_eq!((played.peak_mpd_gib, played.released_gib, played.events), (8, 4000, 1000));
/// # Ok::<(), octopus_pool::Error>(())
/// ```
#[derive(Debug)]
pub struct Replayer<'p, P: ?Sized> {
    policy: &'p mut P,
    vms: Vec<Option<Running>>,
    played: Replay,
    in_window: bool,
}

impl<'p, P: Policy + ?Sized> Replayer<'p, P> {
    /// Before the first event.
    ///
    /// ```
    /// use octopus_pool::{GlobalPool, Replayer};
    /// assert_eq!(Replayer::new(&mut GlobalPool::new(1)).finish().events, 0);
    /// ```
    pub fn new(policy: &'p mut P) -> Self {
        Self { policy, vms: Vec::new(), played: Replay::default(), in_window: false }
    }

    /// From here on peaks, bursts and spills count.
    ///
    /// ```
    /// use octopus_pool::{Event, GlobalPool, Replayer};
    /// let mut pool = GlobalPool::new(1);
    /// let mut player = Replayer::new(&mut pool);
    /// player.play(&Event { time_s: 0, vm: 0, server: 0, gib: 8, arrives: true })?;
    /// player.play(&Event { time_s: 1, vm: 0, server: 0, gib: 8, arrives: false })?;
    /// player.open_window();
    /// assert_eq!(player.finish().peak_mpd_gib, 0);
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    pub fn open_window(&mut self) {
        self.in_window = true;
        self.policy.restart_peak();
    }

    /// Plays an event. A departure of a VM that is not there changes nothing.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`] for a VM number of [`MAX_ROWS`] or more; what
    /// [`Policy::allocate`] returns.
    ///
    /// ```
    /// use octopus_pool::{Event, GlobalPool, Replayer};
    /// let mut pool = GlobalPool::new(1);
    /// let far = Event { time_s: 0, vm: u32::MAX, server: 0, gib: 8, arrives: true };
    /// assert!(Replayer::new(&mut pool).play(&far).is_err());
    /// ```
    pub fn play(&mut self, event: &Event) -> Result<()> {
        let vm = event.vm as usize;
        if vm >= self.vms.len() {
            if vm >= MAX_ROWS {
                let (value, most) = (vm as u64, MAX_ROWS as u64 - 1);
                return Err(Error::OutOfRange { field: "vm", value, least: 0, most });
            }
            self.vms.resize_with(vm + 1, || None);
        }
        self.played.events += 1;
        if event.arrives {
            self.start(vm, event.server, event.gib)?;
        } else if let Some(Running { lease, .. }) = self.vms[vm].take() {
            self.played.released_gib += u64::from(self.policy.release(lease)?);
        }
        Ok(())
    }

    fn start(&mut self, vm: usize, server: u32, gib: u32) -> Result<()> {
        let (moved, spilled) = (self.policy.moved_gib(), self.policy.spilled_gib());
        let lease = self.policy.allocate(ServerId(server as usize), gib)?;
        self.vms[vm] = Some(Running { lease, server, gib });
        let spilled = self.policy.spilled_gib() - spilled;
        let allocated = u64::from(gib) - spilled;
        self.played.allocated_gib += allocated;
        if self.in_window {
            let moved = self.policy.moved_gib() - moved;
            self.played.window_allocated_gib += allocated;
            self.played.window_moved_gib += moved;
            self.played.largest_burst_gib = self.played.largest_burst_gib.max(moved);
            self.played.spilled_gib += spilled;
            self.played.spilled_vms += u64::from(spilled > 0);
        }
        Ok(())
    }

    /// An MPD fails and is gone from here on. The VMs with a share on it are lost
    /// with it, and start anew on their servers at once, in the order of their
    /// numbers. Says what it held.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`] for an MPD the pod does not have; what
    /// [`Policy::allocate`] returns.
    ///
    /// # Examples
    ///
    /// ```
    /// use octopus_design::{ServerId, pod};
    /// use octopus_pool::{Event, LeastLoaded, Replayer};
    ///
    /// // four MPDs a server: eight GiB, two on each
    /// let mut policy = LeastLoaded::new(&pod::bibd(13, 4)?);
    /// let mut player = Replayer::new(&mut policy);
    /// player.play(&Event { time_s: 0, vm: 0, server: 5, gib: 8, arrives: true })?;
    /// let first = pod::bibd(13, 4)?.mpds_of(ServerId(5)).next().ok_or("no link")?;
    /// let lost = player.fail_mpd(first)?;
    /// assert_eq!((lost.vms, lost.gib), (1, 2));
    /// // started anew, on the three that are left
    /// assert_eq!(player.held_by(first)?.gib, 0);
    /// let played = player.finish();
    /// assert_eq!((played.lost_gib, played.resident_gib, played.allocated_gib), (2, 8, 16));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fail_mpd(&mut self, mpd: MpdId) -> Result<Held> {
        let held = self.held_by(mpd)?;
        let mut hit = Vec::new();
        for (vm, running) in self.vms.iter().enumerate() {
            let Some(running) = running else { continue };
            if self.policy.shares(&running.lease)?.iter().any(|(at, _)| *at == mpd) {
                hit.push(vm);
            }
        }
        self.played.lost_gib += u64::from(self.policy.fail_mpd(mpd)?);
        // all go before any comes back
        let mut again = Vec::with_capacity(hit.len());
        for vm in hit {
            let Some(Running { lease, server, gib }) = self.vms[vm].take() else { continue };
            self.played.released_gib += u64::from(self.policy.release(lease)?);
            again.push((vm, server, gib));
        }
        for (vm, server, gib) in again {
            self.start(vm, server, gib)?;
        }
        Ok(held)
    }

    /// What an MPD holds now.
    ///
    /// # Errors
    ///
    /// None: the leases are the policy's own.
    ///
    /// ```
    /// use octopus_design::MpdId;
    /// use octopus_pool::{Event, GlobalPool, Replayer};
    /// let mut pool = GlobalPool::new(1);
    /// let mut player = Replayer::new(&mut pool);
    /// player.play(&Event { time_s: 0, vm: 0, server: 0, gib: 8, arrives: true })?;
    /// let held = player.held_by(MpdId(0))?;
    /// assert_eq!((held.vms, held.all_vms, held.gib), (1, 1, 8));
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    pub fn held_by(&self, mpd: MpdId) -> Result<Held> {
        let mut held = Held::default();
        for running in self.vms.iter().flatten() {
            let shares = self.policy.shares(&running.lease)?;
            held.all_vms += u64::from(!shares.is_empty());
            if let Some((_, gib)) = shares.into_iter().find(|(at, _)| *at == mpd) {
                held.vms += 1;
                held.gib += u64::from(gib);
            }
        }
        Ok(held)
    }

    /// What came of it.
    ///
    /// ```
    /// use octopus_pool::{Event, GlobalPool, Replayer};
    /// let mut pool = GlobalPool::new(1);
    /// let mut player = Replayer::new(&mut pool);
    /// player.play(&Event { time_s: 0, vm: 0, server: 0, gib: 8, arrives: true })?;
    /// assert_eq!(player.finish().resident_gib, 8);
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    #[must_use]
    pub fn finish(self) -> Replay {
        self.so_far()
    }

    /// The same, of what has been played so far.
    ///
    /// ```
    /// use octopus_pool::{Event, GlobalPool, Replayer};
    /// let mut pool = GlobalPool::new(1);
    /// let mut player = Replayer::new(&mut pool);
    /// player.play(&Event { time_s: 0, vm: 0, server: 0, gib: 8, arrives: true })?;
    /// assert_eq!((player.so_far().resident_gib, player.so_far().events), (8, 1));
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    #[must_use]
    pub fn so_far(&self) -> Replay {
        Replay {
            peak_mpd_gib: self.policy.peak_gib(),
            resident_gib: self.policy.loads_gib().iter().copied().map(u64::from).sum(),
            moved_gib: self.policy.moved_gib(),
            ..self.played
        }
    }
}
