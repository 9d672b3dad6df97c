//! Local search over who stands where: each MPD's servers are moved about
//! until no two servers share too many MPDs.

use rand::{Rng, RngExt};

/// Cost that a pair of servers, or a server and an island, adds.
const UNIT: i64 = 1;

/// The servers of each MPD, with a count of what is wrong.
///
/// Wrong are: a server twice on one MPD, two servers together on more than
/// `limit` MPDs, and, where islands are given, a server none of whose MPDs
/// reaches some island.
#[derive(Clone, Debug)]
pub(super) struct Seating {
    /// `[mpd][seat]`: a server.
    pub(super) mpds: Vec<Vec<usize>>,
    servers: usize,
    limit: u16,
    /// `[a * servers + b]`: MPDs with both; the diagonal counts doubled seats.
    shared: Vec<u16>,
    cover: Option<Cover>,
    pub(super) cost: i64,
}

/// How often each server meets each island.
#[derive(Clone, Debug)]
struct Cover {
    island_of: Vec<usize>,
    islands: usize,
    meets: Vec<u16>,
}

/// A seat on an MPD.
pub(super) type Seat = (usize, usize);

impl Seating {
    /// `island_of` asks that every server meets every island.
    pub(super) fn new(
        mpds: Vec<Vec<usize>>,
        servers: usize,
        limit: u16,
        island_of: Option<Vec<usize>>,
    ) -> Self {
        let cover = island_of.map(|island_of| {
            let islands = island_of.iter().max().map_or(0, |most| most + 1);
            let meets = vec![0; servers * islands];
            Cover { island_of, islands, meets }
        });
        let lacking = cover.as_ref().map_or(0, |cover| servers * cover.islands);
        let seats = mpds.iter().map(|mpd| Vec::with_capacity(mpd.len())).collect();
        let shared = vec![0; servers * servers];
        let cost = UNIT * i64::try_from(lacking).unwrap_or(i64::MAX);
        let mut seating = Self { mpds: seats, servers, limit, shared, cover, cost };
        for (mpd, row) in mpds.into_iter().enumerate() {
            for server in row {
                seating.mpds[mpd].push(server);
                let seat = seating.mpds[mpd].len() - 1;
                seating.count(mpd, seat, server, true);
            }
        }
        seating
    }

    /// Exchanges the servers of two seats.
    pub(super) fn swap(&mut self, a: Seat, b: Seat) {
        let (first, second) = (self.mpds[a.0][a.1], self.mpds[b.0][b.1]);
        self.count(a.0, a.1, first, false);
        self.mpds[a.0][a.1] = second;
        self.count(a.0, a.1, second, true);
        self.count(b.0, b.1, second, false);
        self.mpds[b.0][b.1] = first;
        self.count(b.0, b.1, first, true);
    }

    /// Adds or takes away what a server in a seat has to do with the others of
    /// that MPD.
    fn count(&mut self, mpd: usize, seat: usize, server: usize, come: bool) {
        for position in 0..self.mpds[mpd].len() {
            let other = self.mpds[mpd][position];
            if position != seat {
                self.count_pair(server, other, come);
                self.count_meeting(server, other, come);
                self.count_meeting(other, server, come);
            }
        }
        self.count_meeting(server, server, come);
    }

    fn count_pair(&mut self, a: usize, b: usize, come: bool) {
        let limit = if a == b { 0 } else { self.limit };
        let cell = &mut self.shared[a.min(b) * self.servers + a.max(b)];
        if come {
            *cell += 1;
            self.cost += if *cell > limit { UNIT } else { 0 };
        } else {
            self.cost -= if *cell > limit { UNIT } else { 0 };
            *cell -= 1;
        }
    }

    fn count_meeting(&mut self, server: usize, other: usize, come: bool) {
        let Some(cover) = &mut self.cover else { return };
        let cell = &mut cover.meets[server * cover.islands + cover.island_of[other]];
        if come {
            self.cost -= if *cell == 0 { UNIT } else { 0 };
            *cell += 1;
        } else {
            *cell -= 1;
            self.cost += if *cell == 0 { UNIT } else { 0 };
        }
    }

    /// Anneals swaps within `classes` of seats until nothing is wrong or
    /// `budget` swaps are spent; returns whether nothing is wrong.
    pub(super) fn settle(
        &mut self,
        classes: &[Vec<Seat>],
        budget: u64,
        rng: &mut impl Rng,
    ) -> bool {
        const HOT: f64 = 0.6;
        const COLD: f64 = 0.12;
        /// Swaps from hot to cold; then the temperature rises again.
        const CYCLE: u32 = 1 << 18;
        let cooling = (COLD / HOT).powf(1.0 / f64::from(CYCLE));
        // a dealt seating has few faults: cold swaps mostly mend them all
        let mut temperature = COLD;
        let classes: Vec<&Vec<Seat>> = classes.iter().filter(|class| class.len() > 1).collect();
        for step in 0..budget {
            if self.cost == 0 || classes.is_empty() {
                break;
            }
            temperature = if step % u64::from(CYCLE) == u64::from(CYCLE) - 1 {
                HOT
            } else {
                (temperature * cooling).max(COLD)
            };
            let class = classes[rng.random_range(0..classes.len())];
            let (a, b) =
                (class[rng.random_range(0..class.len())], class[rng.random_range(0..class.len())]);
            if self.mpds[a.0][a.1] == self.mpds[b.0][b.1] {
                continue;
            }
            let before = self.cost;
            self.swap(a, b);
            let worse = self.cost - before;
            if worse > 0 && rng.random::<f64>() >= (-(worse as f64) / temperature).exp() {
                self.swap(a, b);
            }
        }
        self.cost == 0
    }
}
