//! Placements that need cheaper cables, by simulated annealing.
//!
//! A move takes one box to another place, and whatever stands there to the
//! first one's. Its cost is a few looks into a table of what a cable between
//! two places costs, so tens of millions of moves a second are tried.

use octopus_design::Topology;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{PriceList, plan};
use crate::geometry::EPSILON_M;
use crate::{Error, Geometry, Placement, Rack, Result, ServerPlace};

/// Stands for no box in a place.
const NOBODY: u16 = u16::MAX;
/// The cost of a cable that is too long.
const FORBIDDEN: u32 = u32::MAX;
/// Moves between two temperatures.
const STEP: u64 = 1024;
/// How many rows up or down a move may go.
const WINDOW: usize = 10;
/// Of so many moves, one is a server's: its links are more and its places fewer.
const SERVER_SHARE: u16 = u16::MAX / 4;

/// A placement whose cables cost less than `placement`'s, if one is found;
/// no cable is longer than `limit_m`, metres.
///
/// The second phase after the search for a short longest cable: with
/// `placement`'s longest cable as the limit, it spends what slack the others
/// have. Costs are those of [`plan`]. It tries `moves` moves, and returns the
/// best placement seen: `placement` itself where none was better. The same
/// arguments give the same placement. No move makes a cable too long even for
/// a while, so a tight limit may keep better placements out of reach.
///
/// # Errors
///
/// Those of [`plan`]; [`Error::Number`] where `limit_m` is not a number or
/// `placement` has a longer cable.
///
/// # Examples
///
/// A server at the far side of the rack is moved next to its MPD.
///
/// ```
/// use octopus_design::Topology;
/// use octopus_layout::{Geometry, MpdPlace, Placement, PriceList, Rack, ServerPlace, cheaper, plan};
///
/// let pod = Topology::new("one", 1, 1, 1, [[0]])?;
/// let far = Placement {
///     servers: vec![ServerPlace { rack: Rack::Right, slot: 6 }],
///     mpds: vec![MpdPlace { slot: 0, position: 0 }],
/// };
/// let (geometry, prices) = (Geometry::default(), PriceList::default());
/// let near = cheaper(&pod, &geometry, &far, 1.0, &prices, 1, 10_000)?;
/// assert_eq!(plan(&pod, &geometry, &far, &prices)?.total_usd(), 36.0);
/// assert_eq!(plan(&pod, &geometry, &near, &prices)?.total_usd(), 23.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn cheaper(
    pod: &Topology,
    geometry: &Geometry,
    placement: &Placement,
    limit_m: f64,
    prices: &PriceList,
    seed: u64,
    moves: u64,
) -> Result<Placement> {
    plan(pod, geometry, placement, prices)?;
    if limit_m.is_nan() || placement.max_cable_m(pod, geometry) > limit_m + EPSILON_M {
        let expected = "at least the longest cable of the placement";
        return Err(Error::Number { field: "limit_m", value: limit_m, expected });
    }
    let costs = Costs::new(geometry, prices, limit_m);
    let mut racks = Racks::new(pod, geometry, placement, &costs);
    let mut best = (racks.saved, racks.places());
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let luck = Luck::new();
    let mut temperature = costs.hot;
    let cooling = (costs.cold / costs.hot).powf(1.0 / (moves / STEP).max(1) as f64);
    for tried in 0..moves {
        racks.step(temperature, &luck, &mut rng);
        if racks.saved > best.0 {
            best = (racks.saved, racks.places());
        }
        if tried % STEP == STEP - 1 {
            temperature *= cooling;
        }
    }
    if best.0 == 0 {
        // As it came, not a different placement of the same cost.
        return Ok(placement.clone());
    }
    Ok(best.1.placement(geometry))
}

/// The places of all boxes, as the annealing numbers them.
struct Places {
    servers: Vec<u16>,
    mpds: Vec<u16>,
}

impl Places {
    fn placement(&self, geometry: &Geometry) -> Placement {
        let server = |&place: &u16| server_place(geometry, usize::from(place));
        let mpd = |&place: &u16| geometry.mpd_place(usize::from(place));
        Placement {
            servers: self.servers.iter().map(server).collect(),
            mpds: self.mpds.iter().map(mpd).collect(),
        }
    }
}

