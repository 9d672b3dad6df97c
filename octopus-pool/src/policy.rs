//! Policies: which MPDs a server's memory comes from.

use octopus_design::{MpdId, ServerId, Topology};

use crate::flow::Wiring;
use crate::leases::Leases;
use crate::{Error, Result};

/// Memory held by a server; given back with [`Policy::release`].
///
/// It cannot be copied, so memory is not given back twice.
///
/// # Examples
///
/// ```
/// use octopus_design::ServerId;
/// use octopus_pool::{GlobalPool, Policy};
///
/// let mut pool = GlobalPool::new(2);
/// let lease = pool.allocate(ServerId(0), 5)?;
/// assert_eq!(lease.number(), 0);
/// assert_eq!(pool.release(lease)?, 5);
/// # Ok::<(), octopus_pool::Error>(())
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct Lease(u32);

impl Lease {
    /// A lease of this number; for implementations of [`Policy`].
    ///
    /// ```
    /// assert_eq!(octopus_pool::Lease::new(7).number(), 7);
    /// ```
    #[must_use]
    pub fn new(number: u32) -> Self {
        Self(number)
    }

    /// Its number among the leases of its policy.
    ///
    /// ```
    /// assert_eq!(octopus_pool::Lease::new(7).number(), 7);
    /// ```
    #[must_use]
    pub fn number(&self) -> u32 {
        self.0
    }
}

/// A way to allocate a pod's memory, one request at a time.
///
/// A policy sees no clock, no trace and no future, so the same code serves the
/// simulator and an agent on a host. It keeps the books: how much each MPD
/// holds, and where each lease's memory lies (which a policy may change while
/// the lease is held).
///
/// # Examples
///
/// ```
/// use octopus_design::{ServerId, pod};
/// use octopus_pool::{BoundedMigration, GlobalPool, LeastLoaded, Policy};
///
/// /// What an agent does when a VM comes and goes.
/// fn visit(policy: &mut dyn Policy) -> octopus_pool::Result<u32> {
///     let lease = policy.allocate(ServerId(0), 12)?;
///     policy.release(lease)?;
///     Ok(policy.peak_gib())
/// }
///
/// let wiring = pod::bibd(13, 4)?; // four MPDs a server
/// assert_eq!(visit(&mut LeastLoaded::new(&wiring))?, 3);
/// assert_eq!(visit(&mut BoundedMigration::online(&wiring, 0.1)?)?, 3);
/// assert_eq!(visit(&mut GlobalPool::new(13))?, 12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Policy {
    /// The servers of the pod.
    fn servers(&self) -> usize;

    /// Takes `gib` GiB for a server. Where the server reaches no MPD, or those
    /// have a capacity and no room, it takes less and counts the rest
    /// ([`Self::spilled_gib`]).
    ///
    /// # Errors
    ///
    /// [`Error::Overflow`] if the pod would hold 2^32 GiB or more.
    ///
    /// # Panics
    ///
    /// If the pod has no such server.
    fn allocate(&mut self, server: ServerId, gib: u32) -> Result<Lease>;

    /// Gives a lease's memory back and says how much it was, in GiB.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownLease`] for a lease of another policy.
    fn release(&mut self, lease: Lease) -> Result<u32>;

    /// An MPD has failed: what it holds is lost, nothing goes there again, and
    /// leases keep the rest. Says how many GiB were lost; 0 if it had failed
    /// before.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`] for an MPD the pod does not have.
    fn fail_mpd(&mut self, mpd: MpdId) -> Result<u32>;

    /// Where a lease's memory lies now: MPDs ascending, each with its GiB.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownLease`] for a lease of another policy.
    fn shares(&self, lease: &Lease) -> Result<Vec<(MpdId, u32)>>;

    /// What each MPD holds now, GiB.
    fn loads_gib(&self) -> &[u32];

    /// The highest load of any MPD since the last [`Self::restart_peak`], GiB.
    fn peak_gib(&self) -> u32;

    /// Forgets the peak: it is the highest load of now.
    fn restart_peak(&mut self);

    /// GiB moved from one MPD to another so far.
    fn moved_gib(&self) -> u64;

    /// GiB asked for so far that found no room and stayed with the server.
    fn spilled_gib(&self) -> u64;
}

