//! Designs with a given symmetry, by backtracking over orbits of blocks.
//!
//! A design that a group G leaves alone is a union of G-orbits of blocks, and
//! it is a design exactly if those orbits cover every G-orbit of *pairs* once
//! (Kramer and Mesner, "t-designs on hypergraphs", Discrete Mathematics 15,
//! 1976): an exact cover. The search below makes the candidates as it goes. It
//! takes the first pair orbit that is uncovered and tries every block through
//! its representative that overlaps nothing covered.
//!
//! Difference families (Bose 1939) are the case where G is an abelian group
//! acting on itself: pair orbits are differences ±d. Short orbits, points at
//! infinity, several copies of the group and multipliers are no further cases,
//! only other groups G.

use rand::seq::SliceRandom;
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};

use super::Symmetry;
use crate::error::in_range;
use crate::{Error, Result};

/// Finds base blocks that develop, under `symmetry`, into a 2-(v, k, 1)
/// design on the group's v points.
///
/// `seed` orders the points tried; `budget` bounds the steps, each one point
/// tried in one block. Same arguments, same answer, on every machine. Develop
/// the answer with [`Symmetry::develop`].
///
/// # Errors
///
/// [`Error::OutOfRange`] if `block_size` is not 2 to v; [`Error::Exhausted`]
/// if all blocks were tried and no design has this symmetry;
/// [`Error::NotFound`] if the budget ran out first.
///
/// # Examples
///
/// A (37,4) difference family over Z₃₇, the multiplier 10 (a cube root of 1)
/// taking its base blocks to each other, so that one is enough:
///
/// ```
/// use octopus_design::block::{AbelianGroup, BlockDesign, Symmetry, search};
///
/// let group = AbelianGroup::new(&[37])?;
/// let symmetry = Symmetry::with_multiplier(&group, 1, 0, &[10], &[0])?;
/// let base = search(&symmetry, 4, 0, 100_000)?;
/// assert_eq!(base.len(), 1);
/// let design = BlockDesign::new(37, 4, symmetry.develop(&base), "found here")?;
/// assert_eq!(design.blocks().len(), 111);
/// # Ok::<(), octopus_design::Error>(())
/// ```
pub fn search(
    symmetry: &Symmetry,
    block_size: usize,
    seed: u64,
    budget: u64,
) -> Result<Vec<Vec<usize>>> {
    let points = symmetry.points();
    in_range("block_size", block_size, 2..=points)?;
    let mut search = Search::new(symmetry, block_size, seed, budget);
    let outcome = search.cover();
    let what = || {
        let symmetries = symmetry.order();
        format!("a 2-({points},{block_size},1) design with these {symmetries} symmetries")
    };
    match outcome {
        Outcome::Found => Ok(search.chosen),
        Outcome::Exhausted => Err(Error::Exhausted { what: what() }),
        Outcome::OutOfBudget => Err(Error::NotFound { what: what(), budget, seed }),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Found,
    Exhausted,
    OutOfBudget,
}

/// An orbit of unordered pairs of points.
struct PairOrbit {
    representative: (usize, usize),
    size: usize,
}

struct Search<'a> {
    symmetry: &'a Symmetry,
    block_size: usize,
    /// `orbit_of[a * points + b]`, for a ≠ b either way round.
    orbit_of: Vec<usize>,
    orbits: Vec<PairOrbit>,
    /// Of each subgroup of prime order, its point orbits.
    stabilisers: Vec<PointOrbits>,
    /// The order in which points are tried.
    order: Vec<usize>,
    covered: Vec<bool>,
    chosen: Vec<Vec<usize>>,
    steps_left: u64,
}

struct PointOrbits {
    orbits: Vec<Vec<usize>>,
    /// The position in `orbits` of each point's.
    of_point: Vec<usize>,
}

impl<'a> Search<'a> {
    fn new(symmetry: &'a Symmetry, block_size: usize, seed: u64, budget: u64) -> Self {
        let points = symmetry.points();
        let mut order: Vec<usize> = (0..points).collect();
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        let (orbit_of, orbits) = pair_orbits(symmetry);
        Self {
            symmetry,
            block_size,
            orbit_of,
            covered: vec![false; orbits.len()],
            orbits,
            stabilisers: prime_subgroups(symmetry),
            order,
            chosen: Vec::new(),
            steps_left: budget,
        }
    }

