//! A policy for VMs that need the bandwidth of several links.

use octopus_design::{MpdId, ServerId, Topology};

use crate::flow::Wiring;
use crate::leases::Leases;
use crate::num::index_u32;
use crate::policy::{Lease, Policy};
use crate::{Error, Result};

/// Each VM's memory spread evenly over the `links` least loaded MPDs that its
/// server reaches, for the bandwidth of as many links (section 7).
///
/// What does not divide goes a GiB each to the least loaded of them. Evenness
/// comes before level loads, so this saves less than [`crate::LeastLoaded`].
///
/// # Examples
///
/// ```
/// use octopus_design::{ServerId, pod};
/// use octopus_pool::{Policy, Striped};
///
/// let mut policy = Striped::new(&pod::bibd(13, 4)?, 2)?;
/// let lease = policy.allocate(ServerId(0), 7)?;
/// let gib: Vec<u32> = policy.shares(&lease)?.into_iter().map(|(_, gib)| gib).collect();
/// assert_eq!(gib, [4, 3]);
/// // the next VM goes to the two other MPDs
/// policy.allocate(ServerId(0), 2)?;
/// assert_eq!(policy.peak_gib(), 4);
/// assert!(Striped::new(&pod::bibd(13, 4)?, 0).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Striped {
    wiring: Wiring,
    links: usize,
    loads: Vec<u32>,
    total: u32,
    peak: u32,
    spilled: u64,
    leases: Leases,
    /// The links of one server, by load.
    order: Vec<u32>,
}

impl Striped {
    /// An empty pod whose VMs use `links` links each, or all of a server that
    /// has fewer.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`] unless that is 1 to 65536.
    ///
    /// # Examples
    ///
    /// ```
    /// use octopus_design::{ServerId, pod};
    /// use octopus_pool::{Policy, Striped};
    /// let mut policy = Striped::new(&pod::octopus_96(), 8)?;
    /// policy.allocate(ServerId(0), 80)?;
    /// assert_eq!(policy.peak_gib(), 10);
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    pub fn new(topology: &Topology, links: usize) -> Result<Self> {
        if !(1..=65_536).contains(&links) {
            let value = links as u64;
            return Err(Error::OutOfRange { field: "links", value, least: 1, most: 65_536 });
        }
        let wiring = Wiring::new(topology);
        let (loads, leases) = (vec![0; wiring.mpds()], Leases::new(wiring.most_links()));
        let order = Vec::with_capacity(wiring.most_links());
        Ok(Self { wiring, links, loads, total: 0, peak: 0, spilled: 0, leases, order })
    }
}

impl Policy for Striped {
    fn servers(&self) -> usize {
        self.wiring.servers()
    }

    fn allocate(&mut self, server: ServerId, gib: u32) -> Result<Lease> {
        let server = server.index();
        let total = self.total.checked_add(gib);
        let total = total.ok_or(Error::Overflow { gib, most: u32::MAX })?;
        let slot = self.leases.open(server);
        let mpds = &self.wiring.mpd[self.wiring.links(server)];
        if mpds.is_empty() {
            self.spilled += u64::from(gib);
            return Ok(Lease::new(slot));
        }
        self.order.clear();
        self.order.extend(0..index_u32(mpds.len()));
        let load = |link: &u32| (self.loads[mpds[*link as usize] as usize], *link);
        self.order.sort_unstable_by_key(load);
        self.order.truncate(self.links);
        let width = index_u32(self.order.len());
        let cells = self.leases.cells_mut(slot);
        for (place, &link) in (0..width).zip(&self.order) {
            let share = gib / width + u32::from(place < gib % width);
            let load = &mut self.loads[mpds[link as usize] as usize];
            *load += share;
            cells[link as usize] = share;
            self.peak = self.peak.max(*load);
        }
        self.total = total;
        Ok(Lease::new(slot))
    }

    fn release(&mut self, lease: Lease) -> Result<u32> {
        let freed = self.leases.release(&lease, &self.wiring, &mut self.loads)?;
        self.total -= freed;
        Ok(freed)
    }

    fn fail_mpd(&mut self, mpd: MpdId) -> Result<u32> {
        let cuts = self.wiring.cut(mpd.index())?;
        let lost = self.leases.cut(&cuts, &mut self.loads[mpd.index()]);
        self.total -= lost;
        Ok(lost)
    }

    fn shares(&self, lease: &Lease) -> Result<Vec<(MpdId, u32)>> {
        self.leases.shares(lease, &self.wiring)
    }

    fn loads_gib(&self) -> &[u32] {
        &self.loads
    }

    fn peak_gib(&self) -> u32 {
        self.peak
    }

    fn restart_peak(&mut self) {
        self.peak = self.loads.iter().copied().max().unwrap_or(0);
    }

    fn moved_gib(&self) -> u64 {
        0
    }

    fn spilled_gib(&self) -> u64 {
        self.spilled
    }
}
