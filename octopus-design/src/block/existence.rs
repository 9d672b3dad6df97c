//! For which sizes designs exist: yes, no or unknown, with the reason.

use std::fmt;

use super::catalogue::Construction;
use crate::{MAX_MPDS, MAX_SERVERS};

/// Whether a design exists.
///
/// ```
/// use octopus_design::block::{Answer, exists};
///
/// assert_eq!(exists(25, 4).answer, Answer::Yes);
/// assert_eq!(exists(43, 7).answer, Answer::No);
/// assert_eq!(exists(85, 7).answer.to_string(), "unknown");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Answer {
    /// It does.
    Yes,
    /// It provably does not.
    No,
    /// It is an open question, or its answer is not known to this crate.
    Unknown,
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Unknown => "unknown",
        })
    }
}

/// What is known about a 2-(v, k, 1) design, and why.
///
/// ```
/// let order_ten = octopus_design::block::exists(111, 11);
/// assert_eq!(order_ten.answer, octopus_design::block::Answer::No);
/// assert!(order_ten.reason.contains("Lam"));
/// assert!(!order_ten.constructed);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Existence {
    /// Whether it exists.
    pub answer: Answer,
    /// The theorem or construction that says so, with its source.
    pub reason: String,
    /// Whether [`super::build`] builds it.
    pub constructed: bool,
}

impl Existence {
    fn new(answer: Answer, reason: impl Into<String>) -> Self {
        Self { answer, reason: reason.into(), constructed: false }
    }
}

/// Whether there is a 2-(v, k, 1) design of v = `points`, k = `block_size`.
///
/// The answer is [`Answer::No`] only by a theorem: divisibility, Fisher,
/// Bruck–Ryser–Chowla (also for affine planes, v = k², which extend to
/// projective ones), or an exhaustive search that is published. A size that
/// passes them all and that nobody is known to have built is
/// [`Answer::Unknown`].
///
/// # Examples
///
/// ```
/// use octopus_design::block::{Answer, exists};
///
/// assert!(exists(61, 5).constructed);
/// assert_eq!(exists(36, 6).answer, Answer::No); // 36 officers
/// let large = exists(1_000_005, 5); // 5 modulo 20, far beyond what is built
/// assert_eq!((large.answer, large.constructed), (Answer::Yes, false));
/// ```
///
/// # References
///
/// Mathon and Rosa, "2-(v,k,λ) designs of small order", and Abel and Greig,
/// "BIBDs with small block size", both in the *Handbook of Combinatorial
/// Designs*, 2nd ed. (2007), II.1 and II.3.
#[must_use]
pub fn exists(points: usize, block_size: usize) -> Existence {
    if let Some(reason) = refutation(points, block_size) {
        return Existence::new(Answer::No, reason);
    }
    if let Some(construction) = Construction::choose(points, block_size) {
        let theorem = construction.theorem();
        let blocks = blocks(points, block_size);
        let constructed = points <= MAX_SERVERS && blocks <= MAX_MPDS as u128;
        let reason = if constructed {
            theorem
        } else {
            format!(
                "{theorem}; its {points} points and {blocks} blocks are more than is built here"
            )
        };
        return Existence { answer: Answer::Yes, reason, constructed };
    }
    published(points, block_size)
}

/// Every size up to replication `max_replication` that divisibility admits for
/// blocks of `block_size`, ascending, with what is known of it.
///
/// In a pod: which numbers of servers N-port MPDs and servers of at most
/// `max_replication` ports can join so that any two share one MPD. The first
/// is v = k, one MPD.
///
/// # Examples
///
/// ```
/// use octopus_design::block::sizes;
///
/// let built = sizes(4, 16).filter(|(_, existence)| existence.constructed);
/// assert!(built.map(|(v, _)| v).eq([4, 13, 16, 25, 28, 37, 40, 49]));
/// ```
pub fn sizes(
    block_size: usize,
    max_replication: usize,
) -> impl Iterator<Item = (usize, Existence)> {
    let replications = 1..=if block_size < 2 { 0 } else { max_replication };
    replications
        .map_while(move |r| r.checked_mul(block_size - 1)?.checked_add(1))
        .filter(move |&points| admissible(points, block_size).is_ok())
        .map(move |points| (points, exists(points, block_size)))
}

/// v(v − 1)/(k(k − 1)), for k of at least 2.
fn blocks(points: usize, block_size: usize) -> u128 {
    let (v, k) = (points as u128, block_size as u128);
    v * (v - 1) / (k * (k - 1))
}

/// Whether every point can be in a whole number of blocks, and the blocks be a
/// whole number.
fn admissible(points: usize, block_size: usize) -> Result<(), String> {
    let (v, k) = (points as u128, block_size as u128);
    if !(v - 1).is_multiple_of(k - 1) {
        return Err(format!("k - 1 = {} does not divide v - 1 = {}", k - 1, v - 1));
    }
    if !(v * (v - 1)).is_multiple_of(k * (k - 1)) {
        return Err(format!(
            "k(k - 1) = {} does not divide v(v - 1) = {}",
            k * (k - 1),
            v * (v - 1)
        ));
    }
    Ok(())
}

