//! Which construction is used for which parameters.

use super::{AbelianGroup, BlockDesign, Symmetry};
use super::{affine, complete, hermitian_unital, kirkman_triples, maximal_arc, projective, search};
use super::{steiner_triples, triples::is_kirkman_built};
use crate::{Result, field::prime_power};

/// A way to build a design, with what it needs to know.
#[derive(Clone, Copy, Debug)]
pub(super) enum Construction {
    /// v = k: one block.
    Single(usize),
    /// k = 2, by v.
    Complete(usize),
    /// AG(d, q).
    Affine(usize, usize),
    /// PG(d, q).
    Projective(usize, usize),
    /// By its order q.
    Unital(usize),
    /// By n and m.
    Arc(usize, usize),
    /// k = 3 with classes, by v.
    Kirkman(usize),
    /// k = 3, by v.
    Steiner(usize),
    /// Base blocks found by search.
    Family(&'static Family),
}

/// A symmetry under which the search finds base blocks at once.
#[derive(Debug)]
pub(super) struct Family {
    points: usize,
    block_size: usize,
    /// The cyclic factors of the group that translates.
    group: &'static [usize],
    /// How many copies of the group the points are.
    copies: usize,
    /// How many points no translation moves.
    fixed: usize,
    /// What the multiplier multiplies each coordinate with.
    units: &'static [usize],
    /// The copy that the multiplier takes each copy to.
    onto: &'static [usize],
}

const fn family(
    (points, block_size): (usize, usize),
    group: &'static [usize],
    (copies, fixed): (usize, usize),
    units: &'static [usize],
    onto: &'static [usize],
) -> Family {
    Family { points, block_size, group, copies, fixed, units, onto }
}

/// A family of one cyclic group on itself, with a multiplier.
const fn cyclic(
    parameters: (usize, usize),
    group: &'static [usize],
    unit: &'static [usize],
) -> Family {
    family(parameters, group, (1, 0), unit, &[0])
}

/// Steps after which the search for a family gives up; each takes far fewer.
const FAMILY_BUDGET: u64 = 1_000_000;

/// Each row is where a search over groups and multipliers of odd order first
/// succeeded; the base blocks themselves are searched anew for every design.
static FAMILIES: [Family; 26] = [
    family((25, 4), &[5, 5], (1, 0), &[1, 1], &[0]),
    cyclic((37, 4), &[37], &[10]),
    cyclic((49, 4), &[49], &[18]),
    cyclic((61, 4), &[61], &[9]),
    cyclic((73, 4), &[73], &[2]),
    cyclic((76, 4), &[76], &[45]),
    cyclic((88, 4), &[88], &[1]),
    cyclic((97, 4), &[97], &[35]),
    cyclic((100, 4), &[100], &[1]),
    cyclic((109, 4), &[109], &[3]),
    family((112, 4), &[111], (1, 1), &[7], &[0]),
    cyclic((121, 4), &[121], &[3]),
    cyclic((124, 4), &[124], &[5]),
    cyclic((41, 5), &[41], &[10]),
    family((45, 5), &[3, 3, 5], (1, 0), &[1, 1, 1], &[0]),
    cyclic((61, 5), &[61], &[47]),
    family((81, 5), &[27], (3, 0), &[10], &[1, 2, 0]),
    cyclic((101, 5), &[101], &[36]),
    family((105, 5), &[104], (1, 1), &[9], &[0]),
    cyclic((121, 5), &[121], &[3]),
    cyclic((145, 5), &[145], &[16]),
    // First: Denniston, "A Steiner system with a maximal arc" (1980).
    family((66, 6), &[13], (5, 1), &[3], &[0, 1, 3, 4, 2]),
    // First: Mills, "Two new block designs" (1975).
    family((76, 6), &[19], (4, 0), &[7], &[0, 2, 3, 1]),
    cyclic((91, 6), &[91], &[16]),
    family((96, 6), &[19], (5, 1), &[4], &[0, 1, 3, 4, 2]),
    cyclic((91, 7), &[91], &[16]),
];

impl Construction {
    /// The construction of choice: a resolvable one where there is one.
    ///
    /// Sizes beyond what a [`BlockDesign`] holds are for the caller to refuse.
    pub(super) fn choose(points: usize, block_size: usize) -> Option<Self> {
        if points < 2 || block_size < 2 || points < block_size {
            return None;
        }
        if points == block_size {
            return Some(Self::Single(points));
        }
        if block_size == 2 {
            return Some(Self::Complete(points));
        }
        affine_space(points, block_size)
            .or_else(|| curve(points, block_size))
            .or_else(|| {
                let kirkman = block_size == 3 && is_kirkman_built(points);
                kirkman.then_some(Self::Kirkman(points))
            })
            .or_else(|| projective_space(points, block_size))
            .or_else(|| {
                let steiner = block_size == 3 && matches!(points % 6, 1 | 3);
                steiner.then_some(Self::Steiner(points))
            })
            .or_else(|| {
                let fits = |f: &&Family| f.points == points && f.block_size == block_size;
                FAMILIES.iter().find(fits).map(Self::Family)
            })
    }

