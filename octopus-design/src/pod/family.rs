//! Fully connected pods, BIBD pods and the Octopus family.

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::local_search::Seating;
use crate::error::in_range;
use crate::{Error, MAX_SERVERS, Result, Topology, block};

/// Swaps that the choice of islands may spend.
const ISLAND_SWAPS: u64 = 2_000_000;
/// Swaps that the choice of servers may spend, a link.
const SERVER_SWAPS: u64 = 20_000;

/// Every server wired to every MPD: N servers and X MPDs.
///
/// # Errors
///
/// [`Error::OutOfRange`] for a port count of zero or one that is too large.
///
/// # Examples
///
/// ```
/// let pod = octopus_design::pod::fully_connected(8, 4)?;
/// assert_eq!((pod.servers(), pod.mpds(), pod.links()), (4, 8, 32));
/// # Ok::<(), octopus_design::Error>(())
/// ```
pub fn fully_connected(server_ports: usize, mpd_ports: usize) -> Result<Topology> {
    let name = format!("fully-connected-{mpd_ports}");
    let mpds = (0..server_ports).map(|_| 0..mpd_ports);
    let pod = Topology::new(name, server_ports, mpd_ports, mpd_ports, mpds)?;
    pod.with_islands(std::iter::once(0..mpd_ports))
}

/// One island: any two of `points` servers share exactly one MPD.
///
/// # Errors
///
/// [`Error::OutOfRange`] for a count of zero or one that is too large; those of
/// [`block::build`]: no such design, not known, or not built here.
///
/// # Examples
///
/// ```
/// let pod = octopus_design::pod::bibd(25, 4)?;
/// assert_eq!((pod.server_ports(), pod.mpds()), (8, 50));
/// # Ok::<(), octopus_design::Error>(())
/// ```
pub fn bibd(points: usize, mpd_ports: usize) -> Result<Topology> {
    in_range("servers", points, 1..=MAX_SERVERS)?;
    in_range("mpd_ports", mpd_ports, 1..=MAX_SERVERS)?;
    let design = block::build(points, mpd_ports)?;
    let mpds = design.blocks().iter().map(|block| block.iter().copied());
    let pod =
        Topology::new(format!("bibd-{points}"), design.replication(), mpd_ports, points, mpds)?;
    pod.with_islands(std::iter::once(0..points))
}

/// The parts and the split of an Octopus pod (Table 1, section 5.2).
///
/// # Examples
///
/// ```
/// use octopus_design::pod::OctopusSpec;
/// let spec = OctopusSpec { server_ports: 8, island_ports: 5, mpd_ports: 4, islands: 6 };
/// assert_eq!((spec.island_servers(), spec.servers(), spec.mpds()), (16, 96, 192));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OctopusSpec {
    /// X.
    pub server_ports: usize,
    /// `X_i`, the ports of a server that stay in its island.
    pub island_ports: usize,
    /// N.
    pub mpd_ports: usize,
    /// The number of islands.
    pub islands: usize,
}

impl OctopusSpec {
    /// The servers of an island, 1 + `X_i` (N − 1).
    ///
    /// # Examples
    ///
    /// ```
    /// # use octopus_design::pod::OctopusSpec;
    /// let spec = OctopusSpec { server_ports: 8, island_ports: 4, mpd_ports: 4, islands: 7 };
    /// assert_eq!(spec.island_servers(), 13);
    /// ```
    #[must_use]
    pub fn island_servers(&self) -> usize {
        1 + self.island_ports.saturating_mul(self.mpd_ports.saturating_sub(1))
    }

    /// S, the number of servers.
    ///
    /// # Examples
    ///
    /// ```
    /// # use octopus_design::pod::OctopusSpec;
    /// let spec = OctopusSpec { server_ports: 8, island_ports: 4, mpd_ports: 4, islands: 7 };
    /// assert_eq!(spec.servers(), 91);
    /// ```
    #[must_use]
    pub fn servers(&self) -> usize {
        self.islands.saturating_mul(self.island_servers())
    }

    /// M, the number of MPDs, if all ports are used; rounded down otherwise.
    ///
    /// # Examples
    ///
    /// ```
    /// # use octopus_design::pod::OctopusSpec;
    /// let spec = OctopusSpec { server_ports: 8, island_ports: 4, mpd_ports: 4, islands: 7 };
    /// assert_eq!(spec.mpds(), 182);
    /// ```
    #[must_use]
    pub fn mpds(&self) -> usize {
        self.servers().saturating_mul(self.server_ports) / self.mpd_ports.max(1)
    }

