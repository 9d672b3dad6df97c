//! Designs cut out of projective planes by a curve: unitals and maximal arcs.
//!
//! Both meet every line of the plane in none, one or a fixed number of points,
//! so the lines that meet them in more than one are the blocks of a design.
//! Both are resolvable, which planes themselves are not.

use std::collections::BTreeMap;

use super::BlockDesign;
use super::geometry::{affine, incident, normalise, normalised, vector};
use crate::error::in_range;
use crate::{Result, field::Field};

/// The Hermitian unital of order q: v = q³ + 1, k = q + 1, resolvable.
///
/// The points are those of PG(2, q²) with x^(q+1) + y^(q+1) + z^(q+1) = 0, the
/// blocks their intersections with secants. For a point Q off the curve, the
/// secants through Q and the polar line of Q form a parallel class; the q²
/// points Q ≠ P of the tangent at one point P give every block once, since a
/// secant that avoids P meets the tangent in one such Q, and one through P is
/// the polar of one.
///
/// # Errors
///
/// [`Error::NotAPrimePower`](crate::Error::NotAPrimePower) or
/// [`Error::OutOfRange`](crate::Error::OutOfRange) if there is no field of
/// q² elements or the design would be too large.
///
/// # Examples
///
/// ```
/// use octopus_design::block;
///
/// let unital = block::hermitian_unital(3)?;
/// assert_eq!((unital.points(), unital.block_size(), unital.replication()), (28, 4, 9));
/// assert_eq!(unital.parallel_classes().map(<[_]>::len), Some(9));
/// # Ok::<(), octopus_design::Error>(())
/// ```
///
/// # References
///
/// Bose, "On the application of finite projective geometry for deriving a
/// certain series of balanced Kirkman arrangements" (1959); Barwick and Ebert,
/// *Unitals in Projective Planes* (2008).
pub fn hermitian_unital(q: usize) -> Result<BlockDesign> {
    // q = 8 gives 513 points; 9 would take more blocks than a design may have.
    in_range("order", q, 2..=8)?;
    let field = Field::new(q * q)?;
    let plane = normalised(&field, 3);
    let conjugate = |v: &[usize]| v.iter().map(|&c| field.pow(c, q)).collect::<Vec<usize>>();
    let on_curve = |point: &[usize]| incident(&field, point, &conjugate(point));
    let curve: Vec<&Vec<usize>> = plane.iter().filter(|point| on_curve(point)).collect();
    // Lines have coordinates as points have, and the polar of a point is the
    // line of its conjugate: the tangent, where the point is on the curve.
    let mut secants = BTreeMap::new();
    for line in &plane {
        let meets = (0..curve.len()).filter(|&i| incident(&field, curve[i], line));
        let block: Vec<usize> = meets.collect();
        if block.len() > 1 {
            secants.insert(line.clone(), block);
        }
    }
    let tangent = curve.first().map(|point| conjugate(point)).unwrap_or_default();
    let poles = plane.iter().filter(|p| incident(&field, p, &tangent) && !on_curve(p));
    let classes = poles.map(|pole| {
        let through = secants.iter().filter(|(line, _)| incident(&field, pole, line));
        let polar = secants.get(&normalise(&field, &conjugate(pole)));
        through.map(|(_, block)| block).chain(polar).cloned().collect()
    });
    let classes: Vec<Vec<Vec<usize>>> = classes.collect();
    let origin = format!(
        "Hermitian unital of order {q} in PG(2,{}) (Bose 1959), resolved by the points of a tangent",
        q * q
    );
    BlockDesign::new(curve.len(), q + 1, secants.into_values(), origin)?
        .with_parallel_classes(classes)
}

/// The design of Denniston's maximal arc of degree k = 2^m in PG(2, 2^n):
/// v = 2^(m+n) − 2^n + 2^m, resolvable, with 2^n + 1 parallel classes.
///
/// The arc is the points (x, y) of AG(2, 2^n) at which x² + xy + cy² is in an
/// additive subgroup of order k, where c makes that form irreducible. Lines
/// meet it in k points or none; as the line at infinity misses it, the lines
/// of one direction are a parallel class.
///
/// # Errors
///
/// [`Error::OutOfRange`](crate::Error::OutOfRange) if not 0 < m < n ≤ 7.
///
/// # Examples
///
/// ```
/// use octopus_design::block;
///
/// let arc = block::maximal_arc(3, 2)?;
/// assert_eq!((arc.points(), arc.block_size(), arc.replication()), (28, 4, 9));
/// assert_eq!(block::maximal_arc(4, 3)?.points(), 120);
/// # Ok::<(), octopus_design::Error>(())
/// ```
///
/// # References
///
/// Denniston, "Some maximal arcs in finite projective planes", *Journal of
/// Combinatorial Theory* 6 (1969).
#[expect(clippy::missing_panics_doc, reason = "half of the field may be c")]
pub fn maximal_arc(n: usize, m: usize) -> Result<BlockDesign> {
    in_range("n", n, 1..=7)?;
    in_range("m", m, 1..=n - 1)?;
    let (q, degree) = (1 << n, 1 << m);
    let field = Field::new(q)?;
    let form = |c: usize, x: usize, y: usize| {
        let squares = field.add(field.mul(x, x), field.mul(c, field.mul(y, y)));
        field.add(squares, field.mul(x, y))
    };
    let c = field
        .elements()
        .find(|&c| field.elements().all(|x| form(c, x, 1) != 0))
        .expect("x² + x takes half the values of GF(2^n), and c may be any of the others");
    // Sums of numbers below a power of two stay below it: a subgroup.
    let in_arc = |point: usize| {
        let xy = vector(point, q, 2);
        form(c, xy[0], xy[1]) < degree
    };
    let arc: Vec<usize> = (0..q * q).filter(|&point| in_arc(point)).collect();
    let plane = affine(2, q)?;
    let classes = plane.parallel_classes().unwrap_or_default().iter().map(|class| {
        let cut = class.iter().map(|&line| -> Vec<usize> {
            plane.blocks()[line].iter().filter_map(|p| arc.binary_search(p).ok()).collect()
        });
        cut.filter(|block| !block.is_empty()).collect()
    });
    let classes: Vec<Vec<Vec<usize>>> = classes.collect();
    let origin = format!("maximal arc of degree {degree} in PG(2,{q}) (Denniston 1969)");
    BlockDesign::new(arc.len(), degree, classes.concat(), origin)?.with_parallel_classes(classes)
}
