//! How large the neighbourhood of a part may be, if the whole is to be small.
//!
//! Let U have k servers with |N(U)| at most some target, and take servers away
//! one at a time, always one that alone reaches the most MPDs. Every set on
//! that chain is *tight*: it satisfies bounds that depend only on its size j,
//! on n = |N|, on p, the number of MPDs that the server to be taken away
//! reaches alone, and on the surplus h = Σ max(0, count − 2) + Σ (X − degree):
//!
//! * With d MPDs reached twice or more, Σ degree = n + d + Σ max(0, count − 2),
//!   so exactly n − d = 2n + h − jX MPDs are reached once, and the most any of
//!   the j servers reaches alone is p ≥ ⌈(2n + h − jX) / j⌉.
//! * h never falls as servers come.
//! * Taking the last server away turns at most `max_shared` MPDs of another
//!   into private ones: p of the smaller set ≤ p of the larger + `max_shared`.
//!
//! The table holds, for each (j, p, h), the largest n from which a chain that
//! keeps these rules can still end at the target.

/// Surpluses above this are treated as this, which only weakens the bound.
const MAX_SURPLUS: usize = 255;

/// A table that would take more steps to fill than this is not made.
const MAX_STEPS: usize = 1 << 27;

/// The table for one size k and one target.
#[derive(Debug)]
pub(super) struct Tightness {
    /// `[j][p][h]`, flattened; −1 where no chain exists.
    most: Vec<i32>,
    privates: usize,
}

impl Tightness {
    /// For sets of `k` servers of degree at most `degree` that reach at most
    /// `target` MPDs, any two servers sharing at most `max_shared`.
    /// None where the table would be too large.
    pub(super) fn new(k: usize, target: usize, degree: usize, max_shared: usize) -> Option<Self> {
        let privates = degree + 1;
        let row = MAX_SURPLUS + 1;
        let steps = privates.checked_mul(privates)?.checked_mul((k + 1) * row)?;
        if steps > MAX_STEPS {
            return None;
        }
        let int = |value: usize| i32::try_from(value).unwrap_or(i32::MAX / 4);
        let mut most = vec![int(target); (k + 1) * privates * row];
        for j in (0..k).rev() {
            let size = int(j + 1);
            for p in 0..privates {
                for h in 0..row {
                    let least_next = p.saturating_sub(max_shared);
                    let best = (least_next..privates).map(|next| {
                        let from_above = most[((j + 1) * privates + next) * row + h] - int(next);
                        let from_average =
                            (size * int(next + degree) - 2 * int(next) - int(h)).div_euclid(2);
                        from_above.min(from_average)
                    });
                    most[(j * privates + p) * row + h] = best.max().unwrap_or(-1).max(-1);
                }
            }
        }
        Some(Self { most, privates })
    }

    /// The largest |N| a set of `size` servers may have whose last server
    /// reaches `private` MPDs alone and whose surplus is `surplus`.
    pub(super) fn most(&self, size: usize, private: usize, surplus: usize) -> i32 {
        let surplus = surplus.min(MAX_SURPLUS);
        self.most[(size * self.privates + private) * (MAX_SURPLUS + 1) + surplus]
    }
}
