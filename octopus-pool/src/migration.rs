//! A policy that moves memory, but only when it must.

use octopus_design::{MpdId, ServerId, Topology};

use crate::flow::{Flow, Full, Step, Wiring};
use crate::leases::Leases;
use crate::num::{index_u32, round_u32};
use crate::policy::{Lease, Policy};
use crate::{Error, Result};

/// The largest margin: a cap of a thousand times what is needed is none.
const MAX_MARGIN: f64 = 1_000.0;

/// Where the cap on an MPD's load comes from.
#[derive(Clone, Copy, Debug)]
enum Cap {
    /// This much above what the wiring has needed so far.
    Online { margin: f64 },
    /// Built in.
    Fixed,
}

/// Least-loaded allocation under a cap, kept by moving single GiB along
/// shortest augmenting paths (beyond the paper, whose section 7 leaves
/// migration open).
///
/// A new VM's memory goes to the least loaded MPDs its server reaches, as far
/// as they stay below the cap. For the rest room is made: memory of another
/// server moves from one of these MPDs to another that it reaches, perhaps
/// after memory there has moved in turn. Nothing moves otherwise.
///
/// The *online* cap looks at no future. Beside the pod it keeps a shadow, the
/// same demand laid out freely, and its least whole cap: the running maximum of
/// the fractional optimum, rounded up ([`crate::fractional_optimum`]). The cap
/// is that plus a margin, and never falls. Since the demand fits under the
/// shadow's cap, a path is always found, and nothing spills.
///
/// A *fixed* cap is that of MPDs which are already bought. What finds no room
/// under it spills to the server's own memory, and is counted.
///
/// # Examples
///
/// Two servers with an MPD each and one they share. Server 0 fills what it
/// reaches; when server 1 comes, the shared MPD is freed for it.
///
/// ```
/// use octopus_design::{MpdId, ServerId, Topology};
/// use octopus_pool::{BoundedMigration, Policy};
///
/// let pod = Topology::new("pair", 2, 2, 2, [vec![0], vec![0, 1], vec![1]])?;
/// let mut policy = BoundedMigration::fixed(&pod, 4);
/// let first = policy.allocate(ServerId(0), 4)?;
/// assert_eq!(policy.loads_gib(), [2, 2, 0]);
/// policy.allocate(ServerId(1), 8)?;
/// assert_eq!(policy.loads_gib(), [4, 4, 4]);
/// assert_eq!(policy.shares(&first)?, [(MpdId(0), 4)]);
/// assert_eq!((policy.moved_gib(), policy.spilled_gib()), (2, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct BoundedMigration {
    wiring: Wiring,
    cap: Cap,
    /// The cap in force, GiB.
    cap_gib: u32,
    /// The same demand, laid out with no regard for moves.
    shadow: Flow,
    shadow_cap_gib: u64,
    /// What lies where.
    flow: Flow,
    loads: Vec<u32>,
    total: u32,
    peak: u32,
    leases: Leases,
    /// What each lease asked for, GiB.
    asked: Vec<u32>,
    /// The leases of each server, and where in its list each stands.
    held: Vec<Vec<u32>>,
    place: Vec<u32>,
    moved: u64,
    spilled: u64,
}

