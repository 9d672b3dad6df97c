//! Pods keep what their builders promise, judged by code that builds nothing.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use octopus_design::expansion::{Options, profile};
use octopus_design::pod::{self, Blueprint, JellyfishSpec, OctopusSpec};
use octopus_design::{Error, MpdId, ServerId, Topology, block, format, measure, verify};
use proptest::prelude::*;

fn expansions(pod: &Topology, max_k: usize) -> Vec<(usize, usize)> {
    let options = Options { max_k, ..Options::default() };
    let known = profile(pod, &options, &mut |_| ControlFlow::Continue(()));
    known.iter().map(|known| (known.lower, known.upper)).collect()
}

fn exactly(values: &[usize]) -> Vec<(usize, usize)> {
    values.iter().map(|&value| (value, value)).collect()
}

#[test]
fn shipped_pods_keep_every_rule() {
    for (pod, islands, island_ports) in
        [(pod::octopus_25(), 1, 8), (pod::octopus_64(), 4, 5), (pod::octopus_96(), 6, 5)]
    {
        assert!(verify::claims(&pod).is_empty(), "{}", pod.name());
        let check = verify::octopus(&pod, islands, island_ports);
        let failures: Vec<_> = check.failures().collect();
        assert!(check.passed() && failures.is_empty(), "{}: {failures:?}", pod.name());
    }
}

#[test]
fn octopus_96_balances_its_islands() {
    let check = verify::octopus(&pod::octopus_96(), 6, 5);
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    for (a, row) in check.island_pairs().iter().enumerate() {
        for &shared in &row[a + 1..] {
            *counts.entry(shared).or_default() += 1;
        }
    }
    assert_eq!(counts, BTreeMap::from([(28, 3), (29, 12)]));
}

#[test]
fn octopus_96_hops_and_overlap() {
    let pod = pod::octopus_96();
    assert_eq!(measure::shared_mpds(&pod), BTreeMap::from([(0, 3408), (1, 1152)]));
    let hops = measure::mpd_hops(&pod);
    assert_eq!((hops.pairs, hops.unreachable), (BTreeMap::from([(1, 1152), (2, 3408)]), 0));
}

/// The bound that an island of 16 sets: 3k external MPDs and those that k
/// points of AG(2,4) meet. Octopus-96 attains it for every k up to 16.
#[test]
fn octopus_96_expands_as_far_as_islands_allow() {
    let island = expansions(&pod::bibd(16, 4).unwrap(), 14);
    let bound: Vec<usize> = (1..).zip(&island).map(|(k, &(_, e))| 3 * k + e).collect();
    assert_eq!(expansions(&pod::octopus_96(), 14), exactly(&bound));
}

#[test]
fn octopus_64_expansion() {
    assert_eq!(expansions(&pod::octopus_64(), 8)[7], (42, 42));
}

#[test]
fn searches_repeat() {
    let blueprint = pod::octopus_96_blueprint().unwrap();
    let [a, b] = [0, 1].map(|_| pod::find(&blueprint, &[], 7, 1_000_000).unwrap());
    assert_eq!(format::to_json(&a), format::to_json(&b));
    let spec = JellyfishSpec { servers: 40, server_ports: 6, mpd_ports: 4, max_shared: Some(1) };
    assert_eq!(pod::jellyfish(&spec, 3).unwrap(), pod::jellyfish(&spec, 3).unwrap());
    assert_ne!(pod::jellyfish(&spec, 3).unwrap(), pod::jellyfish(&spec, 4).unwrap());
}

#[test]
fn a_blueprint_refuses_a_symmetry_that_tears_islands() {
    let good = pod::octopus_96_blueprint().unwrap();
    let make = |generator: Vec<usize>| {
        let symmetry = block::Symmetry::generated(generator.len(), &[generator]).unwrap();
        let (island, patterns) = (good.island().clone(), good.patterns().to_vec());
        Blueprint::new("x", island, 6, 3, patterns, symmetry)
    };
    let identity: Vec<usize> = (0..96 + 72).collect();
    assert!(make(identity.clone()).is_ok());
    let exchange = |a: usize, b: usize| {
        let mut generator = identity.clone();
        generator.swap(a, b);
        generator
    };
    // two servers of one island, of two islands, MPDs of two patterns, of two
    // rounds, and one thing too few
    for wrong in [exchange(0, 1), exchange(0, 20), exchange(96, 98), exchange(96, 96 + 24)] {
        assert!(matches!(make(wrong), Err(Error::Impossible { .. })));
    }
    assert!(matches!(make((0..96).collect()), Err(Error::Impossible { .. })));
}

