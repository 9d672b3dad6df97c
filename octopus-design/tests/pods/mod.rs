//! Valid Octopus pods, built by hand or by brute force, for the verifier's tests.

use itertools::Itertools;
use octopus_design::Topology;

/// A pod as lists that a test can spoil.
#[derive(Clone)]
pub(crate) struct Draft {
    pub(crate) server_ports: usize,
    pub(crate) mpd_ports: usize,
    pub(crate) servers: usize,
    pub(crate) mpds: Vec<Vec<usize>>,
    pub(crate) islands: Vec<Vec<usize>>,
}

impl Draft {
    pub(crate) fn pod(&self) -> Topology {
        let Self { server_ports, mpd_ports, servers, mpds, islands } = self.clone();
        let pod = Topology::new("draft", server_ports, mpd_ports, servers, mpds);
        pod.and_then(|pod| pod.with_islands(islands)).expect("well formed")
    }

    /// Every draft in which two servers have exchanged one MPD each.
    pub(crate) fn exchanges(self) -> impl Iterator<Item = Self> {
        let sizes: Vec<usize> = self.mpds.iter().map(Vec::len).collect();
        let places = sizes.into_iter().enumerate();
        let places = places.flat_map(|(mpd, size)| (0..size).map(move |place| (mpd, place)));
        places.array_combinations().filter_map(move |[(m, p), (n, q)]| {
            let mut draft = self.clone();
            let (a, b) = (self.mpds[m][p], self.mpds[n][q]);
            let doubled = self.mpds[m].contains(&b) || self.mpds[n].contains(&a);
            draft.mpds[m][p] = b;
            draft.mpds[n][q] = a;
            (!doubled).then_some(draft)
        })
    }
}

/// An Octopus-64 over GF(16): four islands AG(2,4) and, for three
/// multipliers m and all b, the external block of the points m·aᵢ + b of
/// islands i. A multiplier is a round.
pub(crate) fn octopus_64() -> Draft {
    let islands: Vec<Vec<usize>> = (0..4).map(|i| (16 * i..16 * i + 16).collect()).collect();
    let mut mpds = Vec::new();
    for island in &islands {
        mpds.extend(affine_plane_4().iter().map(|line| line.iter().map(|&p| island[p]).collect()));
    }
    let a = [0, 1, 2, 3];
    for m in [1, 2, 3] {
        mpds.extend((0..16).map(|b| (0..4).map(|i| 16 * i + (gf16_mul(m, a[i]) ^ b)).collect()));
    }
    Draft { server_ports: 8, mpd_ports: 4, servers: 64, mpds, islands }
}

/// The 20 lines of AG(2,4): point 4x + y.
pub(crate) fn affine_plane_4() -> Vec<Vec<usize>> {
    let mul = |a: usize, b: usize| [[0; 4], [0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2]][a][b];
    let sloped = (0..4_usize).cartesian_product(0..4_usize);
    let line = |(m, c)| (0..4).map(|x| 4 * x + (mul(m, x) ^ c)).collect();
    let upright = (0..4).map(|x| (4 * x..4 * x + 4).collect());
    sloped.map(line).chain(upright).collect()
}

/// The product in GF(16) with x⁴ = x + 1.
fn gf16_mul(a: usize, b: usize) -> usize {
    let mut product =
        (0..4).fold(0, |sum, bit| if b >> bit & 1 == 1 { sum ^ a << bit } else { sum });
    for bit in (4..7).rev() {
        if product >> bit & 1 == 1 {
            product ^= 0b1_0011 << (bit - 4);
        }
    }
    product
}

/// Whether island pairs are to share external MPDs evenly.
#[derive(Clone, Copy)]
pub(crate) struct Evenness {
    /// Over the whole pod.
    pub(crate) total: bool,
    /// In every round.
    pub(crate) rounds: bool,
}

