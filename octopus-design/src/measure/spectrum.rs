//! The spectral gap.
//!
//! # References
//!
//! * A. Lubotzky, R. Phillips, P. Sarnak, "Ramanujan graphs", Combinatorica 8,
//!   1988, for why the second eigenvalue measures expansion.
//! * B. N. Parlett, "The symmetric eigenvalue problem", SIAM 1998, chapter 13:
//!   the Lanczos method with full reorthogonalisation, and its error bound.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Neighbors;
use super::component::components;
use crate::Topology;

/// The largest singular values of a pod's normalised biadjacency matrix.
///
/// # Examples
///
/// ```
/// use octopus_design::{measure, pod};
/// // two servers of a BIBD share one MPD: σ₂² = (r − 1) / (r k), here 3 / 16
/// let spectrum = measure::spectrum(&pod::bibd(13, 4)?);
/// assert!((spectrum.second_singular.powi(2) - 3.0 / 16.0).abs() < 1e-6);
/// assert!((spectrum.gap + spectrum.second_singular - 1.0).abs() < 1e-12);
/// # Ok::<(), octopus_design::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spectrum {
    /// σ₂, the second largest singular value, 0 to 1.
    ///
    /// 1 exactly where the links fall into several components, 0 where the
    /// matrix has rank one or no entry.
    pub second_singular: f64,
    /// 1 − σ₂, 0 to 1: the larger, the better the pod expands.
    ///
    /// 0 for a pod without links, of which nothing expands.
    pub gap: f64,
    /// How far σ₂² may be from a true squared singular value.
    ///
    /// Below 1e-7 unless the iteration stopped at its limit, as it does only
    /// for large and badly connected pods (long rings); σ₂ is then a lower
    /// bound.
    pub residual: f64,
}

/// The spectral gap of the degree-normalised biadjacency matrix.
///
/// The matrix has one row a server and one column an MPD, with
/// 1/√(deg(server)·deg(MPD)) for each link, so that its largest singular value
/// is 1 and its second one, squared, is the second eigenvalue of the random
/// walk that hops from server to server over a random MPD. Servers and MPDs
/// without links are rows and columns of zeros and change nothing.
///
/// Works by matrix–vector products alone, in memory linear in the pod: a dense
/// decomposition would be out of reach for the largest pods. The starting
/// vector is fixed and all sums run in index order.
///
/// # Examples
///
/// In a BIBD every two servers share λ = 1 of their r MPDs of N ports, and
/// σ₂² = (r − λ)/(r·N). For PG(2,2), the Fano plane, that is 2/9.
///
/// ```
/// use octopus_design::{Topology, measure::spectrum};
///
/// let lines = (0..7).map(|i| [i, (i + 1) % 7, (i + 3) % 7]);
/// let fano = Topology::new("fano", 3, 3, 7, lines)?;
/// let second = spectrum(&fano).second_singular;
/// assert!((second * second - 2.0 / 9.0).abs() < 1e-12);
/// # Ok::<(), octopus_design::Error>(())
/// ```
#[must_use]
pub fn spectrum(pod: &Topology) -> Spectrum {
    let neighbors = Neighbors::of(pod);
    let linked = |component: &&Vec<usize>| !neighbors.mpds_of[component[0]].is_empty();
    match components(&neighbors).iter().filter(linked).count() {
        0 => Spectrum { second_singular: 0.0, gap: 0.0, residual: 0.0 },
        1 => {
            let (square, residual) = second_eigenvalue(&Walk::new(&neighbors));
            // What the rounding of the sums leaves of a zero would be seven
            // digits longer as a square root.
            let square = if square < 1e-14 { 0.0 } else { square.min(1.0) };
            let second_singular = square.sqrt();
            Spectrum { second_singular, gap: 1.0 - second_singular, residual }
        }
        // The singular value 1 occurs once a component.
        _ => Spectrum { second_singular: 1.0, gap: 0.0, residual: 0.0 },
    }
}

/// The walk from server to server: the normalised matrix times its transpose.
struct Walk<'a> {
    neighbors: &'a Neighbors,
    /// 1/√degree, 0 for degree 0.
    server_scale: Vec<f64>,
    mpd_scale: Vec<f64>,
}

impl<'a> Walk<'a> {
    fn new(neighbors: &'a Neighbors) -> Self {
        let scale = |lists: &[Vec<usize>]| {
            let inverse = |list: &Vec<usize>| {
                if list.is_empty() { 0.0 } else { 1.0 / (list.len() as f64).sqrt() }
            };
            lists.iter().map(inverse).collect::<Vec<f64>>()
        };
        Self {
            neighbors,
            server_scale: scale(&neighbors.mpds_of),
            mpd_scale: scale(&neighbors.servers_of),
        }
    }

    fn apply(&self, x: &[f64]) -> Vec<f64> {
        let Neighbors { mpds_of, servers_of } = self.neighbors;
        let at_mpds = gather(servers_of, x, &self.server_scale);
        // Both diagonal factors of the MPD side at once: 1/degree.
        let at_mpds: Vec<f64> =
            at_mpds.iter().zip(&self.mpd_scale).map(|(y, scale)| y * scale * scale).collect();
        let ones = vec![1.0; at_mpds.len()];
        let back = gather(mpds_of, &at_mpds, &ones);
        back.iter().zip(&self.server_scale).map(|(z, scale)| z * scale).collect()
    }