#[test]
fn impossible_octopus_pods_are_refused_by_counting() {
    let spec = |server_ports, island_ports, islands| OctopusSpec {
        server_ports,
        island_ports,
        mpd_ports: 4,
        islands,
    };
    for (spec, why) in [
        (spec(4, 5, 4), "island ports"),
        (spec(8, 5, 1), "lead nowhere"),
        (spec(8, 5, 3), "joins N = 4 islands"),
        (spec(6, 5, 6), "other islands"),
        (spec(30, 4, 4), "share two"),
        (spec(6, 4, 5), "not a multiple"),
    ] {
        match pod::octopus(&spec, 1) {
            Err(Error::Impossible { reason }) => assert!(reason.contains(why), "{reason}"),
            other => panic!("{spec:?}: {other:?}"),
        }
    }
    // an island of 36 would be an affine plane of order six
    let odd = OctopusSpec { server_ports: 10, island_ports: 7, mpd_ports: 6, islands: 7 };
    assert!(matches!(pod::octopus(&odd, 1), Err(Error::NoDesign { points: 36, .. })));
}

/// The family beyond the paper: each of these is found and keeps every rule.
#[test]
fn other_members_of_the_family() {
    for (server_ports, island_ports, mpd_ports, islands) in [
        (8, 5, 4, 4),
        (8, 5, 4, 5),
        (8, 5, 4, 6),
        (8, 4, 4, 7),
        (8, 4, 4, 4),
        (5, 3, 3, 3),
        (6, 3, 3, 6),
    ] {
        let spec = OctopusSpec { server_ports, island_ports, mpd_ports, islands };
        let pod = pod::octopus(&spec, 1).unwrap_or_else(|error| panic!("{spec:?}: {error}"));
        let check = verify::octopus(&pod, islands, island_ports);
        assert!(check.passed(), "{spec:?}: {:?}", check.failures().collect::<Vec<_>>());
        assert_eq!((pod.servers(), pod.mpds()), (spec.servers(), spec.mpds()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn jellyfish_is_biregular(
        groups in 1_usize..12,
        server_ports in 1_usize..7,
        mpd_ports in 2_usize..6,
        max_shared in prop::option::of(1_u16..4),
        seed in 0_u64..1000,
    ) {
        let servers = groups * mpd_ports;
        let spec = JellyfishSpec { servers, server_ports, mpd_ports, max_shared };
        match pod::jellyfish(&spec, seed) {
            Ok(pod) => {
                prop_assert_eq!(pod.server_degree(), server_ports..=server_ports);
                prop_assert_eq!(pod.mpd_degree(), mpd_ports..=mpd_ports);
                if let Some(most) = max_shared {
                    let shared = measure::shared_mpds(&pod);
                    prop_assert!(shared.keys().all(|&count| count <= usize::from(most)));
                }
            }
            // counting rules it out, or it is so tight that swaps do not find it
            Err(Error::Impossible { .. } | Error::NotFound { .. }) => {
                prop_assert!(max_shared.is_some() || server_ports > servers * server_ports / mpd_ports);
            }
            Err(other) => prop_assert!(false, "{}", other),
        }
    }

    #[test]
    fn xpander_is_biregular(copies in 1_usize..20, server_ports in 1_usize..9, mpd_ports in 1_usize..6, seed: u64) {
        let pod = pod::xpander(copies * mpd_ports, server_ports, mpd_ports, seed).unwrap();
        prop_assert_eq!(pod.server_degree(), server_ports..=server_ports);
        prop_assert_eq!(pod.mpd_degree(), mpd_ports..=mpd_ports);
        prop_assert_eq!(pod.mpds(), server_ports * copies);
    }

    /// Over random (v, N): every pair of a BIBD pod shares exactly one MPD.
    #[test]
    fn bibd_pods_overlap_pairwise(points in 2_usize..50, mpd_ports in 2_usize..8) {
        match pod::bibd(points, mpd_ports) {
            Ok(pod) => {
                let pairs = (points * (points - 1) / 2) as u64;
                prop_assert_eq!(measure::shared_mpds(&pod), BTreeMap::from([(1, pairs)]));
                prop_assert!(verify::claims(&pod).is_empty());
            }
            Err(Error::NoDesign { .. } | Error::UnknownDesign { .. } | Error::UnbuiltDesign { .. }) => {}
            Err(other) => prop_assert!(false, "{}", other),
        }
    }

    #[test]
    fn failed_links_are_nested_and_as_many_as_asked(
        servers in 1_usize..8, share in 0.0..=1.0_f64, more in 0.0..=1.0_f64, seed: u64,
    ) {
        let pod = pod::xpander(4 * servers, 6, 4, seed).unwrap();
        let links = |pod: &Topology| -> Vec<(ServerId, MpdId)> {
            pod.server_ids().flat_map(|s| pod.mpds_of(s).map(move |m| (s, m))).collect()
        };
        let failed = pod::fail_links(&pod, share, seed).unwrap();
        let exact = share * pod.links() as f64;
        prop_assert!(((pod.links() - failed.links()) as f64 - exact).abs() <= 0.5 + 1e-9);
        let whole = links(&pod);
        prop_assert!(links(&failed).iter().all(|link| whole.contains(link)));
        let worse = pod::fail_links(&pod, share.max(more), seed).unwrap();
        let left = links(&failed);
        prop_assert!(links(&worse).iter().all(|link| left.contains(link)));
        prop_assert_eq!(pod::fail_links(&pod, 1.0, seed).unwrap().links(), 0);
        prop_assert!(pod::fail_links(&pod, f64::NAN, seed).is_err());
    }
}