    /// Why no such pod exists, by counting; none where counting allows it.
    fn obstacle(&self) -> Option<String> {
        let &Self { server_ports, island_ports, mpd_ports, islands } = self;
        let (size, servers) = (self.island_servers(), self.servers());
        if island_ports > server_ports {
            return Some(format!("X_i = {island_ports} island ports of X = {server_ports}"));
        }
        let external = server_ports - island_ports;
        if islands == 1 {
            let unused = "ports that leave a single island lead nowhere";
            return (external > 0).then(|| format!("{external} {unused}; use X_i = X"));
        }
        if islands < mpd_ports {
            return Some(format!(
                "an external MPD joins N = {mpd_ports} islands, and there are {islands}"
            ));
        }
        let met = external * (mpd_ports - 1);
        if met < islands - 1 {
            return Some(format!(
                "{external} external MPDs bring a server to at most {met} other islands of {}",
                islands - 1
            ));
        }
        if met > servers - size {
            return Some(format!(
                "{external} external MPDs bring a server together with {met} servers of other islands, \
                 and there are {}, so some pair would share two",
                servers - size
            ));
        }
        if !(servers * external).is_multiple_of(mpd_ports) {
            return Some(format!(
                "{} external links are not a multiple of N = {mpd_ports}",
                servers * external
            ));
        }
        None
    }
}

/// An Octopus pod of the general family, found by a search.
///
/// Islands are 2-(v, N, 1) designs with v = 1 + `X_i` (N − 1). External MPDs
/// follow the island MPDs, round by round where N divides S: in a round every
/// server has one external link. First the islands of each external MPD are
/// chosen so that island pairs share nearly equally many, then the servers so
/// that no two share a second MPD and every server's external MPDs reach all
/// other islands: two levels, as in section 5.2.2.
///
/// # Errors
///
/// [`Error::Impossible`] with the count that rules the pod out; those of
/// [`block::build`] for the island; [`Error::NotFound`] if the search fails.
///
/// # Examples
///
/// Seven islands of 13 servers, which the paper does not have:
///
/// ```
/// use octopus_design::{pod::{OctopusSpec, octopus}, verify};
///
/// let spec = OctopusSpec { server_ports: 8, island_ports: 4, mpd_ports: 4, islands: 7 };
/// let pod = octopus(&spec, 1)?;
/// assert_eq!((pod.servers(), pod.mpds()), (91, 182));
/// assert!(verify::octopus(&pod, 7, 4).passed());
/// # Ok::<(), octopus_design::Error>(())
/// ```
pub fn octopus(spec: &OctopusSpec, seed: u64) -> Result<Topology> {
    let &OctopusSpec { server_ports, island_ports, mpd_ports, islands } = spec;
    for (field, value) in [
        ("server_ports", server_ports),
        ("island_ports", island_ports),
        ("mpd_ports", mpd_ports),
        ("islands", islands),
    ] {
        in_range(field, value, 1..=1024)?;
    }
    let (size, servers) = (spec.island_servers(), spec.servers());
    in_range("servers", servers, 1..=8_192)?;
    if let Some(reason) = spec.obstacle() {
        return Err(Error::Impossible { reason });
    }
    let island = block::build(size, mpd_ports)?;
    let mut mpds: Vec<Vec<usize>> = (0..islands)
        .flat_map(|i| island.blocks().iter().map(move |b| b.iter().map(|p| i * size + p).collect()))
        .collect();
    if islands > 1 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let not_found =
            |what: &str, budget| Error::NotFound { what: what.to_owned(), budget, seed };
        let rounds = Rounds::new(spec);
        let patterns = rounds.balanced_patterns(&mut rng).ok_or_else(|| {
            not_found("a balanced choice of islands for each external MPD", ISLAND_SWAPS)
        })?;
        let budget = SERVER_SWAPS * (servers * (server_ports - island_ports)) as u64;
        let external = rounds
            .seat_servers(&patterns, budget, &mut rng)
            .ok_or_else(|| not_found("a wiring in which no two servers share two MPDs", budget))?;
        mpds.extend(external);
    }
    let name =
        format!("octopus-{servers}-x{server_ports}-i{island_ports}-n{mpd_ports}-seed-{seed}");
    let pod = Topology::new(name, server_ports, mpd_ports, servers, mpds)?;
    pod.with_islands((0..islands).map(|i| i * size..(i + 1) * size))
}

/// External MPDs in rounds; one round of all where N does not divide S.
struct Rounds {
    islands: usize,
    island_servers: usize,
    mpd_ports: usize,
    count: usize,
    /// How often each server is used in a round.
    uses: usize,
}

impl Rounds {
    fn new(spec: &OctopusSpec) -> Self {
        let external = spec.server_ports - spec.island_ports;
        let even = spec.servers().is_multiple_of(spec.mpd_ports);
        let (count, uses) = if even { (external, 1) } else { (1, external) };
        let (islands, mpd_ports) = (spec.islands, spec.mpd_ports);
        Self { islands, island_servers: spec.island_servers(), mpd_ports, count, uses }
    }

    fn mpds_a_round(&self) -> usize {
        self.islands * self.island_servers * self.uses / self.mpd_ports
    }