/// The paper's policy: each GiB from the least loaded MPD the server reaches,
/// the lowest-numbered of equals (section 5.4). Nothing ever moves.
///
/// # Examples
///
/// Two servers with an MPD each and one they share:
///
/// ```
/// use octopus_design::{MpdId, ServerId, Topology};
/// use octopus_pool::{LeastLoaded, Policy};
///
/// let pod = Topology::new("pair", 2, 2, 2, [vec![0], vec![0, 1], vec![1]])?;
/// let mut policy = LeastLoaded::new(&pod);
/// let first = policy.allocate(ServerId(0), 6)?;
/// let second = policy.allocate(ServerId(1), 3)?;
/// assert_eq!(policy.loads_gib(), [3, 3, 3]);
/// assert_eq!(policy.shares(&second)?, [(MpdId(2), 3)]);
/// assert_eq!(policy.release(first)?, 6);
/// assert_eq!(policy.loads_gib(), [0, 0, 3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct LeastLoaded {
    wiring: Wiring,
    /// The most an MPD holds, GiB.
    capacity: u32,
    spilled: u64,
    loads: Vec<u32>,
    total: u32,
    peak: u32,
    leases: Leases,
    /// The loads of one server's MPDs, sorted.
    sorted: Vec<u32>,
}

impl LeastLoaded {
    /// An empty pod of this wiring.
    ///
    /// ```
    /// use octopus_design::{ServerId, pod};
    /// use octopus_pool::{LeastLoaded, Policy};
    ///
    /// let mut policy = LeastLoaded::new(&pod::octopus_96());
    /// policy.allocate(ServerId(0), 17)?;
    /// assert_eq!((policy.servers(), policy.peak_gib()), (96, 3));
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    #[must_use]
    pub fn new(topology: &Topology) -> Self {
        Self::on(Wiring::new(topology), u32::MAX)
    }

    /// An empty pod of MPDs that hold `capacity_gib` each; what finds no room
    /// spills.
    ///
    /// # Examples
    ///
    /// ```
    /// use octopus_design::{ServerId, pod};
    /// use octopus_pool::{LeastLoaded, Policy};
    ///
    /// let mut policy = LeastLoaded::with_capacity(&pod::bibd(13, 4)?, 2);
    /// let lease = policy.allocate(ServerId(0), 10)?;
    /// assert_eq!((policy.peak_gib(), policy.spilled_gib()), (2, 2));
    /// assert_eq!(policy.release(lease)?, 8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_capacity(topology: &Topology, capacity_gib: u32) -> Self {
        Self::on(Wiring::new(topology), capacity_gib)
    }

    fn on(wiring: Wiring, capacity: u32) -> Self {
        let stride = wiring.most_links();
        let (loads, leases) = (vec![0; wiring.mpds()], Leases::new(stride));
        let sorted = Vec::with_capacity(stride);
        Self { wiring, capacity, spilled: 0, loads, total: 0, peak: 0, leases, sorted }
    }

    /// The level `gib` units fill a server's MPDs to, and how many of the MPDs
    /// at that level get one unit more.
    fn fill_level(&mut self, server: usize, gib: u32) -> (u32, u32) {
        let mpds = &self.wiring.mpd[self.wiring.links(server)];
        self.sorted.clear();
        self.sorted.extend(mpds.iter().map(|&mpd| self.loads[mpd as usize]));
        self.sorted.sort_unstable();
        let (mut level, mut left, mut wet) = (self.sorted[0], u64::from(gib), 1_u32);
        for &load in &self.sorted[1..] {
            let need = u64::from(load - level) * u64::from(wet);
            if need > left {
                break;
            }
            left -= need;
            level = load;
            wet += 1;
        }
        // Both fit: they are at most `gib`.
        let rise = u32::try_from(left / u64::from(wet)).unwrap_or(gib);
        let rest = u32::try_from(left % u64::from(wet)).unwrap_or(gib);
        (level + rise, rest)
    }
}