/// The first pod, in lexicographic order, of `islands` islands of `ports`
/// servers (one MPD each) and `rounds` rounds that keeps every
/// rule, but those on balance only as far as told.
pub(crate) fn pod_with(islands: usize, ports: usize, rounds: usize, even: Evenness) -> Draft {
    let servers = islands * ports;
    let list: Vec<Vec<usize>> =
        (0..islands).map(|i| (ports * i..ports * (i + 1)).collect()).collect();
    let mut maker = Maker {
        islands,
        ports,
        rounds,
        even,
        blocks: Vec::new(),
        used: vec![usize::MAX; servers],
        met: vec![vec![false; servers]; servers],
        counts: vec![vec![vec![0; islands]; islands]; rounds],
    };
    assert!(maker.extend(0), "there is such a pod");
    let mpds = list.iter().cloned().chain(maker.blocks).collect();
    Draft { server_ports: 1 + rounds, mpd_ports: ports, servers, mpds, islands: list }
}

struct Maker {
    islands: usize,
    ports: usize,
    rounds: usize,
    even: Evenness,
    blocks: Vec<Vec<usize>>,
    /// By server: the last round it was used in.
    used: Vec<usize>,
    met: Vec<Vec<bool>>,
    /// By round and island pair.
    counts: Vec<Vec<Vec<i32>>>,
}

impl Maker {
    fn extend(&mut self, round: usize) -> bool {
        if round == self.rounds {
            return self.finished();
        }
        let free = |s: &usize| self.used[*s] != round;
        let mut free = (0..self.used.len()).filter(free).collect::<Vec<_>>().into_iter();
        let Some(first) = free.next() else {
            let even = !self.even.rounds || self.is_even(&self.counts[round]);
            return even && self.extend(round + 1);
        };
        for rest in free.combinations(self.ports - 1) {
            let block: Vec<usize> = std::iter::once(first).chain(rest).collect();
            let fits = block.iter().array_combinations().all(|[&a, &b]| {
                let (i, j) = (a / self.ports, b / self.ports);
                i != j && !self.met[a][b] && self.counts[round][i][j] < self.cap()
            });
            if fits {
                let before: Vec<usize> = block.iter().map(|&s| self.used[s]).collect();
                self.mark(&block, round, true);
                for &s in &block {
                    self.used[s] = round;
                }
                self.blocks.push(block);
                if self.extend(round) {
                    return true;
                }
                let block = self.blocks.pop().expect("just pushed");
                self.mark(&block, round, false);
                for (&s, before) in block.iter().zip(before) {
                    self.used[s] = before;
                }
            }
        }
        false
    }

    /// The most MPDs of a round that an island pair may share.
    fn cap(&self) -> i32 {
        let pairs = |n: usize| n * (n - 1) / 2;
        let shares = self.islands * pairs(self.ports);
        let fair = i32::try_from(shares.div_ceil(pairs(self.islands))).expect("small");
        if self.even.rounds { fair } else { fair + 1 }
    }

    fn mark(&mut self, block: &[usize], round: usize, met: bool) {
        for [&a, &b] in block.iter().array_combinations() {
            for (a, b) in [(a, b), (b, a)] {
                self.met[a][b] = met;
                self.counts[round][a / self.ports][b / self.ports] += if met { 1 } else { -1 };
            }
        }
    }

    fn is_even(&self, counts: &[Vec<i32>]) -> bool {
        let all = || (0..self.islands).array_combinations().map(|[a, b]| counts[a][b]);
        all().max().zip(all().min()).is_none_or(|(most, least)| most - least <= 1)
    }

    fn finished(&self) -> bool {
        let sum = |a: usize, b: usize| self.counts.iter().map(|counts| counts[a][b]).sum();
        let total: Vec<Vec<i32>> =
            (0..self.islands).map(|a| (0..self.islands).map(|b| sum(a, b)).collect()).collect();
        let covers = self.met.iter().enumerate().all(|(server, met)| {
            let reached = |i: usize| (0..self.ports).any(|s| met[self.ports * i + s]);
            (0..self.islands).all(|i| i == server / self.ports || reached(i))
        });
        let rounds = self.counts.iter().all(|counts| self.is_even(counts));
        covers && self.is_even(&total) == self.even.total && rounds == self.even.rounds
    }
}
