//! Theorem A.1: what expansion says about the peak.

use crate::{Error, PodDemand, Result};

/// The largest `D_k` / `e_k` over all k and all instants of the window, in GiB
/// (Theorem A.1).
///
/// `D_k` is the demand of the k most demanding servers of an instant;
/// `expansion[k - 1]` is `e_k`, the fewest MPDs any k servers reach, or a lower
/// bound on it; a k beyond the list is passed over.
///
/// Since `e_k` is at most |N(U)| for every U of k servers, and `D_k` at least
/// D(U), the result over all k is never below
/// [`crate::fractional_optimum`]. It bounds the peak itself from below only
/// under the theorem's assumption, that the k most demanding servers are ones
/// that reach no more than `e_k` MPDs.
///
/// # Errors
///
/// [`Error::OutOfRange`] for an `e_k` of 0.
///
/// # Examples
///
/// ```
/// use octopus_pool::{Demand, Placement, Trace, Vm, place, theorem_a1};
///
/// let vm = |server, memory_gib| Vm {
///     start_s: 0, end_s: 9, memory_gib, cores: 2, server: Some(server), censored: false,
/// };
/// let trace = Trace::new("t", 0..10, vec![vm(0, 9.0), vm(1, 3.0), vm(2, 3.0)])?;
/// let demand = Demand::new(&place(&trace, &Placement::Given)?, 1.0, 1)?.pod(&[0, 1, 2])?;
/// // A ring of three: 9 / 2, 12 / 3 and 15 / 3.
/// assert!((theorem_a1(&demand, &[2, 3, 3])? - 5.0).abs() < 1e-12);
/// # Ok::<(), octopus_pool::Error>(())
/// ```
pub fn theorem_a1(demand: &PodDemand, expansion: &[usize]) -> Result<f64> {
    if expansion.contains(&0) {
        let most = u64::MAX;
        return Err(Error::OutOfRange { field: "expansion", value: 0, least: 1, most });
    }
    let mut hottest = Hottest::new(demand.servers());
    let (before, inside) = demand.events().split_at(demand.tracked_from());
    for event in before {
        hottest.change(event.server as usize, event.gib, event.arrives);
    }
    let mut most = hottest.largest_ratio(expansion, 0);
    for event in inside {
        let rank = hottest.change(event.server as usize, event.gib, event.arrives);
        if event.arrives {
            most = most.max(hottest.largest_ratio(expansion, rank));
        }
    }
    Ok(most)
}

/// Demands in descending order, kept so as they change.
struct Hottest {
    sorted: Vec<u64>,
    used: Vec<u64>,
}

impl Hottest {
    fn new(servers: usize) -> Self {
        Self { sorted: vec![0; servers], used: vec![0; servers] }
    }

    /// Changes a server's demand and returns its new rank, from 0.
    fn change(&mut self, server: usize, gib: u32, arrives: bool) -> usize {
        let (old, gib) = (self.used[server], u64::from(gib));
        let new = if arrives { old + gib } else { old - gib };
        self.used[server] = new;
        // The place it leaves is the nearest of equals to the one it takes.
        if arrives {
            let from = self.sorted.partition_point(|d| *d > old);
            let to = self.sorted.partition_point(|d| *d > new);
            self.sorted[to..=from].rotate_right(1);
            self.sorted[to] = new;
            to
        } else {
            let from = self.sorted.partition_point(|d| *d >= old) - 1;
            let to = self.sorted.partition_point(|d| *d >= new) - 1;
            self.sorted[from..=to].rotate_left(1);
            self.sorted[to] = new;
            to
        }
    }

    /// The largest `D_k` / `e_k` among k above `rank`: below it, an arrival at
    /// that rank changes nothing.
    fn largest_ratio(&self, expansion: &[usize], rank: usize) -> f64 {
        let mut sum: u64 = self.sorted[..rank].iter().sum();
        let mut most = 0.0_f64;
        for (demand, &e_k) in self.sorted[rank..].iter().zip(expansion.iter().skip(rank)) {
            sum += demand;
            most = most.max(sum as f64 / e_k as f64);
        }
        most
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn demands_stay_sorted(changes in prop::collection::vec((0_usize..6, 1_u32..9), 1..80)) {
            let mut hottest = Hottest::new(6);
            for (server, gib) in changes {
                let arrives = hottest.used[server] < u64::from(gib) || gib.is_multiple_of(2);
                let rank = hottest.change(server, gib, arrives);
                let mut expected = hottest.used.clone();
                expected.sort_unstable_by(|a, b| b.cmp(a));
                prop_assert_eq!(&hottest.sorted, &expected);
                prop_assert_eq!(hottest.sorted[rank], hottest.used[server]);
            }
        }
    }
}
