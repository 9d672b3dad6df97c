//! What several tests need: pods and traces made by hand.
#![allow(dead_code, reason = "each test uses some of these")]

use std::path::PathBuf;

use octopus_design::Topology;
use octopus_pool::{Trace, Vm};
use proptest::prelude::*;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A random biregular pod: every server has `x` links, every MPD `n`, none
/// doubled (the configuration model, doubled links swapped away).
pub(crate) fn random_pod(servers: usize, x: usize, n: usize, seed: u64) -> Topology {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut ends: Vec<usize> = (0..servers * x).map(|i| i / x).collect();
    ends.shuffle(&mut rng);
    loop {
        let doubled = |at: usize, ends: &[usize]| {
            let mpd = &ends[at / n * n..at / n * n + n];
            mpd.iter().filter(|s| **s == ends[at]).count() > 1
        };
        let Some(at) = (0..ends.len()).find(|&at| doubled(at, &ends)) else { break };
        let other = rng.random_range(0..ends.len());
        ends.swap(at, other);
    }
    let mpds = ends.chunks(n).map(<[usize]>::to_vec);
    Topology::new(format!("random-{servers}"), x, n, servers, mpds).expect("biregular")
}

/// AG(2, 4) with its points as servers and lines as MPDs, 2-(16, 4, 1): every
/// pair of servers shares exactly one MPD (section 5.2).
pub(crate) fn affine_plane_16() -> Topology {
    // Multiplication in GF(4) = {0, 1, a, a + 1}; addition is exclusive or.
    const TIMES: [[usize; 4]; 4] = [[0, 0, 0, 0], [0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2]];
    let slopes = (0..16).map(|line| {
        let (slope, shift) = (line / 4, line % 4);
        (0..4).map(|x| 4 * x + (TIMES[slope][x] ^ shift)).collect::<Vec<_>>()
    });
    let vertical = (0..4).map(|x| (0..4).map(|y| 4 * x + y).collect());
    Topology::new("affine-16", 5, 4, 16, slopes.chain(vertical)).expect("a plane")
}

/// Random VMs on `servers` servers, some alive before the window of 0..200.
pub(crate) fn random_trace(servers: u32, vms: usize, seed: u64) -> Trace {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let vms = (0..vms).map(|_| {
        let start_s = rng.random_range(-50..200);
        Vm {
            start_s,
            end_s: start_s.max(0) + rng.random_range(1..80),
            memory_gib: f64::from(rng.random_range(1_u32..=32)),
            cores: 1,
            server: Some(rng.random_range(0..servers)),
            censored: false,
        }
    });
    Trace::new("random", 0..200, vms.collect()).expect("valid VMs")
}

/// The real trace, where the project's data lies beside the workspace.
pub(crate) fn azure_window() -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../shared/data/azure-v1/vms_9day.csv.gz");
    path.exists().then_some(path)
}

/// A pod with any links at all, each server having one at least.
pub(crate) fn any_pod() -> impl Strategy<Value = Topology> {
    (2_usize..7, 1_usize..6).prop_flat_map(|(servers, mpds)| {
        let rows = prop::collection::vec(prop::collection::vec(any::<bool>(), servers), mpds);
        (rows, prop::collection::vec(0..mpds, servers)).prop_map(move |(rows, kept)| {
            let linked = |mpd: usize, server: usize| rows[mpd][server] || kept[server] == mpd;
            let of = |mpd| (0..servers).filter(move |&s| linked(mpd, s)).collect::<Vec<_>>();
            Topology::new("any", mpds, servers, servers, (0..mpds).map(of)).expect("in range")
        })
    })
}