    fn orbit(&self, a: usize, b: usize) -> usize {
        self.orbit_of[a * self.symmetry.points() + b]
    }

    fn is_free(&self, orbit: usize) -> bool {
        self.orbits[orbit].size == self.symmetry.order()
    }

    fn step(&mut self) -> bool {
        let left = self.steps_left.checked_sub(1);
        self.steps_left = left.unwrap_or(0);
        left.is_some()
    }

    /// Covers what is uncovered, by more chosen blocks.
    fn cover(&mut self) -> Outcome {
        let uncovered = |orbit: &usize| !self.covered[*orbit];
        // Pairs that some symmetry keeps admit few blocks: they come first.
        let all = 0..self.orbits.len();
        let tight = all.clone().filter(|&o| !self.is_free(o)).find(uncovered);
        let Some(target) = tight.or_else(|| all.clone().find(uncovered)) else {
            return Outcome::Found;
        };
        let (a, b) = self.orbits[target].representative;
        for stabiliser in 0..self.stabilisers.len() {
            let orbits = &self.stabilisers[stabiliser];
            let (of_a, of_b) = (orbits.of_point[a], orbits.of_point[b]);
            let mut block = orbits.orbits[of_a].clone();
            if of_a != of_b {
                block.extend(&orbits.orbits[of_b]);
            }
            let outcome = self.extend_by_orbits(&mut block, stabiliser, 0);
            if outcome != Outcome::Exhausted {
                return outcome;
            }
        }
        if !self.is_free(target) {
            return Outcome::Exhausted;
        }
        self.covered[target] = true;
        let candidates: Vec<usize> =
            self.order.iter().copied().filter(|&c| c != a && c != b).collect();
        let outcome = self.extend_by_points(&mut vec![a, b], &candidates);
        self.covered[target] = false;
        outcome
    }

    /// Blocks no symmetry keeps: all their pairs are in different free orbits.
    ///
    /// The pairs within `block` are marked covered already.
    fn extend_by_points(&mut self, block: &mut Vec<usize>, candidates: &[usize]) -> Outcome {
        if block.len() == self.block_size {
            let mut sorted = block.clone();
            sorted.sort_unstable();
            self.chosen.push(sorted);
            let outcome = self.cover();
            if outcome != Outcome::Found {
                self.chosen.pop();
            }
            return outcome;
        }
        let missing = self.block_size - block.len();
        let fitting: Vec<usize> =
            candidates.iter().copied().filter(|&c| self.fits(block, c)).collect();
        for (at, &point) in fitting.iter().enumerate() {
            if fitting.len() - at < missing {
                break;
            }
            if !self.step() {
                return Outcome::OutOfBudget;
            }
            self.mark(block, point, true);
            block.push(point);
            let outcome = self.extend_by_points(block, &fitting[at + 1..]);
            block.pop();
            self.mark(block, point, false);
            if outcome != Outcome::Exhausted {
                return outcome;
            }
        }
        Outcome::Exhausted
    }

    fn fits(&self, block: &[usize], point: usize) -> bool {
        block.iter().enumerate().all(|(at, &other)| {
            let orbit = self.orbit(other, point);
            !self.covered[orbit]
                && self.is_free(orbit)
                && block[..at].iter().all(|&earlier| self.orbit(earlier, point) != orbit)
        })
    }

    fn mark(&mut self, block: &[usize], point: usize, covered: bool) {
        for &other in block {
            let orbit = self.orbit(other, point);
            self.covered[orbit] = covered;
        }
    }

