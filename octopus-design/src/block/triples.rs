//! Blocks of two and of three: complete graphs, Steiner and Kirkman systems.

use super::BlockDesign;
use crate::{Error, MAX_SERVERS, Result, field::Field};

/// All pairs of v points: k = 2. For even v the pairs come in v − 1 parallel
/// classes, the rounds of a tournament.
///
/// # Errors
///
/// [`Error::OutOfRange`] if `points` is below 2 or makes too many blocks.
///
/// # Examples
///
/// ```
/// use octopus_design::block;
///
/// let rounds = block::complete(6)?;
/// assert_eq!((rounds.blocks().len(), rounds.parallel_classes().map(<[_]>::len)), (15, Some(5)));
/// assert_eq!(block::complete(5)?.parallel_classes(), None);
/// # Ok::<(), octopus_design::Error>(())
/// ```
///
/// # References
///
/// The 1-factorisation GK(2n) is Kirkman's (1847).
pub fn complete(points: usize) -> Result<BlockDesign> {
    in_range(points)?;
    let pairs = (0..points).flat_map(|a| (a + 1..points).map(move |b| [a, b]));
    let design = BlockDesign::new(points, 2, pairs, format!("complete graph on {points} points"))?;
    if !points.is_multiple_of(2) {
        return Ok(design);
    }
    // The last point is the pivot; the others turn around it.
    let around = points - 1;
    design.with_parallel_classes((0..around).map(|round| {
        let others =
            (1..points / 2).map(move |i| vec![(round + i) % around, (round + around - i) % around]);
        std::iter::once(vec![round, around]).chain(others)
    }))
}

/// A Steiner triple system: k = 3, for every v ≡ 1 or 3 (mod 6).
///
/// # Errors
///
/// [`Error::NoDesign`] for another v; [`Error::OutOfRange`] if `points` is
/// below 3 or makes too many blocks.
///
/// # Examples
///
/// ```
/// use octopus_design::block;
///
/// assert_eq!(block::steiner_triples(13)?.blocks().len(), 26); // Skolem
/// assert_eq!(block::steiner_triples(21)?.blocks().len(), 70); // Bose
/// assert!(block::steiner_triples(11).is_err());
/// # Ok::<(), octopus_design::Error>(())
/// ```
///
/// # References
///
/// Bose, "On the construction of balanced incomplete block designs" (1939) for
/// v ≡ 3; Skolem, "Some remarks on the triple systems of Steiner" (1958) for
/// v ≡ 1. Both as in Lindner and Rodger, *Design Theory*, 2nd ed., chapter 1.
pub fn steiner_triples(points: usize) -> Result<BlockDesign> {
    in_range(points)?;
    match points % 6 {
        _ if points < 3 => {
            let value = points as u64;
            Err(Error::OutOfRange { field: "points", value, least: 3, most: MAX_SERVERS as u64 })
        }
        3 => {
            let origin = "Steiner triple system by Bose's construction (1939)";
            BlockDesign::new(points, 3, bose(points / 3), origin)
        }
        1 => {
            let origin = "Steiner triple system by Skolem's construction (1958)";
            BlockDesign::new(points, 3, skolem(points / 3), origin)
        }
        _ => Err(Error::NoDesign {
            points,
            block_size: 3,
            reason: "v must be 1 or 3 modulo 6 (Kirkman 1847)".into(),
        }),
    }
}

/// Three levels of an odd number of columns; point (x, i) is 3x + i.
fn bose(columns: usize) -> Vec<Vec<usize>> {
    // Half of x + y, an idempotent commutative quasigroup.
    let half = columns.div_ceil(2);
    let mut triples: Vec<Vec<usize>> =
        (0..columns).map(|x| vec![3 * x, 3 * x + 1, 3 * x + 2]).collect();
    for x in 0..columns {
        for y in x + 1..columns {
            let mean = (x + y) * half % columns;
            triples.extend((0..3).map(|i| vec![3 * x + i, 3 * y + i, 3 * mean + (i + 1) % 3]));
        }
    }
    triples
}

/// Three levels of an even number of columns, and one point more.
fn skolem(columns: usize) -> Vec<Vec<usize>> {
    let n = columns / 2;
    let infinity = 3 * columns;
    // x ∘ x is x in the first half of the columns, and x − n in the second.
    let product = |x: usize, y: usize| {
        let sum = (x + y) % columns;
        if sum.is_multiple_of(2) { sum / 2 } else { sum / 2 + n }
    };
    let mut triples: Vec<Vec<usize>> = (0..n).map(|x| vec![3 * x, 3 * x + 1, 3 * x + 2]).collect();
    for x in 0..n {
        triples.extend((0..3).map(|i| vec![infinity, 3 * (x + n) + i, 3 * x + (i + 1) % 3]));
    }
    for x in 0..columns {
        for y in x + 1..columns {
            let under = product(x, y);
            triples.extend((0..3).map(|i| vec![3 * x + i, 3 * y + i, 3 * under + (i + 1) % 3]));
        }
    }
    triples
}

