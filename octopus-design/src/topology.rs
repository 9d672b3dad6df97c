//! The bipartite server–MPD graph.

use std::ops::RangeInclusive;

use bitvec::prelude::{BitSlice, BitVec, Lsb0};

use crate::error::in_range;
use crate::{Error, IslandId, MpdId, Result, ServerId};

/// The most servers a [`Topology`] may have.
///
/// # Examples
///
/// ```
/// use octopus_design::{MAX_SERVERS, pod};
///
/// assert_eq!(pod::fully_connected(1, MAX_SERVERS)?.servers(), 16_384);
/// let wrong = pod::fully_connected(1, MAX_SERVERS + 1).unwrap_err();
/// assert_eq!(wrong.to_string(), "servers is 16385, expected 1 to 16384");
/// # Ok::<(), octopus_design::Error>(())
/// ```
pub const MAX_SERVERS: usize = 16_384;

/// The most MPDs a [`Topology`] may have.
///
/// # Examples
///
/// ```
/// use octopus_design::{MAX_MPDS, Topology};
///
/// let pod = |mpds| Topology::new("x", 1, 1, 1, std::iter::repeat_n([], mpds));
/// assert_eq!(pod(MAX_MPDS)?.mpds(), 65_536);
/// let wrong = pod(MAX_MPDS + 1).unwrap_err();
/// assert_eq!(wrong.to_string(), "number of mpds is 65537, expected 1 to 65536");
/// # Ok::<(), octopus_design::Error>(())
/// ```
pub const MAX_MPDS: usize = 65_536;

/// The most cells (servers × MPDs) the adjacency of a [`Topology`] may have.
///
/// Two bits are kept a cell, so this bounds a pod's memory at 64 MiB.
///
/// # Examples
///
/// ```
/// use octopus_design::{MAX_LINK_CELLS, MAX_SERVERS, Topology};
///
/// let unwired = std::iter::repeat_n([], MAX_LINK_CELLS / MAX_SERVERS + 1);
/// let wrong = Topology::new("x", 1, 1, MAX_SERVERS, unwired).unwrap_err();
/// let message = "16384 servers times 16385 MPDs is more than 268435456 cells";
/// assert_eq!(wrong.to_string(), message);
/// ```
pub const MAX_LINK_CELLS: usize = 1 << 28;

/// A pod's wiring: which servers have a cable to which MPD.
///
/// A topology is always well formed: ids are in range, no cable is doubled, no
/// server is in two islands. It may still *claim* what is not so, since it may
/// come from a file: more links than ports, or an island two of whose servers
/// share no MPD. [`crate::verify`] judges claims.
///
/// Two servers *overlap* on an MPD both are wired to (section 5.1).
///
/// # Examples
///
/// The paper's prototype: three servers, three two-port MPDs, every pair
/// sharing one (section 6.1).
///
/// ```
/// use octopus_design::{ServerId, Topology};
///
/// let pod = Topology::new("prototype", 2, 2, 3, [[0, 1], [1, 2], [0, 2]])?;
/// assert_eq!(pod.links(), 6);
/// assert_eq!(pod.shared_mpds(ServerId(0), ServerId(2)), 1);
/// assert_eq!(pod.neighborhood(&[ServerId(0), ServerId(1)]), 3);
/// # Ok::<(), octopus_design::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    name: String,
    server_ports: usize,
    mpd_ports: usize,
    /// One row a server, one bit an MPD.
    mpds_of: Vec<BitVec<u64, Lsb0>>,
    /// One row an MPD, one bit a server: the transpose.
    servers_of: Vec<BitVec<u64, Lsb0>>,
    islands: Vec<Vec<ServerId>>,
}