    pub(super) fn build(self) -> Result<BlockDesign> {
        match self {
            Self::Single(points) => {
                let block = 0..points;
                BlockDesign::new(points, points, [block.clone()], "one block of all points")?
                    .with_parallel_classes([[block]])
            }
            Self::Complete(points) => complete(points),
            Self::Affine(dimension, q) => affine(dimension, q),
            Self::Projective(dimension, q) => projective(dimension, q),
            Self::Unital(q) => hermitian_unital(q),
            Self::Arc(n, m) => maximal_arc(n, m),
            Self::Kirkman(points) => kirkman_triples(points),
            Self::Steiner(points) => steiner_triples(points),
            Self::Family(family) => family.build(),
        }
    }

    /// The theorem or construction, for the reason of an existence.
    pub(super) fn theorem(self) -> String {
        match self {
            Self::Single(_) => "v = k: one block holds every pair".into(),
            Self::Complete(_) => "k = 2: all pairs".into(),
            Self::Affine(dimension, q) => {
                format!("lines of the affine space AG({dimension},{q}), {q} a prime power")
            }
            Self::Projective(dimension, q) => {
                format!("lines of the projective space PG({dimension},{q}), {q} a prime power")
            }
            Self::Unital(q) => format!("Hermitian unital of order {q} (Bose 1959)"),
            Self::Arc(n, m) => {
                format!("maximal arc of degree {} in PG(2,{}) (Denniston 1969)", 1 << m, 1 << n)
            }
            Self::Kirkman(_) => "Kirkman triple system (Ray-Chaudhuri and Wilson 1971)".into(),
            Self::Steiner(_) => {
                "v is 1 or 3 modulo 6: Steiner triple system (Bose 1939, Skolem 1958)".into()
            }
            Self::Family(family) => family.origin(),
        }
    }
}

impl Family {
    fn build(&self) -> Result<BlockDesign> {
        let group = AbelianGroup::new(self.group)?;
        let symmetry =
            Symmetry::with_multiplier(&group, self.copies, self.fixed, self.units, self.onto)?;
        let base = search(&symmetry, self.block_size, 0, FAMILY_BUDGET)?;
        BlockDesign::new(self.points, self.block_size, symmetry.develop(&base), self.origin())
    }

    fn origin(&self) -> String {
        let list = |numbers: &[usize], sign: &str, between: &str| {
            let parts = numbers.iter().map(|n| format!("{sign}{n}"));
            parts.collect::<Vec<_>>().join(between)
        };
        let mut origin = vec![format!("difference family over {}", list(self.group, "Z", " x "))];
        if self.copies > 1 {
            origin.push(format!("{} copies", self.copies));
        }
        if self.fixed > 0 {
            origin.push(format!("{} fixed", self.fixed));
        }
        if self.units.iter().any(|&unit| unit != 1) {
            origin.push(format!("multiplier {}", list(self.units, "", ",")));
        }
        origin.push("base blocks found by search (Bose 1939, Kramer and Mesner 1976)".into());
        origin.join(", ")
    }
}

fn affine_space(points: usize, q: usize) -> Option<Construction> {
    prime_power(q)?;
    let mut size = Some(q);
    let dimension = (2..64).find(|_| {
        size = size.and_then(|size| size.checked_mul(q));
        size == Some(points)
    })?;
    Some(Construction::Affine(dimension, q))
}

fn projective_space(points: usize, block_size: usize) -> Option<Construction> {
    let q = block_size - 1;
    prime_power(q)?;
    let mut size = Some(q + 1);
    let dimension = (2..64).find(|_| {
        size = size.and_then(|size| size.checked_mul(q)?.checked_add(1));
        size == Some(points)
    })?;
    Some(Construction::Projective(dimension, q))
}

fn curve(points: usize, block_size: usize) -> Option<Construction> {
    let q = block_size - 1;
    if q <= 8 && prime_power(q).is_some() && points == q * q * q + 1 {
        return Some(Construction::Unital(q));
    }
    if !block_size.is_power_of_two() {
        return None;
    }
    let m = block_size.ilog2() as usize;
    let arc = |n: &usize| (block_size << n) - (1 << n) + block_size == points;
    (m + 1..=7).find(arc).map(|n| Construction::Arc(n, m))
}