/// A Kirkman triple system, k = 3 with parallel classes, on v = 3q or 2q + 1
/// points for a prime power q ≡ 1 (mod 6): 15, 21, 27, 39, 51, 57, …
///
/// # Errors
///
/// [`Error::UnbuiltDesign`] for another v, though such a system exists for
/// every v ≡ 3 (mod 6); [`Error::OutOfRange`] for too many points.
///
/// # Examples
///
/// ```
/// use octopus_design::block;
///
/// let walks = block::kirkman_triples(21)?;
/// assert_eq!(walks.parallel_classes().map(<[_]>::len), Some(10));
/// # Ok::<(), octopus_design::Error>(())
/// ```
///
/// # References
///
/// Ray-Chaudhuri and Wilson, "Solution of Kirkman's schoolgirl problem"
/// (1971), theorems 4 and 5.
pub fn kirkman_triples(points: usize) -> Result<BlockDesign> {
    in_range(points)?;
    let (classes, origin) = if points.is_multiple_of(3) && has_sixth_roots(points / 3) {
        (kirkman_threefold(&Field::new(points / 3)?), format!("3·{}", points / 3))
    } else if !points.is_multiple_of(2) && has_sixth_roots(points / 2) {
        (kirkman_twofold(&Field::new(points / 2)?), format!("2·{} + 1", points / 2))
    } else {
        let reason = "only v = 3q and 2q + 1 are built here (Ray-Chaudhuri and Wilson 1971)";
        return Err(Error::UnbuiltDesign { points, block_size: 3, reason: reason.into() });
    };
    let origin =
        format!("Kirkman triple system on {origin} points (Ray-Chaudhuri and Wilson 1971)");
    BlockDesign::new(points, 3, classes.concat(), origin)?.with_parallel_classes(classes)
}

/// Whether [`kirkman_triples`] can build on 3q or 2q + 1 points.
fn has_sixth_roots(q: usize) -> bool {
    q % 6 == 1 && crate::field::prime_power(q).is_some()
}

/// Whether [`kirkman_triples`] builds a system on this many points.
pub(super) fn is_kirkman_built(points: usize) -> bool {
    // More points are never built; the bound spares factoring a huge number.
    points <= MAX_SERVERS
        && (points.is_multiple_of(3) && has_sixth_roots(points / 3)
            || !points.is_multiple_of(2) && has_sixth_roots(points / 2))
}

type Class = Vec<Vec<usize>>;

/// The class moved by every element of the field; points are (element, level)
/// as element + q·level, and a level past the last stays where it is.
fn translates(field: &Field, class: &[[(usize, usize); 3]], levels: usize) -> Vec<Class> {
    let q = field.order();
    let move_by = |by: usize, (element, level): (usize, usize)| {
        if level == levels { q * levels } else { field.add(element, by) + q * level }
    };
    let moved = field.elements().map(|by| {
        class.iter().map(|triple| triple.iter().map(|&p| move_by(by, p)).collect()).collect()
    });
    moved.collect()
}

fn kirkman_threefold(field: &Field) -> Vec<Class> {
    let t = (field.order() - 1) / 6;
    let across = |i: usize| [0, 1, 2].map(|level| (field.exp(i + 2 * t * level), level));
    let mut first = vec![[(0, 0), (0, 1), (0, 2)]];
    for i in 0..t {
        first.extend((0..3).map(|level| [0, 2 * t, 4 * t].map(|s| (field.exp(i + s), level))));
        first.extend([t, 3 * t, 5 * t].map(|s| across(i + s)));
    }
    let mut classes = translates(field, &first, 3);
    for i in (0..t).flat_map(|i| [i, i + 2 * t, i + 4 * t]) {
        // The translates of one transversal are a class by themselves.
        classes.push(translates(field, &[across(i)], 3).concat());
    }
    classes
}

fn kirkman_twofold(field: &Field) -> Vec<Class> {
    let t = (field.order() - 1) / 6;
    let two = field.add(1, 1);
    // 2·x^m = x^t + 1: x^t is a sixth root of 1, so not −1, and 2 is not zero.
    let m = field.inv(two).map(|half| field.mul(half, field.add(field.exp(t), 1)));
    let m = m.and_then(|power| field.log(power)).unwrap_or_default();
    let mut class = vec![[(0, 0), (0, 1), (0, 2)]];
    for i in 0..t {
        for s in [0, 2 * t, 4 * t] {
            let powers = [i + s, i + s + t, i + s + m];
            class.push([0, 1, 2].map(|at| (field.exp(powers[at]), at / 2)));
        }
        class.push([t, 3 * t, 5 * t].map(|s| (field.exp(i + m + s), 1)));
    }
    translates(field, &class, 2)
}

fn in_range(points: usize) -> Result<()> {
    if (2..=MAX_SERVERS).contains(&points) {
        return Ok(());
    }
    let (value, most) = (points as u64, MAX_SERVERS as u64);
    Err(Error::OutOfRange { field: "points", value, least: 2, most })
}