impl Topology {
    /// A topology from the servers of each MPD, in any order.
    ///
    /// `server_ports` and `mpd_ports` are the parts' port counts X and N
    /// (Table 1); a link count above them is a claim for [`crate::verify`] to
    /// refute, not an error here.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`] and [`Error::TooLarge`] for counts that are zero
    /// or too large, found before anything of that size is allocated;
    /// [`Error::UnknownServer`] and [`Error::RepeatedServer`] for a server id.
    ///
    /// # Examples
    ///
    /// ```
    /// use octopus_design::{Error, Topology};
    ///
    /// let wrong = Topology::new("x", 1, 2, 2, [vec![0, 0]]);
    /// assert!(matches!(wrong, Err(Error::RepeatedServer { index: 0, server: 0, .. })));
    /// ```
    pub fn new<M>(
        name: impl Into<String>,
        server_ports: usize,
        mpd_ports: usize,
        servers: usize,
        mpds: impl IntoIterator<Item = M>,
    ) -> Result<Self>
    where
        M: IntoIterator<Item = usize>,
    {
        in_range("servers", servers, 1..=MAX_SERVERS)?;
        in_range("server_ports", server_ports, 1..=MAX_MPDS)?;
        in_range("mpd_ports", mpd_ports, 1..=MAX_SERVERS)?;

        let mut servers_of: Vec<BitVec<u64, Lsb0>> = Vec::new();
        for (index, members) in mpds.into_iter().enumerate() {
            in_range("number of mpds", index + 1, 1..=MAX_MPDS)?;
            let cells = (index + 1) * servers;
            if cells > MAX_LINK_CELLS {
                return Err(Error::TooLarge { servers, mpds: index + 1, most: MAX_LINK_CELLS });
            }
            let mut row = BitVec::repeat(false, servers);
            for server in members {
                if server >= servers {
                    return Err(Error::UnknownServer { field: "mpds", index, server, servers });
                }
                if row.replace(server, true) {
                    return Err(Error::RepeatedServer { field: "mpds", index, server });
                }
            }
            servers_of.push(row);
        }
        in_range("number of mpds", servers_of.len(), 1..=MAX_MPDS)?;

        let mut mpds_of = vec![BitVec::repeat(false, servers_of.len()); servers];
        for (mpd, row) in servers_of.iter().enumerate() {
            for server in row.iter_ones() {
                mpds_of[server].set(mpd, true);
            }
        }
        let islands = Vec::new();
        Ok(Self { name: name.into(), server_ports, mpd_ports, mpds_of, servers_of, islands })
    }

    /// The same wiring, with `islands` as its claimed low-latency domains.
    ///
    /// Each island is kept in ascending order. Servers may be in no island.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`], [`Error::UnknownServer`], [`Error::RepeatedServer`]
    /// or [`Error::SharedByIslands`].
    ///
    /// # Examples
    ///
    /// ```
    /// use octopus_design::{IslandId, ServerId, Topology};
    ///
    /// let pod = Topology::new("two", 1, 2, 4, [[0, 1], [2, 3]])?
    ///     .with_islands([[0, 1], [3, 2]])?;
    /// assert_eq!(pod.islands()[1], [ServerId(2), ServerId(3)]);
    /// assert_eq!(pod.island_of(ServerId(3)), Some(IslandId(1)));
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    pub fn with_islands<I>(mut self, islands: impl IntoIterator<Item = I>) -> Result<Self>
    where
        I: IntoIterator<Item = usize>,
    {
        let servers = self.servers();
        let mut owner = vec![None; servers];
        let mut kept = Vec::new();
        for (index, members) in islands.into_iter().enumerate() {
            let mut island = Vec::new();
            for server in members {
                if server >= servers {
                    return Err(Error::UnknownServer { field: "islands", index, server, servers });
                }
                match owner[server].replace(index) {
                    None => island.push(ServerId(server)),
                    Some(first) if first == index => {
                        return Err(Error::RepeatedServer { field: "islands", index, server });
                    }
                    Some(first) => {
                        return Err(Error::SharedByIslands { server, first, second: index });
                    }
                }
            }
            if island.is_empty() {
                return Err(Error::Empty { field: "islands", index });
            }
            island.sort_unstable();
            kept.push(island);
        }
        self.islands = kept;
        Ok(self)
    }