/// The server place of this number, where the racks' slots take turns.
fn server_place(geometry: &Geometry, number: usize) -> ServerPlace {
    geometry.server_place(number % 2 * geometry.server_slots + number / 2)
}

/// The temperature at the start, in the largest step from one price to the
/// next: such a step is then common.
const HOT: f64 = 0.5;
/// The one at the end, in the smallest such step: it is then rare.
const COLD: f64 = 0.15;

/// What a cable costs from each server place to each MPD place, above the
/// cheapest one, in the largest unit that all differences are multiples of.
struct Costs {
    /// A row a server place.
    by_server: Vec<u32>,
    /// A row an MPD place.
    by_mpd: Vec<u32>,
    /// The temperatures at both ends, in that unit.
    hot: f64,
    cold: f64,
}

impl Costs {
    fn new(geometry: &Geometry, prices: &PriceList, limit_m: f64) -> Self {
        let (servers, mpds) = (geometry.server_places(), geometry.mpd_places());
        let mut cents = Vec::with_capacity(servers * mpds);
        for server in 0..servers {
            let server = server_place(geometry, server);
            cents.extend((0..mpds).map(|mpd| {
                let length_m = geometry.length_m(server, geometry.mpd_place(mpd));
                let sku = prices.sku(length_m).filter(|_| length_m <= limit_m + EPSILON_M);
                sku.map(super::Sku::cents)
            }));
        }
        let mut levels: Vec<u64> = cents.iter().copied().flatten().collect();
        levels.sort_unstable();
        levels.dedup();
        let steps: Vec<u64> = levels.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let unit = steps.iter().copied().fold(0, gcd).max(1);
        let least = levels.first().copied().unwrap_or(0);
        // A price is at most 10,000,000 cents.
        let cost = |cents: Option<u64>| {
            cents.and_then(|c| u32::try_from((c - least) / unit).ok()).unwrap_or(FORBIDDEN)
        };
        let by_server: Vec<u32> = cents.into_iter().map(cost).collect();
        let transposed = (0..mpds).flat_map(|mpd| by_server.iter().skip(mpd).step_by(mpds));
        let by_mpd = transposed.copied().collect();
        let in_units = |step: Option<&u64>| *step.unwrap_or(&unit) as f64 / unit as f64;
        let (hot, cold) = (in_units(steps.iter().max()), in_units(steps.iter().min()));
        Self { by_server, by_mpd, hot: HOT * hot, cold: COLD * cold }
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Boxes of one kind and where they stand.
struct Side<'a> {
    /// The place of each box; places are numbered row by row from the bottom.
    place_of: Vec<u16>,
    /// The box in each place.
    box_in: Vec<u16>,
    /// Where each box's links start in `ends`; one more than boxes.
    starts: Vec<u32>,
    /// The boxes at the links' other ends.
    ends: Vec<u16>,
    /// A row a place of this side, a column a place of the other.
    costs: &'a [u32],
    /// Places side by side in a row.
    columns: usize,
}

/// Both sides, and what was saved since the start.
struct Racks<'a> {
    servers: Side<'a>,
    mpds: Side<'a>,
    saved: i64,
}

impl<'a> Racks<'a> {
    fn new(pod: &Topology, geometry: &Geometry, placement: &Placement, costs: &'a Costs) -> Self {
        let servers = placement
            .servers
            .iter()
            .map(|place| 2 * place.slot + usize::from(place.rack == Rack::Right));
        let mpds = placement.mpds.iter().map(|place| geometry.mpd_index(*place));
        let mpds_of = |server| pod.mpds_of(server).map(octopus_design::MpdId::index).collect();
        let servers_of = |mpd| pod.servers_of(mpd).map(octopus_design::ServerId::index).collect();
        Self {
            servers: Side::new(
                servers.collect(),
                pod.server_ids().map(mpds_of).collect(),
                &costs.by_server,
                (geometry.server_slots, 2),
            ),
            mpds: Side::new(
                mpds.collect(),
                pod.mpd_ids().map(servers_of).collect(),
                &costs.by_mpd,
                (geometry.mpd_slots, geometry.mpds_per_slot),
            ),
            saved: 0,
        }
    }

    fn places(&self) -> Places {
        Places { servers: self.servers.place_of.clone(), mpds: self.mpds.place_of.clone() }
    }