    /// Blocks that a subgroup of prime order keeps: unions of its orbits.
    fn extend_by_orbits(
        &mut self,
        block: &mut Vec<usize>,
        stabiliser: usize,
        from: usize,
    ) -> Outcome {
        if block.len() > self.block_size || self.meets_covered(block) {
            return Outcome::Exhausted;
        }
        if block.len() == self.block_size {
            return self.take_symmetric(block);
        }
        for next in from..self.stabilisers[stabiliser].orbits.len() {
            if !self.step() {
                return Outcome::OutOfBudget;
            }
            let orbit = &self.stabilisers[stabiliser].orbits[next];
            if block.contains(&orbit[0]) {
                continue;
            }
            let length = block.len();
            block.extend(orbit);
            let outcome = self.extend_by_orbits(block, stabiliser, next + 1);
            block.truncate(length);
            if outcome != Outcome::Exhausted {
                return outcome;
            }
        }
        Outcome::Exhausted
    }

    fn meets_covered(&self, block: &[usize]) -> bool {
        pairs(block).any(|(a, b)| self.covered[self.orbit(a, b)])
    }

    /// Chooses the block's orbit and goes on, if it covers no pair twice.
    fn take_symmetric(&mut self, block: &[usize]) -> Outcome {
        let mut met: Vec<usize> = pairs(block).map(|(a, b)| self.orbit(a, b)).collect();
        met.sort_unstable();
        let mut sorted = block.to_vec();
        sorted.sort_unstable();
        let images = self.symmetry.orbit(&sorted);
        let kept_by = images.filter(|image| *image == sorted).count();
        // The block has |G|/kept_by images with so many pairs of the orbit each.
        let once = met
            .chunk_by(|a, b| a == b)
            .all(|same| same.len() * self.symmetry.order() == kept_by * self.orbits[same[0]].size);
        if !once {
            return Outcome::Exhausted;
        }
        for &orbit in &met {
            self.covered[orbit] = true;
        }
        self.chosen.push(sorted);
        let outcome = self.cover();
        if outcome != Outcome::Found {
            self.chosen.pop();
        }
        for &orbit in &met {
            self.covered[orbit] = false;
        }
        outcome
    }
}

fn pairs(block: &[usize]) -> impl Iterator<Item = (usize, usize)> + '_ {
    block.iter().enumerate().flat_map(|(at, &a)| block[..at].iter().map(move |&b| (b, a)))
}

fn pair_orbits(symmetry: &Symmetry) -> (Vec<usize>, Vec<PairOrbit>) {
    let points = symmetry.points();
    let mut orbit_of = vec![usize::MAX; points * points];
    let mut orbits = Vec::new();
    for a in 0..points {
        for b in a + 1..points {
            if orbit_of[a * points + b] != usize::MAX {
                continue;
            }
            let mut size = 0;
            for element in symmetry.elements() {
                let (x, y) = (element[a], element[b]);
                if orbit_of[x * points + y] == usize::MAX {
                    size += 1;
                    orbit_of[x * points + y] = orbits.len();
                    orbit_of[y * points + x] = orbits.len();
                }
            }
            orbits.push(PairOrbit { representative: (a, b), size });
        }
    }
    (orbit_of, orbits)
}

/// A block that some symmetry keeps is kept by one of prime order (Cauchy).
fn prime_subgroups(symmetry: &Symmetry) -> Vec<PointOrbits> {
    let points = symmetry.points();
    let mut subgroups: Vec<PointOrbits> = Vec::new();
    let mut known = std::collections::BTreeSet::new();
    for element in &symmetry.elements()[1..] {
        let mut orbits: Vec<Vec<usize>> = Vec::new();
        let mut of_point = vec![usize::MAX; points];
        for start in 0..points {
            if of_point[start] != usize::MAX {
                continue;
            }
            let mut orbit = Vec::new();
            let mut point = start;
            while of_point[point] == usize::MAX {
                of_point[point] = orbits.len();
                orbit.push(point);
                point = element[point];
            }
            orbits.push(orbit);
        }
        let longest = orbits.iter().map(Vec::len).max().unwrap_or(1);
        let is_prime = crate::field::prime_power(longest).is_some_and(|(_, degree)| degree == 1);
        if is_prime && orbits.iter().all(|orbit| orbit.len() == 1 || orbit.len() == longest) {
            // The powers of an element have its orbits, and another subgroup
            // with the same orbits has the same unions of them.
            if known.insert(of_point.clone()) {
                subgroups.push(PointOrbits { orbits, of_point });
            }
        }
    }
    subgroups
}