impl BoundedMigration {
    /// An empty pod whose cap stays `margin` above what its wiring needs at
    /// least: 0.05 for five per cent.
    ///
    /// # Errors
    ///
    /// [`Error::BadNumber`] unless the margin lies in [0, 1000].
    ///
    /// # Examples
    ///
    /// ```
    /// use octopus_design::{ServerId, pod};
    /// use octopus_pool::{BoundedMigration, Policy};
    ///
    /// let mut policy = BoundedMigration::online(&pod::bibd(13, 4)?, 0.0)?;
    /// let lease = policy.allocate(ServerId(0), 10)?;
    /// // one server reaches four MPDs, so one of them has to hold 3 GiB
    /// assert_eq!((policy.cap_gib(), policy.needed_gib()), (3, 3));
    /// policy.release(lease)?;
    /// assert_eq!(policy.cap_gib(), 3);
    /// assert!(BoundedMigration::online(&pod::bibd(13, 4)?, f64::NAN).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn online(topology: &Topology, margin: f64) -> Result<Self> {
        if !(0.0..=MAX_MARGIN).contains(&margin) {
            let expected = "0 to 1000";
            return Err(Error::BadNumber { field: "margin", value: margin, expected });
        }
        Ok(Self::new(topology, Cap::Online { margin }, 0))
    }

    /// An empty pod of MPDs that hold `capacity_gib` each.
    ///
    /// # Examples
    ///
    /// ```
    /// use octopus_design::{ServerId, pod};
    /// use octopus_pool::{BoundedMigration, Policy};
    ///
    /// // four MPDs of 2 GiB are all that a server reaches
    /// let mut policy = BoundedMigration::fixed(&pod::bibd(13, 4)?, 2);
    /// let lease = policy.allocate(ServerId(0), 10)?;
    /// assert_eq!((policy.peak_gib(), policy.spilled_gib()), (2, 2));
    /// assert_eq!(policy.release(lease)?, 8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn fixed(topology: &Topology, capacity_gib: u32) -> Self {
        Self::new(topology, Cap::Fixed, capacity_gib)
    }

    fn new(topology: &Topology, cap: Cap, cap_gib: u32) -> Self {
        let wiring = Wiring::new(topology);
        Self {
            cap,
            cap_gib,
            shadow: Flow::new(&wiring),
            shadow_cap_gib: 0,
            flow: Flow::new(&wiring),
            loads: vec![0; wiring.mpds()],
            total: 0,
            peak: 0,
            leases: Leases::new(wiring.most_links()),
            asked: Vec::new(),
            held: vec![Vec::new(); wiring.servers()],
            place: Vec::new(),
            moved: 0,
            spilled: 0,
            wiring,
        }
    }

    /// The most an MPD may hold now, GiB.
    ///
    /// ```
    /// # use octopus_design::{ServerId, pod};
    /// # use octopus_pool::{BoundedMigration, Policy};
    /// let mut policy = BoundedMigration::online(&pod::bibd(13, 4)?, 0.5)?;
    /// policy.allocate(ServerId(0), 40)?;
    /// assert_eq!((policy.needed_gib(), policy.cap_gib()), (10, 15));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn cap_gib(&self) -> u32 {
        self.cap_gib
    }

    /// The least whole cap under which all demand so far would have fitted,
    /// with any amount of movement, GiB.
    ///
    /// With a fixed capacity, how near this comes to it is an alarm worth
    /// having: past it, memory has to spill.
    ///
    /// ```
    /// # use octopus_design::{ServerId, pod};
    /// # use octopus_pool::{BoundedMigration, Policy};
    /// let mut policy = BoundedMigration::fixed(&pod::bibd(13, 4)?, 16);
    /// policy.allocate(ServerId(0), 40)?;
    /// assert_eq!((policy.needed_gib(), policy.cap_gib()), (10, 16));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn needed_gib(&self) -> u64 {
        self.shadow_cap_gib
    }

    /// Lays a new demand on the shadow, and raises the cap where it must.
    fn arrive(&mut self, server: usize, gib: u32) {
        self.need(server, u64::from(gib));
        if let Cap::Online { margin } = self.cap {
            let cap = round_u32((self.shadow_cap_gib as f64 * (1.0 + margin)).ceil());
            self.cap_gib = self.cap_gib.max(cap);
        }
    }

    /// Lays units of a server that has links in the shadow.
    fn need(&mut self, server: usize, mut units: u64) {
        fill(&mut self.shadow, &self.wiring, self.shadow_cap_gib, server, &mut units);
        let Self { shadow, wiring, shadow_cap_gib: cap, .. } = self;
        while shadow.push(wiring, *cap, server, &mut units, &mut |_, _| {}) == Err(Full) {
            *cap += 1;
        }
    }

    /// Lays a new demand on the pod, and says how much found no room.
    fn lay(&mut self, server: usize, slot: u32, gib: u32) -> u32 {
        let first = self.wiring.links(server).start;
        let cap = u64::from(self.cap_gib);
        let mut units = u64::from(gib);
        let before: Vec<u64> = self.flow.amount[self.wiring.links(server)].to_vec();
        fill(&mut self.flow, &self.wiring, cap, server, &mut units);
        let now = &self.flow.amount[self.wiring.links(server)];
        for (cell, (now, before)) in
            self.leases.cells_mut(slot).iter_mut().zip(now.iter().zip(before))
        {
            *cell = narrow(now - before);
        }
        let Self { flow, wiring, leases, held, moved, .. } = self;
        // a path is taken from its end, so that room is made before it is used
        let mut on_step = |Step { from, to }: Step, amount: u64| match from {
            None => leases.cells_mut(slot)[to - first] += narrow(amount),
            Some(from) => {
                let owner = wiring.owner[to] as usize;
                let first = wiring.links(owner).start;
                *moved += amount;
                move_cells(leases, &held[owner], from - first, to - first, narrow(amount));
            }
        };
        match flow.push(wiring, cap, server, &mut units, &mut on_step) {
            Ok(()) => 0,
            Err(Full) => narrow(units),
        }
    }

    /// Brings the loads up to date with the flow.
    fn settle(&mut self) {
        for (load, now) in self.loads.iter_mut().zip(&self.flow.load) {
            *load = narrow(*now);
            self.peak = self.peak.max(*load);
        }
    }
}