    /// One Metropolis step.
    fn step(&mut self, temperature: f64, luck: &Luck, rng: &mut ChaCha8Rng) {
        let draw = rng.next_u64();
        let [kind, who, row, column] = [draw >> 48, draw >> 32, draw >> 16, draw].map(low_16);
        let (own, other) = if kind < SERVER_SHARE {
            (&mut self.servers, &self.mpds)
        } else {
            (&mut self.mpds, &self.servers)
        };
        let Some((from, to)) = own.pick(who, row, column) else { return };
        let Some(dearer) = own.dearer(from, to, &other.place_of) else { return };
        if dearer <= 0 || luck.accepts(dearer, temperature, rng) {
            own.exchange(from, to);
            self.saved -= dearer;
        }
    }
}

/// The low 16 bits.
fn low_16(bits: u64) -> u16 {
    let [low, high, ..] = bits.to_le_bytes();
    u16::from_le_bytes([low, high])
}

/// A number below `count` from 16 random bits; even enough for a search.
fn below(count: usize, bits: u16) -> usize {
    (count * usize::from(bits)) >> 16
}

/// An index of a place, a box or a link; all are below 65,535.
fn narrow(index: usize) -> u16 {
    u16::try_from(index).unwrap_or(NOBODY)
}

impl<'a> Side<'a> {
    fn new(
        places: Vec<usize>,
        links: Vec<Vec<usize>>,
        costs: &'a [u32],
        (rows, columns): (usize, usize),
    ) -> Self {
        let mut box_in = vec![NOBODY; rows * columns];
        for (index, place) in places.iter().enumerate() {
            box_in[*place] = narrow(index);
        }
        let mut starts = vec![0];
        let mut ends = Vec::new();
        for own in links {
            ends.extend(own.into_iter().map(narrow));
            starts.push(u32::try_from(ends.len()).unwrap_or(u32::MAX));
        }
        let place_of = places.into_iter().map(narrow).collect();
        Self { place_of, box_in, starts, ends, costs, columns }
    }

    /// A random box's place and another one in a row near it, where there is one.
    fn pick(&self, who: u16, row: u16, column: u16) -> Option<(usize, usize)> {
        let from = usize::from(self.place_of[below(self.place_of.len(), who)]);
        let up = below(2 * WINDOW + 1, row);
        let to = from / self.columns + up;
        let to = to.checked_sub(WINDOW)? * self.columns + below(self.columns, column);
        (to < self.box_in.len() && to != from).then_some((from, to))
    }

    /// What an exchange of what stands in two places adds to the cost; none
    /// where a cable would be too long.
    fn dearer(&self, from: usize, to: usize, others: &[u16]) -> Option<i64> {
        let there = self.one_dearer(self.box_in[from], from, to, others)?;
        match self.box_in[to] {
            NOBODY => Some(there),
            other => Some(there + self.one_dearer(other, to, from, others)?),
        }
    }

    #[inline]
    fn one_dearer(&self, who: u16, from: usize, to: usize, others: &[u16]) -> Option<i64> {
        let who = usize::from(who);
        let across = self.costs.len() / self.box_in.len();
        let before = &self.costs[from * across..][..across];
        let after = &self.costs[to * across..][..across];
        let (mut dearer, mut most) = (0, 0);
        for &end in &self.ends[self.starts[who] as usize..self.starts[who + 1] as usize] {
            let place = usize::from(others[usize::from(end)]);
            most = most.max(after[place]);
            dearer += i64::from(after[place]) - i64::from(before[place]);
        }
        (most != FORBIDDEN).then_some(dearer)
    }

    fn exchange(&mut self, from: usize, to: usize) {
        self.box_in.swap(from, to);
        for place in [from, to] {
            let who = self.box_in[place];
            if who != NOBODY {
                self.place_of[usize::from(who)] = narrow(place);
            }
        }
    }
}

/// Whether a move that costs more is taken: the logarithms of the chance, from
/// a table small enough to stay near.
struct Luck([f64; 1024]);

impl Luck {
    fn new() -> Self {
        Self(std::array::from_fn(|at| -((at as f64 + 0.5) / 1024.0).ln()))
    }

    fn accepts(&self, dearer: i64, temperature: f64, rng: &mut ChaCha8Rng) -> bool {
        let at = rng.next_u32() >> 22;
        dearer as f64 <= temperature * self.0[at as usize]
    }
}
