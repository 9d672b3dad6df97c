//! Measures against brute force and against values known by other means.

#[expect(dead_code, reason = "the other tests' share of a common module")]
mod pods;

use std::collections::BTreeMap;

use nalgebra::DMatrix;
use octopus_design::measure::{connected, mpd_hops, shared_mpds, spectrum};
use octopus_design::{ServerId, Topology};
use proptest::prelude::*;

/// Random pods, unlinked servers and MPDs among them.
fn random_pods(most_servers: usize) -> impl Strategy<Value = Topology> {
    (1..=most_servers, 1..12_usize, 0.0..0.6).prop_flat_map(|(servers, mpds, density)| {
        let row = prop::collection::vec(prop::bool::weighted(density), servers);
        prop::collection::vec(row, mpds).prop_map(move |rows| {
            let members = rows.iter().map(|row| (0..servers).filter(|&s| row[s]));
            Topology::new("random", 12, servers, servers, members).expect("in range")
        })
    })
}

/// Hops by Floyd and Warshall; `usize::MAX` where there is no way.
fn all_distances(pod: &Topology) -> Vec<Vec<usize>> {
    let n = pod.servers();
    let mut hops = vec![vec![usize::MAX; n]; n];
    for (a, row) in hops.iter_mut().enumerate() {
        for (b, hops) in row.iter_mut().enumerate() {
            if pod.mpd_ids().any(|m| pod.linked(ServerId(a), m) && pod.linked(ServerId(b), m)) {
                *hops = 1;
            }
        }
        row[a] = 0;
    }
    for via in 0..n {
        for a in 0..n {
            for b in 0..n {
                hops[a][b] = hops[a][b].min(hops[a][via].saturating_add(hops[via][b]));
            }
        }
    }
    hops
}

/// Singular values of the normalised matrix, descending, by a dense solver.
fn singular_values(pod: &Topology) -> Vec<f64> {
    let degree = |count: usize| (count.max(1) as f64).sqrt();
    let matrix = DMatrix::from_fn(pod.servers(), pod.mpds(), |s, m| {
        let (server, mpd) = (ServerId(s), octopus_design::MpdId(m));
        let scale = degree(pod.mpds_of(server).count()) * degree(pod.servers_of(mpd).count());
        f64::from(u8::from(pod.linked(server, mpd))) / scale
    });
    let mut values: Vec<f64> = matrix.singular_values().iter().copied().collect();
    values.sort_by(|a, b| b.total_cmp(a));
    values
}

proptest! {
    #[test]
    fn agrees_with_brute_force(pod in random_pods(14)) {
        let mut shared = BTreeMap::new();
        let mut hops = BTreeMap::new();
        let mut unreachable = 0;
        let distances = all_distances(&pod);
        for (b, row) in distances.iter().enumerate() {
            for (a, &distance) in row[..b].iter().enumerate() {
                let both = |m: &octopus_design::MpdId| {
                    pod.linked(ServerId(a), *m) && pod.linked(ServerId(b), *m)
                };
                *shared.entry(pod.mpd_ids().filter(both).count()).or_insert(0) += 1;
                if distance == usize::MAX {
                    unreachable += 1;
                } else {
                    *hops.entry(distance).or_insert(0) += 1;
                }
            }
        }
        prop_assert_eq!(shared_mpds(&pod), shared);
        let found = mpd_hops(&pod);
        prop_assert_eq!(&found.pairs, &hops);
        prop_assert_eq!(found.unreachable, unreachable);
        prop_assert_eq!(connected(&pod), unreachable == 0);
        let farthest = hops.keys().max().copied().filter(|_| unreachable == 0);
        prop_assert_eq!(found.diameter(), farthest);
    }

    #[test]
    fn spectrum_agrees_with_a_dense_solver(pod in random_pods(14)) {
        let found = spectrum(&pod);
        let values = singular_values(&pod);
        if pod.links() == 0 {
            prop_assert_eq!((found.second_singular, found.gap), (0.0, 0.0));
        } else {
            prop_assert!((values[0] - 1.0).abs() < 1e-9);
            let second = values.get(1).copied().unwrap_or(0.0);
            prop_assert!((found.second_singular - second).abs() < 1e-6, "{found:?} {values:?}");
            prop_assert!((found.gap - (1.0 - found.second_singular)).abs() < 1e-15);
            prop_assert!(found.residual < 1e-7);
        }
    }
}