/// Each GiB to the least loaded MPD the server reaches, below the cap.
fn fill(flow: &mut Flow, wiring: &Wiring, cap: u64, server: usize, units: &mut u64) {
    while *units > 0 {
        let links = wiring.links(server);
        let least = links.min_by_key(|&link| flow.load[wiring.mpd[link] as usize]);
        let Some(link) = least else { return };
        let load = &mut flow.load[wiring.mpd[link] as usize];
        if *load >= cap {
            return;
        }
        *load += 1;
        flow.amount[link] += 1;
        *units -= 1;
    }
}

/// Moves GiB of one server from one of its links to another, the youngest
/// leases' first.
fn move_cells(leases: &mut Leases, held: &[u32], from: usize, to: usize, mut gib: u32) {
    for &slot in held.iter().rev() {
        let cells = leases.cells_mut(slot);
        let taken = gib.min(cells[from]);
        cells[from] -= taken;
        cells[to] += taken;
        gib -= taken;
        if gib == 0 {
            return;
        }
    }
}

/// An amount that is part of a 32-bit total.
fn narrow(gib: u64) -> u32 {
    u32::try_from(gib).unwrap_or(u32::MAX)
}

impl Policy for BoundedMigration {
    fn servers(&self) -> usize {
        self.wiring.servers()
    }

    fn allocate(&mut self, server: ServerId, gib: u32) -> Result<Lease> {
        let server = server.index();
        let total = self.total.checked_add(gib);
        let total = total.ok_or(Error::Overflow { gib, most: u32::MAX })?;
        let slot = self.leases.open(server);
        let slots = slot as usize + 1;
        if self.asked.len() < slots {
            self.asked.resize(slots, 0);
            self.place.resize(slots, 0);
        }
        self.asked[slot as usize] = gib;
        let spilled = if self.wiring.links(server).is_empty() {
            gib
        } else {
            self.arrive(server, gib);
            self.lay(server, slot, gib)
        };
        self.settle();
        self.total = total - spilled;
        self.spilled += u64::from(spilled);
        self.place[slot as usize] = index_u32(self.held[server].len());
        self.held[server].push(slot);
        Ok(Lease::new(slot))
    }

    fn release(&mut self, lease: Lease) -> Result<u32> {
        let server = self.leases.holder(&lease)?;
        let slot = lease.number();
        for (cell, link) in self.leases.cells(slot).iter().zip(self.wiring.links(server)) {
            self.flow.amount[link] -= u64::from(*cell);
            self.flow.load[self.wiring.mpd[link] as usize] -= u64::from(*cell);
        }
        let freed = self.leases.release(&lease, &self.wiring, &mut self.loads)?;
        self.total -= freed;
        self.shadow.pull_level(&self.wiring, server, u64::from(self.asked[slot as usize]));
        let at = self.place[slot as usize] as usize;
        self.held[server].swap_remove(at);
        if let Some(&moved) = self.held[server].get(at) {
            self.place[moved as usize] = index_u32(at);
        }
        Ok(freed)
    }

    /// The shadow takes its own course: what it had on the MPD is still asked
    /// for, and finds room elsewhere.
    fn fail_mpd(&mut self, mpd: MpdId) -> Result<u32> {
        let cuts = self.wiring.cut(mpd.index())?;
        self.flow.cut(mpd.index(), &cuts);
        for (server, units) in self.shadow.cut(mpd.index(), &cuts) {
            if !self.wiring.links(server).is_empty() {
                self.need(server, units);
            }
        }
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
        self.moved
    }

    fn spilled_gib(&self) -> u64 {
        self.spilled
    }
}