impl Policy for LeastLoaded {
    fn servers(&self) -> usize {
        self.wiring.servers()
    }

    fn allocate(&mut self, server: ServerId, gib: u32) -> Result<Lease> {
        let server = server.index();
        let links = self.wiring.links(server);
        let total = self.total.checked_add(gib);
        let total = total.ok_or(Error::Overflow { gib, most: u32::MAX })?;
        let slot = self.leases.open(server);
        let room = |&mpd: &u32| u64::from(self.capacity.saturating_sub(self.loads[mpd as usize]));
        let room: u64 = self.wiring.mpd[links.clone()].iter().map(room).sum();
        let spilled = gib - u32::try_from(room).map_or(gib, |room| room.min(gib));
        self.spilled += u64::from(spilled);
        let (gib, total) = (gib - spilled, total - spilled);
        if gib == 0 {
            return Ok(Lease(slot));
        }
        let (level, mut rest) = self.fill_level(server, gib);
        let cells = self.leases.cells_mut(slot);
        for (cell, &mpd) in cells.iter_mut().zip(&self.wiring.mpd[links]) {
            let load = &mut self.loads[mpd as usize];
            if *load <= level {
                let one_more = u32::from(rest > 0);
                rest -= one_more;
                let filled = level + one_more;
                *cell = filled - *load;
                *load = filled;
                self.peak = self.peak.max(filled);
            }
        }
        self.total = total;
        Ok(Lease(slot))
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

/// One pool that every server reaches in full: the optimistic model of a CXL
/// switch (section 6.3.1). Its memory counts as one MPD, number 0.
///
/// # Examples
///
/// ```
/// use octopus_design::ServerId;
/// use octopus_pool::{GlobalPool, Policy};
///
/// let mut pool = GlobalPool::new(20);
/// let lease = pool.allocate(ServerId(3), 7)?;
/// pool.allocate(ServerId(19), 5)?;
/// pool.release(lease)?;
/// assert_eq!((pool.loads_gib()[0], pool.peak_gib()), (5, 12));
/// # Ok::<(), octopus_pool::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct GlobalPool {
    inner: LeastLoaded,
}

impl GlobalPool {
    /// An empty pool of `servers` servers.
    ///
    /// ```
    /// use octopus_pool::{GlobalPool, Policy};
    /// assert_eq!((GlobalPool::new(20).servers(), GlobalPool::new(20).loads_gib().len()), (20, 1));
    /// ```
    #[must_use]
    pub fn new(servers: usize) -> Self {
        Self { inner: LeastLoaded::on(Wiring::one_pool(servers), u32::MAX) }
    }
}

impl Policy for GlobalPool {
    fn servers(&self) -> usize {
        self.inner.servers()
    }

    fn allocate(&mut self, server: ServerId, gib: u32) -> Result<Lease> {
        self.inner.allocate(server, gib)
    }

    fn release(&mut self, lease: Lease) -> Result<u32> {
        self.inner.release(lease)
    }

    fn fail_mpd(&mut self, mpd: MpdId) -> Result<u32> {
        self.inner.fail_mpd(mpd)
    }

    fn shares(&self, lease: &Lease) -> Result<Vec<(MpdId, u32)>> {
        self.inner.shares(lease)
    }

    fn loads_gib(&self) -> &[u32] {
        self.inner.loads_gib()
    }

    fn peak_gib(&self) -> u32 {
        self.inner.peak_gib()
    }

    fn restart_peak(&mut self) {
        self.inner.restart_peak();
    }

    fn moved_gib(&self) -> u64 {
        0
    }

    fn spilled_gib(&self) -> u64 {
        0
    }
}
