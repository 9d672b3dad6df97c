//! Plays a pod's demand back against a policy.

use octopus_design::ServerId;
use serde::Serialize;

use crate::{Error, Lease, PodDemand, Policy, Result};

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Replay {
    /// The highest load of any MPD inside the window, GiB.
    pub peak_mpd_gib: u32,
    /// GiB allocated, those before the window too.
    pub allocated_gib: u64,
    /// GiB released.
    pub released_gib: u64,
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
    let mut leases: Vec<Option<Lease>> = (0..demand.vms()).map(|_| None).collect();
    let (mut allocated_gib, mut released_gib, mut largest_burst_gib) = (0, 0, 0);
    let (mut spilled_gib, mut spilled_vms) = (0, 0);
    let (mut allocated_before_gib, mut moved_before_gib) = (0, 0);
    let (before, inside) = demand.events().split_at(demand.tracked_from());
    for (part, events) in [before, inside].into_iter().enumerate() {
        if part == 1 {
            policy.restart_peak();
            (allocated_before_gib, moved_before_gib) = (allocated_gib, policy.moved_gib());
            largest_burst_gib = 0;
        }
        for event in events {
            let held = &mut leases[event.vm as usize];
            if event.arrives {
                let (moved, spilled) = (policy.moved_gib(), policy.spilled_gib());
                *held = Some(policy.allocate(ServerId(event.server as usize), event.gib)?);
                largest_burst_gib = largest_burst_gib.max(policy.moved_gib() - moved);
                let spilled = policy.spilled_gib() - spilled;
                allocated_gib += u64::from(event.gib) - spilled;
                if part == 1 && spilled > 0 {
                    spilled_gib += spilled;
                    spilled_vms += 1;
                }
            } else if let Some(lease) = held.take() {
                released_gib += u64::from(policy.release(lease)?);
            }
        }
    }
    Ok(Replay {
        peak_mpd_gib: policy.peak_gib(),
        allocated_gib,
        released_gib,
        resident_gib: policy.loads_gib().iter().copied().map(u64::from).sum(),
        window_allocated_gib: allocated_gib - allocated_before_gib,
        window_moved_gib: policy.moved_gib() - moved_before_gib,
        moved_gib: policy.moved_gib(),
        largest_burst_gib,
        spilled_gib,
        spilled_vms,
        events: demand.events().len() as u64,
    })
}