/// The theorem by which there is no such design.
fn refutation(points: usize, block_size: usize) -> Option<String> {
    if block_size < 2 || points < block_size {
        return Some("a design has blocks of at least 2 and at most v points".into());
    }
    if points == block_size {
        return None;
    }
    if let Err(reason) = admissible(points, block_size) {
        return Some(reason);
    }
    let replication = (points - 1) / (block_size - 1);
    if replication < block_size {
        return Some(format!("r = {replication} is less than k (Fisher's inequality 1940)"));
    }
    // A plane: r = k makes it projective of order k − 1, r = k + 1 affine of
    // order k, and an affine plane extends to a projective one.
    let plane = match replication - block_size {
        0 => Some((block_size - 1, "")),
        1 => Some((block_size, ", and an affine plane extends to a projective one")),
        _ => None,
    };
    if let Some((order, through)) = plane {
        if matches!(order % 4, 1 | 2) && !is_sum_of_two_squares(order) {
            return Some(format!(
                "a projective plane of order {order}, 1 or 2 modulo 4 and not a sum of two \
                 squares, does not exist (Bruck, Ryser and Chowla 1949-50){through}"
            ));
        }
        if order == 10 {
            return Some(format!(
                "no projective plane of order 10 exists (Lam, Thiel and Swiercz 1989, by \
                 exhaustive search){through}"
            ));
        }
    }
    if (points, block_size) == (46, 6) {
        let reason = "no 2-(46,6,1) design exists (Houghten, Thiel, Janssen and Lam 2001, by \
                      exhaustive search)";
        return Some(reason.into());
    }
    None
}

/// The sizes of k = 6 that the Handbook (II.3) leaves open.
const OPEN_SIX: [usize; 29] = [
    51, 61, 81, 166, 226, 231, 256, 261, 286, 316, 321, 346, 351, 376, 406, 411, 436, 441, 471,
    501, 561, 591, 616, 646, 651, 676, 771, 796, 801,
];

/// The sizes of replication at most 16 that the Handbook (II.1) leaves open,
/// besides those of k = 6.
const OPEN: [(usize, usize); 9] = [
    (85, 7),
    (113, 8),
    (136, 10),
    (145, 10),
    (144, 12),
    (177, 12),
    (157, 13),
    (225, 15),
    (241, 16),
];

/// What the literature says of a size that is neither refuted nor built here.
fn published(points: usize, block_size: usize) -> Existence {
    match block_size {
        3..=5 => Existence::new(
            Answer::Yes,
            "for k = 3, 4, 5 divisibility suffices (Hanani 1961, 1972); not constructed here",
        ),
        6 if !OPEN_SIX.contains(&points) => Existence::new(
            Answer::Yes,
            "not among the open sizes of k = 6 (Abel and Greig, Handbook of Combinatorial Designs \
             II.3); not constructed here",
        ),
        _ if block_size == 6 || OPEN.contains(&(points, block_size)) => Existence::new(
            Answer::Unknown,
            "open in the Handbook of Combinatorial Designs (2007), II.1 and II.3",
        ),
        _ => Existence::new(
            Answer::Unknown,
            "no theorem against it and no construction of it is known to this crate",
        ),
    }
}

/// Whether every prime that is 3 modulo 4 divides `n` to an even power
/// (Fermat, Euler).
fn is_sum_of_two_squares(mut n: usize) -> bool {
    let mut p = 2;
    while p <= n / p {
        let mut even = true;
        while n.is_multiple_of(p) {
            n /= p;
            even = !even;
        }
        if p % 4 == 3 && !even {
            return false;
        }
        p += 1;
    }
    n % 4 != 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_two_squares_agree_with_trying_all() {
        for n in 1_usize..2000 {
            let tried = (0..=n).take_while(|x| x * x <= n).any(|x| {
                let rest = n - x * x;
                rest.isqrt() * rest.isqrt() == rest
            });
            assert_eq!(is_sum_of_two_squares(n), tried, "{n}");
        }
    }

    #[test]
    fn open_lists_hold_admissible_sizes_only() {
        for v in OPEN_SIX {
            assert_eq!(refutation(v, 6), None, "{v}");
        }
        for (v, k) in OPEN {
            assert_eq!(refutation(v, k), None, "({v},{k})");
            assert!((v - 1) / (k - 1) <= 16);
        }
    }

    #[test]
    fn huge_arguments_are_answered() {
        assert_eq!(exists(usize::MAX, 2).answer, Answer::Yes);
        assert_eq!(exists(usize::MAX, usize::MAX).answer, Answer::Yes);
        assert_eq!(exists(usize::MAX, usize::MAX - 1).answer, Answer::No);
        for v in [0, 1, 2] {
            for k in [0, 1, 3] {
                assert_eq!(exists(v, k).answer, Answer::No);
            }
        }
        // Near the top of the range, every path is walked: counting, planes, curves.
        let top = usize::MAX - 100..usize::MAX;
        for k in [3, 4, 5, 6, 7, 8, 64, 128, 1 << 31, (1 << 32) - 1] {
            assert!(top.clone().all(|v| !exists(v, k).constructed));
        }
        assert_eq!(sizes(usize::MAX, 4).count(), 1);
        assert_eq!(sizes(0, 4).count() + sizes(1, 4).count(), 0);
    }
}