    /// The same topology under another name.
    ///
    /// ```
    /// # use octopus_design::Topology;
    /// let pod = Topology::new("a", 1, 2, 2, [[0, 1]])?.renamed("b");
    /// assert_eq!(pod.name(), "b");
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn renamed(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// The same pod without some of its links, as after cable failures.
    ///
    /// Islands are kept as claims, whether or not they still hold.
    ///
    /// ```
    /// # use octopus_design::{MpdId, ServerId, Topology};
    /// let pod = Topology::new("a", 1, 2, 2, [[0, 1]])?;
    /// let failed = pod.retain_links(|server, _| server != ServerId(1));
    /// assert_eq!(failed.links(), 1);
    /// assert!(failed.linked(ServerId(0), MpdId(0)));
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn retain_links(&self, mut keep: impl FnMut(ServerId, MpdId) -> bool) -> Self {
        let mut kept = self.clone();
        for (mpd, row) in self.servers_of.iter().enumerate() {
            for server in row.iter_ones() {
                if !keep(ServerId(server), MpdId(mpd)) {
                    kept.servers_of[mpd].set(server, false);
                    kept.mpds_of[server].set(mpd, false);
                }
            }
        }
        kept
    }

    /// The pod's name.
    ///
    /// # Examples
    ///
    /// ```
    /// # let pod = octopus_design::pod::octopus_96();
    /// assert_eq!(pod.name(), "octopus-96");
    /// ```
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// X, the CXL ports of a server (Table 1).
    ///
    /// # Examples
    ///
    /// ```
    /// # let pod = octopus_design::pod::octopus_96();
    /// assert_eq!(pod.server_ports(), 8);
    /// ```
    #[must_use]
    pub fn server_ports(&self) -> usize {
        self.server_ports
    }

    /// N, the CXL ports of an MPD (Table 1).
    ///
    /// # Examples
    ///
    /// ```
    /// # let pod = octopus_design::pod::octopus_96();
    /// assert_eq!(pod.mpd_ports(), 4);
    /// ```
    #[must_use]
    pub fn mpd_ports(&self) -> usize {
        self.mpd_ports
    }

    /// S, the number of servers.
    ///
    /// # Examples
    ///
    /// ```
    /// # let pod = octopus_design::pod::octopus_96();
    /// assert_eq!(pod.servers(), 96);
    /// ```
    #[must_use]
    pub fn servers(&self) -> usize {
        self.mpds_of.len()
    }

    /// M, the number of MPDs.
    ///
    /// # Examples
    ///
    /// ```
    /// # let pod = octopus_design::pod::octopus_96();
    /// assert_eq!(pod.mpds(), 192);
    /// ```
    #[must_use]
    pub fn mpds(&self) -> usize {
        self.servers_of.len()
    }

    /// The number of server–MPD cables.
    ///
    /// # Examples
    ///
    /// ```
    /// # let pod = octopus_design::pod::octopus_96();
    /// assert_eq!(pod.links(), 768);
    /// ```
    #[must_use]
    pub fn links(&self) -> usize {
        self.servers_of.iter().map(|row| row.count_ones()).sum()
    }

    /// Every server, ascending.
    ///
    /// # Examples
    ///
    /// ```
    /// # use octopus_design::{ServerId, Topology};
    /// let pod = Topology::new("ring", 2, 2, 3, [[0, 1], [1, 2], [0, 2]])?;
    /// let servers: Vec<ServerId> = pod.server_ids().collect();
    /// assert_eq!(servers, [0, 1, 2].map(ServerId));
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    pub fn server_ids(&self) -> impl ExactSizeIterator<Item = ServerId> + use<> {
        (0..self.servers()).map(ServerId)
    }

    /// Every MPD, ascending.
    ///
    /// # Examples
    ///
    /// ```
    /// # use octopus_design::{MpdId, Topology};
    /// let pod = Topology::new("pair", 2, 2, 2, [[0, 1], [0, 1]])?;
    /// let mpds: Vec<MpdId> = pod.mpd_ids().collect();
    /// assert_eq!(mpds, [0, 1].map(MpdId));
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    pub fn mpd_ids(&self) -> impl ExactSizeIterator<Item = MpdId> + use<> {
        (0..self.mpds()).map(MpdId)
    }

    /// The MPDs a server is wired to, ascending.
    ///
    /// # Panics
    ///
    /// If the pod has no such server; likewise below for MPDs.
    ///
    /// # Examples
    ///
    /// ```
    /// # use octopus_design::{MpdId, ServerId, Topology};
    /// let pod = Topology::new("ring", 2, 2, 3, [[0, 1], [1, 2], [0, 2]])?;
    /// let mpds: Vec<MpdId> = pod.mpds_of(ServerId(2)).collect();
    /// assert_eq!(mpds, [1, 2].map(MpdId));
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    pub fn mpds_of(&self, server: ServerId) -> impl Iterator<Item = MpdId> + '_ {
        self.mpds_of[server.0].iter_ones().map(MpdId)
    }

