//! Points and lines of affine and projective spaces over finite fields.
//!
//! Any two points span one line, so the lines are a 2-(v, q, 1) or a
//! 2-(v, q + 1, 1) design. Reference: Beth, Jungnickel and Lenz, *Design
//! Theory*, 2nd ed. (1999), chapter I.

use bitvec::prelude::{BitVec, Lsb0};

use super::BlockDesign;
use super::design::check_size;
use crate::error::in_range;
use crate::{MAX_SERVERS, Result, field::Field};

/// The lines of the affine space AG(d, q): v = q^d, k = q, resolvable.
///
/// A parallel class is the lines of one direction; the plane, d = 2, has q + 1
/// of them, which is the island of 16 servers for q = 4 (Table 3).
///
/// # Errors
///
/// [`Error::NotAPrimePower`](crate::Error::NotAPrimePower) or
/// [`Error::OutOfRange`](crate::Error::OutOfRange) if there is no field of `q`
/// elements, or if `dimension` is below 2 or makes too many points.
///
/// # Examples
///
/// ```
/// use octopus_design::block;
///
/// let plane = block::affine(2, 4)?;
/// assert_eq!((plane.points(), plane.block_size(), plane.blocks().len()), (16, 4, 20));
/// assert_eq!(block::affine(3, 3)?.parallel_classes().map(<[_]>::len), Some(13));
/// # Ok::<(), octopus_design::Error>(())
/// ```
pub fn affine(dimension: usize, q: usize) -> Result<BlockDesign> {
    let field = Field::new(q)?;
    let points = power(q, dimension)?;
    check_size(points, q)?;
    let mut classes = Vec::new();
    for direction in normalised(&field, dimension) {
        // Each line of this direction has one point that is zero where the
        // direction has its leading one.
        let pivot = direction.iter().position(|&c| c == 1).unwrap_or(0);
        let starts = (0..points).map(|p| vector(p, q, dimension)).filter(|p| p[pivot] == 0);
        let lines = starts.map(|start| {
            let steps = field.elements();
            steps.map(|t| number(&plus_multiple(&field, &start, t, &direction), q)).collect()
        });
        classes.push(lines.collect::<Vec<Vec<usize>>>());
    }
    let name = if dimension == 2 { "plane" } else { "space" };
    let origin =
        format!("affine {name} AG({dimension},{q}): points and lines of GF({q})^{dimension}");
    BlockDesign::new(points, q, classes.concat(), origin)?.with_parallel_classes(classes)
}

/// The lines of the projective space PG(d, q): v = q^d + … + q + 1, k = q + 1.
///
/// The plane, d = 2, has as many lines as points.
///
/// # Errors
///
/// As [`affine`].
///
/// # Examples
///
/// ```
/// use octopus_design::block;
///
/// let plane = block::projective(2, 3)?;
/// assert_eq!((plane.points(), plane.block_size(), plane.blocks().len()), (13, 4, 13));
/// let space = block::projective(3, 3)?;
/// assert_eq!((space.points(), space.replication()), (40, 13));
/// # Ok::<(), octopus_design::Error>(())
/// ```
pub fn projective(dimension: usize, q: usize) -> Result<BlockDesign> {
    let field = Field::new(q)?;
    // q^d + q^(d−1) + … + 1, in which the first term is the largest.
    check_size((power(q, dimension)? * q - 1) / (q - 1), q + 1)?;
    let points = normalised(&field, dimension + 1);
    let mut met: BitVec<u64, Lsb0> = BitVec::repeat(false, points.len() * points.len());
    let mut blocks = Vec::new();
    for (a, first) in points.iter().enumerate() {
        for b in a + 1..points.len() {
            if met[a * points.len() + b] {
                continue;
            }
            let mut line = vec![a];
            for t in field.elements() {
                let sum = normalise(&field, &plus_multiple(&field, &points[b], t, first));
                line.extend(points.binary_search(&sum));
            }
            for &x in &line {
                for &y in &line {
                    met.set(x * points.len() + y, true);
                }
            }
            blocks.push(line);
        }
    }
    let name = if dimension == 2 { "plane" } else { "space" };
    let origin = format!("projective {name} PG({dimension},{q}): points and lines over GF({q})");
    BlockDesign::new(points.len(), q + 1, blocks, origin)
}

/// The nonzero vectors whose first nonzero coordinate is one, ascending: one
/// on each line through the origin, a point of projective space.
pub(super) fn normalised(field: &Field, length: usize) -> Vec<Vec<usize>> {
    let mut vectors = Vec::new();
    for leading in (0..length).rev() {
        let free = u32::try_from(length - leading - 1).unwrap_or(u32::MAX);
        for tail in 0..field.order().saturating_pow(free) {
            let mut point = vec![0; leading];
            point.push(1);
            point.extend(vector(tail, field.order(), length - leading - 1).into_iter().rev());
            vectors.push(point);
        }
    }
    vectors
}

/// The multiple whose first nonzero coordinate is one; zero stays zero.
pub(super) fn normalise(field: &Field, vector: &[usize]) -> Vec<usize> {
    let scale = vector.iter().find_map(|&c| field.inv(c)).unwrap_or(0);
    vector.iter().map(|&c| field.mul(c, scale)).collect()
}

/// Whether the product of a point and a line of a projective plane vanishes.
pub(super) fn incident(field: &Field, point: &[usize], line: &[usize]) -> bool {
    let products = point.iter().zip(line).map(|(&x, &y)| field.mul(x, y));
    products.fold(0, |sum, product| field.add(sum, product)) == 0
}

fn plus_multiple(field: &Field, a: &[usize], t: usize, b: &[usize]) -> Vec<usize> {
    a.iter().zip(b).map(|(&x, &y)| field.add(x, field.mul(t, y))).collect()
}

/// The coordinates of a point of affine space, the first least significant.
pub(super) fn vector(mut point: usize, q: usize, length: usize) -> Vec<usize> {
    let mut coordinates = Vec::with_capacity(length);
    for _ in 0..length {
        coordinates.push(point % q);
        point /= q;
    }
    coordinates
}

fn number(vector: &[usize], q: usize) -> usize {
    vector.iter().rev().fold(0, |number, &c| number * q + c)
}

/// `q` to the power of `dimension`, if a design may have as many points.
fn power(q: usize, dimension: usize) -> Result<usize> {
    let exponent = u32::try_from(dimension).unwrap_or(u32::MAX);
    // 2^14 is the most points there may be
    in_range("dimension", dimension, 2..=14)?;
    let points = q.saturating_pow(exponent);
    in_range("points", points, 2..=MAX_SERVERS)?;
    Ok(points)
}