    /// The islands of each external MPD: every island equally often in a round
    /// and all pairs nearly so, in each round and in all together.
    fn balanced_patterns(&self, rng: &mut ChaCha8Rng) -> Option<Vec<Vec<usize>>> {
        let a_round = self.mpds_a_round();
        // consecutive islands are distinct, since there are N at least
        let deal = |m: usize| {
            (0..self.mpd_ports).map(|p| (m * self.mpd_ports + p) % self.islands).collect()
        };
        let mut patterns: Vec<Vec<usize>> =
            (0..self.count).flat_map(|_| (0..a_round).map(deal)).collect();
        let mut balance = Balance::new(self.islands, self.count);
        for (mpd, pattern) in patterns.iter().enumerate() {
            balance.count_all(pattern, mpd / a_round, true);
        }
        let least = balance.least();
        let mut temperature: f64 = 4.0;
        for _ in 0..ISLAND_SWAPS {
            if balance.cost == least {
                return Some(patterns);
            }
            temperature = if temperature < 0.3 { 4.0 } else { temperature * 0.9999 };
            let round = rng.random_range(0..self.count);
            let [a, b] = [0, 1].map(|_| round * a_round + rng.random_range(0..a_round));
            let [p, q] = [0, 1].map(|_| rng.random_range(0..self.mpd_ports));
            let (first, second) = (patterns[a][p], patterns[b][q]);
            if patterns[a].contains(&second) || patterns[b].contains(&first) {
                continue;
            }
            let before = balance.cost;
            let mut exchange = |patterns: &mut Vec<Vec<usize>>, to_a: usize, to_b: usize| {
                for (mpd, seat, island) in [(a, p, to_a), (b, q, to_b)] {
                    balance.count_one(&patterns[mpd], seat, round, false);
                    patterns[mpd][seat] = island;
                    balance.count_one(&patterns[mpd], seat, round, true);
                }
                balance.cost
            };
            let worse = exchange(&mut patterns, second, first) - before;
            if worse > 0 && rng.random::<f64>() >= (-(worse as f64) / temperature).exp() {
                exchange(&mut patterns, first, second);
            }
        }
        (balance.cost == least).then_some(patterns)
    }

    /// A server of the right island for each seat.
    fn seat_servers(
        &self,
        patterns: &[Vec<usize>],
        budget: u64,
        rng: &mut ChaCha8Rng,
    ) -> Option<Vec<Vec<usize>>> {
        let a_round = self.mpds_a_round();
        let mut classes = Vec::new();
        let mut mpds: Vec<Vec<usize>> =
            patterns.iter().map(|pattern| vec![0; pattern.len()]).collect();
        for round in 0..self.count {
            for island in 0..self.islands {
                let in_round = round * a_round..(round + 1) * a_round;
                let seats: Vec<(usize, usize)> = in_round
                    .filter_map(|mpd| Some((mpd, patterns[mpd].iter().position(|&i| i == island)?)))
                    .collect();
                let first = island * self.island_servers;
                let mut servers: Vec<usize> =
                    (0..self.uses).flat_map(|_| first..first + self.island_servers).collect();
                servers.shuffle(rng);
                for (&(mpd, seat), server) in seats.iter().zip(servers) {
                    mpds[mpd][seat] = server;
                }
                classes.push(seats);
            }
        }
        let servers = self.islands * self.island_servers;
        let island_of = (0..servers).map(|server| server / self.island_servers).collect();
        let mut seating = Seating::new(mpds, servers, 1, Some(island_of));
        seating.settle(&classes, budget, rng).then(|| {
            let mut mpds = seating.mpds;
            for mpd in &mut mpds {
                mpd.sort_unstable();
            }
            mpds
        })
    }
}

/// How many external MPDs each pair of islands shares, in each round and in
/// all; the cost is the sum of the squares, least where counts differ by one.
struct Balance {
    islands: usize,
    rounds: usize,
    /// One table a round, then one for all.
    pairs: Vec<i64>,
    cost: i64,
}

impl Balance {
    fn new(islands: usize, rounds: usize) -> Self {
        Self { islands, rounds, pairs: vec![0; (rounds + 1) * islands * islands], cost: 0 }
    }

    fn count_all(&mut self, pattern: &[usize], round: usize, come: bool) {
        for seat in 1..pattern.len() {
            self.count_one(&pattern[..=seat], seat, round, come);
        }
    }

    /// Counts the pairs that one seat makes with the others.
    fn count_one(&mut self, pattern: &[usize], seat: usize, round: usize, come: bool) {
        let island = pattern[seat];
        for (_, &other) in pattern.iter().enumerate().filter(|&(position, _)| position != seat) {
            for table in [round, self.rounds] {
                let at =
                    (table * self.islands + island.min(other)) * self.islands + island.max(other);
                let cell = &mut self.pairs[at];
                self.cost -= *cell * *cell;
                *cell += if come { 1 } else { -1 };
                self.cost += *cell * *cell;
            }
        }
    }

    /// The cost if in every table the counts differed by one at most.
    fn least(&self) -> i64 {
        let table = self.islands * self.islands;
        let pairs = i64::try_from(self.islands * (self.islands - 1) / 2).unwrap_or(i64::MAX);
        self.pairs
            .chunks(table)
            .map(|counts| {
                let total: i64 = counts.iter().sum();
                let (low, high) = (total / pairs, total % pairs);
                (pairs - high) * low * low + high * (low + 1) * (low + 1)
            })
            .sum()
    }
}