    /// The eigenvector of the eigenvalue 1: √degree, of length 1.
    fn top(&self) -> Vec<f64> {
        let mut top: Vec<f64> =
            self.neighbors.mpds_of.iter().map(|mpds| (mpds.len() as f64).sqrt()).collect();
        normalize(&mut top);
        top
    }

    /// No more eigenvalues than this differ from zero.
    fn rank(&self) -> usize {
        let linked = |scale: &[f64]| scale.iter().filter(|&&scale| scale > 0.0).count();
        linked(&self.server_scale).min(linked(&self.mpd_scale))
    }
}

/// For each list, the scaled entries of `x` it names, summed.
fn gather(lists: &[Vec<usize>], x: &[f64], scale: &[f64]) -> Vec<f64> {
    lists.iter().map(|list| list.iter().map(|&i| x[i] * scale[i]).sum()).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Scales to length 1 and returns the former length.
fn normalize(x: &mut [f64]) -> f64 {
    let length = dot(x, x).sqrt();
    if length > 0.0 {
        for x in x {
            *x /= length;
        }
    }
    length
}

/// The most Lanczos steps. Expanders need some dozens.
const MOST_STEPS: usize = 400;
/// The residual to reach; the error is at most that, and mostly its square.
const TOLERANCE: f64 = 1e-8;
/// A remainder this short is rounding: the subspace is invariant.
const INVARIANT: f64 = 1e-12;

/// The largest eigenvalue of the walk across its top eigenvector, which is the
/// second largest of all if the top one is simple; and its residual.
fn second_eigenvalue(walk: &Walk<'_>) -> (f64, f64) {
    // A fixed stream: any start does that is not orthogonal to an eigenspace.
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let mut next: Vec<f64> = walk.server_scale.iter().map(|_| rng.random::<f64>() - 0.5).collect();
    let mut basis = vec![walk.top()];
    orthogonalize(&mut next, &basis);
    if normalize(&mut next) < INVARIANT {
        return (0.0, 0.0);
    }
    let mut tridiagonal = Tridiagonal::default();
    loop {
        let mut image = walk.apply(&next);
        tridiagonal.diagonal.push(dot(&image, &next));
        basis.push(next);
        orthogonalize(&mut image, &basis);
        let beta = normalize(&mut image);
        let steps = tridiagonal.diagonal.len();
        // One dimension more than the rank: the start has a part in the kernel.
        let last = beta < INVARIANT || steps == MOST_STEPS || steps > walk.rank();
        if last || steps.is_multiple_of(8) {
            let (value, end) = tridiagonal.largest();
            let residual = beta * end;
            if last || residual < TOLERANCE {
                return (value, residual);
            }
        }
        tridiagonal.off.push(beta);
        next = image;
    }
}

/// Takes from `x` its parts along `basis`, twice: once leaves rounding errors
/// that grow from step to step (Parlett, section 6.9, "twice is enough").
fn orthogonalize(x: &mut [f64], basis: &[Vec<f64>]) {
    for _ in 0..2 {
        for direction in basis {
            let part = dot(x, direction);
            x.iter_mut().zip(direction).for_each(|(x, d)| *x -= part * d);
        }
    }
}

/// A symmetric tridiagonal matrix with eigenvalues in [0, 1].
#[derive(Default)]
struct Tridiagonal {
    diagonal: Vec<f64>,
    off: Vec<f64>,
}

impl Tridiagonal {
    /// The pivots of `x`·I − T, as long as they are positive; there are as
    /// many as rows exactly if `x` is above every eigenvalue (Sylvester).
    fn pivots(&self, x: f64) -> Vec<f64> {
        let mut pivots: Vec<f64> = Vec::with_capacity(self.diagonal.len());
        for (row, diagonal) in self.diagonal.iter().enumerate() {
            let carried = match row.checked_sub(1) {
                None => 0.0,
                Some(above) => self.off[above] * self.off[above] / pivots[above],
            };
            let pivot = x - diagonal - carried;
            if pivot <= 0.0 {
                break;
            }
            pivots.push(pivot);
        }
        pivots
    }

    /// The largest eigenvalue, and the size of the last entry of its unit
    /// eigenvector.
    fn largest(&self) -> (f64, f64) {
        let rows = self.diagonal.len();
        // Eigenvalues lie in [0, 1] up to rounding; these halvings reach the
        // last bit.
        let (mut below, mut above) = (-1.0, 2.0);
        for _ in 0..64 {
            let middle = f64::midpoint(below, above);
            if self.pivots(middle).len() == rows {
                above = middle;
            } else {
                below = middle;
            }
        }
        // Inverse iteration just above the eigenvalue, where no pivot is zero.
        let pivots = self.pivots(above + 1e-15);
        let mut vector = vec![1.0; rows];
        for _ in 0..3 {
            for row in 1..rows {
                vector[row] += self.off[row - 1] / pivots[row - 1] * vector[row - 1];
            }
            vector[rows - 1] /= pivots[rows - 1];
            for row in (0..rows - 1).rev() {
                vector[row] = (vector[row] + self.off[row] * vector[row + 1]) / pivots[row];
            }
            normalize(&mut vector);
        }
        (below, vector[rows - 1].abs())
    }
}
