//! Expansion against brute force that shares no code with it, and against
//! values known by other means.

use std::ops::ControlFlow::{Break, Continue};
use std::time::{Duration, Instant};

use octopus_design::expansion::{Expansion, Options, Progress, profile, resume};
use octopus_design::{Topology, block};
use proptest::prelude::*;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

#[path = "common/small_pods.rs"]
mod small_pods;
use small_pods::{Wiring, any_links, circulant, complete, equal_degrees, net, twins, wirings};

fn pod(wiring: &Wiring) -> Topology {
    let mpds = wiring.mpds.iter().cloned();
    Topology::new("t", 64, 64, wiring.servers, mpds).expect("well formed")
}

fn all(topology: &Topology, options: &Options) -> Vec<Expansion> {
    profile(topology, options, &mut |_| Continue(()))
}

/// That what is said of the witnesses and the order of the answers is so.
fn check_form(topology: &Topology, known: &[Expansion]) {
    for (index, known) in known.iter().enumerate() {
        assert_eq!(known.k, index + 1);
        assert_eq!(known.witness.len(), known.k);
        assert!(known.witness.is_sorted_by(|a, b| a < b));
        assert_eq!(topology.neighborhood(&known.witness), known.upper);
        assert!(known.lower <= known.upper);
        assert_eq!(known.is_exact(), known.lower == known.upper);
    }
}