fn affine_plane_16() -> Topology {
    Topology::new("bibd-16", 5, 4, 16, pods::affine_plane_4()).expect("a pod")
}

#[test]
fn octopus_64_needs_two_hops() {
    let pod = pods::octopus_64().pod();
    assert_eq!(mpd_hops(&pod).pairs, [(1, 768), (2, 1248)].into());
    assert_eq!(shared_mpds(&pod), [(0, 1248), (1, 768)].into());
    let second = singular_values(&pod)[1];
    assert!((spectrum(&pod).second_singular - second).abs() < 1e-9);
}

#[test]
fn a_bibd_is_one_hop_everywhere() {
    let pod = affine_plane_16();
    assert_eq!(shared_mpds(&pod), [(1, 120)].into());
    assert_eq!(mpd_hops(&pod).pairs, [(1, 120)].into());
    assert_eq!(mpd_hops(&pod).diameter(), Some(1));
    // σ₂² = (r − λ)/(r·N) = 4/20.
    assert!((spectrum(&pod).second_singular - 0.2_f64.sqrt()).abs() < 1e-12);
}

/// A ring of `n` servers and `n` two-port MPDs.
fn ring(n: usize) -> Topology {
    Topology::new("ring", 2, 2, n, (0..n).map(|i| [i, (i + 1) % n])).expect("a pod")
}

#[test]
fn a_ring_is_known_in_closed_form() {
    let n = 601;
    let hops = mpd_hops(&ring(n));
    assert_eq!(hops.diameter(), Some(300));
    assert!(hops.pairs.values().all(|&pairs| pairs == 601));
    // The walk on a cycle: σ₂ = cos(π/n).
    let second = spectrum(&ring(101)).second_singular;
    assert!((second - (std::f64::consts::PI / 101.0).cos()).abs() < 1e-9, "{second}");
}

/// Where the iteration stops at its limit it must say how far off it may be.
#[test]
fn a_long_ring_is_a_bound_with_its_residual() {
    let n = 8192;
    let found = spectrum(&ring(n));
    let truth = (std::f64::consts::PI / n as f64).cos().powi(2);
    let square = found.second_singular.powi(2);
    assert!(square <= truth + 1e-12);
    assert!(found.residual > 1e-8, "it cannot have converged: {found:?}");
}

/// The dense and the sparse way of counting overlap meet within one pod.
#[test]
fn large_pods_are_counted_exactly() {
    let servers = 4096;
    let mpds = (0..512).map(|block| (8 * block..8 * block + 8).collect::<Vec<_>>());
    let wide = std::iter::once((0..servers).collect());
    let pod = Topology::new("x", 2, servers, servers, mpds.chain(wide)).expect("a pod");
    let pairs = 4096 * 4095 / 2;
    assert_eq!(shared_mpds(&pod), [(1, pairs - 512 * 28), (2, 512 * 28)].into());
    assert_eq!(mpd_hops(&pod).pairs, [(1, pairs)].into());
}

#[test]
fn unlinked_parts() {
    let one = Topology::new("one", 1, 1, 1, [vec![]; 1]).expect("a pod");
    assert!(connected(&one));
    assert_eq!(mpd_hops(&one).diameter(), None);
    assert_eq!(shared_mpds(&one), BTreeMap::new());
    assert!(spectrum(&one).gap.abs() < f64::EPSILON);

    let spare = Topology::new("spare", 1, 2, 2, [vec![0, 1], vec![]]).expect("a pod");
    assert!(connected(&spare));
    let cut_off = Topology::new("cut off", 1, 2, 3, [[0, 1]]).expect("a pod");
    assert!(!connected(&cut_off));
    assert_eq!(mpd_hops(&cut_off).unreachable, 2);
    assert!(spectrum(&cut_off).second_singular.abs() < f64::EPSILON);
    let two = Topology::new("two", 1, 2, 4, [[0, 1], [2, 3]]).expect("a pod");
    assert!((spectrum(&two).second_singular - 1.0).abs() < f64::EPSILON);
}

#[test]
fn threads_change_nothing() {
    let pod = affine_plane_16();
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| (shared_mpds(&pod), mpd_hops(&pod), spectrum(&pod)))
    };
    assert_eq!(on(1), on(4));
}
