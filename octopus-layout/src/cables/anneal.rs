//! Placements that need cheaper cables, by simulated annealing.
//!
//! A move takes one box to another place, and whatever stands there to the
//! first one's. Its cost is a few looks into a table of what a cable between
//! two places costs, so tens of millions of moves a second are tried.

use octopus_design::Topology;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{PriceList, Sku, plan};
use crate::geometry::EPSILON_M;
use crate::{Error, Geometry, Placement, Rack, Result, ServerPlace};

/// Stands for no box in a place.
const NOBODY: u16 = u16::MAX;
/// The bits of a cost; above them stands by how many slots a cable is too long.
/// A change is of 16,384 cables at most, each of 10,000,000 cents and 512 slots:
/// below half of what either part can hold.
const COST_BITS: u32 = 39;
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
/// arguments give the same placement. On the way cables may be too long, at a
/// price; such placements are not returned.
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
        if racks.over == 0 && racks.saved > best.0 {
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
/// What a cable costs for each slot it is too long, in the largest step.
const PENALTY: u64 = 1;

/// What a cable costs from each server place to each MPD place, above the
/// cheapest one, in the largest unit that all differences are multiples of;
/// and by how many slots it is too long, above [`COST_BITS`].
struct Costs {
    /// A row a server place.
    by_server: Vec<i64>,
    /// A row an MPD place.
    by_mpd: Vec<i64>,
    /// The temperatures at both ends, in that unit.
    hot: f64,
    cold: f64,
    /// What a slot too much costs.
    penalty: i64,
}

impl Costs {
    fn new(geometry: &Geometry, prices: &PriceList, limit_m: f64) -> Self {
        let longest_m = limit_m.min(prices.longest_m() - prices.service_loop_m());
        let levels = levels(prices, longest_m);
        let steps = levels.windows(2).map(|pair| pair[1] - pair[0]);
        let unit = steps.clone().fold(0, gcd).max(1);
        let least = levels.first().copied().unwrap_or(0);
        let cost = |server, mpd| {
            let length_m = geometry.length_m(server, geometry.mpd_place(mpd));
            let excess_m = (length_m - longest_m).max(0.0);
            let cents = prices.sku(length_m - excess_m).map_or(least, Sku::cents);
            let cost = i64::try_from(cents.saturating_sub(least) / unit).unwrap_or(i64::MAX);
            (slots_over(excess_m, geometry) << COST_BITS) + cost
        };
        let mpds = geometry.mpd_places();
        let mut by_server = Vec::with_capacity(geometry.server_places() * mpds);
        for number in 0..geometry.server_places() {
            let server = server_place(geometry, number);
            by_server.extend((0..mpds).map(|mpd| cost(server, mpd)));
        }
        let columns = (0..mpds).flat_map(|mpd| by_server.iter().skip(mpd).step_by(mpds));
        let by_mpd = columns.copied().collect();
        let largest = steps.clone().max().unwrap_or(unit) / unit;
        let smallest = steps.min().unwrap_or(unit) / unit;
        Self {
            by_server,
            by_mpd,
            hot: HOT * largest as f64,
            cold: COLD * smallest as f64,
            penalty: i64::try_from(PENALTY * largest).unwrap_or(i64::MAX),
        }
    }
}

/// The prices of cables that may be bought, ascending, cents.
fn levels(prices: &PriceList, longest_m: f64) -> Vec<u64> {
    let mut shorter_m = 0.0;
    let mut levels = Vec::new();
    for sku in prices.skus() {
        let reach_m = sku.length_m - prices.service_loop_m();
        if reach_m >= 0.0 && shorter_m <= longest_m {
            levels.extend(prices.sku(reach_m).map(Sku::cents));
        }
        shorter_m = reach_m;
    }
    levels.sort_unstable();
    levels.dedup();
    levels
}

/// By how many slots a cable is too long; at least one if it is at all.
#[expect(clippy::cast_possible_truncation, reason = "clamped before")]
fn slots_over(excess_m: f64, geometry: &Geometry) -> i64 {
    let slots = (excess_m - EPSILON_M) / geometry.slot_pitch_m;
    slots.ceil().clamp(0.0, 512.0) as i64
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
    costs: &'a [i64],
    /// Places side by side in a row.
    columns: usize,
}

/// Both sides, and what was saved since the start.
struct Racks<'a> {
    servers: Side<'a>,
    mpds: Side<'a>,
    saved: i64,
    /// By how many slots cables are too long, all together.
    over: i64,
    /// What one of them costs.
    penalty: i64,
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
            over: 0,
            penalty: costs.penalty,
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
        let change = own.change(from, to, &other.place_of);
        // Rounded to the nearest, since the cost below may be negative.
        let over = (change + (1 << (COST_BITS - 1))) >> COST_BITS;
        let dearer = change - (over << COST_BITS);
        let worse = dearer + self.penalty * over;
        if worse <= 0 || luck.accepts(worse, temperature, rng) {
            own.exchange(from, to);
            self.saved -= dearer;
            self.over += over;
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
        costs: &'a [i64],
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

    /// What an exchange of what stands in two places adds to [`Costs`].
    fn change(&self, from: usize, to: usize, others: &[u16]) -> i64 {
        let one = self.one_change(self.box_in[from], from, to, others);
        match self.box_in[to] {
            NOBODY => one,
            other => one + self.one_change(other, to, from, others),
        }
    }

    #[inline]
    fn one_change(&self, who: u16, from: usize, to: usize, others: &[u16]) -> i64 {
        let who = usize::from(who);
        let across = self.costs.len() / self.box_in.len();
        let before = &self.costs[from * across..][..across];
        let after = &self.costs[to * across..][..across];
        let ends = &self.ends[self.starts[who] as usize..self.starts[who + 1] as usize];
        let places = ends.iter().map(|end| usize::from(others[usize::from(*end)]));
        places.map(|place| after[place] - before[place]).sum()
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