/// Pods above the size whose subsets are all looked at, which are searched.
fn larger_pods() -> impl Strategy<Value = Wiring> {
    prop_oneof![
        any_links(34).prop_filter("enumerated otherwise", |w| w.servers > 26),
        equal_degrees(34).prop_filter("enumerated otherwise", |w| w.servers > 26),
        twins(34).prop_filter("enumerated otherwise", |w| w.servers > 26),
        circulant(34).prop_filter("enumerated otherwise", |w| w.servers > 26),
        Just(net(6, 3)),
        Just(complete(12)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn small_pods_are_exact(wiring in wirings(13), beyond in 0..3_usize) {
        let topology = pod(&wiring);
        let options = Options { max_k: wiring.servers + beyond, ..Options::default() };
        let known = all(&topology, &options);
        check_form(&topology, &known);
        let truth = wiring.every_subset();
        prop_assert_eq!(known.len(), wiring.servers);
        for known in known {
            prop_assert_eq!((known.lower, known.upper), (truth[known.k], truth[known.k]));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn larger_pods_keep_their_bounds(wiring in larger_pods(), seed: u64) {
        let topology = pod(&wiring);
        let truth: Vec<usize> = (0..=4).map(|k| wiring.least_of_size(k)).collect();
        for work_per_k in [0, 1, 10, 1_000, u64::MAX] {
            let options = Options { max_k: 4, seed, work_per_k, restarts: 2, jobs: 1, ..Options::default() };
            let known = all(&topology, &options);
            check_form(&topology, &known);
            for known in &known {
                prop_assert!(known.lower <= truth[known.k] && truth[known.k] <= known.upper);
                prop_assert!(known.is_exact() || work_per_k < u64::MAX);
            }
            for jobs in [2, 3] {
                prop_assert_eq!(&all(&topology, &Options { jobs, ..options.clone() }), &known);
            }
        }
    }

    #[test]
    fn near_all_servers_the_bounds_hold(wiring in larger_pods()) {
        let topology = pod(&wiring);
        let options = Options { max_k: usize::MAX, work_per_k: 100, restarts: 1, ..Options::default() };
        let known = all(&topology, &options);
        check_form(&topology, &known);
        // MPDs that only the servers left out are wired to are missed
        let servers = wiring.servers;
        let missed = |out: &[usize]| {
            wiring.mpds.iter().filter(|m| !m.is_empty() && m.iter().all(|s| out.contains(s))).count()
        };
        let linked = wiring.mpds.iter().filter(|m| !m.is_empty()).count();
        let one = (0..servers).map(|a| missed(&[a])).max().unwrap_or(0);
        let two = (0..servers).flat_map(|a| (0..a).map(move |b| [a, b])).map(|out| missed(&out));
        let two = two.max().unwrap_or(0);
        for (k, truth) in [(servers, linked), (servers - 1, linked - one), (servers - 2, linked - two)] {
            let known = &known[k - 1];
            prop_assert!(known.lower <= truth && truth <= known.upper, "{known:?} of {truth}");
        }
        prop_assert!(known[servers - 1].is_exact());
        prop_assert!(known.is_sorted_by_key(|known| known.lower));
    }

    #[test]
    fn past_its_deadline_it_still_tells_the_truth(wiring in larger_pods()) {
        let topology = pod(&wiring);
        let now = Instant::now();
        let past = now.checked_sub(Duration::from_secs(1)).unwrap_or(now);
        let options = Options { deadline: Some(past), max_k: usize::MAX, ..Options::default() };
        let known = all(&topology, &options);
        check_form(&topology, &known);
        prop_assert_eq!(known.len(), wiring.servers);
        prop_assert_eq!(known.iter().map(|known| known.visited).sum::<u64>(), 0);
        for k in 1..=3 {
            let truth = wiring.least_of_size(k);
            prop_assert!(known[k - 1].lower <= truth && truth <= known[k - 1].upper);
        }
    }
}

/// `profile` of the design of which e_k is known.
fn bibd(points: usize) -> Vec<usize> {
    let design = block::build(points, 4).expect("constructed");
    let blocks = design.blocks().iter().cloned();
    let topology = Topology::new("bibd", 8, 4, points, blocks).expect("well formed");
    let known = all(&topology, &Options { max_k: points, ..Options::default() });
    check_form(&topology, &known);
    assert!(known.iter().all(Expansion::is_exact));
    known.iter().map(|known| known.upper).collect()
}

/// The planes of order 3 and 4 are unique, so their values are too.
#[test]
fn bibd_13_and_16() {
    assert_eq!(bibd(13), [4, 7, 9, 10, 11, 11, 12, 12, 12, 13, 13, 13, 13]);
    assert_eq!(bibd(16), [5, 9, 12, 14, 15, 15, 17, 18, 18, 19, 19, 19, 20, 20, 20, 20]);
}

/// There are eighteen 2-(25,4,1) designs; this is the one on Z5² whose base
/// blocks are 00 01 10 22 and 00 02 20 44.
#[test]
fn bibd_25() {
    let developed = [[0, 1, 5, 12], [0, 2, 10, 24]].into_iter().flat_map(|base| {
        (0..25).map(move |by| {
            base.map(|point: usize| (point / 5 + by / 5) % 5 * 5 + (point + by) % 5).to_vec()
        })
    });
    let wiring = Wiring { servers: 25, mpds: developed.collect() };
    let known = all(&pod(&wiring), &Options::default());
    check_form(&pod(&wiring), &known);
    let e: Vec<usize> = known.iter().map(|known| known.upper).collect();
    let expected = [
        8, 15, 21, 26, 30, 33, 35, 36, 38, 40, 42, 42, 44, 45, 45, 47, 48, 48, 49, 49, 49, 50, 50,
        50, 50,
    ];
    assert_eq!(e, expected);
    assert!(known.iter().all(Expansion::is_exact));
    for k in [1, 2, 3, 4, 5, 23, 24, 25] {
        assert_eq!(wiring.least_of_size(k), expected[k - 1]);
    }
}

#[test]
fn no_answers_are_asked_for() {
    let options = Options { max_k: 0, ..Options::default() };
    assert!(all(&pod(&complete(4)), &options).is_empty());
    assert!(all(&pod(&net(6, 3)), &options).is_empty());
}

#[test]
fn whoever_watches_can_end_it() {
    for wiring in [complete(6), net(6, 4)] {
        let topology = pod(&wiring);
        let mut settled = 0;
        let known = profile(&topology, &Options::default(), &mut |progress| match progress {
            Progress::Settled(known) if known.k == 3 => Break(()),
            Progress::Settled(_) => {
                settled += 1;
                Continue(())
            }
            Progress::Searching { .. } => Continue(()),
        });
        assert_eq!((settled, known.len()), (2, 3));
    }
    // in the middle of a proof: what is known by then is still true
    let wiring = random_96(7);
    let topology = pod(&wiring);
    let options = Options { max_k: 12, work_per_k: 2_000_000, ..Options::default() };
    let full = all(&topology, &options);
    let mut first = None;
    let known = profile(&topology, &options, &mut |progress| match progress {
        Progress::Searching { k, done, parts, visited, upper } if *k > 6 && done < parts => {
            assert!(*done > 0 && *visited > 0 && *upper >= full[k - 1].lower);
            first = Some(*k);
            Break(())
        }
        _ => Continue(()),
    });
    assert_eq!(Some(known.len()), first);
    check_form(&topology, &known);
    for (known, full) in known.iter().zip(&full) {
        assert!(known.lower <= full.lower && full.upper <= known.upper.max(full.upper));
    }
}

/// Where a run is broken off does not show in what a later one adds to it.
#[test]
fn a_resumed_run_ends_as_one_in_a_piece() {
    let wiring = random_96(3);
    let topology = pod(&wiring);
    for work_per_k in [500, 2_000_000] {
        let options = Options { max_k: 9, work_per_k, ..Options::default() };
        let whole = all(&topology, &options);
        for until in 0..=9 {
            let resumed =
                resume(&topology, whole[..until].to_vec(), &options, &mut |_| Continue(()));
            assert_eq!(resumed, whole, "from {until}");
        }
        // a gap is no start: everything after it is done again
        let mut gap = whole.clone();
        gap.remove(4);
        assert_eq!(resume(&topology, gap, &options, &mut |_| Continue(())), whole);
    }
}

/// 96 servers of eight ports on 192 MPDs of four, the ports matched by chance;
/// a server twice on an MPD is exchanged away, servers that share several
/// MPDs are left alone.
fn random_96(seed: u64) -> Wiring {
    let (servers, ports, width) = (96, 8, 4);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut ends: Vec<usize> = (0..servers * ports).map(|end| end / ports).collect();
    ends.shuffle(&mut rng);
    let is_doubled = |ends: &[usize], at: usize| {
        let mpd = at / width * width;
        (mpd..mpd + width).any(|other| other != at && ends[other] == ends[at])
    };
    while let Some(at) = (0..ends.len()).find(|&at| is_doubled(&ends, at)) {
        let mut others: Vec<usize> = (0..ends.len()).collect();
        others.shuffle(&mut rng);
        let mends = |&other: &usize| {
            ends.swap(at, other);
            let mends = !is_doubled(&ends, at) && !is_doubled(&ends, other);
            if !mends {
                ends.swap(at, other);
            }
            mends
        };
        others.into_iter().find(mends).expect("most exchanges mend a doubled link");
    }
    Wiring { servers, mpds: ends.chunks(width).map(<[usize]>::to_vec).collect() }
}

/// The quick part of [`twenty_random_topologies`].
#[test]
fn bounds_of_random_96_server_pods_hold() {
    for seed in 0..3 {
        let wiring = random_96(seed);
        let topology = pod(&wiring);
        let options = Options { max_k: 4, ..Options::default() };
        let known = all(&topology, &options);
        check_form(&topology, &known);
        for known in known {
            let truth = wiring.least_of_size(known.k);
            assert_eq!((known.lower, known.upper), (truth, truth));
        }
        let limited = all(&topology, &Options { max_k: 3, work_per_k: 10, restarts: 1, ..options });
        for known in limited {
            let truth = wiring.least_of_size(known.k);
            assert!(known.lower <= truth && truth <= known.upper);
        }
    }
}

#[test]
#[ignore = "the slower tier: a quarter of a minute with --release"]
fn twenty_random_topologies() {
    let most_shared = |topology: &Topology| {
        let ids = || topology.server_ids();
        let pairs = ids().flat_map(|a| ids().take(a.index()).map(move |b| (a, b)));
        pairs.map(|(a, b)| topology.shared_mpds(a, b)).max().unwrap_or(0)
    };
    let mut widest = 0;
    for seed in 0..20 {
        let wiring = random_96(seed);
        let topology = pod(&wiring);
        let shared = most_shared(&topology);
        widest = widest.max(shared);
        let start = Instant::now();
        let known = all(&topology, &Options { max_k: 12, seed, ..Options::default() });
        let seconds = start.elapsed().as_secs_f64();
        check_form(&topology, &known);
        let e: Vec<usize> = known.iter().map(|known| known.upper).collect();
        println!("seed {seed}: pairs share up to {shared} MPDs, {seconds:.2} s, {e:?}");
        assert!(known.iter().all(Expansion::is_exact), "{known:?}");
        for k in 1..=4 {
            assert_eq!(e[k - 1], wiring.least_of_size(k));
        }
    }
    println!("pairs share up to {widest} MPDs");
    assert_eq!(widest, 4);
}