    /// The servers wired to an MPD, ascending.
    ///
    /// # Panics
    ///
    /// If the pod has no such MPD.
    ///
    /// # Examples
    ///
    /// ```
    /// # use octopus_design::{MpdId, ServerId, Topology};
    /// let pod = Topology::new("ring", 2, 2, 3, [[0, 1], [1, 2], [0, 2]])?;
    /// let servers: Vec<ServerId> = pod.servers_of(MpdId(2)).collect();
    /// assert_eq!(servers, [0, 2].map(ServerId));
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    pub fn servers_of(&self, mpd: MpdId) -> impl Iterator<Item = ServerId> + '_ {
        self.servers_of[mpd.0].iter_ones().map(ServerId)
    }

    /// The MPDs of a server as one bit an MPD, for set arithmetic.
    ///
    /// # Panics
    ///
    /// If the pod has no such server.
    ///
    /// # Examples
    ///
    /// ```
    /// # use octopus_design::{ServerId, Topology};
    /// let pod = Topology::new("ring", 2, 2, 3, [[0, 1], [1, 2], [0, 2]])?;
    /// let mask = pod.mpd_mask(ServerId(0));
    /// assert_eq!(mask.iter().by_vals().collect::<Vec<bool>>(), [true, false, true]);
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn mpd_mask(&self, server: ServerId) -> &BitSlice<u64, Lsb0> {
        &self.mpds_of[server.0]
    }

    /// The servers of an MPD as one bit a server.
    ///
    /// # Panics
    ///
    /// If the pod has no such MPD.
    ///
    /// # Examples
    ///
    /// ```
    /// # use octopus_design::{MpdId, Topology};
    /// let pod = Topology::new("ring", 2, 2, 3, [[0, 1], [1, 2], [0, 2]])?;
    /// let mask = pod.server_mask(MpdId(1));
    /// assert_eq!(mask.iter().by_vals().collect::<Vec<bool>>(), [false, true, true]);
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn server_mask(&self, mpd: MpdId) -> &BitSlice<u64, Lsb0> {
        &self.servers_of[mpd.0]
    }

    /// Whether a cable runs between the two.
    ///
    /// # Panics
    ///
    /// If the pod has no such server or MPD.
    ///
    /// # Examples
    ///
    /// ```
    /// # use octopus_design::{MpdId, ServerId, Topology};
    /// let pod = Topology::new("ring", 2, 2, 3, [[0, 1], [1, 2], [0, 2]])?;
    /// assert!(pod.linked(ServerId(0), MpdId(2)));
    /// assert!(!pod.linked(ServerId(0), MpdId(1)));
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn linked(&self, server: ServerId, mpd: MpdId) -> bool {
        self.mpds_of[server.0][mpd.0]
    }

    /// On how many MPDs two servers overlap; a server's degree, with itself.
    ///
    /// # Panics
    ///
    /// If the pod has no such server.
    ///
    /// # Examples
    ///
    /// ```
    /// # use octopus_design::ServerId;
    /// # let pod = octopus_design::pod::octopus_96();
    /// assert_eq!(pod.shared_mpds(ServerId(0), ServerId(15)), 1); // of one island
    /// assert_eq!(pod.shared_mpds(ServerId(0), ServerId(0)), 8);
    /// ```
    #[must_use]
    pub fn shared_mpds(&self, a: ServerId, b: ServerId) -> usize {
        let (a, b) = (&self.mpds_of[a.0], &self.mpds_of[b.0]);
        let words = a.as_raw_slice().iter().zip(b.as_raw_slice());
        words.map(|(x, y)| (x & y).count_ones() as usize).sum()
    }

    /// |N(U)|: how many MPDs the servers of `set` reach together (section 5.1.2).
    ///
    /// # Panics
    ///
    /// If the pod has no such server.
    ///
    /// # Examples
    ///
    /// ```
    /// # let pod = octopus_design::pod::octopus_96();
    /// // an island has 20 MPDs of its own, and three external ones a server
    /// assert_eq!(pod.neighborhood(&pod.islands()[0]), 20 + 3 * 16);
    /// ```
    #[must_use]
    pub fn neighborhood(&self, set: &[ServerId]) -> usize {
        let mut reached: BitVec<u64, Lsb0> = BitVec::repeat(false, self.mpds());
        for server in set {
            reached |= self.mpds_of[server.0].as_bitslice();
        }
        reached.count_ones()
    }

    /// The claimed islands, each ascending; empty where none are claimed.
    ///
    /// # Examples
    ///
    /// ```
    /// # let pod = octopus_design::pod::octopus_96();
    /// assert_eq!(pod.islands().iter().map(Vec::len).collect::<Vec<_>>(), [16; 6]);
    /// ```
    #[must_use]
    pub fn islands(&self) -> &[Vec<ServerId>] {
        &self.islands
    }

    /// The island that claims a server; none where no island does.
    ///
    /// # Examples
    ///
    /// ```
    /// # use octopus_design::{IslandId, ServerId, Topology};
    /// let pod = Topology::new("x", 2, 2, 3, [[0, 1], [1, 2]])?.with_islands([[0, 1]])?;
    /// assert_eq!(pod.island_of(ServerId(1)), Some(IslandId(0)));
    /// assert_eq!(pod.island_of(ServerId(2)), None);
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn island_of(&self, server: ServerId) -> Option<IslandId> {
        self.islands.iter().position(|island| island.binary_search(&server).is_ok()).map(IslandId)
    }

    /// The least and the most links a server has.
    ///
    /// # Examples
    ///
    /// ```
    /// # use octopus_design::Topology;
    /// let chain = Topology::new("chain", 2, 2, 4, [[0, 1], [1, 2], [2, 3]])?;
    /// assert_eq!(chain.server_degree(), 1..=2);
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn server_degree(&self) -> RangeInclusive<usize> {
        degree_range(&self.mpds_of)
    }

    /// The least and the most links an MPD has.
    ///
    /// # Examples
    ///
    /// ```
    /// # use octopus_design::Topology;
    /// let pod = Topology::new("x", 1, 3, 4, [vec![0, 1, 2], vec![3]])?;
    /// assert_eq!(pod.mpd_degree(), 1..=3);
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn mpd_degree(&self) -> RangeInclusive<usize> {
        degree_range(&self.servers_of)
    }
}

fn degree_range(rows: &[BitVec<u64, Lsb0>]) -> RangeInclusive<usize> {
    let degrees = rows.iter().map(|row| row.count_ones());
    let (least, most) = degrees.fold((usize::MAX, 0), |(l, m), d| (l.min(d), m.max(d)));
    least..=most
}
